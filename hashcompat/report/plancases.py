"""A plan for other programs: a case for each container, and a row with everything that is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hashcompat.model.escape import name_path
from hashcompat.model.items import Item
from hashcompat.model.plan import Plan
from hashcompat.model.verdicts import Verdict
from hashcompat.report.findings import Case, Findings, Outcome
from hashcompat.report.items import reason_words
from hashcompat.report.model import Prose, Table
from hashcompat.report.whence import times_of
from hashcompat.rules.pages import RULES

_OUTCOMES: Final[Mapping[Verdict, Outcome]] = {
    Verdict.RESTART: Outcome.FAILED,
    Verdict.KILL: Outcome.FAILED,
    Verdict.UNKNOWN: Outcome.UNDECIDED,
    Verdict.KEEP: Outcome.PASSED,
}

_STDIN: Final = "-"
"""The file of what was read from standard input, which nobody could open."""

_COLUMNS: Final = (
    *("NODE", "NAMESPACE", "POD", "CONTAINER", "TYPE", "OWNER", "WORKLOAD", "UID", "RELEASE", "VERDICT"),
    *("POD RECREATED", "RECORDED", "FROM", "TO", "RULES", "REASON", "FILE", "LINE"),
)


def findings_of(plan: Plan, items: Sequence[Item]) -> Findings:
    """Return some items of a plan as cases; the totals are those of all."""
    counts = plan.summary
    return Findings(
        "plan",
        title_of(plan),
        "containers",
        {verdict.value: number for verdict, number in counts.verdicts.items()},
        lambda: map(case_of, items),
        RULES,
        {
            "pods": counts.pods,
            "pods_affected": counts.pods_affected,
            "nodes_affected": counts.nodes_affected,
            "containers_compared": counts.compared,
            "containers_not_compared": counts.not_compared,
        },
        times_of(plan),
    )


def title_of(plan: Plan) -> str:
    """Name the upgrade; also in formats that have no place for warnings, what was overridden for it."""
    against = ", against what nodes report" if plan.overridden else ""
    return f"kubelet {plan.from_release} -> {plan.to_release}{against}"


def case_of(item: Item) -> Case:
    """Return one container's verdict as a case."""
    pod, reasons = item.pod, item.reasons
    names = {"node": pod.node, "namespace": pod.namespace, "pod": pod.name, "container": item.container.name}
    return Case(
        _OUTCOMES[item.verdict],
        item.verdict.value,
        reasons[0].id if reasons else "",
        reason_words(item),
        name_path(pod.namespace, pod.name),
        name_path(item.container.name),
        names,
        *(("", 0) if pod.file == _STDIN else (pod.file, item.line)),
    )


def sheet_of(items: Sequence[Item]) -> Table:
    """Return a row for each item."""
    return Table(_COLUMNS, lambda: map(_row, items))


def _row(item: Item) -> list[object]:
    return [
        *_names(item),
        item.verdict.value,
        _word(recreated=item.pod_recreated),
        *_hashes(item),
        *_reasons(item),
    ]


def _word(*, recreated: bool) -> str:
    return "true" if recreated else "false"


def _names(item: Item) -> Iterator[object]:
    pod = item.pod
    yield from (pod.node, pod.namespace, pod.name, item.container.name, item.container.type.value)
    yield from (pod.owner, pod.workload, pod.uid, item.from_release)


def _hashes(item: Item) -> Iterator[object]:
    yield from (item.hashes.recorded, item.hashes.from_, item.hashes.to)


def _reasons(item: Item) -> Iterator[object]:
    yield ",".join(dict.fromkeys(reason.id for reason in item.reasons))
    yield Prose(reason_words(item))
    yield from (item.pod.file, item.line or None)
