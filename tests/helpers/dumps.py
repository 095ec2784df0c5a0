"""Dumps of nodes for the checks of preflight: a healthy node, and whatever differs from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from hashcompat.catalog.lookup import default_catalog
from hashcompat.model.preflight import Finding
from hashcompat.preflight import examine
from hashcompat.preflight.check import Upgrade
from hashcompat.records.probes import Dump, Probe, dumps

Key = tuple[str, str]

GONE = Probe("", "")
"""Stands for what is not there."""


def numbers() -> Callable[[object], str]:
    """Return what shortens the ids of tests: long arguments become numbers."""
    counted = count()
    return lambda value: value if isinstance(value, str) and len(value) < 9 else str(next(counted))


def failed(problem: str = "permission denied") -> Probe:
    """Stand for what could not be read."""
    return Probe("", "", problem=problem)


HEALTHY: dict[Key, str | Probe | list[str | Probe]] = {
    ("file", "/proc/1/mounts"): "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
    ("arguments", "kubelet"): "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n",
    ("file", "/var/lib/kubelet/config.yaml"): "kind: KubeletConfiguration\n",
    ("filesystem", "/var/lib/kubelet"): (
        "/dev/vda1 103080204 20000000 78000000 21% /\n/dev/vda1 6553600 300000 6253600 5% /\n"
    ),
    ("processes", "all"): "1 0 S systemd\n700 1 S containerd-shim\n720 700 S pause\n",
    ("file", "/var/lib/kubelet/cpu_manager_state"): (
        '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'
    ),
    **{
        ("file", f"/var/lib/kubelet/{name}"): GONE
        for name in (
            "memory_manager_state",
            "pod_status_manager_state",
            "dra_manager_state",
            "allocated_pods_state",
            "actuated_pods_state",
            "device-plugins/kubelet_internal_checkpoint",
        )
    },
}
"""What the checks read on a node where they find nothing."""


def dump(changes: dict[Key, str | Probe | list[str | Probe]] | None = None, *, complete: bool = True) -> Dump:
    """Return the dump of a healthy node with changes: texts, GONE, failed(...), or several of them."""
    probes: dict[Key, str | Probe | list[str | Probe]] = {**HEALTHY, **(changes or {})}
    return Dump("n1", "test", {key: tuple(_probes(key, value)) for key, value in probes.items()}, complete)


def _probes(key: Key, value: str | Probe | list[str | Probe]) -> Iterable[Probe]:
    for each in value if isinstance(value, list) else [value]:
        yield Probe(*key, each) if isinstance(each, str) else Probe(*key, each.text, each.problem)


def upgrade(to: str, current: str = "", **more: Any) -> Upgrade:
    """Return the start of a kubelet of a release on a node where another one runs."""
    catalog = default_catalog()
    target = catalog.kubelet(to)
    running = catalog.kubelet(current) if current else None
    return Upgrade(target, catalog.hazards(target.release), running, **more)


def found(check: str, given: Dump, of: Upgrade) -> list[tuple[str, str, str]]:
    """Return the status, the object and the text of what one check finds."""
    return [(finding.status.value, finding.object, finding.text) for finding in findings(check, given, of)]


def findings(check: str, given: Dump, of: Upgrade) -> list[Finding]:
    """Return what one check finds."""
    return [finding for finding in examine(given, of) if finding.id == check]


def as_text(given: Dump) -> str:
    """Write a dump as the collector prints it."""
    lines: list[dict[str, Any]] = [{"hashcompat": "dump", "node": given.node}]
    for (kind, name), probes in given.probes.items():
        key = {"hashcompat": "probe", "kind": kind, "name": name}
        lines += [{**key, **_state(probe)} for probe in probes]
    lines += [{"hashcompat": "end"}] if given.complete else []
    return "".join(json.dumps(line) + "\n" for line in lines)


def read_back(text: str) -> list[Dump]:
    """Read the dumps of a text."""
    return list(dumps(map(json.loads, text.splitlines()), "test"))


def _state(probe: Probe) -> dict[str, Any]:
    if probe.problem:
        return {"problem": probe.problem}
    return {"absent": True} if probe.text is None else {"text": probe.text}
