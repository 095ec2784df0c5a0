"""Which releases may have created a container, where nothing recorded its hash, and which one did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.latest import KEPT, Latest
from hashcompat.analysis.planning.prepare import Prepared, is_current
from hashcompat.analysis.planning.view import HashOf, View
from hashcompat.core.catalog.lookup import Catalog, Kubelet, Predecessor
from hashcompat.core.errors import DecodeError, NotStoredError
from hashcompat.core.kubelet.alike import never_alike
from hashcompat.core.kubelet.decide.admission import SIDECAR_GATE
from hashcompat.core.kubelet.decide.case import Case, Creators, Decision, is_ignored
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.pods import Container, ContainerType, Node
from hashcompat.core.model.verdicts import Hash, StoredHashes, Verdict


class CreatorFinder:
    """Adds to cases who may have created their containers; keeps the latest hashes, for replicas."""

    def __init__(self, view: View, hash_of: HashOf, kept: int = KEPT) -> None:
        """Keep the latest ``kept`` hashes; ``hash_of`` may remember them too."""
        self._view, self._hash_of = view, hash_of
        self._hashes: Latest[tuple[object, Kubelet], frozenset[Hash]] = Latest(kept)
        self._makers: Latest[tuple[object, Hash, Kubelet], str] = Latest(kept)

    def added(self, prepared: Prepared, node: Node | None) -> Prepared:
        """Return a case with the release that its record names, or else with those that it may be of.

        Times show nothing where the node reports another kubelet than the plan supposes.
        """
        case = prepared.case
        if case.recorded is not None:
            return structs.replace(prepared, case=structs.replace(case, maker=self._maker(prepared)))
        if not self._view.dated or case.pod.manifest or not case.old_known:
            return prepared
        if node is not None and not is_current(node, case.old, self._view):
            return prepared
        survived = bool(is_ignored(case, case.old)) and self._survived(case)
        creators = None if survived else self._creators(prepared)
        if not survived and creators is None:
            return prepared
        return structs.replace(prepared, case=structs.replace(case, survived=survived, creators=creators))

    def _maker(self, prepared: Prepared) -> str:
        """Return the release whose hash is recorded, where it is neither kubelet's."""
        case, spec = prepared.case, prepared.old_spec
        recorded = case.recorded.hash if case.recorded else None
        if recorded is None or recorded in case.old_hash.candidates | case.new_hash.candidates:
            return ""
        key = prepared.group, recorded, case.old
        if key not in self._makers:
            subject = SeenContainer(spec, self._view.keeps_empty(case.pod), case.container.stored)
            maker = maker_of(recorded, subject, case.old, self._view.catalog)
            self._makers[key] = str(maker.release) if maker else ""
        return self._makers[key]

    def _creators(self, prepared: Prepared) -> Creators | None:
        case, patch = prepared.case, self._view.current_patch
        day = case.container.started.date() if case.container.started else None
        if patch is not None:
            if patch.strategy != "accept":
                return None
            kubelets = [kubelet for kubelet in (case.old, *patch.likes) if _was_published(kubelet, day)]
            evidence = f"{case.old.release} is patched, and accepted the hashes of {patch}"
            return self._split(kubelets, prepared, evidence)
        if day is None:
            return None
        if is_ignored(case, case.old):
            before = self._older(case.old, day)
            # An older one makes no sidecars; without a patch, nothing of those is kept anyway.
            predecessors = filter(_has_sidecars, before) if case.accepted else before
            older: list[Kubelet | Predecessor] = [*predecessors]
            if _was_published(case.old, day):
                older.insert(0, case.old)
            return self._split(older, prepared, f"a sidecar that started {day}")
        return None if _was_published(case.old, day) else self._earlier(prepared, day)

    def _earlier(self, prepared: Prepared, day: date) -> Creators:
        """Return who may have created a container that is older than its kubelet's release.

        Those are the releases that upstream maintained then. Where the target kubelet keeps none of their
        hashes, all older ones count.
        """
        case = prepared.case
        older = self._older(case.old, day)
        published = case.old.published
        evidence = f"started {day}, before {case.old.release} was published ({published})"
        likely = self._split(
            [predecessor for predecessor in older if predecessor.maintained], prepared, evidence
        )
        return likely if likely.kept else self._split(older, prepared, evidence)

    def _split(
        self, creators: Iterable[Kubelet | Predecessor], prepared: Prepared, evidence: str
    ) -> Creators:
        case, kept, replaced = prepared.case, list[str](), list[str]()
        for creator in creators:
            if isinstance(creator, Predecessor):
                # its era alone may show that the target kubelet keeps nothing that it created
                may_be = bool(case.accepted) or creator.era is case.new.era or creator.hashes_as(case.old)
                is_kept = may_be and self._is_kept(creator.kubelet, prepared)
                (kept if is_kept else replaced).append(creator.name)
            else:
                (kept if self._is_kept(creator, prepared) else replaced).append(str(creator.release))
        return Creators(f"{evidence}: {_words(kept, replaced)}", tuple(kept), tuple(replaced))

    def _is_kept(self, kubelet: Kubelet, prepared: Prepared) -> bool:
        """Return whether the target kubelet keeps what a release created."""
        case = prepared.case
        if not case.accepted and kubelet.way != case.old.way and never_alike(kubelet, case.new):
            return False
        key = prepared.group, kubelet
        if kubelet.way == case.old.way:
            hashes = case.old_hash.candidates
        elif key in self._hashes:
            hashes = self._hashes[key]
        else:
            hashes = self._hash_of(case.pod, case.container, prepared.old_spec, kubelet).candidates
            self._hashes[key] = hashes
        return not hashes.isdisjoint(case.new_hash.candidates) or bool(hashes and hashes <= case.accepted)

    def _older(self, kubelet: Kubelet, day: date) -> tuple[Predecessor, ...]:
        return self._view.catalog.predecessors(kubelet.release, day)

    def _survived(self, case: Case) -> bool:
        """Return whether a main container of the pod shows that the current release created its sidecars.

        One that never restarted would have restarted under the current kubelet had an older era created it.
        """
        if self._view.current_patch is not None:
            return False
        containers, old = case.pod.containers, case.old
        return case.whole.once(
            ("survived", old), lambda: any(self._is_current(container, old) for container in containers)
        )

    def _is_current(self, container: Container, kubelet: Kubelet) -> bool:
        if container.type is not ContainerType.CONTAINER or not container.running or container.restarts != 0:
            return False
        if (
            kubelet.era.whole
            or container.started is None
            or _was_published(kubelet, container.started.date())
        ):
            return not kubelet.era.whole
        older = self._older(kubelet, container.started.date())
        return all(predecessor.kubelet.era is kubelet.era for predecessor in older if predecessor.maintained)


def _has_sidecars(older: Predecessor) -> bool:
    gates = older.kubelet.gates
    return gates.knows(SIDECAR_GATE) or gates.is_on(SIDECAR_GATE)


def is_settled(container: Container, old: Kubelet) -> bool:
    """Return whether only its current kubelet's release can have created a container, as far as times show.

    Where they show more, they decide together with hashes (``CreatorFinder.added``).
    """
    if container.type is ContainerType.SIDECAR:
        return False
    return container.started is None or _was_published(old, container.started.date())


def assumed_creator(case: Case, decision: Decision) -> str:
    """Say which release is assumed to have created a container; empty where no verdict depends on it."""
    if not decision.by_hash or decision.verdict not in (Verdict.KEEP, Verdict.RESTART):
        return ""
    if case.survived:
        return "the current release (a main container of the pod never restarted)"
    if case.creators is not None:
        if not (case.creators.kept or case.changed):
            return ""
        started = case.container.started
        if _was_published(case.old, started.date() if started else None):
            return "the current release, or by an older one whose containers that one kept"
        return "a release that upstream maintained at the start (the current one was published later)"
    shown = "published before the start" if case.container.started else "no start time is known"
    return f"the current release ({shown})"


def _words(kept: Sequence[str], replaced: Sequence[str]) -> str:
    """Say who may have created a container, naming the newest release on each side."""
    if kept and replaced:
        return f"{kept[0]} or {replaced[0]} may have created it, and {replaced[0]} hashes it differently"
    if kept:
        return f"{kept[0]} may have created it"
    return f"{replaced[0]} or older created it" if replaced else "no kubelet was published then"


def _was_published(kubelet: Kubelet, day: date | None) -> bool:
    return day is None or kubelet.published is None or kubelet.published <= day


class SeenContainer(msgspec.Struct, frozen=True):
    """What a kubelet saw of a container whose hash is recorded."""

    spec: Mapping[str, Any]
    """The container's JSON."""
    keep_empty: bool
    """Whether empty lists and maps count."""
    stored: StoredHashes | None = None
    """What a snapshot stores of its hashes."""


def maker_of(recorded: Hash, subject: SeenContainer, kubelet: Kubelet, catalog: Catalog) -> Kubelet | None:
    """Return the release nearest to a kubelet's that computes a recorded hash; None if no known one does.

    The nearest is the newest of the older ones, else the oldest of the newer ones.
    """
    ways = {kubelet.way}
    for name in catalog.known.outwards(kubelet.release):
        maker = catalog.kubelet(name)
        if maker.way in ways:
            continue
        ways.add(maker.way)
        try:
            computed = container_hash(
                subject.spec, maker, keep_empty=subject.keep_empty, stored=subject.stored
            )
        except (DecodeError, NotStoredError):
            continue
        if recorded in computed.candidates:
            return maker
    return None
