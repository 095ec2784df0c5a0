"""Keep what the last whole run of each suite showed, or check that it was of this code's history.

    python .ci/evidence.py record SUITE REPORT SEED    after each suite of .ci/full
    python .ci/evidence.py parts REPORT SEED           the fuzzed readers and the kubelets whose settings were
                                                       compared that passed, even if the run broke off
    python .ci/evidence.py check                       a step of .ci/run
    python .ci/evidence.py fresh                       the end of .ci/full: fail where a row is missing or old

Both work in the repository that is the current directory.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import reports

RECORDS = Path(".ci/evidence.json")
"""``suites``, ``readers`` and ``settings``, by name: commit, day, seed, machine, what ran."""
COUNTS = Path(".ci/counts.json")
PAGE = Path("docs/evidence.md")
ABOUT = {
    "python": "every module, the command line and the API; Python alone",
    "slow": "what several processes do, and how time, memory and work grow with the input",
    "oracle": "texts, hashes, UIDs and served manifests: real Go with each release's own types",
    "fastpath": "pods that are nearly replicas, decided together: a plan of each of them alone",
    "fleet": "fleets: Dask schedulers and workers that are killed, an S3 server that fails",
    "shell": "completion in real shells: bash, zsh and fish",
    "browser": "HTML reports in a real Chromium: mouse, keyboard, paper, no script, axe-core",
    "attack": "what tenants, pull requests and directories try: real namespaces, a real containerd",
    "runtime": "what a real Docker and a real containerd recorded",
    "patch": "emitted patches, built over Kubernetes' own source; Kubernetes' own tests",
    "server": "a real API server and etcd, read through a real kubectl",
    "reality": "verdicts and recreated pods: real kubelets, one after the other on one node",
    "starting": "what kubelets refuse or kill when they start: room, managers, features; and readiness",
    "ending": "what kubelets end or wait for when they start: settings, ids, state files, plugins",
    "normalized": "rewritten records: real kubelets that keep every container which was taken up",
    "standalone": "the same of older kubelets, on Docker and without an API server",
    "large": "files of up to 1 GB in little memory",
}
"""What each suite compares with what, in the order of the page; of fuzzed readers each has its own row."""
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

Every reader of what others wrote, with inputs made to break it, fails only with errors that it declares:

| fuzzed reader | executions | guided by coverage | with changes of known inputs | commit | `RANDOM_SEED` |
|---|---|---|---|---|---|
{readers}
{settings}"""
_SETTINGS = """
Random configuration files and command lines of kubelets, with values at their limits and pairs of fields:
each is refused by both or by neither, `preflight` and a program with the kubelet's own validation in it.

| kubelet | settings | refused | commit | `RANDOM_SEED` |
|---|---|---|---|---|
{rows}
"""
NEWEST = 300
"""How many commits ago a row may have been made: code that changed much since is not what ran."""

Record = dict[str, Any]
Records = dict[str, dict[str, Record]]


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
    return _row(name, record["day"], _commit(record), record["seed"], record["with"])


def _commit(record: Record) -> str:
    return f"`{record['commit'][:12]}`"


def _readers(readers: dict[str, Record]) -> str:
    """Return a row for each fuzzed reader, and the least of each."""
    counts = {
        name: (record["guided"] + record["mutated"], record["guided"], record["mutated"])
        for name, record in readers.items()
    }
    rows = [
        _row(name, *_numbers(counts[name]), _commit(record), record["seed"])
        for name, record in readers.items()
    ]
    least = map(min, zip(*counts.values(), strict=True))
    return "\n".join([*rows, _row(f"the least of {len(rows)}", *_numbers(least), "", "")])


def _numbers(numbers: Iterable[int]) -> Iterator[str]:
    return (f"{number:,}" for number in numbers)


def page(records: Records) -> str:
    """Return the page; a suite that never ran whole has no row."""
    suites = records["suites"]
    ran = [(name, suites[name]) for name in ABOUT if name in suites]
    return _TEXT.format(
        suites="\n".join(_suite(*pair) for pair in ran),
        runs="\n".join(_run(*pair) for pair in ran),
        readers=_readers(records["readers"]),
        settings=_settings(records.get("settings", {})),
    )


def _settings(kubelets: dict[str, Record]) -> str:
    """Return the part about settings, with a row for each kubelet, the oldest first; empty for none."""
    ordered = sorted(kubelets.items(), key=lambda pair: [int(part) for part in pair[0].split(".")])
    rows = [
        _row(name, *_numbers((record["settings"], record["refused"])), _commit(record), record["seed"])
        for name, record in ordered
    ]
    return _SETTINGS.format(rows="\n".join(rows)) if rows else ""


def _run_now(seed: str) -> Record:
    """Return what is known of a run that just ended."""
    go, cores = _output("go", "env", "GOVERSION"), os.cpu_count()
    return {
        "commit": _output("git", "rev-parse", "HEAD"),
        "day": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "with": f"{go}, Python {platform.python_version()}, {cores} cores ({platform.machine()})",
    }


def _suite_of(ran: reports.Ran, seed: str) -> Record:
    compared = sum(ran.compared.values())
    return {**_run_now(seed), "tests": ran.tests, "compared": compared, "seconds": round(ran.seconds)}


def _readers_of(ran: reports.Ran, seed: str) -> dict[str, Record]:
    now = _run_now(seed)
    pairs = sorted(ran.executions.items())
    return {
        name: {**now, "guided": executions.guided, "mutated": executions.mutated}
        for name, executions in pairs
    }


def records() -> Records:
    """Return what is recorded."""
    evidence: Records = json.loads(RECORDS.read_text()) if RECORDS.exists() else {"suites": {}, "readers": {}}
    return evidence


def _settings_of(ran: reports.Ran, seed: str) -> dict[str, Record]:
    """Return what was compared with each kubelet; nothing of a suite that does not."""
    now = _run_now(seed) if ran.kubelets else {}
    return {
        name: {**now, "settings": counts[0], "refused": counts[1]} for name, counts in ran.kubelets.items()
    }


def _record(suite: str, report: str, seed: str) -> None:
    kept, ran = records(), reports.read(Path(report))
    _write({**kept, "suites": kept["suites"] | {suite: _suite_of(ran, seed)}}, ran, seed)


def _record_parts(report: str, seed: str) -> None:
    """Record the readers and kubelets of a run that may have broken off, even before it began."""
    if Path(report).exists():
        _write(records(), reports.read(Path(report)), seed)


def _write(kept: Records, ran: reports.Ran, seed: str) -> None:
    """Write what is kept and, in its place, what a run showed of readers and settings."""
    readers = kept["readers"] | _readers_of(ran, seed)
    settings = kept.get("settings", {}) | _settings_of(ran, seed)
    evidence: Records = {
        "suites": {name: kept["suites"][name] for name in ABOUT if name in kept["suites"]},
        "readers": dict(sorted(readers.items())),
        **({"settings": settings} if settings else {}),
    }
    RECORDS.write_text(json.dumps(evidence, indent=2) + "\n")
    PAGE.write_text(page(evidence))


def problem() -> str:
    """Return why the page is not evidence for the code that is checked out, or an empty string."""
    evidence = records()
    if not RECORDS.exists() and not PAGE.exists():
        known = _output("git", "log", "--max-count=1", "--format=%H", "--", str(RECORDS))
        return f"{RECORDS} was removed: run .ci/full" if known else ""  # before the first whole run
    if not PAGE.exists() or PAGE.read_text() != page(evidence):
        return f"{PAGE} is not what {RECORDS} says: run .ci/full"
    return "".join(_outside(*pair) for kind in evidence.values() for pair in kind.items()).strip()


def _outside(name: str, record: Record) -> str:
    """Return that the commit of a run is not in the history of the one that is checked out, if so."""
    ancestor = ["git", "merge-base", "--is-ancestor", record["commit"], "HEAD"]
    if subprocess.run(ancestor, capture_output=True, check=False).returncode == 0:
        return ""
    if _output("git", "rev-parse", "--is-shallow-repository") == "true":
        return f"this clone is shallow: the commits of {PAGE} cannot be looked up: run git fetch --unshallow"
    return f"{PAGE}: {name} ran on {record['commit']}, which is not in the history of this commit\n"


def outdated() -> str:
    """Return which rows are missing, old, or of too few executions; an empty string for none."""
    evidence = records()
    every = [(name, record["commit"]) for kind in evidence.values() for name, record in kind.items()]
    ago = {commit: int(_output("git", "rev-list", "--count", f"{commit}..HEAD")) for _, commit in every}
    halves = [json.loads(COUNTS.read_text())["full"][name] for name in ("fuzz", "fuzzfiles")]
    committed, least = (
        sum(half["readers"] for half in halves),
        max(half["leastExecutions"] for half in halves),
    )
    readers, missing = evidence["readers"], [name for name in ABOUT if name not in evidence["suites"]]
    if len(readers) < committed:
        missing.append(f"{committed - len(readers)} of {committed} readers")
    parts = {
        f"made over {NEWEST} commits ago": [name for name, commit in every if ago[commit] > NEWEST],
        "never made": missing,
        f"of fewer than {least:,} executions": [
            name for name, record in readers.items() if record["guided"] + record["mutated"] < least
        ],
    }
    return "; ".join(f"{len(names)} {what}: {', '.join(names)}" for what, names in parts.items() if names)


def main(command: str, *arguments: str) -> int:
    """Record a suite or readers, or check what is recorded."""
    if command == "fresh":
        rows = outdated()
        print(rows or f"{PAGE}: every row is of the last {NEWEST} commits")
        return 1 if rows else 0
    if command != "check":
        (_record if command == "record" else _record_parts)(*arguments)
        return 0
    message = problem()
    print(message or f"{PAGE}: {len(records()['suites'])} suites, in the history of this commit")
    return 1 if message else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
