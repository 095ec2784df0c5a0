"""``hashcompat matrix``: which pairs of releases restart what."""

from __future__ import annotations

from typing import Annotated, Final

from hashcompat.answers.matrix import make
from hashcompat.cli import output, progress
from hashcompat.cli.args.declare import Changed, group, option
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.facts import Facts
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.report.matrix import MATRIX

_FROM: Final = {"help": "The first release, or auto: what the nodes report; default: the oldest known one."}

_TO: Final = {"help": "The last release; default: the newest known one."}


@group
class Arguments:
    """What ``matrix`` is asked."""

    every_patch: bool = option(
        "--every-patch", is_flag=True, help="Compare every patch release, not just the newest of each minor."
    )
    releases: Annotated[Releases, Changed("from_release", _FROM), Changed("to_release", _TO)]
    source: Source
    scope: Scope
    facts: Facts
    shown: Annotated[Shown, shows(MATRIX)]
    quiet: Quiet


@declared(
    "matrix",
    Arguments,
    short_help="Show which pairs of releases restart what, and the cheapest path between two.",
)
def command(given: Arguments) -> None:
    """Compare every pair of releases, both ways: which containers restart, and the upstream change behind it.

    With pods: how many of their containers restart for each pair, and the path from --from to --to that
    restarts the fewest.
    """
    quiet = given.quiet.quiet
    names, asked = given.releases.data.names(quiet=quiet), given.releases
    first = names.read_or_auto(asked.from_release) if asked.from_release else ""
    last = names.read(asked.to_release) if asked.to_release else ""
    found, view = None, View(names.catalog)
    if is_named(given.source, given.scope.labels):
        output.ready(MATRIX, given.shown)
        reading = Reading(given.source, given.scope, needs_nodes=first == AUTO, quiet=quiet)
        found = reading.inventory()
        view = View(names.catalog, given.facts.options(reading, found, names))
    else:
        refuse_without_pods(given.source, given.scope, given.facts)
        output.ready(MATRIX, given.shown)
    counted = progress.shown(found, "Counting", quiet=quiet) if found else None
    matrix = make(view, first, last, counted, patches=given.every_patch)
    output.show(MATRIX, matrix, given.shown)
    output.notes(MATRIX, matrix, quiet=quiet)
