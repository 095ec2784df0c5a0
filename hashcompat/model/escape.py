"""Text that no name can fake: what nobody sees is escaped, and names are one word."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

UTF_8: Final = "utf-8"

_BLANK: Final = re.compile("[\u115f-\u11ff\u2800\u3164\ud7b0-\ud7ff\uffa0\U0001d159]")
"""Letters and symbols without a picture of their own: Hangul fillers and vowels, the empty Braille cell."""

_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
"""Bidirectional classes of Unicode's UAX #9; a terminal reorders what is next to them, columns included."""

_COMMAND: Final = re.compile("^:(?=:)")
"""How a line begins that a GitHub runner takes as a command, ``::error::``."""

_SPECIAL: Final = re.compile(r'[ "\\]|^::')

_SPACES: Final = re.compile("^ | (?= )| $")


def is_visible(char: str) -> bool:
    """Return whether a character is one that people see, alone and where it is written.

    Not control, format, private or unassigned characters, white space other than a space, surrogates, marks
    that change the character before them (variation selectors too), blank ones, and those that are written
    from right to left.
    """
    return (
        char.isprintable()
        and unicodedata.category(char)[0] != "M"
        and unicodedata.bidirectional(char) not in _RIGHT_TO_LEFT
        and not _BLANK.match(char)
    )


def printable(text: str, encoding: str = UTF_8) -> str:
    """Escape what is not visible, line breaks included, and what the encoding lacks."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(char if is_visible(char) else _escaped(char) for char in text)
    return text if encoding == UTF_8 else text.encode(encoding, "backslashreplace").decode(encoding)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()


def distinct(text: str, encoding: str = UTF_8) -> str:
    """Escape as ``printable`` does, and double each backslash, so that no two texts become one.

    It begins no command of a GitHub runner.
    """
    return _COMMAND.sub(r"\\x3a", printable(text.replace("\\", r"\\"), encoding))


def prose(text: str, encoding: str = UTF_8) -> str:
    """Escape a text as ``printable`` does, and spaces that could pass for the gap between two columns."""
    return _COMMAND.sub(r"\\x3a", _SPACES.sub(r"\\x20", printable(text, encoding)))


def word(text: str, encoding: str = UTF_8, special: re.Pattern[str] = _SPECIAL) -> str:
    """Return a name as one word: bare, or in quotes where it could pass for something else.

    Quoted are an empty name, ``-``, and what holds a space, a quote, a backslash or an escape. Within the
    quotes spaces are escaped, so that a word is one for awk too.
    """
    shown = printable(text, encoding)
    if shown == text and text not in ("", "-") and not special.search(text):
        return text
    inner = text.replace("\\", r"\\").replace('"', r"\"")
    return '"' + printable(inner, encoding).replace(" ", r"\x20") + '"'


_IN_PATH: Final = re.compile(r'[ "\\/]|^::')

_ORDINARY_PATH: Final = re.compile("[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
"""A path without a quoted name, recognized at once: long lists consist of these."""


def name_path(*names: str) -> str:
    """Join names with slashes, ``NAMESPACE/POD/CONTAINER``; one that could pass for two is quoted."""
    path = "/".join(names)
    if _ORDINARY_PATH.fullmatch(path) and path.count("/") == len(names) - 1:
        return path
    return "/".join(word(name, special=_IN_PATH) if name else "" for name in names)


def owner_path(namespace: str, owner: str) -> str:
    """Return an owner, ``Deployment/web``, below its namespace: ``NAMESPACE/Deployment/web``."""
    return name_path(namespace, *owner.split("/", 1))
