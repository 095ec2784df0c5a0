"""The pods of one pattern: what their texts share is read once, and of each only what is its own.

Each is the very pod that ``of_pod`` makes of its whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.errors import InputError
from hashcompat.go.jsonpath import mapping, part, rows, text
from hashcompat.go.jsontext import clean
from hashcompat.go.pattern import Pattern, Text, Values, pattern_of
from hashcompat.model.pods import Blank, Container, Pod
from hashcompat.model.uids import is_of_api_server
from hashcompat.sources import mirrors, snapshots
from hashcompat.sources.fields import Fields, InFile
from hashcompat.sources.ownpaths import own_of
from hashcompat.sources.pods import of_pod
from hashcompat.sources.statuses import STATUSES, State, readiness, state_of

_WORD: Final = "hashcompat-blank-"
"""How the words for blanks begin."""


_ENCODER: Final = msgspec.json.Encoder()

_READ: Final = ("conditions", *STATUSES.values())
"""What is read of the status of a pod."""


class _Form(msgspec.Struct, frozen=True):
    """A JSON value with holes."""

    value: Any
    """An object or a list, with the values of the first pod."""
    texts: tuple[tuple[Any, int], ...]
    """The keys or indexes with a text in a hole, and the numbers of the holes."""
    integers: tuple[tuple[Any, int], ...]
    """The same of integers."""
    leaves: tuple[tuple[Any, Any, Any, int], ...]
    """Those with a value whose only hole has a text, as most do: the value, its key or index, the hole."""
    inner: tuple[tuple[Any, _Form], ...]
    """Those with a value that has more."""

    def filled(self, values: Values | Mapping[int, str]) -> Any:
        """Return the value with others in the holes; the rest is shared."""
        new = self.value.copy()
        for step, hole in self.texts:
            new[step] = values[hole]
        for step, hole in self.integers:
            new[step] = int(values[hole])
        for step, value, key, hole in self.leaves:
            new[step] = leaf = value.copy()
            leaf[key] = values[hole]
        for step, form in self.inner:
            new[step] = form.filled(values)
        return new

    @property
    def is_leaf(self) -> bool:
        """Whether a text in it is the only hole."""
        return len(self.texts) == 1 and not (self.integers or self.leaves or self.inner)


class _Places(dict[Any, Any]):
    """Where values go in a JSON value: by keys and indexes, to the numbers of the holes."""

    def form(self, value: Any, keys: Sequence[str] | None = None) -> _Form:
        """Return the form of a value, as far as what is below some keys is read."""
        read = {step: inner for step, inner in self.items() if keys is None or step in keys}
        below = {step: inner.form(value[step]) for step, inner in read.items() if type(inner) is _Places}
        holes = [pair for pair in read.items() if pair[0] not in below]
        return _Form(
            value,
            tuple((step, hole) for step, hole in holes if type(value[step]) is str),
            tuple((step, hole) for step, hole in holes if type(value[step]) is not str),
            tuple((step, form.value, *form.texts[0]) for step, form in below.items() if form.is_leaf),
            tuple((step, form) for step, form in below.items() if not form.is_leaf),
        )

    def holes(self) -> Iterator[int]:
        """Yield the numbers."""
        for inner in self.values():
            yield from inner.holes() if type(inner) is _Places else (inner,)

    def put(self, steps: tuple[str | int, ...], hole: int) -> None:
        """Add a place."""
        first, *rest = steps
        if rest:
            self.setdefault(first, _Places()).put(tuple(rest), hole)
        else:
            self[first] = hole


class _Made(msgspec.Struct, frozen=True):
    """How a container of the pods is made."""

    first: Container
    """That of the first pod, in a text of its own."""
    key: str
    """The list of the spec that holds it."""
    index: int
    row: tuple[str, int] | None
    """The list of the status that reports it, and where; None where none does."""
    state: State
    """What the status says of one that it does not report."""
    blank: Blank | None
    """What the specs are made of; None where the words for blanks are in one."""
    holes: tuple[int, ...]
    """Whose values fill the blanks."""


class Shape(msgspec.Struct, frozen=True, eq=False):
    """What the pods of one pattern share."""

    pattern: Pattern
    """Their text."""
    value: Mapping[str, Any]
    """The first of them, as JSON."""
    labels: _Form | None
    """Its labels; None where no hole is in them."""
    parts: tuple[_Form, _Form]
    """Its spec and status."""
    pod: Pod
    """The first of them."""
    containers: tuple[_Made, ...]
    """Its containers."""
    name: int | None
    """The hole of the name."""
    uid: int | None
    """The hole of the uid, whose form shows that an API server made the pod."""

    def match(self, whole: str, position: int) -> tuple[Values, int] | None:
        """Return what is the own of a pod whose text is at a position, and its end; None for another text."""
        found = self.pattern.match(whole, position)
        if found is None or (self.uid is not None and not is_of_api_server(found[0][self.uid])):
            return None
        return found

    def made(self, values: Values, origin: str, path: str, where: InFile, line: int) -> Pod:
        """Return the pod with these values, whose text begins at a line; errors as ``of_pod``."""
        spec, status = [form.filled(values) for form in self.parts]
        ready, since = readiness(status.get("conditions"))
        place = f"{origin}: {path}"
        return structs.replace(
            self.pod,
            origin=origin,
            name=self.pod.name if self.name is None else values[self.name],
            uid=self.pod.uid if self.uid is None else values[self.uid],
            node=clean(spec.get("nodeName") or ""),
            containers=tuple(self._containers(values, spec, status, place, path, line)),
            spec=spec,
            file=where.file,
            labels=self.pod.labels if self.labels is None else self.labels.filled(values),
            ready=ready,
            ready_since=since,
            shape=self,
        )

    def _containers(
        self,
        values: Values,
        spec: Mapping[str, Any],
        status: Mapping[str, Any],
        place: str,
        path: str,
        line: int,
    ) -> Iterator[Container]:
        for one in self.containers:
            first, state = one.first, one.state
            if one.row is not None:
                name, index = one.row
                state = state_of(status[name][index], f"{place}.status.{name}[{index}]")
            yield Container(
                first.name,
                first.type,
                path + first.path[1:],
                spec[one.key][one.index],
                state.running,
                state.started,
                state.restarts,
                state.probed,
                state.id,
                state.ended,
                line=line + first.line - 1,
                blank=one.blank,
                own=tuple([values[hole] for hole in one.holes]),
            )


class Replica(msgspec.Struct, frozen=True):
    """A pod as its shape, and what is its own."""

    shape: Shape
    values: Values
    line: int
    """The line at which its text begins, from 1."""

    @property
    def uid(self) -> str:
        """The pod's uid."""
        hole = self.shape.uid
        return self.values[hole] if hole is not None else str(self.shape.value["metadata"]["uid"])


def shape_of(found: Text, value: Mapping[str, Any], other: Mapping[str, Any] | None) -> Shape | None:
    """Return the shape of a pod, found as a text; ``other`` is a replica of it, if there is one yet.

    None for pods whose own strings may decide what they are: manifests, mirror pods, pods of snapshots.
    """
    pod = _ordinary(found, value)
    if pod is None:
        return None
    own = own_of(value, pod.name, other)
    made = pattern_of(found, [one.own for one in own])
    if made is None:
        return None
    pattern, kept = made
    places = _Places()
    for hole, index in enumerate(kept):
        places.put(own[index].path, hole)
    whole = found.whole
    blanks = _WORD not in (repr(value["spec"]) if "\\" in whole else whole)  # whatever escapes it has
    containers = tuple(_made(container, value, places, blanks=blanks) for container in pod.containers)
    of_metadata = places.get("metadata", _Places())
    labels = of_metadata["labels"].form(pod.labels) if "labels" in of_metadata else None
    spec = places.get("spec", _Places()).form(value["spec"])
    status = places.get("status", _Places()).form(value["status"], _READ)
    name, uid = of_metadata.get("name"), of_metadata.get("uid")
    return Shape(pattern, value, labels, (spec, status), pod, containers, name, uid)


def _ordinary(found: Text, value: Mapping[str, Any]) -> Pod | None:
    """Return a pod that an API server made, of an ordinary text; None for any other object."""
    metadata = part(value, "metadata")
    annotations = mapping(metadata.get("annotations"))
    plain = all(isinstance(value.get(key), dict) for key in ("metadata", "spec", "status"))
    named = text(metadata, "name") and is_of_api_server(text(metadata, "uid"))
    if value.get("kind") != "Pod" or not plain or not named:
        return None
    if any(key in annotations for key in (*mirrors.ANNOTATIONS, snapshots.WORKLOAD)):
        return None
    try:
        pod = of_pod(Fields(value, "", "$", InFile("", found.lines)))
    except InputError:
        return None
    stored = any(snapshots.HASHES in container.spec for container in pod.containers)
    return None if stored or pod.manifest or pod.static or pod.mirror_doubt else pod


def _made(container: Container, value: Mapping[str, Any], places: _Places, *, blanks: bool) -> _Made:
    key, _, index = container.path.removeprefix("$.spec.").rstrip("]").partition("[")
    name = STATUSES[key]
    names = [mapping(row).get("name") for row in rows(value["status"], name)]
    found = [
        number
        for number, of_row in enumerate(names)
        if isinstance(of_row, str) and clean(of_row) == container.name
    ]
    own = places.get("spec", {}).get(key, {}).get(int(index), _Places())
    holes = tuple(own.holes())
    words = tuple(f"{_WORD}{number:05}" for number in range(len(holes)))
    spec = own.form(container.spec).filled(dict(zip(holes, words, strict=True)))
    blank = Blank(spec, words, _length(spec)) if blanks else None
    row, state = (name, found[-1]) if found else None, State(running=container.running)
    return _Made(container, key, int(index), row, state, blank, holes)


def _length(spec: Mapping[str, Any]) -> int:
    """Return the characters of a spec's text, about."""
    try:
        return len(_ENCODER.encode(spec))
    except (msgspec.MsgspecError, TypeError, ValueError):  # a number whose text counts
        return len(repr(spec))
