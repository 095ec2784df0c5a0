"""Generate docs/reality.md: what happened on a real node at every change of kubelets in golden/reality."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from scripts.golden.reality import PLANS, changes, name_of, read
from scripts.lib.paths import REALITY

_TEXT: Final = """# Reality

What `plan` said before and what happened afterwards, on one node whose kubelets took turns on one root
directory: kubelets built from upstream's source, some with a patch of `hashcompat patch`; containerd and runc
from Debian; a real API server. Between two kubelets, while none ran, processes and sandboxes were killed,
images changed, labels removed and taints set.

Each change was planned three times: from the pods alone, with what the collector reads on the node, and with
the manifests of the static pods too.

| plan | verdicts | UNKNOWN | contradicted by what happened |
|---|---|---|---|
{plans}

What contradicted the plans from less: what was done to five pods after the old kubelet had stopped, which
pods alone do not show; resources that an earlier kubelet had noted as applied, as a printed assumption says;
and a static pod whose manifest sets a uid of 32 digits, which only the manifest shows, as the reason says.
`golden/reality` has all that was given and observed, and the tests replay it; `tests/suites/reality` does it
again.

| from | to | containers | kept | restarted | killed | not running | pods recreated |
|---|---|---|---|---|---|---|---|
{rows}
"""

_ABOUT: Final = {
    "bare": "the pods alone",
    "recorded": "with the collector's output",
    "static": "with the manifests of static pods too",
}


def page() -> str:
    """Return the page, with a row for each change in the order in which they were made."""
    verdicts = json.loads((REALITY / "VERDICTS.json").read_text(encoding="utf-8"))
    found = [verdicts[name_of(path)] for path in changes()]
    plans = [_plan(plan, [tallies[plan] for tallies in found]) for plan in PLANS]
    return _TEXT.format(plans="\n".join(plans), rows="\n".join(_row(read(path)) for path in changes()))


def _plan(plan: str, tallies: list[dict[str, int]]) -> str:
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update(tally)
    contradicted = total.pop("contradicted")
    return f"| {_ABOUT[plan]} | {total.total():,} | {total['UNKNOWN']} | {contradicted} |"


def _row(change: dict[str, Any]) -> str:
    observed = change["observed"]
    outcomes = Counter(row["outcome"] for row in observed)
    recreated = {(row["namespace"], row["pod"]) for row in observed if row["podRecreated"]}
    counts = [outcomes[word] for word in ("kept", "restarted", "killed")]
    resting = outcomes["idle"] + outcomes["started"]
    cells = [change["from"], change["to"], len(observed), *counts, resting, len(recreated)]
    return f"| {' | '.join(map(str, cells))} |"
