"""Real kubelets with a static CPU manager: who does not get their CPUs again is refused, as was planned."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from scripts.golden import reality
from scripts.suites import containerd
from tests.suites.reality import lab as labs
from tests.suites.reality import pods
from tests.suites.reality.lab import PODS, Lab
from tests.suites.reality.pods import NODE, Json
from tests.suites.reality.starting import CPUS, CROWD, STATIC_CPUS
from tests.suites.reality.test_reality import FOUND
from tests.suites.reality.test_starting import change, wrong

pytestmark = pytest.mark.starting

MEMORY: Final[Json] = {"requests": {"memory": "16Mi"}, "limits": {"memory": "64Mi"}}
EXCLUSIVE: Final[Json] = {
    "containers": [{"name": "c", "resources": {"limits": {"cpu": "1", "memory": "64Mi"}}}]
}
"""A Guaranteed pod with the only CPU that is not reserved."""
OTHERS: Final[dict[str, Json]] = {
    "burstable": {"containers": [{"name": "c", "resources": MEMORY}, {"name": "beside"}]},
    **{f"crowd-{number}": {"containers": [{"name": "a"}, {"name": "b"}]} for number in range(CROWD // 2)},
}
REFUSED: Final = "SMTAlignmentError"


def _create(lab: Lab, *, static: bool) -> None:
    """Create the pod that has a CPU of its own, by a manifest or the API, in place of a refused one."""
    manifest = lab.manifests / "exclusive.json"
    manifest.unlink(missing_ok=True)
    lab.api("DELETE", f"{PODS}/exclusive?gracePeriodSeconds=0")
    lab.wait(20, 20)
    if static:
        manifest.write_text(json.dumps(pods.pod("exclusive", EXCLUSIVE)))
    else:
        lab.create(pods.pod("exclusive", EXCLUSIVE, nodeName=NODE))
    lab.wait(20, 20)


def test_who_does_not_get_its_cpus_again_is_refused(
    tmp_path: Path, record_property: Callable[[str, Any], None]
) -> None:
    """A static pod is refused too. From 1.37 on a kubelet looks first at the CPUs that a container has."""
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        labs.lab(Path(directory), containerd.built_with_runc(containerd.SLICE)) as node,
    ):
        node.start(CPUS[0].old, **STATIC_CPUS)
        labs.wait_for_node(node)
        for name, entry in OTHERS.items():
            node.create(pods.pod(name, entry, nodeName=NODE))
        _create(node, static=False)
        for step in CPUS:
            made = change(node, step)
            reality.write(made, FOUND / f"{step.name}.json.gz")
            assert wrong(made, tmp_path / step.name, record_property) == []
            assert made["reasons"] == dict.fromkeys(step.disturbed, REFUSED)
            if step.disturbed:
                _create(node, static="exclusive" in step.disturbed)
