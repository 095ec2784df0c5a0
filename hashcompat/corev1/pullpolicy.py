"""The default pull policy of an image, by the way each release parses image references.

Source: pkg/util/parsers ``ParseImageName``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from hashcompat.errors import InputError
from hashcompat.regex import regex

_COMPONENT: Final = r"[a-z0-9]++(?:(?:\.|__?+|-++)[a-z0-9]++)*+"

_LABEL: Final = r"[a-zA-Z0-9]++(?:-++[a-zA-Z0-9]++)*+"
"""Letters and digits, with hyphens between; like Go's, these expressions take linear time."""

_DIGEST: Final = r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}"

_IDENTIFIER: Final = regex(r"[a-f0-9]{64}")

_LONGEST: Final = 255

_HUB: Final = "docker.io"

_Parser = Callable[[str], str]


def _pattern(*hosts: str) -> re.Pattern[str]:
    domain = rf"(?:{'|'.join(hosts)})(?::[0-9]++)?"
    name = rf"(?P<name>(?:{domain}/)?{_COMPONENT}(?:/{_COMPONENT})*+)"
    return regex(rf"{name}(?::(?P<tag>[\w][\w.-]{{0,127}}))?(?:@(?P<digest>{_DIGEST}))?", re.ASCII)


_HOST: Final = rf"{_LABEL}(?:\.{_LABEL})*+"

_REFERENCE: Final = _pattern(_HOST)

_REFERENCE_OR_IPV6: Final = _pattern(_HOST, r"\[[a-fA-F0-9:]+\]")


def pull_policy(image: str, parser: str) -> str:
    """Return the default of ``imagePullPolicy``; ``parser`` is named by a row of defaults.json.

    Raises InputError for a parser that this program does not have.
    """
    if parser not in _PARSERS:
        raise InputError(f"unknown parser of image references: {parser!r}")
    return "Always" if _PARSERS[parser](image) == "latest" else "IfNotPresent"


def _last_part(image: str) -> str:
    """Up to 1.1: the text after the last colon; without a colon there is no tag (pkg/api/v1/defaults.go)."""
    return image.rpartition(":")[2]


def _repository_tag(image: str) -> str:
    """Of 1.2: ``ParseRepositoryTag`` of docker/pkg/parsers."""
    if "@" in image:
        return image.split("@")[1] or "latest"
    tag = image.rpartition(":")[2] if ":" in image else ""
    return "latest" if "/" in tag else tag or "latest"


def _named(image: str) -> str:
    """Of 1.3 - 1.7: ``ParseNamed`` of docker/distribution, which adds no domain."""
    return _tag(_REFERENCE.fullmatch(image), _LONGEST)


def _normalized(image: str) -> str:
    """Of 1.8 - 1.28: ``ParseNormalizedNamed`` of docker/distribution."""
    if _IDENTIFIER.fullmatch(image):
        return ""
    return _tag(_REFERENCE.fullmatch(_with_domain(image, upper_case=False)), _LONGEST)


def _reference_0_5(image: str) -> str:
    """Of 1.29 - 1.31: distribution/reference v0.5.0, with IPv6 addresses and upper-case domains."""
    if _IDENTIFIER.fullmatch(image):
        return ""
    return _tag(_REFERENCE_OR_IPV6.fullmatch(_with_domain(image, upper_case=True)), _LONGEST)


def _reference_0_6(image: str) -> str:
    """From 1.32 on: distribution/reference v0.6.0, whose limit of 255 characters excludes the domain."""
    if _IDENTIFIER.fullmatch(image):
        return ""
    whole = _with_domain(image, upper_case=True)
    return _tag(_REFERENCE_OR_IPV6.fullmatch(whole), _LONGEST + len(whole.partition("/")[0]) + 1)


def _tag(match: re.Match[str] | None, longest: int) -> str:
    """Return the tag, or ``latest`` for a reference with neither tag nor digest.

    Returns an empty text for an invalid reference, because defaulting ignores that error.
    """
    if match is None or len(match["name"]) > longest:
        return ""
    return match["tag"] or ("" if match["digest"] else "latest")


def _with_domain(image: str, *, upper_case: bool) -> str:
    """Prepend the implied domain to a name (``splitDockerDomain``); ``upper_case``: A-Z can mark a domain."""
    first, slash, rest = image.partition("/")
    is_domain = (
        "." in first or ":" in first or first == "localhost" or (upper_case and first.lower() != first)
    )
    domain, rest = (first, rest) if slash and is_domain else (_HUB, image)
    if domain == f"index.{_HUB}":
        domain = _HUB
    return f"{domain}/library/{rest}" if domain == _HUB and "/" not in rest else f"{domain}/{rest}"


_PARSERS: Final[Mapping[str, _Parser]] = {
    "last part": _last_part,
    "repository tag": _repository_tag,
    "named": _named,
    "normalized": _normalized,
    "reference 0.5": _reference_0_5,
    "reference 0.6": _reference_0_6,
}
