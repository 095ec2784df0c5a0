"""A real kubelet finds what ended or was removed while none ran: what it does with the rest was predicted."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from scripts.golden import reality
from scripts.suites import containerd
from tests.suites.reality import lab as labs
from tests.suites.reality import pods
from tests.suites.reality.lab import PODS, Lab
from tests.suites.reality.outcome import CONTAINER, NAME, RUNNING, newest
from tests.suites.reality.pods import NODE, Json
from tests.suites.reality.starting import ENDED
from tests.suites.reality.test_reality import FOUND
from tests.suites.reality.test_starting import change, wrong

pytestmark = pytest.mark.starting

SIDECAR: Final[Json] = {"initContainers": [{"name": "side", "restartPolicy": "Always"}]}


def ending(code: int) -> Json:
    """Return a container that ends with an exit code once it is asked to."""
    script = f"trap 'exit {code}' TERM; while true; do sleep 1; done"
    return {"name": "ends", "command": ["/bin/sh", "-c", script]}


ENDING: Final[dict[str, Json]] = {
    **{
        f"{policy.lower()}-{code}": {**SIDECAR, "restartPolicy": policy, "containers": [ending(code)]}
        for policy in ("Always", "OnFailure", "Never")
        for code in (0, 3)
    },
    "never-beside": {"restartPolicy": "Never", "containers": [ending(0), {"name": "beside"}]},
}
"""Pods with a container that ends while no kubelet runs."""
GONE: Final[dict[str, Json]] = {
    f"gone-{policy.lower()}": {"restartPolicy": policy, "containers": [{"name": "a"}, {"name": "b"}]}
    for policy in ("Always", "OnFailure", "Never")
}
"""Pods whose sandboxes are removed."""
REMOVED: Final[dict[str, Json]] = {
    f"removed-{policy.lower()}": {"restartPolicy": policy, "containers": [{"name": "a"}, {"name": "b"}]}
    for policy in ("Always", "Never")
}
"""Pods of which one container is removed."""
PAUSED: Final[dict[str, Json]] = {
    f"paused-{policy.lower()}": {"restartPolicy": policy} for policy in ("Always", "Never")
}
"""Pods whose pause processes end."""
DEADLINES: Final[dict[str, Json]] = {"deadline-passed": {}, "deadline-far": {}, "deadline-none": {}}
ALL: Final = {**ENDING, **GONE, **REMOVED, **PAUSED, **DEADLINES}


def _process(lab: Lab, *inspect: str) -> int:
    template = ("-o", "go-template", "--template", "{{.info.pid}}")
    return int(lab.node.cri(inspect[0], *template, *inspect[1:]).strip())


def disturb(lab: Lab) -> None:
    containers, sandboxes = newest(lab.containers(), NAME, CONTAINER), newest(lab.sandboxes(), NAME)
    for name in ENDING:
        os.kill(_process(lab, "inspect", containers[name, "ends"]["id"]), signal.SIGTERM)
    for name in REMOVED:
        lab.node.cri("rm", "--force", containers[name, "a"]["id"])
    for name in GONE:
        lab.node.cri("rmp", "--force", sandboxes[(name,)]["id"])
    for name in PAUSED:
        os.kill(_process(lab, "inspectp", sandboxes[(name,)]["id"]), signal.SIGKILL)
    for name, seconds in (("deadline-passed", 1), ("deadline-far", 1_000_000)):
        lab.patch(f"{PODS}/{name}", {"spec": {"activeDeadlineSeconds": seconds}})
    end = time.monotonic() + 60
    while any(newest(lab.containers(), NAME, CONTAINER)[name, "ends"]["state"] == RUNNING for name in ENDING):
        assert time.monotonic() < end, "a container does not end"
        time.sleep(1)
    time.sleep(5)  # for what a runtime still has to notice of a pause process


def test_what_ended_decides_about_the_rest(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    disturbed = tuple(name for name in ALL if name != "deadline-none")

    step = replace(ENDED, disturb=disturb, disturbed=disturbed)
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        labs.lab(Path(directory), containerd.built_with_runc(containerd.SLICE)) as node,
    ):
        for name, manifest in pods.static_pods("starting-static.yaml").items():
            (node.manifests / name).write_text(json.dumps(manifest))
        node.start(step.old)
        labs.wait_for_node(node)
        for name, entry in ALL.items():
            node.create(pods.pod(name, entry, nodeName=NODE))
        node.wait(40, 20)
        made = change(node, step)
    reality.write(made, FOUND / f"{step.name}.json.gz")
    assert wrong(made, tmp_path, record_property) == []
