"""``hashcompat snapshot``: a cluster in a file, without values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from hashcompat.answers.redaction import redacted
from hashcompat.cli.args import options
from hashcompat.cli.output import STDOUT, note, write_whole
from hashcompat.go import jsontext
from hashcompat.model.words import count
from hashcompat.report.snapshot import snapshot_document


@click.command("snapshot", short_help="Save what later plans need of a cluster, with values hidden.")
@options.source_options
@options.recorded_option
@click.option(
    "--out",
    metavar="FILE",
    help="Save the snapshot in FILE, gzipped where it ends in .gz; default and -: standard output.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
@options.schemas_option
def command(out: str | None, **given: options.Given) -> None:
    """Save pods and nodes so that -f FILE gives the same plans later, between any of the releases that are known now.

    Values of env, args, commands and HTTP headers are hidden; the hashes that they take part in are saved
    instead. Hashes are no encryption: who can guess a value can see whether the guess was right.
    """
    catalog = options.catalog(given)
    inventory = options.collect(given)
    hidden = redacted(replace(inventory, records=tuple(options.records(given, inventory))), catalog)
    text = jsontext.dumps(snapshot_document(hidden, catalog.releases()[-1]))
    if out in (None, STDOUT):
        click.echo(text)
    else:
        write_whole(Path(out), f"{text}\n")
    if not given["quiet"]:
        pods = list(hidden.pods)
        containers = sum(len(pod.containers) for pod in pods)
        note(
            f"{count(containers, 'container')} in {count(len(pods), 'pod')}, "
            f"{count(len(hidden.nodes), 'node')}, {count(len(hidden.records), 'record')}"
        )
