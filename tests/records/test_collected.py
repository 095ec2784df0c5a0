"""Records of dumps: which runtime's answer counts, and what is an error rather than fewer records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.verdicts import Applied, Files, Record, Recorded, Sandbox
from hashcompat.core.records.collected import files_of, from_documents, from_dump
from hashcompat.core.records.probes import Dump, Probe
from tests.helpers.dumps import GONE, Key, as_text, dump, failed

HASH = "io.kubernetes.container.hash"


def cri_row(pod: str, *, running: bool = True) -> dict[str, Any]:
    return {
        "id": f"id-{pod}",
        "state": "CONTAINER_RUNNING" if running else "CONTAINER_EXITED",
        "labels": {
            "io.kubernetes.container.name": "c",
            "io.kubernetes.pod.name": pod,
            "io.kubernetes.pod.namespace": "ns",
            "io.kubernetes.pod.uid": f"uid-{pod}",
        },
        "annotations": {HASH: "7"},
    }


def cri(*rows: dict[str, Any]) -> str:
    return json.dumps({"containers": list(rows)})


def sandbox(pod: str) -> dict[str, Any]:
    return {
        "id": f"pod-{pod}",
        "metadata": {"name": pod, "namespace": "ns", "uid": f"uid-{pod}"},
        "state": "SANDBOX_READY",
    }


def pods(*names: str) -> str:
    return json.dumps({"items": [sandbox(name) for name in names]})


def shown(pod: str) -> str:
    options = {"options": {"network": "NODE"}}
    return json.dumps({"status": {**sandbox(pod), "linux": {"namespaces": options}}})


def docker(*pods: str, state: str = "running") -> str:
    return json.dumps(
        [
            {
                "Id": f"d-{pod}",
                "Names": [f"/k8s_c_{pod}_ns_uid-{pod}_0"],
                "State": state,
                "Labels": {f"annotation.{HASH}": "8"},
            }
            for pod in pods
        ]
    )


EMPTY: dict[Key, str | Probe] = {
    ("cri", "containers"): GONE,
    ("cri", "pods"): GONE,
    ("docker", "list"): GONE,
    ("file", "/var/lib/kubelet/actuated_pods_state"): GONE,
}


def read(changes: dict[Key, str | Probe], *, complete: bool = True, more: str = "") -> list[Record]:
    text = as_text(dump({**EMPTY, **changes}, complete=complete))
    return list(from_documents(map(json.loads, (text + more).splitlines())))


def names(records: list[Record]) -> list[tuple[str, object]]:
    return [(record.pod, record.hash) for record in records if isinstance(record, Recorded)]


def test_the_answer_with_most_running_containers_counts() -> None:
    one, two = cri(cri_row("p")), cri(cri_row("p"), cri_row("q"))
    stopped = cri(cri_row("p", running=False), cri_row("q", running=False), cri_row("r", running=False))
    for containers, wanted in (
        (one, [("a", 8), ("b", 8)]),
        (two, [("p", 7), ("q", 7)]),
        (stopped, [("a", 8), ("b", 8)]),
    ):
        records = read(
            {("cri", "containers"): containers, ("cri", "pods"): pods(), ("docker", "list"): docker("a", "b")}
        )
        assert names(records) == wanted


@pytest.mark.parametrize(("row", "docker_below"), [("d-p", True), ("id-p", False), ("", False)])
def test_what_docker_has_under_the_same_id_is_in_docker(row: str, docker_below: bool) -> None:
    """dockershim and cri-dockerd answer with the ids of Docker's containers."""
    below = json.dumps(
        [{**container, "Id": container["Id"] if row else ""} for container in json.loads(docker("p"))]
    )
    records = read(
        {
            ("cri", "containers"): cri({**cri_row("p"), "id": row}),
            ("cri", "pods"): pods("p"),
            ("docker", "list"): below,
        }
    )
    shown = [record.docker for record in records if not isinstance(record, Applied | Files)]
    assert (names(records), shown) == ([("p", 7)], [docker_below] * 2)


def test_a_runtime_without_an_answer_leaves_the_other_ones() -> None:
    records = read({("cri", "containers"): failed(), ("docker", "list"): docker("a")})
    assert names(records) == [("a", 8)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param(
            {("cri", "containers"): failed("no answer within 10 s")},
            "node n1: its runtime could not be asked: cri containers: no answer within 10 s",
            id="no list",
        ),
        pytest.param(
            {("cri", "containers"): cri(cri_row("p")), ("cri", "pods"): failed()},
            "node n1: its runtime could not be asked: cri pods: permission denied",
            id="no sandboxes",
        ),
        pytest.param(
            {("docker", "list"): failed("docker is not on this node")},
            "node n1: its runtime could not be asked: docker list: docker is not on this node",
            id="no client",
        ),
        pytest.param(
            {("cri", "containers"): "junk"},
            "node n1: its runtime could not be asked: cri containers: ",
            id="junk",
        ),
        pytest.param(
            {}, "node n1: it has no container runtime at a usual path; set RUNTIME_ENDPOINT", id="no runtime"
        ),
        pytest.param(
            {
                ("docker", "list"): docker("a"),
                ("file", "/var/lib/kubelet/actuated_pods_state"): failed(),
            },
            "node n1: file /var/lib/kubelet/actuated_pods_state: permission denied",
            id="the kubelet's file",
        ),
    ],
)
def test_what_could_not_be_read_is_an_error_that_says_why(changes: dict[Key, str | Probe], said: str) -> None:
    with pytest.raises(InputError) as error:
        read(changes)
    assert str(error.value).startswith(said)


def test_a_cut_dump_is_an_error() -> None:
    with pytest.raises(InputError) as error:
        read({("docker", "list"): docker("a")}, complete=False)
    assert str(error.value) == "node n1: the dump was cut: its last line is missing; collect it again"


def test_a_runtime_without_containers_has_no_records() -> None:
    assert read({("cri", "containers"): '{"containers": []}', ("cri", "pods"): pods()}) == []


def test_a_dump_whose_runtime_did_not_answer_decides_nothing_about_admission() -> None:
    assert files_of(dump({**EMPTY, ("cri", "containers"): failed("refused")})) == []
    assert len(files_of(dump({**EMPTY, ("cri", "containers"): cri(cri_row("a"))}))) == 1


def test_a_sandbox_that_was_shown_alone_counts_instead_of_its_row() -> None:
    records = read(
        {
            ("cri", "containers"): cri(cri_row("p")),
            ("cri", "pods"): pods("p", "q", "r"),
            ("cri", "inspectp pod-p"): shown("p"),
            ("cri", "inspectp pod-q"): failed("no answer within 10 s"),
            ("cri", "inspectp pod-r"): GONE,
        }
    )
    sandboxes = [(record.pod, record.host_network) for record in records if isinstance(record, Sandbox)]
    assert sandboxes == [("q", None), ("r", None), ("p", True)]


def test_the_kubelets_file_of_applied_resources_is_read_by_its_name_and_content() -> None:
    data = json.dumps({"entries": {"u": {"ContainerResources": {"c": {"limits": {"cpu": "1"}}}}}})
    checkpoint = json.dumps({"data": data, "checksum": 1})
    records = read(
        {
            ("docker", "list"): docker("a"),
            ("file", "/data/actuated_pods_state"): checkpoint,
            ("file", "/data/allocated_pods_state"): checkpoint,
        }
    )
    assert [record for record in records if isinstance(record, Applied)] == [
        Applied("u", "c", {"limits": {"cpu": "1"}})
    ]


def test_what_the_kubelets_file_lacks_is_said_only_where_it_was_looked_for() -> None:
    rows = as_text(dump({**EMPTY, ("docker", "list"): docker("a")})).splitlines(keepends=True)
    for text, lacks in (
        ("".join(rows), True),
        ("".join(row for row in rows if "actuated" not in row), False),
    ):
        records = from_documents(map(json.loads, text.splitlines()))
        assert [record.unapplied for record in records if isinstance(record, Recorded)] == [lacks]


def test_plain_documents_between_dumps_are_read_as_before() -> None:
    more = (
        cri(cri_row("x"))
        + "\n"
        + f"[{json.dumps({'Id': 'i', 'Name': '/k8s_c_y_ns_u_0', 'Labels': {}})}]\n7\n"
    )
    records = read({("docker", "list"): docker("a")}, more=more)
    assert names(records) == [("a", 8), ("x", 7), ("y", None)]


def test_a_list_of_documents_may_be_a_dump() -> None:
    text = as_text(dump({**EMPTY, ("docker", "list"): docker("a")}))
    records = list(from_documents([[json.loads(line) for line in text.splitlines()]]))
    assert names(records) == [("a", 8)]


def test_only_exit_codes_that_a_collector_learned_count() -> None:
    rows = [
        {
            "id": name,
            "metadata": {"name": "c"},
            "state": "CONTAINER_EXITED",
            "labels": {"io.kubernetes.container.name": "c", "io.kubernetes.pod.uid": name},
        }
        for name in "abcde"
    ]
    answers = {
        "a": Probe("cri", "ended a", json.dumps({"status": {"exitCode": 3}})),
        "b": Probe("cri", "ended b", json.dumps({"status": {}})),
        "c": Probe("cri", "ended c", "[]"),
        "d": Probe("cri", "ended d", problem="no answer"),
    }
    probes = {
        ("cri", "containers"): (Probe("cri", "containers", json.dumps({"containers": rows})),),
        ("cri", "pods"): (Probe("cri", "pods", "{}"),),
        ("docker", "list"): (Probe("docker", "list"),),
        **{("cri", f"ended {name}"): (probe,) for name, probe in answers.items()},
    }
    records = [record for record in from_dump(Dump("n1", "", probes)) if isinstance(record, Recorded)]
    assert {record.id: record.code for record in records} == {
        "a": 3,
        "b": None,
        "c": None,
        "d": None,
        "e": None,
    }
