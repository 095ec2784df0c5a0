"""``-o sarif`` and ``-o gitlab``: findings for code scanning, with the file and line of each.

A finding keeps its fingerprint from one run to the next: it is made of its names and its rule, never of a
line or a hash. In SARIF 2.1.0 a finding and what is UNKNOWN are results; what is in order is counted in the
run's properties only. GitLab takes a Code Quality report.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

import hashcompat
from hashcompat.core.model.escape import distinct, printable
from hashcompat.core.rules import Rule
from hashcompat.output.formats.documents import to_json, value_text
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import FOUND, Case, Document, Findings, Outcome, Report, Rows, time_text


class Fingerprints:
    """Makes fingerprints; a finding with the names of an earlier one has its number among these in it."""

    def __init__(self, findings: Findings) -> None:
        self._subject = findings.subject
        self._seen: Counter[bytes] = Counter()

    def of(self, case: Case) -> str:
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

_LEVELS: Final[Mapping[Outcome, str]] = {
    Outcome.FAILED: "error",
    Outcome.UNDECIDED: "warning",
    Outcome.WARNED: "warning",
    Outcome.NOTED: "note",
}

_OTHER: Final = "hashcompat"
"""The rule of a finding that names none."""

_URL: Final = re.compile("[a-z]+://")

_LINK: Final = re.compile(r"\](?=\()")
"""The middle of ``[text](target)``, which a message shows as a link."""


def render_sarif(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the log in pieces; it has one run."""
    if report.findings:
        yield from _log(report.findings(result), style)


def _log(findings: Findings, style: Style) -> Iterator[str]:
    """Yield the log: its run is written key by key, so that its results are made one by one."""
    run: Document = {
        "tool": {
            "driver": {
                "name": "hashcompat",
                "version": hashcompat.__version__,
                "rules": list(map(_rule, findings.rules())),
            }
        },
        "results": Rows((case for case in findings.cases() if case.outcome in FOUND), _Results(findings)),
        "columnKind": "unicodeCodePoints",
        "properties": {
            "title": findings.title,
            "totals": dict(findings.totals),
            **findings.more,
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

    def __call__(self, case: Case) -> dict[str, Any]:
        place = self._places.get(case.rule)
        return {
            "ruleId": case.rule or _OTHER,
            **({} if place is None else {"ruleIndex": place}),
            "level": _LEVELS[case.outcome],
            "message": {"text": _plain(f"{case.group}/{case.name}: {case.verdict}: {printable(case.text)}")},
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


def _location(case: Case) -> Document:
    group, name = case.group, case.name
    place: Document = {"logicalLocations": [{"name": name, "fullyQualifiedName": f"{group}/{name}"}]}
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


_SEVERITIES: Final[Mapping[Outcome, str]] = {
    Outcome.FAILED: "major",
    Outcome.UNDECIDED: "minor",
    Outcome.WARNED: "minor",
    Outcome.NOTED: "info",
}


def render_gitlab(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield a list of issues; an empty one where nothing was found."""
    if report.findings:
        lead = "["
        for issue in _issues(report.findings(result)):
            yield f"{lead}\n  " + value_text(issue, "\n  ", style.encoding)
            lead = ","
        yield "[]\n" if lead == "[" else "\n]\n"


def _issues(findings: Findings) -> Iterator[Document]:
    fingerprints = Fingerprints(findings)
    for case in findings.cases():
        if case.outcome in FOUND:
            # where the pod comes from no file, the path is its namespace and name
            group, name = case.group, case.name
            yield {
                "type": "issue",
                "description": f"{group}/{name}: {case.verdict}: {printable(case.text)}",
                "check_name": case.rule,
                "fingerprint": fingerprints.of(case),
                "severity": _SEVERITIES[case.outcome],
                "location": {
                    "path": (distinct(case.file) if case.file else case.group).removeprefix("./"),
                    "lines": {"begin": max(case.line, 1)},
                },
            }
