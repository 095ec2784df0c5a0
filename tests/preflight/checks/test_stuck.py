"""PF-313 and PF-413: processes that nothing can interrupt, and containers that never finished starting."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import GONE, dump, failed, status, upgrade

ALL = ("processes", "all")
LIST = "1 0 S systemd\n7 2 D kworker/0:1\nPID\n"
SLEEPS = "9 1 D tar\n"
STARTS = "8 1 S runc:[2:INIT]\n"


@pytest.mark.parametrize(
    ("check", "reads", "expected"),
    [
        ("PF-313", [LIST, LIST], ("OK", "")),
        ("PF-313", [LIST + SLEEPS, LIST + SLEEPS], ("WARN", "9")),
        ("PF-313", [LIST + SLEEPS], ("INFO", "9")),
        ("PF-313", [LIST, LIST + SLEEPS], ("OK", "")),
        ("PF-313", [LIST + SLEEPS, LIST], ("OK", "")),
        ("PF-313", [LIST + "9 1 D sync\n", LIST + SLEEPS], ("OK", "")),
        ("PF-313", [failed(), LIST + SLEEPS], ("INFO", "9")),
        ("PF-313", [LIST + SLEEPS, failed()], ("UNKNOWN", "")),
        ("PF-313", [GONE], ("UNKNOWN", "")),
        ("PF-413", [LIST + SLEEPS, LIST + SLEEPS], ("OK", "")),
        ("PF-413", [LIST + STARTS, LIST + STARTS], ("WARN", "8")),
        ("PF-413", [LIST + STARTS], ("INFO", "8")),
        ("PF-413", [LIST + STARTS, LIST], ("OK", "")),
        ("PF-413", [failed()], ("UNKNOWN", "")),
    ],
)
def test_pf313_and_pf413_what_lasts(check: str, reads: Any, expected: tuple[str, str]) -> None:
    assert status(check, dump({ALL: reads}), upgrade("1.31.0")) == [expected]
