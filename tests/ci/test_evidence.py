"""docs/evidence.md: made of the reports of whole suites, and valid only for commits after theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ci.test_counts import properties, report
from tests.helpers.program import ROOT

FRESH = (
    *("python", "slow", "oracle", "fastpath", "fleet", "shell", "browser", "attack", "runtime", "patch"),
    *("server", "reality", "starting", "ending", "normalized", "standalone", "large"),
)
"""The suites that the page has a row for."""


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


def commits(directory: Path, number: int) -> None:
    """Add many empty commits by one process."""
    command = "commit refs/heads/main\ncommitter test <test@localhost> 1 +0000\ndata 0\n"
    text = f"{command}from refs/heads/main^0\n{command * (number - 1)}"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=directory, input=text, text=True, check=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one commit, and next to it the reports of two suites; Go is not needed."""
    made = tmp_path / "repository"
    (made / "docs").mkdir(parents=True)
    (made / ".ci").mkdir()
    git(made, "init", "--quiet", "--initial-branch=main")
    commit(made, "first")
    report(tmp_path / "patch.xml", passed=1200, compared=350_000)
    report(tmp_path / "fuzz.xml", passed=1200, fuzzed=(1_000_000, 1_200_000))
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text("#!/bin/sh\necho go1.99.3\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{go.parent}{os.pathsep}{os.environ['PATH']}")
    return made


def record(repository: Path, suite: str, seed: str = "4711") -> str:
    done = evidence(repository, "record", suite, repository.parent / f"{suite}.xml", seed)
    assert done.returncode == 0, done.stderr
    return (repository / "docs" / "evidence.md").read_text()


def check(repository: Path) -> tuple[int, str]:
    done = evidence(repository, "check")
    return done.returncode, done.stdout


def short(directory: Path) -> str:
    return git(directory, "rev-parse", "HEAD")[:12]


def test_the_page_says_what_ran_where(repository: Path) -> None:
    record(repository, "patch")
    page = record(repository, "fuzz")
    assert "Kubernetes' own tests | 1,200 | 350,000 | 100 s |" in page
    assert f"`{short(repository)}` | 4711 | go1.99.3, Python 3" in page
    assert f", {os.cpu_count()} cores (" in page
    where = f"`{short(repository)}` | 4711 |"
    assert (
        f"| r0 | 1,000,000 | 200,000 | 800,000 | {where}\n| r1 | 1,200,000 | 240,000 | 960,000 | {where}\n"
        "| the least of 2 | 1,000,000 | 200,000 | 800,000 |  |  |" in page
    )
    assert "| fuzz |" not in page


def test_each_kubelet_whose_settings_were_compared_has_a_row(repository: Path) -> None:
    assert "Random configuration files" not in record(repository, "fuzz")
    judged = {"1.9.11": 700, "1.10.13": 900, "1.36.3": 800}
    cases = [
        f"<testcase>{properties(random_settings=2000, kubelet=kubelet, refused=number)}</testcase>"
        for kubelet, number in judged.items()
    ]
    cases[-1] = cases[-1].replace("</testcase>", "<failure/></testcase>")
    path = repository.parent / "part.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    assert evidence(repository, "parts", path, "43").returncode == 0
    page = (repository / "docs" / "evidence.md").read_text()
    rows = [
        f"| {name} | 2,000 | {judged[name]} | `{short(repository)}` | 43 |" for name in ("1.9.11", "1.10.13")
    ]
    assert page.endswith("\n".join(["|---|---|---|---|---|", *rows, ""]))
    assert "| r0 | 1,000,000 |" in page
    commit(repository, "evidence")
    assert check(repository)[0] == 0
    assert rows[0] in record(repository, "patch")


def test_each_suite_has_the_commit_that_it_ran_on(repository: Path) -> None:
    first = short(repository)
    record(repository, "patch")
    commit(repository, "evidence")
    second = short(repository)
    page = record(repository, "fuzz", "42")
    assert f"`{first}` | 4711 |" in page
    assert f"`{second}` | 42 |" in page
    commit(repository, "more evidence")
    assert check(repository) == (0, "docs/evidence.md: 1 suites, in the history of this commit\n")


def test_the_whole_run_leaves_no_row_that_is_old(repository: Path) -> None:
    half = {"readers": 1, "leastExecutions": 1_000_000}
    counts = {"full": {"fuzz": half, "fuzzfiles": half}}
    (repository / ".ci" / "counts.json").write_text(json.dumps(counts))
    record(repository, "patch")
    commits(repository, 300)
    record(repository, "fuzz")
    done = evidence(repository, "fresh")
    assert done.returncode == 1
    assert "commits ago" not in done.stdout
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "one more")
    done = evidence(repository, "fresh")
    assert done.returncode == 1
    assert done.stdout.startswith(
        f"1 made over 300 commits ago: patch; {len(FRESH) - 1} never made: python, slow, oracle, "
    )
    record(repository, "patch")
    kept = json.loads((repository / ".ci" / "evidence.json").read_text())
    every = dict.fromkeys(FRESH, kept["suites"]["patch"])
    (repository / ".ci" / "evidence.json").write_text(json.dumps({**kept, "suites": every}))
    done = evidence(repository, "fresh")
    assert (done.returncode, done.stdout) == (0, "docs/evidence.md: every row is of the last 300 commits\n")
    counts["full"]["fuzz"] = {"readers": 2, "leastExecutions": 1_000_001}
    (repository / ".ci" / "counts.json").write_text(json.dumps(counts))
    done = evidence(repository, "fresh")
    missing = "1 never made: 1 of 3 readers; 1 of fewer than 1,000,001 executions: r0\n"
    assert (done.returncode, done.stdout) == (1, missing)


def test_readers_count_one_by_one_where_a_run_breaks_off(repository: Path) -> None:
    record(repository, "fuzz")
    first = short(repository)
    commit(repository, "evidence")
    path = report(repository.parent / "part.xml", passed=3, fuzzed=(2_000_000, 3_000_000))
    failed = path.read_text().replace(
        "</properties></testcase></testsuite>", "</properties><failure/></testcase></testsuite>"
    )
    path.write_text(failed)
    assert evidence(repository, "parts", path, "42").returncode == 0
    page = (repository / "docs" / "evidence.md").read_text()
    assert f"| r0 | 2,000,000 | 400,000 | 1,600,000 | `{short(repository)}` | 42 |" in page
    assert f"| r1 | 1,200,000 | 240,000 | 960,000 | `{first}` | 4711 |" in page


def test_no_reader_counts_without_a_report(repository: Path) -> None:
    assert evidence(repository, "parts", repository.parent / "none.xml", "42").returncode == 0
    assert check(repository) == (0, "docs/evidence.md: 0 suites, in the history of this commit\n")


def test_a_later_run_takes_the_place_of_the_one_before(repository: Path) -> None:
    record(repository, "patch")
    page = record(repository, "patch", "42")
    assert ("| 42 |" in page, "| 4711 |" in page) == (True, False)


def test_a_suite_without_a_report_is_an_error(repository: Path) -> None:
    done = evidence(repository, "record", "server", repository.parent / "server.xml", "4711")
    assert (done.returncode, "server.xml" in done.stderr) == (1, True)
    assert not (repository / "docs" / "evidence.md").exists()


def test_evidence_for_another_branch_does_not_count(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "side")
    other = commit(repository, "aside")
    record(repository, "patch")
    git(repository, "checkout", "--quiet", "main")
    commit(repository, "evidence of the other branch")
    status, printed = check(repository)
    assert status == 1
    assert f"patch ran on {other}, which is not in the history of this commit" in printed


def test_before_the_first_whole_run_there_is_no_page(repository: Path) -> None:
    assert check(repository) == (0, "docs/evidence.md: 0 suites, in the history of this commit\n")


@pytest.mark.parametrize("removed", ["docs/evidence.md", ".ci/evidence.json"])
def test_what_was_removed_is_missing(repository: Path, removed: str) -> None:
    record(repository, "patch")
    commit(repository, "evidence")
    (repository / removed).unlink()
    commit(repository, "none")
    problem = "docs/evidence.md is not what .ci/evidence.json says: run .ci/full\n"
    assert check(repository) == (1, problem)


def test_records_that_were_removed_with_their_page_are_missing(repository: Path) -> None:
    record(repository, "patch")
    commit(repository, "evidence")
    git(repository, "rm", "--quiet", "docs/evidence.md", ".ci/evidence.json")
    commit(repository, "none")
    assert check(repository) == (1, ".ci/evidence.json was removed: run .ci/full\n")


def test_a_page_that_was_edited_is_no_evidence(repository: Path) -> None:
    page = record(repository, "patch")
    (repository / "docs" / "evidence.md").write_text(page.replace("350,000", "950,000"))
    problem = "docs/evidence.md is not what .ci/evidence.json says: run .ci/full\n"
    assert check(repository) == (1, problem)


def test_a_shallow_clone_says_that_it_cannot_tell(repository: Path, tmp_path: Path) -> None:
    record(repository, "patch")
    commit(repository, "evidence")
    commit(repository, "more")
    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), "clone")
    done = evidence(tmp_path / "clone", "check")
    assert (done.returncode, "run git fetch --unshallow" in done.stdout) == (1, True)
