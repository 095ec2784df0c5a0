"""Hide the values of a container that may be secret, before any of its text is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

MASK: Final = "***"

_LISTS: Final = frozenset({"command", "args"})

_DEEPEST: Final = 50
"""Levels; no Go type below Container is nearly as deep, so decoding drops what is deeper."""


def masked(container: Mapping[str, Any], hide: Callable[[str], str] = lambda _: MASK) -> dict[str, Any]:
    """Return the container's JSON with the values of env, args, commands and HTTP headers hidden.

    ``hide`` returns what replaces a value; by default ``***``.
    """
    result: dict[str, Any] = _masked(container, hide)
    return result


def _masked(value: Any, hide: Callable[[str], str], key: str = "", depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {name: _masked_member(key, name, item, hide, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [
            hide(item) if key in _LISTS and isinstance(item, str) else _masked(item, hide, key, depth + 1)
            for item in value
        ]
    return value


def _masked_member(parent: str, name: str, item: Any, hide: Callable[[str], str], depth: int) -> Any:
    if parent in ("env", "httpHeaders") and name == "value" and isinstance(item, str):
        return hide(item)
    return _masked(item, hide, name, depth)
