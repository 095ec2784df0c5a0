"""The release that a plan is given, against those that nodes report: what nodes report wins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.releases import same_build, same_minor, same_upstream
from hashcompat.model.escape import word
from hashcompat.model.plan import NodeRelease, Way
from hashcompat.model.pods import Node
from hashcompat.model.words import count
from hashcompat.planning.names import listed
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.regex import regex

_NUMBERED: Final = regex(r"v?\d{1,9}\.\d{1,9}\b", re.ASCII)
"""How a text begins that names a release, if not a known one: ``v1.31.0-rc.1``."""


class Claim(msgspec.Struct, frozen=True):
    """What nodes report where that is not the release that the plan is given."""

    own: Mapping[str, str] = {}
    """The builds of nodes which nothing distinguishes from that release; theirs count."""

    disputed: Mapping[str, str] = {}
    """Those that contradict it, by the node."""


def claim_of(way: Way, nodes: Iterable[Node], view: View) -> Claim:
    """Return which nodes report another release than an upgrade is given to start from.

    Nothing where that is what they report, where it is a step further on, and for the sample, whose nodes
    run whatever is asked for. A text that names no release contradicts none.
    """
    if way.old == AUTO or not view.dated or view.sample:
        return Claim()
    told, own, disputed = view.catalog.kubelet(way.old), dict[str, str](), dict[str, str]()
    for node in nodes:
        if view.catalog.knows(node.kubelet):
            kubelet = view.catalog.kubelet(node.kubelet)
            if not same_build(kubelet.release, told.release):
                alike = _is_harmless(kubelet, told, view.catalog)
                (own if alike else disputed)[node.name] = node.kubelet
        elif _NUMBERED.match(node.kubelet):
            disputed[node.name] = node.kubelet
    return Claim(own, disputed)


def _is_harmless(one: Kubelet, other: Kubelet, catalog: Catalog) -> bool:
    """Return whether two builds are of one release, or of two of a minor that hash and behave alike."""
    if same_upstream(one.release, other.release):
        return True
    if not same_minor(one.release, other.release):
        return False
    mine, its = (catalog.kubelet(kubelet.release.upstream) for kubelet in (one, other))
    return (mine.way, mine.behaviour) == (its.way, its.behaviour)


def reports(disputed: Sequence[NodeRelease], told: str) -> str:
    """Say which nodes report another release than a plan is given."""
    nodes = listed((f"{word(one.node)} ({word(one.kubelet)})" for one in disputed), len(disputed))
    report = f"{count(len(disputed), 'node')} {'reports' if len(disputed) == 1 else 'report'}"
    return f"{report} another release than {told}: {nodes}"


def contradiction(disputed: Sequence[NodeRelease], told: str, *, overridden: bool) -> str:
    """Say that, and what comes of it, in one line."""
    then = "their pods are UNKNOWN, and --from auto takes what nodes report"
    if overridden:
        then = f"planned as {told} all the same, as --override-node-releases asks"
    return f"{reports(disputed, told)}; {then}"
