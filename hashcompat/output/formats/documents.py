"""``-o json`` and ``-o yaml``: the document, as schemas/documents describes it.

YAML has the keys in the document's own order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, Final

import msgspec

from hashcompat.core.model.escape import IN_JSON, UTF_8, disarmed, is_obeyed, is_visible
from hashcompat.core.regex import regex
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Document, Report, Rows, Seals

_NOT_ASCII: Final = regex(r"[^\n -~]")


def to_json(document: Document, encoding: str = UTF_8, seals: Seals | None = None) -> Iterator[str]:
    """Yield indented JSON in pieces, without a last line break.

    What is not visible is escaped, and what a CI runner obeys, and everything but ASCII where the encoding
    is not UTF-8. ``seals`` makes
    its last members.
    """
    lead = "{\n  "
    for key, value in chain(document.items(), _last(seals)):
        yield f"{lead}{json.dumps(key)}: "
        if isinstance(value, Rows):
            yield from _rows(value, encoding, seals)
        else:
            yield value_text(value, "\n  ", encoding)
        lead = ",\n  "
    yield "\n}"


def _last(seals: Seals | None) -> Iterator[tuple[str, Any]]:
    """Yield the last members, which are made when all others were written."""
    yield from seals.members().items() if seals else ()


def _rows(rows: Rows[Any], encoding: str, seals: Seals | None) -> Iterator[str]:
    lead = "["
    line = "\n    "
    for text, *counted in rows.texts(
        partial(_row_text, line=line, encoding=encoding), *([seals.line] if seals else [])
    ):
        yield f"{lead}{line}{text}"
        if seals:
            seals.add(*counted)
        lead = ","
    yield "\n  ]" if lead == "," else "[]"


def _row_text(row: dict[str, Any], line: str, encoding: str) -> str:
    """Return the same as ``value_text`` of a row; a document may have hundreds of thousands.

    msgspec writes plain data as Python does, in a tenth of the time; it refuses lone surrogates, and has
    another form for floats, which no row has.
    """
    if encoding != UTF_8:
        return value_text(row, line, encoding)
    try:
        text = msgspec.json.format(msgspec.json.encode(row), indent=2).decode()
    except UnicodeEncodeError:
        return value_text(row, line, encoding)
    text = disarmed(text.replace("\n", line), IN_JSON)
    return text if text.isascii() and "\x7f" not in text else _NOT_ASCII.sub(_seen, text)


def value_text(value: object, line: str, encoding: str) -> str:
    """Return indented JSON of one value, with ``line`` for each line break."""
    text = json.dumps(value, indent=2, ensure_ascii=encoding != UTF_8).replace("\n", line)
    return _NOT_ASCII.sub(_seen, disarmed(text, IN_JSON))


def _seen(match: re.Match[str]) -> str:
    return match[0] if is_visible(match[0]) else json.dumps(match[0])[1:-1]


def render_json(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.sealed:
        content, seals = report.sealed(result)
        yield from to_json(content, style.encoding, seals)
        yield "\n"
    elif report.document:
        yield from to_json(report.document(result), style.encoding)
        yield "\n"


_TEXT: Final = "tag:yaml.org,2002:str"


def to_yaml(document: Document, encoding: str = UTF_8) -> Iterator[str]:
    """Yield YAML in pieces; all of it ASCII where something is not visible, or the encoding is not UTF-8."""
    import yaml  # noqa: PLC0415 - only -o yaml pays for the import

    # one style for the whole document: characters or escapes, never both
    unicode = encoding == UTF_8 and all(_is_visible(value) for value in _flat(document))

    class Dumper(yaml.SafeDumper):
        """Puts into double quotes, which have escapes, what a CI runner obeys."""

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar(_TEXT, text, '"' if is_obeyed(text) else None)

    Dumper.add_representer(str, represent)

    def dump(value: object) -> str:
        text: str = yaml.dump(value, None, Dumper, sort_keys=False, allow_unicode=unicode, width=1 << 30)
        return disarmed(text)

    for key, value in document.items():
        if isinstance(value, Rows):
            lead = f"{key}:\n"
            for row in value:
                yield lead + dump([row])
                lead = ""
            if not lead:
                continue
            value = []  # noqa: PLW2901 - without rows, what it is in YAML
        yield dump({key: value})


def _is_visible(value: object) -> bool:
    text = json.dumps(value, ensure_ascii=False)
    return all(map(is_visible, text))


def _flat(document: Document) -> Iterator[object]:
    for value in document.values():
        yield from value if isinstance(value, Rows) else [value]


def render_yaml(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.document:
        yield from to_yaml(report.document(result), style.encoding)
