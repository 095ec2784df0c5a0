"""Write the built-in sample cluster, so that every boundary of the hash can be seen without a cluster.

The manifests in sample/ are expanded to what `kubectl get nodes,pods -A -o json` prints. Two annotations say
what a manifest cannot: `sample/nodes` (one pod on each; a DaemonSet needs none) and `sample/state` (see
sample/status.py). Run without arguments to write the file; run with `--check` to fail when the file differs.
There is no randomness.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from sample.pods import pod
from sample.workloads import Json, nodes, replicas

TARGET = Path(__file__).resolve().parent.parent / "hashcompat" / "sample" / "cluster.json"


def cluster() -> Json:
    """Return the whole dump, ordered as kubectl orders it: nodes, then pods by namespace and name."""
    ordered = sorted(replicas(), key=lambda replica: replica.key)
    return {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"resourceVersion": ""},
        "items": [*nodes(), *map(pod, ordered)],
    }


def render() -> str:
    """Return the file's text; like kubectl with sorted keys and with <, > and & escaped."""
    text = json.dumps(cluster(), indent=1, sort_keys=True, ensure_ascii=False)
    return text.translate({ord(char): f"\\u{ord(char):04x}" for char in "<>&"}) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with --check return 1 when it is not what this script writes."""
    parser = argparse.ArgumentParser(
        description="Write hashcompat/sample/cluster.json from the manifests in scripts/sample/."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file differs")
    if parser.parse_args(arguments).check:
        return int(not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != render())
    TARGET.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
