"""Three sentences for every rule and verdict, what happens, why and what to do: those of sentences.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hashcompat
from hashcompat.analysis.answers.sentences import sentences
from hashcompat.analysis.answers.sentences.why import CLAUSES, Situation, hashed, listed
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.core.rules import all_rules, words
from tests.helpers.pods import as_json, mirror_pod, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import C
from tests.helpers.rulesituations import INPUTS, OWNED, Input
from tests.helpers.upgrades import hash_of, record, recorded

TEXTS = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8")
EXPECTED = {block.split("\n")[0]: block.split("\n")[1:4] for block in TEXTS.strip().split("\n\n")}
OTHERWISE = {"HC009", "HC026", "HC029", "HC047"}
"""Rules that no input of ``explain`` alone brings; they have tests of their own below."""


def three(item: dict[str, object]) -> list[str]:
    said = item["sentences"]
    assert isinstance(said, dict)
    return [said[key] for key in ("what", "why", "todo")]


@pytest.mark.parametrize("given", INPUTS, ids=[given.name for given in INPUTS])
def test_the_sentences_of_each_rule(run: Run, tmp_path: Path, given: Input) -> None:
    item = run("explain", *given.arguments(run, tmp_path), "-o", "json", stdin=given.stdin).item
    assert (item["verdict"], item["reasons"][-1]["id"]) == (given.verdict, given.rule)
    assert three(item) == EXPECTED[given.name]
    assert item["sentences"]["commands"][-1] == f"hashcompat rules {given.rule}"


def test_every_rule_has_a_clause_an_input_and_its_sentences() -> None:
    ids = {rule.id for rule in all_rules()}
    said = {rule for rule, entry in words().items() if entry.why}
    assert said | CLAUSES.keys() == ids
    assert not said & CLAUSES.keys()
    assert words().keys() <= ids
    assert {given.rule for given in INPUTS} == ids - OTHERWISE
    assert EXPECTED.keys() == {given.name for given in INPUTS}


def test_every_rule_of_an_unknown_verdict_names_what_would_decide_it() -> None:
    unknown = {given.rule for given in INPUTS if given.verdict == "UNKNOWN"} | {"HC009", "HC029", "HC038"}
    decides = {rule: entry.decides for rule, entry in words().items() if entry.decides}
    assert decides.keys() == unknown
    assert all(
        re.search(r"--[a-z]|\bnode\b|\bfield\b|\bprobe\b|\bcluster\b", text) for text in decides.values()
    )


@pytest.mark.parametrize("given", INPUTS, ids=[given.name for given in INPUTS])
def test_each_sentence_is_one_and_is_about_its_verdict(given: Input) -> None:
    what, why, todo = EXPECTED[given.name]
    assert all(re.fullmatch(r"[A-Z0-9].*[^.]\.", text) for text in (what, why, todo))
    assert given.new.removeprefix("v") in what
    assert what.startswith("Whether ") is (given.verdict == "UNKNOWN")
    assert bool(re.search("^(When|Some time after) .* it .*(kills|creates)", what)) is (
        given.verdict in ("RESTART", "KILL")
    )
    assert ("until then count it as" in todo) is (given.verdict == "UNKNOWN")
    assert todo.startswith("No action is needed") is (given.verdict == "KEEP")


def test_hc009_names_the_field_that_does_not_decode() -> None:
    given = pod({**C, "args": "text"})
    (explanation,) = hashcompat.explain(given, "ns/p/c", "1.9.11", "1.10.0", keep_going=True).items
    assert explanation.item.verdict is Verdict.UNKNOWN
    assert explanation.sentences.why.startswith(
        "The object does not fit the kubelet's Go types: $.spec.containers[0].args"
    )
    assert explanation.sentences.todo.startswith("A corrected object decides")
    assert (explanation.old, explanation.new, explanation.expect, explanation.fragment.pieces) == (
        None,
        None,
        (),
        (),
    )


def test_hc029_asks_for_another_snapshot(run: Run, tmp_path: Path) -> None:
    container = {**C, "args": ["a"]}
    snapshot = run("snapshot", "-f", "-", stdin=as_json(pod(container))).out.encode()
    told = recorded(tmp_path, record(hash_of(run, "1.9.11", container)))
    way = ("explain", "ns/p/c", "--from", "1.8.15", "--to", "1.9.11", "-o", "json", "-f", "-")
    item = run(*way, *told, stdin=snapshot).item
    assert [reason["id"] for reason in item["reasons"]] == ["HC029"]
    assert three(item)[2].startswith("A new snapshot decides: take it with this version of hashcompat")


def item(verdict: Verdict, *reasons: Reason) -> Item:
    name = PodName("n1", "ns", "p", "u", "ReplicaSet/web")
    container = ContainerName("c", ContainerType.CONTAINER)
    return Item(name, container, Prediction("1.2.7", verdict, reasons))


def test_hc026_names_the_field_with_another_type() -> None:
    reasons = [
        Reason("HC026", "another Go type", f"ports[*].{name}", name) for name in ("HostPort", "HostIP")
    ]
    said = sentences(Situation(item(Verdict.RESTART, *reasons), "1.3.0"))
    assert said.why == (
        "1.2.7 and 1.3.0 have other Go types for the fields HostPort and HostIP, "
        "and up to 1.15 type names are hashed."
    )


def test_a_rule_about_a_case_needs_one() -> None:
    with pytest.raises(ValueError, match="no case was decided"):
        sentences(Situation(item(Verdict.RESTART, Reason("HC001", "x")), "1.3.0"))


@pytest.mark.parametrize(
    ("old", "new", "given", "target", "why"),
    [
        ("1.16.0", "1.30.14", pod(C), "ns/p/c", "1.16.0 and 1.30.14 hash exactly the same text."),
        ("1.30.14", "1.30.14", pod(C), "ns/p/c", "The kubelet stays 1.30.14, and the container as it is."),
        (
            "1.16.15",
            "1.17.17",
            mirror_pod(C),
            "ns/p-n1/c",
            "Its UID stays the same, and 1.16.15 and 1.17.17 hash exactly the same text.",
        ),
        (
            "1.28.2+k3s1",
            "1.29.0",
            pod({**C, "securityContext": {"x": 1}}),
            "ns/p/c",
            "1.28.2+k3s1 and 1.29.0 hash exactly the same text.",
        ),
    ],
)
def test_what_is_kept_without_a_rule(
    run: Run, old: str, new: str, given: dict[str, object], target: str, why: str
) -> None:
    result = run("explain", target, "--from", old, "--to", new, "-f", "-", stdin=as_json(given))
    assert f"{why}\n" in result.out
    assert "v1.Container" not in result.out
    assert "Where they differ" not in result.out


@pytest.mark.parametrize(
    ("kind", "todo", "drains"),
    [
        ("StatefulSet", "Drain the node before its kubelet is upgraded", True),
        ("DaemonSet", "Draining leaves the pod on its node", False),
        ("", "Plan for the interruption, since no controller", False),
    ],
)
def test_draining_is_proposed_where_it_moves_the_pod(run: Run, kind: str, todo: str, *, drains: bool) -> None:
    owner = [{**OWNED["ownerReferences"][0], "kind": kind}] if kind else []
    given = pod(C, metadata={"ownerReferences": owner}, node="n 1")
    way = ("explain", "ns/p/c", "--from", "1.8.15", "--to", "1.9.0", "-f", "-", "-o", "json")
    said = run(*way, stdin=as_json(given)).item["sentences"]
    assert said["todo"].startswith(todo)
    assert ("kubectl drain 'n 1' --ignore-daemonsets" in said["commands"]) is drains
    assert "hashcompat patch --kubelet 1.9.0 --like 1.8.15" in said["commands"]


def test_a_release_without_a_record_is_asked_of_the_build_only_if_that_is_the_target(run: Run) -> None:
    """The Go of a vendor's current kubelet decides nothing once its hash is recorded."""
    given = as_json(pod({**C, "args": ["a\fb"]}))
    way = ("explain", "ns/p/c", "-f", "-", "-o", "json", "--from")
    record_decides = run(*way, "1.27.3-gke.100", "--to", "1.27.16", stdin=given).item
    build_decides = run(*way, "1.27.3", "--to", "1.28.2+k3s1", stdin=given).item
    assert three(record_decides)[2].startswith("The hash that the runtime recorded decides")
    assert three(build_decides)[2].startswith("The Go release of the vendor's build decides")


def test_eras_that_hash_the_same_are_told_apart_by_their_digest(catalog: Catalog) -> None:
    old, new, json = (catalog.kubelet(name).era for name in ("1.5.8", "1.6.0", "1.16.0"))
    assert hashed(old, new) == "the Go text of the whole container with Adler-32"
    assert hashed(new, old) == "the Go text of the whole container with FNV-1a"
    assert hashed(new, json) == "the Go text of the whole container"
    assert hashed(catalog.kubelet("1.31.0").era, json) == "the JSON of its name and image alone"


def test_a_release_at_the_beginning_of_a_sentence_is_written_as_the_node_reports_it(run: Run) -> None:
    way = ("explain", "ns/p", "--from", "v1.29.3", "--to", "v1.31.14", "-f", "-", "-o", "json")
    said = run(*way, stdin=as_json(pod(C))).item["sentences"]
    assert said["why"].startswith("v1.29.3 hashes the JSON of the whole container, v1.31.14 the JSON of")


def test_names_are_listed_once_each() -> None:
    assert [listed(names) for names in ("a", "ab", "abca")] == ["a", "a and b", "a, b and c"]


def test_a_container_of_a_pod_that_is_being_deleted_is_not_said_to_stay(run: Run) -> None:
    given = pod(C, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    item = run(
        "explain",
        "ns/p",
        "--from",
        "1.30.14",
        "--to",
        "1.31.14",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(given),
    ).item
    assert three(item)[0] == "This container ends with its pod, which is being deleted, whatever the kubelet."
