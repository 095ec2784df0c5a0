"""Names that try to pass for something else, and the reader of what is shown of them."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = {
    "a control character": "\x1b",
    "a line break": "\n",
    "delete": "\x7f",
    "a C1 control character": "\x9b",
    "a no-break space": "\xa0",
    "a soft hyphen": "\xad",
    "a combining mark": "\u0301",
    "a combining grapheme joiner": "\u034f",
    "an Arabic letter mark": "\u061c",
    "a Hebrew letter": "\u05d0",
    "an Arabic digit": "\u0660",
    "a Hangul filler": "\u115f",
    "a Hangul vowel": "\u1161",
    "a Mongolian variation selector": "\u180b",
    "an em space": "\u2003",
    "a zero-width space": "\u200b",
    "a joiner": "\u200d",
    "a line separator": "\u2028",
    "an override": "\u202e",
    "a word joiner": "\u2060",
    "an isolate": "\u2066",
    "an empty Braille cell": "\u2800",
    "an ideographic space": "\u3000",
    "the other Hangul filler": "\u3164",
    "a lone surrogate": "\udcff",
    "a private character": "\ue000",
    "a variation selector": "\ufe0f",
    "a byte order mark": "\ufeff",
    "a half-width Hangul filler": "\uffa0",
    "a non-character": "\uffff",
    "a musical symbol without a picture": "\U0001d159",
    "a tag": "\U000e0041",
    "another variation selector": "\U000e0100",
}
"""Characters that nobody sees where they are written, by what they are."""

NAMES: Final = (
    "x  KEEP",
    "x KEEP",
    "x  KEEP  1  2  same hash",
    " x",
    "x ",
    "-",
    '"',
    '"x"',
    "\\",
    "\\x1b",
    "a/b/c",
    "x: KEEP, same hash",
    "x\nnode  ns  pod  c  KEEP",
    "\x1b]0;title\x07\x1b[31mred\x1b[0m",
    "中中中",
    "e" + "\u0301" * 50,
    *(f"a{char}b" for char in HIDDEN.values() if not "\ud800" <= char <= "\udfff"),
)
"""Names that a pod may have in a file."""

_ESCAPE: Final = re.compile(r'\\(["\\])|\\x(..)|\\u(....)|\\U(........)|\\([tnr])')


def name_of(shown: str) -> str:
    """Return the name that a word is of."""
    return _ESCAPE.sub(_char, shown[1:-1]) if shown.startswith('"') else shown


def _char(match: re.Match[str]) -> str:
    literal, *numbers, letter = match.groups()
    if letter:
        return {"t": "\t", "n": "\n", "r": "\r"}[letter]
    return literal or chr(int("".join(filter(None, numbers)), 16))
