"""Write the reference pages that are made from the program's own tables: docs/rules.md and docs/matrix.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from hashcompat.answers.matrix import make
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.planning.view import View
from hashcompat.report.matrix import markdown, markdown_grid
from hashcompat.report.rules import rules_markdown

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
_MATRIX: Final = """# Matrix

Which containers an in-place upgrade of the kubelet restarts, from the newest patch release of one minor to that of another: by the hash
algorithm, the Go types and the Go that built it alone, for running containers of API pods that nobody changed. `all`: every container;
`some`: those that the table below names; `.`: none. The way back restarts the same.

Not in it, because more than the hash decides (see [rules](rules.md)): new sandboxes (1.0 - 1.3 and 1.6), the end of dockershim (1.24),
static pods, sidecars (1.32), resize policies (1.33), defaults of a new API server. `hashcompat matrix -f FILE` counts these too, for pods
of your own.
"""


def pages(catalog: Catalog) -> dict[Path, str]:
    """Return the content of every generated page by its path."""
    matrix = make(View(catalog))
    parts = [
        _MATRIX.rstrip("\n"),
        "## Minor by minor",
        markdown(matrix),
        "## Every pair",
        markdown_grid(matrix),
    ]
    return {DOCS / "rules.md": rules_markdown(), DOCS / "matrix.md": "\n\n".join(parts) + "\n"}


def outdated(catalog: Catalog) -> list[Path]:
    """Name the pages that are not what the tables say."""
    return [
        path
        for path, text in pages(catalog).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def main() -> None:
    """Write the pages, or with --check exit 1 when one is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="only compare; exit 1 when a page is not up to date"
    )
    if parser.parse_args().check:
        old = [str(path.relative_to(DOCS.parent)) for path in outdated(default_catalog())]
        sys.exit(f"not up to date, run python scripts/docs.py: {', '.join(old)}" if old else 0)
    for path, text in pages(default_catalog()).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
