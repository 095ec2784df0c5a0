"""The tag of an image reference, as the pull-policy default sees it."""

from __future__ import annotations

import re
from typing import Final

_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_LABEL: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_REFERENCE: Final = re.compile(
    rf"(?P<domain>(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?/)?"
    rf"(?P<path>{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>[\w][\w.-]{0,127}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}))?",
    re.ASCII,
)
_IDENTIFIER: Final = re.compile(r"[a-f0-9]{64}")


def image_tag(image: str) -> str:
    """Return the tag that Kubernetes reads from an image: ``latest`` when it names neither tag nor digest.

    Empty for a reference that does not parse, whose error the defaulting ignores (pkg/util/parsers ``ParseImageName``).
    """
    match = _REFERENCE.fullmatch(image)
    if match is None or _IDENTIFIER.fullmatch(image):
        return ""
    return match["tag"] or ("" if match["digest"] else "latest")
