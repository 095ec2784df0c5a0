"""``scripts/regenerate.py``: what it makes, what it compares, and what its exit code says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts import build, regenerate
from scripts.golden import checkpoints
from scripts.lib.generated import Generated
from scripts.lib.gotool import GoError
from tests.helpers.program import ROOT

MADE = {Path("made", "one.txt"): b"one", Path("made", "two.txt"): b"two"}


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generated:
    """Let ``docs`` be two files of a directory that is empty so far."""
    made = Generated(lambda: MADE, owned=("made/*.txt",), root=tmp_path)
    monkeypatch.setattr(regenerate, "generated", {"docs": made}.__getitem__)
    return made


def test_what_needs_no_go_is_up_to_date_and_the_command_is_run_as_the_readme_says() -> None:
    """That the pages are up to date too, ``test_docs.py`` says."""
    done = subprocess.run(
        [sys.executable, "scripts/regenerate.py", "--check", "performance", "sample"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (
        0,
        "sample: identical\nperformance: identical\n",
    ), done.stderr


def test_it_is_run_from_any_directory(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "regenerate.py"), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [name for name in regenerate.CHOICES if f"\n  {name} " not in done.stdout] == []


def test_check_names_what_differs_and_writes_nothing(
    generated: Generated, capsys: pytest.CaptureFixture[str]
) -> None:
    generated.write({**MADE, Path("made", "old.txt"): b""})
    (generated.root / "made" / "one.txt").write_text("other")
    (generated.root / "made" / "two.txt").unlink()
    assert regenerate.main(["--check", "docs"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "docs: stale    made/old.txt",
        "docs: changed  made/one.txt",
        "docs: missing  made/two.txt",
    ]
    assert (generated.root / "made" / "one.txt").read_text() == "other"


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (b'{"case": "a", "hash": 1}\n{"case": "c", "hash": 3}\n{"case": "d"}\n', [": b", ": c", ": d"]),
        (b'{"case": "b"}\n{"case": "a", "hash": 1}\n', [": b", ": c"]),
        (b'{"case": "b", "hash": 2}\n{"case": "a", "hash": 1}\n{"case": "c", "hash": 2}\n', [""]),
        (b'{"name": "a"}\n', [""]),
        (b"a\n", [""]),
        (b"[]\n", [""]),
    ],
    ids=[
        "three cases",
        "one changed and one missing",
        "the order alone",
        "no cases",
        "no JSON",
        "no objects",
    ],
)
def test_a_golden_file_that_differs_is_named_with_its_cases(
    tmp_path: Path, made: bytes, named: list[str]
) -> None:
    path = Path("golden", "1.9.11.jsonl")
    generated = Generated(lambda: {path: made}, owned=("golden/*",), root=tmp_path)
    committed = '{"case": "a", "hash": 1}\n{"case": "b", "hash": 2}\n{"case": "c", "hash": 2}\n'
    generated.write({path: committed.encode()})
    assert generated.check() == [f"changed  {path}{name}" for name in named]


def test_without_check_files_are_written_and_stale_ones_deleted(
    generated: Generated, capsys: pytest.CaptureFixture[str]
) -> None:
    (generated.root / "made").mkdir()
    (generated.root / "made" / "old.txt").touch()
    (generated.root / "made" / "by-hand.md").touch()
    assert regenerate.main(["docs"]) == 0
    assert sorted(path.name for path in (generated.root / "made").iterdir()) == [
        "by-hand.md",
        "one.txt",
        "two.txt",
    ]
    assert regenerate.main(["docs"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "docs: identical"


def test_a_hand_written_file_that_does_not_agree_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Generated(lambda: MADE, ("made/*.txt",), problems=lambda: ["no row for three"], root=tmp_path)
    monkeypatch.setattr(regenerate, "generated", {"docs": made}.__getitem__)
    assert regenerate.main(["docs"]) == 2
    assert regenerate.main(["--check", "docs"]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == "docs: no row for three"


def test_what_cannot_be_made_is_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> Mapping[Path, bytes]:
        raise GoError("go is not installed")

    monkeypatch.setattr(regenerate, "generated", {"docs": Generated(broken, (), root=tmp_path)}.__getitem__)
    assert regenerate.main(["--check", "docs"]) == 1
    assert "docs: go is not installed" in capsys.readouterr().err


@pytest.mark.parametrize("script", [regenerate, build])
def test_an_unknown_name_is_a_usage_error(script: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        script.main(["docks"])  # type: ignore[attr-defined]
    assert ended.value.code == 64
    assert "no such name: docks; there are" in capsys.readouterr().err


@pytest.mark.parametrize("name", regenerate.CHOICES)
def test_every_generated_set_owns_the_files_that_are_committed(name: str) -> None:
    """A glob that matches nothing would never find a stale file."""
    made = regenerate.generated(name)
    assert [pattern for pattern in made.owned if not list(ROOT.glob(pattern))] == []


def test_of_several_missing_containers_the_same_one_is_named() -> None:
    """The kubelet names whichever it meets first in a map."""
    text, error = '{"entries": {"b1": "2", "a1": "3", "c1": "4"}}', "containerID '{}' not found in the list"
    assert {checkpoints.settled(error.format(name), text, {"a1": []}) for name in ("b1", "c1")} == {
        error.format("b1")
    }
    assert checkpoints.settled("checkpoint is corrupted", "{", {}) == "checkpoint is corrupted"


@pytest.mark.parametrize("name", build.CHOICES)
def test_every_program_has_its_sources(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in the repository, or written when the program is built; to describe it needs no Go."""
    monkeypatch.setenv("PATH", "")
    for program in build.programs(name).values():
        if program.prepare is None:
            modfile = program.module / "go.mod"
            needs_none = name.endswith("types") or program.modules or "require" not in modfile.read_text()
            assert (program.module / "go.sum").is_file() or needs_none
