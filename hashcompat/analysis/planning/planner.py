"""Pods one by one -> the items of a plan, its warnings, assumptions and suggestion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.assumptions import assumptions, facts
from hashcompat.analysis.planning.cautions import Caution, Cautions, of_pod
from hashcompat.analysis.planning.creators import assumed_creator
from hashcompat.analysis.planning.items import Aside, Doubts, Items, items_of, rows_of
from hashcompat.analysis.planning.judge import Draft, Judge, contradiction
from hashcompat.analysis.planning.latest import once
from hashcompat.analysis.planning.prepare import Prepared, sandboxes_of
from hashcompat.analysis.planning.reasons import Suggester, by_template, reasons
from hashcompat.analysis.planning.rulings import Ruled, Rulings
from hashcompat.analysis.planning.templates import Named, Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import oldest_first
from hashcompat.core.kubelet.alike import skew_warnings
from hashcompat.core.kubelet.decide.admission import may_mistake, relies_on_kernel
from hashcompat.core.kubelet.decide.case import Decision
from hashcompat.core.kubelet.decide.cpus import asking
from hashcompat.core.kubelet.decide.pod import NEVER_COMPARED, at_rest
from hashcompat.core.kubelet.decide.resize import relies_on_gate
from hashcompat.core.model.items import (
    Item,
    Observed,
    PodName,
    Prediction,
    container_name,
    key_of,
    name_of,
    without_unplaced,
)
from hashcompat.core.model.plan import DisputedNode, Plan, Way, share
from hashcompat.core.model.pods import Container, Node, Pod
from hashcompat.core.model.verdicts import FINDINGS, Hash, Verdict, number_of

if TYPE_CHECKING:
    from hashcompat.analysis.planning.items import ItemTable

Value = TypeVar("Value")


def _uid(item: Item) -> bytes:
    """Return what orders pods of one name: usually the packed uid, which exists already."""
    key = item.pod.key
    return key if isinstance(key, bytes) else key.encode(errors="surrogatepass")


_ORDER: Final[tuple[Callable[[Item], Any], ...]] = (
    _uid,
    attrgetter("pod.name"),
    attrgetter("pod.namespace"),
    attrgetter("pod.node"),
    lambda item: not item.pod.node,
)
"""The order of items, the least important key first: one stable sort per key needs no tuple per item."""


class Ruling(msgspec.Struct, frozen=True):
    """What the items of replicas share."""

    prediction: Prediction
    doubt: Prediction | None
    """The prediction where a record of the node is not reproduced; None where it is the same."""
    caution: Caution
    spared: bool
    """Whether it restarts, and a patch that accepts its hash would keep it."""
    saved: bool | None
    """Whether that patch accepts the hashes of all replicas, or of none; None where their names decide."""
    old: str
    """The current release of replicas; empty where it is not known."""


class Planner:
    """Makes a plan pod by pod; keeps only what a report shows: 1 GB of pods needs little memory."""

    def __init__(
        self, way: Way, nodes: Iterable[Node], view: View, templates: Templates | None = None
    ) -> None:
        self._judge = Judge(way, nodes, view, templates)
        self.rulings = Rulings(self._judge, self._ruled)
        """Remembers what is decided about replicas."""
        self._differences = once(lambda prepared: tuple(reasons(prepared, view)), by_template)
        self._suggester = Suggester(self._judge.new, view)
        self._cautions = Cautions(self._judge)
        self._items = Items()

    def add(self, pod: Pod) -> tuple[list[Ruling] | None, list[int]]:
        """Decide one more pod; return its rulings if they are those of replicas too (``Rulings.of``).

        And the places of its containers that are killed for good.
        """
        ruled, shared = self.rulings.of(pod)
        self._add(pod, ruled)
        rulings = [entry.ruling for entry in ruled]
        ended = [place for place, ruling in enumerate(rulings) if ruling.prediction.verdict is Verdict.KILL]
        return rulings if shared and all(ruling.saved is not None for ruling in rulings) else None, ended

    def repeat(self, pod: Pod, rulings: Sequence[Ruling], hashes: Sequence[tuple[Hash, Hash]]) -> None:
        """Add a replica; ``hashes`` has those of each container, under the current and the target kubelet."""
        name = name_of(pod)
        for container, ruling, (old, new) in zip(pod.containers, rulings, hashes, strict=True):
            aside = _aside(ruling, pod, saved=ruling.saved)
            self._item(name, container, ruling, (None, number_of(old), number_of(new)), aside)

    def drafted(self, pod: Pod) -> list[tuple[int, Draft]]:
        """Decide one more pod; return the place of each container's settled item, and its own draft."""
        drafts = self._judge.drafts(pod)
        places = self._add(pod, (Ruled(self._ruled(draft), draft) for draft in drafts))
        return list(zip(places, drafts, strict=True))

    def _add(self, pod: Pod, ruled: Iterable[Ruled[Ruling]]) -> list[int]:
        """Add an item for each container; return their places."""
        name, places, ruled = name_of(pod), list[int](), list(ruled)
        rewritable = _rewritable(ruled) if self._looks_at_records else [False] * len(ruled)
        for container, entry, rewritten in zip(pod.containers, ruled, rewritable, strict=True):
            ruling, draft, saved = entry.ruling, entry.draft, entry.ruling.saved
            if entry.replica is None or saved is None:
                prepared = draft.prepared if ruling.spared else None
                saved = prepared is not None and self._suggester.accepts(prepared, entry.replica)
            # Its own draft has it as the runtime reports it; replicas have no record.
            seen = draft.container if entry.replica is None else container
            hashes, aside = _hashes(draft.prepared, entry.replica), _aside(ruling, pod, saved, rewritten)
            places.append(self._item(name, seen, ruling, hashes, aside))
        return places

    @property
    def _looks_at_records(self) -> bool:
        """Return whether there are records that could be rewritten, and are not taken as rewritten."""
        view, new = self._judge.view, self._judge.new
        could = bool(view.options.records) and new.behaviour.hash_place == "annotation"
        return could and view.patch is None and not view.options.normalized

    def _item(
        self,
        name: PodName,
        container: Container,
        ruling: Ruling,
        hashes: tuple[int | None, int | None, int | None],
        aside: Aside,
    ) -> int:
        """Add an item; return its place."""
        item = Item(
            name,
            container_name(container.name, container.type),
            ruling.prediction,
            *hashes,
            container.line,
            _observed(container),
        )
        return self._items.add(item, ruling.doubt, aside)

    def _ruled(self, draft: Draft) -> Ruling:
        prediction = self._prediction(draft, calibrated=True)
        doubt = self._prediction(draft, calibrated=False) if self._judge.view.options.records else prediction
        prepared, suggester = draft.prepared, self._suggester
        restarts = prediction.verdict is Verdict.RESTART and not prediction.pod_recreated
        spared = restarts and prepared is not None and suggester.spares(prepared)
        saved = suggester.accepts_replicas(prepared) if spared and prepared is not None else False
        return Ruling(
            prediction,
            doubt if doubt != prediction else None,
            self._cautions.of(draft, prediction.verdict, recreated=prediction.pod_recreated),
            spared=spared,
            saved=saved,
            old=prepared.case.old.release.text if prepared is not None else "",
        )

    def _prediction(self, draft: Draft, *, calibrated: bool) -> Prediction:
        decision = draft.decision(calibrated=calibrated)
        why = decision.reasons
        if decision.hash_changed and draft.prepared:
            why = (*self._differences(draft.prepared), *why)
        case, rests = draft.case, bool(at_rest(draft.pod, draft.container))
        is_compared = draft.container.type not in NEVER_COMPARED
        stands = decision.verdict in (Verdict.KEEP, Verdict.RESTART)
        prediction: Prediction = _interned(
            Prediction(
                draft.release,
                decision.verdict,
                why,
                decision.pod_recreated,
                draft.reproduced,
                rests=rests,
                sandboxed=bool(
                    sandboxes_of(
                        self._judge.view.options.records,
                        draft.pod,
                        self._judge.templates.whole(draft.pod),
                    )
                ),
                from_url=draft.pod.from_url,
                hashed=draft.prepared is not None,
                creator=assumed_creator(case, decision) if case else "",
                aligned=_is_aligned(draft),
                mistaken=case is not None and may_mistake(case) and not rests,
                gated=case is not None and is_compared and not rests and relies_on_gate(case),
                settings_shown=self._judge.settings_on(draft.pod) is not None,
                timed=draft.pod.spec.get("activeDeadlineSeconds") is not None,
                of_plugins=draft.container.plugins is None
                and any(reason.id == rules.DEVICES for reason in decision.reasons),
                unstarted=case is not None and case.unstarted,
                by_kernel=stands and case is not None and relies_on_kernel(case),
                compared=self._is_compared(draft, decision),
                uncreated=draft.pod.manifest and draft.pod.static_manifest is None,
            )
        )
        return prediction

    def _is_compared(self, draft: Draft, decision: Decision) -> bool:
        """Return whether the target kubelet compares a running container, or kills it; its node may miss."""
        if decision.verdict in FINDINGS:
            return True
        ignored = any(reason.id == rules.NOT_COMPARED for reason in decision.reasons)
        rests = ignored or at_rest(draft.pod, draft.container)
        return not rests and self._judge.has_kubelet(draft.pod)

    @property
    def doubts(self) -> Doubts:
        """What is doubtful about the items so far."""
        return self._items.doubts

    def rows(self) -> Iterator[ItemTable]:
        """Yield the items so far as plain values, some at a time."""
        yield from rows_of(self._items)

    def merge(self, rows: Iterable[ItemTable], doubts: Doubts, lines: int = 0) -> None:
        """Add what was decided elsewhere of pods that come next, so many lines behind where it says."""
        self._items.merge(items_of(rows, lines), doubts)

    def amend(self, planner: Planner) -> None:
        """Take what was decided again of some pods, by a view that concerns no others (``Items.amend``)."""
        self._items.amend(planner._items)

    def settled(self) -> list[Item]:
        """Return the items of the pods so far, in the order in which they were added."""
        return self._items.settled()

    def disputes(self, items: Iterable[Item]) -> tuple[tuple[DisputedNode, ...], tuple[str, ...]]:
        """Return the nodes of items that report another release than the plan is given; with a warning."""
        judge = self._judge
        reported, overridden = judge.claim.disputed, judge.view.options.override_node_releases
        names = sorted({item.pod.node for item in items if item.pod.node in reported} if reported else ())
        disputed = tuple(DisputedNode(name, reported[name]) for name in names)
        return disputed, (contradiction(disputed, judge.way.old, overridden=overridden),) if disputed else ()

    def besides(self, drafts: Iterable[tuple[Item, Draft]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Say what happens to some containers besides restarts, each with its settled item.

        With doubts about who creates their pods, on which their verdicts rest.
        """
        cautions = Cautions(self._judge)
        for item, draft in drafts:
            caution = cautions.of(draft, item.verdict, recreated=item.pod_recreated)
            own_caution = of_pod(caution, draft.pod)
            cautions.add(own_caution, draft.pod, draft.container.name)
        return tuple(cautions.besides()), tuple(cautions.of_creators())

    def plan(self, differences: Sequence[int] = ()) -> Plan:
        """Return the plan of the pods, without hops; once, at the end.

        ``differences`` has the number of each item's difference, in the order in which items were added.
        """
        items, judge, asides = self._items.taken(), self._judge, self._items.asides
        catalog = judge.view.catalog
        cautions, saved = self._cautions, Counter(aside.saved for aside in asides if aside.saved)
        for item, aside in zip(items, asides, strict=True):
            cautions.add(aside.caution, item.pod, item.container.name)
        for place, number in enumerate(differences):
            if number:
                prediction = _interned(structs.replace(items[place].prediction, difference=number))
                items[place] = structs.replace(items[place], prediction=prediction)
        items = without_unplaced(items)
        for key in _ORDER:
            items.sort(key=key)
        disputed, warnings = self.disputes(items)
        # the version skew policy is quoted once for each current release
        releases = list(filter(catalog.knows, dict.fromkeys(item.from_release for item in items)))
        olds = oldest_first(map(catalog.kubelet, sorted(releases)))
        skewed = skews(olds, judge.new, judge.view)
        read = dict.fromkeys(filter(catalog.knows, [*releases, judge.way.new]))
        return Plan(
            judge.way.old,
            judge.way.new,
            tuple(items),
            tuple(assumptions(items, judge)),
            (*warnings, *skewed, *_strange_records(items, judge), *cautions.lines()),
            share(items),
            patch=str(judge.view.patch or ""),
            suggestion=self._suggester.suggestion(saved),
            rewritable=sum(aside.rewritable for aside in asides),
            releases=tuple(facts(name, catalog.kubelet(name)) for name in read),
            disputed=disputed,
            besides=tuple(cautions.besides()),
            overridden=bool(disputed) and judge.view.options.override_node_releases,
        )


def _aside(ruling: Ruling, pod: Pod, saved: bool | None, rewritable: bool = False) -> Aside:
    aside: Aside = _interned(Aside(of_pod(ruling.caution, pod), ruling.old if saved else "", rewritable))
    return aside


def _rewritable(ruled: Sequence[Ruled[Ruling]]) -> list[bool]:
    """Return of each container of a pod whether it restarts, and would not with rewritten records."""
    if not any(entry.ruling.prediction.verdict is Verdict.RESTART for entry in ruled):
        return [False] * len(ruled)
    from hashcompat.analysis.planning import normalized  # noqa: PLC0415 - plans with records alone

    proven = normalized.of_pod([entry.draft for entry in ruled])
    return [
        entry.ruling.prediction.verdict is Verdict.RESTART and (what.new is not None or what.pin is not None)
        for entry, what in zip(ruled, proven, strict=True)
    ]


def _is_aligned(draft: Draft) -> bool:
    """Return whether the target kubelet may ask for free CPUs though a running container has some."""
    case = draft.case
    if case is None or case.managers_known or at_rest(draft.pod, draft.container):
        return False
    old = case.old if case.old_known else None
    key = "CPUs", old, case.new
    return draft.container.name in case.whole.once(key, lambda: asking(case.whole, draft.pod, old, case.new))


def _observed(container: Container) -> Observed | None:
    if container.running is None and not container.id:
        return None
    return Observed(key_of(container.id), container.started, container.restarts, container.running)


def _hashes(prepared: Prepared | None, replica: Named | None) -> tuple[int | None, int | None, int | None]:
    """Return the hashes of a container, or of a replica of it, which has no record: recorded, old, new."""
    if prepared is None:
        return None, None, None
    case = prepared.case
    if replica is not None:
        return None, replica.number(case.old), replica.number(case.new)
    recorded = number_of(case.recorded.hash) if case.recorded else None
    return recorded, case.old_hash.value if case.old_known else None, case.new_hash.value


@lru_cache(maxsize=4096)
def _interned(value: Value) -> Value:
    """Return one object for all equal ones among the latest, so that replicas share it."""
    return value


def _strange_records(items: Sequence[Item], judge: Judge) -> Iterator[str]:
    """Say that all records are of other containers, as those of another node are: none decides anything."""
    rows = judge.view.options.records.rows
    if rows and {(row.pod, row.container) for row in rows}.isdisjoint(
        (item.pod.name, item.container.name) for item in items
    ):
        yield "the records are of no container in this plan, but of other nodes, or of pods that are gone"


def skews(olds: Iterable[Kubelet], new: Kubelet, view: View) -> Iterator[str]:
    """Quote the version skew policy where an upgrade from these releases breaks it, each sentence once."""
    named = view.options.apiserver_to or view.options.apiserver
    server = view.catalog.kubelet(named) if named else None
    yield from dict.fromkeys(warning for old in olds for warning in skew_warnings(old, new, server))
