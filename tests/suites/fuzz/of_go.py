"""Targets: texts and values as Go reads them (``hashcompat/core/go``)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go import jsonpath, jsonstream, jsontext, metav1, quantity, yamlblocks
from hashcompat.core.go import yaml as goyaml
from hashcompat.core.go.jsonpath import Part
from hashcompat.core.go.metav1 import format_float, is_time, json_float
from hashcompat.core.records.documents import nanoseconds, time_of
from tests.suites.fuzz.target import (
    Form,
    Target,
    document,
    fields,
    in_chunks,
    one_of,
    outcome,
    sometimes,
    text,
)

_SIZES = (1, 7, 64)
_ITEMS = "items"
_NESTED = "nested"
_FLAT = 200
"""Levels up to which a document is written again."""


def _documents(parts: Iterable[Part]) -> list[Any]:
    """Put the parts of documents together again."""
    documents: dict[int, Any] = {}
    items: dict[int, list[Any]] = {}
    for part in parts:
        if part.index is not None:
            items.setdefault(part.document, []).append(part.value)
        else:
            documents[part.document] = part.value
    return [
        {_ITEMS: items[number], **value} if number in items else value for number, value in documents.items()
    ]


def _json(data: bytes) -> None:
    """Read JSON whole, in chunks and with the fast decoder."""
    read = jsontext.decode_text(data)
    whole, refused = outcome(lambda: jsontext.load_all(read))
    parts, problem = outcome(lambda: jsonstream.parts([read]))
    if _NESTED not in refused + problem:
        assert bool(refused) == bool(problem), (refused, problem)
    if not refused and not problem:
        assert _documents(parts) == [_without_empty_items(value) for value in whole]
    size = one_of(_SIZES, data)
    chunked, late = outcome(lambda: jsonstream.parts(in_chunks(read, size)))
    assert (chunked, late) == (parts, problem)
    lines = list(_lines(parts))
    assert lines == list(_lines(chunked))
    texts = read.split("\n")
    assert all("{" in texts[line - 1] for line in lines if line)
    if sometimes(data, 4):
        outcome(lambda: jsonstream.parts([read], strict=False))
    for value in whole if sometimes(data, 4) else ():
        _write_again(value)
    if refused:
        raise InputError(refused)


def _without_empty_items(value: Any) -> Any:
    """Return a document as its parts show it: an empty list of items has no part."""
    if isinstance(value, dict) and value.get(_ITEMS) == []:
        return {key: member for key, member in value.items() if key != _ITEMS}
    return value


def _write_again(value: Any) -> None:
    jsontext.canonical(value)
    if _depth(value) < _FLAT:
        again = jsontext.loads(jsontext.dumps(value))
        assert jsontext.dumps(again) == jsontext.dumps(value)


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [below for parent in level for below in _below(parent)]
    return depth


def _below(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _yaml(data: bytes) -> None:
    """Read YAML whole and in parts, in chunks too."""
    read = jsontext.decode_text(data)
    whole, refused = outcome(lambda: goyaml.load_all(read))
    parts, problem = outcome(lambda: goyaml.parts([read]))
    assert bool(refused) == bool(problem), (refused, problem)
    if not problem:
        documents = [_without_empty_items(value) for value in whole if value is not None]
        assert _same(_documents(parts), documents)
    size = one_of(_SIZES, data)
    chunked, late = outcome(lambda: goyaml.parts(in_chunks(read, size)))
    assert bool(late) == bool(problem), (late, problem)
    assert problem or _same(chunked, parts)
    lines = list(_lines(parts))
    assert problem or lines == list(_lines(chunked))
    assert all(1 <= line <= 1 + read.count("\n") for line in lines if line)
    if refused:
        raise InputError(refused)


def _blocks(data: bytes) -> None:
    """Read the elements of a YAML list one by one, which have to be those of the whole list."""
    read = jsontext.decode_text(data)
    blocks, refused = outcome(lambda: yamlblocks.parts(in_chunks(read, one_of((len(read) + 1, 7, 64), data))))
    if refused:
        raise InputError(refused)
    parts = list(goyaml.parts([read]))
    assert _same(blocks, parts)
    assert list(_lines(blocks)) == list(_lines(parts[:-1]))


def _lines(parts: Iterable[Part]) -> Iterator[int]:
    """Yield the lines of the objects in the lists of parts; 0 only within a list of a document."""
    for part in parts:
        unknown = _in_lists_of_a_document(part)
        for key, rows in _listed(part.value):
            if part.lines is None:  # of a document that is not an object
                continue
            lines = list(part.lines(key, rows))
            assert len(lines) == len(rows)
            is_known = isinstance(part.value, dict) and id(rows) not in unknown
            assert 0 not in lines or not is_known, (key, lines)
            yield from lines


def _in_lists_of_a_document(part: Part) -> set[int]:
    """Return the ids of the lists of a whole document, and of those in them: their lines are not kept."""
    if part.index is not None or not isinstance(part.value, dict):
        return set()
    return {
        id(rows)
        for key, member in part.value.items()
        if isinstance(member, list)
        for _, rows in _listed({key: member})
    }


def _listed(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of objects below a name in a value, each once."""
    todo, seen = [value], set[int]()
    while todo:
        element = todo.pop()
        if id(element) in seen:
            continue
        seen.add(id(element))
        todo += _below(element)
        for key, rows in element.items() if isinstance(element, dict) else ():
            if key.isascii() and key.isalpha() and _of_objects(rows):
                yield key, rows


def _of_objects(rows: Any) -> bool:
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, dict) for row in rows)


def _same(values: Any, other: Any) -> bool:
    """Compare element by element: aliases can make values that are larger than their text."""
    return len(values) == len(other) and all(map(_equal, values, other))


def _equal(element: Any, other: Any) -> bool:
    first, second = (value.value if isinstance(value, Part) else value for value in (element, other))
    return bool(first == second)


def _path(data: bytes) -> None:
    """Find and change what is at a path, which is the first line, in the JSON after it."""
    path, rest = fields(data, 2)
    value = document(rest.encode(errors="surrogateescape"))
    steps = jsonpath.keys(path)
    jsonpath.reach(value, steps)
    assert jsonpath.changed(value, steps, lambda current: current) is value
    jsonpath.changed(value, steps, lambda _: jsonpath.GONE)
    jsonpath.changed(value, steps, lambda _: 1)
    jsonpath.dotted(int(step) if step.isascii() and step.isdigit() else step for step in steps)
    jsonpath.mapping(value)


def _quantity(data: bytes) -> None:
    """Read two quantities, one per line, as every release does, and add and compare them."""
    first, second = (quantity.from_json(line) for line in fields(data, 2))
    for amount in (first, second):
        canonical = quantity.to_json(amount)
        quantity.round_up_to_milli(amount)
        quantity.from_json(canonical)
    _old_quantities(fields(data, 2)[0])
    with suppress(DecodeError):
        total = quantity.add(first, second)
        assert quantity.number(quantity.dec(*quantity.decimal(total))) == quantity.decimal(total)
        quantity.to_json(total)
        larger = quantity.larger(first, second)
        assert quantity.from_json_or_held(quantity.Held(larger)) == larger


def _old_quantities(written: str) -> None:
    for read in (quantity.old_milli_from_json, quantity.nano_from_json, quantity.milli_from_json):
        with suppress(DecodeError):
            amount: Any = read(written)
            (quantity.to_json if read is quantity.milli_from_json else quantity.to_json_1_0)(amount)


def _scalar(data: bytes) -> None:
    """Decode a JSON value as IntOrString, integers and quantities."""
    value = document(data)
    for bits in (8, 32, 64):
        with suppress(DecodeError):
            assert jsontext.integer(value, bits) == metav1.number_of(metav1.wide_from_json(value))
    with suppress(DecodeError):
        quantity.to_json(quantity.from_json(value))
    int_or_string = metav1.from_json(value)
    assert metav1.from_json(metav1.number_of(int_or_string)) == int_or_string
    assert metav1.wide_from_json(value) == int_or_string


def _time(data: bytes) -> None:
    """Read a time as the API, Docker and crictl write it."""
    written = text(data)
    is_time(written)
    timestamp, known = nanoseconds(written), time_of(written)
    assert known is None or (timestamp is not None and math.floor(known.timestamp()) == timestamp // 10**9)
    if written.isascii() and written.removeprefix("-").isdigit() and len(written) < 4000:
        nanoseconds(int(written))
        time_of(int(written))


def _float(data: bytes) -> None:
    """Print the float of eight bytes as Go does, so that it reads back."""
    (value,) = struct.unpack("<d", data[:8].ljust(8, b"\0"))
    format_float(value, 32)
    if math.isfinite(value):
        assert float(format_float(value)) == value
        assert float(json_float(value)) == value


TARGETS = (
    Target(
        "json",
        _json,
        (
            "core/go/jsontext",
            "core/go/jsonstream",
            "core/go/jsonstream",
            "core/go/jsonpath",
            "core/go/allowance",
        ),
        longest=512,
    ),
    Target(
        "yaml",
        _yaml,
        ("core/go/yaml", "core/go/yamlevents", "core/go/jsonpath"),
        Form.YAML,
        longest=512,
    ),
    Target("yaml-blocks", _blocks, ("core/go/yamlblocks", "core/go/yaml"), Form.YAML, longest=512),
    Target("jsonpath", _path, ("core/go/jsonpath",), Form.TEXT, longest=256),
    Target(
        "quantity",
        _quantity,
        ("core/go/quantity", "core/go/quantity"),
        Form.TEXT,
        longest=96,
        raises=(DecodeError,),
    ),
    Target("scalar", _scalar, ("core/go/metav1", "core/go/jsontext", "core/go/quantity"), longest=64),
    Target("time", _time, ("core/go/metav1", "core/records/documents"), Form.TEXT, longest=64, raises=()),
    Target("float", _float, ("core/go/metav1",), Form.BYTES, longest=8, raises=()),
)
