"""Nodes with upstream's kubelets and rewritten records in between, replayed: what was said happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.golden import reality
from scripts.lib.paths import NORMALIZED
from tests.helpers.program import Run
from tests.helpers.slices import every

CHANGES = sorted(NORMALIZED.glob("[0-9]*.json.gz"))
"""Nodes without an API server."""
SERVED = sorted(NORMALIZED.glob("served-*.json.gz"))
"""Nodes with one, and more than 100 containers each."""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", every(3, CHANGES), ids=reality.name_of)
def test_the_same_document_is_made_and_what_is_in_it_was_kept(run: Run, tmp_path: Path, path: Path) -> None:
    change = reality.read(path)
    *_, (_, arguments) = reality.inputs(change, tmp_path)
    result = run("normalize", *arguments[1:])
    assert result.code == 0, result.err
    made, was = result.document, change["document"]
    assert made["summary"] == was["summary"]
    assert [item["record"] for item in made["items"]] == [item["record"] for item in was["items"]]
    assert made["spec"]["manifests"] == was["spec"]["manifests"] or made["summary"]["manifests"]
    outcomes = {(row["pod"], row["container"]): row for row in change["observed"]}
    for item in made["items"]:
        row = outcomes[item["pod"], item["container"]]
        kept = (row["outcome"], row["podRecreated"]) == ("kept", False)
        assert kept == (item["leftAlone"] is None), row
    assert change["same"] == change["running"] - made["summary"]["killedAfter"] >= 50


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", every(3, CHANGES), ids=reality.name_of)
def test_the_new_records_are_what_the_new_kubelet_computes(run: Run, tmp_path: Path, path: Path) -> None:
    """Nothing is left to rewrite, and nothing restarts, by the records that the runtime showed afterwards."""
    change = reality.read(path)
    change["records"] = change["after"]
    change["flags"] = ["--from", change["to"], "--to", change["to"]]
    for pin in change["document"]["spec"]["manifests"]:
        change["manifests"][Path(pin["path"]).name]["metadata"]["uid"] = pin["uid"]
    *_, (_, arguments) = reality.inputs(change, tmp_path)
    result = run(*arguments)
    assert result.code == 0, result.err
    summary = result.document["summary"]
    assert summary["restart"] == summary["kill"] == summary["unknown"] == 0
    assert summary["recorded"] == summary["reproduced"] >= 50


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", every(6, SERVED), ids=reality.name_of)
def test_beside_an_api_server_only_what_was_said_restarted(run: Run, tmp_path: Path, path: Path) -> None:
    change = reality.read(path)
    *_, (plan, arguments) = reality.inputs(change, tmp_path)
    result = run(*arguments, "--assume-normalized")
    assert result.code == 0, result.err
    rows = reality.compare(plan, result.document, change)
    assert [str(row) for row in rows if not row.agrees] == []
    made = run("normalize", *arguments[1:]).document
    assert made["summary"] == change["document"]["summary"]
    outcomes = {row.key[1:]: row.observed for row in rows if row.observed}
    taken = [item for item in made["items"] if item["leftAlone"] is None]
    kept = [outcomes[item["pod"], item["container"]] for item in taken]
    assert {(row["outcome"], row["podRecreated"]) for row in kept} <= {("kept", False)}
    assert len(taken) == made["summary"]["killedBefore"] - made["summary"]["killedAfter"]
    assert change["same"] == change["running"] - made["summary"]["killedAfter"] >= 100
    before = run(*arguments).document["summary"]
    assert before["restart"] + before["kill"] == made["summary"]["killedBefore"]
