"""What no terminal may take for a command."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escape what a terminal could take for a command, line breaks included."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
