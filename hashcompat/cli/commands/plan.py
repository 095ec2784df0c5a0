"""How a plan is arranged for people: groups, their order, how much of it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, ClassVar, Final

import click
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.cli import output
from hashcompat.cli.args import Changed, flag, given_words, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import OutputOptions, Quiet, Releases, Verbose, WithoutHashes, shows
from hashcompat.cli.args.facts import KEEP_GOING, FactOptions, Jobs, Make, Patched, key_of, planned
from hashcompat.cli.args.source import ScopeOptions, SourceOptions
from hashcompat.core.errors import UsageError
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.output.formats import chosen, offered
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import ROWS, SORTED_BY, Excerpt, Invocation, SortBy, without_kept
from hashcompat.output.report.tally import GroupBy
from hashcompat.sources.files import without_secrets

_TABLE: Final = "table"


@group
class Arranged:
    """Which groups or rows are shown, and in which order."""

    HEADING: ClassVar = "Output"

    group_by: str | None = option(
        "--group-by",
        type=click.Choice([*(kind.value for kind in GroupBy), ROWS]),
        help="Show all groups of one kind; none: one row per container. Default: owners, as many as fit.",
    )
    sort_by: str | None = option(
        "--sort-by",
        type=click.Choice([order.value for order in SortBy]),
        help="Sort groups and rows; default: groups by restarts, rows by node.",
    )
    every: bool = flag(
        "--all", help="Show everything, including rows that do not fit and, with -o name, kept containers."
    )

    def check(self, form: str) -> None:
        """Raise UsageError for groups in a format without any, and for an order of other groups."""
        if self.group_by and form != _TABLE:
            raise UsageError(f"--group-by goes with -o {_TABLE}, not with -o {form}")
        orders = (
            SORTED_BY[GroupBy(self.group_by or GroupBy.OWNER)] if self.group_by != ROWS else tuple(SortBy)
        )
        if self.sort_by and SortBy(self.sort_by) not in orders:
            names = ", ".join(orders)
            raise UsageError(f"--sort-by {self.sort_by}: {self.group_by} groups are sorted by {names}")


_VERBOSE: Final = "Also list each assumption on a terminal, and fields that a kubelet drops."


@group
class Arguments:
    """What ``plan`` is asked."""

    only_restarts: bool = flag("--only-restarts", help="Hide unaffected containers.")
    keep_going: bool = KEEP_GOING
    detailed_exitcode: bool = flag(
        "--detailed-exitcode", help="Exit 2 if any container restarts; otherwise exit 3 if any is UNKNOWN."
    )
    details: bool = flag(
        "--details",
        help="Add everything that -o html shows to the JSON document: where hashed texts differ "
        "(masked), and what each step of the upgrade restarts.",
    )
    sign_key: str | None = option(
        "--sign-key",
        metavar="FILE",
        help="Sign the document with the key in FILE; gate --verify-key checks it.",
    )
    releases: Releases
    source: SourceOptions
    jobs: Jobs
    scope: ScopeOptions
    facts: FactOptions
    patched: Patched
    shown: Annotated[OutputOptions, shows(PLAN)]
    arranged: Arranged
    without_hashes: WithoutHashes
    quiet: Quiet
    verbose: Annotated[Verbose, Changed("verbose", {"help": _VERBOSE})]


@declared("plan", Arguments, short_help="Show which containers a kubelet upgrade restarts, where, and why.")
def command(arguments: Arguments) -> int:
    """Show which containers are killed and recreated when kubelets go from one release to another.

    A pod with a uid is hashed exactly as given; one without uid and status is a manifest and first gets an
    API server's defaults.
    """
    arguments.arranged.check(_format(arguments))
    quiet = arguments.quiet.quiet
    names = arguments.releases.data.names(quiet=quiet)
    if arguments.sign_key:
        arguments.shown.needs_document("--sign-key", "the signature")
    if arguments.details and not _shows_details(arguments.shown):
        arguments.shown.needs_document("--details", "them")
    key = key_of(arguments.sign_key)
    make: Make = planning.make
    if arguments.details or _shows_details(arguments.shown):
        from hashcompat.analysis.answers import details

        make = details.make
    ready = partial(output.ready, PLAN, arguments.shown)
    made = planned(arguments, names, ready, make, jobs=arguments.jobs.number)
    plan = arguments.without_hashes.of(made.plan)
    excerpt = structs.replace(_excerpt(arguments, plan), key=key)
    below = list(PLAN.loosened(excerpt) if quiet else PLAN.notes(excerpt))
    output.show(PLAN, excerpt, arguments.shown, below)
    if arguments.verbose.verbose:
        from hashcompat.analysis.answers.hashes import dropped_fields

        kubelets = [made.way.new] if made.way.old == AUTO else [made.way.old, made.way.new]
        output.note_dropped(dropped_fields(made.inventory, list(map(names.catalog.kubelet, kubelets))))
    output.say_each(below)
    asked, summary = arguments.detailed_exitcode, plan.summary
    return output.exit_code(findings=asked and summary.findings, undecided=asked and summary.unknown)


def _excerpt(arguments: Arguments, plan: Plan) -> Excerpt:
    """Return what the options say of the report."""
    arranged = arguments.arranged
    # on one terminal the plan and what goes with it are read at once, so the latter is brief
    is_terminal = sys.stdout.isatty() and sys.stderr.isatty()
    # the command line for others that go on from here, without what may be secret in a URL
    program = click.get_current_context().find_root().info_name or ""
    pods = (*given_words(arguments.source), *given_words(arguments.scope))
    groups = (arguments.releases.data, arguments.facts, arguments.patched)
    facts = (word for options in groups for word in given_words(options))
    return structs.replace(
        without_kept(plan) if arguments.only_restarts else Excerpt(plan, plan.items),
        group_by=arranged.group_by or "",
        sort_by=SortBy(arranged.sort_by) if arranged.sort_by else None,
        full=arranged.every,
        brief=(is_terminal and _format(arguments) == _TABLE and not arguments.verbose.verbose),
        now=datetime.now(UTC),
        invocation=Invocation(program, *(tuple(map(without_secrets, words)) for words in (pods, facts))),
        details=arguments.details,
        jobs=arguments.jobs.number,
    )


def _shows_details(shown: OutputOptions) -> bool:
    """Return whether a format of the result shows more than its items."""
    forms = [*([shown.format] if shown.format else []), *(report.form for report in shown.reports)]
    return any(chosen(form)[0].details for form in forms)


def _format(arguments: Arguments) -> str:
    return arguments.shown.format or offered(PLAN)[0]
