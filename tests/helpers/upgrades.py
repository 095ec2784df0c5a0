"""Plans of small clusters, as short as they can be said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.helpers.pods import Json, as_json
from tests.helpers.program import Run

UID = "io.kubernetes.pod.uid"


def planned(run: Run, old: str, new: str, *objects: Json, more: tuple[object, ...] = ()) -> dict[str, Any]:
    """Return the items of a plan by container; ``more`` are further arguments."""
    result = run(
        "plan", "--from", old, "--to", new, "-f", "-", "-o", "json", "-q", *more, stdin=as_json(*objects)
    )
    assert result.code == 0, result.err
    return {item["container"]: item for item in result.items}


def decided(
    run: Run, old: str, new: str, *objects: Json, more: tuple[object, ...] = ()
) -> tuple[str, list[str]]:
    """Return the verdict of the container ``c`` and the ids of its reasons."""
    item = planned(run, old, new, *objects, more=more)["c"]
    return item["verdict"], [reason["id"] for reason in item["reasons"]]


def hash_of(run: Run, release: str, container: Json) -> int:
    """Return the hash of a container under one kubelet, as the program itself computes it."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "uid": "u"},
        "spec": {"containers": [container]},
    }
    (row,) = run("hash", "--kubelet", release, "-f", "-", "-o", "json", stdin=as_json(pod)).items
    value: int = row["hashes"][release]["hash"]
    return value


def record(
    value: int | None,
    pod: str = "p",
    container: str = "c",
    *,
    uid: str | None = None,
    state: str = "CONTAINER_RUNNING",
) -> Json:
    """Return one container as ``crictl ps -o json`` lists it."""
    labels = {
        "io.kubernetes.container.name": container,
        "io.kubernetes.pod.name": pod,
        "io.kubernetes.pod.namespace": "ns",
        UID: f"uid-{pod}" if uid is None else uid,
    }
    annotations = {} if value is None else {"io.kubernetes.container.hash": f"{value:x}"}
    return {
        "id": "0",
        "metadata": {"name": container, "attempt": 0},
        "labels": labels,
        "annotations": annotations,
        "state": state,
    }


def recorded(directory: Path, *records: Json) -> tuple[object, ...]:
    """Write what a runtime lists into a file, and return the option that names it."""
    path = directory / "crictl-ps.json"
    path.write_text(json.dumps({"containers": list(records)}))
    return ("--recorded", path)


def hash_changed(now: int, pod: str = "p", container: str = "c", at: str = "0114 17:57:42") -> str:
    """Return the line in which a kubelet of 1.7 says that it creates a container again, with another hash."""
    return (
        f"I{at}.715551   12945 kuberuntime_manager.go:486] "
        f'Pod "{pod}" container "{container}" hash changed (1 vs {now}), it will be killed and re-created.'
    )
