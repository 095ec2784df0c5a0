"""State files as whoever reads them finds them: the kubelet's own, and checkpoints of Docker sandboxes.

A kubelet believes a file whose checksum holds in a form that its release reads. Checkpoints of sandboxes are
read by a kubelet's dockershim or by cri-dockerd: a file a sandbox, in JSON; the checksum is FNV-1a over
go-spew's text of a Go value. Sources: pkg/kubelet/dockershim/docker_checkpoint.go and
pkg/kubelet/checkpointmanager (1.6 - 1.23), and core/docker_checkpoint.go and store/checkpointmanager.go of
Mirantis/cri-dockerd.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.eras import TypeBuilder
from hashcompat.core.catalog.hazards import StateFile, StateFileForm
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.compile.spew import compile_printer, spew
from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.digest import fnv32a
from hashcompat.core.go.jsontext import loads
from hashcompat.core.go.types import STRING, GoType, Pointer, Struct
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError


class Condition(StrEnum):
    """What a kubelet finds in a state file."""

    GOOD = "good"
    """A form that it reads, and the checksum holds."""
    FOREIGN = "foreign"
    """A form that only other releases read."""
    CORRUPT = "corrupt"
    """JSON whose checksum holds in no form."""
    EMPTY = "empty"
    """Nothing."""
    NO_JSON = "no JSON"
    """Something else than a JSON object."""


class CheckedStateFile(msgspec.Struct, frozen=True):
    """A state file as a kubelet finds it."""

    condition: Condition
    """What it finds."""
    form: StateFileForm | None = None
    """The form whose checksum holds."""
    content: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """What the file holds in that form; empty where there is none."""


def is_read(file: StateFile, gates: Gates) -> bool:
    """Return whether a kubelet with some feature gates reads the file."""
    return bool(file.forms) and (not file.gate or gates.is_on(file.gate))


def read(text: str, file: StateFile, gates: Gates) -> CheckedStateFile:
    """Return what a kubelet finds in the text of a state file.

    Raises UnreadError where the text has what no form models, so that its checksum cannot be computed.
    """
    if not text:
        return CheckedStateFile(Condition.EMPTY)
    try:
        document = loads(text)
    except InputError:
        document = None
    if not isinstance(document, Mapping):
        return CheckedStateFile(Condition.NO_JSON)
    for form in _forms(file, gates):
        content = _content(form, document)
        if content is not None:
            return CheckedStateFile(Condition.GOOD, form, content)
        if form.alone and (document.get(form.text) or document.get(form.checksum)):
            return CheckedStateFile(Condition.CORRUPT)
    for form in file.all_forms:
        content = _content(form, document)
        if content is not None:
            return CheckedStateFile(Condition.FOREIGN, form, content)
    return CheckedStateFile(Condition.CORRUPT)


def _forms(file: StateFile, gates: Gates) -> Iterator[StateFileForm]:
    for gate, forms in (file.gated or {}).items():
        if gates.is_on(gate):
            yield from forms
    yield from file.forms


def _content(form: StateFileForm, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what a file holds if it has a form and the checksum holds; else None."""
    if not form.needs <= document.keys():
        return None
    try:
        return _of_text(form, document) if form.text else _of_type(form, document)
    except DecodeError:
        return None


def _of_text(form: StateFileForm, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    text, checksum = _member(document, form.text), _member(document, form.checksum)
    if form.prefilled and text is None and checksum is None:
        return {}
    if not isinstance(text, str) or _DIGESTS[form.digest](text) != checksum:
        return None
    try:
        content = loads(text)
    except InputError:
        return None
    _text(form.type, content)
    return content if isinstance(content, Mapping) else {}


def _member(document: Mapping[str, Any], key: str) -> Any:
    """Return what a key has; encoding/json takes another letter case where the exact key is missing."""
    if key in document:
        return document[key]
    return next((value for name, value in document.items() if name.lower() == key.lower()), None)


def _of_type(form: StateFileForm, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    value = document.get(form.under, {}) if form.under else document
    if not isinstance(value, Mapping):
        return None
    filled = {**form.filled, **value}
    checksum = document.get(form.checksum, 0)
    text = _text(form.type, filled if form.under else {**filled, form.checksum: 0})
    if form.digest and not (checksum == 0 and form.zero) and checksum != fnv32a([text]):
        _refuse_opaque(form, value)
        return None
    return value


def _text(go_type: GoType, value: Any) -> str:
    decode, show = _compiled(go_type)
    pieces: list[str] = []
    show(decode(value), pieces.append)
    return "".join(pieces)


@lru_cache(maxsize=64)
def _compiled(go_type: GoType) -> tuple[Callable[[Any], Any], Callable[[Any, Callable[[str], None]], object]]:
    decode = compile_decoder(go_type.elem if isinstance(go_type, Pointer) else go_type, keep_empty=True)
    pointed = (lambda value: (decode(value),)) if isinstance(go_type, Pointer) else decode
    return pointed, compile_printer(go_type)


def _refuse_opaque(form: StateFileForm, value: object) -> None:
    """Raise UnreadError where a value has keys that the form's type does not model."""
    if isinstance(value, Mapping):
        if any(value.get(key) is not None for key in form.opaque):
            raise UnreadError(
                f"the checksum cannot be computed: the file has {', '.join(sorted(form.opaque))}"
            )
        for item in value.values():
            _refuse_opaque(form, item)
    elif isinstance(value, list):
        for item in value:
            _refuse_opaque(form, item)


def string_digest(text: str) -> int:
    """Return the FNV-1a of a string as go-spew prints it."""
    return _hashed(STRING, text)


_DIGESTS: Final[Mapping[str, Callable[[str], int]]] = {
    "fnv32a": string_digest,
    "crc32": lambda text: zlib.crc32(text.encode()),
}
"""The checksum of a string, by the name of the digest."""


_TEMPORARY: Final = "."
"""How the names of files begin that are still being written (pkg/kubelet/util/store)."""

Tree = Mapping[str, Any]


def has_checkpoint(dump: Dump, directory: str, sandbox: str, tree: Tree) -> bool:
    """Return whether a directory holds a checkpoint of a sandbox that its reader believes.

    Raises UnreadError where the directory or the file could not be read.
    """
    names = dump.names(directory)
    if not sandbox or sandbox.startswith(_TEMPORARY) or sandbox not in names:
        return False
    try:
        return not checkpoint_fault(dump.read("file", f"{directory}/{sandbox}"), tree)
    except AbsentError:
        return False


def checkpoint_fault(text: str, tree: Tree) -> str:
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
    names = [field.json for field in whole.fields]
    values = dict(zip(names, compile_decoder(whole, keep_empty=True)(document), strict=True))
    recorded = values["checksum"]
    if root is whole:
        return _hashed(root, tuple({**values, "checksum": 0}.values())), recorded
    data = ((),) if "data" not in document else values["data"]
    if data is None:
        raise InputError("its data is null")
    empty = compile_decoder(root, keep_empty=True)(None)
    return _hashed(root, data[0] or empty), recorded


def _hashed(go_type: GoType, value: Any) -> int:
    return fnv32a([spew(go_type, value)])


def _types(tree: Tree) -> tuple[GoType, Struct]:
    """Return the type that is hashed, and that of the whole file."""
    builder = TypeBuilder(tree, {})
    whole = builder.resolve("PodSandboxCheckpoint")
    if not isinstance(whole, Struct):
        raise InputError("hazards.json: PodSandboxCheckpoint is not a struct")
    return builder.resolve(str(tree["root"])), whole
