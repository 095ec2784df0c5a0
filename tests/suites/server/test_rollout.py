"""Three nodes rolled one by one: the script of the examples, a real API server, kubelets that only report.

1.13 -> 1.14 restarts containers with a volumeMount alone, so each node has one that restarts and one that is
kept.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers.fakekubelet import Server, node_status, running
from tests.helpers.pods import Json
from tests.helpers.program import ROOT, SCRIPTS, Result
from tests.helpers.realserver import ADMIN, Cluster, environment
from tests.helpers.slices import sliced
from tests.suites.server.conftest import node
from tests.suites.server.test_cluster import roles

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
OLD, NEW = "1.13.12", "1.14.10"
NODES = ("roll-a", "roll-b", "roll-c")
SPACE = "/api/v1/namespaces/roll"
STATE = "configmap:roll/state"
BUDGETS = "/apis/policy/v1/namespaces/roll/poddisruptionbudgets"


def pod(name: str, where: str, **container: object) -> Json:
    spec = {
        "nodeName": where,
        "volumes": [{"name": "v", "emptyDir": {}}],
        "containers": [{"name": "c", "image": "i", **container}],
        "terminationGracePeriodSeconds": 0,
    }
    return {"metadata": {"name": name, "labels": {"app": name}}, "spec": spec}


@dataclass(frozen=True)
class Rollout:
    """The three nodes, and how the script and single gates are run on them."""

    cluster: Cluster
    user: Path
    home: Path
    kubelet: Server

    @property
    def plan(self) -> Path:
        return self.home / "plan.json"

    def run(self, *argv: object, **variables: str) -> Result:
        policy = {"HASHCOMPAT_GATE_MAX_RESTARTS": "9", "HASHCOMPAT_GATE_FAIL_ON": "restart,kill,unknown,pdb"}
        own = {"SERVER": self.cluster.url, "CA_FILE": str(self.cluster.ca_file), "TOKEN": ADMIN}
        environ = environment(self.user, self.home)
        paths = {"PATH": f"{SCRIPTS}:{environ['PATH']}", "PLAN": str(self.plan), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            list(map(str, argv)),
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env=environ | policy | own | paths | variables,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def make_plan(self) -> None:
        made = self.run("hashcompat", "plan", "--to", NEW, "-n", "roll", "-q", "--out", self.plan)
        assert made.code == 0, made.err

    def roll(self, *nodes: str, **variables: str) -> Result:
        """Run the script of the examples with a kubelet that only reports."""
        upgrade = self.home / "upgrade"
        upgrade.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.helpers.fakekubelet "$1"\n')
        upgrade.chmod(0o755)
        own = {"STATE": STATE, "UPGRADE": str(upgrade), "SETTLE": "0", "TRIES": "1"}
        script = ROOT / "examples" / "roll-nodes.sh"
        return self.run("sh", script, self.plan, *(nodes or NODES), **(own | variables))

    def upgrade(self, name: str, odd: str = "") -> None:
        """Do what a kubelet does, but for the pods that are odd."""
        done = self.run(sys.executable, "-m", "tests.helpers.fakekubelet", name, ODD=odd)
        assert done.code == 0, done.err

    def gate(self, name: str, *flags: object) -> Result:
        return self.run("hashcompat", "gate", "--plan", self.plan, "--state", STATE, "--node", name, *flags)

    def releases(self) -> list[str]:
        answers = (self.cluster.request("GET", f"/api/v1/nodes/{name}").json() for name in NODES)
        return [answer["status"]["nodeInfo"]["kubeletVersion"] for answer in answers]

    def phases(self) -> dict[str, str]:
        config_map = self.cluster.request("GET", f"{SPACE}/configmaps/state").json()
        if "data" not in config_map:
            return {}
        return {
            entry["node"]: entry["phase"] for entry in json.loads(config_map["data"]["state.json"])["items"]
        }

    def forget(self) -> None:
        self.cluster.request("DELETE", f"{SPACE}/configmaps/state")


@pytest.fixture
def rollout(empty: Cluster, tmp_path: Path) -> Iterator[Rollout]:
    """Make three nodes of the old release with two pods each, and take them away again."""
    made = Rollout(
        empty,
        empty.kubeconfig("roller", {"token": ADMIN}),
        tmp_path,
        Server(empty.url, str(empty.ca_file), ADMIN),
    )
    empty.request("POST", "/api/v1/namespaces", {"metadata": {"name": "roll"}})
    for name in NODES:
        empty.create("/api/v1/nodes", node(name, f"v{OLD}"))
        made.kubelet.patch(f"/api/v1/nodes/{name}", node_status(f"v{OLD}"))
        mount = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
        for manifest in (pod(f"mounts-{name}", name, **mount), pod(f"plain-{name}", name)):
            empty.create(f"{SPACE}/pods", manifest)
            ready = [{"type": "Ready", "status": "True"}]
            status = {"phase": "Running", "conditions": ready, "containerStatuses": [running()]}
            made.kubelet.patch(f"{SPACE}/pods/{manifest['metadata']['name']}", status)
    made.make_plan()
    yield made
    for path in (f"{SPACE}/pods", BUDGETS, f"{SPACE}/configmaps"):
        empty.request("DELETE", f"{path}?gracePeriodSeconds=0")
    for name in NODES:
        empty.request("DELETE", f"/api/v1/nodes/{name}")


def test_nodes_that_follow_the_plan_are_rolled_to_the_end(rollout: Rollout) -> None:
    items = json.loads(rollout.plan.read_text())["items"]
    assert sorted(item["verdict"] for item in items) == ["KEEP"] * 3 + ["RESTART"] * 3
    assert all(item["observed"]["containerID"] for item in items)
    result = rollout.roll()
    assert result.code == 0, result.err
    assert rollout.releases() == [f"v{NEW}"] * 3
    assert rollout.phases() == dict.fromkeys(NODES, "done")


SURPRISES = [
    ("plain-roll-b", "gate: FAIL: after: roll/plain-roll-b/c: was restarted, predicted KEEP"),
    ("mounts-roll-b", "gate: FAIL: after: roll/mounts-roll-b/c: still runs, predicted RESTART"),
]


@pytest.mark.parametrize(
    ("odd", "why"),
    sliced(SURPRISES, SURPRISES[:1]),
)
def test_a_surprise_stops_within_one_node_and_all_go_on_once_it_is_fixed(
    rollout: Rollout, odd: str, why: str
) -> None:
    result = rollout.roll(ODD=odd)
    assert (result.code, why in result.err) == (2, True), result.err
    assert rollout.releases() == [f"v{NEW}", f"v{NEW}", f"v{OLD}"]
    assert rollout.phases() == {"roll-a": "done", "roll-b": "failed"}
    stopped = rollout.gate("roll-c")
    assert (stopped.code, "gate: FAIL: state: roll-b: failed at" in stopped.err) == (2, True), stopped.err
    if odd.startswith("mounts"):  # it is restarted by hand
        rollout.kubelet.restart(f"{SPACE}/pods/{odd}")
        fixed = rollout.gate("roll-b", "--after")
    else:  # it is looked at, and a plan of what runs now is followed from here on
        rollout.make_plan()
        assert rollout.gate("roll-b", "--take-over").code == 0
        rollout.kubelet.patch("/api/v1/nodes/roll-b", node_status(f"v{NEW}"))
        fixed = rollout.gate("roll-b", "--after")
    assert fixed.code == 0, fixed.err
    result = rollout.roll("roll-c")
    assert result.code == 0, result.err
    assert rollout.phases() == dict.fromkeys(NODES, "done")


@pytest.mark.full
def test_a_kubelet_that_takes_its_time_is_waited_for(rollout: Rollout) -> None:
    """It reports itself Ready before it restarts anything; a restart that nobody predicted ends the wait."""
    for name, late, code in (("roll-a", "mounts-roll-a", 0), ("roll-b", "plain-roll-b", 2)):
        assert rollout.gate(name).code == 0
        rollout.upgrade(name, odd=f"mounts-{name}")
        assert rollout.gate(name, "--after").code == 2
        with ThreadPoolExecutor(1) as pool:
            begun = time.monotonic()
            future = pool.submit(rollout.gate, name, "--after", "--settle", 12 if code == 0 else 600)
            time.sleep(2)
            rollout.kubelet.restart(f"{SPACE}/pods/{late}")
            assert future.result().code == code, future.result().err
        assert (time.monotonic() - begun > 12) == (code == 0)


def test_a_budget_that_would_be_breached_stops_before_its_node(rollout: Rollout) -> None:
    budget = {
        "metadata": {"name": "one"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "mounts-roll-b"}}},
    }
    rollout.cluster.create(BUDGETS, budget)
    result = rollout.roll()
    assert (result.code, "gate: FAIL: fail-on pdb: roll/one: 0 healthy left" in result.err) == (2, True), (
        result.err
    )
    assert rollout.releases() == [f"v{NEW}", f"v{OLD}", f"v{OLD}"]
    assert rollout.phases() == {"roll-a": "done"}
    rollout.cluster.request("DELETE", f"{BUDGETS}/one")
    result = rollout.roll("roll-b", "roll-c")
    assert result.code == 0, result.err


def test_an_upgrade_that_fails_keeps_its_turn_until_it_is_taken_over(rollout: Rollout) -> None:
    assert rollout.roll("roll-a", UPGRADE="/bin/false").code == 1
    assert rollout.gate("roll-a", "--after").code == 3
    for name in NODES[:2]:
        assert rollout.gate(name).code == 3
    assert rollout.gate("roll-a", "--take-over").code == 0
    assert rollout.phases() == {"roll-a": "started"}


@pytest.mark.parametrize("times", [5, pytest.param(50, marks=pytest.mark.full)])
def test_of_two_pipelines_at_once_one_proceeds(rollout: Rollout, times: int) -> None:
    for _ in range(times):
        rollout.forget()
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(rollout.gate, NODES[:2]))
        assert sorted(result.code for result in results) == [0, 3], [result.err for result in results]
        assert [*rollout.phases().values()] == ["started"]


def test_the_printed_role_is_enough(rollout: Rollout, shell: Shell) -> None:
    denied = rollout.gate("roll-a", "--as", "guest", "--fail-on", "kill")
    assert denied.code == 1
    roles(shell, rollout.cluster, "guest", "--impact", "--state", STATE, "-n", "roll")
    for flags in ((), ("--after",)):
        result = rollout.gate("roll-a", "-n", "roll", "--as", "guest", *flags)
        assert result.code == (3 if flags else 0), result.err
