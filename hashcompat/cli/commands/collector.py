"""``hashcompat collector``: recorded hashes from nodes without Python."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("collector", short_help="Print a shell script that collects recorded hashes on a node.")
def command() -> None:
    """Print a POSIX shell script for nodes without Python: it prints there what --recorded reads here.

    hashcompat collector | ssh NODE sudo sh > NODE.json
    """
    script = Path(__file__).resolve().parents[2] / "collector" / "collect.sh"
    click.echo(script.read_text(encoding="utf-8"), nl=False)
