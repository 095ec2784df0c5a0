"""Runs of a saved plan's items: what is taken together is what the reader of single items makes of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.analysis.planning import make
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import DecodedRun
from hashcompat.core.go.jsonstream import parts
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.results import line_of
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.plan import PLAN
from hashcompat.sources.files import plans
from hashcompat.sources.files.collect import sample_cluster
from hashcompat.sources.files.saved import PlanRows, Saved, Summed
from hashcompat.sources.filters import Filters, select

Row = dict[str, Any]

OBSERVED = {"containerID": "c", "startedAt": None, "restartCount": 0, "running": True}
REASON = {"id": "HC004", "path": "volumeMounts[*].a", "field": "A", "text": "new field A"}


@cache
def document(*namespaces: str) -> Row:
    """Return the plan of the sample, or of some namespaces of it."""
    pods = sample_cluster()
    if namespaces:
        pods = select(pods, Filters(namespaces))
    plan = make(pods, "1.7.16", "1.9.11", View(default_catalog()))
    text = "".join(FORMATS["json"].render(PLAN, plan, Style()))
    made: Row = json.loads(text)
    return made


def plain() -> Row:
    """Return an item with a value in every key."""
    source = {"file": "a.yaml", "line": 7}
    observed = {**OBSERVED, "startedAt": "2024-05-25T05:41:59Z"}
    return {**copy.deepcopy(document()["items"][0]), "source": source, "observed": observed, "difference": 2}


def taken(*rows: Row, **how: Any) -> list[Item] | None:
    result = PlanRows().items(json.dumps(rows, **how))
    return result and result[0]


def read(text: str, *, together: bool) -> Plan | str:
    """Return the plan of a document without its digest, or what is wrong with it."""
    summed = Summed(PlanRows().items if together else None)
    chunks = [text[start : start + 4096] for start in range(0, len(text), 4096)]
    stream = parts(chunks, quick=summed.decoded if together else None)
    try:
        return plans.plan_of(Saved(stream, (plans.KIND,), plans.WANTED, summed))
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("indent", [None, 2])
def test_the_items_of_a_plan_are_plain(indent: int | None) -> None:
    rows = document()["items"]
    result = PlanRows().items(json.dumps(rows, indent=indent))
    assert result is not None
    plan = read(json.dumps(document()), together=False)
    assert isinstance(plan, Plan)
    assert tuple(result[0]) == plan.items
    assert result[1] == b"".join(map(line_of, rows))


def test_an_item_with_a_value_in_every_key_is_plain() -> None:
    rows = [plain(), {**plain(), "difference": None, "calibrated": True, "podRecreated": True}]
    result = PlanRows().items(json.dumps(rows, sort_keys=True))
    assert result is not None
    assert result[1] == b"".join(map(line_of, rows))
    assert [(item.line, item.difference, item.pod.file) for item in result[0]] == [
        (7, 2, "a.yaml"),
        (7, 0, "a.yaml"),
    ]


def test_containers_of_one_pod_share_its_name_and_equal_reasons() -> None:
    items = taken(plain(), {**plain(), "container": "d"}, {**plain(), "node": "other"}, plain())
    assert items is not None
    one, two, other, again = items
    assert one.pod is two.pod
    assert other.pod != one.pod == again.pod
    assert one.reasons is other.reasons


LEFT: dict[str, Callable[[Row], object]] = {
    "a missing key": lambda row: row.pop("workload"),
    "a missing object": lambda row: row.pop("observed"),
    "a missing hash": lambda row: row["hash"].pop("to"),
    "an unknown key": lambda row: row.update(standing="ALLOWED"),
    "an unknown key of a reason": lambda row: row.update(reasons=[{**REASON, "more": 1}]),
    "an unknown verdict": lambda row: row.update(verdict="MAYBE"),
    "a number for a name": lambda row: row.update(pod=1),
    "a long name": lambda row: row.update(pod="p" * 401),
    "a name that is not ASCII": lambda row: row.update(pod="ö"),
    "a hash of 33 bits": lambda row: row["hash"].update({"from": 1 << 32}),
    "a negative hash": lambda row: row["hash"].update({"from": -1}),
    "a hash with a fraction": lambda row: row["hash"].update({"from": 1.0}),
    "a huge number": lambda row: row["observed"].update(restartCount=1 << 64),
    "null for a boolean": lambda row: row.update(podRecreated=None),
    "no time": lambda row: row["observed"].update(startedAt="now"),
    "a time without a zone": lambda row: row["observed"].update(startedAt="2024-05-25T05:41:59"),
    "no list": lambda row: row.update(reasons={}),
    "no reason": lambda row: row.update(reasons=["HC004"]),
}


@pytest.mark.parametrize("edit", LEFT.values(), ids=LEFT)
def test_what_is_not_plain_is_left(edit: Callable[[Row], object]) -> None:
    row = plain()
    assert taken(plain(), row, ensure_ascii=False) is not None
    edit(row)
    assert taken(plain(), row, ensure_ascii=False) is None


@pytest.mark.parametrize("key", ["uid", "id", "from", "restartCount", "file"])
def test_a_key_that_is_there_twice_is_left(key: str) -> None:
    text = json.dumps([plain()])
    assert text.count(f'"{key}": ')
    assert PlanRows().items(text.replace(f'"{key}": ', f'"{key}": 1, "{key}": ', 1)) is None
    value = json.dumps("" if key in ("uid", "id", "file") else 0)
    assert PlanRows().items(text.replace(f'"{key}": ', f'"{key}": {value}, "{key}": ', 1)) is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[" * 5000, '["\\u0022"]', "[\ud800]"])
def test_what_is_no_list_of_items_is_left(text: str) -> None:
    assert PlanRows().items(text) is None


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 1 << 33), st.text(max_size=3), st.just([]), st.just({}),
    st.just("2024-05-25T05:41:59+02:00"), st.just("KEEP"), st.just("init"), st.just("p" * 1025),
    st.just({"file": "f", "line": None}), st.just(OBSERVED), st.just([REASON]), st.just([{"id": "HC001"}]),
)  # fmt: skip


def edited(rows: list[Row], where: int, below: str, key: str, value: object, *, drop: bool) -> None:
    row = rows[where % len(rows)]
    into = row[below] if below and isinstance(row.get(below), dict) else row
    if drop:
        into.pop(key, None)
    else:
        into[key] = value


KEYS = sorted({*plain(), *plain()["hash"], *plain()["observed"], *plain()["source"], "other"})


@pytest.mark.usefixtures("untraced")
@given(
    st.lists(
        st.tuples(
            st.integers(0, 100), st.sampled_from(["", "hash", "observed"]), st.sampled_from(KEYS), VALUES
        ),
        max_size=3,
    ),
    st.booleans(),
    st.booleans(),
)
def test_a_plan_is_the_same_without_runs(
    edits: list[tuple[int, str, str, object]], drop: bool, ascii_only: bool
) -> None:
    made = copy.deepcopy({key: value for key, value in document("shop").items() if key != "digest"})
    for edit in edits:
        edited(made["items"], *edit, drop=drop)
    text = json.dumps(made, indent=2, ensure_ascii=ascii_only)
    assert read(text, together=True) == read(text, together=False)


def test_any_edit_of_an_item_is_noticed() -> None:
    text = json.dumps(document(), indent=2)
    assert isinstance(read(text, together=True), Plan)
    assert "digest" in str(read(text.replace('"containerID": "', '"containerID": "0', 1), together=True))


def test_most_items_of_a_document_come_in_runs() -> None:
    summed = Summed(PlanRows().items)
    saved = Saved(parts([json.dumps(document(), indent=2)], quick=summed.decoded), (plans.KIND,), "", summed)
    runs = [run for run in saved.runs() if isinstance(run, DecodedRun)]
    assert sum(len(run.values) for run in runs) > 0.9 * len(document()["items"])
    saved.digest()
