"""``hashcompat verify``: golden hashes in CI."""

from __future__ import annotations

from pathlib import Path

import click

from hashcompat.cli import options
from hashcompat.cli.output import note
from hashcompat.errors import ExitCode
from hashcompat.golden import verify
from hashcompat.render.documents import verify_document
from hashcompat.render.tables import verify_names, verify_table


@click.command("verify", short_help="Compare golden directories with what this program computes.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--show-values", is_flag=True, help="Show the text before a difference, values included.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
@options.schemas_option
@options.output_options
def command(paths: tuple[str, ...], **given: options.Given) -> int:
    """Compute every text and hash of golden directories anew; exit 2 when one differs.

    A golden directory holds inputs/CASE.json, and for each release RELEASE/CASE.txt and RELEASE/HASHES.
    """
    catalog = options.catalog(given)
    results = [verify(Path(path), catalog, show_values=bool(given["show_values"])) for path in paths]
    output = options.output(given)
    output.show(
        lambda: verify_document(results),
        lambda form: verify_names(results) if form == "name" else verify_table(results, headers=not output.no_headers),
    )
    if not given["quiet"]:
        for result in results:
            note(f"{result.directory}: {result.compared} hashes of {result.cases} cases compared, {len(result.mismatches)} differ")
    return ExitCode.FINDING if any(result.mismatches for result in results) else ExitCode.OK
