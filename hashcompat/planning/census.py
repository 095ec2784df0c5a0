"""Counts of many upgrades at once: what each does to the containers of pods that are added one by one.

The counts are those of a plan of each (``planning.make``), by the same decision. A verdict depends on a pod
through what decides besides hashes (``kinds``), and on two kubelets through what the decision reads of them
(``pairs``) and how their hashes compare (``grid``). So a container is hashed once for each way of hashing,
and each kind of container is decided once for all pairs of kubelets that agree.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.decide import decide
from hashcompat.kubelet.decide.case import Case
from hashcompat.kubelet.decide.static import Compare, same_uid
from hashcompat.kubelet.mirrorpods import Remembering
from hashcompat.model.plan import Way
from hashcompat.model.verdicts import FINDINGS, Verdict
from hashcompat.planning.creators import Provenance, is_settled
from hashcompat.planning.grid import Grid, Groups, Subject, Target, uids
from hashcompat.planning.kinds import days_as_one
from hashcompat.planning.pairs import Pairs, Sums, crossed, together
from hashcompat.planning.prepare import prepare
from hashcompat.planning.reading import Transition
from hashcompat.planning.replicas import Latest
from hashcompat.planning.view import View

_KEPT: Final = 4096
"""Kinds of containers whose outcomes are kept, with a few bits for each pair."""


class Outcome(msgspec.Struct, frozen=True):
    """What some upgrades do to one container, as pairs of kubelets."""

    findings: int
    """Those whose target kubelet kills it."""
    unknown: int
    """Those for which that is not decided."""


Outcomes = tuple[Outcome, Outcome]
"""With what shows the current kubelets' work, and without it: for an upgrade that starts elsewhere."""


class Census:
    """Counts what some upgrades do; for the pods that ``is_simple`` accepts, without records and patches."""

    def __init__(self, ways: Sequence[Way], current: str, view: View) -> None:
        """Take upgrades from the releases that they name, or all from ``auto``, which is ``current`` then.

        Raises UsageError for unknown releases.
        """
        self._places = {way: number for number, way in enumerate(ways)}
        self._view, self._grid = view, Grid(ways, current, view)
        self._known: Latest[Hashable, Outcomes] = Latest(_KEPT)
        self._uids: Latest[bytes, Groups] = Latest(_KEPT)
        self._sums = tuple((Sums(), Sums()) for _ in "ab")

    def outcomes(self, subject: Subject) -> Outcomes:
        """Decide about one container.

        Raises DecodeError, with the path inside it, for JSON that does not fit the Go types of a kubelet.
        """
        targets = self._grid.targets(subject)
        compared = self._grid.compared(subject, targets)
        unsettled = self._unsettled(subject)
        older = self._older(subject, unsettled, targets)
        key = subject.kind, subject.place, frozenset(compared.items()), older
        if key not in self._known:
            self._known[key] = self._decided(subject, compared, unsettled, targets)
        return self._known[key]

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

    def _unsettled(self, subject: Subject) -> dict[Kubelet, int]:
        """Return the current kubelets before which another one may have created a container."""
        olds = self._grid.current(subject.node)
        return {old: some for old, some in olds.items() if not is_settled(subject.container, old)}

    def _older(
        self, subject: Subject, unsettled: Iterable[Kubelet], targets: Mapping[Target, int]
    ) -> Hashable:
        """Return when the pod's containers started, and which targets keep what older releases created."""
        if not unsettled:
            return ()
        day, catalog = subject.container.started, self._view.catalog
        found = [catalog.predecessors(old.release, day.date()) for old in unsettled] if day else []
        older = {one.kubelet.way: one.kubelet for some in found for one in some}
        kept = []
        for way, kubelet in older.items():
            created = subject.hashes.of(kubelet).candidates
            alike = (some for target, some in targets.items() if not created.isdisjoint(target.candidates))
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
        groups = crossed(compared, {True: current, False: pairs.every & ~current})
        if subject.pod.static:
            groups = crossed(groups, self._by_uid(subject, compare))
        later = self._split(_Decider(subject, structs.replace(self._view, dated=False), compare), groups)
        if not unsettled:
            return later, later
        decider = _Decider(subject, self._view, compare)
        by_creators = _creators(decider, pairs, unsettled, targets)
        return self._split(decider, crossed(groups, by_creators)), later

    def _by_uid(self, subject: Subject, compare: Compare) -> Groups:
        if subject.kind not in self._uids:
            self._uids[subject.kind] = uids(self._grid.pairs, subject.pod, compare)
        return self._uids[subject.kind]

    def _split(self, decider: _Decider, groups: Groups) -> Outcome:
        """Decide for the pairs of each group, in which a case differs by its kubelets alone."""
        pairs = self._grid.pairs
        found: dict[Verdict, int] = dict.fromkeys(Verdict, 0)
        for some in groups.values():
            verdicts = pairs.split(decider.verdict(*pairs.first(some)), some)
            for verdict, chosen in verdicts:
                found[verdict] |= chosen
        return Outcome(together(found[one] for one in FINDINGS), found[Verdict.UNKNOWN])


class _Decider:
    """Decides about one container."""

    def __init__(self, subject: Subject, view: View, compare: Compare) -> None:
        self._subject, self._view, self._compare = subject, view, compare
        self._provenance = Provenance(view, hash_of=subject.hashes)

    def case(self, old: Kubelet, new: Kubelet) -> Case:
        """Return the case of one pair."""
        subject = self._subject
        transition = Transition(subject.pod, subject.container, old, new, subject.whole)
        prepared = prepare(transition, subject.node, self._view, subject.hashes)
        return self._provenance.added(prepared, subject.node).case

    def verdict(self, old: Kubelet, new: Kubelet) -> Callable[[Kubelet, Kubelet], Verdict]:
        """Return what decides for two kubelets whose case differs by these alone."""
        same = same_uid(self._subject.pod, old, new, self._compare)
        case = structs.replace(self.case(old, new), same_uid=same)
        return lambda one, other: decide(structs.replace(case, old=one, new=other)).verdict


def _creators(
    decider: _Decider, pairs: Pairs, unsettled: Mapping[Kubelet, int], targets: Mapping[Target, int]
) -> Groups:
    """Return the pairs by who may have created the container, as far as a decision depends on it."""
    found: Groups = {(False, None): pairs.every & ~together(unsettled.values())}
    for one, other in product(unsettled.values(), targets.values()):
        if some := one & other:
            case = decider.case(*pairs.first(some))
            creators = case.creators and (bool(case.creators.kept), bool(case.creators.replaced))
            key = case.survived, creators
            found[key] = found.get(key, 0) | some
    return found
