"""PF-225: images that a kubelet removes soon after it starts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.dumps import docker, dump, failed, status, upgrade

IMAGEFS = ("filesystem", "/var/lib/containerd")
CONFIG = ("file", "/var/lib/kubelet/config.yaml")
OTHER = json.dumps({"runtimeName": "other", "runtimeVersion": "1.0.0"})


def room(available: int, size: int = 1000) -> str:
    """Return what df prints."""
    return f"/dev/sda {size} 1 {available} 1% /\n/dev/sda 1 0 1 1% /\n"


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", {}, ("OK", "")),
        ("1.31.0", {IMAGEFS: room(151)}, ("WARN", IMAGEFS[1])),
        ("1.31.0", {IMAGEFS: room(160)}, ("OK", "")),
        ("1.6.13", {IMAGEFS: room(150)}, ("OK", "")),
        ("1.7.16", {IMAGEFS: room(150)}, ("WARN", IMAGEFS[1])),
        ("1.6.13", {IMAGEFS: room(100)}, ("WARN", IMAGEFS[1])),
        ("1.31.0", {IMAGEFS: room(10), CONFIG: "imageGCHighThresholdPercent: 100"}, ("OK", "")),
        ("1.31.0", {CONFIG: "imageGCHighThresholdPercent: 20"}, ("WARN", IMAGEFS[1])),
        ("1.31.0", {IMAGEFS: room(0, 0)}, ("OK", "")),
        (
            "1.23.17",
            {**docker("20.10.24", DockerRootDir="/d"), ("filesystem", "/d"): room(1)},
            ("WARN", "/d"),
        ),
        ("1.31.0", {("cri", "version"): OTHER}, ("UNKNOWN", "")),
        ("1.31.0", {IMAGEFS: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CONFIG: "imageGCHighThresholdPercent: much"}, ("UNKNOWN", "")),
    ],
)
def test_pf225_images_that_will_be_removed(to: str, changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-225", dump(changes), upgrade(to)) == [expected]
