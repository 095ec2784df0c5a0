"""The document of a result is what the command line prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis import disruption, planning
from hashcompat.analysis.answers.calibration import check_records
from hashcompat.analysis.answers.changes import compare_plans
from hashcompat.analysis.answers.comparison import compare_releases, known_releases, versions
from hashcompat.analysis.answers.explanation import explain
from hashcompat.analysis.answers.golden import Verifications, verify
from hashcompat.analysis.answers.hashes import hash_containers
from hashcompat.analysis.answers.matrix import make
from hashcompat.analysis.answers.redaction import snapshot
from hashcompat.analysis.gating.judge import ExtraInputs, judge
from hashcompat.analysis.patching.strip import audit
from hashcompat.analysis.planning.view import View
from hashcompat.analysis.preflight import CHECKS
from hashcompat.api.answers import to_json
from hashcompat.api.rollout import preflight_nodes
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go.jsontext import dumps
from hashcompat.core.kubelet.alike import unready
from hashcompat.core.model.cluster import Fleet
from hashcompat.core.model.plan import Way
from hashcompat.core.model.preflight import Normalization, NormalizationRun
from hashcompat.core.model.results import KeptPages
from hashcompat.core.policies import Policy
from hashcompat.core.rules import RuleList, all_rules
from hashcompat.output.report import document_of
from hashcompat.output.report.normalization import Signed
from hashcompat.output.report.planview import without_kept
from hashcompat.output.report.registry import REPORTS
from hashcompat.sources import dating
from hashcompat.sources.cluster import ReadScope
from hashcompat.sources.cluster.own import minimal_roles
from hashcompat.sources.files import plans
from hashcompat.sources.files.collect import sample_cluster
from hashcompat.sources.filters import Filters, select
from tests.helpers.program import Run

UP = ("1.8.15", "1.9.11")
FLAGS = ("--from", UP[0], "--to", UP[1])
SOME = ("--sample", "-n", "shop")


def lasting(document: Any) -> Any:
    """Return a document without what each run has as its own: its command line, its time, their digest."""
    own = ("tool", "createdAt", "digest")
    if isinstance(document, dict):
        return {key: lasting(value) for key, value in document.items() if key not in own}
    return [*map(lasting, document)] if isinstance(document, list) else document


def results(catalog: Catalog, golden: Path) -> dict[tuple[str, ...], object]:
    """Return a result of every kind by the command line that prints it."""
    view, pods = View(catalog), select(sample_cluster(), Filters(("shop",)))
    plan = structs.replace(planning.make(pods, *UP, view), making=catalog.making(dating.now()))
    name = plan.items[0].pod.name
    old, new = catalog.kubelet("1.7.16"), catalog.kubelet("1.9.11")
    (file := golden.parent / "plan.json").write_text(to_json(plan))
    plan = plans.read(str(file))
    waits = unready(catalog.kubelet(plan.to_release))
    return {
        ("impact", *FLAGS, *SOME): disruption.make(plan, sample_cluster(), unready=waits),
        ("plan", *FLAGS, *SOME): plan,
        ("plan", *FLAGS, *SOME, "--only-restarts"): without_kept(plan),
        ("explain", f"shop/{name}", *FLAGS, *SOME): explain(pods, f"shop/{name}", Way(*UP), view),
        ("explain", *FLAGS): compare_releases(*UP, catalog),
        ("diff", str(file), str(file)): compare_plans(plan, plan, (str(file), str(file))),
        ("hash", "--kubelet", "1.9.11,1.36.0", *SOME): hash_containers(pods, ["1.9.11", "1.36.0"], view),
        ("matrix", *FLAGS, *SOME): make(view, *UP, pods),
        ("verify", str(golden)): Verifications((verify(golden, catalog),)),
        ("releases",): known_releases(catalog),
        ("rules",): RuleList((*all_rules(), *(check.rule for check in CHECKS))),
        ("preflight", "--to", "1.31.14", "--no-node", "--sample"): preflight_nodes(
            None, "1.31.14", source=sample_cluster(), catalog=catalog
        ),
        ("gate", *FLAGS, *SOME): judge(plan, Policy(), ExtraInputs(), dating.now().date()),
        ("version",): versions(catalog),
        ("rbac", "-n", "shop"): minimal_roles(ReadScope(("shop",), needs_nodes=True)),
        ("patch", "--kubelet", "1.9.11", "--like", "1.7.16", "--audit", *SOME): audit(pods, old, new, view),
    }


def test_the_document_of_a_result_is_what_its_command_prints(
    run: Run, catalog: Catalog, golden: Path
) -> None:
    answers = results(catalog, golden)
    for argv, result in answers.items():
        shown = json.loads(json.dumps(document_of(result)))
        assert lasting(shown) == lasting(run(*argv, "-o", "json").document), argv
    pods = select(sample_cluster(), Filters(("shop",)))
    assert dumps(document_of(snapshot(pods, catalog))) + "\n" == run("snapshot", *SOME).out
    assert document_of(check_records(pods, "1.9.11", View(catalog)))["kind"] == "CalibrationResult"
    assert {type(result) for result in answers.values()} == REPORTS.keys() - {
        type(snapshot(pods, catalog)),
        type(check_records(pods, "1.9.11", View(catalog))),
        *(
            KeptPages,
            Normalization,
            Signed,
            NormalizationRun,
            Fleet,
        ),  # of recorded hashes, of a node, of many files: tests/normalizing, tests/rewriting, tests/cli
    }


def test_a_document_is_plain_data(catalog: Catalog) -> None:
    plan = planning.make(sample_cluster(), *UP, View(catalog))
    assert len(document_of(plan)["items"]) == len(plan.items)


@pytest.mark.parametrize("thing", [None, "text", {"kind": "RestartPlan"}])
def test_only_results_have_a_document(thing: object) -> None:
    with pytest.raises(TypeError, match="want the result of a command"):
        document_of(thing)
