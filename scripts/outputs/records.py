"""Write what runtimes and kubelets recorded of the sample cluster, in the forms that --recorded reads."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from scripts.lib.paths import SAMPLE

Json = dict[str, Any]
Ask = Callable[[str], bytes]
"""Runs one command line of the program in the directory of the inputs, and returns its standard output."""

_KUBERNETES: Final = "io.kubernetes"


def sample(kind: str) -> list[Json]:
    """Return the sample cluster's objects of a kind."""
    return [item for item in json.loads(SAMPLE.read_text())["items"] if item["kind"] == kind]


def make(directory: Path, ask: Ask) -> None:
    """Write what runtimes and kubelets recorded of the sample, by the hashes of several releases."""
    directory.mkdir()
    for release in ("1.5.8", "1.7.16", "1.15.12", "1.30.14"):
        items = json.loads(ask(f"hash --sample --kubelet {release} -o json"))["items"]
        rows = [(item, item["hashes"][release]["hash"]) for item in items]
        write(directory / f"exact-{release}.json", {"containers": [_crictl(*row) for row in rows]})
        write(directory / f"mixed-{release}.json", {"containers": list(_mixed(rows))})
        write(directory / f"docker-{release}.json", [_docker(*row) for row in rows])
        (directory / f"kubelet-{release}.log").write_text("".join(map(_logged, rows[::3])))
    pods = [pod["metadata"] for pod in sample("Pod")]
    write(directory / "pods.json", {"items": [_sandbox(*row) for row in enumerate(pods)]})
    with tarfile.open(directory / "node.tar", "w") as archive:
        data = (directory / "mixed-1.15.12.json").read_bytes()
        member = tarfile.TarInfo("node/crictl-ps.json")
        member.size = len(data)
        archive.addfile(member, BytesIO(data))


def write(path: Path, document: object) -> None:
    """Write a document as JSON."""
    path.write_text(json.dumps(document, indent=1))


def _mixed(rows: Sequence[tuple[Json, int]]) -> Iterator[Json]:
    """Yield records; some are missing, differ, have no hash, or are of other attempts or of other pods."""
    for index, (item, value) in enumerate(rows):
        if index % 7 == 2:
            continue
        changed = value + 1 if index % 5 == 1 else value
        yield _crictl(item, None if index % 11 == 3 else changed, attempt=index % 2)
        if index % 13 == 4:
            yield _crictl(item, value, state="CONTAINER_EXITED", attempt=7)
        if index % 17 == 5:
            yield _crictl({**item, "pod": f"{item['pod']}-gone", "uid": "gone"}, value)


def _crictl(item: Json, value: int | None, *, state: str = "CONTAINER_RUNNING", attempt: int = 0) -> Json:
    """Return one container as ``crictl ps -o json`` lists it."""
    parts = {"container.name": "container", "pod.name": "pod", "pod.namespace": "namespace", "pod.uid": "uid"}
    return {
        "id": "0",
        "metadata": {"name": item["container"], "attempt": attempt},
        "labels": {f"{_KUBERNETES}.{key}": item[name] for key, name in parts.items()},
        "annotations": {} if value is None else {f"{_KUBERNETES}.container.hash": f"{value:x}"},
        "state": state,
    }


def _docker(item: Json, value: int) -> Json:
    """Return one container as Docker lists it under a kubelet of 1.5, with the hash in its name."""
    name = f"/k8s_{item['container']}.{value:x}_{item['pod']}_{item['namespace']}_{item['uid']}_0a1b2c3d"
    return {"Id": "0", "Names": [name], "State": "running", "Labels": {}}


def _logged(row: tuple[Json, int]) -> str:
    """Return the line in which a kubelet says that a hash differs."""
    item, value = row
    pod = f"{item['pod']}_{item['namespace']}({item['uid']})"
    text = f'pod "{pod}" container "{item["container"]}" hash changed ({value} vs 7), it will be killed'
    return f"I0114 12:00:00.000000       1 kuberuntime_manager.go:500] {text} and re-created.\n"


def _sandbox(index: int, metadata: Json) -> Json:
    """Return one sandbox as ``crictl inspectp -o json`` shows it; some are not ready or have no address."""
    return {
        "status": {
            "metadata": {**{key: metadata[key] for key in ("name", "namespace", "uid")}, "attempt": 0},
            "state": "SANDBOX_NOTREADY" if index % 9 == 4 else "SANDBOX_READY",
            "network": {"ip": "" if index % 8 == 5 else "10.0.0.1"},
            "linux": {"namespaces": {"options": {"network": "POD"}}},
        }
    }
