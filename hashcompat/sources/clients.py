"""Objects of Kubernetes client libraries -> the JSON that an API server speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

_VERSION: Final = re.compile(r"^V\d+((alpha|beta)\d+)?(?=[A-Z])")


def plain(value: Any) -> Any:
    """Return plain JSON values for what a client library holds; plain values stay as they are.

    Known are models of the official Python clients, whose ``attribute_map`` names the JSON keys (their own
    ``to_dict`` does not), and whatever else has a ``to_dict``.
    """
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(getattr(value, "attribute_map", None), Mapping):
        return _model(value)
    return plain(value.to_dict()) if hasattr(value, "to_dict") else value


def _model(value: Any) -> dict[str, Any]:
    """Return a model's JSON; the items of a list leave out their kind, which the class names."""
    found = {key: plain(getattr(value, name)) for name, key in value.attribute_map.items()}
    if "kind" in found and found["kind"] is None:
        found["kind"] = _VERSION.sub("", type(value).__name__)
    return {key: item for key, item in found.items() if item is not None}
