"""No process needs more than 500 MB for any input below 100 MB: each command, each kind of input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.helpers import bulky
from tests.suites.large.measuring import measured

pytestmark = pytest.mark.large

MOST = 500 * 1000 * 1000
"""Bytes of memory, at the most."""

SIZE = 99 * 1000 * 1000
"""Bytes of an input."""

SECONDS: Final = 3600

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "plan": ("plan", "--from", "1.13.12", "--to", "1.14.10"),
    "plan --keep-going": ("plan", "--keep-going", "--from", "1.13.12", "--to", "1.14.10", "-o", "json"),
    "explain": ("explain", "default/p0", "--from", "1.13.12", "--to", "1.14.10"),
    "hash": ("hash", "--kubelet", "1.13.12,1.14.10", "-o", "json"),
    "hash --show-input": ("hash", "--kubelet", "1.13.12", "--show-input", "--show-values"),
    "matrix": ("matrix", "--from", "1.13.12", "--to", "1.14.10"),
    "snapshot": ("snapshot",),
    "audit": ("patch", "--audit", "--strategy", "strip", "--kubelet", "1.9.11", "--like", "1.7.16"),
}

EVERY: Final = tuple(COMMANDS)

PAIRS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "one object": (EVERY, ()),
    "long names": ((), ("plan", "explain", "hash", "audit")),
    "pods of 500 empty containers": (("plan", "hash"), ("plan --keep-going",)),
    "tiny pods in JSON lines": (("plan",), ()),
    "tiny manifests in one JSON list": ((), ("plan",)),
    "as many containers as one run may have": ((), ("plan --keep-going", "hash")),
    "different containers": ((), ("plan", "hash")),
    "long texts": (("plan", "explain"), ("hash", "hash --show-input", "snapshot", "audit")),
    "texts of astral characters": (("plan",), ("hash", "snapshot")),
    "texts with one astral character": (("plan", "explain"), ("hash", "matrix", "snapshot", "audit")),
    "lists of many values": (("plan",), ("explain", "hash")),
    "objects of many keys": ((), ("plan", "explain", "hash")),
    "deep nesting": (("plan",), ("hash", "snapshot")),
    "nodes": (("plan",), ("snapshot",)),
    "YAML aliases": ((), ("plan",)),
}
"""Which commands read which inputs: those that take seconds, and those that belong to the full suite."""


def cases() -> Iterator[object]:
    for case, (quick, full) in PAIRS.items():
        for command in (*quick, *full):
            marks = pytest.mark.full if command in full else ()
            yield pytest.param(command, case, marks=marks, id=f"{command} of {case}")


def test_every_kind_of_input_is_read() -> None:
    assert PAIRS.keys() == bulky.CASES.keys()
    assert {command for quick, full in PAIRS.values() for command in (*quick, *full)} == set(COMMANDS)


@pytest.mark.parametrize(("command", "case"), list(cases()))
def test_no_input_below_100_mb_needs_500_mb(tmp_path: Path, command: str, case: str) -> None:
    path = written(tmp_path / "pods", case)
    run = measured(tmp_path, *COMMANDS[command], "-f", path, seconds=SECONDS)
    check(run.code, run.err, run.peak)


@pytest.mark.parametrize(
    "command",
    ["verify", *(pytest.param(name, marks=pytest.mark.full) for name in ("plan", "snapshot"))],
)
def test_no_log_below_100_mb_needs_500_mb(tmp_path: Path, command: str) -> None:
    """Every line, of as many as are accepted, records another container, and a third of these are given."""
    argv = {"verify": ("verify", "--from", "1.13.12"), **COMMANDS}[command]
    log, path = tmp_path / "kubelet.log", tmp_path / "pods"
    with log.open("w", encoding="utf-8") as stream:
        stream.writelines(bulky.log(SIZE * 6 // 10))
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(bulky.CASES["tiny pods in JSON lines"](SIZE // 7))
    run = measured(tmp_path, *argv, "--recorded", log, "-f", path, seconds=SECONDS)
    check(run.code, run.err, run.peak)


PODS: Final = 150_000
"""Pods that Kubernetes supports in a cluster, of two containers each."""


def test_the_records_of_the_largest_cluster_are_accepted(tmp_path: Path) -> None:
    """300,000 containers and 150,000 sandboxes leave 650 bytes for each container of the pods."""
    records, path = tmp_path / "records", tmp_path / "pods"
    records.mkdir()
    for first in range(0, PODS, 500):
        for name, text in zip(("ps", "pods"), bulky.crictl(range(first, first + 500)), strict=True):
            (records / f"{name}-{first}.json").write_text(text)
    path.write_text("".join(bulky.CASES["tiny pods in JSON lines"](10_000)))
    run = measured(tmp_path, *COMMANDS["plan"], "--recorded", records, "-f", path, seconds=SECONDS)
    assert run.code == 0, run.err
    assert run.peak < MOST - 300_000 * 650, f"{run.peak / 1e6:.0f} MB"


def written(path: Path, case: str) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(bulky.CASES[case](SIZE))
    assert SIZE * 0.3 < path.stat().st_size < SIZE * 1.01
    return path


def check(code: int, err: str, peak: int) -> None:
    """Demand an answer or a clear error, in little memory."""
    assert code in (0, 1, 2, 3), err[-1000:]
    assert code != 1 or err.startswith("Error:"), err[-1000:]
    assert "Traceback" not in err
    assert peak < MOST, f"{peak / 1e6:.0f} MB"
