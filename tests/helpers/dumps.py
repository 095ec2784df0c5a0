"""Dumps of nodes for the checks of preflight: a healthy node, and whatever differs from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import count
from typing import Any

from hashcompat.analysis.preflight import examine
from hashcompat.analysis.preflight.checks import KubeletStart, Need
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.kubelet.alike import Servers
from hashcompat.core.model.preflight import Finding
from hashcompat.core.records.probes import Dump, Probe, dumps

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


INFO: dict[str, Any] = {
    "status": {
        "conditions": [{"type": "RuntimeReady", "status": True}, {"type": "NetworkReady", "status": True}]
    },
    "config": {
        "containerd": {
            "defaultRuntimeName": "runc",
            "runtimes": {"runc": {"options": {"SystemdCgroup": True}}},
        },
        "sandboxImage": "registry.k8s.io/pause:3.10",
    },
}
"""What ``crictl info`` prints of a healthy containerd."""

SANDBOX = "5" * 64
"""The id of a healthy pod's sandbox in Docker."""

APP = "a" * 64
"""The id of its container ``app``, whose process is 4321."""

KINDS = "io.kubernetes.docker.type"


def docker_row(identity: str, name: str, kind: str = "", state: str = "running", **more: Any) -> Any:
    """Return a container as Docker's list has it; ``name`` without the slash, ``more`` are labels."""
    labels = {KINDS: kind, **more} if kind else more
    return {"Id": identity, "Names": [f"/{name}"], "State": state, "Status": "Up 1 hour", "Labels": labels}


def inspected(identity: str, pid: int, *, running: bool = True, paused: bool = False) -> str:
    """Return what Docker shows of a container, reduced as the collector does it."""
    return json.dumps({"Id": identity, "State": {"Running": running, "Paused": paused, "Pid": pid}})


POD_ROWS = [
    docker_row(SANDBOX, "k8s_POD_p_ns_uid-p_0", "podsandbox"),
    docker_row(APP, "k8s_app_p_ns_uid-p_0", "container", **{"io.kubernetes.sandbox.id": SANDBOX}),
]
"""A healthy pod in Docker's list."""

CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBKDCBz6ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWswHhcNMjYw
MTAxMDAwMDAwWhcNMzYwNjAxMTIwMDAwWjAwMRUwEwYDVQQKDAxzeXN0ZW06bm9k
ZXMxFzAVBgNVBAMMDnN5c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEQOPD72ZxSc3MG9yKcEwUOJxbMDbJcV1Cl3HVoJPOgBrVBSGE2oIUuE0n
C3csT+OGOP69Zl1xnT59GuG3LhMCjDAKBggqhkjOPQQDAgNIADBFAiBur3aWc/Eu
5L3vbmO7wIdsqgZC4l15yOe2HCCMEPh53QIhAKpIP9p2ygOA+d3FE1DrKwLxzVjR
GSJmXYHp1sR7cEKa
-----END CERTIFICATE-----
"""
"""That of a kubelet's client, ``system:node:n1``, until June 2036."""

CGROUP = "/kubepods.slice/kubepods-poduid_p.slice"

HEALTHY: dict[Key, str | Probe | list[str | Probe]] = {
    ("docker", "version"): '{"Version":"20.10.24","ApiVersion":"1.41"}',
    ("docker", "list"): json.dumps(POD_ROWS),
    ("docker", f"inspect {SANDBOX}"): inspected(SANDBOX, 4320),
    ("docker", f"inspect {APP}"): inspected(APP, 4321),
    ("process", "4320"): f"S\n0::/kubepods/poduid-p/{SANDBOX}\n",
    ("process", "4321"): f"S\n0::/kubepods/poduid-p/{APP}\n",
    ("mappings", "/var/lib/kubelet/pods"): "",
    ("cgroups", "all"): f"{CGROUP}/docker-{SANDBOX}.scope\n{CGROUP}/docker-{APP}.scope\n",
    ("file", "/proc/1/mounts"): "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
    ("arguments", "kubelet"): "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n"
    "--container-runtime-endpoint=unix:///run/containerd/containerd.sock\n",
    ("file", "/var/lib/kubelet/config.yaml"): (
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n"
    ),
    ("filesystem", "/var/lib/kubelet"): (
        "/dev/vda1 103080204 20000000 78000000 21% /\n/dev/vda1 6553600 300000 6253600 5% /\n"
    ),
    (
        "processes",
        "all",
    ): "1 0 S systemd\n2 0 S kthreadd\n7 2 D kworker/0:1\n900 1 S dockerd\n"
    "700 1 S containerd-shim\n720 700 S pause\n",
    ("arguments", "700"): "/usr/bin/containerd-shim-runc-v2\n-namespace\nmoby\n-id\n" + SANDBOX + "\n",
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
    **{
        ("file", f"{place}/systemd/system/kubelet.service"): GONE
        for place in ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
    },
    ("file", "/etc/passwd"): "",
    ("file", "/proc/swaps"): "Filename Type Size Used Priority\n",
    ("file", "/proc/meminfo"): "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\nHugePages_Total: 0\n",
    ("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem"): CERTIFICATE,
    ("file", "/proc/sys/kernel/hostname"): "n1\n",
    ("directory", "/etc/cni/net.d"): "10-bridge.conf\n",
    ("file", "/etc/cni/net.d/10-bridge.conf"): '{"type":"bridge","ipam":{"type":"host-local"}}',
    ("directory", "/opt/cni/bin"): "bridge\nhost-local\nloopback\n",
    ("filesystem", "/var/lib/containerd"): "/dev/sda 1000 300 700 30% /\n/dev/sda 1000 100 900 10% /\n",
    ("cri", "version"): json.dumps(
        {"runtimeName": "containerd", "runtimeVersion": "v2.1.4", "runtimeApiVersion": "v1"}
    ),
    ("cri", "info"): json.dumps(INFO),
    ("cri", "images"): json.dumps({"images": [{"repoTags": ["registry.k8s.io/pause:3.10"]}]}),
    ("cri", "pods"): json.dumps({"items": []}),
}
"""What the checks read on a node where they find nothing."""


def dump(changes: dict[Key, str | Probe | list[str | Probe]] | None = None, *, complete: bool = True) -> Dump:
    """Return the dump of a healthy node with changes: texts, GONE, failed(...), or several of them."""
    probes: dict[Key, str | Probe | list[str | Probe]] = {**HEALTHY, **(changes or {})}
    return Dump("n1", "test", {key: tuple(_probes(key, value)) for key, value in probes.items()}, complete)


def _probes(key: Key, value: str | Probe | list[str | Probe]) -> Iterable[Probe]:
    for each in value if isinstance(value, list) else [value]:
        yield Probe(*key, each) if isinstance(each, str) else Probe(*key, each.text, each.problem)


NOW = datetime(2026, 6, 1, tzinfo=UTC)
"""When the checks of these tests are made."""

NOWHERE = NodeObjects()

NODE = frozenset({Need.NODE})

OBJECTS = frozenset({Need.OBJECTS})

ALL = frozenset(Need)


def upgrade(to: str, current: str = "", **more: Any) -> KubeletStart:
    """Return the start of a kubelet of a release on a node where another one runs, by its own API server."""
    catalog = default_catalog()
    target = catalog.kubelet(to)
    running = catalog.kubelet(current) if current else None
    more = {"servers": Servers(((target, ()),)), "runtimes": catalog.runtimes, "now": NOW, **more}
    before = catalog.hazards(running.release) if running else None
    return KubeletStart(target, catalog.hazards(target.release), running, before, **more)


def found(
    check: str,
    given: Dump,
    of: KubeletStart,
    cluster: NodeObjects = NOWHERE,
    needs: frozenset[Need] = NODE,
) -> list[tuple[str, str, str]]:
    """Return the status, the object and the text of what one check finds."""
    every = examine(given, of, (), cluster, needs)
    return [(each.status.value, each.object, each.text) for each in every if each.id == check]


def status(
    check: str,
    given: Dump,
    of: KubeletStart,
    cluster: NodeObjects = NOWHERE,
    needs: frozenset[Need] = NODE,
) -> list[tuple[str, str]]:
    """Return the status and the object of what one check finds."""
    return [row[:2] for row in found(check, given, of, cluster, needs)]


def containerd(version: str, **info: Any) -> dict[Key, str | Probe | list[str | Probe]]:
    """Return what a node with some version of containerd answers, and what differs in its ``info``."""
    answer = {"runtimeName": "containerd", "runtimeVersion": version, "runtimeApiVersion": ""}
    return {("cri", "version"): json.dumps(answer), ("cri", "info"): json.dumps({**INFO, **info})}


def docker(version: str, **info: Any) -> dict[Key, str | Probe | list[str | Probe]]:
    """Return what a node with some version of Docker and without CRI answers."""
    told = {"CgroupDriver": "systemd", "DockerRootDir": "/var/lib/docker", **info}
    return {
        ("cri", "version"): GONE,
        ("cri", "info"): GONE,
        ("docker", "version"): json.dumps({"Version": version}),
        ("docker", "info"): json.dumps(told),
    }


def unread(node: str = "n1") -> Dump:
    """Return the dump of a node on which nothing was read."""
    return Dump(node, "the API server", {})


def findings(check: str, given: Dump, of: KubeletStart) -> list[Finding]:
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
