"""Names of tests: the same in every process, so that workers agree on them; and printable in a log."""

from __future__ import annotations

import re

import pytest

from tests.helpers.program import run_pytest
from tests.helpers.randomness import FRESH

LONGEST = 200
"""Characters of the part in brackets: more than that is an input, and wants a name."""


def collected(*paths: str, **variables: str) -> list[str]:
    """Return the ids of all tests there, the slow suites too, as a fresh process collects them."""
    out = run_pytest("--collect-only", "--quiet", "-p", "no:cacheprovider", "-m", "", *paths, **variables)
    return [line for line in out.splitlines() if "::" in line]


@pytest.mark.full
def test_ids_are_the_same_in_every_process() -> None:
    """One collection follows the other by seconds, in another order of hashes and another time zone.

    Several workers of one run show the same, for their orders of hashes differ: they refuse to begin.
    """
    ids, other = collected(PYTHONHASHSEED="1", TZ="Asia/Tokyo"), collected(PYTHONHASHSEED="2", TZ="UTC")
    assert ids == other
    assert len(ids) == len(set(ids)) > 1000


def test_ids_fit_a_log(request: pytest.FixtureRequest) -> None:
    """Those that run here, and, with fresh inputs, those of the suites that do not."""
    suites = collected("tests/suites") if FRESH else []
    first = [*suites, *(item.nodeid for item in request.session.items)]
    named = [(line, re.search(r"\[(.*)\]$", line)) for line in first]
    assert [line for line, match in named if match and len(match[1]) > LONGEST] == []
    assert [line for line in first if not line.isascii() or not line.isprintable()] == []
