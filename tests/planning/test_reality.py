"""What happened on a node with real kubelets, replayed: every verdict is what was observed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import reality
from tests.helpers.program import Run

CHANGES = sorted(reality.STORE.glob("*.json.gz"))


@pytest.mark.parametrize("path", CHANGES, ids=lambda path: path.name.removesuffix(".json.gz"))
def test_every_verdict_is_what_real_kubelets_did(path: Path, run: Run, tmp_path: Path) -> None:
    change = reality.read(path)
    for plan, arguments in reality.inputs(change, tmp_path):
        result = run(*arguments)
        assert result.code == 0, result.err
        rows = reality.compare(plan, result.document, change)
        assert [str(row) for row in rows if not (row.agrees or row.said)] == []


def test_a_wrong_verdict_would_be_found() -> None:
    change = reality.read(CHANGES[0])
    key = {"namespace": "default", "pod": "plain-1", "container": "c0"}
    item = {**key, "verdict": "RESTART", "podRecreated": False, "creatorAssumed": False, "reasons": []}
    wrong = [row for row in reality.compare("recorded", {"items": [item]}, change) if not row.agrees]
    assert ("default", "plain-1", "c0") in [row.key for row in wrong if not row.said]
    assert len(wrong) > 100  # those that the plan lacks
