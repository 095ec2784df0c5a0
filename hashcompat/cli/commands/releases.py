"""``hashcompat releases``: what is known, and how to make a newer release known."""

from __future__ import annotations

import click

from hashcompat.cli.args import options
from hashcompat.errors import UsageError
from hashcompat.report.documents import releases_document
from hashcompat.report.tables import releases_table


@click.command(
    "releases", short_help="List the known kubelet releases, their types and eras; add a newer one."
)
@click.option(
    "--add", metavar="RELEASE", help="Make a release known that is newer than this program, by its Go types."
)
@click.option(
    "--types", metavar="FILE|URL", help="Its core/v1/types.go; default: that of k8s.io/api on GitHub."
)
@options.schemas_option
@options.output_options
def command(add: str | None, types: str | None, **given: options.Given) -> None:
    """List the known kubelet releases: the type tree and the hash era of each minor, and the Go that built it.

    With --add: save a newer release among the user's data, and show what differs from the newest one known.
    Its algorithm and behaviour are taken to be those of that one, and plans say so.
    """
    if types and not add:
        raise UsageError("--types goes with --add RELEASE")
    catalog = options.catalog(given)
    output = options.output(given)
    if add:
        from hashcompat.cli.commands.adding import add_release

        if given["schemas"]:
            raise UsageError("--add saves among the user's data, not in --schemas DIR")
        add_release(add, types, output)
        return
    output.show(
        lambda: releases_document(catalog),
        lambda form: (
            "\n".join(catalog.releases())
            if form == "name"
            else releases_table(catalog, wide=form == "wide", headers=not output.no_headers)
        ),
    )
