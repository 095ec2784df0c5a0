"""A value with holes is the value itself once it is filled with its own texts, and never changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hashcompat.sources.holes import Places

LEAVES = st.text(max_size=3) | st.integers(0, 9)
JSON = st.recursive(
    st.dictionaries(st.text(max_size=2), LEAVES, max_size=3) | st.lists(LEAVES, max_size=3),
    lambda inner: (
        st.dictionaries(st.text(max_size=2), inner | LEAVES, max_size=3)
        | st.lists(inner | LEAVES, max_size=3)
    ),
    max_leaves=12,
)


def leaves(value: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield each text and number of a value, and where it is."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in pairs:
        if isinstance(inner, dict | list):
            yield from leaves(inner, (*steps, step))
        else:
            yield (*steps, step), inner


def put(value: Any, steps: tuple[str | int, ...], inner: Any) -> None:
    *above, last = steps
    for step in above:
        value = value[step]
    value[last] = inner


@given(JSON, st.data())
def test_every_text_and_number_can_be_another_one(value: Any, data: st.DataObject) -> None:
    every = list(leaves(value))
    chosen = data.draw(st.lists(st.sampled_from(every), unique_by=lambda one: one[0])) if every else []
    places, expected, before = Places(), copy.deepcopy(value), copy.deepcopy(value)
    values = [str(10 + hole) for hole in range(len(chosen))]
    for hole, (steps, inner) in enumerate(chosen):
        places.put(steps, hole)
        put(expected, steps, type(inner)(values[hole]))
    form = places.form(value)
    assert form.filled(tuple(values)) == expected
    assert form.filled(tuple(values)) is not form.filled(tuple(values))
    assert value == before
    assert sorted(places.holes()) == list(range(len(chosen)))


def test_the_rest_is_shared() -> None:
    rest = {"b": ["c"]}
    places = Places()
    places.put(("own", 0), 0)
    filled = places.form({"rest": rest, "own": ["x", "y"]}).filled(("z",))
    assert filled == {"rest": rest, "own": ["z", "y"]}
    assert filled["rest"] is rest
    assert places.at("own") == {0: 0}
    assert places.at("own", 1, "no") == {}
