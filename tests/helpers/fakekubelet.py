"""A kubelet that is upgraded, as far as an API server sees it: it patches statuses as a kubelet would.

Run as a program with a node's name it does what the plan PLAN predicts, but for the pods that ODD names:
these restart where they should be kept, and are kept where they should restart.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import requests

Json = dict[str, Any]
_MERGE = "application/strategic-merge-patch+json"


def running(identity: str = "", restarts: int = 0, ended: str = "") -> Json:
    """Return the status of a container that runs since now; ``ended`` is the ID of the one before it."""
    last = {
        "terminated": {
            "exitCode": 137,
            "containerID": f"containerd://{ended}",
            "startedAt": moment(),
            "finishedAt": moment(),
        }
    }
    return {
        "name": "c",
        "ready": True,
        "image": "i",
        "imageID": "",
        "restartCount": restarts,
        "containerID": f"containerd://{identity or uuid4().hex}",
        "state": {"running": {"startedAt": moment()}},
        "lastState": last if ended else {},
    }


def node_status(kubelet: str) -> Json:
    """Return what a kubelet reports of its node."""
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "lastHeartbeatTime": moment(),
        "lastTransitionTime": moment(),
    }
    return {"nodeInfo": {"kubeletVersion": kubelet}, "conditions": [ready]}


def moment() -> str:
    """Return the time as API servers write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Server:
    """The API server, for what a kubelet reports."""

    def __init__(self, url: str, ca_file: str, token: str) -> None:
        self._url, self._ca, self._token = url, ca_file, token

    def patch(self, path: str, status: Json) -> None:
        self._ask("PATCH", f"{path}/status", {"status": status})

    def restart(self, path: str) -> None:
        """Restart the container of a pod."""
        (status,) = self._ask("GET", path)["status"]["containerStatuses"]
        ended = status["containerID"].rpartition("/")[2]
        self.patch(path, {"containerStatuses": [running(restarts=status["restartCount"] + 1, ended=ended)]})

    def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": _MERGE}
        data = json.dumps(body) if body else None
        answer = requests.request(
            method, self._url + path, data=data, headers=headers, verify=self._ca, timeout=60
        )
        assert answer.ok, answer.text
        document: Json = answer.json()
        return document


def main() -> None:
    """Upgrade the kubelet of the node that the command line names."""
    node, odd = sys.argv[1], os.environ.get("ODD", "").split()
    plan = json.loads(Path(os.environ["PLAN"]).read_text())
    server = Server(*(os.environ[name] for name in ("SERVER", "CA_FILE", "TOKEN")))
    for item in plan["items"]:
        if item["node"] == node and (item["verdict"] == "RESTART") != (item["pod"] in odd):
            server.restart(f"/api/v1/namespaces/{item['namespace']}/pods/{item['pod']}")
    server.patch(f"/api/v1/nodes/{node}", node_status(f"v{plan['spec']['to']}"))


if __name__ == "__main__":
    main()
