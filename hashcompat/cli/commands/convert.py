"""``hashcompat convert``: a saved document in other formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument, group, option
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.output import Quiet, Shown, WithoutHashes, shows
from hashcompat.core.errors import UsageError
from hashcompat.core.model.plan import Plan
from hashcompat.output.report.model import Report
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import without_kept
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.sources.files import plans, reports
from hashcompat.sources.files.saved import Saved, opened

_KINDS: Final[Mapping[str, tuple[Report[Any], Callable[[Saved], Any]]]] = {
    plans.KIND: (PLAN, plans.plan_of),
    reports.PREFLIGHT: (PREFLIGHT, reports.checks_of),
}
"""The documents from which the whole result can be made again, each with how."""
_WANTED: Final = "what hashcompat plan or hashcompat preflight saves with --out FILE"


@group
class Arguments:
    """What ``convert`` is asked."""

    file: str = argument(required=True, metavar="FILE")
    only_restarts: bool = option(
        "--only-restarts", is_flag=True, help="Hide unaffected containers of a plan."
    )
    shown: Annotated[Shown, shows(*(report for report, _ in _KINDS.values()))]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared("convert", Arguments, short_help="Show a saved plan or preflight in other formats.")
def command(arguments: Arguments) -> None:
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
