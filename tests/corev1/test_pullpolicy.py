"""The pull policy that follows from an image, as each group of releases reads images.

golden/served holds ``normalized`` and both ``reference`` to real Go; here stands what older releases did, and
where the others part.
"""

from __future__ import annotations

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.corev1.defaults import pull_policy
from hashcompat.core.errors import InputError

HEX = "0123456789abcdef"
SHA256 = "sha256:" + HEX * 4
PARSERS = ("last part", "repository tag", "named", "normalized", "reference 0.5", "reference 0.6")
SINCE = {
    "1.0.7": 0,
    "1.1.8": 0,
    "1.2.0": 1,
    "1.3.0": 2,
    "1.7.16": 2,
    "1.8.0": 3,
    "1.28.15": 3,
    "1.29.0": 4,
    "1.31.14": 4,
    "1.32.0": 5,
}


def letters(image: str) -> str:
    """Return A for Always and - for IfNotPresent, parser by parser, oldest first."""
    return "".join("A" if pull_policy(image, parser) == "Always" else "-" for parser in PARSERS)


@pytest.mark.parametrize(
    ("image", "always"),
    [
        ("a:1", "------"),
        ("a:latest", "AAAAAA"),
        ("a", "-AAAAA"),
        ("r.example:5000/a", "-AAAAA"),
        ("r.example:5000/a:1", "------"),
        ("r.example:5000", "------"),
        (f"a@{SHA256}", "------"),
        (f"a:latest@{SHA256}", "--AAAA"),
        ("a@latest", "-A----"),
        ("a@", "-A----"),
        ("", "-A----"),
        ("a:", "-A----"),
        ("Busybox", "-A----"),
        ("BUSYBOX:latest", "AA----"),
        ("a b:latest", "AA----"),
        ("Registry/a", "-AA-AA"),
        ("Registry/a:latest", "AAA-AA"),
        ("R.example/a", "-AAAAA"),
        ("[::1]:5000/a", "-A--AA"),
        (HEX * 4, "-AA---"),
        (HEX * 4 + ":latest", "AAAAAA"),
        ("x" * 237, "-AAAAA"),
        ("x" * 238, "-AA--A"),
        ("x" * 247, "-AA--A"),
        ("x" * 248, "-AA---"),
        ("r.example/" + "x" * 245, "-AAAAA"),
        ("r.example/" + "x" * 246, "-A---A"),
        ("r.example/" + "x" * 255, "-A---A"),
        ("r.example/" + "x" * 256, "-A----"),
        ("index.docker.io/" + "x" * 237, "-AAAAA"),
        ("index.docker.io/" + "x" * 238, "-AA--A"),
    ],
)
def test_releases_read_images_in_six_ways(image: str, always: str) -> None:
    assert letters(image) == always


@pytest.mark.parametrize("release", SINCE)
def test_every_release_has_its_way(catalog: Catalog, release: str) -> None:
    assert {default.parser for default in catalog.api_server(release).defaults} == {PARSERS[SINCE[release]]}


def test_an_unknown_way_is_damaged_data() -> None:
    with pytest.raises(InputError, match="unknown parser of image references: 'by guessing'"):
        pull_policy("a", "by guessing")
