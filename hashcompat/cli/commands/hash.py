"""``hashcompat hash``: the primitive, like sha256sum."""

from __future__ import annotations

from collections.abc import Iterable

import click

from hashcompat.answers.hashes import dropped_fields, hash_containers
from hashcompat.cli.args import options
from hashcompat.cli.output import note, note_dropped
from hashcompat.errors import UsageError
from hashcompat.planning.options import Options
from hashcompat.planning.view import View
from hashcompat.report.documents import hash_document
from hashcompat.report.tables import hash_inputs, hash_names, hash_table


@click.command("hash", short_help="Print the hash of every container under some kubelet releases.")
@click.option("--kubelet", metavar="RELEASE[,RELEASE...]", help="The kubelet releases that compute the hash.")
@options.source_options
@click.option(
    "--show-input", is_flag=True, help="Print the exact text that is hashed; needs --show-values too."
)
@click.option("--show-values", is_flag=True, help="Allow values of env, args and commands in the output.")
@click.option("-v", "--verbose", is_flag=True, help="Also report the fields that a kubelet drops.")
@options.schemas_option
@options.output_options
def command(**given: options.Given) -> None:
    """Print the hash that each kubelet release computes for every container, decimal and hex."""
    catalog = options.catalog(given)
    if not given["kubelet"]:
        raise UsageError(
            "--kubelet is missing; say which kubelet releases compute the hash, such as --kubelet 1.7.16,1.9.11"
        )
    if given["show_input"] and not given["show_values"]:
        raise UsageError("--show-input prints values of env, args and commands; say so with --show-values")
    releases = [name.strip() for name in str(given["kubelet"]).split(",")]
    kubelets = [catalog.kubelet(name) for name in releases]
    inventory = options.collect(given)
    view = View(catalog, Options(not given["no_defaults"]))
    hashed = hash_containers(inventory, releases, view, with_text=bool(given["show_input"]))
    rows = hashed.rows
    output = options.output(given)

    def text(form: str) -> str | Iterable[str]:
        if given["show_input"]:
            return hash_inputs(rows)
        return (
            hash_names(rows)
            if form == "name"
            else hash_table(rows, wide=form == "wide", headers=not output.no_headers)
        )

    output.show(lambda: hash_document(hashed), text)
    for line in [*(f"Assumed: {assumption}" for assumption in hashed.assumptions), *hashed.unknown_uids]:
        note(line)
    if given["verbose"]:
        note_dropped(dropped_fields(inventory, kubelets))
