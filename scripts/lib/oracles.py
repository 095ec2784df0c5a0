"""What the oracles of containers and of static pods share: table of releases and Go module."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from scripts.lib.gotool import GoError
from scripts.lib.paths import SCRIPTS

COMMON: Final = SCRIPTS / "golden" / "common"
"""The Go module that reads requests, hashes and answers, linked into every oracle and patched kubelet."""

ERA_VARIABLE: Final = "hashcompat.io/oracle/common.era"
"""The Go variable that says which era's HashContainer an oracle runs."""

Row = TypeVar("Row")


def table(path: Path, row: Callable[..., Row]) -> dict[str, Row]:
    """Read a releases.json: its rows by release, oldest first."""
    return {given["release"]: row(**given) for given in json.loads(path.read_text(encoding="utf-8"))}


def find(rows: Mapping[str, Row], release: str) -> Row:
    """Look one release up.

    Raises:
        GoError: there is no such row; a misspelt release must not pass for an empty answer.
    """
    if release not in rows:
        raise GoError(f"no oracle for {release}; there are {', '.join(rows)}")
    return rows[release]
