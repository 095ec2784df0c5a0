"""What a result was made by, and what a page that shows it says of itself."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final

import msgspec

import hashcompat

_FRESH: Final = timedelta(days=90)
"""Upstream publishes patch releases about once a month, so data of three months lack some."""


class Making(msgspec.Struct, frozen=True):
    """How a result came to be; what is not known is empty or None."""

    at: datetime | None = None
    """When it was made, UTC: when its input was first read."""
    command: str = ""
    """The command line that makes it again, URLs in it without user, password and query, and without what is
    only about showing it; empty for the Python API."""
    newest: str = ""
    """The newest release that the release data knows."""
    known: date | None = None
    """The day on which the last of the known releases was published."""
    version: str = ""
    """The version of this program that made it; empty for this one."""

    @property
    def tool(self) -> str:
        """The program and its version."""
        return f"hashcompat {self.version or hashcompat.__version__}"

    @property
    def data(self) -> str:
        """Of when the release data is, and how far it goes; empty where that is not known."""
        return f"of {self.known}, newest known release {self.newest}" if self.known else self.newest

    @property
    def stale(self) -> str:
        """Say that newer releases may be missing, if the data was old already; empty where it was not."""
        if self.at is None or self.known is None or self.at.date() - self.known <= _FRESH:
            return ""
        days = (self.at.date() - self.known).days
        return (
            f"the release data is {days} days old: newest known release {self.newest}, data of {self.known}; "
            "a newer version of hashcompat may know newer releases"
        )


class Fact(msgspec.Struct, frozen=True):
    """One thing that a report says of itself."""

    key: str
    """What programs call it: ``release_data``."""
    name: str
    """What people call it: ``Release data``."""
    text: str


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page says of itself, for one that joins several."""

    kind: str
    """What people call such a page."""
    title: str
    verdict: str
    """What it comes to, in one word; empty where nothing is judged."""
    tone: str
    """``bad``, ``open`` or ``good``; empty for none of them."""
    answer: str
    facts: tuple[Fact, ...]

    def fact(self, key: str) -> str:
        """Return one of the facts; empty where it does not have it."""
        return next((fact.text for fact in self.facts if fact.key == key), "")


class KeptPage(msgspec.Struct, frozen=True):
    """A page in a file."""

    file: str
    """Its name, without the directory."""
    about: About


class KeptPages(msgspec.Struct, frozen=True):
    """The pages in a directory."""

    directory: str
    pages: tuple[KeptPage, ...]
    """By the names of the files."""
    others: tuple[str, ...] = ()
    """Files of HTML that are no such pages."""
    making: Making = Making()
