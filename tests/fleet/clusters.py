"""Files of small clusters, and what the tables of a fleet hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

from hashcompat.fleet import run as fleet
from hashcompat.fleet.engines import Here, Lost
from hashcompat.fleet.parts import Question
from tests.helpers.pods import ARTICLE, listed, node, pod

OLD, NEW = "1.7.16", "1.9.11"
"""Between these the container of the article restarts."""
Found = TypeVar("Found")


def cluster(release: str = OLD, uid: str = "", pods: int = 2, **more: Any) -> dict[str, Any]:
    """Return the objects of a cluster of one node, with its UID where one is given."""
    system = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}
    made = [pod(_on_port(9100 + number), name=f"p{number}", **more) for number in range(pods)]
    return listed(node(f"v{release}"), *([system] if uid else []), *made)


def _on_port(port: int) -> dict[str, Any]:
    """Return the container with a host port of its own, for a node has each one once."""
    return {**ARTICLE, "ports": [{**row, "hostPort": port} for row in ARTICLE["ports"]]}


def save(directory: Path, **clusters: Any) -> Path:
    """Write a file for each cluster; return the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in clusters.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (directory / f"{name}.json").write_text(text)
    return directory


def asked(source: Path | str, out: Path | str, *targets: str, **more: Any) -> fleet.RunRequest:
    """Return what a run is asked to do."""
    return fleet.RunRequest((str(source),), str(out), Question(targets or (NEW,), **more))


def made(source: Path | str, out: Path | str, *targets: str, **more: Any) -> fleet.Run:
    """Run in this process."""
    return fleet.run(asked(source, out, *targets, **more), Here, lambda _: None)


def table(out: Path, name: str, target: str = NEW) -> list[dict[str, Any]]:
    """Return the rows of a table for one target, in the order of its clusters."""
    files = sorted((out / name / f"target={target}").glob("*.parquet"))
    rows = pa.concat_tables([pq.ParquetFile(file).read() for file in files]).to_pylist()
    return sorted(rows, key=lambda row: row["cluster"])


def content(out: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables without what differs from run to run."""
    tables = {}
    for folder in sorted(out.glob("*/target=*")):
        rows = table(out, folder.parent.name, folder.name.partition("=")[2])
        tables[f"{folder.parent.name}/{folder.name}"] = [
            {key: value for key, value in row.items() if key not in ("seconds", "part")} for row in rows
        ]
    return tables


class Dying:
    """An engine whose processes do not survive some inputs."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self.asked: list[str] = []
        self.apart: Any = None

    def run(self, function: Any, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for task in tasks:
            name = getattr(getattr(task, "entry", None), "name", "")
            self.asked.append(name)
            yield task, Lost() if name in self._names else function(task)
