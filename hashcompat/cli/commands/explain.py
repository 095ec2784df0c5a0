"""``hashcompat explain``, ``hash`` and ``verify``: why, the hash itself, and which hashes are reproduced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import structs

from hashcompat.analysis.answers.calibration import check_records
from hashcompat.analysis.answers.comparison import compare_releases
from hashcompat.analysis.answers.explanation import explain
from hashcompat.analysis.answers.golden import Verifications, verify
from hashcompat.analysis.answers.hashes import dropped_fields, hash_containers
from hashcompat.analysis.planning.options import AUTO, Options
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args import argument, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import Quiet, ReleaseData, Releases, Shown, Verbose, WithoutHashes, shows
from hashcompat.cli.args.facts import Facts, Patched, Records
from hashcompat.cli.args.inventory import Reading, is_named, refuse_without_pods
from hashcompat.cli.args.source import Labels, Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.output.report.explanation import EXPLANATIONS
from hashcompat.output.report.releases import DIFFERENCE
from hashcompat.output.report.verification import CALIBRATION, HASHES, TEXTS, VERIFICATIONS
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
    show_values: bool = option(
        "--show-values", is_flag=True, help="Show the text leading up to a difference, values included."
    )
    search_token_mount: bool = option(
        "--search-token-mount",
        is_flag=True,
        help="If a manifest's hash differs from the recorded one, try to find the service account "
        "volume mount that its pod has in addition.",
    )
    data: ReleaseData
    source: Source
    labels: Labels
    records: Records
    shown: Annotated[Shown, shows(VERIFICATIONS, CALIBRATION)]
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
    source = arguments.source
    values = {
        "--from": arguments.release,
        "-f": source.files,
        "-R": source.recursive,
        "--sample": source.sample,
        "--no-defaults": source.no_defaults,
        "--search-token-mount": arguments.search_token_mount,
        "--no-hashes": arguments.without_hashes.no_hashes,
    }
    stray = [flag for flag, value in values.items() if value]
    stray += source.cluster.flags(arguments.labels.selector)
    if stray:
        raise UsageError(
            f"{stray[0]} goes with --recorded; golden directories have their own inputs and releases"
        )
    output.ready(VERIFICATIONS, arguments.shown)
    catalog = arguments.data.catalog(quiet=arguments.quiet.quiet)
    found = [verify(Path(path), catalog, show_values=arguments.show_values) for path in arguments.paths]
    result = Verifications(tuple(found))
    output.show(VERIFICATIONS, result, arguments.shown)
    output.notes(VERIFICATIONS, result, quiet=arguments.quiet.quiet)
    return output.exit_code(found=result.differing)


def _verify_records(arguments: VerifyArguments) -> int:
    quiet = arguments.quiet.quiet
    names = arguments.data.names(quiet=quiet)
    release = names.read_or_auto(arguments.release or AUTO)
    output.ready(CALIBRATION, arguments.shown)
    scope, needs_nodes = Scope(labels=arguments.labels), release == AUTO
    reading = Reading(arguments.source, scope, needs_nodes=needs_nodes, quiet=quiet)
    found = reading.inventory()
    options = Facts(records=arguments.records).options(reading, found, names)
    view, search = View(names.catalog, options), arguments.search_token_mount
    check = check_records(found, release, view, search_mounts=search)
    output.show(CALIBRATION, arguments.without_hashes.of(check), arguments.shown)
    output.notes(CALIBRATION, check, quiet=quiet)
    return output.exit_code(found=check.differing, undecided=check.undecided)
