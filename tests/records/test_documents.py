"""Recorded hashes are read from what docker, crictl and kubelet logs print."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hashcompat.model.records import Recorded, Sandbox
from hashcompat.records.documents import from_node
from hashcompat.records.log import from_log

UID = "8cdcb7ba-17d0-11e9-9243-52540064c479"
LABELS = {
    "io.kubernetes.container.name": "app",
    "io.kubernetes.pod.name": "web-0",
    "io.kubernetes.pod.namespace": "shop",
    "io.kubernetes.pod.uid": UID,
}
NEW_NAME = f"/k8s_app_web-0_shop_{UID}_2"
OLD_NAME = f"/k8s_app.e4cc795_web-0_shop_{UID}_1a2b3c4d"


def docker(name: str = NEW_NAME, *, running: Any = True, **labels: str) -> dict[str, Any]:
    return {
        "Id": "c0ffee",
        "Name": name,
        "State": {"Running": running},
        "Config": {"Labels": {**LABELS, **labels}},
    }


def cri(state: str = "CONTAINER_RUNNING", **annotations: str) -> dict[str, Any]:
    return {
        "id": "c0ffee",
        "metadata": {"name": "app", "attempt": 2},
        "labels": LABELS,
        "annotations": annotations,
        "state": state,
    }


def containers(document: object) -> list[Recorded]:
    return [record for record in from_node(document) if isinstance(record, Recorded)]


EXPECTED = Recorded(UID, "shop", "web-0", "app", 0x552AAE9D, running=True, attempt=2)
HASH = {"io.kubernetes.container.hash": "552aae9d"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(
            [docker(**{"annotation.io.kubernetes.container.hash": "552aae9d"})],
            id="docker inspect, dockershim's label",
        ),
        pytest.param(
            {
                "Id": "c",
                "Names": [NEW_NAME],
                "State": "running",
                "Labels": {"annotation.io.kubernetes.container.hash": "552aae9d"},
            },
            id="Docker's container list, names from the container's name",
        ),
        pytest.param({"status": cri(**HASH), "info": {}}, id="crictl inspect"),
        pytest.param({"containers": [cri(**HASH)]}, id="crictl ps -o json"),
        pytest.param([{"status": cri(**HASH), "info": {"pid": 1}}], id="crictl inspect of several"),
        pytest.param({"containers": [{"status": cri(**HASH), "info": {}}]}, id="crictl inspect, listed"),
        pytest.param(
            {
                "ID": "c0ffee",
                "Names": NEW_NAME.lstrip("/"),
                "State": "running",
                "Labels": 'annotation.io.kubernetes.container.ports=[{"containerPort":1,"protocol":"TCP"}],'
                f"annotation.io.kubernetes.container.hash=552aae9d,io.kubernetes.pod.uid={UID}",
            },
            id="docker ps --format json",
        ),
    ],
)
def test_the_recorded_hash_is_found(document: object) -> None:
    assert list(from_node(document)) == [EXPECTED]


def test_up_to_1_5_the_name_counts_not_the_label() -> None:
    (record,) = containers([docker(OLD_NAME, **{"io.kubernetes.container.hash": "1"})])
    assert (record.hash, record.container, record.attempt) == (0xE4CC795, "app", 0)


def test_a_label_of_1_2_is_read_where_the_name_has_none() -> None:
    (record,) = containers([docker(**HASH)])
    assert record.hash == 0x552AAE9D


@pytest.mark.parametrize(
    "text", ["", "xyz", "552AAE9D", "123456789"], ids=["empty", "no hex", "upper case", "nine digits"]
)
def test_an_unreadable_hash_counts_as_missing(text: str) -> None:
    (record,) = containers({"containers": [cri(**{"io.kubernetes.container.hash": text})]})
    assert record.hash is None


def test_a_missing_annotation_is_a_record_without_a_hash() -> None:
    (record,) = containers({"status": cri()})
    assert (record.hash, record.container) == (None, "app")


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([docker("/registry")], id="no kubelet's container"),
        pytest.param(
            {"containers": [{"labels": {}, "annotations": HASH}]}, id="a CRI container without labels"
        ),
        pytest.param({"kind": "PodList"}, id="something else"),
        pytest.param("text", id="no object"),
        pytest.param({"containers": ["text"]}, id="a list of something else"),
        pytest.param(
            {"items": [{"state": "SANDBOX_READY", "metadata": {}}]}, id="a CRI sandbox without a name"
        ),
        pytest.param({"acKind": "PodManifest", "apps": [{"name": "c"}, "text"]}, id="a pod of rkt's own"),
    ],
)
def test_what_is_no_kubelets_container_is_passed_over(document: object) -> None:
    assert list(from_node(document)) == []


@pytest.mark.parametrize(("state", "running"), [("CONTAINER_RUNNING", True), ("CONTAINER_EXITED", False)])
def test_the_state_of_a_cri_container(state: str, *, running: bool) -> None:
    (record,) = containers({"containers": [cri(state, **HASH)]})
    assert record.running is running


def test_an_attempt_that_is_no_number_is_the_first() -> None:
    (record,) = containers({"containers": [{**cri(**HASH), "metadata": {"attempt": "2"}}]})
    assert record.attempt == 0


@pytest.mark.parametrize("number", ["9" * 5000, "\u0663"])
def test_numbers_that_no_kubelet_writes_are_not_read(number: str) -> None:
    row = {**docker(), "Name": f"/k8s_c_p_ns_uid_{number}"}
    (record,) = containers(row)
    assert record.attempt == 0
    line = f'pod "web-0_shop({UID})" container "c" hash changed ({number} vs 1)'
    assert list(from_log(line)) == []


def test_an_exited_docker_container_is_not_running() -> None:
    (record,) = containers([docker(running=False)])
    assert not record.running


def test_the_log_of_1_8_to_1_13_tells_the_recorded_hash_first() -> None:
    """The incident's own line, broken over lines as it was published."""
    log = """I0114 17:57:42.715551   12945 kuberuntime_manager.go:550] \
Container "prometheus-node-exporter" ({"docker" "f59c4812"})
        of pod prometheus-node-exporter-l7vzz_monitoring(4ec492d2-17de-11e9-9206-52540064c479):
        Container spec hash changed (1559107639 vs 1428860573).. Container will be killed and recreated."""
    assert list(from_log(log)) == [
        Recorded(
            "4ec492d2-17de-11e9-9206-52540064c479",
            "monitoring",
            "prometheus-node-exporter-l7vzz",
            "prometheus-node-exporter",
            1559107639,
            running=None,
        )
    ]


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(f'pod "web-0_shop({UID})"', (UID, "shop", "web-0"), id="Docker, 1.2 - 1.5"),
        pytest.param(f'Pod "web-0_shop({UID})"', (UID, "shop", "web-0"), id="rkt, 1.2 - 1.7"),
        pytest.param('pod "web-0_shop"', ("", "shop", "web-0"), id="Docker, 1.0 and 1.1: the full name"),
        pytest.param('Pod "web-0"', ("", "", "web-0"), id="CRI, 1.6 and 1.7: the name alone"),
    ],
)
def test_logs_up_to_1_7_name_the_pod_in_four_ways(pod: str, expected: tuple[str, str, str]) -> None:
    log = f'I0114 17:57:42.715551 1 manager.go:1] {pod} container "app" hash changed (1 vs 2), '
    log += "it will be killed and re-created."
    assert list(from_log(log)) == [Recorded(*expected, "app", 1, running=None)]


@pytest.mark.parametrize(("text", "value"), [("4294967295", 4294967295), ("e4cc795", None)])
def test_rkt_wrote_decimal(text: str, value: int | None) -> None:
    """The manifest's annotations name the pod (1.5.8 pkg/kubelet/rkt/rkt.go newAppcRuntimeApp)."""
    app = [
        {"name": "rkt.kubernetes.io/container-hash", "value": text},
        {"name": "io.kubernetes.container.name", "value": "app"},
    ]
    pod = [{"name": name, "value": value} for name, value in LABELS.items() if "pod" in name]
    manifest = {"acKind": "PodManifest", "apps": [{"name": "app", "annotations": app}], "annotations": pod}
    assert containers(manifest) == [Recorded(UID, "shop", "web-0", "app", value, running=None)]
    pod.append({"name": "rkt.kubernetes.io/restart-count", "value": "3"})
    assert [record.attempt for record in containers(manifest)] == [3]


@pytest.mark.parametrize("prefix", ["", "annotation."])
def test_the_hash_without_resources_is_read_too(prefix: str) -> None:
    """1.27.16 pkg/kubelet/kuberuntime/labels.go newContainerAnnotations."""
    told = {
        f"{prefix}io.kubernetes.container.hash": "1",
        f"{prefix}io.kubernetes.container.hashWithoutResources": "a0",
    }
    (record,) = containers([docker(**told)] if prefix else {"containers": [cri(**told)]})
    assert (record.hash, record.without_resources) == (1, 160)


def cri_pod(**more: Any) -> dict[str, Any]:
    metadata = {"name": "web-0", "uid": UID, "namespace": "shop", "attempt": 2}
    return {"id": "c0ffee", "metadata": metadata, "state": "SANDBOX_READY", **more}


def infra(
    name: str = f"/k8s_POD_web-0_shop_{UID}_2", *, mode: str | None = "none", **more: Any
) -> dict[str, Any]:
    host = {} if mode is None else {"HostConfig": {"NetworkMode": mode}}
    return {"Id": "c0ffee", "Name": name, "State": {"Running": True}, **host, **more}


SANDBOX = Sandbox(UID, "shop", "web-0", ready=True, attempt=2)
NETWORK = {"linux": {"namespaces": {"options": {"network": "POD"}}}, "network": {"ip": "10.0.0.1"}}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param({"items": [cri_pod()]}, SANDBOX, id="crictl pods"),
        pytest.param(
            {"items": [cri_pod(state="SANDBOX_NOTREADY")]},
            replace(SANDBOX, ready=False),
            id="crictl pods, not ready",
        ),
        pytest.param(
            {"status": cri_pod(**NETWORK)},
            replace(SANDBOX, host_network=False, ip="10.0.0.1"),
            id="crictl inspectp",
        ),
        pytest.param(
            {"status": cri_pod(linux={"namespaces": {"options": {"network": "NODE"}}}, network={"ip": ""})},
            replace(SANDBOX, host_network=True, ip=""),
            id="crictl inspectp, the host's network",
        ),
        pytest.param(
            {"status": cri_pod(linux={"namespaces": {"options": {"hostNetwork": True}}})},
            replace(SANDBOX, host_network=True),
            id="crictl inspectp, CRI of 1.10",
        ),
        pytest.param([infra()], replace(SANDBOX, host_network=False), id="docker inspect"),
        pytest.param(
            [infra(mode="host")], replace(SANDBOX, host_network=True), id="docker inspect, the host's network"
        ),
        pytest.param([infra(mode=None)], SANDBOX, id="docker ps tells no network"),
        pytest.param(
            [infra(f"/k8s_POD.6d00e006_web-0_shop_{UID}_ab")],
            replace(SANDBOX, host_network=False, attempt=0),
            id="docker inspect, 1.5",
        ),
        pytest.param([docker(**{"io.kubernetes.docker.type": "podsandbox"})], SANDBOX, id="by label"),
    ],
)
def test_sandboxes_are_told_apart_from_containers(document: object, expected: Sandbox) -> None:
    assert list(from_node(document)) == [expected]


def test_later_logs_carry_no_values() -> None:
    assert list(from_log("Container app definition changed, will be restarted")) == []
