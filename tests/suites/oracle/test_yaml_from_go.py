"""Random YAML: each document becomes the newest kubelet library's JSON, or is refused as there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsontext import loads
from hashcompat.core.go.yaml import load_all
from scripts.golden import yamllibs
from tests.helpers import random_yaml, randomness, slices

pytestmark = pytest.mark.oracle

COUNT = randomness.count("RANDOM_CONTAINERS", 500) * 4


_STRICTER = re.compile("appears twice|infinity|a key that is neither")
"""A key that appears twice is an error here; Go takes the last value, and never looks at what it drops."""


def exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    return [exact(item) for item in value] if isinstance(value, list) else (type(value).__name__, str(value))


def read(text: str) -> tuple[Any, str]:
    """Return what this program reads, or why it refuses."""
    try:
        (value,) = load_all(text)
    except InputError as error:
        return None, str(error)
    return exact(value), ""


def test_random_documents_are_read_as_go_reads_them(record_property: Callable[[str, object], None]) -> None:
    texts = list(random_yaml.documents(randomness.SEED, COUNT))
    compared = stricter = 0
    for text, answer in zip(texts, yamllibs.ask(yamllibs.NEWEST, texts), strict=True):
        value, problem = read(text)
        if answer is not None and _STRICTER.search(problem):
            stricter += 1
        elif answer is None:
            assert problem, text
        else:
            assert (value, problem) == (exact(loads(answer)), ""), text
            compared += 1
    record_property("random_documents", compared)
    assert compared > COUNT / 4
    assert stricter < COUNT / 4


@pytest.mark.parametrize("minor", slices.sliced(sorted({*yamllibs.LIBRARIES} - {"1.10", "1.14"}), ["1.17"]))
def test_since_1_15_12_every_library_reads_the_same(minor: str) -> None:
    texts = [
        text for text in random_yaml.documents(randomness.SEED, 1000) if not _STRICTER.search(read(text)[1])
    ]
    assert len(texts) > 500
    assert yamllibs.ask(minor, texts) == yamllibs.ask(yamllibs.NEWEST, texts)


@pytest.mark.parametrize(("minor", "read_as"), [("1.14", '{"a":"1e3"}'), ("1.17", '{"a":1000}')])
def test_numbers_with_an_exponent_and_no_point_were_text(minor: str, read_as: str) -> None:
    assert yamllibs.ask(minor, ["a: 1e3\n"]) == [read_as]
