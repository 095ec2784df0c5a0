"""Generate docs/vendors.md: the distributions in schemas/tables/vendors.json, for people."""

from __future__ import annotations

import json
from typing import Any, Final

from scripts.lib.paths import TABLES

_TEXT: Final = """# Distributions

Which distributions have kubelets of their own, what their versions look like, and which of their properties
affect a kubelet upgrade. If a kubelet's source is not public, a change of the hash algorithm between two
releases is UNKNOWN unless recorded hashes show what it computes, or `--assume-upstream` states that it is
upstream's.

{rows}

`--from kubeedge:1.21` is the Kubernetes release that this release of KubeEdge contains: {edges}.
"""

_COLUMNS: Final = {
    "name": "distribution",
    "suffix": "suffix of its versions",
    "kubelet": "kubelet",
    "drains": "nodes are drained",
    "staticPods": "static pods",
    "socket": "socket",
    "root": "kubelet's root directory",
}
_CODE: Final = ("suffix", "socket", "root")


def page() -> str:
    """Return the page, with a row for each distribution in the order of the table."""
    document = json.loads((TABLES / "vendors.json").read_text(encoding="utf-8"))
    header = [_line(_COLUMNS.values()), _line("---" for _ in _COLUMNS)]
    rows = [_line(_cell(row, key) for key in _COLUMNS) for row in document["vendors"]]
    edges = ", ".join(f"{edge} has {release}" for edge, release in document["kubeedge"].items())
    return _TEXT.format(rows="\n".join(header + rows), edges=edges)


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(row: dict[str, str], key: str) -> str:
    text = row[key].replace("|", "\\|") or "none"
    return f"`{text}`" if key in _CODE and row[key] else text
