"""``hashcompat matrix``: which pairs of releases restart what."""

from __future__ import annotations

import click

from hashcompat.answers.matrix import Matrix, make_matrix
from hashcompat.catalog.lookup import Catalog
from hashcompat.catalog.releases import every_patch, newest_of_each_minor
from hashcompat.cli.args import options
from hashcompat.cli.output import note
from hashcompat.planning.hops import findings_between
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
    known = catalog.releases()
    first, last = str(given["from_release"] or known[0]), str(given["to_release"] or known[-1])
    releases = (every_patch if given["patches"] else newest_of_each_minor)(catalog, first, last)
    cost = None
    if options.has_source(given):
        inventory = options.collect(given)
        cost = findings_between(inventory, catalog, options.choices(given, catalog, inventory))
    matrix = make_matrix(releases, catalog, cost)
    output = options.output(given)
    headers = not output.no_headers
    output.show(
        lambda: matrix_document(matrix, catalog),
        lambda form: _text(form, matrix, catalog, headers=headers),
    )
    if matrix.path and not given["quiet"]:
        note(path_words(matrix.path))


def _text(form: str, matrix: Matrix, catalog: Catalog, *, headers: bool) -> str:
    if form == "name":
        return "\n".join(matrix.releases)
    return listing(matrix, catalog, headers=headers) if form == "wide" else grid(matrix, headers=headers)
