"""Every format of every result shows the numbers of its JSON, and fits the schema of its own kind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
import xmlschema

from hashcompat.output.formats import FORMATS
from tests.cli.test_exit_codes import FULL, RESTARTS, SAME, UP
from tests.fleet.clusters import NEW as FLEET_TO
from tests.fleet.clusters import cluster, save
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.readback import (
    commands,
    csv_cells,
    html_cells,
    markdown_cells,
    page,
    samples,
    suite,
    words_of,
)
from tests.helpers.upgrades import record

pytestmark = pytest.mark.usefixtures("untraced")

SCHEMAS = Path(__file__).resolve().parents[1] / "helpers" / "schemas"
SARIF: dict[str, Any] = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text())
GITLAB: dict[str, Any] = json.loads((SCHEMAS / "gitlab-code-quality.schema.json").read_text())

LEVELS = {
    "RESTART": "error",
    "KILL": "error",
    "ERROR": "error",
    "DIFFERS": "error",
    "FAIL": "error",
    "VIOLATION": "error",
    "HIT": "error",
    "UNKNOWN": "warning",
    "UNDECIDED": "warning",
    "WARN": "warning",
    "INFO": "note",
    **dict.fromkeys(("ALLOWED", "EXCEPTED", "BASELINE"), "note"),
}
"""The verdicts that are findings for other programs, of every result, with their level in SARIF."""

QUIET = {"WARN", *(word for word, level in LEVELS.items() if level == "note")}
"""The verdicts that metrics count in totals alone."""

JUNIT = {"error": "failure", "UNKNOWN": "skipped", "UNDECIDED": "skipped"}

PODS = as_json(
    pod(name="a"),
    pod(name="done", status={"phase": "Succeeded"}),
    pod({"name": "x", "args": "no list"}, name="b"),
    pod(name="web", spec={"initContainers": [{"name": "s", "image": "i"}]}),
)


@dataclass(frozen=True)
class Case:
    """One result: how it is made, and the verdict of each row that its document has."""

    argv: tuple[str, ...]
    stdin: bytes
    verdict: str
    """The key of an item in which its verdict is; empty where every item is one finding."""
    word: str = ""
    """The verdict of an item that has none in it."""


AUDIT = ("patch", "--audit", "--kubelet", "1.9.11", "--like", "1.7.16", "--sample")
PLAN = ("plan", *UP, "-f", "-", "--keep-going")
RESULTS: dict[str, Case] = {
    "plan": Case(PLAN, PODS, "verdict"),
    "plan --only-restarts": Case((*PLAN, "--only-restarts"), PODS, "verdict"),
    "plan --no-hashes": Case((*PLAN, "--no-hashes"), PODS, "verdict"),
    "plan --sample": Case(("plan", "--from", "1.13.12", "--to", "1.14.10", "--sample"), b"", "verdict"),
    "a plan without findings": Case(("plan", *SAME, "-f", "-"), RESTARTS, "verdict"),
    "preflight": Case(("preflight", "--to", "1.31.14", "--no-node", "-f", "-"), FULL, "status"),
    "preflight of two": Case(
        ("preflight", "--to", "1.31.14", "--no-node", "-f", "-"),
        as_json(node("v1.31.0"), node("v1.20.0", "n2")),
        "status",
    ),
    "audit": Case(AUDIT, b"", "", "HIT"),
    "golden data that differ": Case(("verify", "TAMPERED"), b"", "", "DIFFERS"),
    "golden data": Case(("verify", "GOLDEN"), b"", "", "DIFFERS"),
    "records": Case(
        ("verify", "--recorded", "RECORDS", "--kubelet", "1.9.11", "-f", "-"), RESTARTS, "problem"
    ),
    "convert": Case(("convert", "PLAN"), b"", "verdict"),
    "gate": Case(("gate", "--plan", "PLAN"), b"", "standing"),
    "a gate that holds": Case(("gate", "--plan", "PLAN", "--baseline", "PLAN"), b"", "standing"),
    "fleet": Case(
        ("fleet", "FLEET", "--to", f"{FLEET_TO},1.8", "--out", "TABLES", "--workers", "0"), b"", "verdict"
    ),
    "a gate within limits": Case(("gate", *UP, "-f", "-", "--max-restarts", "100%"), RESTARTS, "standing"),
}
"""Every result that has findings."""


@pytest.fixture
def places(run: Run, golden: Path, tmp_path: Path) -> dict[str, str]:
    """Return golden data that agree and differ, records of each kind, and a saved plan."""
    tampered = tmp_path / "tampered"
    (tampered / "inputs").mkdir(parents=True)
    (tampered / "inputs" / "a.json").write_text('{"about": "", "source": "api", "container": {}}')
    (tampered / "1.9.11").mkdir()
    (tampered / "1.9.11" / "HASHES").write_text("1  a\n")
    (tampered / "1.9.11" / "a.txt").write_text("x")
    records, plan = tmp_path / "records.json", tmp_path / "plan.json"
    records.write_text(json.dumps({"containers": [record(7), record(8, "gone")]}))
    run(*PLAN, "-q", "--out", plan, stdin=PODS)
    clusters = save(tmp_path / "clusters", a=cluster(), b=cluster(FLEET_TO), c=cluster("1.20.0"), bad="{")
    return {
        "GOLDEN": str(golden),
        "TAMPERED": str(tampered),
        "RECORDS": str(records),
        "PLAN": str(plan),
        "FLEET": str(clusters),
        "TABLES": str(tmp_path / "tables"),
    }


def verdicts(case: Case, document: Any) -> Counter[str]:
    """Return how many rows of each verdict a document has."""
    if document["kind"] == "VerifyResult":
        return Counter({case.word: sum(len(item["mismatches"]) for item in document["items"])})
    if document["kind"] == "GateReport":
        return Counter(row["outcome"] for row in document["checks"]) + Counter(
            item[case.verdict] for item in document["items"]
        )
    words = {"differs": "DIFFERS"} if document["kind"] == "CalibrationResult" else {}
    other = "UNDECIDED" if words else ""
    values = (str(item[case.verdict]) if case.verdict else case.word for item in document["items"])
    return Counter(words.get(word, other or word) for word in values)


def totals(document: Any) -> dict[str, int]:
    """Return the numbers by verdict that a document's summary has, where it has one."""
    words = ("restart", "kill", "keep", "unknown", "ERROR", "UNKNOWN", "WARN", "INFO", "OK")
    summary = cast("Mapping[str, int]", document.get("summary", {}))
    return {word.upper(): summary[word] for word in words if word in summary}


def reported(run: Run, tmp_path: Path, case: Case, places: dict[str, str]) -> dict[str, str]:
    """Return what one run writes in every format."""
    forms = ("json", "csv", "markdown", "junit", "sarif", "github", "gitlab", "prometheus", "name", "html")
    directory = tmp_path / "reports"
    directory.mkdir()
    words = [word for form in forms for word in ("--report", f"{form}={directory / form}")]
    result = run(*(places.get(word, word) for word in case.argv), *words, stdin=case.stdin)
    assert result.code in (0, 2, 3), result.err
    return {form: (directory / form).read_bytes().decode() for form in forms}


@pytest.mark.parametrize("name", RESULTS)
def test_the_numbers_are_those_of_the_document(
    run: Run, tmp_path: Path, places: dict[str, str], name: str
) -> None:
    case = RESULTS[name]
    texts = reported(run, tmp_path, case, places)
    document = json.loads(texts["json"])
    rows = verdicts(case, document)
    findings = Counter({word: number for word, number in rows.items() if word in LEVELS and number})
    folded = len(folds(document)) if "groups" in document else rows.total()
    assert_tables(texts, rows.total(), folded)
    assert_page(texts, folded, totals(document))
    assert_sarif(texts["sarif"], findings, totals(document))
    assert_gitlab(texts["gitlab"], findings)
    assert_github(texts["github"], findings)
    assert_junit(texts["junit"], findings, rows, totals(document))
    assert_metrics(texts["prometheus"], findings, totals(document))


def folds(document: Any) -> set[tuple[str, ...]]:
    """Return what differs among the items of a document besides their nodes."""
    return {tuple(text for key, text in row.items() if key != "node") for row in document["items"]}


def assert_tables(texts: dict[str, str], number: int, folded: int) -> None:
    assert len(csv_cells(texts["csv"])) - 1 == number
    assert len([row for row in markdown_cells(texts["markdown"]) if row]) - 1 == folded
    if folded != number:
        return
    cells = [[cell.replace("\\", "") for cell in row] for row in csv_cells(texts["csv"])]
    assert [row[0] for row in cells] == [
        row[0].replace("\\", "") for row in markdown_cells(texts["markdown"])
    ]


def assert_page(texts: dict[str, str], number: int, counts: dict[str, int]) -> None:
    """The rows are those of the other tables, and what a plan counts is that of its document."""
    text, kind = texts["html"], json.loads(texts["json"])["kind"]
    is_plan = kind == "RestartPlan"
    if kind == "FleetReport":  # a row is a cluster, with a cell for each target
        items = json.loads(texts["json"])["items"]
        assert len(html_cells(text, "clusters")) - 1 == len({item["source"] for item in items})
        return
    rows = html_cells(text, "containers" if is_plan else "rows")
    policy = html_cells(text, "policy")[1:] if kind == "GateReport" else []
    assert len(policy) + len(rows) - 1 == number
    if is_plan:
        names = [(row[1], row[2], row[3], row[4]) for row in rows[1:]]
        assert sorted(names) == sorted(
            (row[0], row[1], row[2], row[3]) for row in csv_cells(texts["csv"])[1:]
        )
        order = ("KILL", "RESTART", "UNKNOWN", "KEEP")  # nothing that is kept precedes a finding
        assert [row[0] for row in rows[1:]] == sorted((row[0] for row in rows[1:]), key=order.index)
        options = [
            words_of(element) for element in page(text).iter("li") if "count-" in element.get("class", "")
        ]
        never = json.loads(texts["json"])["summary"]["notCompared"]  # kept, and no part of a page's counts
        wanted = {**counts, "KEEP": counts["KEEP"] - never}
        assert {words.split()[1]: int(words.split()[0]) for words in options} == wanted


def assert_sarif(text: str, findings: Counter[str], counts: dict[str, int]) -> None:
    log = json.loads(text)
    jsonschema.Draft4Validator(SARIF).validate(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert Counter(result["properties"]["verdict"] for result in run["results"]) == findings
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] == LEVELS[result["properties"]["verdict"]]
    assert not counts or run["properties"]["totals"] == counts
    prints = [result["partialFingerprints"]["hashcompat/v1"] for result in run["results"]]
    assert len({*prints}) == len(prints)


def assert_gitlab(text: str, findings: Counter[str]) -> None:
    issues = json.loads(text)
    jsonschema.Draft202012Validator(GITLAB).validate(issues)
    severities = {"error": "major", "warning": "minor", "note": "info"}
    assert Counter(issue["severity"] for issue in issues) == levels(findings, severities)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def assert_github(text: str, findings: Counter[str]) -> None:
    words = {"error": "error", "warning": "warning", "note": "notice"}
    assert Counter(command for command, _, _ in commands(text)) == levels(findings, words)


def levels(findings: Counter[str], words: dict[str, str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for verdict, number in findings.items():
        counts[words[LEVELS[verdict]]] += number
    return counts


@cache
def junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))


def assert_junit(text: str, findings: Counter[str], rows: Counter[str], counts: dict[str, int]) -> None:
    junit_schema().validate(text)
    cases = suite(text)
    results = Counter(type(result).__name__ for case in cases for result in case.result)
    failed = sum(number for word, number in findings.items() if LEVELS[word] == "error")
    skipped = sum(findings[word] for word in ("UNKNOWN", "UNDECIDED"))
    assert (results["Failure"], results["Skipped"]) == (failed, skipped)
    assert len(cases) >= max(rows.total(), 1)
    if counts:
        assert len(cases) == rows.total()
        for word, number in counts.items():
            assert f'.{word}" value="{number}"/>' in text


def assert_metrics(text: str, findings: Counter[str], counts: dict[str, int]) -> None:
    series: Counter[str] = Counter()
    for sample in samples(text):
        if sample.name.endswith(("_finding", "_undecided")):
            series[sample.labels["verdict"]] += int(sample.value)
    assert series == Counter({word: number for word, number in findings.items() if word not in QUIET})
    (name,) = {sample.name for sample in samples(text) if [*sample.labels] == ["verdict"]}
    shown = {sample.labels["verdict"]: int(sample.value) for sample in samples(text) if sample.name == name}
    assert not counts or shown == counts


def test_every_result_with_findings_is_compared() -> None:
    """One more command or format needs a row here: each of these formats shows what has findings."""
    from hashcompat.output.report.registry import REPORTS

    kinds = {report.kind for report in REPORTS.values() if report.findings}
    others = {"VerifyResult", "CalibrationResult", "PatchAudit"}
    assert kinds == {"RestartPlan", "GateReport", "PreflightReport", "FleetReport"} | others
    tools = {name for name, form in FORMATS.items() if not any(form.shows(REPORTS[kind]) for kind in plain())}
    assert tools == {"junit", "sarif", "github", "gitlab", "prometheus"}


def plain() -> list[type]:
    """Return the results that have no findings."""
    from hashcompat.output.report.registry import REPORTS

    return [kind for kind, report in REPORTS.items() if not report.findings]


def test_the_schemas_refuse_what_is_wrong(run: Run) -> None:
    log = json.loads(run(*PLAN, "-q", "-o", "sarif", stdin=PODS).out)
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not jsonschema.Draft4Validator(SARIF).is_valid(log)
    issues = json.loads(run(*PLAN, "-q", "-o", "gitlab", stdin=PODS).out)
    issues[0]["severity"] = "bad"
    assert not jsonschema.Draft202012Validator(GITLAB).is_valid(issues)
    suites = run(*PLAN, "-q", "-o", "junit", stdin=PODS).out
    assert not junit_schema().is_valid(suites.replace("failures=", "bugs="))
