"""The processes of a node."""

from __future__ import annotations

import pytest

from hashcompat.preflight.facts.processes import Row, option, rows


def test_lines_of_processes() -> None:
    assert rows("PID PPID S COMM\n1 0 S systemd\n22 1 D a b\n3 1\n") == (
        Row("1", "0", "S", "systemd"),
        Row("22", "1", "D", "a b"),
    )


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("shim\n-id\nabc\n", "abc"),
        ("shim\n--id\nabc\n", "abc"),
        ("shim\n-id=abc\n-x\n", "abc"),
        ("shim\nid\nabc\n", ""),
        ("shim\nid=abc\n", ""),
        ("shim\n-id\n", ""),
        ("", ""),
    ],
)
def test_options(arguments: str, value: str) -> None:
    assert option(arguments, "id") == value
