"""What hand-written pages quote from the program: each output below a mark with its command line.

A page shows ``<!-- output: plan --sample ... -->`` and below it a fenced block; the block is what
``hashcompat plan --sample ...`` prints on stdout.
"""

from __future__ import annotations

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
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if MARKED.search(path.read_text(encoding="utf-8")):
            yield path


def printed(arguments: str) -> str:
    """Return what a command line prints on stdout, without the last line break."""
    program = [sys.executable, "-m", "hashcompat", *shlex.split(arguments)]
    return subprocess.run(program, cwd=ROOT, check=True, capture_output=True, text=True).stdout.rstrip("\n")


def _taken(mark: re.Match[str]) -> str:
    arguments = mark["arguments"]
    return f"<!-- output: {arguments} -->\n```\n{printed(arguments)}\n```"


def quoted(page: str) -> str:
    """Return a page with each output as the program prints it today."""
    return MARKED.sub(_taken, page)
