"""Where a plan comes from, in words and in its document."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Origin, Source
from hashcompat.output.report.model import plain
from hashcompat.output.report.planpage import plan_page
from hashcompat.output.report.planview import Excerpt, provenance
from hashcompat.output.report.restartplan import source_of
from tests.helpers.plans import item, plan

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def said(made: Plan, *, now: datetime | None = NOW, all_names: bool = True) -> list[str]:
    shown = structs.replace(Excerpt(made, made.items), now=now)
    return ["".join(map(str, line)) for line in provenance(shown, all_names=all_names)]


def place(origin: Origin, *, all_names: bool = True) -> str:
    return said(plan(item(), origin=origin), all_names=all_names)[0]


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (Origin(Source.SAMPLE), "the built-in sample"),
        (Origin(), "objects in memory"),
        (Origin(Source.CLUSTER, context="prod", server="https://a:6443"), "context prod, https://a:6443"),
        (Origin(Source.CLUSTER, server="https://a:6443"), "https://a:6443"),
        (Origin(Source.CLUSTER), "the live cluster"),
        (Origin(Source.CLUSTER, ("manifests",), "prod"), "context prod, the live cluster, manifests"),
        (Origin(Source.FILES, ("a.json",)), "a.json"),
        (Origin(Source.SNAPSHOT, ("a.json",)), "a snapshot, a.json"),
    ],
)
def test_each_source_is_named(origin: Origin, words: str) -> None:
    assert place(origin) == f"Read from {words}: 1 pod on 1 node"


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(), "taken 2026-01-31T12:00:00Z, new"),
        (timedelta(seconds=119), "taken 2026-01-31T11:58:01Z, new"),
        (timedelta(seconds=120), "taken 2026-01-31T11:58:00Z, 2 minutes old"),
        (timedelta(minutes=119), "taken 2026-01-31T10:01:00Z, 119 minutes old"),
        (timedelta(hours=2), "taken 2026-01-31T10:00:00Z, 2 hours old"),
        (timedelta(hours=47), "taken 2026-01-29T13:00:00Z, 47 hours old"),
        (timedelta(days=2), "taken 2026-01-29T12:00:00Z, 2 days old"),
        (timedelta(days=400), "taken 2024-12-27T12:00:00Z, 400 days old"),
        (timedelta(seconds=-1), "taken 2026-01-31T12:00:01Z"),
    ],
)
def test_a_source_has_an_age(age: timedelta, words: str) -> None:
    for origin, name in (
        (Origin(Source.FILES, ("a.json",)), "a.json"),
        (Origin(Source.SNAPSHOT, ("a.json",)), "a snapshot, a.json"),
        (Origin(Source.CLUSTER), "the live cluster"),
        (Origin(), "objects in memory"),
    ):
        taken = structs.replace(origin, taken=NOW - age)
        assert place(taken) == f"Read from {name}, {words}: 1 pod on 1 node"


def test_when_a_file_was_written_is_no_age() -> None:
    assert place(Origin(Source.FILES, ("a.json",), oldest=NOW)) == "Read from a.json: 1 pod on 1 node"


def test_without_a_clock_there_is_a_time() -> None:
    made = plan(item(), origin=Origin(Source.FILES, ("a.json",), taken=NOW))
    assert said(made, now=None)[0] == "Read from a.json, taken 2026-01-31T12:00:00Z: 1 pod on 1 node"


def test_of_many_files_some_are_named_on_a_terminal() -> None:
    origin = Origin(Source.FILES, tuple("abcde"), taken=NOW)
    taken = "the oldest taken 2026-01-31T12:00:00Z, new"
    assert place(origin) == f"Read from a, b, c, d, e, {taken}: 1 pod on 1 node"
    assert place(origin, all_names=False) == f"Read from a, b, c, 2 more, {taken}: 1 pod on 1 node"


def test_releases_are_named_with_their_nodes_the_most_frequent_first() -> None:
    pods = [item(node=f"n{number}", pod=f"p{number}", release=f"v1.{number // 2}") for number in range(9)]
    pods.append(item(node="", release=""))
    lines = said(plan(*pods))
    assert lines[0] == "Read from objects in memory: 10 pods on 9 nodes"
    kubelets = "v1.0 (2 nodes), v1.1 (2 nodes), v1.2 (2 nodes), v1.3 (2 nodes), v1.4 (1 node)"
    assert lines[1] == f"Kubelet {kubelets} -> 1.9.11"
    few = "Kubelet v1.0 (2 nodes), v1.1 (2 nodes), v1.2 (2 nodes), 2 more -> 1.9.11"
    assert said(plan(*pods), all_names=False)[1] == few


def test_a_release_that_is_missing_is_unknown_and_manifests_are_on_no_node() -> None:
    assert said(plan(item(release="")))[1] == "Kubelet unknown (1 node) -> 1.9.11"
    assert said(plan(item(node="", release="1.7.16"))) == [
        "Read from objects in memory: 1 pod",
        "Kubelet 1.7.16 -> 1.9.11",
    ]
    assert said(plan())[1] == "Kubelet unknown releases -> 1.9.11"


def test_a_downgrade_is_called_that() -> None:
    assert said(plan(item(release="v1.10.2")))[1] == "Kubelet v1.10.2 (1 node) -> 1.9.11 (a downgrade)"
    assert said(plan(item(release="1.9.11")))[1] == "Kubelet 1.9.11 (1 node) -> 1.9.11"
    some = plan(
        item(node="a", release="1.9.12"), item(node="b", release="1.8.0"), item(node="c", release="x")
    )
    assert said(some)[1].endswith(" -> 1.9.11 (a downgrade of 1 node)")
    assert ("Downgrade", said(plan(item(release="1.10.0")))[1]) in plan_page(
        plan(item(release="1.10.0"))
    ).facts
    assert "Upgrade" in dict(plan_page(plan(item(release="1.7.16"))).facts)


def test_the_document_says_the_same() -> None:
    origin = Origin(Source.FILES, ("a", "b"), oldest=NOW, taken=NOW - timedelta(days=1))
    assert plain(source_of(origin)) == {
        "kind": "files",
        "names": ["a", "b"],
        "context": "",
        "server": "",
        "clusterUID": "",
        "oldest": "2026-01-31T12:00:00Z",
        "takenAt": "2026-01-30T12:00:00Z",
    }
    assert plain(source_of(Origin()))["oldest"] is None
