"""What is left on a file system."""

from __future__ import annotations

import pytest

from hashcompat.preflight.facts.host import Usage, usage
from hashcompat.records.probes import UnreadError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/dev/vda1 10 2 8 20% /\n/dev/vda1 5 1 4 20% /\n", Usage(10 << 10, 2 << 10, 8 << 10, 5, 1, 4)),
        ("a b 10 2 -8 20% /my mount\n\na b - - - - /my mount\n", Usage(10 << 10, 2 << 10, -8 << 10, 0, 0, 0)),
    ],
)
def test_lines_of_df(text: str, expected: Usage) -> None:
    assert usage(text) == expected


@pytest.mark.parametrize("text", ["", "/dev/vda1 10 2 8 20% /\n", "x\ny\n", "/dev/vda1 10 2 8 20% /\nx\n"])
def test_what_is_not_of_df(text: str) -> None:
    with pytest.raises(UnreadError, match="want a line of df"):
        usage(text)
