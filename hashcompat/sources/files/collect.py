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
from hashcompat.model.pods import Inventory, Node, Pod
from hashcompat.model.records import Recorded, Sandbox
from hashcompat.sources.files.inputs import Input, called, inputs
from hashcompat.sources.files.text import chunks
from hashcompat.sources.objects import Found, is_list, read_object, with_kind

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")

_WANTED: Final = "Kubernetes objects as JSON or YAML"

Kinds = Mapping[int, object]
"""What the documents say of their kind behind their items, by number."""


def collect(names: tuple[str, ...], *, recursive: bool = False) -> Inventory:
    """Read the nodes in every file, directory (``recursive``: and those below), URL, or ``-`` for standard input.

    Its pods are read one by one each time that somebody asks for them: nodes often stand behind them, and
    have a say in every verdict. Raises InputError, naming the file, for what cannot be read; asking for pods
    raises it for what is no Kubernetes object, and for no pod.
    """
    surveys = [_survey(source) for name in names for source in inputs(name, recursive, SUFFIXES)]
    found = [thing for survey in surveys for thing in survey.found]
    nodes = tuple(thing for thing in found if isinstance(thing, Node))
    records = tuple(thing for thing in found if isinstance(thing, Recorded | Sandbox))
    return Inventory(_Pods(", ".join(map(called, names)), surveys), nodes, records)


@dataclass(frozen=True, slots=True)
class _Survey:
    """What a first look at a file tells: how many documents, which kinds stand behind items, all objects but pods."""

    source: Input
    documents: int
    kinds: Kinds
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class _Pods:
    names: str
    surveys: list[_Survey]

    def __iter__(self) -> Iterator[Pod]:
        found = False
        for survey in self.surveys:
            for pod in _pods(survey):
                found = True
                yield pod
        if not found:
            raise InputError(f"{self.names}: no pods in the input; give a file with pods or pod templates")


def _survey(source: Input) -> _Survey:
    """Look through a file, once more where a NodeList says behind its items that they are nodes."""
    first = _look(source, {})
    if not first.documents:
        raise InputError(f"{source.origin}: no Kubernetes object, only comments or empty documents")
    return _look(source, first.kinds) if set(first.kinds.values()) - {"List"} else first


def _look(source: Input, known: Kinds) -> _Survey:
    documents = 0
    kinds: dict[int, object] = {}
    found: list[Found] = []
    for part in _parts(source, strict=False):
        if part.index is None:
            documents += 1
            if part.document in kinds:
                kinds[part.document] = str(part.value.get("kind"))
        elif part.kind is None:
            kinds[part.document] = ""
        found += _no_pods(part, known or {part.document: "List"}, source.origin)
    return _Survey(source, documents, kinds, tuple(found))


def _no_pods(part: Part, kinds: Kinds, label: str) -> list[Found]:
    """Return the nodes of a part, and a snapshot's records; of what is wrong in it, the second look tells."""
    with suppress(InputError):
        return [
            thing
            for value, path in _objects(part, kinds)
            if isinstance(value, Mapping) and (value.get("kind") == "Node" or is_list(value.get("kind")))
            for thing in read_object(value, label, path)
            if not isinstance(thing, Pod)
        ]
    return []


def _pods(survey: _Survey) -> Iterator[Pod]:
    for part in _parts(survey.source):
        label = (
            survey.source.origin
            if survey.documents == 1
            else f"{survey.source.origin} (document {part.document})"
        )
        for value, path in _objects(part, survey.kinds):
            yield from (thing for thing in read_object(value, label, path) if isinstance(thing, Pod))


def _objects(part: Part, kinds: Kinds) -> Iterator[tuple[object, str]]:
    """Yield the object that a part is, with its path; elements of what is no list are none."""
    kind = kinds.get(part.document) if part.kind is None else part.kind
    if part.index is None:
        yield part.value, "$"
    elif is_list(kind):
        yield with_kind(part.value, str(kind)), f"$.items[{part.index}]"


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
    """Read JSON, also several documents on end (JSON lines), or else YAML."""
    if first.lstrip().startswith(("{", "[")):
        return jsonstream.parts(text, strict=strict)
    from hashcompat.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    return yaml.parts(text)


def contents(name: str, recursive: bool, suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[tuple[str, bytes]]:
    """Yield the label and the whole content of each file that a ``-f`` value stands for; in a directory, of those with such a suffix."""
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
