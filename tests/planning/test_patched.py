"""Plans for a patched kubelet: what the generated Go code does, container by container."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import hash_changed
from tests.report.test_report import lasting

PLAIN: Json = {"name": "c", "image": "i"}
MOUNT: Json = {**PLAIN, "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
PROPAGATED: Json = {**PLAIN, "volumeMounts": [{"name": "v", "mountPath": "/v", "mountPropagation": "None"}]}
PROC: Json = {**PLAIN, "securityContext": {"procMount": "Default"}}
UNMASKED: Json = {**PLAIN, "securityContext": {"procMount": "Unmasked"}}
WINDOWS: Json = {**PLAIN, "securityContext": {"windowsOptions": {"gmsaCredentialSpecName": "g"}}}
RESIZED: Json = {
    **PLAIN,
    "resources": {"requests": {"cpu": "1"}},
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
}


def verdicts(run: Run, *arguments: object, pods: bytes) -> list[tuple[str, list[str]]]:
    result = run("plan", *arguments, "-f", "-", "-o", "json", stdin=pods)
    assert result.code == 0, result.err
    return [(item["verdict"], [reason["id"] for reason in item["reasons"]]) for item in result.items]


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.7.16", "1.9.11", PLAIN, ("KEEP", ["HC028"])),
        ("1.7.16", "1.9.11", MOUNT, ("KEEP", ["HC028"])),
        ("1.7.16", "1.9.11", PROPAGATED, ("RESTART", ["HC004", "HC004"])),
        ("1.11.10", "1.12.10", PROC, ("KEEP", ["HC028"])),
        ("1.11.10", "1.12.10", UNMASKED, ("RESTART", ["HC004"])),
        ("1.15.12", "1.16.15", PROC, ("KEEP", ["HC028"])),
        ("1.30.14", "1.36.3", PLAIN, ("KEEP", ["HC028"])),
        ("1.30.14", "1.33.13", RESIZED, ("RESTART", ["HC019"])),
    ],
)
def test_hc028_an_accepting_kubelet_keeps_what_the_old_release_knew(
    run: Run, old: str, new: str, container: Json, expected: tuple[str, list[str]]
) -> None:
    assert verdicts(
        run, "--from", old, "--to", new, "--assume-patch", "accept", pods=as_json(pod(container))
    ) == [expected]


def test_a_pinned_kubelet_keeps_all_that_the_old_one_hashed_and_drops_what_it_did_not_know(run: Run) -> None:
    pods = as_json(pod(PLAIN, {**PROPAGATED, "name": "d"}))
    assert verdicts(run, "--from", "1.7.16", "--to", "1.9.11", "--assume-patch", "pin", pods=pods) == [
        ("KEEP", []),
        ("KEEP", []),
    ]


def test_the_way_back_from_a_pinned_kubelet_restarts_nothing(run: Run) -> None:
    result = run(
        "plan",
        "--from",
        "1.7.16",
        "--to",
        "1.9.11",
        "--assume-patch",
        "pin",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(PLAIN)),
    )
    assert result.document["spec"]["rollback"]["findings"] == 0
    assert verdicts(run, "--from", "1.9.11", "--to", "1.7.16", pods=as_json(pod(PLAIN))) == [
        ("RESTART", ["HC005"])
    ]


def test_a_pinned_kubelet_cannot_hash_what_it_does_not_know_itself(run: Run) -> None:
    pods = as_json(pod(WINDOWS))
    expected = [("RESTART", ["HC005"])]
    outcomes = verdicts(run, "--from", "1.15.12", "--to", "1.14.10", "--assume-patch", "pin", pods=pods)
    assert [verdict for verdict, _ in outcomes] == [verdict for verdict, _ in expected]


def test_a_patch_leaves_static_pods_their_uid(run: Run) -> None:
    ((verdict, why),) = verdicts(
        run,
        "--from",
        "1.15.12",
        "--to",
        "1.16.15",
        "--assume-patch",
        "accept",
        pods=as_json(mirror_pod(PLAIN)),
    )
    assert (verdict, why) == ("RESTART", ["HC022"])


def test_the_recorded_hash_is_what_is_accepted(run: Run, tmp_path: Path) -> None:
    recorded = run("hash", "--kubelet", "1.7.16", "-f", "-", "-o", "json", stdin=as_json(pod(PLAIN))).item[
        "hashes"
    ]["1.7.16"]["hash"]
    (tmp_path / "kubelet.log").write_text(hash_changed(recorded))
    arguments = (
        "--from",
        "1.8.15",
        "--to",
        "1.9.11",
        "--assume-patch",
        "accept",
        "--recorded",
        tmp_path / "kubelet.log",
    )
    assert verdicts(run, *arguments, "--like", "1.7.16", pods=as_json(pod(PLAIN))) == [("KEEP", ["HC028"])]
    assert verdicts(run, *arguments, pods=as_json(pod(PLAIN)))[0][0] == "KEEP"
    (tmp_path / "kubelet.log").write_text(hash_changed(recorded ^ 1))
    assert verdicts(run, *arguments, "--like", "1.7.16", pods=as_json(pod(PLAIN))) == [("RESTART", ["HC013"])]


def plan(run: Run, *arguments: object, pods: bytes) -> Any:
    return json.loads(run("plan", *arguments, "-f", "-", "-o", "json", stdin=pods).out)


def test_a_plan_suggests_the_patch_and_counts_what_it_saves(run: Run) -> None:
    pods = as_json(pod(PLAIN, {**PROPAGATED, "name": "d"}), pod({**MOUNT, "name": "e"}, name="q"))
    document = plan(run, "--from", "1.7.16", "--to", "1.9.11", pods=pods)
    assert document["spec"]["suggestion"] == {
        "kubelet": "1.9.11",
        "like": ["1.7.16"],
        "strategy": "accept",
        "restartsSaved": 2,
        "command": "hashcompat patch --kubelet 1.9.11 --like 1.7.16",
    }
    patched = plan(run, "--from", "1.7.16", "--to", "1.9.11", "--assume-patch", "accept", pods=pods)
    assert patched["summary"]["restart"] == document["summary"]["restart"] - 2
    assert patched["spec"]["suggestion"] is None
    assert patched["spec"]["assumedPatch"] == "--kubelet 1.9.11 --like 1.7.16 --strategy accept"
    assert (
        patched["spec"]["assumptions"][0]
        == "1.9.11 is patched as by: hashcompat patch --kubelet 1.9.11 --like 1.7.16 --strategy accept"
    )


@pytest.mark.parametrize(
    ("old", "new", "container"),
    [
        ("1.10.13", "1.11.10", MOUNT),
        ("1.9.11", "1.7.16", PLAIN),
        ("1.5.8", "1.8.15", PLAIN),
        ("1.7.16", "1.9.11", PROPAGATED),
    ],
)
def test_nothing_is_suggested_where_it_would_not_help(run: Run, old: str, new: str, container: Json) -> None:
    assert plan(run, "--from", old, "--to", new, pods=as_json(pod(container)))["spec"]["suggestion"] is None


def test_nothing_is_suggested_for_replicas_whose_hashes_no_patch_accepts(run: Run) -> None:
    owner = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web", "controller": True}]}
    pods = as_json(*(pod(PROPAGATED, name=f"p{number}", metadata=owner) for number in range(3)))
    assert plan(run, "--from", "1.7.16", "--to", "1.9.11", pods=pods)["spec"]["suggestion"] is None


def test_where_no_patch_is_needed_the_plan_says_so_and_is_as_without(run: Run) -> None:
    arguments = ("plan", "--from", "1.10.13", "--to", "1.11.10", "-f", "-", "-o", "json")
    assumed = run(*arguments, "--assume-patch", "accept", stdin=as_json(pod(MOUNT)))
    assert "No patch needed" in assumed.err
    without = run(*arguments, stdin=as_json(pod(MOUNT)))
    assert lasting(assumed.document) == lasting(without.document)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--like", "1.7.16"), "--like goes with --assume-patch"),
        (("--assume-patch", "accept", "--like", "9.9.9"), "'9.9.9' is not a known kubelet release"),
        (
            ("--assume-patch", "pin", "--like", "1.7.16,1.8.15"),
            "Error: strategy pin: give one release with --like, because a kubelet can hash like only one",
        ),
    ],
)
def test_an_assumption_that_cannot_be_is_a_usage_error(
    run: Run, arguments: tuple[str, ...], problem: str
) -> None:
    result = run("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample", *arguments)
    assert (result.code, result.out) == (64, "")
    assert problem in result.err
