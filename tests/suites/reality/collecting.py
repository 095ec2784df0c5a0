"""What the collector prints on a node of these suites."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hashcompat.core.go import jsontext
from tests.helpers import fakenode
from tests.helpers.daemons import Node
from tests.helpers.program import ROOT
from tests.suites.reality.pods import Json

_COLLECTOR = ROOT / "hashcompat" / "collector" / "collect.sh"


def collected(node: Node, root: Path, **more: str) -> list[Json]:
    """Return the documents that the collector prints of a node whose kubelet has a root directory.

    It asks Docker where the node has one, else containerd; ``more`` are further settings of it.
    """
    settings = {
        "PATH": f"{node.crictl.parent}:{os.environ['PATH']}",
        "DOCKER_HOST": f"unix://{node.docker_socket}",
        "RUNTIME_ENDPOINT": str(node.containerd_socket),
        "KUBELET_ROOT": str(root),
        **more,
    }
    done = subprocess.run(["/bin/sh", _COLLECTOR], env=settings, capture_output=True, text=True, check=True)
    return list(jsontext.load_all(done.stdout))


_STATES: Final = ("/cpu_manager_state", "/memory_manager_state")
_CPUS: Final = ("/sys/devices/system/cpu", "/sys/devices/system/node")


def with_managers(node: Node, root: Path, before: Sequence[str], command: Sequence[str | Path]) -> list[Json]:
    """Return these documents with what preflight reads of resource managers; no kubelet runs.

    ``command`` is how one will be started, and ``before`` what that starts with.
    """
    environ = {**os.environ, "KUBELET_ROOT": str(root), "RUNTIME_ENDPOINT": str(node.containerd_socket)}
    script = fakenode.text(preflight=True)
    shell = [*before, "/bin/sh", "-s"]
    done = subprocess.run(shell, env=environ, input=script, capture_output=True, text=True, check=True)
    read = [document for document in jsontext.load_all(done.stdout) if document.get("hashcompat") == "probe"]
    kept = [
        document
        for document in read
        if document["name"].endswith(_STATES) or document["name"].startswith(_CPUS)
    ]
    (config,) = (str(word).partition("=")[2] for word in command if str(word).startswith("--config="))
    words = "".join(f"{word}\n" for word in command)
    probe = {"hashcompat": "probe"}
    kept.append({**probe, "kind": "arguments", "name": "kubelet", "text": words})
    kept.append({**probe, "kind": "file", "name": config, "text": Path(config).read_text()})
    first, *rest = collected(node, root)
    return [first, *kept, *rest]
