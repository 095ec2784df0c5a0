"""The answer in one sentence: how many containers restart, whose, on how many nodes, for how many reasons."""

from __future__ import annotations

from collections.abc import Iterator

from hashcompat.model.plan import Summary
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import agree, count, never_compared
from hashcompat.report.model import Coloured, Line
from hashcompat.report.tally import Tally

_BAD = "red"
_OPEN = "yellow"
_GOOD = "green"


def answer(summary: Summary, tally: Tally) -> Line:
    """Return the sentence; what is UNKNOWN has its own colour, and is never part of a green sentence."""
    if not summary.containers:
        return [Coloured("No container: there is nothing to answer", _OPEN)]
    if summary.findings:
        return [*_found(summary, tally), *_unknown(summary), *_rest(summary, _BAD)]
    if summary.unknown:
        return [Coloured(_open(summary, tally), _OPEN), *_rest(summary, _OPEN)]
    kept = f"{count(summary.compared, 'running container')} {_are(summary.compared)} kept"
    return [Coloured(f"Nothing restarts: {kept}", _GOOD), *_rest(summary, _GOOD)]


def _rest(summary: Summary, colour: str) -> Iterator[Coloured]:
    if rest := never_compared(summary.not_compared):
        yield Coloured(rest, colour)


def _found(summary: Summary, tally: Tally) -> Iterator[Coloured]:
    hit, killed = summary.findings, summary.verdicts[Verdict.KILL]
    whose = sum(bool(group.found) for group in tally.owners)
    number = sum(bool(kind.found) for kind in tally.kinds)
    total = count(summary.compared, "running container")
    verb = "for good" if hit == killed else ""
    done = f"{'stops' if hit == 1 else 'stop'} {verb}" if verb else agree(hit, "restart")
    yield Coloured(f"{hit} of {total} {done}: {_where(whose, summary.nodes_affected, number)}", _BAD)
    if killed and not verb:
        yield Coloured(f"; {killed} of them {'is' if killed == 1 else 'are'} not started again", _BAD)


def _unknown(summary: Summary) -> Iterator[Coloured]:
    if summary.unknown:
        yield Coloured(f"; {summary.unknown} more {_are(summary.unknown)} UNKNOWN", _OPEN)


def _open(summary: Summary, tally: Tally) -> str:
    """Say that nothing is certain to restart, and how much is not decided."""
    unknown, total = summary.unknown, summary.compared
    whose = [group for group in tally.owners if group.unknown]
    where = _where(len(whose), 0, len(tally.kinds))
    if unknown == total:
        every = "The only running container is" if total == 1 else f"All {total} running containers are"
        return f"{every} UNKNOWN, so nothing is decided: {where}"
    some = f"{unknown} of {count(total, 'running container')} {_are(unknown)} UNKNOWN, the others are kept"
    return f"Undecided: {some}: {where}"


def _where(owners: int, nodes: int, reasons: int) -> str:
    text = count(owners, "owner")
    if nodes:
        text += f" on {count(nodes, 'node')}"
    return text + (f", for {count(reasons, 'reason')}" if reasons else "")


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
