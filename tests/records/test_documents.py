"""Recorded hashes are read from what docker, crictl and kubelet logs print."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.model.verdicts import Recorded, Sandbox
from hashcompat.core.records.documents import from_node

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
        "Created": "2026-01-14T17:57:42.715551Z",
        "State": {"Running": running},
        "Config": {"Labels": {**LABELS, **labels}},
    }


def cri(state: str = "CONTAINER_RUNNING", **annotations: str) -> dict[str, Any]:
    return {
        "id": "c0ffee",
        "createdAt": "1768413462715551000",
        "metadata": {"name": "app", "attempt": 2},
        "labels": LABELS,
        "annotations": annotations,
        "state": state,
    }


def containers(document: object) -> list[Recorded]:
    return [record for record in from_node(document) if isinstance(record, Recorded)]


CREATED = datetime(2026, 1, 14, 17, 57, 42, tzinfo=UTC)
EXPECTED = Recorded(
    UID, "shop", "web-0", "app", 0x552AAE9D, running=True, attempt=2, id="c0ffee", created=CREATED
)
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
                "Id": "c0ffee",
                "Names": [NEW_NAME],
                "Created": 1768413462,
                "State": "running",
                "Labels": {"annotation.io.kubernetes.container.hash": "552aae9d"},
            },
            id="Docker's container list, names from the container's name",
        ),
        pytest.param({"status": cri(**HASH), "info": {}}, id="crictl inspect"),
        pytest.param({"containers": [cri(**HASH)]}, id="crictl ps -o json"),
        pytest.param([{"status": cri(**HASH), "info": {"pid": 1}}], id="crictl inspect of several"),
        pytest.param({"containers": [{"status": cri(**HASH), "info": {}}]}, id="crictl inspect, listed"),
    ],
)
def test_the_recorded_hash_is_found(document: object, request: pytest.FixtureRequest) -> None:
    in_docker = "ocker" in request.node.callspec.id
    assert list(from_node(document)) == [structs.replace(EXPECTED, docker=in_docker)]


def test_labels_in_one_text_are_refused() -> None:
    """The value of one label holds commas too, and an image chooses its own labels."""
    row = {
        "ID": "c0ffee",
        "Names": NEW_NAME.lstrip("/"),
        "State": "running",
        "Labels": "annotation.io.kubernetes.container.hash=552aae9d,maintainer=x,"
        f"annotation.io.kubernetes.container.hash=1,io.kubernetes.pod.uid={UID}",
    }
    with pytest.raises(InputError, match="give the output of docker inspect"):
        containers(row)
    assert containers({**row, "Names": "registry"}) == []


@pytest.mark.parametrize("key", ["io.kubernetes.container.hash", "annotation.io.kubernetes.container.hash"])
def test_up_to_1_5_the_name_counts_not_the_label(key: str) -> None:
    planted = {"io.kubernetes.docker.type": "podsandbox", "io.kubernetes.pod.uid": "other"}
    (record,) = containers([docker(OLD_NAME, **{key: "1"}, **planted)])
    fields = (record.uid, record.hash, record.container, record.attempt)
    assert fields == (UID, 0xE4CC795, "app", None)


def test_from_1_6_the_name_says_whose_container_it_is() -> None:
    """Only a kubelet's own labels replace an image's, and 1.6 has fewer of them."""
    planted = {"io.kubernetes.pod.uid": "other", "io.kubernetes.pod.name": "web-1"}
    (record,) = containers([docker(**planted, **{f"annotation.{key}": value for key, value in HASH.items()})])
    assert record == structs.replace(EXPECTED, docker=True)


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
        pytest.param({"Id": "c0ffee", "Name": []}, id="a container whose names are an empty list"),
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


@pytest.mark.parametrize(
    ("state", "running"),
    [
        ("CONTAINER_RUNNING", True),
        (1, True),
        ("CONTAINER_EXITED", False),
        (2, False),
        ("CONTAINER_CREATED", False),
        (0, False),
        ("CONTAINER_UNKNOWN", None),
        (3, None),
        pytest.param("Running", None, id="as crictl's table has it"),
        pytest.param(None, None, id="none"),
        pytest.param([], None, id="a list"),
    ],
)
def test_the_state_of_a_cri_container(state: Any, *, running: bool | None) -> None:
    (record,) = containers({"containers": [cri(state, **HASH)]})
    assert record.running is running


@pytest.mark.parametrize(("state", "ready"), [(0, True), (1, False)])
def test_the_state_of_a_cri_sandbox_may_be_its_number(state: int, *, ready: bool) -> None:
    (sandbox,) = from_node({"items": [cri_pod(state=state)]})
    assert isinstance(sandbox, Sandbox)
    assert sandbox.ready is ready


@pytest.mark.parametrize(("told", "attempt"), [({"attempt": "2"}, None), ({"attempt": True}, None), ({}, 0)])
def test_an_attempt_that_is_no_number_is_not_known(told: dict[str, Any], attempt: int | None) -> None:
    (record,) = containers({"containers": [{**cri(**HASH), "metadata": told}]})
    assert record.attempt == attempt


@pytest.mark.parametrize("told", [True, "9" * 20, "2026-13-41T00:00:00Z", "yesterday", -(10**12), None, {}])
def test_a_time_that_is_none_is_not_known(told: object) -> None:
    (record,) = containers({"containers": [{**cri(**HASH), "createdAt": told}]})
    assert record.created is None


@pytest.mark.parametrize(
    "manifest", [{"apps": 7}, {"apps": [{"annotations": 7}]}, {"apps": [{}], "annotations": "text"}]
)
def test_odd_rows_of_rkt_are_passed_over(manifest: dict[str, Any]) -> None:
    assert containers({"acKind": "PodManifest", **manifest}) == []


@pytest.mark.parametrize("number", ["9" * 5000, "\u0663"])
def test_numbers_that_no_kubelet_writes_are_not_read(number: str) -> None:
    row = {**docker(), "Name": f"/k8s_c_p_ns_uid_{number}"}
    (record,) = containers(row)
    assert record.attempt is None


def test_an_exited_docker_container_is_not_running() -> None:
    (record,) = containers([docker(running=False)])
    assert not record.running


@pytest.mark.parametrize(
    ("text", "value"), [("4294967295", (1 << 32) - 1), ("4294967296", None), ("e4cc795", None)]
)
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


SANDBOX = Sandbox(UID, "shop", "web-0", ready=True, attempt=2, id="c0ffee")
IN_DOCKER = structs.replace(SANDBOX, docker=True)
NETWORK = {"linux": {"namespaces": {"options": {"network": "POD"}}}, "network": {"ip": "10.0.0.1"}}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param({"items": [cri_pod()]}, SANDBOX, id="crictl pods"),
        pytest.param(
            {"items": [cri_pod(state="SANDBOX_NOTREADY")]},
            structs.replace(SANDBOX, ready=False),
            id="crictl pods, not ready",
        ),
        pytest.param(
            {"status": cri_pod(**NETWORK)},
            structs.replace(SANDBOX, host_network=False, ip="10.0.0.1"),
            id="crictl inspectp",
        ),
        pytest.param(
            {"status": cri_pod(linux={"namespaces": {"options": {"network": "NODE"}}}, network={"ip": ""})},
            structs.replace(SANDBOX, host_network=True, ip=""),
            id="crictl inspectp, the host's network",
        ),
        pytest.param(
            {"status": cri_pod(linux={"namespaces": {"options": {"hostNetwork": True}}})},
            structs.replace(SANDBOX, host_network=True),
            id="crictl inspectp, CRI of 1.10",
        ),
        pytest.param([infra()], structs.replace(IN_DOCKER, host_network=False), id="docker inspect"),
        pytest.param(
            [infra(mode="host")],
            structs.replace(IN_DOCKER, host_network=True),
            id="docker inspect, the host's network",
        ),
        pytest.param([infra(mode=None)], IN_DOCKER, id="docker ps tells no network"),
        pytest.param(
            [infra(f"/k8s_POD.6d00e006_web-0_shop_{UID}_ab")],
            structs.replace(IN_DOCKER, host_network=False, attempt=0),
            id="docker inspect, 1.5",
        ),
        pytest.param(
            [docker(**{"io.kubernetes.docker.type": "podsandbox"})],
            structs.replace(IN_DOCKER, created=1768413462715551000),
            id="by label",
        ),
    ],
)
def test_sandboxes_are_told_apart_from_containers(document: object, expected: Sandbox) -> None:
    assert list(from_node(document)) == [expected]


@pytest.mark.parametrize(
    ("state", "running"),
    [({}, None), ({"Running": None}, None), ({"Running": False}, False), (None, None), ("exited", False)],
)
def test_a_container_of_docker_without_a_state_may_run(state: object, running: bool | None) -> None:
    (record,) = containers({**docker(), "State": state})
    assert record.running is running


@pytest.mark.parametrize("state", [{"Running": True, "Paused": True, "Status": "paused"}, "paused"])
def test_a_container_that_is_paused_runs(state: object) -> None:
    """Dockershim's list goes by ``Up``, and its status by State.Running (convert.go, 1.22.17)."""
    (record,) = containers({**docker(), "State": state})
    assert record.running is True
    (sandbox,) = from_node({**infra(), "State": state})
    assert isinstance(sandbox, Sandbox)
    assert sandbox.ready
    (listed,) = containers({**docker(), "State": "", "Status": "Up 5 minutes (Paused)"})
    assert listed.running is True


@pytest.mark.parametrize(
    ("document", "begun", "out_of_memory"),
    [
        (cri("CONTAINER_CREATED"), False, False),
        ({**docker(), "State": {"Running": False, "Status": "created"}}, False, False),
        ({**docker(), "State": "created", "Status": "Created"}, False, False),
        ({"status": {**cri("CONTAINER_EXITED"), "exitCode": 0, "reason": "OOMKilled"}}, True, True),
        ({**docker(), "State": {"Running": False, "Status": "exited", "OOMKilled": True}}, True, True),
        (cri("CONTAINER_EXITED"), True, False),
    ],
)
def test_a_record_tells_what_never_began_and_what_the_kernel_ended(
    document: dict[str, Any], begun: bool, out_of_memory: bool
) -> None:
    (record,) = containers({"containers": [document]} if "metadata" in document else document)
    assert (record.begun, record.out_of_memory) == (begun, out_of_memory)


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"containers": [{**cri("CONTAINER_EXITED"), "exitCode": 137}]}, 137),
        ({"status": {**cri("CONTAINER_EXITED"), "exitCode": 0}}, 0),
        ({"status": {**cri(), "exitCode": 0}}, None),
        ({"status": {**cri("CONTAINER_EXITED"), "exitCode": True}}, None),
        ({"status": cri("CONTAINER_EXITED")}, None),
        ({**docker(), "State": {"Running": False, "Status": "exited", "ExitCode": 3}}, 3),
        ({**docker(), "State": {"Running": True, "Status": "running", "ExitCode": 0}}, None),
        ({**docker(), "State": "exited", "Status": "Exited (42) 5 minutes ago"}, 42),
        ({**docker(), "State": "running", "Status": "Up 5 minutes"}, None),
    ],
)
def test_a_record_has_the_code_with_which_a_container_ended(
    document: dict[str, Any], code: int | None
) -> None:
    (record,) = containers(document)
    assert record.code == code
