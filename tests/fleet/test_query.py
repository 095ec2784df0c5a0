"""Questions to the tables: what is answered, and that other engines read the same SQL."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import fsspec  # type: ignore[import-untyped,unused-ignore]
import pytest
import sqlglot

from hashcompat.fleet import ON_REQUEST, TABLES, summary
from tests.fleet.clusters import NEW, cluster, made, save
from tests.helpers.program import ROOT, Run

ENGINES = ("athena", "bigquery", "spark")
EXAMPLES = ROOT / "examples" / "fleet" / "sql"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("fleet")
    save(at / "in", a=cluster(pods=3), b=cluster(pods=1), c=cluster(NEW), bad="{")
    made(at / "in", at / "out", NEW, "1.31.14")
    return at / "out"


EXPECTED = {
    "failing": ("cluster killed", {("a", 3), ("b", 1)}),
    "undecided": ("cluster status", {("bad", "unreadable")}),
    "ready": ("cluster killed", {("c", 0)}),
    "releases": ("running clusters nodes killed", {("v1.7.16", 2, 2, 4), (f"v{NEW}", 1, 1, 0)}),
    "steps": ("from_release to_release clusters", {("v1.7.16", "1.8.15", 2), ("1.8.15", NEW, 2)}),
    "owners": ("owner clusters containers", {("Pod/p0", 2, 2), ("Pod/p1", 1, 1), ("Pod/p2", 1, 1)}),
    "age": ("cluster", {("a",), ("b",), ("bad",), ("c",)}),
}
"""Some columns of each question, and what they hold for the first target."""


@pytest.mark.parametrize("name", EXPECTED)
def test_a_question_is_answered(name: str, out: Path) -> None:
    columns, expected = EXPECTED[name]
    answer = summary.answer(name, str(out))
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    of_target = [row for row in rows if row.get("target", NEW) == NEW]
    assert {tuple(row[column] for column in columns.split()) for row in of_target} == expected


def test_reasons_are_counted_by_clusters(out: Path) -> None:
    answer = summary.answer("reasons", str(out))
    rows = [row for row in answer.rows if row[0] == NEW]
    assert rows
    assert {(row[3], row[4]) for row in rows} == {(2, 4)}
    assert set(summary.questions()) == {"reasons", *EXPECTED}


def test_tables_behind_a_url_give_the_same_answer(out: Path, tmp_path: Path) -> None:
    fsspec.filesystem("memory").put(str(out), f"/{tmp_path.name}/out", recursive=True)
    url = f"memory://{tmp_path.name}/out"
    assert summary.answer("owners", url) == summary.answer("owners", str(out))


def test_the_program_prints_answers_and_sql(run: Run, out: Path) -> None:
    done = run("fleet", "query", "ready", "--out", out)
    assert (done.code, done.out.splitlines()[0].split()) == (
        *(0, ["TARGET", "CLUSTER", "KILLED", "CONTAINERS", "NODES-AFFECTED", "NODES"]),
    )
    assert [NEW, "c", "0"] in [line.split()[:3] for line in done.out.splitlines()]
    rows = json.loads(run("fleet", "query", "failing", "--out", out, "-o", "json").out)
    assert {(row["cluster"], row["killed"]) for row in rows if row["target"] == NEW} == {("a", 3), ("b", 1)}
    assert run("fleet", "query", "ready", "--sql").out == summary.sql("ready")
    listed = run("fleet", "query").out.splitlines()
    assert [line.split()[0] for line in listed] == ["NAME", *summary.questions()]
    assert listed[1].endswith(f"  {summary.questions()['age']}")


def test_a_name_is_one_word_and_a_reason_a_sentence(run: Run, tmp_path: Path) -> None:
    """No name fakes a column or a line of a table."""
    save(tmp_path / "in", **{"a  PASS": cluster(), "b": "{"})
    made(tmp_path / "in", tmp_path / "out")
    lines = run("fleet", "query", "failing", "--out", tmp_path / "out").out.splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["TARGET", "CLUSTER", "KILLED"],
        [NEW, r'"a\x20\x20PASS"', "2"],
    ]
    _, line = run("fleet", "query", "undecided", "--out", tmp_path / "out").out.splitlines()
    assert line.split()[:4] == [NEW, "b", "unreadable", "-"]
    assert "b.json: line 1 column 2: not valid JSON: Expecting property name" in line


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("redy",), 64, "no query 'redy'; there are ready"),
        (("ready",), 64, "--out is missing"),
        (
            ("ready", "--out", "none"),
            1,
            "run.json: No such file or directory; it names the tables, and a run",
        ),
    ],
)
def test_what_cannot_be_asked(words: tuple[str, ...], code: int, says: str, run: Run) -> None:
    done = run("fleet", "query", *words)
    assert (done.code, done.out) == (code, "")
    assert says in done.err


def test_a_run_of_another_version_is_not_asked(tmp_path: Path, run: Run) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    done = run("fleet", "query", "ready", "--out", tmp_path)
    assert (done.code, "run.json is of another version" in done.err) == (1, True)


def test_a_table_that_is_missing_is_named(tmp_path: Path, run: Run) -> None:
    save(tmp_path / "in", a=cluster())
    made(tmp_path / "in", tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "reasons")
    done = run("fleet", "query", "ready", "--out", tmp_path / "out")
    assert (done.code, done.out) == (1, "")
    assert "/reasons/target=" in done.err
    assert "run fleet again" in done.err


@pytest.mark.parametrize("engine", ENGINES)
def test_other_engines_read_the_same_sql(engine: str) -> None:
    """As sqlglot parses their dialects; what it cannot parse it would keep as a command."""
    for name in summary.questions():
        (parsed,) = sqlglot.parse(summary.sql(name), dialect=engine)
        assert isinstance(parsed, sqlglot.exp.Select)
        columns = {
            (column.table, column.name) for column in parsed.find_all(sqlglot.exp.Column) if column.table
        }
        known = {(table, column.name) for table, some in TABLES.items() for column in some}
        assert columns <= known | {(table, "target") for table in TABLES}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_table_is_made_known_to_an_engine(engine: str) -> None:
    text = (EXAMPLES / f"{engine}.sql").read_text()
    # what it does not know it keeps as a command: BigQuery's partition columns
    statements = [
        statement for statement in sqlglot.parse(text.replace("MSCK", "-- MSCK"), dialect=engine) if statement
    ]
    commands = [isinstance(statement, sqlglot.exp.Command) for statement in statements]
    assert any(commands) == (engine == "bigquery")
    text = re.sub("--.*", "", text)
    tables = re.findall(r"(?:TABLE|VIEW) (?:IF NOT EXISTS )?(?:fleet\.)?(\w+)", text)
    assert set(tables) == set(TABLES) - ON_REQUEST
