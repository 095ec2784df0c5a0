"""Documents -> JSON and YAML text."""

from __future__ import annotations

import json
from typing import Any


def to_json(document: dict[str, Any]) -> str:
    """Return indented JSON; text that no terminal should interpret stays escaped by JSON itself."""
    return json.dumps(document, indent=2, ensure_ascii=False)


def to_yaml(document: dict[str, Any]) -> str:
    """Return YAML with the keys in the document's own order."""
    import yaml  # noqa: PLC0415 - only -o yaml pays for the import

    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1 << 30)
    return text.rstrip("\n")
