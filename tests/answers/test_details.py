"""Details of a plan: each distinct difference once, bounded, and the releases of the way in pairs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

import hashcompat
from hashcompat.analysis.answers import details
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.rulings import Rulings
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.plan import Details, Kind, Plan, Scope
from hashcompat.sources.files.collect import collect
from scripts.sample.pods import TOKEN_PATH
from tests.helpers.pods import Json, node, pod
from tests.helpers.slices import sliced


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
    plan = made(*objects)
    assert plain.details is None
    assert [(item.pod, item.verdict, item.hashes) for item in plan.items] == [
        (item.pod, item.verdict, item.hashes) for item in plain.items
    ]


def test_containers_that_differ_in_masked_values_alone_share_a_difference() -> None:
    secrets = [pod(mounting("v", env=[{"name": "A", "value": f"s{n}"}]), name=f"p{n}") for n in range(3)]
    other = pod(mounting("v", "w"), name="q")
    plan = made(*secrets, other, pod(name="kept"))
    numbers = {item.pod.name: item.difference for item in plan.items}
    assert numbers["p0"] == numbers["p1"] == numbers["p2"] != numbers["q"] != 0 == numbers["kept"]
    plan_details = details_of(plan)
    assert len(plan_details.differences) == 2
    assert "s0" not in repr(plan_details)
    for difference in plan_details.differences:
        added = [piece.text for piece in difference.pieces if piece.kind is Kind.ADDED]
        assert set(added) == {" SubPathExpr:(string)"}


def test_across_eras_one_example_stands_for_all() -> None:
    plan = made(pod(name="a"), pod({"name": "d", "image": "j"}, name="b"), old="1.30.14", new="1.31.14")
    (difference,) = details_of(plan).differences
    assert {item.difference for item in plan.items} == {1}
    assert (difference.example, difference.pieces, len(difference.begins)) == ("ns/a/c", (), 2)
    assert difference.hashes == ("the JSON of the whole container", "the JSON of its name and image alone")


def test_too_many_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [pod(mounting("v", f"v{n}"), name=f"p{n}") for n in range(5)]
    for limit in ("DISTINCT", "_COMPUTED"):
        with monkeypatch.context() as patched:
            patched.setattr(details, limit, 2)
            plan = made(*objects)
        plan_details = details_of(plan)
        assert (len(plan_details.differences), plan_details.omitted) == (2, 3), limit
        assert [item.difference for item in plan.items] == [1, 2, 0, 0, 0]


def test_what_no_text_decides_has_none() -> None:
    finished = pod(mounting("v"), name="done", status={"phase": "Succeeded"})
    plan = made(finished, pod({"name": "x", "args": "no list"}, name="broken"), keep_going=True)
    assert [item.difference for item in plan.items] == [0, 0]
    assert details_of(plan).differences == ()


def test_pairs_have_the_counts_of_plans() -> None:
    objects = [node("v1.13.12"), pod(mounting("v")), pod(name="q")]
    plan_details = details_of(made(*objects, old="auto", new="1.15.12"))
    assert plan_details.releases == ("auto", "1.14.10", "1.15.12")
    for pair in plan_details.pairs:
        summary = hashcompat.plan(objects, pair.old, pair.new, override_node_releases=True).summary
        assert (pair.findings, pair.unknown) == (summary.findings, summary.unknown), pair


def test_of_a_long_way_the_ends_and_some_releases_between_are_shown() -> None:
    plan_details = details_of(made(pod(), old="1.7.16", new="1.31.14"))
    assert (plan_details.releases[0], plan_details.releases[-1]) == ("1.7.16", "1.31.14")
    assert (len(plan_details.releases), plan_details.passed) == (12, 13)
    assert len(plan_details.pairs) == 12 * 11


def test_where_counting_takes_long_the_types_alone_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "_SINGLY", 1)
    manifests = [
        {"kind": "Pod", "metadata": {"name": f"m{n}"}, "spec": {"containers": [{}]}} for n in range(3)
    ]
    plan_details = details_of(made(*manifests, old="1.30.14", new="1.31.14"))
    assert {(pair.scope, pair.findings, pair.unknown) for pair in plan_details.pairs} == {
        (Scope.ALL, None, None)
    }


def test_where_no_node_reports_its_release_there_are_no_pairs() -> None:
    plan_details = details_of(made(pod(), old="auto", new="1.31.14"))
    assert (plan_details.releases, plan_details.pairs) == ((), ())


DAYS: Final = ("2016-01-05", "2017-06-30", "2017-11-20", "2018-08-01", "2026-03-02")
"""Starts between the releases of the ways below."""


def replica(number: int) -> Json:
    """Return one of the pods of a StatefulSet, each with a name of its token mount."""
    name = f"web-{number:02}"
    container = {
        "name": "c",
        "image": "i",
        "env": [{"name": "OWN", "value": name}],
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/app"},
            {"name": f"kube-api-access-tok{number:02}", "mountPath": TOKEN_PATH},
        ],
    }
    status = {
        "containerStatuses": [
            {
                "name": "c",
                "containerID": f"containerd://{number:064x}",
                "restartCount": 0,
                "state": {"running": {"startedAt": "2026-03-02T08:15:00Z"}},
            }
        ],
        "phase": "Running",
    }
    owner = {"kind": "StatefulSet", "name": "web", "uid": "w", "controller": True}
    metadata = {"ownerReferences": [owner], "uid": f"0fa7c6b2-1e5d-4c1a-9f00-{number:012}"}
    return pod(container, name=name, node="n", status=status, metadata=metadata)


def plain(_: Json, __: int) -> None:
    """Leave a pod as it is."""


def mounting_its_own(manifest: Json, _: int) -> None:
    """Mount a volume that is called like the pod."""
    own = {"name": f"d-{manifest['metadata']['name']}", "mountPath": "/data"}
    manifest["spec"]["containers"][0]["volumeMounts"].insert(1, own)


def started(manifest: Json, number: int) -> None:
    """Start on one of some days."""
    (status,) = manifest["status"]["containerStatuses"]
    status["state"]["running"]["startedAt"] = f"{DAYS[number % len(DAYS)]}T10:00:00Z"


def undecoded(manifest: Json, number: int) -> None:
    """Let kubelets of later types not decode some pods."""
    if number % 3 == 0:
        manifest["spec"]["containers"][0]["livenessProbe"] = {"grpc": {"port": "x"}}


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the pods whose details are those of a replica."""
    counts, repeat = Counter[str](), details.DetailsGathering.repeat

    def counting(self: details.DetailsGathering, *given: Any) -> None:
        counts["add"] += 1
        repeat(self, *given)

    monkeypatch.setattr(details.DetailsGathering, "repeat", counting)
    return counts


@pytest.fixture
def found_by_itself(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let every pod be decided, and the texts of every container be compared, by itself."""

    def start() -> None:
        alone = details._Differences._of_replicas
        monkeypatch.setattr(Rulings, "is_shared", lambda *_: False)
        monkeypatch.setattr(
            details._Differences,
            "_of_replicas",
            lambda *given: structs.replace(alone(*given), varies=True, names=("?",)),
        )

    return start


_CHANGES: Final = (plain, mounting_its_own, started, undecoded)
_WAYS: Final = (("1.7.16", "1.9.11"), ("1.9.11", "1.31.14"), ("1.22.17", "1.23.17"), ("auto", "1.31.14"))


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("way", "change", "with_nodes"),
    sliced(
        product(_WAYS, _CHANGES, [True, False]),
        [
            (way, change, (number + place) % 2 == 0)
            for number, way in enumerate(_WAYS)
            for place, change in enumerate(_CHANGES)
            if (number + place) % 4 < 2
        ],
    ),
)
def test_details_of_replicas_are_those_of_each_pod_by_itself(
    way: tuple[str, str],
    change: Callable[[Json, int], None],
    found_by_itself: Callable[[], None],
    repeated: Counter[str],
    tmp_path: Path,
    catalog: Catalog,
    *,
    with_nodes: bool,
) -> None:
    pods = [replica(number) for number in range(40 if change is plain else 10)]
    for number, manifest in enumerate(pods):
        change(manifest, number)
    path = tmp_path / "pods.json"
    items = [*pods, *([node("v1.8.15", "n")] if with_nodes else [])]
    path.write_text(json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4))
    options = Options(override_node_releases=True, keep_going=True)

    def plan() -> Plan:
        return details.make(collect((str(path),)), *way, View(catalog, options))

    together = plan()
    assert repeated["add"] > 30 or change is not plain or not with_nodes
    found_by_itself()
    assert together == plan()
