"""A result as data: ``-o json`` and ``-o yaml``, its document; ``-o csv`` and ``-o markdown``, its table.

The document is as schemas/documents describes it. YAML has the keys in the document's own order.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

import msgspec

from hashcompat.core.model.escape import (
    IN_JSON,
    UTF_8,
    disarmed,
    distinct,
    is_obeyed,
    is_visible,
    printable,
    prose,
)
from hashcompat.core.regex import regex
from hashcompat.output.formats.model import Style, facts_of
from hashcompat.output.report.model import (
    Block,
    Bullets,
    Code,
    Document,
    Heading,
    Prose,
    Report,
    Rows,
    Script,
    Seals,
    Table,
)

_NOT_ASCII: Final = regex(r"[^\n -~]")


def to_json(document: Document, encoding: str = UTF_8, seals: Seals | None = None) -> Iterator[str]:
    """Yield indented JSON in pieces, without a last line break.

    What is not visible is escaped, and what a CI runner obeys, and everything but ASCII where the encoding
    is not UTF-8. ``seals`` makes its last members, when all others were written.
    """
    lead = "{\n  "
    last = (member for made in [seals] if made for member in made.members().items())
    for key, value in chain(document.items(), last):
        yield f"{lead}{json.dumps(key)}: "
        if isinstance(value, Rows):
            yield from _rows(value, encoding, seals)
        else:
            yield value_text(value, "\n  ", encoding)
        lead = ",\n  "
    yield "\n}"


def _rows(rows: Rows[Any], encoding: str, seals: Seals | None) -> Iterator[str]:
    lead, line = "[", "\n    "
    write = partial(_row_text, line=line, encoding=encoding)
    for text, *counted in rows.texts(write, *([seals.line] if seals else [])):
        yield f"{lead}{line}{text}"
        if seals:
            seals.add(*counted)
        lead = ","
    yield "\n  ]" if lead == "," else "[]"


def _row_text(row: dict[str, Any], line: str, encoding: str) -> str:
    """Return what ``value_text`` makes of a row; a document may have hundreds of thousands.

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


def to_yaml(document: Document, encoding: str) -> Iterator[str]:
    """Yield YAML in pieces; all of it ASCII where something is not visible, or the encoding is not UTF-8."""
    import yaml  # noqa: PLC0415 - only -o yaml pays for the import

    from hashcompat.core.go.yamlevents import is_read_otherwise  # noqa: PLC0415 - as above

    # one style for the whole document: characters or escapes, never both
    flat = (part for value in document.values() for part in (value if isinstance(value, Rows) else [value]))
    unicode = encoding == UTF_8 and all(
        all(map(is_visible, json.dumps(value, ensure_ascii=False))) for value in flat
    )

    class Dumper(yaml.SafeDumper):
        """Quotes what a CI runner obeys, for the escapes, and what PyYAML alone reads as text, as ``1e3``."""

        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - what is repeated is written again
            return True

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = '"' if is_obeyed(text) else "'" if is_read_otherwise(text) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)

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


def render_yaml(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.document:
        yield from to_yaml(report.document(result), style.encoding)


# The table, for spreadsheets and for comments. CSV has a row an item, as RFC 4180 has them. A spreadsheet
# runs what begins like a formula, so an apostrophe goes before it (OWASP, CSV Injection). What nobody sees
# is escaped, line breaks included, so that a row is a line.
#
# Markdown is that of GitHub and GitLab (GFM); results with pages, such as a runbook, are written as these.


def sheet(report: Report[Any], result: Any) -> Table:
    """Return the table of a result; raises TypeError where there is none."""
    make = report.sheet or report.wide or report.table
    if make is None:
        raise TypeError(f"{report.kind} has no table")
    return make(result)


_GUARDED: Final = tuple("=+-@＝＋－＠'")
"""How a formula begins, and the apostrophe itself, so that removing one gives the text.

A tab and a carriage return, which OWASP lists too, are escaped anyway.
"""


def render_csv(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines; raises TypeError for a result without a table."""
    table = sheet(report, result)
    # a row may be filtered, sorted and pasted anywhere, so each says where it comes from
    facts = facts_of(report, result)
    cell = partial(_cell, style=style)
    columns = [fact.key.upper().replace("_", " ") for fact in facts]
    made = [cell(fact.text) for fact in facts]
    head = [[*map(cell, table.columns), *columns]] if style.headers and table.columns else []
    for cells in chain(head, ([*map(cell, row), *made] for row in table.rows())):
        line = io.StringIO()
        csv.writer(line).writerow(cells)
        yield line.getvalue()


def _cell(value: object, style: Style) -> object:
    """Return a number as it is, nothing for None, and a text that is not a formula."""
    if value is None or isinstance(value, int):
        return value
    text = distinct(str(value), style.encoding)
    return f"'{text}" if text.startswith(_GUARDED) else text


_MARKS: Final = re.compile(r"[\\`*_\[\]|~$]|:(?=//|[\w+-]+:)|(?<=www)\.", re.IGNORECASE)
"""What is a mark within a cell: code, emphasis, links, cells, strikes, formulas, emoji and addresses."""
_TICKS: Final = re.compile("`+")
_EDGES: Final = re.compile("^ | $")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render_markdown(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the lines; raises TypeError for a result without a table."""
    made = Bullets([f"{fact.name}: {fact.text}" for fact in facts_of(report, result)])
    if report.pages:
        # what is followed line by line begins with what it is about; a table ends with that
        first, *blocks = report.pages(result)
        for number, block in enumerate([first, *([made] if made.lines else []), *blocks]):
            yield "\n" if number else ""
            yield from _block(block, style)
    else:
        for text in report.lead(result):
            yield f"{escaped(text, style)}\n\n"
        yield from _table(report.folded(result) if report.folded else sheet(report, result), style)
        yield "\n" if made.lines else ""
        yield from _block(made, style)


def _block(block: Block, style: Style) -> Iterator[str]:
    match block:
        case Heading():
            yield f"{'#' * block.level} {_plain(printable(block.text, style.encoding))}\n"
        case Bullets():
            yield from (f"- {_plain(prose(text, style.encoding))}\n" for text in block.lines)
        case Script():
            lines = "".join(_typed(words, style) for words in block.lines)
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(lines)), default=0))
            yield f"{fence}sh\n{lines}{fence}\n"
        case _:
            yield from _table(block, style)


def _typed(words: str | tuple[str, ...] | Code, style: Style) -> str:
    """Return a comment, or a command as a shell takes it; none with a name that people do not see whole."""
    if isinstance(words, str):
        return f"# {printable(words, style.encoding)}\n"
    names, shell = (words.names, words.shell) if isinstance(words, Code) else (words, shlex.join(words))
    if any(printable(part, style.encoding) != part for part in names):
        return "# no command: a name in it has characters that are not visible, or that a CI runner obeys\n"
    return f"{shell}\n"


def _table(table: Table, style: Style) -> Iterator[str]:
    if table.caption:
        yield f"{escaped(table.caption, style)}\n\n"
    yield line([escaped(name, style) for name in table.columns])
    yield line(["---"] * len(table.columns))
    for cells in table.rows():
        yield line([cell(value, style) for value in cells])


def line(cells: Sequence[str]) -> str:
    """Return one line of a table, of cells that are escaped."""
    return f"| {' | '.join(cells)} |\n"


def cell(value: object, style: Style) -> str:
    """Return a cell: empty for None, and a text in which nothing is a mark."""
    if isinstance(value, Prose):
        return _plain(prose(value.text, style.encoding))
    return "" if value is None else escaped(str(value), style)


def escaped(text: str, style: Style) -> str:
    """Escape a text, so that it is shown as it is and a line break in it ends no row."""
    return _plain(distinct(text, style.encoding))


def _plain(text: str) -> str:
    return _EDGES.sub("&#32;", _MARKS.sub(r"\\\g<0>", text).translate(_ENTITIES))
