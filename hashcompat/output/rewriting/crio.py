"""CRI-O: one annotation in a container's own file, which CRI-O reads when it starts.

It keeps the CRI annotations of a container as JSON in an annotation of its OCI spec, and each of them beside
that one (internal/factory/container/container.go ``SpecAddAnnotations``, 1.36). When CRI-O starts it reads
them in ``config.json`` in the container's directory below the root of the storage, which it wrote when it
created the container, and does not write again (internal/lib/container_server.go ``LoadContainer``). What
runs does not notice: the OCI runtime was given a copy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsonpath import text as text_at
from hashcompat.core.model.normalization import CRIO
from hashcompat.core.records import documents as names
from hashcompat.core.records.edits import with_string, with_string_in_string
from hashcompat.output.rewriting import Found, files, lives

ANNOTATIONS: Final = "io.kubernetes.cri-o.Annotations"
_TYPE: Final = "io.kubernetes.cri-o.ContainerType"
_CREATED: Final = "io.kubernetes.cri-o.Created"
_KIND: Final = "container"
_BELOW: Final = "*-containers"
"""The directory of containers, behind the name of the storage's driver."""
_FILE: Final = Path("userdata", "config.json")


class CriO(files.InFiles):
    """The storage of CRI-O."""

    kind = CRIO
    usual = "/var/lib/containers/storage"

    def ids(self) -> Iterator[str]:
        """Yield the id of each container and sandbox."""
        drivers = sorted(self.root.glob(_BELOW))
        if not drivers:
            raise InputError(f"{self.root}: no storage of CRI-O; --runtime-root names another one")
        try:
            for driver in drivers:
                with os.scandir(driver) as rows:
                    yield from sorted(row.name for row in rows if (driver / row.name / _FILE).is_file())
        except OSError as error:
            raise InputError(f"{self.root}: cannot be read: {error.strerror}") from None

    def path(self, identity: str) -> Path:
        """Return where the file of a container is; errors as ``InFiles``."""
        found = next(self.root.glob(f"{_BELOW}/{identity}/{_FILE}"), None)
        if found is None:
            raise InputError(f"{identity}: there is no such container any more")
        return found

    def found(self, identity: str) -> Found | None:
        """Return the container; errors as ``InFiles``."""
        path = self.path(identity)
        value = files.content(path, self.root)
        try:
            found = found_in(identity, value)
            if found is None:
                return None
            state = state_in(files.content(path.with_name("state.json"), self.root))
        except InputError as error:
            raise InputError(f"{path}: not what CRI-O writes: {error}") from None
        running = state.get("status") == "running" and lives(state.get("pid"), identity)
        started = names.nanoseconds(text_at(state, "started")) or 0
        return structs.replace(found, running=running, started=str(started))

    def with_hash(self, value: bytes, old: str, new: str) -> bytes:
        """Return what is kept with another recorded hash; errors as ``Place`` has them."""
        return with_hash(value, old, new)


def found_in(identity: str, value: bytes) -> Found | None:
    """Return the container in a file of CRI-O, which does not say whether it runs; None for a sandbox.

    Raises InputError for what is no JSON.
    """
    content: Any = jsontext.loads(jsontext.decode_text(value))
    kept = part(content, "annotations") if isinstance(content, dict) else {}
    if kept.get(_TYPE) != _KIND:
        return None
    annotations: Any = jsontext.loads(text_at(kept, ANNOTATIONS) or "{}")
    return Found(
        identity,
        text_at(kept, names.UID),
        text_at(kept, names.NAMESPACE),
        text_at(kept, names.POD),
        text_at(kept, names.NAME),
        created=names.nanoseconds(text_at(kept, _CREATED)) or 0,
        hash=text_at(annotations, names.HASH) if isinstance(annotations, dict) else "",
        value=value,
        running=False,
    )


def state_in(value: bytes) -> dict[str, Any]:
    """Return what CRI-O stores of the state of a container; raises InputError for what is no object."""
    content: Any = jsontext.loads(jsontext.decode_text(value))
    if not isinstance(content, dict):
        raise InputError("state.json: want an object")
    return content


def with_hash(value: bytes, old: str, new: str) -> bytes:
    """Return a container's file with another recorded hash, in both places; every other byte of it stays.

    Raises InputError where the hash in it is not ``old``.
    """
    text = jsontext.decode_text(value)
    text = with_string_in_string(text, ("annotations", ANNOTATIONS), names.HASH, old, new)
    if names.HASH in part(json.loads(text), "annotations"):
        text = with_string(text, ("annotations", names.HASH), old, new)
    return text.encode(errors="surrogateescape")
