"""Documents -> JSON and YAML text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

Value = TypeVar("Value")

_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Escape what a terminal could take for a command, line breaks included."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@dataclass(frozen=True, slots=True)
class Rows(Generic[Value]):
    """A document's list that is made while it is written: one plain object of each value."""

    values: Collection[Value]
    row: Callable[[Value], dict[str, Any]]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self.row, self.values)


def to_json(document: dict[str, Any]) -> Iterator[str]:
    """Yield indented JSON in pieces; what no terminal should interpret stays escaped: by JSON itself, or as it would do."""
    lead = "{\n  "
    for key, value in document.items():
        yield f"{lead}{json.dumps(key)}: "
        yield from _json_rows(value) if isinstance(value, Rows) else [_json(value, "\n  ")]
        lead = ",\n  "
    yield "\n}"


def _json_rows(rows: Rows[Any]) -> Iterator[str]:
    lead = "["
    for row in rows:
        yield lead + "\n    " + _json(row, "\n    ")
        lead = ","
    yield "\n  ]" if rows.values else "[]"


def _json(value: object, line: str) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", line)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_yaml(document: dict[str, Any]) -> Iterator[str]:
    """Yield YAML in pieces, with the keys in the document's own order."""
    import yaml  # noqa: PLC0415 - only -o yaml pays for the import

    unicode = all(
        _UNPRINTABLE.search(json.dumps(value, ensure_ascii=False)) is None for value in _flat(document)
    )

    def dump(value: object) -> str:
        text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=unicode, width=1 << 30)
        return text

    for key, value in document.items():
        if isinstance(value, Rows) and value.values:
            yield f"{key}:\n"
            yield from (dump([row]) for row in value)
        else:
            yield dump({key: [] if isinstance(value, Rows) else value})


def _flat(document: dict[str, Any]) -> Iterator[object]:
    for value in document.values():
        yield from value if isinstance(value, Rows) else [value]
