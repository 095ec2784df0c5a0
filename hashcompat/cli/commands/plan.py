"""``hashcompat plan``: which containers are killed, where, why."""

from __future__ import annotations

from dataclasses import replace

import click

from hashcompat import planning
from hashcompat.answers.hashes import dropped_fields
from hashcompat.cli.args import options
from hashcompat.cli.output import note, note_dropped
from hashcompat.errors import ExitCode
from hashcompat.model.plan import FINDINGS, Plan, Verdict
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.report.documents import plan_document
from hashcompat.report.tables import names, plan_notes, plan_table


@click.command("plan", short_help="Say which containers a kubelet upgrade restarts, where, and why.")
@options.release_options
@options.source_options
@options.knowledge_options
@options.patch_options
@click.option("--only-restarts", is_flag=True, help="Leave out the containers that are kept.")
@click.option(
    "--keep-going", is_flag=True, help="Make a container that does not decode UNKNOWN instead of stopping."
)
@click.option(
    "--detailed-exitcode",
    is_flag=True,
    help="Exit 2 when containers restart, 3 when some are UNKNOWN and none restarts.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
@click.option("-v", "--verbose", is_flag=True, help="Also report the fields that a kubelet drops.")
@options.schemas_option
@options.output_options
def command(**given: options.Given) -> int:
    """Say which containers are killed and created again when kubelets go from one release to another.

    A pod with a uid is hashed exactly as given; one without uid and status is a manifest and first gets an
    API server's defaults.
    """
    view = View(options.catalog(given))
    from_release, to_release = options.releases(given)
    known = [
        view.catalog.kubelet(release)
        for release in (from_release, to_release)
        if release != AUTO or release is to_release
    ]
    patch = options.assumed_patch(given)
    inventory = options.collect(given)
    choices = replace(options.choices(given, view.catalog, inventory), patch=patch)
    plan = planning.make(inventory, from_release, to_release, replace(view, options=choices))
    shown_plan = _without_kept(plan) if given["only_restarts"] else plan
    output = options.output(given)
    output.show(
        lambda: plan_document(plan, shown_plan.items),
        lambda form: (
            names(shown_plan)
            if form == "name"
            else plan_table(shown_plan, output.paint, wide=form == "wide", headers=not output.no_headers)
        ),
    )
    if given["verbose"]:
        note_dropped(dropped_fields(inventory, known))
    if not given["quiet"]:
        for line in plan_notes(plan):
            note(line)
    return _exit_code(plan) if given["detailed_exitcode"] else ExitCode.OK


def _without_kept(plan: Plan) -> Plan:
    return replace(plan, items=tuple(item for item in plan.items if item.verdict is not Verdict.KEEP))


def _exit_code(plan: Plan) -> ExitCode:
    verdicts = {item.verdict for item in plan.items}
    if verdicts & FINDINGS:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if Verdict.UNKNOWN in verdicts else ExitCode.OK
