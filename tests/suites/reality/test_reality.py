"""Real kubelets, one after the other on one node: what each kills and creates again is what was predicted."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts.golden import reality
from scripts.lib.paths import CACHE
from scripts.suites import kubelets
from tests.suites.reality import lab as labs
from tests.suites.reality import pods, steps
from tests.suites.reality.collecting import collected
from tests.suites.reality.lab import Lab
from tests.suites.reality.outcome import outcomes
from tests.suites.reality.pods import Json
from tests.suites.reality.steps import STEPS, Step

pytestmark = pytest.mark.reality

FOUND = CACHE / "reality"
"""Where each run leaves its changes; copied to golden/reality they are what the ordinary tests replay."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        labs.lab(Path(directory)) as made,
    ):
        labs.settle(made, STEPS[0].old)
        yield made


def bared(made: Json) -> Json:
    """Return an object without what says who wrote which field."""
    return {**made, "metadata": {k: v for k, v in made["metadata"].items() if k != "managedFields"}}


def change(lab: Lab, step: Step) -> Json:
    """Let the node go from one kubelet to the next, and say what there was before and what happened."""
    kubelets.built(step.new)
    steps.delete(lab)
    lab.wait(10, 10)
    lab.stop()
    disturbed = steps.disturb(lab, step)
    given = {
        "from": step.old.name,
        "to": step.new.name,
        "flags": step.flags,
        "disturbed": disturbed,
        "objects": [bared(manifest) for manifest in (*lab.nodes(), *lab.pods())],
        "records": collected(lab.node, lab.root),
        "manifests": pods.static_pods(),
        "staticPodPath": str(lab.manifests),
    }
    before = lab.containers(), lab.sandboxes()
    lab.start(step.new)
    lab.wait()
    rows = outcomes(before, (lab.containers(), lab.sandboxes()))
    return {**given, "observed": [row.document() for row in rows]}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_what_is_predicted_happens(
    step: Step, lab: Lab, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if step.number > 1:
        steps.renew(lab)
    made = change(lab, step)
    reality.write(made, FOUND / f"{step.name}.json.gz")
    wrong = []
    for plan, arguments in reality.inputs(made, tmp_path):
        rows = reality.compare(plan, reality.planned(arguments), made)
        record_property("observed_verdicts", len(rows))
        wrong += [str(row) for row in rows if not (row.agrees or row.said)]
    assert len(made["observed"]) >= 110
    assert wrong == []
