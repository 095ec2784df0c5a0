"""This node: its runtimes, kubelets, processes and files, each asked within a time."""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Iterable
from threading import Thread
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.records.probes import Probe
from hashcompat.sources.http import LateError, before

# Make probes with a deadline each and one for all of them: what never answers is left behind.

MOST_AT_ONCE: Final = 8
"""How many things are asked at once."""
SECONDS_EACH: Final = 10.0
"""For each answer."""
SECONDS_WHOLE: Final = 90.0
"""For a whole node."""
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ESRCH})


class NoneSuchError(InputError):
    """What was asked for does not exist."""


class Question(msgspec.Struct, frozen=True):
    """Something to read on a node."""

    kind: str
    """The kind of the probe."""
    name: str
    """Its name."""
    read: Callable[[], str]
    """Returns the text. Raises OSError, and NoneSuchError or InputError with why there is none."""


class Asking:
    """Asks questions on one node, which has some time in all."""

    def __init__(self, each: float | None = None, whole: float | None = None) -> None:
        self.each = SECONDS_EACH if each is None else each
        """Seconds for each answer."""
        self._whole = SECONDS_WHOLE if whole is None else whole
        self._end = time.monotonic() + self._whole

    def ask(self, question: Question) -> Probe:
        """Return the probe that a question leads to; it never waits for longer than it may."""
        end = min(time.monotonic() + self.each, self._end)
        if time.monotonic() >= self._end:
            return self._late(question, over=True)
        try:
            return Probe(question.kind, question.name, before(end, question.read))
        except LateError:
            return self._late(question, over=end == self._end)
        except NoneSuchError:
            return Probe(question.kind, question.name)
        except OSError as error:
            if error.errno in _ABSENT:
                return Probe(question.kind, question.name)
            return _failed(question, (error.strerror or type(error).__name__).lower())
        except InputError as error:
            return _failed(question, str(error))

    def _late(self, question: Question, *, over: bool) -> Probe:
        """Return the probe of what was not read in time: only an answer's own time shows that it hangs."""
        whole = f"not read: the {self._whole:g} s for the whole node were over"
        return _failed(question, whole if over else f"no answer within {self.each:g} s")

    def gather(self, make: Callable[[], Iterable[Question]], where: str) -> list[Question]:
        """Return questions that can only be made by looking at the node, within the time for one answer.

        Where it takes longer, one question is left, which fails as late.
        """
        found: list[Question] = []

        def look() -> str:
            found.extend(make())
            return ""

        looked = self.ask(Question("directory", where, look))
        return found if looked.text is not None else [Question("directory", where, lambda: _fail(looked))]

    def every(self, questions: Iterable[Question]) -> list[Probe]:
        """Return the probes of questions in their order; at most MOST_AT_ONCE are asked at once."""
        left = deque(enumerate(questions))
        found: dict[int, Probe] = {}
        # Daemons, so that ^C ends the program while they wait for an NFS server or a FUSE program that hangs.
        workers = [Thread(target=self._work, args=(left, found), daemon=True) for _ in range(MOST_AT_ONCE)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return [found[place] for place in sorted(found)]

    def _work(self, left: deque[tuple[int, Question]], found: dict[int, Probe]) -> None:
        while True:
            try:
                # popleft is atomic, and needs no lock; to ask first whether anything is left would be a race.
                place, question = left.popleft()
            except IndexError:
                return
            found[place] = self.ask(question)


def _fail(looked: Probe) -> str:
    raise InputError(looked.problem)


def _failed(question: Question, problem: str) -> Probe:
    return Probe(question.kind, question.name, problem=problem)
