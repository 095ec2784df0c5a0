"""Rows that are written by a form are those that are written one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from hashcompat import api
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Plan
from hashcompat.output.formats.documents import to_json
from hashcompat.output.report import rowtexts
from hashcompat.output.report.model import Rows
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.restartplan import ALIKE, item_document
from hashcompat.output.report.rowtexts import AlikeRows
from hashcompat.sources.files.collect import sample_path
from hashcompat.sources.files.saved import line

Row = tuple[str, tuple[str | int | None, ...]]
"""What a row shares, and its own values."""


def document(row: Row, own: Any) -> dict[str, Any]:
    shared, _ = row
    return {"z": own[0], "shared": [shared, "%s %d"], "a": {"c": own[1], "b": own[2]}}


LIKENESS = AlikeRows[Row](lambda row: row[0], lambda row: row[1], document)

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["hashcompat-own-0", "hashcompat-own-2", '"', "\\", ",", "%", "%s", "\x7f", "\ud800", "\u202e"]
    ),
)
OWN = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(0, 2**32))
ROWS = st.lists(st.tuples(TEXTS, st.tuples(OWN, OWN, OWN)), max_size=8)


@given(rows=ROWS)
def test_a_form_changes_no_text(rows: list[Row]) -> None:
    alike = Rows(rows, lambda row: document(row, row[1]), LIKENESS)
    plain = Rows(rows, lambda row: document(row, row[1]))
    for encoding in ("utf-8", "ascii"):
        assert "".join(to_json({"items": alike}, encoding)) == "".join(to_json({"items": plain}, encoding))
    texts = [*alike.texts(lambda row: line(row).decode(errors="surrogatepass"), json.dumps)]
    assert texts == [[line(row).decode(errors="surrogatepass"), json.dumps(row)] for row in map(dict, plain)]


def test_rows_beyond_the_most_forms_are_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rowtexts, "_MOST", 2)
    rows: list[Row] = [(str(number % 4), (number, "x", None)) for number in range(12)]
    texts = [text for (text,) in Rows(rows, lambda row: document(row, row[1]), LIKENESS).texts(json.dumps)]
    assert texts == [json.dumps(document(row, row[1])) for row in rows]


def test_items_of_a_plan_are_written_alike() -> None:
    plan = api.plan(str(sample_path()), from_="1.7.16", to="1.9.11")
    items = [*plan.items, *(without(item) for item in plan.items)]
    alike, plain = Rows(items, item_document, ALIKE), Rows(items, item_document)
    assert "".join(to_json({"items": alike})) == "".join(to_json({"items": plain}))


def without(item: Item) -> Item:
    """Return an item of a pod that nobody runs and no file holds."""
    return structs.replace(item, observed=None, pod=structs.replace(item.pod, file=""))


def test_a_document_that_is_written_once_is_the_whole_one() -> None:
    plan: Plan = api.plan(str(sample_path()), from_="1.7.16", to="1.9.11")
    assert PLAN.document is not None
    assert PLAN.sealed is not None
    content, seals = PLAN.sealed(plan)
    assert "".join(to_json(content, seals=seals)) == "".join(to_json(PLAN.document(plan)))
