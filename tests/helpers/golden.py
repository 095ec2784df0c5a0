"""What golden/ holds, read once: rows by case, each as its line has it (golden/README.md)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from hashcompat.core.go import jsontext
from scripts.lib import golden
from tests.helpers.program import GOLDEN

_BASE64 = "containerBase64"


@cache
def rows(kind: str, name: str = "inputs") -> dict[str, dict[str, Any]]:
    """Return the inputs of one kind, or what is known of one release, by case; nobody may change it."""
    return golden.rows(GOLDEN / kind / f"{name}.jsonl")


@cache
def exact_rows(kind: str, name: str = "inputs") -> dict[str, Any]:
    """Return the same as the program reads JSON: numbers keep their text."""
    lines = golden.lines((GOLDEN / kind / f"{name}.jsonl").read_bytes())
    return {case: jsontext.loads(jsontext.decode_text(line)) for case, line in lines.items()}


def releases(kind: str) -> list[str]:
    """Name the releases that there are golden data of, oldest first."""
    names = {path.name.removesuffix(".jsonl") for path in (GOLDEN / kind).glob("[0-9]*.jsonl")}
    return sorted(
        (name for name in names if not name.endswith(".loads")),
        key=lambda name: [*map(int, name.split("."))],
    )


def files(kind: str) -> set[str]:
    """Name the files of one kind."""
    directory = GOLDEN / kind
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


def container(case: str) -> dict[str, Any]:
    """Return the container of a golden input, as JSON that others may change."""
    spec: dict[str, Any] = json.loads(json.dumps(rows("containers")[case]["container"]))
    return spec


def state_file(sample: str) -> str:
    """Return a state file that a kubelet wrote, RELEASE/CASE, or one of the inputs, inputs/CASE."""
    release, _, case = sample.partition("/")
    text: str = rows("checkpoints", release)[case]["text"]
    return text


SMALL_CASES = (
    "backspace-in-command",
    "emoji",
    "nil-vs-empty-args-file",
    "quantity-zero-forms",
    "recorded-prometheus-node-exporter",
)
SMALL_RELEASES = ("1.27.15", "1.36.3", "1.7.16")
"""One of each era."""


def small_lines(directory: Path) -> Path:
    """Make a small golden directory of lines, and return it."""
    golden.write_lines(directory, SMALL_CASES, SMALL_RELEASES)
    return directory


def small_folders(directory: Path) -> Path:
    """Make the same of folders, a file for each text, and return it."""
    golden.write_folders(directory, SMALL_CASES, SMALL_RELEASES)
    return directory
