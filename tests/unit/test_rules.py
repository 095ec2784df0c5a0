"""Which containers a kubelet compares (kuberuntime_manager.go computePodActions)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hashcompat.catalog.lookup import Catalog
from hashcompat.kubelet.rules import not_compared
from hashcompat.model import Container, ContainerType, Pod

CONTAINER = Container("app", ContainerType.CONTAINER, "$.spec.containers[0]", {}, running=True)
POD = Pod("f", "ns", "p", "uid", "n", "", False, "Running", False, False, False, (CONTAINER,))


@pytest.mark.parametrize("running", [True, None], ids=["running", "unknown"])
def test_a_running_container_is_compared(catalog: Catalog, *, running: bool | None) -> None:
    assert not_compared(POD, replace(CONTAINER, running=running), catalog.kubelet("1.9.11")) == ""


@pytest.mark.parametrize(
    ("pod", "container", "release", "reason"),
    [
        pytest.param(replace(POD, deleting=True), CONTAINER, "1.9.11", "the pod is being deleted", id="deleted pod"),
        pytest.param(replace(POD, phase="Succeeded"), CONTAINER, "1.9.11", "the pod has finished", id="succeeded pod"),
        pytest.param(replace(POD, phase="Failed"), CONTAINER, "1.9.11", "the pod has finished", id="failed pod"),
        pytest.param(POD, replace(CONTAINER, type=ContainerType.INIT), "1.36.0", "an init container", id="init"),
        pytest.param(POD, replace(CONTAINER, type=ContainerType.EPHEMERAL), "1.36.0", "an ephemeral container", id="ephemeral"),
        pytest.param(
            POD,
            replace(CONTAINER, type=ContainerType.SIDECAR),
            "1.31.14",
            "a sidecar, which 1.31.14 leaves alone",
            id="sidecar before 1.32",
        ),
        pytest.param(POD, replace(CONTAINER, type=ContainerType.SIDECAR), "1.32.0", "", id="sidecar from 1.32"),
        pytest.param(POD, replace(CONTAINER, running=False), "1.9.11", "the container is not running", id="not running"),
        pytest.param(
            POD,
            replace(CONTAINER, type=ContainerType.SIDECAR, running=False),
            "1.32.0",
            "the container is not running",
            id="sidecar not running",
        ),
        pytest.param(replace(POD, phase="Pending"), CONTAINER, "1.9.11", "", id="a pending pod may have running containers"),
    ],
)
def test_why_a_container_is_not_compared(catalog: Catalog, pod: Pod, container: Container, release: str, reason: str) -> None:
    assert not_compared(pod, container, catalog.kubelet(release)) == reason
