"""YAML documents as Kubernetes reads them (sigs.k8s.io/yaml over go.yaml.in/yaml/v2, decode.go).

PyYAML parses; scalars have the values that they have in Go, and duplicate keys are an error.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec
import yaml

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.allowance import Meter, characters_in, document_meter, object_meter, too_deep
from hashcompat.core.go.jsonpath import COUNT, ITEMS, OWN_KEY, Lines, Part, Text, Token
from hashcompat.core.go.yamlevents import DEEPEST, Events, at, is_text, json_value, key_of, scalar_value
from hashcompat.core.shown import name as shown_name

_MERGE: Final = "tag:yaml.org,2002:merge"
_MOST_ALIASED: Final = 0.99
_LEAST_ALIASED: Final = 0.10
_FEW_NODES: Final = 400_000
_MANY_NODES: Final = 4_000_000


def load_all(text: str, repeated: list[str] | None = None) -> Iterator[Any]:
    """Yield the documents of a YAML stream as JSON values; empty documents are None.

    ``repeated`` takes the keys that a mapping has twice, of which the last one counts, as Kubernetes decodes
    what it does not decode strictly; without it they are an error. Raises InputError with line and column.
    """
    return (document.value for document in documents(text, repeated))


def first(text: str, repeated: list[str] | None = None) -> Any:
    """Return the object in a text as Kubernetes' decoders read one: JSON if it begins with {, else YAML.

    Of YAML the first document counts, and nothing after it is read (``Decode`` and ``RecognizesData`` in
    json.go of apimachinery's pkg/runtime/serializer/json, 0.37.1; sigs.k8s.io/yaml ``YAMLToJSON``). None for
    an empty one; ``repeated`` and errors as ``load_all``.
    """
    if text.lstrip().startswith("{"):
        return jsontext.loads(text, repeated)
    return next(load_all(text, repeated), None)


def documents(text: str, repeated: list[str] | None = None) -> Iterator[Part]:
    """Yield the documents of a YAML stream whole; errors as ``load_all``."""
    return (builder.whole(event, number) for number, builder, event in _begun([text], repeated))


def parts(chunks: Iterable[str]) -> Iterator[Part]:
    """Yield the parts of the YAML documents in a text, except of empty ones; errors as ``load_all``."""
    for number, builder, event in _begun(chunks):
        yield from builder.parts(event, number)


def _begun(chunks: Iterable[str], repeated: list[str] | None = None) -> Iterator[tuple[int, Builder, Any]]:
    """Yield each document's number, what builds it, and the event that begins its value."""
    events = Events(chunks)
    starts = (event for event in events if isinstance(event, yaml.DocumentStartEvent))
    for number, _ in enumerate(starts, 1):
        yield number, Builder(events, repeated), next(iter(events))


_ListLines = dict[int, tuple[list[Any], Sequence[int]]]
"""Each list with a mapping in it, by its id, and the lines of its elements; as it is here, its id is its own.

What an alias repeats begins where its anchor is, because its text is there.
"""


class _Anchored(msgspec.Struct, frozen=True):
    """A value that aliases can repeat."""

    value: Any
    nodes: int
    characters: int
    height: int
    """The levels of lists and mappings in it, itself included."""
    line: int
    """Where it begins."""


class Builder:
    """Builds one document from parser events.

    This bounds size and depth, as if each alias were written out, and needs no tree between events and
    values.
    """

    def __init__(self, events: Events, repeated: list[str] | None = None) -> None:
        self._events, self._next = events, iter(events).__next__
        self._repeated = repeated
        self._lines: _ListLines = {}  # of lists in the part that is being built
        self._anchored_lines: _ListLines = {}  # of those that later parts can repeat
        self._anchors: dict[str, _Anchored] = {}
        self._nodes, self._aliased = 0, 0  # decoded so far, and those of them from aliases
        self._characters = 0  # of scalars so far, aliases included
        self._depth, self._deepest = 0, 0
        self._open = 0  # anchored values around this one
        self._meters: tuple[Meter, ...] = ()
        self._kept = document_meter()

    def value(self, event: Any, *meters: Meter) -> Any:
        """Return the value that begins with ``event``; errors as ``load_all``.

        ``meters`` add up its size; by default those of the value around it.
        """
        if type(event) is yaml.ScalarEvent and event.anchor is None and not meters:
            return self._scalar(event)
        outer, self._meters = self._meters, meters or self._meters
        value = self._aliased_value(event) if _is_alias(event) else self._own_value(event)
        self._meters = outer
        return value

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        """Return what ``_own_value`` returns of a scalar without an anchor: most of a text is such ones."""
        if self._deepest <= self._depth:
            self._deepest = self._depth + 1
            if self._deepest > DEEPEST:
                raise at(event.start_mark, str(too_deep(DEEPEST)))
        self._count(event, 1, characters_in(event.value))
        return json_value(event)

    def _own_value(self, event: Any) -> Any:
        nodes, characters, deepest = self._nodes, self._characters, self._deepest
        anchored = event.anchor is not None
        line = self._events.line(event) if anchored else 0
        self._open += anchored
        self._depth += 1
        self._deepest = self._depth
        if self._depth > DEEPEST:
            raise at(event.start_mark, str(too_deep(DEEPEST)))
        if isinstance(event, yaml.CollectionStartEvent):
            self._count(event, 1, 0)
            value = self._mapping() if isinstance(event, yaml.MappingStartEvent) else self._sequence()
        else:
            self._count(event, 1, characters_in(event.value))
            value = json_value(event)
        self._depth -= 1
        self._open -= anchored
        if anchored:
            size = self._nodes - nodes, self._characters - characters
            self._anchors[event.anchor] = _Anchored(value, *size, self._deepest - self._depth, line)
            # an anchor within an anchored value is counted with the outer one, not twice
            if not self._open:
                try:
                    self._kept.add(size[1], size[0])
                except InputError as error:
                    raise at(event.start_mark, str(error)) from None
        self._deepest = max(deepest, self._deepest)
        return value

    def _count(self, event: Any, nodes: int, characters: int) -> None:
        self._nodes += nodes
        self._characters += characters
        try:
            for meter in self._meters:
                meter.add(characters, nodes)
        except InputError as error:
            raise at(event.start_mark, str(error)) from None

    def _aliased_value(self, event: Any) -> Any:
        """Return what an alias repeats; raise InputError for a document of little else (decode.go)."""
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise at(event.start_mark, "an alias of an anchor that is not defined before it")
        if self._depth + anchor.height > DEEPEST:
            raise at(event.start_mark, str(too_deep(DEEPEST)))
        self._deepest = max(self._deepest, self._depth + anchor.height)
        self._count(event, anchor.nodes + 1, anchor.characters)
        self._aliased += anchor.nodes
        # Go's own numbers (decode.go ``unmarshal``): small documents may be all aliases
        many = self._aliased > 100 and self._nodes > 1000
        if many and self._aliased / self._nodes > _allowed_ratio(self._nodes):
            raise at(event.start_mark, "excessive aliasing: nearly all of the document is aliases")
        return anchor.value

    def _sequence(self) -> list[Any]:
        result: list[Any] = []
        lines = array("Q")
        for event in self._elements():
            line = self._events.line(event)
            result.append(self.value(event))
            lines.append(self._anchors[event.anchor].line if _is_alias(event) else line)
        if any(type(item) is dict for item in result):
            # what a later alias may repeat is kept until the end; the rest only until its part was yielded
            (self._anchored_lines if self._open else self._lines)[id(result)] = result, lines
        return result

    def _list_lines(self) -> Lines:
        """Return where the mappings in lists begin that were built since the last part, or have anchors."""
        return partial(_lines_of, (self._lines, self._anchored_lines))

    def whole(self, event: Any, number: int) -> Part:
        """Return the document that begins with ``event``."""
        return Part(number, self.value(event, object_meter()), lines=self._list_lines())

    def parts(self, event: Any, number: int) -> Iterator[Part]:
        """Yield the elements of ``items``, then the document without them; nothing for an empty document."""
        if not isinstance(event, yaml.MappingStartEvent) or event.anchor is not None:
            if (document := self.whole(event, number)).value is not None:
                yield document
            return
        members: dict[str, Any] = {}
        lines = self._lines
        whole = document_meter()
        self._meters = (whole,)
        for key, start in self._members(members):
            if not isinstance(start, yaml.SequenceStartEvent) or start.anchor is not None:
                members[key] = self.value(start, object_meter(), whole)
            elif key != ITEMS:
                members[key] = [self.value(event, object_meter(), whole) for event in self._elements()]
            else:
                for index, element in enumerate(self._elements()):
                    # the lines of an element are asked for before the next one is read
                    self._lines = {}
                    value = self.value(element, object_meter())
                    yield Part(number, value, index, members.get("kind"), self._list_lines())
                self._lines = lines
        yield Part(number, members, lines=self._list_lines())

    def _elements(self) -> Iterator[Any]:
        """Yield the event that begins each element; whoever takes it reads the element."""
        while type(event := self._next()) is not yaml.SequenceEndEvent:
            yield event

    def _mapping(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, event in self._members(result):
            result[key] = self.value(event)
        return result

    def _members(self, result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield each key with the event that begins its value; add what merge keys bring to ``result``."""
        own: set[str] = set()
        while type(event := self._next()) is not yaml.MappingEndEvent:
            if _is_merge(event):
                # at its place, as decode.go of v2 does: it overrides the keys before it, and those behind
                # override it
                result.update(self._merged(event))
                continue
            key = self._key_text(event)
            if key in own and self._repeated is not None:
                self._repeated.append(key)
            elif key in own:
                raise at(event.start_mark, f"the key {shown_name(key)!r} appears twice in one mapping")
            own.add(key)
            yield key, self._next()

    def _merged(self, key: Any) -> dict[str, Any]:
        """Return what a merge key adds; earlier mappings take precedence (decode.go ``merge``)."""
        event = self._next()
        self._depth += 1  # what is merged is more calls deeper than a value
        value = self.value(event)
        self._depth -= 1
        # Go accepts a list here, but not an alias of one.
        listed = isinstance(value, list) and not _is_alias(event)
        mappings = value if listed else [value]
        if not all(isinstance(mapping, dict) for mapping in mappings):
            raise at(key.start_mark, "a merge key needs a mapping or a list of mappings")
        result: dict[str, Any] = {}
        # the last update wins, and the first mapping is to win
        for mapping in reversed(mappings):
            result.update(mapping)
        return result

    def _key_text(self, event: Any) -> str:
        """Return the text of the key that begins with ``event``; infinities are valid only as keys."""
        if isinstance(event, yaml.CollectionStartEvent):
            return key_of(None, event)  # which refuses it, whatever is in it
        if type(event) is not yaml.ScalarEvent or event.anchor is not None:
            return key_of(self.value(event), event)
        self._count(event, 1, len(event.value))
        return key_of(scalar_value(event), event)


def _lines_of(mappings: Sequence[_ListLines], _key: str, rows: Sequence[Any]) -> Sequence[int]:
    """Return the lines of a list's elements, 0 where it is not known."""
    return next((lines[id(rows)][1] for lines in mappings if id(rows) in lines), [0] * len(rows))


def _allowed_ratio(nodes: int) -> float:
    """Return which share of a document may come from aliases (decode.go ``allowedAliasRatio``)."""
    over = min(max(nodes - _FEW_NODES, 0) / (_MANY_NODES - _FEW_NODES), 1)
    return _MOST_ALIASED - (_MOST_ALIASED - _LEAST_ALIASED) * over


def _is_alias(event: Any) -> bool:
    return type(event) is yaml.AliasEvent


def _is_merge(event: Any) -> bool:
    return (
        type(event) is yaml.ScalarEvent and event.value == "<<" and (event.implicit[0] or event.tag == _MERGE)
    )


# One element of a YAML list, by itself: its value, and where in its text each scalar is.

_BEFORE: Final = [yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.SequenceStartEvent]
_BEHIND: Final = [yaml.SequenceEndEvent, yaml.DocumentEndEvent, yaml.StreamEndEvent]
_BARE: Final = re.compile(r"[A-Za-z0-9._/+](?:[A-Za-z0-9._:/@+-]*[A-Za-z0-9._/@+-])?", re.ASCII)
"""What a plain scalar of such characters is: ``@`` begins none, ``-`` and ``:`` may be indicators."""
_NOT_ONE_ELEMENT: Final = "not one element of a list"


class Element(msgspec.Struct, frozen=True, eq=False):
    """An element of a list."""

    value: Any
    text: Text
    """Its text, with the ``-`` before it."""
    lines: Lines
    """Where the objects in its lists begin, if its text begins at line 1."""


def element_of(text: str) -> Element:
    """Return the one element of a block sequence that is all of a text.

    Raises InputError for any other text, also for one with an anchor, which what follows may refer to.
    """
    builder = _Builder(Events([text]))
    value, lines = builder.only()
    return Element(value, Text(text, partial(_tokens, builder.scalars, text), lines, _is_bare), lines)


class _Scalar(msgspec.Struct, frozen=True):
    """A scalar that is a value, or a key with a part that is a pod's own."""

    key: str
    """The latest key before it, or it."""
    value: Any
    event: Any
    """Its ``yaml.ScalarEvent``."""
    span: tuple[int, int] | None = None
    """Where in a key that part is."""

    def token(self, text: str) -> Token:
        """Return it, or the part of a key, with the place of its characters in the text."""
        quote = self.event.style if self.event.style in ("'", '"') else ""
        start, end = self.event.start_mark.index, self.event.end_mark.index
        as_is = self.event.tag is None and text[start:end] == f"{quote}{self.value}{quote}"
        start, end = start + len(quote), end - len(quote)
        if self.span is not None:
            first, behind = self.span
            return Token(start + first, start + behind, self.key, is_as_is=as_is, is_key=True)
        return Token(start, end, self.key, type(self.value) is int, as_is)


class _Builder(Builder):
    """Builds an element, and keeps its scalars."""

    def __init__(self, events: Events) -> None:
        super().__init__(events)
        self.scalars: list[_Scalar] = []
        self._key = ""

    def only(self) -> tuple[Any, Lines]:
        """Return the only element and the lines in it; errors as ``element_of``."""
        if [type(event) for event in islice(self._events, len(_BEFORE))] != _BEFORE:
            raise InputError(_NOT_ONE_ELEMENT)
        value = self.value(self._next(), object_meter())
        if [type(event) for event in self._events] != _BEHIND or self._anchors:
            raise InputError(_NOT_ONE_ELEMENT)
        return value, self._list_lines()

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        value = super()._scalar(event)
        self.scalars.append(_Scalar(self._key, value, event))
        return value

    def _members(self, result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for key, event in super()._members(result):
            self._key = key
            yield key, event

    def _key_text(self, event: Any) -> str:
        key = super()._key_text(event)
        if key.startswith("k:") and (match := OWN_KEY.fullmatch(key)):
            self.scalars.append(_Scalar(key, key, event, match.span(1)))
        return key


def _tokens(scalars: Iterable[_Scalar], text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the strings in a part of a text, the numbers of a ``restartCount``, and parts of keys."""
    for scalar in scalars:
        kind = type(scalar.value)
        if start <= scalar.event.start_mark.index < end and (
            kind is str or (kind is int and scalar.key == COUNT)
        ):
            yield scalar.token(text)


def _is_bare(value: str) -> bool:
    """Return whether a string of a pattern's characters is that string also without quotes.

    At the beginning of a line, ``...`` ends the document.
    """
    return _BARE.fullmatch(value) is not None and value != "..." and is_text(value)
