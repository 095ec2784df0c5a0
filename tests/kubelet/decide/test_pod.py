"""What a starting kubelet does to a whole pod."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import hashcompat
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.verdicts import Hash
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import KEEP, MAIN, NEW_UID, RUN_AGAIN, SIZED, C, Expected, never, with_status
from tests.helpers.upgrades import decided, hash_of, planned, record, recorded

# Every rule about whole pods by its id: a case that it decides, and the nearest that it must not.


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        pytest.param("1.35.0", "1.36.0", mirror_pod(C), NEW_UID, id="across minors"),
        pytest.param("1.36.0", "1.35.0", mirror_pod(C), NEW_UID, id="and back"),
        pytest.param("1.16.15", "1.17.17", mirror_pod(C), KEEP, id="1.16 and 1.17 have one tree"),
        pytest.param("1.20.15", "1.21.14", mirror_pod(C), NEW_UID, id="host and file enter at 1.21"),
        pytest.param("1.35.0", "1.35.3", mirror_pod(C), KEEP, id="a patch changes no UID"),
        pytest.param(
            "1.4.0", "1.5.8", mirror_pod(C), ("UNKNOWN", ["HC007"]), id="no data on static pods before 1.6"
        ),
        pytest.param(
            "1.16.15",
            "1.17.17",
            mirror_pod(C, spec={"hostAliases": 1}),
            ("UNKNOWN", ["HC007"]),
            id="a spec that does not decode",
        ),
        pytest.param("1.35.0", "1.36.0", pod(C), KEEP, id="an API pod"),
        pytest.param(
            "1.30.0",
            "1.31.0",
            mirror_pod({"name": "main"}, spec={"initContainers": [{**C, "restartPolicy": "Always"}]}),
            NEW_UID,
            id="a sidecar that is not compared dies with its pod",
        ),
        pytest.param("1.35.0", "1.36.0", mirror_pod(C, status={"phase": "Failed"}), RUN_AGAIN, id="finished"),
        pytest.param(
            "1.36.0",
            "1.36.3",
            mirror_pod(C, status={"phase": "Failed"}),
            ("KEEP", ["HC002"]),
            id="finished, and the UID stays",
        ),
        pytest.param(
            "1.35.0",
            "1.36.0",
            mirror_pod(C, status=with_status("containerStatuses", state="terminated")),
            RUN_AGAIN,
            id="not running",
        ),
        pytest.param(
            "1.4.0",
            "1.5.8",
            mirror_pod(C, status={"phase": "Failed"}),
            ("KEEP", ["HC002"]),
            id="finished, and the UID is not known",
        ),
        pytest.param(
            "1.35.0",
            "1.36.0",
            mirror_pod(MAIN, spec={"initContainers": [C]}, status=with_status("initContainerStatuses")),
            NEW_UID,
            id="a running init container",
        ),
    ],
)
def test_hc007_and_hc022_a_static_pod_is_decided_by_its_uid(
    run: Run, old: str, new: str, given: Json, expected: Expected
) -> None:
    assert decided(run, old, new, given) == expected


def test_hc022_a_recorded_hash_does_not_keep_a_static_pod(run: Run, tmp_path: Path) -> None:
    new = record(hash_of(run, "1.31.0", C), uid="of the manifest")
    assert decided(run, "1.30.0", "1.31.0", mirror_pod(C), more=recorded(tmp_path, new)) == NEW_UID


@pytest.mark.parametrize(
    ("old", "new", "runtime", "given", "expected"),
    [
        ("1.23.17", "1.24.0", "docker://20.10.7", pod(C), ("RESTART", ["HC016"])),
        ("1.23.17", "1.24.0", "docker://20.10.7", never(), ("KILL", ["HC016"])),
        (
            "1.23.17",
            "1.24.0",
            "docker://20.10.7",
            never(status=with_status("containerStatuses")),
            ("KILL", ["HC016"]),
        ),
        ("1.18.20", "1.19.16", "docker://20.10.7", never(status=with_status("containerStatuses")), KEEP),
        ("1.19.16", "1.30.0", "docker://20.10.7", mirror_pod(C), ("RESTART", ["HC016"])),
        ("1.23.17", "1.24.0", "docker://20.10.7", pod(C, status={"phase": "Succeeded"}), ("KEEP", ["HC002"])),
        ("1.23.17", "1.24.0", "containerd://1.6.4", pod(C), KEEP),
        ("1.22.17", "1.23.17", "docker://20.10.7", pod(C), KEEP),
        ("1.24.0", "1.25.0", "docker://20.10.7", pod(C), KEEP),  # cri-dockerd
    ],
)
def test_hc016_without_dockershim_everything_is_created_anew(
    run: Run, old: str, new: str, runtime: str, given: Json, expected: Expected
) -> None:
    host = node(f"v{old}")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    item = planned(run, old, new, host, given)["c"]
    assert (item["verdict"], [reason["id"] for reason in item["reasons"]]) == expected
    assert item["podRecreated"] is (expected == ("RESTART", ["HC016"]))


def _in_docker(name: str, value: int) -> Json:
    """Return a container of the pod ``p`` as ``docker inspect`` shows it."""
    labels = {"annotation.io.kubernetes.container.hash": f"{value:x}"}
    state = {"State": {"Running": True}, "HostConfig": {"NetworkMode": "none"}}
    return {"Id": name, "Name": f"/k8s_{name}_p_ns_uid-p_0", "Config": {"Labels": labels}, **state}


def _by_id(runtime: str, name: str = "p") -> Json:
    """Return a pod whose status names the runtime of its container."""
    row = {"name": "c", "restartCount": 0, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
    statuses = [{**row, "containerID": f"{runtime}://{64 * 'a'}"}]
    return pod(C, name=name, status={"phase": "Running", "containerStatuses": statuses})


GONE: Expected = ("RESTART", ["HC016"])


@pytest.mark.parametrize(
    ("old", "new", "runtime", "host", "more", "expected"),
    [
        ("1.23.17", "1.24.0", "docker", "", (), GONE),
        ("1.16.15", "1.30.14", "docker", "", (), GONE),
        ("1.23.17", "1.24.0", "containerd", "", (), KEEP),
        ("1.23.17", "1.24.0", "docker", "", ("--cri-dockerd",), KEEP),
        ("1.23.17", "1.24.0", "docker", "containerd://1.6.4", (), KEEP),  # the node knows best
        ("1.22.17", "1.23.17", "docker", "", (), KEEP),
        ("1.24.0", "1.25.0", "docker", "", (), KEEP),  # cri-dockerd
    ],
)
def test_hc016_ids_of_containers_show_docker_where_no_node_does(
    run: Run, old: str, new: str, runtime: str, host: str, more: tuple[str, ...], expected: Expected
) -> None:
    objects = [_by_id(runtime)]
    if host:
        objects.insert(0, node(f"v{old}"))
        objects[0]["status"]["nodeInfo"]["containerRuntimeVersion"] = host
    assert decided(run, old, new, *objects, more=more) == expected


@pytest.mark.parametrize(
    ("ended", "runs", "expected"), [("docker", "containerd", KEEP), ("containerd", "docker", GONE)]
)
def test_hc016_an_init_container_that_ended_in_another_runtime_shows_nothing(
    run: Run, ended: str, runs: str, expected: Expected
) -> None:
    given = _by_id(runs)
    given["spec"]["initContainers"] = [{"name": "i", "image": "i"}]
    row = {"name": "i", "state": {"terminated": {"exitCode": 0}}, "containerID": f"{ended}://{64 * 'b'}"}
    given["status"]["initContainerStatuses"] = [row]
    assert decided(run, "1.23.17", "1.24.0", given) == expected


@pytest.mark.parametrize(
    ("old", "new", "more", "rule"),
    [
        pytest.param("1.23.17", "1.24.0", (), "HC016", id="another container runtime"),
        pytest.param("1.23.17", "1.24.0", ("--cri-dockerd",), "", id="the same one"),
        pytest.param("1.15.12", "1.16.15", (), "HC039", id="another QoS class"),
        pytest.param("1.16.15", "1.17.17", (), "", id="the same one of both"),
        pytest.param("1.5.8", "1.6.13", (), "HC017", id="another maker of sandboxes"),
        pytest.param("1.2.7", "1.3.0", (), "HC018", id="another pause image"),
    ],
)
@pytest.mark.parametrize(
    ("change", "stays"),
    [
        pytest.param({}, False, id="the pod restarts"),
        pytest.param({"phase": "Succeeded"}, True, id="it has finished"),
        pytest.param({"restartPolicy": "Never"}, True, id="it never restarts"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, True, id="it is not admitted again"),
    ],
)
def test_an_init_container_that_has_ended_runs_again_with_its_pod(
    run: Run, old: str, new: str, more: tuple[str, ...], rule: str, change: Json, stays: bool
) -> None:
    """Any new sandbox begins with it (kuberuntime_manager.go computePodActions, 1.8.15 and 1.24.17)."""
    given = _by_id("docker")
    given["spec"] |= {key: value for key, value in change.items() if key != "phase"}
    init = {"name": "i", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    given["spec"]["initContainers"] = [init]
    row = {"name": "i", "state": {"terminated": {"exitCode": 0}}, "containerID": f"docker://{64 * 'b'}"}
    given["status"] |= {"initContainerStatuses": [row]} | {k: v for k, v in change.items() if k == "phase"}
    host = node(f"v{old}")
    host["metadata"]["labels"] = {"disk": "hdd"}
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.24"
    item = planned(run, old, new, host, given, more=more)["i"]
    again = bool(rule) and not stays
    assert (item["verdict"], item["podRecreated"]) == ("KEEP", again)
    assert [row["id"] for row in item["reasons"]] == ["HC002", *([rule] if again else [])]


def test_hc016_replicas_and_snapshots_keep_whose_ids_they_have(run: Run, tmp_path: Path) -> None:
    pods = [_by_id(runtime, name) for name, runtime in [("a", "docker"), ("b", "cri-o"), ("c", "docker")]]
    (tmp_path / "pods.json").write_bytes(as_json(*pods))
    assert run("snapshot", "-f", tmp_path / "pods.json", "--out", tmp_path / "kept.json").code == 0
    way = ("--from", "1.23.17", "--to", "1.24.0", "-o", "json")
    for name in ("pods.json", "kept.json"):
        plan = run("plan", *way, "-f", tmp_path / name)
        assert {item["pod"]: item["verdict"] for item in plan.items} == {
            "a": "RESTART",
            "b": "KEEP",
            "c": "RESTART",
        }
    whole = run("plan", *way, "-f", "-", stdin=as_json(pods[0])).document["spec"]["assumptions"]
    assert not any("do not run Docker" in assumption for assumption in whole)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("old", "new", "runtime", "expected"),
    [
        ("1.23.17", "1.24.0", "", "HC016"),
        ("1.23.17", "1.24.0", "containerd://1.6.4", "HC012"),  # the node knows best
        ("1.22.17", "1.23.17", "", "HC012"),
        ("1.24.0", "1.25.0", "", "HC012"),  # cri-dockerd
    ],
)
@pytest.mark.parametrize("shown", [("POD",), ("c",), ("POD", "c")])
def test_hc016_records_show_docker_where_no_node_does(
    run: Run, tmp_path: Path, old: str, new: str, runtime: str, expected: str, shown: tuple[str, ...]
) -> None:
    """Without an API server there is no Node object."""
    host = node(f"v{old}")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    told = [_in_docker(name, hash_of(run, new, C)) for name in shown]
    (tmp_path / "told.json").write_text(json.dumps(told))
    given = (host, pod(C)) if runtime else (pod(C),)
    _, reasons = decided(run, old, new, *given, more=("--recorded", tmp_path / "told.json"))
    assert reasons == ([] if expected == "HC012" and shown == ("POD",) else [expected])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pod(C), ("RESTART", ["HC016"])),
        (mirror_pod(C), ("RESTART", ["HC016"])),
        (pod(C, status={"phase": "Succeeded"}), ("KEEP", ["HC002"])),
    ],
)
@pytest.mark.parametrize(
    ("old", "new"), [("1.24.17", "1.23.17"), ("1.22.17", "1.22.17"), ("1.6.0", "1.37.0")]
)
def test_hc016_another_runtime_has_nothing_whatever_is_recorded(
    run: Run, tmp_path: Path, old: str, new: str, given: Json, expected: Expected
) -> None:
    more = ("--other-runtime", *recorded(tmp_path, record(hash_of(run, new, C))))
    item = planned(run, old, new, given, more=more)["c"]
    assert (item["verdict"], [reason["id"] for reason in item["reasons"]]) == expected
    assert item["podRecreated"] is (expected == ("RESTART", ["HC016"]))


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        *(("1.19.16", "RESTART"), ("1.20.0", "RESTART"), ("1.21.14", "RESTART")),
        *(("1.22.0", "KILL"), ("1.37.1", "KILL")),
    ],
)
def test_hc016_a_pod_that_never_restarts_has_failed_without_its_containers(
    run: Run, new: str, expected: str
) -> None:
    argv = ("explain", "ns/p/c", "--from", new, "--to", new, "--other-runtime", "-f", "-", "-o", "json")
    item = run(*argv, stdin=as_json(never(status=with_status("containerStatuses")))).item
    assert (item["verdict"], item["podRecreated"]) == (expected, expected == "RESTART")
    assert ("starts none again" in item["sentences"]["what"]) is (expected == "KILL")
    assert bool(item["expect"]) is (expected == "RESTART")


@pytest.mark.parametrize(
    ("new", "policy", "expected"),
    [
        pytest.param("1.24.17", "Never", "KILL", id="it has failed to start"),
        pytest.param("1.36.5", "Never", "KILL", id="to any newer kubelet too"),
        pytest.param("1.22.17", "Never", "KILL", id="from 1.22 on"),
        pytest.param("1.21.14", "Never", "RESTART", id="not to an older one"),
        pytest.param("1.24.17", "OnFailure", "RESTART", id="it begins again"),
        pytest.param("1.24.17", "Always", "RESTART", id="and so it does here"),
    ],
)
def test_hc016_a_never_pod_has_failed_without_the_init_container_that_ran(
    run: Run, new: str, policy: str, expected: str
) -> None:
    """Its state is taken for 137, and that fails the pod though no other container has run (``getPhase``)."""
    waits = {"name": "main", "state": {"waiting": {"reason": "PodInitializing"}}}
    status = {**with_status("initContainerStatuses", phase="Pending"), "containerStatuses": [waits]}
    given = pod(MAIN, spec={"restartPolicy": policy, "initContainers": [C]}, status=status)
    items = planned(run, new, new, given, more=("--other-runtime",))
    assert items["c"]["verdict"] == expected
    assert items["main"]["verdict"] == "KEEP"
    assert [items[name]["podRecreated"] for name in ("c", "main")] == 2 * [expected == "RESTART"]


BY_CODE: Json = {"action": "Restart", "exitCodes": {"operator": "In", "values": [137]}}
ALL_BY_CODE: Json = {**BY_CODE, "action": "RestartAllContainers"}


@pytest.mark.parametrize(
    ("release", "own", "verdict"),
    [
        pytest.param("1.36.5", {}, "KILL", id="no rules"),
        pytest.param("1.36.5", {"restartPolicyRules": [BY_CODE]}, "RESTART", id="a rule for 137"),
        pytest.param("1.36.5", {"restartPolicyRules": [ALL_BY_CODE]}, "RESTART", id="for all of them"),
        pytest.param("1.35.8", {"restartPolicyRules": [ALL_BY_CODE]}, "KILL", id="which 1.35 has off"),
        pytest.param("1.34.10", {"restartPolicyRules": [BY_CODE]}, "KILL", id="1.34 has rules off"),
        pytest.param("1.36.5", {"restartPolicy": "OnFailure"}, "RESTART", id="a policy of its own"),
    ],
)
def test_hc016_what_is_lost_ended_with_137_which_a_rule_may_name(
    run: Run, release: str, own: Json, verdict: str
) -> None:
    given = pod(
        {**C, **({"restartPolicy": "Never"} if own else {}), **own}, MAIN, spec={"restartPolicy": "Never"}
    )
    items = planned(run, release, release, given, more=("--other-runtime",))
    assert {items[name]["verdict"] for name in ("c", "main")} == {verdict}


def test_hc016_a_never_pod_of_which_a_container_has_not_run_yet_is_created(run: Run) -> None:
    rows = [
        {"name": "c", "restartCount": 0, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}},
        {"name": "main", "restartCount": 0, "state": {"waiting": {"reason": "ImagePullBackOff"}}},
    ]
    given = pod(
        C, MAIN, spec={"restartPolicy": "Never"}, status={"phase": "Pending", "containerStatuses": rows}
    )
    items = planned(run, "1.36.5", "1.36.5", given, more=("--other-runtime",))
    assert items["c"]["verdict"] == "RESTART"


def test_hc016_sentences_about_another_runtime_do_not_name_docker(run: Run) -> None:
    way = ("--from", "1.24.17", "--to", "1.23.17", "--other-runtime")
    item = run("explain", "ns/p/c", *way, "-f", "-", "-o", "json", stdin=as_json(pod(C))).item
    said = item["sentences"]
    assert said["what"].endswith(
        "again in another container runtime, and the old containers stay behind in the old one."
    )
    assert said["why"] == "Another runtime has none of its containers, so 1.23.17 finds none."
    assert (
        said["todo"] == "Drain the node first and remove the old containers from the old runtime afterwards."
    )


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        ("1.5.8", "1.6.0", pod(C), ("RESTART", True)),
        ("1.6.0", "1.5.8", pod(C), ("RESTART", True)),
        ("1.5.8", "1.6.0", never(), ("KILL", False)),
        ("1.5.8", "1.6.0", pod(C, spec={"restartPolicy": "OnFailure"}), ("RESTART", True)),
        (
            "1.5.8",
            "1.6.0",
            pod(MAIN, spec={"initContainers": [C]}, status=with_status("initContainerStatuses")),
            ("RESTART", True),
        ),
        ("1.5.8", "1.6.0", pod(MAIN, spec={"initContainers": [C]}), ("KEEP", False)),
        (
            "1.5.8",
            "1.6.0",
            pod(MAIN, spec={"ephemeralContainers": [C]}, status=with_status("ephemeralContainerStatuses")),
            ("KILL", True),
        ),
        ("1.6.0", "1.7.0", never(), ("KEEP", False)),
    ],
)
def test_hc017_a_new_sandbox_kills_the_whole_pod(
    run: Run, old: str, new: str, given: Json, expected: tuple[str, bool]
) -> None:
    item = planned(run, old, new, given)["c"]
    assert (item["verdict"], item["podRecreated"]) == expected
    assert ([reason["id"] for reason in item["reasons"]] == ["HC017"]) is (item["verdict"] != "KEEP")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.0.6", "1.1.8", ("RESTART", ["HC018"])),  # the same image, in another hash
        ("1.1.8", "1.2.7", ("RESTART", ["HC018"])),
        ("1.2.7", "1.3.10", ("RESTART", ["HC018"])),
        ("1.3.10", "1.2.7", ("RESTART", ["HC018"])),
        ("1.3.10", "1.4.12", KEEP),
        ("1.4.12", "1.5.8", KEEP),
    ],
)
def test_hc018_the_infra_container_has_a_hash_of_its_own(
    run: Run, old: str, new: str, expected: Expected
) -> None:
    assert decided(run, old, new, pod(C)) == expected


def test_hc018_a_never_pod_is_killed_for_good(run: Run) -> None:
    assert decided(run, "1.2.7", "1.3.10", never()) == ("KILL", ["HC018"])


REFERRING: Json = {"volumes": [{"name": "s", "secret": {"secretName": "s"}}]}


CLAIMING: Json = {"resourceClaims": [{"name": "c", "resourceClaimName": "gpu"}]}
TRUSTING: Json = {
    "volumes": [
        {"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"name": "b", "path": "ca.pem"}}]}}
    ]
}
OFF = ("--feature-gates", "PreventStaticPodAPIReferences=false")


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        ("1.33.0", "1.34.0", mirror_pod(C, spec=REFERRING), (), ("KILL", ["HC021"])),
        ("1.29.0", "1.36.0", mirror_pod(C, spec={"serviceAccountName": "x"}), (), ("KILL", ["HC021"])),
        ("1.33.0", "1.34.0", pod(C, spec=REFERRING), (), KEEP),
        ("1.33.0", "1.34.0", mirror_pod(C), (), NEW_UID),
        ("1.32.0", "1.33.0", mirror_pod(C, spec=REFERRING), (), NEW_UID),
        ("1.34.0", "1.35.0", mirror_pod(C, spec=REFERRING), (), NEW_UID),  # 1.34 runs it, so the gate is off
        ("1.33.0", "1.34.0", mirror_pod(C, spec=REFERRING), OFF, NEW_UID),
        ("1.36.0", "1.37.0", mirror_pod(C, spec=REFERRING), (), ("KILL", ["HC021"])),  # and 1.37 has no gate
        (
            "1.36.0",
            "1.37.0",
            mirror_pod(C, spec=REFERRING),
            OFF,
            ("KILL", ["HC021"]),
        ),
        ("1.37.0", "1.37.1", mirror_pod(C, spec=REFERRING), (), KEEP),  # no kubelet of 1.37 runs such a pod
        ("1.32.5", "1.32.6", mirror_pod(C, spec=CLAIMING), (), ("KILL", ["HC021"])),
        ("1.32.1", "1.32.5", mirror_pod(C, spec=CLAIMING), (), KEEP),
        ("1.33.0", "1.33.1", mirror_pod(C, spec=CLAIMING), (), KEEP),
        ("1.33.1", "1.33.2", mirror_pod(C, spec=CLAIMING), (), ("KILL", ["HC021"])),
        ("1.33.1", "1.34.12", mirror_pod(C, spec=CLAIMING), OFF, ("KILL", ["HC021"])),
        ("1.33.2", "1.34.12", mirror_pod(C, spec=CLAIMING), OFF, NEW_UID),
        ("1.28.14", "1.28.15", mirror_pod(C, spec=TRUSTING), (), KEEP),
        ("1.28.15", "1.29.0", mirror_pod(C, spec=TRUSTING), (), ("KILL", ["HC021"])),
    ],
)
def test_hc021_a_static_pod_that_names_api_objects_is_refused(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected


def test_hc021_no_gate_allows_a_static_pod_resource_claims(run: Run) -> None:
    """tryDecodeSinglePod refuses them where the gate is off too (1.34.12 pkg/kubelet/config/common.go)."""
    given = as_json(mirror_pod({"name": "c", "image": "i"}, spec=CLAIMING))
    for new, more in (("1.34.12", OFF), ("1.34.12", ()), ("1.32.6", ())):
        way = ("--from", "1.32.5", "--to", new, "-f", "-", "-o", "json", *more)
        item = run("explain", "ns/p-n1/c", *way, stdin=given).item
        assert item["sentences"]["todo"] == "Take the references out of the manifest before the upgrade."
        expected = ["static pods may not use" if new == "1.32.6" else "static pods may not reference"]
        assert [text for text in expected if text in str(item)] == expected
    said = run("plan", "--from", "1.32.5", "--to", "1.32.6", "-f", "-", "-o", "json", stdin=given)
    assert not any(
        "PreventStaticPodAPIReferences" in assumption for assumption in said.document["spec"]["assumptions"]
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("1.23.17", "1.24.0", KEEP), ("1.24.0", "1.25.0", KEEP), ("1.15.12", "1.24.0", ("RESTART", ["HC001"]))],
)
def test_hc016_cri_dockerd_finds_the_containers_again(
    run: Run, old: str, new: str, expected: Expected
) -> None:
    """Both list by the label io.kubernetes.docker.type.

    Source: 1.23.17 dockershim/docker_container.go, cri-dockerd core/container_list.go.
    """
    host = node(f"v{old}")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.7"
    assert decided(run, old, new, host, pod(C), more=("--cri-dockerd",)) == expected


@pytest.mark.parametrize("policy", ["Always", "OnFailure", "Never"])
def test_hc017_what_succeeded_stays_dead_under_a_new_sandbox(run: Run, policy: str) -> None:
    """1.6 restarts what ran; of what succeeded only an Always pod's containers, not due to the upgrade."""
    ended = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 0}}}],
    }
    running = [*ended["containerStatuses"], {"name": "main", "state": {"running": {}}}]
    items = planned(
        run,
        "1.5.8",
        "1.6.0",
        pod(C, MAIN, spec={"restartPolicy": policy}, status={**ended, "containerStatuses": running}),
    )
    assert (items["c"]["verdict"], items["main"]["verdict"]) == (
        "KEEP",
        "KILL" if policy == "Never" else "RESTART",
    )


PORTS: Json = {
    "ports": [
        {"name": "web", "containerPort": 80, "protocol": "TCP"},
        {"containerPort": 81, "hostPort": 81, "protocol": "UDP"},
    ]
}


def test_hc018_ports_of_the_pod_decide_nowhere(catalog: Catalog) -> None:
    """Without CNI and kubenet the infra container has the ports (1.5.8 docker_manager.go)."""
    releases = [
        catalog.kubelet(name) for name in catalog.releases() if catalog.kubelet(name).behaviour.pause_image
    ]
    for old, new in itertools.pairwise(releases):
        changed = {_infra_hash(old, ports) != _infra_hash(new, ports) for ports in ({}, PORTS)}
        assert len(changed) == 1, (old.release, new.release)


def _infra_hash(kubelet: Kubelet, ports: Json) -> frozenset[Hash]:
    infra = {
        "name": "POD",
        "image": kubelet.behaviour.pause_image,
        "imagePullPolicy": "IfNotPresent",
        **ports,
    }
    return container_hash(infra, kubelet).candidates


def using(requests: Json, limits: Json | None = None, name: str = "c") -> Json:
    return {"name": name, "image": "i", "resources": {"requests": requests, "limits": limits or {}}}


FULL: Json = {"cpu": "1", "memory": "1Gi"}
SAME: Json = {"cpu": "1000m", "memory": "1024Mi"}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("container", "init", "moved"),
    [
        pytest.param(
            using({}), using({"cpu": "1"}), "BestEffort -> Burstable", id="requests of an init container"
        ),
        pytest.param(
            using(FULL, SAME), using({}), "Guaranteed -> Burstable", id="an init container without limits"
        ),
        pytest.param(using(FULL, SAME), using(SAME, FULL), "", id="both guaranteed"),
        pytest.param(using({}), using({}), "", id="none uses anything"),
        pytest.param(using({"cpu": "1"}), using({}), "", id="burstable either way"),
        pytest.param(using({}), using({"cpu": "0"}), "", id="zero is nothing"),
        pytest.param(using({}), using({"ephemeral-storage": "1Gi"}), "", id="another resource"),
    ],
)
def test_hc039_a_qos_class_that_init_containers_change(
    run: Run, container: Json, init: Json, moved: str
) -> None:
    given = pod(container, spec={"initContainers": [{**init, "name": "i"}]})
    item = planned(run, "1.15.12", "1.16.15", given)["c"]
    assert (item["verdict"], item["podRecreated"]) == ("RESTART", bool(moved))
    assert [row["text"] for row in item["reasons"] if row["id"] == "HC039"] == (
        [f"QoS class {moved}: its cgroup is another one"] if moved else []
    )
    back = planned(run, "1.16.15", "1.15.12", given)["c"]
    assert back["podRecreated"] is bool(moved)
    assert decided(run, "1.16.15", "1.17.17", given) == KEEP
    never = {**given, "spec": {**given["spec"], "restartPolicy": "Never"}}
    assert decided(run, "1.15.12", "1.16.15", never)[0] == ("KILL" if moved else "RESTART")


def test_hc039_not_while_no_regular_container_runs(run: Run) -> None:
    waiting = {"phase": "Pending", "containerStatuses": [{"name": "c", "state": {"waiting": {}}}]}
    given = pod(using({}), spec={"initContainers": [using({"cpu": "1"}, name="i")]}, status=waiting)
    assert decided(run, "1.15.12", "1.16.15", given) == ("KEEP", ["HC002"])


PRIVILEGED: Json = {**C, "securityContext": {"privileged": True}}
BESIDE: Json = {"name": "other", "image": "i", "securityContext": {"privileged": True}}
OPEN: Expected = ("UNKNOWN", ["HC057"])


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        pytest.param("1.11.10", "1.10.13", pod(PRIVILEGED), OPEN, id="the option is on by default from 1.11"),
        pytest.param("1.15.12", "1.10.13", pod(PRIVILEGED), OPEN, id="and gone from 1.15"),
        pytest.param("1.12.10", "1.10.13", pod(PRIVILEGED), OPEN, id="though the hash differs"),
        pytest.param("1.11.10", "1.10.13", pod(C, BESIDE), OPEN, id="another container"),
        pytest.param(
            "1.11.10", "1.10.13", pod(C, spec={"initContainers": [BESIDE]}), OPEN, id="an init container"
        ),
        pytest.param("1.11.10", "1.10.13", pod(C), KEEP, id="no privileged container"),
        pytest.param(
            "1.11.10",
            "1.10.13",
            pod({**C, "securityContext": {"privileged": False}}),
            KEEP,
            id="one that says it is none",
        ),
        pytest.param(
            "1.11.10",
            "1.10.13",
            pod(PRIVILEGED, status=with_status("containerStatuses", state="waiting")),
            ("KEEP", ["HC002"]),
            id="nothing runs",
        ),
        pytest.param("1.10.13", "1.11.10", pod(PRIVILEGED), KEEP, id="up"),
        pytest.param("1.10.13", "1.10.12", pod(PRIVILEGED), KEEP, id="given already, for it runs"),
        pytest.param("1.13.12", "1.12.10", pod(PRIVILEGED), KEEP, id="on by default in both"),
        pytest.param("1.16.15", "1.17.17", pod(PRIVILEGED), KEEP, id="no such option"),
    ],
)
def test_hc057_an_older_kubelet_may_not_run_privileged_containers(
    run: Run, old: str, new: str, given: Json, expected: Expected
) -> None:
    assert decided(run, old, new, given) == expected


def test_hc057_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(pod(PRIVILEGED))).out)
    result = run("plan", "--from", "1.11.10", "--to", "1.10.13", "-o", "json", "-f", tmp_path / "s.json")
    assert [reason["id"] for reason in result.item["reasons"]] == ["HC057"]


@pytest.mark.parametrize("resources", [{"requests": {"cpu": "much"}}, {"requests": ["cpu"]}, 7])
def test_a_container_that_does_not_decode_leaves_the_others_their_verdicts(
    run: Run, resources: object
) -> None:
    given = pod(C, spec={"initContainers": [{"name": "i", "resources": resources}]})
    items = planned(run, "1.15.12", "1.16.15", given, more=("--keep-going",))
    assert (items["c"]["verdict"], items["i"]["verdict"]) == ("RESTART", "UNKNOWN")


def stored(kind: str, *, mounted: bool = True) -> Json:
    """Return a pod with a volume of a kind."""
    mounts = [{"name": "v" if mounted else "w", "mountPath": "/v"}, {"name": "w", "mountPath": "/w"}]
    volumes = [{"name": "v", kind: {"image": "x"}}, {"name": "w", "emptyDir": {}}]
    return pod({**C, "volumeMounts": mounts}, spec={"volumes": volumes})


def projecting(source: str, *, mounted: bool = True) -> Json:
    """Return a pod with a projected volume that has a source of a kind."""
    made = stored("projected", mounted=mounted)
    sources = [{"configMap": {"name": "m"}}, {source: {"path": "x", "optional": True}}]
    made["spec"]["volumes"][0]["projected"] = {"sources": sources}
    return made


def claiming(name: str, claim: str) -> Json:
    """Return a pod that mounts what is behind a claim."""
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
    mounting = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    uid = f"00000000-0000-4000-8000-0000000000{ord(name[-1]):02}"
    return pod(mounting, name=name, metadata={"uid": uid}, spec={"volumes": volumes})


def volume(kind: str, claim: str) -> Json:
    """Return a PersistentVolume that is bound to a claim."""
    spec = {kind: {}, "claimRef": {"namespace": "ns", "name": claim}}
    of = {"metadata": {"name": f"pv-{claim}"}, "spec": spec, "status": {"phase": "Bound"}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", **of}


WAITS: Expected = ("KEEP", ["HC044"])
ENDED: Expected = ("KILL", ["HC045"])
RESTART: Expected = ("RESTART", ["HC004"])
RESTART_BY_FIELD: Expected = ("RESTART", ["HC001"])
GIT = ("--feature-gates", "GitRepoVolumeDriver=true")
IMAGES = ("--feature-gates", "ImageVolume=true")


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        ("1.30.14", "1.31.14", stored("rbd"), (), WAITS),
        ("1.30.14", "1.31.14", stored("cephfs"), (), WAITS),
        ("1.30.14", "1.31.14", stored("rbd", mounted=False), (), ("RESTART", ["HC001"])),
        ("1.30.14", "1.31.14", stored("nfs"), (), ("RESTART", ["HC001"])),
        ("1.25.16", "1.26.15", stored("glusterfs"), (), WAITS),
        ("1.24.17", "1.25.16", stored("glusterfs"), (), KEEP),
        ("1.24.17", "1.25.16", stored("flocker"), (), WAITS),
        ("1.21.14", "1.22.17", stored("scaleIO"), (), WAITS),
        ("1.15.12", "1.16.15", stored("photonPersistentDisk"), (), WAITS),
        ("1.14.10", "1.15.12", stored("photonPersistentDisk"), (), KEEP),
        ("1.30.14", "1.33.13", stored("gitRepo"), (), WAITS),
        ("1.30.14", "1.33.13", stored("gitRepo"), GIT, ("RESTART", ["HC001"])),
        ("1.16.15", "1.13.12", stored("csi"), (), WAITS),
        ("1.16.15", "1.15.12", stored("csi"), (), WAITS),
        ("1.21.14", "1.18.19", stored("ephemeral"), (), WAITS),
        ("1.35.2", "1.34.12", stored("image"), (), WAITS),
        ("1.36.3", "1.31.14", stored("image"), (), WAITS),
        ("1.36.3", "1.30.14", stored("image"), (), WAITS),
        ("1.35.2", "1.34.12", stored("image", mounted=False), (), KEEP),
        ("1.35.2", "1.34.12", stored("image"), IMAGES, KEEP),
        ("1.35.2", "1.36.3", stored("image"), (), KEEP),
        ("1.34.12", "1.35.2", stored("image"), (), KEEP),
        # its container runs, so that the gate is on, which is off by default
        ("1.33.13", "1.34.12", stored("image"), (), KEEP),
        ("1.33.13", "1.34.12", stored("image"), ("--feature-gates", "ImageVolume=false"), WAITS),
        ("1.14.10", "1.15.12", stored("csi"), (), KEEP),
        ("1.37.1", "1.36.3", projecting("clusterTrustBundle"), (), WAITS),
        ("1.37.1", "1.30.14", projecting("clusterTrustBundle"), (), WAITS),
        ("1.37.1", "1.36.3", projecting("podCertificate"), (), WAITS),
        ("1.37.1", "1.34.12", projecting("podCertificate"), (), WAITS),
        ("1.37.1", "1.36.3", projecting("podCertificate", mounted=False), (), KEEP),
        ("1.37.1", "1.36.3", projecting("serviceAccountToken"), (), KEEP),
        # an older one reads no such source, and mounts the others
        ("1.37.1", "1.28.15", projecting("clusterTrustBundle"), (), RESTART_BY_FIELD),
        ("1.37.1", "1.33.13", projecting("podCertificate"), (), KEEP),
        ("1.36.3", "1.37.1", projecting("podCertificate"), (), KEEP),
        ("1.35.2", "1.36.3", projecting("clusterTrustBundle"), (), KEEP),
    ],
)
def test_hc044_a_volume_without_a_plugin_is_waited_for(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected


@pytest.mark.parametrize(
    ("new", "policy", "state", "init", "expected"),
    [
        pytest.param("1.33.13", "Never", {"terminated": {"exitCode": 0}}, {}, WAITS, id="all have ended"),
        pytest.param("1.32.13", "Never", {"terminated": {"exitCode": 0}}, {}, ENDED, id="it has the plugin"),
        pytest.param("1.33.13", "OnFailure", {"terminated": {}}, {}, WAITS, id="a code that is not known"),
        pytest.param("1.33.13", "Always", {"running": {}}, {}, WAITS, id="one runs"),
        pytest.param(
            "1.33.13",
            "Never",
            {"waiting": {"reason": "PodInitializing"}},
            {"terminated": {"exitCode": 1}},
            ENDED,
            id="the pod has failed by its init container",
        ),
    ],
)
def test_hc044_a_sidecar_of_a_pod_that_waits_for_a_volume_does_not_end_with_the_others(
    run: Run, new: str, policy: str, state: Json, init: Json, expected: Expected
) -> None:
    """Its phase is Running, and its containers are not looked at (1.33.13 ``SyncPod``)."""
    given = stored("gitRepo")
    given["spec"] |= {
        "restartPolicy": policy,
        "initContainers": [{**C, "name": "s", "restartPolicy": "Always"}],
    }
    rows = [{"name": "s", "restartCount": 0, "state": {"running": {}}}]
    if init:
        given["spec"]["initContainers"].append({**C, "name": "i"})
        rows.append({"name": "i", "restartCount": 0, "state": init})
    main = [{"name": "c", "restartCount": 0, "state": state}]
    given["status"] = {"phase": "Running", "containerStatuses": main, "initContainerStatuses": rows}
    item = planned(run, "1.32.10", new, given)["s"]
    assert (item["verdict"], [reason["id"] for reason in item["reasons"]]) == expected


def test_hc045_an_ephemeral_container_ends_though_its_pod_waits_for_a_volume(run: Run) -> None:
    """Without a sidecar that runs, the pod has Succeeded before anything of it is waited for."""
    given = stored("gitRepo")
    given["spec"] |= {"restartPolicy": "Never", "ephemeralContainers": [{"name": "e", "image": "i"}]}
    given["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}],
        "ephemeralContainerStatuses": [{"name": "e", "restartCount": 0, "state": {"running": {}}}],
    }
    assert planned(run, "1.32.10", "1.33.13", given)["e"]["verdict"] == "KILL"


def test_hc044_a_volume_behind_a_claim_is_waited_for_too(run: Run, tmp_path: Path) -> None:
    """Each pod of a StatefulSet has a claim of its own, and the volumes behind them may differ."""
    claimed = [claiming(f"db-{number}", f"data-db-{number}") for number in range(4)]
    volumes = [volume("rbd", "data-db-1"), volume("csi", "data-db-2"), volume("cephfs", "data-db-3")]
    given = as_json(*claimed, *volumes)
    way = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-o", "json", "-f")
    result = run(*way, "-", stdin=given)

    assert [item["verdict"] for item in result.items] == ["RESTART", "KEEP", "RESTART", "KEEP"]
    (reason,) = result.items[1]["reasons"]
    assert reason["id"] == "HC044"
    assert reason["text"].endswith("1.31.14 has no plugin for a volume of the pod (rbd by a claim)")
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=given).out)
    kept = run(*way, tmp_path / "s.json")
    assert [item["verdict"] for item in kept.items] == [item["verdict"] for item in result.items]


def with_drivers(kubelet: str, *drivers: str) -> Json:
    """Return the node of the pods, with what its kubelet notes of CSI drivers."""
    host = node(kubelet)
    host["metadata"]["annotations"] = {
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        **({"csi.volume.kubernetes.io/nodeid": json.dumps(dict.fromkeys(drivers, "n"))} if drivers else {}),
    }
    return host


@pytest.mark.parametrize(
    ("old", "new", "kind", "drivers", "expected"),
    [
        ("1.30.14", "1.31.14", "portworxVolume", (), WAITS),
        ("1.30.14", "1.31.14", "portworxVolume", ("ebs.csi.aws.com",), WAITS),
        ("1.30.14", "1.31.14", "portworxVolume", ("pxd.portworx.com",), RESTART_BY_FIELD),
        ("1.30.14", "1.31.14", "portworxVolume", None, RESTART_BY_FIELD),
        ("1.22.17", "1.31.14", "gcePersistentDisk", ("ebs.csi.aws.com",), WAITS),
        ("1.24.17", "1.31.14", "gcePersistentDisk", ("ebs.csi.aws.com",), RESTART_BY_FIELD),
        ("1.22.17", "1.23.17", "awsElasticBlockStore", (), WAITS),
        ("1.22.17", "1.23.17", "awsElasticBlockStore", ("ebs.csi.aws.com",), KEEP),
    ],
)
def test_hc044_a_volume_that_is_left_to_a_driver_is_waited_for(
    run: Run, old: str, new: str, kind: str, drivers: tuple[str, ...] | None, expected: Expected
) -> None:
    """Where the node shows that it lacks the driver, and only the target kubelet asks for it."""
    on_node = node(f"v{old}") if drivers is None else with_drivers(f"v{old}", *drivers)
    claimed = [claiming("db-0", "data"), volume(kind, "data")]
    for given in ([stored(kind)], claimed):
        assert decided(run, old, new, on_node, *given) == expected


def test_a_driver_that_a_node_lacks_is_named_and_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    given = as_json(with_drivers("v1.30.14", "ebs.csi.aws.com"), stored("portworxVolume"))
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=given).out)
    way = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-o", "json", "-f")
    live, kept = run(*way, "-", stdin=given), run(*way, tmp_path / "s.json")
    (reason,) = live.items[0]["reasons"]
    text = "1.31.14 mounts a volume of the pod (portworxVolume) by the CSI driver pxd.portworx.com"
    assert reason["text"] == f"not compared: {text}, which its node lacks"
    assert [item["verdict"] for item in live.items] == ["KEEP"]
    assert [item["verdict"] for item in kept.items] == ["KEEP"]


def test_a_claim_whose_volume_is_not_in_the_input_decides_nothing(run: Run) -> None:
    assert decided(run, "1.30.14", "1.31.14", claiming("db-0", "data")) == ("RESTART", ["HC001"])


def test_a_static_pod_with_another_uid_ends_and_waits_for_a_volume_without_a_plugin(
    run: Run, tmp_path: Path
) -> None:
    made = mirror_pod({**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]})
    made["spec"]["volumes"] = [{"name": "v", "gitRepo": {"repository": "x"}}]
    assert decided(run, "1.32.13", "1.33.13", made) == ("KILL", ["HC022", "HC044"])
    assert decided(run, "1.33.5", "1.33.13", made) == WAITS
    shown = recorded(tmp_path, record(1, made["metadata"]["name"], uid=""))
    for more in ((), shown):
        assert decided(run, "auto", "1.33.13", node("v1.99.0"), made, more=more)[0] == "UNKNOWN"
    made["metadata"]["annotations"]["kubernetes.io/config.hash"] = "00000000-0000-4000-8000-000000000000"
    assert decided(run, "1.32.13", "1.33.13", made) == WAITS
    # it keeps its UID, whatever runs now
    assert decided(run, "auto", "1.33.13", node("v1.99.0"), made, more=shown) == WAITS


def test_a_projected_volume_with_a_refused_source_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    given = as_json(projecting("podCertificate"))
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=given).out)
    way = ("plan", "--from", "1.37.1", "--to", "1.36.3", "-o", "json", "-f")
    for result in (run(*way, "-", stdin=given), run(*way, tmp_path / "s.json")):
        (reason,) = result.item["reasons"]
        assert reason["text"].endswith("1.36.3 has no plugin for a volume of the pod (podCertificate)")


def test_a_volume_without_a_plugin_is_warned_of_and_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    pods = as_json(stored("rbd"), stored("rbd", mounted=False) | {"metadata": {"name": "q", "uid": "u-q"}})
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=pods).out)
    way = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-o", "json", "-f")
    live, kept = run(*way, "-", stdin=pods), run(*way, tmp_path / "s.json")
    warning = "1 pod does not start again once a container ends: 1.31.14 has no plugin for a volume"
    assert warning in live.err
    assert sorted(item["verdict"] for item in live.items) == ["KEEP", "RESTART"]
    assert [item["verdict"] for item in kept.items] == [item["verdict"] for item in live.items]


@pytest.mark.parametrize(
    ("phase", "state", "expected"),
    [
        ("Failed", "running", ("KILL", ["HC045"])),
        ("Succeeded", "running", ("KILL", ["HC045"])),
        ("Failed", "terminated", ("KEEP", ["HC002"])),
        ("Running", "running", KEEP),
    ],
)
def test_hc045_what_still_runs_of_a_finished_pod_is_ended(
    run: Run, phase: str, state: str, expected: Expected
) -> None:
    given = pod(C, status=with_status("containerStatuses", state=state, phase=phase))
    assert decided(run, "1.31.13", "1.31.14", given) == expected


def test_hc045_the_phase_of_a_mirror_pod_ends_no_static_pod(run: Run) -> None:
    """A kubelet that starts has the static pod from its file, whose phase is Pending."""
    given = mirror_pod(C)
    given["status"] = with_status("containerStatuses", phase="Failed")
    assert decided(run, "1.31.13", "1.31.14", given) == KEEP


def test_what_runs_of_a_finished_pod_counts_as_running(run: Run) -> None:
    given = pod(C, status=with_status("containerStatuses", phase="Failed"))
    result = run("plan", "--from", "1.31.13", "--to", "1.31.14", "-f", "-", stdin=as_json(given))
    assert (
        "1.31.13 -> 1.31.14: 0 of 1 running container restart, 1 is killed" in result.err or "1" in result.out
    )


# What the target kubelet kills and fails to create (kubelet_pods.go makeMounts).

EXPANDED = {"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(A)"}]}
PLAIN = {"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
GATE = "VolumeSubpathEnvExpansion"


@pytest.mark.parametrize(
    ("old", "new", "verdict", "rules"),
    [
        ("1.13.12", "1.14.10", "KILL", ["HC004", "HC041"]),
        ("1.15.12", "1.14.10", "KEEP", []),
        ("1.16.15", "1.14.10", "KILL", ["HC001", "HC041"]),
        ("1.13.12", "1.15.12", "RESTART", ["HC004"]),
        ("1.14.10", "1.13.12", "RESTART", ["HC005"]),
        ("1.14.10", "1.16.15", "RESTART", ["HC001"]),
    ],
)
def test_hc041_by_the_gate_of_the_target_kubelet(old: str, new: str, verdict: str, rules: list[str]) -> None:
    (item,) = hashcompat.plan([pod(EXPANDED)], old, new).items
    assert (item.verdict, sorted({reason.id for reason in item.reasons})) == (verdict, rules)


def test_hc041_with_the_gate_on_it_restarts() -> None:
    (item,) = hashcompat.plan([pod(EXPANDED)], "1.13.12", "1.14.10", gates=frozenset({GATE})).items
    assert item.verdict == "RESTART"


def recursive(mode: str | None) -> Json:
    mount = {"name": "v", "mountPath": "/v", "readOnly": True, "recursiveReadOnly": mode}
    return {"name": "c", "image": "i", "volumeMounts": [mount]}


@pytest.mark.parametrize(
    ("old", "new", "mode", "runtime", "verdict", "rules"),
    [
        ("1.31.14", "1.30.14", "Enabled", "", "KILL", ["HC001", "HC041"]),
        ("1.29.15", "1.30.14", "Enabled", "", "KILL", ["HC006", "HC041"]),
        ("1.30.14", "1.31.14", "Enabled", "", "RESTART", ["HC001"]),
        ("1.31.14", "1.29.15", "Enabled", "", "RESTART", ["HC001"]),
        ("1.31.14", "1.30.14", "Disabled", "containerd://2.1.4", "RESTART", ["HC001"]),
        ("1.31.14", "1.30.14", None, "containerd://2.1.4", "RESTART", ["HC001"]),
        ("1.31.14", "1.30.14", "IfPossible", "containerd://2.1.4", "RESTART", ["HC001"]),
        ("1.31.14", "1.30.14", "IfPossible", "containerd://1.7.28", "RESTART", ["HC001"]),
        ("1.31.14", "1.30.14", "IfPossible", "", "RESTART", ["HC001"]),
    ],
)
def test_hc041_a_mount_that_is_read_only_recursively_has_its_gate_off_in_1_30(
    run: Run, old: str, new: str, mode: str | None, runtime: str, verdict: str, rules: list[str]
) -> None:
    """1.30.14 pkg/kubelet/kubelet_pods.go makeMounts, with the runtime or without it."""
    host = node(f"v{old}")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    given = as_json(host, pod(recursive(mode)))
    way = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json")
    for source in (given, run("snapshot", "-f", "-", stdin=given).out.encode()):
        (item,) = run(*way, stdin=source).items
        assert (item["verdict"], sorted({reason["id"] for reason in item["reasons"]})) == (verdict, rules)
    gate = ("--feature-gates", "RecursiveReadOnlyMounts=true")
    assert run(*way, *gate, stdin=given).item["verdict"] == "RESTART"


@pytest.mark.parametrize(
    ("old", "new", "given", "gate", "verdict"),
    [
        ("1.33.13", "1.30.14", pod(C, spec={"hostUsers": False}), "", "KILL"),
        ("1.33.13", "1.30.14", pod(C, spec={"hostUsers": True}), "", "KILL"),
        ("1.33.13", "1.30.14", pod(C, spec={"hostUsers": None}), "", "RESTART"),
        ("1.33.13", "1.30.14", pod(C, spec={"hostUsers": False}), "true", "RESTART"),
        ("1.33.13", "1.29.15", pod(C, spec={"hostUsers": False}), "", "RESTART"),
        ("1.33.13", "1.31.14", pod(C, spec={"hostUsers": False}), "", "KEEP"),
        ("1.33.13", "1.32.13", mirror_pod(C, spec={"hostUsers": False}), "", "KILL"),
        ("1.32.13", "1.33.13", mirror_pod(C, spec={"hostUsers": False}), "", "RESTART"),
        ("1.32.13", "1.33.13", mirror_pod(C, spec={"hostUsers": False}), "false", "KILL"),
        ("1.31.14", "1.30.14", pod(C, spec={"hostUsers": False}), "", "RESTART"),
        ("1.31.14", "1.30.14", pod(C, spec={"hostUsers": False}), "false", "KILL"),
        ("1.33.13", "1.30.14", pod(C, spec={"hostUsers": True, "os": {"name": "windows"}}), "", "RESTART"),
    ],
)
def test_hc041_a_pod_that_sets_hostusers_needs_the_gate_from_1_30_on(
    run: Run, old: str, new: str, given: Json, gate: str, verdict: str
) -> None:
    """1.30.14 pkg/kubelet/userns/userns_manager.go; who runs under a kubelet with the gate off has set it."""
    more = ("--feature-gates", f"UserNamespacesSupport={gate}") if gate else ()
    actual, rules = decided(run, old, new, given, more=more)
    assert (actual, "HC041" in rules) == (verdict, verdict == "KILL")


def test_hc041_a_gate_is_on_where_a_container_runs_that_needs_it(run: Run) -> None:
    given, off = pod(recursive("Enabled")), ("--feature-gates", "RecursiveReadOnlyMounts=false")
    again = ("--other-runtime",)
    assert decided(run, "1.30.1", "1.30.14", given, more=again)[0] == "RESTART"
    assert decided(run, "1.30.1", "1.30.14", given, more=(*again, *off))[0] == "KILL"
    assert decided(run, "1.30.1", "1.30.14", given) == KEEP


@pytest.mark.parametrize("container", [PLAIN, {"name": "c", "volumeMounts": None}])
def test_hc041_without_a_subpathexpr_nothing_is_refused(container: dict[str, object]) -> None:
    (item,) = hashcompat.plan([pod(container)], "1.15.12", "1.16.15").items
    assert item.verdict == "RESTART"
    (item,) = hashcompat.plan([pod(container)], "1.16.15", "1.14.10").items
    assert item.verdict == "RESTART"


PINNED = "11111111-2222-3333-4444-555555555555"
SET: Json = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
NO_GATE = ("--feature-gates", "PodLevelResources=false")
NO_RESIZES = ("--feature-gates", "InPlacePodLevelResourcesVerticalScaling=false")
LIMITED: Json = {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Mi"}}
MOVED: Expected = ("RESTART", ["HC039"])


def with_own(resources: Json | None, *, pinned: bool = True, container: Json = C) -> Json:
    """Return the mirror pod of a static pod, by default of a UID of its own, that has resources itself."""
    made = mirror_pod(container, spec={} if resources is None else {"resources": resources})
    if pinned:
        made["metadata"]["annotations"]["kubernetes.io/config.hash"] = PINNED
    return made


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        pytest.param("1.33.13", "1.34.12", with_own(SET), (), MOVED, id="the gate is on from 1.34"),
        pytest.param("1.34.12", "1.33.13", with_own(SET), (), MOVED, id="and back"),
        pytest.param("1.34.12", "1.35.8", with_own(SET), (), KEEP, id="counted by both"),
        pytest.param("1.34.12", "1.36.5", with_own(SET), (), MOVED, id="1.34 did not note them"),
        pytest.param("1.35.8", "1.36.5", with_own(SET), (), MOVED, id="nor 1.35"),
        pytest.param("1.35.8", "1.37.2", with_own(SET), (), MOVED, id="into 1.37 too"),
        pytest.param("1.36.5", "1.37.2", with_own(SET), (), KEEP, id="1.36 noted them"),
        pytest.param("1.35.8", "1.36.5", with_own(LIMITED, container=SIZED), (), KEEP, id="the same class"),
        pytest.param("1.35.8", "1.36.5", with_own(SET), NO_RESIZES, KEEP, id="nobody looks at notes"),
        pytest.param(
            "1.35.8", "1.36.5", pod(C, spec={"resources": SET}), (), KEEP, id="an API server's class stays"
        ),
        pytest.param("1.32.13", "1.33.13", with_own(SET), (), KEEP, id="counted by neither"),
        pytest.param("1.33.13", "1.34.12", with_own(None), (), KEEP, id="no resources"),
        pytest.param(
            "1.33.13", "1.34.12", with_own({"limits": {"cpu": "much"}}), (), KEEP, id="that do not decode"
        ),
        pytest.param("1.33.13", "1.34.12", with_own(SET), NO_GATE, ("KILL", ["HC043"]), id="refused before"),
        pytest.param("1.36.5", "1.37.2", with_own({}, container=SIZED), (), MOVED, id="empty ones"),
        pytest.param("1.36.5", "1.37.2", with_own(SET, container=SIZED), (), KEEP, id="set ones"),
        pytest.param("1.33.13", "1.34.12", with_own(SET, pinned=False), (), NEW_UID, id="another UID"),
        pytest.param(
            "1.33.13", "1.34.12", pod(C, spec={"resources": SET}), (), KEEP, id="an API server's class"
        ),
    ],
)
def test_hc039_a_static_pods_own_resources_count_otherwise(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected
