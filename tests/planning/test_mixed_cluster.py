"""One dump of a mixed cluster: four releases, vendors, Docker, static pods, sidecars, Jobs, records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import hash_of, record

TO = "1.34.13"
OLD, GKE, EKS, K3S = "v1.5.8", "v1.23.17-gke.100", "v1.30.4-eks-ad4801", "v1.31.6+k3s1"
C: Json = {"name": "c", "image": "i"}
SIDECAR: Json = {"name": "s", "image": "i", "restartPolicy": "Always"}
PROBE: Json = {"startupProbe": {"exec": {"command": ["true"]}}}
RESIZED: Json = {
    **C,
    "resources": {"requests": {"cpu": "1"}},
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
}
CONFIG: Json = {"volumes": [{"name": "v", "configMap": {"name": "c"}}]}
DONE: Json = {
    "phase": "Succeeded",
    "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 0}}}],
}
WAITING: Json = {
    "phase": "Running",
    "containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}],
}
JOB: Json = {"ownerReferences": [{"kind": "Job", "name": "j", "controller": True}]}


def host(kubelet: str, name: str, runtime: str) -> Json:
    made = node(kubelet, name)
    made["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    return made


def pinned(name: str, node: str) -> Json:
    """Return a static pod whose manifest sets its UID, so that the container hash decides."""
    given = mirror_pod(C, name=name, node=node)
    uid = f"set-for-{name}"
    given["metadata"]["annotations"] = {f"kubernetes.io/config.{key}": uid for key in ("hash", "mirror")}
    return given


NODES = [
    host(OLD, "old", "rkt://1.25.0"),
    host(GKE, "gke", "docker://19.3.15"),
    host(EKS, "eks", "containerd://1.7"),
    host(K3S, "k3s", ""),
]
PODS: list[tuple[Json, dict[str, tuple[str, list[str]]]]] = [
    (pod(C, name="old-web", node="old"), {"c": ("RESTART", ["HC017"])}),
    (pod(C, name="old-never", node="old", spec={"restartPolicy": "Never"}), {"c": ("KILL", ["HC017"])}),
    (pod(C, name="old-job", node="old", status=DONE, metadata=JOB), {"c": ("KEEP", ["HC002"])}),
    (pod(C, name="gke-web", node="gke"), {"c": ("RESTART", ["HC016"])}),
    (pod(C, name="gke-never", node="gke", spec={"restartPolicy": "Never"}), {"c": ("KILL", ["HC016"])}),
    (mirror_pod(C, name="static", node="gke"), {"c": ("RESTART", ["HC016"])}),
    (mirror_pod(C, name="refused", node="gke", spec=CONFIG), {"c": ("KILL", ["HC021"])}),
    (pod(C, name="gke-job", node="gke", status=DONE, metadata=JOB), {"c": ("KEEP", ["HC002"])}),
    (pod(C, name="eks-web", node="eks"), {"c": ("RESTART", ["HC001"])}),
    (pod(C, name="eks-never", node="eks", spec={"restartPolicy": "Never"}), {"c": ("UNKNOWN", ["HC014"])}),
    (
        pod(
            C,
            name="eks-mesh",
            node="eks",
            spec={"initContainers": [SIDECAR, {**SIDECAR, **PROBE, "name": "p"}]},
        ),
        {"c": ("UNKNOWN", ["HC014"]), "s": ("RESTART", ["HC001"]), "p": ("RESTART", ["HC001", "HC025"])},
    ),
    (mirror_pod(C, name="static", node="eks"), {"c": ("RESTART", ["HC022"])}),
    (pinned("pinned", "eks"), {"c": ("RESTART", ["HC001"])}),
    (
        pod(C, name="eks-leaving", node="eks", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
        {"c": ("KEEP", ["HC002"])},
    ),
    (pod(C, name="k3s-web", node="k3s"), {"c": ("KEEP", [])}),
    (
        pod(
            C,
            name="k3s-mesh",
            node="k3s",
            spec={"initContainers": [SIDECAR, {**SIDECAR, **PROBE, "name": "p"}]},
        ),
        {"c": ("KEEP", []), "s": ("UNKNOWN", ["HC011"]), "p": ("UNKNOWN", ["HC011"])},
    ),
    (mirror_pod(C, name="static", node="k3s"), {"c": ("RESTART", ["HC022"])}),
    (pod(RESIZED, name="k3s-resized", node="k3s"), {"c": ("RESTART", ["HC019"])}),
    (pod(C, name="k3s-crashing", node="k3s", status=WAITING), {"c": ("KEEP", ["HC002"])}),
]
TOLD = [
    ("eks-web", C),
    ("eks-mesh", SIDECAR),
    ("eks-mesh", {**SIDECAR, **PROBE, "name": "p"}),
    ("static-eks", C),
    ("pinned-eks", C),
]
STATIC_UIDS = {"static-eks": "0123456789abcdef0123456789abcdef", "pinned-eks": "set-for-pinned"}
FLEET = {"eks": 36, "k3s": 60}
WRONG = ("fleet-eks-0", "fleet-eks-1", "fleet-eks-2")


def fleet() -> list[Json]:
    return [
        pod(C, name=f"fleet-{name}-{index}", node=name)
        for name, count in FLEET.items()
        for index in range(count)
    ]


@pytest.fixture
def result(run: Run, tmp_path: Path) -> Result:
    """Plan the whole dump with 101 recorded hashes, and no available release computes three of them."""
    usual = {name: hash_of(run, release, C) for name, release in (("eks", EKS), ("k3s", K3S))}
    records = [
        record(
            hash_of(run, EKS, spec),
            name,
            spec["name"],
            uid=STATIC_UIDS.get(name),
        )
        for name, spec in TOLD
    ]
    records += [
        record(1 if name in WRONG else usual[name.split("-")[1]], name)
        for name in (row["metadata"]["name"] for row in fleet())
    ]
    (tmp_path / "recorded.json").write_text(json.dumps({"containers": records}))
    objects = [*NODES, *(given for given, _ in PODS), *fleet()]
    return run(
        "plan",
        "--from",
        "auto",
        "--to",
        TO,
        "-f",
        "-",
        "-o",
        "json",
        "--recorded",
        tmp_path / "recorded.json",
        stdin=as_json(*objects),
    )


def test_each_container_has_its_own_verdict(result: Result) -> None:
    outcomes: dict[str, Any] = {}
    for item in result.items:
        if not item["pod"].startswith("fleet-"):
            outcomes.setdefault(item["pod"], {})[item["container"]] = (
                item["verdict"],
                [reason["id"] for reason in item["reasons"]],
            )
    assert outcomes == {given["metadata"]["name"]: verdicts for given, verdicts in PODS}


def test_the_fleet_is_decided_by_its_records(result: Result) -> None:
    rows = [
        (item["node"], item["verdict"], item["reasons"][0]["id"], item["calibrated"])
        for item in result.items
        if item["pod"].startswith("fleet-")
    ]
    assert {row: rows.count(row) for row in rows} == {
        ("eks", "RESTART", "HC013", False): 3,
        ("eks", "RESTART", "HC001", True): 33,
        ("k3s", "KEEP", "HC012", True): 60,
    }


def test_the_summary_counts_one_by_one(result: Result) -> None:
    assert result.document["summary"] == {
        "containers": 119,
        "restart": 46,
        "kill": 3,
        "keep": 66,
        "unknown": 4,
        "pods": 115,
        "podsAffected": 48,
        "nodesAffected": 4,
        "compared": 115,
        "notCompared": 4,
        "recorded": 101,
        "reproduced": 98,
    }


def test_only_new_sandboxes_and_new_uids_recreate_a_pod(result: Result) -> None:
    assert {item["pod"] for item in result.items if item["podRecreated"]} == {
        "old-web",
        "gke-web",
        "static-gke",
        "static-eks",
        "static-k3s",
    }


def test_what_is_said_beside_it(result: Result) -> None:
    lines = result.err.splitlines()
    assert lines[0] == "Calibration: 98 of 101 recorded hashes reproduced (97 %)"
    assert [line for line in lines if line.startswith("Assumed: ")] == [
        f"Assumed: {name}: a vendor's build, read as upstream {name[1:].replace('+', '-').split('-')[0]}"
        for name in (GKE, EKS, K3S)
    ] + [
        (
            "Assumed: 3 containers were created by the current release (no start time is known): "
            "ns/k3s-mesh/c, ns/k3s-resized/c, ns/k3s-web/c"
        ),
        (
            "Assumed: pods' cgroups stay where they are, "
            "though the default changes from a configured driver to the runtime's driver"
        ),
        "Assumed: every pod without a recorded sandbox has one ready sandbox",
        "Assumed: 1.34.13 admits every running pod again that this plan does not report as refused",
        (
            "Assumed: no kubelet that records resources, as 1.34.13 does, ran on these nodes before: "
            "ns/k3s-resized/c"
        ),
        "Assumed: the feature gate InPlacePodVerticalScaling has its default",
        "Assumed: the feature gate PreventStaticPodAPIReferences has its default",
    ]
    assert [line.split(" -> ")[0] for line in lines if line.startswith("Warning: ")] == [
        f"Warning: {OLD}, {GKE}, {EKS}, 1 more"
    ]
    assert [line.split(" -> ")[0] for line in result.document["spec"]["warnings"]] == [OLD, GKE, EKS, K3S]
    assert lines[-1] == (
        "v1.5.8 - v1.31.6+k3s1 -> 1.34.13: 49 of 115 running containers restart in 48 of 115 pods "
        "on 4 nodes; 3 of them are not started again; 62 kept, 4 unknown; 4 more are never compared"
    )


@pytest.mark.usefixtures("untraced")
def test_the_hashes_stand_beside_the_verdicts(result: Result, run: Run) -> None:
    (web,) = (item for item in result.items if item["pod"] == "eks-web")
    assert web["hash"] == {
        "recorded": hash_of(run, EKS, C),
        "from": hash_of(run, "1.30.4", C),
        "to": hash_of(run, TO, C),
    }
