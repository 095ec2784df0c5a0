"""PF-213: swap under a kubelet that does not start with it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import GONE, dump, failed, found, status, upgrade

SWAPS = ("file", "/proc/swaps")
CONFIG = ("file", "/var/lib/kubelet/config.yaml")
ON = {SWAPS: "Filename Type Size Used Priority\n/dev/dm-1 partition 1 0 -2\n/swap file 1 0 -3\n"}
ALLOWED = {**ON, ("arguments", "kubelet"): "/usr/bin/kubelet\n--fail-swap-on=false\n"}


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", {}, "OK"),
        ("1.31.0", {SWAPS: ""}, "OK"),
        ("1.31.0", {SWAPS: GONE}, "OK"),
        ("1.31.0", {SWAPS: GONE, ("file", "/proc/1/mounts"): GONE}, "UNKNOWN"),
        ("1.7.16", ON, "OK"),
        ("1.8.0", ON, "ERROR"),
        ("1.37.1", ON, "ERROR"),
        ("1.31.0", {**ON, CONFIG: "failSwapOn: false"}, "OK"),
        ("1.31.0", {**ON, CONFIG: "failSwapOn: true"}, "ERROR"),
        ("1.31.0", ALLOWED, "OK"),
        ("1.31.0", {**ON, ("arguments", "kubelet"): "/usr/bin/kubelet\n--fail_swap_on=false\n"}, "OK"),
        ("1.31.0", {**ON, CONFIG: failed()}, "UNKNOWN"),
        ("1.31.0", {SWAPS: failed()}, "UNKNOWN"),
    ],
)
def test_pf213_swap(to: str, changes: Any, expected: str) -> None:
    assert [state for state, _ in status("PF-213", dump(changes), upgrade(to))] == [expected]


def test_pf213_names_the_devices() -> None:
    ((_, where, text),) = found("PF-213", dump({**ON}), upgrade("1.31.0"))
    assert (where, text) == (
        "/proc/swaps",
        "swap is on (/dev/dm-1, /swap), with which kubelet 1.31.0 does not start",
    )
