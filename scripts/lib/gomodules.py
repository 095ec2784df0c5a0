"""Module files of Go programs that are built once a release: rows of one table, and one file of checksums.

``scripts/modules.json`` has the rows by program and name, mostly a minor; ``scripts/modules.sum`` the
checksums of all of them, in the form of go.sum. Before a build a row becomes a module file below .cache, with
the checksums next to it, where ``go build -modfile`` reads both. ``scripts/modules.py`` is its
command.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from scripts.lib.gotool import GoError
from scripts.lib.paths import CACHE, SCRIPTS

TABLE: Final = SCRIPTS / "modules.json"
SUMS: Final = SCRIPTS / "modules.sum"
_PLACE: Final = CACHE / "modules"


@dataclass(frozen=True)
class Row:
    """What go.mod says, as one row."""

    module: str
    """The module's own path."""

    go: str
    """The oldest Go that it is for."""

    require: Mapping[str, str]
    """The modules that the program imports, each with its version."""

    indirect: Mapping[str, str] = field(default_factory=dict)
    """Those that others of them require."""

    replace: Mapping[str, str] = field(default_factory=dict)
    """What takes a module's place: a version of the same, ``path version``, or a directory."""

    @property
    def versions(self) -> dict[str, str]:
        """All required modules, each with its version."""
        return {**self.require, **self.indirect}

    def text(self) -> str:
        """Return the module file."""
        lines = [f"module {self.module}", f"go {self.go}", *_block("require", self.require)]
        lines += _block("require", self.indirect, " // indirect")
        return "".join(f"{line}\n" for line in [*lines, *self._replacements()])

    def _replacements(self) -> Iterator[str]:
        for module, other in self.replace.items():
            yield f"replace {module} => {f'{module} {other}' if other.startswith('v') else other}"

    def pinned(self) -> Iterator[tuple[str, str]]:
        """Yield the modules that are downloaded, each with its version, replacements instead of originals."""
        for module, version in self.versions.items():
            other = self.replace.get(module, version)
            path, _, its_version = other.rpartition(" ")
            if path:
                yield path, its_version
            elif other.startswith("v"):
                yield module, other


def _block(verb: str, versions: Mapping[str, str], comment: str = "") -> Iterator[str]:
    return (f"{verb} {module} {version}{comment}" for module, version in versions.items())


@cache
def table() -> Mapping[str, Mapping[str, Row]]:
    """Read all rows, by program and name."""
    given: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return {program: {name: Row(**row) for name, row in rows.items()} for program, rows in given.items()}


def program_of(module: Path) -> str:
    """Name the program whose directory this is, as the table does."""
    return module.relative_to(SCRIPTS).as_posix()


def find(module: Path, name: str) -> Row:
    """Look up a row of the program in this directory.

    Raises:
        GoError: there is none of that name.
    """
    rows = table().get(program_of(module), {})
    if name not in rows:
        others = ", ".join(rows) or "none"
        raise GoError(f"{TABLE.name} has no {program_of(module)} {name}; there are {others}")
    return rows[name]


def require(module: Path, name: str, versions: Mapping[str, str]) -> None:
    """Refuse a row that does not require the given versions of modules.

    Raises:
        GoError: one of them is missing, or required in another version.
    """
    required = find(module, name).versions
    for each, version in versions.items():
        if required.get(each) != version:
            message = f"does not require {each} {version} as releases.json says"
            raise GoError(f"{TABLE.name}: {program_of(module)} {name} {message}")


def place(module: Path, name: str) -> Path:
    """Return where the module file of a row is written."""
    return _PLACE / program_of(module) / f"{name}.mod"


def write(module: Path, name: str) -> Path:
    """Write a row as a module file, and the checksums, unless they are there; return the module file."""
    modfile = place(module, name)
    _replace(modfile, find(module, name).text())
    _replace(modfile.with_suffix(".sum"), SUMS.read_text(encoding="utf-8"))
    return modfile


def _replace(path: Path, text: str) -> None:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")  # another process may write it just now
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def fingerprint(module: Path, name: str) -> bytes:
    """Return what changes when the row, or a checksum of what it requires, does."""
    row = find(module, name)
    pinned = dict(row.pinned())
    own = [line for line in _sums() if pinned.get(line.split(" ")[0]) == _version(line)]
    return hashlib.sha256("\n".join([row.text(), *own]).encode()).digest()


@cache
def _sums() -> tuple[str, ...]:
    return tuple(SUMS.read_text(encoding="utf-8").splitlines())


def _version(line: str) -> str:
    return line.split(" ")[1].removesuffix("/go.mod")
