"""Random small clusters, and what of their nodes may be upgraded at once, counted from the objects alone.

Nothing here is the package's own: ``Rules`` reads the JSON again, and tries every way to form batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

from tests.disruption.pods import budget, replica
from tests.helpers.pods import Json, mirror_pod, node

OLD, NEW = "1.8.15", "1.9.11"
"""Between these every container restarts that is not of a pod with the label ``keeps``."""

_ZONE = "topology.kubernetes.io/zone"
_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"


def cluster(random: Random) -> list[Json]:
    """Return the objects of a random cluster of up to nine nodes."""
    zones = random.choice([[], ["a"], ["a", "b"], ["a", "b", "c"]])
    workers = [f"w{number}" for number in range(random.randint(2, 8))]
    control = [f"cp-{number}" for number in range(random.choice([0, 0, 1, 3]))]
    objects = [_node(random, name, zones, name in control) for name in [*control, *workers]]
    objects += [_static(name, "etcd") for name in control]
    if random.random() < 0.4:
        objects += [
            _static(name, "proxy") for name in random.sample(workers, random.randint(1, len(workers)))
        ]
    for number in range(random.randint(1, 5)):
        objects += _owned(random, f"o{number}", workers)
    for number in range(random.randint(0, 2)):
        objects.append(_service(f"s{number}", {"tier": random.choice("xyz")}))
    return objects


def _node(random: Random, name: str, zones: Sequence[str], is_control: bool) -> Json:
    machine = node(f"v{OLD}", name)
    labels = {_ZONE: random.choice(zones)} if zones else {}
    machine["metadata"]["labels"] = labels | ({_CONTROL_PLANE: ""} if is_control else {})
    ready = "False" if random.random() < 0.05 else "True"
    machine["status"]["conditions"] = [{"type": "Ready", "status": ready}]
    return machine


def _static(on: str, name: str) -> Json:
    status = {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": name, "state": {"running": {}}}],
    }
    return mirror_pod({"name": name, "image": "i"}, name=name, node=on, status=status)


def _owned(random: Random, name: str, workers: Sequence[str]) -> Iterator[Json]:
    kind = random.choice(["StatefulSet", "StatefulSet", "StatefulSet", "DaemonSet"])
    size = random.randint(1, 5)
    nodes = random.sample(workers, min(size, len(workers))) if kind == "DaemonSet" else workers
    for number in range(len(nodes) if kind == "DaemonSet" else size):
        ready = random.choices(["True", "False", ""], [18, 2, 1])[0]
        labels = {"app": name, "tier": random.choice("xyz")}
        on = nodes[number] if kind == "DaemonSet" else random.choice(nodes)
        yield replica(
            f"{name}-{number}", on, owner=f"{kind}/{name}", ready=ready, metadata={"labels": labels}
        )
    if random.random() < 0.6:
        yield budget(name, name, minAvailable=random.randint(0, size))


def _service(name: str, selector: dict[str, str]) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"namespace": "ns", "name": name},
        "spec": {"selector": selector},
    }


class Rules:
    """What may be away at once, by the objects of a cluster."""

    def __init__(self, objects: Iterable[Json], steps: dict[str, str]) -> None:
        """``steps``: how each node is upgraded."""
        manifests = list(objects)
        self.steps = steps
        self.nodes = {
            manifest["metadata"]["name"]: manifest for manifest in manifests if manifest["kind"] == "Node"
        }
        self.pods = [manifest for manifest in manifests if manifest["kind"] == "Pod"]
        self.budgets = [manifest for manifest in manifests if manifest["kind"] == "PodDisruptionBudget"]
        self.services = [manifest for manifest in manifests if manifest["kind"] == "Service"]

    def zone(self, name: str) -> str:
        return str(self.nodes[name]["metadata"]["labels"].get(_ZONE, ""))

    def is_control(self, name: str) -> bool:
        return _CONTROL_PLANE in self.nodes[name]["metadata"]["labels"]

    def allow(self, batch: Sequence[str]) -> bool:
        """Return whether nodes may be upgraded at once: one alone always may."""
        if len(batch) == 1:
            return True
        zones = {self.zone(name) for name in batch}
        if any(map(self.is_control, batch)) or len(zones) > 1:
            return False
        ready = [
            name for name in self.nodes if _is_ready(self.nodes[name]) and self.zone(name) in zones - {""}
        ]
        if ready and set(batch) >= set(ready):
            return False
        return all(
            sum(used.values()) <= capacity or len(used) == 1 for used, capacity in self._used(batch) if used
        )

    def _used(self, batch: Sequence[str]) -> Iterator[tuple[Counter[str], int]]:
        """Yield what each node takes away of a budget, a Service or an owner, and how much of it may go."""
        for manifest in self.budgets:
            pods = [pod for pod in self.pods if _selects(manifest["spec"]["selector"]["matchLabels"], pod)]
            healthy = sum(_condition(pod) == "True" for pod in pods)
            hit = [pod for pod in pods if _condition(pod) != "False" and self._restarts(pod, batch)]
            yield _by_node(hit), healthy - manifest["spec"]["minAvailable"]
        for manifest in self.services:
            pods = [pod for pod in self.pods if _selects(manifest["spec"]["selector"], pod)]
            healthy = sum(_condition(pod) == "True" for pod in pods)
            hit = [pod for pod in pods if self._is_away(pod, batch, _condition(pod) != "False")]
            yield _by_node(hit), healthy - 1
        owners = {_owner(pod) for pod in self.pods} - {""}
        for owner in owners:
            pods = [pod for pod in self.pods if _owner(pod) == owner]
            if owner.startswith("DaemonSet/") or len(pods) < 2:
                continue
            # Every pod of these clusters restarts, so all count as replicas, whatever their condition is.
            may = len(pods) - 1
            if owner.startswith("static/") and 2 * len(pods) <= len(self.nodes):
                may = 1
            yield _by_node(pod for pod in pods if self._is_away(pod, batch, True)), may

    def _restarts(self, pod: Json, batch: Sequence[str]) -> bool:
        """Return whether a pod restarts in place: on a node that is drained, only what no drain moves."""
        on = pod["spec"]["nodeName"]
        return on in batch and (self.steps[on] != "drain" or _stays(pod))

    def _is_away(self, pod: Json, batch: Sequence[str], hit: bool) -> bool:
        """Return whether a pod restarts or is evicted."""
        on = pod["spec"]["nodeName"]
        evicted = self.steps.get(on) in {"drain", "undecided"} and not _stays(pod)
        return on in batch and (evicted or (hit and self._restarts(pod, batch)))

    def fewest(self, nodes: Sequence[str], size: int) -> int:
        """Return in how few batches nodes can be upgraded, by trying all."""

        @cache
        def best(left: frozenset[str]) -> int:
            if not left:
                return 0
            first, others = min(left), sorted(left - {min(left)})
            batches = ((first, *more) for number in range(size) for more in combinations(others, number))
            return 1 + min(best(left - set(batch)) for batch in batches if self.allow(batch))

        return best(frozenset(nodes))


def _is_ready(manifest: Json) -> bool:
    return bool(manifest["status"]["conditions"][0]["status"] == "True")


def _condition(pod: Json) -> str:
    conditions: list[dict[str, str]] = pod["status"]["conditions"]
    return conditions[0]["status"] if conditions else ""


def _selects(selector: dict[str, Any], pod: Json) -> bool:
    labels: dict[str, Any] = pod["metadata"].get("labels", {})
    return selector.items() <= labels.items()


def _stays(pod: Json) -> bool:
    return _owner(pod).startswith(("DaemonSet/", "static/"))


def _owner(pod: Json) -> str:
    reference = pod["metadata"]["ownerReferences"][0]
    if reference["kind"] == "Node":
        return "static/" + str(pod["metadata"]["name"]).removesuffix(f"-{reference['name']}")
    return f"{reference['kind']}/{reference['name']}"


def _by_node(pods: Iterable[Json]) -> Counter[str]:
    return Counter(pod["spec"]["nodeName"] for pod in pods)
