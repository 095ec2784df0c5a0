"""The answer in one sentence: how many containers restart, whose, on how many nodes, for how many reasons."""

from __future__ import annotations

from collections.abc import Iterator

from hashcompat.model.plan import Summary
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import agree, count
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
        return [*_found(summary, tally), *_unknown(summary)]
    if summary.unknown:
        return [Coloured(_open(summary, tally), _OPEN)]
    kept = count(summary.containers, "container")
    return [Coloured(f"Nothing restarts: {kept} {'is' if summary.containers == 1 else 'are'} kept", _GOOD)]


def _found(summary: Summary, tally: Tally) -> Iterator[Coloured]:
    hit, killed = summary.findings, summary.verdicts[Verdict.KILL]
    whose = sum(bool(group.found) for group in tally.owners)
    number = sum(bool(kind.found) for kind in tally.kinds)
    total = count(summary.containers, "container")
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
    unknown, total = summary.unknown, summary.containers
    whose = [group for group in tally.owners if group.unknown]
    where = _where(len(whose), 0, len(tally.kinds))
    if unknown == total:
        every = "The only container is" if total == 1 else f"All {total} containers are"
        return f"{every} UNKNOWN, so nothing is decided: {where}"
    some = f"{unknown} of {count(total, 'container')} {_are(unknown)} UNKNOWN, the others are kept"
    return f"Undecided: {some}: {where}"


def _where(owners: int, nodes: int, reasons: int) -> str:
    text = count(owners, "owner")
    if nodes:
        text += f" on {count(nodes, 'node')}"
    return text + (f", for {count(reasons, 'reason')}" if reasons else "")


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
