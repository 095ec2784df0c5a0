"""Cases that tests of single rules share: the smallest containers, and the commonest answers."""

from __future__ import annotations

from typing import Any

from tests.helpers.pods import Json, pod

C: Json = {"name": "c", "image": "i"}
MAIN: Json = {"name": "main", "image": "i"}
SIZED: Json = {**C, "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}}
CPU_RESTARTS: Json = {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}
GATE = ("--feature-gates", "InPlacePodVerticalScaling=true")
SIDECARS = ("--feature-gates", "SidecarContainers=true")
Expected = tuple[str, list[str]]
KEEP: tuple[str, list[str]] = ("KEEP", [])
NEW_UID: Expected = ("RESTART", ["HC022"])
RUN_AGAIN: Expected = ("KEEP", ["HC002", "HC022"])


def admitting(*releases: str) -> tuple[str, ...]:
    """Return the flag with which 1.28 admits sidecars, where one of the releases is of that minor."""
    return SIDECARS if any(release.startswith("1.28.") for release in releases) else ()


def sidecar(**more: Any) -> Json:
    """Return a pod whose container ``c`` is a sidecar."""
    return pod(MAIN, spec={"initContainers": [{**C, "restartPolicy": "Always", **more}]})


def with_status(key: str, *, state: str = "running", phase: str = "Running") -> Json:
    """Return the status in which the container ``c`` is in a state."""
    return {"phase": phase, key: [{"name": "c", "state": {state: {}}}]}


def never(**more: Any) -> Json:
    """Return a pod whose containers are not started again when its sandbox is."""
    return pod(C, spec={"restartPolicy": "Never"}, **more)


def changed(container: Json = C, *, observed: int = 1, **row: Any) -> Json:
    """Return a pod of generation 2; ``row`` is what the status shows of its container besides its state."""
    status = with_status("containerStatuses")
    status["containerStatuses"][0].update(row)
    status["observedGeneration"] = observed
    return pod(container, metadata={"generation": 2}, status=status)
