"""PF-150: whole containers out of memory, and PF-151: less swap, for containers that are created."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import GONE, dump, failed, found, status, upgrade

CONFIG = ("file", "/var/lib/kubelet/config.yaml")
MOUNTS = ("file", "/proc/1/mounts")
SWAPS = ("file", "/proc/swaps")
V1 = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
ONE = "singleProcessOOMKill: true"


@pytest.mark.parametrize(
    ("current", "to", "changes", "expected"),
    [
        ("1.27.16", "1.28.0", {}, "WARN"),
        ("1.26.15", "1.37.1", {}, "WARN"),
        ("1.26.15", "1.27.16", {}, "OK"),
        ("1.28.0", "1.29.15", {}, "OK"),
        ("1.29.15", "1.27.16", {}, "OK"),
        ("1.27.16", "1.28.0", {MOUNTS: V1}, "OK"),
        ("1.27.16", "1.32.0", {CONFIG: ONE}, "OK"),
        ("1.27.16", "1.31.14", {CONFIG: ONE}, "WARN"),
        ("1.32.0", "1.31.14", {CONFIG: ONE}, "WARN"),
        ("1.31.14", "1.32.0", {CONFIG: ONE}, "OK"),
        ("1.31.14", "1.32.0", {CONFIG: "singleProcessOOMKill: false"}, "OK"),
        ("", "1.28.0", {}, "UNKNOWN"),
        ("", "1.27.16", {}, "OK"),
        ("1.27.16", "1.28.0", {MOUNTS: failed()}, "UNKNOWN"),
        ("1.27.16", "1.32.0", {CONFIG: failed()}, "UNKNOWN"),
    ],
)
def test_pf150_the_kernel_begins_to_end_whole_containers(
    current: str, to: str, changes: Any, expected: str
) -> None:
    """kubernetes/kubernetes#117793 (1.28) and #126096 (1.32)."""
    assert [row[0] for row in status("PF-150", dump(changes), upgrade(to, current))] == [expected]


def test_pf150_says_what_ends_and_how_to_choose() -> None:
    ((_, name, text),) = found("PF-150", dump({}), upgrade("1.28.0", "1.27.16"))
    assert name == "memory.oom.group"
    assert text.startswith(
        "in each container that kubelet 1.28.0 creates, the kernel ends all processes where "
    )


ON = {SWAPS: "Filename Type Size Used Priority\n/dev/dm-1 partition 1 0 -2\n"}
ALLOWED = "failSwapOn: false"
GATE = f"{ALLOWED}\nfeatureGates: {{NodeSwap: true}}"
OFF = f"{ALLOWED}\nfeatureGates: {{NodeSwap: false}}"
UNLIMITED = "\nmemorySwap: {swapBehavior: UnlimitedSwap}"
LIMITED = "\nmemorySwap: {swapBehavior: LimitedSwap}"


@pytest.mark.parametrize(
    ("current", "to", "config", "expected"),
    [
        ("1.27.16", "1.28.0", ALLOWED, "WARN"),
        ("1.26.15", "1.27.16", ALLOWED, "OK"),
        ("1.28.0", "1.30.0", ALLOWED, "OK"),
        ("1.27.16", "1.34.0", ALLOWED, "WARN"),
        ("1.27.16", "1.28.0", GATE + UNLIMITED, "OK"),
        ("1.27.16", "1.28.0", GATE, "OK"),
        ("1.28.0", "1.29.15", GATE, "OK"),
        ("1.29.15", "1.30.0", GATE, "WARN"),
        ("1.29.15", "1.30.0", GATE + LIMITED, "OK"),
        ("1.29.15", "1.30.0", ALLOWED + LIMITED, "OK"),
        ("1.27.16", "1.30.0", ALLOWED + LIMITED, "WARN"),
        ("1.30.0", "1.29.15", ALLOWED + LIMITED, "WARN"),
        ("1.27.16", "1.28.0", OFF, "WARN"),
        ("1.28.0", "1.27.16", ALLOWED, "OK"),
        ("1.27.16", "1.28.0", "failSwapOn: true", "OK"),
        ("", "1.28.0", ALLOWED, "UNKNOWN"),
        ("", "1.27.16", ALLOWED, "OK"),
    ],
)
def test_pf151_containers_lose_swap(current: str, to: str, config: str, expected: str) -> None:
    """configureContainerSwapResources of 1.28.15 - 1.34.10; 1.27.16 sets nothing without NodeSwap."""
    given = dump({**ON, CONFIG: config})
    assert [row[0] for row in status("PF-151", given, upgrade(to, current))] == [expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({SWAPS: "Filename Type Size Used Priority\n"}, "OK"),
        ({SWAPS: GONE}, "OK"),
        ({SWAPS: GONE, MOUNTS: GONE}, "UNKNOWN"),
        ({SWAPS: failed()}, "UNKNOWN"),
    ],
)
def test_pf151_without_swap_nothing_is_lost(changes: Any, expected: str) -> None:
    given = dump({CONFIG: ALLOWED, **changes})
    assert [row[0] for row in status("PF-151", given, upgrade("1.28.0", "1.27.16"))] == [expected]


def test_pf151_says_how_much_swap_there_was() -> None:
    ((_, name, text),) = found("PF-151", dump({**ON, CONFIG: ALLOWED}), upgrade("1.28.0", "1.27.16"))
    assert name == "memorySwap"
    assert text.endswith("kubelet 1.28.0 creates may use none of it, and those of the current one all of it")
