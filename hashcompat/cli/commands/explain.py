"""``hashcompat explain``: why, down to the field, the Go type and the upstream change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hashcompat.answers.comparison import compare_releases
from hashcompat.answers.explanation import explain
from hashcompat.cli import output
from hashcompat.cli.args.declare import argument, option
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.output import Shown, Withheld, shows
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.errors import UsageError
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.report.difference import DIFFERENCE
from hashcompat.report.explanation import EXPLANATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``explain`` is asked."""

    target: str | None = argument(required=False, metavar="[NAMESPACE/POD[/CONTAINER]]")
    show_values: bool = option(
        "--show-values", is_flag=True, help="Print values of env, args and commands instead of ***."
    )
    releases: Releases
    source: Source
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(EXPLANATIONS, DIFFERENCE)]
    withheld: Withheld


@declared(
    "explain",
    Arguments,
    short_help="Say why a container's hash changes, or what differs between two releases.",
)
def command(given: Arguments) -> None:
    """Explain a container's verdict: fields, both hashed texts, the upstream change, the log line to expect.

    Without a pod: what differs between the two releases for any container.
    """
    catalog, way = given.releases.data.catalog(), given.releases.way
    if given.target is None:
        if is_named(given.source, given.scope.labels):
            raise UsageError("say which pod to explain: NAMESPACE/POD or NAMESPACE/POD/CONTAINER")
        refuse_without_pods(given.source, given.scope, given.facts, given.patched)
        output.show(DIFFERENCE, compare_releases(way.old, way.new, catalog), given.shown)
        return
    reading = Reading(given.source, given.scope, needs_nodes=way.old == AUTO)
    found = reading.inventory()
    options = given.facts.options(reading, found, catalog, patches=given.patched.patches)
    view = View(catalog, options)
    explanations = explain(found, given.target, way, view, show_values=given.show_values)
    output.show(EXPLANATIONS, given.withheld.of(explanations), given.shown)
