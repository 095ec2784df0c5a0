"""``hashcompat diff``, ``convert`` and ``report``: what is done with what was saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from msgspec import structs

from hashcompat.analysis.answers import changes
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.comparison import ReleaseDifference, compare_releases
from hashcompat.cli import output
from hashcompat.cli.args import argument, command_line, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.output import Quiet, Shown, WithoutHashes, shows
from hashcompat.cli.args.releases import Names, ReleaseData
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import ExitCode, UsageError
from hashcompat.core.model.plan import Plan
from hashcompat.core.release import is_release_name
from hashcompat.output.report.changes import CHANGES
from hashcompat.output.report.difference import DIFFERENCE
from hashcompat.output.report.landing import KIND as LANDING_KIND
from hashcompat.output.report.landing import LANDING
from hashcompat.output.report.model import Report
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import without_kept
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.sources.dating import now
from hashcompat.sources.files import plans, reports
from hashcompat.sources.files.inputs import STDIN, called
from hashcompat.sources.files.saved import Saved, opened
from hashcompat.sources.files.snapshotrows import read

_METAVAR: Final = "FILE|RELEASE"


@group
class Arguments:
    """What ``diff`` is asked."""

    old: str = argument(required=True, metavar=_METAVAR)
    new: str = argument(required=True, metavar=_METAVAR)
    detailed_exitcode: bool = option("--detailed-exitcode", is_flag=True, help="Exit 2 if anything differs.")
    data: ReleaseData
    shown: Annotated[Shown, shows(CHANGES, DIFFERENCE)]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared("diff", Arguments, short_help="Show what changed between two plans, snapshots or releases.")
def command(arguments: Arguments) -> int:
    """Show what changed between two saved plans, two snapshots, or two kubelet releases.

    Plans (plan --out) and snapshots are compared by node, namespace, pod and container: what appeared, what
    is gone, whose verdict or reasons changed. Of releases: the types that are hashed, the hash's steps, what
    kubelets do, API servers' defaults, feature gates. Call a file ./1.31 that looks like a release.
    """
    names = arguments.data.names(quiet=arguments.quiet.quiet)
    report, result = _compared(arguments, names)
    output.show(report, arguments.without_hashes.of(result), arguments.shown)
    output.notes(report, result, quiet=arguments.quiet.quiet)
    return ExitCode.FINDING if arguments.detailed_exitcode and result.is_different else ExitCode.OK


def _compared(
    arguments: Arguments, names: Names
) -> tuple[Report[Any], DocumentDifference | ReleaseDifference]:
    sides = arguments.old, arguments.new
    releases = [one for one in sides if is_release_name(one)]
    if len(releases) == 1:
        (other,) = (one for one in sides if one not in releases)
        raise UsageError(
            f"{releases[0]} is a release and {called(other)} is none; give two releases, two plans or two"
            f" snapshots (./{releases[0]} is a file of that name)"
        )
    if releases:
        output.ready(DIFFERENCE, arguments.shown)
        old_release, new_release = map(names.read, sides)
        return DIFFERENCE, compare_releases(old_release, new_release, names.catalog)
    if sides == (STDIN, STDIN):
        raise UsageError("standard input can be only one of the two")
    output.ready(CHANGES, arguments.shown)
    old, new = map(read, sides)
    return CHANGES, changes.compare(old.value, new.value, (old.file, new.file))


# A saved document in other formats.

_KINDS: Final[Mapping[str, tuple[Report[Any], Callable[[Saved], Any]]]] = {
    plans.KIND: (PLAN, plans.plan_of),
    reports.PREFLIGHT: (PREFLIGHT, reports.checks_of),
}
"""The documents from which the whole result can be made again, each with how."""
_WANTED: Final = "what hashcompat plan or hashcompat preflight saves with --out FILE"


@group
class ConvertArguments:
    """What ``convert`` is asked."""

    file: str = argument(required=True, metavar="FILE")
    only_restarts: bool = option(
        "--only-restarts", is_flag=True, help="Hide unaffected containers of a plan."
    )
    shown: Annotated[Shown, shows(*(report for report, _ in _KINDS.values()))]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared("convert", ConvertArguments, short_help="Show a saved plan or preflight in other formats.")
def convert_command(arguments: ConvertArguments) -> None:
    """Show a saved document (plan --out, preflight --out) in any format of that command.

    FILE is JSON, compressed or not; - is standard input. Nothing is recomputed.
    """
    with opened(arguments.file, _KINDS, _WANTED) as document:
        report, read = _KINDS[document.kind]
        if arguments.only_restarts and report is not PLAN:
            raise UsageError("--only-restarts is about plans")
        output.ready(report, arguments.shown)
        result = arguments.without_hashes.of(read(document))
    shortened = without_kept(result) if arguments.only_restarts and isinstance(result, Plan) else result
    output.show(report, shortened, arguments.shown)
    output.notes(report, result, quiet=arguments.quiet.quiet)


# Several pages, joined by one.


@group
class ReportArguments:
    """What ``report`` is asked."""

    directory: str = argument(required=True, metavar="DIR")
    shown: Annotated[Shown, shows(LANDING)]
    quiet: Quiet


@declared("report", ReportArguments, short_help="Join the pages in a directory, the worst first.")
def report_command(arguments: ReportArguments) -> None:
    """List the pages that -o html made in a directory, the worst first, and in what they differ.

    hashcompat report DIR --report html=DIR/index.html makes the page that links to them.
    """
    output.ready(LANDING, arguments.shown)
    joined = reports.pages_in(arguments.directory, LANDING_KIND)
    making = default_catalog().making(now(), command_line(arguments))
    joined = structs.replace(joined, making=making)
    output.show(LANDING, joined, arguments.shown)
    output.notes(LANDING, joined, quiet=arguments.quiet.quiet)
