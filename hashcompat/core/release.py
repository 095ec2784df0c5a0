"""Kubelet release names as people write them: ``1.9.11``, ``v1.16.15-eks-ad4801``, ``v1.28.2+k3s1``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

from hashcompat.core.errors import UsageError
from hashcompat.core.regex import regex

_NUMBER: Final = r"0|[1-9]\d{0,8}"
"""A number of a version, which has no leading zeros (semver.org)."""
_RELEASE: Final = regex(
    rf"v?({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?P<suffix>[-+][0-9A-Za-z.+_~-]+)?", re.ASCII
)
LATEST: Final = "latest"
"""What the newest known release is called, where a person may name one."""

_PRE_RELEASE: Final = regex(r"-(alpha|beta|rc)\b.*")


_NAME: Final = regex(rf"v?({_NUMBER})\.({_NUMBER})(\.({_NUMBER})([-+][0-9A-Za-z.+_~-]+)?)?", re.ASCII)
"""A release, or a minor, which stands for its newest patch release."""


def is_release_name(text: str) -> bool:
    """Return whether a word is spelled like a release, a minor or ``latest``; it need not be known."""
    return text == LATEST or _NAME.fullmatch(text) is not None


class Release(msgspec.Struct, frozen=True):
    """An upstream release, or a vendor's build of one; ``core/catalog/releases.py`` orders them."""

    text: str
    """The name as given, without surrounding white space."""
    major: int
    """1 in ``1.9.11``."""
    minor_number: int
    """9 in ``1.9.11``."""
    patch: int
    """11 in ``1.9.11``."""
    vendor: str = ""
    """The vendor's suffix (``-eks-ad4801``, ``+k3s1``); empty for upstream's own build."""
    stage: str = ""
    """The suffix of a pre-release (``-alpha.2``); empty for a release."""

    @property
    def upstream(self) -> str:
        """The name of the upstream release: ``1.16.15`` for ``v1.16.15-eks-ad4801``."""
        return f"{self.minor}.{self.patch}{self.stage}"

    @property
    def minor(self) -> str:
        """The minor release, such as ``1.9``."""
        return f"{self.major}.{self.minor_number}"

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=1024)
def parse_release(text: str, *, pre: bool = False) -> Release:
    """Parse a release name; a suffix after ``-`` or ``+`` marks a vendor's build of that upstream release.

    Raises UsageError if ``text`` is not a release, and for alpha, beta and rc builds, whose types may differ
    from those of the release, unless ``pre`` allows these.
    """
    match = _RELEASE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a kubelet release; want MAJOR.MINOR.PATCH such as 1.9.11")
    suffix = match["suffix"] or ""
    numbers = int(match[1]), int(match[2]), int(match[3])
    if _PRE_RELEASE.match(suffix):
        if pre:
            return Release(text.strip(), *numbers, stage=suffix)
        raise UsageError(f"{text!r} is a pre-release; only releases have a known container schema")
    return Release(text.strip(), *numbers, suffix)
