"""What a plan does to a pod: whether any of its containers restarts, is killed for good, or may."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag
from typing import Final

from hashcompat.model.items import Item, PodName
from hashcompat.model.pods import Pod
from hashcompat.model.verdicts import Verdict

Identity = str | tuple[str, str, str]
"""A uid; or namespace, name and node, where there is none."""


class Fate(IntFlag):
    """What happens to the containers of one pod."""

    NONE = 0
    RESTARTS = 1
    KILLED = 2
    UNKNOWN = 4
    CERTAIN = RESTARTS | KILLED


_FATES: Final = {
    Verdict.RESTART: Fate.RESTARTS,
    Verdict.KILL: Fate.KILLED,
    Verdict.UNKNOWN: Fate.UNKNOWN,
}


def fates(items: Iterable[Item]) -> dict[Identity, Fate]:
    """Return the fate of each pod that is not kept as it is."""
    found: dict[Identity, Fate] = {}
    for item in items:
        if fate := _FATES.get(item.verdict):
            identity = _named(item.pod)
            found[identity] = found.get(identity, Fate.NONE) | fate
    return found


def identity_of(pod: Pod) -> Identity:
    """Return by what a plan's items identify a pod."""
    return pod.uid or (pod.namespace, pod.name, pod.node)


def _named(pod: PodName) -> Identity:
    return pod.uid or (pod.namespace, pod.name, pod.node)
