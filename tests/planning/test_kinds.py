"""A plan of pods that share their shapes is that of the same pods one by one."""

from __future__ import annotations

import copy
import functools
import operator
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from hashcompat.analysis import planning
from hashcompat.analysis.planning import rulings
from hashcompat.analysis.planning.judge import Judge
from hashcompat.analysis.planning.kinds import OF_CONTAINER, OF_POD, WITHOUT_PLUGIN, Dates, kind
from hashcompat.analysis.planning.options import AssumePatch, Options
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import load
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.corev1.scheduling import MIGRATED_VOLUMES
from hashcompat.core.errors import InputError
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.verdicts import Recorded, Verdict
from hashcompat.core.records.index import index
from hashcompat.sources.files import collect, survey
from hashcompat.sources.replicas.roles import _ROLES, Role
from tests.helpers import pods as made_of
from tests.helpers import randomness, rulecases
from tests.helpers.pods import Json
from tests.helpers.replicas import deployments
from tests.helpers.slices import every
from tests.helpers.unlike import Unlike
from tests.planning.test_rulings import WAYS
from tests.sources.replicas.test_stencils import CHANGES, dumped, read

SIZE = 50 if randomness.FRESH else 10
"""Replicas of each of four templates."""

STARTS = ("2018-01-01T00:00:00Z", "2024-09-01T00:00:00Z", "2026-03-02T08:15:00Z")


def objects(chance: random.Random, path: Path, *, distinct: bool) -> str:
    """Write a dump of replicas that started at other times; some differ in more."""
    manifests = [copy.deepcopy(manifest) for manifest in deployments(4, SIZE, own_names=distinct)]
    for manifest in manifests:
        if manifest["kind"] == "Node" and chance.random() < 0.5:
            manifest["status"]["nodeInfo"]["kubeletVersion"] = chance.choice(["v1.28.15", "v1.9.11", "odd"])
    changes = [change for what, change in CHANGES.items() if what != "the uid of a static pod"]
    pods = [manifest for manifest in manifests if manifest["kind"] == "Pod"]
    for pod in pods:
        for status in pod["status"]["containerStatuses"]:
            status["state"]["running"]["startedAt"] = chance.choice(STARTS)
    for pod in chance.sample(pods, SIZE * 4 // 5):
        before = copy.deepcopy(pod)
        try:
            chance.choice(changes)(pod)
        except (KeyError, IndexError, TypeError):
            pod.clear()
            pod.update(before)
        if read(dumped([pod], path / "one.json"))[1]:
            pod.clear()
            pod.update(before)
    return dumped(manifests, path / "pods.json")


def plans(name: str, catalog: Catalog, options: Options) -> list[Plan]:
    inventory = collect.collect((name,))
    view = View(catalog, options)
    return [planning.make(inventory, way.old, way.new, view) for way in WAYS]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("distinct", every(2, [True, False]))
def test_plans_are_those_of_each_pod_by_itself(
    distinct: bool, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = objects(random.Random(f"{randomness.SEED} {distinct}"), tmp_path, distinct=distinct)
    shapes = [pod.shape for pod in collect.collect((name,)).pods]
    assert len(shapes) - shapes.count(None) > 3 * SIZE
    assert len(set(shapes)) < 40
    results = plans(name, catalog, Options())
    monkeypatch.setattr(survey, "Stencils", Unlike)
    assert results == plans(name, catalog, Options())


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("patched", [False, True], ids=["records", "a patch"])
def test_records_and_patches_are_those_of_each_pod(
    patched: bool, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = objects(random.Random(randomness.SEED), tmp_path, distinct=False)
    if patched:
        view = View(catalog, Options(patch=AssumePatch("accept", ("1.30.14",))))
        ways = [("1.30.14", "1.31.14")]
    else:
        some = list(collect.collect((name,)).pods)[::3]
        records = index(
            Recorded(pod.uid, pod.namespace, pod.name, container.name, 7, running=True)
            for pod in some
            for container in pod.containers
        )
        view = View(catalog, Options(records=records))
        ways = [("1.30.14", "1.31.14"), ("1.15.12", "1.16.15")]
    results = [planning.make(collect.collect((name,)), *way, view) for way in ways]
    monkeypatch.setattr(survey, "Stencils", Unlike)
    assert results == [planning.make(collect.collect((name,)), *way, view) for way in ways]


RICH: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "web-7c9d8b6f5d-x2x4k",
        "namespace": "shop",
        "uid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "resourceVersion": "17",
        "creationTimestamp": "2024-09-01T00:00:00Z",
        "labels": {"app": "web"},
        "annotations": {"note": "text"},
        "ownerReferences": [
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": "web-7c9d8b6f5d",
                "uid": "2",
                "controller": True,
            }
        ],
    },
    "spec": {
        "nodeName": "n1",
        "nodeSelector": {"disk": "ssd"},
        "restartPolicy": "Always",
        "hostNetwork": False,
        "priority": 0,
        "securityContext": {"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]},
        "tolerations": [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute"}],
        "volumes": [{"name": "data", "emptyDir": {}}],
        "initContainers": [
            {
                "name": "side",
                "image": "s:1",
                "restartPolicy": "Always",
                "startupProbe": {"exec": {"command": ["true"]}, "timeoutSeconds": 1},
            }
        ],
        "containers": [
            {
                "name": "main",
                "image": "i:1",
                "args": ["--a"],
                "env": [{"name": "A", "value": "b"}],
                "livenessProbe": {"exec": {"command": ["true"]}, "timeoutSeconds": 1},
                "resources": {"limits": {"cpu": "1", "example.com/gpu": "1"}, "requests": {"cpu": "1"}},
                "volumeMounts": [{"name": "data", "mountPath": "/d"}],
            }
        ],
    },
    "status": {
        "phase": "Running",
        "startTime": "2024-09-01T00:00:00Z",
        "podIP": "10.0.0.1",
        "qosClass": "Burstable",
        "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2024-09-01T00:00:00Z"},
        ],
        "initContainerStatuses": [
            {
                "name": "side",
                "restartCount": 0,
                "started": True,
                "containerID": "containerd://1",
                "state": {"running": {"startedAt": "2024-09-01T00:00:00Z"}},
            }
        ],
        "containerStatuses": [
            {
                "name": "main",
                "restartCount": 1,
                "ready": True,
                "started": True,
                "containerID": "containerd://2",
                "imageID": "i@sha256:1",
                "state": {"running": {"startedAt": "2024-09-01T00:00:00Z"}},
                "lastState": {
                    "terminated": {
                        "exitCode": 1,
                        "containerID": "containerd://0",
                        "finishedAt": "2024-09-01T00:00:00Z",
                    }
                },
            }
        ],
    },
}
"""A pod with a field of each sort."""

ITS_NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "labels": {"disk": "ssd", "rack": "r1", "kubernetes.io/os": "linux"}},
    "spec": {"taints": [{"key": "a", "value": "b", "effect": "NoExecute"}]},
    "status": {
        "nodeInfo": {"kubeletVersion": "v1.30.14", "containerRuntimeVersion": "containerd://1.7.29"},
        "features": {"supplementalGroupsPolicy": True},
        "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}],
    },
}


ALL_WAYS = (
    *(Way("1.30.14", "1.31.14"), Way("1.30.14", "1.28.15"), Way("1.32.13", "1.33.13")),
    *(Way("1.20.15", "1.22.17"), Way("1.15.12", "1.16.15"), Way("1.9.11", "1.7.16")),
)
"""Upgrades that look at different things: each counts by itself, for a pod that is killed hides the rest."""


def places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each value in a document, but for the whole."""
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*steps, step)
        yield from places(value[step], (*steps, step))


def others(value: Any) -> list[Any]:
    """Return what may be there instead of a value."""
    if isinstance(value, str):
        return ["other", "2015-01-01T00:00:00Z", "Never", "Pending", "False", "v1.29.1", "NoSchedule", "0"]
    return [not value] if isinstance(value, bool) else [0, 7] if isinstance(value, int) else []


def changed(document: Json, steps: tuple[Any, ...], first: int = 0, share: int = 1) -> Iterator[Json]:
    """Yield a document with another value at a place, and without it; or a share of these."""
    *above, last = steps
    for other in (*others(functools.reduce(operator.getitem, steps, document)), None)[first % share :: share]:
        made = copy.deepcopy(document)
        holder = functools.reduce(operator.getitem, above, made)
        if other is None:
            del holder[last]
        else:
            holder[last] = other
        yield made


def decided(pod: Json, node: Json, catalog: Catalog) -> list[tuple[bytes, Any]]:
    """Return for each upgrade the kind of a pod, and what is decided of its containers besides hashes."""
    objects = load([node, pod])
    (subject,) = objects.pods
    at = next((each for each in objects.nodes if each.name == subject.node), None)
    outcomes = []
    for way in ALL_WAYS:
        judge = Judge(way, objects.nodes, View(catalog, Options(override_node_releases=True)))
        decisions = [draft.decision(calibrated=True) for draft in judge.drafts(subject)]
        said = [(each.verdict, each.reasons, each.pod_recreated) for each in decisions]
        old = catalog.kubelet(way.old)
        dates = Dates(old.published, functools.partial(rulings._names, catalog, old))
        outcomes.append((kind(subject, at, dates), said))
    return outcomes


@pytest.mark.usefixtures("untraced")
def test_pods_of_one_kind_are_decided_alike_whatever_else_differs(catalog: Catalog) -> None:
    """Each field of a pod, its status and its node is changed alone: where a plan is, the kind is too.

    Some of the changes are tried, and all of them with fresh inputs.
    """
    first, share = decided(RICH, ITS_NODE, catalog), 1 if randomness.FRESH else 3
    seen = Counter[tuple[bool, bool]]()
    for number, document in enumerate((RICH, ITS_NODE)):
        for place, steps in enumerate(places(document)):
            for made in changed(document, steps, place, share):
                try:
                    outcomes = decided(*((made, ITS_NODE) if number == 0 else (RICH, made)), catalog)
                except (InputError, ValueError):
                    continue  # no pod, or of another kind of object
                for (actual, said), (usual, expected) in zip(outcomes, first, strict=True):
                    assert said == expected or actual != usual, steps
                    seen[actual == usual, said == expected] += 1
    assert seen[True, True] > 1800 // share
    assert seen[False, False] > 350 // share


def test_no_kind_has_what_pods_ask_of_other_pods() -> None:
    kinds = set[bytes]()
    for apart in ({}, {"podAntiAffinity": {"required": [{"topologyKey": "zone"}]}}):
        made = copy.deepcopy(RICH)
        made["spec"]["affinity"] = {**made["spec"].get("affinity", {}), **apart}
        made["spec"]["topologySpreadConstraints"] = [apart]
        (pod,) = load([made]).pods
        kinds.add(kind(pod, None))
    assert len(kinds) == 1


def test_what_no_slot_of_a_spec_decides_is_what_no_kind_has() -> None:
    """A table of each package says what decides nothing: that of stencils is part of that of kinds."""
    free = [(path, role) for role, paths in _ROLES.items() for path in paths if role is not Role.DECIDES]
    of_pod = {path[1] for path, _ in free if path[0] == "spec"} - {"containers", "initContainers", "affinity"}
    of_container = {
        path[3] for path, _ in free if path[:2] in (("spec", "containers"), ("spec", "initContainers"))
    }
    assert of_pod <= OF_POD
    assert of_container <= OF_CONTAINER
    assert {path[1] for path, role in free if role is Role.BLANK} == {"containers", "initContainers"}


def test_a_kind_has_the_volumes_that_a_kubelet_has_no_plugin_for(catalog: Catalog) -> None:
    """A kind of volume that only the table of the releases has would share the verdict of any other."""
    tables = {
        volume
        for name in catalog.releases()
        for volume in catalog.kubelet(name).behaviour.volumes_without_plugin
    }
    assert tables | MIGRATED_VOLUMES.keys() == WITHOUT_PLUGIN


WAITING: Json = {"waiting": {"reason": "CrashLoopBackOff"}}


@pytest.mark.parametrize(
    ("sidecar", "state", "devices", "counts"),
    [
        pytest.param(False, None, False, False, id="nothing asks for the restarts of a running container"),
        pytest.param(True, None, False, True, id="they show who created a sidecar"),
        pytest.param(False, WAITING, False, True, id="they show whether a container ever ran"),
        pytest.param(False, None, True, True, id="one with devices may be taken for the one before it"),
    ],
)
def test_restarts_count_where_a_decision_asks_for_them(
    sidecar: bool, state: Json | None, devices: bool, counts: bool
) -> None:
    kinds = set[bytes]()
    for restarts in (0, 1, 7):
        made = copy.deepcopy(RICH)
        if not sidecar:
            del made["spec"]["initContainers"], made["status"]["initContainerStatuses"]
        if not devices:
            made["spec"]["containers"][0].pop("resources")
        (status,) = made["status"]["containerStatuses"]
        status["restartCount"] = restarts
        status["state"] = state or status["state"]
        (pod,) = load([made]).pods
        kinds.add(kind(pod, None, Dates()))
    assert len(kinds) == 1 + counts


def numbered(pod: Json, number: int) -> Json:
    """Return a pod with a name and a uid of its own, unless these are what was changed."""
    made = copy.deepcopy(pod)
    own = {"name": f"web-7c9d8b6f5d-{number:05}", "uid": f"{number:08}-2fa1-11d2-883f-0016d3cca427"}
    for key, value in own.items():
        if made.get("metadata", {}).get(key) == RICH["metadata"][key]:
            made["metadata"][key] = value
    return made


@pytest.mark.usefixtures("untraced")
def test_a_replica_that_differs_in_anything_is_planned_as_it_is(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each field is changed alone in two pods, which follow one that differs in names alone.

    A few of the changes are tried, and all of them with fresh inputs.
    """
    pods, share = list[Json](), 1 if randomness.FRESH else 16
    for number, steps in enumerate(places(RICH)):
        for made in changed(RICH, steps, number, share):
            if not read(dumped([made], tmp_path / "one.json"))[1]:
                several = (RICH, made, made) if steps != ("metadata", "uid") else (RICH,)
                pods += [numbered(manifest, len(pods) + place) for place, manifest in enumerate(several)]
    name = dumped([ITS_NODE, *pods], tmp_path / "pods.json")
    options = Options(override_node_releases=True, keep_going=True)

    def all_plans() -> list[Plan]:
        inventory = collect.collect((name,))
        return [planning.make(inventory, way.old, way.new, View(catalog, options)) for way in ALL_WAYS]

    shapes = [pod.shape for pod in collect.collect((name,)).pods]
    assert len(shapes) > 900 // share
    assert len(shapes) - shapes.count(None) > 600 // share
    results = all_plans()
    monkeypatch.setattr(survey, "Stencils", Unlike)
    assert results == all_plans()


@pytest.mark.parametrize(("observed", "number"), [(1, 2), (2, 1)])
def test_images_count_where_a_kubelet_has_not_seen_the_spec(observed: int, number: int) -> None:
    given = [rulecases.changed({"name": "c", "image": image}, observed=observed) for image in ("a:1", "b:1")]
    assert len({kind(pod, None) for manifest in given for pod in load([manifest]).pods}) == number


@pytest.mark.parametrize("codes", [(0, 1), (1, 0)])
def test_with_what_code_a_container_ended_decides_about_an_ephemeral_one(codes: tuple[int, ...]) -> None:
    """It ends with the last regular container, unless the restartPolicy starts that again."""
    pods = []
    for code in codes:
        given = made_of.pod({"name": "c", "image": "i"}, name=f"p{code}", spec={"restartPolicy": "OnFailure"})
        given["spec"]["ephemeralContainers"] = [{"name": "e", "image": "i"}]
        given["status"] = {
            "phase": "Running",
            "containerStatuses": [
                {"name": "c", "state": {"terminated": {"exitCode": code}}, "restartCount": 0}
            ],
            "ephemeralContainerStatuses": [{"name": "e", "state": {"running": {"startedAt": STARTS[2]}}}],
        }
        pods.append(given)
    plan = hashcompat.plan(pods, "1.33.2", "1.34.4")
    verdicts = {item.pod.name: item.verdict for item in plan.items if item.container.name == "e"}
    assert verdicts == {"p0": Verdict.KILL, "p1": Verdict.KEEP}
