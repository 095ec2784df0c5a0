"""How far a long run is: one line on a terminal's stderr, from the third second on, gone when the run ends.

A timer draws it, by a signal rather than a thread: a process with threads cannot be forked safely, and large
files are read in forked processes. These count what they read in memory that they share. Where stderr is no
terminal, nothing is drawn.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from hashcompat.core.model.escape import count, printable

_AFTER: Final = 3.0
"""Seconds before the first line."""
_INTERVAL: Final = 0.5
"""Seconds between two lines."""
_CLEAR: Final = "\r\x1b[K"
"""Back to the start of the line, and nothing in it."""
_SLOTS: Final = 256
"""Counters in the shared memory: each process has its own, by its number, since none waits for another."""
_WIDTH: Final = 8
"""Bytes of a counter."""
_UNITS: Final = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
_KEY: Final = "hashcompat.progress"


class Progress:
    """The line, and what it says; every method does nothing where it is not wanted."""

    def __init__(self, *, wanted: bool, write: Callable[[str], None] | None = None) -> None:
        """``write`` puts text on the terminal."""
        self._wanted, self._write = wanted, write or _to_stderr
        self._begun = self._stage_begun = time.monotonic()
        self._doing, self._total = "", 0
        self._shown = self._aside = False
        if wanted:
            import mmap

            self._counts = memoryview(mmap.mmap(-1, _SLOTS * _WIDTH)).cast("q")

    def stage(self, doing: str, total: int = 0) -> None:
        """Begin something else; nothing is shown of an empty one. ``total`` is in bytes, 0 if unknown."""
        if self._wanted:
            if not doing:
                self.clear()
            self._doing, self._total = doing, total
            self._stage_begun = time.monotonic()
            for place in range(_SLOTS):
                self._counts[place] = 0

    def add(self, number: int) -> None:
        """Count so many bytes more, in whichever process."""
        if self._wanted:
            self._counts[os.getpid() % _SLOTS] += number

    def draw(self) -> None:
        """Draw the line, once the run is long."""
        now = time.monotonic()
        if not self._wanted or self._aside or not self._doing or now - self._begun < _AFTER:
            return
        self._shown = True
        self._write(f"{_CLEAR}{self._text(now - self._stage_begun)}")

    def _text(self, seconds: float) -> str:
        done, total = sum(self._counts), self._total
        text = printable(self._doing)
        if total and 0 < done <= total:
            left = seconds * (total - done) / done
            text += f": {100 * done // total} % of {_size(total)}, {_duration(left)} left"
        elif done:
            text += f": {_size(done)}, {_duration(seconds)}"
        else:
            text += f": {_duration(seconds)}"
        return text[: _columns() - 1]

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the terminal to something else for a moment."""
        self._aside = True
        try:
            self.clear()
            yield
        finally:
            self._aside = False

    def clear(self) -> None:
        """Leave nothing of the line."""
        if self._shown:
            self._shown = False
            self._write(_CLEAR)

    def end(self) -> None:
        """Draw nothing any more."""
        self.clear()
        self._wanted = False


def _to_stderr(text: str) -> None:
    # past Python's own buffer, in which the program may be writing when the timer rings
    with suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), text.encode(errors="backslashreplace"))


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _size(number: int) -> str:
    for unit, size in _UNITS:
        if number >= size:
            return f"{number / size:.1f} {unit}" if number < 10 * size else f"{number // size} {unit}"
    return count(number, "byte")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


_NONE: Final = Progress(wanted=False)


def current() -> Progress:
    """Return the progress of the command that runs; one that shows nothing where none does."""
    import click

    context = click.get_current_context(silent=True)
    progress: Progress = context.find_root().meta.get(_KEY, _NONE) if context else _NONE
    return progress


@contextmanager
def shown(doing: str, *, quiet: bool) -> Iterator[Progress]:
    """Show how far the command is that runs in the block."""
    import click

    progress = Progress(wanted=not quiet and sys.stderr.isatty())
    progress.stage(doing)
    click.get_current_context().find_root().meta[_KEY] = progress
    with _ticking(progress):
        try:
            yield progress
        finally:
            progress.end()


@contextmanager
def _ticking(progress: Progress) -> Iterator[None]:
    """Draw the line again and again; not where there is no such timer, nor in another thread."""
    if not sys.stderr.isatty() or not hasattr(signal, "setitimer"):
        yield
        return
    try:
        before = signal.signal(signal.SIGALRM, lambda *_: progress.draw())
    except ValueError:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, _INTERVAL, _INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
