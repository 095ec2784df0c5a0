"""Three sentences about one container's verdict: what happens, why, and what to do.

``why`` has what they are made of, and a clause for each rule, ``todo`` what a kubelet does
and what an operator can do about it.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from hashcompat.analysis.answers.sentences.todo import commands, todo, what
from hashcompat.analysis.answers.sentences.why import Situation, why

_RELEASE: Final = re.compile(r"v\d")


class Sentences(msgspec.Struct, frozen=True):
    """What an operator wants to know first, each a sentence with a full stop."""

    what: str
    """What the target kubelet does, to the container or the whole pod."""
    why: str
    """Why: the rule in plain words, with the releases of the case."""
    todo: str
    """What it means and what to do; for UNKNOWN, what would decide it."""
    commands: tuple[str, ...]
    """Commands that go with it."""


def sentences(situation: Situation) -> Sentences:
    """Put a verdict into words."""
    first, second, third = map(_sentence, (what(situation), why(situation), todo(situation)))
    return Sentences(first, second, third, tuple(commands(situation)))


def _sentence(text: str) -> str:
    """Return a text with a capital and a full stop; a release such as ``v1.29.3`` stays as it is."""
    first = text[:1] if _RELEASE.match(text) else text[:1].upper()
    return f"{first}{text[1:].rstrip('.')}."
