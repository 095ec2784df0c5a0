"""Recorded hashes are joined with the containers they belong to, and counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hashcompat.model.plan import ContainerName, Item, PodName, Share, Verdict, share
from hashcompat.model.pods import Container, ContainerType, Pod
from hashcompat.model.records import Recorded
from hashcompat.records.index import index

CONTAINER = Container("app", ContainerType.CONTAINER, "$", {}, running=True)
POD = Pod(
    origin="f",
    namespace="shop",
    name="web-0",
    uid="u1",
    node="n",
    owner="",
    manifest=False,
    phase="Running",
    deleting=False,
    static=False,
    host_network=False,
    restart_policy="Always",
    references=(),
    automount=None,
    containers=(CONTAINER,),
)
RECORD = Recorded("u1", "shop", "web-0", "app", 7, running=True)


@pytest.mark.parametrize(
    ("pod", "record", "found"),
    [
        pytest.param(POD, RECORD, True, id="uid and container"),
        pytest.param(POD, replace(RECORD, uid="u2"), False, id="another pod of the same name"),
        pytest.param(
            replace(POD, static=True), replace(RECORD, uid="u2"), True, id="a mirror pod has a uid of its own"
        ),
        pytest.param(POD, replace(RECORD, uid=""), True, id="no uid told: namespace and name"),
        pytest.param(replace(POD, uid=""), RECORD, True, id="no uid in the pod: namespace and name"),
        pytest.param(
            POD, replace(RECORD, uid="", namespace=""), True, id="a log of 1.7: the pod's name alone"
        ),
        pytest.param(POD, replace(RECORD, uid="", namespace="other"), False, id="another namespace"),
        pytest.param(POD, replace(RECORD, container="sidecar"), False, id="another container"),
    ],
)
def test_a_record_belongs_to_a_container(pod: Pod, record: Recorded, *, found: bool) -> None:
    assert (index([record]).of(pod, CONTAINER) is not None) is found


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        pytest.param(replace(RECORD, running=False, attempt=3), RECORD, RECORD, id="the running one"),
        pytest.param(
            RECORD, replace(RECORD, running=False, attempt=3), RECORD, id="the running one, told first"
        ),
        pytest.param(
            replace(RECORD, attempt=1),
            replace(RECORD, attempt=2),
            replace(RECORD, attempt=2),
            id="the latest attempt",
        ),
        pytest.param(RECORD, replace(RECORD, hash=8), replace(RECORD, hash=8), id="the last one told"),
    ],
)
def test_of_several_records_one_counts(first: Recorded, second: Recorded, chosen: Recorded) -> None:
    assert index([first, second]).of(POD, CONTAINER) == chosen


def test_no_records_are_false() -> None:
    assert (bool(index([])), bool(index([RECORD]))) == (False, True)


def test_the_share_counts_what_has_a_record() -> None:
    name = PodName(POD.node, POD.namespace, POD.name, POD.uid, POD.owner)
    items = [
        Item(name, ContainerName("c", CONTAINER.type), "1.9.11", Verdict.KEEP, calibrated=value)
        for value in (True, True, False, None)
    ]
    assert str(share(items)) == "2 of 3 recorded hashes reproduced (66 %)"
    assert not share(items).complete
    assert Share(0, 0).complete
    assert str(Share(0, 0)) == "no recorded hash could be compared"
