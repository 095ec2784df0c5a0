"""Kubernetes' own source: the files that a patch changes, and the types below ``v1.Container``.

Files are read from a tree on disk, or downloaded at the release's tag; tree-sitter reads core/v1/types.go.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from platformdirs import user_cache_path

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.metav1 import DEFAULTS
from hashcompat.core.release import Release
from hashcompat.sources.content import LONGEST_SOURCE, replacing, too_long
from hashcompat.sources.http import download

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
    wanted = "--tree wants the root of a Kubernetes source tree"
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; {wanted}")
    try:
        return [_file(path, _read(directory / path), str(directory / path)) for path in paths]
    except InputError as error:
        raise InputError(f"{error}; {wanted}") from None


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
        int(match[1])
        for name in names
        if (match := _CHANGELOG.fullmatch(name)) and int(match[1]) >= _NAMED_SINCE
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


if TYPE_CHECKING:
    from tree_sitter import Node

ROOT: Final = "Container"
_BASIC: Final = frozenset(
    {
        "bool",
        "string",
        "byte",
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    }
)
_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
_JSON: Final = re.compile(r'json:"([^",]*)((?:,[a-z]+)*)"')


def container_types(source: bytes, origin: str) -> dict[str, Any]:
    """Return the types that Container reaches, as a type tree holds them.

    A struct is its fields, any other type the text of its definition. Raises InputError, with ``origin``
    and the line, for what is not Go, and for types of other packages that this program does not know.
    """
    try:
        source.decode()
    except UnicodeDecodeError:
        raise InputError(f"{origin}: not UTF-8 text, so not a Go source file") from None
    definitions = dict(_definitions(_parse(source, origin)))
    if ROOT not in definitions:
        raise InputError(f"{origin}: no type {ROOT} in it; want core/v1/types.go of k8s.io/api")
    types: dict[str, Any] = {}
    waiting = [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in types:
            if name not in definitions:
                raise InputError(
                    f"{origin}: {name} is not defined in it; this program has to learn that type first"
                )
            types[name] = _described(definitions[name])
            waiting += _mentioned(types[name])
    return dict(sorted(types.items()))


def _parse(source: bytes, origin: str) -> Node:
    try:
        import tree_sitter  # noqa: PLC0415 - an extra, which only adding a release needs
        import tree_sitter_go  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "reading Go needs a parser; install it with: pip install tree-sitter tree-sitter-go"
        ) from None
    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language())).parse(source).root_node
    if root.has_error:
        line = next((node.start_point.row + 1 for node in _walk(root) if node.is_error or node.is_missing), 1)
        raise InputError(f"{origin}: line {line}: not Go; want core/v1/types.go of k8s.io/api")
    return root


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.children)


def _definitions(root: Node) -> Iterator[tuple[str, Node]]:
    for declaration in root.children:
        for spec in declaration.named_children if declaration.type == "type_declaration" else ():
            name, definition = spec.child_by_field_name("name"), spec.child_by_field_name("type")
            if name and definition:
                yield _text(name), definition


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _described(definition: Node) -> str | list[dict[str, Any]]:
    if definition.type != "struct_type":
        return _text(definition)
    fields = [
        node for node in definition.named_children[0].named_children if node.type == "field_declaration"
    ]
    return [row for field in fields for row in _rows(field)]


def _rows(field: Node) -> Iterator[dict[str, Any]]:
    """Yield a row for each name of a field declaration; an embedded field has its type's name.

    Without a name in its tag a field goes by its own in JSON (encoding/json), and an embedded one by none.
    """
    go_type, tag = field.child_by_field_name("type"), field.child_by_field_name("tag")
    match = _JSON.search(_text(tag)) if tag else None
    type_text = _text(go_type) if go_type else ""
    names = [_text(name) for name in field.children_by_field_name("name")]
    key, options = match.groups() if match else ("", "")
    for name in names or [type_text.rpartition(".")[2]]:
        row: dict[str, Any] = {"name": name, "type": type_text, "json": key or (name if names else "")}
        row |= {"omitempty": True} if ",omitempty" in options else {}
        yield row if names else {**row, "embedded": True}


def _mentioned(described: str | list[dict[str, Any]]) -> Iterator[str]:
    """Yield the types that a definition names and that must be defined, except those with their own code."""
    for text in [described] if isinstance(described, str) else [row["type"] for row in described]:
        yield from (
            name
            for name in _NAME.findall(text)
            if name not in _BASIC and name != "map" and name not in DEFAULTS
        )
