"""A container may be older than its node's kubelet: what start times show of who created it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

import hashcompat
from scripts.bench import start_times
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import ROOT, Run
from tests.helpers.slices import sliced
from tests.helpers.upgrades import decided, hash_of, planned, record, recorded

C: Json = {"name": "c", "image": "i"}
SIDECAR: Json = {"name": "c", "image": "i", "restartPolicy": "Always"}
MAIN: Json = {"name": "main", "image": "i"}
Expected = tuple[str, list[str]]

BEFORE_1_31 = "2024-06-02T14:20:10Z"
"""1.31.0 was published on 2024-08-13."""
WHILE_1_30_WAS_MAINTAINED = "2025-03-01T00:00:00Z"
AFTER_1_30 = "2025-10-01T00:00:00Z"
AFTER_1_32_13 = "2026-03-05T00:00:00Z"


def status(started: str | None, restarts: int = 0, name: str = "c") -> Json:
    running = {"startedAt": started} if started else {}
    return {"name": name, "restartCount": restarts, "state": {"running": running}}


def since(started: str | None) -> Json:
    """Return a pod whose container started then."""
    return pod(C, status={"phase": "Running", "containerStatuses": [status(started)]})


@pytest.mark.parametrize(
    ("old", "new", "started", "expected"),
    [
        pytest.param("1.32.13", "1.33.2", AFTER_1_32_13, ("KEEP", []), id="by the current release"),
        pytest.param("1.32.13", "1.33.2", AFTER_1_30, ("KEEP", []), id="by one that hashes alike"),
        pytest.param(
            "1.32.13", "1.33.2", WHILE_1_30_WAS_MAINTAINED, ("UNKNOWN", ["HC032"]), id="by 1.30 or 1.31"
        ),
        pytest.param("1.32.13", "1.33.2", BEFORE_1_31, ("RESTART", ["HC032"]), id="by 1.30 or older"),
        pytest.param("1.32.13", "1.33.2", None, ("KEEP", []), id="no start time"),
        pytest.param("1.32.13", "1.33.2", "0001-01-01T00:00:00Z", ("KEEP", []), id="Go's zero time"),
        pytest.param("1.32.13", "1.33.2", "1999-12-31T23:59:59Z", ("UNKNOWN", ["HC032"]), id="a wrong clock"),
        pytest.param("1.30.14", "1.31.4", BEFORE_1_31, ("RESTART", ["HC001"]), id="every older one differs"),
        pytest.param("1.31.14", "1.31.14", BEFORE_1_31, ("RESTART", ["HC032"]), id="to the same release"),
        pytest.param("1.31.14", "1.30.14", BEFORE_1_31, ("UNKNOWN", ["HC032"]), id="the way back"),
        pytest.param("1.32.999", "1.33.2", AFTER_1_30, ("KEEP", []), id="a patch newer than known"),
        pytest.param("v1.32.13+k3s1", "1.33.2", BEFORE_1_31, ("RESTART", ["HC032"]), id="a vendor's build"),
        pytest.param(
            "1.32.13", "1.33.2", "2025-03-01T02:00:00+02:00", ("UNKNOWN", ["HC032"]), id="another time zone"
        ),
    ],
)
def test_hc032_a_container_older_than_its_kubelets_release(
    run: Run, old: str, new: str, started: str | None, expected: Expected
) -> None:
    assert decided(run, old, new, since(started)) == expected
    assert decided(run, "auto", new, since(started), node(old)) == expected


def test_hc032_says_when_it_started_and_who_may_have_created_it(run: Run) -> None:
    item = planned(run, "1.32.13", "1.33.2", since(WHILE_1_30_WAS_MAINTAINED))["c"]
    (reason,) = item["reasons"]
    assert reason["text"] == (
        "started 2025-03-01, before 1.32.13 was published (2026-02-26): "
        "1.32.2 or 1.30.10 may have created it, and 1.30.10 hashes it differently"
    )


def test_a_plan_from_a_release_that_the_node_does_not_run_is_a_supposition(run: Run) -> None:
    """Its containers would have been created again on the way there."""
    given = (since(BEFORE_1_31), node("1.30.14"))
    assert decided(run, "1.32.13", "1.33.2", *given) == ("UNKNOWN", ["HC042"])
    assert decided(run, "1.32.13", "1.33.2", *given, more=("--override-node-releases",)) == ("KEEP", [])


def test_a_record_decides_whatever_the_start(run: Run, tmp_path: Path) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.32.13", C)))
    assert decided(run, "1.32.13", "1.33.2", since(BEFORE_1_31), more=told) == ("KEEP", ["HC012"])


def test_a_mirror_pod_is_dated_too(run: Run) -> None:
    given = mirror_pod(C, status={"phase": "Running", "containerStatuses": [status(BEFORE_1_31)]})
    assert decided(run, "1.32.12", "1.32.13", given) == ("RESTART", ["HC032"])


@pytest.mark.parametrize(
    ("started", "assumed"),
    [
        (AFTER_1_32_13, "the current release (published before the start)"),
        (AFTER_1_30, "a release that upstream maintained at the start (the current one was published later)"),
        (None, "the current release (no start time is known)"),
        (BEFORE_1_31, ""),
        (WHILE_1_30_WAS_MAINTAINED, ""),
    ],
)
def test_what_is_assumed_of_the_creator_is_printed(run: Run, started: str | None, assumed: str) -> None:
    command = ("plan", "--from", "1.32.13", "--to", "1.33.2", "-f", "-", "-o", "json")
    result = run(*command, stdin=as_json(since(started)))
    lines = [line for line in result.document["spec"]["assumptions"] if " created by " in line]
    assert lines == ([f"1 container was created by {assumed}: ns/p/c"] if assumed else [])
    (item,) = result.items
    assert item["creatorAssumed"] is bool(assumed)
    explained = run("explain", "ns/p/c", *command[1:-2], stdin=as_json(since(started))).out
    assert (f"Assumed: created by {assumed}" in explained) is bool(assumed)


def test_a_sidecar_may_be_of_an_older_release_though_the_current_one_was_published_before(run: Run) -> None:
    given = with_sidecar(AFTER_1_32_13, status(AFTER_1_32_13, restarts=1))
    result = run("plan", "--from", "1.30.14", "--to", "1.34.13", "-f", "-", stdin=as_json(given))
    assert "created by the current release, or by an older one whose containers that one kept: " in result.err
    assert "published later" not in result.err


def test_more_than_three_containers_are_counted(run: Run) -> None:
    pods = [pod(C, name=f"p{number}") for number in range(5)]
    result = run("plan", "--from", "1.32.13", "--to", "1.33.2", "-f", "-", stdin=as_json(*pods))
    assert (
        "Assumed: 5 containers were created by the current release (no start time is known): "
        "ns/p0/c, ns/p1/c, ns/p2/c, 2 more"
    ) in result.err


def with_sidecar(started: str | None, main: Json) -> Json:
    rows = {"initContainerStatuses": [status(started)], "containerStatuses": [main]}
    return pod(MAIN, spec={"initContainers": [SIDECAR]}, status={"phase": "Running", **rows})


@pytest.mark.parametrize(
    ("started", "main", "expected"),
    [
        pytest.param(AFTER_1_30, status(AFTER_1_30, name="main"), ("KEEP", []), id="it never restarted"),
        pytest.param(None, status(None, name="main"), ("KEEP", []), id="no times"),
        pytest.param(
            AFTER_1_30, status(AFTER_1_30, 1, name="main"), ("UNKNOWN", ["HC011"]), id="it restarted"
        ),
        pytest.param(
            WHILE_1_30_WAS_MAINTAINED,
            status(WHILE_1_30_WAS_MAINTAINED, name="main"),
            ("UNKNOWN", ["HC011"]),
            id="1.30 may have created it",
        ),
        pytest.param(
            BEFORE_1_31, status(AFTER_1_30, 1, name="main"), ("RESTART", ["HC032"]), id="older than 1.31"
        ),
        pytest.param(
            AFTER_1_30,
            {"name": "main", "restartCount": 0, "state": {"waiting": {}}},
            ("UNKNOWN", ["HC011"]),
            id="it does not run",
        ),
    ],
)
def test_a_main_container_shows_when_its_sidecar_was_created(
    run: Run, started: str | None, main: Json, expected: Expected
) -> None:
    """1.31 never compares sidecars, and restarts main containers that 1.30 created."""
    assert decided(run, "1.31.14", "1.32.13", with_sidecar(started, main)) == expected


@pytest.mark.parametrize(
    ("like", "started", "expected"),
    [
        ("1.30.14", BEFORE_1_31, ("KEEP", ["HC028"])),
        ("1.31.14,1.30.14", BEFORE_1_31, ("KEEP", ["HC028"])),
        ("1.30.14,1.29.15", BEFORE_1_31, ("KEEP", ["HC028"])),
        ("1.31.14", BEFORE_1_31, ("RESTART", ["HC032"])),
        ("1.31.14", WHILE_1_30_WAS_MAINTAINED, ("UNKNOWN", ["HC011"])),
        ("1.31.14,1.30.14", WHILE_1_30_WAS_MAINTAINED, ("KEEP", ["HC028"])),
        ("1.30.14", None, ("UNKNOWN", ["HC011"])),
    ],
)
def test_a_patch_that_accepts_all_who_may_have_created_a_sidecar_keeps_it(
    run: Run, like: str, started: str | None, expected: Expected
) -> None:
    given = with_sidecar(started, status(AFTER_1_30, 1, name="main"))
    more = ("--assume-patch", "accept", "--like", like)
    assert decided(run, "1.31.14", "1.32.13", given, more=more) == expected


def test_what_a_main_container_shows_is_assumed_in_print(run: Run) -> None:
    given = with_sidecar(AFTER_1_30, status(AFTER_1_30, name="main"))
    result = run("plan", "--from", "1.31.14", "--to", "1.32.13", "-f", "-", stdin=as_json(given))
    assert (
        "Assumed: 1 container was created by the current release "
        "(a main container of the pod never restarted): ns/p/c\n"
    ) in result.err


def test_a_patched_kubelet_shows_of_no_sidecar_when_it_was_created(run: Run) -> None:
    """It may have kept the main container that an older release created."""
    given, more = with_sidecar(None, status(None, name="main")), ("--from-patched", "accept", "--like")
    assert decided(run, "1.31.14", "1.32.13", given, more=(*more, "1.30.14")) == ("UNKNOWN", ["HC011"])


@pytest.mark.parametrize(
    ("strategy", "like", "old", "new", "started", "expected"),
    [
        ("accept", "1.30.14", "1.31.14", "1.31.14", None, ("UNKNOWN", ["HC032"])),
        ("accept", "1.30.14", "1.31.14", "1.32.13", AFTER_1_30, ("RESTART", ["HC032"])),
        ("accept", "1.30.14", "1.31.14", "1.30.14", None, ("UNKNOWN", ["HC032"])),
        ("accept", "1.28.1", "1.30.14", "1.31.14", None, ("RESTART", ["HC001"])),
        ("pin", "1.30.14", "1.31.14", "1.31.14", None, ("RESTART", ["HC001"])),
        ("pin", "1.30.14", "1.31.14", "1.30.14", None, ("KEEP", [])),
        ("pin", "1.30.14", "auto", "1.30.14", None, ("KEEP", [])),
    ],
)
def test_the_kubelets_that_run_now_may_be_patched(
    run: Run, strategy: str, like: str, old: str, new: str, started: str | None, expected: Expected
) -> None:
    more = ("--from-patched", strategy, "--like", like)
    assert (
        decided(run, old, new, since(started), node("1.31.14" if old == "auto" else old), more=more)
        == expected
    )


def test_a_patch_of_the_current_kubelets_is_printed(run: Run) -> None:
    more = ("--from-patched", "pin", "--like", "1.30.14", "-f", "-")
    result = run("plan", "--from", "1.31.14", "--to", "1.30.14", *more, stdin=as_json(since(None)))
    assert (
        "Assumed: the current kubelets are patched: hashcompat patch --strategy pin --like 1.30.14\n"
        in result.err
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--from-patched", "pin"), "--from-patched: name the releases whose hashes"),
        (
            ("--from-patched", "pin", "--like", "1.30.0,1.29.0"),
            "--from-patched pin: give one release with --like",
        ),
        (("--from-patched", "accept", "--like", "1.99.0"), "'1.99.0' is not a known kubelet release"),
        (("--like", "1.30.0"), "--like goes with --assume-patch or --from-patched"),
    ],
)
def test_a_patch_that_cannot_be_is_a_usage_error(run: Run, more: tuple[str, ...], message: str) -> None:
    result = run("plan", "--from", "1.31.14", "--to", "1.32.13", "-f", "-", *more, stdin=as_json(since(None)))
    assert (result.code, result.out) == (64, "")
    assert message in result.err


def test_the_api_takes_the_same_patch() -> None:
    patch = hashcompat.AssumePatch("pin", ("1.30.14",))
    (item,) = hashcompat.plan([since(None)], "1.31.14", "1.30.14", current_patch=patch).items
    assert item.verdict is hashcompat.Verdict.KEEP


@pytest.mark.parametrize("started", ["yesterday", 7, "2024-13-01T00:00:00Z", "2024-06-02"])
def test_a_start_that_is_no_time_is_named(run: Run, started: object) -> None:
    given = pod(C, status={"phase": "Running", "containerStatuses": [status(started)]})  # type: ignore[arg-type]
    result = run("plan", "--from", "1.31.14", "--to", "1.32.13", "-f", "-", stdin=as_json(given))
    assert (result.code, result.out) == (1, "")
    assert (
        "$.status.containerStatuses[0].state.running.startedAt: want a time such as 2026-01-31T12:00:00Z"
    ) in result.err


def published(old: str, day: date) -> dict[str, bool]:
    """Return the newest older release of each minor on a day, with whether upstream maintained it."""
    releases = {}
    for row in json.loads((ROOT / "schemas" / "tables" / "releases.json").read_text())["releases"]:
        days = {int(patch): date.fromisoformat(text) for patch, text in row["patches"].items()}
        number, patch = int(row["minor"].split(".")[1]), int(old.split(".")[2])
        before = [
            candidate
            for candidate in days
            if days[candidate] <= day and (number, candidate) < (int(old.split(".")[1]), patch)
        ]
        if before:
            ends = max(days[min(days)] + timedelta(days=426), days[max(days)])
            releases[f"{row['minor']}.{max(before)}"] = day <= ends
    return releases


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("old", "new"),
    sliced(
        [("1.30.14", "1.31.14"), ("1.31.14", "1.32.13"), ("1.32.13", "1.33.13")], [("1.32.13", "1.33.13")]
    ),
)
def test_unknown_is_what_the_dates_leave_open(old: str, new: str) -> None:
    """A cluster whose pods started over two years; each older release is asked for its hash."""
    objects = list(start_times.cluster(old, 58, datetime(2026, 5, 1, tzinfo=UTC)))
    days, specs = {}, {}
    for manifest in objects:
        for row in manifest["status"].get("containerStatuses", ()):
            days[manifest["metadata"]["name"], row["name"]] = (
                row["state"].get("running", {}).get("startedAt", "")
            )
        for spec in manifest["spec"].get("containers", ()):
            specs[manifest["metadata"]["name"], spec["name"]] = spec
    verdicts = set()
    for item in hashcompat.plan(objects, "auto", new).items:
        key = item.pod.name, item.container.name
        if key not in specs or "HC032" not in {reason.id for reason in item.reasons}:
            continue
        wanted = hashcompat.container_hash(specs[key], new).value
        then = published(old, date.fromisoformat(days[key][:10]))
        kept = {name: hashcompat.container_hash(specs[key], name).value == wanted for name in then}
        likely = {kept[name] for name, maintained in then.items() if maintained}
        assert (
            likely == {True, False} if item.verdict is hashcompat.Verdict.UNKNOWN else not any(kept.values())
        )
        verdicts.add(item.verdict)
    assert verdicts == (
        set() if old == "1.30.14" else {hashcompat.Verdict.UNKNOWN, hashcompat.Verdict.RESTART}
    )


@pytest.mark.parametrize(
    ("strategy", "like", "message"),
    [
        ("pin", (), "name the releases whose hashes"),
        ("strip", ("1.30.14",), "no plan assumes the strategy 'strip'"),
    ],
)
def test_the_api_refuses_what_cannot_be(strategy: str, like: tuple[str, ...], message: str) -> None:
    patch = hashcompat.AssumePatch(strategy, like)
    with pytest.raises(hashcompat.UsageError, match=message):
        hashcompat.plan([since(None)], "1.31.14", "1.30.14", current_patch=patch)


def test_replicas_share_what_older_releases_compute(run: Run) -> None:
    """1.16 hashes as 1.19 does where nothing newer is set, so both may have created either container."""
    status_of = {"phase": "Running", "containerStatuses": [status("2020-10-20T00:00:00Z")]}
    pods = [pod(C, name=name, status=status_of) for name in ("p", "q")]
    result = run(
        "plan", "--from", "1.19.16", "--to", "1.20.15", "-f", "-", "-o", "json", stdin=as_json(*pods)
    )
    assert {item["verdict"] for item in result.items} == {"KEEP"}


@pytest.mark.parametrize(
    ("behind", "restarts", "started", "expected"),
    [
        pytest.param({"running": {}}, 0, True, ("KEEP", []), id="an init container behind it runs"),
        pytest.param({"terminated": {"exitCode": 0}}, 0, True, ("KEEP", []), id="or has ended"),
        pytest.param({"waiting": {}}, 0, True, ("UNKNOWN", ["HC011"]), id="or has not begun"),
        pytest.param({"running": {}}, 1, True, ("UNKNOWN", ["HC011"]), id="it was created again since"),
        pytest.param({"running": {}}, 0, False, ("UNKNOWN", ["HC011"]), id="its probe has not passed"),
    ],
)
def test_hc011_what_has_begun_behind_a_sidecar_shows_that_its_startup_probe_passed(
    run: Run, behind: Json, restarts: int, started: bool, expected: Expected
) -> None:
    """So its kubelet compared it before any regular container ran (``computeInitContainerActions``)."""
    probed = {**SIDECAR, "startupProbe": {"exec": {"command": ["true"]}}}
    given = pod(MAIN, spec={"initContainers": [probed, {"name": "i", "image": "i"}]})
    row = status(AFTER_1_32_13, restarts, name=SIDECAR["name"]) | {"started": started}
    given["status"] = {
        "phase": "Pending",
        "initContainerStatuses": [row, {"name": "i", "restartCount": 0, "state": behind}],
        "containerStatuses": [{"name": "main", "restartCount": 0, "state": {"waiting": {}}}],
    }
    item = planned(run, "1.33.2", "1.34.12", given)[SIDECAR["name"]]
    assert (item["verdict"], [reason["id"] for reason in item["reasons"]]) == expected
