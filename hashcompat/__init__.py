"""Predict, bit for bit, which containers a kubelet upgrade kills and recreates.

Examples:
    >>> import hashcompat
    >>> hashcompat.container_hash({"name": "test_container", "image": "foo/image:v1"}, "1.36.0").hex
    '8e45cbd0'
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes longer than all of this module
if TYPE_CHECKING:
    from typing import Any

    from hashcompat.api import *  # noqa: F403 - what is public, by the names of its __all__

__version__ = "1.0.0"
_ASKED_FOR: frozenset[str] = frozenset({"api", "cli"})
"""Packages in it that import statements look for as attributes, before they are imported."""


def __getattr__(name: str) -> Any:
    """Load the API on first use, so that ``hashcompat --version`` does not."""
    if name not in _ASKED_FOR and (name == "__all__" or not name.startswith("_")):
        from hashcompat import api  # noqa: PLC0415

        if name == "__all__":
            return ["__version__", *api.__all__]
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module 'hashcompat' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Name what is public."""
    return sorted(__getattr__("__all__"))
