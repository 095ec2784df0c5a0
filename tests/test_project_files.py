"""What the platforms around the repository read: workflows, forms, citation, classifiers."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import yaml

from hashcompat import __version__
from tests.helpers.program import ROOT
from tests.helpers.slices import sliced

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
    metadata: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return metadata


def pythons() -> list[str]:
    """Return the releases of Python that the classifiers name."""
    named = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", classifier)
        for classifier in project()["classifiers"]
    )
    return [match[1] for match in named if match]


def used() -> Iterator[tuple[str, str, str]]:
    """Yield each action that a workflow uses: the workflow, the action, and what follows on the line."""
    for path in WORKFLOWS:
        for action, rest in _USES.findall(path.read_text(encoding="utf-8")):
            yield path.name, action, rest


@pytest.mark.parametrize("schema", sliced(SCHEMAS, ("vendor.github-workflows", "vendor.github-actions")))
def test_files_are_what_their_readers_want(schema: str) -> None:
    files = SCHEMAS[schema]
    assert files
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_nothing(tmp_path: Path) -> None:
    """Nor in the example, where a name and a commit stand for the placeholders that no reader takes."""
    text = (ROOT / "examples" / "github" / "workflow.yml").read_text(encoding="utf-8")
    example = tmp_path / "workflow.yml"
    example.write_text(text.replace("<owner>", "owner").replace("<commit>", "0" * 40), encoding="utf-8")
    program = str(Path(sys.executable).with_name("zizmor"))
    command = [
        program,
        "--offline",
        "--no-progress",
        "--quiet",
        "--strict-collection",
        str(GITHUB),
        str(ROOT / "action.yml"),
        str(example),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actions_are_pinned_by_commit_with_their_version() -> None:
    uses = list(used())
    assert len(uses) > 10
    for where, action, rest in uses:
        assert _PINNED.fullmatch(action), (where, action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", rest), (where, action)


def test_each_action_has_one_commit() -> None:
    commits: dict[str, set[str]] = {}
    for _, action, _ in used():
        name, _, commit = action.partition("@")
        commits.setdefault(name, set()).add(commit)
    assert {name: revisions for name, revisions in commits.items() if len(revisions) > 1} == {}


def test_no_job_has_rights_that_it_does_not_name() -> None:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {}, path.name
        for name, job in workflow["jobs"].items():
            assert "permissions" in job, (path.name, name)


def test_no_address_is_one_that_somebody_else_may_own() -> None:
    """Nothing is published yet: until then all lead below .invalid, which nobody can own (RFC 6761)."""
    hosts = {urlsplit(address).hostname for address in project()["urls"].values()}
    forms = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "config.yml").read_text(encoding="utf-8"))
    (contact,) = forms["contact_links"]
    assert hosts == {urlsplit(contact["url"]).hostname} == {"source.hashcompat.invalid"}


def test_a_release_fails_while_an_address_is_a_placeholder(tmp_path: Path) -> None:
    workflow = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8"))
    (script,) = (
        step["run"] for step in workflow["jobs"]["build"]["steps"] if "placeholder" in step.get("name", "")
    )
    files = re.findall(r"\w+\.md|pyproject\.toml|deploy|\.github/\S+(?=;)", script)
    assert len(files) == 5
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    named = {line.partition(":")[0] for line in done.stdout.splitlines()}
    templates = {f"deploy/packages/{name}" for name in ("nfpm.yaml", "changelog")}
    assert named == {*files[:3], *templates, f"{files[4]}/config.yml"}
    for name in named:
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_text(encoding="utf-8")
        target.write_text(text.replace("hashcompat.invalid", "example.org").replace("OWNER/", "example/"))
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


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
