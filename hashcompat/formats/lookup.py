"""What a path of kubectl's JSONPath finds in a document, one by one, so that no long list is in memory.

Source: k8s.io/client-go/util/jsonpath/jsonpath.go (1.37), which reads missing keys as nothing. Different from
it, an empty list hides no other one, and values of different types are unequal, not an error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.formats.template import (
    Field,
    Filter,
    Literal,
    Path,
    Recursive,
    Slice,
    Step,
    Text,
    Union,
    Wildcard,
    Word,
)
from hashcompat.report.model import Rows

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def find(path: Path, value: Any) -> Iterator[Any]:
    """Yield what a path finds below a value; raises InputError for an index out of bounds."""
    values: Iterable[Any] = [value]
    for step in path:
        values = _STEPS[type(step)](step, values)
    return iter(values)


def _text(step: Text, _: Iterable[Any]) -> Iterator[str]:
    yield step.text


def _literal(step: Literal, values: Iterable[Any]) -> Iterator[float | bool]:
    return (step.value for _ in values)


def _word(_: Word, values: Iterable[Any]) -> Iterable[Any]:
    return values


def _field(step: Field, values: Iterable[Any]) -> Iterator[Any]:
    return (value[step.name] for value in values if isinstance(value, Mapping) and step.name in value)


def _wildcard(_: Wildcard, values: Iterable[Any]) -> Iterator[Any]:
    return chain.from_iterable(map(_children, values))


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | Rows) else ()


def _recursive(step: Recursive, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, str) or any(True for _ in _children(value)):
            yield value
            yield from _recursive(step, _children(value))


def _union(step: Union, values: Iterable[Any]) -> Iterator[Any]:
    known = list(values)
    for path in step.paths:
        for value in known:
            yield from find(path, value)


def _slice(step: Slice, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if value is not None:
            yield from _part(step, _list(value, "is not array or slice"))


def _list(value: Any, problem: str) -> list[Any] | Rows[Any]:
    if not isinstance(value, list | Rows):
        raise InputError(f"jsonpath: a value of the document {problem}")
    return value


def _part(step: Slice, elements: list[Any] | Rows[Any]) -> Iterable[Any]:
    """Return what a slice takes of a list; all of it is not counted."""
    if step == Slice():
        return elements
    every = list(elements)
    start, end = _bounds(step, len(every))
    if start == end:
        return ()
    for index in (start, end - 1):
        if not 0 <= index < len(every):
            raise InputError(f"jsonpath: array index out of bounds: index {index}, length {len(every)}")
    if start > end:
        raise InputError(f"jsonpath: starting index {start} is greater than ending index {end}")
    if step.step is not None and step.step <= 0:
        raise InputError("jsonpath: step must be > 0")
    return every[start : end : step.step or 1]


def _bounds(step: Slice, length: int) -> tuple[int, int]:
    start = step.start or 0
    start += length if start < 0 else 0
    if step.single:
        return start, start + 1
    end = length if step.end is None else step.end
    return start, end + (length if end < 0 else 0)


def _filter(step: Filter, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        for element in _list(value, "is not array or slice and cannot be filtered"):
            if _holds(step, element):
                yield element


def _holds(step: Filter, element: Any) -> bool:
    left = list(find(step.left, element))
    if not step.operator:
        return bool(left)
    right = list(find(step.right, element))
    if len(left) > 1 or len(right) > 1:
        raise InputError("jsonpath: can only compare one element at a time")
    return bool(left and right) and _compared(left[0], step.operator, right[0])


def _compared(left: Any, name: str, right: Any) -> bool:
    """Compare two values; those of different types are unequal, and neither is less."""
    if type(left) is not type(right) or isinstance(left, list | dict):
        return name == "!="
    if name not in ("==", "!=") and isinstance(left, bool | None):
        return False
    return _COMPARE[name](left, right)


_STEPS: Final[Mapping[type[Step], Callable[[Any, Iterable[Any]], Iterable[Any]]]] = {
    Text: _text,
    Literal: _literal,
    Word: _word,
    Field: _field,
    Wildcard: _wildcard,
    Recursive: _recursive,
    Union: _union,
    Slice: _slice,
    Filter: _filter,
}
