"""Files, directories and streams of JSON, JSON lines and YAML -> pods one by one, and nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from sys import getsizeof, intern
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.errors import InputError, UsageError
from hashcompat.go import allowance as allowances
from hashcompat.go.parts import Part
from hashcompat.model.budgets import Budget
from hashcompat.model.pods import Inventory, Node, Origin, Pod, Source
from hashcompat.model.records import Record
from hashcompat.sources import snapshots
from hashcompat.sources.budgets import KIND as BUDGET
from hashcompat.sources.budgets import budgets_of, scale_of, size_of
from hashcompat.sources.controllers import Census, Templates
from hashcompat.sources.copies import nodes_of, pods_of
from hashcompat.sources.fields import IN_NO_FILE, InFile
from hashcompat.sources.files.alike import Alike
from hashcompat.sources.files.inputs import STDIN, Input, called, inputs, named, require_end
from hashcompat.sources.files.reading import is_yaml, parts
from hashcompat.sources.files.whole import check_end, doubt
from hashcompat.sources.objects import (
    BESIDE_PODS,
    REPLICA_OBJECT,
    Found,
    Object,
    cluster_of,
    containers_of,
    is_list,
    opened,
    read,
    with_kind,
)
from hashcompat.sources.shapes import Replica

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")

Kinds = Mapping[int, object]
"""What the documents say of their kind behind their items, by number."""


def collect(names: tuple[str, ...], *, recursive: bool = False, needs_pods: bool = True) -> Inventory:
    """Read the nodes in every file, directory, URL, or ``-`` for standard input.

    ``recursive`` includes the directories below. Its pods are read one by one each time that somebody
    asks for them: nodes often come after them, and affect every verdict. Raises InputError, naming the
    file, for what cannot be read, and for two different nodes of one name; asking for pods raises it for
    what is not a Kubernetes object, for two different pods of one uid, and (``needs_pods``) for no pod.
    """
    if names.count(STDIN) > 1:
        raise UsageError("-f - is given twice, and standard input can be read once")
    surveys = [_survey(source) for name in names for source in inputs(name, recursive, SUFFIXES)]
    census = Census()
    for survey in surveys:
        census.merge(survey.census)
    templates = census.templates()
    every = [pair for survey in surveys for pair in survey.found]
    nodes = nodes_of((thing, where) for thing, where in every if isinstance(thing, Node))
    records = tuple(thing for thing, _ in every if isinstance(thing, Record))
    budgets = budgets_of(
        (thing for thing, _ in every if isinstance(thing, Budget)),
        {key: number for survey in surveys for key, number in survey.scales.items()},
        listed=any(survey.budgets for survey in surveys),
    )
    times = [survey.source.modified for survey in surveys]
    oldest = min((time for time in times if time), default=None)
    clusters = {uid for survey in surveys for uid in survey.clusters}
    cluster = clusters.pop() if len(clusters) == 1 else ""
    origin = Origin(_kind(surveys), tuple(map(called, names)), cluster=cluster, oldest=oldest)
    warnings = (*templates.warnings, *dict.fromkeys(line for one in surveys for line in one.warnings))
    seen = tuple(structs.replace(survey, found=(), census=Census(), scales={}) for survey in surveys)
    pods = _Pods(origin.names, seen, templates, needs_pods)
    containers = max(survey.containers for survey in surveys)  # files may hold copies of each other
    return Inventory(pods, nodes, records, origin, warnings, containers, budgets)


class _Survey(msgspec.Struct, frozen=True):
    """What a first look at a file shows."""

    source: Input

    documents: int
    """How many it holds."""

    kinds: Kinds
    """Those that come after items."""

    found: tuple[tuple[Found, Object], ...]
    """Its nodes, and a snapshot's records, each with the object that holds it."""

    census: Census
    """Who owns what among its objects."""

    snapshots: int
    """How many of the documents are snapshots."""

    listed: bool
    """Whether the last document is a list."""

    yaml: bool
    """Whether it is YAML, which may be valid though it was cut."""

    warnings: tuple[str, ...]
    """What plans of these do not show."""

    containers: int
    """How many containers its pods have, but for templates and init containers."""

    clusters: frozenset[str]
    """The UIDs of the namespaces kube-system in it: one, unless it holds objects of several clusters."""

    budgets: bool
    """Whether a document is a list of PodDisruptionBudgets, which may be empty."""

    scales: Mapping[tuple[str, str], int]
    """How many replicas its controllers want."""

    alike: Alike
    """The patterns of its latest pods."""


def _kind(surveys: list[_Survey]) -> Source:
    saved = all(survey.snapshots == survey.documents for survey in surveys)
    return Source.SNAPSHOT if saved else Source.FILES


class _Objects(msgspec.Struct, frozen=True):
    """All objects of some files, read again each time they are iterated over."""

    surveys: tuple[_Survey, ...]

    def __iter__(self) -> Iterator[Object]:
        for survey in self.surveys:
            file = survey.source.file
            for part in parts(survey.source, alike=survey.alike):
                label = survey.source.origin
                if survey.documents > 1:
                    label += f" (document {part.document})"
                found = _objects(part, survey.kinds, label, InFile(file, part.lines))
                yield from _checked(part, found, survey, label) if survey.yaml else found


class _Pods(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    surveys: tuple[_Survey, ...]
    templates: Templates
    needed: bool

    def __iter__(self) -> Iterator[Pod]:
        found = not self.needed
        for pod in pods_of(_Objects(self.surveys), self.templates):
            found = True
            yield pod
        if not found:
            why = "".join(f"; {warning}" for warning in self.templates.warnings)
            raise InputError(
                f"{', '.join(self.names)}: no pods in the input; give a file with pods or pod templates{why}"
            )


def _survey(source: Input) -> _Survey:
    """Look through a file, once more where a NodeList says behind its items that they are nodes.

    Raises InputError for a download whose end nothing proves, unless it is one JSON list: it proves its own.
    """
    first = _look(source, {})
    if not first.documents:
        raise InputError(f"{source.origin}: no Kubernetes object, only comments or empty documents")
    if first.yaml or first.documents > 1 or not first.listed:
        require_end(source)
    return _look(source, first.kinds) if set(first.kinds.values()) - {"List"} else first


def _look(source: Input, known: Kinds) -> _Survey:
    documents = saved = containers = 0
    listed = budgets = False
    scales: dict[tuple[str, str], int] = {}
    kinds: dict[int, object] = {}
    found: list[tuple[Found, Object]] = []
    warnings: list[str] = []
    census, kept, clusters = Census(), _Kept(source.origin), set[str]()
    alike, shape = Alike(), None
    for part in parts(source, strict=False, alike=alike):
        if part.index is None:
            documents += 1
            kind = part.value.get("kind") if isinstance(part.value, Mapping) else None
            saved += kind == snapshots.KIND
            listed = is_list(kind)
            budgets |= kind == f"{BUDGET}List"
            if part.document in kinds:
                kinds[part.document] = intern(str(kind))
        elif part.kind is None:
            kinds[part.document] = ""
        if isinstance(part.value, Replica) and part.value.shape is shape:
            containers += containers_of(shape.value)  # all else is as in the one before it
            continue
        shape = part.value.shape if isinstance(part.value, Replica) else None
        with suppress(InputError):  # what is wrong in it is said when its pods are read
            for one in _objects(part, known or {part.document: "List"}, source.origin):
                census.add(one.value)
                containers += containers_of(one.value)
                clusters.update(cluster_of(one.value))
                scales.update([scale] if (scale := scale_of(one.value)) else [])
                if one.value["kind"] in BESIDE_PODS:
                    found += ((thing, replace(one, value={})) for thing in read(one))
                if one.value["kind"] == snapshots.KIND:
                    warnings += snapshots.warnings(one.value)
        kept.check(found, census, len(kinds), len(scales))
    return _Survey(
        source,
        documents,
        kinds,
        tuple(found),
        census,
        saved,
        listed,
        is_yaml(source),
        tuple(warnings),
        containers,
        frozenset(clusters),
        budgets,
        scales,
        alike,
    )


class _Kept:
    """Checks what a first look keeps of a file."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._nodes, self._of_nodes = allowances.nodes(), allowances.of_nodes()
        self._controllers, self._lists = allowances.controllers(), allowances.lists()
        self._seen = self._census = self._kinds = self._scales = 0

    def check(self, found: Sequence[tuple[Found, Object]], census: Census, kinds: int, scales: int) -> None:
        """Raise InputError where it is now more than one run may keep."""
        nodes = [thing for thing, _ in found[self._seen :] if isinstance(thing, Node)]
        budgets = [thing for thing, _ in found[self._seen :] if isinstance(thing, Budget)]
        with named(self._origin):
            self._nodes.take(len(nodes))
            self._of_nodes.take(sum(map(_bytes_of, nodes)))
            self._controllers.take(census.size - self._census)
            self._controllers.take(scales - self._scales + sum(map(size_of, budgets)))
            self._lists.take(kinds - self._kinds)
        self._seen, self._census, self._kinds, self._scales = len(found), census.size, kinds, scales


def _bytes_of(node: Node) -> int:
    """Return about how much memory the labels and taints of a node take."""
    texts = [*(node.labels or {}).items(), *(pair for taint in node.taints for pair in taint.items())]
    return sum(getsizeof(key) + getsizeof(value) + 100 for key, value in texts)


def _checked(part: Part, found: Iterator[Object], survey: _Survey, label: str) -> Iterator[Object]:
    """Yield what YAML holds, each object with its doubt; raises InputError as ``check_end``."""
    if part.index is None:
        check_end(part.value, f"{label}: $", items_first=part.document in survey.kinds)
    for one in found:
        check_end(one.value, str(one), items_first=False)
        yield replace(one, doubt=doubt(one))


def _objects(part: Part, kinds: Kinds, origin: str, where: InFile = IN_NO_FILE) -> Iterator[Object]:
    """Yield the objects in a part; elements of anything but a list are not objects."""
    kind = kinds.get(part.document) if part.kind is None else part.kind
    if part.index is None:
        yield from opened(part.value, origin, where=where)
    elif is_list(kind) and isinstance(part.value, Replica):
        replica = part.value
        yield REPLICA_OBJECT(
            replica.shape.value, origin, f"$.items[{part.index}]", where=where, replica=replica
        )
    elif is_list(kind):
        item, path = with_kind(part.value, str(kind)), f"$.items[{part.index}]"
        yield from opened(item, origin, path, in_snapshot=kind == snapshots.KIND, where=where)
