"""Names of tenants in every format for people: they fake no line, no column and no verdict."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.model.escape import is_visible
from tests.helpers.hostile import NAMES, name_of
from tests.helpers.pods import as_json, pod
from tests.helpers.program import Result, Run, ran, rows_in
from tests.helpers.slices import sliced

pytestmark = pytest.mark.usefixtures("untraced")

UP = ("--from", "1.9.11", "--to", "1.10.0", "-f", "-")
VERDICTS = {"RESTART", "KILL", "KEEP", "UNKNOWN"}
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("plan", *UP, "-v", "--all"),
    "hash": ("hash", "--kubelet", "1.9.11", "-f", "-", "-v"),
    "audit": ("patch", "--audit", "--strategy", "strip", "--kubelet", "1.8.0", "--like", "1.7.16", "-f", "-"),
    "matrix": ("matrix", "--from", "1.9.11", "--to", "1.10.0", "-f", "-"),
}


ROWS: dict[str, tuple[str, ...]] = {"plan": (*COMMANDS["plan"], "--group-by", "none")}
"""The commands whose table has a row for each container only where that is asked for."""


def named(name: str, number: int) -> dict[str, Any]:
    """Return a pod in which all that has a name has this one."""
    fields = {"allowPrivilegeEscalation": True, "runAsUser": 1}
    container = {"name": name, "image": name, name: 1, "securityContext": fields}
    owner = [{"kind": "Job", "name": name, "controller": True}]
    metadata = {"namespace": f"{name}{number}", "ownerReferences": owner}
    return pod(container, name=name, node=name, uid=f"{name}{number}", metadata=metadata)


PODS = as_json(*(named(name, number) for number, name in enumerate(NAMES)))


def assert_plain(result: Result) -> None:
    assert result.code in (0, 2), result.err
    assert {char for char in {*result.out, *result.err} if not is_visible(char)} <= {"\n"}


TABLES = [("plan", "table"), ("plan", "wide"), ("hash", "table"), ("hash", "wide"), ("audit", "table")]


@pytest.mark.parametrize(("command", "form"), TABLES)
def test_a_row_is_a_line_with_a_cell_for_each_column(run: Run, command: str, form: str) -> None:
    argv = ROWS.get(command, COMMANDS[command]) if form == "table" else COMMANDS[command]
    result = run(*argv, "-o", form, stdin=PODS)
    assert_plain(result)
    table = rows_in(result.out) if (command, form) == ("plan", "table") else result.out.splitlines()
    header, *lines = (re.split(" {2,}", line) for line in table)
    assert len(lines) == len(NAMES)
    assert {len(cells) for cells in lines} == {len(header)}
    rows = [dict(zip(header, cells, strict=True)) for cells in lines]
    assert {name_of(row["CONTAINER"]) for row in rows} == {*NAMES}
    assert {name_of(row["POD"]) for row in rows} == {*NAMES}
    assert {row.get("VERDICT", "KEEP") for row in rows} <= VERDICTS


@pytest.mark.parametrize("command", ["plan", "hash"])
def test_awk_finds_the_same_columns(run: Run, command: str) -> None:
    """Up to the first cell of several words."""
    out = run(*ROWS.get(command, COMMANDS[command]), stdin=PODS).out
    header, *lines = rows_in(out) if command in ROWS else out.splitlines()
    place = header.split().index("CONTAINER")
    assert {name_of(line.split()[place]) for line in lines} == {*NAMES}


@pytest.mark.parametrize("command", ["plan", "hash", "audit"])
def test_a_name_is_one_line_and_explain_takes_it(run: Run, command: str) -> None:
    result = run(*COMMANDS[command], "-o", "name", stdin=PODS)
    assert_plain(result)
    lines = result.out.splitlines()
    assert len(lines) == len(NAMES)
    for line in lines[:8] if command == "plan" else ():
        explained = run("explain", *UP, "--", line, stdin=PODS)
        assert_plain(explained)
        assert explained.out.startswith(f"{line}: ")


def test_nothing_invisible_is_in_a_matrix(run: Run) -> None:
    assert_plain(run(*COMMANDS["matrix"], stdin=PODS))


def test_errors_and_warnings_are_single_lines(run: Run) -> None:
    for name in NAMES:
        for argv in (("plan", *UP, "-n", name), ("explain", f"{name}/{name}", *UP), ("rules", name), (name,)):
            result = run(*argv, stdin=as_json(pod()))
            assert result.code in (1, 64)
            assert {char for char in {*result.err} if not is_visible(char)} == {"\n"}
            assert result.err.count("\n") <= 2


@cache
def document(form: str) -> Result:
    return ran(*COMMANDS["plan"], "-o", form, stdin=PODS)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_documents_hold_every_name_unchanged(form: str) -> None:
    result = document(form)
    assert {item["container"] for item in result.items} == {*NAMES}
    assert {char for char in {*result.out} if not is_visible(char)} <= {"\n"}


LOCALES: dict[str, dict[str, str]] = {
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
    "Windows": {"PYTHONIOENCODING": "cp1252:strict"},
    "UTF-16": {"PYTHONIOENCODING": "utf-16"},
    "the C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


def printed(locale: str, *argv: str, stdin: bytes = PODS) -> tuple[int, bytes, bytes]:
    environment = {**os.environ, **LOCALES[locale]}
    command = [sys.executable, "-m", "hashcompat", *argv]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
def test_every_terminal_gets_every_row(locale: str) -> None:
    encoding = LOCALES[locale].get("PYTHONIOENCODING", "ascii").partition(":")[0]
    code, out, err = printed(locale, *ROWS["plan"])
    assert (code, b"Traceback" in err) == (0, False)
    header, *lines = (re.split(" {2,}", line) for line in rows_in(out.decode(encoding)))
    assert {name_of(cells[header.index("CONTAINER")]) for cells in lines} == {*NAMES}
    assert {cells[header.index("VERDICT")] for cells in lines} <= VERDICTS


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("form", sliced(["json", "yaml"], ["json"]))
def test_documents_are_the_same_in_every_locale(locale: str, form: str) -> None:
    code, out, _ = printed(locale, *COMMANDS["plan"], "-o", form)
    assert code == 0
    assert Result(code, out.decode(), "").document == document(form).document


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
def test_exact_text_is_utf_8_in_every_locale(locale: str) -> None:
    show = ("hash", "--kubelet", "1.9.11", "--show-input", "--show-values", "-f", "-")
    code, out, _ = printed(locale, *show, stdin=as_json(pod({"name": "ä中\u202e"})))
    assert (code, "ä中\u202e" in out.decode()) == (0, True)


def test_a_file_s_name_that_is_no_text_is_escaped(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\x1b[2J"
    with open(path, "wb") as file:  # noqa: PTH123 - pathlib takes no bytes
        file.write(as_json({"kind": "Pod"}))
    code, out, err = printed("ASCII", "plan", *UP[:4], "-f", os.fsdecode(path))
    assert (code, out) == (1, b"")
    assert b"/\\udcff\\x1b[2J: $.spec.containers" in err
