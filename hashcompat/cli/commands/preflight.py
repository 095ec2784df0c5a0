"""``hashcompat preflight``: what else breaks when a kubelet is restarted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import option
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.releases import ReleaseData, listed
from hashcompat.errors import ExitCode, UsageError
from hashcompat.model.preflight import Preflight, Status
from hashcompat.preflight import examine, known_checks, worst_first
from hashcompat.preflight.check import Upgrade
from hashcompat.report.preflight import PREFLIGHT
from hashcompat.sources.files import dumps


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``preflight`` is asked."""

    to_release: str | None = option(
        "--to", metavar="RELEASE", help="The release of the kubelet that will be started."
    )
    from_release: str | None = option(
        "--from", metavar="RELEASE", help="The kubelet release that runs now; default: what each node shows."
    )
    dumps: tuple[str, ...] = option(
        "--dump",
        multiple=True,
        metavar="FILE|DIR",
        help="What hashcompat collector --preflight printed on a node; or tar archives of that.",
    )
    ignored: str | None = option(
        "--ignore-preflight-errors",
        metavar="CHECK[,CHECK...]|all",
        help="The checks whose errors count as warnings.",
    )
    data: ReleaseData
    shown: Annotated[Shown, shows(PREFLIGHT)]
    quiet: Quiet


@declared("preflight", Arguments, short_help="Find on a node what else breaks when its kubelet is restarted.")
def command(given: Arguments) -> int:
    """Check a node for what breaks when a kubelet is restarted or replaced, apart from container hashes.

    Nothing on the node is changed. Exit 2 when something is found that breaks it, 3 when a check could not
    read what it needs.
    """
    if not given.to_release:
        raise UsageError("--to is missing; name the release that will be started, such as --to 1.24.17")
    if not given.dumps:
        raise UsageError("give the dump of a node with --dump; hashcompat collector --preflight makes one")
    catalog = given.data.catalog(quiet=given.quiet.quiet)
    target = catalog.kubelet(given.to_release)
    current = catalog.kubelet(given.from_release) if given.from_release else None
    upgrade = Upgrade(target, catalog.hazards(target.release), current)
    ignored = known_checks(listed(given.ignored))
    nodes = dumps.collect(given.dumps)
    findings = [found for dump in nodes for found in examine(dump, upgrade, ignored)]
    name = given.from_release if current else None
    result = Preflight(
        given.to_release, {dump.node: name for dump in nodes}, worst_first(findings), tuple(ignored)
    )
    output.show(PREFLIGHT, result, given.shown)
    output.notes(PREFLIGHT, result, quiet=given.quiet.quiet)
    return _exit_code(result)


def _exit_code(result: Preflight) -> ExitCode:
    counts = result.counts()
    if counts[Status.ERROR]:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if counts[Status.UNKNOWN] else ExitCode.OK
