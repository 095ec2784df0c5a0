"""Starts of kubelets that decide by more than hashes: their settings, and what happens meanwhile."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scripts.suites import servers
from scripts.suites.kubelets import Kubelet
from tests.helpers import processes
from tests.helpers.realserver import ADMIN
from tests.suites.reality import lab as labs
from tests.suites.reality import pods
from tests.suites.reality.lab import PODS, Lab
from tests.suites.reality.pods import NODE, OTHER_IMAGE, Json

CROWD: Final = 30
"""Pods of three containers each, which ask for nothing."""
RESERVED: Final = {"kubeReserved": {"cpu": "1"}}
_RESET: Final = "ChangeContainerStatusOnKubeletRestart"
_GATES: Final = {
    "InPlacePodLevelResourcesVerticalScaling": False,
    "PodLevelResources": False,
    "PodLevelResourcesFixDefaulting": False,
    "PodLevelResourcesFixKubeletQOSClass": False,
    "RestartAllContainersOnContainerExits": False,
    _RESET: True,
}
FIRST: Final = Kubelet("1.30.14")
_SECRETS: Final = "/api/v1/namespaces/default/secrets"
_SERVICES: Final = "/api/v1/namespaces/default/services"
_SLICES: Final = (
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    "?labelSelector=kubernetes.io%2Fservice-name%3Dserved"
)
SERVED: Final = {"served": "true"}
"""The labels of the pods of the Service."""


@dataclass(frozen=True)
class Step:
    """One start of another kubelet."""

    number: int
    old: Kubelet
    new: Kubelet
    about: str
    disturb: Callable[[Lab], None] = lambda _lab: None
    """What happens while no kubelet runs."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What is in the configuration file of the new kubelet beside the usual."""
    disturbed: tuple[str, ...] = ()
    """The pods of which pods alone do not show enough."""
    manifests_changed: tuple[str, ...] = ()
    """The static pods whose manifests are then others, or gone."""
    fewer: int = 0
    """How many pods fewer than there are now the node has room for after this start."""
    before: tuple[str, ...] = ()
    """A command that starts the new kubelet."""

    @property
    def name(self) -> str:
        return f"starting-{self.number}-{self.old.name}-to-{self.new.name}"

    @property
    def flags(self) -> list[str]:
        """The options of `plan`."""
        gates = self.settings.get("featureGates", {})
        listed = ",".join(f"{name}={str(on).lower()}" for name, on in gates.items())
        options = ["--from", self.old.release, "--to", self.new.release]
        return [*options, *(["--feature-gates", listed] if gates else [])]


def _finished(lab: Lab) -> None:
    """Let pods be finished that run."""
    for name, phase in (("failed-and-runs", "Failed"), ("succeeded-and-runs", "Succeeded")):
        lab.patch(f"{PODS}/{name}/status", {"status": {"phase": phase}})


def _changed_meanwhile(lab: Lab) -> None:
    """Change pods while no kubelet sees it."""
    lab.patch(f"{PODS}/deadline", {"spec": {"activeDeadlineSeconds": 1}})
    lab.patch(f"{PODS}/deadline-far", {"spec": {"activeDeadlineSeconds": 1_000_000}})
    lab.patch(f"{PODS}/image-new", {"spec": {"containers": [{"name": "new", "image": OTHER_IMAGE}]}})
    lab.api("DELETE", f"{_SECRETS}/lab")
    more = {"requests": {"memory": "20Mi"}, "limits": {"memory": "72Mi"}}
    resized = {"spec": {"containers": [{"name": "c", "resources": more}]}}
    lab.patch(f"{PODS}/resize-restarts/resize", resized)
    (lab.manifests / "static-gone.json").unlink()
    path = lab.manifests / "static-changed.json"
    manifest = json.loads(path.read_text())
    manifest["spec"]["containers"][0]["env"] = [{"name": "A", "value": "1"}]
    path.write_text(json.dumps(manifest))


OLDER, NEWER = Kubelet("1.36.5"), Kubelet("1.37.2")
STEPS: Final = (
    Step(1, FIRST, OLDER, "a volume without a plugin"),
    Step(2, OLDER, NEWER, "no room for CPU: a reservation grew", settings=RESERVED),
    Step(
        3,
        NEWER,
        OLDER,
        "changes that no kubelet saw",
        _changed_meanwhile,
        RESERVED,
        manifests_changed=(f"static-changed-{NODE}", f"static-gone-{NODE}"),
    ),
    Step(
        4,
        OLDER,
        NEWER,
        "features that are off, finished pods that run, and no room for pods: maxPods fell",
        _finished,
        {**RESERVED, "featureGates": _GATES},
        fewer=4,
    ),
    # git was created by 1.30.14 and never compared since.
    Step(
        5,
        NEWER,
        Kubelet("1.31.14"),
        "readiness, which older kubelets forget",
        settings=RESERVED,
        disturbed=("git",),
    ),
)


_KEPT, FORGOTTEN = "readiness, which is kept", "readiness, which is forgotten"
_BEFORE, _LAST, _AFTER = Kubelet("1.31.14"), Kubelet("1.34.12"), Kubelet("1.35.8")
READINESS: Final = (
    Step(11, _BEFORE, _LAST, FORGOTTEN),
    Step(12, _LAST, _AFTER, _KEPT),
    Step(7, _AFTER, _AFTER, FORGOTTEN, settings={"featureGates": {_RESET: True}}),
    Step(8, _AFTER, _AFTER, _KEPT),
    Step(9, _AFTER, _BEFORE, FORGOTTEN),
    Step(6, _BEFORE, _AFTER, _KEPT),
)
"""Steps of another node, on both sides of the release that keeps it, with the gate that says otherwise."""


ENDED: Final = Step(10, _BEFORE, _BEFORE, "what ended while no kubelet ran")
"""A start of the same release on a node of its own, which test_ended.py disturbs."""


STATIC_CPUS: Final = {
    "cpuManagerPolicy": "static",
    "reservedSystemCPUs": "0",
    "memoryManagerPolicy": "Static",
    "systemReserved": {"memory": "100Mi"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "101Mi"}}],
}
"""The policies by which a container has a CPU of its own: of two CPUs that which is not reserved."""
WHOLE_CORES: Final = {**STATIC_CPUS, "cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}
ONE_NODE: Final = {**STATIC_CPUS, "topologyManagerPolicy": "single-numa-node"}
_TOPOLOGY: Final = "/sys/devices/system/cpu/cpu$cpu/topology"
ONE_CORE: Final = (
    *("unshare", "--mount", "/bin/sh", "-c"),
    f"""set -e
    told=$(mktemp -d)
    echo 0 >"$told/core_id" && echo 0-1 >"$told/thread_siblings_list"
    for cpu in 0 1; do
        for name in core_id thread_siblings_list; do mount --bind "$told/$name" "{_TOPOLOGY}/$name"; done
    done
    exec "$@"
    """,
    "sh",
)
"""A command that shows two CPUs as the threads of one core to what it runs."""
_KEPT_CPUS, _NO_CPUS = "CPUs that are kept", "CPUs that a container has and does not get again"
CPUS: Final = (
    Step(13, OLDER, NEWER, _KEPT_CPUS, settings=STATIC_CPUS),
    Step(14, NEWER, OLDER, _KEPT_CPUS, settings=ONE_NODE),
    Step(15, OLDER, NEWER, _KEPT_CPUS, settings=WHOLE_CORES),
    Step(16, NEWER, OLDER, _NO_CPUS, settings=WHOLE_CORES, disturbed=("exclusive",)),
    Step(17, OLDER, _BEFORE, _NO_CPUS, settings=WHOLE_CORES, disturbed=(f"exclusive-{NODE}",)),
    Step(18, _BEFORE, NEWER, _KEPT_CPUS, settings=STATIC_CPUS, before=ONE_CORE),
    Step(19, NEWER, NEWER, _KEPT_CPUS, settings=WHOLE_CORES, before=ONE_CORE),
    Step(20, NEWER, OLDER, _NO_CPUS, settings=WHOLE_CORES, before=ONE_CORE, disturbed=("exclusive",)),
)
"""Steps of a node one of whose containers has a CPU of its own; test_cpus.py has its pods."""


def entries(when: int) -> Iterator[Json]:
    """Yield the pods that are created before a step, in the order of their creation."""
    entries_by_name = pods.read("starting.yaml")
    if when == 1:
        three = [{"name": "a"}, {"name": "b"}, {"name": "c"}]
        entries_by_name |= {f"crowd-{number}": {"containers": three} for number in range(CROWD)}
    for name, entry in entries_by_name.items():
        if entry.pop("when", 1) == when:
            yield pods.pod(name, entry, nodeName=NODE)


def repository(directory: Path) -> str:
    """Make a repository that the kubelet can clone."""
    git = ("git", "-C", str(directory), "-c", "user.name=t", "-c", "user.email=t@localhost")
    directory.mkdir()
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "one"], check=True)
    return f"file://{directory}"


def create(lab: Lab, when: int) -> None:
    """Create the pods of a step, each later than the one before where that decides about room."""
    for pod in entries(when):
        for volume in pod["spec"].get("volumes", ()):
            if "gitRepo" in volume:
                volume["gitRepo"]["repository"] = repository(lab.directory / "repository")
        if pod["metadata"]["name"].startswith("room-"):
            time.sleep(1.1)
        lab.cluster.create(PODS.replace("default", pod["metadata"]["namespace"]), pod)


def settle(lab: Lab, first: Kubelet = FIRST) -> None:
    """Create what the first kubelet has."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "lab"},
        "data": {"key": "MQ=="},
    }
    lab.cluster.create(_SECRETS, secret)
    for name, manifest in pods.static_pods("starting-static.yaml").items():
        (lab.manifests / name).write_text(json.dumps(manifest))
    lab.start(first)
    labs.wait_for_node(lab)
    create(lab, 1)
    lab.wait(60)


def renew(lab: Lab, when: int) -> None:
    """Delete the pods that ended, and the critical one once it has shown itself; create those of a step."""
    for pod in lab.pods():
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        if pod["status"].get("phase") in ("Failed", "Succeeded") or (when > 2 and name == "room-critical"):
            lab.api("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}?gracePeriodSeconds=0")
    create(lab, when)
    lab.wait()


def configured(node: Json, settings: Mapping[str, Any]) -> Json:
    """Return a Node with what it can give once a kubelet has these settings, as it shows when that starts.

    A kubelet updates its Node object before it reads the pods of the API server.
    """
    can_give = dict(node["status"]["allocatable"])
    if "maxPods" in settings:
        can_give["pods"] = str(settings["maxPods"])
    if reserved := settings.get("kubeReserved"):
        can_give["cpu"] = str(int(node["status"]["capacity"]["cpu"]) - int(reserved["cpu"]))
    return {**node, "status": {**node["status"], "allocatable": can_give}}


def became_ready(lab: Lab) -> dict[str, str]:
    """Return when each pod that is ready became so, by its name."""
    return {
        pod["metadata"]["name"]: condition["lastTransitionTime"]
        for pod in lab.pods()
        for condition in pod["status"].get("conditions", ())
        if condition["type"] == "Ready" and condition["status"] == "True"
    }


@contextmanager
def served(lab: Lab) -> Iterator[None]:
    """Let some pods be those of a Service, whose EndpointSlices follow them."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "served"},
        "spec": {"selector": SERVED, "ports": [{"port": 80}]},
    }
    lab.cluster.create(_SERVICES, service)
    user = lab.cluster.kubeconfig("endpointslices", {"token": ADMIN})
    command: list[str | Path] = [servers.built(servers.ENDPOINT_SLICES), user]
    with processes.running(command, lab.directory / "endpointslices.log"):
        yield


def slices(lab: Lab) -> Json:
    """Return the EndpointSlices that there are, as a list of the API server."""
    answer: Json = lab.api("GET", _SLICES)
    return answer


def endpoints_since(lab: Lab, then: Json) -> dict[str, list[bool]]:
    """Return whether each pod's endpoint was ready then, and each change since, by the name of the pod."""
    version = then["metadata"]["resourceVersion"]
    answer = lab.cluster.request("GET", f"{_SLICES}&watch=1&timeoutSeconds=3&resourceVersion={version}")
    events = [json.loads(line)["object"] for line in answer.content.splitlines()]
    readiness: dict[str, list[bool]] = {}
    for row in (*then["items"], *events):
        for endpoint in row["endpoints"] or ():
            seen = readiness.setdefault(endpoint["targetRef"]["name"], [])
            if seen[-1:] != [endpoint["conditions"]["ready"]]:
                seen.append(endpoint["conditions"]["ready"])
    return readiness
