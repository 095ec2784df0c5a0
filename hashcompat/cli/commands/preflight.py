"""``hashcompat preflight``: what else breaks when a kubelet is restarted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import click

from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import option
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.releases import ReleaseData, listed
from hashcompat.errors import ExitCode, UsageError
from hashcompat.model.preflight import Preflight, Status
from hashcompat.preflight import examine, known_checks, worst_first
from hashcompat.preflight.check import Upgrade
from hashcompat.records.probes import Dump
from hashcompat.report.preflight import PREFLIGHT
from hashcompat.sources.files import dumps
from hashcompat.sources.node import live
from hashcompat.sources.node.collect import AUTO, KINDS


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
    runtime: str | None = option(
        "--runtime",
        type=click.Choice(KINDS),
        help="Which container runtime of this node to ask; default: whichever answers.",
    )
    runtime_endpoint: str | None = option(
        "--runtime-endpoint", metavar="SOCKET", help="The runtime's socket, where it is not at a usual place."
    )
    root: str | None = option("--root", metavar="DIR", help="Where the / of the node is mounted; default: /.")
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
    catalog = given.data.catalog(quiet=given.quiet.quiet)
    target = catalog.kubelet(given.to_release)
    current = catalog.kubelet(given.from_release) if given.from_release else None
    upgrade = Upgrade(target, catalog.hazards(target.release), current)
    ignored = known_checks(listed(given.ignored))
    nodes = _nodes(given)
    findings = [found for dump in nodes for found in examine(dump, upgrade, ignored)]
    name = given.from_release if current else None
    result = Preflight(
        given.to_release, {dump.node: name for dump in nodes}, worst_first(findings), tuple(ignored)
    )
    output.show(PREFLIGHT, result, given.shown)
    output.notes(PREFLIGHT, result, quiet=given.quiet.quiet)
    return _exit_code(result)


def _nodes(given: Arguments) -> list[Dump]:
    """Read dumps where they are given, and this node otherwise."""
    if not given.dumps:
        return [live.collect(given.runtime or AUTO, given.runtime_endpoint or "", given.root or "/")]
    if given.runtime or given.runtime_endpoint or given.root:
        raise UsageError("--runtime, --runtime-endpoint and --root are about this node; leave out --dump")
    return dumps.collect(given.dumps)


def _exit_code(result: Preflight) -> ExitCode:
    counts = result.counts()
    if counts[Status.ERROR]:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if counts[Status.UNKNOWN] else ExitCode.OK
