"""What changed between two plans, or two snapshots: as sets of what has a name."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

import hashcompat
from hashcompat.analysis.answers.changes import (
    DocumentDifference,
    Edit,
    ItemChange,
    What,
    compare,
    compare_plans,
)
from hashcompat.core.errors import InputError
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.plan import DisputedNode, Hop, Plan, ReleaseFacts, Suggestion
from hashcompat.core.model.pods import ContainerType, Origin
from hashcompat.core.model.results import Making, RowKind, RowName, SnapshotRows
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.sources.files.snapshotrows import rows_of
from tests.helpers.pods import mirror_pod, node, pod

RULES = ("HC001", "HC004", "HC022")

texts = st.sampled_from(["a", "b", "x/y", "\x1b]", ""])
reasons = st.builds(Reason, st.sampled_from(RULES), texts, st.sampled_from(["", "env[*].name"]), texts)
predictions = st.builds(
    Prediction,
    st.sampled_from(["1.30.14", "1.31.14"]),
    st.sampled_from(list(Verdict)),
    st.lists(reasons, max_size=3).map(tuple),
    st.booleans(),
    st.sampled_from([None, True, False]),
)
hashes = st.none() | st.integers(0, 3)
items = st.builds(
    Item,
    st.builds(PodName, texts, texts, texts, texts, texts, texts),
    st.builds(ContainerName, texts, st.sampled_from(list(ContainerType))),
    predictions,
    hashes,
    hashes,
    hashes,
    st.integers(0, 3),
)
hops = st.builds(Hop, texts, texts, st.integers(0, 2), st.integers(0, 2), st.just(()))
plans = st.builds(
    Plan,
    st.sampled_from(["1.30.14", "auto"]),
    st.just("1.31.14"),
    st.lists(items, max_size=6).map(tuple),
    st.lists(texts, max_size=3).map(tuple),
    st.lists(texts, max_size=3).map(tuple),
    hops=st.lists(hops, max_size=2).map(tuple),
    rollback=st.none() | hops,
    suggestion=st.none() | st.builds(Suggestion, texts, st.just(("1.30.14",)), st.integers(0, 2)),
    releases=st.lists(
        st.builds(ReleaseFacts, texts, texts, texts, texts, st.booleans(), st.booleans()), max_size=2
    ).map(tuple),
    disputed=st.lists(st.builds(DisputedNode, texts, texts), max_size=2).map(tuple),
    overridden=st.booleans(),
)


def mirrored(difference: DocumentDifference) -> DocumentDifference:
    """Return the difference the other way round."""
    turned = {What.APPEARED: What.GONE, What.GONE: What.APPEARED, What.CHANGED: What.CHANGED}

    def edits(given: tuple[Edit, ...]) -> tuple[Edit, ...]:
        return tuple(Edit(edit.place, edit.new, edit.old) for edit in given)

    return structs.replace(
        difference,
        old=difference.new,
        new=difference.old,
        edits=edits(difference.edits),
        items=tuple(
            structs.replace(
                change, what=turned[change.what], old=change.new, new=change.old, edits=edits(change.edits)
            )
            for change in difference.items
        ),
    )


def places(difference: DocumentDifference) -> list[str]:
    """Return what changed where, in an order that does not depend on the sides."""
    return sorted(
        repr((change.path, change.what, sorted(edit.place for edit in change.edits)))
        for change in difference.items
    )


@given(plans)
def test_nothing_changed_between_a_plan_and_itself(plan: Plan) -> None:
    difference = compare(plan, plan)
    assert (difference.is_different, difference.same, difference.items, difference.edits) == (
        False,
        len(plan.items),
        (),
        (),
    )


@given(plans, plans)
def test_the_other_way_round_is_the_mirror(old: Plan, new: Plan) -> None:
    there, back = compare(old, new), compare(new, old)
    assert places(mirrored(there)) == places(back)
    counts = there.counts
    assert [counts[What.GONE], counts[What.APPEARED]] == [back.counts[What.APPEARED], back.counts[What.GONE]]
    assert {(verdict, other): number for (other, verdict), number in there.verdicts.items()} == back.verdicts
    assert counts[What.GONE] + counts[What.CHANGED] + there.same == len(old.items)
    assert counts[What.APPEARED] + counts[What.CHANGED] + there.same == len(new.items)
    assert there.is_different == back.is_different


@given(plans, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(plan: Plan, chance: random.Random) -> None:
    other = list(plan.items)
    chance.shuffle(other)
    assert not compare(plan, structs.replace(plan, items=tuple(other))).is_different


def item(name: str, verdict: Verdict = Verdict.KEEP, *reasons: Reason, **more: Any) -> Item:
    named = PodName("n1", "shop", name, b"", "ReplicaSet/web")
    return Item(
        named, ContainerName("api", ContainerType.CONTAINER), Prediction("1.30.14", verdict, reasons), **more
    )


def plan(*items: Item, **more: Any) -> Plan:
    return Plan("1.30.14", "1.31.14", items, **more)


def test_a_pod_more_is_one_change_wherever_it_is() -> None:
    difference = compare(plan(item("b"), item("c")), plan(item("a", Verdict.RESTART), item("b"), item("c")))
    assert difference.items == (
        ItemChange(What.APPEARED, "Container", "n1", "shop", "a", "api", None, Verdict.RESTART),
    )
    assert (difference.same, difference.verdicts) == (2, {(None, Verdict.RESTART): 1})


def test_containers_of_one_name_are_told_apart_by_their_owners() -> None:
    """A Deployment and a CronJob may have one name, and so may the pods of their templates."""
    cron, web = (
        structs.replace(item("a"), pod=PodName("", "shop", "a", b"", owner))
        for owner in ("CronJob/a", "Job/a")
    )
    changed = structs.replace(web, prediction=item("a", Verdict.RESTART).prediction)
    difference = compare(plan(cron, web), plan(changed, cron))
    assert [[edit.place for edit in change.edits] for change in difference.items] == [["verdict"]]
    assert (difference.same, compare(plan(cron, web), plan(cron)).counts[What.GONE]) == (1, 1)


def test_a_verdict_and_its_reasons_by_their_rules() -> None:
    old = item(
        "a", Verdict.RESTART, Reason("HC004", "was added", "volumeDevices", "VolumeDevices"), to_hash=7
    )
    new = item("a", Verdict.KEEP, Reason("HC002", "not compared"), to_hash=8)
    (change,) = compare(plan(old), plan(new)).items
    assert change.path == "$.items[n1/shop/a/api]"
    assert [(edit.place, edit.old, edit.new) for edit in change.edits] == [
        ("reasons[HC002]", "absent", {"text": "not compared", "field": ""}),
        ("reasons[HC004 volumeDevices]", {"text": "was added", "field": "VolumeDevices"}, "absent"),
        ("verdict", "RESTART", "KEEP"),
        ("hash.to", 7, 8),
    ]


def test_what_differs_between_any_two_plans_does_not_count() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    first = plan(item("a", line=1), making=Making(moment, version="1.0.0"))
    other = plan(item("a", line=9), origin=Origin(cluster="c"))
    difference = compare_plans(first, other, ("a.json", "b.json"))
    assert not difference.is_different
    assert (difference.old.file, difference.old.made, difference.old.tool, difference.new.cluster) == (
        "a.json",
        moment,
        "1.0.0",
        "c",
    )


def test_what_surrounds_the_items() -> None:
    difference = compare(
        plan(assumptions=("a", "b"), hops=(Hop("1", "2", 1, 0, ()),)),
        plan(assumptions=("a",), hops=(Hop("1", "2", 3, 0, ()),), overridden=True),
    )
    assert [(edit.place, edit.old, edit.new) for edit in difference.edits] == [
        ("$.spec.assumptions[1]", "b", "absent"),
        ("$.spec.hops[1 -> 2].findings", 1, 3),
        ("$.spec.overrideNodeReleases", False, True),
    ]


def snapshot(*objects: Any, with_hashes: bool = False) -> SnapshotRows:
    taken = hashcompat.snapshot(list(objects), with_hashes=with_hashes)
    return rows_of(json.loads(hashcompat.to_json(taken)))


WEB = {"name": "web", "image": "web:1", "env": [{"name": "A", "value": "secret"}]}
SIDE = {"name": "side", "image": "side:1"}


def test_snapshots_by_names() -> None:
    old = snapshot(node("v1.30.14"), pod(WEB, SIDE), pod(SIDE, name="gone"), mirror_pod(SIDE, name="m"))
    changed = {**WEB, "image": "web:2", "env": [*WEB["env"], {"name": "B", "value": "more"}]}
    new = snapshot(pod(name="new"), node("v1.31.14"), pod(SIDE, changed), mirror_pod(SIDE, name="m"))
    difference = compare(old, new)
    assert [(change.what.value, change.kind, change.path) for change in difference.items] == [
        ("changed", "Node", "$.items[n1]"),
        ("gone", "Pod", "$.items[ns/gone]"),
        ("appeared", "Pod", "$.items[ns/new]"),
        ("changed", "Pod", "$.items[ns/p]"),
    ]
    assert [(edit.place, edit.old, edit.new) for edit in difference.items[-1].edits] == [
        ("spec.containers[web].env[B]", "absent", {"name": "B", "value": "***"}),
        ("spec.containers[web].image", "web:1", "web:2"),
    ]
    assert (difference.same, compare(old, old).is_different) == (1, False)
    assert places(mirrored(difference)) == places(compare(new, old))


def test_elements_in_another_order_are_a_change() -> None:
    (change,) = compare(snapshot(pod(WEB, SIDE)), snapshot(pod(SIDE, WEB))).items
    assert {edit.place.partition("]")[0] for edit in change.edits} == {
        "spec.containers[0",
        "spec.containers[1",
    }


def test_hashes_of_snapshots_count_where_both_keep_them() -> None:
    other = {**WEB, "env": [{"name": "A", "value": "hidden"}]}
    hidden, kept = (
        [snapshot(pod(container), with_hashes=with_hashes) for container in (WEB, other)]
        for with_hashes in (False, True)
    )
    assert not compare(hidden[0], hidden[1]).is_different
    (change,) = compare(kept[0], kept[1]).items
    assert {edit.place.rpartition(".")[0] for edit in change.edits} == {
        "spec.containers[web].hashcompat.io/hashes"
    }
    mixed = compare(hidden[0], kept[1])
    assert (mixed.items, [edit.place for edit in mixed.edits]) == ((), ["$.spec.hashes"])


def test_numbers_of_another_kind_are_not_equal() -> None:
    def rows(value: object) -> SnapshotRows:
        text = json.dumps({"kind": "Node", "spec": {"a": value, "b": [value]}}).encode()
        return SnapshotRows("", {}, None, "", {RowName(RowKind.NODE, "", "n"): (text,)})

    for old, new in ((1, True), (1, 1.0), (0, False), (1 << 70, (1 << 70) + 1)):
        (change,) = compare(rows(old), rows(new)).items
        assert {edit.place.partition("[")[0] for edit in change.edits} == {"spec.a", "spec.b"}
        assert not compare(rows(old), rows(old)).is_different


def test_records_of_one_container_are_told_apart_by_their_order() -> None:
    def rows(*numbers: int) -> SnapshotRows:
        recorded = [
            {"uid": "u", "namespace": "ns", "pod": "", "container": "c", "attempt": number, "hash": "h1"}
            for number in numbers
        ]
        items = [{"kind": "Pod", "metadata": {"namespace": "ns", "name": "p", "uid": "u"}, "spec": {}}]
        return rows_of({"spec": {}, "recorded": recorded, "sandboxes": [], "applied": [], "items": items})

    difference = compare(rows(1, 2), rows(1, 3, 4))
    assert [(change.what.value, change.path, change.edits) for change in difference.items] == [
        ("changed", "$.recorded[ns/p/c]", (Edit("attempt", 2, 3),)),
        ("appeared", "$.recorded[ns/p/c]", ()),
    ]
    assert difference.same == 2


def test_a_plan_and_a_snapshot_are_refused() -> None:
    with pytest.raises(InputError, match=r"one is a plan, and b\.json is a snapshot"):
        compare(plan(), snapshot(pod()), ("", "b.json"))


def test_the_api_takes_values_files_and_releases(tmp_path: Any) -> None:
    made = hashcompat.plan([pod(WEB)], "1.30.14", "1.31.14")
    (path := tmp_path / "plan.json").write_text(hashcompat.to_json(made))
    difference = hashcompat.diff(path, hashcompat.plan([pod(WEB)], "1.30.14", "1.32.13"))
    assert isinstance(difference, DocumentDifference)
    assert difference.is_different
    assert not hashcompat.diff(made, str(path)).is_different
    taken = hashcompat.snapshot([pod(WEB)])
    (tmp_path / "snapshot.json").write_bytes(hashcompat.to_json(taken).encode())
    assert not hashcompat.diff(taken, tmp_path / "snapshot.json").is_different
    assert hashcompat.diff("1.30.14", "1.31.14") == hashcompat.compare("1.30.14", "1.31.14")
    with pytest.raises(hashcompat.UsageError, match=r"1\.30 is a release, and the other one is none"):
        hashcompat.diff("1.30", path)
