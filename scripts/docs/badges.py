"""The badges of the README: facts of this checkout as one picture, asked of no server."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from html import escape
from typing import Any, Final

from hashcompat.core.catalog.lookup import default_catalog
from scripts.lib.paths import ROOT

_WIDE: Final = 6.4
"""Pixels of an average letter of 11 pixels; a length is set on each text, so that no font changes it."""


def facts() -> Iterator[tuple[str, str]]:
    """Yield what the badges say: of what, and which."""
    document: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = document["project"]
    releases = default_catalog().releases()
    minors = [".".join(release.split(".")[:2]) for release in (releases[0], releases[-1])]
    pythons = [
        classifier.rpartition(" ")[2]
        for classifier in project["classifiers"]
        if ":: Python :: 3." in classifier
    ]
    yield "Kubernetes", " - ".join(minors)
    yield "Python", f"{pythons[0]} - {pythons[-1]}"
    yield "licence", project["license"]


def picture() -> bytes:
    """Return the badges next to each other."""
    at, parts, said = 0.0, [], list(facts())
    for name, value in said:
        first, second = (len(text) * _WIDE + 12 for text in (name, value))
        for left, width, text, ground in ((at, first, name, "#444"), (at + first, second, value, "#0a5c2b")):
            parts.append(
                f'<rect x="{left:.0f}" width="{width:.0f}" height="20" fill="{ground}"/>'
                f'<text x="{left + width / 2:.0f}" y="14" textLength="{width - 12:.0f}">{escape(text)}</text>'
            )
        at += first + second + 6
    title = escape(", ".join(map(" ".join, said)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{at:.0f}" height="20" role="img">'
        f"<title>{title}</title>"
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f"{''.join(parts)}</g></svg>\n"
    ).encode()
