"""Every pair of releases, and the path that restarts the fewest."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import structs

from hashcompat.analysis.answers.matrix import make
from hashcompat.analysis.planning.options import AUTO
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output, progress
from hashcompat.cli.args import Changed, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.facts import Facts, Normalized
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.source import Scope, Source
from hashcompat.output.report.matrix import MATRIX
from hashcompat.sources.dating import now

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
    normalized: Normalized
    shown: Annotated[Shown, shows(MATRIX)]
    quiet: Quiet


@declared(
    "matrix",
    Arguments,
    short_help="Show which pairs of releases restart what, and the cheapest path between two.",
)
def command(arguments: Arguments) -> None:
    """Compare every pair of releases, both ways: which containers restart, and the upstream change behind it.

    With pods: how many of their containers restart for each pair, and the path from --from to --to that
    restarts the fewest. Recorded hashes decide its first step alone.
    """
    quiet = arguments.quiet.quiet
    names, asked = arguments.releases.data.names(quiet=quiet), arguments.releases
    first = names.read_or_auto(asked.from_release) if asked.from_release else ""
    last = names.read(asked.to_release) if asked.to_release else ""
    inventory, view, created = None, View(names.catalog), now()
    if is_named(arguments.source, arguments.scope.labels):
        output.ready(MATRIX, arguments.shown)
        reading = Reading(arguments.source, arguments.scope, needs_nodes=first == AUTO, quiet=quiet)
        inventory = reading.inventory()
        options = arguments.facts.options(reading, inventory, names)
        normalized = arguments.normalized.assume_normalized
        view = View(names.catalog, structs.replace(options, normalized=normalized))
    else:
        refuse_without_pods(arguments.source, arguments.scope, arguments.facts, arguments.normalized)
        output.ready(MATRIX, arguments.shown)
    progress.current().stage("Comparing the releases")
    matrix = make(view, first, last, inventory, patches=arguments.every_patch)
    matrix = structs.replace(matrix, making=names.making(created, arguments))
    output.show(MATRIX, matrix, arguments.shown)
    output.notes(MATRIX, matrix, quiet=quiet)
