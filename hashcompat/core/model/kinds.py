"""Names as people give them: owners as kubectl reads them, and what is near a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nsmallest
from typing import Final

import msgspec

from hashcompat.core.model.items import PodName
from hashcompat.core.model.pods import Pod

POD: Final = "Pod"

NODE: Final = "Node"

_SHORT: Final = {
    "po": POD,
    "no": NODE,
    "deploy": "Deployment",
    "rs": "ReplicaSet",
    "sts": "StatefulSet",
    "ds": "DaemonSet",
    "cj": "CronJob",
    "rc": "ReplicationController",
}
"""The short names of built-in resources (pkg/registry of each: ``ShortNames``)."""

KINDS: Final = (POD, NODE, *(kind for kind in _SHORT.values() if kind not in (POD, NODE)), "Job")
"""The kinds of what runs pods, and of pods and nodes."""


def is_kind(word: str, kind: str) -> bool:
    """Return whether a word is a kind as kubectl reads it.

    It is so in small or large letters, in the plural, as a short name, and with its API group or version.
    """
    asked, wanted = word.partition(".")[0].lower(), kind.lower()
    if not (asked and wanted):
        return False
    return _SHORT.get(asked, asked).lower() == wanted or asked in _plurals(wanted)


def _plurals(kind: str) -> Iterator[str]:
    """Yield the plural of a kind, as resources are named: ``jobs``, ``ingresses``, ``policies``."""
    yield f"{kind}s"
    if kind.endswith(("s", "x", "ch", "sh")):
        yield f"{kind}es"
    if kind.endswith("y"):
        yield f"{kind[:-1]}ies"


def names_a_kind(word: str) -> bool:
    """Return whether a word is one of the kinds above."""
    return any(is_kind(word, kind) for kind in KINDS)


class Owner(msgspec.Struct, frozen=True):
    """What controls pods: their direct controller, or the workload above it; without a name: nothing does."""

    kind: str
    """The kind as it was written, such as ``deploy``."""
    name: str

    def owns(self, pod: Pod | PodName) -> bool:
        """Return whether it is the controller of a pod, or the workload above that one, or the bare pod."""
        if not (self.kind or self.name):
            return not pod.owner
        return any(map(self.is_named, owners_of(pod)))

    def is_named(self, owner: str) -> bool:
        """Return whether ``Kind/name`` is this owner."""
        kind, _, name = owner.partition("/")
        return name == self.name and is_kind(self.kind, kind)


def owners_of(pod: Pod | PodName) -> tuple[str, ...]:
    """Return what a pod belongs to, each once: the workload first, which reports show, then its controller.

    A pod that nothing controls is its own owner, ``Pod/NAME``.
    """
    if pod.workload and pod.owner and pod.workload != pod.owner:
        return pod.workload, pod.owner
    return (pod.workload or pod.owner or f"{POD}/{pod.name}",)


def owner_of(text: str) -> Owner:
    """Return the owner that ``KIND/NAME`` names; a word alone is one of no name, which owns nothing."""
    kind, _, name = text.partition("/")
    return Owner(kind, name)


def near_owners(wanted: Owner, owners: Iterable[str]) -> list[str]:
    """Return the owners, ``Kind/name``, with names near that of a missing one, those of its kind first."""
    by_name: dict[str, list[str]] = {}
    for owner in dict.fromkeys(owners):
        by_name.setdefault(owner.partition("/")[2], []).append(owner)
    near_by = [owner for name in near(wanted.name or wanted.kind, by_name) for owner in by_name[name]]
    return sorted(near_by, key=lambda owner: not is_kind(wanted.kind, owner.partition("/")[0]))[:3]


# Which of the names that exist somebody may have meant by one that does not.

_LONGEST: Final = 253
"""Characters of a name that are compared: those of a DNS subdomain, the longest name in Kubernetes."""

_COMPARED: Final = 64
"""How many names are compared letter by letter: those with the longest start and end in common."""

_SHOWN: Final = 3

_START: Final = 3
"""Letters of a start that says something."""


def near(wanted: str, names: Iterable[str], *, most: int = _SHOWN) -> list[str]:
    """Return some names, the nearest first; none where nothing is near.

    Near are names that differ in at most a third of the letters, and those that start with one another.
    Every name is looked at once, and few letter by letter, so that a large cluster's take no time.
    """
    asked = wanted[:_LONGEST].lower()
    likely = nsmallest(_COMPARED, dict.fromkeys(names), key=lambda name: _unlike(asked, name.lower()))
    ranked = [(_rank(asked, name[:_LONGEST].lower()), name) for name in likely]
    nearest = sorted((rank, name) for rank, name in ranked if rank is not None)
    return [name for _, name in nearest[:most]]


def _unlike(asked: str, name: str) -> tuple[int, int]:
    """Return how many letters are neither of the start nor of the end that two names share."""
    start = _shared(asked, name)
    end = _shared(asked[start:][::-1], name[start:][::-1])
    return len(asked) - start - end, len(name)


def _shared(one: str, other: str) -> int:
    """Return how many letters two texts start with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (letter, wanted) in pairs if letter != wanted), min(len(one), len(other)))


def _rank(asked: str, name: str) -> tuple[int, int] | None:
    """Return how far two names are apart, misspelled ones before longer and shorter ones; None if too far."""
    steps = distance(asked, name)
    if steps <= max(1, len(asked) // 3):
        return 0, steps
    starts = min(len(asked), len(name)) >= _START and (name.startswith(asked) or asked.startswith(name))
    return (1, abs(len(name) - len(asked))) if starts else None


def distance(one: str, other: str) -> int:
    """Return how many letters to insert, leave out, replace or swap with the next make one text the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one):
        earlier, before, row = before, row, [index + 1]
        for place, wanted in enumerate(other):
            steps = min(before[place + 1] + 1, row[place] + 1, before[place] + (letter != wanted))
            if index and place and letter == other[place - 1] and one[index - 1] == wanted:
                steps = min(steps, earlier[place - 1] + 1)
            row.append(steps)
    return row[-1]
