"""Plans made of verdicts alone, and what a terminal shows of them."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Screen
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import Excerpt

NEW_FIELD = Reason(rules.FIELD_ADDED, "new field A (1.9)", "a", "A")
UID = Reason(rules.STATIC_UID, "static pod: 1.9.11 gives it another UID")
NODE = Reason(rules.NODE_RELEASE, "no node n1 in the input")
REASONS = {Verdict.RESTART: (NEW_FIELD,), Verdict.KILL: (UID,), Verdict.UNKNOWN: (NODE,)}


def item(
    verdict: Verdict = Verdict.RESTART,
    owner: str = "Deployment/web",
    pod: str = "web-1",
    *,
    node: str = "n1",
    namespace: str = "shop",
    release: str = "v1.7.16",
    reasons: tuple[Reason, ...] | None = None,
) -> Item:
    """Return a container's verdict, with a reason that goes with it."""
    name = PodName(node, namespace, pod, f"uid-{pod}", owner, owner)
    why = REASONS.get(verdict, ()) if reasons is None else reasons
    return Item(name, ContainerName("c", ContainerType.CONTAINER), Prediction(release, verdict, why))


def plan(*items: Item, **more: Any) -> Plan:
    """Return the plan of some items, in its order."""
    in_order = sorted(
        items, key=lambda entry: (not entry.pod.node, entry.pod.node, entry.pod.namespace, entry.pod.name)
    )
    return structs.replace(Plan("auto", "1.9.11", tuple(in_order)), **more)


def excerpt(*items: Item, **asked: Any) -> Excerpt:
    """Return the plan of some items with what is asked of its report."""
    made = plan(*items)
    return structs.replace(Excerpt(made, made.items), **asked)


def shown(result: Plan | Excerpt, width: int | None = None, height: int | None = None, **style: Any) -> str:
    """Return what ``-o table`` prints."""
    screen = Screen(width, height)
    return "".join(FORMATS["table"].render(PLAN, result, Style(screen=screen, **style)))
