"""docs/guide/first-plan.md: every command runs, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.docs import captures
from scripts.sample import fleet
from tests.helpers.program import ROOT

PAGE = ROOT / "docs" / "guide" / "first-plan.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = re.findall(
    r"^hashcompat .+$", "\n".join(re.findall(r"\n```sh\n(.*?)\n```", TEXT, re.DOTALL)), re.MULTILINE
)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs(command: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    program = f'hashcompat() {{ {shlex.quote(sys.executable)} -m hashcompat "$@"; }}\n{command}'
    done = subprocess.run(["sh", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == (2 if "gate: FAIL" in done.stderr else 0), done.stderr
    assert done.stdout or (tmp_path / "runbook.md").stat().st_size


def test_each_command_is_shown_with_what_it_prints() -> None:
    shown = [mark["arguments"] for mark in captures.MARKED.finditer(TEXT)]
    for command in COMMANDS:
        arguments = command.removeprefix("hashcompat ").partition(" > ")[0]
        assert any(line.startswith(arguments) for line in shown), command


@pytest.mark.slow
def test_the_captures_are_what_the_program_prints() -> None:
    assert PAGE in captures.pages()
    assert captures.quoted(TEXT) == TEXT


def test_a_command_that_fails_is_no_capture() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        captures.printed("plan --to 1.31 -f no/such/file")


def test_the_dump_has_forty_nodes_and_is_the_one_that_is_made() -> None:
    ((path, content),) = fleet.make().items()
    assert (ROOT / path).read_bytes() == content
    assert sum(manifest["kind"] == "Node" for manifest in fleet.cluster()) == 40


def test_links_lead_somewhere_and_the_readme_leads_here() -> None:
    for link in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (PAGE.parent / link).exists(), link
    assert "(docs/guide/first-plan.md)" in (ROOT / "README.md").read_text()
