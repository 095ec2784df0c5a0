"""Static pod manifests of golden/staticpods: what real Go was given, and what it answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from hashcompat.core.apiserver.created import as_served, image_volumes
from hashcompat.core.catalog.defaults import PodCreation
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.go import jsontext, yaml
from hashcompat.core.go.metav1 import RawJson
from hashcompat.core.model.pods import ContainerType
from tests.helpers.golden import releases, rows

CASES = list(rows("staticpods"))
LISTS = ("initContainers", "containers")
RELEASES = releases("staticpods")

MINORS = [f"1.{minor}" for minor in range(6, 38)]
"""The minors with static-pod data."""


def newest(minor: str) -> str:
    """Return the newest known release of a minor."""
    return [name for name in default_catalog().releases() if name.startswith(f"{minor}.")][-1]


def document(text: str) -> dict[str, Any]:
    """Decode a manifest as a kubelet does: JSON after a brace, else the first document of the YAML."""
    text = re.sub(
        r'"twice": "1", ', "", text
    )  # of two equal keys kubelets take the last, and the readers here refuse both
    if not text.lstrip().startswith("{"):
        first: dict[str, Any] = next(yaml.load_all(text))
        return first
    manifest: dict[str, Any] = jsontext.loads(text)
    for entry in manifest["metadata"].get("managedFields", ()):
        entry["fieldsV1"] = RawJson(b'{ "f:b" : {},\n  "f:a":{} }')
    return manifest


@cache
def case(name: str) -> tuple[dict[str, Any], str, str]:
    """Return a case's document, node name and source."""
    row = rows("staticpods")[name]
    return (
        document(row["manifest"]),
        row["node"],
        f"file:{row['path']}" if "path" in row else f"url:{row['url']}",
    )


def uids(release: str) -> dict[str, str]:
    """Return the UIDs that Go computed, by case."""
    return {name: row["uid"] for name, row in rows("staticpods", release).items()}


def served(spec: Mapping[str, Any], key: str, server: PodCreation) -> list[Any]:
    """Return what our own manifest stage makes of the containers in one of a pod's lists."""
    network, images = spec.get("hostNetwork") is True, image_volumes(spec)
    return [
        as_served(
            container or {},
            server,
            container_type=_type(key, container or {}),
            host_network=network,
            image_volumes=images,
        )
        for container in spec.get(key) or ()
    ]


def _type(key: str, container: Mapping[str, Any]) -> ContainerType:
    if key == "containers":
        return ContainerType.CONTAINER
    return ContainerType.SIDECAR if container.get("restartPolicy") == "Always" else ContainerType.INIT
