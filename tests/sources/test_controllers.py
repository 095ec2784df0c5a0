"""Pod templates and their pods: each container counts once, by its pod where that is in the input."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hashcompat
from hashcompat.api import inputs
from tests.helpers.pods import PLAIN, Json, as_json, node, pod
from tests.helpers.program import Result, Run

TEMPLATE: Json = {"metadata": {}, "spec": {"containers": [PLAIN]}}
APIS = {"Job": "batch/v1", "CronJob": "batch/v1", "ReplicationController": "v1", "Rollout": "argoproj.io/v1"}


def workload(kind: str, name: str, owner: Json | None = None, uid: str | None = None, **more: Any) -> Json:
    """Return an object with a pod template as an API server returns it; ``uid=""``: as a manifest."""
    place = {"jobTemplate": {"spec": {"template": TEMPLATE}}} if kind == "CronJob" else {"template": TEMPLATE}
    metadata = {
        "name": name,
        "namespace": "ns",
        **({"uid": f"uid-{name}"} if uid is None else {"uid": uid} if uid else {}),
        **({"ownerReferences": [reference(owner)]} if owner else {}),
    }
    spec = {**place, **more.pop("spec", {})}
    return {"apiVersion": APIS.get(kind, "apps/v1"), "kind": kind, "metadata": metadata, "spec": spec, **more}


def reference(owner: Json) -> Json:
    fields = {"kind": owner["kind"], "name": owner["metadata"]["name"], "controller": True}
    return {**fields, **({"uid": owner["metadata"]["uid"]} if "uid" in owner["metadata"] else {})}


def owned(owner: Json, labels: Json | None = None, **more: Any) -> Json:
    return pod(metadata={"ownerReferences": [reference(owner)], "labels": labels or {}}, **more)


DEPLOYMENT = workload("Deployment", "web")
REPLICA_SET = workload("ReplicaSet", "web-5d4", DEPLOYMENT)
CRON_JOB = workload("CronJob", "tidy")
JOB = workload("Job", "tidy-28391040", CRON_JOB)
HASH = {"pod-template-hash": "5d4"}
ROLLOUT = workload("Rollout", "blue")
CONFIG = workload("DeploymentConfig", "shop")
GROUP = workload("CloneSet", "clones")


def planned(run: Run, *objects: Json, old: str = "auto") -> Result:
    argv = ("plan", "--from", old, "--to", "1.9.11", "-o", "json", "-f", "-")
    return run(*argv, stdin=as_json(node("v1.8.15"), *objects))


def warnings(result: Result) -> list[str]:
    return [line for line in result.err.splitlines() if "template" in line]


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param((owned(REPLICA_SET, HASH), DEPLOYMENT, REPLICA_SET), id="a Deployment"),
        pytest.param((DEPLOYMENT, REPLICA_SET, owned(REPLICA_SET)), id="before its pod"),
        pytest.param((owned(REPLICA_SET, HASH), DEPLOYMENT), id="a Deployment, its ReplicaSet is missing"),
        pytest.param((owned(JOB), JOB, CRON_JOB), id="a CronJob"),
        pytest.param((owned(JOB), CRON_JOB), id="a CronJob, its Job is missing"),
        *(
            pytest.param((owned(one := workload(kind, "x")), one), id=kind)
            for kind in ("StatefulSet", "DaemonSet", "ReplicationController", "Job")
        ),
        pytest.param(
            (
                owned(workload("ReplicaSet", "blue-7f", ROLLOUT), {"rollouts-pod-template-hash": "7f"}),
                ROLLOUT,
            ),
            id="an Argo Rollout",
        ),
        pytest.param(
            (owned(rc := workload("ReplicationController", "shop-1", CONFIG)), rc, CONFIG),
            id="a DeploymentConfig",
        ),
        pytest.param((owned(GROUP), GROUP), id="a custom resource"),
    ],
)
def test_templates_whose_pods_are_in_the_input_are_skipped(run: Run, objects: tuple[Json, ...]) -> None:
    result = planned(run, *objects)
    assert [(item["pod"], item["verdict"]) for item in result.items] == [("p", "RESTART")], result.err
    (said,) = warnings(result)
    number = len(objects) - 1
    start = "1 pod template: its" if number == 1 else f"{number} pod templates: their"
    assert said.startswith(f"Warning: skipped {start} pods are in the input (")


def test_without_the_label_a_name_that_begins_alike_says_nothing(run: Run) -> None:
    made = owned(workload("ReplicaSet", "blue-7f", ROLLOUT))
    assert [item["pod"] for item in planned(run, made, ROLLOUT).items] == ["p", "blue"]


def test_the_owner_of_old_pods_stands_in_an_annotation(run: Run) -> None:
    """Up to 1.8 ``kubernetes.io/created-by``."""
    controller = workload("DaemonSet", "x")
    created = {"kind": "SerializedReference", "reference": {"kind": "DaemonSet", "name": "x", "uid": "uid-x"}}
    made = pod(metadata={"annotations": {"kubernetes.io/created-by": json.dumps(created)}})
    assert [item["pod"] for item in planned(run, made, controller).items] == ["p"]


ELSEWHERE = {"kind": "DaemonSet", "namespace": "other", "name": "x", "uid": "uid-x"}


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "7", '{"reference": 7}', "\ud800", json.dumps({"reference": ELSEWHERE})]
)
def test_an_annotation_that_no_controller_wrote_names_no_owner(run: Run, text: str) -> None:
    """Owners are in their pods' namespace."""
    made = pod(metadata={"annotations": {"kubernetes.io/created-by": text}})
    result = planned(run, made, workload("DaemonSet", "x"))
    assert [item["pod"] for item in result.items] == ["p", "x"]


def test_an_owner_without_uid_goes_by_kind_namespace_and_name(run: Run) -> None:
    """A snapshot keeps no uid of owners."""
    controller = workload("DaemonSet", "x")
    nameless = {"kind": "DaemonSet", "metadata": {"name": "x"}}
    assert [item["pod"] for item in planned(run, owned(nameless), controller).items] == ["p"]
    elsewhere = {**owned(nameless), "metadata": {**owned(nameless)["metadata"], "namespace": "other"}}
    assert [item["pod"] for item in planned(run, elsewhere, controller).items] == ["p", "x"]


def test_another_controller_of_that_name_is_another(run: Run) -> None:
    gone = workload("DaemonSet", "x", uid="of a deleted one")
    assert [item["pod"] for item in planned(run, owned(gone), workload("DaemonSet", "x")).items] == ["p", "x"]


NONE: dict[str, Json] = {
    "replicas: 0": {"spec": {"replicas": 0}},
    "parallelism: 0": {"spec": {"parallelism": 0}},
    "suspended": {"spec": {"suspend": True}},
}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("more", NONE.values(), ids=NONE)
@pytest.mark.parametrize("uid", [None, ""], ids=["of an API server", "a manifest"])
@pytest.mark.parametrize("with_pods", [True, False])
def test_a_workload_that_asks_for_no_pods_has_none(
    run: Run, more: Json, uid: str | None, with_pods: bool
) -> None:
    without, other = workload("Deployment", "x", uid=uid, **more), workload("Deployment", "y", uid="")
    result = planned(run, without, other, *([pod()] if with_pods else []), old="1.8.15")
    assert [item["pod"] for item in result.items] == (["p", "y"] if with_pods else ["y"])
    assert warnings(result)[:1] == ["Warning: skipped 1 pod template: it has no pods (Deployment/x)"]


def test_nothing_but_workloads_without_pods_is_an_error_that_says_so(run: Run) -> None:
    result = planned(run, workload("Deployment", "x", spec={"replicas": 0}))
    assert (result.code, result.out) == (1, "")
    assert "no pods in the input" in result.err
    assert "skipped 1 pod template: it has no pods (Deployment/x)" in result.err


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("kind", "status", "counted"),
    [
        ("Deployment", {"observedGeneration": 1}, False),
        ("Deployment", {"replicas": 1}, True),
        ("Deployment", None, True),
        ("StatefulSet", {"replicas": 0}, False),
        ("StatefulSet", {"replicas": 2}, True),
        ("StatefulSet", {}, True),
        ("DaemonSet", {"currentNumberScheduled": 0}, False),
        ("DaemonSet", {"currentNumberScheduled": 1}, True),
        ("Job", {"succeeded": 1}, False),
        ("Job", {"active": 1}, True),
        ("CronJob", {}, False),
        ("CronJob", {"active": [{}]}, True),
    ],
)
def test_beside_pods_a_status_that_counts_none_is_believed(
    run: Run, kind: str, status: Json | None, counted: bool
) -> None:
    controller = {**workload(kind, "x"), **({} if status is None else {"status": status})}
    result = planned(run, pod(), controller)
    assert [item["pod"] for item in result.items] == (["p", "x"] if counted else ["p"])
    said = (
        f"Warning: 1 pod template counts as a pod: no pod in the input belongs to it ({kind}/x)"
        if counted
        else f"Warning: skipped 1 pod template: it has no pods ({kind}/x)"
    )
    assert warnings(result) == [said]
    assert [item["pod"] for item in planned(run, controller, old="1.8.15").items] == ["x"]


def test_of_a_deployment_and_its_replica_sets_alone_those_with_replicas_count(run: Run) -> None:
    old = workload("ReplicaSet", "web-0", DEPLOYMENT, spec={"replicas": 0})
    result = planned(run, DEPLOYMENT, REPLICA_SET, old, old="1.8.15")
    assert [item["owner"] for item in result.items] == ["ReplicaSet/web-5d4"]
    assert warnings(result) == [
        "Warning: skipped 1 pod template: what it controls is in the input (Deployment/web)",
        "Warning: skipped 1 pod template: it has no pods (ReplicaSet/web-0)",
    ]


def test_manifests_count_whatever_pods_are_beside_them(run: Run) -> None:
    manifest = workload("Deployment", "web", uid="")
    result = planned(run, owned(REPLICA_SET, HASH), manifest, old="1.8.15")
    assert [item["pod"] for item in result.items] == ["p", "web"]
    assert warnings(result) == []


def test_a_snapshot_of_what_kubectl_get_all_prints(run: Run) -> None:
    objects = as_json(owned(REPLICA_SET, HASH), DEPLOYMENT, REPLICA_SET, {"kind": "Service", "spec": {}})
    result = run("snapshot", "-f", "-", stdin=objects)
    assert result.code == 0, result.err
    assert [item["kind"] for item in result.items] == ["Pod"]


def test_files_are_one_input(run: Run, tmp_path: Any) -> None:
    (tmp_path / "1-workloads.json").write_bytes(as_json(DEPLOYMENT, REPLICA_SET))
    (tmp_path / "2-pods.json").write_bytes(as_json(owned(REPLICA_SET)))
    argv = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-o", "json")
    assert [item["pod"] for item in run(*argv, "-f", tmp_path).items] == ["p"]


def test_values_of_the_python_api_are_treated_alike() -> None:
    objects = [DEPLOYMENT, REPLICA_SET, owned(REPLICA_SET)]
    assert [item.pod.name for item in hashcompat.plan(objects, "1.8.15", "1.9.11").items] == ["p"]
    assert "their pods are in the input" in inputs.collect(objects).warnings[0]


@pytest.mark.parametrize(
    "broken", [{"metadata": "x"}, {"metadata": {"ownerReferences": [1, {"controller": 1}]}}]
)
def test_what_no_api_server_returns_is_an_error_or_nothing_but_no_bug(run: Run, broken: Json) -> None:
    result = planned(run, {"kind": "Service", **broken}, pod())
    assert (result.code, len(result.items)) == (0, 1)


@pytest.mark.parametrize("uid", [[1], {}, 7, True])
def test_a_uid_that_is_no_text_is_none(run: Run, uid: object) -> None:
    controller = workload("DaemonSet", "x")
    controller["metadata"]["uid"] = uid
    assert [item["pod"] for item in planned(run, controller).items] == ["x"]


NEW = workload("ReplicaSet", "frontend", DEPLOYMENT)
BY_HAND = workload("Job", "now", CRON_JOB)
ORPHAN = workload("ReplicaSet", "web-5d4")


@pytest.mark.parametrize(
    ("owner", "labels", "given", "shown"),
    [
        (NEW, {}, True, "Deployment/web"),
        (BY_HAND, {}, True, "CronJob/tidy"),
        (REPLICA_SET, HASH, True, "Deployment/web"),
        (ORPHAN, HASH, True, "ReplicaSet/web-5d4"),
        (workload("StatefulSet", "db", GROUP), {}, True, "StatefulSet/db"),
        (NEW, {}, False, "ReplicaSet/frontend"),
        (ORPHAN, HASH, False, "Deployment/web"),
    ],
)
def test_the_workload_is_what_a_controller_in_the_input_names(
    owner: Json, labels: Json, given: bool, shown: str
) -> None:
    objects = [owned(owner, labels), *([owner] if given else [])]
    (subject,) = inputs.collect(objects).pods
    assert (subject.owner, subject.workload) == ("/".join((owner["kind"], owner["metadata"]["name"])), shown)


def test_a_file_and_a_filter_name_the_same_workload(run: Run) -> None:
    result = run(
        *("plan", "--from", "1.8.15", "--to", "1.9.11", "-o", "json", "-f", "-", "--owner", "deploy/web"),
        stdin=as_json(owned(NEW), NEW, DEPLOYMENT),
    )
    assert [item["workload"] for item in result.items] == ["Deployment/web"]
