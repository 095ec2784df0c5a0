"""Golden data: inputs, and for each release the exact hashed text and the hash.

The form of a golden directory, which users can also keep for themselves (golden/README.md):

- ``inputs/<case>.json``: ``{"about": ..., "source": "api" | "file", "container": {...}}``
- ``<release>/<case>.txt``: the hashed text, byte for byte
- ``<release>/HASHES``: a line ``<decimal hash>  <case>`` for each case; ``refused  <case>``, without a text,
  where a kubelet of that release cannot decode it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.catalog.lookup import Catalog
from hashcompat.errors import DecodeError, InputError, UsageError
from hashcompat.go import jsontext
from hashcompat.go.types import GoType
from hashcompat.go.walk import structs
from hashcompat.kubelet.hashing import Hasher, hashers

_HASH_LINE: Final = re.compile(r"(\S+)  (\S+)")

_FIELD: Final = re.compile(r"(?<!\w)(\w++):\(")

_SOURCES: Final = ("api", "file")

_REFUSED: Final = "refused"


class Case(msgspec.Struct, frozen=True):
    """One golden input."""

    name: str
    """The file's name without ``.json``."""
    container: Mapping[str, Any]
    """The container's JSON."""
    keep_empty: bool
    """Whether empty lists and maps count, as in a manifest that a kubelet reads from a file."""


class Mismatch(msgspec.Struct, frozen=True):
    """One difference between golden data and this program."""

    release: str
    """The release."""
    case: str
    """The case's name."""
    problem: str
    """What differs."""


class Verification(msgspec.Struct, frozen=True):
    """The outcome for one golden directory."""

    directory: str
    """The directory, as given."""
    releases: tuple[str, ...]
    """The releases that it has data of."""
    cases: int
    """The number of inputs."""
    compared: int
    """The number of texts and hashes compared."""
    mismatches: tuple[Mismatch, ...]
    """What differs."""


class Verifications(msgspec.Struct, frozen=True):
    """The outcome for several golden directories."""

    items: tuple[Verification, ...]
    """One per directory."""

    @property
    def differing(self) -> bool:
        """Whether anything differs."""
        return any(result.mismatches for result in self.items)


def verify(directory: Path, catalog: Catalog, *, show_values: bool = False) -> Verification:
    """Compute every text and hash of a golden directory again and compare.

    Raises InputError for a directory without the documented form, naming the file.
    """
    cases = {path.stem: _read_case(path) for path in sorted((directory / "inputs").glob("*.json"))}
    releases = (
        sorted(
            (path for path in directory.iterdir() if path.name != "inputs" and _holds_golden_data(path)),
            key=lambda path: path.name,
        )
        if directory.is_dir()
        else []
    )
    if not cases or not releases:
        missing = "inputs/*.json" if not cases else "<release>/HASHES"
        raise InputError(f"{directory}: not a golden directory: no {missing} in it")
    mismatches = [
        mismatch for release in releases for mismatch in _verify_release(release, cases, catalog, show_values)
    ]
    return Verification(
        str(directory),
        tuple(path.name for path in releases),
        len(cases),
        len(cases) * len(releases),
        tuple(mismatches),
    )


def _holds_golden_data(path: Path) -> bool:
    """Return whether a directory is a release's; one that lost its HASHES must not be skipped silently."""
    return (path / "HASHES").exists() or any(path.glob("*.txt"))


def _read_case(path: Path) -> Case:
    try:
        document = jsontext.loads(jsontext.decode_text(path.read_bytes()))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if (
        not isinstance(document, dict)
        or document.get("source") not in _SOURCES
        or not isinstance(document.get("container"), dict)
    ):
        raise InputError(
            f"{path}: not a golden input: want "
            '{"about": ..., "source": "api" or "file", "container": {...}}'
        )
    return Case(path.stem, document["container"], document["source"] == "file")


def _verify_release(
    directory: Path, cases: Mapping[str, Case], catalog: Catalog, show_values: bool
) -> Iterator[Mismatch]:
    release = directory.name
    try:
        kubelet = catalog.kubelet(release)
    except UsageError as error:
        raise InputError(f"{directory}: {error}") from None
    recorded = _read_hashes(directory / "HASHES")
    texts = {path.stem for path in directory.glob("*.txt")}
    for name in sorted((recorded.keys() | texts) - cases.keys()):
        yield Mismatch(release, name, "has no input; every golden file must be used")
    for name, case in cases.items():
        variants = hashers(kubelet, keep_empty=case.keep_empty)
        if recorded.get(name) == _REFUSED:
            if name in texts or _decodes(variants[0], case):
                yield Mismatch(release, name, "golden data says that this release refuses it")
            continue
        if name not in recorded or name not in texts:
            yield Mismatch(release, name, f"has no {'hash' if name not in recorded else 'text'} here")
            continue
        expected = (directory / f"{name}.txt").read_bytes()
        try:
            problems = [_compare(hasher, case, expected, recorded[name], show_values) for hasher in variants]
        except DecodeError as error:
            raise InputError(f"{directory.parent / 'inputs' / name}.json: $.container{error}") from None
        if all(problems):
            yield Mismatch(release, name, problems[0])


def _decodes(hasher: Hasher, case: Case) -> bool:
    try:
        hasher.decode(case.container)
    except DecodeError:
        return False
    return True


def _read_hashes(path: Path) -> dict[str, str]:
    """Read ``case -> hash`` as text: what is not a number is a mismatch, not an unreadable file."""
    recorded = {}
    for number, line in enumerate(jsontext.clean(jsontext.decode_text(path.read_bytes())).splitlines(), 1):
        match = _HASH_LINE.fullmatch(line)
        if match is None:
            raise InputError(f"{path}: line {number}: want a decimal hash, two spaces and the name of a case")
        if match[2] in recorded:
            raise InputError(f"{path}: line {number}: the case {match[2]} appears twice")
        recorded[match[2]] = match[1]
    return recorded


def _compare(hasher: Hasher, case: Case, expected: bytes, recorded: str, show_values: bool) -> str:
    """Return what differs; empty where nothing does."""
    pieces = hasher.pieces(hasher.decode(case.container))
    text = "".join(pieces).encode()
    if text != expected:
        return _first_difference(text, expected, _field_names(hasher.container), show_values)
    value = hasher.digest(pieces)
    return "" if recorded == str(value) else f"hash: golden {recorded}, computed {value}"


def _first_difference(text: bytes, expected: bytes, known_fields: frozenset[str], show_values: bool) -> str:
    """Describe the first differing character; the text around it may be secret and is shown on request."""
    computed, golden = text.decode(), expected.decode(errors="backslashreplace")
    place = next(
        (index for index, (one, other) in enumerate(zip(computed, golden, strict=False)) if one != other),
        min(len(computed), len(golden)),
    )
    fields = [name for name in _FIELD.findall(computed[:place]) if name in known_fields]
    where = f" in {fields[-1]}" if fields else ""
    around = f", after {computed[max(0, place - 40) : place]!r}" if show_values else ""
    both = f"golden {_char(golden, place)}, computed {_char(computed, place)}"
    return f"text: character {place + 1}{where}: {both}{around}"


@cache
def _field_names(go_type: GoType) -> frozenset[str]:
    """Name every field below a type: what else looks like one in a text may be part of a secret."""
    return frozenset(field.name for struct in structs(go_type, coded=True) for field in struct.fields)


def _char(text: str, place: int) -> str:
    return repr(text[place]) if place < len(text) else "ends"
