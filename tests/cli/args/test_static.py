"""Static pods read from their manifests: the exact UID decides, then the hash of each release."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.golden import rows
from tests.helpers.manifests import case, uids
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import record, recorded

KUBEADM = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]
RELEASES = ["1.16.15", "1.21.14", "1.31.14", "1.36.3"]
WEB: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "web", "image": "registry.example/web:1.2"}]},
}


def manifest(name: str) -> str:
    text: str = rows("staticpods")[name]["manifest"]
    return text


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "manifests"
    path.mkdir()
    return path


@pytest.fixture
def web(directory: Path) -> Path:
    return write(directory / "web.yaml", WEB)


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path


def hashed(run: Run, *argv: object, kubelets: str = ",".join(RELEASES)) -> Result:
    result = run("hash", "--kubelet", kubelets, "-o", "json", *argv)
    assert result.code == 0, result.err
    return result


def planned(run: Run, directory: Path, old: str, new: str, *argv: object) -> Result:
    result = run(
        "plan",
        "--from",
        old,
        "--to",
        new,
        "-o",
        "json",
        "--static-pod-dir",
        directory,
        "--node-name",
        "node-a",
        *argv,
    )
    assert result.code == 0, result.err
    return result


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("minor", ["1.16", "1.22", "1.31", "1.36"])
@pytest.mark.parametrize("component", KUBEADM)
def test_kubeadm_manifests_have_the_uids_and_hashes_of_go(
    run: Run, directory: Path, minor: str, component: str
) -> None:
    name = f"kubeadm-{minor}-{component}"
    row = rows("staticpods")[name]
    path = write(directory / "x.yaml", manifest(name))
    item = hashed(run, "-f", path, "--static-pod-path", row["path"], "--node-name", row["node"]).item
    assert item["podUID"] == {release: uids(release)[name] for release in RELEASES}
    assert item["pod"] == f"{component}-{row['node']}"
    assert {release: item["hashes"][release]["hash"] for release in RELEASES} == {
        release: go_hash(release, name) for release in RELEASES
    }


def go_hash(release: str, name: str) -> int:
    (container,) = rows("staticpods", release)[name]["containers"]
    value: int = container["hash"]
    return value


def test_1_16_does_not_tell_nodes_and_paths_apart_and_1_21_does(run: Run, web: Path) -> None:
    pod_uids: dict[str, set[str]] = {release: set() for release in RELEASES}
    for node in ("node-a", "node-b"):
        for path in ("/a/web.yaml", "/b/web.yaml"):
            item = hashed(run, "-f", web, "--static-pod-path", path, "--node-name", node).item
            for release, uid in item["podUID"].items():
                pod_uids[release].add(uid)
    assert {release: len(values) for release, values in pod_uids.items()} == {
        "1.16.15": 1,
        "1.21.14": 4,
        "1.31.14": 4,
        "1.36.3": 4,
    }


def test_a_directory_is_the_path_that_enters_the_uid_unless_another_is_told(run: Run, web: Path) -> None:
    node = ("--node-name", "node-a")
    by_directory = hashed(run, "--static-pod-dir", web.parent, *node).item["podUID"]
    by_file = hashed(run, "-f", web, "--static-pod-path", web, *node).item["podUID"]
    told = hashed(
        run, "--static-pod-dir", web.parent, "--static-pod-path", "/etc/kubernetes/manifests/", *node
    ).item["podUID"]
    assert by_directory == by_file != told
    assert told == {release: uids(release)["minimal"] for release in RELEASES}


def test_a_directory_is_read_as_kubelets_read_it(run: Run, web: Path) -> None:
    write(web.parent / "no-suffix", {**WEB, "metadata": {"name": "other", "namespace": "infra"}})
    write(web.parent / ".hidden.yaml", "no: pod")
    (web.parent / "below").mkdir()
    write(web.parent / "below" / "below.yaml", "no: pod")
    items = hashed(run, "--static-pod-dir", web.parent, "--node-name", "Node-A").items
    assert [(item["namespace"], item["pod"], item["node"]) for item in items] == [
        ("infra", "other-node-a", "Node-A"),
        ("default", "web-node-a", "Node-A"),
    ]


def test_a_stray_file_is_a_warning_as_kubelets_read_on(run: Run, web: Path) -> None:
    (web.parent / "NOTES").write_text("do not touch")
    (web.parent / "empty.yaml").write_text("")
    (web.parent / "broken.json").write_text("{")
    (web.parent / "web.yaml.gz").write_bytes(gzip.compress(web.read_bytes()))
    result = run(
        "plan", "--from", "1.20.15", "--to", "1.21.14", "--static-pod-dir", web.parent, "--node-name", "n1"
    )
    assert result.code == 0, result.err
    skipped = [line for line in result.err.splitlines() if "skipped a file as kubelets do" in line]
    assert [
        name in line
        for name, line in zip(("NOTES", "broken", "empty", ".gz: compressed"), skipped, strict=True)
    ] == [True] * 4
    assert "1 of 1 running container" in result.out


def test_of_several_documents_the_first_is_the_pod(run: Run, directory: Path) -> None:
    write(directory / "x.yaml", yaml.safe_dump(WEB) + "---\nkind: Service\n")
    item = hashed(run, "-f", directory / "x.yaml", "--static-pod-path", "/m/x", "--node-name", "n").item
    write(directory / "x.yaml", WEB)
    assert (
        item == hashed(run, "-f", directory / "x.yaml", "--static-pod-path", "/m/x", "--node-name", "n").item
    )


def test_a_new_uid_recreates_a_pod_whose_containers_have_stopped(run: Run, web: Path, tmp_path: Path) -> None:
    stopped = record(1, "web-node-a", "web", state="CONTAINER_EXITED")
    labels = stopped["labels"] | {"io.kubernetes.pod.namespace": "default"}
    records = recorded(tmp_path, {**stopped, "labels": labels})
    item = planned(run, web.parent, "1.30.14", "1.31.14", *records).item
    assert (item["verdict"], item["podRecreated"]) == ("KEEP", True)
    assert [reason["id"] for reason in item["reasons"]] == ["HC002", "HC022"]


def test_a_new_uid_recreates_the_pod_and_the_same_uid_leaves_it_to_the_hash(run: Run, web: Path) -> None:
    item = planned(run, web.parent, "1.30.14", "1.31.14").item
    assert (item["verdict"], item["podRecreated"], item["reasons"][0]["id"]) == ("RESTART", True, "HC022")
    for old, new in (
        ("1.16.15", "1.17.17"),
        ("1.19.16", "1.20.15"),
        ("1.28.15", "1.29.15"),
        ("1.36.0", "1.36.3"),
        ("1.30.14", "1.30.14"),
    ):
        assert planned(run, web.parent, old, new).item["verdict"] == "KEEP"


def test_a_uid_of_its_own_leaves_the_pod_to_the_hash(run: Run, web: Path) -> None:
    write(
        web,
        {**WEB, "metadata": {"name": "web", "uid": "0" * 32, "creationTimestamp": "2026-01-31T12:00:00Z"}},
    )
    item = planned(run, web.parent, "1.30.14", "1.31.14").item
    assert (item["verdict"], item["podRecreated"], item["reasons"][0]["id"]) == ("RESTART", False, "HC001")
    assert planned(run, web.parent, "1.31.14", "1.32.13").item["verdict"] == "KEEP"
    assert hashed(run, "--static-pod-dir", web.parent, "--node-name", "n").item["podUID"] == dict.fromkeys(
        RELEASES, "0" * 32
    )


def test_a_time_makes_it_unknown_and_says_so(run: Run, web: Path) -> None:
    write(web, {**WEB, "metadata": {"name": "web", "creationTimestamp": "2026-01-31T12:00:00Z"}})
    item = planned(run, web.parent, "1.30.14", "1.31.14").item
    assert (item["verdict"], item["reasons"][0]["id"]) == ("UNKNOWN", "HC007")
    assert (
        "$.metadata.creationTimestamp: a time, whose text contains the time zone of the host"
        in item["reasons"][0]["text"]
    )
    result = hashed(run, "--static-pod-dir", web.parent, "--node-name", "n", kubelets="1.36.3")
    assert result.item["podUID"] == {"1.36.3": None}
    assert "web-n: the UID that 1.36.3 gives it is not known: $.metadata.creationTimestamp" in result.err


@pytest.mark.parametrize(("old", "new"), [("1.4.12", "1.5.8"), ("1.5.8", "1.5.8")])
def test_before_1_6_nothing_is_known(run: Run, web: Path, old: str, new: str) -> None:
    item = planned(run, web.parent, old, new).item
    assert (item["verdict"], item["hash"]["to"]) == ("UNKNOWN", None)
    assert "there are data from 1.6" in item["reasons"][0]["text"]
    assert (
        hashed(run, "--static-pod-dir", web.parent, "--node-name", "n", kubelets="1.5.8").item["hashes"][
            "1.5.8"
        ]["hash"]
        is None
    )


def test_1_34_refuses_what_names_api_objects(run: Run, web: Path) -> None:
    write(web, {**WEB, "spec": {**WEB["spec"], "serviceAccountName": "x"}})
    item = planned(run, web.parent, "1.33.13", "1.34.10").item
    assert (item["verdict"], item["reasons"][0]["id"]) == ("KILL", "HC021")


def test_a_uid_of_its_own_does_not_hide_what_a_manifest_names(run: Run, web: Path) -> None:
    metadata = {**WEB["metadata"], "uid": "11111111-2222-3333-4444-555555555555"}
    write(web, {**WEB, "metadata": metadata, "spec": {**WEB["spec"], "serviceAccount": "x"}})
    item = planned(run, web.parent, "1.33.13", "1.34.12").item
    assert (item["verdict"], item["reasons"][0]["id"]) == ("KILL", "HC021")


def test_every_release_defaults_by_its_own_rules_and_keeps_empty_lists(run: Run, directory: Path) -> None:
    write(
        directory / "a.yaml",
        {**WEB, "spec": {"containers": [{**WEB["spec"]["containers"][0], "args": [], "image": "x"}]}},
    )
    texts = hashed(
        run,
        "--static-pod-dir",
        directory,
        "--node-name",
        "n",
        "--show-input",
        "--show-values",
        kubelets="1.15.12",
    ).item
    text = texts["hashes"]["1.15.12"]["text"]
    assert "Args:([]string)[]" in text
    assert "ImagePullPolicy:(v1.PullPolicy)Always" in text
    assert "SecurityContext:(*v1.SecurityContext)<nil>" in text


def test_managed_fields_in_json_keep_their_bytes(run: Run, directory: Path) -> None:
    row = rows("staticpods")["json-bytes-kept"]
    path = write(directory / "x.json", row["manifest"].replace('"twice": "1", ', ""))
    argv = ("-f", path, "--static-pod-path", row["path"], "--node-name", row["node"])
    pod_uids = hashed(run, *argv, kubelets="1.20.15,1.36.3").item["podUID"]
    assert pod_uids == {release: uids(release)["json-bytes-kept"] for release in ("1.20.15", "1.36.3")}


def test_managed_fields_that_cannot_be_told_apart_are_an_error(run: Run, directory: Path) -> None:
    metadata = {
        "name": "x",
        "labels": {"fieldsV1": "y"},
        "managedFields": [{"manager": "m", "fieldsV1": {}}, None],
    }
    write(directory / "x.json", json.dumps({**WEB, "metadata": metadata}))
    result = run("hash", "--kubelet", "1.36.3", "--static-pod-dir", directory, "--node-name", "n")
    assert (result.code, result.out) == (1, "")
    assert "x.json: fieldsV1 is also outside metadata.managedFields" in result.err


def test_a_whole_surrogate_pair_is_a_character(run: Run, directory: Path) -> None:
    write(
        directory / "x.json", json.dumps({**WEB, "metadata": {"name": "web", "labels": {"a": "\U0001f600"}}})
    )
    assert hashed(run, "--static-pod-dir", directory, "--node-name", "n").item["podUID"]["1.36.3"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a: [", "not valid YAML"),
        ("{", "not valid JSON"),
        ("", "empty; want a static pod manifest"),
        ("# nothing", "not a Kubernetes object"),
        ("kind: Service\nspec: {}", "a static pod manifest is one Pod"),
        (
            "kind: Deployment\nspec: {template: {spec: {containers: [{name: x}]}}}",
            "a static pod manifest is one Pod",
        ),
        ("kind: PodList\nitems: [{spec: {containers: [{name: x}]}}]", "a static pod manifest is one Pod"),
        (
            "kind: Pod\nspec: {containers: [{ports: [{hostPort: x}]}]}",
            "$.spec.containers[0].ports[0].hostPort: want an integer",
        ),
        ("kind: Pod\nspec: {containers: [{name: x}], volumes: {}}", "$.spec.volumes: want a list"),
        (
            "kind: Pod\nmetadata: {labels: [x]}\nspec: {containers: [{name: x}]}",
            "$.metadata.labels: want an object",
        ),
        (
            '{"kind":"Pod","spec":{"containers":[{"name":"\\ud83d\\ud83d\\ude00"}]}}',
            "half of a surrogate pair",
        ),
        ("&a [*a]", ""),
        ("kind: Pod\nspec: " + "[" * 5000, ""),
    ],
)
@pytest.mark.parametrize(
    "command", [("hash", "--kubelet", "1.36.3"), ("plan", "--from", "1.30.0", "--to", "1.31.0")]
)
def test_a_hostile_manifest_is_one_error_that_names_its_file(
    run: Run, directory: Path, command: tuple[str, ...], content: str, problem: str
) -> None:
    path = write(directory / "bad.yaml", content)
    result = run(*command, "--static-pod-dir", directory, "--node-name", "n")
    assert (result.code, result.out) == (1, "")
    assert str(path) in result.err
    assert problem in result.err


def test_of_a_key_that_is_there_twice_the_last_value_counts(run: Run, directory: Path) -> None:
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
    once = f"{head}spec:\n  containers:\n  - name: c\n    image: new\n"
    uids = []
    for text in (once, once.replace("    image", "    image: old\n    image")):
        write(directory / "x.yaml", text)
        uids.append(hashed(run, "--static-pod-dir", directory, "--node-name", "n").item["podUID"]["1.36.3"])
    assert uids[0] == uids[1]


def test_an_empty_directory_is_an_error(run: Run, directory: Path) -> None:
    for path in (directory, directory / "missing"):
        result = run("hash", "--kubelet", "1.36.3", "--static-pod-dir", path, "--node-name", "n")
        assert (result.code, result.out) == (1, "")
        assert str(path) in result.err


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (("--static-pod-dir", "."), "--node-name is missing"),
        (("-f", "x", "--static-pod-path", "/m/x"), "--node-name is missing"),
        (("-f", "x", "--node-name", "n"), "--node-name goes with"),
        (("--static-pod-dir", ".", "--node-name", "n", "--node-name", "m"), "--node-name is given 2 times"),
        (
            ("-f", "x", "--static-pod-path", "/m", "--static-pod-path", "/n", "--node-name", "n"),
            "--static-pod-path is given 2 times",
        ),
        (("-f", "x", "-f", "y", "--static-pod-path", "/m/x", "--node-name", "n"), "one -f FILE"),
        (("-f", "x", "--static-pod-path", "m/x", "--node-name", "n"), "want an absolute path"),
        (("--sample", "--static-pod-dir", ".", "--node-name", "n"), "--sample"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(run: Run, argv: tuple[str, ...], problem: str) -> None:
    result = run("hash", "--kubelet", "1.36.3", *argv)
    assert (result.code, result.out) == (64, "")
    assert problem in result.err


def test_a_manifest_takes_the_place_of_its_mirror_pod(run: Run, web: Path, tmp_path: Path) -> None:
    mirror = {
        **WEB,
        "metadata": {
            "name": "web-node-a",
            "namespace": "default",
            "uid": "u",
            "annotations": {"kubernetes.io/config.mirror": "h"},
        },
        "status": {"phase": "Running"},
    }
    other = {
        **WEB,
        "metadata": {"name": "api", "namespace": "default", "uid": "v"},
        "status": {"phase": "Running"},
    }
    node = {
        "kind": "Node",
        "metadata": {"name": "node-a"},
        "status": {"nodeInfo": {"kubeletVersion": "v1.28.15"}},
    }
    write(tmp_path / "cluster.yaml", {"kind": "List", "items": [mirror, other, node]})
    items = planned(run, web.parent, "auto", "1.29.15", "-f", tmp_path / "cluster.yaml").items
    verdicts = {item["pod"]: (item["verdict"], item["fromRelease"]) for item in items}
    assert verdicts == {"web-node-a": ("KEEP", "v1.28.15"), "api": ("UNKNOWN", "")}


def test_explain_tells_what_each_kubelet_sees(run: Run, web: Path) -> None:
    argv = ("--static-pod-dir", web.parent, "--node-name", "node-a")
    result = run("explain", "default/web-node-a/web", "--from", "1.14.10", "--to", "1.15.12", *argv, "--full")
    assert result.code == 0, result.err
    assert "When the kubelet 1.15.12 starts, it treats this static pod as a new one" in result.out
    assert "ImagePullPolicy:(v1.PullPolicy)IfNotPresent" in result.out


def test_matrix_counts_static_pods(run: Run, web: Path) -> None:
    argv = ("--static-pod-dir", web.parent, "--node-name", "node-a", "-o", "json")
    result = run("matrix", "--from", "1.28.15", "--to", "1.31.14", *argv)
    assert result.code == 0, result.err
    assert result.document["cheapestPath"]


def test_wide_shows_the_uid(run: Run, web: Path) -> None:
    result = run(
        "hash", "--kubelet", "1.16.15", "-o", "wide", "--static-pod-dir", web.parent, "--node-name", "node-a"
    )
    assert uids("1.16.15")["minimal"] in result.out


def test_the_golden_cases_are_those_of_the_command_line() -> None:
    assert case("minimal")[0] == WEB
