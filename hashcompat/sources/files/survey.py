"""A first look at a file: its nodes, who owns what, and where it can be divided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from sys import getsizeof, intern
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.core import forks
from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance as allowances
from hashcompat.core.go.jsonpath import Part
from hashcompat.core.go.jsonpath import part as part_of
from hashcompat.core.go.jsonstream import End, ListPlace
from hashcompat.core.model.cluster import Budget, Service
from hashcompat.core.model.pods import Node
from hashcompat.core.model.uids import Dated
from hashcompat.core.regex import regex
from hashcompat.sources import snapshots
from hashcompat.sources.budgets import KIND as BUDGET
from hashcompat.sources.budgets import scale_of, size_of
from hashcompat.sources.dating import Dater
from hashcompat.sources.documents import IN_NO_FILE, InFile
from hashcompat.sources.files import Input, named, require_end, spans
from hashcompat.sources.files.foreign import refuse_text
from hashcompat.sources.files.layouts import RENDER
from hashcompat.sources.files.reading import WANTED, blocks, documents, elements, head, is_json, parts
from hashcompat.sources.files.spans import FIRST, Span, Spans
from hashcompat.sources.objects import (
    BESIDE_PODS,
    Content,
    KubernetesObject,
    cluster_of,
    containers_of,
    is_list,
    opened,
    read,
    with_kind,
)
from hashcompat.sources.replicas.shape import Replica
from hashcompat.sources.replicas.stencils import Stencils
from hashcompat.sources.snapshots import Labels
from hashcompat.sources.workloads import Ownership

Kinds = Mapping[int, object]
"""What the documents say of their kind behind their items, by number."""
_ITEM: Final = "$.items["
_HEADS: Final = 8
"""Documents whose kind is kept, for a message."""
_LONGEST: Final = 100
"""Characters of each of these."""


class EmptyError(InputError):
    """A file holds no document."""


class _Seen(msgspec.Struct):
    """What the parts of a file show."""

    documents: int = 0
    """How many it holds."""
    heads: dict[tuple[str, str], None] = msgspec.field(default_factory=dict)
    """The apiVersion and the kind of its first documents."""
    elements: bool = False
    """Whether one of them, a list, has an element."""
    objects: int = 0
    """Of these, what a plan could be about: nothing, if they have no kind, or are of kustomize."""
    pod_lists: int = 0
    """How many of them are lists of pods."""
    kinds: dict[int, object] = msgspec.field(default_factory=dict)
    """Those that come after items."""
    contents: list[tuple[Content, KubernetesObject]] = msgspec.field(default_factory=list)
    """Its nodes, and a snapshot's records, each with the object that holds it."""
    census: Ownership = msgspec.field(default_factory=Ownership)
    """Who owns what among its objects."""
    snapshots: int = 0
    """How many of the documents are snapshots."""
    listed: bool = False
    """Whether the last document is a list."""
    warnings: list[str] = msgspec.field(default_factory=list)
    """What plans of these do not show."""
    containers: int = 0
    """How many containers its pods have, but for templates and init containers."""
    clusters: set[str] = msgspec.field(default_factory=set)
    """The UIDs of the namespaces kube-system in it: one, unless it holds objects of several clusters."""
    titles: set[tuple[str, Labels]] = msgspec.field(default_factory=set)
    """The names and labels of clusters that its snapshots have."""
    budgets: bool = False
    """Whether a document is a list of PodDisruptionBudgets, which may be empty."""
    scales: dict[tuple[str, str], int] = msgspec.field(default_factory=dict)
    """How many replicas its controllers want."""


# What is counted is frozen once a survey has it, which msgspec allows and dataclasses do not.
class Survey(_Seen, frozen=True, kw_only=True):  # type: ignore[misc]
    """What a first look at a file shows."""

    source: Input
    alike: Stencils
    """The patterns of its latest pods."""
    dated: tuple[Dated, ...]
    """What shows when it was taken, but for its pods; nothing where only they do."""
    spans: Spans | None
    """Where it is divided for several processes; None where one reads it."""
    yaml: bool = False
    """Whether it is YAML, which may be valid though it was cut."""
    blocks: bool = False
    """Whether it is a YAML list whose elements can be read one by one."""
    guessed: bool = False
    """Whether nobody looked into the spans yet, where all pods seem to be."""


_TEMPLATE: Final = regex(r"\s*\{\{")
"""The beginning of a template of Go or Jinja, which no JSON has."""


def survey_of(source: Input, jobs: int, alike: Stencils | None = None) -> Survey:
    """Look through a file, once more where a NodeList says behind its items that they are nodes.

    ``jobs``: how many processes may take part. ``alike``: the patterns of the pods in the files before it.
    Raises InputError for a download whose end nothing proves, unless it is one JSON list: it proves its own.
    """
    begins = head(source)
    if _TEMPLATE.match(begins):
        raise InputError(f"{source.origin}: a template, not objects; {RENDER}")
    yaml = not is_json(begins)
    if yaml:
        with named(source.origin):
            refuse_text(begins)
    if alike is None or snapshots.begins(begins):
        alike = stencils_of(begins)
    first = _looked(source, {}, jobs, alike, yaml=yaml)
    if not first.documents:
        raise EmptyError(f"{source.origin}: no Kubernetes object, only comments or empty documents")
    if first.yaml or first.documents > 1 or not first.listed:
        require_end(source)
    # kubectl writes a list's kind behind its items, and by then they were taken for untyped ones
    if set(first.kinds.values()) - {"List"}:
        return _looked(source, first.kinds, jobs, alike, yaml=yaml)
    return first


def glanced_at(source: Input, jobs: int) -> Survey | None:
    """Look at what is around a file's pods; None for a file that is not a list of pods and few other objects.

    The pods are in as many spans as there are ``jobs``. Raises InputError for what is wrong around them.
    """
    with suppress(forks.FailedError):
        return _around_pods(source, jobs)
    return None


def _around_pods(source: Input, jobs: int) -> Survey | None:
    guessed = spans.glanced(source, jobs)
    if guessed is None:
        return None
    alike, look, divided = stencils_of(head(source)), _Look(source.origin, {}), list[Spans]()

    def rest(place: ListPlace) -> tuple[ListPlace, Iterable[str]]:
        if look.has_pods:
            raise forks.FailedError  # the pods of the spans come first
        look.pass_over(place)
        divided.append(guessed.moved(place))
        return divided[0].behind(source, WANTED)

    for part in parts(source, strict=False, alike=alike, rest=rest, end=guessed.begin):
        look.add(part)
    survey = structs.replace(look.survey(source, alike, *divided), guessed=True)
    # a second document, or another kind of list, might change what an element of the spans is
    plain = survey.documents == 1 and survey.listed and set(survey.kinds.values()) <= {"List"}
    beside = look.has_pods or survey.census.has_workloads  # whose places behind the spans are not known
    return survey if divided and plain and not beside else None


def _looked(source: Input, kinds: Kinds, jobs: int, alike: Stencils, *, yaml: bool) -> Survey:
    """Look through a file, in spans if it can be divided."""
    if guessed := spans.guessed(source, jobs):
        with suppress(forks.FailedError, InputError):  # what is wrong in it, one process says
            return _in_spans(source, kinds, guessed, alike)
    if not yaml:
        return _through(source, kinds, parts(source, strict=False, alike=alike), alike)
    with suppress(InputError):
        listed = _through(source, kinds, blocks(source, alike, strict=False), alike)
        return structs.replace(listed, yaml=True, blocks=True)
    return structs.replace(_through(source, kinds, documents(source, strict=False), alike), yaml=True)


def _through(source: Input, kinds: Kinds, reader: Iterable[Part], alike: Stencils) -> Survey:
    look = _Look(source.origin, kinds)
    for part in reader:
        look.add(part)
    return look.survey(source, alike)


def _in_spans(source: Input, kinds: Kinds, guessed: Sequence[Span], alike: Stencils) -> Survey:
    """Look through a file in spans.

    Raises FailedError, or InputError, where one does not end between two elements of the first list.
    """
    look, divided = _Look(source.origin, kinds), list[Spans]()
    works = [partial(_passed, source, kinds, span, alike) for span in guessed]
    with forks.begun(works) as results:

        def rest(place: ListPlace) -> tuple[ListPlace, Iterable[str]]:
            division = _divided(guessed, place, chain.from_iterable(results()), look)
            divided.append(division)
            return division.behind(source, WANTED)

        for part in parts(source, strict=False, alike=alike, rest=rest, end=guessed[0].begin):
            look.add(part)
    if not divided:
        raise forks.FailedError
    return look.survey(source, alike, divided[0])


def _divided(
    guessed: Sequence[Span], first: ListPlace, passed: Iterable[tuple[_Look, End]], look: _Look
) -> Spans:
    """Return the spans with their places, and merge what was found in them; errors as above."""
    placed, expected = list[Span](), structs.replace(guessed[0].first, index=first.index, line=first.line)
    # the text before the first span ended elsewhere, so the guess was wrong
    if first != expected:
        raise forks.FailedError
    for span, (span_look, end) in zip(guessed, passed, strict=True):
        # only the last span may end with its list, and it has to
        if end.goes_on is (span is guessed[-1]):
            raise forks.FailedError
        look.merge(span_look, first.index)
        placed.append(structs.replace(span, first=first))
        first = structs.replace(
            first, index=first.index + end.place.index, line=first.line + end.place.line - FIRST.line
        )
        tail = span.begin + end.size
    return Spans(tuple(placed), first, tail)


def _passed(source: Input, kinds: Kinds, span: Span, alike: Stencils) -> Iterator[tuple[_Look, End]]:
    """Look through a span of a file, and yield what was found; errors as ``parts``."""
    look = _Look(source.origin, kinds)
    reader = elements(source, span, strict=False, alike=alike)
    for part in reader:
        look.add(part)
    yield look, reader.end


def stencils_of(begins: str) -> Stencils:
    """Return what finds the replicas among the pods of a file that begins so."""
    return Stencils(of_snapshot=snapshots.begins(begins))


def _is_like_pod(value: object) -> bool:
    """Return whether a value is an API server's pod, or a list with one, but for its kind."""
    return any(
        isinstance(element, Replica)
        or (
            isinstance(element, Mapping)
            and "uid" in part_of(element, "metadata")
            and "containers" in part_of(element, "spec")
        )
        for element in (value if isinstance(value, list) else [value])
    )


class _Look:
    def __init__(self, origin: str, kinds: Kinds) -> None:
        self._origin, self._kinds = origin, kinds
        self._seen, self._allowance, self._dater = _Seen(), _FileAllowance(origin), Dater()
        self._replica: Replica | None = None  # the last object, if it was one

    def add(self, part: Part) -> None:
        """Take one more part into account."""
        seen = self._seen
        replica = part.value if isinstance(part.value, Replica) else None
        if part.index is None:
            seen.documents += 1
            value = part.value if isinstance(part.value, Mapping) else replica.outline if replica else {}
            kind = value.get("kind")
            of_kustomize = str(value.get("apiVersion")).startswith("kustomize.config.k8s.io/")
            seen.objects += isinstance(kind, str) and not of_kustomize
            seen.objects += kind is None and _is_like_pod(part.value)
            seen.pod_lists += kind == "PodList"
            if len(seen.heads) < _HEADS:
                seen.heads[str(value.get("apiVersion"))[:_LONGEST], str(kind)[:_LONGEST]] = None
            seen.snapshots += kind == snapshots.KIND
            seen.listed = is_list(kind)
            seen.budgets |= kind == f"{BUDGET}List"
            if part.document in seen.kinds:
                seen.kinds[part.document] = intern(str(kind))
        else:
            seen.elements = True
            if part.kind is None:
                seen.kinds[part.document] = ""
                seen.objects += not seen.objects and _is_like_pod(part.value)
        last, self._replica = self._replica, replica
        if replica is not None and replica.is_like(last):
            seen.containers += containers_of(replica.shape.value)  # all else is as in the one before it
            return
        with suppress(InputError):  # what is wrong in it is said when its pods are read
            for resource in objects(part, self._kinds or {part.document: "List"}, self._origin):
                self._object(resource if replica is None else structs.replace(resource, value=replica.value))
        self._check()

    def pass_over(self, place: ListPlace) -> None:
        """Take into account that there are elements at a place, whatever they are."""
        seen = self._seen
        seen.elements = True
        if place.kind is None:
            seen.kinds[place.document] = ""

    @property
    def has_pods(self) -> bool:
        """Whether there was a pod."""
        return self._seen.census.has_pods

    def _object(self, resource: KubernetesObject) -> None:
        """Take one object into account; raises InputError for one that cannot be read."""
        seen = self._seen
        seen.census.add(resource.value)
        seen.containers += containers_of(resource.value)
        seen.clusters.update(cluster_of(resource.value))
        seen.scales.update([scale] if (scale := scale_of(resource.value)) else [])
        if resource.value["kind"] in BESIDE_PODS:
            # without the object itself, which has most of the memory; its place is for messages
            seen.contents += ((content, structs.replace(resource, value={})) for content in read(resource))
        self._dater.add(resource.value, resource.origin)
        if resource.value["kind"] == snapshots.KIND:
            seen.warnings += snapshots.warnings(resource.value)
            seen.titles.add(snapshots.named(resource.value))

    def _check(self) -> None:
        seen = self._seen
        self._allowance.check(seen.contents, seen.census, len(seen.kinds), len(seen.scales))

    def merge(self, other: _Look, index: int) -> None:
        """Take what another look found in the elements from an index on into account."""
        seen, more = self._seen, other._seen
        seen.elements |= more.elements
        seen.containers += more.containers
        seen.scales |= more.scales
        seen.contents += [(content, _later(where, index)) for content, where in more.contents]
        seen.warnings += more.warnings
        seen.census.merge(more.census)
        seen.clusters |= more.clusters
        seen.titles |= more.titles
        self._dater.merge(other._dater)
        self._check()

    def survey(self, source: Input, alike: Stencils, divided: Spans | None = None) -> Survey:
        """Return what was found in a file."""
        seen = self._seen
        if seen.documents == seen.pod_lists == 1:
            alike = Stencils(kind="Pod")  # an API server's answer leaves the kind of its items out
        dated = tuple(self._dater.dated(source.file, alone=seen.snapshots == seen.documents))
        return Survey(**structs.asdict(seen), source=source, alike=alike, dated=dated, spans=divided)


def _later(resource: KubernetesObject, index: int) -> KubernetesObject:
    """Return an object of a list as one that is so many elements behind."""
    number, _, rest = resource.path.removeprefix(_ITEM).partition("]")
    return structs.replace(resource, path=f"{_ITEM}{int(number) + index}]{rest}")


class _FileAllowance:
    """Checks what a first look keeps of a file."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._nodes, self._of_nodes = allowances.nodes(), allowances.of_nodes()
        self._controllers, self._lists = allowances.controllers(), allowances.lists()
        self._seen = self._census = self._kinds = self._scales = 0

    def check(
        self,
        contents: Sequence[tuple[Content, KubernetesObject]],
        census: Ownership,
        kinds: int,
        scales: int,
    ) -> None:
        """Raise InputError where it is now more than one run may keep."""
        nodes = [content for content, _ in contents[self._seen :] if isinstance(content, Node)]
        budgets = [content for content, _ in contents[self._seen :] if isinstance(content, Budget | Service)]
        with named(self._origin):
            self._nodes.take(len(nodes))
            self._of_nodes.take(sum(map(_bytes_of, nodes)))
            self._controllers.take(census.size - self._census)
            self._controllers.take(scales - self._scales + sum(map(size_of, budgets)))
            self._lists.take(kinds - self._kinds)
        self._seen, self._census, self._kinds, self._scales = len(contents), census.size, kinds, scales


def _bytes_of(node: Node) -> int:
    """Return about how much memory the labels and taints of a node take."""
    texts = [*(node.labels or {}).items(), *(pair for taint in node.taints for pair in taint.items())]
    return sum(getsizeof(key) + getsizeof(value) + 100 for key, value in texts)


def objects(part: Part, kinds: Kinds, origin: str, where: InFile = IN_NO_FILE) -> Iterator[KubernetesObject]:
    """Yield the objects in a part; elements of anything but a list are not objects."""
    kind = kinds.get(part.document) if part.kind is None else part.kind
    if part.index is None and isinstance(part.value, Replica):
        yield KubernetesObject(part.value.outline, origin, "$", where=where, maker=part.value)
    elif part.index is None:
        yield from opened(part.value, origin, where=where)
    elif is_list(kind) and isinstance(part.value, Replica):
        replica, path, in_snapshot = part.value, f"{_ITEM}{part.index}]", kind == snapshots.KIND
        if replica.shape.of_snapshot and not in_snapshot:  # of a document behind a snapshot
            raise InputError(f"{origin}: {path}: a pod of a snapshot outside of one; take a new snapshot")
        where = InFile(where.file) if in_snapshot else where
        yield KubernetesObject(
            replica.outline, origin, path, in_snapshot=in_snapshot, where=where, maker=replica
        )
    elif is_list(kind):
        item, path = with_kind(part.value, str(kind)), f"{_ITEM}{part.index}]"
        yield from opened(item, origin, path, in_snapshot=kind == snapshots.KIND, where=where)
