"""Names that are made to break a format: each report has the planted rows and verdicts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.model.escape import distinct, is_visible
from tests.helpers.hostile import NAMES, name_of
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run, formats_of, ran, reports
from tests.helpers.readback import OF_FINDINGS, READERS, csv_cells, markdown_cells, suite, unescaped
from tests.helpers.runners import commands

pytestmark = pytest.mark.usefixtures("untraced")

BREAKERS = (
    *NAMES,
    "|",
    "a|b|KEEP|",
    "<script>alert(1)</script>",
    "<!--",
    "&lt;b&gt;",
    "]]>",
    "<![CDATA[x]]>",
    '"/><testcase name="x"/>',
    "=cmd()",
    "=1+1|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "＝1",
    "\t=1",
    "\r=1",
    "'=1",
    '","KEEP","',
    "a,b;c",
    "`code`",
    "*bold* _it_ ~~no~~ $x$",
    "[text](https://example.org)",
    "www.example.org",
    "<https://example.org>",
    "# title",
    "---",
    "::error::planted",
    "::error file=a,line=1::planted",
    " ::error::planted",
    "##[error]planted",
    "a ##vso[task.complete result=Failed;]",
    "\\##[error]",
    "a%0A::error::planted",
    "%25",
    "a:b,c=d",
    "\u202ereversed\u202c",
    "\u05d0\u05d1 KEEP",
    "{0} {{1}}",
    "{.kind}",
    '{"verdict": "KEEP"}',
    "} 1\nhashcompat_plan_finding",
    'x",verdict="KEEP',
    "\ud83d\ude00",
    "x" * 1000,
    *(chr(code) for code in range(0x20)),
    "\x7f",
    "\x85",
    "\ufffe",
    "\ufffd",
)
"""Names that a pod may have in a file; a lone surrogate there is read as U+FFFD."""

VERDICTS = ("RESTART", "KEEP", "UNKNOWN")
UP = ("--from", "1.31.14", "--to", "1.32.13", "-f", "-", "--keep-going", "-q")


def planted(name: str, number: int) -> dict[str, Any]:
    """Return a pod in which all that has a name has this one; its verdict depends on the number."""
    container: dict[str, Any] = {"name": name, "image": name}
    if VERDICTS[number % 3] == "UNKNOWN":
        container["args"] = "not a list"
    labels = {name: name}
    owner = [{"kind": "Job", "name": name, "controller": True}]
    metadata = {"namespace": f"{name}{number}", "labels": labels, "annotations": labels}
    more = {"uid": f"u{number}", "ownerReferences": owner}
    status = {"phase": "Succeeded"} if VERDICTS[number % 3] == "KEEP" else {}
    spec = {"initContainers": [container], "containers": [container]}
    return pod(container, name=name, node=name, metadata={**metadata, **more}, spec=spec, status=status)


PODS = as_json(*(planted(name, number) for number, name in enumerate(BREAKERS)), node("v1.31.14"))


FORMS = (*READERS, "table", "wide", "name", "summary", "slack", "teams")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the plan in each format, of one run: ``test_reports.py`` compares files with what is printed."""
    place = tmp_path_factory.mktemp("reports")
    result = ran("plan", *UP, *reports(place, FORMS), stdin=PODS)
    assert result.code == 0, result.err
    return {form: (place / form.partition("=")[0]).read_bytes().decode() for form in FORMS}


def expected(document: str, form: str) -> Counter[tuple[tuple[str, ...], str]]:
    items = json.loads(document)["items"]
    shown = [item for item in items if form not in OF_FINDINGS or item["verdict"] != "KEEP"]
    keys = ("namespace", "pod", "container")
    rows = [(tuple(item[key] for key in keys), item["verdict"]) for item in shown]
    return Counter(rows)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.partition("=")[0])
def test_the_rows_and_verdicts_are_the_planted_ones(texts: dict[str, str], form: str) -> None:
    text = texts[form]
    if form in READERS:
        wanted = expected(texts["json"], form)
        assert Counter(READERS[form](text)) == wanted
        names = {name for row, _ in wanted for name in row[1:]}
        assert form in OF_FINDINGS or names == {*BREAKERS} - {"\ud83d\ude00"} | {"\U0001f600"}
    hidden = {char for char in {*text} if not is_visible(char)}
    assert hidden <= ({"\r", "\n"} if form == "csv" else {"\n"})
    assert_only_meant_commands(form, text)


def assert_only_meant_commands(form: str, out: str) -> None:
    """A runner of GitHub reads every line of a step, whatever printed it."""
    lines = list(commands(out))
    assert (len(lines) > 0) == (form == "github")
    assert [line for line in lines if not line.startswith(("::error title=", "::warning title="))] == []


def test_no_format_is_left_out() -> None:
    tried = {form.partition("=")[0] for form in FORMS}
    assert tried == {form.partition("=")[0] for form in formats_of("plan")}


@pytest.mark.parametrize("name", ["::error::x", "=cmd()", "]]>", "\x1b[2J", "|", "<script>"])
def test_checks_of_a_node_with_such_a_name_are_shown_too(run: Run, tmp_path: Path, name: str) -> None:
    files = {form: tmp_path / form for form in (*OF_FINDINGS, "junit", "csv", "markdown")}
    reports = [word for form, path in files.items() for word in ("--report", f"{form}={path}")]
    words = ("preflight", "--to", "1.31.14", "--no-node", "-f", "-", "-q", *reports)
    result = run(*words, stdin=as_json(node("v1.31.0", name)))
    assert result.code in (0, 2, 3), result.err
    texts = {form: path.read_bytes().decode() for form, path in files.items()}
    assert {char for text in texts.values() for char in {*text} if not is_visible(char)} <= {"\r", "\n"}
    assert {row[0] for row in csv_cells(texts["csv"])[1:]} == {distinct(name)}
    assert {unescaped(row[0]) for row in markdown_cells(texts["markdown"])[1:]} == {name}
    assert {name_of(case.classname) for case in suite(texts["junit"])} == {name}


@pytest.mark.parametrize("name", ["::error::x", "=cmd()", "]]>", "\x1b[2J", "|", "<script>"])
def test_a_gate_over_such_names_is_shown_in_every_format(tmp_path: Path, name: str) -> None:
    forms = formats_of("gate")
    words = ("gate", "--from", "1.8.15", "--to", "1.9.11", "--max-per-owner", "0", "--max-per-node", "0")
    result = ran(*words, "-f", "-", "-q", *reports(tmp_path, forms), stdin=as_json(planted(name, 0)))
    assert result.code == 2, result.err
    texts = {form: (tmp_path / form.partition("=")[0]).read_bytes().decode() for form in forms}
    for form, text in texts.items():
        assert {char for char in {*text} if not is_visible(char)} <= (
            {"\r", "\n"} if form == "csv" else {"\n"}
        )
        assert_only_meant_commands(form, text)
    assert {distinct(name)} <= {cell for row in csv_cells(texts["csv"])[1:] for cell in row}
    assert name in {unescaped(cell) for row in markdown_cells(texts["markdown"])[1:] for cell in row}
    assert name in {name_of(case.classname) for case in suite(texts["junit"])} | {
        name_of(case.name) for case in suite(texts["junit"])
    }
    assert "<script>" not in texts["html"].partition("<body")[2].partition("<script")[0]
