"""Questions besides a plan: ``hashcompat explain``, ``hash``, ``verify``, ``impact`` and ``matrix``."""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

import click
from msgspec import structs

from hashcompat.analysis import disruption
from hashcompat.analysis.answers.calibration import check_records
from hashcompat.analysis.answers.comparison import compare_releases
from hashcompat.analysis.answers.explanation import explain
from hashcompat.analysis.answers.golden import Verifications, verify
from hashcompat.analysis.answers.hashes import dropped_fields, hash_containers
from hashcompat.analysis.answers.matrix import make
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output, progress
from hashcompat.cli.args import Changed, Whole, argument, flag, given_flags, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import (
    OutputOptions,
    Quiet,
    ReleaseData,
    Releases,
    Verbose,
    WithoutHashes,
    check_overridden,
    shows,
)
from hashcompat.cli.args.facts import KEEP_GOING, FactOptions, Normalized, Patched, RecordOptions, planned
from hashcompat.cli.args.inventory import InventoryRequest, is_named, refuse_without_pods
from hashcompat.cli.args.source import LabelOptions, ScopeOptions, SourceOptions
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet.alike import unready
from hashcompat.core.model.impact import Installer
from hashcompat.core.model.plan import AUTO
from hashcompat.output.report.explanation import EXPLANATIONS
from hashcompat.output.report.impact import IMPACT
from hashcompat.output.report.matrix import MATRIX
from hashcompat.output.report.releases import DIFFERENCE
from hashcompat.output.report.verification import CALIBRATION, HASHES, TEXTS, VERIFICATIONS
from hashcompat.sources.dating import now


@group
class ExplainArguments:
    """What ``explain`` is asked."""

    target: str | None = argument(required=False, metavar="[NAMESPACE/POD[/CONTAINER]|KIND/NAME]")
    show_values: bool = flag("--show-values", help="Show potentially secret text instead of ***.")
    full: bool = flag("--full", help="Show both hashed texts in full, and every field that differs.")
    releases: Releases
    source: SourceOptions
    scope: ScopeOptions
    facts: FactOptions
    patched: Patched
    shown: Annotated[OutputOptions, shows(EXPLANATIONS, DIFFERENCE)]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared(
    "explain",
    ExplainArguments,
    short_help="Explain why a container's hash changes, or what differs between two releases.",
)
def explain_command(arguments: ExplainArguments) -> None:
    """Explain a container's verdict: what happens, why, what to do, what will be logged, the upstream change.

    A pod is NAMESPACE/POD, or POD with -n NAMESPACE; KIND/NAME, such as deploy/web, is every pod of an owner.
    If the hashed texts differ, the differing parts are shown; --full shows both texts in full.
    Without a pod or owner: what differs between the two releases for any container.
    """
    names = arguments.releases.data.names(quiet=arguments.quiet.quiet)
    overridden = arguments.facts.override_node_releases
    way = arguments.releases.way(names, from_nodes=arguments.target is not None, overridden=overridden)
    if arguments.target is None:
        if arguments.show_values:
            raise UsageError("--show-values is about a pod: name it, as NAMESPACE/POD")
        if arguments.without_hashes.no_hashes:
            raise UsageError("--no-hashes is about a pod: what differs between two releases has no hashes")
        if is_named(arguments.source, arguments.scope.labels):
            raise UsageError("name the pod to explain: NAMESPACE/POD, NAMESPACE/POD/CONTAINER or KIND/NAME")
        refuse_without_pods(arguments.source, arguments.scope, arguments.facts, arguments.patched)
        output.ready(DIFFERENCE, arguments.shown)
        output.show(DIFFERENCE, compare_releases(way.old, way.new, names.catalog), arguments.shown)
        return
    output.ready(EXPLANATIONS, arguments.shown)
    patches, quiet = arguments.patched.patches(names), arguments.quiet.quiet
    reading = InventoryRequest(
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
    show_input: bool = flag(
        "--show-input", help="Print the exact text that is hashed; requires --show-values."
    )
    show_values: bool = flag("--show-values", help="Do not mask potentially secret text in the output.")
    data: ReleaseData
    source: SourceOptions
    scope: ScopeOptions
    shown: Annotated[OutputOptions, shows(HASHES, TEXTS)]
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
    releases = names.listed(arguments.kubelet, "--kubelet")
    reading = InventoryRequest(arguments.source, arguments.scope, quiet=quiet)
    inventory = reading.inventory()
    view = View(names.catalog, Options(not arguments.source.no_defaults))
    hashed = hash_containers(inventory, releases, view, with_text=arguments.show_input)
    output.show(report, hashed, arguments.shown)
    output.notes(report, hashed, quiet=quiet)
    if arguments.verbose.verbose:
        output.note_dropped(dropped_fields(inventory, list(map(names.catalog.kubelet, releases))))


@group
class VerifyArguments:
    """What ``verify`` is asked."""

    paths: tuple[str, ...] = argument(nargs=-1, metavar="[PATH...]")
    release: str | None = option(
        "--from",
        "--kubelet",
        metavar="RELEASE|auto",
        help="The release that recorded the hashes; auto (default): what each node reports.",
    )
    show_values: bool = flag(
        "--show-values", help="Show the text leading up to a difference, values included."
    )
    search_token_mount: bool = flag(
        "--search-token-mount",
        help="If a manifest's hash differs from the recorded one, try to find the service account "
        "volume mount that its pod has in addition.",
    )
    data: ReleaseData
    source: SourceOptions
    labels: LabelOptions
    records: RecordOptions
    shown: Annotated[OutputOptions, shows(VERIFICATIONS, CALIBRATION)]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared(
    "verify", VerifyArguments, short_help="Compare golden or recorded hashes with what this program computes."
)
def verify_command(arguments: VerifyArguments) -> int:
    """Recompute hashes and compare them: exit 2 if one differs, 3 if some cannot be compared.

    PATH is a golden directory: inputs.jsonl and, for each release, RELEASE.jsonl, with one line per case; or
    inputs/CASE.json and, for each release, RELEASE/CASE.txt and RELEASE/HASHES. With --recorded or --runtime,
    the hashes that kubelets recorded are compared with those of the pods given with -f, or of the live
    cluster.
    """
    if bool(arguments.paths) == arguments.records.are_named:
        raise UsageError(
            "give golden directories as PATH, or recorded hashes with --recorded FILE or --runtime auto, "
            "their pods with -f"
        )
    return _verify_golden(arguments) if arguments.paths else _verify_records(arguments)


def _verify_golden(arguments: VerifyArguments) -> int:
    values = {"--from": arguments.release, "--search-token-mount": arguments.search_token_mount}
    groups = (arguments.source, arguments.labels, arguments.without_hashes)
    stray = [name for name, value in values.items() if value]
    for name in (*stray, *chain.from_iterable(map(given_flags, groups))):
        raise UsageError(
            f"{name} goes with --recorded; golden directories have their own inputs and releases"
        )
    output.ready(VERIFICATIONS, arguments.shown)
    catalog = arguments.data.catalog(quiet=arguments.quiet.quiet)
    verifications = [
        verify(Path(path), catalog, show_values=arguments.show_values) for path in arguments.paths
    ]
    result = Verifications(tuple(verifications))
    output.show(VERIFICATIONS, result, arguments.shown)
    output.notes(VERIFICATIONS, result, quiet=arguments.quiet.quiet)
    return output.exit_code(findings=result.differing)


def _verify_records(arguments: VerifyArguments) -> int:
    quiet = arguments.quiet.quiet
    names = arguments.data.names(quiet=quiet)
    release = names.read_or_auto(arguments.release or AUTO, "--from")
    output.ready(CALIBRATION, arguments.shown)
    scope, needs_nodes = ScopeOptions(labels=arguments.labels), release == AUTO
    reading = InventoryRequest(arguments.source, scope, needs_nodes=needs_nodes, quiet=quiet)
    inventory = reading.inventory()
    options = FactOptions(records=arguments.records).options(reading, inventory, names)
    view, search = View(names.catalog, options), arguments.search_token_mount
    check = check_records(inventory, release, view, search_mounts=search)
    output.show(CALIBRATION, arguments.without_hashes.of(check), arguments.shown)
    output.notes(CALIBRATION, check, quiet=quiet)
    return output.exit_code(findings=check.differing, undecided=check.undecided)


@group
class ImpactArguments:
    """What ``impact`` is asked."""

    batch: int = option(
        "--batch",
        type=Whole(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="How many nodes are upgraded at once, at the most; those of the control plane one by one.",
    )
    across_zones: bool = flag(
        "--across-zones", help="Let a batch have nodes of several zones, and all nodes of one."
    )
    all_budgets: bool = flag(
        "--all-budgets", help="Treat the input as complete: no PodDisruptionBudget in it means there is none."
    )
    installer: str | None = option(
        "--with",
        type=click.Choice([installer.value for installer in Installer]),
        metavar="INSTALLER",
        help="What installs kubelets, for the commands of the runbook: kubeadm, k3s, rke2, talos or package "
        "(the package manager). Default: k3s and rke2 where nodes report such a release, else package.",
    )
    keep_going: bool = KEEP_GOING
    detailed_exitcode: bool = flag(
        "--detailed-exitcode",
        help="Exit 2 if a budget is breached, all replicas restart at once or a container is not "
        "started again; exit 3 if that is undecided.",
    )
    releases: Releases
    source: SourceOptions
    scope: ScopeOptions
    facts: FactOptions
    patched: Patched
    shown: Annotated[OutputOptions, shows(IMPACT)]
    quiet: Quiet


@declared(
    "impact",
    ImpactArguments,
    short_help="Show which budgets and owners the restarts hit, and order the nodes.",
)
def impact_command(arguments: ImpactArguments) -> int:
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
    ready = partial(output.ready, IMPACT, arguments.shown)
    made = planned(arguments, names, ready, budgets=True)
    servers = made.view.options
    impact = disruption.make(
        made.plan,
        disruption.with_all_budgets(made.whole) if arguments.all_budgets else made.whole,
        arguments.batch,
        arguments.scope.nodes or None,
        unready(made.view.kubelet(made.way.new)),
        across_zones=arguments.across_zones,
        installer=Installer(arguments.installer) if arguments.installer else None,
        apiserver=servers.apiserver_to or servers.apiserver,
    )
    output.show(IMPACT, impact, arguments.shown)
    output.notes(IMPACT, impact, quiet=quiet)
    asked = arguments.detailed_exitcode
    return output.exit_code(findings=asked and impact.is_found, undecided=asked and impact.is_undecided)


_FROM: Final = {"help": "The first release, or auto: what the nodes report; default: the oldest known one."}
_TO: Final = {"help": "The last release; default: the newest known one."}


@group
class MatrixArguments:
    """What ``matrix`` is asked."""

    every_patch: bool = flag(
        "--every-patch", help="Compare every patch release, not just the newest of each minor."
    )
    releases: Annotated[Releases, Changed("from_release", _FROM), Changed("to_release", _TO)]
    source: SourceOptions
    scope: ScopeOptions
    facts: FactOptions
    normalized: Normalized
    shown: Annotated[OutputOptions, shows(MATRIX)]
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
    first = names.read_or_auto(asked.from_release, "--from") if asked.from_release else ""
    last = names.read(asked.to_release, "--to") if asked.to_release else ""
    check_overridden(asked.from_release, overridden=arguments.facts.override_node_releases)
    inventory, view, created = None, View(names.catalog), now()
    if is_named(arguments.source, arguments.scope.labels):
        output.ready(MATRIX, arguments.shown)
        reading = InventoryRequest(arguments.source, arguments.scope, needs_nodes=first == AUTO, quiet=quiet)
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
