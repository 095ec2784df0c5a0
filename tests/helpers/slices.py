"""The slice of a suite that .ci/run asks for; what is beyond it is marked ``full``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")


def sliced(values: Iterable[Value], kept: Iterable[Value]) -> list[Any]:
    """Return all values as parameters of a test; those that are not kept are for .ci/full alone."""
    inside = list(kept)
    return [_param(value, () if value in inside else pytest.mark.full) for value in values]


def _param(value: object, marks: Any) -> Any:
    """Return a parameter; a tuple is one for several arguments."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks)


def releases(rows: Mapping[str, object], *facts: str) -> list[Any]:
    """Return every release with a Go program as a parameter.

    In the slice these are the newest of each combination of facts. ``rows`` are in the order of releases;
    ``facts`` are fields of a row, such as its era.
    """
    newest: dict[Hashable, str] = {
        tuple(getattr(row, fact) for fact in facts): release for release, row in rows.items()
    }
    return sliced(rows, newest.values())


def every(step: int, values: Iterable[Value]) -> list[Any]:
    """Return all values as parameters of a test; the slice has one of so many."""
    rows = list(values)
    return sliced(rows, rows[::step])
