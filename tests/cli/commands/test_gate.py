"""``hashcompat gate``: which plans it refuses, what it decides, and what it prints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.model.results import DocumentDigest, line_of
from tests.disruption.pods import budget, replica
from tests.helpers.pods import as_json, mirror_pod, node, pod
from tests.helpers.program import Result, Run

UP = ("--from", "1.8.15", "--to", "1.9.11")
UID = "7b1cf2b9-2f5e-4f0c-9f5e-0a4f6c1d2e3f"
SYSTEM = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": UID}}
PODS = as_json(
    pod(name="a", metadata={"ownerReferences": [{"kind": "Job", "name": "j", "controller": True}]}),
    pod(name="b", node="n2"),
    SYSTEM,
)
KEY = "0123456789abcdef"


@pytest.fixture
def saved(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Save a plan of two containers that restart, in a working directory of its own."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "plan.json"
    assert run("plan", *UP, "-f", "-", "-q", "--out", path, stdin=PODS).code == 0
    return path


def last(result: Result) -> str:
    return result.err.splitlines()[-1]


Change = Callable[[Any], object]


def resealed(path: Path, change: Change) -> None:
    """Edit a plan as somebody would who knows how the digest is made."""
    document = json.loads(path.read_text())
    change(document)
    digest = DocumentDigest()
    for item in document["items"]:
        digest.add(line_of(item))
    document["digest"] = digest.of(document)
    path.write_text(json.dumps(document))


def test_the_last_line_is_the_verdict_with_the_line_that_decided(run: Run, saved: Path) -> None:
    for words, code, line in (
        ((), 2, "gate: FAIL: fail-on restart: 2 containers, allowed 0"),
        (("--max-restarts", "1"), 2, "gate: FAIL: max-restarts: 2 findings, allowed 1"),
        (
            ("--max-restarts", "50%"),
            2,
            "gate: FAIL: max-restarts: 2 findings, allowed 1 (50% of 2 running containers)",
        ),
        (("--max-restarts", "2"), 0, "gate: PASS: max-restarts: 2 findings, allowed 2"),
        (("--node", "n2", "--max-restarts", "1"), 0, "gate: PASS: max-restarts: 1 finding, allowed 1"),
        (("--owner", "job/j"), 2, "gate: FAIL: fail-on restart: 1 container, allowed 0"),
        (("--report-only",), 0, "gate: FAIL, reported only: fail-on restart: 2 containers, allowed 0"),
        (("--max-per-node", "0"), 2, "gate: FAIL: max-per-node: n1: 1 finding, allowed 0"),
        (
            ("--from", "v1.8.15", "--to", "1.9.11", "--fail-on", "kill"),
            0,
            "gate: PASS: fail-on kill: 0 containers, allowed 0",
        ),
    ):
        result = run("gate", "--plan", saved, *words)
        assert (result.code, last(result)) == (code, line), words


def test_inputs_are_judged_as_their_saved_plan(run: Run, saved: Path) -> None:
    for words in ((), ("--max-restarts", "1"), ("--node", "n2"), ("--cluster-uid", UID)):
        made = run("gate", *UP, "-f", "-", *words, "-o", "json", stdin=PODS)
        result = run("gate", "--plan", saved, *words, "-o", "json")
        documents = made.document, result.document
        tools = [document["spec"].pop("tool")["command"] for document in documents]
        assert [tool.startswith("hashcompat gate") for tool in tools] == [True, True]
        assert ["--plan" in tool for tool in tools] == [False, True]
        for document in documents:
            assert document["spec"]["plan"].pop("tool")["command"]
        for document in documents if "--node" in words else ():  # a saved plan says what all of it rests on
            assert document["spec"]["plan"].pop("assumptions")
        errors = [
            [line for line in answer.err.splitlines() if "Assumed:" not in line] for answer in (made, result)
        ]
        assert (made.code, documents[0], errors[0]) == (result.code, documents[1], errors[1])


REFUSED: dict[str, tuple[Change, tuple[str, ...], str]] = {
    "another verdict": (lambda d: d["items"][0].update(node="x"), (), "$.digest: not that of its content"),
    "no digest": (lambda d: d.pop("digest"), (), "$.digest: missing"),
    "no signature": (lambda _: None, ("--verify-key", "key"), "$.signature: missing"),
    "a forged signature": (
        lambda d: d.update(signature="hmac-sha256:" + "0" * 64),
        ("--verify-key", "key"),
        "$.signature: not made with this key",
    ),
    "old": (
        lambda _: None,
        ("--plan-max-age", "24h"),
        " days old, and plan-max-age allows 24h; make",
    ),
    "of another cluster": (
        lambda _: None,
        ("--cluster-uid", "x"),
        f"a plan of the cluster {UID}, and --cluster-uid is x",
    ),
    "to another release": (lambda _: None, ("--to", "1.10.13"), "a plan of 1.9.11, and --to is 1.10.13"),
    "from another release": (lambda _: None, ("--from", "1.7.16"), "a plan of 1.8.15, and --from is 1.7.16"),
    "of no such node": (lambda _: None, ("--node", "n9"), "no container on the node n9 in the plan; "),
    "of no such owner": (
        lambda _: None,
        ("--owner", "job/k"),
        "no pod of job/k in the plan; near it: Job/j",
    ),
}


def test_files_of_two_clusters_are_of_neither(run: Run, tmp_path: Path) -> None:
    for uid in ("a", "b"):
        namespace = {"kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}
        (tmp_path / uid).write_bytes(as_json(pod(name=uid), {"apiVersion": "v1", **namespace}))
    words = ("gate", *UP, "-f", tmp_path / "a", "--cluster-uid", "a", "--max-restarts", "9")
    assert run(*words).code == 0
    refused = run(*words, "-f", tmp_path / "b")
    assert (refused.code, "no namespace kube-system, or those of two" in refused.err) == (1, True)


@pytest.mark.parametrize("how", REFUSED)
def test_a_plan_that_is_not_the_right_one_is_refused(run: Run, saved: Path, how: str) -> None:
    change, words, why = REFUSED[how]
    document = json.loads(saved.read_text())
    change(document)
    saved.write_text(json.dumps(document))
    Path("key").write_text(KEY)
    result = run("gate", "--plan", saved, *words, "--report-only")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1), result.err
    assert why in result.err.replace("\\", "")


RESEALED: dict[str, tuple[Change, tuple[str, ...], str]] = {
    "counts": (lambda d: d["items"].pop(), (), "$.summary: not the counts of its items"),
    "some items": (lambda d: d["items"][0].update(verdict="KEEP"), (), "$.summary: not the counts"),
    "no time": (lambda d: d["spec"].pop("createdAt"), ("--plan-max-age", "1h"), "$.spec.createdAt: missing"),
    "a time without zone": (
        lambda d: d["spec"].update(createdAt="2026-01-01T00:00:00"),
        (),
        "$.spec.createdAt: want a time with its zone",
    ),
    "no cluster": (
        lambda d: d["spec"]["source"].pop("clusterUID"),
        ("--cluster-uid", UID),
        "$.spec.source.clusterUID: empty",
    ),
}


@pytest.mark.parametrize("how", RESEALED)
def test_a_right_digest_is_not_enough(run: Run, saved: Path, how: str) -> None:
    change, words, why = RESEALED[how]
    resealed(saved, change)
    result = run("gate", "--plan", saved, *words)
    assert (result.code, result.out) == (1, "")
    assert why in result.err


def test_the_digest_is_of_the_content_not_of_the_layout(run: Run, saved: Path) -> None:
    document = json.loads(saved.read_text())
    for text in (json.dumps(document), json.dumps(document, indent=4, sort_keys=True)):
        saved.write_text(text)
        assert run("gate", "--plan", saved).code == 2


def test_a_young_plan_is_judged(run: Run, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 3000))
    run("plan", *UP, "-f", "-", "-q", "--out", saved, stdin=PODS)
    assert run("gate", "--plan", saved, "--plan-max-age", "1h").code == 2
    assert run("gate", "--plan", saved, "--plan-max-age", "49m").code == 1


def test_a_signed_plan_is_judged_with_its_key_alone(run: Run, saved: Path) -> None:
    Path("key").write_text(f"{KEY}\n")
    Path("other").write_text(KEY[::-1])
    run("plan", *UP, "-f", "-", "-q", "--out", saved, "--sign-key", "key", stdin=PODS)
    assert run("gate", "--plan", saved).code == 2
    assert run("gate", "--plan", saved, "--verify-key", "key").code == 2
    assert run("gate", "--plan", saved, "--verify-key", "other").code == 1


@pytest.mark.parametrize(
    ("content", "why"), [("short", "want a key of 16"), ("", "want a key of 16"), (None, "a directory")]
)
def test_a_file_without_a_key_is_refused(run: Run, saved: Path, content: str | None, why: str) -> None:
    place = saved.parent / "key"
    place.mkdir() if content is None else place.write_text(content)
    result = run("gate", "--plan", saved, "--verify-key", place)
    assert (result.code, result.out) == (1, "")
    assert why in result.err


def test_budgets_lose_what_all_judged_nodes_restart_at_once(run: Run) -> None:
    """Also where one of the nodes would have to be drained, for all replicas of another owner are on it."""
    web = [replica(f"web-{name}", name) for name in ("n1", "n2")]
    api = [replica(f"api-{number}", "n2", owner="StatefulSet/api") for number in "01"]
    given = ("gate", *UP, "--max-restarts", "9", "--fail-on", "pdb", "-f", "-")
    for pods in (web, [*web, *api]):
        objects = as_json(*pods, budget(minAvailable=1))
        assert run(*given, "--node", "n1", stdin=objects).code == 0
        for nodes in ((), ("--node", "n1", "--node", "n2")):
            result = run(*given, *nodes, stdin=objects)
            assert result.code == 2
            assert "gate: FAIL: fail-on pdb: " in result.err


@pytest.mark.parametrize(("app", "code"), [("web", 3), ("api", 0)])
def test_budgets_of_manifests_that_restart_on_no_node_are_undecided(run: Run, app: str, code: int) -> None:
    manifest = pod(name="web", node="", metadata={"uid": "", "labels": {"app": "web"}})
    given = ("gate", *UP, "--max-restarts", "9", "--fail-on", "pdb", "-f", "-")
    result = run(*given, stdin=as_json(manifest, budget(app=app, minAvailable=1)))
    assert (result.code, "fail-on pdb: ns/web: may be breached" in last(result)) == (code, code == 3)


USAGE: dict[tuple[str, ...], str] = {
    ("--fail-on", "pdb", "-l", "a=b"): "-l leaves out pods that budgets count",
    ("--fail-on", "pdb", "--cri-dockerd"): "--cri-dockerd goes with making a plan",
    ("--after",): "--after is about nodes; name them with --node",
    ("--after", "--node", "n1", "--strict"): "--strict is about what may restart",
    ("--after", "--node", "n1", "--cri-dockerd"): "--cri-dockerd goes with making a plan",
    ("--recorded", "x"): "--recorded goes with making a plan",
    ("--state", "s"): "--state is about nodes; name them with --node",
    ("--state", "s", "--node", "n1", "--report-only"): "--report-only: cannot be combined with --state",
    ("--state", "configmap:a/B", "--node", "n1"): "--state: want FILE|configmap:NAMESPACE/NAME",
    ("--settle", "9"): "--settle goes with --after",
    ("--after", "--node", "n1", "--settle", "9", "-f", "x"): "--settle needs a live cluster",
    ("--after", "--node", "n1", "--settle", "3601"): "--settle",
    (
        "--state",
        "s",
        "--node",
        "n1",
        "--node",
        "n2",
        "--owner",
        "job/j",
    ): "--owner leaves out 1 container",
    ("--take-over",): "--take-over goes with --state",
    ("--after", "--node", "n1", "--state", "s", "--holder", "x"): "--holder goes with --state, before",
    ("--fail-on", "preflight"): "--fail-on preflight: needs --preflight FILE",
    (
        "--fail-on",
        "kill",
        "--preflight",
        "x",
    ): "--preflight: counts nothing: --fail-on does not name preflight",
    ("--fail-on", "all"): "--fail-on: 'all': want some of restart, kill",
    ("--max-restarts", "x"): "--max-restarts: want a number of findings",
    ("--plan-max-age", "1d"): "--plan-max-age: want a duration",
    ("-f", "x.json"): "-f goes with making a plan, not with --plan",
    ("-l", "a=b"): "-l goes with making a plan",
    ("--keep-going",): "--keep-going goes with making a plan",
    ("--jobs", "2"): "--jobs goes with making a plan",
    ("--fail-on", "pdb", "--jobs", "2"): "--jobs goes with making a plan",
    ("--after", "--node", "n1", "--jobs", "2"): "--jobs goes with making a plan",
    ("--cri-dockerd",): "--cri-dockerd goes with making a plan",
    ("--to", "9.9.9"): "9.9.9",
}


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_what_cannot_be_meant_is_a_usage_error(run: Run, saved: Path, words: tuple[str, ...]) -> None:
    result = run("gate", "--plan", saved, *words)
    assert (result.code, result.out) == (64, "")
    assert USAGE[words] in result.err


def test_a_key_without_a_saved_plan_is_a_usage_error(run: Run) -> None:
    result = run("gate", *UP, "-f", "-", "--verify-key", "k", stdin=PODS)
    assert result.code == 64
    assert "--verify-key: only a saved plan is signed" in result.err


def test_settings_of_a_file_decide_and_are_named(run: Run, saved: Path) -> None:
    settings = Path(".hashcompat.yaml")
    settings.write_text("gate:\n  max-restarts: 1\n")
    assert last(run("gate", "--plan", saved)) == "gate: FAIL: max-restarts: 2 findings, allowed 1"
    assert run("gate", "--plan", saved, "--max-restarts", "2").code == 0
    settings.write_text("gate:\n  max-restarts: 1\n  max-per-nod: 1\n")
    result = run("gate", "--plan", saved)
    assert (result.code, result.out) == (1, "")
    assert (
        result.err
        == "Error: .hashcompat.yaml: line 3: gate.max-per-nod: unknown key; did you mean max-per-node?\n"
    )
    settings.write_text("gate:\n  max-restarts: 101%\n")
    assert "max-restarts: want a number of findings" in run("gate", "--plan", saved).err


ACCEPTED = """exceptions:
- owner: ns/Job/*
  reason: OPS-1
  expires: {}
- container: ns/gone/c
  reason: OPS-2
  expires: 9999-12-31
"""


def test_warnings_of_one_kind_are_one_line(run: Run, saved: Path) -> None:
    more = "- container: ns/{0}/c\n  reason: OPS-2\n  expires: 9999-12-31\n"
    Path("accepted.yaml").write_text("exceptions:\n" + "".join(map(more.format, ("lost", "gone", "away"))))
    err = run("gate", "--plan", saved, "--exceptions", "accepted.yaml").err
    (line,) = [line for line in err.splitlines() if "matches no finding" in line]
    assert line.startswith(
        "Warning: accepted.yaml: line 2, 5, 8: container ns/lost/c, ns/gone/c, ns/away/c: this exception"
    )


def test_exceptions_of_owners_and_containers_are_not_mixed_up(run: Run, saved: Path) -> None:
    rows = "".join(
        f"- {{{what}: a/{what}/c, reason: r, expires: 9999-12-31}}\n" for what in ("owner", "container")
    )
    Path("accepted.yaml").write_text(f"exceptions:\n{rows}")
    err = run("gate", "--plan", saved, "--exceptions", "accepted.yaml").err
    assert "line 2: owner a/owner/c: this exception matches no owner of a finding; remove it" in err
    assert "line 3: container a/container/c: this exception matches no finding; remove it" in err


def test_exceptions_have_a_reason_and_a_last_day(run: Run, saved: Path) -> None:
    rows = ACCEPTED
    file = Path("accepted.yaml")
    file.write_text(rows.format("9999-12-31"))
    result = run("gate", "--plan", saved, "--exceptions", file, "--max-restarts", "1", "-o", "json")
    assert result.code == 0
    assert (
        "Warning: accepted.yaml: line 5: container ns/gone/c: this exception matches no finding;"
        in result.err
    )
    assert "Left out by exceptions: 1 container" in result.err
    excepted = [item["exception"] for item in result.items if item["standing"] == "EXCEPTED"]
    assert excepted == [{"of": "owner", "pattern": "ns/Job/*", "reason": "OPS-1", "expires": "9999-12-31"}]
    assert run("gate", "--plan", saved, "--exceptions", file, "--max-restarts", "1", "--strict").code == 2
    file.write_text(rows.format("2020-01-01"))
    result = run("gate", "--plan", saved, "--exceptions", file, "--max-restarts", "1")
    assert result.code == 2
    assert "ns/Job/*: this exception expired on 2020-01-01; 1 container that it matches counts" in result.err
    file.write_text(rows.replace("reason: OPS-1\n  ", "").format("2020-01-01"))
    result = run("gate", "--plan", saved, "--exceptions", file)
    assert (result.code, result.out) == (1, "")
    assert "accepted.yaml: line 2: exceptions[0].reason: missing" in result.err


def test_what_a_plan_or_a_gate_had_before_does_not_count(run: Run, saved: Path) -> None:
    run("gate", "--plan", saved, "-q", "--out", "gate.json")
    for earlier in (saved, "gate.json"):
        result = run("gate", "--plan", saved, "--baseline", earlier)
        assert result.code == 0
        assert "Left out by the baseline: 2 containers" in result.err
    run("plan", *UP, "-f", "-", "-q", "--node", "n2", "--out", "less.json", stdin=PODS)
    assert run("gate", "--plan", saved, "--baseline", "less.json").code == 2
    assert run("gate", "--plan", saved, "--baseline", "none.json").code == 1


def test_a_baseline_of_another_target_is_refused(run: Run, saved: Path) -> None:
    run("plan", "--from", "1.15.12", "--to", "1.16.15", "-f", "-", "-q", "--out", "other.json", stdin=PODS)
    run("gate", "--plan", "other.json", "-q", "--out", "gate.json")
    for earlier in ("other.json", "gate.json"):
        result = run("gate", "--plan", saved, "--baseline", earlier)
        assert (result.code, result.out) == (1, "")
        assert f"{earlier}: a baseline for 1.16.15, and the plan is of 1.9.11" in result.err


def test_the_errors_of_a_preflight_count(run: Run, saved: Path) -> None:
    nodes = as_json(node("v1.8.15"), node("v1.8.15", "n2"))
    words = ("preflight", "--no-node", "-f", "-", "-q")
    run(*words, "--to", "1.9.11", "--out", "preflight.json", stdin=nodes)
    document = json.loads(Path("preflight.json").read_text())
    allowed = ("--max-restarts", "2", "--preflight", "preflight.json")
    report = run("gate", "--plan", saved, *allowed, "-o", "json").document
    lines = {row["text"] for row in report["checks"] if row["policy"] == "fail-on preflight"}
    errors, unknown = document["summary"]["ERROR"], document["summary"]["UNKNOWN"]
    assert {line.split(", ")[0].split(": ")[1].split(" ")[0] for line in lines} == {str(errors), str(unknown)}
    run(*words, "--to", "1.9.11", "--out", "preflight.json", stdin=as_json(node("v1.8.15")))
    checks = run("gate", "--plan", saved, *allowed, "-o", "json").document["checks"]
    (lacking,) = [row for row in checks if "n2" in row["text"]]
    assert lacking["text"] == "fail-on preflight: no check of 1 node in the report: n2"
    assert lacking["outcome"] == "UNDECIDED"
    document["spec"]["createdAt"] = "2020-01-01T00:00:00Z"
    Path("edited.json").write_text(json.dumps(document))
    result = run("gate", "--plan", saved, "--preflight", "edited.json")
    assert (result.code, "edited.json: $.digest: not that of its content" in result.err) == (1, True)
    document.pop("digest")  # as older versions save it
    Path("old.json").write_text(json.dumps(document))
    for name, code in (("preflight.json", 2), ("old.json", 1)):
        result = run("gate", "--plan", saved, "--preflight", name, "--plan-max-age", "50000h")
        assert result.code == code
    assert "old.json: the preflight is " in result.err
    run(*words, "--to", "1.10.13", "--out", "preflight.json", stdin=nodes)
    result = run("gate", "--plan", saved, *allowed)
    assert result.code == 1
    assert "a preflight of 1.10.13, and the plan is of 1.9.11" in result.err
    other = {**SYSTEM, "metadata": {"name": "kube-system", "uid": "another"}}
    run(*words, "--to", "1.9.11", "--out", "preflight.json", stdin=as_json(node("v1.8.15"), other))
    result = run("gate", "--plan", saved, *allowed, "--report-only")
    assert (result.code, result.out) == (1, "")
    assert f"preflight.json: a preflight of the cluster another, and the plan is of {UID}" in result.err


def test_static_pods_fail_whatever_else_may_restart(run: Run) -> None:
    pods = as_json(mirror_pod(), pod(name="b"))
    words = ("gate", *UP, "-f", "-", "--max-restarts", "9", "--fail-on", "restart,kill,static")
    result = run(*words, stdin=pods)
    assert (result.code, last(result)) == (
        2,
        "gate: FAIL: fail-on static: 1 container of static pods, allowed 0",
    )


def test_many_owners_are_counted_and_the_first_are_named(run: Run) -> None:
    pods = as_json(*(pod(name=f"p{number:02}") for number in range(23)))
    result = run("gate", *UP, "-f", "-", stdin=pods)
    assert "\n… and 3 more owners; -o wide has every container\n" in result.out
    names = run("gate", *UP, "-f", "-", "-o", "name", stdin=pods).out.splitlines()
    assert (len(names), names[0]) == (23, "ns/p00/c")
    assert len(run("gate", *UP, "-f", "-", "-o", "wide", stdin=pods).out.splitlines()) == 24


def test_a_plan_of_files_with_their_namespace_knows_its_cluster(saved: Path) -> None:
    assert json.loads(saved.read_text())["spec"]["source"]["clusterUID"] == UID


@pytest.mark.parametrize(("flag", "why"), [("--context", "kubectl"), ("--kubeconfig", "kubectl")])
def test_the_live_cluster_of_a_saved_plan_must_be_read(
    run: Run, saved: Path, monkeypatch: pytest.MonkeyPatch, flag: str, why: str
) -> None:
    monkeypatch.setenv("PATH", "")
    result = run("gate", "--plan", saved, flag, "here")
    assert (result.code, result.out) == (1, "")
    assert why in result.err
