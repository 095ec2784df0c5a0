"""Nodes with real kubelets, as they were before a change: what could have been kept, and what could not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.golden import reality
from scripts.lib.paths import REALITY
from tests.helpers.program import Run
from tests.helpers.slices import every

EXPECTED = {
    "07-1.30.14-to-1.31.14": (121, 3, 6),
    "04-1.31.14-to-1.30.14": (121, 5, 6),
    "16-1.36.5-to-1.37.2": (10, 3, 5),
    "standalone-1.15.12-to-1.16.15": (60, 0, 5),
    "standalone-1.16.15-to-1.15.12": (60, 0, 5),
    "standalone-1.13.12-to-1.14.10": (13, 1, 5),
    "standalone-1.20.15-to-1.21.14": (7, 0, 5),
}
"""How many containers are killed without it and with it, and how many manifests get a uid."""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", every(2, EXPECTED))
def test_what_restarted_for_its_hash_alone_could_have_been_kept(run: Run, tmp_path: Path, name: str) -> None:
    change = reality.read(REALITY / f"{name}.json.gz")
    *_, (_, arguments) = reality.inputs(change, tmp_path)
    result = run("normalize", *arguments[1:])
    assert result.code == 0, result.err
    document = result.document
    summary = document["summary"]
    assert (summary["killedBefore"], summary["killedAfter"], summary["manifests"]) == EXPECTED[name]
    taken = [item for item in document["items"] if item["leftAlone"] is None]
    assert not {"pause-killed", "sandbox-removed"} & {item["pod"] for item in taken}
    changed = {("image-changed", "changed"), ("container-removed", "removed"), ("process-killed", "killed")}
    assert not changed & {(item["pod"], item["container"]) for item in taken}
    observed = {(row["pod"], row["container"]): row["outcome"] for row in change["observed"]}
    assert {observed[item["pod"], item["container"]] for item in taken} <= {"restarted"}
    assert {item["hash"]["recorded"] for item in taken if item["record"]} == {
        item["record"]["hash"] for item in taken if item["record"]
    }
