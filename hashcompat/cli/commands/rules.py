"""``hashcompat rules``: the reasons behind verdicts, one by one."""

from __future__ import annotations

import click

from hashcompat.cli.args import options
from hashcompat.report.rules import rules_document, rules_table
from hashcompat.rules import RULES


@click.command("rules", short_help="List the rules behind verdicts by their ids.")
@options.output_options
def command(**given: options.Given) -> None:
    """List the rules behind verdicts: the stable id, what it means, and where Kubernetes says so."""
    output = options.output(given)
    output.show(
        rules_document,
        lambda form: (
            "\n".join(rule.id for rule in RULES)
            if form == "name"
            else rules_table(wide=form == "wide", headers=not output.no_headers)
        ),
    )
