"""What saved documents are compared and checked by: rows by name of a snapshot, and a digest."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

CONTAINER_LISTS: Final = ("containers", "initContainers", "ephemeralContainers")
"""The lists of a pod's containers, in the order in which a row has them."""


class RowKind(StrEnum):
    """What a row is, in the order in which rows are shown."""

    NODE = "Node"
    POD = "Pod"
    RECORDED = "Recorded"
    """What a runtime or kubelet recorded of a container."""
    SANDBOX = "Sandbox"
    APPLIED = "Applied"
    """The resources that a kubelet applied to a container."""


class RowName(msgspec.Struct, frozen=True):
    """How a row is found in another snapshot."""

    kind: RowKind
    namespace: str
    """Empty for a node."""
    name: str
    """The node's, or the pod's."""
    container: str = ""
    """Of what was recorded; empty for others."""
    number: int = 0
    """Which of several rows with these names it is, from 0, in the snapshot's order."""


class SnapshotRows(msgspec.Struct, frozen=True):
    """What a saved snapshot holds."""

    file: str
    """Where it was read from, without what may be secret."""
    spec: Mapping[str, Any]
    """What is said of all of it: ``newestRelease``, and whether ``hashes`` are kept or hidden."""
    taken: datetime | None
    """When it was taken, UTC; None for older ones, which do not say it."""
    cluster: str
    """The UID of its cluster; empty where that is unknown."""
    rows: Mapping[RowName, tuple[bytes, ...]]
    """Each row in JSON; of a pod what surrounds its lists of containers, and then each list.

    Equal lists, such as those of replicas, are one object.
    """

    @property
    def keeps_hashes(self) -> bool:
        """Whether the hashes over hidden values are in it; otherwise numbers of its own stand for them."""
        return self.spec.get("hashes") == "kept"


# The digest of a document and its signature: what shows that nobody edited it since it was saved.
#
# The digest is the SHA-256 of canonical JSON in UTF-8: a line for each item, and a last one for the
# document without its items, its digest and its signature. So it stays the same however the file is
# indented, and ``jq -cS '.items[], del(.items, .digest, .signature)' FILE | sha256sum`` prints it too.

DIGEST: Final = "digest"
SIGNATURE: Final = "signature"

_ITEMS: Final = "items"
_APART: Final = frozenset({_ITEMS, DIGEST, SIGNATURE})
"""What is not in the last line."""


def line_of(value: Any) -> bytes:
    """Return a line of JSON with sorted keys and without spaces; what JSON has no form for is its text."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return text.encode(errors="surrogatepass") + b"\n"


class Digest:
    """Adds up a document, one item after the other."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def add(self, line: bytes) -> None:
        """Add the line of an item, or those of several."""
        self._sum.update(line)

    def of(self, rest: Mapping[str, Any]) -> str:
        """Return the digest, ``sha256:`` and hex, of the items so far within ``rest``, a whole document."""
        whole = self._sum.copy()
        whole.update(line_of({key: value for key, value in rest.items() if key not in _APART}))
        return f"sha256:{whole.hexdigest()}"


def signature(digest: str, key: bytes) -> str:
    """Return the signature of a digest with a key: HMAC-SHA256 of its text."""
    return f"hmac-sha256:{hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()}"


def is_signed(digest: str, found: str, key: bytes) -> bool:
    """Return whether a signature is that of a digest with a key; takes as long for any wrong one."""
    return hmac.compare_digest(signature(digest, key).encode(), found.encode(errors="replace"))
