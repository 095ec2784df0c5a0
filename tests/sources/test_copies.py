"""The same object given more than once counts once; two different ones under one identity are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import hashcompat
from hashcompat.api import inputs
from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Pod
from hashcompat.sources import objects
from hashcompat.sources.files import collect as files
from tests.helpers.pods import Json, as_json, listed, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import changed

PLAN = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-o", "json")
ALONE = as_json(pod())


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(ALONE, id="the same file"),
        pytest.param(as_json(listed(pod(), pod(name="q"))), id="in a List"),
        pytest.param(yaml.safe_dump(pod(status={})).encode(), id="as YAML"),
        pytest.param(json.dumps(dict(reversed(pod().items()))).encode(), id="with keys in another order"),
        pytest.param(
            as_json(pod(metadata={"resourceVersion": "9", "managedFields": []})),
            id="with another resourceVersion, which is not read",
        ),
    ],
)
def test_a_pod_in_two_files_is_one(run: Run, tmp_path: Path, again: bytes) -> None:
    (tmp_path / "a").write_bytes(ALONE)
    (tmp_path / "b").write_bytes(again)
    result = run(*PLAN, "-f", tmp_path / "a", "-f", tmp_path / "b")
    assert (result.code, [item["pod"] for item in result.items].count("p")) == (0, 1), result.err
    assert "one uid" not in result.err


def test_the_same_file_and_its_directory_are_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(ALONE)
    assert len(run(*PLAN, "-f", tmp_path, "-f", tmp_path / "a.json").items) == 1


@pytest.mark.parametrize("command", [PLAN, ("hash", "--kubelet", "1.9.11", "-o", "json")])
def test_twice_in_one_file_is_once(run: Run, command: tuple[str, ...]) -> None:
    assert len(run(*command, "-f", "-", stdin=as_json(pod(), listed(pod()), pod())).items) == 1


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pod({"name": "c", "image": "another"}), id="spec"),
        pytest.param(pod(status={"phase": "Succeeded"}), id="phase"),
        pytest.param(pod(node="n2"), id="node"),
        pytest.param(pod(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}), id="deletion"),
        pytest.param(
            pod(status={"containerStatuses": [{"name": "c", "state": {"running": {}}}]}), id="a state"
        ),
    ],
)
def test_two_different_pods_of_one_uid_are_refused_and_both_are_named(
    run: Run, tmp_path: Path, other: Json
) -> None:
    (tmp_path / "a").write_bytes(as_json(pod(name="q"), pod()))
    (tmp_path / "b").write_bytes(as_json(other))
    result = run(*PLAN, "-f", tmp_path / "a", "-f", tmp_path / "b")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f"Error: {tmp_path}/a: $.items[1] and {tmp_path}/b: $: two different pods share a uid, ns/p: uid-p;"
        " pass only the newer one\n"
    )


def test_what_a_kubelet_has_seen_of_a_changed_pod_counts_too(run: Run, tmp_path: Path) -> None:
    given = changed(image="i:1", resources={"limits": {"cpu": 1}})
    (tmp_path / "a").write_bytes(as_json(given))
    assert run(*PLAN, "-f", tmp_path / "a", "-f", tmp_path / "a").code == 0
    given["status"]["containerStatuses"][0]["image"] = "i:2"
    (tmp_path / "b").write_bytes(as_json(given))
    result = run(*PLAN, "-f", tmp_path / "a", "-f", tmp_path / "b")
    assert (result.code, "two different pods share a uid" in result.err) == (1, True)


def test_manifests_are_not_told_apart_by_a_uid_and_all_count(run: Run) -> None:
    manifest = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
    assert len(run(*PLAN, "-f", "-", stdin=as_json(manifest, manifest)).items) == 2


def deployment(image: str = "i") -> Json:
    template = {"spec": {"containers": [{"name": "c", "image": image}]}}
    return {"kind": "Deployment", "metadata": {"name": "web", "uid": "d"}, "spec": {"template": template}}


def test_a_pod_template_of_one_uid_is_one_too(run: Run) -> None:
    assert len(run(*PLAN, "-f", "-", stdin=as_json(deployment(), deployment())).items) == 1
    result = run(*PLAN, "-f", "-", stdin=as_json(deployment(), deployment("other")))
    assert (result.code, "two different pods share a uid" in result.err) == (1, True)


def test_a_file_given_twice_is_read_once_and_its_manifests_count_once(run: Run, tmp_path: Path) -> None:
    manifest = pod()
    manifest["metadata"].pop("uid")
    manifest.pop("status", None)
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(manifest))
    (tmp_path / "link.yaml").symlink_to(path)
    result = run(*PLAN, "-f", path, "-f", tmp_path / "link.yaml", "-f", tmp_path)
    (item,) = result.items
    assert item["pod"] == "p"
    assert "Warning: " in result.err
    assert "given twice, and read once" in result.err


def test_the_commands_to_go_on_with_name_a_file_given_twice_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pod.json"
    path.write_bytes(as_json(pod()))
    result = run(*PLAN, "-f", path, "-f", path)
    assert f" --to 1.9.11 -f {path}\n" in result.err.partition("Next: ")[2]


def test_files_of_two_clusters_are_read_with_a_warning(run: Run, tmp_path: Path) -> None:
    names = []
    for uid in ("u-1", "u-2"):
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}
        manifest = pod(name=f"of-{uid}", metadata={"uid": f"p-{uid}"})
        names.append(tmp_path / f"{uid}.json")
        names[-1].write_bytes(as_json(listed(space, manifest)))
    result = run(*PLAN, "-f", names[0], "-f", names[1])
    warning = (
        f"read as one cluster, but of 2 by the UID of kube-system: u-1 in {names[0]}, u-2 in {names[1]}; "
        "give one at a time"
    )
    assert f"Warning: {warning}\n" in result.err
    assert "read as one cluster" not in run(*PLAN, "-f", names[0]).err


def test_a_file_given_twice_is_named_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pod.json"
    path.write_bytes(as_json(pod()))
    result = run(*PLAN, "-f", path, "-f", path)
    assert result.document["spec"]["source"]["names"] == [str(path)]


def test_a_node_given_twice_is_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(as_json(pod(), node("v1.9.11"), node("v1.9.11")))
    (tmp_path / "b").write_bytes(as_json(node("v1.9.11")))
    assert [host.name for host in files.collect((str(tmp_path / "a"), str(tmp_path / "b"))).nodes] == ["n1"]


@pytest.mark.parametrize("part", ["kubeletVersion", "containerRuntimeVersion"])
def test_two_different_nodes_of_one_name_are_refused_and_both_are_named(
    run: Run, tmp_path: Path, part: str
) -> None:
    other = node("v1.9.11")
    other["status"]["nodeInfo"][part] = "v1.10.13" if part == "kubeletVersion" else "docker://1.12.6"
    (tmp_path / "a").write_bytes(as_json(pod(), node("v1.9.11")))
    (tmp_path / "b").write_bytes(as_json(other))
    result = run("plan", "--from", "auto", "--to", "1.9.11", "-f", tmp_path / "a", "-f", tmp_path / "b")
    assert (result.code, result.out) == (1, "")
    assert (
        f"{tmp_path}/a: $.items[1] and {tmp_path}/b: $: two different nodes share the name n1" in result.err
    )


def _renewed(time: str, **status: Any) -> Json:
    original = node("v1.9.11")
    conditions = [{"type": "Ready", "status": "True", "lastHeartbeatTime": time}]
    return {**original, "status": {**original["status"], "conditions": conditions, **status}}


def test_copies_of_a_node_may_have_other_heartbeats_and_the_oldest_counts() -> None:
    early, late = (_renewed(f"2026-01-01T00:0{minute}:00Z") for minute in (1, 2))
    inventory = inputs.collect([pod(), late, early, late])
    assert [str(host.heartbeat) for host in inventory.nodes] == ["2026-01-01 00:01:00+00:00"]


def test_copies_of_a_node_with_other_taints_name_these() -> None:
    early = _renewed("2026-01-01T00:01:00Z")
    tainted = {**early, "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
    with pytest.raises(InputError, match=r"share the name n1: they differ in their taints; pass only"):
        inputs.collect([pod(), early, tainted])


def test_two_nodes_of_one_name_with_other_uids_are_of_two_clusters_or_one_was_made_again() -> None:
    first, other, bare = node("v1.9.11"), node("v1.9.11"), node("v1.9.11")
    first["metadata"]["uid"], other["metadata"]["uid"] = "a", "b"
    assert len(inputs.collect([pod(), first, first, bare]).nodes) == 1
    with pytest.raises(InputError, match=r"share the name n1: they differ in their uids; pass only"):
        inputs.collect([pod(), first, other])


def test_a_kind_called_node_of_another_api_is_no_node(run: Run) -> None:
    """Longhorn has one, under the names of the cluster's nodes."""
    other = {"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "metadata": {"name": "n1"}, "spec": {}}
    stdin = as_json(pod(), node("v1.8.15"), other)
    item = run("plan", "--from", "auto", "--to", "1.9.11", "-o", "json", "-f", "-", stdin=stdin).item
    assert item["fromRelease"] == "v1.8.15"


def test_values_of_the_python_api_are_counted_once_too() -> None:
    objects = [pod(), listed(pod()), node("v1.8.15"), node("v1.8.15")]
    assert len(hashcompat.plan(objects, "auto", "1.9.11").items) == 1
    with pytest.raises(InputError, match=r"^object 0: \$ and object 1: \$: two different pods share a uid"):
        hashcompat.plan([pod(), pod(node="n2")], "1.8.15", "1.9.11")
    with pytest.raises(InputError, match=r"two different nodes share the name n1: v1\.8\.15, and v1\.9\.11"):
        hashcompat.plan([pod(), node("v1.8.15"), node("v1.9.11")], "auto", "1.9.11")


@pytest.mark.parametrize(("quantity", "other"), [("1.5", "1.500"), ("1", "1.0"), ("1", '"1"'), ("0", "-0")])
def test_two_texts_of_a_number_are_two_pods(run: Run, tmp_path: Path, quantity: str, other: str) -> None:
    """Kubelets up to 1.28 hash the text of a quantity."""
    limited = as_json(pod({"name": "c", "image": "i", "resources": {"limits": {"cpu": "CPU"}}})).decode()
    for name, text in (("a", quantity), ("b", other)):
        (tmp_path / name).write_text(limited.replace('"CPU"', text))
    result = run(*PLAN, "-f", tmp_path / "a", "-f", tmp_path / "b")
    assert result.code == 1
    assert "two different pods share a uid" in result.err


def test_pods_are_digested_only_where_one_is_there_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    digested: list[str] = []
    digest = objects._digest

    def counted(subject: Pod) -> int:
        digested.append(subject.name)
        return digest(subject)

    monkeypatch.setattr(objects, "_digest", counted)
    first, other, third = (pod(name=name) for name in "abc")
    without_uid = pod(name="d", metadata={"uid": ""})
    assert len(list(inputs.collect([first, other, without_uid]).pods)) == 3
    assert not digested
    pods = inputs.collect([first, without_uid, other, first, third, third, without_uid]).pods
    assert [each.name for each in pods] == ["a", "d", "b", "c", "d"]
    assert digested == ["a", "b", "a", "c", "c"]
