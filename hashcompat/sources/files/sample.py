"""Load the built-in sample cluster: an ordinary ``kubectl get nodes,pods -A -o json`` file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hashcompat.model.pods import Inventory, Origin, Source
from hashcompat.sources.files import collect as files


def sample_path() -> Path:
    """Return where the sample lies."""
    return Path(__file__).resolve().parents[2] / "sample" / "cluster.json"


def collect() -> Inventory:
    """Read the sample cluster as any other file."""
    return replace(files.collect((str(sample_path()),)), origin=Origin(Source.SAMPLE))
