"""What is known of the workload clusters: a file of each, and the verdicts on the nodes of its machines.

The files are what ``kubectl get nodes,pods -A -o json`` prints, as DIRECTORY/NAMESPACE/CLUSTER.json, so that
this server holds no credentials of workload clusters. A file that is missing, too old or too long decides
nothing.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import hashcompat
from hooks import Answer, Question

_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""What Kubernetes takes as the name of a Namespace or Cluster; it becomes part of a path here."""

_ANNOTATION: Final = "cluster.x-k8s.io/"
"""How Cluster API annotates a node with the Machine, its owner and its cluster."""

_MOST_BYTES: Final = 256 << 20


class UndecidedError(Exception):
    """What is known does not decide; the message says why, and is the same for the same input."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The files of the workload clusters."""

    directory: Path
    oldest: float = 3600
    """How old a file may be, and what is in it, in seconds: pods come and go, and a copy is new."""

    def judge(self, question: Question) -> Answer:
        """Say whether the kubelets of some machines can be replaced under their running containers."""
        if question.current == question.desired:
            return Answer(in_place=False, message="the version stays: nothing here is handled in place")
        try:
            return self._judged(question)
        except (UndecidedError, hashcompat.HashcompatError) as error:
            return Answer(in_place=False, message=f"not in place: undecided: {error}")

    def _judged(self, question: Question) -> Answer:
        path = self._path(question)
        names = _nodes(self._read(path), question)
        inventory = hashcompat.select(hashcompat.load(path), hashcompat.Filters(nodes=names))
        plan = hashcompat.plan(inventory, "auto", question.desired)
        taken = plan.origin.taken
        if not taken:
            raise UndecidedError("nothing shows when what is known was taken; save the nodes as they are")
        if time.time() - taken.timestamp() > self.oldest:
            raise UndecidedError(
                f"what is known was taken {taken:%Y-%m-%dT%H:%M:%SZ}, too long ago; write it again"
            )
        result, counts = hashcompat.gate(plan), plan.summary
        what = (
            f"{counts.findings} of {counts.containers} containers on {len(names)} nodes restart, "
            f"{counts.unknown} unknown, {question.current} -> {question.desired}"
        )
        if result.exit_code is hashcompat.ExitCode.OK:
            return Answer(in_place=True, message=f"in place: {what}")
        return Answer(in_place=False, message=f"not in place: {what}")

    def _path(self, question: Question) -> Path:
        if not all(map(_NAME.fullmatch, (question.namespace, question.cluster))):
            raise UndecidedError("the names of the namespace and the cluster are not those of Kubernetes")
        return self.directory / question.namespace / f"{question.cluster}.json"

    def _read(self, path: Path) -> list[Any]:
        """Return the objects of a file; raises UndecidedError."""
        shown = path.relative_to(self.directory)
        try:
            with path.open("rb") as file:
                if time.time() - os.fstat(file.fileno()).st_mtime > self.oldest:
                    raise UndecidedError(f"{shown} is too old; write it again")
                content = file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise UndecidedError(f"{shown} cannot be read: {error.strerror}") from None
        if len(content) > _MOST_BYTES:
            raise UndecidedError(f"{shown} is too long")
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            raise UndecidedError(f"{shown} is not JSON") from None
        if not isinstance(document, dict) or not isinstance(document.get("items"), list):
            raise UndecidedError(f"{shown} is not a List")
        items: list[Any] = document["items"]
        return items


def _nodes(objects: list[Any], question: Question) -> tuple[str, ...]:
    """Return the names of the machines' nodes; raises UndecidedError where one is missing, or out of date."""
    kind, _, name = question.owner.partition("/")
    wanted = {"machine": name} if kind == "Machine" else {"owner-kind": kind, "owner-name": name}
    wanted |= {"cluster-name": question.cluster, "cluster-namespace": question.namespace}
    nodes = [node for node in objects if _is_node(node) and _annotated(node) >= set(wanted.items())]
    least = max(question.nodes, 1)
    if len(nodes) < least:
        raise UndecidedError(f"{len(nodes)} nodes of {question.owner} are known, want {least}")
    if any(_kubelet(node) != question.current for node in nodes):
        raise UndecidedError(f"not every node of {question.owner} reports {question.current}")
    return tuple(str(node["metadata"].get("name")) for node in nodes)


def _is_node(value: object) -> bool:
    return isinstance(value, dict) and value.get("kind") == "Node" and isinstance(value.get("metadata"), dict)


def _annotated(node: Mapping[str, Any]) -> set[tuple[str, str]]:
    annotations = node["metadata"].get("annotations")
    if not isinstance(annotations, dict):
        return set()
    ours = [key for key in annotations if key.startswith(_ANNOTATION)]
    return {(key.removeprefix(_ANNOTATION), str(annotations[key])) for key in ours}


def _kubelet(node: Mapping[str, Any]) -> object:
    status = node.get("status")
    info = status.get("nodeInfo") if isinstance(status, dict) else None
    return info.get("kubeletVersion") if isinstance(info, dict) else None
