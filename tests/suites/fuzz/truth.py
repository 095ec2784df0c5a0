"""The fast path against the truth: each pod alone in a file, with the same nodes.

What is of one container (items, hashes, reasons, lines) is compared with what the plan of its pod alone says;
what is a sum (summary, hops, the way back, restarts that a patch saves) with the sum over these. Lines that
name the first few of many (warnings, assumptions) and errors are in no plan of a single pod: they are
compared with a plan of the whole file that one process makes without any stencil.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import InputError
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Hop, Plan, summarized
from hashcompat.sources.files import spans, survey
from hashcompat.sources.files.collect import collect
from tests.helpers.unlike import Unlike
from tests.suites.fuzz.nearly import Case, Dump, Upgrade
from tests.suites.fuzz.target import replaced

Counts = Counter[tuple[str, str, str]]
"""Findings and what is unknown of each step, by its two releases."""

SPAN: Final = 1 << 10
"""Bytes of a span where spans are small."""

_INDEX: Final = re.compile(r"\$\.items\[(\d+)\]")
_DOCUMENT: Final = re.compile(r"^[^ ]+ \(document \d+\): ")


def planned(path: Path, upgrade: Upgrade, jobs: int = 1) -> Plan | str:
    """Return the plan that the program makes of a file, as the command does, or its error."""
    try:
        guess = collect((str(path),), jobs=jobs, glance=True)
        try:
            return _made(guess, upgrade)
        except InputError:
            if not guess.guessed:
                raise
        return _made(collect((str(path),), jobs=jobs), upgrade)
    except InputError as error:
        return str(error)


def _made(inventory: Any, upgrade: Upgrade) -> Plan:
    view = View(default_catalog(), Options(keep_going=True))
    plan = planning.make(inventory, upgrade.old, upgrade.new, view)
    origin = structs.replace(plan.origin, oldest=None)
    return structs.replace(plan, origin=origin, warnings=(*inventory.warnings, *plan.warnings))


def slowly(path: Path, upgrade: Upgrade) -> Plan | str:
    """Return the same without stencils, spans and glances, by one process."""
    with replaced(survey, "Stencils", Unlike), replaced(survey, "blocks", _refused):
        try:
            return _made(collect((str(path),)), upgrade)
        except InputError as error:
            return str(error)


def _refused(*_: object, **__: object) -> Iterator[Any]:
    raise InputError("no list of elements")


@contextmanager
def small_spans(size: int = SPAN) -> Iterator[None]:
    """Divide small files too."""
    with replaced(spans, "LEAST", size):
        yield


@dataclass(frozen=True)
class Compared:
    """What one round compared."""

    plans: int
    refused: bool
    """Whether one of the pods was refused: it is compared first, and then what the others are without it."""


def compare(case: Case, directory: Path) -> Compared:
    """Compare all that can be said of a dump; raises AssertionError where it differs."""
    dump, upgrade, jobs = case.dump, case.upgrade, case.jobs
    whole = directory / f"dump{dump.form.suffix}"
    lines = dump.write(whole)
    slow = slowly(whole, upgrade)
    for number in jobs:
        fast = planned(whole, upgrade, number)
        _same(fast, slow, f"--jobs {number}")
    if dump.crowded and not isinstance(slow, str):
        return Compared(len(jobs) + 1, refused=False)  # alone, a pod has the room of all
    alone = [_alone(dump, pod, upgrade, whole) for pod in dump.pods]
    plans = len(jobs) + 1 + len(alone)
    if isinstance(slow, str) or any(isinstance(plan, str) for plan, _ in alone):
        _check_refused(dump, slow, [plan for plan, _ in alone])
        kept = tuple(
            pod for pod, (plan, _) in zip(dump.pods, alone, strict=True) if not isinstance(plan, str)
        )
        if kept and len(kept) < len(dump.pods):
            rest = compare(replace(case, dump=replace(dump, pods=kept)), directory)
            return replace(rest, plans=rest.plans + plans, refused=True)
        return Compared(plans, refused=True)
    _check_sum(dump, slow, alone, lines, _lone(dump, upgrade, whole))
    return Compared(plans, refused=False)


def _same(fast: Plan | str, slow: Plan | str, what: str) -> None:
    """Check that two plans of a file are the same, part by part so that a failure says which."""
    if isinstance(fast, str) or isinstance(slow, str):
        assert fast == slow, what
        return
    assert len(fast.items) == len(slow.items), what
    for item, other in zip(fast.items, slow.items, strict=True):
        assert _shown(item) == _shown(other), what
    for name in Plan.__struct_fields__:
        assert getattr(fast, name) == getattr(slow, name), (what, name)
    assert fast.summary == slow.summary, what


def _shown(item: Item) -> dict[str, Any]:
    return structs.asdict(item)


def _alone(dump: Dump, pod: str, upgrade: Upgrade, whole: Path) -> tuple[Plan | str, int]:
    """Return the plan of one of the pods alone, or the error, and the line at which it begins."""
    path = whole.with_name(f"alone{dump.form.suffix}")
    (line,) = dump.write(path, [pod])
    return slowly(path, upgrade), line


def _lone(dump: Dump, upgrade: Upgrade, whole: Path) -> Plan:
    """Return the plan of the nodes alone, with the pod that is in all files."""
    path = whole.with_name(f"none{dump.form.suffix}")
    dump.write(path, [])
    plan = slowly(path, upgrade)
    assert isinstance(plan, Plan), plan
    return plan


def _check_refused(dump: Dump, whole: Plan | str, alone: Sequence[Plan | str]) -> None:
    """Check that a file is refused where one of its pods is, in its words, or two have one uid."""
    problems = [plan for plan in alone if isinstance(plan, str)]
    assert isinstance(whole, str), ("a pod is refused alone, and not among others", problems)
    if "two different pods share a uid" in whole or dump.form.suffix == ".yaml":
        return  # what is wrong in YAML may be another thing where text precedes it
    assert _plain(whole) in set(map(_plain, problems)), (whole, problems)


def _plain(problem: str) -> str:
    """Return an error without the places in it."""
    return re.sub(r"dump|alone|\d+", "", problem)


def _check_sum(
    dump: Dump, whole: Plan, alone: Sequence[tuple[Plan | str, int]], lines: Sequence[int], lone: Plan
) -> None:
    """Check the plan of all pods against the plans of each."""
    seen, plans, expected = set[str](), list[Plan](), list[Item]()
    for place, (pod, (plan, line)) in enumerate(zip(dump.pods, alone, strict=True)):
        assert isinstance(plan, Plan)
        has_uid = any(item.pod.key for item in plan.items if not _is_lone(item))
        if pod in seen and has_uid:  # a copy, which counts once; pods without a uid are none
            continue
        seen.add(pod)
        plans.append(plan)
        index = dump.index(place, len(dump.pods)), dump.index(0, 1)
        expected += [_moved(item, lines[place] - line, index) for item in plan.items if not _is_lone(item)]
    items = [_anywhere(item) for item in whole.items if not _is_lone(item)]
    for item, other in zip(sorted(items, key=_key), sorted(expected, key=_key), strict=True):
        assert item == other, (_shown(item), _shown(other))
    assert [_order(item) for item in whole.items] == sorted(map(_order, whole.items))
    assert whole.summary == summarized(sorted([*lone.items, *expected], key=_order))
    _check_totals(whole, plans, lone)


def _check_totals(whole: Plan, plans: Sequence[Plan], lone: Plan) -> None:
    """Check what is summed up over pods; the one that is in each plan counts once."""
    more = len(plans) - 1
    for steps in (_steps, _back):
        summed = sum((steps(plan) for plan in plans), Counts())
        for key, number in steps(lone).items():
            summed[key] -= more * number
        assert +steps(whole) == +summed, (steps.__name__, steps(whole), summed)
    saved = [plan.suggestion.saves if plan.suggestion else 0 for plan in (whole, lone, *plans)]
    assert saved[0] == sum(saved[2:]) - more * saved[1]
    likes = [set(plan.suggestion.likes) if plan.suggestion else set[str]() for plan in (whole, *plans)]
    assert likes[0] == set().union(*likes[1:])


def _steps(plan: Plan) -> Counts:
    return _counts(plan.hops)


def _back(plan: Plan) -> Counts:
    return _counts([plan.rollback] if plan.rollback else [])


def _counts(hops: Iterable[Hop]) -> Counts:
    """Return the counts of each upgrade that some hops are made of, and of pods of unknown releases."""
    counts = Counts()
    for hop in hops:
        parts = hop.parts or (hop,)
        for part in parts:
            counts[part.old, part.new, "findings"] += part.findings
            counts[part.old, part.new, "unknown"] += part.unknown
        lost = hop.unknown - sum(part.unknown for part in parts)
        counts[hop.new if hop.old == AUTO else hop.old, "lost", "unknown"] += lost
        assert hop.findings == sum(part.findings for part in parts)
    return counts


def _is_lone(item: Item) -> bool:
    return item.pod.namespace == "lone"


def _key(item: Item) -> tuple[str, ...]:
    pod, container = item.pod, item.container
    return pod.namespace, pod.name, pod.uid, container.type, container.name, str(item.line)


def _order(item: Item) -> tuple[object, ...]:
    pod = item.pod
    return not pod.node, pod.node, pod.namespace, pod.name, pod.uid


def _anywhere(item: Item) -> Item:
    return structs.replace(item, pod=structs.replace(item.pod, file=""))


def _moved(item: Item, lines: int, index: tuple[int, int]) -> Item:
    """Return an item of a pod alone as one of the whole file: so many lines later, with another index."""
    item = _anywhere(item)
    line = item.line and item.line + lines
    reasons = tuple(_reason(reason, index) for reason in item.reasons)
    return structs.replace(item, line=line, prediction=structs.replace(item.prediction, reasons=reasons))


def _reason(reason: Any, index: tuple[int, int]) -> Any:
    """Return a reason with the index of the pod in the whole file, where it names that."""
    there, here = index
    text = _INDEX.sub(lambda match: f"$.items[{there}]" if int(match[1]) == here else match[0], reason.text)
    return structs.replace(reason, text=text)
