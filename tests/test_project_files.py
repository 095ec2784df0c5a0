"""What the platforms around the repository read: workflows, forms, citation, classifiers."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from hashcompat import __version__
from tests.helpers.program import ROOT

GITHUB: Final = ROOT / ".github"
WORKFLOWS: Final = sorted((GITHUB / "workflows").glob("*.yml"))
_USES: Final = re.compile(r"^\s*-?\s*uses: (\S+)(.*)$", re.MULTILINE)
_PINNED: Final = re.compile(r"[\w./-]+@[0-9a-f]{40}")

SCHEMAS: Final = {
    "vendor.github-workflows": WORKFLOWS,
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.github-issue-forms": sorted(
        set((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")) - {GITHUB / "ISSUE_TEMPLATE/config.yml"}
    ),
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.github-actions": [ROOT / "action.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def pythons() -> list[str]:
    """Return the releases of Python that the classifiers name."""
    named = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in project()["classifiers"]
    )
    return [found[1] for found in named if found]


def used() -> Iterator[tuple[str, str, str]]:
    """Yield each action that a workflow uses: the workflow, the action, and what follows on the line."""
    for path in WORKFLOWS:
        for action, rest in _USES.findall(path.read_text(encoding="utf-8")):
            yield path.name, action, rest


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_are_what_their_readers_want(schema: str) -> None:
    files = SCHEMAS[schema]
    assert files
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_nothing() -> None:
    program = str(Path(sys.executable).with_name("zizmor"))
    command = [
        program,
        "--offline",
        "--no-progress",
        "--quiet",
        "--strict-collection",
        str(GITHUB),
        str(ROOT / "action.yml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actions_are_pinned_by_commit_with_their_version() -> None:
    found = list(used())
    assert len(found) > 10
    for where, action, rest in found:
        assert _PINNED.fullmatch(action), (where, action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", rest), (where, action)


def test_each_action_has_one_commit() -> None:
    commits: dict[str, set[str]] = {}
    for _, action, _ in used():
        name, _, commit = action.partition("@")
        commits.setdefault(name, set()).add(commit)
    assert {name: found for name, found in commits.items() if len(found) > 1} == {}


def test_no_job_has_rights_that_it_does_not_name() -> None:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {}, path.name
        for name, job in workflow["jobs"].items():
            assert "permissions" in job, (path.name, name)


def test_each_python_that_is_promised_is_tested() -> None:
    workflow = yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["python"]["strategy"]["matrix"]["python"] == pythons()
    assert project()["requires-python"] == f">={pythons()[0]}"
    support = (ROOT / "SUPPORT.md").read_text(encoding="utf-8")
    assert f"{pythons()[0]} to {pythons()[-1]}" in support


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == project()["license"]
