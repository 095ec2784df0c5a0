"""``hashcompat releases``: what is known."""

from __future__ import annotations

import click

from hashcompat.cli import options
from hashcompat.render.documents import releases_document
from hashcompat.render.tables import releases_table


@click.command("releases", short_help="List the known kubelet releases, their types and eras.")
@options.schemas_option
@options.output_options
def command(**given: options.Given) -> None:
    """List the known kubelet releases: the type tree and the hash era of each minor, and the Go that built it."""
    catalog = options.catalog(given)
    output = options.output(given)
    output.show(
        lambda: releases_document(catalog),
        lambda form: (
            "\n".join(catalog.releases()) if form == "name" else releases_table(catalog, wide=form == "wide", headers=not output.no_headers)
        ),
    )
