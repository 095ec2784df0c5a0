"""``hashcompat explain``: why, down to the field, the Go type and the upstream change."""

from __future__ import annotations

from typing import Annotated

from msgspec import structs

from hashcompat.analysis.answers.comparison import compare_releases
from hashcompat.analysis.answers.explanation import explain
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args.declare import argument, group, option
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.output import Quiet, Shown, WithoutHashes, shows
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.output.report.difference import DIFFERENCE
from hashcompat.output.report.explanation import EXPLANATIONS
from hashcompat.sources.dating import now


@group
class Arguments:
    """What ``explain`` is asked."""

    target: str | None = argument(required=False, metavar="[NAMESPACE/POD[/CONTAINER]|KIND/NAME]")
    show_values: bool = option(
        "--show-values", is_flag=True, help="Show potentially secret text instead of ***."
    )
    full: bool = option(
        "--full", is_flag=True, help="Show both hashed texts in full, and every field that differs."
    )
    releases: Releases
    source: Source
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(EXPLANATIONS, DIFFERENCE)]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared(
    "explain",
    Arguments,
    short_help="Explain why a container's hash changes, or what differs between two releases.",
)
def command(arguments: Arguments) -> None:
    """Explain a container's verdict: what happens, why, what to do, what will be logged, the upstream change.

    A pod is NAMESPACE/POD, or POD with -n NAMESPACE; KIND/NAME, such as deploy/web, is every pod of an owner.
    If the hashed texts differ, the differing parts are shown; --full shows both texts in full.
    Without a pod or owner: what differs between the two releases for any container.
    """
    names = arguments.releases.data.names(quiet=arguments.quiet.quiet)
    way = arguments.releases.way(names, from_nodes=arguments.target is not None)
    if arguments.target is None:
        if is_named(arguments.source, arguments.scope.labels):
            raise UsageError("name the pod to explain: NAMESPACE/POD, NAMESPACE/POD/CONTAINER or KIND/NAME")
        refuse_without_pods(arguments.source, arguments.scope, arguments.facts, arguments.patched)
        output.ready(DIFFERENCE, arguments.shown)
        output.show(DIFFERENCE, compare_releases(way.old, way.new, names.catalog), arguments.shown)
        return
    output.ready(EXPLANATIONS, arguments.shown)
    patches, quiet = arguments.patched.patches(names), arguments.quiet.quiet
    reading = Reading(
        arguments.source, arguments.scope, needs_nodes=arguments.releases.needs_nodes, quiet=quiet
    )
    created = now()
    inventory = reading.inventory()
    arguments.releases.check_nodes(inventory, arguments.scope, names)
    view = View(names.catalog, arguments.facts.options(reading, inventory, names, patches=patches))
    chosen = {"show_values": arguments.show_values, "in_namespace": bool(arguments.scope.wanted_namespaces)}
    explanations = explain(inventory, arguments.target, way, view, **chosen)
    explanations = structs.replace(explanations, making=names.making(created, arguments))
    shown = structs.replace(arguments.without_hashes.of(explanations), full=arguments.full)
    output.show(EXPLANATIONS, shown, arguments.shown)
