"""What ``plan`` shows on terminals of several sizes, as pages of docs: of the sample and of larger clusters.

The larger clusters are the sample many times over: each copy has nodes and teams' namespaces of its own, and
every third one an older kubelet. They are made, planned and thrown away.
"""

from __future__ import annotations

import json
import tempfile
import uuid
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import Excerpt, Invocation
from hashcompat.sources.files import collect as files
from hashcompat.sources.files.collect import sample_cluster, sample_path
from scripts.lib.generated import Generated, relative
from scripts.lib.paths import DOCS

_WIDTHS: Final = (80, 120, 200)
_LINES: Final = 24
_WAY: Final = ("1.7.16", "1.9.11")
_OLDER: Final = "v1.6.13"
_SHARED: Final = ("kube-system", "monitoring", "ingress-nginx")
"""Namespaces that a cluster has once, however large it is."""
_FILE: Final = "cluster.json"

_LEAD: Final = """# What a plan looks like

On a terminal a plan fits the screen: the answer comes first, then its source, the owners with the most
restarts, the reasons, and commands to continue with. `--group-by owner|node|namespace|reason` shows all
groups of one kind, `--group-by none` one row per container, `--all` everything that does not fit. When stdout
is not a terminal, nothing is omitted. `-o wide` has the hashes. As a page of HTML it
[looks like this](html.md).

Each capture is what a terminal of 24 lines shows: the result, which goes to stdout, and below it what goes to
stderr.

Containers are counted as [in gates](gate.md#what-a-percentage-is-of): those that run on a node. Finished
pods, init containers and others that no kubelet compares are only counted at the end.

## --from against what nodes report

What nodes report wins. If a node reports a release other than `--from`, the verdict of its pods is UNKNOWN
([HC042](rules.md#hc042)), and a warning and `spec.disputedNodes` in JSON name the node; `gate` refuses such a
plan with exit 1. With `--from auto`, or without `--from`, each node's reported release is used, even if some
nodes are already upgraded.

- A vendor's build does not contradict the upstream release that it names, and a patch release does not
  contradict another one of its minor that hashes and behaves alike. The plan then uses the node's own build,
  which `fromRelease` shows.
- A text that names no release, such as `dev`, contradicts nothing, and neither does a node that is not in the
  input.
- `--override-node-releases` (in `plan`, `gate`, `explain`, `impact`, `preflight`;
  `override_node_releases=True` in Python) plans from `--from` anyway. A warning then names the nodes on
  stderr, in JSON and on the HTML page, and so do titles of JUnit, SARIF and metrics; a saved plan keeps
  `spec.overrideNodeReleases`.
- `matrix` compares releases, not nodes: it warns, and its paths start from `--from`.
- The nodes of `--sample` run whatever `--from` says; if that is not what they report, an assumption says so.
"""

_LARGE_LEAD: Final = """# What a plan of 150,000 pods looks like

The captures of [plan.md](plan.md), of a cluster of 150,000 pods.
"""


def objects(pods: int) -> Iterator[dict[str, Any]]:
    """Yield a cluster of so many pods, and then its nodes."""
    samples, nodes = _of_sample("Pod"), _of_sample("Node")
    copies = -(-pods // len(samples))
    replicas = (_pod(pod, number) for number in range(copies) for pod in samples)
    yield from islice(replicas, pods)
    yield from (_node(node, number) for number in range(copies) for node in nodes)


def _of_sample(kind: str) -> list[dict[str, Any]]:
    """Return the sample's objects of a kind."""
    items = json.loads(sample_path().read_text(encoding="utf-8"))["items"]
    return [item for item in items if item["kind"] == kind]


def _pod(pod: dict[str, Any], number: int) -> dict[str, Any]:
    metadata, spec = dict(pod["metadata"]), pod["spec"]
    namespace = metadata["namespace"]
    metadata["name"] += f"-{number}"
    metadata["uid"] = str(uuid.uuid5(uuid.UUID(metadata["uid"]), str(number)))
    metadata["ownerReferences"] = [
        {**reference, "name": f"{reference['name']}-{number}"} if reference["kind"] == "Node" else reference
        for reference in metadata.get("ownerReferences", ())
    ]
    place = namespace if namespace in _SHARED else f"{namespace}-{number}"
    node = {"nodeName": f"{spec['nodeName']}-{number}"} if "nodeName" in spec else {}
    containers = [
        {**container, "env": [*container.get("env", ()), {"name": "NUMBER", "value": metadata["name"]}]}
        for container in spec["containers"]
    ]
    own = {"containers": containers, **node}
    return {**pod, "metadata": {**metadata, "namespace": place}, "spec": {**spec, **own}}


def _node(node: dict[str, Any], number: int) -> dict[str, Any]:
    info = node["status"]["nodeInfo"]
    kubelet = _OLDER if number % 3 == 2 else info["kubeletVersion"]
    status = {**node["status"], "nodeInfo": {**info, "kubeletVersion": kubelet}}
    metadata = {**node["metadata"], "name": f"{node['metadata']['name']}-{number}"}
    return {**node, "metadata": metadata, "status": status}


def plan_of(pods: int) -> Plan:
    """Return the plan of a cluster of so many pods, which is read from a file as any other."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, _FILE)
        with path.open("w", encoding="utf-8") as stream:
            stream.writelines(
                json.dumps(manifest, separators=(",", ":")) + "\n" for manifest in objects(pods)
            )
        plan = planning.make(files.collect((str(path),)), AUTO, _WAY[1], View(default_catalog()))
    return structs.replace(plan, origin=structs.replace(plan.origin, names=(_FILE,), oldest=None, taken=None))


def captures(plan: Plan, source: tuple[str, ...]) -> Iterator[str]:
    """Yield what terminals of several widths show of a plan."""
    words = ("--from", plan.from_release, "--to", plan.to_release, *source)
    shown = Excerpt(plan, plan.items, brief=True, invocation=Invocation(pods=source))
    below = list(PLAN.notes(shown))
    command, rest = f"$ hashcompat plan {' '.join(words)}", "\n".join(below)
    for width in _WIDTHS:
        style = Style(screen=output.room(width, _LINES, below))
        text = "".join(FORMATS["table"].render(PLAN, shown, style))
        yield f"{width} columns:\n\n```\n{command}\n{text}{rest}\n```"


def page(lead: str, *sections: tuple[str, Plan, tuple[str, ...]]) -> bytes:
    """Return a page of captures: each section with its title, a plan and the words of its source."""
    parts = [lead.rstrip("\n")]
    for title, plan, source in sections:
        parts += [f"## {title}", *captures(plan, source)]
    return ("\n\n".join(parts) + "\n").encode()


def make() -> dict[Path, bytes]:
    """Make the page of the sample and of 2,000 pods."""
    small = planning.make(sample_cluster(), *_WAY, View(default_catalog()))
    sections = (
        ("The sample", small, ("--sample",)),
        ("2,000 pods", plan_of(2_000), ("-f", _FILE)),
    )
    return relative(DOCS, {"plan.md": page(_LEAD, *sections)})


def make_large(pods: int) -> dict[Path, bytes]:
    """Make the page of a large cluster."""
    section = (f"{pods:,} pods", plan_of(pods), ("-f", _FILE))
    return relative(DOCS, {"plan-large.md": page(_LARGE_LEAD, section)})


GENERATED: Final = Generated(make, owned=("docs/plan.md",))
