"""PF-148: a memoryThrottlingFactor that begins to count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import dump, failed, found, status, upgrade

CONFIG = ("file", "/var/lib/kubelet/config.yaml")
MOUNTS = ("file", "/proc/1/mounts")
GIVEN = "memoryThrottlingFactor: 0.9"
V1 = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"


@pytest.mark.parametrize(
    ("current", "to", "changes", "expected"),
    [
        ("1.36.5", "1.37.2", {CONFIG: GIVEN}, "WARN"),
        ("1.31.14", "1.37.2", {CONFIG: GIVEN}, "WARN"),
        ("", "1.37.2", {CONFIG: GIVEN}, "WARN"),
        ("1.36.5", "1.37.2", {}, "OK"),
        ("1.36.5", "1.37.2", {CONFIG: f"{GIVEN}\nfeatureGates: {{MemoryQoS: false}}"}, "OK"),
        ("1.36.5", "1.37.2", {CONFIG: f"{GIVEN}\nfeatureGates: {{MemoryQoS: true}}"}, "OK"),
        ("1.36.5", "1.37.2", {CONFIG: GIVEN, MOUNTS: V1}, "OK"),
        ("1.37.1", "1.37.2", {CONFIG: GIVEN}, "OK"),
        ("1.35.8", "1.36.5", {CONFIG: GIVEN}, "OK"),
        ("1.36.5", "1.37.2", {CONFIG: failed()}, "UNKNOWN"),
        ("1.36.5", "1.37.2", {CONFIG: GIVEN, MOUNTS: failed()}, "UNKNOWN"),
    ],
)
def test_pf148_a_factor_that_begins_to_count(current: str, to: str, changes: Any, expected: str) -> None:
    """As pkg/features/kube_features.go and v1beta1/defaults.go of 1.36.5 and 1.37.2 have it."""
    assert [row[0] for row in status("PF-148", dump(changes), upgrade(to, current))] == [expected]


def test_pf148_says_what_the_kubelet_makes_of_it() -> None:
    ((_, name, text),) = found("PF-148", dump({CONFIG: GIVEN}), upgrade("1.37.2", "1.36.5"))
    assert name == "memoryThrottlingFactor"
    assert text.startswith("kubelet 1.37.2 sets memory.high of the containers that it creates, by ")
    assert "memoryThrottlingFactor 0.9 between" in text
