"""Regular expressions that are compiled on first use answer as compiled ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hashcompat.core.regex import regex


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_ = re.compile

    def counted(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return compile_(text, flags)

    monkeypatch.setattr(re, "compile", counted)
    word = regex("[a-z]+", re.IGNORECASE)
    assert (word.pattern, compiled) == ("[a-z]+", [])
    match = word.fullmatch("Word")
    assert match
    assert match[0] == "Word"
    assert word.fullmatch("two words") is None
    assert compiled == ["[a-z]+"], "a method is looked up once"
    assert word.sub("x", "two words") == "x x"


def test_text_and_bytes() -> None:
    assert regex(rb"\d").findall(b"1a2") == [b"1", b"2"]
    assert regex(r"\d", re.ASCII).findall("1\u0664") == ["1"]


def test_a_malformed_one_fails_when_it_is_used() -> None:
    malformed = regex("(")
    with pytest.raises(re.error):
        malformed.match("")


def test_no_group_is_possessive() -> None:
    """Before Python 3.11.5 such a group may match too little (python/cpython#106052)."""
    package = Path(__file__).resolve().parents[1] / "hashcompat"
    group = re.compile(r"(?<!\\)\)[*+?]\+")
    assert [
        path.name for path in package.rglob("*.py") if group.search(path.read_text(encoding="utf-8"))
    ] == []
