"""Recorded hashes are read from what docker, crictl and kubelet logs print."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.kubelet.recorded import from_log, from_runtime
from hashcompat.model import Recorded

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
    return {"Id": "c0ffee", "Name": name, "State": {"Running": running}, "Config": {"Labels": {**LABELS, **labels}}}


def cri(state: str = "CONTAINER_RUNNING", **annotations: str) -> dict[str, Any]:
    return {"id": "c0ffee", "metadata": {"name": "app", "attempt": 2}, "labels": LABELS, "annotations": annotations, "state": state}


EXPECTED = Recorded(UID, "shop", "web-0", "app", 0x552AAE9D, running=True, attempt=2)
HASH = {"io.kubernetes.container.hash": "552aae9d"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([docker(**{"annotation.io.kubernetes.container.hash": "552aae9d"})], id="docker inspect, dockershim's label"),
        pytest.param(
            {"Id": "c", "Names": [NEW_NAME], "State": "running", "Labels": {"annotation.io.kubernetes.container.hash": "552aae9d"}},
            id="Docker's container list, names from the container's name",
        ),
        pytest.param({"status": cri(**HASH), "info": {}}, id="crictl inspect"),
        pytest.param({"containers": [cri(**HASH)]}, id="crictl ps -o json"),
        pytest.param([{"status": cri(**HASH)}], id="crictl inspect of several"),
    ],
)
def test_the_recorded_hash_is_found(document: object) -> None:
    assert list(from_runtime(document)) == [EXPECTED]


def test_up_to_1_5_the_name_counts_not_the_label() -> None:
    (record,) = from_runtime([docker(OLD_NAME, **{"io.kubernetes.container.hash": "1"})])
    assert (record.hash, record.container, record.attempt) == (0xE4CC795, "app", 0)


def test_a_label_of_1_2_is_read_where_the_name_has_none() -> None:
    (record,) = from_runtime([docker(**HASH)])
    assert record.hash == 0x552AAE9D


@pytest.mark.parametrize("text", ["", "xyz", "552AAE9D", "123456789"], ids=["empty", "no hex", "upper case", "nine digits"])
def test_an_unreadable_hash_counts_as_missing(text: str) -> None:
    (record,) = from_runtime({"containers": [cri(**{"io.kubernetes.container.hash": text})]})
    assert record.hash is None


def test_a_missing_annotation_is_a_record_without_a_hash() -> None:
    (record,) = from_runtime({"status": cri()})
    assert (record.hash, record.container) == (None, "app")


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([docker(f"/k8s_POD_web-0_shop_{UID}_0")], id="sandbox by name"),
        pytest.param([docker(f"/k8s_POD.6d00e006_web-0_shop_{UID}_ab")], id="sandbox of 1.5 by name"),
        pytest.param([docker(**{"io.kubernetes.docker.type": "podsandbox"})], id="sandbox by label"),
        pytest.param([docker("/registry")], id="no kubelet's container"),
        pytest.param({"containers": [{"labels": {}, "annotations": HASH}]}, id="a CRI container without labels"),
        pytest.param({"kind": "PodList"}, id="something else"),
        pytest.param("text", id="no object"),
    ],
)
def test_what_is_no_kubelets_container_is_passed_over(document: object) -> None:
    assert list(from_runtime(document)) == []


@pytest.mark.parametrize(("state", "running"), [("CONTAINER_RUNNING", True), ("CONTAINER_EXITED", False)])
def test_the_state_of_a_cri_container(state: str, *, running: bool) -> None:
    (record,) = from_runtime({"containers": [cri(state, **HASH)]})
    assert record.running is running


def test_an_attempt_that_is_no_number_is_the_first() -> None:
    (record,) = from_runtime({"containers": [{**cri(**HASH), "metadata": {"attempt": "2"}}]})
    assert record.attempt == 0


def test_an_exited_docker_container_is_not_running() -> None:
    (record,) = from_runtime([docker(running=False)])
    assert not record.running


def test_the_log_of_1_8_to_1_13_tells_the_recorded_hash_first() -> None:
    """The incident's own line, broken over lines as it was published."""
    log = """I0114 17:57:42.715551   12945 kuberuntime_manager.go:550] Container "prometheus-node-exporter" ({"docker" "f59c4812"})
        of pod prometheus-node-exporter-l7vzz_monitoring(4ec492d2-17de-11e9-9206-52540064c479):
        Container spec hash changed (1559107639 vs 1428860573).. Container will be killed and recreated."""
    assert list(from_log(log)) == [
        Recorded(
            "4ec492d2-17de-11e9-9206-52540064c479",
            "monitoring",
            "prometheus-node-exporter-l7vzz",
            "prometheus-node-exporter",
            1559107639,
            running=True,
        )
    ]


def test_the_log_of_1_7_names_neither_namespace_nor_uid() -> None:
    log = 'I0114 pod.go:1] Pod "web-0" container "app" hash changed (1 vs 2), it will be killed and re-created.'
    assert list(from_log(log)) == [Recorded("", "", "web-0", "app", 1, running=True)]


def test_later_logs_carry_no_values() -> None:
    assert list(from_log("Container app definition changed, will be restarted")) == []
