"""``hashcompat verify``: golden hashes in CI, and calibration against what a runtime recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from hashcompat.answers.calibration import RecordCheck, check_records
from hashcompat.answers.golden import verify
from hashcompat.cli.args import live as live_options
from hashcompat.cli.args import options
from hashcompat.cli.output import note
from hashcompat.errors import ExitCode, UsageError
from hashcompat.model.words import agree, count
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.report.calibration import calibration_document, calibration_names, calibration_table
from hashcompat.report.documents import verify_document
from hashcompat.report.tables import verify_names, verify_table

_RECORDS: Final = ("recorded", "runtime", "runtime_endpoint")

_OF_RECORDS: Final = {
    "--from": "release",
    "-f": "files",
    "-R": "recursive",
    "--sample": "sample",
    "--no-defaults": "no_defaults",
}


@click.command(
    "verify", short_help="Compare golden directories, or recorded hashes, with what this program computes."
)
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@options.recorded_option
@click.option(
    "--from",
    "--kubelet",
    "release",
    metavar="RELEASE|auto",
    help="The release that recorded the hashes; auto (default): what each node reports.",
)
@options.input_options
@click.option("--show-values", is_flag=True, help="Show the text before a difference, values included.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
@options.schemas_option
@options.output_options
def command(paths: tuple[str, ...], **given: options.Given) -> int:
    """Compute hashes anew and compare: exit 2 when one differs, 3 when some cannot be compared.

    PATH is a golden directory: it holds inputs/CASE.json, and for each release RELEASE/CASE.txt and
    RELEASE/HASHES. With --recorded or --runtime, the hashes that kubelets recorded are compared instead, with
    those of the pods given with -f or of the live cluster.
    """
    if bool(paths) == any(given[name] for name in _RECORDS):
        raise UsageError(
            "give golden directories as PATH, or recorded hashes with --recorded FILE or --runtime auto, their pods with -f"
        )
    return _verify_golden(paths, given) if paths else _verify_records(given)


def _verify_golden(paths: tuple[str, ...], given: options.Given) -> int:
    if stray := [*(flag for flag, name in _OF_RECORDS.items() if given[name]), *live_options.named(given)]:
        raise UsageError(
            f"{stray[0]} goes with --recorded; golden directories have their own inputs and releases"
        )
    catalog = options.catalog(given)
    results = [verify(Path(path), catalog, show_values=bool(given["show_values"])) for path in paths]
    output = options.output(given)
    output.show(
        lambda: verify_document(results),
        lambda form: (
            verify_names(results) if form == "name" else verify_table(results, headers=not output.no_headers)
        ),
    )
    if not given["quiet"]:
        for result in results:
            note(
                f"{result.directory}: {count(result.compared, 'hash')} of {count(result.cases, 'case')} compared, "
                f"{len(result.mismatches)} {agree(len(result.mismatches), 'differ')}"
            )
    return ExitCode.FINDING if any(result.mismatches for result in results) else ExitCode.OK


def _verify_records(given: options.Given) -> int:
    catalog = options.catalog(given)
    release = str(given["release"] or AUTO)
    if release != AUTO:
        catalog.kubelet(release)
    inventory = options.collect(given)
    check = check_records(inventory, release, View(catalog, options.choices(given, catalog, inventory)))
    output = options.output(given)
    output.show(
        lambda: calibration_document(check),
        lambda form: (
            calibration_names(check)
            if form == "name"
            else calibration_table(check, headers=not output.no_headers)
        ),
    )
    if not given["quiet"]:
        missed = len(check.rows) - check.share.recorded
        note(
            f"{count(missed, 'record')} could not be compared; "
            f"{check.skipped} {agree(check.skipped, 'belong')} to containers that no kubelet compares"
        )
    return _exit_code(check)


def _exit_code(check: RecordCheck) -> ExitCode:
    if check.differing:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if check.undecided else ExitCode.OK
