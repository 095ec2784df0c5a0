"""The sentences of a plan: the answer, and what goes with it.

Assumptions, warnings, other ways, commands to go on with, and the closing line. Warnings of one kind become
a single line: what they share once, and the first few names in which they differ.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hashcompat.core.model.escape import agree, are, count, name_path, never_compared, printable
from hashcompat.core.model.plan import Plan, Suggestion, Summary
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.regex import regex
from hashcompat.output.report.items import hop_ends, hop_words, way_of
from hashcompat.output.report.model import Coloured, Line
from hashcompat.output.report.planview import Excerpt, Invocation, excerpt_of, groups_in_order
from hashcompat.output.report.tally import Tally

_NAMED: Final = 3
"""Names that are shown before the others are counted."""
_ALIKE: Final = 0.6
"""The share of words that two lines of one kind have in common, at the same places."""
_MORE: Final = regex(r"(\d+) more")
_TOKEN: Final = regex(r"[^\s,]+(?:, (?!\d+ more)[^\s,]+)*(?:, \d+ more)?\S*|\S+")
"""A word, or several with commas between them, which may be a list of names."""
_PROBLEM: Final = regex(r": (?:\$[.:\[]|line \d+ column).*", re.DOTALL)
"""What is wrong at which place of a file: neither is a name or a number that could be joined with others."""


BESIDES: Final = "Besides restarts"


def collapsed(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, in place of those of one kind a single one; the order is that of the first ones."""
    kinds: list[tuple[str, list[Sequence[str]]]] = []
    for line in dict.fromkeys(lines):
        tokens, problem = _TOKEN.findall(line), _PROBLEM.search(line)
        where = problem[0] if problem else ""
        kind = next((kind for place, kind in kinds if place == where and _are_alike(kind[0], tokens)), None)
        if kind is None:
            kinds.append((where, [tokens]))
        else:
            kind.append(tokens)
    yield from (" ".join(map(_joined, zip(*kind, strict=True))) for _, kind in kinds)


def _are_alike(first: Sequence[str], second: Sequence[str]) -> bool:
    same = sum(left == right for left, right in zip(first, second, strict=False))
    return len(first) == len(second) and same >= _ALIKE * len(first)


def _joined(variants: Sequence[str]) -> str:
    """Return what one place of all lines has in common: a sum of numbers, the longer of two words, a list."""
    distinct = list(dict.fromkeys(variants))
    if len(distinct) == 1:
        return distinct[0]
    if all(word.lstrip("(").isdecimal() for word in variants):
        lead = "(" if variants[0].startswith("(") else ""
        return lead + str(sum(int(word.lstrip("(")) for word in variants))
    if len({word.rstrip(":").removesuffix("s") for word in distinct}) == 1:
        return max(distinct, key=len)
    return _listed(distinct)


def _listed(lists: Sequence[str]) -> str:
    """Return the first names of some lists as one, and how many more there are."""
    end = re.search(r"(?<![):;,])[):;,]*+$", lists[0])
    closing = end[0] if end and all(text.endswith(end[0]) for text in lists) else ""
    names: dict[str, None] = {}
    more = 0
    for text in lists:
        for part in text[: len(text) - len(closing)].split(", "):
            if match := _MORE.fullmatch(part):
                more += int(match[1])
            else:
                names[part] = None
    more += max(len(names) - _NAMED, 0)
    shown = [*list(names)[:_NAMED], *([f"{more} more"] if more else [])]
    return ", ".join(shown) + closing


_BAD = "red"
_OPEN = "yellow"
_GOOD = "green"


def answer(summary: Summary, tally: Tally) -> Line:
    """Return the sentence; what is UNKNOWN has its own colour, and is never part of a green sentence."""
    if not summary.containers:
        return [Coloured("No containers: nothing to report", _OPEN)]
    if summary.findings:
        number = summary.unknown
        unknown = [Coloured(f"; {number} more {are(number)} UNKNOWN", _OPEN)] if number else []
        return [*_hit(summary, tally), *unknown, *_rest(summary, _BAD)]
    if summary.unknown:
        return [Coloured(_open(summary, tally), _OPEN), *_rest(summary, _OPEN)]
    if not summary.compared:
        total = summary.containers
        which = "the only container" if total == 1 else f"none of {count(total, 'container')}"
        return [Coloured(f"Nothing restarts: {which} is {'never ' if total == 1 else ''}compared", _GOOD)]
    kept = f"{count(summary.compared, 'running container')} {are(summary.compared)} kept"
    return [Coloured(f"Nothing restarts: {kept}", _GOOD), *_rest(summary, _GOOD)]


def _rest(summary: Summary, colour: str) -> Iterator[Coloured]:
    if rest := never_compared(summary.never_compared):
        yield Coloured(rest, colour)


def _hit(summary: Summary, tally: Tally) -> Iterator[Coloured]:
    hit, killed = summary.findings - summary.apart, summary.verdicts[Verdict.KILL]
    whose = sum(bool(group.findings) for group in tally.owners)
    number = sum(bool(kind.findings) for kind in tally.kinds)
    total = count(summary.compared, "running container")
    verb = "for good" if summary.findings == killed else ""
    done = f"{'stops' if hit == 1 else 'stop'} {verb}" if verb else agree(hit, "restart")
    yield Coloured(
        f"{hit} of {total} {done}{_apart(summary)}: {_where(whose, summary.nodes_affected, number)}", _BAD
    )
    if killed and not verb:
        yield Coloured(f"; {killed} of them {are(killed)} not started again", _BAD)


def _apart(summary: Summary) -> str:
    """Return what is killed besides running containers, such as that of manifests; or nothing."""
    if not (number := summary.apart):
        return ""
    return f", {'and' if summary.findings > number else 'but'} {count(number, 'container')} {_NOWHERE} would"


_NOWHERE: Final = "that no kubelet of the input runs"


def _open(summary: Summary, tally: Tally) -> str:
    """Say that nothing is certain to restart, and how much is not decided."""
    unknown, total = summary.unknown - summary.aside, summary.compared
    whose = [group for group in tally.owners if group.unknown]
    where = _where(len(whose), 0, len(tally.kinds))
    if unknown and unknown == total:
        subject = _SUBJECTS.get(total, f"All {total} running containers are")
        return f"{subject} UNKNOWN, so nothing is decided: {where}"
    clause = f"{count(summary.aside, 'container')} {_NOWHERE} {are(summary.aside)} UNKNOWN"
    if unknown:
        running = count(total, "running container")
        which = f"{unknown} of {running} {are(unknown)} UNKNOWN, the others are kept"
        clause = f"{which}; {clause}" if summary.aside else which
    elif total:
        clause = f"{clause}, {count(total, 'running container')} {are(total)} kept"
    return f"Undecided: {clause}: {where}"


_SUBJECTS: Final = {1: "The only running container is", 2: "Both running containers are"}


def _where(owners: int, nodes: int, reasons: int) -> str:
    text = count(owners, "owner")
    if nodes:
        text += f" on {count(nodes, 'node')}"
    return text + (f", for {count(reasons, 'reason')}" if reasons else "")


def notes(result: Plan | Excerpt) -> Iterator[str]:
    """Yield the lines, the closing one last."""
    shown = excerpt_of(result)
    plan = shown.plan
    yield from plan.notes
    if plan.share.recorded:
        yield f"Calibration: {plan.share}"
    besides = list(collapsed(plan.besides))
    if shown.brief:
        yield from _folded(plan.assumptions, besides)
    else:
        yield from (f"Assumed: {assumption}" for assumption in plan.assumptions)
    yield from (f"Warning: {warning}" for warning in collapsed(plan.warnings))
    if not shown.brief:
        yield from (f"{BESIDES}: {line}" for line in besides)
    yield from _other_ways(plan, brief=shown.brief)
    for number, command in enumerate(_next(shown, shown.invocation) if shown.invocation else ()):
        yield f"{'     ' if number else 'Next:'} {command}"
    yield _closing(shown)


def _folded(assumptions: Sequence[str], besides: Sequence[str]) -> Iterator[str]:
    """Yield what a small screen shows of both: one line, with how many there are."""
    if len(assumptions) == 1 and not besides:
        yield f"Assumed: {assumptions[0]}"
    elif assumptions or besides:
        assumed = f"Assumed: {count(len(assumptions), 'thing')}" if assumptions else ""
        more = f"{BESIDES}: {count(len(besides), 'consequence')}" if besides else ""
        line = "; ".join(filter(None, (assumed, f"b{more[1:]}" if assumed and more else more)))
        yield f"{line}; -v lists them"


def _other_ways(plan: Plan, *, brief: bool) -> Iterator[str]:
    """Yield what other ways restart, briefly in one line: their commands are among those to go on with."""
    ways = []  # each in full and in brief
    if plan.hops:
        steps = ", ".join(f"{hop_ends(hop)} {hop_words(hop)}" for hop in plan.hops)
        short = f"{' + '.join(map(hop_words, plan.hops))} one minor at a time"
        ways.append((f"One minor at a time, it would restart: {steps}", short))
    if plan.rollback and plan.from_release != plan.to_release:  # else there is no way back
        text = f"Rolling back, {hop_ends(plan.rollback)}, would restart {hop_words(plan.rollback)}"
        ways.append((text, f"{hop_words(plan.rollback)} on rollback"))
    if plan.suggestion:
        ways.append((patched_words(plan.suggestion), f"{plan.suggestion.saves} fewer if patched"))
    if plan.rewritable:
        text = f"With rewritten records, {plan.rewritable} fewer would restart: hashcompat normalize"
        ways.append((text, f"{plan.rewritable} fewer with rewritten records"))
    if ways and brief:
        yield f"Otherwise: {', '.join(short for _, short in ways)}"
    elif ways:
        yield from (text for text, _ in ways)


def patched_words(suggestion: Suggestion) -> str:
    """Say what a patch would save."""
    return f"A patched kubelet would restart {suggestion.saves} fewer: {suggestion.command}"


def _next(shown: Excerpt, invocation: Invocation) -> Iterator[str]:
    """Yield one or two commands that go on from here, as a shell takes them.

    None of them reads standard input, which has been read.
    """
    plan, summary = shown.plan, shown.summary
    is_used_up = "-" in (*invocation.pods, *invocation.facts)
    if not (summary.findings or summary.unknown):
        if is_used_up or not shown.tally.nodes:
            return  # manifests alone, and preflight is about nodes
        yield _command(invocation, "preflight", "--to", plan.to_release, "--no-node", *invocation.pods)
        return
    way = ("--from", plan.from_release, "--to", plan.to_release, *invocation.pods, *invocation.facts)
    # a pod of the owner with the most restarts whose name can be pasted
    worst = (group.first for group in groups_in_order(shown.tally.owners, None) if group.first)
    pod = next((pod for pod in worst if _is_plain(pod.namespace) and _is_plain(pod.name)), None)
    if pod and not is_used_up:
        yield _command(invocation, "explain", name_path(pod.namespace, pod.name), *way)
    if plan.suggestion:
        yield plan.suggestion.command.replace("hashcompat", invocation.program, 1)
    elif summary.nodes_affected and not is_used_up:
        yield _command(invocation, "plan", *way, "--only-restarts", "--group-by", "node")


def _command(invocation: Invocation, *words: str) -> str:
    return f"{invocation.program} {shlex.join(words)}"


def _is_plain(name: str) -> bool:
    return bool(name) and name_path(name) == printable(name) == name


def _closing(shown: Excerpt) -> str:
    """Return how many containers are killed, where, and what is not known."""
    plan, counts = shown.plan, shown.summary
    hit, killed = counts.findings - counts.apart, counts.verdicts[Verdict.KILL]
    restart = agree(hit or counts.compared, "restart")  # 0 of 1 restarts, and 0 of 2 restart
    parts = [f"{way_of(plan)}: {hit} of {count(counts.compared, 'running container')} {restart}"]
    if counts.findings:
        parts.append(f"{_apart(counts)}," if counts.apart else "")
        parts.append(f" in {counts.pods_affected} of {count(counts.pods, 'pod')}")
        parts.append(f" on {count(counts.nodes_affected, 'node')}" if counts.nodes_affected else "")
    if killed:
        parts.append(f"; {killed} of them {are(killed)} not started again")
    parts.append(f"; {counts.kept} kept, {counts.unknown} unknown")
    parts.append(never_compared(counts.never_compared))
    return "".join(parts)
