"""``-o prometheus``: totals, and a series a finding, for the node exporter's textfile collector.

Source: prometheus.io/docs/instrumenting/exposition_formats, the text format 0.0.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import hashcompat
from hashcompat.core.model.escape import distinct
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Case, Findings, Outcome, Report
from hashcompat.output.report.provenance import Fact, Provenance

_SERIES: Final[Mapping[Outcome, tuple[str, str]]] = {
    Outcome.FAILED: ("finding", "How many findings have these names, usually one"),
    Outcome.UNDECIDED: ("undecided", "How many that are UNKNOWN have these names, usually one"),
}
_LABELS: Final = frozenset({"upgrade", "cluster", "source", "command"})
"""What the info has as labels: not the times, for each run would be a series of its own."""
_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def render_prometheus(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the metrics, each with its help and type before its samples."""
    if report.findings:
        findings = report.findings(result)
        made = report.provenance(result) if report.provenance else None
        yield from _info(findings, [*made.facts()] if made else [])
        yield from _totals(findings)
        yield from _times(findings, made)
        for outcome, (name, about) in _SERIES.items():
            yield from _series(f"hashcompat_{findings.subject}_{name}", about, findings, outcome, style)


def _info(findings: Findings, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield what was judged as a label: help texts are the same in every file that a node has."""
    name = f"hashcompat_{findings.subject}_info"
    yield from _head(name, "What was judged, and the version of hashcompat")
    labels = {"title": distinct(findings.title), "version": hashcompat.__version__}
    labels.update((fact.key, distinct(fact.text)) for fact in facts if fact.key in _LABELS)
    yield f"{name}{_labels(labels)} 1\n"


def _totals(findings: Findings) -> Iterator[str]:
    name = f"hashcompat_{findings.subject}_{findings.noun}"
    yield from _head(name, f"How many {findings.noun} have each verdict")
    for verdict, number in findings.totals.items():
        yield f"{name}{_labels({'verdict': verdict})} {number}\n"
    for what, number in findings.more.items():
        name = f"hashcompat_{findings.subject}_{what}"
        yield from _head(name, f"The number of {what.replace('_', ' ')}")
        yield f"{name} {number}\n"


def _times(findings: Findings, made: Provenance | None) -> Iterator[str]:
    """Yield when it was taken and made, and of when the release data is, for alerts about their age."""
    times = dict(findings.times)
    if made:
        day = made.making.known
        times |= {
            "input_taken": made.origin.taken if made.origin else None,
            "report_made": made.making.at,
            "release_data": datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None,
        }
    for what, time in times.items():
        if time is not None:
            name = f"hashcompat_{findings.subject}_{what}_timestamp_seconds"
            yield from _head(name, f"The time in seconds since 1970: {what.replace('_', ' ')}")
            yield f"{name} {int(time.timestamp())}\n"


def _series(name: str, about: str, findings: Findings, outcome: Outcome, style: Style) -> Iterator[str]:
    """Yield the samples of one metric; findings with the same names are one sample: two are invalid."""
    samples = Counter(_sample(case, style) for case in findings.cases() if case.outcome is outcome)
    if samples:
        yield from _head(name, about)
    yield from (f"{name}{labels} {number}\n" for labels, number in samples.items())


def _sample(case: Case, style: Style) -> str:
    names = {label: distinct(name, style.encoding) for label, name in case.labels.items()}
    return _labels({**names, "verdict": case.verdict, "rule": case.rule})


def _head(name: str, about: str) -> Iterable[str]:
    text = distinct(about).replace("\\", r"\\")
    return (f"# HELP {name} {text}\n", f"# TYPE {name} gauge\n")


def _labels(values: Mapping[str, str]) -> str:
    pairs = (f'{name}="{value.translate(_ESCAPES)}"' for name, value in values.items())
    return f"{{{','.join(pairs)}}}"
