"""A file's text -> its documents and the elements of its lists, one by one, whatever its form.

Many objects at once are decoded by msgspec: just what the strict decoder reads (``core/go/jsontext.py``), or
nothing. msgspec takes a fifth of its time, but drops a key that is there twice, and the text of numbers. An
object in which that may be, or that may be too large or too deep, goes to the strict decoder.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal, NotRequired, TypedDict

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsonstream
from hashcompat.core.go.allowance import check_depth, is_small, may_be_deep
from hashcompat.core.go.jsonpath import Part, part
from hashcompat.core.go.jsonstream import Elements, Quick, Rest
from hashcompat.core.go.jsontext import DECODER
from hashcompat.core.model.pods import CONTAINER_LISTS, PHASES
from hashcompat.core.regex import regex
from hashcompat.sources.content import chunks
from hashcompat.sources.files import Input, named, spans
from hashcompat.sources.files.foreign import without_logs
from hashcompat.sources.files.spans import Span
from hashcompat.sources.objects import KubernetesObject, is_list
from hashcompat.sources.replicas.stencils import Stencils
from hashcompat.sources.workloads import group_of, is_workload

_OBJECTS: Final = msgspec.json.Decoder(list[msgspec.Raw])


def _refused(text: str) -> float:
    """Refuse a number with a fraction or an exponent: its text counts, and it would hide a dropped key."""
    raise ValueError(text)


_OBJECT: Final = msgspec.json.Decoder(dict[str, Any], float_hook=_refused)
_ENCODER: Final = msgspec.json.Encoder()
_NARROW: Final = msgspec.msgpack.Encoder()
"""Refuses integers beyond 64 bits: the strict decoder keeps the text of very long ones."""
_ASCII: Final = "\\u00"
_HIDDEN: Final = regex(r"\\u00(22|2[dD])")
"""Escapes of the characters that are counted."""
_MSGSPEC: Final = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)


def decoded(text: str) -> Sequence[tuple[Any, str]] | None:
    """Return the objects of a JSON list, each with its text; None for what the strict decoder refuses."""
    try:
        texts = [bytes(raw).decode() for raw in _OBJECTS.decode(text)]
        return [(_decoded(text), text) for text in texts]
    except (*_MSGSPEC, InputError):
        return None


def _decoded(text: str) -> Any:
    """Return an object as the strict decoder reads it; errors as that decoder's, and ValueError.

    Each key and string has two quotes: where as many are left once it is written again, no key was dropped.
    ``-0`` loses its sign.
    """
    if not is_small(0, len(text)):
        raise ValueError("left to the strict decoder")
    value = _plain(text) if _ASCII not in text or not _HIDDEN.search(text) else None
    if value is None:
        value = DECODER.decode(text)
    if may_be_deep(text, 0, len(text)):
        check_depth(value)
    return value


def _plain(text: str) -> dict[str, Any] | None:
    """Return an object; None where the strict decoder may read another one, or says what is wrong."""
    try:
        value = _OBJECT.decode(text)
        _NARROW.encode(value)
        written = _ENCODER.encode(value)
    except _MSGSPEC:
        return None
    # counts are enough: a key that was dropped took its quotes with it
    same = written.count(b'"') == text.count('"') and written.count(b"-") == text.count("-")
    return value if same else None


# Many pods at once, as far as a first look at a file needs them, by msgspec. It reads a pod's owners and
# counts its containers, and skips all else, which is most of a dump.


class _Metadata(TypedDict, total=False):
    name: Any
    namespace: Any
    labels: Any
    annotations: Any
    ownerReferences: Any


class _Spec(TypedDict, total=False):
    containers: list[msgspec.Raw]


class _Pod(TypedDict):
    apiVersion: NotRequired[Any]
    kind: Literal["Pod"]
    metadata: _Metadata
    spec: _Spec


_PODS: Final = msgspec.json.Decoder(list[_Pod])


def first_look(text: str) -> Sequence[tuple[Any, str]] | None:
    """Return the pods of a JSON list, with what a first look reads of them; None for any other list.

    What is wrong in the rest is found when the pods are read.
    """
    try:
        # no text: at a first look nobody asks for lines
        return [(pod, "") for pod in _PODS.decode(text)]
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


WANTED: Final = "Kubernetes objects as JSON or YAML"
_FEW: Final = 1 << 16
"""Characters that are read strictly at a first look."""


def parts(
    source: Input,
    *,
    strict: bool = True,
    alike: Stencils | None = None,
    rest: Rest | None = None,
    end: int = 0,
) -> Iterator[Part]:
    """Yield the parts of a JSON file, also of several documents one after another (JSON lines).

    ``strict`` comes after a look at all of the same file that is not. The value of a part is a Replica where
    ``alike`` knows the pattern of its text. Only the bytes before ``end`` are read, if it is given, and
    ``rest`` gives what follows. Raises InputError, naming the file, for what cannot be read to its end.
    """
    quick = _quick(strict=strict)
    with source.open() as stream, named(source.origin):
        text = _Counted(_text(source, spans.cut(stream, 0, end) if end else stream, checked=False))
        try:
            # a pod behind a snapshot is none of those in it
            documents = alike is not None and not alike.of_snapshot
            yield from jsonstream.parts(
                text, strict=strict, quick=quick, alike=alike, rest=rest, documents=documents
            )
        except InputError:
            # only then: before a strict reading the same file was found to be text
            if not strict:
                _refuse_binary(source, text.asked)
            raise


def documents(source: Input, *, strict: bool = True) -> Iterator[Part]:
    """Yield the parts of a YAML file, document by document; the rest is as for ``parts``."""
    from hashcompat.core.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    with source.open() as stream, named(source.origin):
        yield from yaml.parts(_text(source, stream, checked=not strict))


def blocks(source: Input, alike: Stencils, *, strict: bool = True) -> Iterator[Part]:
    """Yield the parts of a YAML file that is one list, element by element; the rest is as for ``parts``.

    Raises InputError, whatever is wrong, also for one that only ``documents`` can read.
    """
    from hashcompat.core.go import yamlblocks  # noqa: PLC0415 - JSON input need not import a YAML parser

    with source.open() as stream, named(source.origin):
        yield from yamlblocks.parts(_text(source, stream, checked=not strict), alike)


class _Counted(Iterator[str]):
    """Chunks of a text, and how many were asked for."""

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks, self.asked = chunks, 0

    def __next__(self) -> str:
        self.asked += 1
        return next(self._chunks)


def _refuse_binary(source: Input, number: int) -> None:
    """Raise InputError where there is a control character in so many chunks: that is what is wrong there."""
    with source.open() as stream:
        for _ in islice(_text(source, stream), number):
            pass


def _text(source: Input, stream: io.BufferedReader, *, checked: bool = True) -> Iterator[str]:
    return spans.metered(source, stream, _plain_text(stream, checked=checked))


def _plain_text(stream: io.BufferedReader, *, checked: bool = True) -> Iterator[str]:
    """Yield the text of a file without the logs that ``kubectl cluster-info dump`` prints between objects."""
    return chunks(stream, WANTED, checked=checked, kept=without_logs)


def elements(source: Input, span: Span, *, strict: bool = True, alike: Stencils | None = None) -> Elements:
    """Return the elements of a span of a file; the rest is as for ``parts``."""
    text = spans.text(source, span.begin, span.end, WANTED)
    return Elements(text, span.first, strict=strict, quick=_quick(strict=strict), alike=alike)


def head(source: Input) -> str:
    """Return the beginning of a file; errors as ``parts``."""
    with source.open() as stream, named(source.origin):
        return next(_plain_text(stream))


def is_json(begins: str) -> bool:
    """Return whether a file that begins so is read as JSON; any other is YAML."""
    return begins.lstrip().startswith(("{", "["))


def _quick(*, strict: bool) -> Quick:
    return decoded if strict else _looked


def _looked(text: str) -> Sequence[tuple[Any, str]] | None:
    """Return the objects of a JSON list for a first look: a few of them strictly, for others like them."""
    return decoded(text) if len(text) < _FEW else first_look(text)


# Find a YAML object that ends too early: YAML that was cut is often valid, JSON never is. kubectl and the
# usual printers sort keys or keep the order of Go's fields: ``status`` comes after ``spec``, and ``kind``
# after ``items`` or before ``metadata``. An API server stores no pod or workload without a status.

_CUT: Final = "is the file cut short?"
_STATELESS: Final = "PodTemplate"
"""The one kind with pods or a pod template that has no status."""


def check_end(document: object, path: str, *, items_first: bool) -> None:
    """Raise InputError for an object that ends before or within its ``kind``.

    ``items_first``: whether it began with ``items``, after which kubectl writes the kind of a list.
    """
    if not isinstance(document, Mapping):
        return
    kind = document.get("kind")
    if items_first and kind is None:
        raise InputError(f"{path}: the list ends without the 'kind: List' behind its items; {_CUT}")
    # kubectl sorts keys, so metadata, spec and status follow a kind
    if kind is not None and next(reversed(document)) == "kind" and not is_list(kind):
        raise InputError(f"{path}: nothing follows its kind; {_CUT}")


def doubt(resource: KubernetesObject) -> str:
    """Return why an object may be only the first part of one; empty where nothing indicates that."""
    value = resource.value
    kind = value["kind"]
    is_builtin = is_workload(value) or (kind in ("Pod", "Node") and not group_of(value))
    if not part(value, "metadata").get("uid") or not is_builtin or kind == _STATELESS:
        return ""
    if value.get("status") is None:
        return f"the {kind} has a uid but no status; {_CUT}"
    if kind == "Pod" and part(value, "status").get("phase", PHASES[0]) not in PHASES:
        return f"the Pod has a uid but no status.phase that Kubernetes knows; {_CUT}"
    return f"the {kind} has a uid, but a container has no image; {_CUT}" if _lacks_image(value) else ""


def _lacks_image(value: Mapping[str, Any]) -> bool:
    spec = part(value, "spec") if value["kind"] == "Pod" else {}
    lists = map(spec.get, CONTAINER_LISTS)
    containers = [
        container
        for rows in lists
        if isinstance(rows, list)
        for container in rows
        if isinstance(container, Mapping)
    ]
    return any(not container.get("image") for container in containers)
