"""``hashcompat plan``: which containers are killed, where, why."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Final

import click
from msgspec import structs

from hashcompat import planning
from hashcompat.cli import output
from hashcompat.cli.args.arranged import Arranged
from hashcompat.cli.args.declare import Changed, given_words, group, option
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.jobs import Jobs
from hashcompat.cli.args.keys import key_of
from hashcompat.cli.args.output import Quiet, Shown, Verbose, Withheld, shows
from hashcompat.cli.args.planned import Make, planned
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.errors import ExitCode
from hashcompat.formats import chosen, offered
from hashcompat.model.plan import Plan
from hashcompat.planning.options import AUTO
from hashcompat.report.plan import PLAN
from hashcompat.report.planview import Excerpt, Invocation, SortBy, without_kept
from hashcompat.sources.files.inputs import without_secrets

_VERBOSE: Final = "Also list each assumption on a terminal, and fields that a kubelet drops."


@group
class Arguments:
    """What ``plan`` is asked."""

    only_restarts: bool = option("--only-restarts", is_flag=True, help="Hide unaffected containers.")
    keep_going: bool = option(
        "--keep-going",
        is_flag=True,
        help="Report a container that cannot be decoded as UNKNOWN instead of stopping.",
    )
    detailed_exitcode: bool = option(
        "--detailed-exitcode",
        is_flag=True,
        help="Exit 2 if any container restarts; otherwise exit 3 if any is UNKNOWN.",
    )
    details: bool = option(
        "--details",
        is_flag=True,
        help="Add everything that -o html shows to the JSON document: where hashed texts differ "
        "(masked), and what each step of the upgrade restarts.",
    )
    sign_key: str | None = option(
        "--sign-key",
        metavar="FILE",
        help="Sign the document with the key in FILE; gate --verify-key checks it.",
    )
    releases: Releases
    source: Source
    jobs: Jobs
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(PLAN)]
    arranged: Arranged
    withheld: Withheld
    quiet: Quiet
    verbose: Annotated[Verbose, Changed("verbose", {"help": _VERBOSE})]


@declared("plan", Arguments, short_help="Show which containers a kubelet upgrade restarts, where, and why.")
def command(given: Arguments) -> int:
    """Show which containers are killed and recreated when kubelets go from one release to another.

    A pod with a uid is hashed exactly as given; one without uid and status is a manifest and first gets an
    API server's defaults.
    """
    given.arranged.check(_format(given))
    quiet = given.quiet.quiet
    names = given.releases.data.names(quiet=quiet)
    key = key_of(given.sign_key)
    made = planned(given, names, partial(output.ready, PLAN, given.shown), _maker(given), quiet=quiet)
    plan = made.plan
    plan = given.withheld.of(plan)
    excerpt = structs.replace(_excerpt(given, plan), key=key)
    below = list(PLAN.loosened(excerpt) if quiet else PLAN.notes(excerpt))
    output.show(PLAN, excerpt, given.shown, below)
    if given.verbose.verbose:
        from hashcompat.answers.hashes import dropped_fields

        way = made.way
        kubelets = [way.new] if way.old == AUTO else [way.old, way.new]
        output.note_dropped(dropped_fields(made.found, list(map(names.catalog.kubelet, kubelets))))
    output.say_each(below)
    return _exit_code(plan) if given.detailed_exitcode else ExitCode.OK


def _maker(given: Arguments) -> Make:
    """Return what makes the plan."""
    if not (given.details or _shows_details(given.shown)):
        return planning.make
    from hashcompat.answers import details

    return details.make


def _excerpt(given: Arguments, plan: Plan) -> Excerpt:
    """Return what the options say of the report."""
    arranged = given.arranged
    return structs.replace(
        without_kept(plan) if given.only_restarts else Excerpt(plan, plan.items),
        group_by=arranged.group_by or "",
        sort_by=SortBy(arranged.sort_by) if arranged.sort_by else None,
        every=arranged.every,
        brief=_is_read_at_once(given),
        now=datetime.now(UTC),
        invocation=_invocation(given),
        details=given.details,
        jobs=given.jobs.number,
    )


def _shows_details(shown: Shown) -> bool:
    """Return whether a format of the result shows more than its items."""
    forms = [*([shown.format] if shown.format else []), *(report.form for report in shown.reports)]
    return any(chosen(form)[0].details for form in forms)


def _format(given: Arguments) -> str:
    return given.shown.format or offered(PLAN)[0]


def _is_read_at_once(given: Arguments) -> bool:
    """Return whether the plan for people is on the same terminal as what goes with it."""
    both = sys.stdout.isatty() and sys.stderr.isatty()
    return both and _format(given) == "table" and not given.verbose.verbose


def _invocation(given: Arguments) -> Invocation:
    """Return the command line for others that go on from here; none with what may be secret in a URL."""
    pods = (*given_words(given.source), *given_words(given.scope))
    facts = (*given_words(given.releases.data), *given_words(given.facts), *given_words(given.patched))
    program = click.get_current_context().find_root().info_name or ""
    return Invocation(program, *(tuple(map(without_secrets, words)) for words in (pods, facts)))


def _exit_code(plan: Plan) -> ExitCode:
    if plan.summary.findings:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if plan.summary.unknown else ExitCode.OK
