"""No result replaces what it is made of."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hashcompat.core.errors import ExitCode
from tests.helpers.pods import as_json, pod
from tests.helpers.program import Run
from tests.helpers.slices import every

UP = ("--from", "1.30.14", "--to", "1.31.14")
EXCEPTIONS = "exceptions: []"


@pytest.fixture
def inputs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, with one file of each kind."""
    monkeypatch.chdir(tmp_path)
    for folder in ("in/below", "runs"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("pods.yaml", "in/pods.json", "in/below/pods.json"):
        (tmp_path / name).write_bytes(as_json(pod()))
    (tmp_path / "in/pods.json.gz").write_bytes(gzip.compress(as_json(pod())))
    (tmp_path / "link.json").symlink_to("pods.yaml")
    (tmp_path / "key").write_text("k" * 32)
    (tmp_path / "except.yaml").write_text(EXCEPTIONS)
    (tmp_path / "notes.txt").write_text("no input")
    assert run("plan", *UP, "-f", "pods.yaml", "--out", "plan.json", "-q").code == 0
    assert run("snapshot", "-f", "pods.yaml", "--out", "in/snapshot.json", "-q").code == 0
    return tmp_path


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("plan", *UP, "-f", "pods.yaml", "--out", "pods.yaml"), "--out pods.yaml: that is the input (-f)"),
        (("plan", *UP, "-f", "./pods.yaml", "--out", "link.json"), "--out link.json: that is the input (-f)"),
        (("plan", *UP, "-f", "in", "--out", "in/pods.json"), "--out in/pods.json: that is the input (-f)"),
        (
            ("plan", *UP, "-f", "in", "--out", "in/pods.json.gz"),
            "--out in/pods.json.gz: that is the input (-f)",
        ),
        (
            ("plan", *UP, "-f", "in", "--out", "in/snapshot.json"),
            "--out in/snapshot.json: that is the input (-f)",
        ),
        (
            ("plan", *UP, "-R", "-f", ".", "--report", "json=in/below/pods.json"),
            "--report in/below/pods.json: that is the input (-f)",
        ),
        (("snapshot", "-f", "pods.yaml", "--out", "pods.yaml"), "--out pods.yaml: that is the input (-f)"),
        (
            ("gate", *UP, "-f", "pods.yaml", "--report", "csv=x", "--report", "junit=pods.yaml"),
            "--report pods.yaml: that is the input (-f)",
        ),
        (
            ("gate", "--plan", "plan.json", "--out", "plan.json"),
            "--out plan.json: that is the input (--plan)",
        ),
        (
            ("gate", "--plan", "plan.json", "--exceptions", "except.yaml", "--out", "except.yaml"),
            "--out except.yaml: that is the input (--exceptions)",
        ),
        (
            ("plan", *UP, "-f", "pods.yaml", "--sign-key", "key", "--out", "key"),
            "--out key: that is the input (--sign-key)",
        ),
        (("convert", "plan.json", "--out", "plan.json"), "--out plan.json: that is the input;"),
        (
            ("diff", "plan.json", "plan.json", "--report", "csv=plan.json"),
            "--report plan.json: that is the inp",
        ),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_an_input_is_not_replaced(run: Run, inputs: Path, words: tuple[str, ...], where: str) -> None:
    before = {path: path.read_bytes() for path in inputs.rglob("*") if path.is_file()}
    result = run(*words)
    assert (result.code, result.out) == (64, "")
    assert where in result.err
    assert result.err.endswith("; choose another file\n")
    assert {path: path.read_bytes() for path in inputs.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("words", "variables", "where"),
    [
        (
            ("--out", "plan.json"),
            {"BASELINE": "plan.json"},
            "--out plan.json: that is the input (HASHCOMPAT_GATE_",
        ),
        (
            ("--report", "csv=except.yaml"),
            {"EXCEPTIONS": "except.yaml"},
            "--report except.yaml: that is the input",
        ),
        (("--out", ".hashcompat.yaml"), {}, "--out .hashcompat.yaml: that is the input (settings)"),
        (("--out", "link.yaml"), {}, "--out link.yaml: that is the input (settings)"),
        (("--out", "old.json"), {}, "--out old.json: that is the input (.hashcompat.yaml: baseline)"),
        (
            ("--state", "./state", "--node", "n1", "--out", "state"),
            {},
            "--out state: that is the state (--state)",
        ),
    ],
    ids=" ".join,
)
def test_a_gate_replaces_nothing_that_a_variable_or_a_settings_file_names(
    run: Run,
    inputs: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    variables: dict[str, str],
    where: str,
) -> None:
    """A result that replaced the baseline would be the next one, with all that it found."""
    (inputs / "old.json").write_bytes((inputs / "plan.json").read_bytes())
    (inputs / "saved.json").write_bytes((inputs / "plan.json").read_bytes())
    (inputs / ".hashcompat.yaml").write_text("gate:\n  baseline: old.json\n")
    (inputs / "link.yaml").symlink_to(".hashcompat.yaml")
    for name, value in variables.items():
        monkeypatch.setenv(f"HASHCOMPAT_GATE_{name}", value)
    before = {path: path.read_bytes() for path in inputs.rglob("*") if path.is_file()}
    result = run("gate", "--plan", "saved.json", *words)
    assert (result.code, result.out) == (64, "")
    assert where in result.err
    assert {path: path.read_bytes() for path in inputs.rglob("*") if path.is_file()} == before


def _again(inputs: Path) -> None:
    (inputs / "in/plan.json").write_bytes((inputs / "plan.json").read_bytes())
    (inputs / "in/plan.json.gz").write_bytes(gzip.compress((inputs / "plan.json").read_bytes()))


@pytest.mark.parametrize(
    "words",
    [
        ("-f", "pods.yaml", "--out", "new.json"),
        ("-f", "pods.yaml", "--out", "notes.txt"),
        ("-f", "pods.yaml", "--out", "-"),
        ("-f", "in", "--out", "in/plan.json"),
        ("-f", "in", "--out", "in/plan.json.gz"),
        ("-f", "in", "--out", "in/below/pods.json"),
        ("-f", "in", "--out", "/dev/null"),
        ("-R", "-f", "in", "--report", "csv=notes.txt"),
        ("--sample", "--out", "pods.yaml"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("before", every(2, [_again, lambda _: None]), ids=["again", "first"])
def test_every_other_file_is_written(
    run: Run, inputs: Path, words: tuple[str, ...], before: Callable[[Path], None]
) -> None:
    before(inputs)
    result = run("plan", *UP, *words, "-q")
    assert result.code == ExitCode.OK, result.err


def test_a_page_is_written_into_the_directory_that_it_joins(run: Run, inputs: Path) -> None:
    assert run("plan", *UP, "-f", "pods.yaml", "-q", "--report", "html=runs/plan.html").code == 0
    for _ in range(2):
        assert run("report", "runs", "--report", "html=runs/index.html").code == 0
    assert json.loads((inputs / "plan.json").read_text())["kind"] == "RestartPlan"
