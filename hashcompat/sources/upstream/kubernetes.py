"""Read the source files that a patch changes from a tree on disk, or download them at the release's tag."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from platformdirs import user_cache_path

from hashcompat.core.errors import InputError
from hashcompat.core.release import Release
from hashcompat.sources.content import LONGEST_SOURCE, too_long
from hashcompat.sources.http import download
from hashcompat.sources.replacing import replacing

SOURCE_URL: Final = "https://raw.githubusercontent.com/kubernetes/kubernetes/{tag}/{path}"
_NAMED_SINCE: Final = 8
_CHANGELOG: Final = re.compile(r"CHANGELOG-1\.(\d+)\.md")


class SourceFile(msgspec.Struct, frozen=True):
    """One file with its SHA-256 (hex) and where it came from, for people to compare."""

    path: str
    text: str
    sha256: str
    origin: str


def from_tree(directory: Path, paths: Iterable[str]) -> list[SourceFile]:
    """Read files below the root of a Kubernetes source tree.

    Raises InputError, naming the file, for what cannot be read.
    """
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; --tree wants the root of a Kubernetes source tree")
    return [_file(path, _read(directory / path), str(directory / path)) for path in paths]


def tree_minor(directory: Path) -> int | None:
    """Return the minor that a source tree says it is of: its newest changelog's; None where it has none.

    v1.8.0 carries none that is newer than that of 1.6: they came late then, and those up to 1.7 prove
    nothing.
    """
    names = [
        path.name
        for folder in (directory, directory / "CHANGELOG")
        for path in folder.glob("CHANGELOG-1.*.md")
    ]
    minors = [
        int(found[1])
        for name in names
        if (found := _CHANGELOG.fullmatch(name)) and int(found[1]) >= _NAMED_SINCE
    ]
    return max(minors, default=None)


def from_url(template: str, release: Release, paths: Iterable[str]) -> list[SourceFile]:
    """Download files at the release's upstream tag, each once.

    Tags do not move, so a file is kept in the user's cache. ``template`` holds ``{tag}`` and ``{path}``.
    Raises InputError, naming the URL, for what cannot be downloaded whole.
    """
    return [
        _cached(template.replace("{tag}", f"v{release.upstream}").replace("{path}", path), path)
        for path in paths
    ]


def _cached(url: str, path: str) -> SourceFile:
    kept = user_cache_path("hashcompat") / "source" / hashlib.sha256(url.encode()).hexdigest()
    if not kept.exists():
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            with replacing(kept) as stream:
                stream.write(download(url, LONGEST_SOURCE))
        except OSError as error:
            raise InputError(f"{kept}: cannot write: {error.strerror}") from None
    return _file(path, _read(kept), url)


def _read(path: Path) -> bytes:
    """Read a regular file: a pipe would keep everything waiting."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: not a regular file; want a Go source file")
        with path.open("rb") as stream:
            data = stream.read(LONGEST_SOURCE + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    if len(data) > LONGEST_SOURCE:
        raise InputError(f"{path}: {too_long('a file', LONGEST_SOURCE, 'want a Go source file')}")
    return data


def _file(path: str, data: bytes, origin: str) -> SourceFile:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{origin}: not UTF-8 text, so not a Go source file") from None
    return SourceFile(path, text, hashlib.sha256(data).hexdigest(), origin)
