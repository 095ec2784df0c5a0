"""``hashcompat matrix``: which pairs of releases restart what."""

from __future__ import annotations

import click

from hashcompat.answers.matrix import Matrix, make
from hashcompat.cli.args import options
from hashcompat.cli.output import note
from hashcompat.planning.view import View
from hashcompat.report.matrix import grid, listing, matrix_document, path_words


@click.command(
    "matrix", short_help="Show which pairs of releases restart what, and the cheapest path between two."
)
@options.release_options
@options.source_options
@options.knowledge_options
@click.option(
    "--every-patch", "patches", is_flag=True, help="Every patch release instead of the newest of each minor."
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
@options.schemas_option
@options.output_options
def command(**given: options.Given) -> None:
    """Compare every pair of releases, both ways: who restarts, and the upstream change behind it.

    With pods: how many containers among them restart for each pair, and the way from --from to --to that
    restarts fewest.
    """
    catalog = options.catalog(given)
    first, last = str(given["from_release"] or ""), str(given["to_release"] or "")
    inventory, view = None, View(catalog)
    if options.has_source(given):
        inventory = options.collect(given)
        view = View(catalog, options.choices(given, catalog, inventory))
    matrix = make(view, first, last, inventory, patches=bool(given["patches"]))
    output = options.output(given)
    headers = not output.no_headers
    output.show(
        lambda: matrix_document(matrix),
        lambda form: _text(form, matrix, headers=headers),
    )
    if matrix.path and not given["quiet"]:
        for warning in matrix.warnings:
            note(f"Warning: {warning}")
        note(path_words(matrix.path))


def _text(form: str, matrix: Matrix, *, headers: bool) -> str:
    if form == "name":
        return "\n".join(matrix.releases)
    return listing(matrix, headers=headers) if form == "wide" else grid(matrix, headers=headers)
