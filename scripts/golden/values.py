"""Make golden/values: what go-spew, Quantity, the YAML library and JSONPath of real Go print of values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from scripts.golden import containers
from scripts.lib.generated import Generated, relative
from scripts.lib.paths import CACHE, SCRIPTS, VALUES
from scripts.lib.program import Program

PROGRAM: Final = Program(CACHE / "values" / "values", SCRIPTS / "golden" / "values")
KEYS: Final = {
    "quantities": ("text", "fields", "json", "canonical", "milliFields", "milli"),
    "yaml": ("yaml", "json"),
    "jsonpath": ("template", "out", "fails"),
}
"""The keys of a file's lines: that of the input, which is in the file itself, then those that Go answers."""


def programs() -> dict[str, Program]:
    """Describe the one program."""
    return {"values": PROGRAM}


def inputs(name: str) -> list[str]:
    """Read the inputs of one of the files of KEYS."""
    lines = (VALUES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)[KEYS[name][0]] for line in lines]


def ask(name: str, texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return what Go makes of texts of one kind."""
    requests = "".join(f"{json.dumps(text)}\n" for text in texts)
    return [json.loads(line) for line in PROGRAM.run(name, data=requests.encode()).splitlines()]


def make() -> dict[Path, bytes]:
    """Compute every file of golden/values."""
    newest = list(containers.oracles())[-1]
    files = {"values.jsonl": containers.find(newest).program.run("-values")}
    for name in KEYS:
        files[f"{name}.jsonl"] = _file(name)
    return relative(VALUES, files)


def _file(name: str) -> bytes:
    given, *answered = KEYS[name]
    texts = inputs(name)
    rows = (
        {given: text, **{key: answer[key] for key in answered}}
        for text, answer in zip(texts, ask(name, texts), strict=True)
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


GENERATED: Final = Generated(make, owned=("golden/values/*.jsonl",))
