"""Recorded hashes are joined with the containers they belong to, and counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.plan import Share, share
from hashcompat.core.model.pods import Container, ContainerType, Pod, StaticManifest
from hashcompat.core.model.verdicts import HiddenHash, Recorded, Sandbox, Verdict
from hashcompat.core.records.index import index

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
STARTED = datetime(2026, 1, 1, tzinfo=UTC)
RECORD = Recorded("u1", "shop", "web-0", "app", 7, running=True)


@pytest.mark.parametrize(
    ("pod", "record", "matches"),
    [
        pytest.param(POD, RECORD, True, id="uid and container"),
        pytest.param(POD, structs.replace(RECORD, uid="u2"), False, id="another pod of the same name"),
        pytest.param(
            structs.replace(POD, static=True),
            structs.replace(RECORD, uid="u2"),
            True,
            id="a mirror pod has a uid of its own",
        ),
        pytest.param(POD, structs.replace(RECORD, uid=""), True, id="no uid told: namespace and name"),
        pytest.param(structs.replace(POD, uid=""), RECORD, True, id="no uid in the pod: namespace and name"),
        pytest.param(
            POD, structs.replace(RECORD, uid="", namespace=""), True, id="a log of 1.7: the pod's name alone"
        ),
        pytest.param(POD, structs.replace(RECORD, uid="", namespace="other"), False, id="another namespace"),
        pytest.param(POD, structs.replace(RECORD, container="sidecar"), False, id="another container"),
    ],
)
def test_a_record_belongs_to_a_container(pod: Pod, record: Recorded, *, matches: bool) -> None:
    assert (index([record]).of(pod, CONTAINER) is not None) is matches


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        pytest.param(structs.replace(RECORD, running=False, attempt=3), RECORD, RECORD, id="the running one"),
        pytest.param(
            RECORD,
            structs.replace(RECORD, running=False, attempt=3),
            RECORD,
            id="the running one, told first",
        ),
        pytest.param(
            structs.replace(RECORD, attempt=1),
            structs.replace(RECORD, attempt=2),
            structs.replace(RECORD, attempt=2),
            id="the latest attempt",
        ),
        pytest.param(
            structs.replace(RECORD, uid="", attempt=1),
            structs.replace(RECORD, uid="", attempt=2, running=False),
            structs.replace(RECORD, uid="", attempt=1),
            id="without a uid the running one: the later one may be another pod's",
        ),
        pytest.param(
            structs.replace(RECORD, uid=""),
            structs.replace(RECORD, uid="", hash=8),
            structs.replace(RECORD, uid="", hash=8),
            id="without a uid the last one told",
        ),
        pytest.param(
            structs.replace(RECORD, running=False),
            structs.replace(RECORD, running=False, hash=8),
            structs.replace(RECORD, running=False, hash=8),
            id="of those that ended the last one told",
        ),
        pytest.param(
            structs.replace(RECORD, attempt=1),
            structs.replace(RECORD, attempt=2, hash=8),
            structs.replace(RECORD, attempt=2, hash=8),
            id="the latest attempt, whatever its hash",
        ),
        pytest.param(
            structs.replace(RECORD, id="b", created=STARTED + timedelta(1)),
            structs.replace(RECORD, id="a", created=STARTED, hash=8),
            structs.replace(RECORD, id="b", created=STARTED + timedelta(1)),
            id="the one that was created last, whatever its hash",
        ),
        pytest.param(
            structs.replace(RECORD, hash=HiddenHash(1)),
            structs.replace(RECORD, hash=8),
            structs.replace(RECORD, hash=8),
            id="one that a snapshot hides is not compared",
        ),
    ],
)
def test_of_several_records_one_counts(first: Recorded, second: Recorded, chosen: Recorded) -> None:
    assert index([first, second]).of(POD, CONTAINER) == chosen


@pytest.mark.parametrize("same", [{}, {"attempt": 1}, {"id": "a", "created": STARTED}])
def test_records_of_one_container_that_contradict_each_other_are_an_error(same: dict[str, Any]) -> None:
    first, second = (structs.replace(RECORD, hash=value, **same) for value in (7, 8))
    text = "shop/web-0/app: two of its records show it running with the hashes 7 and 8, and nothing shows"
    with pytest.raises(InputError, match=text):
        index([first, second])
    assert index([first, first]).of(POD, CONTAINER) == first


def test_no_records_are_false() -> None:
    assert (bool(index([])), bool(index([RECORD]))) == (False, True)


def test_the_share_counts_what_has_a_record() -> None:
    name = PodName(POD.node, POD.namespace, POD.name, POD.uid, POD.owner)
    items = [
        Item(name, ContainerName("c", CONTAINER.type), Prediction("1.9.11", Verdict.KEEP, calibrated=value))
        for value in (True, True, False, None)
    ]
    assert str(share(items)) == "2 of 3 recorded hashes reproduced (66 %)"
    assert not share(items).complete
    assert Share(0, 0).complete
    assert str(Share(0, 0)) == "no recorded hash could be compared"


LINE_TIME = datetime(2019, 1, 14, 18, tzinfo=UTC)
LINE = structs.replace(RECORD, hash=8, running=None, created=LINE_TIME)


@pytest.mark.parametrize(
    ("line", "created", "expected"),
    [
        pytest.param(LINE, LINE_TIME - timedelta(days=1), 8, id="created again since"),
        pytest.param(LINE, LINE_TIME + timedelta(seconds=9), 7, id="what was created then"),
        pytest.param(
            structs.replace(LINE, any_year=True), LINE_TIME - timedelta(days=1), 7, id="of no known year"
        ),
        pytest.param(structs.replace(LINE, created=None), LINE_TIME, 7, id="of no known time"),
    ],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_line_of_a_log_counts_where_it_is_later_than_the_container(
    line: Recorded, created: datetime, expected: int, *, reverse: bool
) -> None:
    told = [line, structs.replace(RECORD, created=created)]
    record = index(told[::-1] if reverse else told).of(POD, CONTAINER)
    assert record is not None
    assert record.hash == expected


def test_a_static_pod_whose_manifest_sets_its_uid_has_no_other() -> None:
    static = structs.replace(POD, static=True, static_manifest=StaticManifest({}, "n", "file:/x"))
    assert index([structs.replace(RECORD, uid="u2")]).of(static, CONTAINER) is None


def test_pods_of_one_name_keep_a_record_of_each_kind_of_uid() -> None:
    """The later one of a uid takes the place of the earlier one; of several uids the first one stays."""
    rows = [
        structs.replace(RECORD, uid=uid, hash=number, id=f"{number}", created=STARTED + timedelta(number))
        for number, uid in enumerate(("u1", "u2", "u1", "u3"))
    ]
    records = index(rows).by_name.of(("shop", "web-0", "app"))
    assert [(record.uid, record.hash) for record in records] == [("u1", 2)]
    given = "12345678-1234-1234-1234-123456789abc"
    rows += [structs.replace(RECORD, uid=uid, hash=number) for number, uid in enumerate((given, ""), 4)]
    records = index(rows).by_name.of(("shop", "web-0", "app"))
    assert [(record.uid, record.hash) for record in records] == [("u1", 2), (given, 4), ("", 5)]


def test_an_inspection_counts_before_a_list_in_any_order() -> None:
    listed = structs.replace(RECORD, running=False, id="a" * 64)
    inspected = structs.replace(listed, code=3)
    for records in ([listed, inspected], [inspected, listed]):
        assert index(records).of(POD, CONTAINER) == inspected


BOX = Sandbox("u", "ns", "p", ready=True, created=5_000_000_000, id="a")


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        pytest.param(
            [BOX, structs.replace(BOX, host_network=False, ip="10.0.0.1", created=5_700_000_000)],
            [structs.replace(BOX, host_network=False, ip="10.0.0.1", created=5_700_000_000, id="")],
            id="a list in seconds and an inspection",
        ),
        pytest.param(
            [structs.replace(BOX, host_network=True, created=None), BOX],
            [structs.replace(BOX, host_network=True, id="")],
            id="an inspection and a list",
        ),
        pytest.param(
            [BOX, structs.replace(BOX, ready=False)],
            [structs.replace(BOX, ready=False, id="")],
            id="not ready in a later dump",
        ),
        pytest.param(
            [structs.replace(BOX, ready=False), BOX],
            [structs.replace(BOX, ready=False, id="")],
            id="not ready in a later dump that was read first",
        ),
        pytest.param(
            [structs.replace(BOX, ip="10.0.0.1"), structs.replace(BOX, ip="")],
            [structs.replace(BOX, ip="", id="")],
            id="an address that was lost",
        ),
        pytest.param(
            [BOX, structs.replace(BOX, id="b", attempt=1)],
            [structs.replace(BOX, id=""), structs.replace(BOX, id="", attempt=1)],
            id="two sandboxes",
        ),
        pytest.param(
            [structs.replace(BOX, id=""), structs.replace(BOX, id="", attempt=1)],
            [structs.replace(BOX, id=""), structs.replace(BOX, id="", attempt=1)],
            id="of a source without ids",
        ),
    ],
)
def test_a_sandbox_counts_once_whatever_shows_it(shown: list[Sandbox], expected: list[Sandbox]) -> None:
    assert list(index(shown).sandboxes) == expected
