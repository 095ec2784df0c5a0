"""Count the modules and lines of the package: how much of it is in functions, and how much says why.

python scripts/size.py                  # of this checkout
python scripts/size.py DIRECTORY...     # of others, such as a worktree of an older commit
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from scripts.lib.paths import ROOT


@dataclass(frozen=True)
class Size:
    """What is counted of the modules of a package; lines that are blank count in ``lines`` alone."""

    modules: int
    lines: int
    filled: int
    """Lines that are not blank."""
    in_functions: int
    """Those in the bodies of functions, without their docstrings."""
    comments: int
    """Lines that are comments."""
    functions: int
    """Functions and methods."""


def size(package: Path) -> Size:
    """Count the modules below a directory."""
    counts = [0] * 6
    for path in sorted(package.rglob("*.py")):
        for place, number in enumerate((1, *of_module(path.read_text(encoding="utf-8")))):
            counts[place] += number
    return Size(*counts)


def of_module(text: str) -> tuple[int, int, int, int, int]:
    """Return the lines, those that are not blank, those in functions, comments, and functions."""
    lines = text.splitlines()
    filled = {number for number, line in enumerate(lines, 1) if line.strip()}
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    bodies = {number for function in functions for number in in_body(function)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    alone = {number for number in comments if lines[number - 1].lstrip().startswith("#")}
    return len(lines), len(filled), len(bodies & filled), len(alone), len(functions)


def in_body(function: ast.FunctionDef) -> Iterator[int]:
    """Yield the numbers of the lines of a function's body, but for its docstring."""
    first = function.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    for statement in function.body[is_text:]:
        yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each checkout."""
    rows = []
    roots = [Path(name) for name in (sys.argv[1:] if argv is None else argv)] or [ROOT]
    for root in roots:
        counts = size(root / "hashcompat")
        share = f"{counts.in_functions / counts.filled:.0%}", f"{counts.comments / counts.filled:.1%}"
        rows.append((str(root), counts.modules, counts.lines, counts.functions, *share))
    headers = ("checkout", "modules", "lines", "functions", "in their bodies", "comments")
    print(tabulate(rows, headers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
