"""Read static pod manifests as a kubelet does: one pod per file, by the node's name and the file's path.

Source: pkg/kubelet/config/file.go ``extractFromDir`` and common.go ``tryDecodeSinglePod``, ``applyDefaults``.
"""

from __future__ import annotations

import io
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.corev1.scheduling import api_references
from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.allowance import object_meter, values_in
from hashcompat.core.go.jsonpath import Lines, mapping, part, rows
from hashcompat.core.go.jsontext import JsonLines
from hashcompat.core.go.metav1 import RawJson
from hashcompat.core.kubelet.staticpods import refusal
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.pods import Inventory, Pod, Source, StaticManifest
from hashcompat.core.regex import regex
from hashcompat.core.shown import name as shown_name
from hashcompat.sources.content import GZIP, ZSTD, too_long, whole
from hashcompat.sources.documents import InFile
from hashcompat.sources.files import Input, inputs, named, require_end
from hashcompat.sources.objects import read_object
from hashcompat.sources.pods import profiles_in

_PAIR: Final = regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF: Final = regex("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]")
_LONGEST: Final = 10 << 20
"""Bytes of one manifest, as kubelets limit it (pkg/kubelet/config/common.go ``maxConfigLength``)."""
_WANTED: Final = "a static pod manifest as JSON or YAML"
_Place = tuple[str, str, str]
"""A pod's node, namespace and name."""
_STATE: Final = ("running", "started", "restarts", "probed", "id", "ended")
"""What a status shows of a container."""
_FIELDS: Final = regex(r'"fieldsV1"\s*:\s*')


def collect_directory(directory: str, node: str, path_on_node: str, *, alone: bool = True) -> Inventory:
    """Read a directory as ``--pod-manifest-path`` does: every file but dot files, nothing below it.

    ``path_on_node`` is the directory's path there; empty for the absolute path here. A file that is not a
    valid pod is a warning: kubelets log it and read on (pkg/kubelet/config/file.go ``extractFromDir``). Of
    two files with a pod of one name the last one counts, as in the kubelet's store (client-go tools/cache
    undelta_store.go ``Replace``, 1.5.8 - 1.37.1). A directory that is the only source (``alone``) has to
    have a pod: raises InputError, naming a file, where none is one, and for a directory without any file; and
    for a file that kubelets read, and this program cannot, or not as they do: it has a pod of which nothing
    would be known.
    """
    try:
        paths = sorted(
            path for path in Path(directory).iterdir() if not path.name.startswith(".") and path.is_file()
        )
    except OSError as error:
        raise InputError(f"{directory}: cannot read: {error.strerror}") from None
    place = path_on_node or str(Path(directory).absolute())
    pods, strays = dict[tuple[str, str], Pod](), list[InputError]()
    twice = list[str]()
    for path in paths:
        on_node = posixpath.normpath(posixpath.join(place, path.name))
        try:
            pod = _valid(str(path), node, on_node, placed=bool(path_on_node), alone=alone and len(paths) == 1)
        except _UnlikeError:
            raise
        except InputError as error:
            strays.append(error)
            continue
        if earlier := pods.get((pod.namespace, pod.name)):
            twice.append(f"skipped {earlier.file}, as kubelets do: {pod.file} has a pod of the same name")
        pods[pod.namespace, pod.name] = pod
    empty = f"{directory}: no static pod manifest in this directory"
    if alone and not pods:
        raise (
            strays[0]
            if strays
            else InputError(f"{empty}; kubelets skip names with a dot in front and directories")
        )
    skipped = (f"skipped a file as kubelets do: {error}" for error in strays)
    none = [] if pods else [f"{empty}: static pods that run on node {node} are assumed to have none"]
    return Inventory(tuple(pods.values()), warnings=(*skipped, *twice, *none))


class _UnlikeError(InputError):
    """What kubelets read, and this program cannot, or not as they do."""


def _valid(name: str, node: str, path_on_node: str, *, placed: bool, alone: bool) -> Pod:
    """Read a manifest of a directory; raises InputError also for one that no kubelet runs."""
    if not os.access(name, os.R_OK):
        raise _UnlikeError(f"{name}: cannot read: no permission, and a kubelet reads it as root")
    pod = _collect(name, node, path_on_node, placed=placed, alone=alone)
    if pod.static_manifest and (why := refusal(pod.static_manifest.content, node)):
        raise InputError(f"{pod.origin}: {why}")
    return pod


def collect_file(name: str, node: str, path_on_node: str) -> Pod:
    """Read one manifest, a file or ``-``, which the kubelet of ``node`` reads from ``path_on_node``."""
    return _collect(name, node, path_on_node, placed=True, alone=True, packed=True)


def _collect(
    name: str, node: str, path_on_node: str, *, placed: bool, alone: bool, packed: bool = False
) -> Pod:
    """Read one manifest; ``placed`` is whether its path on the node is known.

    ``packed`` is whether it may be compressed, as a copy of it.
    """
    if Path(name).is_dir():
        raise InputError(f"{name}: is a directory, expected one static pod manifest")
    (source,) = inputs(name, recursive=False, suffixes=())
    require_end(source)
    origin, (content, lines, raw) = source.origin, _manifest(source, packed=packed)
    resources = list(read_object(content, origin, where=InFile(source.file, lines)))
    if (
        not isinstance(content, Mapping)
        or len(resources) != 1
        or not isinstance(resources[0], Pod)
        or content.get("kind") != "Pod"
    ):
        raise InputError(
            f"{origin}: a static pod manifest is one Pod; kubelets read no other kind from a file"
        )
    raw = b"" if Path(name).is_symlink() else raw
    made = StaticManifest(content, node, f"file:{path_on_node}", raw, placed, alone)
    # with the name and the node that its mirror pod shows (``generatePodName``); one with a UID of its own is
    # a manifest all the same: its references count, and its annotations
    pod = resources[0]
    return structs.replace(
        pod,
        references=api_references(pod.spec),
        profiles=profiles_in(mapping(part(made.content, "metadata").get("annotations"))),
        name=f"{pod.name}-{made.node.lower()}",
        node=made.node,
        manifest=True,
        static=True,
        config_hash="",  # what runs is another question
        workload=pod.workload or f"Node/{made.node}",
        static_manifest=made,
    )


def collect_directories(
    directories: Iterable[str], node: str, path_on_node: str, *, alone: bool
) -> Inventory:
    """Read some directories of one node, each file on the node once; errors as ``collect_directory``."""
    pods, warnings = dict[str, Pod](), list[str]()
    for directory in directories:
        inventory = collect_directory(directory, node, path_on_node, alone=alone)
        warnings += inventory.warnings
        for pod in inventory.pods:
            pods.setdefault(pod.static_manifest.source if pod.static_manifest else pod.origin, pod)
    if len(pods) > 1:
        for source, pod in pods.items():
            if manifest := pod.static_manifest:
                manifest = structs.replace(manifest, alone=False)
                pods[source] = structs.replace(pod, static_manifest=manifest)
    return Inventory(tuple(pods.values()), warnings=tuple(dict.fromkeys(warnings)))


def beside(inventory: Inventory, manifests: Inventory, expected: Iterable[Pod], node: str) -> Inventory:
    """Replace mirrors by the static pods of a node's manifests; warn of each ``expected`` one without any.

    A file may hold the pods of some nodes only; there, a node without any pod shows nothing.
    """
    warnings = (*inventory.warnings, *manifests.warnings, *_without_mirror(inventory, tuple(expected)))
    pods = InPlaceOfMirrors(inventory.pods, tuple(manifests.pods), node)
    return structs.replace(inventory, pods=pods, warnings=warnings)


def _without_mirror(inventory: Inventory, expected: tuple[Pod, ...]) -> Iterator[str]:
    if not expected:
        return
    nodes, mirrors = set[str](), set[_Place]()
    for pod in inventory.pods:
        nodes.add(pod.node)
        if pod.static:
            mirrors.add(_place(pod))
    for pod in expected:
        seen = inventory.origin.kind is Source.CLUSTER or pod.node in nodes
        if seen and _place(pod) not in mirrors:
            named = ", ".join(
                [
                    f"static pod {name_path(pod.namespace, pod.name)}",
                    *(name_path(container.name) for container in pod.containers),
                ]
            )
            yield f"on node {pod.node} but not among the pods: {named}: {pod.origin} has no mirror pod"


class InPlaceOfMirrors(msgspec.Struct, frozen=True):
    """Pods as they pass without the mirrors of some static pods, and then these, as their mirrors show them.

    The mirror of a pod that no manifest of its node has is passed on as one whose manifest is missing.
    """

    pods: Iterable[Pod]
    static: tuple[Pod, ...]
    node: str
    """The node whose manifests they are."""

    def __iter__(self) -> Iterator[Pod]:
        read = {_place(pod): pod for pod in self.static}
        named = {place[1:]: place for place in read}
        mirrors = dict[_Place, Pod]()
        for pod in self.pods:
            place = _place(pod)
            if not pod.node:
                place = named.get(place[1:], place)
            if not pod.static or pod.mirror_doubt:
                yield pod
            elif place in read:
                mirrors[place] = pod
            else:
                missing = pod.node == self.node and not pod.from_url
                yield structs.replace(pod, manifest_missing=True) if missing else pod
        for place, pod in read.items():
            yield _as_shown(pod, mirrors[place]) if place in mirrors else pod


_DEADLINE: Final = "activeDeadlineSeconds"


def _as_shown(pod: Pod, mirror: Pod) -> Pod:
    """Return a static pod with what its mirror shows: its names in the API, and what runs of it.

    Its phase is not taken: a kubelet that starts does not know it. A container that runs and that the
    manifest does not have any more is one of its containers too.
    """
    shown = {(container.name, container.type): container for container in mirror.containers}
    reported = any(container.running is not None for container in mirror.containers)
    named = {(container.name, container.type) for container in pod.containers}
    removed = [container for key, container in shown.items() if key not in named and container.running]
    return structs.replace(
        pod,
        mirror=mirror,
        uid=mirror.uid,
        config_hash=mirror.config_hash,
        ready=mirror.ready,
        ready_since=mirror.ready_since,
        ends=mirror.ends if pod.spec.get(_DEADLINE) == mirror.spec.get(_DEADLINE) else None,
        containers=(
            *(
                structs.replace(container, **{name: getattr(shown[key], name) for name in _STATE})
                if (key := (container.name, container.type)) in shown
                else structs.replace(container, running=False if reported else container.running)
                for container in pod.containers
            ),
            *(
                structs.replace(container, removed=True, path=f"{container.path} (mirror pod)", line=0)
                for container in removed
            ),
        ),
    )


def _place(pod: Pod) -> _Place:
    return pod.node, pod.namespace, pod.name


def _manifest(source: Input, *, packed: bool) -> tuple[Any, Lines | None, bytes]:
    """Return the JSON document, or the first one of the YAML, as kubelets do; its lines and the content."""
    repeated = list[str]()
    with source.open() as stream, named(source.origin):
        raw = stream.read(_LONGEST + 1)
        if len(raw) > _LONGEST:
            raise too_long("text", _LONGEST, f"want {_WANTED}")
        if raw.startswith((GZIP, ZSTD)) and not packed:
            raise InputError(f"compressed, which no kubelet reads; want {_WANTED}")
        text = whole(io.BufferedReader(io.BytesIO(raw)), _WANTED, _LONGEST)
        if not text.lstrip().startswith("{"):
            from hashcompat.core.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

            # of a key that is there twice kubelets take the last value (sigs.k8s.io/yaml YAMLToJSON)
            first = next(yaml.documents(text, []), None)
            return (first.value, first.lines, raw) if first else (None, None, raw)
        object_meter().add(len(text), values_in(text))
        document, lines = jsontext.loads(text, repeated), JsonLines()
        lines.add(document, 1, 1 + text.count("\n"), lambda: text)
        content = _with_raw_fields(document, text)
    if repeated:  # encoding/json decodes both into one struct, or one map
        key = shown_name(repeated[0])
        raise _UnlikeError(
            f"{source.origin}: the key {key!r} appears twice in one object, and kubelets merge the two"
        )
    # kubelets up to 1.22 read static pods with json-iterator, which takes half a character for another one
    # than encoding/json does
    if _HALF.search(_PAIR.sub("", text)):
        raise _UnlikeError(
            f"{source.origin}: bytes that are not UTF-8, or half of a surrogate pair, "
            "which kubelets read in different ways"
        )
    return content, lines.lines, raw


def _with_raw_fields(document: Any, text: str) -> Any:
    """Keep the JSON text of managed fields, which enters a UID unchanged."""
    managed = rows(part(mapping(document), "metadata"), "managedFields")
    entries = [row for row in managed if isinstance(row, dict) and row.get("fieldsV1") is not None]
    if not entries:
        return document
    raw = [text[match.end() : jsontext.end_of_value(text, match.end())] for match in _FIELDS.finditer(text)]
    if len(raw) != len(entries):
        raise InputError(
            "fieldsV1 is also outside metadata.managedFields; leave managedFields out of the manifest"
        )
    kept = iter(raw)
    changed = [
        {**row, "fieldsV1": RawJson(next(kept).encode(errors="surrogateescape"))} if row in entries else row
        for row in managed
    ]
    return {**document, "metadata": {**document["metadata"], "managedFields": changed}}
