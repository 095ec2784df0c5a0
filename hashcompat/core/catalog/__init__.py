"""The release data as typed rows: release -> types, era and behaviour. Only here are releases compared.

A release is rows of data, never a branch in code. ``releases.py`` has their order and the ranges that rows
hold for; ``lookup.py`` answers the one question of all others: what is everything about the kubelet of this
name?

- What is hashed and how: ``eras.py`` (type trees and the steps), ``pods.py`` (static pods' UIDs).
- What else decides: ``behaviour.py`` (with feature gates), ``defaults.py`` (what API servers write).
- What concerns nodes: ``kubeletsettings.py``, ``hazards.py`` (also what is not upstream's).
- Where rows come from: ``files.py`` (schemas/, and what ranges of several rows cover), ``added.py`` (a
  user's own releases).

A new release is a row in schemas/ (its README says how), and no line here. What is here is what somebody may
have meant by a name that is no release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from hashcompat.core.model.items import distance
from hashcompat.core.regex import regex
from hashcompat.core.release import LATEST

Minors = Mapping[str, Sequence[str]]
"""The known releases by minor, oldest first."""

_NUMBERS: Final = regex(r"\d{1,9}\.\d{1,9}(\.\d{1,9})?", re.ASCII)

_MINOR: Final = regex(r"[0-2]\.\d{1,2}", re.ASCII)
"""A minor, and no release without its second dot."""

_LOOK_ALIKE: Final = str.maketrans({"l": "1", "I": "1", "O": "0", "o": "0"})
"""Letters that are typed in place of digits."""

_BASE: Final = regex("[-+]")
"""What comes before the suffix of a vendor's build."""

_PLACEHOLDER: Final = regex(r"\.[xX*]?$")
"""What people write in place of a patch number."""

_NO_DIGIT: Final = regex("[^0-9]")

_LONGEST: Final = 24
"""Characters of a misspelled release that are looked at."""

_MAJORS: Final = 2
"""The greatest major number that is read as a number, not as a misspelled one."""

_MISTAKES: Final = 2
"""The most mistakes in typing that are looked for."""

_SHOWN: Final = 3
"""How many releases are named, and how many minors after the newest are near."""

_FARTHEST: Final = 1000
"""A number greater than any minor or patch number of a release."""


def nearest(name: str, minors: Minors) -> str:
    """Say which known releases are nearest to a name: the newest ones where none is near."""
    names = list(dict.fromkeys(_near(name, minors)))[:_SHOWN] or _newest_of(minors)[: -_SHOWN - 1 : -1]
    which = "release is" if len(names) == 1 else "releases are"
    return f"the nearest known {which} {', '.join(names)} (see: hashcompat releases)"


def _near(name: str, minors: Minors) -> Iterator[str]:
    """Yield releases that may be meant: with near numbers, with the same digits, with like spelling."""
    asked = _BASE.split(name.strip())[0].lstrip("vV")[:_LONGEST]
    if 0 < distance(asked, LATEST) <= _MISTAKES:
        yield LATEST
    if not _NO_DIGIT.sub("", asked):
        return  # a word is no release in which letters stand for digits
    asked = _PLACEHOLDER.sub("", asked.translate(_LOOK_ALIKE))
    numbers = _numbers_of(asked) if _NUMBERS.fullmatch(asked) else ()
    if _is_in_reach(numbers, minors) or _MINOR.fullmatch(asked):
        yield from _by_number(numbers, minors)
    else:
        digits, spelled = _NO_DIGIT.sub("", asked), _spelled(minors)
        yield from (full for text, full in spelled if _NO_DIGIT.sub("", text) == digits)
        yield from _by_number(numbers, minors)[: _SHOWN - 1] if numbers and numbers[0] <= _MAJORS else ()
        yield from _by_spelling(asked, spelled)


def _newest_of(minors: Minors) -> list[str]:
    return [names[-1] for names in minors.values()]


def _is_in_reach(numbers: Sequence[int], minors: Minors) -> bool:
    """Return whether the minor is a known one, or one of the next few."""
    last = _numbers_of(_newest_of(minors)[-1])
    return bool(numbers) and numbers[0] == last[0] and numbers[1] <= last[1] + _SHOWN


def _by_number(numbers: Sequence[int], minors: Minors) -> list[str]:
    """Return the releases whose numbers are nearest; of a minor without a patch the newest ones."""
    major, minor, *patch = numbers
    releases: Iterable[str] = (name for names in minors.values() for name in names)
    if not patch:
        releases = minors.get(f"{major}.{minor}") or _newest_of(minors)
    wanted = _position((major, minor, *(patch or [_FARTHEST - 1])))
    return sorted(releases, key=lambda release: abs(_position(_numbers_of(release)) - wanted))[:_SHOWN]


def _spelled(minors: Minors) -> list[tuple[str, str]]:
    """Return each release with its spelling, the newest first, and after them those that minors mean."""
    names = [name for names in minors.values() for name in names]
    return [
        *((name, name) for name in reversed(names)),
        *((minor, names[-1]) for minor, names in reversed(list(minors.items()))),
    ]


def _by_spelling(asked: str, spelled: Iterable[tuple[str, str]]) -> list[str]:
    """Return the releases that fewest mistakes in typing make of what was asked for."""
    steps = [(distance(asked, text), full) for text, full in spelled]
    fewest = min(number for number, _ in steps)
    return [full for number, full in steps if number == fewest] if fewest <= _MISTAKES else []


def _numbers_of(name: str) -> tuple[int, ...]:
    return tuple(map(int, _BASE.split(name)[0].split(".")))


def _position(numbers: Iterable[int]) -> int:
    """Return a release's position, in which a minor counts more than any patch."""
    major, minor, patch = numbers
    return (major * _FARTHEST + minor) * _FARTHEST + patch
