"""Which pods are static: those that a kubelet takes for mirror pods, and how far that is confirmed.

Tenants write annotations. A kubelet reads ``kubernetes.io/config.source`` and ``config.hash`` of static pods
alone, overwrites the former on every pod that an API server sends (pkg/kubelet/config/config.go), and takes a
pod for a mirror pod by ``config.mirror`` (pkg/kubelet/types/pod_update.go ``IsMirrorPod``, in all releases).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.go.jsonpath import text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.escape import name_path, word
from hashcompat.core.model.pods import Pod
from hashcompat.core.model.uids import is_computed

_MIRROR: Final = "kubernetes.io/config.mirror"
"""Immutable: API servers from 1.7 on refuse to add, change or remove it (pkg/api/validation)."""

_SOURCE: Final = "kubernetes.io/config.source"

_CONFIG_HASH: Final = "kubernetes.io/config.hash"

ANNOTATIONS: Final = (_MIRROR, _SOURCE, _CONFIG_HASH)
"""All that is read of a mirror pod's annotations; each value is a string."""

_NO_UID: Final = ("", "mirror")
"""Values of ``config.mirror`` that are not the static pod's uid; the latter is that of 1.0."""

_FILE: Final = "file"

_URL: Final = "http"

_OF_NO_STATIC_POD: Final = "api"


class Mirror(msgspec.Struct, frozen=True):
    """What a pod's metadata shows of the static pod behind it."""

    static: bool = False
    """Whether the pod is a static one: a mirror pod, or a static pod as its kubelet lists it."""

    uid: str = ""
    """The static pod's uid; empty for other pods, and where it is not shown."""

    from_url: bool = False
    """Whether the kubelet reads it from a URL."""

    doubt: str = ""
    """What contradicts that a kubelet made this mirror pod, in a few words; empty for nothing."""


_ORDINARY: Final = Mirror()


def mirror_of(metadata: Mapping[str, Any], annotations: Mapping[str, Any], node: str, owner: str) -> Mirror:
    """Return what a pod's metadata shows; ``owner`` is its controller, ``ReplicaSet/web-474k6w5gmh``.

    A pod that a controller other than a node made is none that a kubelet made, whatever its annotations.
    """
    uid, name = _text(metadata, "uid"), _text(metadata, "name")
    if _MIRROR not in annotations:
        if not is_computed(uid):
            return _ORDINARY
        return Mirror(static=True, uid=uid, from_url=annotations.get(_SOURCE) == _URL)
    kind, _, made_by = owner.partition("/")
    if owner and kind != "Node":
        return Mirror(doubt=f"its controller is {name_path(kind, made_by)}")
    doubts = (*_misnamed(name, node, made_by), *_contradicting(annotations))
    return Mirror(
        static=True,
        uid=_static_uid(annotations),
        from_url=annotations.get(_SOURCE) == _URL,
        doubt=next(iter(doubts), ""),
    )


def annotations_of(pod: Pod) -> dict[str, str]:
    """Return annotations that show the same of a pod as those that ``mirror_of`` read."""
    annotations: dict[str, str] = {}
    if pod.mirror_doubt or (pod.static and pod.uid != pod.config_hash):
        annotations[_MIRROR] = ""
    if pod.mirror_doubt.startswith(ANNOTATIONS):  # one annotation contradicts another: so do these
        annotations[_SOURCE] = _OF_NO_STATIC_POD
    elif pod.from_url:
        annotations[_SOURCE] = _URL
    if pod.config_hash:
        annotations[_CONFIG_HASH] = pod.config_hash
    return annotations


def _misnamed(name: str, node: str, made_by: str) -> Iterator[str]:
    """Compare names (pkg/kubelet/config/common.go ``generatePodName``)."""
    if made_by and made_by != node:
        yield f"its controller is node {word(made_by)}, and it runs on {word(node) if node else 'none'}"
    if node and not name.endswith(f"-{node.lower()}"):
        yield f"its name does not end in {word(f'-{node.lower()}')}"


def _contradicting(annotations: Mapping[str, Any]) -> Iterator[str]:
    """Compare the annotations, which a kubelet copies from the static pod (``CreateMirrorPod``)."""
    value, copied = _text(annotations, _MIRROR), _text(annotations, _CONFIG_HASH)
    if copied and value not in (*_NO_UID, copied):
        yield f"{_MIRROR} and {_CONFIG_HASH} differ"
    if _text(annotations, _SOURCE) not in ("", _FILE, _URL):
        yield f"{_SOURCE} is not one of static pods"


def _static_uid(annotations: Mapping[str, Any]) -> str:
    """Return the static pod's uid: the annotation that cannot be changed counts before the other one."""
    copied, value = _text(annotations, _CONFIG_HASH), _text(annotations, _MIRROR)
    return value if copied and value not in _NO_UID else copied


def _text(value: Mapping[str, Any], key: str) -> str:
    return clean(text(value, key))
