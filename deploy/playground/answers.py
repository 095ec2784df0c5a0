"""What the page asks of hashcompat: a command line, answered as on a terminal."""

from __future__ import annotations

import io
import sys

from hashcompat.cli.main import main


def ask(words: list[str]) -> tuple[int, str, str]:
    """Run a command; return its exit code, its output and its messages."""
    out, err = io.BytesIO(), io.BytesIO()
    kept = sys.argv, sys.stdout, sys.stderr
    sys.argv = ["hashcompat", *words]
    # held until the end: a wrapper that nobody holds closes what it wraps
    wrappers = [io.TextIOWrapper(one, "utf-8", write_through=True) for one in (out, err)]
    sys.stdout, sys.stderr = wrappers
    try:
        code = main()
    finally:
        sys.argv, sys.stdout, sys.stderr = kept
    return code, out.getvalue().decode(), err.getvalue().decode()
