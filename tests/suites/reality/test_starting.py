"""Real kubelets that start: what they refuse, end or leave but for hashes is what was predicted."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.golden import reality
from scripts.suites import containerd, kubelets
from tests.suites.reality import lab as labs
from tests.suites.reality import starting
from tests.suites.reality.collecting import collected, with_managers
from tests.suites.reality.lab import Lab
from tests.suites.reality.outcome import outcomes
from tests.suites.reality.pods import Json
from tests.suites.reality.starting import STEPS, Step
from tests.suites.reality.test_reality import FOUND, bared

pytestmark = pytest.mark.starting


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        labs.lab(Path(directory), containerd.built_with_runc(containerd.SLICE)) as made,
    ):
        starting.settle(made)
        yield made


def change(lab: Lab, step: Step) -> Json:
    """Let the node go from one kubelet to the next, and say what there was before and what happened.

    Where the settings are those of resource managers, the records have what preflight reads of these.
    """
    kubelets.built(step.new)
    lab.stop()
    step.disturb(lab)
    room = {"maxPods": len(lab.pods()) - step.fewer} if step.fewer else {}
    settings = {**step.settings, **room}
    given = {
        "from": step.old.name,
        "to": step.new.name,
        "flags": step.flags,
        "about": step.about,
        "disturbed": list(step.disturbed),
        "manifestsChanged": list(step.manifests_changed),
        "objects": [
            *(starting.configured(bared(node), settings) for node in lab.nodes()),
            *map(bared, lab.pods()),
        ],
        "records": _recorded(lab, step, settings),
        "manifests": lab.static_pods(),
        "staticPodPath": str(lab.manifests),
    }
    before, ready = lab.look(), starting.became_ready(lab)
    lab.start(step.new, *step.before, **settings)
    lab.wait(60)
    rows = outcomes(before, lab.look())
    again = starting.became_ready(lab)
    return {
        **given,
        "observed": [row.document() for row in rows],
        "readyAgain": sorted(name for name, since in again.items() if ready.get(name, since) != since),
        "reasons": {
            pod["metadata"]["name"]: pod["status"]["reason"]
            for pod in lab.pods()
            if pod["status"].get("reason")
        },
    }


def _recorded(lab: Lab, step: Step, settings: Mapping[str, Any]) -> list[Json]:
    if "cpuManagerPolicy" not in settings:
        return collected(lab.node, lab.root)
    return with_managers(lab.node, lab.root, step.before, lab.command(step.new, **settings))


def wrong(made: Json, directory: Path, record_property: Callable[[str, object], None]) -> list[str]:
    """Return what did not happen as the plans have it."""
    problems = []
    for plan, arguments in reality.inputs(made, directory):
        rows = reality.compare(plan, reality.planned(arguments), made)
        record_property("observed_verdicts", len(rows))
        problems += [str(row) for row in rows if not (row.agrees or row.said)]
    return problems


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_what_is_predicted_happens(
    step: Step, lab: Lab, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if step.number > 1:
        starting.renew(lab, step.number)
    made = change(lab, step)
    reality.write(made, FOUND / f"{step.name}.json.gz")
    assert len(made["observed"]) >= 100
    assert wrong(made, tmp_path, record_property) == []
