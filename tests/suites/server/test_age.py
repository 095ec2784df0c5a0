"""The age of what a real API server gives: its list, its snapshot, its dump, and what a tenant can write."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.program import Result
from tests.helpers.realserver import ADMIN, Cluster

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
UP = ("--from", "1.30.0", "--to", "1.36.0")
FAR = "2099-01-01T00:00:00Z"
POD = {
    "metadata": {
        "name": "young",
        "creationTimestamp": FAR,
        "annotations": {"startedAt": FAR, "lastHeartbeatTime": FAR, "takenAt": FAR},
        "managedFields": [{"manager": "me", "operation": "Update", "apiVersion": "v1", "time": FAR}],
    },
    "spec": {
        "containers": [{"name": "app", "image": "i"}],
        "terminationGracePeriodSeconds": 2_000_000_000,
        "nodeName": "node-a",
    },
    "status": {
        "phase": "Running",
        "startTime": FAR,
        "containerStatuses": [
            {
                "name": "app",
                "image": "i",
                "imageID": "",
                "ready": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": FAR}},
            }
        ],
    },
}


def source(result: Result) -> dict[str, Any]:
    assert result.code == 0, result.err
    origin: dict[str, Any] = result.document["spec"]["source"]
    return origin


def system(cluster: Cluster) -> str:
    uid: str = cluster.request("GET", "/api/v1/namespaces/kube-system").json()["metadata"]["uid"]
    return uid


def test_a_list_and_its_snapshot_say_when_and_of_which_cluster(
    shell: Shell, cluster: Cluster, admin: Path, tmp_path: Path
) -> None:
    uid, saved = system(cluster), tmp_path / "snapshot.json"
    before = datetime.now(UTC).replace(microsecond=0)
    live = source(shell(admin, "plan", *UP, "-n", "team-b", "-o", "json"))
    assert shell(admin, "snapshot", "-n", "team-b", "--out", saved).code == 0
    kept = source(shell("/dev/null", "plan", *UP, "-f", saved, "-o", "json"))
    for origin in (live, kept):
        assert origin["clusterUID"] == uid
        assert before <= datetime.fromisoformat(origin["takenAt"]) <= datetime.now(UTC)
    gate = ("gate", *UP, "--override-node-releases", "--max-restarts", "99", "--fail-on", "restart")
    for given in ((admin, "-n", "team-b"), ("/dev/null", "-f", saved)):
        for flags, code in (
            (("--max-age", "10m", "--cluster-uid", uid), 0),
            (("--max-age", "0s"), 1),
            (("--cluster-uid", "other"), 1),
        ):
            assert shell(given[0], *gate, *given[1:], *flags).code == code


def test_no_tenant_makes_a_dump_younger(shell: Shell, cluster: Cluster, tmp_path: Path) -> None:
    cluster.create("/api/v1/namespaces", {"metadata": {"name": "tenant"}})
    cluster.create("/api/v1/namespaces/tenant/pods", POD)
    beat = (datetime.now(UTC) - timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    node = cluster.request("GET", "/api/v1/nodes/node-a").json()
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": beat, "lastTransitionTime": beat}
    node["status"]["conditions"] = [ready]
    assert cluster.request("PUT", "/api/v1/nodes/node-a/status", node).ok
    assert cluster.request("DELETE", "/api/v1/namespaces/tenant/pods/young").ok  # in 63 years
    administrator = cluster.kubeconfig("dump", {"token": ADMIN})
    dumped = shell(administrator, "get", "nodes,pods", "-n", "tenant", "-o", "json", program="kubectl").out
    (pod,) = (item for item in json.loads(dumped)["items"] if item["kind"] == "Pod")
    assert "T" in pod["metadata"]["deletionTimestamp"]
    assert cluster.request("DELETE", "/api/v1/namespaces/tenant/pods/young?gracePeriodSeconds=0").ok
    path = tmp_path / "dump.json"
    path.write_text(dumped)
    assert source(shell("/dev/null", "plan", *UP, "-f", path, "-o", "json"))["takenAt"] == beat
