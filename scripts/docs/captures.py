"""What hand-written pages quote from the program: each output below a mark with its command line.

A page shows ``<!-- output: plan --sample ... -->`` and below it a fenced block; the block is what
``hashcompat plan --sample ...`` prints on stdout, in the root of the repository. A shell runs it, so a
capture can be a part: ``... 2>&1 | head -n 5``.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scripts.lib.paths import ROOT

MARKED: Final = re.compile(r"<!-- output: (?P<arguments>.+?) -->\n```\n(?P<shown>(?:(?!```).*\n)*)```")


def pages() -> Iterator[Path]:
    """Yield README.md and the pages of docs that quote an output."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if MARKED.search(path.read_text(encoding="utf-8")):
            yield path


def printed(arguments: str) -> str:
    """Return what a command line prints on stdout, without the last line break.

    Raises CalledProcessError for one that fails; a gate may say no.
    """
    program = f'hashcompat() {{ {shlex.quote(sys.executable)} -m hashcompat "$@"; }}; hashcompat {arguments}'
    env = os.environ | {"SOURCE_DATE_EPOCH": _NOW}
    done = subprocess.run(
        ["sh", "-c", program], cwd=ROOT, capture_output=True, text=True, env=env, check=False
    )
    if done.returncode not in (0, 2, 3) or not done.stdout:
        raise subprocess.CalledProcessError(done.returncode, program, done.stdout, done.stderr)
    return done.stdout.rstrip("\n")


_NOW: Final = "1768212000"
"""2026-01-12 10:00:00 UTC, an hour after the dump of examples/first-plan was taken."""


def _taken(mark: re.Match[str]) -> str:
    arguments = mark["arguments"]
    return f"<!-- output: {arguments} -->\n```\n{printed(arguments)}\n```"


def quoted(page: str) -> str:
    """Return a page with each output as the program prints it today."""
    return MARKED.sub(_taken, page)
