"""Owners of pods as kubectl reads them: ``deploy/web``, ``deployments.apps/web``, ``Deployment/web``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from hashcompat.model.items import PodName
from hashcompat.model.pods import Pod

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
        """Return whether it is the controller of a pod, or the workload above that one."""
        if not (self.kind or self.name):
            return not pod.owner
        return any(self.is_named(owner) for owner in (pod.owner, pod.workload))

    def is_named(self, owner: str) -> bool:
        """Return whether ``Kind/name`` is this owner."""
        kind, _, name = owner.partition("/")
        return name == self.name and is_kind(self.kind, kind)


def owner_of(text: str) -> Owner:
    """Return the owner that ``KIND/NAME`` names; a word alone is one of no name, which owns nothing."""
    kind, _, name = text.partition("/")
    return Owner(kind, name)


def near_owners(wanted: Owner, owners: Iterable[str]) -> list[str]:
    """Return the owners, ``Kind/name``, with names near that of a missing one, those of its kind first."""
    from hashcompat.model.near import near  # noqa: PLC0415 - for errors alone

    by_name: dict[str, list[str]] = {}
    for owner in dict.fromkeys(owners):
        by_name.setdefault(owner.partition("/")[2], []).append(owner)
    found = [owner for name in near(wanted.name or wanted.kind, by_name) for owner in by_name[name]]
    return sorted(found, key=lambda owner: not is_kind(wanted.kind, owner.partition("/")[0]))[:3]
