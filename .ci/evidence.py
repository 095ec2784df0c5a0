"""Write docs/evidence.md from the reports of a whole run, or check that its commit is in this code's history.

    python .ci/evidence.py write REPORTS SEED    the last step of .ci/full
    python .ci/evidence.py check                 a step of .ci/run

Both work in the repository that is the current directory.
"""

import csv
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import reports

PAGE = Path("docs/evidence.md")
COMMIT = re.compile(r"^Commit `([0-9a-f]{40})`", re.MULTILINE)
ABOUT = {
    "python": "every module, the command line and the API; Python alone",
    "oracle": "texts, hashes, UIDs and served manifests: real Go with each release's own types",
    "fuzz": "every reader of what others wrote, with inputs made to break it: only declared errors",
    "shell": "completion in real shells: bash, zsh and fish",
    "browser": "HTML reports in a real Chromium: mouse, keyboard, paper, no script, axe-core",
    "runtime": "what a real Docker and a real containerd recorded",
    "patch": "emitted patches, built over Kubernetes' own source; Kubernetes' own tests",
    "server": "a real API server and etcd, read through a real kubectl",
    "reality": "verdicts and recreated pods: real kubelets, one after the other on one node",
    "standalone": "the same of older kubelets, on Docker and without an API server",
    "large": "files of up to 1 GB in little memory",
}
"""What each suite compares with what, in the order of the page."""
_TEXT = """# Evidence

What `.ci/full` ran last: everything, on one commit, with nothing skipped. `.ci/full` writes this page, and
`.ci/run` fails unless the commit is in the history of the one that is checked.

Commit `{commit}`, in {total}, with {go} and Python {python} on {cores} cores ({machine}).
Every random input was a new one; `RANDOM_SEED={seed} .ci/full` makes the same ones again.

| suite | against | tests | compared | duration |
|---|---|---|---|---|
{suites}

| fuzzed reader | executions | guided by coverage | with changes of known inputs |
|---|---|---|---|
{readers}

| step | duration |
|---|---|
{steps}
"""


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _duration(seconds: float) -> str:
    """Print seconds where there are less than two minutes of them, else whole minutes."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _suite(name: str, ran: reports.Ran) -> str:
    compared = sum(ran.compared.values()) or sum(one.total for one in ran.executions.values())
    return _row(
        name, ABOUT[name], f"{ran.tests:,}", f"{compared:,}" if compared else "", _duration(ran.seconds)
    )


def _readers(ran: reports.Ran) -> str:
    """Return a row for each fuzzed reader, and the sum and the least of all."""
    read = [(name, (one.total, one.guided, one.mutated)) for name, one in sorted(ran.executions.items())]
    columns = list(zip(*(numbers for _, numbers in read), strict=True))
    rows = [*read, ("all", map(sum, columns)), ("the least of each", map(min, columns))]
    return "\n".join(_row(name, *(f"{number:,}" for number in numbers)) for name, numbers in rows)


def page(directory: Path, seed: str) -> str:
    """Return the page for the reports in a directory; a suite without a report is an error."""
    steps = [(name, float(seconds)) for name, seconds in csv.reader((directory / "steps.csv").open())]
    return _TEXT.format(
        commit=_output("git", "rev-parse", "HEAD"),
        total=_duration(sum(seconds for _, seconds in steps)),
        go=_output("go", "env", "GOVERSION"),
        python=platform.python_version(),
        cores=os.cpu_count(),
        machine=platform.machine(),
        seed=seed,
        suites="\n".join(_suite(name, reports.read(directory / f"{name}.xml")) for name in ABOUT),
        readers=_readers(reports.read(directory / "fuzz.xml")),
        steps="\n".join(_row(name, _duration(seconds)) for name, seconds in steps),
    )


def problem() -> str:
    """Return why the page is not evidence for the code that is checked out, or an empty string."""
    if not PAGE.exists() and not _output("git", "log", "--max-count=1", "--format=%H", "--", str(PAGE)):
        return ""  # before the first whole run; a page that was removed is missing
    found = COMMIT.search(PAGE.read_text()) if PAGE.exists() else None
    if not found:
        return f"{PAGE} names no commit: run .ci/full"
    ancestor = ["git", "merge-base", "--is-ancestor", found[1], "HEAD"]
    if subprocess.run(ancestor, capture_output=True, check=False).returncode == 0:
        return ""
    if _output("git", "rev-parse", "--is-shallow-repository") == "true":
        return (
            f"this clone is shallow, so the commit of {PAGE} cannot be looked up: run git fetch --unshallow"
        )
    return f"{PAGE} is evidence for {found[1]}, which is not in the history of this commit: run .ci/full"


def main(command: str, *arguments: str) -> int:
    """Write the page, or check it."""
    if command == "write":
        directory, seed = arguments
        PAGE.write_text(page(Path(directory), seed))
        return 0
    found = f"{PAGE}: in the history of this commit" if PAGE.exists() else f"{PAGE}: no whole run yet"
    print(problem() or found)
    return 1 if problem() else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
