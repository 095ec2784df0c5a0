"""Keep what the last whole run of each suite showed, or check that it was of this code's history.

    python .ci/evidence.py record SUITE REPORT SEED    after each suite of .ci/full
    python .ci/evidence.py check                       a step of .ci/run

Both work in the repository that is the current directory.
"""

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import reports

RECORDS = Path(".ci/evidence.json")
"""By suite: its commit, day, seed and machine, and what ran; readers with [guided, mutated] executions."""
PAGE = Path("docs/evidence.md")
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

What each suite showed when `.ci/full` last ran the whole of it, with nothing skipped and every random input a
new one. `.ci/full` and `.ci/full STEP` write this page; `.ci/run` fails unless every commit is in the history
of the one that is checked.

| suite | against | tests | compared | duration |
|---|---|---|---|---|
{suites}

`RANDOM_SEED=N .ci/full STEP` makes the same random inputs again.

| suite | day | commit | `RANDOM_SEED` | with |
|---|---|---|---|---|
{runs}
{readers}"""
_READERS = """
| fuzzed reader | executions | guided by coverage | with changes of known inputs |
|---|---|---|---|
{}
"""

Record = dict[str, Any]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _duration(seconds: float) -> str:
    """Print seconds where there are less than two minutes of them, else whole minutes."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _suite(name: str, record: Record) -> str:
    compared = f"{record['compared']:,}" if record["compared"] else ""
    return _row(name, ABOUT[name], f"{record['tests']:,}", compared, _duration(record["seconds"]))


def _run(name: str, record: Record) -> str:
    return _row(name, record["day"], f"`{record['commit'][:12]}`", record["seed"], record["with"])


def _readers(executions: dict[str, list[int]]) -> str:
    """Return a row for each fuzzed reader, and the sum and the least of all."""
    read = [(name, (sum(phases), *phases)) for name, phases in executions.items()]
    if not read:
        return ""
    columns = list(zip(*(numbers for _, numbers in read), strict=True))
    rows = [*read, ("all", map(sum, columns)), ("the least of each", map(min, columns))]
    return _READERS.format("\n".join(_row(name, *(f"{n:,}" for n in numbers)) for name, numbers in rows))


def page(records: dict[str, Record]) -> str:
    """Return the page; a suite that never ran whole has no row."""
    ran = [(name, records[name]) for name in ABOUT if name in records]
    return _TEXT.format(
        suites="\n".join(_suite(*one) for one in ran),
        runs="\n".join(_run(*one) for one in ran),
        readers="".join(_readers(record["executions"]) for _, record in ran),
    )


def record_of(report: Path, seed: str) -> Record:
    """Return what one suite's report says of the commit that is checked out."""
    ran = reports.read(report)
    go, cores = _output("go", "env", "GOVERSION"), os.cpu_count()
    compared = sum(ran.compared.values()) or sum(one.total for one in ran.executions.values())
    return {
        "commit": _output("git", "rev-parse", "HEAD"),
        "day": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "with": f"{go}, Python {platform.python_version()}, {cores} cores ({platform.machine()})",
        "tests": ran.tests,
        "compared": compared,
        "seconds": round(ran.seconds),
        "executions": {name: [one.guided, one.mutated] for name, one in sorted(ran.executions.items())},
    }


def records() -> dict[str, Record]:
    """Return what is recorded, by suite."""
    found: dict[str, Record] = json.loads(RECORDS.read_text()) if RECORDS.exists() else {}
    return found


def _record(suite: str, report: str, seed: str) -> None:
    kept = records()
    kept[suite] = record_of(Path(report), seed)
    ordered = {name: kept[name] for name in ABOUT if name in kept}
    RECORDS.write_text(json.dumps(ordered, indent=2) + "\n")
    PAGE.write_text(page(ordered))


def problem() -> str:
    """Return why the page is not evidence for the code that is checked out, or an empty string."""
    found = records()
    if not found and not PAGE.exists():
        known = _output("git", "log", "--max-count=1", "--format=%H", "--", str(RECORDS))
        return f"{RECORDS} was removed: run .ci/full" if known else ""  # before the first whole run
    if not PAGE.exists() or PAGE.read_text() != page(found):
        return f"{PAGE} is not what {RECORDS} says: run .ci/full"
    return "".join(_outside(*one) for one in found.items()).strip()


def _outside(suite: str, record: Record) -> str:
    """Return that the commit of a suite is not in the history of the one that is checked out, if so."""
    ancestor = ["git", "merge-base", "--is-ancestor", record["commit"], "HEAD"]
    if subprocess.run(ancestor, capture_output=True, check=False).returncode == 0:
        return ""
    if _output("git", "rev-parse", "--is-shallow-repository") == "true":
        return f"this clone is shallow: the commits of {PAGE} cannot be looked up: run git fetch --unshallow"
    return f"{PAGE}: {suite} ran on {record['commit']}, which is not in the history of this commit\n"


def main(command: str, *arguments: str) -> int:
    """Record a suite, or check what is recorded."""
    if command == "record":
        _record(*arguments)
        return 0
    found = problem()
    print(found or f"{PAGE}: {len(records())} suites, in the history of this commit")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
