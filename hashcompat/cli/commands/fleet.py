"""``hashcompat fleet``: one answer over the snapshots of many clusters."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, ClassVar, Final

import click
from msgspec import structs

from hashcompat import cli
from hashcompat.analysis.gating import Wanted, waves
from hashcompat.cli import output
from hashcompat.cli.args import (
    Whole,
    WithArguments,
    argument,
    flag,
    given_flags,
    group,
    option,
    with_parts,
)
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import Quiet, ReleaseData, ReleaseNames, shows
from hashcompat.cli.args.facts import KEEP_GOING
from hashcompat.cli.args.gate import PolicyFlags
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.model.escape import count
from hashcompat.core.model.plan import AUTO
from hashcompat.core.policies import FailOn, Settled, policy_of
from hashcompat.fleet import run as fleet
from hashcompat.fleet.engines import engines
from hashcompat.fleet.parts import Question
from hashcompat.fleet.store import check_extra
from hashcompat.fleet.summary import Answer, Demands, answer, held_to, questions, sql, summary, with_tables
from hashcompat.output.formats import offered
from hashcompat.output.formats.model import Style, table_lines
from hashcompat.output.report.fleet import FLEET
from hashcompat.output.report.model import Prose, Table
from hashcompat.sources.dating import now
from hashcompat.sources.files.settings import exemptions

_UNJUDGED: Final = ("--baseline", "--preflight", "--plan-max-age", "--cluster-uid", "--verify-key")
"""Flags of a policy that are about one plan."""


@group
class WorkOptions:
    """Who does the work."""

    HEADING: ClassVar = "Workers"

    workers: int | None = option(
        "--workers",
        type=Whole(0, 1024),
        metavar="N",
        help="Number of processes on this machine, 0 for this one alone; default: one per processor.",
    )
    memory: str | None = option(
        "--worker-memory",
        metavar="SIZE",
        help="Memory of each process, such as 2GB; default: an equal share.",
    )
    scheduler: str | None = option(
        "--scheduler", metavar="ADDRESS", help="Use the workers of this Dask scheduler, tcp://HOST:8786."
    )
    shard: str | None = option(
        "--shard",
        metavar="I/N",
        help="Answer for one of N parts of the files, I from 0, and make no tables: one Pod of an Indexed "
        "Job. A run without it makes the tables when all are done.",
    )

    def part(self) -> fleet.Shard | None:
        """Return the shard; raises UsageError for what is none."""
        if self.shard is None:
            return None
        number, _, of = self.shard.partition("/")
        if not (number.isdecimal() and of.isdecimal() and int(number) < int(of)):
            raise UsageError(f"--shard {self.shard}: want I/N, such as 0/8 for the first of eight")
        return fleet.Shard(int(number), int(of))


@group
class PrintOptions:
    """What goes to stdout, and in which form; ``--out`` is where the tables go."""

    HEADING: ClassVar = "Output"
    out: ClassVar = None

    format: str | None = option("-o", "--output", help="Output format.")
    reports: tuple[output.Destination, ...] = option(
        "--report",
        multiple=True,
        metavar="FORMAT=PATH",
        help="Also write the result to a file in any -o format, atomically; repeatable.",
    )
    no_headers: bool = flag("--no-headers", help="Omit table headers.")
    color: str = option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the output."
    )

    def __post_init__(self) -> None:
        """Raise UsageError where two reports go to one place."""
        output.check_apart(None, self.reports)

    def shows_clusters(self) -> bool:
        """Return whether anything is shown that only the tables have."""
        return bool(self.reports) or self.format not in (None, offered(FLEET)[0])


@group
class RolloutOptions:
    """In which waves the clusters are upgraded."""

    HEADING: ClassVar = "Waves"

    waves: int | None = option(
        "--waves",
        type=Whole(2, 1000),
        metavar="N",
        help="Divide the clusters that pass into N waves: canaries, then those with the fewest restarts.",
    )
    canaries: str | None = option(
        "--canaries",
        metavar="LABEL=VALUE",
        help="The canaries by their label; default: one cluster of each group and set of running releases.",
    )
    groups: str | None = option(
        "--wave-groups",
        metavar="LABEL[=VALUE,...]",
        help="Give each wave a share of each group of clusters by this label; with values, upgrade one "
        "group after another, in this order.",
    )

    def wanted(self) -> Wanted | None:
        """Return how the waves are to be; None for no waves. Raises UsageError."""
        if self.waves is None:
            if flags := [*given_flags(self)]:
                raise UsageError(f"{flags[0]} needs --waves N")
            return None
        canaries = None
        if self.canaries is not None:
            label, equals, value = self.canaries.partition("=")
            if not (label and equals):
                raise UsageError(f"--canaries {self.canaries}: want LABEL=VALUE")
            canaries = label, value
        label, equals, values = (self.groups or "").partition("=")
        order = tuple(dict.fromkeys(values.split(","))) if equals else ()
        if self.groups is not None and (not label or "" in order):
            raise UsageError(f"--wave-groups {self.groups}: want LABEL or LABEL=VALUE,VALUE")
        return Wanted(self.waves, canaries, label, order)


@group
class Arguments:
    """What ``fleet`` is asked."""

    sources: tuple[str, ...] = argument(nargs=-1, required=True, metavar="SOURCE...")
    to_releases: str | None = option(
        "--to",
        metavar="RELEASE[,RELEASE...]",
        help="The target releases; 1.31 means its newest patch release.",
    )
    from_release: str | None = option(
        "--from", metavar="RELEASE|auto", help="The current release; default: auto, what each node reports."
    )
    out: str | None = option("--out", metavar="DIR|URL", help="Where the tables go.")
    items: bool = flag("--items", help="Also make the table items: a row per container.")
    keep_going: bool = KEEP_GOING
    max_failed_clusters: int = option(
        "--max-failed-clusters",
        type=Whole(0),
        default=0,
        metavar="N",
        help="Exit 2 if more clusters than this fail the policy; default: 0.",
    )
    max_undecided: int = option(
        "--max-undecided",
        type=Whole(0),
        default=0,
        metavar="N",
        help="Exit 3 if more clusters than this are undecided or not planned; default: 0.",
    )
    require_all: str | None = option(
        "--require-all",
        metavar="FILE",
        help="Exit 2 if a cluster that FILE names, one a line, has no snapshot.",
    )
    rollout: RolloutOptions
    work: WorkOptions
    policy: PolicyFlags
    printed: Annotated[PrintOptions, *shows(FLEET)]
    data: ReleaseData
    quiet: Quiet


@declared("fleet", Arguments, short_help="Plan the snapshots of many clusters into tables.")
def made(arguments: Arguments) -> int:
    """Plan the files of many clusters, each for all target releases, and write tables of names and counts.

    A SOURCE is a directory, a file or a URL such as s3://bucket/snapshots: one file per cluster. A file that
    cannot be planned is a row that says why. What was answered before is not asked again. Exit 2 if clusters
    fail the policy, which is that of gate, and 3 if some are undecided. Needs the extra fleet.
    """
    check_extra()
    quiet = arguments.quiet.quiet
    if not arguments.out:
        raise UsageError("--out is missing; name a directory or a URL for the tables")
    output.ready(FLEET, arguments.printed)
    wanted = arguments.rollout.wanted()
    names, created = arguments.data.names(quiet=quiet), now()
    targets = _targets(arguments, names)
    settled = arguments.policy.settled()
    asked = fleet.RunRequest(
        arguments.sources,
        arguments.out,
        _question(arguments, names, targets, settled),
        str(Path(arguments.data.schemas).resolve()) if arguments.data.schemas else "",
        arguments.work.part(),
    )
    demands = _demands(arguments, settled)
    if asked.shard and (wanted or arguments.printed.shows_clusters()):
        raise UsageError("--shard makes no tables: ask for waves and reports in the run without it")
    flags = arguments.work
    if flags.scheduler and asked.shard:
        raise UsageError("--scheduler divides the work among its workers; --shard is for runs without one")
    if flags.scheduler and (flags.workers is not None or flags.memory):
        raise UsageError(
            "--scheduler has workers of its own; --workers and --worker-memory are of this machine"
        )
    with engines(flags.workers, flags.scheduler or "", flags.memory or "") as engine:
        if asked.shard:
            inputs, new = fleet.answered(asked, engine, names.say)
            output.write([f"{count(inputs, 'input')} of shard {flags.shard}, {new:,} of them answered now\n"])
            return ExitCode.OK
        ended = fleet.run(asked, engine, names.say)
    report_only = "report-only" in settled.settings
    limits = fleet.Limits(arguments.max_failed_clusters, arguments.max_undecided, report_only)
    result = structs.replace(summary(ended, arguments.out, limits), making=names.making(created, arguments))
    if wanted or demands or arguments.printed.shows_clusters():
        result = with_tables(result, ended)
    if demands:
        result = held_to(result, demands, limits, datetime.now(UTC))
    if wanted:
        result = structs.replace(result, waves=waves(result.clusters, result.targets, wanted))
    output.show(FLEET, result, arguments.printed)
    return result.exit_code


def _targets(arguments: Arguments, names: ReleaseNames) -> tuple[str, ...]:
    """Return the target releases; raises UsageError for none, and for a flag that a fleet does not take."""
    targets = tuple(names.listed(arguments.to_releases, "--to"))
    if not targets:
        raise UsageError("--to is missing; name the target releases, such as --to 1.31,1.33")
    for name in given_flags(arguments.policy):
        if name in _UNJUDGED:
            raise UsageError(f"{name} is about one plan; a fleet has many")
    return targets


def _question(
    arguments: Arguments, names: ReleaseNames, targets: tuple[str, ...], settled: Settled
) -> Question:
    policy, files = policy_of(settled), settled.settings
    for cause in (FailOn.PDB, FailOn.PREFLIGHT):
        if cause in policy.fail_on:
            raise UsageError(f"--fail-on {cause} is judged by gate, cluster by cluster")
    for key in ("cluster-uid", "verify-key"):  # which would make a policy stricter, and cannot be met
        if key in files:
            raise UsageError(f"{files[key].place} is about one plan; a fleet has many")
    return Question(
        targets,
        names.read_or_auto(arguments.from_release or AUTO, "--from"),
        arguments.items,
        arguments.keep_going,
        # of when a snapshot is decides nothing about its rows, and changes with the time
        structs.replace(policy, files=(), max_input_age=None, max_input_age_text=""),
        exceptions := exemptions(Path(files["exceptions"].file)) if "exceptions" in files else (),
        datetime.now(UTC).date() if exceptions else None,
    )


def _demands(arguments: Arguments, settled: Settled) -> Demands:
    """Read what is demanded of the snapshots; raises InputError for a file that cannot be read."""
    policy = policy_of(settled)
    names = list[str]()
    if arguments.require_all is not None:
        try:
            text = Path(arguments.require_all).read_text(encoding="utf-8-sig")  # as Windows writes it
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise InputError(f"{arguments.require_all}: cannot read: {why}") from None
        names = [name for line in text.splitlines() if (name := line.partition("#")[0].strip())]
        if not names:
            raise InputError(f"{arguments.require_all}: names no cluster")
    return Demands(policy.max_input_age, policy.max_input_age_text, tuple(names))


@group
class QueryArguments:
    """What ``fleet query`` is asked."""

    name: str | None = argument(required=False, metavar="[NAME]")
    out: str | None = option("--out", metavar="DIR|URL", help="Where the tables are.")
    sql: bool = flag("--sql", help="Print the SQL, and ask nothing.")
    format: str = option(
        "-o", "--output", type=click.Choice(["table", "json"]), default="table", help="Output format."
    )


@declared("query", QueryArguments, short_help="Ask the tables of a fleet.")
def query_command(arguments: QueryArguments) -> None:
    """Answer a question about the fleet from its tables; without NAME, list the questions.

    --sql prints the query itself, for DuckDB, Athena, BigQuery or Spark.
    """
    if arguments.name is None:
        result = Answer(("name", "question"), tuple(questions().items()))
    elif arguments.sql:
        output.write([sql(arguments.name)])
        return
    elif arguments.out is None:
        sql(arguments.name)
        raise UsageError("--out is missing; name the directory or the URL of the tables")
    else:
        result = answer(arguments.name, arguments.out)
    if arguments.format == "json":
        rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        output.write([json.dumps(rows, indent=1, default=str), "\n"])
    else:
        sentences = [column in {"question", "why"} for column in result.columns]
        table = Table(
            [column.upper().replace("_", "-") for column in result.columns],
            lambda: ([*map(_cell, row, sentences)] for row in result.rows),
        )
        output.write(f"{line}\n" for line in table_lines(table, Style(encoding=cli.encoding())))


def _cell(value: object, sentence: bool) -> object:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return Prose(str(value)) if sentence else value


command = with_parts(made, {"query": query_command}, WithArguments, "[query NAME]")
