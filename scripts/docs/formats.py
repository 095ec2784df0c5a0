"""Fill scripts/docs/formats.md in: which result has which format, and an example that each one prints."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from msgspec import structs

import hashcompat
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.results import Making
from hashcompat.output.formats import FORMATS, chosen
from hashcompat.output.formats.model import Style
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.registry import REPORTS
from scripts.lib.paths import SCRIPTS

_TEXT: Final = SCRIPTS / "docs" / "formats.md"
"""The page without what is generated."""

_EXAMPLE: Final = re.compile(r"^<!-- example ([a-z]+): (.*) -->$", re.MULTILINE)
"""Where an example goes: its language, and the value of ``-o``."""


_COMMAND: Final = "hashcompat plan --from 1.13.12 --to 1.14.10 -f shop/"
_MADE: Final = datetime(2026, 1, 31, 12, tzinfo=UTC)
"""When the plan of the examples was made."""


def page() -> str:
    """Return the page."""
    plan = _plan()
    text = _TEXT.read_text(encoding="utf-8").replace("<!-- table -->", _table())
    return _EXAMPLE.sub(lambda match: f"```{match[1]}\n{_example(match[2], plan)}\n```", text)


def _table() -> str:
    rows = ["| format | results |", "|---|---|"]
    kinds = {report.kind: report for report in REPORTS.values()}
    for name, form in FORMATS.items():
        shown = [kind for kind, report in kinds.items() if form.shows(report)]
        missing = [kind for kind in kinds if kind not in shown]
        words = "all" if not missing else ", ".join(shown)
        if len(shown) > len(missing) > 0:
            words = f"all but {', '.join(missing)}"
        rows.append(f"| `{name}` | {words} |")
    return "\n".join(rows)


def _plan() -> Plan:
    """Return a plan of two pods of a file."""
    container = {"name": "web", "image": "web:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    pods = [_pod("web-0", container), _pod("migrate", container, phase="Succeeded")]
    plan = hashcompat.plan(pods, "1.13.12", "1.14.10")
    origin = structs.replace(plan.origin, taken=_MADE - timedelta(minutes=3))
    return structs.replace(
        plan,
        items=tuple(map(_placed, plan.items)),
        origin=origin,
        making=Making(_MADE, _COMMAND, "1.35.0", date(2025, 12, 17)),
    )


def _pod(name: str, container: dict[str, Any], phase: str = "Running") -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", "uid": f"uid-of-{name}"}
    spec = {"nodeName": "node-a", "containers": [container]}
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": phase}}


def _placed(item: Item) -> Item:
    """Return an item with the place that a file gives it."""
    return structs.replace(item, pod=structs.replace(item.pod, file=f"shop/{item.pod.name}.yaml"), line=12)


def _example(text: str, plan: Plan) -> str:
    form, argument = chosen(text)
    shown = "".join(form.render(PLAN, plan, Style(argument=argument))).replace("\r\n", "\n").rstrip("\n")
    if form.name != "sarif":
        return shown
    (run,) = json.loads(shown)["runs"]
    return json.dumps(run["results"][0], indent=2)
