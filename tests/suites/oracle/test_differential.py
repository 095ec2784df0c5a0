"""Random containers: every text and every hash equals what real Go computes with the release's own types.

Both ways to a text are compared: by the steps, and the quick one; and both of FNV-1a: in C, and without
the library for that.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.digest import by_pieces, compiled, fnv32a
from hashcompat.core.go.jsontext import decode_text, loads
from hashcompat.core.kubelet.hashing import hashers
from scripts.golden import containers as oracle
from tests.helpers import random_containers, randomness, slices

pytestmark = pytest.mark.oracle

COUNT = randomness.count("RANDOM_CONTAINERS", 500)
SOURCES: tuple[random_containers.Source, ...] = ("api", "file")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("release", slices.releases(oracle.oracles(), "era", "go"))
def test_random_containers_equal_go(
    release: str, source: random_containers.Source, record_property: Callable[[str, object], None]
) -> None:
    hasher = hashers(default_catalog().kubelet(release), keep_empty=source == "file")[0]
    containers = list(
        random_containers.containers(default_catalog().newest_schema().tree, randomness.SEED, COUNT, source)
    )
    answers = oracle.ask(release, (random_containers.request(container, source) for container in containers))
    compared = refused = 0
    for container, answer in zip(containers, answers, strict=True):
        compared += 1
        if "error" in answer:
            refused += 1
            for decoded in (hasher.decode, hasher.text):
                with pytest.raises(DecodeError):
                    decoded(loads(decode_text(container)))
            continue
        value = loads(decode_text(container))
        pieces = hasher.pieces(hasher.decode(value))
        assert hasher.text(value) == answer["text"], container
        assert ("".join(pieces), hasher.digest(pieces)) == (answer["text"], answer["hash"]), container
        assert hasher.digest is not fnv32a or by_pieces(pieces, fnv32a([])) == answer["hash"], container
    record_property("random_containers", compared)
    assert compared == COUNT
    assert refused == 0 or oracle.find(release).refuses


def test_fnv_is_computed_in_c() -> None:
    assert compiled() is not None


def test_a_wrong_text_would_be_seen() -> None:
    """The comparison above can fail: the text of another release is not accepted."""
    container = next(
        random_containers.containers(default_catalog().newest_schema().tree, randomness.SEED, 1, "api")
    )
    (answer,) = oracle.ask("1.15.12", [random_containers.request(container, "api")])
    assert (
        hashers(default_catalog().kubelet("1.16.15"))[0].text(loads(decode_text(container))) != answer["text"]
    )
