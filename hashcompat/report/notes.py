"""What goes with a plan: assumptions, warnings, other ways, commands to go on with, the closing line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from hashcompat.model.escape import name_path, printable
from hashcompat.model.items import PodName
from hashcompat.model.plan import Plan
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import agree, count, never_compared
from hashcompat.report.asked import Again, Excerpt, asked
from hashcompat.report.collapse import collapsed
from hashcompat.report.groups import in_order
from hashcompat.report.items import hop_ends, hop_words


def notes(result: Plan | Excerpt) -> Iterator[str]:
    """Yield the lines, the closing one last."""
    shown = asked(result)
    plan = shown.plan
    yield from plan.notes
    if plan.share.recorded:
        yield f"Calibration: {plan.share}"
    yield from _assumed(shown)
    yield from (f"Warning: {warning}" for warning in collapsed(plan.warnings))
    yield from _other_ways_briefly(plan) if shown.brief else _other_ways(plan)
    for number, command in enumerate(_next(shown, shown.again) if shown.again else ()):
        yield f"{'     ' if number else 'Next:'} {command}"
    yield _closing(shown)


def _other_ways(plan: Plan) -> Iterator[str]:
    if plan.hops:
        steps = ", ".join(f"{hop_ends(hop)} {hop_words(hop)}" for hop in plan.hops)
        yield f"One minor at a time, it would restart: {steps}"
    if back := plan.rollback:
        yield f"The way back, {hop_ends(back)}, would restart {hop_words(back)}"
    if found := plan.suggestion:
        yield f"A patched kubelet would restart {found.saves} fewer: {found.command}"


def _other_ways_briefly(plan: Plan) -> Iterator[str]:
    """Yield the numbers of ``_other_ways`` in one line; the command is among those to go on with."""
    parts = []
    if plan.hops:
        parts.append(f"{' + '.join(map(hop_words, plan.hops))} one minor at a time")
    if plan.rollback:
        parts.append(f"{hop_words(plan.rollback)} on the way back")
    if plan.suggestion:
        parts.append(f"{plan.suggestion.saves} fewer if patched")
    if parts:
        yield f"Otherwise: {', '.join(parts)}"


def _assumed(shown: Excerpt) -> Iterator[str]:
    found = shown.plan.assumptions
    if shown.brief and len(found) > 1:
        yield f"Assumed: {len(found)} things; -v lists them"
    else:
        yield from (f"Assumed: {assumption}" for assumption in found)


def _next(shown: Excerpt, again: Again) -> Iterator[str]:
    """Yield one or two commands that go on from here, as a shell takes them."""
    plan, summary = shown.plan, shown.summary
    if not (summary.findings or summary.unknown):
        words = ("preflight", "--to", plan.to_release, "--no-node", *again.pods)
        yield _command(again, *words)
        return
    way = ("--from", plan.from_release, "--to", plan.to_release, *again.pods, *again.facts)
    if pod := _worst(shown):
        name = name_path(pod.namespace, pod.name)
        yield _command(again, "explain", name, *way)
    if plan.suggestion:
        yield plan.suggestion.command.replace("hashcompat", again.program, 1)
    elif summary.nodes_affected:
        yield _command(again, "plan", *way, "--only-restarts", "--group-by", "node")


def _command(again: Again, *words: str) -> str:
    return f"{again.program} {shlex.join(words)}"


def _worst(shown: Excerpt) -> PodName | None:
    """Return a pod of the owner with the most restarts whose name can be pasted; None without one."""
    pods = (group.first for group in in_order(shown.tally.owners, None) if group.first)
    return next((pod for pod in pods if _is_plain(pod.namespace) and _is_plain(pod.name)), None)


def _is_plain(name: str) -> bool:
    return bool(name) and name_path(name) == printable(name) == name


def _closing(shown: Excerpt) -> str:
    """Return how many containers are killed, where, and what is not known."""
    plan, counts = shown.plan, shown.summary
    hit, killed = counts.findings, counts.verdicts[Verdict.KILL]
    way = f"{plan.from_release} -> {plan.to_release}"
    parts = [f"{way}: {hit} of {count(counts.compared, 'running container')} {agree(hit, 'restart')}"]
    if hit:
        parts.append(f" in {counts.pods_affected} of {count(counts.pods, 'pod')}")
        parts.append(f" on {count(counts.nodes_affected, 'node')}" if counts.nodes_affected else "")
    if killed:
        parts.append(f"; {killed} of them {'is' if killed == 1 else 'are'} not started again")
    parts.append(f"; {counts.kept} kept, {counts.unknown} unknown")
    parts.append(never_compared(counts.not_compared))
    return "".join(parts)
