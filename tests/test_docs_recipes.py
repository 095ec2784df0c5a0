"""The recipes of CONTRIBUTING.md work: each is followed in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from datetime import date
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.program import ROOT, Run

pytestmark = pytest.mark.slow

PAGE: Final = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES: Final = PAGE.partition("\n## Recipes\n")[2].partition("\n## ")[0]
STEPS: Final = re.findall(
    r"<!-- recipe: (\w+), (file|before|after|run)(?: ([^\n]+))? -->\n *```\w+\n(.*?)\n *```",
    RECIPES,
    re.DOTALL,
)
TITLES: Final = re.findall(r"^### (.+)$", RECIPES, re.MULTILINE)


def test_there_is_a_recipe_for_each_thing_that_is_often_added() -> None:
    assert TITLES == ["Add a release", "Add a check", "Add a format", "Add a rule"]


def test_every_path_that_a_recipe_names_exists() -> None:
    made = {place for _, what, place, _ in STEPS if what == "file"}
    named = set(re.findall(r"`((?:hashcompat|schemas|scripts|tests|docs)/[\w./-]*)`", RECIPES))
    assert [name for name in sorted(named - made) if not (ROOT / name).exists()] == []


def follow(place: Path, what: str, where: str, text: str) -> None:
    """Do one step of a recipe below a copy of the repository."""
    text = textwrap.dedent(text) if what == "file" else text.removeprefix("   ").replace("\n   ", "\n")
    name, _, mark = where.partition(": ")
    path = place / name
    if what == "file":
        path.write_text(f"{text}\n")
        return
    lines = path.read_text().splitlines()
    number = next(number for number, line in enumerate(lines) if mark in line)
    lines.insert(number + (what == "after"), text)
    path.write_text("\n".join([*lines, ""]))


@pytest.mark.parametrize("recipe", ["check", "format", "rule"])
def test_a_recipe_that_is_followed_works(recipe: str, tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "hashcompat", tmp_path / "hashcompat", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    steps = [step for step in STEPS if step[0] == recipe]
    *edits, (_, run, _, command) = steps
    assert run == "run"
    for _, what, where, text in edits:
        follow(tmp_path, what, where, text)
    program, *words = command.split()
    assert program == "hashcompat"
    done = subprocess.run(
        [sys.executable, "-m", "hashcompat", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "HASHCOMPAT_DEBUG": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    without = subprocess.run(
        [sys.executable, "-m", "hashcompat", *words], cwd=ROOT, capture_output=True, check=False
    )
    assert without.returncode != 0


def test_a_patch_release_is_a_row_of_data(run: Run, tmp_path: Path) -> None:
    schemas = tmp_path / "schemas"
    shutil.copytree(ROOT / "schemas", schemas)
    table = schemas / "tables" / "releases.json"
    releases = json.loads(table.read_text())
    newest = next(rows for rows in releases.values() if isinstance(rows, list) and "patches" in rows[0])[-1]
    number = len(newest["patches"])
    newest["patches"][str(number)] = date(2026, 11, 18).isoformat()
    table.write_text(json.dumps(releases))
    result = run("plan", "--schemas", schemas, "--from", newest["minor"], "--to", "latest", "--sample")
    assert f"{newest['minor']}.{number}" in result.out
