"""scripts/outputs/compare.py: which command lines the cases stand for, and what counts as a difference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hashcompat.cli import program
from scripts.lib.commandline import DIFFERENT
from scripts.outputs import compare


def written(directory: Path, **cases: str) -> Path:
    """Write a recording of cases that printed these texts."""
    (directory / "inputs").mkdir(parents=True)
    for name, text in cases.items():
        for suffix, content in (("cmd", f"{name}\n"), ("out", text), ("code", "0\n")):
            (directory / f"{name}.{suffix}").write_text(content)
    return directory


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# a comment\n\nplan {-q|-v}\n", ["plan -q", "plan -v"]),
        ("a {b|} {c|d}\n", ["a b c", "a b d", "a c", "a d"]),
        ("F = -o x|-o y\nplan {$F|-q}\n", ["plan -o x", "plan -o y", "plan -q"]),
        ("patch --source-url {tag}/{path}\n", ["patch --source-url {tag}/{path}"]),
        ("plan {-q|-q}\nplan -q\n", ["plan -q"]),
    ],
)
def test_choices_are_spelt_out(text: str, lines: list[str]) -> None:
    assert compare.command_lines(text) == lines


def test_every_command_is_run_with_success_and_for_its_help() -> None:
    lines = compare.command_lines(compare.CASES.read_text())
    commands = {re.sub("^([A-Z_]+=[^ ]+ )+", "", line).partition(" ")[0] for line in lines}
    assert commands >= set(program._COMMANDS)
    assert {f"{command} --help" for command in program._COMMANDS} <= set(lines)


def test_equal_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (written(tmp_path / name, plan="a\n") for name in ("old", "new"))
    assert compare.diff(old, new, lines=40) == 0
    assert capsys.readouterr().out == "1 cases, 0 differ\n"


def test_each_change_is_shown_once_the_most_frequent_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = written(tmp_path / "old", plan="a\nb\nc\nb\n", hash="b\n", verify="c\n", gone="")
    new = written(tmp_path / "new", plan="A\nb\nc\nB\n", hash="B\n", verify="c\n", come="")
    assert compare.diff(old, new, lines=40) == DIFFERENT
    assert capsys.readouterr().out == (
        "=== 2 cases\nhash\nplan\n--- out\n-b\n+B\n\n"
        "=== 1 case\ngone\nonly in the old recording\n\n"
        "=== 1 case\nplan\n--- out\n-a\n+A\n\n"
        "=== 1 case\ncome\nonly in the new recording\n\n"
        "5 cases, 4 differ\n"
    )


def test_every_output_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (written(tmp_path / name, plan="a\n") for name in ("old", "new"))
    (new / "plan.code").write_text("2\n")
    (new / "plan.file.out.json").write_text("{}")
    assert compare.diff(old, new, lines=40) == DIFFERENT
    shown = capsys.readouterr().out
    assert "--- code\n-0\n+2\n" in shown
    assert "--- file.out.json\n-\n+{}\n" in shown


@pytest.mark.parametrize(
    ("content", "other"),
    [(b"a\n", b"a"), (b"a\r\n", b"a\n"), (b"", b"\n"), (b"a\x0cb", b"a\nb"), (b"\xff", b"\\xff")],
)
def test_every_byte_counts(tmp_path: Path, content: bytes, other: bytes) -> None:
    old, new = (written(tmp_path / name, plan="") for name in ("old", "new"))
    (old / "plan.out").write_bytes(content)
    (new / "plan.out").write_bytes(other)
    assert compare.diff(old, new, lines=40) == DIFFERENT


def test_a_changed_input_is_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (written(tmp_path / name, plan="") for name in ("old", "new"))
    (old / "inputs" / "records.json").write_text("1\n")
    (new / "inputs" / "records.json").write_text("2\n")
    assert compare.diff(old, new, lines=40) == DIFFERENT
    assert "(input) records.json" in capsys.readouterr().out


def test_long_changes_are_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path / "old", plan="".join(f"{number}\n" for number in range(100)))
    new = written(tmp_path / "new", plan="")
    assert compare.diff(old, new, lines=5) == DIFFERENT
    assert "... 96 more" in capsys.readouterr().out


def test_nothing_recorded_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not a recording"):
        compare.diff(written(tmp_path / "old", plan=""), tmp_path / "none", lines=40)
