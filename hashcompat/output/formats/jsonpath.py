"""``-o jsonpath=TEMPLATE`` and ``-o custom-columns=SPEC``: what kubectl would print of the document.

What a path finds is yielded one by one, so that no long list is in memory. Source:
k8s.io/client-go/util/jsonpath/jsonpath.go and k8s.io/kubectl/pkg/cmd/get/customcolumn.go (1.37), which read
missing keys as nothing. Different from them, an empty list hides no other one, and values of different
types are unequal, not an error.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, Final

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.escape import IN_JSON, UTF_8, disarmed, distinct, printable
from hashcompat.output.formats.model import Style, table_lines
from hashcompat.output.formats.template import (
    Filter,
    Indexes,
    Literal,
    Lookup,
    Path,
    Recursive,
    Step,
    Union,
    Verbatim,
    Wildcard,
    Word,
    parse,
)
from hashcompat.output.report.model import Document, Prose, Report, Rows, Table

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
    elements = list(values)
    for path in step.paths:
        for value in elements:
            yield from find(path, value)


def _list(value: Any, problem: str) -> list[Any] | Rows[Any]:
    if not isinstance(value, list | Rows):
        raise InputError(f"jsonpath: a value of the document {problem}")
    return value


def _part(step: Indexes, elements: list[Any] | Rows[Any]) -> Iterable[Any]:
    """Return what a slice takes of a list; all of it is not counted."""
    if step == Indexes():
        return elements
    values = list(elements)
    start, end = _bounds(step, len(values))
    if start == end:
        return ()
    for index in (start, end - 1):
        if not 0 <= index < len(values):
            raise InputError(f"jsonpath: array index out of bounds: index {index}, length {len(values)}")
    if start > end:
        raise InputError(f"jsonpath: starting index {start} is greater than ending index {end}")
    if step.step is not None and step.step <= 0:
        raise InputError("jsonpath: step must be > 0")
    return values[start : end : step.step or 1]


def _bounds(step: Indexes, length: int) -> tuple[int, int]:
    start = step.start or 0
    start += length if start < 0 else 0
    if step.single:
        return start, start + 1
    end = length if step.end is None else step.end
    return start, end + (length if end < 0 else 0)


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
    Verbatim: lambda step, _: (step.text,),
    Literal: lambda step, values: (step.value for _ in values),
    Word: lambda _, values: values,
    Lookup: lambda step, values: (
        value[step.name] for value in values if isinstance(value, Mapping) and step.name in value
    ),
    Wildcard: lambda _, values: chain.from_iterable(map(_children, values)),
    Recursive: _recursive,
    Union: _union,
    Indexes: lambda step, values: (
        element
        for value in values
        if value is not None
        for element in _part(step, _list(value, "is not array or slice"))
    ),
    Filter: lambda step, values: (
        element
        for value in values
        for element in _list(value, "is not array or slice and cannot be filtered")
        if _holds(step, element)
    ),
}
_HTML: Final = re.compile("[<>&]")


def check_jsonpath(template: str) -> None:
    """Raise UsageError for a template that does not parse."""
    parse(template)


def render_jsonpath(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield what each action finds; what comes from the document is escaped, the template's text is not.

    Raises InputError for an index out of bounds and the like, as kubectl fails.
    """
    if report.document:
        yield from _block(parse(style.argument), report.document(result), style)


def _block(actions: tuple[Path, ...], value: Any, style: Style) -> Iterator[str]:
    """Yield the text of actions, in which ranges are as complete as in the whole template."""
    place = 0
    while place < len(actions):
        action = actions[place]
        place += 1
        if Word("range") in action:
            end = _end(actions, place)
            for element in find(action, value):
                yield from _block(actions[place:end], element, style)
            place = end + 1
        elif action and isinstance(action[-1], Verbatim):
            yield action[-1].text
        else:
            for number, match in enumerate(find(action, value)):
                yield " " if number else ""
                yield text(match, style.encoding)


def _end(actions: tuple[Path, ...], place: int) -> int:
    """Return where the range ends whose body begins there."""
    depth = 1
    for end in range(place, len(actions)):
        depth += (Word("range") in actions[end]) - (Word("end") in actions[end])
        if not depth:
            return end
    return len(actions)


def text(value: Any, encoding: str) -> str:
    """Return a value as kubectl prints it: a list or object as JSON, a name as it is."""
    if isinstance(value, str):
        return distinct(value, encoding)
    dumped = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    dumped = disarmed(dumped, IN_JSON)
    if dumped != printable(dumped):  # what is not visible is escaped in JSON, so that it still is JSON
        dumped = disarmed(json.dumps(json.loads(dumped), separators=(",", ":")), IN_JSON)
    return printable(_HTML.sub(lambda match: f"\\u{ord(match[0]):04x}", dumped), encoding)


def _plain(value: Any) -> Any:
    if isinstance(value, Rows):
        return list(value)
    if isinstance(value, dict):
        return {key: _plain(child) if isinstance(child, Rows) else child for key, child in value.items()}
    return value


_PATH: Final = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)")
_BRACKET: Final = re.compile(r"([\[\]])")
_NONE: Final = "<none>"


def check_custom_columns(spec: str) -> None:
    """Raise UsageError for columns that do not parse."""
    _columns(spec)


def render_custom_columns(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the header and a line for each item; a document without items is one."""
    if report.document:
        columns = _columns(style.argument)
        paths = [path for _, path in columns]
        rows = partial(_rows, report, result, paths)
        table = Table([name for name, _ in columns], rows)
        yield from (f"{line}\n" for line in table_lines(table, style))


def _rows(report: Report[Any], result: Any, paths: list[Path]) -> Iterator[list[Prose]]:
    document: Document = report.document(result) if report.document else {}
    for item in document.get("items", [document]):
        yield [Prose(_cell(path, item)) for path in paths]


def _cell(path: Path, item: Any) -> str:
    """Return what a path finds, several values with commas between them, and null as nothing."""
    return ",".join(text(value, UTF_8) for value in find(path, item) if value is not None) or _NONE


def _columns(spec: str) -> list[tuple[str, Path]]:
    columns = []
    for part in _parts(spec):
        name, colon, path = part.partition(":")
        match = _PATH.fullmatch(path)
        if not colon or not name or not match:
            raise UsageError(f"custom-columns: want HEADER:.path[,HEADER:.path...], got {part!r}")
        (action,) = parse(f"{{.{match[1] or match[2]}}}")
        columns.append((name, action))
    return columns


def _parts(spec: str) -> list[str]:
    """Split at the commas that are in no brackets, such as those of ``[0,1]``."""
    pieces = _BRACKET.split(spec)
    parts: list[list[str]] = [[]]
    for piece, bracket in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        first, *rest = [piece] if bracket == "]" else piece.split(",")
        parts[-1].append(first)
        parts += ([more] for more in rest)
        parts[-1].append(bracket)
    return ["".join(part) for part in parts]
