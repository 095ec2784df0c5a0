"""What the decisions about a pod's containers share."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.pods import Container, ContainerType, Node, Pod
from tests.helpers.pods import Json, as_json, mirror_pod, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import KEEP, C, Expected
from tests.helpers.upgrades import decided
from tests.kubelet.decide.test_decide import CONTAINER, POD


def of(*types: ContainerType, **spec: Any) -> Pod:
    """Return a pod with containers of some types, none of which runs, and other keys of its spec."""
    containers = tuple(
        structs.replace(
            CONTAINER, name=f"c{place}", path=f"$.spec.containers[{place}]", type=kind, running=False
        )
        for place, kind in enumerate(types)
    )
    return structs.replace(POD, containers=containers, spec={**POD.spec, **spec})


def with_resources(pod: Pod, *resources: Any) -> Pod:
    pairs = zip(pod.containers, resources, strict=True)
    containers = tuple(
        structs.replace(container, spec={**container.spec, "resources": value}) for container, value in pairs
    )
    return structs.replace(pod, containers=containers)


def test_a_fact_is_computed_once_for_each_key_and_value() -> None:
    whole, asked = Whole(POD), list[object]()

    def computed(value: object) -> object:
        asked.append(value)
        return value

    first, second = object(), object()
    for value in (first, first, second):
        assert whole.once("a", partial(computed, value), of=value) is value
    assert asked == [first, second]


def test_places() -> None:
    pod = of(ContainerType.INIT, ContainerType.CONTAINER)
    assert [Whole(pod).place(container) for container in pod.containers] == [0, 1]
    with pytest.raises(KeyError):
        Whole(pod).place(structs.replace(pod.containers[0], path="$.spec.other[0]"))


def test_sidecars_and_what_runs() -> None:
    whole = Whole(of(ContainerType.SIDECAR, ContainerType.CONTAINER))
    assert whole.has_sidecar
    assert whole.runs_none
    assert not whole.never_ran  # nothing shows how often it restarted
    other = of(ContainerType.CONTAINER)
    fresh: tuple[Container, ...] = (structs.replace(other.containers[0], restarts=0),)
    assert Whole(structs.replace(other, containers=fresh)).never_ran
    assert not Whole(other).has_sidecar


def test_qos_classes_and_devices() -> None:
    limits = {"limits": {"cpu": "1", "memory": "1", "example.com/gpu": "1"}}
    pod = with_resources(of(ContainerType.INIT, ContainerType.CONTAINER), {}, limits)
    assert Whole(pod).qos_classes == ("Guaranteed", "Burstable")
    assert Whole(pod).devices == "example.com/gpu"
    assert Whole(with_resources(pod, {"limits": {"cpu": "x"}}, {})).qos_classes is None


def test_many_devices_are_counted() -> None:
    """Each container's reason names them, so that all of them would take the square of their number."""
    limits = {"limits": {f"example.com/{letter}": "1" for letter in "edcba"}}
    pod = with_resources(of(ContainerType.CONTAINER), limits)
    assert Whole(pod).devices == "example.com/a, example.com/b, example.com/c, 2 more"


def test_sysctls(catalog: Catalog) -> None:
    rows = [{"name": "net/ipv4/x"}, {"name": 1}, {"name": "net.ipv4.x"}]
    whole = Whole(of(ContainerType.CONTAINER, securityContext={"sysctls": rows}))
    assert whole.sysctls(catalog.kubelet("1.31.14").behaviour) == {"net.ipv4.x"}
    assert whole.sysctls(catalog.kubelet("1.22.17").behaviour) == {"net/ipv4/x", "net.ipv4.x"}
    assert not whole.sysctls(catalog.kubelet("1.10.13").behaviour)
    assert whole.has_unsafe_sysctl(catalog.kubelet("1.31.14").behaviour)
    assert not whole.has_unsafe_sysctl(catalog.kubelet("1.10.13").behaviour)


def test_selectors_and_taints() -> None:
    whole = Whole(of(ContainerType.CONTAINER, nodeSelector={"a": "b"}))
    node = Node("n", "v1.31.14", labels={"a": "b"}, taints=({"key": "k", "effect": "NoExecute"},))
    assert not whole.unmet(node, "selector", mends=False)
    other = structs.replace(node, labels={"a": "c"})
    said = "its nodeSelector asks for a=b, which its node's labels do not have"
    assert whole.unmet(other, "selector", mends=False) == said
    assert whole.not_tolerated(node, compares=False) == "k:NoExecute"
    assert whole.not_tolerated(structs.replace(node, taints=()), compares=False) == ""


# Sandboxes that a kubelet keeps, and those with which it replaces the whole pod.


def cri_pod(
    state: str = "SANDBOX_READY",
    *,
    attempt: int = 0,
    network: str = "POD",
    ip: str | None = "10.0.0.1",
    created: str = "",
) -> Json:
    """Return a sandbox of the pod ``p`` as ``crictl inspectp`` shows it."""
    metadata = {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": attempt}
    told = {} if ip is None else {"network": {"ip": ip}}
    return {
        "status": {
            "metadata": metadata,
            "state": state,
            **({"createdAt": created} if created else {}),
            "linux": {"namespaces": {"options": {"network": network}}},
            **told,
        }
    }


def infra(*, running: bool = True, mode: str = "none", name: str = "k8s_POD.1_p_ns_uid-p_1a2b3c4d") -> Json:
    """Return the infra container of the pod ``p`` as ``docker inspect`` shows it."""
    return {
        "Id": name,
        "Name": f"/{name}",
        "State": {"Running": running},
        "HostConfig": {"NetworkMode": mode},
    }


HOST: Json = {"hostNetwork": True}
BROKEN: Expected = ("RESTART", ["HC027"])
NOT_READY = "SANDBOX_NOTREADY"


@pytest.mark.parametrize(
    ("new", "told", "spec", "expected"),
    [
        pytest.param("1.9.11", [cri_pod()], {}, KEEP, id="as it should be"),
        pytest.param("1.9.11", [cri_pod(), cri_pod(attempt=1)], {}, BROKEN, id="two are ready"),
        pytest.param("1.9.11", [cri_pod(NOT_READY), cri_pod(attempt=1)], {}, KEEP, id="the latest is ready"),
        pytest.param(
            "1.9.11", [cri_pod(), cri_pod(NOT_READY, attempt=1)], {}, BROKEN, id="the latest is not ready"
        ),
        pytest.param(
            "1.9.11",
            [cri_pod(NOT_READY)],
            {"restartPolicy": "Never"},
            ("KILL", ["HC027"]),
            id="Never: killed for good",
        ),
        pytest.param(
            "1.9.11", [cri_pod(network="NODE")], {}, BROKEN, id="on the host's network, unlike the pod"
        ),
        pytest.param("1.9.11", [cri_pod()], HOST, BROKEN, id="not on the host's network, unlike the pod"),
        pytest.param("1.9.11", [cri_pod(network="NODE", ip="")], HOST, KEEP, id="both on the host's network"),
        pytest.param("1.9.11", [cri_pod(network="?")], HOST, KEEP, id="the network is not told"),
        pytest.param("1.9.11", [cri_pod(ip="")], {}, BROKEN, id="no IP"),
        pytest.param("1.9.11", [cri_pod(ip=None)], {}, KEEP, id="the IP is not told"),
        pytest.param("1.7.5", [cri_pod(ip="")], {}, KEEP, id="no IP, before 1.8"),
        pytest.param("1.5.8", [infra()], {}, KEEP, id="1.5: as it should be"),
        pytest.param("1.5.8", [infra(running=False)], {}, BROKEN, id="1.5: the infra container does not run"),
        pytest.param(
            "1.5.8",
            [infra(running=False), infra(name="k8s_POD.1_p_ns_uid-p_5e6f7a8b")],
            {},
            KEEP,
            id="1.5: another one runs",
        ),
        pytest.param("1.5.8", [infra(mode="bridge")], HOST, BROKEN, id="1.5: not on the host's network"),
        pytest.param("1.5.8", [infra(mode="host")], {}, KEEP, id="1.5: only a host-network pod is looked at"),
        pytest.param(
            "1.23.17",
            [infra(mode="host", name="k8s_POD_p_ns_uid-p_0")],
            {},
            BROKEN,
            id="dockershim, the host's network",
        ),
    ],
)
def test_hc027_a_sandbox_that_no_kubelet_keeps(
    run: Run, tmp_path: Path, new: str, told: list[Json], spec: Json, expected: Expected
) -> None:
    """podSandboxChanged of 1.6.13, 1.7.5, 1.8.0 and 1.36.0; podInfraContainerChanged of 1.5.8."""
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert decided(run, new, new, pod(C, spec=spec), more=("--recorded", tmp_path / "told.json")) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pod(C, name="q"), KEEP),
        (mirror_pod(C), BROKEN),
        (pod(C, status={"phase": "Failed"}), ("KEEP", ["HC002"])),
    ],
)
def test_hc027_a_sandbox_belongs_to_one_pod(
    run: Run, tmp_path: Path, given: Json, expected: Expected
) -> None:
    """By its uid; a mirror pod's sandboxes have the uid of the manifest, so its names count."""
    told = cri_pod(NOT_READY)
    if "annotations" in given["metadata"]:
        told["status"]["metadata"] |= {"uid": "0123", "name": "p-n1"}
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert decided(run, "1.9.11", "1.9.11", given, more=("--recorded", tmp_path / "told.json")) == expected


EARLY, LATE = "2026-01-31T12:00:00.123456788Z", "2026-01-31T12:00:00.123456789Z"


@pytest.mark.parametrize(
    ("new", "told", "expected"),
    [
        ("1.34.13", [cri_pod(NOT_READY, attempt=1, created=EARLY), cri_pod(created=LATE)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1, created=EARLY)], BROKEN),
        ("1.35.10", [cri_pod(NOT_READY, attempt=1, created=EARLY), cri_pod(created=LATE)], BROKEN),
        ("1.35.10", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1, created=EARLY)], KEEP),
        ("1.36.6", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1, created=EARLY)], KEEP),
        ("1.36.6", [cri_pod(NOT_READY, created=LATE), cri_pod(created=EARLY)], BROKEN),
        ("1.36.6", [cri_pod(NOT_READY, created=EARLY), cri_pod(created=LATE)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created=LATE), cri_pod(attempt=1)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created="1769860800123456789"), cri_pod(created=EARLY)], BROKEN),
        ("1.34.13", [cri_pod(NOT_READY, created="1769860800123456788"), cri_pod(created=LATE)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created="2026-01-31T13:00:00+01:00"), cri_pod(created=EARLY)], KEEP),
        ("1.34.13", [cri_pod(NOT_READY, created="2026-01-31T12:00:00+99:00"), cri_pod(attempt=1)], KEEP),
    ],
)
def test_hc027_the_newest_sandbox_is_found_in_each_releases_order(
    run: Run, tmp_path: Path, new: str, told: list[Json], expected: Expected
) -> None:
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert decided(run, new, new, pod(C), more=("--recorded", tmp_path / "told.json")) == expected
    given = run("snapshot", "-f", "-", "--recorded", tmp_path / "told.json", stdin=as_json(pod(C))).out
    assert decided(run, new, new, json.loads(given)) == expected
