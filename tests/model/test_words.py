"""Numbers in sentences."""

from __future__ import annotations

import pytest

from hashcompat.core.model.escape import agree, count


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "pod", "0 pods"), (1, "pod", "1 pod"), (2, "static pod", "2 static pods"), (3, "hash", "3 hashes")],
)
def test_a_noun_is_in_the_plural_unless_there_is_one(number: int, noun: str, text: str) -> None:
    assert count(number, noun) == text


def test_a_verb_agrees_with_its_subject() -> None:
    assert [agree(number, "restart") for number in (0, 1, 2)] == ["restart", "restarts", "restart"]
