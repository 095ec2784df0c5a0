"""Golden data, computed again: for each input and release the exact hashed text and the hash.

``analysis/answers/goldenfiles.py`` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.analysis.answers.goldenfiles import Answer, Case, read_answers, read_cases, releases
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError, InputError, UsageError
from hashcompat.core.go.types import GoType
from hashcompat.core.go.walk import structs
from hashcompat.core.kubelet.hashing import Hasher, hashers

_FIELD: Final = re.compile(r"(?<!\w)(\w++):\(")

_MISSING: Final = Answer(None, None)


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
    cases = read_cases(directory)
    places = releases(directory)
    if not cases or not places:
        missing = "inputs.jsonl or inputs/*.json" if not cases else "<release>.jsonl or <release>/HASHES"
        raise InputError(f"{directory}: not a golden directory: no case in {missing}")
    mismatches = [
        mismatch
        for release, place in places
        for mismatch in _verify_release(release, place, cases, catalog, show_values)
    ]
    return Verification(
        str(directory),
        tuple(release for release, _ in places),
        len(cases),
        len(cases) * len(places),
        tuple(mismatches),
    )


def _verify_release(
    release: str, place: Path, cases: Mapping[str, Case], catalog: Catalog, show_values: bool
) -> Iterator[Mismatch]:
    try:
        kubelet = catalog.kubelet(release)
    except UsageError as error:
        raise InputError(f"{place}: {error}") from None
    answers = read_answers(place)
    for name in sorted(answers.keys() - cases.keys()):
        yield Mismatch(release, name, "has no input; every golden file must be used")
    for name, case in cases.items():
        answer = answers.get(name, _MISSING)
        variants = hashers(kubelet, keep_empty=case.keep_empty)
        if answer.refused:
            if answer.text is not None or _decodes(variants[0], case):
                yield Mismatch(release, name, "golden data says that this release refuses it")
            continue
        if answer.hash is None or answer.text is None:
            yield Mismatch(release, name, f"has no {'hash' if answer.hash is None else 'text'} here")
            continue
        try:
            problems = [_compare(hasher, case, answer, show_values) for hasher in variants]
        except DecodeError as error:
            raise InputError(f"{case.origin}: $.container{error}") from None
        if all(problems):
            yield Mismatch(release, name, problems[0])


def _decodes(hasher: Hasher, case: Case) -> bool:
    try:
        hasher.decode(case.container)
    except DecodeError:
        return False
    return True


def _compare(hasher: Hasher, case: Case, answer: Answer, show_values: bool) -> str:
    """Return what differs; empty where nothing does."""
    pieces = hasher.pieces(hasher.decode(case.container))
    text, expected = "".join(pieces).encode(), answer.text or b""
    if text != expected:
        return _first_difference(text, expected, _field_names(hasher.container), show_values)
    value = hasher.digest(pieces)
    return "" if answer.hash == str(value) else f"hash: golden {answer.hash}, computed {value}"


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
