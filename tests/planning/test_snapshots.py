"""What a snapshot cannot show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hashcompat.sources.snapshots import HASHES
from tests.helpers.pods import Json, as_json, listed, mirror_pod, node, pod
from tests.helpers.program import ROOT, Run, said_of, spec_of
from tests.helpers.upgrades import decided, hash_of, planned, record, recorded

C: Json = {"name": "c", "image": "i", "args": ["a"]}


def snapshot_of(run: Run, *objects: Json, more: tuple[object, ...] = ()) -> Any:
    """Return the document of a snapshot."""
    return json.loads(run("snapshot", "-f", "-", *more, stdin=as_json(*objects)).out)


def hashed_as(run: Run, release: str, container: Json) -> str:
    """Return the key of a snapshot container's hash for a release: the hash of the snapshot's own JSON."""
    plain = pod({name: value for name, value in container.items() if name != HASHES})
    (item,) = run("hash", "--kubelet", release, "-f", "-", "-o", "json", stdin=as_json(plain)).items
    return str(item["hashes"][release]["hex"])


def forget(run: Run, release: str, document: Any) -> None:
    """Take out of a snapshot with one container how a release hashes it."""
    (container,) = document["items"][-1]["spec"]["containers"]
    del container[HASHES][hashed_as(run, release, container)]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("more", [(), ("--with-hashes",)])
@pytest.mark.parametrize("side", ["1.8.15", "1.9.11"])
def test_hc029_a_kubelet_that_the_snapshot_did_not_know_is_unknown(
    run: Run, side: str, more: tuple[object, ...]
) -> None:
    document = snapshot_of(run, pod(C), more=more)
    assert decided(run, "1.8.15", "1.9.11", document) == ("RESTART", ["HC004"])
    forget(run, side, document)
    assert decided(run, "1.8.15", "1.9.11", document) == ("UNKNOWN", ["HC029"])
    assert decided(run, "1.18.19", "1.20.15", document)[0] == "KEEP"


def test_a_manifest_in_a_snapshot_is_not_hashed_by_its_masked_text(run: Run) -> None:
    document = snapshot_of(run, pod(C))
    del document["items"][-1]["metadata"]["uid"]
    document["items"][-1].pop("status", None)
    assert decided(run, "1.8.15", "1.9.11", document) == ("UNKNOWN", ["HC029"])


@pytest.mark.parametrize(
    "wrong", [[], {"1": "2"}, 7, {"x": 1}, {"1": 1 << 32}, {"1": True}, {"1": 1, "2": "h1"}]
)
def test_what_is_no_table_of_hashes_is_an_error(run: Run, wrong: Any) -> None:
    document = snapshot_of(run, pod(C))
    document["items"][0]["spec"]["containers"][0][HASHES] = wrong
    result = run("plan", "--from", "1.8.15", "--to", "1.9.11", "-q", "-f", "-", stdin=as_json(document))
    assert (result.code, result.out) == (1, "")
    place = f"standard input: $.items[0].spec.containers[0]['{HASHES}']: "
    assert result.err.startswith(f"Error: {place}")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["Pod", "List", "Deployment", "manifest", "mirror pod"])
def test_hashes_are_read_of_snapshots_alone(run: Run, kind: str, tmp_path: Path) -> None:
    """Elsewhere the key is a field that Go does not know."""
    (stored,) = snapshot_of(run, pod(C))["items"][0]["spec"]["containers"]
    planted = {
        **C,
        HASHES: stored[HASHES] | {hashed_as(run, name, C): "same" for name in ("1.8.15", "1.9.11")},
    }
    given, plain = (of_kind(kind, container) for container in (planted, C))
    assert planned(run, "1.8.15", "1.9.11", given) == planned(run, "1.8.15", "1.9.11", plain)
    (tmp_path / "m.json").write_bytes(as_json(of_kind("manifest", planted)))
    static = (
        "plan",
        "--from",
        "1.30.14",
        "--to",
        "1.30.14",
        "--static-pod-dir",
        tmp_path,
        "--node-name",
        "n",
    )
    assert run(*static, "-o", "json", "-q").item["verdict"] == "KEEP"


def of_kind(kind: str, container: Json) -> Json:
    """Return an object of a kind with one container."""
    if kind == "List":
        return listed(pod(container))
    if kind == "mirror pod":
        return mirror_pod(container)
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [container]},
    }
    if kind == "Deployment":
        return {**manifest, "apiVersion": "apps/v1", "kind": kind, "spec": {"template": manifest}}
    return manifest if kind == "manifest" else pod(container)


def test_no_patch_is_suggested_by_hashes_that_the_snapshot_lacks(run: Run, tmp_path: Path) -> None:
    """Only a patched 1.15 would hash the container as 1.18 does, but without its startupProbe."""
    given = as_json(pod({**C, "startupProbe": {"exec": {"command": ["x"]}}}))
    (tmp_path / "snapshot.json").write_text(run("snapshot", "-f", "-", stdin=given).out)
    plan = ("plan", "--from", "1.18.20", "--to", "1.15.12", "-o", "json")
    result = run(*plan, "-f", tmp_path / "snapshot.json")
    assert result.item["verdict"] == "RESTART"
    assert said_of(result)[1:] == said_of(run(*plan, "-f", "-", stdin=given))


def test_a_hash_that_the_snapshot_lacks_is_no_releases_record(run: Run, tmp_path: Path) -> None:
    """The search for the release that created a container goes on without it."""
    told = recorded(tmp_path, record(7))
    document = snapshot_of(run, pod(C), more=told)
    forget(run, "1.20.15", document)
    assert decided(run, "1.8.15", "1.9.11", document) == ("RESTART", ["HC013"])


def test_hc029_a_record_from_elsewhere_cannot_be_compared_with_hidden_hashes(
    run: Run, tmp_path: Path
) -> None:
    document, told = snapshot_of(run, pod(C)), recorded(tmp_path, record(hash_of(run, "1.9.11", C)))
    assert decided(run, "1.8.15", "1.9.11", pod(C), more=told)[0] == "KEEP"
    assert decided(run, "1.8.15", "1.9.11", document, more=told) == ("UNKNOWN", ["HC029"])
    kept = snapshot_of(run, pod(C), more=("--with-hashes",))
    assert decided(run, "1.8.15", "1.9.11", kept, more=told)[0] == "KEEP"


def test_hc029_a_hidden_record_cannot_be_compared_with_a_container_from_elsewhere(
    run: Run, tmp_path: Path
) -> None:
    told = recorded(tmp_path, record(7), record(7, pod="q"))
    document = snapshot_of(run, pod(C), more=told)
    assert [row["hash"] for row in document["recorded"]] == ["h9", "h0"]
    other = as_json(pod(C, name="q"))
    (tmp_path / "q.json").write_bytes(other)
    items = planned_items(run, document, tmp_path)
    assert [(item["pod"], item["verdict"]) for item in items] == [("p", "RESTART"), ("q", "UNKNOWN")]


def planned_items(run: Run, document: Any, directory: Path) -> list[Any]:
    """Return the items of a plan of a snapshot and of the pod in ``q.json``."""
    plan = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-o", "json", "-q")
    return run(*plan, "-f", "-", "-f", directory / "q.json", stdin=as_json(document)).items


def test_calibration_by_a_snapshot(run: Run, tmp_path: Path) -> None:
    """Its own records are compared, those from elsewhere cannot be, and hidden hashes are not printed."""
    own = recorded(tmp_path, record(hash_of(run, "1.18.20", C)))
    document = snapshot_of(run, pod(C), node("1.9.11"), more=own)
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document))
    verify = ("verify", "-f", path, "-o", "json", "--recorded")
    (item,) = calibrated(run, document, tmp_path)
    assert item["hash"] == {"recorded": None, "computed": None}
    assert item["origin"]["release"] == "1.16.0"  # the nearest of those that hash as 1.18.20 does
    elsewhere = run(*verify, *recorded(tmp_path, record(7))[1:])
    assert [row["problem"] for row in elsewhere.items] == ["a snapshot hides one of the two hashes"]
    assert elsewhere.code == 3
    forget(run, "1.9.11", document)
    (item,) = calibrated(run, document, tmp_path)
    assert item["problem"] == "the snapshot does not cover its kubelet"


def calibrated(run: Run, document: Any, directory: Path) -> list[Any]:
    """Return what a snapshot's own records are found to be; a record of another container counts too."""
    path = directory / "calibrated.json"
    path.write_text(json.dumps(document))
    other = recorded(directory, record(7, pod="p", container="gone", state="CONTAINER_EXITED"))
    return run("verify", "-f", path, "-o", "json", *other).items


def test_hash_and_explain_without_a_covered_kubelet(run: Run, tmp_path: Path) -> None:
    document = snapshot_of(run, pod(C))
    path = tmp_path / "s.json"
    forget(run, "1.9.11", document)
    path.write_text(json.dumps(document))
    hashes = run("hash", "--kubelet", "1.9.11,1.8.15,1.31.0", "-f", path, "-o", "json").item["hashes"]
    assert [hashes[release]["hex"] is None for release in hashes] == [True, True, False]
    item = run("explain", "ns/p", "--from", "1.8.15", "--to", "1.9.11", "-f", path, "-o", "json").item
    assert (item["verdict"], item["from"]["hash"], item["to"]["hash"]) == ("UNKNOWN", None, None)


def test_two_snapshots_of_one_pod_that_differ_are_refused(run: Run, tmp_path: Path) -> None:
    for name, more in (("one", ()), ("other", ("--with-hashes",))):
        (tmp_path / f"{name}.json").write_text(json.dumps(snapshot_of(run, pod(C), more=more)))
    result = run("plan", "--from", "1.8.15", "--to", "1.9.11", "-q", "-f", tmp_path)
    assert (result.code, result.out) == (1, "")
    assert "two different pods share a uid" in result.err


def test_a_patch_is_suggested_from_a_snapshot_that_covers_it(run: Run) -> None:
    """A patched 1.15 would hash the container as 1.18 does, but without its startupProbe."""
    given = {**C, "startupProbe": {"exec": {"command": ["x"]}}, "terminationMessagePolicy": "File"}
    document = snapshot_of(run, pod(given))
    plan = ("plan", "--from", "1.15.12", "--to", "1.18.20", "-o", "json", "-q", "-f")
    hidden = run(*plan, "-", stdin=as_json(document))
    assert spec_of(hidden) == spec_of(run(*plan, "-", stdin=as_json(pod(given))))
    back = ("plan", "--from", "1.18.20", "--to", "1.15.12", "-o", "json", "-q", "-f")
    live = run(*back, "-", stdin=as_json(pod(given)))
    assert spec_of(run(*back, "-", stdin=as_json(document))) == spec_of(live)
    (container,) = document["items"][0]["spec"]["containers"]
    decoded = {key: value for key, value in container.items() if key not in (HASHES, "startupProbe")}
    del container[HASHES][hashed_as(run, "1.18.20", decoded)]
    result = run(*back, "-", stdin=as_json(document)).document
    assert result["items"][0]["verdict"] == live.item["verdict"] == "RESTART"
    assert result["spec"]["suggestion"] is None


def test_a_sandbox_of_a_snapshot_is_the_one_that_a_later_dump_shows(run: Run, tmp_path: Path) -> None:
    """Both have its id; that it is ready in one and not in the other does not make it two."""
    metadata = {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0}
    box = {"id": "5" * 64, "metadata": metadata, "createdAt": "1767225600000000000", "state": "SANDBOX_READY"}
    told = tmp_path / "told.json"
    told.write_text(json.dumps({"items": [box]}))
    document = snapshot_of(run, pod(C), more=("--recorded", told))
    schema = json.loads((ROOT / "schemas" / "documents" / "ClusterSnapshot.schema.json").read_text())
    assert not list(Draft202012Validator(schema).iter_errors(document))
    more = ("--recorded", told)
    assert decided(run, "1.35.4", "1.35.8", document, more=more) == ("KEEP", [])
    told.write_text(json.dumps({"status": {**box, "state": "SANDBOX_NOTREADY"}}))
    assert decided(run, "1.35.4", "1.35.8", document, more=more) == ("RESTART", ["HC027"])
    del document["sandboxes"][0]["id"]  # as an older version saved it
    assert decided(run, "1.35.4", "1.35.8", document) == ("KEEP", [])
