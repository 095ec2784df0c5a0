"""Files of recorded hashes: what each source looks like, and what directories may hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import UID, hash_changed, planned, record

C: Json = {"name": "c", "image": "i"}
D: Json = {"name": "d", "image": "i"}
OLD, NEW = "1.9.11", "1.16.0"
LABELS: Json = {
    "io.kubernetes.container.name": "c",
    "io.kubernetes.pod.name": "p",
    "io.kubernetes.pod.namespace": "ns",
    UID: "uid-p",
}
DOCKER_LABELS: Json = {**LABELS, "annotation.io.kubernetes.container.hash": "7"}
SANDBOX: Json = {
    "Id": "1",
    "Name": "/k8s_POD_p_ns_uid-p_0",
    "State": {"Running": True},
    "Config": {"Labels": LABELS},
}
LOG_1_7 = hash_changed(7)
LOG_1_8 = (
    "I0114 17:57:42.715551 12945 kuberuntime_manager.go:550] "
    'Container "c" ({"docker" "f5"}) of pod p_ns(uid-p): '
    "Container spec hash changed (8 vs 7).. Container will be killed and recreated."
)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            json.dumps(
                [
                    SANDBOX,
                    {
                        "Id": "2",
                        "Name": "/k8s_c_p_ns_uid-p_0",
                        "State": {"Running": True},
                        "Config": {"Labels": DOCKER_LABELS},
                    },
                ]
            ),
            id="docker inspect, dockershim",
        ),
        pytest.param(
            json.dumps(
                [
                    {
                        "Id": "2",
                        "Name": "/k8s_c.7_p_ns_uid-p_1a2b3c4d",
                        "State": {"Running": True},
                        "Config": {"Labels": {}},
                    }
                ]
            ),
            id="docker inspect, 1.5",
        ),
        pytest.param(
            json.dumps(
                {
                    "status": {
                        "labels": LABELS,
                        "annotations": {"io.kubernetes.container.hash": "7"},
                        "state": "CONTAINER_RUNNING",
                    }
                }
            ),
            id="crictl inspect",
        ),
        pytest.param(json.dumps({"containers": [record(7)]}), id="crictl ps"),
        pytest.param(
            json.dumps({"containers": [record(7)]}, indent=1) + json.dumps({"containers": []}),
            id="several on end",
        ),
        pytest.param(LOG_1_7, id="log of 1.7"),
        pytest.param(LOG_1_8, id="log of 1.8 - 1.13"),
    ],
)
def test_every_source_of_recorded_hashes(run: Run, tmp_path: Path, content: str) -> None:
    (tmp_path / "told").write_text(content)
    assert (
        planned(run, "1.9.11", "1.9.11", pod(C), more=("--recorded", tmp_path / "told"))["c"]["hash"][
            "recorded"
        ]
        == 7
    )


def test_a_directory_is_read_whole(run: Run, tmp_path: Path) -> None:
    for name in ("c", "d"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"containers": [record(7, container=name)]}))
    items = planned(run, "1.9.11", "1.9.11", pod(C, D), more=("--recorded", tmp_path))
    assert [item["hash"]["recorded"] for item in items.values()] == [7, 7]


def test_a_nodes_dump_is_a_directory_with_other_files_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "inspect.json").write_text(json.dumps([{"status": record(7), "info": {}}]))
    (tmp_path / "kubelet.log").write_text(hash_changed(8, container="d"))
    (tmp_path / "df.txt").write_text("Filesystem 1K-blocks")
    items = planned(run, "1.9.11", "1.9.11", pod(C, D), more=("--recorded", tmp_path))
    assert [item["hash"]["recorded"] for item in items.values()] == [7, 8]


def test_a_directory_without_any_record_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "df.txt").write_text("Filesystem 1K-blocks")
    result = run("plan", "--from", OLD, "--to", NEW, "-f", "-", "--recorded", tmp_path, stdin=as_json(pod(C)))
    assert (result.code, result.out) == (1, "")
    assert f"{tmp_path}: no kubelet's container in any of its files" in result.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "",
            "empty; want a dump of the collector, docker inspect or crictl JSON, or a",
        ),
        ("{", "line 1"),
        ("[]", "no kubelet's container in it; want a dump of the collector, docker inspect"),
        ("Container c definition changed, will be restarted", "no kubelet's container in it"),
        ("\0", "binary data at character 0"),
    ],
)
def test_a_file_without_any_recorded_hash_is_an_error(
    run: Run, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "told").write_text(content)
    result = run(
        "plan", "--from", OLD, "--to", NEW, "-f", "-", "--recorded", tmp_path / "told", stdin=as_json(pod(C))
    )
    assert (result.code, result.out) == (1, "")
    assert f"{tmp_path / 'told'}: " in result.err
    assert message in result.err
