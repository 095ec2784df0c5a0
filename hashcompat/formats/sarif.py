"""``-o sarif``: findings as SARIF 2.1.0, with the file and line of each where pods come from files.

A finding and what is UNKNOWN are results; what is in order is counted in the run's properties only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

import hashcompat
from hashcompat.formats.fingerprints import Fingerprints
from hashcompat.formats.json import to_json
from hashcompat.formats.model import Style
from hashcompat.model.escape import distinct, printable
from hashcompat.report.model import FOUND, Case, Document, Findings, Outcome, Report, Rows, time_text
from hashcompat.rules import Rule

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


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield the log in pieces; it has one run."""
    if report.findings:
        yield from _log(report.findings(result), style)


def _log(found: Findings, style: Style) -> Iterator[str]:
    """Yield the log: its run is written key by key, so that its results are made one by one."""
    run: Document = {
        "tool": {"driver": _driver(found.rules)},
        "results": Rows(_shown(found), _Results(found)),
        "columnKind": "unicodeCodePoints",
        "properties": {
            "title": found.title,
            "totals": dict(found.totals),
            **found.more,
            **{name: time_text(time) for name, time in found.times.items()},
        },
    }
    yield f'{{\n  "$schema": "{_SCHEMA}",\n  "version": "2.1.0",\n  "runs": [\n'
    yield from to_json(run, style.encoding)
    yield "\n  ]\n}\n"


def _driver(rules: tuple[Rule, ...]) -> Document:
    version = hashcompat.__version__
    return {"name": "hashcompat", "version": version, "rules": list(map(_rule, rules))}


def _rule(rule: Rule) -> Document:
    """Return a rule; its page is in this program, so the address is that of the upstream change."""
    page = f"{rule.meaning} {rule.effect}".rstrip() + f"\nhashcompat rules {rule.id} prints more."
    texts = {"shortDescription": rule.name, "fullDescription": rule.meaning, "help": page}
    address = {"helpUri": rule.links[0]} if rule.links else {}
    return {"id": rule.id, **{key: {"text": _plain(text)} for key, text in texts.items()}, **address}


def _shown(found: Findings) -> Iterator[Case]:
    return (case for case in found.cases() if case.outcome in FOUND)


class _Results:
    """Makes results of cases."""

    def __init__(self, found: Findings) -> None:
        self._places = {rule.id: number for number, rule in enumerate(found.rules)}
        self._fingerprints = Fingerprints(found)

    def __call__(self, case: Case) -> dict[str, Any]:
        place = self._places.get(case.rule)
        return {
            "ruleId": case.rule or _OTHER,
            **({} if place is None else {"ruleIndex": place}),
            "level": _LEVELS[case.outcome],
            "message": {"text": _message(case)},
            "locations": [_location(case)],
            "partialFingerprints": {"hashcompat/v1": self._fingerprints.of(case)},
            "properties": {"verdict": case.verdict, **_labels(case)},
        }


def _labels(case: Case) -> Document:
    return {label: distinct(name) for label, name in case.labels.items()}


def _message(case: Case) -> str:
    return _plain(f"{case.group}/{case.name}: {case.verdict}: {printable(case.text)}")


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
