"""What is above a pod's direct controller, by the names and labels that controllers of Kubernetes make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object
from hashcompat.sources.workloads import maker_of, workload_of
from tests.helpers.pods import PLAIN, Json, as_json, mirror_pod, pod
from tests.helpers.program import Run

HASH = {"pod-template-hash": "474k6w5gmh"}


@pytest.mark.parametrize(
    ("owner", "labels", "workload"),
    [
        ("ReplicaSet/web-474k6w5gmh", HASH, "Deployment/web"),
        ("ReplicaSet/web-1428860573", {"pod-template-hash": "1428860573"}, "Deployment/web"),
        ("ReplicaSet/web-5f4766c4f8", {"pod-template-hash": "1903227094"}, "Deployment/web"),
        ("ReplicaSet/blue-7f", {"rollouts-pod-template-hash": "7f"}, "Rollout/blue"),
        ("ReplicaSet/web-other", HASH, "ReplicaSet/web-other"),
        ("ReplicaSet/web-474k6w5gmh", {}, "ReplicaSet/web-474k6w5gmh"),
        ("ReplicaSet/web-474k6w5gmh", {"pod-template-hash": ""}, "ReplicaSet/web-474k6w5gmh"),
        ("ReplicaSet/web-474k6w5gmh", {"pod-template-hash": 7}, "ReplicaSet/web-474k6w5gmh"),
        ("ReplicaSet/-474k6w5gmh", HASH, "ReplicaSet/-474k6w5gmh"),
        ("StatefulSet/web-474k6w5gmh", HASH, "StatefulSet/web-474k6w5gmh"),
        ("", HASH, ""),
    ],
)
def test_a_deployment_is_above_its_replica_set(
    owner: str, labels: Mapping[str, object], workload: str
) -> None:
    assert workload_of(owner, labels) == workload


def test_from_1_8_to_1_11_the_label_is_a_number_and_the_name_holds_it_encoded() -> None:
    """``SafeEncodeString("1428860573")``: the digits 0 to 9 become 4 to 9 and b to g."""
    digits = dict(zip("0123456789", "456789bcdf", strict=True))
    number = "1428860573"
    encoded = "".join(digits[digit] for digit in number)
    assert maker_of(f"web-{encoded}", {"pod-template-hash": number}) == "Deployment/web"
    assert maker_of(f"web-{encoded}", {"pod-template-hash": "1428860574"}) == ""


@pytest.mark.parametrize(
    ("name", "workload"),
    [
        pytest.param("tidy-28391040", "CronJob/tidy", id="minutes, 1.21"),
        pytest.param("tidy-1703462400", "CronJob/tidy", id="seconds, up to 1.20"),
        pytest.param("tidy-1703462401", "Job/tidy-1703462401", id="seconds that are no full minute"),
        pytest.param("tidy-20231225", "Job/tidy-20231225", id="a date"),
        pytest.param("tidy-026700000", "Job/tidy-026700000", id="a zero first"),
        pytest.param("tidy-2839104", "Job/tidy-2839104", id="too short"),
        pytest.param("tidy-1703462400000", "Job/tidy-1703462400000", id="milliseconds"),
        pytest.param("28391040", "Job/28391040", id="no name before it"),
        pytest.param("t" * 52 + "-28391040", "CronJob/" + "t" * 52, id="the longest name"),
        pytest.param("t" * 53 + "-28391040", "Job/" + "t" * 53 + "-28391040", id="a longer name"),
        pytest.param("tidy-٢٨٣٩١٠٤٠", "Job/tidy-٢٨٣٩١٠٤٠", id="other digits"),
    ],
)
def test_a_cron_job_is_above_a_job_whose_name_ends_in_its_time(name: str, workload: str) -> None:
    assert workload_of(f"Job/{name}", {}) == workload


def test_the_node_is_above_a_static_pod() -> None:
    assert workload_of("", {}, "n1") == workload_of("Node/n1", {}, "n1") == "Node/n1"


def read(value: object) -> Pod:
    (subject,) = read_object(value, "origin")
    assert isinstance(subject, Pod)
    return subject


def test_pods_and_templates_have_their_workload() -> None:
    labels = {"labels": {"pod-template-hash": "7f"}}
    template = {"metadata": labels, "spec": {"containers": [PLAIN]}}
    replica_set = {"kind": "ReplicaSet", "metadata": {"name": "web-7f"}, "spec": {"template": template}}
    assert read(replica_set).workload == "Deployment/web"
    assert read(mirror_pod()).workload.startswith("Node/")
    assert read(pod()).workload == ""


@pytest.mark.parametrize("labels", [None, 7, [], {"pod-template-hash": None}])
def test_labels_of_the_wrong_type_show_nothing(labels: object) -> None:
    assert read(owned("web-7f", labels)).workload == "ReplicaSet/web-7f"


def owned(name: str, labels: object) -> Json:
    made = pod(name=name)
    reference = {"kind": "ReplicaSet", "name": name, "uid": f"uid-{name}", "controller": True}
    return {**made, "metadata": {**made["metadata"], "labels": labels, "ownerReferences": [reference]}}


def test_a_snapshot_keeps_the_workload_without_the_label(run: Run, tmp_path: Path) -> None:
    given = as_json(owned("web-7f", {"pod-template-hash": "7f"}))
    way = ("--from", "1.7.16", "--to", "1.9.11", "-o", "json")
    direct = run("plan", *way, "-f", "-", stdin=given).item
    saved = tmp_path / "snapshot.json"
    assert run("snapshot", "-f", "-", "--out", str(saved), stdin=given).code == 0
    assert "pod-template-hash" not in saved.read_text()
    assert direct["workload"] == run("plan", *way, "-f", str(saved)).item["workload"] == "Deployment/web"
    again = saved.read_text().replace('"hashcompat.io/workload": "Deployment/web"', "")
    saved.write_text(again)
    assert run("plan", *way, "-f", str(saved)).item["workload"] == "ReplicaSet/web-7f"


def test_outside_a_snapshot_the_annotation_is_nothing() -> None:
    made = owned("web-7f", {})
    made["metadata"]["annotations"] = {"hashcompat.io/workload": "Deployment/other"}
    assert read(made).workload == "ReplicaSet/web-7f"
