"""How a command's result is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import click

from hashcompat.cli.args import Changed, group, option
from hashcompat.cli.output import Destination, check_apart, destination
from hashcompat.core.errors import UsageError
from hashcompat.output.formats import FORMATS, chosen, offered
from hashcompat.output.report.model import Report

Result = TypeVar("Result")


@group
class Shown:
    """What goes to stdout, and in which form."""

    HEADING: ClassVar = "Output"

    format: str | None = option("-o", "--output", help="Output format.")
    reports: tuple[Destination, ...] = option(
        "--report",
        multiple=True,
        metavar="FORMAT=PATH",
        help="Also write the result to a file in any -o format, atomically; - prints it instead of the"
        " result; repeatable.",
    )
    out: str | None = option(
        "--out",
        metavar="FILE",
        help="Save the JSON document in FILE, atomically; - prints it instead of the result.",
    )
    no_headers: bool = option("--no-headers", is_flag=True, help="Omit table headers.")
    color: str = option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour the output; NO_COLOR and FORCE_COLOR are honoured.",
    )

    def __post_init__(self) -> None:
        """Raise UsageError where two reports go to one place."""
        check_apart(self.out, self.reports)


class Formats(click.Choice[str]):
    """The values of ``-o``; some take more after a ``=``, which is checked here, before anything is read."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value as it was given; raises UsageError for one that cannot be shown."""
        name = value.partition("=")[0]
        super().convert(name, param, ctx)
        chosen(value)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click's
        """Return what ``--help`` shows."""
        return f"[{'|'.join(map(_taking, self.choices))}]"


def _taking(name: str) -> str:
    return f"{name}={takes}" if (takes := FORMATS[name].takes) else name


def _destinations(names: tuple[str, ...]) -> Callable[[str], Destination]:
    """Return how ``FORMAT=PATH`` is read where a result has these formats."""

    def read(text: str) -> Destination:
        name = text.partition("=")[0]
        if name not in names:
            raise UsageError(f"--report {text}: no format {name!r} here; there are {', '.join(names)}")
        return destination(text)

    return read


def shows(*reports: Report[Any], default: str = "") -> tuple[Changed, ...]:
    """Return the choices of a command's ``-o`` and ``--report``: what its results can be shown as.

    Without a ``default`` each result has its own: the first format that can show it.
    """
    names = tuple(dict.fromkeys(name for report in reports for name in offered(report)))
    defaults = {offered(report)[0] for report in reports}
    default = default or (defaults.pop() if len(defaults) == 1 else "")
    settings = {"type": Formats(names), "default": default or None, "show_default": bool(default)}
    return Changed("format", settings), Changed("reports", {"type": _destinations(names)})


@group
class Quiet:
    """How much is printed besides the result."""

    HEADING: ClassVar = "Output"

    quiet: bool = option("-q", "--quiet", is_flag=True, help="Print only the result.")


@group
class WithoutHashes:
    """What a report leaves out that goes where the values may not."""

    HEADING: ClassVar = "Output"

    no_hashes: bool = option(
        "--no-hashes",
        is_flag=True,
        help="Omit hashes from reports that you pass on: each reveals 32 bits of hidden values.",
    )

    def of(self, result: Result) -> Result:
        """Return a result as it is reported."""
        if not self.no_hashes:
            return result
        from hashcompat.output.report.without_hashes import without_hashes

        return without_hashes(result)


@group
class Verbose:
    """Whether dropped fields are reported."""

    HEADING: ClassVar = "Output"

    verbose: bool = option("-v", "--verbose", is_flag=True, help="Also report fields that a kubelet drops.")
