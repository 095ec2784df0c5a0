"""Where everything is, by the root of the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = ROOT / "scripts"
CACHE: Final = ROOT / ".cache"
"""Compiled programs; nothing in it is committed."""

SCHEMAS: Final = ROOT / "schemas"
TABLES: Final = SCHEMAS / "tables"
RELEASES: Final = TABLES / "releases.json"
CHANGES: Final = TABLES / "changes.json"
GATES: Final = TABLES / "gates.json"
KUBELET_FLAGS: Final = TABLES / "kubeletflags.json"
KUBELET_CONFIG: Final = TABLES / "kubeletconfig.json"
CONTAINER_TYPES: Final = SCHEMAS / "types" / "container"
POD_TYPES: Final = SCHEMAS / "types" / "pod"
CONVERSIONS: Final = TABLES / "conversions.json"

GOLDEN: Final = ROOT / "golden"
CONTAINERS: Final = GOLDEN / "containers"
STATIC_PODS: Final = GOLDEN / "staticpods"
CHECKPOINTS: Final = GOLDEN / "checkpoints"
ROOM: Final = GOLDEN / "room"
KUBEADM: Final = GOLDEN / "kubeadm"
SERVED: Final = GOLDEN / "served"
VALUES: Final = GOLDEN / "values"
REALITY: Final = GOLDEN / "reality"
NORMALIZED: Final = GOLDEN / "normalized"

DOCS: Final = ROOT / "docs"
SAMPLE: Final = ROOT / "hashcompat" / "sample" / "cluster.json"
