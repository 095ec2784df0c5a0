"""``hashcompat collector``: recorded hashes from nodes without Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """``collector`` asks nothing."""


@declared("collector", Arguments, short_help="Print a shell script that collects recorded hashes on a node.")
def command(_given: Arguments) -> None:
    """Print a POSIX shell script for nodes without Python: it prints there what --recorded reads here.

    hashcompat collector | ssh NODE sudo sh > NODE.json
    """
    script = Path(__file__).resolve().parents[2] / "collector" / "collect.sh"
    output.write([script.read_text(encoding="utf-8")])
