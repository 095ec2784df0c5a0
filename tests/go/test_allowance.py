"""What one run may keep: a limit is reached exactly, and refused with what to do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hashcompat.errors import InputError
from hashcompat.go import allowance
from hashcompat.go.allowance import Allowance


def test_a_limit_may_be_reached_but_not_passed() -> None:
    found = Allowance(5, "pods", "give fewer")
    found.take(2)
    found.take(3)
    with pytest.raises(InputError, match="more than 5 pods, the most of one run; give fewer"):
        found.take(1)


def test_a_limit_grows_with_the_input() -> None:
    found = Allowance(5, "bytes", "give fewer")
    found.extend(5)
    found.extend(2)
    found.take(7)
    with pytest.raises(InputError, match="more than 7 bytes"):
        found.take(1)


@pytest.mark.parametrize(
    ("make", "most", "remedy"),
    [
        (allowance.containers, allowance.MOST_CONTAINERS, "--namespace or --node"),
        (allowance.names, allowance.MOST_OF_NAMES, "part of the pods"),
        (allowance.hashes, allowance.MOST_HASHES, "fewer releases"),
        (allowance.of_records, allowance.MOST_OF_RECORDS, "some nodes"),
        (allowance.nodes, allowance.MOST_NODES, "one cluster"),
        (allowance.of_nodes, allowance.MOST_OF_NODES, "nodes of the pods alone"),
        (allowance.controllers, allowance.MOST_CONTROLLERS, "part of the objects"),
        (allowance.lists, allowance.MOST_LISTS, "one list"),
        (allowance.explained, allowance.MOST_EXPLAINED, "name one container"),
    ],
)
def test_every_limit_says_what_to_do(make: Callable[[], Allowance], most: int, remedy: str) -> None:
    make().take(most)
    with pytest.raises(InputError, match=f"more than {most:,} .*{remedy}"):
        make().take(most + 1)


def test_the_limits_cover_what_kubernetes_supports() -> None:
    assert allowance.MOST_CONTAINERS >= 300_000
    assert allowance.MOST_HASHES >= 20 * 300_000
    assert len("a" * 253) < allowance.LONGEST_NAME


def test_only_names_that_no_api_server_accepts_count() -> None:
    assert allowance.odd("", "a" * 400, f"{'a' * 63}/StatefulSet/{'b' * 253}") == 0
    assert 401 < allowance.odd("a" * 401) < 500
    assert allowance.odd("\N{GRINNING FACE}" + "a" * 100, "b") > 400
