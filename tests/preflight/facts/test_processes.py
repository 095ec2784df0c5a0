"""The processes of a node."""

from __future__ import annotations

import pytest

from hashcompat.preflight.facts.processes import LIST, Process, option, processes_of, rows
from tests.helpers.dumps import dump, failed


def test_lines_of_processes() -> None:
    assert rows("PID PPID S COMM\n1 0 S systemd\n22 1 D a b\n3 1\n") == (
        Process("1", "0", "S", "systemd"),
        Process("22", "1", "D", "a b"),
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


def test_kernel_threads_and_what_changed_do_not_last() -> None:
    first, second = "1 0 S a\n9 2 D kworker\n5 1 D x\n6 1 D y\n", "1 0 S a\n9 2 D kworker\n5 1 D x\n6 1 S y\n"
    found = processes_of(dump({LIST: [first, second]}))
    assert [each.pid for each in found.lasting()] == ["1", "5"]
    assert found.watched


def test_one_read_is_not_watched() -> None:
    assert not processes_of(dump({LIST: [failed(), "1 0 S a b\n"]})).watched
    assert [each.name for each in processes_of(dump({LIST: "1 0 S a b\n"})).lasting()] == ["a b"]


@pytest.mark.parametrize("end", ["\r", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_a_name_with_the_end_of_a_line_in_it_is_one_process(end: str) -> None:
    name = f"x{end}7 1 D y"
    assert [each.name for each in rows(f"1 0 S {name}\n2 0 S z\n")] == [name, "z"]
    assert option(f"shim\n-x=1{end}-id=abc\n", "id") == ""
