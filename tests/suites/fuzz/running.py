"""Run targets, each in a process of its own with limits, and count what it executed.

First guided by coverage (``fuzzer``), which finds inputs that reach more of a reader; then, at many times
that speed, with changes of these and the kept ones (``mutator``).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.helpers.program import ROOT
from tests.suites.fuzz.keeping import CACHE, as_files, failed
from tests.suites.fuzz.mutations import PIECES
from tests.suites.fuzz.mutator import current
from tests.suites.fuzz.target import MEGABYTES, Target

SECONDS: Final = 10
"""For one input; more is a hang."""

_EXECUTED: Final = re.compile(r"^stat::number_of_executed_units: *(\d+)$", re.MULTILINE)
_MUTATED: Final = re.compile(r"^executed (\d+)$", re.MULTILINE)
_OUTPUT: Final = 6000
"""Characters of what a process printed that an error shows, the last ones."""

_ENVIRONMENT: Final = ("PATH", "HOME", "PYTHONPATH", "LANG")
"""Variables that a process gets; requests looks through all of them for each request."""


class CrashError(AssertionError):
    """A reader let another error than its own through, took too long, or took too much memory."""


def fuzz(target: Target, runs: int, seed: int, *, persistent: bool, seconds: int = SECONDS) -> int:
    """Execute a target at least that often, guided by coverage, and return how often it was.

    ``persistent``: begin with what earlier runs found too, and add to it. Raises CrashError with the end of
    what the process printed.
    """
    corpus = _found(target, persistent)
    if not persistent:
        shutil.rmtree(corpus, ignore_errors=True)
    crashes = CACHE / "crashes" / target.name
    for directory in (corpus, crashes):
        directory.mkdir(parents=True, exist_ok=True)
    flags = [*_limits(target, seconds), f"-runs={runs}", f"-seed={seed % 2**32 or 1}", *_words(target)]
    kept = dict.fromkeys(path.parent for path in (*as_files(target.name), *failed(target.name)))
    places = [corpus, *kept]
    arguments = [target.name, ",".join(target.modules), *flags, f"-artifact_prefix={crashes}/", *places]
    done = _run("fuzzer", *arguments)
    said = done.stderr.decode(errors="replace")
    executed = _EXECUTED.search(said)
    if done.returncode or executed is None:
        raise _crash(target, done)
    return int(executed[1])


def mutate(target: Target, runs: int, seed: int, *, persistent: bool, seconds: int = SECONDS) -> int:
    """Execute a target that often with changes of kept inputs and of those that ``fuzz`` found.

    Raises CrashError with the name of the input, which is below ``.cache/fuzz/crashes``.
    """
    known = [*as_files(target.name), *failed(target.name), *sorted(_found(target, persistent).glob("*"))]
    listed, place = (CACHE / "mutated" / f"{target.name}.{ending}" for ending in ("list", "input"))
    place.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text("".join(f"{path}\n" for path in known))
    place.unlink(missing_ok=True)
    done = _run("mutator", target.name, runs, seed, seconds, place, listed)
    executed = _MUTATED.search(done.stdout.decode(errors="replace"))
    if done.returncode or executed is None:
        raise _crash(target, done, _saved(target, place, done.returncode) if place.exists() else "")
    return int(executed[1])


def _found(target: Target, persistent: bool) -> Path:
    return CACHE / ("found" if persistent else "slice") / target.name


def _run(module: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", f"{__package__}.{module}", *map(str, arguments)],
        cwd=ROOT,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        capture_output=True,
        check=False,
    )


def _saved(target: Target, place: Path, code: int) -> str:
    """Keep the input that ended a process under a name as libFuzzer's, and return what to say of it."""
    data = current(place)
    kind = "timeout" if code == -signal.SIGALRM else "crash"
    path = CACHE / "crashes" / target.name / f"{kind}-{sha256(data).hexdigest()[:40]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    ended = f", ended by {signal.Signals(-code).name}" if code < 0 else ""
    return f"Test unit written to {path}{ended}"


def _crash(target: Target, done: subprocess.CompletedProcess[bytes], saved: str = "") -> CrashError:
    said = done.stderr.decode(errors="replace")[-_OUTPUT:]
    return CrashError(f"{target.name}: exit code {done.returncode}\n{done.stdout!r}\n{said}\n{saved}")


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
