"""One small input for each rule that a verdict can cite, and for each verdict that it can bring."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.dumps import GONE, as_text, dump
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import CPU_RESTARTS, GATE, MAIN, SIZED, C, changed, never, sidecar, with_status
from tests.helpers.upgrades import hash_of, record, recorded

FORM_FEED: Json = {**C, "args": ["a\fb"]}
SECURED: Json = {**C, "securityContext": {}}
SECCOMP: Json = {**C, "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}
PRIVILEGED: Json = {**C, "securityContext": {"privileged": True}}
PROBE: Json = {"startupProbe": {"exec": {"command": ["true"]}}}
EXPANDED: Json = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(A)"}]}
GPU: Json = {**C, "resources": {"limits": {"nvidia.com/gpu": "1"}}}
NOT_REQUIRED: Json = {
    **SIZED,
    "resizePolicy": [
        {"resourceName": "cpu", "restartPolicy": "NotRequired"},
        {"resourceName": "memory", "restartPolicy": "NotRequired"},
    ],
}
STRICT: Json = {"securityContext": {"supplementalGroupsPolicy": "Strict"}}
MEMORY_LIMIT: Json = {"resources": {"limits": {"memory": "1Gi"}}}
WAITING_RESIZE: Json = pod(
    {**SIZED, **CPU_RESTARTS},
    status={
        "phase": "Running",
        "conditions": [{"type": "PodResizePending", "status": "True"}],
        "containerStatuses": [
            {"name": "c", "restartCount": 0, "state": {"running": {}}, "allocatedResources": {"cpu": "500m"}}
        ],
    },
)
OWN_CLASS: Json = {
    "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
}
MEMORY_RESTARTS: Json = {"resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]}
REFERRING: Json = {"volumes": [{"name": "s", "secret": {"secretName": "s"}}]}
LOW: Json = {"key": "maintenance", "operator": "Lt", "value": "10"}
TAINT: Json = {"key": "maintenance", "value": "yes", "effect": "NoExecute"}
ENDED: Json = {"phase": "Failed"}
NOT_READY: Json = {
    "status": {
        "metadata": {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0},
        "state": "SANDBOX_NOTREADY",
    }
}
UNSANDBOXED: Json = pod(
    C,
    status={
        "phase": "Running",
        "conditions": [{"type": "PodReadyToStartContainers", "status": "False"}],
        "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"running": {}}}],
    },
)

OS = "kubernetes.io/os"
RULED: Json = {
    **C,
    "name": "ruled",
    "restartPolicy": "Never",
    "restartPolicyRules": [
        {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}
    ],
}

Hash = Callable[[str, Json], int]


@dataclass(frozen=True, slots=True)
class Input:
    """What ``explain`` is given; its container is ``c``."""

    rule: str
    """The rule that decides, the last of the reasons."""
    verdict: str
    old: str
    new: str
    objects: tuple[Json, ...]
    more: tuple[object, ...] = ()
    records: Callable[[Hash], tuple[Json, ...]] | None = None
    """Makes what a runtime recorded, with a function that hashes a container as a release does."""
    target: str = "ns/p/c"

    @property
    def name(self) -> str:
        """The name of the case, for a test."""
        return f"{self.rule} {self.verdict} {self.old} {self.new}"

    def arguments(self, run: Run, directory: Path) -> tuple[object, ...]:
        """Return the arguments of ``explain``, which reads standard input."""
        rows = (
            self.records(lambda release, container: hash_of(run, release, container)) if self.records else ()
        )
        way = ("--from", self.old, "--to", self.new)
        return (self.target, *way, "-f", "-", *self.more, *_told(directory, rows))

    @property
    def stdin(self) -> bytes:
        """The objects as a file."""
        return as_json(*self.objects)


def _told(directory: Path, rows: tuple[Json, ...]) -> tuple[object, ...]:
    """Write what a runtime lists of containers, or shows of sandboxes, and return the option for it."""
    if any("hashcompat" in row for row in rows):
        (directory / "dump.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return ("--recorded", directory / "dump.jsonl")
    if not any("status" in row for row in rows):
        return recorded(directory, *rows) if rows else ()
    (directory / "sandboxes.json").write_text(json.dumps(rows))
    return ("--recorded", directory / "sandboxes.json")


def _mislabelled() -> Json:
    made = host("1.24.17", labels={OS: "windows"})
    made["status"]["nodeInfo"]["operatingSystem"] = "linux"
    return made


def host(release: str = "1.32.13", **more: Json | list[Json] | str) -> Json:
    """Return a node with labels, taints, features and a runtime."""
    made = node(f"v{release}")
    made["metadata"]["labels"] = more.get("labels", {"disk": "ssd"})
    made["spec"] = {"taints": more.get("taints", [])}
    made["status"]["features"] = more.get("features", {})
    made["status"]["nodeInfo"]["containerRuntimeVersion"] = more.get("runtime", "")
    return made


ALONE: Json = {**C, "resources": {"limits": {"cpu": "4", "memory": "1Gi"}}}
"""A container that has CPUs of its own."""


def _given_nothing(of: Hash) -> tuple[Json, ...]:
    """Return the dump of a node whose kubelet has no flags, with a privileged container."""
    listed = {"containers": [record(of("1.11.10", PRIVILEGED))]}
    given = dump({("docker", "list"): GONE, ("cri", "containers"): json.dumps(listed)})
    return tuple(map(json.loads, as_text(given).splitlines()))


def _dump(default: str, other: str) -> Callable[[Hash], tuple[Json, ...]]:
    """Return the dump of a node of which one CPU is reserved, and others have some, with such a container."""
    entries = {"uid-p": {"c": "8-11"}, "uid-other": {"c": other}}
    state = {"policyName": "static", "defaultCpuSet": default, "entries": entries, "checksum": 0}
    config = (
        "kind: KubeletConfiguration\ncpuManagerPolicy: static\nreservedSystemCPUs: '0'\n"
        "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\n"
    )

    def lines(of: Hash) -> tuple[Json, ...]:
        listed = {"containers": [record(of("1.35.8", ALONE))]}
        given = dump(
            {
                ("docker", "list"): GONE,
                ("cri", "containers"): json.dumps(listed),
                ("file", "/var/lib/kubelet/cpu_manager_state"): json.dumps(state),
                ("file", "/var/lib/kubelet/config.yaml"): config,
                ("file", "/sys/devices/system/cpu/online"): "0-11",
            }
        )
        return tuple(map(json.loads, as_text(given).splitlines()))

    return lines


def small() -> Json:
    """Return a node with one CPU."""
    made = host()
    made["status"]["allocatable"] = {"cpu": "1", "pods": "110"}
    return made


def asking(name: str = "p", day: str = "2026-02-01") -> Json:
    """Return a pod that asks for one CPU, created on a day."""
    return pod(SIZED, name=name, metadata={**OWNED, "creationTimestamp": f"{day}T00:00:00Z"})


def serving(name: str = "p", day: str = "2026-02-01") -> Json:
    """Return a pod with the host port 8080, created on a day."""
    container = {**C, "ports": [{"containerPort": 80, "hostPort": 8080}]}
    return pod(container, name=name, metadata={**OWNED, "creationTimestamp": f"{day}T00:00:00Z"})


def heartbeating(time: str) -> Json:
    """Return a node whose kubelet renewed its status then."""
    made = host()
    made["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": time}]
    return made


def pressed(*names: str) -> Json:
    """Return a node with some conditions."""
    made = host()
    made["status"]["conditions"] = [{"type": name, "status": "True"} for name in names]
    return made


def limited(seconds: int, start: str = "2026-01-01T00:00:00Z") -> Json:
    """Return a pod that may run for some seconds from a start on."""
    status = {**with_status("containerStatuses"), "startTime": start}
    return pod(C, spec={"activeDeadlineSeconds": seconds}, status=status, metadata=OWNED)


def limited_static(seconds: int) -> Json:
    """Return the mirror pod of a static pod with a uid of its own that may run for some seconds."""
    made = mirror_pod(C, status=limited(seconds)["status"])
    made["spec"]["activeDeadlineSeconds"] = seconds
    uid = "00000000-0000-4000-8000-000000000000"
    made["metadata"]["annotations"] = {f"kubernetes.io/config.{name}": uid for name in ("hash", "mirror")}
    return made


def ended_with(code: int | None) -> Json:
    """Return a status in which the container ``ruled`` has ended, and ``c`` runs."""
    terminated = {} if code is None else {"exitCode": code}
    status = with_status("containerStatuses")
    status["containerStatuses"].append({"name": "ruled", "state": {"terminated": terminated}})
    return status


def manifest(container: Json) -> Json:
    """Return a pod that no API server has created yet."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"containers": [container]},
    }


def _started(at: str) -> Json:
    row = {"name": "c", "restartCount": 0, "state": {"running": {"startedAt": at}}}
    return pod(C, status={"phase": "Running", "containerStatuses": [row]})


def _pinned(given: Json) -> Json:
    """Return a mirror pod whose manifest sets the UID."""
    given["metadata"]["annotations"]["kubernetes.io/config.hash"] = "11111111-2222-3333-4444-555555555555"
    return given


def _waiting_sidecar() -> Json:
    row = {"name": "c", "started": False, "state": {"running": {}}}
    return {**sidecar(**PROBE), "status": {"phase": "Running", "initContainerStatuses": [row]}}


def _resized_before(hashed: Hash) -> tuple[Json, ...]:
    """Return the record of a container that was resized after it was created."""
    smaller = {**NOT_REQUIRED, "resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}}
    before = record(hashed("1.28.0", smaller))
    without = hashed("1.28.0", {**NOT_REQUIRED, "resources": {}})
    before["annotations"]["io.kubernetes.container.hashWithoutResources"] = f"{without:x}"
    return (before,)


def _one(value: int | None, container: str = "c") -> Callable[[Hash], tuple[Json, ...]]:
    return lambda _: (record(value, container=container),)


OWNED: Json = {
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": True}]
}
STATIC = "ns/p-n1/c"

OWN_USERS: Json = {"hostNetwork": True, "hostUsers": False}

INPUTS: tuple[Input, ...] = (
    Input("HC001", "RESTART", "1.15.12", "1.16.15", (pod(C, metadata=OWNED),)),
    Input("HC001", "RESTART", "1.30.14", "1.31.14", (pod(C),)),
    Input("HC002", "KEEP", "1.30.14", "1.31.0", (pod(C, status={"phase": "Succeeded"}),)),
    Input("HC002", "KEEP", "1.30.14", "1.31.14", (sidecar(),)),
    Input("HC003", "RESTART", "1.27.15", "1.27.16", (pod(FORM_FEED, metadata=OWNED),)),
    Input("HC003", "RESTART", "1.28.12", "1.28.11", (pod(FORM_FEED, metadata=OWNED),)),
    Input("HC004", "RESTART", "1.8.15", "1.9.0", (pod(C, metadata=OWNED),)),
    Input("HC005", "RESTART", "1.9.0", "1.8.15", (pod(C, metadata=OWNED),)),
    Input("HC006", "RESTART", "1.18.20", "1.19.0", (pod(SECCOMP, metadata=OWNED),)),
    Input("HC006", "RESTART", "1.19.0", "1.18.20", (pod(SECCOMP, metadata=OWNED),)),
    Input("HC007", "UNKNOWN", "1.4.12", "1.5.8", (mirror_pod(C),), target=STATIC),
    Input("HC008", "UNKNOWN", "auto", "1.9.11", (node("dev"), pod(C))),
    Input("HC010", "UNKNOWN", "1.27.3-gke.100", "1.27.16", (pod(FORM_FEED),)),
    Input("HC011", "UNKNOWN", "1.31.0", "1.32.0", (sidecar(),)),
    Input("HC012", "KEEP", "1.30.0", "1.31.0", (pod(C),), records=lambda of: (record(of("1.31.0", C)),)),
    Input("HC013", "RESTART", "1.9.11", "1.10.0", (pod(C, metadata=OWNED),), records=_one(1)),
    Input("HC014", "UNKNOWN", "1.9.11", "1.10.0", (pod(C, MAIN),), records=_one(1, "main")),
    Input("HC015", "RESTART", "1.35.0", "1.36.0", (pod(C, metadata=OWNED),), records=_one(None)),
    Input("HC016", "RESTART", "1.23.17", "1.24.0", (host("1.23.17", runtime="docker://20.10.7"), pod(C))),
    Input("HC017", "RESTART", "1.5.8", "1.6.0", (pod(C, metadata=OWNED),)),
    Input("HC017", "KILL", "1.5.8", "1.6.0", (never(),)),
    Input(
        "HC017",
        "KILL",
        "1.6.0",
        "1.5.8",
        (pod(MAIN, spec={"ephemeralContainers": [C]}, status=with_status("ephemeralContainerStatuses")),),
    ),
    Input("HC018", "RESTART", "1.1.8", "1.2.7", (pod(C, metadata=OWNED),)),
    Input("HC019", "RESTART", "1.32.0", "1.33.0", (pod({**SIZED, **CPU_RESTARTS}, metadata=OWNED),)),
    Input(
        "HC019",
        "RESTART",
        "1.35.8",
        "1.36.3",
        (pod({**C, **MEMORY_RESTARTS}, spec=MEMORY_LIMIT, metadata=OWNED),),
    ),
    Input("HC019", "UNKNOWN", "1.36.4", "1.37.1", (WAITING_RESIZE,)),
    Input("HC020", "KEEP", "1.28.0", "1.29.0", (pod(NOT_REQUIRED),), GATE, _resized_before),
    Input("HC021", "KILL", "1.33.0", "1.34.0", (mirror_pod(C, spec=REFERRING),), target=STATIC),
    Input("HC021", "KILL", "1.36.0", "1.37.0", (mirror_pod(C, spec=REFERRING),), target=STATIC),
    Input("HC022", "RESTART", "1.20.15", "1.21.14", (mirror_pod(C),), target=STATIC),
    Input("HC022", "KEEP", "1.20.15", "1.21.14", (mirror_pod(C, status=ENDED),), target=STATIC),
    Input(
        "HC023",
        "RESTART",
        "1.13.12",
        "1.13.12",
        (pod(SECURED, metadata=OWNED),),
        ("--apiserver-to", "1.14.2"),
    ),
    Input(
        "HC023",
        "UNKNOWN",
        "1.14.2",
        "1.14.4",
        (pod({**C, "securityContext": {"procMount": "Default"}}),),
    ),
    Input("HC024", "UNKNOWN", "1.13.12", "1.14.0", (manifest(C),)),
    Input("HC025", "RESTART", "1.30.0", "1.32.0", ({**sidecar(**PROBE)},)),
    Input("HC025", "UNKNOWN", "1.30.14", "1.32.13", (_waiting_sidecar(),)),
    Input("HC025", "UNKNOWN", "1.30.14", "1.35.3", (_waiting_sidecar(),)),
    Input("HC027", "RESTART", "1.30.0", "1.30.0", (pod(C, metadata=OWNED),), records=lambda _: (NOT_READY,)),
    Input("HC027", "UNKNOWN", "1.35.3", "1.36.3", (UNSANDBOXED,)),
    Input("HC028", "KEEP", "1.7.16", "1.9.11", (pod(C),), ("--assume-patch", "accept")),
    Input("HC030", "UNKNOWN", "1.32.0", "1.33.0", (manifest({**C, **CPU_RESTARTS, **SIZED}),)),
    Input(
        "HC031",
        "RESTART",
        "1.9.11",
        "1.10.0",
        (pod(C, metadata=OWNED),),
        records=lambda of: (record(of("1.7.16", C)),),
    ),
    Input("HC032", "UNKNOWN", "1.32.13", "1.33.2", (_started("2025-03-01T00:00:00Z"),)),
    Input("HC032", "RESTART", "1.32.13", "1.33.2", (_started("2024-06-02T14:20:10Z"),)),
    Input(
        "HC033",
        "KILL",
        "1.32.13",
        "1.33.13",
        (pod(C, spec={"nodeSelector": {"disk": "hdd"}}, metadata=OWNED), host()),
    ),
    Input(
        "HC033",
        "UNKNOWN",
        "1.24.17",
        "1.25.16",
        (pod(C, spec={"nodeSelector": {OS: "linux"}}), _mislabelled()),
    ),
    Input(
        "HC034",
        "UNKNOWN",
        "1.36.3",
        "1.37.1",
        (pod(C, spec={"tolerations": [LOW]}), host("1.36.3", taints=[{**TAINT, "value": "9"}])),
    ),
    Input("HC034", "KILL", "1.32.13", "1.33.13", (pod(C, metadata=OWNED), host(taints=[TAINT]))),
    Input(
        "HC035",
        "KILL",
        "1.29.15",
        "1.28.15",
        (pod(C, spec={"initContainers": [{**MAIN, "restartPolicy": "Always"}]}),),
    ),
    Input(
        "HC036",
        "KILL",
        "1.32.13",
        "1.33.13",
        (pod(C, spec=STRICT), host(features={"supplementalGroupsPolicy": False})),
    ),
    Input("HC036", "UNKNOWN", "1.32.13", "1.33.13", (pod(C, spec=STRICT), host())),
    Input(
        "HC037",
        "KILL",
        "1.32.13",
        "1.31.14",
        (pod(C, spec={"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}}),),
    ),
    Input(
        "HC037",
        "UNKNOWN",
        "1.10.13",
        "1.11.10",
        (pod(C, spec={"securityContext": {"sysctls": [{"name": "net.core.somaxconn", "value": "1"}]}}),),
    ),
    Input("HC038", "KILL", "1.25.9", "1.25.10", (pod(GPU),)),
    Input("HC043", "KILL", "1.35.8", "1.36.5", (pod(C, spec=OWN_USERS),)),
    Input(
        "HC043",
        "UNKNOWN",
        "1.35.8",
        "1.36.5",
        (pod(C, spec=OWN_USERS),),
        ("--feature-gates", "UserNamespacesHostNetworkSupport=true"),
    ),
    Input("HC048", "KILL", "1.32.13", "1.33.13", (small(), asking(), asking("old", "2026-01-01"))),
    Input("HC048", "UNKNOWN", "1.32.13", "1.33.13", (small(), asking(), asking("old", "2026-02-01"))),
    Input("HC053", "KILL", "1.35.8", "1.36.5", (pod(ALONE),), records=_dump("0-3", "4-7")),
    Input("HC053", "UNKNOWN", "1.35.8", "1.36.5", (pod(ALONE),), records=_dump("0-4", "5-7")),
    Input("HC057", "KILL", "1.11.10", "1.10.13", (pod(PRIVILEGED),), records=_given_nothing),
    Input("HC057", "UNKNOWN", "1.11.10", "1.10.13", (pod(PRIVILEGED),)),
    Input("HC051", "KILL", "1.32.13", "1.33.13", (host(), serving(), serving("old", "2026-01-01"))),
    Input("HC051", "UNKNOWN", "1.32.13", "1.33.13", (host(), serving(), serving("old", "2026-02-01"))),
    Input("HC056", "UNKNOWN", "1.32.13", "1.33.13", (pressed("DiskPressure"), pod(C, metadata=OWNED))),
    Input(
        "HC052",
        "KILL",
        "1.32.13",
        "1.33.13",
        (host(labels={OS: "linux"}), pod(C, metadata={**OWNED, "labels": {OS: "windows"}})),
    ),
    Input(
        "HC044",
        "KEEP",
        "1.30.14",
        "1.31.14",
        (
            pod(
                {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
                spec={"volumes": [{"name": "v", "rbd": {}}]},
            ),
        ),
    ),
    Input("HC046", "RESTART", "1.36.4", "1.36.5", (changed(image="docker.io/library/other:1"),)),
    Input("HC046", "UNKNOWN", "1.36.4", "1.36.5", (changed(image="sha256:0123"),)),
    Input(
        "HC049",
        "KILL",
        "1.32.13",
        "1.33.13",
        (heartbeating("2026-01-02T00:00:00Z"), limited(3600)),
    ),
    Input(
        "HC049",
        "UNKNOWN",
        "1.32.13",
        "1.33.13",
        (heartbeating("2026-01-02T00:00:00Z"), limited_static(3600)),
        target="ns/p-n1/c",
    ),
    Input(
        "HC054",
        "RESTART",
        "1.36.4",
        "1.36.5",
        (pod(C, metadata=OWNED),),
        records=lambda of: (record(of("1.36.4", C), state="CONTAINER_UNKNOWN"),),
    ),
    Input(
        "HC054",
        "KILL",
        "1.36.4",
        "1.36.5",
        (pod(C, spec={"restartPolicy": "Never"}, status=with_status("containerStatuses")),),
        records=lambda of: (record(of("1.36.4", C), state="CONTAINER_UNKNOWN"),),
    ),
    Input(
        "HC055",
        "KILL",
        "1.28.15",
        "1.27.16",
        (pod(C, spec={"initContainers": [{**C, "name": "s", "restartPolicy": "Always"}]}, metadata=OWNED),),
        records=lambda of: (
            record(of("1.28.15", C)),
            {
                "status": {
                    "metadata": {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0},
                    "state": "SANDBOX_NOTREADY",
                }
            },
        ),
    ),
    Input("HC050", "RESTART", "1.36.4", "1.36.5", (pod(C, RULED, status=ended_with(42)),)),
    Input("HC050", "UNKNOWN", "1.36.4", "1.36.5", (pod(C, RULED, status=ended_with(None)),)),
    Input(
        "HC045",
        "KILL",
        "1.31.13",
        "1.31.14",
        (pod(C, status=with_status("containerStatuses", phase="Failed")),),
    ),
    Input("HC039", "RESTART", "1.35.8", "1.36.5", (_pinned(mirror_pod(C, spec=OWN_CLASS)),), target=STATIC),
    Input(
        "HC039",
        "RESTART",
        "1.15.12",
        "1.16.15",
        (pod(C, spec={"initContainers": [{**SIZED, "name": "i"}]}, metadata=OWNED),),
    ),
    Input(
        "HC039",
        "KILL",
        "1.15.12",
        "1.16.15",
        (pod(C, spec={"initContainers": [{**SIZED, "name": "i"}], "restartPolicy": "Never"}),),
    ),
    Input("HC040", "UNKNOWN", "v1.30.1-aliyun.1", "v1.31.1-aliyun.1", (pod(C),)),
    Input("HC041", "KILL", "1.13.12", "1.14.10", (pod(EXPANDED, metadata=OWNED),)),
    Input("HC042", "UNKNOWN", "1.31.0", "1.33.13", (node("v1.30.14"), pod(C))),
)
