"""Details of a plan: each distinct difference once, bounded, and the releases of the way in pairs."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.answers import details
from hashcompat.model.details import Details, Kind, Scope
from hashcompat.model.plan import Plan
from tests.helpers.pods import node, pod


def made(*objects: dict[str, Any], old: str = "1.13.12", new: str = "1.14.10", **options: Any) -> Plan:
    return hashcompat.plan(list(objects), old, new, details=True, **options)


def details_of(plan: Plan) -> Details:
    assert plan.details
    return plan.details


def mounting(*names: str, **more: Any) -> dict[str, Any]:
    return {
        "name": "c",
        "image": "i",
        "volumeMounts": [{"name": name, "mountPath": "/m"} for name in names],
        **more,
    }


def test_items_and_verdicts_are_those_of_the_plan_without_details() -> None:
    objects = [pod(mounting("v")), pod(mounting("w"), name="q"), pod(name="kept")]
    plain = hashcompat.plan(objects, "1.13.12", "1.14.10")
    found = made(*objects)
    assert plain.details is None
    assert [(item.pod, item.verdict, item.hashes) for item in found.items] == [
        (item.pod, item.verdict, item.hashes) for item in plain.items
    ]


def test_containers_that_differ_in_masked_values_alone_share_a_difference() -> None:
    secrets = [pod(mounting("v", env=[{"name": "A", "value": f"s{n}"}]), name=f"p{n}") for n in range(3)]
    other = pod(mounting("v", "w"), name="q")
    plan = made(*secrets, other, pod(name="kept"))
    numbers = {item.pod.name: item.difference for item in plan.items}
    assert numbers["p0"] == numbers["p1"] == numbers["p2"] != numbers["q"] != 0 == numbers["kept"]
    found = details_of(plan)
    assert len(found.differences) == 2
    assert "s0" not in repr(found)
    for difference in found.differences:
        added = [piece.text for piece in difference.pieces if piece.kind is Kind.ADDED]
        assert set(added) == {" SubPathExpr:(string)"}


def test_across_eras_one_example_stands_for_all() -> None:
    plan = made(pod(name="a"), pod({"name": "d", "image": "j"}, name="b"), old="1.30.14", new="1.31.14")
    (found,) = details_of(plan).differences
    assert {item.difference for item in plan.items} == {1}
    assert (found.example, found.pieces, len(found.begins)) == ("ns/a/c", (), 2)
    assert found.hashes == ("the JSON of the whole container", "the JSON of its name and image alone")


def test_too_many_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [pod(mounting("v", f"v{n}"), name=f"p{n}") for n in range(5)]
    for limit in ("DISTINCT", "_COMPUTED"):
        with monkeypatch.context() as patched:
            patched.setattr(details, limit, 2)
            plan = made(*objects)
        found = details_of(plan)
        assert (len(found.differences), found.omitted) == (2, 3), limit
        assert [item.difference for item in plan.items] == [1, 2, 0, 0, 0]


def test_what_no_text_decides_has_none() -> None:
    finished = pod(mounting("v"), name="done", status={"phase": "Succeeded"})
    plan = made(finished, pod({"name": "x", "args": "no list"}, name="broken"), keep_going=True)
    assert [item.difference for item in plan.items] == [0, 0]
    assert details_of(plan).differences == ()


def test_pairs_have_the_counts_of_plans() -> None:
    objects = [node("v1.13.12"), pod(mounting("v")), pod(name="q")]
    found = details_of(made(*objects, old="auto", new="1.15.12"))
    assert found.releases == ("auto", "1.14.10", "1.15.12")
    for pair in found.pairs:
        summary = hashcompat.plan(objects, pair.old, pair.new, override_node_releases=True).summary
        assert (pair.findings, pair.unknown) == (summary.findings, summary.unknown), pair


def test_of_a_long_way_the_ends_and_some_releases_between_are_shown() -> None:
    found = details_of(made(pod(), old="1.7.16", new="1.31.14"))
    assert (found.releases[0], found.releases[-1]) == ("1.7.16", "1.31.14")
    assert (len(found.releases), found.passed) == (12, 13)
    assert len(found.pairs) == 12 * 11


def test_where_counting_takes_long_the_types_alone_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "_SINGLY", 1)
    manifests = [
        {"kind": "Pod", "metadata": {"name": f"m{n}"}, "spec": {"containers": [{}]}} for n in range(3)
    ]
    found = details_of(made(*manifests, old="1.30.14", new="1.31.14"))
    assert {(pair.scope, pair.findings, pair.unknown) for pair in found.pairs} == {(Scope.ALL, None, None)}


def test_where_no_node_reports_its_release_there_are_no_pairs() -> None:
    found = details_of(made(pod(), old="auto", new="1.31.14"))
    assert (found.releases, found.pairs) == ((), ())
