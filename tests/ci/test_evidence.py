"""docs/evidence.md: made of the reports of a whole run, and valid only for commits after its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ci.test_counts import report
from tests.helpers.program import ROOT

SUITES = (
    "python",
    "oracle",
    "fuzz",
    "shell",
    "browser",
    "runtime",
    "patch",
    "server",
    "reality",
    "standalone",
    "large",
)


def evidence(directory: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / ".ci" / "evidence.py", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def git(directory: Path, *arguments: str) -> str:
    """Run git as somebody, with nothing of this machine's configuration."""
    who = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    done = subprocess.run(
        ["git", *who, *arguments],
        cwd=directory,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit(directory: Path, message: str) -> str:
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(directory, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one commit, and next to it the reports of a whole run; Go is not needed."""
    made = tmp_path / "repository"
    (made / "docs").mkdir(parents=True)
    git(made, "init", "--quiet", "--initial-branch=main")
    commit(made, "first")
    (tmp_path / "reports").mkdir()
    for suite in SUITES:
        fuzzed = (1_000_000, 1_200_000) if suite == "fuzz" else ()
        compared = 0 if fuzzed else 350_000
        report(tmp_path / "reports" / f"{suite}.xml", passed=1200, compared=compared, fuzzed=fuzzed)
    (tmp_path / "reports" / "steps.csv").write_text('"lint, and types",40\n"patches",3600\n')
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text("#!/bin/sh\necho go1.99.3\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{go.parent}{os.pathsep}{os.environ['PATH']}")
    return made


def write(repository: Path) -> str:
    done = evidence(repository, "write", repository.parent / "reports", "4711")
    assert done.returncode == 0, done.stderr
    return (repository / "docs" / "evidence.md").read_text()


def test_the_page_says_what_ran_where(repository: Path) -> None:
    page = write(repository)
    assert f"Commit `{git(repository, 'rev-parse', 'HEAD')}`, in 61 min, with go1.99.3 and Python" in page
    assert "RANDOM_SEED=4711" in page
    assert f"on {os.cpu_count()} cores" in page
    assert "Kubernetes' own tests | 1,200 | 350,000 | 100 s |" in page
    assert "only declared errors | 1,202 | 2,200,000 | 100 s |" in page
    assert (
        "| r0 | 1,000,000 | 200,000 | 800,000 |\n| r1 | 1,200,000 | 240,000 | 960,000 |\n"
        "| all | 2,200,000 | 440,000 | 1,760,000 |\n| the least of each | 1,000,000 | 200,000 | 800,000 |"
        in page
    )
    assert "| lint, and types | 40 s |\n| patches | 60 min |" in page


def test_a_suite_without_a_report_is_no_shorter_page(repository: Path) -> None:
    (repository.parent / "reports" / "server.xml").unlink()
    done = evidence(repository, "write", repository.parent / "reports", "4711")
    assert (done.returncode, "server.xml" in done.stderr) == (1, True)
    assert not (repository / "docs" / "evidence.md").exists()


def test_evidence_for_an_ancestor_counts(repository: Path) -> None:
    write(repository)
    commit(repository, "evidence")
    commit(repository, "more")
    done = evidence(repository, "check")
    assert (done.returncode, done.stdout) == (0, "docs/evidence.md: in the history of this commit\n")


def test_evidence_for_another_branch_does_not(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "side")
    other = commit(repository, "aside")
    write(repository)
    git(repository, "checkout", "--quiet", "main")
    commit(repository, "evidence of the other branch")
    done = evidence(repository, "check")
    assert done.returncode == 1
    assert f"is evidence for {other}, which is not in the history of this commit" in done.stdout


def test_before_the_first_whole_run_there_is_no_page(repository: Path) -> None:
    done = evidence(repository, "check")
    assert (done.returncode, done.stdout) == (0, "docs/evidence.md: no whole run yet\n")


def test_a_page_that_was_removed_is_missing(repository: Path) -> None:
    write(repository)
    commit(repository, "evidence")
    (repository / "docs" / "evidence.md").unlink()
    commit(repository, "none")
    done = evidence(repository, "check")
    assert (done.returncode, done.stdout) == (1, "docs/evidence.md names no commit: run .ci/full\n")


@pytest.mark.parametrize("text", ["# Evidence\n", "Commit `main`\n"])
def test_a_page_that_names_no_commit_is_no_evidence(repository: Path, text: str) -> None:
    (repository / "docs" / "evidence.md").write_text(text)
    done = evidence(repository, "check")
    assert (done.returncode, done.stdout) == (1, "docs/evidence.md names no commit: run .ci/full\n")


def test_a_shallow_clone_says_that_it_cannot_tell(repository: Path, tmp_path: Path) -> None:
    write(repository)
    commit(repository, "evidence")
    commit(repository, "more")
    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), "clone")
    done = evidence(tmp_path / "clone", "check")
    assert (done.returncode, "run git fetch --unshallow" in done.stdout) == (1, True)
