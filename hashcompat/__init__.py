"""Predict, bit for bit, which containers a kubelet upgrade kills and recreates.

>>> import hashcompat
>>> hashcompat.container_hash({"name": "test_container", "image": "foo/image:v1"}, "1.36.0").hex
'8e45cbd0'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashcompat.api import container_hash, container_text, make_patch, patch_text, plan

__version__ = "0.1.0"
__all__ = ["__version__", "container_hash", "container_text", "make_patch", "patch_text", "plan"]


def __getattr__(name: str) -> Any:
    """Load the API on first use, so that ``hashcompat --version`` does not."""
    if name not in __all__:
        raise AttributeError(f"module 'hashcompat' has no attribute {name!r}")
    from hashcompat import api  # noqa: PLC0415

    return getattr(api, name)
