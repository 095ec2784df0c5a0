"""Whatever pods, files and arguments are called, a CI runner obeys no line that the program prints."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashcompat.core.model.escape import distinct, is_obeyed_unescaped, printable, prose, unobeyed, word
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Result, Run, formats_of, ran, read_yaml, reports
from tests.helpers.randomness import FRESH
from tests.helpers.runners import commands

pytestmark = pytest.mark.usefixtures("untraced")

WHITE = (
    "",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\x85",
    "\xa0",
    "\u2003",
    "\u2028",
    "\u2029",
    "\u3000",
    "\x0b",
    "\x1c",
)
HIDDEN = ("\u200b", "\xad", "\u2060", "\ufeff", "\x00", "\x1b[0m", "\ufe0f", "\u202e")
ATTACKS = (
    "##[error]planted",
    "##[add-mask]x",
    "x##[group]y",
    "##vso[task.complete result=Failed;]x",
    "##VSO[task.setvariable variable=a]x",
    "x ##vso[task.complete]",
    "###[error]x",
    "##[stop-commands]##[x]",
    "::error::planted",
    "::set-output name=a::b",
    "#",
    "##",
    "[error]x",
    ":",
    *(f"{white}::error::planted" for white in WHITE),
    *(f"a{white}::error::planted" for white in WHITE),
    *(f"{hidden}::error::p" for hidden in HIDDEN),
    *(
        f"{text[0]}{hidden}{text[1:]}"
        for hidden in HIDDEN
        for text in ("##[error]p", "::error::p", "##vso[a.b]p")
    ),
)


def test_the_rules_find_what_they_must() -> None:
    """Each example is one that the runners themselves obey, or do not."""
    for text in (
        "##[error]x",
        "a ##[x y=z]b",
        "##vso[task.complete]",
        " ::error::x",
        "\u2003::a::",
        "\u200b::a::",
    ):
        assert list(commands(text)) == [text]
    for text in ("::", "a ::error::x", "## [error]x", "##[error", "##", ": :x::"):
        assert list(commands(text)) == []


PARTS = st.sampled_from(
    ["#", "##", "[", "]", ":", "::", "vso", "error", " ", "a.b", "\\", '"', "é", *WHITE, *HIDDEN]
)
TEXTS = st.lists(PARTS, max_size=12).map("".join)


@given(TEXTS, TEXTS)
def test_no_name_becomes_a_command(text: str, other: str) -> None:
    for escape in (printable, distinct, prose, word):
        assert list(commands(f"a {escape(text)}")) == []
    for escape in (distinct, prose, word):
        assert list(commands(escape(text))) == []
    pieces = [printable(text), printable(other), "\n  ", printable(other), printable(text), "\r\n"]
    assert list(commands("".join(unobeyed(pieces)))) == []


@given(TEXTS)
@example("#\u2028::::")
def test_exact_text_that_is_a_command_is_recognized(text: str) -> None:
    assert is_obeyed_unescaped(text) or not list(commands(text))


@given(st.lists(st.text("ab:#[ \n", max_size=6)))
def test_nothing_else_changes(pieces: list[str]) -> None:
    text = "".join(pieces)
    shown = "".join(unobeyed(pieces))
    assert shown.replace(r"\x23", "#").replace(r"\x3a", ":") == text
    assert list(commands(text)) or shown == text or "##" in text or "::" in text


# The program


def planted(name: str, number: int) -> dict[str, Any]:
    """Return a pod in which all that may have a name has this one."""
    container: dict[str, Any] = {"name": name, "image": name, "env": [{"name": name, "value": name}], name: 1}
    container |= {"command": [name, f"x\n{name}"], "securityContext": {"allowPrivilegeEscalation": True}}
    metadata = {"namespace": f"{name}{number}", "labels": {name: name}, "annotations": {name: name}}
    owner = [{"kind": "ReplicaSet", "name": name, "controller": True}]
    more = {"uid": f"u{number}", "ownerReferences": owner}
    return pod(container, name=name, node=name, metadata={**metadata, **more})


SHOWN = ATTACKS[:: 1 if FRESH else 3]
PODS = as_json(*(planted(name, number) for number, name in enumerate(SHOWN)), node("v1.9.11", "##[error]n"))
NODE = as_json(*(node("v1.31.0", name) for name in SHOWN))
UP = ("--from", "1.9.11", "--to", "1.10.0", "-f", "-", "--keep-going")
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("plan", *UP, "-v", "--all"),
    "gate": ("gate", *UP, "--max-per-owner=0", "--max-per-node=0"),
    "impact": ("impact", *UP, "--all-budgets"),
    "matrix": ("matrix", "--from", "1.9.11", "--to", "1.10.0", "-f", "-"),
    "hash": ("hash", "--kubelet", "1.9.11", "-f", "-", "-v"),
    "patch": ("patch", "--audit", "--strategy=strip", "--kubelet=1.8.0", "--like=1.7.16", "-f", "-"),
    "explain": ("explain", "##[error]planted0/##[error]planted", *UP[:-1], "--show-values"),
    "preflight": ("preflight", "--to=1.31.14", "--no-node", "-f", "-"),
}
MEANT = ("::error file=-,title=", "::error title=", "::warning title=", "::notice title=")


@cache
def printed(command: str) -> tuple[dict[str, str], Result]:
    """Return a command's reports, by their format, and what went to stdout and stderr."""
    forms = formats_of(COMMANDS[command][0])
    with tempfile.TemporaryDirectory() as place:
        stdin = NODE if command == "preflight" else PODS
        result = ran(*COMMANDS[command], *reports(Path(place), forms), stdin=stdin)
        assert result.code in (0, 2, 3), result.err
        names = [form.partition("=")[0] for form in forms]
        return {name: (Path(place) / name).read_bytes().decode() for name in names}, result


FORMS = [
    (command, form.partition("=")[0]) for command in COMMANDS for form in formats_of(COMMANDS[command][0])
]


@pytest.mark.parametrize(("command", "form"), FORMS)
def test_no_line_of_a_report_is_a_command(command: str, form: str) -> None:
    files, result = printed(command)
    lines = [line for text in (files[form], result.out, result.err) for line in commands(text)]
    assert [line for line in lines if form != "github" or not line.startswith(MEANT)] == []
    assert not [line for line in lines if "##[" in line or "##vso[" in line]


@pytest.mark.parametrize("command", ["plan", "gate", "hash", "impact"])
def test_documents_hold_what_was_planted(command: str) -> None:
    files, _ = printed(command)
    document = json.loads(files["json"])
    assert read_yaml(files["yaml"]) == document
    assert "##[error]planted" in json.dumps(document)


def test_a_snapshot_holds_names_unchanged(run: Run) -> None:
    result = run("snapshot", "-f", "-", stdin=as_json(planted("##[error]x", 0)))
    assert list(commands(result.out + result.err)) == []
    assert '"##[error]x"' in json.dumps(result.document)


@pytest.mark.parametrize(
    "name", ["##[error]x", "::error::x", " ::error::x", "a\n::error::x", "##vso[task.complete]x"]
)
def test_errors_and_usage_errors_are_no_commands(run: Run, tmp_path: Path, name: str) -> None:
    broken = tmp_path / name
    broken.write_text("{")
    for argv in (
        ("plan", *UP[:4], "-f", broken),
        ("plan", *UP[:4], "-f", name),
        ("plan", *UP, "-n", name),
        ("plan", *UP, "-o", f"custom-columns={name}"),
        ("plan", *UP, "-o", f"jsonpath={name}{{.kind}}"),
        ("plan", *UP, "--report", f"{name}={name}"),
        ("explain", f"{name}/{name}", *UP),
        ("rules", name),
        (name,),
        (f"--{name}",),
    ):
        result = run(*argv, stdin=as_json(pod()))
        assert list(commands(result.out + result.err)) == [], argv


def test_exact_text_is_refused_and_shown_in_json(run: Run, tmp_path: Path) -> None:
    words = ("hash", "--kubelet", "1.9.11", "--show-input", "--show-values", "-f", "-")
    hostile = as_json(pod({"name": "a", "command": ["##[error]x"]}))
    result = run(*words, stdin=hostile)
    assert (result.code, result.out) == (1, "")
    assert "is a command for CI runners" in result.err
    whole = run(*words, "-o", "json", stdin=hostile)
    assert (whole.code, list(commands(whole.out))) == (0, [])
    saved = run(*words, "--report", f"table={tmp_path / 'exact'}", "-o", "json", stdin=hostile)
    assert saved.code == 0
    assert "##[error]x" in (tmp_path / "exact").read_text()
    assert run(*words, stdin=as_json(pod({"name": "a", "command": ["# [error] x::y"]}))).code == 0
