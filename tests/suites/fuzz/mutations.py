"""Changes of an input: of a JSON document's values, of a text's words and lines, or of bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, MutableSequence
from random import Random
from typing import Any, Final

from tests.suites.fuzz.target import Form

ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2**31, -(2**31) - 1, 2**32, 2**63, 2**64, 10**500, 1.5, 1e400, -0.0),
    *("", "0", "-", " ", "\0", "\ud800", "é", "\u2028", "null", "true", "1Mi", "1e9", "*", "a/b", "x" * 300),
    *([], {}, [[]], [None], {"": None}, {"a": {"b": {"c": [1]}}}, [[[[[[[[1]]]]]]]]),
)
"""Values that a reader may not expect where they are."""

PIECES: Final = (
    *('"', "'", "{", "}", "[", "]", ",", ":", "\\", "\n", "\r\n", "\t", " ", "-", "- ", ": ", "#"),
    *("&a ", "*a", "!!binary ", "<<: ", "|\n  ", "---\n", "...\n", "~", "%", "?", "_", "&", "@", ";", "//"),
    *("0", "-1", "9" * 20, "1e999", "NaN", "0x1F", "\\ud800", "\\u0000", "=====\n", "..", "="),
    *("\0", "\x7f", "\ufeff", "\u2028", "é"),
)
"""Pieces of the languages that are read."""

_BYTES: Final = (
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b",
    b"\x80",
)


def mutated(data: bytes, form: Form, words: tuple[str, ...], source: Random) -> bytes:
    """Return an input that differs from a given one in one to four places."""
    changes = source.choice((1, 1, 2, 4))
    if form is Form.JSON and source.random() < 0.8:
        try:
            return _document(json.loads(data), changes, source)
        except (ValueError, RecursionError):  # not JSON, or deeper than Python's parser goes
            pass
    for _ in range(changes):
        data = _once(data, form, words, source)
    return data


def _once(data: bytes, form: Form, words: tuple[str, ...], source: Random) -> bytes:
    if form is Form.BYTES or source.random() < 0.1:
        return _bytes(data, source)
    return _text(data, words, source)


def _document(document: Any, changes: int, source: Random) -> bytes:
    """Change some values or keys of a document."""
    places = _places([document])
    for _ in range(changes):
        holder, key = source.choice(places)
        if isinstance(holder, list) or key in holder:  # and not changed away before
            _value(holder, key, places, source)
    return _written(places[0][0][0])


def _value(holder: Any, key: Any, places: list[tuple[Any, Any]], source: Random) -> None:
    """Change one value or its key."""
    value = holder[key]
    choice = source.randrange(6)
    if choice == 0 and isinstance(holder, dict):
        del holder[key]
    elif choice == 1:
        other, place = source.choice(places)
        holder[key] = other.get(place) if isinstance(other, dict) else other[place]
    elif choice == 2 and isinstance(holder, dict):
        holder[source.choice([str(name) for _, name in places] or [""])] = holder.pop(key)
    elif choice == 3:
        holder[key] = [value] if source.random() < 0.5 else [value, value, value]
    elif choice == 4 and isinstance(value, str):
        holder[key] = _text(value.encode(errors="replace"), (), source).decode(errors="replace")
    else:
        holder[key] = source.choice(ODD)


def _written(document: Any) -> bytes:
    try:
        return json.dumps(document).encode(errors="replace")
    except (ValueError, RecursionError):  # a value was put into itself
        return b"{}"


_HOLDERS: Final = frozenset({dict, list})


def _places(top: list[Any]) -> list[tuple[Any, Any]]:
    """Return where each value is: its list or object, and its index or key."""
    places: list[tuple[Any, Any]] = []
    todo: list[Any] = [top]
    for holder in todo:  # which grows on the way
        items = holder.items() if type(holder) is dict else enumerate(holder)
        for key, value in items:
            places.append((holder, key))
            if type(value) in _HOLDERS:
                todo.append(value)
    return places


def _text(data: bytes, words: tuple[str, ...], source: Random) -> bytes:
    """Change a text by words, characters or lines."""
    text = data.decode(errors="surrogateescape")
    change = source.choice(_CHANGES)
    return change(text, words or PIECES, source).encode(errors="surrogatepass")


def _insert(text: str, words: tuple[str, ...], source: Random) -> str:
    start = source.randint(0, len(text))
    return text[:start] + source.choice(source.choice((words, PIECES))) + text[start:]


def _replace(text: str, words: tuple[str, ...], source: Random) -> str:
    start, end = _slice(text, source)
    return text[:start] + source.choice(source.choice((words, PIECES))) + text[end:]


def _remove(text: str, _: tuple[str, ...], source: Random) -> str:
    start, end = _slice(text, source)
    return text[:start] + text[end:]


def _repeat(text: str, _: tuple[str, ...], source: Random) -> str:
    start, end = _slice(text, source)
    return text[:end] + text[start:end] * source.choice((1, 1, 2, 9)) + text[end:]


def _move(text: str, _: tuple[str, ...], source: Random) -> str:
    start, end = _slice(text, source)
    place = source.randint(0, len(text))
    return text[:place] + text[start:end] + text[place:]


def _lines(text: str, _: tuple[str, ...], source: Random) -> str:
    lines = text.split("\n")
    first, second = source.randrange(len(lines)), source.randrange(len(lines))
    _swap(lines, first, second)
    return "\n".join(lines if source.random() < 0.7 else lines[: first + 1])


def _swap(values: MutableSequence[str], first: int, second: int) -> None:
    values[first], values[second] = values[second], values[first]


def _slice(text: str, source: Random) -> tuple[int, int]:
    start = source.randint(0, len(text))
    return start, min(len(text), start + source.choice((1, 1, 2, 4, 8, 16, 64)))


_CHANGES: Final[tuple[Callable[[str, tuple[str, ...], Random], str], ...]] = (
    _insert,
    _replace,
    _remove,
    _repeat,
    _move,
    _lines,
)


def _bytes(data: bytes, source: Random) -> bytes:
    """Change a few bytes."""
    start = source.randint(0, len(data))
    end = min(len(data), start + source.choice((0, 1, 1, 2, 8)))
    new = source.choice(_BYTES) if source.random() < 0.3 else source.randbytes(end - start or 1)
    return data[:start] + new + data[end:]
