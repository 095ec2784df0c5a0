"""``hashcompat impact`` and ``matrix``: what restarts breach, the order of nodes, and the mildest path."""

from __future__ import annotations

from typing import Annotated, Final

import click
from msgspec import structs

from hashcompat.analysis import disruption, planning
from hashcompat.analysis.answers.matrix import make
from hashcompat.analysis.planning.options import AUTO
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output, progress
from hashcompat.cli.args import Changed, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import Quiet, Releases, Shown, shows
from hashcompat.cli.args.facts import Facts, Normalized, Patched, keep_going_option
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet.alike import unready
from hashcompat.core.model.impact import Installer
from hashcompat.output.report.impact import IMPACT
from hashcompat.output.report.matrix import MATRIX
from hashcompat.sources import filters
from hashcompat.sources.dating import now


@group
class Arguments:
    """What ``impact`` is asked."""

    batch: int = option(
        "--batch",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="How many nodes are upgraded at once, at the most; those of the control plane one by one.",
    )
    across_zones: bool = option(
        "--across-zones", is_flag=True, help="Let a batch have nodes of several zones, and all nodes of one."
    )
    all_budgets: bool = option(
        "--all-budgets",
        is_flag=True,
        help="Treat the input as complete: no PodDisruptionBudget in it means there is none.",
    )
    installer: str | None = option(
        "--with",
        type=click.Choice([installer.value for installer in Installer]),
        metavar="INSTALLER",
        help="What installs kubelets, for the commands of the runbook: kubeadm, k3s, rke2, talos or package "
        "(the package manager). Default: k3s and rke2 where nodes report such a release, else package.",
    )
    keep_going: bool = keep_going_option()
    detailed_exitcode: bool = option(
        "--detailed-exitcode",
        is_flag=True,
        help="Exit 2 if a budget is breached, all replicas restart at once or a container is not "
        "started again; exit 3 if that is undecided.",
    )
    releases: Releases
    source: Source
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(IMPACT)]
    quiet: Quiet


@declared(
    "impact", Arguments, short_help="Show which budgets and owners the restarts hit, and order the nodes."
)
def command(arguments: Arguments) -> int:
    """Show which PodDisruptionBudgets and owners the restarts of a plan hit, and order the nodes.

    The control plane comes first, one node after the other. Of the others, nodes without restarts come
    first, then those whose restarts breach nothing, then those to drain. -o markdown prints a runbook.
    """
    if arguments.scope.labels.selector:
        raise UsageError(
            "-l leaves out pods that budgets and owners count; narrow with -n, --owner or --node"
        )
    if arguments.all_budgets and arguments.source.is_live:
        raise UsageError("--all-budgets is about files; those of a live cluster are read")
    quiet = arguments.quiet.quiet
    names = arguments.releases.data.names(quiet=quiet)
    way, patches = arguments.releases.way(names, from_nodes=True), arguments.patched.patches(names)
    output.ready(IMPACT, arguments.shown)
    needs_nodes = arguments.releases.needs_nodes
    created = now()
    reading = Reading(arguments.source, arguments.scope, needs_nodes=needs_nodes, quiet=quiet, budgets=True)
    whole = reading.whole()
    inventory = filters.select(whole, arguments.scope.filters)
    arguments.releases.check_nodes(inventory, arguments.scope, names)
    options = arguments.facts.options(
        reading, inventory, names, keep_going=arguments.keep_going, patches=patches
    )
    view = View(names.catalog, options)
    plan = planning.make(inventory, way.old, way.new, view)
    plan = structs.replace(plan, making=names.making(created, arguments))
    arguments.releases.check_items(plan.items)
    budgeted = disruption.without_others(whole) if arguments.all_budgets else whole
    impact = disruption.make(
        plan,
        budgeted,
        arguments.batch,
        arguments.scope.nodes or None,
        unready(view.kubelet(way.new)),
        across_zones=arguments.across_zones,
        installer=Installer(arguments.installer) if arguments.installer else None,
        apiserver=options.apiserver_to or options.apiserver,
    )
    output.show(IMPACT, impact, arguments.shown)
    output.notes(IMPACT, impact, quiet=quiet)
    asked = arguments.detailed_exitcode
    return output.exit_code(found=asked and impact.is_found, undecided=asked and impact.is_undecided)


_FROM: Final = {"help": "The first release, or auto: what the nodes report; default: the oldest known one."}
_TO: Final = {"help": "The last release; default: the newest known one."}


@group
class MatrixArguments:
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
    MatrixArguments,
    short_help="Show which pairs of releases restart what, and the cheapest path between two.",
)
def matrix_command(arguments: MatrixArguments) -> None:
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
