"""Upstream changes and their addresses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from hashcompat.catalog.changes import Change, EraChange
from hashcompat.report.model import Line
from hashcompat.rules.pages import RULES

_NUMBER: Final = re.compile(r"(?:kubernetes/kubernetes)?#(\d+)")

_DATED: Final = re.compile(r"(?:kubernetes/kubernetes)?#\d+ \((\d+\.\d+)\)")
"""A pull request and the release that it came with."""

_PULL: Final = "https://github.com/kubernetes/kubernetes/pull/"

_SOURCES: Final = {rule.id: rule.source for rule in RULES}


def change_lines(rows: Iterable[Change | EraChange]) -> Iterator[Line]:
    """Yield each change with its release, and then the address of its pull request."""
    for row in rows:
        what = f"{row.field}: " if isinstance(row, Change) else ""
        see = f" (see also {', '.join(row.issues)})" if row.issues else ""
        yield [f"{row.release}  {what}{row.about}{see}"]
        yield from ([link] for link in _links(row.pr or ""))


def rule_lines(ids: Iterable[str], minors: Collection[str]) -> Iterator[Line]:
    """Yield the sources of rules in Kubernetes, with the addresses of pull requests; none about the input.

    Of pull requests that came with a release, only those of ``minors``, if any of them did.
    """
    for rule in ids:
        if source := _SOURCES.get(rule):
            dated = [found[0] for found in _DATED.finditer(source) if found[1] in minors]
            shown = ", ".join(dated) or source
            yield [f"{rule}  {shown}"]
            yield from ([link] for link in _links(shown))


def _links(text: str) -> Iterator[str]:
    yield from (f"{_PULL}{number}" for number in _NUMBER.findall(text))
