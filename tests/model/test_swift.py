"""Values that are made fast are those of the frozen class."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from hashcompat.model.swift import swift


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    rows: list[int] = field(default_factory=list)
    shown: int = field(default=7, repr=False, compare=False)


SWIFT = swift(Value)


def test_a_value_is_one_of_the_frozen_class() -> None:
    made = SWIFT("a", [1], 2)
    assert type(made) is Value
    assert made == Value("a", [1])
    assert repr(made) == repr(Value("a", [1]))
    assert [getattr(made, one.name) for one in fields(made)] == ["a", [1], 2]
    assert replace(made, name="b") == Value("b", [1])
    for same in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 - made here
        assert same == made


def test_a_value_stays_as_it_is() -> None:
    with pytest.raises(FrozenInstanceError):
        SWIFT("a").name = "b"  # type: ignore[misc]


def test_defaults_are_those_of_the_class() -> None:
    one, other = SWIFT(name="a"), SWIFT("a")
    assert one == other == Value("a")
    assert one.shown == 7
    assert one.rows is not other.rows
    with pytest.raises(TypeError):
        SWIFT()  # type: ignore[call-arg]
