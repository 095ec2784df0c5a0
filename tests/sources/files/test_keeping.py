"""Records share their texts, and are refused where all of them take too much memory."""

from __future__ import annotations

import pytest
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.verdicts import Applied, Record, Recorded, Sandbox
from hashcompat.sources.files.dumps import Keeper

RECORDED = Recorded("u1", "shop", "web-0", "app", 7, running=True, id="i1")
SANDBOX = Sandbox("u1", "shop", "web-0", ready=True, ip="10.0.0.1")
APPLIED = Applied("u1", "app", {"limits": {"cpu": "1"}, "claims": [{"name": "a"}]})


def copied(text: str) -> str:
    """Return an equal text in another place."""
    return "".join(list(text))


def room_for(monkeypatch: pytest.MonkeyPatch, size: int) -> Keeper:
    monkeypatch.setattr(allowance, "MOST_OF_RECORDS", size)
    return Keeper()


@pytest.mark.parametrize("record", [RECORDED, SANDBOX, APPLIED])
def test_a_record_stays_equal(record: Record) -> None:
    assert Keeper().kept(record) == record


def test_names_are_kept_once() -> None:
    keeper = Keeper()
    first = keeper.kept(RECORDED)
    second = keeper.kept(structs.replace(SANDBOX, uid=copied(SANDBOX.uid), pod=copied(SANDBOX.pod)))
    assert isinstance(first, Recorded)
    assert isinstance(second, Sandbox)
    assert (first.uid is second.uid, first.pod is second.pod) == (True, True)


def test_records_of_few_names_take_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of the first are counted, and those of the others only where they are new."""
    keeper = room_for(monkeypatch, 5_000)
    for attempt in range(8):
        keeper.kept(structs.replace(RECORDED, attempt=attempt))
    others = (structs.replace(RECORDED, uid="u" * length) for length in range(1_000, 1_008))
    with pytest.raises(InputError, match="more than 5,000 bytes of records"):
        list(map(keeper.kept, others))


@pytest.mark.parametrize(
    "record",
    [
        structs.replace(RECORDED, pod="p" * 9_000),
        structs.replace(RECORDED, id="i" * 9_000),
        structs.replace(SANDBOX, ip="1" * 9_000),
        structs.replace(APPLIED, resources={"claims": [{"name": "n" * 9_000}]}),
        structs.replace(APPLIED, resources={"claims": [[] for _ in range(200)]}),
    ],
)
def test_long_texts_are_counted(monkeypatch: pytest.MonkeyPatch, record: Record) -> None:
    with pytest.raises(InputError, match="more than 9,000 bytes of records"):
        room_for(monkeypatch, 9_000).kept(record)


def test_what_is_read_may_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = room_for(monkeypatch, 10)
    keeper.saw(2_000)
    keeper.kept(RECORDED)
    with pytest.raises(InputError, match="more than 2,000 bytes of records"):
        list(map(keeper.kept, [RECORDED] * 9))
