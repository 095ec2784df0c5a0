"""The UID that a kubelet gives a static pod, which decides whether the pod is a new one after an upgrade.

Source: pkg/kubelet/config/common.go ``tryDecodeSinglePod`` and ``applyDefaults``: decode, default, convert,
print the internal pod with go-spew, and digest the text, from 1.21 with the node and the file or URL
(kubernetes/kubernetes#87461).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.pods import PodTypes, StaticPods
from hashcompat.compile.decode import compile_decoder
from hashcompat.compile.spew import compile_printer
from hashcompat.corev1.conversion import check_kind, check_wire_fields, convert
from hashcompat.corev1.defaults import apply_defaults
from hashcompat.corev1.objects import Json, own, reach
from hashcompat.errors import UndecidedError, UsageError
from hashcompat.go.digest import HEX_BY_NAME
from hashcompat.go.jsontext import clean
from hashcompat.go.types import Pointer
from hashcompat.model.pods import StaticManifest

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


@dataclass(frozen=True, slots=True)
class StaticUid:
    """A static pod's UID: as the manifest gives it (``given``) or as computed, or ``unknown``: why it cannot be told."""

    uid: str | None
    given: bool = False
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class StaticView:
    """What one kubelet makes of a static pod's manifest: its UID, and the containers that it hashes; none where nothing is known."""

    uid: StaticUid
    containers: tuple[Json, ...] = ()


@lru_cache(maxsize=4096)
def static_view(manifest: StaticManifest, kubelet: Kubelet) -> StaticView:
    """Return what ``kubelet`` makes of a manifest; errors as ``static_pod_uid``."""
    uid = static_pod_uid(manifest.content, kubelet, manifest.node, manifest.source)
    return StaticView(uid, static_containers(manifest.content, kubelet) if kubelet.static_pods.known else ())


def static_containers(manifest: Mapping[str, Any], kubelet: Kubelet) -> tuple[Json, ...]:
    """Return the init, plain and ephemeral containers with the defaults of ``kubelet``'s own release, to be hashed with empty lists kept.

    The internal types that they pass through change nothing in a container, cached texts of quantities
    included. Raises DecodeError for what it could not decode.
    """
    given = manifest.get("spec") or {}
    kept = {key: given[key] for key in (*_CONTAINERS, "hostNetwork") if key in given}
    spec = _defaulted({"spec": kept}, kubelet.static_pods)["spec"]
    return tuple(container for key in _CONTAINERS for container in spec.get(key) or ())


def static_pod_uid(manifest: Mapping[str, Any], kubelet: Kubelet, node_name: str, source: str) -> StaticUid:
    """Return the UID that ``kubelet`` gives a decoded manifest from ``file:<path>`` or ``url:<url>``.

    ``node_name`` is the name under which the kubelet registers. A ``metadata.uid`` in the manifest is taken
    as it is. Raises DecodeError, with the path in the manifest, for what this kubelet could not decode.
    """
    rules = kubelet.static_pods
    suffix = _source_text(rules, node_name, source)
    if not rules.known:
        return StaticUid(None, unknown=f"no data on static pods of {kubelet.release}; there is from 1.6 on")
    check_kind(manifest)
    try:
        text = static_pod_text(manifest, kubelet)
    except UndecidedError as error:
        text, why = None, f"${error}"
    if given := clean(reach(dict(manifest), ("metadata", "uid")) or ""):
        return StaticUid(given, given=True)
    if text is None:
        return StaticUid(None, unknown=why)
    return StaticUid(HEX_BY_NAME[rules.digest](text.encode() + suffix.encode(errors="surrogateescape")))


def static_pod_text(manifest: Mapping[str, Any], kubelet: Kubelet) -> str:
    """Return the exact text of the internal, defaulted pod that ``kubelet`` digests; the source that may follow is not part of it.

    Raises DecodeError for what it could not decode, UndecidedError for what it prints in ways that depend on
    the host.
    """
    rules = kubelet.static_pods
    decode, show = _compiled(rules.types)
    pod = _defaulted(manifest, rules)
    convert(pod, rules)
    pieces: list[str] = []
    show((decode(pod),), pieces.append)
    return "".join(pieces)


def _defaulted(manifest: Mapping[str, Any], rules: StaticPods) -> Json:
    """Return a copy of the v1 pod with what decoding sets in it."""
    check_kind(manifest)
    pod: Json = own(manifest)
    decode, _ = _compiled(rules.types)
    decode(
        pod
    )  # for errors with the manifest's own paths, and so that the stages below meet only JSON of the right kinds
    check_wire_fields(pod, rules)
    pod["spec"] = pod.get("spec") or {}
    apply_defaults(pod, rules)
    return pod


@lru_cache(maxsize=64)
def _compiled(types: PodTypes) -> tuple[Callable[[Any], Any], Callable[[Any, Callable[[str], None]], object]]:
    pod = types.pod
    return compile_decoder(pod, keep_empty=True), compile_printer(Pointer(f"*{pod.name}", pod))


def _source_text(rules: StaticPods, node_name: str, source: str) -> str:
    kind, _, name = source.partition(":")
    if kind not in rules.source or not name:
        raise UsageError(f"{source!r} is no source of static pods; want file:<path> or url:<url>")
    return rules.source[kind].format(node=node_name, name=name)
