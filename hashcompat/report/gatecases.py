"""A gate for other programs: a case for each line of the policy, and for each container that is not kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import structs

from hashcompat.gating.policy import PolicyFile
from hashcompat.gating.result import GateResult, Judged, Line, Standing
from hashcompat.gating.result import Outcome as Judgement
from hashcompat.model.escape import word
from hashcompat.report.findings import Case, Findings, Outcome
from hashcompat.report.plancases import case_of, title_of
from hashcompat.report.whence import overridden, times_of
from hashcompat.rules import Rule
from hashcompat.rules.pages import RULES

_OUTCOMES: Final[Mapping[Standing, Outcome]] = {
    Standing.VIOLATION: Outcome.FAILED,
    Standing.UNDECIDED: Outcome.UNDECIDED,
    Standing.ALLOWED: Outcome.NOTED,
    Standing.EXCEPTED: Outcome.NOTED,
    Standing.BASELINE: Outcome.NOTED,
    Standing.SURPRISE: Outcome.FAILED,
    Standing.UNPREDICTED: Outcome.NOTED,
    Standing.CHANGED: Outcome.NOTED,
    Standing.AS_PREDICTED: Outcome.PASSED,
}

_LINES: Final[Mapping[Judgement, Outcome]] = {
    Judgement.FAIL: Outcome.FAILED,
    Judgement.UNDECIDED: Outcome.UNDECIDED,
    Judgement.PASS: Outcome.PASSED,
}

_POLICY: Final = Rule(
    "gate-policy",
    "the policy does not hold",
    "A line of the gate's policy does not allow what was found.",
    "",
)

_PREDICTION: Final = Rule(
    "gate-prediction",
    "not as the plan predicted",
    "What became of a container after the upgrade is not what the plan predicted, or is not known.",
    "",
)


_SETTINGS: Final = Rule(
    "gate-settings",
    "a settings file loosens the policy",
    "A settings file lets more pass than the flags and variables of the gate alone.",
    "",
)

_RELEASES: Final = Rule(
    "gate-releases",
    "nodes report another release",
    "The plan starts from another release than nodes report, as --override-node-releases asks.",
    "",
)


def findings_of(result: GateResult) -> Findings:
    """Return the cases; the totals are those of lines that do not hold, and of containers."""
    numbers = Counter(one.standing.value for one in result.judged)
    numbers.update(line.outcome.value for line in result.lines)
    words = [*Standing, *Judgement]
    plan = result.plan
    policy = "".join(f", policy {file}" for file in result.policy.files)
    return Findings(
        "gate",
        f"gate of {title_of(plan)}{policy}",
        "cases",
        {word: numbers[word] for word in dict.fromkeys(one.value for one in words)},
        lambda: _cases(result),
        (*RULES, _POLICY, _PREDICTION, _SETTINGS, _RELEASES),
        {
            "containers": len(plan.items),
            "containers_compared": result.whole.compared,
            "containers_not_compared": result.whole.not_compared,
        },
        times_of(plan),
    )


def _cases(result: GateResult) -> Iterator[Case]:
    yield from map(_line, result.lines)
    yield from (_loosened(file) for file in result.policy.files if file.loosens)
    yield from map(_overridden, overridden(result.plan))
    yield from map(_container, result.judged)


def _labels(key: str, about: str) -> Mapping[str, str]:
    """Return the names of a case that is about no container."""
    return {**dict.fromkeys(("node", "namespace", "pod", "container"), ""), "policy": key, "about": about}


def _loosened(file: PolicyFile) -> Case:
    """Return that a settings file lets more pass."""
    text = f"{file.name} loosens the policy: {', '.join(file.loosens)}"
    labels = _labels("settings", file.name)
    return Case(
        Outcome.NOTED, "LOOSENED", _SETTINGS.id, text, "policy", f"settings {word(file.name)}", labels
    )


def _overridden(text: str) -> Case:
    """Return that the plan is not of the releases that nodes report."""
    key = "override-node-releases"
    return Case(Outcome.NOTED, "OVERRIDDEN", _RELEASES.id, text, "policy", key, _labels(key, ""))


def _line(line: Line) -> Case:
    names = _labels(line.key, line.subject)
    name = f"{line.key} {line.subject}".rstrip()
    rule = "" if line.outcome is Judgement.PASS else _POLICY.id
    return Case(_LINES[line.outcome], line.outcome.value, rule, str(line), "policy", name, names)


def _container(one: Judged) -> Case:
    case = case_of(one.item)
    text, rule = f"{one.item.verdict}: {case.text}", case.rule
    if one.exemption:
        text += f"; accepted until {one.exemption.expires}: {one.exemption.reason}"
    outcome = _OUTCOMES[one.standing]
    if one.seen:
        text = f"{one.seen}, predicted {one.item.verdict}"
        rule = "" if outcome is Outcome.PASSED else _PREDICTION.id
    labels = {**case.labels, "policy": "", "about": ""}
    return structs.replace(
        case, outcome=outcome, verdict=one.standing.value, rule=rule, text=text, labels=labels
    )
