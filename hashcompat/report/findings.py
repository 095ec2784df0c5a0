"""What was found, in the form that tests, code scanning and metrics take: a case for each thing judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from hashcompat.rules import Rule


class Outcome(StrEnum):
    """What a case means to whoever waits for a pass or a failure."""

    FAILED = "failed"
    """Something was found that an upgrade is stopped for."""
    UNDECIDED = "undecided"
    """It could not be determined; it never counts as passed."""
    WARNED = "warned"
    """Something is wrong, and the upgrade goes on."""
    NOTED = "noted"
    """Worth knowing."""
    PASSED = "passed"
    """Nothing was found."""


FOUND: Final = frozenset({Outcome.FAILED, Outcome.UNDECIDED, Outcome.WARNED, Outcome.NOTED})
"""The outcomes that a list of findings shows; the rest is in order."""


class Case(msgspec.Struct, frozen=True):
    """One thing that was judged: a container, a check of a node, a case of golden data."""

    outcome: Outcome
    verdict: str
    """The word that the result's own document has for it: ``RESTART``."""

    rule: str
    """The id of the rule behind it; empty where nothing was found."""

    text: str
    """Why, without the names that follow."""

    group: str
    """What it belongs to, escaped: ``NAMESPACE/POD`` as ``name_path`` writes it, a node, a directory."""

    name: str
    """Its own name there, escaped too."""

    labels: Mapping[str, str]
    """Its names one by one, as they are; the keys are the same for all cases of a result."""

    file: str = ""
    """The file that it comes from; empty where that is unknown."""

    line: int = 0
    """The line there, from 1; 0 where that is unknown."""


class Findings(msgspec.Struct, frozen=True):
    """What was found in one result."""

    subject: str
    """What metrics and test suites are called by, one word: ``plan``."""

    title: str
    """What was judged, in a few words."""

    noun: str
    """What is counted, in the plural, one word: ``containers``."""

    totals: Mapping[str, int]
    """How many there are of each verdict, those included that are not shown."""

    cases: Callable[[], Iterable[Case]]
    """Makes the cases one by one, each time again: a format may need to count them first."""

    rules: tuple[Rule, ...] = ()
    """The rules that cases may name."""

    more: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Other totals, by what they count."""

    times: Mapping[str, datetime | None] = msgspec.field(default_factory=dict)
    """When what was judged was taken and made, UTC; None where that is not known."""
