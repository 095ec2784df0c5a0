"""Every command on inputs of every kind, in one process; what each printed and wrote, as one JSON document.

    python -m tests.helpers.everycommand DIRECTORY JOBS

Whoever starts it chooses the environment: the order of hashes, the time zone, the width of a terminal.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.sources.files import spans
from scripts.bench import cluster
from scripts.bench.made.shape import Shape
from scripts.lib.yamltext import as_yaml
from tests.cli.commands.test_patch import with_functions, with_sums
from tests.disruption.pods import budget, replica
from tests.helpers import randomness
from tests.helpers.dumps import as_text, dump
from tests.helpers.golden import small_lines
from tests.helpers.pods import Json, mirror_pod, node, pod
from tests.helpers.program import SAMPLE, formats_of, ran, reports
from tests.helpers.random_clusters import Cluster

KUBELETS: Final = (
    *("1.29.5", "1.29.5-gke.100", "1.29.5+k3s1", "1.29.5-eks-1", "1.29.5+rke2r1", "1.29.5-aks.2"),
    *("1.30.14", "1.30.14-gke.7", "1.31.14", "1.28.3", "1.18.16", "1.18.16-gke.9", "dev-build"),
)
"""Several builds of one release, several releases, and one that nobody knows."""

SPAN: Final = 1 << 13
"""Bytes of a span here, so that small files are divided."""

_PODS: Final = 60 if randomness.FRESH else 24
_RANDOM: Final = 30 if randomness.FRESH else 10
"""Pods whose texts YAML may not hold."""

_LABELS: Final = {f"label-{number}": str(number) for number in range(9)}
_UP: Final = ("--from", "auto", "--to", "1.33.13", "--keep-going")
_STATIC: Final = ("--static-pod-path", "/m/x.yaml", "--node-name", "n")
_RUNNING: Final = {"phase": "Running"}


def write_inputs(directory: Path) -> None:
    """Write what the commands read."""
    items = list(_items())
    document: Json = {"apiVersion": "v1", "items": items, "kind": "List"}
    (directory / "kubectl.json").write_text(json.dumps(document, indent=4))
    (directory / "kubectl.yaml").write_text(as_yaml(document))
    items += [*_workloads(), *Cluster("bytes", default_catalog(), KUBELETS[:1]).objects(_RANDOM)]
    random.Random(3).shuffle(items)
    (directory / "mixed.json").write_text(json.dumps(document, indent=4))
    (directory / "mixed.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    (directory / "static.json").write_text(json.dumps({**pod({"name": "c"}), "metadata": {"name": "s"}}))
    (directory / "n1.dump").write_text(as_text(dump({("version", "kubelet"): "Kubernetes v1.30.14\n"})))
    small_lines(directory / "golden")
    with_sums(directory / "schemas")
    with_functions(directory / "tree")
    (directory / "many").mkdir()
    for number, item in enumerate(items[:40]):
        (directory / "many" / f"{number}.json").write_text(json.dumps(item))


def _items() -> Iterator[Json]:
    """Yield nodes, budgets, and pods as kubectl lists them."""
    names = [f"node-{number:04}" for number in range(4)]
    every = [*names, *(f"other-{number}" for number in range(len(KUBELETS) - len(names)))]
    for name, kubelet in zip(every, KUBELETS, strict=True):
        machine = node(f"v{kubelet}", name)
        machine["metadata"]["labels"] = {**_LABELS, "kubernetes.io/hostname": name}
        yield machine
    yield budget(minAvailable=2)
    yield budget("odd", minAvailable="odd")
    yield from (replica(f"web-{number}", every[number]) for number in range(6))
    yield from (manifest for manifest in cluster.objects(_PODS, Shape("1.29.5")) if manifest["kind"] == "Pod")
    for number, name in enumerate(every):
        spec = {"nodeSelector": {key: _LABELS[key] for key in list(_LABELS)[number % 5 :]}}
        slow = {"livenessProbe": {"exec": {"command": ["true"]}}}
        yield pod(
            {"name": "c", "image": "i", **slow}, name=f"slow-{number}", node=name, spec=spec, status=_RUNNING
        )
        yield mirror_pod({"name": "c", "image": "i"}, name=f"mirror-{number}", node=name, status=_RUNNING)


def _workloads() -> Iterator[Json]:
    """Yield workloads without pods, which count as a pod each."""
    for number in range(5):
        meta = {"name": f"left-{number}", "namespace": "ns", "uid": f"left-{number}"}
        template = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
        kind = "Deployment" if number % 2 else "DaemonSet"
        yield {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": {"template": template}}


def commands(jobs: int) -> Iterator[tuple[str, ...]]:
    """Yield every command; a later one may read what an earlier one wrote."""
    files = ["kubectl.json", "mixed.jsonl"]
    files += ["mixed.json", "kubectl.yaml", "many"] if randomness.FRESH else []
    shared = ("--jobs", str(jobs))
    for name in files:
        given, form = ("-f", name), () if name == files[0] else ("-o", "json")
        yield "plan", *_UP, *given, *shared, *form
        yield "gate", *_UP, *given, *shared, "--max-restarts", "5%", "--max-per-owner", "1", *form
        if randomness.FRESH or name == "mixed.jsonl":
            yield "snapshot", *given
    mixed, saved = ("-f", "mixed.json"), "saved.json"
    yield "plan", *_UP, *mixed, *shared, "--details"
    yield "plan", *_UP, *mixed, *shared, "--group-by", "node", "--sort-by", "name", "-o", "table"
    yield "plan", *_UP, *mixed, *shared, "--out", saved, "-q", "-o", "json"
    yield "plan", "--from", "1.7.16", "--to", "1.9.11", "--sample", *shared
    yield "gate", "--plan", saved
    yield "convert", saved
    yield "diff", saved, saved
    yield "diff", "1.30.14", "1.31.14", "-o", "json"
    yield "hash", "--kubelet", "1.29.5,1.33.13", "-f", "kubectl.yaml"
    yield "explain", "--from", "1.7.16", "--to", "1.33.13"
    yield "explain", "ns/slow-1", *_UP[:4], *mixed
    yield "matrix", *_UP[:4], *mixed
    yield "matrix", "--from", "1.6.13", "--to", "1.12.10"
    yield "impact", *_UP, *mixed, "--batch", "3"
    yield "verify", "golden"
    yield "verify", "--recorded", "n1.dump", *mixed
    yield "preflight", "--to", "1.31.14", "--dump", "n1.dump"
    yield "preflight", "--to", "1.33.13", "--no-node", *mixed, "--plan", saved
    yield "patch", "--audit", "--kubelet", "1.9.11", "--like", "1.7.16", *mixed
    for strategy in ("accept", "pin", "strip"):
        tree = ("--tree", "tree", "--schemas", "schemas", "--out", f"{strategy}.patch")
        yield "patch", "--kubelet", "1.9.11", "--like", "1.7.16", "--strategy", strategy, *tree
        yield "patch", "--kubelet", "1.9.11", "--like", "1.7.16", "--strategy", strategy, *tree[:-2]
    yield "plan", "--from", "1.20.15", "--to", "1.31.14", "-f", "static.json", *_STATIC
    yield "gate", "--from", "1.7.16", "--to", "1.9.11", "-f", str(SAMPLE), *shared
    for alone in ("rbac", "releases", "rules", "collector", "version", "help", "nonsense"):
        yield (alone,)
    yield "completion", "bash"
    yield "plan", "--from", "1.29.5", "--to", "1.33.13", "--feature-gates", "Nothing=true", *mixed
    yield "plan", "--from", "1.29.5", "--to", "1.33.13", "-f", "n1.dump"


def outputs(jobs: int) -> dict[str, Any]:
    """Return the exit code, both streams and the files of each command, under its words but for the jobs."""
    results = dict[str, Any]()
    for number, argv in enumerate(commands(jobs)):
        written = Path(f"reports-{number}")
        written.mkdir()
        forms = () if "-o" in argv else _forms(argv[0])
        if argv[0] == "help":
            os.environ.pop("COLUMNS", None)  # the text for people alone is as wide as it says
        result = ran(*argv, *(reports(written, forms) if forms else ()))
        name = " ".join(argv).replace(f"--jobs {jobs}", "--jobs N")
        texts = {path.name: path.read_text() for path in sorted(written.iterdir())}
        results[name] = {"code": result.code, "out": result.out, "err": result.err, **texts}
    return results


def _forms(command: str) -> list[str]:
    """Return the formats of a command; none where it has no ``-o``, or one alone."""
    try:
        return formats_of(command) if command != "patch" else []
    except (AssertionError, KeyError):
        return []


def main(directory: str, jobs: str) -> None:
    """Print what every command does, with small spans, and at a time that does not pass."""
    os.environ.pop("HASHCOMPAT_DEBUG", None)
    os.chdir(directory)
    vars(spans)["LEAST"] = SPAN
    sys.stdout.write(json.dumps(outputs(int(jobs))))


if __name__ == "__main__":
    main(*sys.argv[1:])
