"""Every regular expression of the package takes linear time for texts that repeat what it reads.

A pattern is run as its module runs it: ``search`` and the like only where the source names them.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from hashcompat.core.regex import _Later

SIZES, FACTOR = (400, 1_500, 6_000), 4
"""How often a text is repeated, each time next to so many times less: the first that is slow decides."""

QUICK = 0.008
"""Seconds below which nothing is measured: a linear pattern needs a tenth for the longer text."""

MOST = 10
"""How many times the time may be, of four times the text; a square takes 16 times."""

ALWAYS = tuple("a0A \n\t-.,:;=/\"'\\([{<#$@!")


def patterns() -> Iterator[tuple[str, re.Pattern[Any], bool]]:
    """Yield the name of each pattern, the pattern, and whether its module searches with it."""
    for module_info in pkgutil.walk_packages(hashcompat.__path__, "hashcompat."):
        if module_info.name.endswith("__main__"):
            continue
        module = importlib.import_module(module_info.name)
        text = Path(str(module.__file__)).read_text()
        for name, value in vars(module).items():
            for element in value if isinstance(value, dict | tuple | list) else [value]:
                for each in element if isinstance(element, tuple) else [element]:
                    if isinstance(each, _Later):
                        each = re.compile(each.pattern, each._flags)  # noqa: PLW2901 - what it stands for
                    if isinstance(each, re.Pattern):
                        used = rf"\b{name}\.(?:search|sub|subn|finditer|findall|split)\("
                        kept = isinstance(value, re.Pattern | _Later) and not re.search(used, text)
                        yield f"{module_info.name}.{name}", each, not kept


def texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Yield what is put in front of a repeated text, and that text."""
    shown = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    words = re.findall(r"[A-Za-z]{3,}[.:=]?", shown)[:6]
    for repeated in [*ALWAYS, '\\"', "a ", "a.", "a-", "0 ", *words]:
        for before in ("", *words[:1]):
            yield before, repeated


def seconds(pattern: re.Pattern[Any], text: str, *, searched: bool) -> float:
    given: Any = text if isinstance(pattern.pattern, str) else text.encode("latin-1")
    start = time.process_time()
    pattern.fullmatch(given)
    pattern.match(given)
    if searched:
        pattern.search(given)
    return time.process_time() - start


def grows(pattern: re.Pattern[Any], *, searched: bool) -> Iterator[str]:
    for before, repeated in texts(pattern):
        if any(_grows_to(size, pattern, before, repeated, searched=searched) for size in SIZES):
            yield f"{before!r} and {repeated!r}"


def _grows_to(size: int, pattern: re.Pattern[Any], before: str, repeated: str, *, searched: bool) -> bool:
    """Return whether a text of so many repetitions takes more than ``MOST`` times as long as a short one."""
    short, long = (before + repeated * count + "\0" for count in (size // FACTOR, size))
    if seconds(pattern, long, searched=searched) < QUICK:
        return False
    small, large = (
        min(seconds(pattern, text, searched=searched) for _ in range(3)) for text in (short, long)
    )
    return large > max(QUICK, MOST * small)


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
def test_every_pattern_takes_linear_time() -> None:
    every = list(patterns())
    assert len(every) > 150
    slow = {name: list(grows(pattern, searched=searched)) for name, pattern, searched in every}
    assert {name: inputs for name, inputs in slow.items() if inputs} == {}


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("pattern", [r"a+a+:\(", r"^\s*x:"])
def test_a_square_is_seen(pattern: str) -> None:
    assert any(grows(re.compile(pattern, re.MULTILINE), searched=True))
