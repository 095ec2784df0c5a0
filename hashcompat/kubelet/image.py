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
_LONGEST: Final = 255
"""Characters of a repository; before distribution/reference 0.6 the registry counted too."""


def image_tag(image: str) -> str:
    """Return the tag that Kubernetes reads from an image: ``latest`` when it names neither tag nor digest.

    Empty for a reference that does not parse, whose error the defaulting ignores (pkg/util/parsers ``ParseImageName``).
    """
    match = _REFERENCE.fullmatch(image)
    if match is None or _IDENTIFIER.fullmatch(image) or len(_repository(match)) > _LONGEST:
        return ""
    return match["tag"] or ("" if match["digest"] else "latest")


def _repository(match: re.Match[str]) -> str:
    """Return the path below the registry, with the ``library/`` that ``ParseNormalizedNamed`` puts before a bare name."""
    registry = match["domain"] or ""
    if any(mark in registry for mark in ".:[") or registry == "localhost/" or registry.lower() != registry:
        return match["path"]
    name = registry + match["path"]
    return name if "/" in name else f"library/{name}"
