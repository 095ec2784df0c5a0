"""A container's hashes under some releases, in a few bytes each: a report of a cluster has millions."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar

import msgspec

from hashcompat.kubelet.hashing import ContainerHash

Value = TypeVar("Value")

_FORM: Final = "I"
"""Unsigned integers of 32 bits, as hashes are."""


class FoundHashes(msgspec.Struct, frozen=True):
    """The hashes of one container."""

    releases: tuple[str, ...]
    """The releases' names as given; one object for all containers."""
    eras: tuple[str, ...]
    """The era of each; one object for all containers."""
    numbers: bytes
    """The hash of each, where every one is certain; else empty."""
    others: tuple[ContainerHash, ...] = ()
    """The hashes, where one of them is not certain."""

    @classmethod
    def of(cls, hashes: Mapping[str, ContainerHash]) -> FoundHashes:
        """Return the same hashes in less memory."""
        found = tuple(hashes.values())
        releases, eras = _same(tuple(hashes)), _same(tuple(one.era for one in found))
        numbers = [one.value for one in found if one.value is not None]
        if len(numbers) == len(found):
            return cls(releases, eras, _same(array(_FORM, numbers).tobytes()))
        return cls(releases, eras, b"", _same(found))

    @property
    def by_release(self) -> Mapping[str, ContainerHash]:
        """The hash under each release."""
        found: Sequence[ContainerHash] = self.others or [
            ContainerHash(frozenset({number}), era)
            for number, era in zip(array(_FORM, self.numbers), self.eras, strict=True)
        ]
        return dict(zip(self.releases, found, strict=True))


@lru_cache(maxsize=4096)
def _same(value: Value) -> Value:
    """Return one object for all equal ones among the latest."""
    return value
