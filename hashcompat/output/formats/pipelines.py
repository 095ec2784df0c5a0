"""What pipelines read of findings: ``-o sarif``, ``gitlab``, ``github``, ``junit`` and ``prometheus``.

SARIF and GitLab's report are for code scanning, with the file and line of each finding. A finding keeps its
fingerprint from one run to the next: it is made of its names and its rule, never of a line or a hash. In
SARIF 2.1.0 a finding and what is UNKNOWN are results; what is in order is counted in the run's properties
only. GitLab takes a Code Quality report.

``-o github``: annotations of a GitHub workflow, and a summary of its step. A workflow command is a line, in
whose parts ``%``, line breaks, ``:`` and ``,`` are escaped (docs.github.com, Workflow commands).

``-o junit``: a test case per container or check, as Jenkins' junit-10.xsd describes it. A finding is a
failure and UNKNOWN is skipped, never passed. XML 1.0 cannot hold most control characters, so what nobody
sees is escaped before XML's own escapes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

import hashcompat
from hashcompat.core.model.escape import distinct, printable
from hashcompat.core.model.results import Fact, Making
from hashcompat.core.rules import Rule
from hashcompat.output.formats.documents import escaped, line, to_json, value_text
from hashcompat.output.formats.model import Style, facts_of
from hashcompat.output.report.items import Provenance
from hashcompat.output.report.model import (
    CaseResult,
    Document,
    Findings,
    Headline,
    Report,
    ReportCase,
    Rows,
    judged,
    time_text,
)


class Fingerprints:
    """Makes fingerprints; a finding with the names of an earlier one has its number among these in it."""

    def __init__(self, findings: Findings) -> None:
        self._subject = findings.subject
        self._seen: Counter[bytes] = Counter()

    def of(self, case: ReportCase) -> str:
        """Return 64 hexadecimal digits."""
        names = [self._subject, case.rule, case.group, case.name]
        digest = hashlib.sha256(json.dumps(names).encode())
        number = self._seen[digest.digest()]
        self._seen[digest.digest()] += 1
        # the first has no number, so that it stays the same when another one is added
        if number:
            digest.update(str(number).encode())
        return digest.hexdigest()


_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final[Mapping[CaseResult, tuple[str, str, str]]] = {
    CaseResult.FAILED: ("error", "major", "error"),
    CaseResult.UNDECIDED: ("warning", "minor", "warning"),
    CaseResult.WARNED: ("warning", "minor", "warning"),
    CaseResult.NOTED: ("note", "info", "notice"),
}
"""What SARIF, GitLab and GitHub call the outcomes that are listed."""
_URL: Final = re.compile("[a-z]+://")
_LINK: Final = re.compile(r"\](?=\()")
"""The middle of ``[text](target)``, which a message shows as a link."""


def render_sarif(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the log in pieces; it has one run."""
    if report.findings:
        yield from _log(report.findings(result), report, result, style)


def _log(findings: Findings, report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the log: its run is written key by key, so that its results are made one by one."""
    making = report.provenance(result).making if report.provenance else Making()
    # the run of the program that made the result (SARIF 2.1.0, 3.20), as far as it is known
    made = {"commandLine": making.command, "startTimeUtc": time_text(making.at), "executionSuccessful": True}
    driver = {
        "name": "hashcompat",
        "version": hashcompat.__version__,
        "rules": list(map(_rule, findings.rules())),
    }
    run: Document = {
        "tool": {"driver": driver},
        **({"invocations": [made]} if making.command and making.at else {}),
        "results": Rows(findings.not_passed(), _Results(findings)),
        "columnKind": "unicodeCodePoints",
        "properties": {
            "title": findings.title,
            "totals": dict(findings.totals),
            **findings.more,
            **{fact.key: fact.text for fact in facts_of(report, result)},
            **{name: time_text(time) for name, time in findings.times.items()},
        },
    }
    yield f'{{\n  "$schema": "{_SCHEMA}",\n  "version": "2.1.0",\n  "runs": [\n'
    yield from to_json(run, style.encoding)
    yield "\n  ]\n}\n"


def _rule(rule: Rule) -> Document:
    """Return a rule; its page is in this program, so the address is that of the upstream change."""
    page = f"{rule.meaning} {rule.effect}".rstrip() + f"\nhashcompat rules {rule.id} prints more."
    texts = {"shortDescription": rule.name, "fullDescription": rule.meaning, "help": page}
    address = {"helpUri": rule.links[0]} if rule.links else {}
    return {"id": rule.id, **{key: {"text": _plain(text)} for key, text in texts.items()}, **address}


class _Results:
    """Makes results of cases."""

    def __init__(self, findings: Findings) -> None:
        self._places = {rule.id: number for number, rule in enumerate(findings.rules())}
        self._fingerprints = Fingerprints(findings)

    def __call__(self, case: ReportCase) -> dict[str, Any]:
        place = self._places.get(case.rule)
        return {
            "ruleId": case.rule or "hashcompat",
            **({} if place is None else {"ruleIndex": place}),
            "level": _LEVELS[case.outcome][0],
            "message": {"text": _plain(f"{case.path}: {case.verdict}: {printable(case.text)}")},
            "locations": [_location(case)],
            "partialFingerprints": {"hashcompat/v1": self._fingerprints.of(case)},
            "properties": {
                "verdict": case.verdict,
                **{label: distinct(name) for label, name in case.labels.items()},
            },
        }


def _plain(text: str) -> str:
    """Return a message in which nothing is a link or a placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return _LINK.sub(r"\\\g<0>", text).replace("{", "{{").replace("}", "}}")


def _location(case: ReportCase) -> Document:
    place: Document = {"logicalLocations": [{"name": case.name, "fullyQualifiedName": case.path}]}
    if case.file:
        physical: Document = {"artifactLocation": {"uri": uri(case.file)}}
        if case.line:
            physical["region"] = {"startLine": case.line}
        place = {"physicalLocation": physical, **place}
    return place


def uri(file: str) -> str:
    """Return a file's URI: relative as it was given, absolute with its scheme."""
    if _URL.match(file):
        return quote(file, safe="/:@?&=%~")
    path = quote(PurePath(file).as_posix(), safe="/~", errors="surrogateescape")
    return f"file://{path}" if path.startswith("/") else path


def render_gitlab(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield a list of issues; an empty one where nothing was found."""
    if report.findings:
        findings, lead = report.findings(result), "["
        fingerprints = Fingerprints(findings)
        for case in findings.not_passed():
            issue = {
                "type": "issue",
                "description": f"{case.path}: {case.verdict}: {printable(case.text)}",
                "check_name": case.rule,
                "fingerprint": fingerprints.of(case),
                "severity": _LEVELS[case.outcome][1],
                "location": {
                    # where the pod comes from no file, the path is its namespace and name
                    "path": (distinct(case.file) if case.file else case.group).removeprefix("./"),
                    "lines": {"begin": max(case.line, 1)},
                },
            }
            yield f"{lead}\n  " + value_text(issue, "\n  ", style.encoding)
            lead = ","
        yield "[]\n" if lead == "[" else "\n]\n"


def render_junit(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield one suite; everything but ASCII as references where the encoding is not UTF-8."""
    if report.findings:
        for text in _suite(report.findings(result), facts_of(report, result)):
            yield text if style.encoding == "utf-8" else text.encode("ascii", "xmlcharrefreplace").decode()


def _suite(findings: Findings, facts: Sequence[Fact]) -> Iterator[str]:
    # a suite begins with its totals, so its cases are made twice
    outcomes = Counter(case.outcome for case in findings.cases())
    counts = _attributes(tests=str(outcomes.total()), failures=str(outcomes[CaseResult.FAILED]), errors="0")
    skipped = _attributes(skipped=str(outcomes[CaseResult.UNDECIDED]))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes(name='hashcompat')}{counts}>\n"
    yield f"  <testsuite{_attributes(name=findings.title)}{counts}{skipped}>\n    <properties>\n"
    for name, number in {**findings.totals, **findings.more}.items():
        yield f"      <property{_attributes(name=f'{findings.subject}.{name}', value=str(number))}/>\n"
    times = {name: time_text(time) or "unknown" for name, time in findings.times.items()}
    for name, value in {**times, **{fact.key: fact.text for fact in facts}}.items():
        yield f"      <property{_attributes(name=f'{findings.subject}.{name}', value=value)}/>\n"
    yield "    </properties>\n"
    yield from map(_case, findings.cases())
    yield "  </testsuite>\n</testsuites>\n"


def _case(case: ReportCase) -> str:
    head = f"    <testcase{_attributes(classname=case.group, name=case.name)}"
    lines = [f"{case.verdict}: {printable(case.text)}"]
    lines += [f"{label}: {distinct(name)}" for label, name in case.labels.items() if name]
    if case.file:
        lines.append(f"file: {distinct(case.file)}" + (f":{case.line}" if case.line else ""))
    text = "\n".join(lines)
    if case.outcome is CaseResult.PASSED:
        return f"{head}/>\n"
    if element := {CaseResult.FAILED: "failure", CaseResult.UNDECIDED: "skipped"}.get(case.outcome):
        inner = f"<{element}{_attributes(type=case.rule, message=f'{case.verdict}: {case.text}')}>"
        return f"{head}>\n      {inner}{escape(text)}</{element}>\n    </testcase>\n"
    return f"{head}>\n      <system-out>{escape(text)}</system-out>\n    </testcase>\n"


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(printable(value))}" for name, value in values.items())


_LONGEST: Final = 900_000
"""Bytes of a summary; GitHub shows none of one above 1 MiB."""
_PLAIN: Final = Style()


def render_github(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield a command for each finding."""
    if report.findings:
        yield from (_command(case, style) for case in report.findings(result).not_passed())


def _command(case: ReportCase, style: Style) -> str:
    properties = {"title": f"{case.verdict} {case.rule}".rstrip()}
    if case.file:
        place = {"file": distinct(case.file, style.encoding)}
        properties = {**place, **({"line": str(case.line)} if case.line else {}), **properties}
    parts = ",".join(
        f"{key}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for key, value in properties.items()
    )
    text = printable(f"{case.path}: {case.text}", style.encoding)
    return f"::{_LEVELS[case.outcome][2]} {parts}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def summary_github(report: Report[Any], result: Any) -> Iterator[str]:
    """Yield the step's summary: the totals, and the findings as far as GitHub shows them."""
    if report.findings:
        findings = report.findings(result)
        said = _said(report, result, findings)
        yield f"**{said.word}**: " * bool(said.word) + f"{escaped(said.text, _PLAIN)}\n\n"
        yield f"hashcompat: {escaped(findings.title, _PLAIN)}\n\n"
        yield from _rows(findings)
        more = {name.replace("_", " "): number for name, number in findings.more.items()}
        yield line([escaped(findings.noun, _PLAIN), "number"])
        yield line(["---", "---:"])
        for word, number in {**findings.totals, **more}.items():
            yield line([escaped(word, _PLAIN), str(number)])
        yield "\n"
        for fact in facts_of(report, result):
            yield f"- {fact.name}: {escaped(fact.text, _PLAIN)}\n"


def _said(report: Report[Any], result: Any, findings: Findings) -> Headline:
    """Return what it comes to; of a result that judges nothing, whether something was found."""
    if report.headline:
        return report.headline(result)
    outcomes = Counter(case.outcome for case in findings.cases())
    text = f"{outcomes[CaseResult.FAILED]} of {outcomes.total()} {findings.noun}"
    return judged(text, findings=outcomes[CaseResult.FAILED], undecided=outcomes[CaseResult.UNDECIDED])


def _rows(findings: Findings) -> Iterator[str]:
    """Yield a table of the findings, and how many more there are where it would be too long."""
    left, hidden, head = _LONGEST, 0, [line(["what", "verdict", "rule", "why"]), line(["---"] * 4)]
    for case in findings.not_passed():
        texts = case.path, case.verdict, case.rule, case.text
        row = line([escaped(text, _PLAIN) for text in texts])
        left -= len(row.encode())
        # counted to the end, so that the last line says how many are missing
        if left < 0:
            hidden += 1
            continue
        yield from head
        head = []
        yield row
    if hidden:
        yield f"\n{hidden} more are not shown.\n"
    yield "\n"


# ``-o prometheus``: totals, and a series a finding, for the node exporter's textfile collector.
#
# Source: prometheus.io/docs/instrumenting/exposition_formats, the text format 0.0.4.

_SERIES: Final[Mapping[CaseResult, tuple[str, str]]] = {
    CaseResult.FAILED: ("finding", "How many findings have these names, usually one"),
    CaseResult.UNDECIDED: ("undecided", "How many that are UNKNOWN have these names, usually one"),
}
_LABELS: Final = frozenset({"upgrade", "cluster", "source", "command"})
"""What the info has as labels: not the times, for each run would be a series of its own."""
_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def render_prometheus(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the metrics, each with its help and type before its samples."""
    if report.findings:
        findings = report.findings(result)
        made = report.provenance(result) if report.provenance else None
        for what, about, samples in _metrics(findings, made, style):
            name = f"hashcompat_{findings.subject}_{what}"
            text = distinct(about).replace("\\", r"\\")
            yield f"# HELP {name} {text}\n# TYPE {name} gauge\n"
            yield from (f"{name}{labels} {number}\n" for labels, number in samples.items())


def _metrics(
    findings: Findings, made: Provenance | None, style: Style
) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """Yield metrics, each with its help, and its samples by their labels: two with the same are invalid."""
    # what was judged is a label: help texts are the same in every file that a node has
    labels = {"title": distinct(findings.title), "version": hashcompat.__version__}
    facts = made.facts() if made else ()
    labels |= {fact.key: distinct(fact.text) for fact in facts if fact.key in _LABELS}
    yield "info", "What was judged, and the version of hashcompat", {_labels(labels): 1}
    totals = {_labels({"verdict": verdict}): number for verdict, number in findings.totals.items()}
    yield findings.noun, f"How many {findings.noun} have each verdict", totals
    for what, number in findings.more.items():
        yield what, f"The number of {what.replace('_', ' ')}", {"": number}
    for what, time in _times(findings, made).items():
        if time is not None:
            yield f"{what}_timestamp_seconds", _TIMES[what], {"": int(time.timestamp())}
    for series in findings.series:
        samples: dict[str, int] = {}
        for names, number in series.samples():
            # where names are equal once they are escaped, the first one counts
            shown = {label: distinct(value, style.encoding) for label, value in names.items()}
            samples.setdefault(_labels(shown), number)
        yield series.name, series.about, samples
    for outcome, (name, about) in _SERIES.items():
        # findings with the same names are one sample
        counts = Counter[str]()
        for case in findings.cases():
            if case.outcome is outcome:
                names = {label: distinct(text, style.encoding) for label, text in case.labels.items()}
                counts[_labels({**names, "verdict": case.verdict, "rule": case.rule})] += 1
        if counts:
            yield name, about, counts


_TIMES: Final = {
    "input_taken": "When the input was taken, in Unix seconds",
    "plan_created": "When the plan was created, in Unix seconds",
    "report_made": "When the report was made, in Unix seconds",
    "release_data": "The day of the release data, in Unix seconds",
}


def _times(findings: Findings, made: Provenance | None) -> Mapping[str, datetime | None]:
    """Return when it was taken and made, and of when the release data is, for alerts about their age."""
    times = dict(findings.times)
    if made:
        day = made.making.data_date
        times |= {
            "input_taken": made.origin.taken if made.origin else None,
            "report_made": made.making.at,
            "release_data": datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None,
        }
    return times


def _labels(values: Mapping[str, str]) -> str:
    pairs = (f'{name}="{value.translate(_ESCAPES)}"' for name, value in values.items())
    return f"{{{','.join(pairs)}}}"
