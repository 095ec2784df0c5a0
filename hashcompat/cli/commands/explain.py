"""``hashcompat explain`` and ``hash``: why, down to the field and the Go type, and the hash itself."""

from __future__ import annotations

from typing import Annotated

from msgspec import structs

from hashcompat.analysis.answers.comparison import compare_releases
from hashcompat.analysis.answers.explanation import explain
from hashcompat.analysis.answers.hashes import dropped_fields, hash_containers
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args import argument, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.output import Quiet, Shown, Verbose, WithoutHashes, shows
from hashcompat.cli.args.releases import ReleaseData, Releases
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.output.report.difference import DIFFERENCE
from hashcompat.output.report.explanation import EXPLANATIONS
from hashcompat.output.report.verification import HASHES, TEXTS
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


# The primitive, like sha256sum.


@group
class HashArguments:
    """What ``hash`` is asked."""

    kubelet: str | None = option(
        "--kubelet", metavar="RELEASE[,RELEASE...]", help="The kubelet releases that compute the hash."
    )
    show_input: bool = option(
        "--show-input", is_flag=True, help="Print the exact text that is hashed; requires --show-values."
    )
    show_values: bool = option(
        "--show-values", is_flag=True, help="Do not mask potentially secret text in the output."
    )
    data: ReleaseData
    source: Source
    scope: Scope
    shown: Annotated[Shown, shows(HASHES, TEXTS)]
    quiet: Quiet
    verbose: Verbose


@declared("hash", HashArguments, short_help="Print the hash of every container under some kubelet releases.")
def hash_command(arguments: HashArguments) -> None:
    """Print the hash that each kubelet release computes for every container, decimal and hex."""
    quiet, report = arguments.quiet.quiet, TEXTS if arguments.show_input else HASHES
    names = arguments.data.names(quiet=quiet)
    if not arguments.kubelet:
        raise UsageError(
            "--kubelet is missing; "
            "name the kubelet releases that compute the hash, such as --kubelet 1.7.16,1.9.11"
        )
    if arguments.show_input and not arguments.show_values:
        raise UsageError("--show-input prints texts that may be secret; allow it with --show-values")
    output.ready(report, arguments.shown)
    releases = names.listed(arguments.kubelet)
    reading = Reading(arguments.source, arguments.scope, quiet=quiet)
    inventory = reading.inventory()
    view = View(names.catalog, Options(not arguments.source.no_defaults))
    hashed = hash_containers(inventory, releases, view, with_text=arguments.show_input)
    output.show(report, hashed, arguments.shown)
    output.notes(report, hashed, quiet=quiet)
    if arguments.verbose.verbose:
        output.note_dropped(dropped_fields(inventory, list(map(names.catalog.kubelet, releases))))
