"""Files, directories and streams of JSON, JSON lines and YAML -> pods one by one, and nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from itertools import chain
from typing import Final

from hashcompat.errors import InputError
from hashcompat.go import jsonstream
from hashcompat.go.parts import Part
from hashcompat.model.pods import Inventory, Node, Origin, Pod, Source
from hashcompat.model.records import Record
from hashcompat.sources import snapshots
from hashcompat.sources.controllers import Census, Templates
from hashcompat.sources.copies import nodes_of, pods_of
from hashcompat.sources.files.inputs import Input, called, inputs
from hashcompat.sources.files.text import chunks
from hashcompat.sources.objects import BESIDE_PODS, Found, Object, is_list, opened, read, with_kind

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")

_WANTED: Final = "Kubernetes objects as JSON or YAML"

Kinds = Mapping[int, object]
"""What the documents say of their kind behind their items, by number."""


def collect(names: tuple[str, ...], *, recursive: bool = False, needs_pods: bool = True) -> Inventory:
    """Read the nodes in every file, directory, URL, or ``-`` for standard input.

    ``recursive`` includes the directories below. Its pods are read one by one each time that somebody
    asks for them: nodes often come after them, and affect every verdict. Raises InputError, naming the
    file, for what cannot be read, and for two different nodes of one name; asking for pods raises it for
    what is not a Kubernetes object, for two different pods of one uid, and (``needs_pods``) for no pod.
    """
    surveys = [_survey(source) for name in names for source in inputs(name, recursive, SUFFIXES)]
    census = Census()
    for survey in surveys:
        census.merge(survey.census)
    templates = census.templates()
    every = [pair for survey in surveys for pair in survey.found]
    nodes = nodes_of((thing, where) for thing, where in every if isinstance(thing, Node))
    records = tuple(thing for thing, _ in every if isinstance(thing, Record))
    origin = Origin(_kind(surveys), tuple(map(called, names)))
    return Inventory(
        _Pods(origin.names, tuple(surveys), templates, needs_pods), nodes, records, origin, templates.warnings
    )


@dataclass(frozen=True, slots=True)
class _Survey:
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


def _kind(surveys: list[_Survey]) -> Source:
    saved = all(survey.snapshots == survey.documents for survey in surveys)
    return Source.SNAPSHOT if saved else Source.FILES


@dataclass(frozen=True, slots=True)
class _Objects:
    """All objects of some files, read again each time they are iterated over."""

    surveys: tuple[_Survey, ...]

    def __iter__(self) -> Iterator[Object]:
        for survey in self.surveys:
            for part in _parts(survey.source):
                label = survey.source.origin
                if survey.documents > 1:
                    label += f" (document {part.document})"
                yield from _objects(part, survey.kinds, label)


@dataclass(frozen=True, slots=True)
class _Pods:
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
    """Look through a file, once more where a NodeList says behind its items that they are nodes."""
    first = _look(source, {})
    if not first.documents:
        raise InputError(f"{source.origin}: no Kubernetes object, only comments or empty documents")
    return _look(source, first.kinds) if set(first.kinds.values()) - {"List"} else first


def _look(source: Input, known: Kinds) -> _Survey:
    documents = saved = 0
    kinds: dict[int, object] = {}
    found: list[tuple[Found, Object]] = []
    census = Census()
    for part in _parts(source, strict=False):
        if part.index is None:
            documents += 1
            kind = part.value.get("kind") if isinstance(part.value, Mapping) else None
            saved += kind == snapshots.KIND
            if part.document in kinds:
                kinds[part.document] = str(kind)
        elif part.kind is None:
            kinds[part.document] = ""
        with suppress(InputError):  # what is wrong in it is said when its pods are read
            for one in _objects(part, known or {part.document: "List"}, source.origin):
                census.add(one.value)
                if one.value["kind"] in BESIDE_PODS:
                    found += ((thing, one) for thing in read(one))
    return _Survey(source, documents, kinds, tuple(found), census, saved)


def _objects(part: Part, kinds: Kinds, origin: str) -> Iterator[Object]:
    """Yield the objects in a part; elements of anything but a list are not objects."""
    kind = kinds.get(part.document) if part.kind is None else part.kind
    if part.index is None:
        yield from opened(part.value, origin)
    elif is_list(kind):
        yield from opened(with_kind(part.value, str(kind)), origin, f"$.items[{part.index}]")


def _parts(source: Input, *, strict: bool = True) -> Iterator[Part]:
    with source.open() as stream:
        try:
            text = chunks(stream, _WANTED)
            first = next(text)
            yield from _read(first, chain([first], text), strict=strict)
        except OSError as error:
            raise InputError(f"{source.origin}: cannot read: {error.strerror}") from None
        except InputError as error:
            raise InputError(f"{source.origin}: {error}") from None


def _read(first: str, text: Iterable[str], *, strict: bool) -> Iterator[Part]:
    """Read JSON, also several documents one after another (JSON lines), or else YAML."""
    if first.lstrip().startswith(("{", "[")):
        return jsonstream.parts(text, strict=strict)
    from hashcompat.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    return yaml.parts(text)


def contents(name: str, recursive: bool, suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[tuple[str, bytes]]:
    """Yield the label and content of each file of a ``-f`` value; in a directory, of those with a suffix."""
    for source in inputs(name, recursive, suffixes):
        with source.open() as stream:
            yield source.origin, stream.read()


def text_of(data: bytes, origin: str, wanted: str) -> str:
    """Return the text of a file's content, compressed or not.

    Raises InputError for what is empty, damaged or no text, saying what is ``wanted``.
    """
    try:
        return "".join(chunks(BufferedReader(BytesIO(data)), wanted))
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
