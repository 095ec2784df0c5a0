"""What dockershim has created in Docker, as crictl lists what is in containerd."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime
from typing import Final

from tests.helpers import daemons
from tests.helpers.daemons import Node
from tests.suites.reality.outcome import RUNNING, Look
from tests.suites.reality.pods import Json

_KIND: Final = "io.kubernetes.docker.type"
_SANDBOX: Final = "podsandbox"
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00Z")


def look(node: Node) -> Look:
    """Return the containers and the sandboxes that there are now."""
    rows = _inspected(node)
    pairs = [(row["Config"]["Labels"].get(_KIND), _as_cri(row)) for row in rows]
    sandboxes = [row for kind, row in pairs if kind == _SANDBOX]
    return [row for kind, row in pairs if kind not in (None, _SANDBOX)], sandboxes


def _inspected(node: Node) -> list[Json]:
    """Return what docker has of all containers, without those that the kubelet removes just then."""
    ids = node.docker("ps", "-aq", "--no-trunc").split()
    command = [daemons.DOCKER, "-H", f"unix://{node.docker_socket}", "inspect", *ids]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    problems = [line for line in done.stderr.splitlines() if "No such object" not in line]
    assert not (ids and problems), problems
    rows: list[Json] = json.loads(done.stdout or "[]") if ids else []
    return rows


def _as_cri(row: Json) -> Json:
    created = datetime.fromisoformat(row["Created"]) - _EPOCH
    return {
        "id": row["Id"],
        "state": RUNNING if row["State"]["Running"] else "CONTAINER_EXITED",
        "createdAt": str(created // type(created)(microseconds=1)),
        "labels": row["Config"]["Labels"],
    }
