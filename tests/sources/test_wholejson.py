"""How many values a JSON text may have that is held whole."""

from __future__ import annotations

import json

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import documents
from hashcompat.sources.content import RefusedError

SIX = [1, {"a": 2}, 3, "x"]
"""With itself and what is below it, six values."""


def test_values_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_VALUES", 6)
    assert documents.loads(json.dumps(SIX)) == SIX
    assert list(documents.load_all(json.dumps(SIX))) == [SIX]
    for load in (documents.loads, documents.load_all):
        with pytest.raises(RefusedError, match="JSON of more than 6 values"):
            load(json.dumps([*SIX, []]))


def test_damaged_json_is_not_refused_for_its_size() -> None:
    with pytest.raises(InputError, match="not valid JSON") as caught:
        documents.loads("[")
    assert not isinstance(caught.value, RefusedError)
