"""Text that no name can fake: what nobody sees is escaped, names are one word, and things are counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hashcompat.core.regex import regex

UTF_8: Final = "utf-8"

_BLANK: Final = regex("[\u115f-\u11ff\u2800\u3164\ud7b0-\ud7ff\uffa0\U0001d159]")
"""Letters and symbols without a picture of their own: Hangul fillers and vowels, the empty Braille cell."""

_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
"""Bidirectional classes of Unicode's UAX #9; a terminal reorders what is next to them, columns included."""

_INSIDE: Final = regex(r"#(?=#\w*\[)")
"""How a command begins that CI runners obey anywhere in a line: ``##[error]``, ``##vso[a.b]``.

Source: TryParse in ActionCommand.cs of actions/runner and in Command.cs of microsoft/azure-pipelines-agent.
"""

_FIRST: Final = regex(r"^( *):(?=:)")
"""How a line begins that GitHub's runner obeys, ``::error::``, also after white space (TryParseV2)."""

_OBEYED: Final = regex(rf"(?:^|(?<=[\r\n]))(?P<space>[^\S\r\n]*):(?=:)|{_INSIDE.pattern}")
"""Either of them in a text of several lines."""

_ODD: Final = regex(r"[^ -~\s]")

_SPECIAL: Final = regex(r'[ "\\]|^::')

_SPACES: Final = regex("^ | (?= )| $")


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
    """Escape what is not visible, line breaks included, what the encoding lacks, and ``##[``.

    A CI runner obeys that anywhere in what it shows; see ``unobeyed``.
    """
    if "##" in text:
        text = _INSIDE.sub(r"\\x23", text)
    if not (text.isascii() and text.isprintable()):
        text = "".join(char if is_visible(char) else char.encode("unicode_escape").decode() for char in text)
    return text if encoding == UTF_8 else text.encode(encoding, "backslashreplace").decode(encoding)


class Escapes(NamedTuple):
    """What stands for two characters in a form of text, with which commands of CI runners begin."""

    number_sign: str = r"\x23"
    colon: str = r"\x3a"


IN_TEXT: Final = Escapes()

IN_JSON: Final = Escapes(r"\u0023", r"\u003a")

IN_XML: Final = Escapes("&#35;", "&#58;")


def unobeyed(pieces: Iterable[str], escapes: Escapes = IN_TEXT) -> Iterator[str]:
    """Yield a text, whose pieces need not be lines, so that a CI runner obeys no line of it.

    Names are escaped one by one before; this is for what several of them are together, and for what follows
    an indent. Of a text that needs no escape every character stays.
    """
    line: list[str] = []
    for piece in pieces:
        end = max(piece.rfind("\n"), piece.rfind("\r")) + 1
        if end:
            yield disarmed("".join([*line, piece[:end]]), escapes)
            line = [piece[end:]] if piece[end:] else []
        else:
            line.append(piece)
    yield disarmed("".join(line), escapes)


def disarmed(text: str, escapes: Escapes = IN_TEXT) -> str:
    """Return whole lines with the first character of each command of a CI runner escaped."""
    return _OBEYED.sub(_escape_of(escapes), text) if is_obeyed(text) else text


def is_obeyed(text: str) -> bool:
    """Return whether a CI runner would obey a line of a text in which everything is visible."""
    return ("##" in text or "::" in text) and _OBEYED.search(text) is not None


def is_obeyed_unescaped(text: str) -> bool:
    """Return whether a CI runner would obey a line of a text in which any character may be.

    .NET compares by the rules of a culture, which pass over characters that nobody sees.
    """
    return is_obeyed(_ODD.sub(lambda found: found[0] if is_visible(found[0]) else "", text))


def _escape_of(escapes: Escapes) -> Callable[[re.Match[str]], str]:
    def escape(match: re.Match[str]) -> str:
        space = match["space"]
        return escapes.number_sign if space is None else f"{space}{escapes.colon}"

    return escape


def distinct(text: str, encoding: str = UTF_8) -> str:
    """Escape as ``printable`` does, and double each backslash, so that no two texts become one.

    It begins no command of a CI runner.
    """
    return _FIRST.sub(r"\1\\x3a", printable(text.replace("\\", r"\\"), encoding))


def prose(text: str, encoding: str = UTF_8) -> str:
    """Escape a text as ``printable`` does, and spaces that could pass for the gap between two columns."""
    return _FIRST.sub(r"\\x3a", _SPACES.sub(r"\\x20", printable(text, encoding)))


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


_IN_PATH: Final = regex(r'[ "\\/]|^::')

_ORDINARY_PATH: Final = regex("[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
"""A path without a quoted name, recognised at once: long lists consist of these."""


def name_path(*names: str) -> str:
    """Join names with slashes, ``NAMESPACE/POD/CONTAINER``; one that could pass for two is quoted."""
    path = "/".join(names)
    if _ORDINARY_PATH.fullmatch(path) and path.count("/") == len(names) - 1:
        return path
    return "/".join(word(name, special=_IN_PATH) if name else "" for name in names)


def owner_path(namespace: str, owner: str) -> str:
    """Return an owner, ``Deployment/web``, below its namespace: ``NAMESPACE/Deployment/web``."""
    return name_path(namespace, *owner.split("/", 1))


# Numbers in sentences: one way to count things, for every message.


def some(names: Iterable[str], most: int) -> str:
    """Join the first names, each once, and say how many more there are: ``a, b and 3 more``."""
    every = list(dict.fromkeys(names))
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def few(names: Sequence[str], most: int) -> str:
    """List the first names, and how many more there are: ``a, b, 3 more``."""
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one: ``1 pod``, ``0 hashes``."""
    ending = "" if number == 1 else "es" if noun.endswith("sh") else "s"
    return f"{number} {noun}{ending}"


def agree(number: int, verb: str) -> str:
    """Return a regular verb as it goes with so many subjects: one ``restarts``, two ``restart``."""
    return f"{verb}s" if number == 1 else verb


def never_compared(number: int) -> str:
    """Return what follows a number of running containers: how many more no kubelet compares; or nothing."""
    return f"; {number} more {'is' if number == 1 else 'are'} never compared" if number else ""
