"""A cluster without its values: what later plans need, with every hash that they can need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hashcompat.apiserver.on_read import as_read, as_unread
from hashcompat.catalog.apiserver import ReadDefault
from hashcompat.catalog.eras import Era
from hashcompat.catalog.lookup import Catalog
from hashcompat.catalog.types import Schema
from hashcompat.corev1.scheduling import label_keys
from hashcompat.errors import DecodeError, InputError
from hashcompat.go.jsonpath import mapping
from hashcompat.go.jsontext import ESCAPES
from hashcompat.kubelet.hashing import compile_hasher
from hashcompat.kubelet.stored import KEY
from hashcompat.model.mask import masked
from hashcompat.model.pods import Container, Inventory, Node, Pod
from hashcompat.planning.prepare import Likeness, likeness

Spec = Mapping[str, Any]

_POD: Final = (
    "nodeName",
    "hostNetwork",
    "restartPolicy",
    "automountServiceAccountToken",
    "nodeSelector",
    "affinity",
    "tolerations",
    "resources",
    "os",
)

_SYSTEM: Final = "kubernetes.io/os"
"""The label of a node that shows its operating system."""

_SECURITY: Final = ("supplementalGroupsPolicy", "sysctls")

_HIDDEN_IN_VOLUMES: Final = (("csi", "volumeAttributes"), ("flexVolume", "options"))

_ESCAPED: Final = frozenset("\b\f")

_LONGEST_MASK: Final = 20

Column = tuple[Schema, Era, str]
"""A way of hashing: a type tree, an era, an encoding/json."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A cluster without its values."""

    inventory: Inventory
    """The pods and nodes with hidden values, and the hashes of the true ones."""
    newest: str
    """The newest release whose hashes it holds."""


def snapshot(inventory: Inventory, catalog: Catalog) -> Snapshot:
    """Return a cluster with hidden values and the hashes that depend on them; errors as ``redacted``."""
    return Snapshot(redacted(inventory, catalog), catalog.known.newest)


def redacted(inventory: Inventory, catalog: Catalog) -> Inventory:
    """Return the inventory with hidden values, which gives the same plans between known releases.

    Raises InputError, with file and path, for a container that does not decode, and for a manifest: what API
    servers make of it depends on more than the kubelet's release, and a static pod's UID on every value in
    it.
    """
    known: dict[Likeness, Spec] = {}
    columns = _columns(catalog)

    def container(pod: Pod, given: Container) -> Container:
        key = likeness(pod, given)
        if key not in known:
            known[key] = _container(pod, given, columns, catalog)
        return replace(given, spec=known[key])

    pods = tuple(_pod(pod, container) for pod in inventory.pods)
    keys = frozenset(key for pod in pods for key in label_keys(pod.spec)) | {_SYSTEM}
    return replace(inventory, pods=pods, nodes=tuple(_node(node, keys) for node in inventory.nodes))


def _pod(pod: Pod, hide: Callable[[Pod, Container], Container]) -> Pod:
    """Keep what decides of a pod's spec; of a static pod's, whose UID digests it all, all but the values."""
    if pod.manifest:
        raise InputError(
            f"{pod.origin}: {pod.namespace}/{pod.name} is a manifest; "
            "a snapshot is made of a cluster's pods, which have a uid"
        )
    kept = pod.spec if pod.static else _kept(pod.spec)
    volumes = (
        {"volumes": [_volume(volume) for volume in kept["volumes"]]}
        if isinstance(kept.get("volumes"), list)
        else {}
    )
    return replace(
        pod, spec={**kept, **volumes}, containers=tuple(hide(pod, container) for container in pod.containers)
    )


def _kept(spec: Spec) -> Spec:
    """Return what decides of an API pod's spec besides its containers."""
    kept = {key: spec[key] for key in _POD if key in spec}
    context = mapping(spec.get("securityContext"))
    security = {key: context[key] for key in _SECURITY if key in context}
    return {**kept, "securityContext": security} if security else kept


def _node(node: Node, keys: frozenset[str]) -> Node:
    """Keep the labels that decide about a pod."""
    labels = node.labels
    return (
        node if labels is None else replace(node, labels={key: labels[key] for key in keys & labels.keys()})
    )


def _volume(volume: Any) -> Any:
    """Hide the options for drivers of a static pod's volumes, which may be credentials."""
    for source, key in _HIDDEN_IN_VOLUMES:
        told = volume.get(source) if isinstance(volume, Mapping) else None
        if isinstance(told, Mapping) and isinstance(told.get(key), Mapping):
            volume = {**volume, source: {**told, key: dict.fromkeys(told[key], "***")}}
    return volume


def _columns(catalog: Catalog) -> list[Column]:
    """Return every way of hashing; for JSON with each encoding/json, as vendors may use both."""
    kubelets = [catalog.kubelet(name) for name in catalog.releases()]
    ways = dict.fromkeys((kubelet.schema, kubelet.era) for kubelet in kubelets)
    return [
        (schema, era, escapes)
        for schema, era in ways
        for escapes in (ESCAPES if era.hashes_json else list(ESCAPES)[:1])
    ]


def _container(pod: Pod, container: Container, columns: list[Column], catalog: Catalog) -> Spec:
    plain = masked(container.spec, lambda text: text)
    if plain == masked(container.spec, lambda text: _hidden(text, "***")):
        return plain
    for length in range(3, _LONGEST_MASK):
        mask = "*" * length
        hidden = masked(container.spec, lambda text, mask=mask: _hidden(text, mask))  # type: ignore[misc]
        try:
            table = _table(_forms(container.spec, catalog), _forms(hidden, catalog), columns)
        except DecodeError as error:
            raise InputError(f"{pod.origin}: {container.path}{error}") from None
        if table is not None:
            return {**hidden, KEY: table}
    raise InputError(f"{pod.origin}: {container.path}: no mask tells its hashes apart")


def _hidden(text: str, mask: str) -> str:
    """Hide a text, but not whether it is empty, nor whether Go 1.22's encoding/json writes it differently."""
    return (mask + ("\b" if _ESCAPED & set(text) else "")) if text else ""


def _table(given: list[Spec], hidden: list[Spec], columns: list[Column]) -> dict[str, int] | None:
    """Return the true hashes by those of the hidden texts.

    It is None where two texts share a hash, so that another mask is needed. Where two kubelets print the same
    text with values hidden, they do so with values: what differs between them is never in a value, but for
    the two characters that _hidden keeps.
    """
    table: dict[str, int] = {}
    texts: dict[str, str] = {}
    for schema, era, escapes in columns:
        hasher = compile_hasher(schema, era, escapes, keep_empty=False)
        for true_form, hidden_form in zip(given, hidden, strict=True):
            pieces = hasher.pieces(hasher.decode(hidden_form))
            key, text = f"{hasher.digest(pieces):x}", "".join(pieces)
            if texts.setdefault(key, text) != text:
                return None
            if key not in table:
                table[key] = hasher.hash(true_form)
    return table


def _forms(spec: Spec, catalog: Catalog) -> list[Spec]:
    """Return each form in which a plan may hash a container: see planning/prepare."""
    read = _read(spec, catalog.every_read_default)
    return [*read, *({**form, "resources": {}} for form in read if form.get("resources"))]


def _read(spec: Spec, defaults: list[ReadDefault]) -> list[Spec]:
    """Return a container as API servers with any of their own defaults may serve it."""
    found = [spec]
    for default in defaults:
        changed = [as_read(known, [default]) for known in found]
        if default.gate is None:
            changed += [as_unread(known, default) for known in found]
        found += [new for new in changed if new not in found]
    return found
