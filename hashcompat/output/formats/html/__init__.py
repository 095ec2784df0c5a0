"""``-o html``: one file that needs no network and no script, for people to read, print and keep.

Jinja2 escapes whatever is put into the templates of this package, and ``printable`` what nobody would see.
The style and the script are inline, and a Content-Security-Policy allows them alone, by their digests.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from hashcompat.core.model.escape import distinct, printable
from hashcompat.output.formats.model import Style, facts_of
from hashcompat.output.report.model import Report, Screen, Section, Table
from hashcompat.output.report.page import (
    TONES,
    HeatCell,
    Link,
    Listing,
    Main,
    Page,
    Phrase,
    TableRow,
    heading,
    toned,
)

_WORD: Final = re.compile("(?<=[a-z])(?=[A-Z])")
"""Where a word of a document's kind begins."""
_PULL: Final = re.compile(r"(?<!&)(?:kubernetes/kubernetes)?#(\d{2,6})\b")
"""A pull request or issue of Kubernetes in an escaped text; no part of an entity such as ``&#39;``."""
_LINKED: Final = r'<a rel="noreferrer" href="https://github.com/kubernetes/kubernetes/pull/\1">\g<0></a>'
_REPEATED: Final = 4096
"""Names whose cells are remembered: nodes, owners and reasons are those of many rows."""
_ARROW: Final = ("-&gt;", '<span class="arrow">-&gt;</span>')


def render_html(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the page in pieces; its rows are made while it is written."""
    page = report.page(result) if report.page else _generic_page(report, result)
    yield from _environment(style.encoding).get_template("page.html.jinja").generate(page=page)


@lru_cache(maxsize=2)
def _environment(encoding: str) -> Environment:
    """Return the templates for one encoding; they and the script are ASCII, and so is all if that is."""

    def visible(value: object) -> object:
        """Escape in any text that is put into a template what is not visible, and what the encoding lacks."""
        return (
            value if isinstance(value, Markup) or not isinstance(value, str) else printable(value, encoding)
        )

    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = _read("report.css"), _read("report.js")
    environment.globals["policy"] = _policy(style, script)
    environment.globals["style"], environment.globals["script"] = map(Markup, (style, script))
    environment.filters["name"] = partial(_cell, encoding=encoding)
    environment.filters["rows"] = partial(_rows, encoding=encoding)
    environment.filters["linked"] = partial(_linked, encoding=encoding)
    return environment


def _read(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return a policy that allows nothing but this style, this script and pictures within the page."""
    rules = {
        "default-src": "'none'",
        "style-src": digest(style),
        "script-src": digest(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def digest(text: str) -> str:
    """Return a style or a script as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _cell(value: object, encoding: str) -> object:
    """Return a cell: nothing for None, a number as it is, and a text that looks like itself alone."""
    if value is None or isinstance(value, int):
        return "" if value is None else value
    if isinstance(value, HeatCell):
        mark = " open" if value.open else ""
        return Markup('<span class="heat h{}{}">{}</span>').format(
            value.level, mark, distinct(value.text, encoding)
        )
    text = distinct(str(value), encoding)
    if isinstance(value, Link):
        address = "./" + quote(value.file, errors="surrogateescape")
        return Markup('<a href="{}">{}</a>').format(address, _unbroken(text))
    if tone := TONES.get(getattr(value, "colour", ""), ""):
        return Markup('<span class="tone-{}">{}</span>').format(tone, text)
    return _unbroken(text)


def _unbroken(text: str) -> str | Markup:
    """Return a text in which no line ends inside an arrow."""
    return Markup(str(escape(text)).replace(*_ARROW)) if "->" in text else text  # noqa: S704 - of escaped text


def _rows(main: Main, encoding: str) -> Iterator[Markup]:
    """Yield each row of the table, whole: a plan may have hundreds of thousands, of a dozen cells each.

    A row that is explained begins with the way to that; its own facts are in attributes, for the script.
    """

    @lru_cache(maxsize=_REPEATED, typed=True)
    def cell(value: object) -> str:
        return str(escape(_cell(value, encoding)))

    for row in main.rows():
        first = ""
        if main.explained:
            first = f'<td><a href="#e{row.why}">{row.why}</a></td>' if row.why else "<td></td>"
        verdict = f' data-verdict="{cell(row.verdict)}"' if row.verdict else ""
        facts = "".join([f' data-{name}="{cell(value)}"' for name, value in row.facts.items() if value])
        cells = "</td><td>".join(map(cell, row.cells))
        yield Markup(f"<tr{verdict}{facts}>{first}<td>{cells}</td></tr>\n")  # noqa: S704 - of escaped cells


def _linked(text: str, encoding: str) -> Markup:
    """Return a text in which pull requests of Kubernetes lead to them, and no line ends inside an arrow."""
    escaped = str(escape(printable(text, encoding)))
    return Markup(_PULL.sub(_LINKED, escaped).replace(*_ARROW))  # noqa: S704 - of escaped text and digits alone


def _generic_page(report: Report[Any], result: Any) -> Page:
    """Return the page of a result that has no page of its own."""
    name, make, main = name_of(report), report.folded or report.sheet or report.wide or report.table, None
    if make:
        table = make(result)
        columns = [*map(heading, table.columns)]
        main = Main("rows", table.caption or name, columns, lambda: map(TableRow, table.rows()))
    return Page(
        title=name,
        kind=name,
        texts=list(_texts(report, result)),
        notes=list(report.notes(result)),
        main=main,
        provenance=facts_of(report, result),
    )


def name_of(report: Report[Any]) -> str:
    """Return what people call results of a kind: ``Hash list`` for ``HashList``."""
    return report.title or _WORD.sub(" ", report.kind).capitalize()


def _texts(report: Report[Any], result: Any) -> Iterator[Listing | Sequence[Sequence[Phrase]]]:
    """Yield what comes before the table: the sections that people see in place of one."""
    sections: Sequence[Section] = ()
    if report.overview:
        sections = list(report.overview(result, Screen()))
    elif report.text and not report.raw:
        sections = list(report.text(result))
    for section in sections:
        if section.title:
            yield [[Phrase(section.title, "title")]]
        body = section.body
        if isinstance(body, Table):
            yield Listing([*map(heading, body.columns)], body.rows, body.caption, body.after)
        else:
            yield list(map(toned, body))
