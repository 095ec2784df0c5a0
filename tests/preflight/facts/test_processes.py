"""Processes: what lasts from one read to the next."""

from __future__ import annotations

from hashcompat.preflight.facts.processes import ALL, processes
from tests.helpers.dumps import dump, failed


def test_kernel_threads_and_what_changed_do_not_last() -> None:
    first, second = "1 0 S a\n9 2 D kworker\n5 1 D x\n6 1 D y\n", "1 0 S a\n9 2 D kworker\n5 1 D x\n6 1 S y\n"
    found = processes(dump({ALL: [first, second]}))
    assert [each.pid for each in found.lasting()] == ["1", "5"]
    assert found.watched


def test_one_read_is_not_watched() -> None:
    assert not processes(dump({ALL: [failed(), "1 0 S a b\n"]})).watched
    assert [each.name for each in processes(dump({ALL: "1 0 S a b\n"})).lasting()] == ["a b"]
