"""``hashcompat version``: this program's version and the releases it knows."""

from __future__ import annotations

import click

import hashcompat
from hashcompat.cli.args import options
from hashcompat.report.documents import version_document


@click.command("version", short_help="Print the version and the range of known kubelet releases.")
@options.schemas_option
@options.output_options
def command(**given: options.Given) -> None:
    """Print this program's version and the oldest and newest kubelet release that it knows."""
    catalog = options.catalog(given)
    known = catalog.known
    text = f"hashcompat {hashcompat.__version__}\nkubelet releases {known.oldest} - {known.newest}"
    options.output(given).show(
        lambda: version_document(catalog), lambda form: hashcompat.__version__ if form == "name" else text
    )
