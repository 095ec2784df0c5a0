"""Documents -> JSON and YAML text."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Escape what a terminal could take for a command, line breaks included."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def to_json(document: dict[str, Any]) -> str:
    """Return indented JSON; what no terminal should interpret stays escaped: by JSON itself, or as it would do."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(document, indent=2, ensure_ascii=False))


def to_yaml(document: dict[str, Any]) -> str:
    """Return YAML with the keys in the document's own order."""
    import yaml  # noqa: PLC0415 - only -o yaml pays for the import

    printable_as_it_is = _UNPRINTABLE.search(json.dumps(document, ensure_ascii=False)) is None
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=printable_as_it_is, width=1 << 30)
    return text.rstrip("\n")
