"""What the collector prints on a node of these suites."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hashcompat.core.go import jsontext
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
