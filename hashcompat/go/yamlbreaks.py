"""The lines of a YAML text as editors count them: YAML has more kinds of line breaks than LF and CRLF.

Parsers of YAML 1.1 also end a line at a CR alone, and at the characters NEL, LS and PS.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from typing import Final

_BREAK: Final = re.compile("\r\n|[\r\n\x85\u2028\u2029]")

_MANY: Final = 1 << 16
"""How many of those that were passed are kept until they are dropped together."""


class Breaks:
    """The breaks between what a parser read and where it is that end a line of YAML, but none of editors."""

    def __init__(self) -> None:
        self._rest = ""  # a CR at the end of what was read; LF may follow
        self._lines = 0  # of YAML, in what was read
        self.odd = array("Q")
        """The lines of YAML, from 0, that end so: while there is none, nothing has to be forgotten."""
        self._place = self._dropped = 0  # how many of them were passed, here and before these

    def add(self, text: str) -> None:
        """Take more text into account."""
        text = self._rest + text
        self._rest = "\r" if text.endswith("\r") else ""
        if text.isascii() and "\r" not in text:
            self._lines += text.count("\n")
            return
        for match in _BREAK.finditer(text, 0, len(text) - len(self._rest)):
            if not match[0].endswith("\n"):
                self.odd.append(self._lines)
            self._lines += 1

    def forget(self, line: int) -> None:
        """Pass the breaks before a line of YAML, from 0; nobody asks for a line before it later."""
        if self.odd:
            self._place = bisect_left(self.odd, line, self._place)
            if self._place >= _MANY:
                del self.odd[: self._place]
                self._dropped, self._place = self._dropped + self._place, 0

    def line(self, line: int) -> int:
        """Return the line for editors, from 1, of a line of YAML up to which breaks were passed."""
        return line + 1 - self._dropped - self._place
