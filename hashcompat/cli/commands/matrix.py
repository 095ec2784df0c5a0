"""``hashcompat matrix``: which pairs of releases restart what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hashcompat.answers.matrix import make
from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import option
from hashcompat.cli.args.facts import Facts
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.report.matrix import MATRIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``matrix`` is asked."""

    every_patch: bool = option(
        "--every-patch", is_flag=True, help="Every patch release instead of the newest of each minor."
    )
    releases: Releases
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
    """Compare every pair of releases, both ways: who restarts, and the upstream change behind it.

    With pods: how many containers among them restart for each pair, and the way from --from to --to that
    restarts fewest.
    """
    quiet = given.quiet.quiet
    catalog = given.releases.data.catalog(quiet=quiet)
    first, last = given.releases.from_release or "", given.releases.to_release or ""
    found, view = None, View(catalog)
    if is_named(given.source, given.scope.labels):
        reading = Reading(given.source, given.scope, needs_nodes=first == AUTO, quiet=quiet)
        found = reading.inventory()
        view = View(catalog, given.facts.options(reading, found, catalog))
    else:
        refuse_without_pods(given.source, given.scope, given.facts)
    matrix = make(view, first, last, found, patches=given.every_patch)
    output.show(MATRIX, matrix, given.shown)
    output.notes(MATRIX, matrix, quiet=quiet)
