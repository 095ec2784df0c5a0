"""``hashcompat plan``: which containers are killed, where, why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hashcompat import planning
from hashcompat.answers.hashes import dropped_fields
from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import option
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet, Shown, Verbose, Withheld, shows
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.errors import ExitCode
from hashcompat.model.plan import Plan
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.report.plan import PLAN, without_kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``plan`` is asked."""

    only_restarts: bool = option(
        "--only-restarts", is_flag=True, help="Leave out the containers that are kept."
    )
    keep_going: bool = option(
        "--keep-going",
        is_flag=True,
        help="Make a container that does not decode UNKNOWN instead of stopping.",
    )
    detailed_exitcode: bool = option(
        "--detailed-exitcode",
        is_flag=True,
        help="Exit 2 when containers restart, 3 when some are UNKNOWN and none restarts.",
    )
    releases: Releases
    source: Source
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(PLAN)]
    withheld: Withheld
    quiet: Quiet
    verbose: Verbose


@declared("plan", Arguments, short_help="Say which containers a kubelet upgrade restarts, where, and why.")
def command(given: Arguments) -> int:
    """Say which containers are killed and created again when kubelets go from one release to another.

    A pod with a uid is hashed exactly as given; one without uid and status is a manifest and first gets an
    API server's defaults.
    """
    way, quiet = given.releases.way, given.quiet.quiet
    catalog = given.releases.data.catalog(quiet=quiet)
    kubelets = [catalog.kubelet(way.old)] if way.old != AUTO else []
    kubelets.append(catalog.kubelet(way.new))
    patches, is_auto = given.patched.patches, way.old == AUTO
    reading = Reading(given.source, given.scope, needs_nodes=is_auto, quiet=quiet)
    found = reading.inventory()
    options = given.facts.options(reading, found, catalog, keep_going=given.keep_going, patches=patches)
    plan = planning.make(found, way.old, way.new, View(catalog, options))
    plan = given.withheld.of(plan)
    output.show(PLAN, without_kept(plan) if given.only_restarts else plan, given.shown)
    if given.verbose.verbose:
        output.note_dropped(dropped_fields(found, kubelets))
    output.notes(PLAN, plan, quiet=quiet)
    return _exit_code(plan) if given.detailed_exitcode else ExitCode.OK


def _exit_code(plan: Plan) -> ExitCode:
    if plan.summary.findings:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if plan.summary.unknown else ExitCode.OK
