"""``-o yaml``: the document as YAML, with the keys in the document's own order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.model import Style
from hashcompat.model.escape import UTF_8, disarmed, is_obeyed, is_visible
from hashcompat.report.model import Document, Report, Rows

_TEXT: Final = "tag:yaml.org,2002:str"


def to_yaml(document: Document, encoding: str = UTF_8) -> Iterator[str]:
    """Yield YAML in pieces; all of it ASCII where something is not visible, or the encoding is not UTF-8."""
    import yaml  # noqa: PLC0415 - only -o yaml pays for the import

    unicode = encoding == UTF_8 and all(_is_visible(value) for value in _flat(document))

    class Dumper(yaml.SafeDumper):
        """Puts into double quotes, which have escapes, what a CI runner obeys."""

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar(_TEXT, text, '"' if is_obeyed(text) else None)

    Dumper.add_representer(str, represent)

    def dump(value: object) -> str:
        text: str = yaml.dump(value, None, Dumper, sort_keys=False, allow_unicode=unicode, width=1 << 30)
        return disarmed(text)

    for key, value in document.items():
        if isinstance(value, Rows):
            lead = f"{key}:\n"
            for row in value:
                yield lead + dump([row])
                lead = ""
            if not lead:
                continue
            value = []  # noqa: PLW2901 - without rows, what it is in YAML
        yield dump({key: value})


def _is_visible(value: object) -> bool:
    text = json.dumps(value, ensure_ascii=False)
    return all(map(is_visible, text))


def _flat(document: Document) -> Iterator[object]:
    for value in document.values():
        yield from value if isinstance(value, Rows) else [value]


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the text of a result in pieces."""
    if report.document:
        yield from to_yaml(report.document(result), style.encoding)
