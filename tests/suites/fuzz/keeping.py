"""The inputs that are kept: the corpus, a file of lines per target, and crashes, a directory per target.

    python -m tests.suites.fuzz.keeping TARGET FILE...    # adds files to the corpus, by their names

A line is ``{"name": "...", "text": "..."}``, or, of bytes that are not UTF-8,
``{"name": "...", "base64": "..."}``.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.helpers.program import ROOT

HERE: Final = Path(__file__).parent
CORPUS: Final = HERE / "corpus"
"""Kept inputs, a file per target."""

CRASHES: Final = HERE / "crashes"
"""Inputs that a reader once failed on, a directory per target."""

CACHE: Final = ROOT / ".cache" / "fuzz"
"""What a run finds: new inputs, crashes; and the corpus as files. Not in git."""


@cache
def kept(target: str, corpus: Path = CORPUS) -> Mapping[str, bytes]:
    """Return the kept inputs of a target by name; none where it has no file.

    Raises ValueError, naming file and line, for a line of another form or a name that is there already.
    """
    path = corpus / f"{target}.jsonl"
    inputs: dict[str, bytes] = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else (), 1):
        try:
            name, data = _input(json.loads(line))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            wanted = '{"name": "...", "text": "..." or "base64": "..."}'
            raise ValueError(f"{path}: line {number}: {error}; want {wanted}") from None
        if name in inputs:
            raise ValueError(f"{path}: line {number}: the name {name} is there already; choose another one")
        inputs[name] = data
    return inputs


def _input(row: dict[str, Any]) -> tuple[str, bytes]:
    if set(row) not in ({"name", "text"}, {"name", "base64"}):
        raise ValueError(f"the keys {', '.join(row)}")
    text = row.get("text")
    return row["name"], base64.b64decode(row["base64"], validate=True) if text is None else text.encode()


def lines(inputs: Mapping[str, bytes]) -> bytes:
    """Return the file of some inputs, sorted by name."""
    return b"".join(_line(name, inputs[name]) for name in sorted(inputs))


def _line(name: str, data: bytes) -> bytes:
    try:
        row = {"name": name, "text": data.decode()}
    except UnicodeDecodeError:
        row = {"name": name, "base64": base64.b64encode(data).decode()}
    return json.dumps(row).encode() + b"\n"


def failed(target: str) -> list[Path]:
    """Return the inputs that a target once failed on, by name."""
    return sorted((CRASHES / target).glob("*"))


def as_files(target: str, directory: Path = CACHE / "kept") -> list[Path]:
    """Write the kept inputs as files, which libFuzzer reads, and return them."""
    place = directory / target
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    paths = [place / name for name in kept(target)]
    for path in paths:
        path.write_bytes(kept(target)[path.name])
    return paths


def main(target: str, *files: str) -> None:
    """Add files to the corpus."""
    inputs = {**kept(target), **{Path(file).name: Path(file).read_bytes() for file in files}}
    (CORPUS / f"{target}.jsonl").write_bytes(lines(inputs))


if __name__ == "__main__":
    main(*sys.argv[1:])
