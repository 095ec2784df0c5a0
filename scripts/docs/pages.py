"""Generate the pages of docs that data decide, and in others what they quote: outputs, a table, a drawing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

from hashcompat.analysis.answers import matrix as matrices
from hashcompat.analysis.answers.matrix import Matrix
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.release import parse_release
from hashcompat.output.report.matrix import MATRIX, who
from scripts.docs import (
    affected,
    badges,
    captures,
    fleet,
    formats,
    hashed,
    imports,
    reality,
    rules,
    upgrades,
    vendors,
)
from scripts.lib.generated import Generated, relative
from scripts.lib.paths import DOCS, ROOT

README: Final = ROOT / "README.md"

_MATRIX: Final = """# Matrix

Which containers an in-place upgrade of the kubelet restarts, from the newest patch release of one minor to
that of another, because of the hash algorithm, the Go types and the Go that built it: running containers of
API pods that nobody changed. `all`: every container; `some`: those that the table below names; `.`: none. A
rollback restarts the same containers.

Not included, because they do not depend on the hash alone (see [rules](rules.md)): new sandboxes (1.0 - 1.3
and 1.6), the removal of dockershim (1.24), static pods, sidecars (1.32), resize policies (1.33), defaults of
a new API server. `hashcompat matrix -f FILE` counts these too, for your own pods.

## The command

A row is where an upgrade starts, a column where it ends. Neighbours share a row and a column if nothing
distinguishes them: equal counts (without pods, equal words) to and from every other release, and nothing that
restarts between them. `1.16` is the newest known patch release of that minor; `--every-patch` shows all of
them. On a narrow terminal, columns have the numbers of their rows and continue below; when output is not a
terminal, nothing is omitted.

`12` means that 12 containers restart or are killed; `0+3?` means three UNKNOWN, which never count as kept.
The counts of a cell are those of `hashcompat plan` between the two releases.

## Paths

Below the grid of your own pods are two paths from the first release to the last, with the count of each step:

- the one with the **fewest steps inside the version skew policy**: an API server of the newer release of a
  step allows both kubelets. So a kubelet may be upgraded by two minors at once, and from 1.25 on by three.
  The policy also requires a drain before every upgrade to another minor, which no path avoids;
- the one with the **fewest restarts**, whatever the policy says. UNKNOWN counts as a restart.
"""


def make() -> dict[Path, bytes]:
    """Compute every generated page."""
    catalog = default_catalog()
    texts = {
        "rules.md": rules.rules_markdown(),
        "preflight-checks.md": rules.checks_markdown(),
        "matrix.md": _matrix(catalog),
        "reality.md": reality.page(),
        "upgrades.md": affected.page(),
        "vendors.md": vendors.page(),
        "fleet.md": fleet.page(),
        "hash.md": hashed.page(),
        "formats.md": formats.page(),
        "architecture.md": imports.drawn(),
    }
    contents = {name: text.encode() for name, text in texts.items()}
    made = relative(DOCS, contents | {"images/badges.svg": badges.picture()})
    quoting = {page: captures.quoted(page.read_text(encoding="utf-8")) for page in captures.pages()}
    quoting[README] = upgrades.tabled(quoting[README])
    made[fleet.ATHENA.relative_to(ROOT)] = fleet.athena().encode()
    return made | {page.relative_to(ROOT): text.encode() for page, text in quoting.items()}


def _matrix(catalog: Catalog) -> str:
    matrix = matrices.make(View(catalog))
    parts = (
        _MATRIX.rstrip("\n"),
        "## Minor by minor",
        _boundaries(matrix),
        "## Every pair",
        _grid(matrix),
    )
    return "\n\n".join(parts) + "\n"


def _boundaries(matrix: Matrix) -> str:
    """Return the boundaries between neighbours as a Markdown table, upgrade and rollback alike."""
    lines = ["| from | to | which containers restart | upstream |", "|---|---|---|---|"]
    for old, new in pairwise(matrix.releases):
        cell, (before, after) = matrix.cells[old, new], _minors((old, new))
        lines.append(f"| {before} | {after} | {who(cell)} | {cell.upstream or '-'} |")
    return "\n".join(lines)


def _grid(matrix: Matrix) -> str:
    """Return the whole grid as a Markdown table."""
    names = _minors(matrix.releases)
    lines = [f"| from \\ to | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    rows = MATRIX.table(matrix).rows() if MATRIX.table else ()
    for (_, *cells), name in zip(rows, names, strict=True):
        lines.append(f"| **{name}** | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _minors(releases: Iterable[str]) -> list[str]:
    return [parse_release(release).minor for release in releases]


GENERATED: Final = Generated(
    make,
    owned=tuple(
        f"docs/{name}.md"
        for name in (
            *("rules", "preflight-checks", "matrix", "reality", "upgrades"),
            *("vendors", "formats", "architecture", "hash"),
        )
    ),
)
