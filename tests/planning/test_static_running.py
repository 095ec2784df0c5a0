"""Static pods whose manifests are given, next to what runs of them: their mirror pods and records."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import record, recorded

C: Json = {"name": "c", "image": "registry.example/c:1"}
PATH = "/etc/kubernetes/manifests"
STARTED = "2026-01-01T00:00:00Z"
ID = "c" * 64
RUNS = ["1.36.4", "1.36.5"]


def manifest(container: Json = C, name: str = "p", **metadata: str) -> Json:
    spec = {"containers": [container]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ns", **metadata},
        "spec": spec,
    }


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "manifests"
    path.mkdir()
    (path / "p.json").write_text(json.dumps(manifest()))
    return path


def uid_of(run: Run, directory: Path, release: str, path: str = PATH) -> str:
    place = ("--node-name", "n1", "--static-pod-path", path)
    result = run("hash", "--kubelet", release, "--static-pod-dir", directory, *place, "-o", "json")
    uid: str = result.document["items"][0]["podUID"][release]
    return uid


def mirror(uid: str, *, running: bool = True, name: str = "p", container: Json = C) -> Json:
    """Return the mirror pod of a static pod that runs under a UID."""
    state = {"running": {"startedAt": STARTED}} if running else {"terminated": {"exitCode": 0}}
    row = {"name": "c", "restartCount": 2, "containerID": f"containerd://{ID}", "state": state}
    made = mirror_pod(container, name=name, status={"phase": "Running", "containerStatuses": [row]})
    made["metadata"]["annotations"].update(
        {"kubernetes.io/config.hash": uid, "kubernetes.io/config.mirror": uid}
    )
    made["metadata"]["annotations"]["kubernetes.io/config.source"] = "file"
    return made


def planned(
    run: Run, directory: Path, *objects: Json, way: list[str] = RUNS, path: str = PATH, more: Any = ()
) -> Json:
    """Return the document of a plan of some objects next to the manifests."""
    flags = ["--static-pod-dir", directory, "--node-name", "n1"]
    flags += ["--static-pod-path", path] if path else []
    flags += ["-f", "-"] if objects else []
    result = run(
        "plan", "--from", way[0], "--to", way[1], *flags, *more, "-o", "json", stdin=as_json(*objects)
    )
    assert result.code == 0, result.err
    document: Json = result.document
    return document


def rows(document: Json) -> dict[str, tuple[str, list[str]]]:
    return {
        item["pod"]: (item["verdict"], [reason["id"] for reason in item["reasons"]])
        for item in document["items"]
    }


def test_a_manifest_takes_the_uid_and_the_state_of_its_mirror_pod(run: Run, directory: Path) -> None:
    shown = mirror(uid_of(run, directory, "1.36.4"))
    (item,) = planned(run, directory, shown)["items"]
    assert item["uid"] == shown["metadata"]["uid"]
    assert item["observed"] == {
        "containerID": ID,
        "restartCount": 2,
        "running": True,
        "startedAt": STARTED,
    }
    assert item["verdict"] == "KEEP"


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (manifest({"name": "c"}, "bad"), "$.spec.containers[0].image: missing"),
        (manifest({**C, "resources": {"limits": {"cpu": "lots"}}}, "bad"), "['cpu']: not a quantity"),
        (manifest(name="bad") | {"apiVersion": "v1beta1"}, "$.apiVersion: want v1"),
        (manifest(name=""), "$.metadata.name: missing"),
    ],
)
def test_what_kubelets_refuse_is_skipped_and_its_mirror_pod_has_no_manifest(
    run: Run, directory: Path, bad: Json, why: str
) -> None:
    (directory / "bad.json").write_text(json.dumps(bad))
    running = [mirror("u", name="bad"), mirror(uid_of(run, directory, "1.36.4"))]
    place = ("--static-pod-dir", directory, "--node-name", "n1", "--static-pod-path", PATH)
    given = ("plan", "--from", "1.36.4", "--to", "1.36.5", *place, "-f", "-", "-o", "json")
    result = run(*given, stdin=as_json(*running))
    assert rows(result.document) == {"bad-n1": ("KILL", ["HC047"]), "p-n1": ("KEEP", [])}
    (line,) = (line for line in result.err.splitlines() if "skipped a file as kubelets do" in line)
    assert f"{directory}/bad.json: $" in line
    assert why in line


@pytest.mark.parametrize("text", ["", "kind: ConfigMap"])
def test_without_any_manifest_every_mirror_pod_lacks_its_own(run: Run, tmp_path: Path, text: str) -> None:
    directory = tmp_path / "none"
    directory.mkdir()
    if text:
        (directory / "x.yaml").write_text(text)
    document = planned(run, directory, mirror("u"))
    assert rows(document) == {"p-n1": ("KILL", ["HC047"])}
    other = mirror("u")
    other["spec"]["nodeName"] = "n2"
    assert rows(planned(run, directory, other))["p-n1"][0] == "KEEP"
    place = ("--static-pod-dir", directory, "--node-name", "n1")
    result = run("plan", "--from", RUNS[0], "--to", RUNS[1], *place)
    assert (result.code, result.out) == (1, "")
    nothing = as_json(node("v1.36.4"))
    result = run("plan", "--from", RUNS[0], "--to", RUNS[1], *place, "-f", "-", stdin=nothing)
    assert (result.code, result.out) == (1, "")
    assert "no pods in the input, only nodes" in result.err


def test_a_gate_passes_after_an_upgrade_that_was_planned_with_manifests(
    run: Run, directory: Path, tmp_path: Path
) -> None:
    shown, plan = mirror(uid_of(run, directory, "1.36.4")), tmp_path / "plan.json"
    planned(run, directory, shown, more=("--out", plan))
    upgraded = node("v1.36.5")
    upgraded["status"]["conditions"] = [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": "2036-01-01T00:00:00Z"}
    ]
    after = ("gate", "--after", "--plan", plan, "--node", "n1", "-f", "-")
    result = run(*after, stdin=as_json(upgraded, shown))
    assert (result.code, "1 of 1 container as predicted" in result.out) == (0, True), result.out


def test_a_manifest_that_was_changed_since_recreates_its_pod(run: Run, directory: Path) -> None:
    shown = mirror(uid_of(run, directory, "1.36.4"))
    changed = manifest({**C, "args": ["--more"]})
    (directory / "p.json").write_text(json.dumps(changed))
    document = planned(run, directory, shown)
    assert rows(document) == {"p-n1": ("RESTART", ["HC022"])}
    assert document["items"][0]["podRecreated"]
    assert "not the one that runs" in document["items"][0]["reasons"][0]["text"]


def test_the_uid_in_the_runtime_counts_before_that_of_the_mirror_pod(
    run: Run, directory: Path, tmp_path: Path
) -> None:
    shown = mirror(uid_of(run, directory, "1.36.4"))
    row = record(1, uid="0" * 32, pod="p-n1", container="c")
    document = planned(run, directory, shown, more=recorded(tmp_path, row))
    assert rows(document)["p-n1"] == ("RESTART", ["HC022"])


def test_a_copy_may_lie_where_the_path_is_not_that_of_the_node(run: Run, directory: Path) -> None:
    usual = mirror(uid_of(run, directory, "1.36.4"))
    assert rows(planned(run, directory, usual, path="")) == {"p-n1": ("KEEP", [])}
    unusual = mirror(uid_of(run, directory, "1.36.4", "/somewhere"))
    assert rows(planned(run, directory, unusual, path="")) == {"p-n1": ("UNKNOWN", ["HC007"])}
    older = mirror(uid_of(run, directory, "1.20.14", "/somewhere"))
    assert rows(planned(run, directory, older, way=["1.20.14", "1.20.15"], path="")) == {"p-n1": ("KEEP", [])}


def test_hc047_a_mirror_pod_without_a_manifest_is_killed(run: Run, directory: Path) -> None:
    shown = mirror(uid_of(run, directory, "1.36.4"))
    document = planned(run, directory, shown, mirror("1" * 32, name="gone"))
    assert rows(document) == {"p-n1": ("KEEP", []), "gone-n1": ("KILL", ["HC047"])}


def test_hc047_concerns_neither_other_nodes_nor_pods_from_a_url(run: Run, directory: Path) -> None:
    elsewhere = mirror_pod(C, name="other", node="n2")
    from_url = mirror("1" * 32, name="url")
    from_url["metadata"]["annotations"]["kubernetes.io/config.source"] = "http"
    outcomes = rows(planned(run, directory, mirror(uid_of(run, directory, "1.36.4")), elsewhere, from_url))
    assert {pod: verdict for pod, (verdict, _) in outcomes.items()} == dict.fromkeys(
        ("p-n1", "other-n2", "url-n1"), "KEEP"
    )


def test_hc047_is_explained(run: Run, directory: Path) -> None:
    flags = ("--static-pod-dir", directory, "--node-name", "n1", "--static-pod-path", PATH)
    way = ("--from", "1.36.4", "--to", "1.36.5")
    item = run(
        "explain",
        "ns/gone-n1/c",
        *way,
        *flags,
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(mirror("1" * 32, name="gone")),
    ).item
    assert item["sentences"]["what"].endswith("and the pod disappears.")
    assert item["sentences"]["why"].startswith("Its manifest is not in the directory that was given, and")
    assert item["sentences"]["todo"].startswith("Put the manifest back before the upgrade")


def test_of_two_files_with_one_pod_the_last_counts(run: Run, directory: Path) -> None:
    (directory / "q.json").write_text(json.dumps(manifest({**C, "image": "registry.example/c:2"})))
    result = run(
        "plan",
        *("--from", "1.36.4", "--to", "1.36.5", "--static-pod-dir", directory, "--node-name", "n1"),
        *("-o", "json"),
    )
    assert len(result.document["items"]) == 1
    assert "p.json, as kubelets do: " in result.err


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ('{"a": "\\ud800"}', "half of a surrogate pair, which kubelets read in different ways"),
        ('{"a": "1", "a": "2"}', "the key 'a' appears twice in one object, and kubelets merge the two"),
        ("{}", "cannot read: no permission, and a kubelet reads it as root"),
    ],
)
def test_what_kubelets_read_and_this_program_does_not_is_an_error(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch, labels: str, why: str
) -> None:
    """Its pod runs, so neither is its mirror pod one without a manifest, nor is there none."""
    text = json.dumps(manifest(name="odd") | {"metadata": {"name": "odd", "namespace": "ns", "labels": 1}})
    (directory / "odd.json").write_text(text.replace('"labels": 1', f'"labels": {labels}'))
    if labels == "{}":
        monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith("odd.json"))
    given = ("--from", "1.36.4", "--to", "1.36.5", "--static-pod-dir", directory, "--node-name", "n1")
    result = run("plan", *given, "-f", "-", stdin=as_json(mirror("1" * 32, name="odd")))
    assert (result.code, result.out, f"{directory}/odd.json: " in result.err) == (1, "", True)
    assert why in result.err


def test_a_compressed_file_is_the_manifest_of_no_static_pod(run: Run, directory: Path) -> None:
    """A backup beside the manifest of its pod, of which the last would count."""
    old = json.dumps(manifest({**C, "image": "registry.example/c:2"})).encode()
    (directory / "p.json.gz").write_bytes(gzip.compress(old))
    given = ("--from", "1.36.4", "--to", "1.36.5", "--node-name", "n1", "-o", "json")
    result = run("plan", *given, "--static-pod-dir", directory)
    assert [item["source"]["file"] for item in result.items] == [str(directory / "p.json")]
    assert f"skipped a file as kubelets do: {directory}/p.json.gz: compressed" in result.err
    copied = ("-f", directory / "p.json.gz", "--static-pod-path", f"{PATH}/p.json")
    assert len(run("plan", *given, *copied).items) == 1


REFERRING = {**manifest(), "spec": {"containers": [C], "serviceAccountName": "s"}}


def test_a_static_pod_that_neither_kubelet_reads_is_no_finding(run: Run, directory: Path) -> None:
    (directory / "p.json").write_text(json.dumps(REFERRING))
    document = planned(run, directory, way=["1.34.10", "1.36.4"])
    assert rows(document) == {"p-n1": ("KEEP", ["HC002"])}
    assert "the feature gate PreventStaticPodAPIReferences has its default" in document["spec"]["assumptions"]
    assert rows(planned(run, directory, way=["1.36.4", "1.37.1"])) == {"p-n1": ("KEEP", ["HC002"])}
    runs = mirror(uid_of(run, directory, "1.36.4"))
    assert rows(planned(run, directory, runs, way=["1.36.4", "1.37.1"])) == {"p-n1": ("KILL", ["HC021"])}
    off = ("--feature-gates", "PreventStaticPodAPIReferences=false")
    assert rows(planned(run, directory, way=["1.36.4", "1.37.1"], more=off)) == {"p-n1": ("KILL", ["HC021"])}


OWN = "11112222-3333-4444-5555-666677778888"
SHOWN = {**C, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}


def shown_as(container: Json, *more: Json, image: str = C["image"]) -> Json:
    """Return the mirror pod of a static pod with a UID of its own, whose containers run."""
    made = mirror(OWN, container={**container, "imagePullPolicy": "Always"})
    made["spec"]["containers"] += more
    (row,) = made["status"]["containerStatuses"]
    made["status"]["containerStatuses"] = [
        {**row, "name": container["name"], "image": image} for container in made["spec"]["containers"]
    ]
    return made


def edited(run: Run, directory: Path, container: Json, shown: Json, way: list[str] = RUNS) -> Json:
    (directory / "p.json").write_text(json.dumps(manifest(container, uid=OWN)))
    return planned(run, directory, shown, way=way)


@pytest.mark.parametrize("way", [RUNS, ["1.30.13", "1.30.14"], ["1.20.14", "1.20.15"]], ids=str)
def test_a_manifest_with_a_uid_that_is_the_one_that_runs_keeps_its_pod(
    run: Run, directory: Path, way: list[str]
) -> None:
    assert rows(edited(run, directory, C, shown_as(SHOWN), way)) == {"p-n1": ("KEEP", [])}
    limited = shown_as({**SHOWN, "resources": {"limits": {"cpu": "1"}}})
    assert rows(edited(run, directory, C, limited, way)) == {"p-n1": ("UNKNOWN", ["HC046"])}
    limited["metadata"]["annotations"]["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: cpu limit"
    assert rows(edited(run, directory, C, limited, way)) == {"p-n1": ("KEEP", [])}


def test_a_manifest_with_a_uid_and_other_resources_restarts_its_pod(run: Run, directory: Path) -> None:
    def found(shown: Json, made: Json, way: list[str]) -> Json:
        resources = [{"resources": value} if value else {} for value in (shown, made)]
        return rows(edited(run, directory, {**C, **resources[1]}, shown_as({**SHOWN, **resources[0]}), way))

    small, large, full = ({"requests": {"cpu": cpu}} for cpu in ("250m", "500m", "1"))
    full["limits"] = {"cpu": "1", "memory": "1Gi"}
    for way in (RUNS, ["1.30.13", "1.30.14"]):
        assert found({}, full, way) == {"p-n1": ("RESTART", ["HC046"])}
        assert found(small, full, way) == {"p-n1": ("RESTART", ["HC046"])}
    assert found(small, {"requests": {"cpu": "0.25"}}, RUNS) == {"p-n1": ("KEEP", [])}
    assert found(small, large, RUNS) == {"p-n1": ("KEEP", [])}
    assert found(small, large, ["1.30.13", "1.30.14"]) == {"p-n1": ("UNKNOWN", ["HC046"])}


def test_a_manifest_with_a_uid_may_be_resized_by_a_restart_from_1_36_on(run: Run, directory: Path) -> None:
    policy = {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}
    small, large = ({**policy, "resources": {"requests": {"cpu": cpu}}} for cpu in ("250m", "500m"))
    for way, verdict in ((RUNS, "RESTART"), (["1.34.5", "1.34.10"], "KEEP"), (["1.32.5", "1.37.1"], "KEEP")):
        document = edited(run, directory, {**C, **large}, shown_as({**SHOWN, **small}), way)
        assert rows(document)["p-n1"][0] == verdict
    more = {**large, "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}}}
    assert rows(edited(run, directory, {**C, **more}, shown_as({**SHOWN, **small})))["p-n1"][0] == "KEEP"


def test_a_container_that_the_mirror_pod_lacks_has_no_other_resources(run: Run, directory: Path) -> None:
    full = {"name": "d", "image": "i", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}
    made = manifest({**C, "resources": full["resources"]}, uid=OWN)
    made["spec"] = {**made["spec"], "containers": [full, *made["spec"]["containers"]]}
    (directory / "p.json").write_text(json.dumps(made))
    document = planned(run, directory, shown_as(SHOWN))
    assert {item["container"]: item["verdict"] for item in document["items"]} == {"c": "RESTART", "d": "KEEP"}


def test_a_manifest_with_a_uid_and_another_network_replaces_the_sandbox(run: Run, directory: Path) -> None:
    shown = shown_as(SHOWN)
    shown["spec"]["hostNetwork"] = True
    for policy, verdict in (("Always", "RESTART"), ("Never", "KILL")):
        made = manifest(C, uid=OWN)
        made["spec"] = {**made["spec"], "restartPolicy": policy}
        (directory / "p.json").write_text(json.dumps(made))
        assert rows(planned(run, directory, shown)) == {"p-n1": (verdict, ["HC046"])}


def test_a_manifest_with_a_uid_that_names_another_image_restarts_its_container(
    run: Run, directory: Path
) -> None:
    for way in (RUNS, ["1.30.13", "1.30.14"]):
        document = edited(run, directory, {**C, "image": "registry.example/c:2"}, shown_as(SHOWN), way)
        assert rows(document) == {"p-n1": ("RESTART", ["HC046"])}
        assert "another image than the one that runs" in document["items"][0]["reasons"][0]["text"]


def test_that_an_api_server_shows_another_image_proves_nothing(run: Run, directory: Path) -> None:
    changed = shown_as({**SHOWN, "image": "mirror.example/c:1"})
    assert rows(edited(run, directory, C, changed)) == {"p-n1": ("UNKNOWN", ["HC046"])}


def test_what_else_an_edited_manifest_has_is_unknown_where_it_is_hashed(run: Run, directory: Path) -> None:
    changed = {**C, "env": [{"name": "A", "value": "1"}]}
    document = edited(run, directory, changed, shown_as(SHOWN), ["1.30.13", "1.30.14"])
    assert rows(document) == {"p-n1": ("UNKNOWN", ["HC046"])}
    assert rows(edited(run, directory, changed, shown_as(SHOWN))) == {"p-n1": ("KEEP", [])}


def test_a_record_of_an_edited_manifest_decides(run: Run, directory: Path, tmp_path: Path) -> None:
    changed, shown = {**C, "image": "registry.example/c:2"}, shown_as(SHOWN)
    (directory / "p.json").write_text(json.dumps(manifest(changed, uid=OWN)))
    result = run("hash", "--kubelet", "1.36.4", "-f", directory / "p.json", "-o", "json")
    now = int(result.document["items"][0]["hashes"]["1.36.4"]["hash"])
    for value, verdict in ((1, "RESTART"), (now, "KEEP")):
        options = recorded(tmp_path, {**record(value, "p", uid=OWN), "id": ID})
        document = planned(run, directory, shown, more=options)
        assert rows(document)["p-n1"][0] == verdict


OLD = {"name": "old", "image": "registry.example/old:1"}


@pytest.mark.parametrize(
    ("uid", "way", "verdict", "rules"),
    [
        (OWN, RUNS, "KEEP", ["HC002"]),
        (OWN, ["1.29.14", "1.30.14"], "KEEP", ["HC002"]),
        (OWN, ["1.8.14", "1.8.15"], "KEEP", ["HC002"]),
        (OWN, ["1.7.15", "1.7.16"], "KILL", ["HC046"]),
        ("", RUNS, "KILL", ["HC022", "HC046"]),
    ],
)
def test_a_container_that_a_manifest_has_no_more_ends_with_its_pod(
    run: Run, directory: Path, uid: str, way: list[str], verdict: str, rules: list[str]
) -> None:
    (directory / "p.json").write_text(json.dumps(manifest(C, **({"uid": uid} if uid else {}))))
    document = planned(run, directory, shown_as(SHOWN, OLD), way=way)
    items = {item["container"]: item for item in document["items"]}
    assert items["c"]["verdict"] == ("KEEP" if uid else "RESTART")
    assert (items["old"]["verdict"], [reason["id"] for reason in items["old"]["reasons"]]) == (verdict, rules)


@pytest.mark.parametrize(
    ("ended", "verdict", "rule"),
    [
        ({"terminated": {"exitCode": 0}}, "KILL", "HC045"),
        ({"terminated": {"exitCode": 1}}, "KEEP", "HC002"),
        ({"terminated": {}}, "UNKNOWN", "HC050"),
        ({"waiting": {"reason": "PodInitializing"}}, "KEEP", "HC002"),
    ],
)
def test_a_container_that_a_manifest_has_no_more_ends_with_the_last_one_that_it_has(
    run: Run, directory: Path, ended: Json, verdict: str, rule: str
) -> None:
    made = manifest(C, uid=OWN)
    made["spec"] = {**made["spec"], "restartPolicy": "OnFailure"}
    (directory / "p.json").write_text(json.dumps(made))
    shown = shown_as(SHOWN, OLD)
    shown["spec"]["restartPolicy"] = "OnFailure"
    shown["status"]["containerStatuses"][0]["state"] = ended
    (old,) = (item for item in planned(run, directory, shown)["items"] if item["container"] == "old")
    assert (old["verdict"], old["reasons"][0]["id"]) == (verdict, rule)


def test_a_container_with_another_name_is_another_one(run: Run, directory: Path) -> None:
    document = edited(run, directory, {**C, "name": "d"}, shown_as(SHOWN))
    outcomes = {item["container"]: (item["verdict"], item["reasons"][0]["id"]) for item in document["items"]}
    assert outcomes == {"c": ("KEEP", "HC002"), "d": ("KEEP", "HC002")}
    assert document["summary"]["notCompared"] == 2


def test_a_reference_that_the_running_pod_lacks_is_refused(run: Run, directory: Path) -> None:
    changed = {**C, "envFrom": [{"secretRef": {"name": "s"}}]}
    assert rows(edited(run, directory, changed, shown_as(SHOWN))) == {"p-n1": ("KILL", ["HC021"])}


REFUSED: Json = {**C, "envFrom": [{"secretRef": {"name": "s"}}]}


@pytest.mark.parametrize(
    ("old", "new", "more", "expected"),
    [
        ("1.34.12", "1.33.13", (), ("KEEP", ["HC002"])),
        (
            "1.34.12",
            "1.33.13",
            ("--feature-gates", "PreventStaticPodAPIReferences=false"),
            ("RESTART", ["HC022"]),
        ),
        ("1.33.13", "1.32.13", (), ("RESTART", ["HC022"])),
        ("1.34.12", "1.35.8", (), ("KEEP", ["HC002"])),
    ],
)
def test_hc002_a_static_pod_that_only_the_target_kubelet_reads_does_not_run_yet(
    run: Run, directory: Path, old: str, new: str, more: tuple[str, ...], expected: tuple[str, list[str]]
) -> None:
    """1.34 refuses what names API objects by default (pkg/kubelet/config/common.go, 1.33.13 and 1.34.12)."""
    (directory / "p.json").write_text(json.dumps(manifest(REFUSED)))
    place = ("--static-pod-dir", directory, "--node-name", "n1", "--from", old, "--to", new)
    result = run("plan", *place, *more, "-f", "-", "-o", "json", stdin=as_json(node(f"v{old}")))
    assert rows(result.document) == {"p-n1": expected}
    (item,) = result.items
    assert item["podRecreated"] is (new < "1.34")
    assert (old == "1.34.12" and "only 1.33.13 reads its manifest" in str(item["reasons"])) is (
        (new, more) == ("1.33.13", ())
    )
    gate = "the feature gate PreventStaticPodAPIReferences has its default"
    assert (gate in result.document["spec"]["assumptions"]) is (expected[0] == "KEEP")
    told = ("--feature-gates", "PreventStaticPodAPIReferences=true")
    if expected[0] == "KEEP":
        result = run("plan", *place, *told, "-f", "-", "-o", "json", stdin=as_json(node(f"v{old}")))
        assert gate not in result.document["spec"]["assumptions"]


def test_hc002_no_gate_is_named_for_a_static_pod_with_claims_that_only_an_older_kubelet_reads(
    run: Run, directory: Path
) -> None:
    """1.33.2 refuses claims, 1.33.1 does not; neither has a gate for it (pkg/kubelet/config/common.go)."""
    claiming = manifest()
    claiming["spec"]["resourceClaims"] = [{"name": "c", "resourceClaimName": "gpu"}]
    (directory / "p.json").write_text(json.dumps(claiming))
    place = ("--static-pod-dir", directory, "--node-name", "n1", "--from", "1.33.13", "--to", "1.33.1")
    result = run("plan", *place, "-f", "-", "-o", "json", stdin=as_json(node("v1.33.13")))
    (item,) = result.items
    assert "only 1.33.1 reads its manifest, which names resourceclaims" in str(item["reasons"])
    assert not [
        assumption for assumption in result.document["spec"]["assumptions"] if "feature gate" in assumption
    ]


@pytest.mark.parametrize(
    ("name", "policy", "ended", "verdict"),
    [
        ("p", "Always", True, ("KILL", ["HC048"])),
        ("p", "OnFailure", True, ("UNKNOWN", ["HC048"])),  # it may end as soon as it is looked at
        ("p", "OnFailure", False, ("KILL", ["HC048"])),
        ("other", "Always", True, ("KEEP", [])),  # its manifest is gone
    ],
)
def test_hc048_a_static_pod_that_failed_takes_its_room_again_if_its_manifest_is_there(
    run: Run, directory: Path, name: str, policy: str, verdict: tuple[str, list[str]], *, ended: bool
) -> None:
    """pkg/kubelet/kubelet.go ``HandlePodAdditions``, 1.34.10: its manifest has no phase that has ended."""
    sized = {**C, "resources": {"requests": {"cpu": "2"}}}
    given = manifest(sized if name == "p" else C, name)
    given["spec"]["restartPolicy"] = policy
    (directory / "p.json").write_text(json.dumps(given))
    states = [{"name": "c", "restartCount": 0, "state": {"terminated": {"exitCode": 1}}}]
    status = {"phase": "Failed", "reason": "Evicted", **({"containerStatuses": states} if ended else {})}
    failed = mirror_pod(sized, status=status)
    failed["spec"]["restartPolicy"] = policy
    host = node("v1.36.4")
    host["status"]["allocatable"] = {"cpu": "4", "pods": "110"}
    large = pod({**C, "resources": {"requests": {"cpu": "3"}}}, name="large")
    outcomes = rows(planned(run, directory, failed, large, host))
    assert outcomes["large"] == verdict
    assert outcomes["p-n1"][0] == "KEEP"


def test_hc048_static_pods_without_a_mirror_pod_take_their_room_and_ports(run: Run, directory: Path) -> None:
    for name in ("p", "q"):
        ports = [{"containerPort": 1, "hostPort": 6443 if name == "p" else 6444}]
        sized = {**C, "ports": ports, "resources": {"requests": {"cpu": "1"}}}
        (directory / f"{name}.json").write_text(json.dumps(manifest(sized, name)))
    host = node("v1.36.4")
    host["status"]["allocatable"] = {"cpu": "4", "pods": "110"}
    requests = {"resources": {"requests": {"cpu": "3"}}}
    outcomes = rows(planned(run, directory, pod({**C, **requests}, name="large"), host))
    assert outcomes == {"large": ("KILL", ["HC048"]), "p-n1": ("KEEP", []), "q-n1": ("KEEP", [])}
    port = pod({**C, "ports": [{"containerPort": 1, "hostPort": 6444}]}, name="port")
    assert rows(planned(run, directory, port, host))["port"] == ("KILL", ["HC051"])


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ({"hostNetwork": True, "containers": [{**C, "ports": [{"containerPort": 8080}]}]}, "HC051"),
        ({"containers": [{**C, "resources": {"limits": {"cpu": "3"}}}]}, "HC048"),
    ],
)
def test_what_defaults_make_of_a_manifest_takes_room_and_ports(
    run: Run, directory: Path, spec: Json, rule: str
) -> None:
    where = node("v1.36.4")
    where["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    sized = {"requests": {"cpu": "2"}}
    beside = pod(
        {**C, "resources": sized, "ports": [{"hostPort": 8080, "containerPort": 1, "protocol": "TCP"}]}
    )
    beside["metadata"]["creationTimestamp"] = STARTED
    beside["status"] = {"phase": "Running"}
    (directory / "p.json").write_text(json.dumps({**manifest(name="q"), "spec": spec}))
    document = planned(run, directory, where, beside)
    outcomes = {
        item["pod"]: (item["verdict"], item["reasons"][0]["id"])
        for item in document["items"]
        if item["reasons"]
    }
    assert outcomes["p"] == ("KILL", rule)


@pytest.mark.parametrize(
    ("odd", "verdict"),
    [
        ({"resizePolicy": 5}, "KEEP"),  # a list from 1.27 on
        ({"env": [{"name": "E", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}, "KEEP"),
        ({}, "KILL"),
    ],
)
def test_a_manifest_that_a_kubelet_does_not_read_takes_no_room(
    run: Run, directory: Path, odd: Json, verdict: str
) -> None:
    where = node("v1.36.4")
    where["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    large = {**C, "resources": {"requests": {"cpu": "3"}}}
    (directory / "q.json").write_text(json.dumps(manifest({**large, **odd}, name="q")))
    beside = pod(large) | {"status": {"phase": "Running"}}
    beside["metadata"]["creationTimestamp"] = STARTED
    assert rows(planned(run, directory, where, beside))["p"][0] == verdict


OF_1_18: Json = manifest(name="bad") | {
    "spec": {"containers": [C], "securityContext": {"fsGroupChangePolicy": 3}}
}
"""A manifest that kubelets decode up to 1.17, which do not know the field."""


@pytest.mark.parametrize(
    ("way", "running", "verdict"),
    [
        (["1.36.4", "1.36.5"], None, ("KEEP", ["HC002"])),
        (["1.18.19", "1.18.20"], False, ("KEEP", ["HC002"])),
        (["1.18.19", "1.18.20"], True, ("KILL", ["HC047"])),
        (["1.17.17", "1.18.20"], None, ("KILL", ["HC047"])),
        (["1.17.17", "1.18.20"], True, ("KILL", ["HC047"])),
        (["1.17.17", "1.18.20"], False, ("KEEP", ["HC002"])),
        (["1.18.20", "1.17.17"], None, ("KEEP", ["HC002"])),
        (["1.18.20", "1.17.17"], True, ("RESTART", ["HC022"])),
    ],
)
def test_kubelets_read_past_a_manifest_that_they_do_not_decode(
    run: Run, directory: Path, way: list[str], running: bool | None, verdict: Any
) -> None:
    (directory / "bad.json").write_text(json.dumps(OF_1_18))
    objects = [mirror("u" * 32, name="bad", running=running)] if running is not None else []
    flags = ["--static-pod-dir", directory, "--node-name", "n1", "-f", "-"][: 6 if objects else 4]
    given = ("plan", "--from", way[0], "--to", way[1], *flags, "-o", "json")
    result = run(*given, stdin=as_json(*objects))
    assert rows(result.document)["bad-n1"] == verdict, result.err
    skipped = [line for line in result.err.splitlines() if "skipped a file as kubelets do" in line]
    assert len(skipped) == (verdict[0] == "KEEP" and way[1] != "1.17.17")
    for line in skipped:
        assert f"{directory}/bad.json: $.spec.securityContext.fsGroupChangePolicy: want a string" in line


def test_an_edited_manifest_of_its_own_uid_that_only_the_target_decodes_is_unknown(
    run: Run, directory: Path
) -> None:
    own = {**OF_1_18, "metadata": {"name": "bad", "namespace": "ns", "uid": "own"}}
    (directory / "bad.json").write_text(json.dumps(own))
    outcomes = rows(planned(run, directory, mirror("own", name="bad"), way=["1.18.20", "1.17.17"]))
    assert outcomes["bad-n1"] == ("UNKNOWN", ["HC046"])


def test_a_manifest_that_is_all_that_is_asked_about_has_to_decode(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(json.dumps(OF_1_18))
    flags = ("--static-pod-dir", tmp_path, "--node-name", "n1")
    result = run("plan", "--from", "1.36.4", "--to", "1.36.5", *flags)
    assert result.code == 1
    assert "fsGroupChangePolicy: want a string" in result.err


def test_a_mirror_pod_that_does_not_decode_is_no_matter_of_the_manifest(run: Run, directory: Path) -> None:
    (directory / "own.json").write_text(json.dumps(manifest(name="q", uid="own")))
    shown = mirror("own", name="q", container={**C, "env": "none"})
    flags = ("--static-pod-dir", directory, "--node-name", "n1", "-f", "-")
    result = run("plan", "--from", "1.36.4", "--to", "1.36.5", *flags, stdin=as_json(shown))
    assert result.code == 1
    assert "env: want a list, got a string" in result.err


def test_a_manifest_takes_what_it_says_where_nothing_is_known_of_static_pods(
    run: Run, directory: Path
) -> None:
    where = node("v1.4.12")
    where["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    large = {**C, "resources": {"requests": {"cpu": "3"}}}
    (directory / "p.json").write_text(json.dumps(manifest(large)))
    beside = pod(large) | {"status": {"phase": "Running"}}
    beside["metadata"]["creationTimestamp"] = STARTED
    document = planned(run, directory, where, beside, way=["1.4.12", "1.5.8"], more=("--keep-going",))
    assert rows(document)["p"] == ("KILL", ["HC048"])


def test_several_files_that_kubelets_read_past_are_named_in_one_line(run: Run, directory: Path) -> None:
    for number in range(7):
        spec = {"containers": [C], "securityContext": {"fsGroupChangePolicy": {} if number else 3}}
        (directory / f"bad{number}.json").write_text(
            json.dumps(manifest(name=f"bad{number}") | {"spec": spec})
        )
    flags = ("--static-pod-dir", directory, "--node-name", "n1")
    result = run("plan", "--from", "1.36.4", "--to", "1.36.5", *flags)
    (line,) = (line for line in result.err.splitlines() if "as kubelets do" in line)
    assert line.startswith(f"Warning: skipped 7 files as kubelets do: {directory}/bad0.json: $.spec.")
    assert line.endswith("; 2 more")
    assert "want a string, got an integer; " in line
    explained = run("explain", "ns/bad1-n1", "--from", "1.36.4", "--to", "1.36.5", *flags)
    assert "This container does not run now, as far as the input shows." in explained.out


def test_a_manifest_of_another_directory_is_read_past_as_well(
    run: Run, directory: Path, tmp_path: Path
) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "bad.json").write_text(json.dumps(OF_1_18))
    flags = ("--static-pod-dir", directory, "--static-pod-dir", tmp_path / "more", "--node-name", "n1")
    result = run("plan", "--from", "1.36.4", "--to", "1.36.5", *flags, "-o", "json")
    assert {pod: verdict for pod, (verdict, _) in rows(result.document).items()} == {
        "bad-n1": "KEEP",
        "p-n1": "KEEP",
    }
