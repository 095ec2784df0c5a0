"""What a node's runtimes report of directories that they use, where these are not the usual ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.records.probes import Probe
from hashcompat.sources.documents import loads
from hashcompat.sources.node.asking import Question
from hashcompat.sources.node.filesystems import filesystem
from hashcompat.sources.node.root import Root, why_not_asked
from hashcompat.sources.node.wanted import named_directory


def questions(root: Root, probes: Iterable[Probe]) -> Iterator[Question]:
    """Yield the questions for the file system of the images, and for what the network consists of."""
    for probe in probes:
        if probe.name != "info":
            continue
        found = _document(probe)
        config = mapping(found.get("config"))
        for path in (found.get("DockerRootDir"), config.get("containerdRootDir")):
            if isinstance(path, str) and path.startswith("/"):
                yield filesystem(root, path, why_not_asked)
        cni = mapping(config.get("cni"))
        for path in (cni.get("confDir"), cni.get("binDir"), *rows(cni, "binDirs")):
            if isinstance(path, str) and path.startswith("/"):
                yield named_directory(root, path)


def _document(probe: Probe) -> Mapping[str, Any]:
    try:
        return mapping(loads(probe.text or "{}"))
    except InputError:
        return {}
