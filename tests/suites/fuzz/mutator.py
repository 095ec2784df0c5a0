"""Run one target with changes of known inputs, in a process of its own, without instrumentation.

    python -m tests.suites.fuzz.mutator TARGET RUNS SEED SECONDS CURRENT LIST

CURRENT is a file that holds the input in work (see ``current``), so that what ended the process is known
even where Python could not say it; LIST names the files with the known inputs, one per line.
"""

from __future__ import annotations

import faulthandler
import gc
import resource
import signal
import struct
import sys
from collections.abc import Iterator
from mmap import mmap
from pathlib import Path
from random import Random
from typing import Final

from tests.suites.fuzz.mutations import mutated
from tests.suites.fuzz.table import find
from tests.suites.fuzz.target import MEGABYTES, Target

_LENGTH: Final = struct.Struct("<I")


class Current:
    """The input in work, in a file that outlives the process."""

    def __init__(self, path: Path, longest: int) -> None:
        path.write_bytes(bytes(_LENGTH.size + longest))
        with path.open("r+b") as stream:
            self._memory = mmap(stream.fileno(), 0)

    def is_now(self, data: bytes) -> None:
        """Note an input before it is read."""
        end = _LENGTH.size + len(data)
        self._memory[:end] = _LENGTH.pack(len(data)) + data


def current(path: Path) -> bytes:
    """Return the input that a process noted last."""
    content = path.read_bytes()
    (length,) = _LENGTH.unpack_from(content)
    return content[_LENGTH.size : _LENGTH.size + length]


def changed(target: Target, known: list[bytes], runs: int, seed: str) -> Iterator[bytes]:
    """Yield that many changes of known inputs, more of the shorter ones, the same for a seed."""
    source = Random(seed)
    for _ in range(runs):
        data = min(source.choices(known, k=3), key=len)
        yield mutated(data, target.form, target.words, source)[: target.longest]


def _limit() -> None:
    """Let too much memory be a MemoryError, and too much time or a fault show where it was."""
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    faulthandler.enable()
    faulthandler.register(signal.SIGALRM, chain=True)  # the signal ends the process after that


def main(name: str, runs: str, seed: str, seconds: str, place: str, listed: str) -> None:
    """Read changed inputs, and print how many."""
    target, wait = find(name), int(seconds)
    known = [Path(path).read_bytes() for path in Path(listed).read_text().splitlines()]
    noted, executed = Current(Path(place), target.longest), 0
    gc.freeze()  # the release data, which no collection needs to look through again
    gc.set_threshold(20_000)  # few values refer to themselves
    _limit()
    for data in changed(target, known or [b""], int(runs), f"{seed} {name}"):
        noted.is_now(data)
        signal.alarm(wait)
        target(data)
        executed += 1
    sys.stdout.write(f"executed {executed}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
