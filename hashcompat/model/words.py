"""Numbers in sentences: one way to count things, for every message."""

from __future__ import annotations


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
