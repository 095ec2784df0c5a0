"""Load the built-in sample cluster: an ordinary ``kubectl get nodes,pods -A -o json`` file."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from hashcompat.core.model.pods import Inventory, Origin, Pod, Source
from hashcompat.sources.files import collect as files


def sample_path() -> Path:
    """Return where the sample lies."""
    return Path(__file__).resolve().parents[2] / "sample" / "cluster.json"


def collect() -> Inventory:
    """Read the sample cluster as any other file, but for its name and lines: nobody gave it, or edits it."""
    found = files.collect((str(sample_path()),))
    pods = tuple(map(_without_place, found.pods))
    return structs.replace(found, pods=pods, origin=Origin(Source.SAMPLE), dating=None)


def _without_place(pod: Pod) -> Pod:
    containers = tuple(structs.replace(container, line=0) for container in pod.containers)
    return structs.replace(pod, file="", containers=containers)
