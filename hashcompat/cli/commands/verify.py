"""``hashcompat verify``: golden hashes in CI, and calibration against what a runtime recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hashcompat.analysis.answers.calibration import check_records
from hashcompat.analysis.answers.golden import Verifications, verify
from hashcompat.analysis.planning.options import AUTO
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args import argument, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.facts import Facts, Records
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet, Shown, WithoutHashes, shows
from hashcompat.cli.args.releases import ReleaseData
from hashcompat.cli.args.source import Labels, Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.output.report.verification import CALIBRATION, VERIFICATIONS


@group
class Arguments:
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
    "verify",
    Arguments,
    short_help="Compare golden or recorded hashes with what this program computes.",
)
def command(arguments: Arguments) -> int:
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


def _verify_golden(arguments: Arguments) -> int:
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


def _verify_records(arguments: Arguments) -> int:
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
