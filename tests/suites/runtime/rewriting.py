"""A node with containerd or Docker whose containers were created as by kubelets, to rewrite their records."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import hashcompat
from tests.helpers import daemons
from tests.helpers.daemons import IMAGE, Node
from tests.helpers.pods import Json, pod
from tests.helpers.program import Result, Run

OLD, NEW = "1.30.14", "1.31.14"
NODE = "lab"
HASH = "io.kubernetes.container.hash"
EXTENSION = "io.cri-containerd.container.metadata"
_ODD = "<&> \u2028 é \U0001f600"
"""What JSON encoders write in different ways, in an annotation beside the hash."""


def labels(pod_name: str, container: str) -> dict[str, str]:
    return {
        "io.kubernetes.container.name": container,
        "io.kubernetes.pod.name": pod_name,
        "io.kubernetes.pod.namespace": "ns",
        "io.kubernetes.pod.uid": f"uid-{pod_name}",
    }


def recorded(container: Json, release: str = OLD) -> str:
    return f"{hashcompat.container_hash(container, release).value:x}"


@dataclass
class Lab:
    """The node, its pods as an API server would have them, and the document that is made of both."""

    node: Node
    stack: ExitStack
    pods: list[Json]

    @property
    def document(self) -> Path:
        return self.node.directory / "normalization.json"

    @property
    def undo(self) -> Path:
        return self.document.with_name(f"{self.document.name}.undo")

    def make(self, run: Run, to: str = NEW, old: str = OLD) -> Result:
        """Make the document of what the runtime has now."""
        listed, objects = self.node.directory / "records.json", self.node.directory / "pods.json"
        listed.write_text(self.node.cri("ps", "-a", "-o", "json"))
        objects.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": self.pods}))
        words = ("normalize", "--from", old, "--to", to, "-f", objects, "--recorded", listed)
        return run(*words, "--out", self.document, "-o", "json", "-q")

    def words(self, action: str) -> list[object]:
        """Return the command line of an action."""
        endpoint = ("--runtime-endpoint", self.node.containerd_socket)
        return ["normalize", action, self.document, "--node-name", NODE, *endpoint, "-o", "json"]

    def shown(self) -> dict[str, tuple[str, str, str, str]]:
        """Return what a kubelet sees: of each container its hash, state, id and start."""
        rows = json.loads(self.node.cri("ps", "-a", "-o", "json"))["containers"]
        return {
            f"{row['labels']['io.kubernetes.pod.name']}/{row['metadata']['name']}": (
                row["annotations"][HASH],
                row["state"],
                row["id"],
                self.started(row["id"]),
            )
            for row in rows
        }

    def started(self, identity: str) -> str:
        status: str = json.loads(self.node.cri("inspect", "-o", "json", identity))["status"]["startedAt"]
        return status

    def stored(self) -> dict[str, bytes]:
        """Return all of each container that containerd's own client shows, but when it was updated."""
        ctr = ("/usr/bin/ctr", "-a", str(self.node.containerd_socket), "-n", "k8s.io")
        ids = daemons.output(*ctr, "containers", "ls", "-q").split()
        rows = {
            container_id: json.loads(daemons.output(*ctr, "containers", "info", container_id))
            for container_id in ids
        }
        for row in rows.values():
            row.pop("UpdatedAt")
        return {container_id: json.dumps(row).encode() for container_id, row in rows.items()}

    def restart_containerd(self, how: int = signal.SIGTERM) -> None:
        """End containerd and start it again; its shims, and what they run, stay."""
        self.stack.enter_context(daemons.restarted(self.node, how))


def containers(number: int, each: int) -> list[Json]:
    """Return pods with some containers each, as an API server has them."""
    pods = []
    for at in range(number):
        specs = [
            {"name": f"c{place}", "image": IMAGE, "env": [{"name": "A", "value": f"{at}"}]}
            for place in range(each)
        ]
        status = {"phase": "Running"}
        pods.append(pod(*specs, name=f"p{at}", node=NODE, status=status))
    return pods


def create(node: Node, made: Json) -> None:
    """Create the containers of a pod as a kubelet of the old release does."""
    name = made["metadata"]["name"]
    sandbox = {
        "metadata": {"name": name, "namespace": "ns", "uid": f"uid-{name}", "attempt": 0},
        "labels": {key: value for key, value in labels(name, "").items() if value},
        "log_directory": str(node.directory),
        "linux": {"security_context": {"namespace_options": {"network": 2}}},
    }
    place = node.directory / "sandbox.json"
    place.write_text(json.dumps(sandbox))
    identity = node.cri("runp", str(place)).strip()
    for spec in made["spec"]["containers"]:
        config = {
            "metadata": {"name": spec["name"], "attempt": 0},
            "image": {"image": IMAGE},
            "labels": labels(name, spec["name"]),
            "annotations": {HASH: recorded(spec), "io.kubernetes.container.restartCount": "0", "odd": _ODD},
            "log_path": f"{name}-{spec['name']}.log",
            "linux": {},
        }
        (file := node.directory / "container.json").write_text(json.dumps(config, ensure_ascii=False))
        node.cri("start", node.cri("create", identity, str(file), str(place)).strip())


@contextmanager
def lab(
    directory: Path,
    number: int,
    each: int,
    programs: Path = daemons.DEBIANS,
    places: daemons.Places | None = None,
) -> Iterator[Lab]:
    """Run containerd with some pods below a directory; ``programs`` and ``places`` as of ``daemons``."""
    with (
        daemons.containerd_node(directory, IMAGE, programs=programs, places=places) as node,
        ExitStack() as stack,
    ):
        made = containers(number, each)
        for manifest in made:
            create(node, manifest)
        yield Lab(node, stack, made)
