"""Every pair of releases: what makes a container restart between them, and the path that restarts fewest.

Releases that behave alike count as one. Of the paths, the one that kills fewest containers, and the one of
fewest steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import combinations, permutations
from typing import TypeVar

import msgspec
from msgspec import structs

from hashcompat.analysis.answers.sentences.why import hashed
from hashcompat.analysis.planning import bound
from hashcompat.analysis.planning.cluster import Ages, Sandboxes, dated
from hashcompat.analysis.planning.counting import Changes, Counting, Crowds
from hashcompat.analysis.planning.judge import claim_of, reports
from hashcompat.analysis.planning.planner import skews
from hashcompat.analysis.planning.reasons import ChangedField, listed
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import is_older, oldest_first
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.types import ANY, Coded, GoType, Map, Member, MemberPair, side_by_side
from hashcompat.core.kubelet.alike import within_policy
from hashcompat.core.kubelet.decide.resize import restarts_unrecorded
from hashcompat.core.kubelet.staticpods import changed_types, new_uids
from hashcompat.core.model.escape import count
from hashcompat.core.model.plan import AUTO, DisputedNode, Hop, Scope, Way
from hashcompat.core.model.pods import Inventory, Origin, Source, with_unselected
from hashcompat.core.model.results import Making, Result

Cost = Callable[[str, str], Hop]
"""What an upgrade from one release to another does to some containers."""
Allowed = Callable[[str, str], bool]
"""Whether a step from one release to another is allowed."""


class Path(msgspec.Struct, frozen=True):
    """A path from one release to another, hop by hop."""

    hops: tuple[Hop, ...] = ()
    """The hops, in their order."""

    @property
    def findings(self) -> int:
        """How many times a container is killed on the whole path."""
        return sum(step.findings for step in self.hops)

    @property
    def unknown(self) -> int:
        """How many times it is unknown whether one is killed."""
        return sum(step.unknown for step in self.hops)


def cheapest_path(releases: Sequence[str], cost: Cost) -> Path:
    """Return the path from the first release to the last, by any of those between, that kills fewest.

    UNKNOWN counts as killed. Of equal paths the one with most hops wins, because upstream supports small
    hops.
    """
    path = _best(releases, cost, lambda step: (step.findings + step.unknown, step.findings, -1))
    return Path() if path is None else path


def _kills(path: Path) -> tuple[int, int]:
    return path.findings + path.unknown, path.findings


def shortest_path(releases: Sequence[str], cost: Cost, allowed: Allowed) -> Path | None:
    """Return the path of fewest hops, all of them allowed; None where there is none.

    Of equal paths the one wins that kills fewest; UNKNOWN counts as killed.
    """
    return _best(releases, cost, lambda step: (1, step.findings + step.unknown, step.findings), allowed)


def _best(
    releases: Sequence[str],
    cost: Cost,
    worth: Callable[[Hop], tuple[int, int, int]],
    allowed: Allowed = lambda old, new: True,  # noqa: ARG005 - every step
) -> Path | None:
    """Return the path whose hops together are worth least, of equal ones that by the oldest releases."""
    best: dict[str, tuple[tuple[int, ...], tuple[Hop, ...]]] = {releases[0]: ((0, 0, 0), ())}
    for index, release in enumerate(releases[1:], 1):
        ways = []
        for old in releases[:index]:
            if old in best and allowed(old, release):
                (before, hops), step = best[old], cost(old, release)
                ways.append((tuple(map(sum, zip(before, worth(step), strict=True))), hops, step))
        if ways:
            total, hops, step = min(ways, key=lambda way: way[0])
            best[release] = total, (*hops, step)
    return Path(best[releases[-1]][1]) if releases[-1] in best else None


Value = TypeVar("Value")


def folded(
    releases: Sequence[str], values: Mapping[tuple[str, str], Value], same: Value
) -> tuple[tuple[str, ...], ...]:
    """Group neighbours that have equal rows and columns, and ``same`` between one another.

    ``values`` has each ordered pair of ``releases``; to ``auto``, which is a group of its own, leads none.
    """
    groups: list[list[str]] = []
    for release in releases:
        if groups and _alike(groups[-1][0], release, releases, values, same):
            groups[-1].append(release)
        else:
            groups.append([release])
    return tuple(map(tuple, groups))


def _alike(
    first: str, second: str, releases: Sequence[str], values: Mapping[tuple[str, str], Value], same: Value
) -> bool:
    """Return whether two releases have the same values with every other one, and ``same`` with each other."""
    if first == AUTO or values[first, second] != same or values[second, first] != same:
        return False
    others = [release for release in releases if release not in (first, second)]
    return all(
        values[first, release] == values[second, release] for release in others if release != AUTO
    ) and all(values[release, first] == values[release, second] for release in others)


Ends = tuple[str, str]
"""The releases of a pair, the current one first."""


class Cell(msgspec.Struct, frozen=True):
    """What an upgrade from one release to another does to an unchanged API pod."""

    old: str
    """The current release."""
    new: str
    """The target release."""
    scope: Scope
    """Which containers restart."""
    era: str = ""
    """The change of era, where there is one."""
    fields: tuple[ChangedField, ...] = ()
    """The changed fields that cause it.

    Where every field is part of the hashed text, the containers restart that have the field's parent
    (``volumeMounts[*]``); with ``if_set`` those that set the field itself.
    """
    hashed: str = ""
    """What the two hash, in words, where their eras differ."""
    if_set: bool = False
    """Whether JSON is hashed, so that unset fields do not count."""
    go: bool = False
    """Whether containers with a backspace or form feed restart.

    encoding/json of Go 1.22 writes them differently (kubernetes/kubernetes#125895 - #125898).
    """
    upstream: str = ""
    """The pull requests that caused it."""
    static_pods: bool | None = False
    """Whether every static pod without a uid in its manifest restarts; None where that is not known."""
    static_types: tuple[str, ...] = ()
    """The Go types that those of them have which restart, where not all of them do."""
    resized: bool = False
    """Whether containers restart whose resources are set and applied by a restart (resizePolicy)."""


def cell(old: Kubelet, new: Kubelet) -> Cell:
    """Compare two releases by their eras, their types and their Go alone."""
    names = str(old.release), str(new.release)
    if old.era is not new.era:
        words = f"{names[0]} hashes {hashed(old.era, new.era)}, {names[1]} {hashed(new.era, old.era)}"
        return Cell(*names, Scope.ALL, era=f"{old.era.name} -> {new.era.name}", hashed=words)
    if not old.era.whole:
        return Cell(*names, Scope.NONE)
    fields = schema_changes(old.schema, new.schema)
    if old.era.hashes_json:
        fields = tuple(change for change in fields if change.added is not None)
    elif any("." not in change.path for change in fields):
        return Cell(*names, Scope.ALL, fields=tuple(change for change in fields if "." not in change.path))
    go = old.era.hashes_json and old.escapes != new.escapes
    scope = Scope.SOME if fields or go else Scope.NONE
    return Cell(*names, scope, fields=fields, if_set=old.era.hashes_json, go=go)


@lru_cache(maxsize=4096)
def schema_changes(old: Schema, new: Schema) -> tuple[ChangedField, ...]:
    """Return the fields that only one of two trees has, or that have another type, with every path."""
    pairs = side_by_side((old.container, ANY), (new.container, ANY))
    return tuple(dict.fromkeys(filter(None, map(_field_change, pairs))))


def _field_change(pair: MemberPair) -> ChangedField | None:
    match pair.old, pair.new:
        case Member() as old, Member() as new if _retyped(old.field.type, new.field.type):
            return ChangedField(pair.path, old.type_name, old.field.name, None)
        case (Member() as member, None) | (None, Member() as member):
            return ChangedField(pair.path, member.type_name, member.field.name, pair.new is not None)
    return None


def _retyped(old: GoType, new: GoType) -> bool:
    """Return whether a field has another type, or its map prints quantities differently."""
    match old, new:
        case Map(_, _, Coded(_, old_insides)), Map(_, _, Coded(_, new_insides)):
            return old_insides != new_insides
    return old.name != new.name


class Matrix(Result[tuple[str, str]], msgspec.Struct, frozen=True):
    """Every ordered pair of some releases."""

    releases: tuple[str, ...]
    """The releases, in the order of the upgrade; the first may be ``auto``, to which no pair leads."""
    cells: Mapping[tuple[str, str], Cell]
    """What each ordered pair does to an unchanged API pod."""
    counts: Mapping[tuple[str, str], Hop] | None = None
    """What a plan of each pair does to the given pods; None without pods."""
    path: Path | None = None
    """The cheapest path from the first release to the last, the shortest one where that kills as few; None
    without pods."""
    shortest: Path | None = None
    """The path of fewest steps whose kubelets the version skew policy allows; None without pods or path."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The releases, neighbours together that nothing distinguishes: for these pods, or for any."""
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Each release's short name: its minor, where it is the newest patch release of it."""
    warnings: tuple[str, ...] = ()
    """Which nodes report another release than the first, the version skew policy where the cheapest path
    breaks it, and which nodes may lack room."""
    running: tuple[str, ...] = ()
    """The releases that ``auto`` stands for: those that nodes report, oldest first."""
    origin: Origin | None = None
    """Where the pods come from; None without pods."""
    making: Making = Making()
    """What it was made by, and when the pods were read."""

    def _elements(self) -> Mapping[tuple[str, str], Cell]:
        return self.cells


def make(
    view: View, first: str = "", last: str = "", inventory: Inventory | None = None, *, patches: bool = False
) -> Matrix:
    """Compare every ordered pair of releases, and count what each does to the pods of an inventory.

    ``first`` and ``last`` are releases, by default the oldest and the newest known ones; between them is the
    newest patch release of each minor, or with ``patches`` every one. ``first`` may be ``auto`` where pods
    are given. Raises UsageError for unknown releases, and InputError for what cannot be read or decoded.
    """
    if first == AUTO and inventory is None:
        raise UsageError("--from auto is what nodes report: give pods and nodes, or name a release")
    current = current_kubelets(inventory, view.catalog) if first == AUTO and inventory else ()
    releases = releases_between(view.catalog, first, last, current, patches=patches)
    pairs = [pair for pair in permutations(releases, 2) if pair[1] != AUTO]
    cells = {pair: pair_cell(pair, current, view.catalog) for pair in pairs}
    newest = {row.newest: row.minor for row in view.catalog.known.rows}
    matrix = Matrix(tuple(releases), cells, labels={name: newest.get(name, name) for name in releases})
    if inventory is None:
        scopes = {pair: entry.scope for pair, entry in cells.items()}
        return structs.replace(matrix, groups=folded(releases, scopes, Scope.NONE))
    counter = _Counter(inventory, releases, pairs, view)
    counts = {pair: counter.count(*pair) for pair in pairs}
    shortest = shortest_path(releases, counter.step, partial(_is_allowed, current=current, view=view))
    path = cheapest_path(releases, counter.step)
    if shortest is not None and _kills(shortest) == _kills(path):
        path = shortest  # a way around that spares nothing is none to take
    numbers = {pair: (hop.findings, hop.unknown) for pair, hop in counts.items()}
    return structs.replace(
        matrix,
        counts=counts,
        path=path,
        shortest=shortest,
        groups=folded(releases, numbers, (0, 0)),
        warnings=(
            *_disputes(first, releases[0], inventory, view),
            *_warnings(path, current, view),
            *counter.crowded(),
        ),
        running=tuple(kubelet.release.text for kubelet in current),
        origin=dated(inventory),
    )


def current_kubelets(inventory: Inventory, catalog: Catalog) -> tuple[Kubelet, ...]:
    """Return the releases that nodes report, oldest first."""
    names = dict.fromkeys(node.kubelet for node in inventory.nodes if catalog.knows(node.kubelet))
    kubelets = list(map(catalog.kubelet, names))
    if not kubelets:
        raise InputError(
            "--from auto: no node in the input reports a known kubelet release; name it with --from"
        )
    return tuple(oldest_first(kubelets))


def releases_between(
    catalog: Catalog, first: str, last: str, current: Sequence[Kubelet], *, patches: bool
) -> list[str]:
    """Name the releases of a matrix: the first and the last as given, and those between."""
    releases = catalog.known
    last = last or releases.newest
    start = first or releases.oldest
    if current:  # that farthest from the target: the oldest, or for a rollback the newest
        is_back = is_older(catalog.kubelet(last).release, current[0].release)
        start = str(current[-1 if is_back else 0].release)
    if patches:
        between = releases.patches_between(start, last)
    else:
        between = releases.newest_per_minor(start, last)
        first = first or between[0]
    return list(dict.fromkeys([first or start, *between[1:-1], last]))


def pair_cell(pair: tuple[str, str], current: Sequence[Kubelet], catalog: Catalog) -> Cell:
    """Compare two releases; the first may be ``auto``: those that run now."""
    new = catalog.kubelet(pair[1])
    olds = current if pair[0] == AUTO else [catalog.kubelet(pair[0])]
    entry = _merged([cell(old, new) for old in olds])
    uids = {new_uids(old, new) for old in olds}
    return structs.replace(
        entry,
        old=pair[0],
        new=pair[1],
        upstream=_upstream(entry, [*olds, new], catalog),
        static_pods=uids.pop() if len(uids) == 1 else None,
        static_types=tuple(dict.fromkeys(name for old in olds for name in changed_types(old, new))),
        resized=any(restarts_unrecorded(old, new) for old in olds),
    )


def _merged(cells: Sequence[Cell]) -> Cell:
    """Return one cell for several current releases: some containers restart, unless all or none do."""
    scopes = {entry.scope for entry in cells}
    return structs.replace(
        cells[0],
        scope=cells[0].scope if len(scopes) == 1 else Scope.SOME,
        era=", ".join(dict.fromkeys(entry.era for entry in cells if entry.era)),
        fields=tuple(dict.fromkeys(change for entry in cells for change in entry.fields)),
        if_set=all(entry.if_set for entry in cells),
        go=any(entry.go for entry in cells),
    )


def _upstream(entry: Cell, kubelets: Sequence[Kubelet], catalog: Catalog) -> str:
    """Name the pull requests that caused what a cell says of some kubelets."""
    changes = catalog.changes
    if entry.era:
        eras = {kubelet.era.name for kubelet in kubelets}
        return ", ".join(row.pr for row in changes.eras if {row.old, row.new} <= eras)
    fields = [changes.find(change.type, change.field) for change in entry.fields if change.added is not None]
    minors = {kubelet.release.minor for kubelet in kubelets} if entry.go else set()
    rows = [*fields, *changes.go_in(minors)]
    return ", ".join(dict.fromkeys(row.pr for row in rows if row and row.pr))


class _Counter:
    """Counts what pairs of releases do to pods, which pass once."""

    def __init__(
        self, inventory: Inventory, releases: Sequence[str], pairs: Iterable[Ends], view: View
    ) -> None:
        self._first = releases[0]
        view, _ = bound(Way(releases[0], releases[-1]), inventory, view)
        view = structs.replace(view, options=structs.replace(view.options, override_node_releases=True))
        ways = [Way(*pair) for pair in pairs]
        later = [Way(*pair) for pair in combinations(releases[1:], 2)]
        self._crowds = Crowds(ways, later, tuple(inventory.nodes), view)
        ages, sandboxes = Ages(inventory.dating), Sandboxes(view.options.records)
        view = structs.replace(view, taken=ages.times(inventory.origin))
        counting = Counting(ways, later, inventory.nodes, view)
        deadlines = set[tuple[str, datetime]]()
        for pod, is_selected in with_unselected(inventory.pods):
            self._crowds.add(pod)
            if not is_selected:
                continue
            counting.add(pod)
            ages.add(pod)
            sandboxes.add(pod)
            if pod.deadline is not None:
                deadlines.add(pod.deadline)
        seen = structs.replace(view, gone=sandboxes.gone, taken=ages.times(inventory.origin))
        if seen.gone or any(
            view.has_passed(*deadline) is not seen.has_passed(*deadline) for deadline in deadlines
        ):
            counting = Counting(ways, later, inventory.nodes, seen)
            for pod in inventory.pods:
                counting.add(pod)
        plans, steps = self._crowds.changes(inventory, seen)
        self._plans = _changed(counting.hops(), plans)
        self._steps = _changed(counting.hops(elsewhere=True), steps)

    def crowded(self) -> Iterator[str]:
        """Say of each target release for how many pods room is not counted, where these are too many."""
        for release, (nodes, number) in self._crowds.uncounted.items():
            names = listed(nodes, len(nodes))
            yield (
                f"to {release}: room is not counted for the {count(number, 'pod')} of {names}, "
                "which may lack it for some: hashcompat plan names them"
            )

    def count(self, old: str, new: str) -> Hop:
        """Return the counts of a plan between the two releases."""
        return self._plans[Way(old, new)]

    def step(self, old: str, new: str) -> Hop:
        """Return the counts of one hop; what shows the current kubelets counts in the first one alone."""
        return (self._plans if old == self._first else self._steps)[Way(old, new)]


def _changed(hops: Mapping[Way, Hop], changes: Changes) -> dict[Way, Hop]:
    """Return the counts with what room changes."""
    counts = dict(hops)
    for way, (findings, unknown) in changes.items():
        hop = counts[way]
        counts[way] = structs.replace(hop, findings=hop.findings + findings, unknown=hop.unknown + unknown)
    return counts


def _is_allowed(old: str, new: str, current: Sequence[Kubelet], view: View) -> bool:
    """Return whether the version skew policy allows both kubelets of a step under the newer API server."""
    olds = current if old == AUTO else [view.catalog.kubelet(old)]
    return all(within_policy(kubelet, view.catalog.kubelet(new)) for kubelet in olds)


def _disputes(first: str, oldest: str, inventory: Inventory, view: View) -> Iterator[str]:
    """Say which nodes report another release than the one that a path starts from; nobody may have asked."""
    if inventory.origin.kind is Source.SAMPLE:
        return
    if not first:
        if any(node.kubelet for node in inventory.nodes):
            yield f"the paths start from {oldest}, the oldest known one; --from auto takes what nodes report"
        return
    disputed = claim_of(Way(first, first), inventory.nodes, view).disputed
    if disputed:
        nodes = [DisputedNode(*pair) for pair in sorted(disputed.items())]
        yield f"{reports(nodes, first)}; the paths start from {first} anyway"


def _warnings(path: Path, current: Sequence[Kubelet], view: View) -> Iterator[str]:
    """Quote the version skew policy for each hop of a path."""
    for step in path.hops:
        olds = current if step.old == AUTO else [view.catalog.kubelet(step.old)]
        yield from skews(olds, view.catalog.kubelet(step.new), view)
