"""``hashcompat plan``: which containers are killed, where, why."""

from __future__ import annotations

from dataclasses import replace

import click

from hashcompat.answers.hashes import dropped_fields
from hashcompat.catalog.lookup import Catalog
from hashcompat.cli.args import options
from hashcompat.cli.output import note, note_dropped
from hashcompat.errors import ExitCode, UsageError
from hashcompat.model.plan import FINDINGS, Plan, Verdict
from hashcompat.model.pods import Inventory
from hashcompat.planning.hops import plan_with_hops
from hashcompat.planning.options import AUTO, Options
from hashcompat.planning.patched import STRATEGIES, assume
from hashcompat.report.documents import plan_document
from hashcompat.report.tables import names, plan_notes, plan_table


@click.command("plan", short_help="Say which containers a kubelet upgrade restarts, where, and why.")
@options.release_options
@options.source_options
@options.knowledge_options
@click.option(
    "--assume-patch",
    type=click.Choice(STRATEGIES),
    help="Plan for a kubelet that is patched as hashcompat patch does.",
)
@click.option(
    "--like",
    metavar="RELEASE[,RELEASE...]",
    help="The releases that the assumed patch is like; default: those that run now.",
)
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
    catalog = options.catalog(given)
    from_release, to_release = options.releases(given)
    known = [
        catalog.kubelet(release)
        for release in (from_release, to_release)
        if release != AUTO or release is to_release
    ]
    inventory = options.collect(given)
    choices = _with_patch(given, options.choices(given, catalog, inventory), inventory, catalog)
    plan = plan_with_hops(inventory, from_release, to_release, catalog, choices)
    shown_plan = _without_kept(plan) if given["only_restarts"] else plan
    output = options.output(given)
    output.show(
        lambda: plan_document(plan, catalog, shown_plan.items),
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


def _with_patch(given: options.Given, choices: Options, inventory: Inventory, catalog: Catalog) -> Options:
    if not given["assume_patch"]:
        if given["like"]:
            raise UsageError("--like goes with --assume-patch")
        return choices
    from_release, to_release = options.releases(given)
    running = (
        [node.kubelet for node in inventory.nodes if catalog.knows(node.kubelet)]
        if from_release == AUTO
        else [from_release]
    )
    likes = str(given["like"]).split(",") if given["like"] else list(dict.fromkeys(running))
    patch = assume(str(given["assume_patch"]), to_release, [like.strip() for like in likes], catalog)
    if patch is None:
        note(
            f"No patch needed: {to_release} hashes every container as {', '.join(likes)} does that sets only fields which both know."
        )
    return replace(choices, patch=patch)


def _without_kept(plan: Plan) -> Plan:
    return replace(plan, items=tuple(item for item in plan.items if item.verdict is not Verdict.KEEP))


def _exit_code(plan: Plan) -> ExitCode:
    verdicts = {item.verdict for item in plan.items}
    if verdicts & FINDINGS:
        return ExitCode.FINDING
    return ExitCode.UNDECIDED if Verdict.UNKNOWN in verdicts else ExitCode.OK
