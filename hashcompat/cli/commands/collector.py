"""``hashcompat collector``: what is read on nodes without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import group, option

_SWITCH: Final = "\nWANTED=records\n"
"""The line of the script that says how much it reads."""


@group
class Arguments:
    """What ``collector`` is asked."""

    preflight: bool = option(
        "--preflight", is_flag=True, help="Also collect what hashcompat preflight checks."
    )


@declared("collector", Arguments, short_help="Print a shell script that collects recorded hashes on a node.")
def command(given: Arguments) -> None:
    """Print a POSIX shell script for nodes without Python; its output is what --recorded reads.

    With --preflight, the output is also what hashcompat preflight --dump reads.

    hashcompat collector | ssh NODE sudo sh > NODE.json
    """
    script = Path(__file__).resolve().parents[2] / "collector" / "collect.sh"
    text = script.read_text(encoding="utf-8")
    output.write([text.replace(_SWITCH, "\nWANTED=preflight\n", 1) if given.preflight else text])
