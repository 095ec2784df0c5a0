"""How old what was read is: a time in it shows that, never the file, and unknown never passes."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core import forks
from hashcompat.sources.files import spans
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.replicas import pods_and_nodes
from tests.helpers.slices import sliced

Json = dict[str, Any]

UP = ("--from", "1.29.15", "--to", "1.30.14")
UID = "7b1cf2b9-2f5e-4f0c-9f5e-0a4f6c1d2e3f"
SYSTEM = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": UID}}
NOW = datetime.now(UTC).replace(microsecond=0)
"""Ages are judged by the true clock, which no variable replaces."""


def ago(**age: float) -> str:
    return (NOW - timedelta(**age)).isoformat().replace("+00:00", "Z")


def beating(*times: str, name: str = "n1", kind: str = "Ready") -> Json:
    made = node("v1.29.15", name)
    rows = [
        {"type": kind if number == 0 else f"T{number}", "status": "True", "lastHeartbeatTime": moment}
        for number, moment in enumerate(times)
    ]
    return {**made, "status": {**made["status"], "conditions": rows}}


def started(time: str, **more: Any) -> Json:
    states = [
        {"name": "c", "containerID": "x://1", "restartCount": 0, "state": {"running": {"startedAt": time}}}
    ]
    return pod(status={"phase": "Running", "containerStatuses": states}, **more)


def source(run: Run, *given: object, **more: Any) -> Json:
    result = run("plan", *UP, *given, "-q", "-o", "json", **more)
    assert result.code == 0, result.err
    origin: Json = result.document["spec"]["source"]
    return origin


def taken(run: Run, *given: object, **more: Any) -> str | None:
    taken_at: str | None = source(run, *given, **more)["takenAt"]
    return taken_at


def write(path: Path, *objects: Json) -> Path:
    path.write_bytes(as_json(*objects))
    return path


YEAR_OLD = (started(ago(days=400)), beating(ago(days=365)))


@pytest.mark.parametrize(
    ("objects", "time"),
    [
        ((started(ago(days=9)), beating(ago(hours=3))), ago(hours=3)),
        ((started(ago(hours=1)), beating(ago(hours=3))), ago(hours=1)),
        ((started(ago(hours=1)), started(ago(hours=2), name="q")), ago(hours=1)),
        ((pod(), beating(ago(hours=4), ago(hours=3), ago(hours=5))), ago(hours=3)),
        ((pod(), beating(ago(hours=4)), beating(ago(hours=2), name="n2")), ago(hours=2)),
        ((pod(), beating(ago(hours=4), kind="Other")), ago(hours=4)),
        ((pod(), node("v1.29.15")), None),
        ((pod(),), None),
        ((pod(), beating("yesterday")), None),
    ],
    ids=map(str, range(9)),
)
def test_the_newest_time_in_a_file_counts(objects: tuple[Json, ...], time: str | None, run: Run) -> None:
    assert taken(run, "-f", "-", stdin=as_json(*objects)) == time


def ended(time: str) -> Json:
    last = {"terminated": {"exitCode": 1, "startedAt": ago(days=9), "finishedAt": time}}
    row = {"name": "c", "restartCount": 1, "state": {"waiting": {}}, "lastState": last}
    return pod(status={"phase": "Running", "containerStatuses": [row]})


def test_the_end_of_a_container_counts(run: Run) -> None:
    assert taken(run, "-f", "-", stdin=as_json(ended(ago(hours=5)))) == ago(hours=5)


@pytest.mark.parametrize(
    "where",
    [
        {"metadata": {"annotations": {"lastHeartbeatTime": ago(), "startedAt": ago(), "takenAt": ago()}}},
        {"metadata": {"labels": {"startedAt": "now"}, "deletionTimestamp": ago(hours=-1)}},
        {"metadata": {"managedFields": [{"manager": "me", "time": ago()}]}},
        {
            "spec": {
                "containers": [{"name": "c", "image": "i", "env": [{"name": "startedAt", "value": ago()}]}]
            }
        },
    ],
)
def test_what_a_tenant_chooses_makes_no_dump_younger(where: Json, run: Run) -> None:
    metadata, spec = where.get("metadata", {}), where.get("spec", {})
    given = as_json(started(ago(days=3), metadata=metadata, spec=spec), beating(ago(days=2)))
    assert taken(run, "-f", "-", stdin=given) == ago(days=2)


def test_a_copy_is_as_old_as_its_content(run: Run, tmp_path: Path) -> None:
    first = write(tmp_path / "dump.json", *YEAR_OLD)
    copy = Path(shutil.copy(first, tmp_path / "copy.json"))
    os.utime(copy)
    for name in (first, copy):
        assert taken(run, "-f", name) == ago(days=365)
        for age, code in (("24h", 1), ("9000h", 0)):
            result = run("gate", *UP, "-f", name, "--max-age", age, "--max-restarts", "9")
            assert result.code == code, result.err
            assert ("the input is 365 days" in result.err) == bool(code)


def test_an_old_time_of_the_file_changes_nothing(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "dump.json", started(ago(minutes=5)))
    os.utime(path, (0, 0))
    assert taken(run, "-f", path) == ago(minutes=5)
    assert source(run, "-f", path)["oldest"] == "1970-01-01T00:00:00Z"


def test_the_text_says_when_it_was_taken(run: Run, tmp_path: Path) -> None:
    dated, other = write(tmp_path / "a.json", *YEAR_OLD), write(tmp_path / "b.json", pod(name="b"))
    told = run("plan", *UP, "-f", dated).out
    assert f"a.json, taken {ago(days=365)}, 365 days old: 1 pod" in told
    assert "b.json: 1 pod" in run("plan", *UP, "-f", other).out
    line = "Input taken at an unknown time; plan made 2026-01-01T00:00:00Z\n"
    assert line in run("gate", *UP, "-f", other).out
    several = run("plan", *UP, "-f", dated, "-f", write(tmp_path / "c.json", started(ago(), name="c"))).out
    assert f"the oldest taken {ago(days=365)}, 365 days old" in several


NEW, OLD, NONE = started(ago(hours=1), name="new"), started(ago(days=2), name="old"), pod(name="none")


@pytest.mark.parametrize(
    ("files", "time"),
    [
        (((NEW,), (OLD,)), ago(days=2)),
        (((NEW, OLD),), ago(hours=1)),
        (((NEW,), (NONE,)), None),
        (((NEW,), (SYSTEM,)), ago(hours=1)),
        (((NEW,), (beating(ago(days=3)),)), ago(days=3)),
        (((NEW,), (node("v1.29.15"),)), None),
        (((OLD,), (OLD, NEW)), ago(days=2)),
    ],
    ids=map(str, range(7)),
)
def test_of_several_files_the_oldest_decides(
    files: tuple[tuple[Json, ...], ...], time: str | None, run: Run, tmp_path: Path
) -> None:
    for number, objects in enumerate(files):
        write(tmp_path / f"{number}.json", *objects)
    each = [word for number in range(len(files)) for word in ("-f", tmp_path / f"{number}.json")]
    assert taken(run, *each) == taken(run, "-f", tmp_path) == time


def test_times_that_have_not_come_do_not_count_and_are_told(run: Run, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json",
        started(ago(days=-400)),
        started(ago(hours=5), name="b"),
        beating(ago(hours=-1), ago(hours=6)),
    )
    result = run("plan", *UP, "-f", path, "-o", "json")
    document = result.document["spec"]
    assert document["source"]["takenAt"] == ago(hours=5)
    (warning,) = (text for text in document["warnings"] if "in the future" in text)
    assert f"{path}: 2 times" in warning
    assert ago(days=-400) in warning
    assert warning in result.err
    refused = run("gate", *UP, "-f", write(tmp_path / "b.json", started(ago(days=-1))), "--max-age", "9h")
    assert (refused.code, refused.out) == (1, "")
    assert "nothing in it shows when it was taken" in refused.err


def test_clocks_may_differ_a_little(run: Run) -> None:
    given = as_json(started(ago(minutes=-3)))
    assert taken(run, "-f", "-", stdin=given) == ago(minutes=-3)
    assert run("gate", *UP, "-f", "-", "--max-age", "2h", "--max-restarts", "9", stdin=given).code == 0


@pytest.mark.parametrize("objects", [(pod(),), (pod(), node("v1.29.15")), (pod(), SYSTEM)])
def test_an_unknown_age_never_passes(objects: tuple[Json, ...], run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", *objects)
    result = run("gate", *UP, "-f", path, "--max-age", "99999h", "--max-restarts", "9", "--report-only")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1), result.err
    assert f"{path}: nothing in it shows when it was taken, and max-age allows 99999h" in result.err
    assert run("gate", *UP, "-f", path, "--max-restarts", "9").code == 0


def test_manifests_and_the_sample_have_no_age(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    (tmp_path / "m" / "web.json").write_text(json.dumps(manifest))
    fresh = write(tmp_path / "a.json", beating(ago(minutes=1)), started(ago(minutes=1)))
    static = ("--static-pod-dir", tmp_path / "m", "--node-name", "n1")
    for given in (static, (*static, "-f", fresh), ("--sample",), ("-f", tmp_path / "m" / "web.json")):
        result = run("gate", *UP, *given, "--max-age", "9999h", "--max-restarts", "99999")
        assert result.code == 1, given
        assert "max-age allows 9999h" in result.err


def test_a_saved_plan_keeps_the_time_of_its_input(run: Run, tmp_path: Path) -> None:
    path, saved = write(tmp_path / "a.json", *YEAR_OLD), tmp_path / "plan.json"
    assert run("plan", *UP, "-f", path, "-q", "--out", saved).code == 0
    assert run("gate", "--plan", saved, "--max-restarts", "9", "--max-age", "9000h").code == 0
    result = run("gate", "--plan", saved, "--max-restarts", "9", "--max-age", "1h")
    assert result.code == 1
    assert f"{saved}: the input is 365 days" in result.err
    document = json.loads(saved.read_text())
    document["spec"]["source"]["takenAt"] = ago()
    saved.write_text(json.dumps(document))
    assert "$.digest" in run("gate", "--plan", saved, "--max-age", "1h").err


def test_a_plan_without_the_time_is_refused(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    run("plan", *UP, "-f", "-", "-q", "--out", saved, stdin=as_json(pod()))
    result = run("gate", "--plan", saved, "--max-age", "1h")
    assert result.code == 1
    assert "$.spec.source.takenAt: " in result.err


@pytest.mark.parametrize("place", ["flag", "variable", "settings"])
def test_the_age_is_a_key_of_the_policy(
    place: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = ("--max-age", "1h") if place == "flag" else ()
    if place == "variable":
        monkeypatch.setenv("HASHCOMPAT_GATE_MAX_AGE", "1h")
    if place == "settings":
        Path(".hashcompat.yaml").write_text("gate: {max-age: 1h}\n")
    result = run("gate", *UP, "-f", "-", *flags, stdin=as_json(*YEAR_OLD))
    assert (result.code, "max-age allows 1h" in result.err) == (1, True)


def test_a_policy_in_the_document_has_both_ages(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    os.environ["SOURCE_DATE_EPOCH"] = str(int(time.time()))
    try:
        run("plan", *UP, "-f", "-", "-q", "--out", saved, stdin=as_json(*YEAR_OLD))
    finally:
        os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
    ages = ("--max-age", "9000h", "--plan-max-age", "1h")
    result = run("gate", "--plan", saved, *ages, "--max-restarts", "9", "-o", "json")
    assert result.code == 0, result.err
    spec = result.document["spec"]
    assert (spec["policy"]["maxAge"], spec["policy"]["planMaxAge"]) == ("9000h", "1h")
    assert spec["plan"]["source"]["takenAt"] == ago(days=365)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("form", ["table", "html", "markdown", "junit", "sarif", "prometheus"])
@pytest.mark.parametrize("command", ["plan", "gate", "convert"])
def test_both_times_are_in_what_is_kept(command: str, form: str, run: Run, tmp_path: Path) -> None:
    path, saved = write(tmp_path / "a.json", *YEAR_OLD), tmp_path / "plan.json"
    assert run("plan", *UP, "-f", path, "-q", "--out", saved).code == 0
    given = {"plan": (*UP, "-f", path), "gate": ("--plan", saved, "--report-only"), "convert": (saved,)}
    out = run(command, *given[command], "-q", "-o", form).out
    made = "2026-01-01T00:00:00Z"
    if form == "prometheus":
        subject = "gate" if command == "gate" else "plan"
        second = int((NOW - timedelta(days=365)).timestamp())
        assert f"hashcompat_{subject}_input_taken_timestamp_seconds {second}\n" in out
        assert f"hashcompat_{subject}_plan_created_timestamp_seconds 1767225600\n" in out
    else:
        assert ago(days=365) in out.replace("\\", "")
        assert (made in out.replace("\\", "")) == (form != "table" or command == "gate")


def test_a_snapshot_keeps_the_time_and_the_cluster(run: Run, tmp_path: Path) -> None:
    dump = write(tmp_path / "dump.json", *YEAR_OLD, SYSTEM)
    saved = tmp_path / "snapshot.json.gz"
    assert run("snapshot", "-f", dump, "--out", saved).code == 0
    spec = json.loads(gzip.decompress(saved.read_bytes()))["spec"]
    assert (spec["takenAt"], spec["clusterUID"]) == (ago(days=365), UID)
    for name in (dump, saved):
        origin = source(run, "-f", name)
        assert (origin["takenAt"], origin["clusterUID"]) == (ago(days=365), UID)
        for age, uid, code in (("9000h", UID, 0), ("1h", UID, 1), ("9000h", "other", 1)):
            argv = ("-f", name, "--max-age", age, "--cluster-uid", uid, "--max-restarts", "9")
            assert run("gate", *UP, *argv).code == code
    again = tmp_path / "again.json"
    assert run("snapshot", "-f", saved, "--out", again).code == 0
    assert json.loads(again.read_text())["spec"] == spec


def test_a_snapshot_of_an_undated_dump_is_undated(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "snapshot.json"
    assert run("snapshot", "-f", "-", "--out", saved, stdin=as_json(pod())).code == 0
    spec = json.loads(saved.read_text())["spec"]
    assert (spec["takenAt"], spec["clusterUID"]) == (None, "")
    assert taken(run, "-f", saved) is None


def test_an_old_snapshot_is_as_old_as_its_newest_container(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "snapshot.json"
    run(
        "snapshot",
        "-f",
        "-",
        "--out",
        saved,
        stdin=as_json(started(ago(days=9)), beating(ago(days=1)), SYSTEM),
    )
    document = json.loads(saved.read_text())
    assert document["spec"]["takenAt"] == ago(days=1)
    del document["spec"]["takenAt"], document["spec"]["clusterUID"]
    saved.write_text(json.dumps(document))
    origin = source(run, "-f", saved)
    assert (origin["takenAt"], origin["clusterUID"]) == (ago(days=9), "")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"takenAt": "soon"}, "$.spec.takenAt: want a time"),
        ({"takenAt": 5}, "$.spec.takenAt: want a time"),
        ({"takenAt": "2026-01-01T00:00:00"}, "$.spec.takenAt: want a time"),
        ({"clusterUID": 5}, "$.spec.clusterUID: want a string"),
    ],
)
def test_a_snapshot_with_another_time_is_refused(change: Json, why: str, run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "snapshot.json"
    run("snapshot", "-f", "-", "--out", saved, stdin=as_json(*YEAR_OLD))
    document = json.loads(saved.read_text())
    document["spec"].update(change)
    saved.write_text(json.dumps(document))
    result = run("plan", *UP, "-f", saved)
    assert (result.code, why in result.err) == (1, True), result.err


def test_a_snapshot_from_tomorrow_has_no_age(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "snapshot.json"
    run("snapshot", "-f", "-", "--out", saved, stdin=as_json(*YEAR_OLD))
    document = json.loads(saved.read_text())
    document["spec"]["takenAt"] = ago(days=-1)
    saved.write_text(json.dumps(document))
    assert taken(run, "-f", saved) is None


@pytest.mark.parametrize(("nodes", "indent"), sliced(product([True, False], [4, None]), [(True, 4)]))
def test_the_number_of_processes_changes_no_age(
    *, nodes: bool, indent: int | None, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "LEAST", 1 << 12)
    monkeypatch.setattr(forks, "possible", lambda: True)
    objects = [manifest for manifest in pods_and_nodes(48, "1.29.15") if nodes or manifest["kind"] == "Pod"]
    pods = [manifest for manifest in objects if manifest["kind"] == "Pod"]
    for place, age in ((17, 8), (len(pods) - 2, 7)):
        row = pods[place]["status"]["containerStatuses"][0]
        row["state"] = {"running": {"startedAt": ago(hours=age)}}
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"apiVersion": "v1", "items": objects, "kind": "List"}, indent=indent))
    times = {taken(run, "-f", path, "--jobs", jobs) for jobs in (1, 2, 3)}
    assert times == {ago(hours=7)} == {taken(run, "-f", path, "-n", pods[place]["metadata"]["namespace"])}
