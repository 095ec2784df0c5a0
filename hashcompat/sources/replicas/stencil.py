"""A stencil: a text with slots, where other texts of the same structure have other strings.

What is around the slots is compared, and what is in them is checked: it has to be a string, or a number, as
every decoder reads it. So a text that matches has the keys, numbers and structure of the one that the stencil
was made of, and decodes to the same but for the strings in its slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Final

import msgspec

from hashcompat.core.go.jsonpath import Token
from hashcompat.core.regex import regex
from hashcompat.sources.replicas.roles import Steps, role_of

_LONGEST: Final = 1 << 14
"""Characters of a string in a slot: annotations may be long."""
_NUMBER: Final = regex(r"0|[1-9][0-9]{0,8}", re.ASCII)
"""A number as every decoder reads it."""
_ESCAPED: Final = regex(r'(?>(?:[ !#-\[\]-~]|\\["\\/nrt]|\\u00(?:[2-6][0-9a-fA-F]|7[0-9a-eA-E]))*)', re.ASCII)
"""A string of JSON as printers write it. All releases escape its characters alike: ``\\b`` they do not."""
_DECODER: Final = msgspec.json.Decoder(str)


class Alphabet(msgspec.Struct, frozen=True, eq=False):
    """What may be in slots."""

    odd: re.Pattern[str]
    """Finds a character that may not be."""
    longest: int
    """The most characters."""
    escapes: bool = False
    """Whether strings with escapes may be too."""

    def has(self, text: str) -> bool:
        """Return whether a string may be in a slot."""
        if not 0 < len(text) <= self.longest:
            return False
        return self.odd.search(text) is None or (self.escapes and _ESCAPED.fullmatch(text) is not None)


PLAIN: Final = Alphabet(regex(r"[^A-Za-z0-9._:/@+-]", re.ASCII), 253)
"""What no printer of JSON, YAML or Go changes, of names: none is longer."""
QUOTED: Final = Alphabet(regex(r"[^ !#-\[\]-~]", re.ASCII), _LONGEST, escapes=True)
"""What may be in a string of JSON; one that is not ASCII has other bytes than characters."""


class Cut:
    """A part of a text, cut at its tokens."""

    def __init__(self, text: str, tokens: Iterable[Token], start: int, end: int, alphabet: Alphabet) -> None:
        """Take the tokens in the part."""
        self.alphabet, self.size = alphabet, end - start
        self.places: list[int] = []
        """Which of the tokens it is cut at."""
        self.keys: list[str] = []
        """The key before each of these."""
        self.numbers: set[int] = set()
        """Which of them are numbers."""
        self.own_keys: list[int] = []
        """Which of them are keys."""
        self.values: list[str] = []
        self.pieces: list[str] = []
        self.tokens = 0
        """How many tokens there are."""
        at = start
        for place, token in enumerate(tokens):
            self.tokens = place + 1
            value = text[token.start : token.end]
            if token.end < end and _may_be_slot(token, value, alphabet):
                if token.is_number:
                    self.numbers.add(len(self.values))
                if token.is_key:
                    self.own_keys.append(len(self.values))
                self.places.append(place)
                self.keys.append(token.key)
                self.values.append(value)
                self.pieces.append(text[at : token.start])
                at = token.end
        self.pieces.append(text[at:end])

    @property
    def skeleton(self) -> bytes:
        """What parts of one structure share: a digest of what is around the tokens, 16 bytes."""
        return blake2b("\0".join(self.pieces).encode(errors="surrogatepass"), digest_size=16).digest()

    def between(self, begin: int, end: int) -> str:
        """Return the text between two tokens, from the piece behind one to that before another."""
        texts = [self.pieces[begin]]
        for number in range(begin, end):
            texts += self.values[number], self.pieces[number + 1]
        return "".join(texts)


def _may_be_slot(token: Token, value: str, alphabet: Alphabet) -> bool:
    if not token.is_as_is:
        return False
    return _NUMBER.fullmatch(value) is not None if token.is_number else alphabet.has(value)


class Stencil:
    """A part of a text with slots."""

    def __init__(
        self,
        cut: Cut,
        slots: Iterable[int],
        paths: Sequence[Steps],
        is_bare: Callable[[str], bool] | None,
    ) -> None:
        """Take which of the places where the text is cut are slots, and where in the value each token is."""
        self.cut, self.slots = cut, tuple(sorted(slots))
        self.paths = tuple([paths[cut.places[slot]] for slot in self.slots])
        """Where in the value the slots are."""
        self.roles = tuple(map(role_of, self.paths))
        """What they are for."""
        self._chosen, self.is_bare = frozenset(self.slots), is_bare
        ends = (*self.slots, len(cut.values))
        begins = (0, *(slot + 1 for slot in self.slots))
        first, *rest = map(cut.between, begins, ends)
        self._first, self._begin = first, len(first)
        self._rest = tuple((piece[:1], piece, len(piece)) for piece in rest)
        self.lines = sum(piece.count("\n") for piece in (first, *rest))
        """The line breaks in it: no slot has any."""
        self._odd, self._longest = cut.alphabet.odd, cut.alphabet.longest
        self._numbers = tuple(n for n, slot in enumerate(self.slots) if slot in cut.numbers)
        self._keys = tuple(n for n, slot in enumerate(self.slots) if slot in cut.own_keys)
        self._repeated = _firsts([cut.values[slot] for slot in self.slots if slot in cut.own_keys])
        self._bare = tuple(
            n
            for n, before in enumerate((first, *rest)[:-1])
            if is_bare and before[-1:] not in "\"'" and n not in self._numbers
        )

    def match(self, text: str, position: int) -> tuple[list[str], int] | None:
        """Return the values in the slots of the text at a position, and its end; None for another text."""
        if not text.startswith(self._first, position):
            return None
        position += self._begin
        values = list[str]()
        for char, piece, length in self._rest:
            end = text.find(char, position, position + self._longest + 1)
            if end > 0 and text[end - 1] == "\\" and (match := _ESCAPED.match(text, position)) is not None:
                end = min(match.end(), position + self._longest)  # an escaped quote
            if end <= position or not text.startswith(piece, end):
                return None
            values.append(text[position:end])
            position = end + length
        read = self._read(values)
        return None if read is None else (read, position)

    def _read(self, values: list[str]) -> list[str] | None:
        """Return strings as a decoder reads them; None where one may not be in its slot."""
        for slot in self._numbers:
            if not _NUMBER.fullmatch(values[slot]):
                return None
        for slot in self._bare:
            if self.is_bare is None or not self.is_bare(values[slot]):
                return None
        # Which keys of the first text are equal is right: where others are, one object may have a key twice.
        if self._keys and _firsts([values[slot] for slot in self._keys]) != self._repeated:
            return None
        if self._odd.search("".join(values)) is None:
            return values
        # a space is within no escape, so none begins in one string and ends in another
        if not self.cut.alphabet.escapes or _ESCAPED.fullmatch(" ".join(values)) is None:
            return None
        return [_DECODER.decode(f'"{value}"') if "\\" in value else value for value in values]

    def differences(self, cut: Cut) -> list[int]:
        """Return the tokens outside slots that a text of the same skeleton has otherwise."""
        pairs = enumerate(zip(self.cut.values, cut.values, strict=True))
        return [number for number, (value, other) in pairs if value != other and number not in self._chosen]


def _firsts(values: list[str]) -> list[int]:
    """Return for each string which is the first that equals it."""
    return list(map(values.index, values))
