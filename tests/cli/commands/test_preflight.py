"""``hashcompat preflight``: nodes by their dumps, by their objects alone, and joined with a plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import Probe
from tests.helpers.apiservers import server_json
from tests.helpers.bundles import packed
from tests.helpers.dumps import GONE, NOW, Key, as_text, dump
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import record

VERSION = ("version", "kubelet")
RUNS: dict[Key, str | Probe | list[str | Probe]] = {VERSION: "Kubernetes v1.30.14\n"}
ELSEWHERE = pod(spec={"nodeSelector": {"disk": "ssd"}})


def machine(kubelet: str, name: str = "n1", runtime: str = "containerd://2.1.4") -> Any:
    """Return a Node object that is in order."""
    host = node(kubelet, name)
    host["metadata"]["labels"] = {"kubernetes.io/hostname": name}
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    host["status"]["conditions"] = [{"type": "Ready", "status": "True"}, 1, {"type": 1, "status": "True"}]
    host["status"]["allocatable"] = host["status"]["capacity"] = {"cpu": "4", "pods": "110"}
    return host


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with the dump of a node in order, which runs 1.30.14."""
    (tmp_path / "n1.json").write_text(as_text(dump(RUNS)))
    return tmp_path


def saved(run: Run, at: Path, old: str, new: str, *objects: Any, more: Sequence[str] = ()) -> str:
    """Save a plan and return its path."""
    path = at / "plan" / "plan.json"
    path.parent.mkdir(exist_ok=True)
    given = as_json(*(objects or (pod(),)))
    words = ("plan", "--from", old, "--to", new, "-f", "-", "--out", path, "-q", *more)
    assert run(*words, stdin=given).code == 0
    return str(path)


def by_check(result: Result) -> dict[tuple[str, str], str]:
    """Return the status of each check on each node."""
    return {(item["node"], item["id"]): item["status"] for item in result.document["items"]}


def test_a_node_by_its_dump(run: Run, place: Path) -> None:
    result = run("preflight", "--to", "1.30.15", "--dump", place, "--apiserver", "1.31.0", "-o", "json")
    document = result.document
    assert document["spec"]["from"] == {"n1": "v1.30.14"}
    assert set(by_check(result).values()) == {"OK"}
    assert {row["needs"] for row in document["spec"]["leftOut"]} >= {"a plan", "the cluster's objects"}
    assert result.code == 0
    assert (
        "Not checked without a plan: PF-109, PF-119, PF-121, PF-123, PF-127, PF-128, PF-130, PF-224"
        in result.err.splitlines()
    )


def test_nodes_by_their_objects_alone(run: Run) -> None:
    given = as_json(machine("v1.30.14"), machine("v1.23.17", "n2", "docker://20.10.24"), pod())
    result = run("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-o", "json", stdin=given)
    statuses = by_check(result)
    assert result.document["spec"]["from"] == {"n1": "v1.30.14", "n2": "v1.23.17"}
    assert (statuses["n1", "PF-103"], statuses["n2", "PF-103"], statuses["n1", "PF-125"]) == (
        "OK",
        "ERROR",
        "OK",
    )
    assert "PF-213" not in {check for _, check in statuses}
    assert result.code == 2
    narrowed = run("preflight", "--to", "1.31.14", "--no-node", "--node", "n1", "-f", "-", "-q", stdin=given)
    assert "n2" not in narrowed.out


def test_nodes_without_any_pod_are_enough_for_some_checks(run: Run) -> None:
    result = run("preflight", "--to", "1.31.14", "--no-node", "-f", "-", stdin=as_json(machine("v1.31.0")))
    assert (result.code, result.out.splitlines()[1].split()[:3]) == (0, ["n1", "PF-110", "INFO"])
    assert (
        "Not checked without a plan: PF-109, PF-115, PF-119, PF-121, PF-123, PF-127, PF-128, PF-130, "
        "PF-132, PF-140, PF-144" in result.err.splitlines()
    )


def test_the_api_server_of_the_sample_decides_nothing_as_in_a_plan(run: Run) -> None:
    arguments = ("--to", "1.31.14", "--no-node", "-f")
    assert "under an API server" not in run("preflight", "--to", "1.31.14", "--no-node", "--sample").out
    server = server_json("n1", "v1.30.1")
    result = run("preflight", *arguments, "-", stdin=as_json(machine("v1.30.1"), server))
    assert "under an API server 1.30.1" in result.out


def test_from_overrides_what_a_node_shows(run: Run, place: Path) -> None:
    words = ("preflight", "--to", "1.31.14", "--dump", place, "--from", "1.31.0", "-o", "json")
    assert run(*words).document["spec"]["from"] == {"n1": "1.31.0"}
    assert run(*words, "--from", "9.9.9").code == 64


def test_a_source_is_planned_and_joined(run: Run, place: Path) -> None:
    given = as_json(machine("v1.30.14"), ELSEWHERE)
    words = ("preflight", "--to", "1.30.15", "--dump", place, "-f", "-", "-o", "json")
    result = run(*words, stdin=given)
    assert (result.code, by_check(result)["n1", "PF-115"]) == (2, "ERROR")
    assert result.document["spec"]["leftOut"] == []
    ignored = run(*words, "--ignore-preflight-errors", "PF-115", stdin=given)
    assert (ignored.code, by_check(ignored)["n1", "PF-115"]) == (0, "WARN")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{}", ("OK", "ERROR")),
        ("featureGates: {PodLevelResources: false}", ("ERROR", "ERROR")),
        ("allowedUnsafeSysctls: [net.*]", ("OK", "OK")),
    ],
)
def test_a_source_is_planned_with_what_the_dump_shows_of_its_node(
    run: Run, place: Path, config: str, expected: tuple[str, str]
) -> None:
    changes: dict[Key, str | Probe | list[str | Probe]] = {
        VERSION: "Kubernetes v1.33.13\n",
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": [record(1), record(1, pod="q")]}),
        ("file", "/var/lib/kubelet/config.yaml"): f"kind: KubeletConfiguration\n{config}\n".replace("{}", ""),
    }
    (place / "n1.json").write_text(as_text(dump(changes)))
    whole = pod(spec={"resources": {"limits": {"cpu": "1"}}})
    unsafe = pod(name="q", spec={"securityContext": {"sysctls": [{"name": "net.x", "value": "1"}]}})
    given = as_json(machine("v1.33.13"), whole, unsafe)
    result = run("preflight", "--to", "1.34.12", "--dump", place, "-f", "-", "-o", "json", stdin=given)
    assert tuple(by_check(result)["n1", check] for check in ("PF-127", "PF-121")) == expected


def test_a_source_without_nodes_is_planned_by_the_dumps_release(run: Run, place: Path) -> None:
    words = ("preflight", "--to", "1.30.15", "--dump", place, "-f", "-", "-o", "json")
    result = run(*words, stdin=as_json(pod()))
    statuses = by_check(result)
    assert (statuses["n1", "PF-109"], statuses["n1", "PF-115"]) == ("OK", "UNKNOWN")
    assert result.code == 3


def test_a_saved_plan_is_joined(run: Run, place: Path) -> None:
    gpu = pod({"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}})
    (place / "n1.json").write_text(as_text(dump({VERSION: "Kubernetes v1.27.1"})))
    plan = saved(run, place, "1.27.1", "1.27.2", gpu)
    words = ("preflight", "--dump", place / "n1.json", "--plan", plan, "-o", "json")
    result = run(*words, "--to", "1.27.2")
    assert (result.code, by_check(result)["n1", "PF-109"]) == (2, "ERROR")
    assert run(*words, "--to", "v1.27.2", "--from", "1.27.1").code == 2


@pytest.mark.parametrize(
    ("made", "asked", "why"),
    [
        (("1.30.14", "1.31.14"), ("--to", "1.31.0"), "a plan of 1.31.14, and --to is 1.31.0"),
        (
            ("1.30.14", "1.31.14"),
            ("--to", "1.31.14", "--from", "1.30.0"),
            "a plan of 1.30.14, and --from is 1.30.0",
        ),
        (
            ("auto", "1.31.14"),
            ("--to", "1.31.14", "--from", "1.30.0"),
            "a plan of v1.30.14, and --from is 1.30.0",
        ),
        (
            ("1.29.0", "1.31.14", "--override-node-releases"),
            ("--to", "1.31.14"),
            "the plan is of 1.29.0 on n1, which runs v1.30.14",
        ),
    ],
)
def test_a_plan_of_other_releases_is_refused(
    run: Run, place: Path, made: tuple[str, ...], asked: tuple[str, ...], why: str
) -> None:
    old, new, *more = made
    plan = saved(run, place, old, new, pod(), machine("v1.30.14"), more=more)
    result = run("preflight", *asked, "--dump", place / "n1.json", "--plan", plan)
    assert (result.code, result.out) == (1, "")
    assert why in result.err


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "HashList"}, "want RestartPlan: a plan, as hashcompat plan --out FILE saves it"),
        ({"items": 1}, "$.items: want a list"),
        ({"items": []}, "not the counts of its items"),
        ({"items": [1]}, "$.items[0]: want an object, got an integer"),
        ({"items": [{}]}, "$.items[0].hash: want an object, got null"),
        ({"summary": 1}, "$.summary: want an object, got an integer"),
        ({"spec": {"from": "1.30.14"}}, "$.spec.to: want a string, got nothing"),
    ],
)
def test_what_is_not_a_whole_plan_is_refused(run: Run, place: Path, change: dict[str, Any], why: str) -> None:
    path = Path(saved(run, place, "1.30.14", "1.31.14"))
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    result = run("preflight", "--to", "1.31.14", "--dump", place / "n1.json", "--plan", path)
    assert (result.code, result.out) == (1, "")
    assert f"{path}" in result.err
    assert why in result.err


@pytest.mark.parametrize("key", ["verdict", "containerType"])
def test_an_unknown_word_in_a_plan_is_refused(run: Run, place: Path, key: str) -> None:
    path = Path(saved(run, place, "1.30.14", "1.31.14"))
    document = json.loads(path.read_text())
    document["items"][0][key] = "MAYBE"
    document["items"][0]["reasons"] = 1
    path.write_text(json.dumps(document))
    result = run("preflight", "--to", "1.31.14", "--dump", place / "n1.json", "--plan", path)
    assert (result.code, result.out) == (1, "")
    assert f"$.items[0].{key}: want one of " in result.err


def test_a_plan_without_the_kept_containers_is_refused(run: Run, place: Path) -> None:
    path = place / "plan.json"
    words = ("plan", "--from", "1.30.14", "--to", "1.30.14", "-f", "-", "-q", "--only-restarts")
    assert run(*words, "--out", path, stdin=as_json(pod())).code == 0
    result = run("preflight", "--to", "1.30.14", "--dump", place / "n1.json", "--plan", path)
    assert (result.code, result.out) == (1, "")
    assert "without some of its items; save it without --only-restarts" in result.err


def test_a_directory_without_a_plan_is_refused(run: Run, place: Path) -> None:
    (place / "empty").mkdir()
    words = ("preflight", "--to", "1.31.14", "--dump", place / "n1.json", "--plan", place / "empty")
    assert run(*words).code == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--dump", "n1.json"), "--to is missing"),
        (("--to", "1.31.14", "--dump", "n1.json", "--runtime", "docker"), "are about this node alone"),
        (("--to", "1.31.14", "--dump", "n1.json", "--no-node"), "--dump and --no-node exclude each other"),
        (("--to", "9.9.9", "--dump", "n1.json"), "9.9.9"),
        (("--to", "1.31.14", "--dump", "n1.json", "--apiserver", "9.9.9"), "9.9.9"),
        (("--to", "1.31.14", "--dump", "n1.json", "--ignore-preflight-errors", "PF-9"), "no check 'PF-9'"),
    ],
)
def test_usage_errors(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(place)
    result = run("preflight", *words)
    assert (result.code, result.out) == (64, "")
    assert why in result.err


def test_a_source_without_nodes_has_none_to_check(run: Run) -> None:
    result = run("preflight", "--to", "1.31.14", "--no-node", "-f", "-", stdin=as_json(pod()))
    assert result.code == 1
    assert "no Node object in the input" in result.err


def test_a_release_that_is_not_known_is_shown_and_unknown(run: Run, place: Path) -> None:
    (place / "n1.json").write_text(as_text(dump({VERSION: "Kubernetes v9.9.9"})))
    result = run("preflight", "--to", "1.31.14", "--dump", place, "-o", "json")
    assert result.document["spec"]["from"] == {"n1": "v9.9.9"}
    assert by_check(result)["n1", "PF-110"] == "INFO"
    plan = saved(run, place, "1.30.14", "1.31.14")
    assert run("preflight", "--to", "1.31.14", "--dump", place / "n1.json", "--plan", plan).code == 3


def test_wide_has_everything_and_the_advice(run: Run, place: Path) -> None:
    wide = run("preflight", "--to", "1.31.14", "--dump", place, "-o", "wide", "-q")
    columns = ["NODE", "CHECK", "STATUS", "OBJECT", "FINDING", "ADVICE", "NODES"]
    assert wide.out.splitlines()[0].split() == columns
    assert any("kubectl drain NODE" in line for line in wide.out.splitlines())
    assert (
        run("preflight", "--to", "1.31.14", "--dump", place, "-o", "name", "-q").out
        == "n1/PF-110\nn1/PF-110\n"
    )


def test_the_api_finds_the_same(run: Run, place: Path) -> None:
    given = [machine("v1.30.14"), ELSEWHERE]
    dumps = hashcompat.load_dumps(place)
    result = hashcompat.preflight_nodes(dumps, "1.30.15", source=given, apiserver="1.31.0", now=NOW)
    words = (
        "preflight",
        "--to",
        "1.30.15",
        "--dump",
        place,
        "-f",
        "-",
        "--apiserver",
        "1.31.0",
        "-o",
        "json",
    )
    documents = hashcompat.to_document(result), run(*words, stdin=as_json(*given)).document
    sources = [
        (document["spec"].pop("source")["kind"], document["spec"].pop("tool")["command"])
        for document in documents
    ]
    assert {document.pop("digest").partition(":")[0] for document in documents} == {"sha256"}
    assert documents[0] == documents[1]
    assert sources[0] == ("objects", "")
    assert sources[1][1] == f"hashcompat preflight --to 1.30.15 --dump {place} --apiserver 1.31.0 -f -"
    mild = hashcompat.preflight_nodes(None, "1.30.15", "1.30.14", source=given, ignored=["all"])
    assert {each.status for each in mild.findings} == {Status.WARN, Status.INFO, Status.OK}
    assert hashcompat.preflight_nodes(dumps, "1.31.14").current == {"n1": "v1.30.14"}


def test_an_archive_among_the_dumps_of_one_is_an_error(run: Run, tmp_path: Path) -> None:
    inner = packed({"n2.json": as_text(dump(RUNS))})
    (tmp_path / "a.tar").write_bytes(packed({"n1.json": as_text(dump(RUNS)), "n2.tar.gz": inner}))
    result = run("preflight", "--to", "1.31", "--dump", tmp_path / "a.tar")
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("archives in it are not unpacked, give each by itself: n2.tar.gz\n")


@pytest.mark.parametrize(("name", "called"), [("n1", "n1"), ("", "a node without a name")])
def test_what_only_the_node_shows_is_not_read_without_it(run: Run, name: str, called: str) -> None:
    objects = as_json({"kind": "Node", "apiVersion": "v1", "metadata": {"name": name}}, pod())
    argv = ("preflight", "--from", "1.36.0", "--to", "1.37.0", "--no-node", "-f", "-", "-o", "json")
    texts = {row["id"]: row["text"] for row in run(*argv, stdin=objects).items if row["status"] == "UNKNOWN"}
    assert texts["PF-104"] == "version: not read without the node"
    assert texts["PF-115"] == f"the labels of {called} are not in the input"
    assert texts["PF-125"] == f"the conditions of {called} are not in the input"
