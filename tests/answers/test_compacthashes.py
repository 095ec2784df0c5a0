"""Hashes in little memory are the same hashes."""

from __future__ import annotations

import pytest

from hashcompat.analysis.answers.hashes import CompactHashes
from hashcompat.core.kubelet.hashing import ContainerHash
from hashcompat.core.model.verdicts import HiddenHash


def one(*hashes: int | HiddenHash) -> ContainerHash:
    return ContainerHash(frozenset(hashes), "era")


@pytest.mark.parametrize(
    "hashes",
    [
        {},
        {"1.7.16": one(0), "1.9.11": one(0xFFFFFFFF)},
        {"1.7.16": one(1), "v1.29.1-eks": one(2, 3)},
        {"1.7.16": one()},
        {"1.7.16": one(HiddenHash(4)), "1.9.11": one(5)},
    ],
    ids=["none", "certain ones", "one of two", "nothing", "a hidden one"],
)
def test_hashes_come_back_as_they_were(hashes: dict[str, ContainerHash]) -> None:
    copy = CompactHashes.of(hashes)
    assert copy.by_release == hashes
    assert list(copy.by_release) == list(hashes)


def test_a_hash_takes_four_bytes() -> None:
    releases = {f"1.9.{number}": one(number) for number in range(100)}
    assert len(CompactHashes.of(releases).numbers) == 400


def test_containers_share_the_names_of_releases() -> None:
    first, second = (CompactHashes.of({"1.7.16": one(number)}) for number in (1, 2))
    assert first.releases is second.releases
    assert first.eras is second.eras
