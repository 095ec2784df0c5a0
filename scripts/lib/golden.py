"""Golden files: lines of JSON, one a case, which begin with its name (golden/README.md)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from scripts.lib.paths import CONTAINERS, ROOT

INPUTS: Final = "inputs.jsonl"
"""The file of the inputs, next to those of the releases."""

_BASE64: Final = "containerBase64"


def line(case: str, answer: Mapping[str, Any]) -> bytes:
    """Return the line of one case, in ASCII: what a text has of other characters is easily overlooked."""
    return json.dumps({"case": case, **answer}).encode() + b"\n"


def of_release(directory: Path, release: str, answers: Mapping[str, Mapping[str, Any]]) -> dict[Path, bytes]:
    """Return the file of one release: what it answered for each case, sorted."""
    lines = (line(case, answers[case]) for case in sorted(answers))
    return {directory.relative_to(ROOT) / f"{release}.jsonl": b"".join(lines)}


def requests(inputs: Path) -> dict[str, bytes]:
    """Read the inputs by case as requests, a line each, every byte of a container as it was written."""
    return {case: _request(row, text) for case, (row, text) in _read(inputs).items()}


def rows(path: Path) -> dict[str, dict[str, Any]]:
    """Read a file by case, without the names in the rows."""
    return {case: {key: row[key] for key in row if key != "case"} for case, (row, _) in _read(path).items()}


def lines(content: bytes) -> dict[str, bytes]:
    """Return the lines of a file by case."""
    return {json.loads(text)["case"]: text for text in content.split(b"\n") if text}


def write_lines(directory: Path, cases: Iterable[str], releases: Iterable[str]) -> None:
    """Write some cases and releases of golden/containers as a directory of their own."""
    directory.mkdir(parents=True)
    for name in ("inputs", *releases):
        every = lines((CONTAINERS / f"{name}.jsonl").read_bytes())
        (directory / f"{name}.jsonl").write_bytes(b"".join(every[case] + b"\n" for case in sorted(cases)))


def write_folders(directory: Path, cases: Iterable[str], releases: Iterable[str]) -> None:
    """Write the same in the other form that ``verify`` reads: a file for each input and each text."""
    files: dict[str, bytes] = {}
    inputs = requests(CONTAINERS / INPUTS)
    files |= {f"inputs/{case}.json": inputs[case] for case in cases}
    for release in releases:
        every = rows(CONTAINERS / f"{release}.jsonl")
        known = {case: every[case] for case in sorted(cases)}
        hashes = "".join(f"{row.get('hash', 'refused')}  {case}\n" for case, row in known.items())
        files[f"{release}/HASHES"] = hashes.encode()
        files |= {
            f"{release}/{case}.txt": row["text"].encode() for case, row in known.items() if "text" in row
        }
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)


def _read(path: Path) -> dict[str, tuple[dict[str, Any], bytes]]:
    return {case: (json.loads(text), text) for case, text in lines(path.read_bytes()).items()}


def _request(row: Mapping[str, Any], text: bytes) -> bytes:
    """Return what Go is given; it ignores the name."""
    if _BASE64 not in row:
        return text
    return b'{"source": "%b", "container": %b}' % (row["source"].encode(), base64.b64decode(row[_BASE64]))
