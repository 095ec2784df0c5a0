"""A kubelet release as people write it: ``1.9.11``, ``v1.9.11``, ``v1.16.15-eks-ad4801``, ``v1.28.2+k3s1``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from packaging.version import Version

from hashcompat.errors import UsageError

_RELEASE: Final = re.compile(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?P<suffix>[-+][0-9A-Za-z.+_~-]+)?", re.ASCII)
_PRE_RELEASE: Final = re.compile(r"-(alpha|beta|rc)\b")


@dataclass(frozen=True)
class Release:
    """An upstream release and, for a vendor's build of it, the vendor's suffix."""

    text: str
    major: int
    minor_number: int
    patch: int
    vendor: str = ""

    @cached_property
    def version(self) -> Version:
        """The upstream release for comparisons and specifiers."""
        return Version(f"{self.major}.{self.minor_number}.{self.patch}")

    @property
    def minor(self) -> str:
        """The release line, such as ``1.9``."""
        return f"{self.major}.{self.minor_number}"

    def __str__(self) -> str:
        return self.text


def parse_release(text: str) -> Release:
    """Read a release name; a suffix after ``-`` or ``+`` marks a vendor's build of that upstream release.

    Raises UsageError for what is no release, and for alpha, beta and rc builds: their types are not those of
    the release.
    """
    match = _RELEASE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a kubelet release; want MAJOR.MINOR.PATCH such as 1.9.11")
    suffix = match["suffix"] or ""
    if _PRE_RELEASE.match(suffix):
        raise UsageError(f"{text!r} is a pre-release; only releases have a known container schema")
    return Release(text.strip(), int(match[1]), int(match[2]), int(match[3]), suffix)
