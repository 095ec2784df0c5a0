"""Generate docs/reality.md: what happened on a real node at every change of kubelets in golden/reality."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any, Final

from scripts.lib.paths import REALITY

_TEXT: Final = """# Reality

What `plan` said before and what happened afterwards, on one node whose kubelets took turns on one root
directory: kubelets built from upstream's source, some with a patch of `hashcompat patch`; containerd and runc
from Debian; a real API server. Between two kubelets, while none ran, processes and sandboxes were killed,
images changed, labels removed and taints set.

Each change was planned three times: from the pods alone, with what the collector reads on the node, and with
the manifests of the static pods too. The verdict of every container, and whether its pod is recreated, were
as predicted: nothing contradicted any of {verdicts} verdicts. Only a plan from less than everything may be
wrong, and only where it says on what its verdict depends: that the current release created a container, or
that the manifest of a static pod sets no uid. `golden/reality` has all that was given and observed, and the
tests replay it; `tests/suites/reality` does it again.

| from | to | containers | kept | restarted | killed | not running | pods recreated |
|---|---|---|---|---|---|---|---|
{rows}
"""


def page() -> str:
    """Return the page, with a row for each change in the order in which they were made."""
    changes = [json.loads(gzip.decompress(path.read_bytes())) for path in sorted(REALITY.glob("*.json.gz"))]
    verdicts = 3 * sum(len(change["observed"]) for change in changes)
    return _TEXT.format(verdicts=f"{verdicts:,}", rows="\n".join(map(_row, changes)))


def _row(change: dict[str, Any]) -> str:
    observed = change["observed"]
    outcomes = Counter(row["outcome"] for row in observed)
    recreated = {(row["namespace"], row["pod"]) for row in observed if row["podRecreated"]}
    counts = [outcomes[word] for word in ("kept", "restarted", "killed")]
    resting = outcomes["idle"] + outcomes["started"]
    cells = [change["from"], change["to"], len(observed), *counts, resting, len(recreated)]
    return f"| {' | '.join(map(str, cells))} |"
