"""Kubelets of before and after each era, on one node without an API server: what was predicted happens."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.golden import reality
from scripts.lib.paths import CACHE
from scripts.suites import godeps, kubelets, kubeletvalues, patches
from scripts.suites.kubelets import Kubelet
from scripts.suites.standalone import CHAINS
from tests.helpers.program import Run
from tests.suites.reality import standalone
from tests.suites.reality.collecting import collected
from tests.suites.reality.outcome import outcomes
from tests.suites.reality.pods import NODE, Json
from tests.suites.reality.standalone import Lab

pytestmark = pytest.mark.standalone

FOUND = CACHE / "standalone"
"""Where each run leaves its changes; copied to golden/reality they are what the ordinary tests replay."""
_CHANGED = re.compile(
    r"""Pod "[^"]*" container "[^"]*" hash changed \(\d+ vs \d+\)"""  # up to 1.7
    r"|Container spec hash changed \(\d+ vs \d+\)"  # up to 1.13
    r"|Container \S+ definition changed"
)
"""What a kubelet logs, or writes as an event that it logs, of a changed hash."""


def calibrated(lab: Lab, kubelet: Kubelet, run: Run, directory: Path) -> Json:
    """Return the summary of what this program computes of the hashes that a kubelet has recorded."""
    printed = collected(lab.node, lab.root, NODE_NAME=NODE)
    (records := directory / "records.json").write_text("\n".join(map(json.dumps, printed)))
    place = ("--static-pod-dir", lab.manifests, "--node-name", NODE)
    result = run("verify", "--from", kubelet.release, *place, "--recorded", records, "-o", "json")
    assert result.code == 0, result.err
    summary: Json = result.document["summary"]
    return summary


def change(lab: Lab, old: Kubelet, new: Kubelet) -> Json:
    """Let the node go from one kubelet to the next, and say what there was before and what happened."""
    lab.stop()
    lab.clear(new)
    given = {
        "from": old.name,
        "to": new.name,
        "flags": kubelets.flags(old, new),
        "disturbed": [],
        "objects": [],
        "records": collected(lab.node, lab.root, NODE_NAME=NODE),
        "manifests": lab.static_pods,
        "staticPodPath": str(lab.manifests),
    }
    before = lab.look()
    lab.start(new)
    lab.wait()
    rows = outcomes(before, lab.look())
    said = sorted(set(_CHANGED.findall(lab.log.read_text(errors="replace"))))
    return {
        **given,
        "command": lab.command[1:],
        "log": said,
        "observed": [row.document() for row in rows],
    }


def test_every_version_is_of_what_a_kubelet_pins() -> None:
    releases = {kubelet.release for chain in CHAINS for kubelet in chain}
    sources = [patches.source(release) for release in releases.union(kubeletvalues.RELEASES)]
    pinned = [godeps.pinned(source).items() for source in sources if not (source / "go.mod").exists()]
    assert set().union(*pinned) == set(godeps.known())


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: f"{chain[0].name}-{chain[1].name}")
def test_what_is_predicted_happens(
    chain: tuple[Kubelet, ...], run: Run, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    for kubelet in chain:
        kubelets.built(kubelet)
    wrong = []
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        standalone.lab(Path(directory), chain[0]) as lab,
    ):
        lab.start(chain[0])
        lab.wait()
        summary = calibrated(lab, chain[0], run, tmp_path)
        assert summary["reproduced"] == summary["compared"] >= 40
        for old, new in pairwise(chain):
            made = change(lab, old, new)
            name = f"standalone-{old.name}-to-{new.name}"
            reality.write(made, FOUND / f"{name}.json.gz")
            for plan, arguments in reality.inputs(made, tmp_path / name):
                rows = reality.compare(plan, reality.planned(arguments), made)
                record_property("observed_verdicts", len(rows))
                wrong += [str(row) for row in rows if not (row.agrees or row.said)]
            assert len(made["observed"]) >= 40
    assert wrong == []
