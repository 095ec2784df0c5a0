"""The containers of a plan counted in one pass: by owner, by reason, by release, and by what is asked for.

What is kept grows with the groups, not with the containers. Reasons are counted one of each rule: what
differs between two cases of a rule is left out of its words. A set of reasons is an integer with a bit for
each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from itertools import takewhile
from typing import Final

import msgspec

from hashcompat.core.model.items import Item, PodName, owners_of
from hashcompat.core.model.verdicts import FINDINGS, Reason, Verdict
from hashcompat.core.rules import find
from hashcompat.output.report.items import FIELD_WORDS

GAP: Final = "..."
"""Stands for the words in which cases differ."""
_ENOUGH: Final = 3
"""Words that are enough without those in which cases differ."""
_MASKS: Final = 4096
"""Sets of reasons that are remembered; replicas share theirs."""
_LONGEST_GAP: Final = 2
"""Words in which two cases may differ, a name or an amount: what is left of two sentences is none."""


class RuleTally(msgspec.Struct, eq=False):
    """One rule as the reason of some containers."""

    id: str
    """The rule, ``HC004``."""
    bit: int
    """The number whose one bit stands for it in a set."""
    number: int = 0
    """Its place in the list of reasons, from 1; 0 until all are known."""
    containers: int = 0
    """How many containers have this reason, those that are kept not among them."""
    findings: int = 0
    """How many of them are killed."""
    _words: tuple[str, ...] | None = None
    _apart: bool = False
    """Whether its cases differ in more than a name or an amount."""
    _fields: dict[str, None] = msgspec.field(default_factory=dict)

    def add(self, reason: Reason) -> None:
        """Take the words of one more case into account."""
        if reason.field and self.id in FIELD_WORDS:
            self._fields[reason.field] = None
            return
        words = tuple(reason.text.split(" "))
        if self._words is None:
            self._words = words
        elif not self._apart:
            common = _common(self._words, words)
            self._apart, self._words = common is None, common or words

    @property
    def text(self) -> str:
        """The words that all its cases share; the rule's name where they share too little."""
        if self._fields:
            return f"{FIELD_WORDS[self.id]} {', '.join(self._fields)}"
        words = self._words or ()
        said = len(words) - words.count(GAP)
        if not self._apart and (said >= _ENOUGH or GAP not in words):
            return " ".join(words)
        rule = find(self.id)
        return rule.name if rule else self.id


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the words at the start and at the end of both, with GAP between; None for too large a gap."""
    if first == second:
        return first
    start = _shared(zip(first, second, strict=False))
    least = min(len(first), len(second)) - start
    end = min(_shared(zip(reversed(first), reversed(second), strict=False)), least)
    if max(len(first), len(second)) - start - end > _LONGEST_GAP:
        return None
    return (*first[:start], GAP, *first[len(first) - end :])


def _shared(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1] != GAP, pairs))


class Kinds:
    """The reasons met so far; sets of them are integers with a bit for each."""

    def __init__(self) -> None:
        self._kinds: dict[str, RuleTally] = {}
        self._masks: dict[int, tuple[tuple[Reason, ...], int]] = {}

    def of(self, reasons: tuple[Reason, ...]) -> int:
        """Return the set of some reasons; a tuple of them that replicas share is looked at once."""
        cached = self._masks.get(id(reasons))
        if cached is None:
            if len(self._masks) >= _MASKS:
                self._masks.clear()
            # the tuple is kept with its mask, so that no other one gets its id
            cached = self._masks[id(reasons)] = reasons, self.mask(reasons)
        return cached[1]

    def mask(self, reasons: Iterable[Reason]) -> int:
        """Return the set of some reasons, which are taken into account."""
        mask = 0
        for reason in reasons:
            kind = self._kinds.get(reason.id)
            if kind is None:
                kind = self._kinds[reason.id] = RuleTally(reason.id, 1 << len(self._kinds))
            kind.add(reason)
            mask |= kind.bit
        return mask

    def count(self, mask: int, containers: int, *, is_finding: bool) -> None:
        """Count containers that have these reasons."""
        for kind in self._kinds.values():
            if kind.bit & mask:
                kind.containers += containers
                kind.findings += containers if is_finding else 0

    def numbered(self) -> tuple[RuleTally, ...]:
        """Number the reasons, those of the most containers that are killed first, and return them."""
        kinds = sorted(self._kinds.values(), key=lambda kind: (-kind.findings, -kind.containers, kind.id))
        for number, kind in enumerate(kinds, 1):
            kind.number = number
        return tuple(kinds)


Key = tuple[str, ...]
"""The names of a group: namespace and owner, a node, a namespace; a rule's id."""


class GroupBy(StrEnum):
    """What containers are grouped by."""

    OWNER = "owner"
    NODE = "node"
    NAMESPACE = "namespace"
    REASON = "reason"


class ContainerGroup(msgspec.Struct, eq=False):
    """The containers that have something in common."""

    key: Key
    restart: int = 0
    kill: int = 0
    unknown: int = 0
    kept: int = 0
    """Those that a kubelet compares and keeps."""
    rest: int = 0
    """Those that no kubelet compares."""
    compared: int = 0
    mask: int = 0
    """The set of the reasons of those that are not kept."""
    nodes: int = 0
    """On how many nodes they are."""
    node: str = ""
    """The last of these nodes, in the order of the plan."""
    first_node: str = ""
    release: str = ""
    """The release that the first of them runs under."""
    first: PodName | None = None
    """The first pod with a container that is killed; while there is none, with one that is UNKNOWN."""
    _first_is_finding: bool = False

    @property
    def findings(self) -> int:
        """How many of them are killed."""
        return self.restart + self.kill

    @property
    def containers(self) -> int:
        """How many they are."""
        return self.restart + self.kill + self.unknown + self.kept + self.rest

    @property
    def concerned(self) -> int:
        """How many of them are not kept."""
        return self.restart + self.kill + self.unknown

    def add(self, item: Item, mask: int) -> None:
        """Count one more container; those of one node follow one another."""
        node, verdict = item.pod.node, item.prediction.verdict
        if not self.containers:
            self.first_node, self.release = node, item.from_release
        # the items of a node follow one another, so another name is another node
        if node and node != self.node:
            self.nodes, self.node = self.nodes + 1, node
        compared = item.prediction.compared
        self.compared += compared
        if verdict is Verdict.KEEP:
            self.kept += compared
            self.rest += not compared
            return
        self.mask |= mask
        if verdict is Verdict.RESTART:
            self.restart += 1
        elif verdict is Verdict.KILL:
            self.kill += 1
        else:
            self.unknown += 1
        if not self._first_is_finding and (self.first is None or verdict in FINDINGS):
            self.first, self._first_is_finding = item.pod, verdict in FINDINGS


class Tally(msgspec.Struct, frozen=True):
    """The counts of a plan."""

    owners: tuple[ContainerGroup, ...]
    """The groups by owner, in the order in which they came up."""
    groups: tuple[ContainerGroup, ...]
    """The groups that were asked for."""
    kinds: tuple[RuleTally, ...]
    """The reasons by their numbers."""
    releases: Mapping[str, int]
    """The number of nodes by the release that runs on them; that of none for pods without a node."""
    nodes: int
    """How many nodes the pods are on."""

    def numbers(self, mask: int) -> str:
        """Return the numbers of the reasons in a set, ``1,3``."""
        return ",".join(str(kind.number) for kind in self.kinds if kind.bit & mask)


def owner_of(item: Item) -> str:
    """Return what a container's pod is folded into: its workload, or the pod alone."""
    return owners_of(item.pod)[0]


_KEYS: Final[Mapping[GroupBy, Callable[[Item], Key]]] = {
    GroupBy.OWNER: lambda item: (item.pod.namespace, owner_of(item)),
    GroupBy.NODE: lambda item: (item.pod.node,),
    GroupBy.NAMESPACE: lambda item: (item.pod.namespace,),
}


class _Groups:
    def __init__(self, group_by: GroupBy) -> None:
        self._groups: dict[Key, ContainerGroup] = {}
        self._key = _KEYS.get(group_by)

    def add(self, item: Item, mask: int) -> None:
        keys: Iterable[Key] = (self._key(item),) if self._key else ()
        if self._key is None and item.verdict is not Verdict.KEEP:
            keys = dict.fromkeys((reason.id,) for reason in item.reasons)
        for key in keys:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = ContainerGroup(key)
            group.add(item, mask)

    def groups(self) -> tuple[ContainerGroup, ...]:
        return tuple(self._groups.values())


def tallied(items: Iterable[Item], group_by: GroupBy | None) -> Tally:
    """Count items, which are in the order of a plan, by owner and by what is asked (None: by owner)."""
    kinds, latest, counts = Kinds(), dict[str, str](), Counter[tuple[int, bool]]()
    owners = _Groups(GroupBy.OWNER)
    groups = owners if group_by is None else _Groups(group_by)
    numbers, nodes, last = Counter[str](), 0, ""
    for item in items:
        mask, prediction = 0, item.prediction
        if prediction.verdict is not Verdict.KEEP:
            mask = kinds.of(prediction.reasons)
            counts[mask, prediction.verdict in FINDINGS] += 1
        owners.add(item, mask)
        if groups is not owners:
            groups.add(item, mask)
        node, release = item.pod.node, prediction.from_release
        if latest.get(release) != node:
            latest[release] = node
            numbers[release] += bool(node)
        if node and node != last:
            nodes, last = nodes + 1, node
    for (mask, is_finding), number in counts.items():
        kinds.count(mask, number, is_finding=is_finding)
    return Tally(owners.groups(), groups.groups(), kinds.numbered(), numbers, nodes)
