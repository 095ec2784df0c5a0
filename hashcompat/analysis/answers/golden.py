"""Golden data, computed again: for each input and release the exact hashed text and the hash.

A golden directory has one of two forms:

- Lines: ``inputs.jsonl`` and a ``<release>.jsonl`` for each release, with a line of JSON for each case.
- Folders: ``inputs/<case>.json``, ``<release>/<case>.txt`` and ``<release>/HASHES``.

golden/README.md describes both. A directory may have its inputs in one form and releases in the other,
but nothing in both.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError, InputError, UsageError
from hashcompat.core.go import jsontext
from hashcompat.core.go.types import GoType, structs
from hashcompat.core.kubelet.hashing import Hasher, hashers
from hashcompat.core.model.results import Number, Object, ReleaseName, Result, Text
from hashcompat.core.shown import name as shown_name

INPUTS: Final = "inputs"
"""The folder of the inputs, and the name of their file."""
LINES: Final = ".jsonl"
"""What the names of files of lines end with."""
_HASHES: Final = "HASHES"
_HASH_LINE: Final = re.compile(r"(\S+)  (\S+)")
_SOURCES: Final = ("api", "file")
_REFUSED: Final = "refused"
_INPUT: Final = '{"about": ..., "source": "api" or "file", "container": {...}}'
_INPUT_LINE: Final = '{"case": "...", "about": ..., "source": "api" or "file", "container": {...}}'
_ANSWER_LINE: Final = (
    '{"case": "...", "hash": 1234, "text": "..."}, or {"case": "...", "refused": true} '
    "where that release cannot decode the case"
)


class GoldenCase(msgspec.Struct, frozen=True):
    """One golden input."""

    name: str
    """Its name: that of the file without ``.json``, or what its line calls it."""
    container: Mapping[str, Any]
    """The container's JSON."""
    keep_empty: bool
    """Whether empty lists and maps count, as in a manifest that a kubelet reads from a file."""
    origin: str
    """The file, and the line where a file has several, for errors."""


class GoldenAnswer(msgspec.Struct, frozen=True):
    """What a release's golden data have of one case."""

    hash: str | None
    """The hash as written; None where it is missing, or the release refuses the case."""
    text: bytes | None
    """The hashed text; None where it is missing, or the release refuses the case."""
    refused: bool = False
    """Whether a kubelet of that release cannot decode the case."""


def read_cases(directory: Path) -> dict[str, GoldenCase]:
    """Read the inputs of a golden directory by name, sorted; empty where it has none.

    Raises InputError, naming file and line, for inputs without the documented form.
    """
    lines, folder = directory / f"{INPUTS}{LINES}", directory / INPUTS
    if not lines.exists():
        return {path.stem: _case_in(path) for path in sorted(folder.glob("*.json"))}
    _refuse_both(lines, folder)
    return cases_on_lines(lines.read_bytes(), str(lines))


def releases(directory: Path) -> list[tuple[str, Path]]:
    """Name the releases that a golden directory has data of, sorted, each with its file or folder.

    Raises InputError for a release in both forms.
    """
    if not directory.is_dir():
        return []
    files = {path.name.removesuffix(LINES): path for path in directory.glob(f"*{LINES}")}
    # a directory of a release that lost its HASHES must not be skipped silently
    folders = {
        path.name: path
        for path in directory.iterdir()
        if (path / _HASHES).exists() or any(path.glob("*.txt"))
    }
    for name in sorted(files.keys() & folders.keys()):
        _refuse_both(files[name], folders[name])
    paths = files | folders
    return sorted((name, path) for name, path in paths.items() if name != INPUTS)


def read_answers(place: Path) -> dict[str, GoldenAnswer]:
    """Read the golden data of one release by case, from its file or folder.

    Raises InputError, naming file and line, for data without the documented form.
    """
    if not place.is_dir():
        return answers_on_lines(place.read_bytes(), str(place))
    hashes = _read_hashes(place / _HASHES)
    texts = {path.stem: path for path in place.glob("*.txt")}
    return {name: _answer_in(hashes.get(name), texts.get(name)) for name in sorted(hashes.keys() | texts)}


def cases_on_lines(data: bytes, path: str) -> dict[str, GoldenCase]:
    """Read a file of inputs as ``read_cases`` does; the path is for errors."""
    cases = {name: _case_on(name, origin, row) for name, origin, row in _rows(data, path, _INPUT_LINE)}
    return dict(sorted(cases.items()))


def answers_on_lines(data: bytes, path: str) -> dict[str, GoldenAnswer]:
    """Read a release's file as ``read_answers`` does; the path is for errors."""
    return {name: _answer_on(origin, row) for name, origin, row in _rows(data, path, _ANSWER_LINE)}


def _refuse_both(file: Path, folder: Path) -> None:
    if folder.exists():
        raise InputError(f"{folder.parent}: has {file.name} and {folder.name}/ of the same; keep one of them")


def _case_in(path: Path) -> GoldenCase:
    try:
        document = jsontext.loads(jsontext.decode_text(path.read_bytes()))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    is_input = isinstance(document, dict) and document.get("source") in _SOURCES
    if not is_input or not isinstance(document.get("container"), dict):
        raise InputError(f"{path}: not a golden input: want {_INPUT}")
    return GoldenCase(path.stem, document["container"], document["source"] == "file", str(path))


def _answer_in(recorded: str | None, text: Path | None) -> GoldenAnswer:
    content = None if text is None else text.read_bytes()
    is_refused = recorded == _REFUSED
    return GoldenAnswer(None if is_refused else recorded, content, refused=is_refused)


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


def _rows(data: bytes, path: str, wanted: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the cases of a file of lines: name, origin and the object.

    A line ends at a line feed alone: other separators of lines may be in a text.
    """
    seen: dict[str, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        origin = f"{path}: line {number}"
        try:
            row = jsontext.loads(jsontext.decode_text(line))
        except InputError as error:  # which counts the lines of what it is given
            raise InputError(f"{origin}: {str(error).removeprefix('line 1 ')}; want {wanted}") from None
        if not isinstance(row, dict):
            raise InputError(f"{origin}: {jsontext.kind_of(row)}, not an object; want {wanted}")
        name = _member(row, "case", str, origin, wanted)
        if not name:
            raise InputError(f'{origin}: "case" is empty; want {wanted}')
        if name in seen:
            raise InputError(
                f"{origin}: the case {shown_name(name)!r} is on line {seen[name]} too; keep one of them"
            )
        seen[name] = number
        yield name, origin, row


def _member(row: Mapping[str, Any], key: str, kind: type, origin: str, wanted: str) -> Any:
    if key not in row:
        raise InputError(f'{origin}: no "{key}" in it; want {wanted}')
    value = row[key]
    if type(value) is not kind:
        raise InputError(f'{origin}: "{key}" is {jsontext.kind_of(value)}; want {wanted}')
    return value


def _case_on(name: str, origin: str, row: Mapping[str, Any]) -> GoldenCase:
    source = _member(row, "source", str, origin, _INPUT_LINE)
    if source not in _SOURCES:
        raise InputError(f'{origin}: "source" is neither "api" nor "file"; want {_INPUT_LINE}')
    if "containerBase64" not in row:
        container = _member(row, "container", dict, origin, _INPUT_LINE)
        return GoldenCase(name, container, source == "file", origin)
    if "container" in row:
        raise InputError(f'{origin}: both "container" and "containerBase64" in it; keep one of them')
    return GoldenCase(name, _decoded(origin, row), source == "file", origin)


def _decoded(origin: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a container whose JSON is not UTF-8, which no line can hold otherwise."""
    text = _member(row, "containerBase64", str, origin, _INPUT_LINE)
    try:
        container = jsontext.loads(jsontext.decode_text(base64.b64decode(text, validate=True)))
    except (binascii.Error, ValueError, InputError):
        container = None
    if not isinstance(container, dict):
        raise InputError(f'{origin}: "containerBase64" is not an object of JSON in base64; write it again')
    return container


def _answer_on(origin: str, row: Mapping[str, Any]) -> GoldenAnswer:
    if _REFUSED in row:
        if row[_REFUSED] is not True or "hash" in row or "text" in row:
            raise InputError(f'{origin}: "refused" is true and alone, or left out; want {_ANSWER_LINE}')
        return GoldenAnswer(None, None, refused=True)
    value = _member(row, "hash", int, origin, _ANSWER_LINE)
    text = _member(row, "text", str, origin, _ANSWER_LINE)
    return GoldenAnswer(str(value), text.encode(errors="surrogatepass"))


_FIELD: Final = re.compile(r"(?<!\w)(\w++):\(")
_MISSING: Final = GoldenAnswer(None, None)


class Mismatch(Object, frozen=True):
    """One difference between golden data and this program."""

    release: ReleaseName
    case: Text
    """The case's name."""
    problem: Text
    """What differs."""


class Verification(Object, frozen=True):
    """The outcome for one golden directory."""

    directory: Text
    """The directory, as given."""
    releases: Annotated[tuple[ReleaseName, ...], Meta(min_length=1)]
    """The releases that it has data of."""
    cases: Number
    """The number of inputs."""
    compared: Number
    """The number of texts and hashes compared."""
    mismatches: tuple[Mismatch, ...]
    """What differs."""


class Verifications(Result[Verification], msgspec.Struct, frozen=True):
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
    if not directory.is_dir():
        what = "not a directory" if directory.exists() else "no such directory"
        raise InputError(f"{directory}: {what}; want one of golden containers, such as golden/containers")
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
    release: str, place: Path, cases: Mapping[str, GoldenCase], catalog: Catalog, show_values: bool
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


def _decodes(hasher: Hasher, case: GoldenCase) -> bool:
    try:
        hasher.decode(case.container)
    except DecodeError:
        return False
    return True


def _compare(hasher: Hasher, case: GoldenCase, answer: GoldenAnswer, show_values: bool) -> str:
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
        (index for index, (left, right) in enumerate(zip(computed, golden, strict=False)) if left != right),
        min(len(computed), len(golden)),
    )
    fields = [name for name in _FIELD.findall(computed[:place]) if name in known_fields]
    where = f" in {fields[-1]}" if fields else ""
    around = f", after {computed[max(0, place - 40) : place]!r}" if show_values else ""
    characters = f"golden {_char(golden, place)}, computed {_char(computed, place)}"
    return f"text: character {place + 1}{where}: {characters}{around}"


@cache
def _field_names(go_type: GoType) -> frozenset[str]:
    """Name every field below a type: what else looks like one in a text may be part of a secret."""
    return frozenset(field.name for struct in structs(go_type, coded=True) for field in struct.fields)


def _char(text: str, place: int) -> str:
    return repr(text[place]) if place < len(text) else "ends"
