"""Whether a kubelet compares a container at all (kuberuntime_manager.go computePodActions)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.decide.case import Case
from hashcompat.core.kubelet.decide.pod import at_rest
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.pods import Container, ContainerType, Pod
from hashcompat.core.model.verdicts import Verdict
from hashcompat.sources.objects import read_object

CONTAINER = Container("app", ContainerType.CONTAINER, "$.spec.containers[0]", {}, running=True)


def _pod() -> Pod:
    (pod,) = read_object(
        {"kind": "Pod", "metadata": {"uid": "u"}, "spec": {"containers": [{"name": "app"}]}}, "f"
    )
    assert isinstance(pod, Pod)
    return pod


POD = _pod()


@pytest.mark.parametrize("running", [True, None], ids=["running", "not told"])
@pytest.mark.parametrize("kind", [ContainerType.CONTAINER, ContainerType.SIDECAR])
def test_a_running_container_is_compared(kind: ContainerType, *, running: bool | None) -> None:
    assert at_rest(POD, replace(CONTAINER, type=kind, running=running)) == ""


@pytest.mark.parametrize(
    ("pod", "container", "reason"),
    [
        pytest.param(replace(POD, deleting=True), CONTAINER, "the pod is being deleted", id="deleted pod"),
        pytest.param(
            replace(POD, phase="Succeeded"),
            replace(CONTAINER, running=False),
            "the pod has finished",
            id="succeeded pod",
        ),
        pytest.param(
            replace(POD, phase="Failed"),
            replace(CONTAINER, running=None),
            "the pod has finished",
            id="failed pod",
        ),
        pytest.param(replace(POD, phase="Failed"), CONTAINER, "", id="failed pod that runs on"),
        pytest.param(POD, replace(CONTAINER, type=ContainerType.INIT), "an init container", id="init"),
        pytest.param(
            POD,
            replace(CONTAINER, type=ContainerType.INIT, running=False),
            "an init container",
            id="finished init",
        ),
        pytest.param(
            POD,
            replace(CONTAINER, type=ContainerType.EPHEMERAL),
            "an ephemeral container",
            id="ephemeral",
        ),
        pytest.param(
            POD, replace(CONTAINER, running=False), "the container is not running", id="not running"
        ),
        pytest.param(
            POD,
            replace(CONTAINER, type=ContainerType.SIDECAR, running=False),
            "the container is not running",
            id="sidecar not running",
        ),
        pytest.param(
            replace(POD, phase="Pending"),
            CONTAINER,
            "",
            id="a pending pod may have running containers",
        ),
    ],
)
def test_why_a_container_is_not_compared(pod: Pod, container: Container, reason: str) -> None:
    assert at_rest(pod, container) == reason


@pytest.mark.parametrize(
    ("old", "new", "upgraded"),
    [
        ("1.9.11", "1.9.11", False),
        ("v1.9.11", "1.9.11", False),
        ("v1.27.3-gke.100", "1.27.3-gke.100", False),
        ("1.27.3-gke.100", "1.27.3", True),
        ("1.27.3-gke.100", "1.27.3-gke.200", True),
        ("1.9.10", "1.9.11", True),
    ],
)
def test_one_release_by_two_names_is_no_upgrade(
    catalog: Catalog, old: str, new: str, *, upgraded: bool
) -> None:
    kubelet, other = catalog.kubelet(old), catalog.kubelet(new)
    case = Case(POD, CONTAINER, kubelet, other, container_hash({}, kubelet), container_hash({}, other))
    assert case.upgraded is upgraded
    assert decide(case).verdict is Verdict.KEEP
