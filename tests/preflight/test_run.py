"""What is known of nodes besides their dumps."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight import (
    Context,
    context_of,
    restarts_of,
    with_reported_releases,
    without_dumps,
)
from hashcompat.analysis.preflight.checks import Need
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import dump, unread
from tests.helpers.pods import ARTICLE, pod

VERSION = ("version", "kubelet")
ITEMS = hashcompat.plan([pod(ARTICLE)], "1.7.16", "1.9.11").items


def test_a_run_is_given_what_is_known() -> None:
    assert Context().inputs == frozenset()
    assert Context({"n1": Node("n1", "")}).inputs == Context(pods={}).inputs == {Need.OBJECTS}
    assert Context(items={}).inputs == {Need.PLAN}
    assert Context({"n1": Node("n1", "")}, {}, {}).inputs == {Need.OBJECTS, Need.PLAN}


def test_a_source_without_pods_has_neither_pods_nor_a_plan() -> None:
    assert context_of([Node("n1", "")], [], ()) == Context({"n1": Node("n1", "")}, None, None)
    assert context_of([], hashcompat.load([pod()]).pods, None).items is None


def test_each_node_has_its_own_part() -> None:
    known = context_of([Node("n1", "v1.7.16")], hashcompat.load([pod()]).pods, ITEMS)
    assert [each.name for each in known.cluster("n1").pods or ()] == ["p"]
    assert known.cluster("n2") == NodeObjects(None, ())
    assert (known.planned("n1"), known.planned("n2"), Context().planned("n1")) == (ITEMS, (), None)
    assert Context().cluster("n1") == NodeObjects()


def test_the_current_release_is_the_kubelets_own_then_the_objects_then_the_plans() -> None:
    known = Context({"n1": Node("n1", "v1.8.15")}, None, {"n1": ITEMS})
    assert known.release(dump({VERSION: "Kubernetes v1.7.16\n"})) == "v1.7.16"
    assert known.release(unread()) == "v1.8.15"
    assert Context(items={"n1": ITEMS}).release(unread()) == "1.7.16"
    assert Context().release(unread()) is None


def test_a_plan_says_what_restarts() -> None:
    restarts = restarts_of(ITEMS)
    assert restarts("uid-p", ARTICLE["name"]) is True
    assert restarts("uid-q", ARTICLE["name"]) is None
    same = restarts_of(hashcompat.plan([pod()], "1.10.0", "1.11.0").items)
    assert same("uid-p", "c") is False
    assert restarts_of(None)("uid-p", "c") is None
    unknown = hashcompat.plan([pod()], "auto", "1.11.0").items
    assert restarts_of(unknown)("uid-p", "c") is None


def test_a_node_that_only_a_dump_shows_has_its_release_in_the_plan() -> None:
    nodes = [Node("n2", "v1.9.11")]
    assert with_reported_releases(nodes, [dump({VERSION: "Kubernetes v1.7.16"}), unread("n3")]) == (
        *nodes,
        Node("n1", "v1.7.16"),
    )
    assert with_reported_releases([Node("n1", "v1")], [dump({VERSION: "Kubernetes v1.7.16"})]) == (
        Node("n1", "v1"),
    )


def test_without_dumps_the_node_objects_are_looked_at() -> None:
    assert [each.node for each in without_dumps({"n1": Node("n1", "")})] == ["n1"]
    with pytest.raises(InputError, match="no Node object in the input"):
        without_dumps({})


@pytest.mark.parametrize(
    ("given", "more", "expected"),
    [
        ("1.30.14", {}, "UNKNOWN"),
        ("1.30.14", {"override_node_releases": True}, ""),
        ("1.31.4", {}, ""),
        ("auto", {}, ""),
    ],
)
def test_a_release_that_the_node_does_not_report_is_not_taken_for_its_own(
    given: str, more: Any, expected: str
) -> None:
    shown = dump({VERSION: "Kubernetes v1.31.14\n"})
    findings = hashcompat.preflight_nodes([shown], "1.32.13", given, **more)
    disputed = [finding for finding in findings if finding.object == "kubelet" and finding.id == "PF-110"]
    assert [finding.status.value for finding in disputed] == ([expected] if expected else [])
    assert all(finding.text.endswith("1.30.14, and the node reports v1.31.14") for finding in disputed)


def test_nodes_of_the_sample_run_what_is_said() -> None:
    findings = hashcompat.preflight_nodes(None, "1.31.14", "1.30.14", source=hashcompat.load_sample())
    assert not [finding for finding in findings if finding.object == "kubelet"]
