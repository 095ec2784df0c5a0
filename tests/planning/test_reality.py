"""What happened on a node with real kubelets, replayed: every verdict is what was observed there."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.release import parse_release
from scripts.golden import reality
from scripts.lib.paths import REALITY
from tests.helpers.program import ROOT, Run, ran
from tests.helpers.randomness import FRESH
from tests.helpers.slices import sliced

VERDICTS = json.loads((REALITY / "VERDICTS.json").read_text())

AGAIN = (
    *(f"{number:02}-" for number in (1, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 17, 18)),
    *(f"starting-{number}-" for number in (3, 4, 8, 9, 14, 15, 18, 19)),
    *("standalone-1.14.10-to-1.13", "standalone-1.15.12-to-1.14", "standalone-1.16.15-to-1.15"),
    *("standalone-1.19.16-to", "standalone-1.21.14-to", "standalone-1.24.17-to-1.23.17-containerd"),
    *("standalone-1.27.16-to", "standalone-1.9.11-accept-1.7.16-to-1.9.11-", "standalone-1.9.11-strip"),
)
"""Changes between releases, back to them, and of pods, that others show too: these are for .ci/full alone."""

KEPT = [path for path in reality.changes() if not path.name.startswith(AGAIN)]
FROM_LESS = KEPT[::3]
"""Those that are planned from less than all that is known, too."""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", sliced(reality.changes(), KEPT), ids=reality.name_of)
def test_every_verdict_is_what_real_kubelets_did(path: Path, run: Run, tmp_path: Path) -> None:
    change = reality.read(path)
    for plan, arguments in reality.inputs(change, tmp_path):
        if plan != "static" and not FRESH and path not in FROM_LESS:
            continue
        result = run(*arguments)
        assert result.code == 0, result.err
        rows = reality.compare(plan, result.document, change)
        assert [str(row) for row in rows if not (row.agrees or row.said)] == []
        assert reality.tally(rows) == VERDICTS[reality.name_of(path)][plan]


def test_a_wrong_verdict_would_be_found() -> None:
    change = reality.read(reality.changes()[0])
    key = {"namespace": "default", "pod": "plain-1", "container": "c0"}
    item = {**key, "verdict": "RESTART", "podRecreated": False, "reasons": []}
    wrong = [row for row in reality.compare("recorded", {"items": [item]}, change) if not row.agrees]
    assert ("default", "plain-1", "c0") in [row.key for row in wrong if not row.said]
    assert len(wrong) > 100  # those that the plan lacks


def test_the_page_has_a_row_for_each_change() -> None:
    page = (ROOT / "docs" / "reality.md").read_text()
    pairs = [(path, reality.read(path)) for path in reality.changes()]
    for path, change in pairs:
        tally = VERDICTS[reality.name_of(path)]["static"]
        outcomes = Counter(row["outcome"] for row in change["observed"])
        resting = outcomes["idle"] + outcomes["started"]
        cells = (
            change["from"],
            change["to"],
            len(change["observed"]),
            tally.get("RESTART", 0),
            tally["contradicted"],
            *(outcomes[word] for word in ("kept", "restarted", "killed")),
            resting,
        )
        assert f"| {' | '.join(map(str, cells))} |" in page
    assert len([change for _, change in pairs if not change["objects"]]) >= 6


STARTING = [path for path in reality.changes() if path.name.startswith("starting-")]
_STARTING = sliced(STARTING, [path for path in STARTING if path in KEPT])
_UNREADY = re.compile(r"^\d+ containers? with a readinessProbe .*: (default/\S+(?:, default/\S+)*)$")


@cache
def static_plan(path: Path) -> Any:
    """Return the plan of a change from all that is known of it."""
    with tempfile.TemporaryDirectory() as directory:
        *_, (_, arguments) = reality.inputs(reality.read(path), Path(directory))
        return ran(*arguments).document


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", _STARTING, ids=reality.name_of)
def test_the_pods_that_are_not_ready_for_a_while_are_those_that_were_named(path: Path) -> None:
    """What restarted, and static pods, whose mirror pods may be new, are ready again in any case."""
    change = reality.read(path)
    matches = [_UNREADY.match(line) for line in static_plan(path)["spec"]["besides"]]
    named = [name for match in matches if match for name in match[1].split(", ")]
    assert {name.split("/")[1] for name in named} == reality.unready(change)


def test_the_endpoints_of_a_service_went_with_the_pods_that_were_not_ready() -> None:
    """Of kubelets 1.31, 1.34, and 1.35 with its gate on and off; those of a pod without a probe stay."""
    changes = [change for change in map(reality.read, STARTING) if "endpoints" in change]
    assert {kubelet for change in changes for kubelet in (change["from"], change["to"])} == {
        *("1.31.14", "1.34.12", "1.35.8")
    }
    for change in changes:
        endpoints = change["endpoints"]
        assert endpoints.keys() == {"ready", "ready-slowly", "sidecar"}
        assert {name for name, seen in endpoints.items() if False in seen} == reality.unready(change)
        assert all(seen[-1] for seen in endpoints.values())
    assert [bool(reality.unready(change)) for change in changes] == [True, False, False, True, False, True]


def test_the_steps_show_each_reason_and_readiness_that_is_lost_and_kept() -> None:
    changes = [reality.read(path) for path in STARTING]
    assert {reason for change in changes for reason in change["reasons"].values()} == {
        *("OutOfcpu", "OutOfpods", "Preempting", "DeadlineExceeded"),
        *("PodFeatureUnsupported", "PodLevelResourcesNotSupported", "SMTAlignmentError"),
    }
    assert {"ready" in change["readyAgain"] for change in changes} == {True, False}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", _STARTING, ids=reality.name_of)
def test_a_refused_pod_has_the_reason_that_was_named(path: Path) -> None:
    """Of room the plan names the reason in the status, and of features what ``explain`` expects."""
    change = reality.read(path)
    items = static_plan(path)["items"]
    killed = {item["pod"]: item["reasons"][0]["text"] for item in items if item["verdict"] == "KILL"}
    expected = default_catalog().messages(parse_release(change["to"])).refusals
    for pod, reason in change["reasons"].items():
        if pod in killed:  # else UNKNOWN: what chance decides, or a deadline that no kubelet saw
            assert reason in (*expected.values(), *killed[pod].replace(":", " ").split())


@pytest.mark.parametrize("old", ["1.7.5", "1.9.11-pin-1.7.16"])
def test_a_kubelet_of_1_9_logged_what_one_logged_of_the_container_with_which_this_began(old: str) -> None:
    change = reality.read(REALITY / f"standalone-{old}-to-1.9.11.json.gz")
    assert "Container spec hash changed (1559107639 vs 1428860573)" in change["log"]


def test_a_page_states_the_numbers_of_these_changes() -> None:
    totals = [tallies["static"] for tallies in VERDICTS.values()]
    verdicts = sum(count for tally in totals for name, count in tally.items() if name != "contradicted")
    wanted = (len(totals), verdicts, sum(tally.get("UNKNOWN", 0) for tally in totals))
    line = re.search(
        r"(\d+) changes, .*?Of ([\d,]+) verdicts .*?, (\d+) were UNKNOWN",
        (ROOT / "docs" / "verification.md").read_text(),
        re.DOTALL,
    )
    assert line
    assert tuple(int(number.replace(",", "")) for number in line.groups()) == wanted
    assert sum(tally["contradicted"] for tally in totals) == 0
