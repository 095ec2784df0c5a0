"""``hashcompat preflight``: what else breaks when a kubelet is restarted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import click

from hashcompat.cli import output
from hashcompat.cli.args.declare import changed, group, option
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.joined import Joined, reading
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.releases import ReleaseData, listed
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.errors import ExitCode, UsageError
from hashcompat.model.plan import Way
from hashcompat.model.preflight import Preflight, Status
from hashcompat.planning.options import AUTO
from hashcompat.preflight.run import Question, check_plan, inspect
from hashcompat.report.preflight import PREFLIGHT
from hashcompat.sources.files import dumps
from hashcompat.sources.node import collect, live

if TYPE_CHECKING:
    from hashcompat.records.probes import Dump


@group
class Arguments:
    """What ``preflight`` is asked."""

    to_release: str | None = option("--to", metavar="RELEASE", help="The target release of the kubelet.")
    from_release: str | None = option(
        "--from",
        metavar="RELEASE|auto",
        help="The current kubelet release; auto (default): what each node reports.",
    )
    dumps: tuple[str, ...] = option(
        "--dump",
        multiple=True,
        metavar="FILE|DIR",
        help="Output of hashcompat collector --preflight from a node, or tar archives of it; repeatable.",
    )
    runtime: str | None = option(
        "--runtime",
        type=click.Choice(collect.KINDS),
        help="The container runtime of this node to query; default: whichever answers.",
    )
    runtime_endpoint: str | None = option(
        "--runtime-endpoint",
        metavar="SOCKET",
        help="The runtime's socket, if it is not in a standard location.",
    )
    root: str | None = option(
        "--root", metavar="DIR", help="Where the node's root file system is mounted; default: /."
    )
    read_also: tuple[str, ...] = option(
        "--read-also",
        metavar="DIR",
        multiple=True,
        help="Another directory on the node that holds the kubelet's own files, such as its --root-"
        "dir; repeatable.",
    )
    ignored: str | None = option(
        "--ignore-preflight-errors",
        metavar="CHECK[,CHECK...]|all",
        help="Checks whose errors are treated as warnings.",
    )
    joined: Joined
    source: Source
    scope: Scope
    data: ReleaseData
    shown: Annotated[Shown, shows(PREFLIGHT)]
    quiet: Quiet


@declared(
    "preflight", Arguments, short_help="Check nodes for what else breaks when their kubelet is restarted."
)
def command(given: Arguments) -> int:
    """Check nodes for what breaks when a kubelet is restarted or replaced, other than container hashes.

    Nothing on the node is changed. Exit 2 if something is found that breaks it, 3 if a check could not read
    what it needs.
    """
    if not given.to_release:
        raise UsageError("--to is missing; name the release that will be started, such as --to 1.24.17")
    quiet = given.quiet.quiet
    names = given.data.names(quiet=quiet)
    way = Way(names.read_or_auto(given.from_release or AUTO), names.read(given.to_release))
    server = names.read(given.joined.apiserver) if given.joined.apiserver else ""
    joined = changed(given.joined, apiserver=server)
    output.ready(PREFLIGHT, given.shown)
    nodes, catalog = _dumps(given), names.catalog
    read = reading(given.source, given.scope, quiet=quiet)
    known = joined.known(read, way, nodes or [], catalog)
    if way.old == AUTO:
        check_plan(known, nodes or [], catalog)
    result = inspect(nodes, known, _question(given, way, server), catalog)
    output.show(PREFLIGHT, result, given.shown)
    output.notes(PREFLIGHT, result, quiet=quiet)
    return _exit_code(result)


def _dumps(given: Arguments) -> list[Dump] | None:
    """Read dumps where they are given, and this node otherwise; None where only objects are looked at."""
    if given.joined.no_node and given.dumps:
        raise UsageError("--dump and --no-node exclude each other: a dump is what was read on a node")
    if (given.joined.no_node or given.dumps) and (
        given.runtime or given.runtime_endpoint or given.root or given.read_also
    ):
        raise UsageError("--runtime, --runtime-endpoint, --root and --read-also are about this node alone")
    if given.joined.no_node:
        return None
    if given.dumps:
        return dumps.collect(given.dumps)
    kind, socket = given.runtime or collect.AUTO, given.runtime_endpoint or ""
    return [live.collect(kind, socket, given.root or "/", given.read_also)]


def _question(given: Arguments, way: Way, server: str) -> Question:
    current = "" if way.old == AUTO else way.old
    return Question(way.new, current, server, tuple(listed(given.ignored)), datetime.now(UTC))


def _exit_code(result: Preflight) -> ExitCode:
    counts = result.counts()
    if counts[Status.ERROR]:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if counts[Status.UNKNOWN] else ExitCode.OK
