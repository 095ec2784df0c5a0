"""Counts of many upgrades at once, for pods that pass one by one.

The counts are those of a plan of each (``planning.make``), by the same decision. A verdict depends on a pod
through what decides besides hashes (``kinds.py``), and on two kubelets through what the decision
reads of them and how their hashes compare (``pairs.py``). So a container is hashed once for each way of
hashing, and each kind of container is decided once for all pairs of kubelets that agree. What cannot be
decided together is decided as for a plan, upgrade by upgrade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, product
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning import changed_by_room
from hashcompat.analysis.planning.creators import CreatorFinder, is_settled
from hashcompat.analysis.planning.hops import HopTally, elsewhere
from hashcompat.analysis.planning.kinds import days_as_one, kind
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.pairs import (
    Grid,
    Groups,
    Pairs,
    PairSums,
    Subject,
    Target,
    crossed,
    together,
    uids,
)
from hashcompat.analysis.planning.prepare import prepare
from hashcompat.analysis.planning.reading import Transition
from hashcompat.analysis.planning.rooms import Rooms
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View, is_plain
from hashcompat.analysis.planning.wayhashes import WayHashes
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import DecodeError
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE, RESIZE_GATE, Case
from hashcompat.core.kubelet.decide.resize import POD_RESIZE_GATE, POD_RESOURCES_GATE, forgets
from hashcompat.core.kubelet.decide.room.admitting import ANNOTATION_GATE
from hashcompat.core.kubelet.decide.static import Compare, same_uid
from hashcompat.core.kubelet.staticpods import Remembering
from hashcompat.core.model.plan import AUTO, Hop, Way
from hashcompat.core.model.pods import Inventory, Node, Pod, with_unselected
from hashcompat.core.model.verdicts import FINDINGS, Verdict

_FAMILIES: Final = 4096
"""Kinds of containers whose outcomes are kept, with a few bits for each pair."""


class UpgradeEffects(msgspec.Struct, frozen=True):
    """What some upgrades do to one container, as pairs of kubelets."""

    findings: int
    """Those whose target kubelet kills it."""
    unknown: int
    """Those for which that is not decided."""


Outcomes = tuple[UpgradeEffects, UpgradeEffects]
"""With what shows the current kubelets' work, and without it: for an upgrade that starts elsewhere."""


class UpgradeCounter:
    """Counts what some upgrades do; for the pods that ``is_simple`` accepts, without records and patches."""

    def __init__(self, ways: Sequence[Way], current: str, view: View) -> None:
        """Take upgrades from the releases that they name, or all from ``auto``, which is ``current`` then.

        Raises UsageError for unknown releases.
        """
        self._places = {way: number for number, way in enumerate(ways)}
        self._view, self._grid = view, Grid(ways, current, view)
        self._outcomes: Latest[Hashable, Outcomes] = Latest(_FAMILIES)
        self._uids: Latest[bytes, Groups] = Latest(_FAMILIES)
        self._sums = tuple((PairSums(), PairSums()) for _ in "ab")

    def outcomes(self, subject: Subject) -> Outcomes:
        """Decide about one container.

        Raises DecodeError, with the path inside it, for JSON that does not fit the Go types of a kubelet.
        """
        targets = self._grid.targets(subject)
        compared = self._grid.compared(subject, targets)
        # before these another kubelet may have created a container
        olds = self._grid.current(subject.node)
        unsettled = {old: mask for old, mask in olds.items() if not is_settled(subject.container, old)}
        older = self._older(subject, unsettled, targets)
        key = subject.kind, subject.place, frozenset(compared.items()), older
        if key not in self._outcomes:
            self._outcomes[key] = self._decided(subject, compared, unsettled, targets)
        return self._outcomes[key]

    def add(self, outcomes: Outcomes) -> None:
        """Count one more container."""
        for sums, outcome in zip(self._sums, outcomes, strict=True):
            sums[0].add(outcome.findings)
            sums[1].add(outcome.unknown)

    def counts(self, *, elsewhere: bool) -> dict[Way, tuple[int, int]]:
        """Return the findings and what is not decided of each upgrade.

        ``elsewhere``: without what shows the current kubelets' work.
        """
        length = len(self._places)
        findings, unknown = (sums.counts(length) for sums in self._sums[elsewhere])
        return {way: (findings[place], unknown[place]) for way, place in self._places.items()}

    def _older(
        self, subject: Subject, unsettled: Iterable[Kubelet], targets: Mapping[Target, int]
    ) -> Hashable:
        """Return when the pod's containers started, and which targets keep what older releases created."""
        if not unsettled:
            return ()
        day, catalog = subject.container.started, self._view.catalog
        predecessors = [catalog.predecessors(old.release, day.date()) for old in unsettled] if day else []
        older = {
            predecessor.kubelet.way: predecessor.kubelet for group in predecessors for predecessor in group
        }
        kept = []
        for way, kubelet in older.items():
            created = subject.hashes.of(kubelet).candidates
            alike = (mask for target, mask in targets.items() if not created.isdisjoint(target.candidates))
            kept.append((way, frozenset(alike)))
        days_of_pod = subject.whole.once("days", lambda: days_as_one(subject.pod))
        return days_of_pod, frozenset(kept)

    def _decided(
        self,
        subject: Subject,
        compared: Groups,
        unsettled: Mapping[Kubelet, int],
        targets: Mapping[Target, int],
    ) -> Outcomes:
        pairs, compare = self._grid.pairs, subject.whole.once("static", Remembering)
        current = together(self._grid.current(subject.node).values())
        groups = crossed(compared, {True: current, False: pairs.all_pairs & ~current})
        if subject.pod.static:
            if subject.kind not in self._uids:
                self._uids[subject.kind] = uids(self._grid.pairs, subject.pod, compare)
            groups = crossed(groups, self._uids[subject.kind])
        later = self._split(_Decider(subject, structs.replace(self._view, dated=False), compare), groups)
        if not unsettled:
            return later, later
        decider = _Decider(subject, self._view, compare)
        by_creators = _creators(decider, pairs, unsettled, targets)
        return self._split(decider, crossed(groups, by_creators)), later

    def _split(self, decider: _Decider, groups: Groups) -> UpgradeEffects:
        """Decide for the pairs of each group, in which a case differs by its kubelets alone."""
        pairs = self._grid.pairs
        masks: dict[Verdict, int] = dict.fromkeys(Verdict, 0)
        for mask in groups.values():
            verdicts = pairs.split(decider.verdict(*pairs.first(mask)), mask)
            for verdict, chosen in verdicts:
                masks[verdict] |= chosen
        return UpgradeEffects(together(masks[verdict] for verdict in FINDINGS), masks[Verdict.UNKNOWN])


class _Decider:
    """Decides about one container."""

    def __init__(self, subject: Subject, view: View, compare: Compare) -> None:
        self._subject, self._view, self._compare = subject, view, compare
        self._creators = CreatorFinder(view, subject.hashes)

    def case(self, old: Kubelet, new: Kubelet) -> Case:
        """Return the case of one pair."""
        subject = self._subject
        transition = Transition(subject.pod, subject.container, old, new, subject.whole)
        prepared = prepare(transition, subject.node, self._view, subject.hashes)
        return self._creators.added(prepared, subject.node).case

    def verdict(self, old: Kubelet, new: Kubelet) -> Callable[[Kubelet, Kubelet], Verdict]:
        """Return what decides for two kubelets whose case differs by these alone."""
        same = same_uid(self._subject.pod, old, new, self._compare)
        case = structs.replace(self.case(old, new), same_uid=same)
        return lambda current, target: decide(structs.replace(case, old=current, new=target)).verdict


def _creators(
    decider: _Decider, pairs: Pairs, unsettled: Mapping[Kubelet, int], targets: Mapping[Target, int]
) -> Groups:
    """Return the pairs by who may have created the container, as far as a decision depends on it."""
    groups: Groups = {(False, None): pairs.all_pairs & ~together(unsettled.values())}
    for old_mask, target_mask in product(unsettled.values(), targets.values()):
        if mask := old_mask & target_mask:
            case = decider.case(*pairs.first(mask))
            creators = case.creators and (bool(case.creators.kept), bool(case.creators.replaced))
            key = case.survived, creators
            groups[key] = groups.get(key, 0) | mask
    return groups


_KEPT: Final = 64
"""Containers that each of many upgrades keeps for their replicas, which follow one another in a list."""

Hops = dict[Way, Hop]

Counted = Sequence[tuple[UpgradeCounter, Outcomes]]
"""What is counted of each container of a pod, and where."""


class Counting:
    """Counts the containers that each of some upgrades kills, and those for which that is not decided."""

    def __init__(
        self,
        ways: Sequence[Way],
        later: Sequence[Way],
        nodes: Iterable[Node],
        view: View,
        templates: Templates | None = None,
    ) -> None:
        """Take upgrades of the pods as they run now, and those among them that also start where others end.

        ``templates`` as Judge's. Raises UsageError for unknown releases.
        """
        self._nodes, self._view = {node.name: node for node in nodes}, view
        self._templates = templates or Templates(view)
        parts = [[way for way in ways if (way.old == AUTO) is auto] for auto in (False, True)]
        self._parts = [_Part(part, later, self._nodes, view, self._templates) for part in parts if part]

    def add(self, pod: Pod) -> Counted | None:
        """Count one more pod; return what is counted of replicas too, None where each is decided by itself.

        Replicas are of the same kind (``kinds.kind``) and started when it did, and each kubelet of the
        upgrades hashes them as it does another one where that is so of the pod. Errors as ``Judge.drafts``.
        """
        is_usual = is_plain(self._view) and _is_served(pod) and not self._view.concerns(pod)
        subjects = list(self._subjects(pod)) if is_usual else []
        answers = [part.add(pod, subjects) for part in self._parts]
        counted = [answer for answer in answers if answer is not None]
        return list(chain.from_iterable(counted)) if len(counted) == len(answers) else None

    @staticmethod
    def repeat(counted: Counted) -> None:
        """Count a replica."""
        for census, outcomes in counted:
            census.add(outcomes)

    def _subjects(self, pod: Pod) -> Iterator[Subject]:
        node = self._nodes.get(pod.node)
        key = kind(pod, node)
        whole = self._templates.whole(pod)
        for place, container in enumerate(pod.containers):
            hashes = WayHashes(pod, container, self._templates.hash)
            yield Subject(pod, container, node, hashes, key, place, whole)

    @property
    def singly(self) -> int:
        """How many times a pod could not be counted for all upgrades together, which takes long."""
        return sum(part.singly for part in self._parts)

    def hops(self, *, elsewhere: bool = False) -> Hops:
        """Return what each upgrade does, or each that starts ``elsewhere``."""
        return {way: hop for part in self._parts for way, hop in part.hops(elsewhere=elsewhere).items()}


def _is_served(pod: Pod) -> bool:
    """Return whether kubelets see a pod as it is given."""
    shown = all(container.stored is None for container in pod.containers)
    return shown and not pod.manifest and not pod.doubt and pod.static_manifest is None


class _Part:
    """Upgrades from the releases that they name, or from what each node reports."""

    def __init__(
        self,
        ways: Sequence[Way],
        later: Sequence[Way],
        nodes: dict[str, Node],
        view: View,
        templates: Templates,
    ) -> None:
        own = set(ways)
        self._ways, self._later = ways, [way for way in later if way in own]
        self._nodes, self._view, self._templates = nodes, view, templates
        self._censuses: dict[str, UpgradeCounter] = {}
        self.singly = 0

    def add(self, pod: Pod, subjects: Sequence[Subject]) -> Counted | None:
        counted = self._count_for_all(pod, subjects)
        if counted is None:
            self.singly += 1
            for tally in (*self._tallies[0], *self._tallies[1]):
                tally.add(pod)
        return counted

    def _count_for_all(self, pod: Pod, subjects: Sequence[Subject]) -> Counted | None:
        """Count a pod for all upgrades together; return what was counted, None where that is not possible."""
        current = self._current(pod)
        if not subjects or current is None:
            return None if pod.containers else ()
        if current not in self._censuses:
            self._censuses[current] = UpgradeCounter(self._ways, current, self._view)
        census = self._censuses[current]
        try:
            all_outcomes = [census.outcomes(subject) for subject in subjects]
        except DecodeError:  # each upgrade reports it in its own words, or goes on
            return None
        for outcomes in all_outcomes:
            census.add(outcomes)
        return [(census, outcomes) for outcomes in all_outcomes]

    def _current(self, pod: Pod) -> str | None:
        """Return the release that a pod's node reports; empty where upgrades name one, None if unknown."""
        if self._ways[0].old != AUTO:
            return ""
        node = self._nodes.get(pod.node)
        return node.kubelet if node is not None and self._view.catalog.knows(node.kubelet) else None

    @cached_property
    def _tallies(self) -> tuple[list[HopTally], list[HopTally]]:
        """One for each upgrade, and one for each later one; made for the first pod that needs them."""
        tally = partial(HopTally, nodes=self._nodes.values(), templates=self._templates, kept=_KEPT)
        now = [tally(way, view=self._view) for way in self._ways]
        return now, [tally(way, view=elsewhere(self._view)) for way in self._later]

    def hops(self, *, elsewhere: bool) -> Hops:
        ways = self._later if elsewhere else self._ways
        counted = [census.counts(elsewhere=elsewhere) for census in self._censuses.values()]
        tallies = self._tallies[elsewhere] if self.singly else []
        single = {
            Way(hop.old, hop.new): (hop.findings, hop.unknown) for hop in (tally.hop for tally in tallies)
        }
        return {
            way: _hop(way, [counts[way] for counts in (*counted, single) if way in counts]) for way in ways
        }


_MOST_DECIDED_AGAIN: Final = 20_000
"""Pods that are decided again for room, counted once for each upgrade: half a minute's work."""
_GATES: Final = (
    *("DRAExtendedResource", RESIZE_GATE, POD_RESOURCES_GATE, POD_RESIZE_GATE),
    *("PodOverhead", "SidecarContainers", REFERENCES_GATE, ANNOTATION_GATE),
)
"""Those by which kubelets count what pods ask for."""


class Crowds:
    """Counts what room changes for pods that pass one by one: those of nodes that may lack some pass again.

    What pods ask for is added up once for all upgrades that count alike.
    """

    def __init__(self, ways: Sequence[Way], later: Sequence[Way], nodes: Sequence[Node], view: View) -> None:
        """Take the upgrades as ``Counting`` does."""
        self._ways, self._later, self._nodes, self._view = ways, later, nodes, view
        self._counted: dict[Hashable, Rooms] = {}
        self._targets = {new: _counts_room(view.kubelet(new)) for new in {way.new for way in ways}}
        for way in ways:
            key = self._key(way)
            if key not in self._counted:
                self._counted[key] = Rooms(nodes, way, view)
        self.uncounted: dict[str, tuple[list[str], int]] = {}
        """By target releases, the nodes whose room is not counted, and how many pods they have."""

    def _key(self, way: Way) -> Hashable:
        """Return what stands for the upgrades that count what pods ask for as one does."""
        view, alike = self._view, self._targets[way.new]
        if view.options.records.files:
            return way, alike
        if way.old == AUTO:
            return way.new, alike
        old = view.current(way.old)
        return forgets(old, view.kubelet(way.new)), old.behaviour.resources_recorded, alike

    def add(self, pod: Pod) -> None:
        """Take one more pod, selected or not."""
        for rooms in self._counted.values():
            rooms.add(pod)

    def changes(self, inventory: Inventory, view: View) -> tuple[Changes, Changes]:
        """Return what room changes of each upgrade, and of each that starts elsewhere; once all have passed.

        ``view`` has what else all pods show.
        """
        tight = {key: self._tight(rooms) for key, rooms in self._counted.items()}
        names = frozenset[str]().union(*tight.values())
        if not names:
            return {}, {}
        pods = sorted(
            (entry for entry in with_unselected(inventory.pods) if entry[0].node in names),
            key=lambda entry: not entry[1],
        )
        numbers = Counter(pod.node for pod, _ in pods)
        keys = {way: self._key(way) for way in self._ways if tight[self._key(way)]}
        later = [way for way in self._later if way in keys]
        if sum(numbers[node] for way in (*keys, *later) for node in tight[keys[way]]) > _MOST_DECIDED_AGAIN:
            for way, key in keys.items():
                nodes = tight[key]
                self.uncounted[way.new] = sorted(nodes), sum(numbers[node] for node in nodes)
            return {}, {}

        def changed(way: Way, seen: View) -> tuple[int, int]:
            counted, own = self._counted[keys[way]], Rooms(self._nodes, way, seen)
            own.merge(counted.sums, counted.resizing, counted.anew)
            affected = [entry for entry in pods if entry[0].node in tight[keys[way]]]
            return changed_by_room(way, inventory, seen, own, affected)

        from_there = elsewhere(view)
        return {way: changed(way, view) for way in keys}, {way: changed(way, from_there) for way in later}

    @staticmethod
    def _tight(rooms: Rooms) -> frozenset[str]:
        return frozenset({*rooms.open, *rooms.unheld})


Changes = dict[Way, tuple[int, int]]


def _counts_room(kubelet: Kubelet) -> Hashable:
    """Return what stands for how a kubelet counts room and host ports."""
    behaviour, gates = kubelet.behaviour, kubelet.gates
    said = behaviour.room, behaviour.host_ports, behaviour.resources_recorded
    return str(said), tuple(map(gates.is_on, _GATES))


def _hop(way: Way, counts: Sequence[tuple[int, int]]) -> Hop:
    return Hop(
        way.old, way.new, sum(findings for findings, _ in counts), sum(unknown for _, unknown in counts), ()
    )
