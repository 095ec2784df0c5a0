"""What to expect of a kill: the texts of the target kubelet's release, and nothing where none is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import CPU_RESTARTS, SIZED, C, never
from tests.helpers.rulesituations import NOT_READY, host
from tests.helpers.upgrades import record, recorded

CHANGED = "SandboxChanged: Pod sandbox changed, it will be killed and re-created."
Seen = list[tuple[str, str, int]]


def seen(
    run: Run, old: str, new: str, *objects: Json, more: tuple[object, ...] = (), target: str = "ns/p"
) -> Seen:
    way = ("explain", target, "--from", old, "--to", new, "-f", "-", "-o", "json", *more)
    item: dict[str, Any] = run(*way, stdin=as_json(*objects)).item
    return [(row["where"], row["text"], row["verbosity"]) for row in item["expect"]]


IT_WILL_BE = "hash changed (7 vs {to}), it will be killed and re-created."
OLD_POD = f'pod "p_ns(uid-p)" container "c" {IT_WILL_BE}'
CRI_POD = f'Pod "p" container "c" {IT_WILL_BE}'
SPEC = "Container spec hash changed (7 vs {to}).. Container will be killed and recreated."


@pytest.mark.parametrize(
    ("old", "new", "line", "least", "event"),
    [
        ("1.7.16", "1.6.13", CRI_POD, 0, f"Killing container with id …:{CRI_POD}"),
        ("1.5.8", "1.4.12", OLD_POD, 0, f"Killing container with docker id …: {OLD_POD}"),
        ("1.1.8", "1.1.1", f'pod "p_ns" container "c" {IT_WILL_BE}', 0, "Killing with docker id …"),
        (
            "1.10.0",
            "1.9.11",
            f'Container "c" ({{{{"…" "…"}}}}) of pod p_ns(uid-p): {SPEC}',
            2,
            f"Killing container with id …:{SPEC}",
        ),
    ],
)
def test_a_changed_hash_by_release(
    run: Run, tmp_path: Path, old: str, new: str, line: str, least: int, event: str
) -> None:
    told = recorded(tmp_path, record(7))
    way = ("explain", "ns/p", "--from", old, "--to", new, "-f", "-", "-o", "json", *told)
    item = run(*way, stdin=as_json(pod(C))).item
    to = item["hash"]["to"]
    assert item["expect"] == [
        {"where": "log", "text": line.format(to=to), "verbosity": least},
        {"where": "event", "text": f"Killing: {event.format(to=to)}", "verbosity": 0},
    ]


def test_a_record_that_a_snapshot_hides_is_in_no_line(run: Run, tmp_path: Path) -> None:
    container = {**C, "args": ["a"]}
    told = recorded(tmp_path, record(7))
    snapshot = json.loads(run("snapshot", "-f", "-", *told, stdin=as_json(pod(container))).out)
    assert seen(run, "1.8.15", "1.9.11", snapshot) == []


def test_a_creator_whose_hash_is_not_known_is_in_no_line(run: Run) -> None:
    row = {"name": "c", "restartCount": 0, "state": {"running": {"startedAt": "2017-01-02T00:00:00Z"}}}
    given = pod(C, status={"phase": "Running", "containerStatuses": [row]})
    way = ("explain", "ns/p", "--from", "1.10.0", "--to", "1.11.0", "-f", "-", "-o", "json")
    item = run(*way, stdin=as_json(given)).item
    assert ([reason["id"] for reason in item["reasons"]], item["expect"]) == (["HC032"], [])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pod(C), ["log", "event", "event"]),
        (never(), ["log", "event"]),
    ],
    ids=["a new sandbox", "none for a Never pod"],
)
def test_a_new_sandbox_has_its_event(run: Run, tmp_path: Path, given: Json, expected: list[str]) -> None:
    (tmp_path / "told.json").write_text(json.dumps([NOT_READY]))
    signs = seen(run, "1.31.0", "1.31.0", given, more=("--recorded", tmp_path / "told.json"))
    assert [where for where, _, _ in signs] == expected
    assert (signs[0][1].startswith('"No ready sandbox for pod can be found.'), signs[0][2]) == (True, 2)
    assert [text for where, text, _ in signs if text.startswith("Sandbox")] == [CHANGED][: len(expected) - 2]
    assert signs[-1] == ("event", "Killing: Stopping container c", 0)


def test_a_runtime_that_is_gone_kills_nothing_that_the_kubelet_sees(run: Run) -> None:
    docker = host("1.23.17", runtime="docker://20.10.7")
    signs = seen(run, "1.23.17", "1.24.0", docker, pod(C))
    assert signs == [("log", '"No sandbox for pod can be found. Need to start a new one" pod="ns/p"', 2)]


def test_what_an_older_kubelet_makes_of_newer_sandboxes_is_not_claimed(run: Run) -> None:
    assert seen(run, "1.6.0", "1.5.8", pod(C)) == []


def test_a_mirror_pod_shows_the_old_uid(run: Run) -> None:
    given = mirror_pod(C)
    given["metadata"]["annotations"] = {
        f"kubernetes.io/config.{key}": "ab" * 16 for key in ("hash", "mirror")
    }
    signs = seen(run, "1.20.15", "1.21.14", given, target="ns/p-n1")
    assert signs[0] == ("uid", f"{'ab' * 16} -> another one", 0)
    assert signs[1][:2] == ("log", '"No sandbox for pod can be found. Need to start a new one" pod="ns/p-n1"')


@pytest.mark.parametrize(
    ("release", "reason"), [("1.17.17", "MatchNodeSelector"), ("1.18.20", "NodeAffinity")]
)
def test_a_refused_pod_shows_why_in_its_status(run: Run, release: str, reason: str) -> None:
    given = pod(C, spec={"nodeSelector": {"disk": "hdd"}})
    signs = seen(run, release, release, given, host(release))
    assert signs == [("status", f"phase Failed, reason {reason}", 0), ("event", f"Warning {reason}", 0)]


def test_a_resize_has_its_own_event(run: Run) -> None:
    signs = seen(run, "1.32.0", "1.33.0", pod({**SIZED, **CPU_RESTARTS}))
    assert signs == [("event", "Killing: Container c resize requires restart", 0)]


@pytest.mark.parametrize(("old", "new"), [("1.16.0", "1.30.14"), ("1.27.3-gke.100", "1.27.16")])
def test_of_what_is_kept_or_unknown_nothing_is_expected(run: Run, old: str, new: str) -> None:
    assert seen(run, old, new, pod({**C, "args": ["\f"]} if "gke" in old else C)) == []
