"""PF-120: pods that MicroK8s deletes at a refresh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat import shown
from hashcompat.go.jsonpath import mapping
from hashcompat.model.escape import name_path
from hashcompat.model.pods import Pod
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import OF_OBJECTS, Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_LABEL: Final = "microk8s.io/cluster"

_DATA: Final = "/var/snap/microk8s/"

_COMMON: Final = "/var/snap/microk8s/common"
"""The directory that all revisions of the snap share."""


def _find(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    labels = facts.node_object.labels
    if labels is None:
        raise UnreadError(f"the labels of {facts.node} are not in the input")
    if _LABEL not in labels:
        return
    for pod in facts.pods:
        path = next(_mounted(pod), None)
        if pod.owner and path is not None:
            name = name_path(pod.namespace, pod.name)
            yield Problem(
                Status.WARN,
                name,
                f"{name} mounts {shown.path(path)}: MicroK8s may delete it when the snap is refreshed",
                "expect the pod to be created again, or mount what is below /var/snap/microk8s/common",
            )


def _mounted(pod: Pod) -> Iterator[str]:
    """Yield the directories of the snap's revision that a pod mounts."""
    volumes = pod.spec.get("volumes")
    for volume in volumes if isinstance(volumes, list) else ():
        path = mapping(mapping(volume).get("hostPath")).get("path")
        if isinstance(path, str) and path.startswith(_DATA) and not path.startswith(_COMMON):
            yield path


SNAP_DATA: Final = Check(
    Rule(
        "PF-120",
        "pod mounts $SNAP_DATA",
        "The pod mounts a directory of MicroK8s' snap that each revision has of its own. After a refresh "
        "without flanneld, MicroK8s deletes such pods so that their controllers create them again.",
        "canonical/microk8s snap/hooks/configure (snapdata-mounts-need-reload), scripts/kill-host-pods.py "
        "--with-snap-data-mounts --with-owner",
    ),
    ("the Node object's labels", "the pods' volumes"),
    _find,
    OF_OBJECTS,
)
