"""Who gave a pod its UID: each shows it by the form.

Source: pkg/kubelet/config/common.go ``applyDefaults``: MD5, and FNV-1a of 128 bits from 1.35 on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from hashcompat.regex import regex

_COMPUTED: Final = regex(r"[0-9a-f]{32}")

_OF_API_SERVERS: Final = regex(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_computed(uid: str) -> bool:
    """Return whether a kubelet computed the UID, of a static pod; a manifest may set any instead."""
    return _COMPUTED.fullmatch(uid) is not None


def is_of_api_server(uid: str) -> bool:
    """Return whether an API server made the UID, which has hyphens; nobody else chooses one of its pods."""
    return _OF_API_SERVERS.fullmatch(uid) is not None


@lru_cache(maxsize=16)
def packed(uid: str) -> str | bytes:
    """Return a UID in little memory: as bytes where an API server made it.

    One object for all that ask for the UID of one pod, one after the other.
    """
    return bytes.fromhex(uid.replace("-", "")) if is_of_api_server(uid) else uid


def unpacked(key: str | bytes) -> str:
    """Return the UID of what ``packed`` returned."""
    if isinstance(key, str):
        return key
    text = key.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
