"""``plan`` on a real terminal: it fits the screen, and the first one has the whole answer."""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from hashcompat.cli.output import room
from hashcompat.output.report.model import Screen
from tests.helpers.program import ROOT, Run

PLAN = ("plan", "--sample", "--from", "1.7.16", "--to", "1.9.11")
FIRST_SCREEN = """\
66 of 66 running containers restart: 28 owners on 5 nodes, for 2 reasons; 9 more
   are never compared
Read from the built-in sample: 58 pods on 5 nodes
Kubelet 1.7.16 (5 nodes) -> 1.9.11

NAMESPACE    OWNER                              RESTART  RUNNING  NODES  REASONS
kube-system  DaemonSet/calico-node              10       10       5      1
kube-system  Deployment/kube-dns                6        6        2      1
kube-system  DaemonSet/kube-proxy               5        5        5      1
monitoring   DaemonSet/promet…us-node-exporter  5        5        5      1
… and 24 more owners: --group-by owner shows all

1. HC004 (62 containers): new field MountPropagation, VolumeDevices, AllowPrivi…
2. HC022 (4 containers): static pod: 1.9.11 gives it another UID, unless its ma…
Assumed: 3 things; besides restarts: 1 consequence; -v lists them
Warning: 1.7.16 -> 1.9.11: in-place minor upgrades of a kubelet are not supporte
d: drain the node first (kubernetes/kubernetes#129385)
Otherwise: 55 + 66 one minor at a time, 66 on rollback, 60 fewer if patched
Next: hashcompat explain kube-system/calico-node-xhkpj --from 1.7.16 --to 1.9.11
 --sample
      hashcompat patch --kubelet 1.9.11 --like 1.7.16
1.7.16 -> 1.9.11: 66 of 66 running containers restart in 53 of 58 pods on 5 node
s; 0 kept, 0 unknown; 9 more are never compared
"""


def on_terminal(columns: int, lines: int, *argv: str, **environment: str) -> str:
    """Return what the program prints on a terminal of a size."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    known = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "hashcompat", *argv]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env={**known, "PYTHONUTF8": "1", "NO_COLOR": "1", **environment},
    ):
        os.close(follower)
        pieces = []
        with suppress(OSError):  # how Linux reports that nobody writes any more
            while piece := os.read(leader, 1 << 16):
                pieces.append(piece)
    os.close(leader)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def screen(text: str, columns: int) -> str:
    """Return the lines of a screen, on which longer ones go on below."""
    lines = (line[start : start + columns] for line in text.splitlines() for start in starts(line, columns))
    return "".join(f"{line}\n" for line in lines)


def starts(line: str, columns: int) -> range:
    return range(0, max(len(line), 1), columns)


def test_the_first_screen_answers_how_many_whose_why_and_what_next() -> None:
    shown = screen(on_terminal(80, 24, *PLAN), 80)
    assert shown == FIRST_SCREEN
    assert len(shown.splitlines()) == 23, "and one line for the prompt"


def test_columns_and_lines_count_more_than_the_terminal() -> None:
    shown = on_terminal(80, 24, *PLAN, COLUMNS="50", LINES="60")
    result = shown.partition("\nAssumed:")[0].splitlines()
    assert max(map(len, result)) == 50
    assert len(result) > 30


@pytest.mark.parametrize(
    ("columns", "lines", "below", "taken"),
    [(80, 24, (), 1), (80, 24, ("x" * 80, "x" * 81, ""), 5), (10, 24, ("中" * 6,), 3)],
)
def test_what_is_printed_below_takes_lines(
    columns: int, lines: int, below: tuple[str, ...], taken: int
) -> None:
    assert room(columns, lines, below) == Screen(columns, lines - taken)


def test_off_a_terminal_neither_counts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(*PLAN).out
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "10")
    assert run(*PLAN).out == whole
    assert "…" not in whole


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--sort-by", "age"), "'age' is not one of 'restarts', 'name', 'node', 'namespace'"),
        (("--group-by", "pod"), "'pod' is not one of 'owner', 'node', 'namespace', 'reason', 'none'"),
        (("--group-by", "node", "-o", "json"), "--group-by goes with -o table, not with -o json"),
        (
            ("--group-by", "node", "--sort-by", "namespace"),
            "--sort-by namespace: node groups are sorted by restarts, name, node",
        ),
    ],
)
def test_what_cannot_be_arranged_is_a_usage_error(run: Run, argv: tuple[str, ...], message: str) -> None:
    result = run(*PLAN, *argv)
    assert (result.code, result.out) == (64, "")
    assert message in result.err


def next_of(err: str) -> list[list[str]]:
    """Return the words of the commands to go on with."""
    commands = err.partition("\nNext: ")[2].splitlines()[:-1]
    return [shlex.split(command) for command in commands]


def test_the_next_commands_can_be_pasted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my pods.json"
    path.write_bytes((ROOT / "hashcompat" / "sample" / "cluster.json").read_bytes())
    argv = ("--from", "1.7.16", "--to", "1.9.11", "-f", path, "-n", "shop", "-n", "data")
    explain, patch = next_of(run("plan", *argv).err)
    explained = run(*explain[1:])
    assert (explain[1], explained.code) == ("explain", 0)
    assert explained.out.startswith(f"{explain[2]}/")
    assert patch == ["hashcompat", "patch", "--kubelet", "1.9.11", "--like", "1.7.16"]
    (preflight,) = next_of(run("plan", "--from", "1.9.10", "--override-node-releases", *argv[2:]).err)
    assert preflight[1:5] == ["preflight", "--to", "1.9.11", "--no-node"]
    assert run(*preflight[1:]).code in (0, 2, 3)


def test_the_nodes_to_drain_can_be_pasted(run: Run) -> None:
    argv = ("--sample", "--from", "1.31.0", "--to", "1.34.0")
    _, nodes = next_of(run("plan", *argv).err)
    assert nodes[1] == "plan"
    assert "node-a1" in run(*nodes[1:]).out


def test_names_are_of_findings_and_unknown_ones(run: Run) -> None:
    argv = ("plan", "--sample", "--from", "1.31.0", "--to", "1.34.0")
    items = run(*argv, "-o", "json").items
    names = [
        "/".join(item[key] for key in ("namespace", "pod", "container"))
        for item in items
        if item["verdict"] != "KEEP"
    ]
    assert run(*argv, "-o", "name").out.splitlines() == names
    assert len(run(*argv, "-o", "name", "--all").out.splitlines()) == len(items) > len(names) > 0


def test_the_source_is_named_with_its_age(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pods.json"
    path.write_bytes((ROOT / "hashcompat" / "sample" / "cluster.json").read_bytes())
    os.utime(path, (0, 86_400))
    result = run("plan", "--from", "auto", "--to", "1.9.11", "-f", path)
    assert f"\nRead from {path}, taken 2024-06-02T14:20:10Z, " in result.out
    assert " days old: 58 pods on 5 nodes\nKubelet v1.7.16 (5 nodes) -> 1.9.11\n" in result.out
    source = run("plan", "--from", "auto", "--to", "1.9.11", "-f", path, "-o", "json").document["spec"][
        "source"
    ]
    assert source == {
        "kind": "files",
        "names": [str(path)],
        "context": "",
        "server": "",
        "oldest": "1970-01-02T00:00:00Z",
        "takenAt": "2024-06-02T14:20:10Z",
        "clusterUID": "",
    }
