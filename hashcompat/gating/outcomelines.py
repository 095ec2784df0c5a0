"""The lines that say how far an upgraded node is as the plan predicted, and which pods the plan lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hashcompat.gating.checks import is_static
from hashcompat.gating.result import Judged, Line, Outcome, Standing
from hashcompat.model.escape import name_path, word
from hashcompat.model.items import Item
from hashcompat.model.plan import Plan
from hashcompat.model.pods import Pod
from hashcompat.model.words import count

_NAMED: Final = 5
"""Pods that are named in one line."""

_OTHERS: Final[Mapping[Standing, str]] = {
    Standing.CHANGED: "changed for other reasons",
    Standing.UNPREDICTED: "not predicted",
    Standing.SURPRISE: "not as predicted",
    Standing.UNDECIDED: "not decided",
}

_COUNTED: Final[Mapping[Standing, tuple[str, Outcome]]] = {
    Standing.SURPRISE: ("surprise", Outcome.FAIL),
    Standing.UNDECIDED: ("undecided container", Outcome.UNDECIDED),
}


def right(judged: Sequence[Judged]) -> Line:
    """Return the line that decides where nothing is wrong."""
    numbers = Counter(one.standing for one in judged)
    others = ", ".join(
        f"{numbers[standing]} {words}" for standing, words in _OTHERS.items() if numbers[standing]
    )
    right = f"{numbers[Standing.AS_PREDICTED]} of {count(len(judged), 'container')} as predicted"
    return Line("after", "", 0, 0, "", Outcome.PASS, f"{right}; {others}" if others else right)


def lines(judged: Sequence[Judged]) -> Iterator[Line]:
    """Yield a line for each surprise, or else one for all, and the same of what is undecided."""
    for standing, (noun, bad) in _COUNTED.items():
        found = [one for one in judged if one.standing is standing]
        for one in found:
            yield Line(
                "after", _named(one.item), 1, 0, noun, bad, f"{one.seen}, predicted {one.item.verdict}"
            )
        if not found:
            yield Line("after", "", 0, 0, f"{noun}s", Outcome.PASS)


def _named(item: Item) -> str:
    return name_path(item.pod.namespace, item.pod.name, item.container.name)


def new_pods(plan: Plan, pods: Sequence[Pod]) -> Iterator[str]:
    """Yield which pods of the nodes the plan does not know: they were created since, or it left them out."""
    uids = {item.pod.uid for item in plan.items}
    names = {(item.pod.namespace, item.pod.name) for item in plan.items if is_static(item.pod)}
    new: dict[str, list[str]] = {}
    for pod in pods:
        if pod.uid not in uids and (pod.namespace, pod.name) not in names:
            new.setdefault(pod.node, []).append(name_path(pod.namespace, pod.name))
    for node, found in new.items():
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        shown = ", ".join(found[:_NAMED])
        yield f"{word(node)}: {count(len(found), 'pod')} that the plan does not know: {shown}{more}"
