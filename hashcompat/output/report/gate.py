"""A gate: what decided, each line of the policy, and the containers that are not kept.

First the document, then cases for pipelines, then tables and text for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import Final

from msgspec import structs

from hashcompat.analysis.gating import GateResult, Judged, Line, Outcome, Standing
from hashcompat.analysis.gating.judge import owner_group
from hashcompat.core.model.escape import count, owner_path, word
from hashcompat.core.policies import Limit
from hashcompat.core.rules import all_rules, findings
from hashcompat.output.documents import judged as docs
from hashcompat.output.report.items import item_name, reason_words
from hashcompat.output.report.model import (
    CaseResult,
    Coloured,
    Document,
    Findings,
    Headline,
    Prose,
    Ranking,
    Report,
    ReportCase,
    Rows,
    Screen,
    Section,
    Table,
    coloured,
    document,
    filled,
    later,
    plain,
    verdict_cell,
)
from hashcompat.output.report.notes import BESIDES, collapsed
from hashcompat.output.report.planview import overridden, times_line, times_of
from hashcompat.output.report.restartplan import (
    case_of,
    container_verdict,
    provenance_of,
    source_of,
    title_of,
    tool_of,
)


def gate_document(result: GateResult) -> Document:
    """Return the document: the items are the containers that are not kept, after the upgrade all of them."""
    plan, policy = result.plan, result.policy
    numbers = Counter(outcome.standing for outcome in result.judged)
    judged = filled(
        docs.JudgedPlan,
        plan,
        from_=plan.from_release,
        to=plan.to_release,
        source=source_of(plan.origin),
        disputed_nodes=plan.disputed,
        override_node_releases=plan.overridden,
        tool=tool_of(plan.making),
        created_at=plan.created,
        warnings=(*plan.warnings, *plan.besides),
    )
    settled = filled(
        docs.PolicySpec,
        policy,
        max_restarts=_limit(policy.max_restarts),
        max_per_owner=_limit(policy.max_per_owner),
        max_per_node=_limit(policy.max_per_node),
        plan_max_age=policy.max_age_text or None,
        max_age=policy.max_input_age_text or None,
        cluster_uid=policy.cluster or None,
        files=[
            docs.SettingsRead(file.name, file.keys, file.loosens, [*starmap(docs.Ignored, file.ignored)])
            for file in policy.files
        ],
    )
    return document(
        docs.GateReport,
        spec=docs.GateSpec(judged, settled, result.after, tool_of(result.making), result.making.at),
        summary=docs.GateSummary(
            outcome=result.outcome,
            exit_code=result.exit_code.value,
            decided_by=str(result.deciding),
            containers=len(plan.items),
            compared=result.whole.compared,
            not_compared=result.whole.not_compared,
            **{standing.value.lower(): numbers[standing] for standing in Standing},
        ),
        checks=list(map(_policy_line, result.lines)),
        warnings=result.warnings,
        items=Rows(result.judged, lambda judged: plain(_item(judged))),
    )


def _policy_line(line: Line) -> docs.PolicyLine:
    return filled(
        docs.PolicyLine,
        line,
        policy=line.key,
        about=line.subject,
        limit=line.limit or None,
        compared=line.whole.compared if line.whole else None,
        text=str(line),
    )


def _limit(limit: Limit | None) -> str | None:
    return limit.text if limit else None


def _item(judged: Judged) -> docs.GateItem:
    exemption = judged.exemption
    return filled(
        docs.GateItem,
        container_verdict(judged.item),
        standing=judged.standing,
        exception=docs.CoveredBy(exemption.names, exemption.pattern, exemption.reason, exemption.expires)
        if exemption
        else None,
        seen=judged.seen,
    )


_OUTCOMES: Final[Mapping[Standing, CaseResult]] = {
    **dict.fromkeys((Standing.VIOLATION, Standing.SURPRISE), CaseResult.FAILED),
    Standing.UNDECIDED: CaseResult.UNDECIDED,
    **dict.fromkeys((Standing.ALLOWED, Standing.EXCEPTED, Standing.BASELINE), CaseResult.NOTED),
    **dict.fromkeys((Standing.UNPREDICTED, Standing.CHANGED), CaseResult.NOTED),
    Standing.AS_PREDICTED: CaseResult.PASSED,
}
_LINE_OUTCOMES: Final[Mapping[Outcome, CaseResult]] = {
    Outcome.FAIL: CaseResult.FAILED,
    Outcome.UNDECIDED: CaseResult.UNDECIDED,
    Outcome.PASS: CaseResult.PASSED,
}
_POLICY: Final = "gate-policy"
_PREDICTION: Final = "gate-prediction"
_SETTINGS_RULE: Final = "gate-settings"
_RELEASES: Final = "gate-releases"
_RULES: Final = (_POLICY, _PREDICTION, _SETTINGS_RULE, _RELEASES)


def findings_of(result: GateResult) -> Findings:
    """Return the cases; the totals are those of lines that do not hold, and of containers."""
    numbers = Counter(judged.standing.value for judged in result.judged)
    numbers.update(line.outcome.value for line in result.lines)
    words = [*Standing, *Outcome]
    plan = result.plan
    policy = "".join(f", policy {file}" for file in result.policy.files)
    return Findings(
        "gate",
        f"gate of {title_of(plan)}{policy}",
        "cases",
        {word: numbers[word] for word in dict.fromkeys(word.value for word in words)},
        lambda: _cases(result),
        lambda: (*all_rules(), *findings(*_RULES)),
        {
            "containers": len(plan.items),
            "containers_compared": result.whole.compared,
            "containers_not_compared": result.whole.not_compared,
        },
        times_of(plan),
    )


def _cases(result: GateResult) -> Iterator[ReportCase]:
    """Yield the lines of the policy, settings that let more pass, overridden releases, and containers."""
    for line in result.lines:
        rule = "" if line.outcome is Outcome.PASS else _POLICY
        name, labels = f"{line.key} {line.subject}".rstrip(), _labels(line.key, line.subject)
        outcome = _LINE_OUTCOMES[line.outcome]
        yield ReportCase(outcome, line.outcome.value, rule, str(line), "policy", name, labels)
    for file in result.policy.files:
        if file.loosens:
            text = f"{file.name} loosens the policy: {', '.join(file.loosens)}"
            name, labels = f"settings {word(file.name)}", _labels("settings", file.name)
            yield ReportCase(CaseResult.NOTED, "LOOSENED", _SETTINGS_RULE, text, "policy", name, labels)
    for text in overridden(result.plan):
        labels = _labels(_OVERRIDDEN, "")
        yield ReportCase(CaseResult.NOTED, "OVERRIDDEN", _RELEASES, text, "policy", _OVERRIDDEN, labels)
    yield from map(_container, result.judged)


def _labels(key: str, about: str) -> Mapping[str, str]:
    """Return the names of a case that is about no container."""
    return {**dict.fromkeys(("node", "namespace", "pod", "container"), ""), "policy": key, "about": about}


def _container(judged: Judged) -> ReportCase:
    case = case_of(judged.item)
    text, rule = f"{judged.item.verdict}: {case.text}", case.rule
    if judged.exemption:
        text += f"; accepted until {judged.exemption.expires}: {judged.exemption.reason}"
    outcome = _OUTCOMES[judged.standing]
    if judged.seen:
        text = f"{judged.seen}, predicted {judged.item.verdict}"
        rule = "" if outcome is CaseResult.PASSED else _PREDICTION
    labels = {**case.labels, "policy": "", "about": ""}
    return structs.replace(
        case, outcome=outcome, verdict=judged.standing.value, rule=rule, text=text, labels=labels
    )


_COLOURS: Final[Mapping[Outcome, str]] = {
    Outcome.FAIL: "red",
    Outcome.UNDECIDED: "yellow",
    Outcome.PASS: "green",
}
_STANDING_COLOURS: Final[Mapping[Standing, str]] = {
    Standing.VIOLATION: "red",
    Standing.UNDECIDED: "yellow",
    Standing.SURPRISE: "red",
}
_OWNERS: Final = 20
"""Owners that are named for people; -o wide has every container."""
_LINE_COLUMNS: Final = ("POLICY", "ABOUT", "FOUND", "ALLOWED", "OUTCOME")
_OWNER_COLUMNS: Final = ("NAMESPACE", "OWNER", "CONTAINERS", "VERDICT", "COUNTS AS")
_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "COUNTS AS", "REASON")
_MORE_COLUMNS: Final = ("TYPE", "OWNER", "WORKLOAD", "UID", "RELEASE", "EXCEPTION", "EXPIRES", "FILE", "LINE")
_OVERRIDDEN: Final = "override-node-releases"
"""The line that says which nodes report another release."""


def _overview(result: GateResult, _screen: Screen) -> Iterator[Section]:
    verdict = Coloured(_verdict(result), _COLOURS[result.outcome])
    lines = (times_line(result.plan), *overridden(result.plan), *settings_lines(result))
    yield Section([[verdict], *([line] for line in lines)])
    yield Section(Table(_LINE_COLUMNS, lambda: map(_line_cells, result.lines)))
    owners = _owners(result)
    if owners:
        hidden = len(owners) - _OWNERS
        after = f"and {count(hidden, 'more owner')}; -o wide has every container" if hidden > 0 else ""
        yield Section(Table(_OWNER_COLUMNS, lambda: owners[:_OWNERS], after=after))


def _line_cells(line: Line) -> list[object]:
    outcome = coloured(line.outcome, _COLOURS)
    # of the other lines the key says what is counted
    key = f"{line.key}: {line.noun}" if line.key == "after" and line.noun and not line.subject else line.key
    return [Prose(key), line.subject or None, line.found, line.allowed, outcome]


def _owners(result: GateResult) -> list[list[object]]:
    """Return a row for each owner, verdict and standing: violations first, and of these the most."""
    numbers = Counter(
        (owner_group(judged.item.pod), judged.item.verdict, judged.standing) for judged in result.judged
    )
    order = [*Standing]
    rows = sorted(numbers.items(), key=lambda row: (order.index(row[0][2]), -row[1], row[0]))
    return [
        [namespace, owner, number, verdict.value, coloured(standing, _STANDING_COLOURS)]
        for ((namespace, owner), verdict, standing), number in rows
    ]


def _wide(result: GateResult) -> Table:
    rows = lambda: ([*_cells(judged), *_more(judged)] for judged in result.judged)  # noqa: E731 - one line
    caption = "; ".join([*overridden(result.plan), *settings_lines(result)])
    return Table((*_COLUMNS, *_MORE_COLUMNS), rows, caption=caption)


def _sheet_rows(result: GateResult) -> Iterator[list[object]]:
    """Yield a row for each line of the policy, then for each container; they share no column."""
    containers = [None] * (len(_COLUMNS) + len(_MORE_COLUMNS))
    yield from ([*_line_cells(line), *containers] for line in result.lines)
    for file in result.policy.files:
        yield [Prose("settings"), Prose(str(file)), None, None, None, *containers]
    for text in overridden(result.plan):
        yield [Prose(_OVERRIDDEN), Prose(text), None, None, None, *containers]
    lines = [None] * len(_LINE_COLUMNS)
    yield from ([*lines, *_cells(judged), *_more(judged)] for judged in result.judged)


def _cells(judged: Judged) -> list[object]:
    item, pod = judged.item, judged.item.pod
    names = [pod.node, pod.namespace, pod.name, item.container.name]
    standing = coloured(judged.standing, _STANDING_COLOURS)
    return [*names, verdict_cell(item), standing, Prose(judged.seen or reason_words(item))]


def _more(judged: Judged) -> list[object]:
    item, pod, exemption = judged.item, judged.item.pod, judged.exemption
    accepted = [Prose(exemption.reason), exemption.expires.isoformat()] if exemption else [None, None]
    names = [item.container.type.value, pod.owner, pod.workload, pod.uid, item.from_release]
    return [*names, *accepted, pod.file, item.line or None]


def _notes(result: GateResult) -> Iterator[str]:
    """Yield what it rests on, warnings, what does not count and why, and at last what decided."""
    yield from (f"Assumed: {assumption}" for assumption in result.plan.assumptions)
    yield from (f"Warning: {warning}" for warning in collapsed((*result.plan.warnings, *result.warnings)))
    yield from (f"{BESIDES}: {line}" for line in collapsed(result.plan.besides))
    numbers = Counter(judged.standing for judged in result.judged)
    for standing, words in ((Standing.EXCEPTED, "by exceptions"), (Standing.BASELINE, "by the baseline")):
        if numbers[standing]:
            yield f"Left out {words}: {count(numbers[standing], 'container')}"
    yield from settings_lines(result)
    yield f"gate: {_verdict(result)}"


def settings_lines(result: GateResult) -> Iterator[str]:
    """Yield the name of each settings file, with the keys in it that let more pass."""
    return (f"policy: {file}" for file in result.policy.files)


def _loosened(result: GateResult) -> Iterator[str]:
    yield from overridden(result.plan)
    if any(file.loosens for file in result.policy.files):
        yield from settings_lines(result)


def _verdict(result: GateResult) -> str:
    only = ", reported only" if (result.policy.report_only and result.outcome is not Outcome.PASS) else ""
    return f"{result.outcome}{only}: {result.deciding}"


def _counted(result: GateResult) -> str:
    numbers = Counter(judged.standing for judged in result.judged)
    words = ", ".join(f"{number} {standing.of(number)}" for standing, number in numbers.items())
    return f"{count(result.whole.compared, 'running container')} judged: {words or 'all kept'}"


def _ranking(result: GateResult) -> Ranking:
    owners = _owners(result)
    rows = [row for row in owners if str(row[4]) in _STANDING_COLOURS] or owners
    return Ranking("Top owners", [(owner_path(str(row[0]), str(row[1])), int(str(row[2]))) for row in rows])


def _headline(result: GateResult) -> Headline:
    only = "reported only: " if result.policy.report_only and result.outcome is not Outcome.PASS else ""
    return Headline(result.outcome.value, f"{only}{result.deciding}", _COLOURS[result.outcome])


GATE: Final[Report[GateResult]] = Report(
    "GateReport",
    document=gate_document,
    overview=_overview,
    table=lambda result: Table(_COLUMNS, lambda: map(_cells, result.judged), bare=True),
    wide=_wide,
    sheet=lambda result: Table((*_LINE_COLUMNS, *_COLUMNS, *_MORE_COLUMNS), lambda: _sheet_rows(result)),
    findings=findings_of,
    names=lambda result: (
        item_name(judged.item) for judged in result.judged if judged.standing in _STANDING_COLOURS
    ),
    title="Upgrade gate",
    page=lambda result: later("resultpages", "gate_page")(GATE, result),
    headline=_headline,
    counted=_counted,
    ranking=_ranking,
    provenance=lambda result: structs.replace(
        provenance_of(result.plan), making=result.making, plan=result.plan.making
    ),
    lead=lambda result: [times_line(result.plan), *overridden(result.plan)],
    notes=_notes,
    loosened=_loosened,
)
