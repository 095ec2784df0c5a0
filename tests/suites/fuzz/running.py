"""Run targets with atheris, each in a process of its own with limits, and count what it executed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.helpers.program import ROOT
from tests.suites.fuzz.mutations import PIECES
from tests.suites.fuzz.target import MEGABYTES, Target

HERE: Final = Path(__file__).parent
CORPUS: Final = HERE / "corpus"
"""Kept inputs, a directory per target."""

CRASHES: Final = HERE / "crashes"
"""Inputs that a reader once failed on, a directory per target."""

CACHE: Final = ROOT / ".cache" / "fuzz"
"""What a run finds: new inputs, crashes; not in git."""

SECONDS: Final = 10
"""For one input; more is a hang."""

_EXECUTED: Final = re.compile(r"^stat::number_of_executed_units: *(\d+)$", re.MULTILINE)
_OUTPUT: Final = 6000
"""Characters of what a process printed that an error shows, the last ones."""

_ENVIRONMENT: Final = ("PATH", "HOME", "PYTHONPATH", "LANG")
"""Variables that a process gets; requests looks through all of them for each request."""


class CrashError(AssertionError):
    """A reader let another error than its own through, took too long, or took too much memory."""


def kept(directory: Path, target: Target) -> list[Path]:
    """Return the kept inputs of a target, by name."""
    return sorted((directory / target.name).glob("*"))


def fuzz(target: Target, runs: int, seed: int, *, persistent: bool, seconds: int = SECONDS) -> int:
    """Execute a target at least that often, and return how often it was.

    ``persistent``: begin with what earlier runs found too, and add to it. Raises CrashError with the end of
    what the process printed.
    """
    found = CACHE / ("found" if persistent else "slice") / target.name
    if not persistent:
        shutil.rmtree(found, ignore_errors=True)
    crashes = CACHE / "crashes" / target.name
    for directory in (found, crashes):
        directory.mkdir(parents=True, exist_ok=True)
    flags = [*_limits(target, seconds), f"-runs={runs}", f"-seed={seed % 2**32 or 1}", *_words(target)]
    places = [found, *(path for path in (CORPUS / target.name, CRASHES / target.name) if path.is_dir())]
    program = [sys.executable, "-m", "tests.suites.fuzz.fuzzer", target.name, ",".join(target.modules)]
    done = subprocess.run(
        [*program, *flags, f"-artifact_prefix={crashes}/", *places],
        cwd=ROOT,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        capture_output=True,
        check=False,
    )
    said = done.stderr.decode(errors="replace")
    executed = _EXECUTED.search(said)
    if done.returncode or executed is None:
        raise CrashError(f"{target.name}: exit code {done.returncode}\n{done.stdout!r}\n{said[-_OUTPUT:]}")
    return int(executed[1])


def _limits(target: Target, seconds: int) -> Iterator[str]:
    yield f"-max_len={target.longest}"
    yield f"-timeout={seconds}"
    yield f"-rss_limit_mb={MEGABYTES}"
    yield "-print_final_stats=1"
    yield "-reload=0"


def _words(target: Target) -> list[str]:
    """Write the words of a target's language where libFuzzer reads them."""
    path = CACHE / "words" / f"{target.name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f'"{_escaped(word)}"\n' for word in (*target.words, *PIECES) if word))
    return [f"-dict={path}"]


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())
