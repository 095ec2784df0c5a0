"""PF-325: a node with less memory, or fewer CPUs, than are reserved on it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import dump, failed, status, upgrade

CONFIG = ("file", "/var/lib/kubelet/config.yaml")
MEMORY = ("file", "/proc/meminfo")
ARGUMENTS = ("arguments", "kubelet")
HALF = "systemReserved: {cpu: 500m}\n"
SMALL = {MEMORY: "MemTotal: 1048576 kB\n"}
EXACT = "kubeReserved: {memory: 512Mi}\nsystemReserved: {memory: 412Mi}\n"
OVER = "kubeReserved: {memory: 512Mi}\nsystemReserved: {memory: 413Mi}\n"
ONLINE = ("file", "/sys/devices/system/cpu/online")
CPUS = {ONLINE: "0-3"}
FLAGS = "/usr/bin/kubelet\n--kube-reserved=cpu=1,memory=600Mi\n--system-reserved=memory=500Mi\n"


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", {}, ("OK", "")),
        ("1.31.0", {**SMALL, CONFIG: EXACT}, ("OK", "")),
        ("1.31.0", {**SMALL, CONFIG: OVER}, ("ERROR", "memory")),
        ("1.8.0", {**SMALL, CONFIG: OVER}, ("ERROR", "memory")),
        ("1.7.16", {**SMALL, CONFIG: OVER}, ("OK", "")),
        ("1.31.0", {**SMALL, CONFIG: OVER + "evictionHard: {memory.available: 1%}"}, ("OK", "")),
        ("1.31.0", {**SMALL, CONFIG: OVER + "evictionHard: {memory.available: 99%}"}, ("ERROR", "memory")),
        ("1.31.0", {**SMALL, **CPUS, ARGUMENTS: FLAGS}, ("ERROR", "memory")),
        ("1.31.0", {**CPUS, CONFIG: HALF + "kubeReserved: {cpu: 3500m}"}, ("OK", "")),
        (
            "1.31.0",
            {**CPUS, CONFIG: HALF + "kubeReserved: {cpu: 3501m}"},
            ("ERROR", "cpu"),
        ),
        ("1.31.0", {**CPUS, CONFIG: "kubeReserved: {cpu: '3'}\nreservedSystemCPUs: 0-1"}, ("OK", "")),
        ("1.31.0", {CONFIG: "kubeReserved: {cpu: '3'}"}, ("UNKNOWN", "")),
        ("1.31.0", {**SMALL, CONFIG: "kubeReserved: {memory: much}"}, ("UNKNOWN", "")),
        ("1.31.0", {MEMORY: "Buffers: 1 kB\n"}, ("UNKNOWN", "")),
        ("1.31.0", {MEMORY: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CONFIG: failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf325_more_reserved_than_there_is(to: str, changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-325", dump(changes), upgrade(to)) == [expected]
