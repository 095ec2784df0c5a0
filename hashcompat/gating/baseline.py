"""Findings that an earlier plan or gate already has, whatever replicas they are of now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hashcompat.gating.exceptions import owner_of
from hashcompat.model.items import Item
from hashcompat.model.verdicts import Verdict


class Identity(NamedTuple):
    """What makes two findings the same one.

    Names of pods and nodes are not part of it, because replicas are scheduled again under other names; the
    name of a pod that nothing owns is.
    """

    namespace: str
    owner: str
    container: str
    type: str
    verdict: Verdict
    """A container that was restarted and is now killed is another finding."""


def identity(item: Item) -> Identity:
    """Return what makes a finding the same as another."""
    container = item.container
    return Identity(item.pod.namespace, owner_of(item.pod), container.name, container.type, item.verdict)


def baseline_of(items: Iterable[Item]) -> frozenset[Identity]:
    """Return the findings of an earlier plan, those that are UNKNOWN included."""
    return frozenset(identity(item) for item in items if item.verdict is not Verdict.KEEP)
