"""The flags among arguments, as pflag takes them apart (github.com/spf13/pflag ``parseArgs``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from hashcompat.catalog.kubeletflags import Flag, FlagTable
from hashcompat.preflight.facts.units import Word
from hashcompat.release import Release


class Given(msgspec.Struct, frozen=True):
    """A flag as it was given."""

    name: str
    """Its name without dashes."""
    value: str
    """Its value; empty for one without."""
    source: str
    """Where it was given."""
    flag: Flag | None
    """What it is in the release; None where the release does not accept it."""


def given(words: Iterable[Word], table: FlagTable, release: Release) -> Iterator[Given]:
    """Yield the flags among arguments, as a release takes them; an unknown one may have the next argument."""
    waiting: Given | None = None
    for word in words:
        if waiting is not None and not (waiting.flag is None and word.text.startswith("-")):
            yield Given(waiting.name, word.text, waiting.source, waiting.flag)
            waiting = None
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if word.text == "--":
            return
        if word.text.startswith("-") and len(word.text) > 1:
            found, whole = _flag(word, table, release)
            if whole:
                yield found
            else:
                waiting = found
    if waiting is not None:
        yield waiting


def _flag(word: Word, table: FlagTable, release: Release) -> tuple[Given, bool]:
    """Return a flag, and whether no value follows it."""
    if not word.text.startswith("--"):
        letter, rest = word.text[1], word.text[2:]
        flag = table.by_shorthand(release, letter)
        return Given(letter, rest.removeprefix("="), word.source, flag), bool(rest) or not _waits(flag)
    name, has_value, value = word.text[2:].partition("=")
    flag = table.find(release, name)
    return Given(name, value, word.source, flag), bool(has_value) or not _waits(flag)


def _waits(flag: Flag | None) -> bool:
    return flag is None or flag.takes_value
