"""Pod templates in kinds that this program does not know: read where they usually stand, named elsewhere."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object
from tests.helpers.pods import PLAIN, Json, as_json, pod
from tests.helpers.program import Run

PLAN = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-o", "json", "-f", "-")
TEMPLATE: Json = {"spec": {"containers": [PLAIN]}}


def custom(kind: str, spec: Json, api: str = "example.io/v1", **more: Any) -> Json:
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": "x", "namespace": "ns"},
        "spec": spec,
        **more,
    }


@pytest.mark.parametrize("kind", ["Rollout", "CloneSet", "DeploymentConfig", "Service", "StatefulSet", "Job"])
def test_the_usual_place_is_read_whatever_the_kind(kind: str) -> None:
    (subject,) = read_object(custom(kind, {"template": TEMPLATE}), "-")
    assert isinstance(subject, Pod)
    assert (subject.owner, subject.namespace, subject.manifest) == (f"{kind}/x", "ns", True)
    assert [container.path for container in subject.containers] == ["$.spec.template.spec.containers[0]"]


ELSEWHERE: dict[str, tuple[Json, str]] = {
    "ScheduledThing": ({"jobTemplate": {"spec": {"template": TEMPLATE}}}, "$.spec.jobTemplate.spec.template"),
    "JobSet": (
        {"replicatedJobs": [{"template": {"spec": {"template": TEMPLATE}}}] * 2},
        "$.spec.replicatedJobs[*].template.spec.template",
    ),
    "PyTorchJob": ({"replicas": {"Worker": {"template": TEMPLATE}}}, "$.spec.replicas.Worker.template"),
    "LeaderWorkerSet": ({"leader": {"leaderTemplate": TEMPLATE}}, "$.spec.leader.leaderTemplate"),
    "Job": ({"tasks": [{"template": TEMPLATE}]}, "$.spec.tasks[*].template"),
    "Foo": ({"pods": [{"spec": TEMPLATE["spec"]}]}, "$.spec.pods[*]"),
    "ManifestWork": (
        {"workload": {"manifests": [{"apiVersion": "v1", "kind": "Pod", **TEMPLATE}]}},
        "$.spec.workload.manifests[*]",
    ),
    "Unnamed": ({"template": {"spec": {"containers": [{"image": "i"}]}}}, "$.spec.template"),
}


@pytest.mark.parametrize("kind", ELSEWHERE)
def test_any_other_place_is_named_in_a_warning(run: Run, kind: str) -> None:
    spec, place = ELSEWHERE[kind]
    result = run(*PLAN, stdin=as_json(pod(), custom(kind, spec)))
    assert [item["pod"] for item in result.items] == ["p"]
    said = f"Warning: not read: 1 object of kind {kind} holds a pod template at {place}\n"
    assert said in result.err
    assert said not in run(*PLAN, "-q", stdin=as_json(pod(), custom(kind, spec))).err


OUTSIDE: dict[str, tuple[Json, str]] = {
    "Table": ({"rows": [{"cells": ["p"], "object": pod()}]}, "$.rows[*].object"),
    "Template": ({"objects": [pod()], "parameters": []}, "$.objects[*]"),
    "PodTemplat": ({"template": TEMPLATE}, "$.template"),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_is_not_read_is_an_error_with_strict_files(run: Run, kind: str) -> None:
    more, place = OUTSIDE[kind]
    said = f"not read: 1 object of kind {kind} holds a pod template at {place}\n"
    given = as_json(pod(), {"apiVersion": "v1", "kind": kind, **more})
    result = run(*PLAN, stdin=given)
    assert (result.code, f"Warning: {said}" in result.err) == (0, True)
    strict = run(*PLAN, "--strict-files", stdin=given)
    assert (strict.code, strict.out, strict.err) == (1, "", f"Error: standard input: {said}")
    assert run(*PLAN, "--strict-files", stdin=as_json(pod())).code == 0


def test_objects_of_one_kind_are_counted_together(run: Run) -> None:
    spec, place = ELSEWHERE["JobSet"]
    result = run(*PLAN, stdin=as_json(pod(), *[custom("JobSet", spec)] * 3))
    assert f"Warning: not read: 3 objects of kind JobSet hold a pod template at {place}\n" in result.err


def test_what_is_not_read_is_not_missed_where_its_pods_are_in_the_input(run: Run) -> None:
    owner = {"kind": "PyTorchJob", "name": "x", "uid": "u", "controller": True}
    spec, _ = ELSEWHERE["PyTorchJob"]
    whole = custom("PyTorchJob", spec, metadata={"name": "x", "namespace": "ns", "uid": "u"})
    result = run(*PLAN, stdin=as_json(pod(metadata={"ownerReferences": [owner]}), whole))
    assert (len(result.items), "not read" in result.err) == (1, False)


@pytest.mark.parametrize(
    "other",
    [
        custom("Service", {"selector": {}}, api="v1"),
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"template": "spec: {containers: []}"}},
        {"apiVersion": "apps/v1", "kind": "ControllerRevision", "data": {"spec": {"template": TEMPLATE}}},
        custom("Odd", {"template": {"spec": {"containers": "text"}}}),
        custom("Odd", {"template": {"spec": {"containers": []}}}),
        custom("Odd", {"template": "text"}),
        custom("Odd", {"pattern": {"spec": {"containers": [{"name": "*", "image": "*:*"}]}}}),
        custom("Odd", {"pattern": {"spec": {"containers": [{"image": "!*:latest"}]}}}),
        custom("Odd", {"containers": [PLAIN]}),
        custom("Odd", {}, status={"template": TEMPLATE}),
    ],
)
def test_other_objects_are_passed_over_in_silence(run: Run, other: Json) -> None:
    result = run(*PLAN, stdin=as_json(pod(), other))
    assert (len(result.items), "template" in result.err) == (1, False)


def test_a_value_that_is_there_many_times_is_looked_at_once() -> None:
    nested: Any = {}
    for _ in range(60):
        nested = {"a": nested, "b": nested}
    start = time.monotonic()
    assert list(read_object(custom("Odd", nested), "-")) == []
    from hashcompat.sources.workloads import unread_places

    assert unread_places(custom("Odd", nested)) == []
    assert time.monotonic() - start < 5
