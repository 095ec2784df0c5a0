"""Make the built-in sample cluster, so that every boundary of the hash can be seen without a cluster.

The manifests in sample/manifests are expanded to what `kubectl get nodes,pods -A -o json` prints. Two
annotations say what a manifest cannot: `sample/nodes` (one pod on each; a DaemonSet needs none) and
`sample/state` (see sample/status.py). There is no randomness.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from scripts.lib.generated import Generated
from scripts.lib.paths import ROOT, SAMPLE
from scripts.sample.pods import pod
from scripts.sample.workloads import Json, nodes, replicas


def cluster() -> Json:
    """Return the whole dump, ordered as kubectl orders it: nodes, then pods by namespace and name."""
    ordered = sorted(replicas(), key=lambda replica: replica.key)
    return {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"resourceVersion": ""},
        "items": [*nodes(), *map(pod, ordered)],
    }


def make() -> dict[Path, bytes]:
    """Compute the one file; like kubectl with sorted keys and with <, > and & escaped."""
    text = json.dumps(cluster(), indent=1, sort_keys=True, ensure_ascii=False)
    text = text.translate({ord(char): f"\\u{ord(char):04x}" for char in "<>&"}) + "\n"
    return {SAMPLE.relative_to(ROOT): text.encode()}


GENERATED: Final = Generated(make, owned=("hashcompat/sample/cluster.json",))
