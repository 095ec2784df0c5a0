"""What a format is: which results it can show, and the text that it makes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from hashcompat.core.model.escape import IN_TEXT, UTF_8, Escapes, unobeyed
from hashcompat.output.report.model import Report, Screen

if TYPE_CHECKING:
    from hashcompat.core.model.results import Fact

Paint = Callable[[str, str], str]
"""Colours a text by a colour's name, or leaves it as it is."""


def facts_of(report: Report[Any], result: Any) -> list[Fact]:
    """Return what a result says of itself; nothing where that is not kept."""
    return list(report.provenance(result).facts()) if report.provenance else []


def plain(text: str, colour: str) -> str:  # noqa: ARG001 - the signature of Paint
    """Leave a text uncoloured."""
    return text


class Style(msgspec.Struct, frozen=True):
    """How people want to see a result."""

    headers: bool = True
    """Whether a table has its header line."""
    paint: Paint = plain
    screen: Screen = msgspec.field(default_factory=Screen)
    """What the result has to fit."""
    encoding: str = UTF_8
    """What the characters are written in, as ``codecs`` names it; what it lacks is escaped."""
    argument: str = ""
    """What follows the ``=`` of the format: columns, a template."""


def _takes_nothing(_: str) -> None:
    """Accept that nothing follows the name."""


def _without_summary(_report: Report[Any], _result: Any) -> Iterator[str]:
    return iter(())


class Format(msgspec.Struct, frozen=True):
    """One value of ``-o``."""

    name: str
    shows: Callable[[Report[Any]], bool]
    """Returns whether it can show such results: by what the report offers, or by its kind."""
    render: Callable[[Report[Any], Any, Style], Iterator[str]]
    """Yields the text of a result in pieces, so that a large one is never held as a whole."""
    for_programs: bool = False
    """Whether programs read it: it is UTF-8 then, and ASCII where the style's encoding is another."""
    takes: str = ""
    """What follows its name and ``=``, as ``--help`` shows it; empty where nothing does."""
    check: Callable[[str], None] = _takes_nothing
    """Raises UsageError for what cannot follow the ``=``, before there is a result."""
    summary_in: str = ""
    """The environment variable that names a file for its summary; empty where it has none."""
    summary: Callable[[Report[Any], Any], Iterator[str]] = _without_summary
    """Yields that summary, which is added to the file."""
    escapes: Escapes | None = IN_TEXT
    """How it escapes what a CI runner would obey; None where ``render`` does that itself."""
    exact: bool = False
    """Whether it shows exact text where a result is that (``Report.raw``)."""
    details: bool = False
    """Whether it shows the details of a plan, which are gathered only where something shows them."""

    def written(self, report: Report[Any], result: Any, style: Style) -> Iterator[str]:
        """Yield the text of a result in pieces; a CI runner obeys only the format's own commands in it.

        Exact text stays as it is.
        """
        pieces = self.render(report, result, style)
        exact = self.exact and report.raw
        return pieces if exact or not self.escapes else unobeyed(pieces, self.escapes)


def on_demand(  # noqa: PLR0913 - the fields of Format
    name: str,
    shows: Callable[[Report[Any]], bool],
    module: str,
    *,
    for_programs: bool = False,
    takes: str = "",
    summary_in: str = "",
    escapes: Escapes | None = IN_TEXT,
    details: bool = False,
) -> Format:
    """Return a format whose module is imported when it is used.

    The module has ``render_NAME``, and ``check_NAME`` and ``summary_NAME`` as the other arguments demand.
    """

    def function(does: str) -> Any:
        return getattr(
            import_module(f"hashcompat.output.formats.{module}"), f"{does}_{name.replace('-', '_')}"
        )

    # each is a generator or a function that is called late: naming a format must import nothing
    def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
        yield from function("render")(report, result, style)

    def check(argument: str) -> None:
        function("check")(argument)

    def summary(report: Report[Any], result: Any) -> Iterator[str]:
        yield from function("summary")(report, result)

    return Format(
        name,
        shows,
        render,
        for_programs,
        takes,
        check if takes else _takes_nothing,
        summary_in,
        summary if summary_in else _without_summary,
        escapes,
        details=details,
    )
