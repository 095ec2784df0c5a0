"""Ctrl-C and its like at any instant: a documented exit code, no traceback, nothing half written."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import randomness
from tests.helpers.program import ROOT, files_in
from tests.helpers.slices import every

MODULE = (sys.executable, "-m", "hashcompat")
SCRIPT = (sys.executable, "-c", "import re, sys\nfrom hashcompat.__main__ import main\nsys.exit(main())")
"""As pip writes it for the entry that pyproject.toml names."""
HASH = ("hash", "--kubelet", "1.9.11", "--sample", "-n", "shop", "--out")
PROJECT = (ROOT / "pyproject.toml").read_text()
ENTRIES = re.findall(r'^([\w-]+) = "hashcompat\.__main__:(\w+)"$', PROJECT, re.MULTILINE)

INTERRUPTING = """
import os, signal, sys
from hashcompat import __main__ as entry

def interrupting(number):
    left = number
    def count(frame, event, arg):
        nonlocal left
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
    return count

numbers, sys.argv = [int(word) for word in sys.argv[1].split(",")], ["hashcompat", *sys.argv[2:]]
for number in numbers:
    if not (child := os.fork()):
        sys.setprofile(interrupting(number))
        entry.main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)
"""
"""Runs the program once per number, each time interrupted at that call or return of a function."""


@pytest.fixture(autouse=True)
def usual_signals() -> Iterator[None]:
    """Let programs see signals as from a terminal: what runs the tests may ignore some, as nohup does."""
    usual: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def started(command: tuple[str, ...], *arguments: object) -> subprocess.Popen[str]:
    """Start a program, and wait until it handles signals itself: what comes before is Python's own start."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*command, *map(str, arguments)], stdout=pipe, stderr=pipe, text=True)
    status = Path(f"/proc/{process.pid}/status")
    while not caught(status.read_text()) & 1 << (signal.SIGTERM - 1):
        time.sleep(0.0005)
    return process


def caught(status: str) -> int:
    """Return the mask of signals that a process handles."""
    match = re.search(r"^SigCgt:\s*([0-9a-f]+)", status, re.MULTILINE)
    return int(match[1], 16) if match else ~0  # it has ended already


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc, which Linux has")


def test_every_script_enters_where_interruptions_are_caught_first() -> None:
    assert dict(ENTRIES) == {
        "hashcompat": "main",
        "kubectl-hashcompat": "main",
        "kubectl_complete-hashcompat": "complete_for_kubectl",
    }


def test_nothing_is_imported_before_interruptions_are_caught() -> None:
    code = """
import os, signal, sys
before = {*sys.modules}
def caught(*_):
    print(*sorted({*sys.modules} - before))
    sys.stdout.flush()
    os._exit(0)
signal.signal = caught
from hashcompat.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = ["hashcompat", "hashcompat.__main__", "hashcompat.cli"]
    assert done.stdout.split() == ["__future__", *modules]


def test_an_interruption_at_any_call_is_130_and_leaves_nothing(tmp_path: Path) -> None:
    """The numbers reach from the first import to the interpreter's end."""
    numbers = [50, 500, 2_000, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 240_000, 10_000_000]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTING, ",".join(map(str, numbers)), *HASH, tmp_path / "hashes.json"],
        capture_output=True,
        text=True,
        check=True,
    )
    words = done.stderr.split()
    assert [words.count(code) for code in ("130", "0")] == [len(numbers) - 1, 1]
    assert "Traceback" not in done.stderr
    assert files_in(tmp_path) == ["hashes.json"]
    assert json.loads((tmp_path / "hashes.json").read_text())["kind"] == "HashList"


NAMING = """
import os, signal, sys
from hashcompat import __main__ as entry

def naming(number, name):
    left = number
    def count(frame, event, arg):
        nonlocal left
        place = frame.f_globals["__name__"], frame.f_code.co_name
        if event == "call" and place == ("functools", "__set_name__"):
            left -= 1
            if left == 0:
                signal.raise_signal(signal.Signals[name])
    return count

function, name, *sys.argv = sys.argv[1:]
for number in 1, 2, 4, 8, 16, 10_000:
    if not (child := os.fork()):
        sys.setprofile(naming(number, name))
        getattr(entry, function)()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs the program once per number, each time interrupted where a class names that cached property."""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", "130"), ("SIGTERM", "143")])
@pytest.mark.parametrize("function", ["main", "complete_for_kubectl"])
def test_an_interruption_while_a_class_is_made_is_not_a_bug(function: str, name: str, code: str) -> None:
    """Python 3.11 makes a RuntimeError of it."""
    command = [sys.executable, "-c", NAMING, function, name, "hashcompat", "plan", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    codes = [line for line in done.stdout.splitlines() if re.fullmatch(r"\d+", line)]
    assert codes == [code] * 5 + ["0"]
    assert done.stderr == ("\nError: interrupted\n" * 5 if name == "SIGINT" else "")


DELAYS = (0, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("command", [MODULE, SCRIPT], ids=["module", "script"])
def test_an_interruption_after_any_delay_is_130_or_too_late(command: tuple[str, ...], tmp_path: Path) -> None:
    for delay in DELAYS[:: 1 if randomness.FRESH else 3]:
        with started(command, *HASH, tmp_path / "hashes.json") as process:
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 130), err
        assert "Traceback" not in err
        assert {*files_in(tmp_path)} <= {"hashes.json"}
        (tmp_path / "hashes.json").unlink(missing_ok=True)


@needs_proc
@pytest.mark.parametrize(
    ("number", "code", "says"),
    every(
        2,
        [
            (signal.SIGINT, 130, "\nError: interrupted\n"),
            (signal.SIGHUP, 129, ""),
            (signal.SIGTERM, 143, ""),
        ],
    ),
)
def test_a_signal_while_input_is_awaited_ends_the_program(
    number: signal.Signals, code: int, says: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pods")
    with started(MODULE, *HASH[:3], "-f", tmp_path / "pods") as process:
        while "partner" not in Path(f"/proc/{process.pid}/wchan").read_text():
            time.sleep(0.01)  # until it waits for somebody who writes
        process.send_signal(number)
        assert process.communicate(timeout=60) == ("", says)
    assert process.returncode == code


@needs_proc
def test_signals_that_are_ignored_stay_ignored(tmp_path: Path) -> None:
    """So ``nohup hashcompat ... &`` outlives its terminal."""
    os.mkfifo(tmp_path / "pods")
    shell = ("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh", *MODULE)
    with started(shell, *HASH[:3], "-f", tmp_path / "pods") as process:
        for number in (signal.SIGINT, signal.SIGHUP):
            process.send_signal(number)
        time.sleep(0.2)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 143


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_a_destructor_is_not_lost(number: signal.Signals, code: int) -> None:
    program = f"""
import signal
from hashcompat import cli
class Ends:
    def __del__(self):
        signal.raise_signal({int(number)})
cli.catch_signals()
Ends()
print("went on")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_other_errors_in_a_destructor_are_reported_as_ever() -> None:
    program = """
from hashcompat import cli
class Fails:
    def __del__(self):
        raise ValueError("here")
cli.catch_signals()
Fails()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "ValueError: here" in done.stderr
