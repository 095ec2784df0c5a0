"""``hashcompat normalize``: the document, its page, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import hashcompat
from tests.helpers.pods import PLAIN, as_json, node, pod
from tests.helpers.program import ROOT, Run
from tests.helpers.upgrades import record

ID = "a" * 64
SCHEMA = json.loads((ROOT / "schemas" / "documents" / "Normalization.schema.json").read_text())
WAS, IS = (hashcompat.container_hash(PLAIN, release).value for release in ("1.30.14", "1.31.14"))
STATUS = {
    "phase": "Running",
    "containerStatuses": [{"name": "c", "containerID": f"containerd://{ID}", "state": {"running": {}}}],
}
PODS = as_json(pod(status=STATUS), pod(name="q", status=STATUS), node("v1.30.14"))


def records(directory: Path) -> Path:
    """Write the record of one of the pods."""
    path = directory / "records.json"
    path.write_text(json.dumps({"containers": [{**record(WAS), "id": ID}]}))
    return path


def test_the_page_says_what_is_rewritten_and_what_stays(run: Run, tmp_path: Path) -> None:
    result = run("normalize", "--to", "1.31.14", "-f", "-", "--recorded", records(tmp_path), stdin=PODS)
    assert result.code == 0, result.err
    assert result.out.splitlines()[0] == (
        "Kubelet v1.30.14 -> 1.31.14: 2 containers restart with the records as they are, "
        "1 once they are rewritten"
    )
    assert "ns/q   c            RESTART    nothing shows the hash that is recorded of it" in result.out
    assert result.err.splitlines()[-1] == (
        "1 record and 0 manifests to rewrite; 1 of 2 would still restart, 0 unknown"
    )


def test_the_document_has_all_that_a_node_needs(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "n.json"
    result = run(
        *("normalize", "--to", "1.31.14", "-f", "-", "--recorded", records(tmp_path), "-q"),
        *("--out", out, "-o", "wide"),
        stdin=PODS,
    )
    assert result.code == 0, result.err
    document = json.loads(out.read_text())
    assert document["kind"] == "Normalization"
    Draft202012Validator(SCHEMA).validate(document)
    first, second = document["items"]
    assert first["record"] == {
        "containerID": ID,
        "podUID": "uid-p",
        "hash": WAS,
        "newHash": IS,
        "kubelet": "v1.30.14",
    }
    assert (first["verdict"], first["after"], first["leftAlone"]) == ("RESTART", "KEEP", None)
    assert (second["after"], second["record"]) == ("RESTART", None)
    assert document["spec"]["nodes"] == [{"name": "n1", "kubelet": "v1.30.14", "runtime": ""}]
    assert f"{WAS:x}" in result.out


def test_the_age_of_the_pods_is_known(run: Run, tmp_path: Path) -> None:
    running = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    rows = [{"name": "c", "containerID": f"containerd://{ID}", "state": running}]
    status = {"phase": "Running", "containerStatuses": rows}
    words = ("normalize", "--to", "1.31.14", "-f", "-", "--recorded", records(tmp_path), "-o", "csv")
    result = run(*words, stdin=as_json(pod(status=status), node("v1.30.14")))
    (row,) = csv.DictReader(result.out.splitlines())
    assert row["INPUT TAKEN"] == "2026-01-01T00:00:00Z"


def test_names_are_those_whose_records_are_rewritten(run: Run, tmp_path: Path) -> None:
    result = run(
        *("normalize", "--to", "1.31.14", "-f", "-", "--recorded", records(tmp_path), "-o", "name"),
        stdin=PODS,
    )
    assert result.out == "ns/p/c\n"


def test_where_every_container_is_kept_there_is_nothing_to_rewrite(run: Run, tmp_path: Path) -> None:
    """As after the upgrade, or of a container that has ended: the nodes report their release all the same."""
    path, pods = tmp_path / "records.json", as_json(pod(status=STATUS), node("v1.30.14"))
    for to, row in (
        ("1.31.14", record(IS)),
        ("1.30.14", record(WAS)),
        ("1.31.14", record(WAS, state="CONTAINER_EXITED")),
    ):
        path.write_text(json.dumps({"containers": [{**row, "id": ID}]}))
        result = run("normalize", "--to", to, "-f", "-", "--recorded", path, "-o", "json", stdin=pods)
        assert (result.code, result.items) == (0, []), result.err
        assert result.err.splitlines()[-1].startswith("0 records and 0 manifests to rewrite; 0 of 0")


def test_without_records_there_is_nothing_to_prove(run: Run) -> None:
    result = run("normalize", "--to", "1.31.14", "-f", "-", stdin=PODS)
    assert result.code == 64
    assert "--recorded" in result.err


def test_a_plan_with_rewritten_records_needs_some(run: Run) -> None:
    result = run("plan", "--to", "1.31.14", "-f", "-", "--assume-normalized", stdin=PODS)
    assert (result.code, "--assume-normalized: no recorded hash in the input" in result.err) == (64, True)


def test_a_signed_document_has_the_signature(run: Run, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k" * 32)
    result = run(
        *("normalize", "--to", "1.31.14", "-f", "-", "--recorded", records(tmp_path), "-o", "json", "-q"),
        *("--sign-key", tmp_path / "key"),
        stdin=PODS,
    )
    assert result.document["signature"].startswith("hmac-sha256:")


def test_a_matrix_counts_records_as_rewritten(run: Run, tmp_path: Path) -> None:
    words = ("matrix", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "--recorded", records(tmp_path))
    for more, killed in (((), 2), (("--assume-normalized",), 1)):
        result = run(*words, *more, "-o", "json", stdin=PODS)
        assert result.code == 0, result.err
        (cell,) = (item for item in result.document["items"] if item["from"] == "1.30.14")
        assert cell["findings"] == killed, cell
    refused = run("matrix", "--assume-normalized")
    assert (refused.code, "--assume-normalized is about pods" in refused.err) == (64, True)


@pytest.mark.parametrize("ways", [("1.30.14", "1.31.14"), ("1.31.14", "1.30.14"), ("1.15.12", "1.16.15")])
def test_a_snapshot_gives_the_same_plan_of_rewritten_records(
    run: Run, tmp_path: Path, ways: tuple[str, str]
) -> None:
    """Though it hides the hashes, it shows which are equal; a document needs the hashes themselves."""
    (old, new), running = ways, {"phase": "Running"}
    spec = {**PLAIN, "env": [{"name": "A", "value": "x"}]}
    plain, own = (hashcompat.container_hash(container, old).value or 0 for container in (PLAIN, spec))
    rows = [record(own), record(plain, "q"), record(own + 1, "r")]
    listed = [{**row, "id": f"{place:064x}"} for place, row in enumerate(rows)]
    (path := tmp_path / "records.json").write_text(json.dumps({"containers": listed}))
    pods = [pod(spec, status=running), pod(name="q", status=running), pod(spec, name="r", status=running)]
    cluster, given = as_json(*pods, node(f"v{old}")), ("-f", "-", "--recorded", path)
    saved = run("snapshot", *given, stdin=cluster).out.encode()
    words = ("plan", "--to", new, "--assume-normalized", "-o", "json")
    itself, planned = run(*words, *given, stdin=cluster), run(*words, "-f", "-", stdin=saved)
    for key in ("verdict", "reasons"):
        assert [item[key] for item in planned.items] == [item[key] for item in itself.items]
    assert [item["verdict"] for item in planned.items] == ["KEEP", "KEEP", "RESTART"]
    hint = "With rewritten records, 2 fewer would restart"
    assert hint in run("plan", "--to", new, *given, stdin=cluster).err
    assert hint in run("plan", "--to", new, "-f", "-", stdin=saved).err
    made = run("normalize", "--to", new, "-f", "-", "-o", "json", stdin=saved).items
    assert [item["record"] is None for item in made] == [True, False, True]
    assert made[0]["leftAlone"] == (
        "the snapshot hides its hashes: read the cluster itself, or a snapshot --with-hashes"
    )


def test_a_preflight_says_where_records_cannot_be_rewritten(run: Run) -> None:
    machine = node("v1.30.14")
    machine["status"]["nodeInfo"]["containerRuntimeVersion"] = "containerd://1.5.9"
    words = ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-o", "json")
    pods = as_json(pod(status=STATUS), machine)
    for more, statuses in (((), []), (("--assume-normalized",), ["ERROR"])):
        result = run(*words, *more, stdin=pods)
        assert [row["status"] for row in result.document["items"] if row["id"] == "PF-143"] == statuses
        checked = hashcompat.preflight_nodes(
            None, "1.31.14", source=[pod(status=STATUS), machine], normalized=bool(more)
        )
        assert [row.status.value for row in checked.findings if row.id == "PF-143"] == statuses
