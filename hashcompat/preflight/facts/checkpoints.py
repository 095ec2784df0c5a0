"""Checkpoints of Docker sandboxes, read as a kubelet's dockershim or cri-dockerd reads them.

A file a sandbox, in JSON; its checksum is FNV-1a over go-spew's text of a Go value. Sources:
pkg/kubelet/dockershim/docker_checkpoint.go and pkg/kubelet/checkpointmanager (1.6 - 1.23), and
core/docker_checkpoint.go and store/checkpointmanager.go of Mirantis/cri-dockerd.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.catalog.types import TypeBuilder
from hashcompat.compile.decode import compile_decoder
from hashcompat.compile.spew import spew
from hashcompat.errors import DecodeError, InputError
from hashcompat.go import jsontext
from hashcompat.go.digest import fnv32a
from hashcompat.go.types import GoType, Struct
from hashcompat.records.probes import AbsentError, Dump

DOCKERSHIM: Final = "/var/lib/dockershim/sandbox"

CRI_DOCKERD: Final = "/var/lib/cri-dockerd/sandbox"

_TEMPORARY: Final = "."
"""How the names of files begin that are still being written (pkg/kubelet/util/store)."""

_DATA: Final = "data"

_CHECKSUM: Final = "checksum"

Tree = Mapping[str, Any]


def valid(dump: Dump, directory: str, sandbox: str, tree: Tree) -> bool:
    """Return whether a directory holds a checkpoint of a sandbox that its reader believes.

    Raises UnreadError where the directory or the file could not be read.
    """
    try:
        names = dump.read("directory", directory).splitlines()
    except AbsentError:
        return False
    if not sandbox or sandbox.startswith(_TEMPORARY) or sandbox not in names:
        return False
    try:
        return not fault(dump.read("file", f"{directory}/{sandbox}"), tree)
    except AbsentError:
        return False


def fault(text: str, tree: Tree) -> str:
    """Return why whoever reads a checkpoint with types of a tree does not believe it; empty where it does."""
    try:
        document = jsontext.loads(text)
        checksum, recorded = _checksum(document, tree)
    except (InputError, DecodeError) as error:
        return f"it cannot be decoded: {error}"
    return "" if checksum == recorded else f"its checksum is {recorded}, and that of its content {checksum}"


def _checksum(document: Any, tree: Tree) -> tuple[int, int]:
    """Return the checksum of a decoded checkpoint, and the one that it holds.

    Raises InputError for what no reader decodes, null included where the data alone is hashed: the reader
    has an empty value to decode into, and fails at null.
    """
    root, whole = _types(tree)
    if document is None or not isinstance(document, Mapping):
        raise InputError("want an object")
    values = dict(zip(_names(whole), compile_decoder(whole, keep_empty=True)(document), strict=True))
    recorded = values[_CHECKSUM]
    if root is whole:
        return _hashed(root, tuple({**values, _CHECKSUM: 0}.values())), recorded
    data = ((),) if _DATA not in document else values[_DATA]
    if data is None:
        raise InputError("its data is null")
    empty = compile_decoder(root, keep_empty=True)(None)
    return _hashed(root, data[0] or empty), recorded


def _hashed(go_type: GoType, value: Any) -> int:
    return fnv32a([spew(go_type, value)])


def _names(whole: Struct) -> list[str]:
    return [field.json for field in whole.fields]


def _types(tree: Tree) -> tuple[GoType, Struct]:
    """Return the type that is hashed, and that of the whole file."""
    builder = TypeBuilder(tree, {})
    whole = builder.resolve("PodSandboxCheckpoint")
    if not isinstance(whole, Struct):
        raise InputError("hazards.json: PodSandboxCheckpoint is not a struct")
    return builder.resolve(str(tree["root"])), whole
