"""What users write, checked by mypy --strict like all tests, and run: results, keywords and errors."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import pytest

import hashcompat
from hashcompat import FailOn, HashcompatError, Inventory, Item, Limit, Plan, Policy, Verdict
from hashcompat.core.model.impact import NodeImpact
from tests.helpers.program import SAMPLE


def test_a_plan_of_a_dump() -> None:
    pods = hashcompat.load(SAMPLE)
    assert_type(pods, Inventory)
    plan = hashcompat.plan(pods, to="1.31", namespace="shop", owner=["deploy/web"])
    assert_type(plan, Plan)
    items = list(plan)
    assert_type(items, list[Item])
    assert_type(iter(plan), Iterator[Item])
    assert_type(len(plan), int)
    assert_type(plan.rows(), list[dict[str, Any]])
    assert {item.pod.namespace for item in items} == {"shop"}
    assert_type(items[0].verdict, Verdict)
    assert_type(items[0].hashes.to, int | None)


def test_a_gate_in_a_pipeline() -> None:
    plan = hashcompat.plan(SAMPLE, "1.7.16", "1.9.11")
    policy = Policy(max_restarts="5%", max_per_node=3, fail_on="restart")
    assert_type(policy.max_restarts, Limit | None)
    assert_type(policy.fail_on, tuple[FailOn, ...])
    result = hashcompat.gate(plan, policy)
    assert int(result.exit_code) == 2
    assert next(judged.item.verdict for judged in result) is Verdict.RESTART


@pytest.mark.usefixtures("untraced")
def test_nodes_in_their_order() -> None:
    impact = hashcompat.impact(str(SAMPLE), to="1.31", batch=2)
    assert_type(list(impact), list[NodeImpact])
    assert all(node.name for node in impact)


def test_files_and_objects() -> None:
    with SAMPLE.open("rb") as data, SAMPLE.open(encoding="utf-8") as text:
        for source in (data, text, io.BytesIO(SAMPLE.read_bytes()), Path(SAMPLE)):
            assert_type(hashcompat.load(source), Inventory)
    assert_type(hashcompat.load([str(SAMPLE), io.BytesIO(b'{"kind": "List", "items": []}')]), Inventory)
    with pytest.raises(HashcompatError, match="Pod: cannot read: No such file"):
        hashcompat.load(["Pod"])
    with pytest.raises(HashcompatError, match="no pods among the objects"):
        hashcompat.load({"kind": "List", "items": []})


def test_wrong_calls_do_not_pass_the_type_checker() -> None:
    """An error that mypy no longer finds leaves an unused ignore, which it reports."""
    with pytest.raises(HashcompatError):
        hashcompat.plan(SAMPLE, "1.30", 31)  # type: ignore[arg-type]
    with pytest.raises(HashcompatError):
        hashcompat.plan(SAMPLE, "1.30", "1.31", nodes="a")  # type: ignore[call-arg]
    with pytest.raises(HashcompatError):
        Policy(max_restarts=0.05)  # type: ignore[arg-type]
    with pytest.raises(HashcompatError):
        hashcompat.gate("plan.json")  # type: ignore[arg-type]
