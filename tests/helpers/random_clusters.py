"""Make random clusters: pods of every kind that a kubelet tells apart, as an API server returns them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go.jsontext import decode_text, loads
from tests.helpers.pods import Json, mirror_pod, node, pod
from tests.helpers.random_containers import containers

FEW: tuple[Json, ...] = (
    {},
    {"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}},
    {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}},
    {"resources": {"limits": {"nvidia.com/gpu": "1"}}},
    {"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
    {"securityContext": {"procMount": "Default"}, "terminationMessagePolicy": "File"},
    {"args": ["\b"]},
    {"livenessProbe": {"exec": {"command": ["x"]}, "terminationGracePeriodSeconds": 3}},
    {"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}},
    {
        "resources": {"limits": {"cpu": "1"}},
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
    },
)
"""Containers that releases tell apart, but for a name and an image."""

SPECS: tuple[Json, ...] = (
    {},
    {"restartPolicy": "Never"},
    {"nodeSelector": {"disk": "ssd"}},
    {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_keepalive_time", "value": "1"}]}},
    {"securityContext": {"supplementalGroupsPolicy": "Strict"}},
    {"os": {"name": "windows"}},
    {"hostNetwork": True},
    {"resources": {"limits": {"cpu": "1"}}},
    {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
                    ]
                }
            }
        }
    },
)

TAINT = {"key": "k", "effect": "NoExecute"}


class Cluster:
    """A cluster of random pods; the same one for the same seed."""

    def __init__(self, seed: object, catalog: Catalog, releases: Sequence[str]) -> None:
        self._rng = random.Random(f"clusters/{seed}")
        self._releases = releases
        made = containers(catalog.newest_schema().tree, self._rng.randrange(1 << 30), 12, "api")
        self._made = [loads(decode_text(data)) for data in made]

    def objects(self, count: int) -> Iterator[Json]:
        """Yield nodes, and so many pods, some of which are like others but for their names."""
        yield from map(self._node, ("n1", "n2", "n3"))
        kinds = [self._pod(number) for number in range(count // 2)]
        for number in range(count):
            like = kinds[number % len(kinds)]
            yield {**like, "metadata": {**like["metadata"], "name": f"p{number}", "uid": f"uid-{number}"}}

    def _node(self, name: str) -> Json:
        machine = node(f"v{self._rng.choice(self._releases)}", name)
        machine["metadata"]["labels"] = {"disk": self._rng.choice(["ssd", "hdd"])}
        runtime = self._rng.choice(["docker://17.3.2", "containerd://1.6.0", "containerd://2.0.0"])
        machine["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
        return {**machine, "spec": {"taints": [TAINT] if self._rng.random() < 0.2 else []}}

    def _pod(self, number: int) -> Json:
        names = [f"c{place}" for place in range(self._rng.choice([1, 1, 2]))]
        spec = {**self._rng.choice(SPECS), **self._before()}
        given = [self._container(name) for name in names]
        where = self._rng.choice(["n1", "n2", "n3", "missing", ""])
        if self._rng.random() < 0.2:
            return mirror_pod(*given, name=f"p{number}", spec=spec, status=self._status(names))
        made = pod(*given, name=f"p{number}", node=where, spec=spec, status=self._status(names))
        if self._rng.random() < 0.1:
            made["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        return made

    def _container(self, name: str) -> Json:
        some = self._rng.choice(self._made) if self._rng.random() < 0.3 else self._rng.choice(FEW)
        return {**some, "name": name, "image": self._rng.choice(["i:1", "i"]), "env": self._env()}

    def _env(self) -> list[Json]:
        return [{"name": "E", "value": str(self._rng.random())}] if self._rng.random() < 0.5 else []

    def _before(self) -> Json:
        """Return init containers and sidecars."""
        some = []
        if self._rng.random() < 0.3:
            some.append(self._container("i"))
            some[-1].pop("restartPolicy", None)
        if self._rng.random() < 0.4:
            probe = {"startupProbe": {"exec": {"command": ["x"]}}} if self._rng.random() < 0.5 else {}
            some.append({"name": "s", "image": "i", **probe, "restartPolicy": "Always"})
        return {"initContainers": some} if some else {}

    def _status(self, names: Sequence[str]) -> Json:
        phase = self._rng.choice(["Running", "Running", "Running", "Pending", "Succeeded"])
        return {
            "phase": phase,
            "containerStatuses": [self._reported(name) for name in names],
            "initContainerStatuses": [self._reported("i"), self._reported("s")],
        }

    def _reported(self, name: str) -> Json:
        day = f"20{self._rng.randrange(16, 27)}-0{self._rng.randrange(1, 10)}-01T00:00:00Z"
        state: dict[str, Any] = {"running": {"startedAt": day}}
        if self._rng.random() < 0.1:
            state = {"terminated": {"exitCode": 0}}
        restarts, started = self._rng.choice([0, 0, 3]), self._rng.choice([True, False])
        return {"name": name, "state": state, "restartCount": restarts, "started": started}
