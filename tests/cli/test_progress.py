"""Progress is a line on a terminal and nowhere else, from the third second on, and nothing of it is left."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hashcompat.cli import progress
from hashcompat.cli.progress import Progress
from hashcompat.sources.files import collect, spans
from tests.helpers.bundles import packed
from tests.helpers.pods import as_json, listed, pod
from tests.helpers.program import SAMPLE

CLEAR = "\r\x1b[K"


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return where lines go, which are drawn at once."""
    monkeypatch.setattr(progress, "_AFTER", 0.0)
    return []


def line_of(made: Progress, drawn: list[str]) -> str:
    made.draw()
    return drawn[-1].removeprefix(CLEAR)


def test_the_line_says_how_much_is_done_of_how_much_and_how_long_it_takes(drawn: list[str]) -> None:
    made = Progress(wanted=True, write=drawn.append)
    made.stage("Reading a.json", 4_000_000)
    assert line_of(made, drawn) == "Reading a.json: 0 s"
    made._stage_begun -= 10
    made.add(1_000_000)
    assert line_of(made, drawn) == "Reading a.json: 25 % of 4.0 MB, 30 s left"
    made.add(2_000_000)
    assert line_of(made, drawn) == "Reading a.json: 75 % of 4.0 MB, 3 s left"
    made.stage("Reading b.json")
    made._stage_begun -= 80
    assert line_of(made, drawn) == "Reading b.json: 1 min 20 s"
    made.add(12_345_678)
    assert line_of(made, drawn) == "Reading b.json: 12 MB, 1 min 20 s"
    made.end()
    assert drawn[-1] == CLEAR
    before = len(drawn)
    made.draw()
    made.end()
    assert len(drawn) == before


def test_a_short_run_shows_nothing_and_a_quiet_one_neither() -> None:
    drawn: list[str] = []
    made = Progress(wanted=True, write=drawn.append)
    made.stage("Reading")
    made.draw()
    made.end()
    quiet = Progress(wanted=False, write=drawn.append)
    quiet.stage("Reading", 1)
    quiet.add(1)
    quiet.draw()
    assert drawn == []


def test_it_makes_room_for_other_lines(drawn: list[str]) -> None:
    made = Progress(wanted=True, write=drawn.append)
    made.stage("Reading")
    made.draw()
    with made.aside():
        assert drawn[-1] == CLEAR
        made.draw()
        assert drawn[-1] == CLEAR
    made.draw()
    assert drawn[-1] != CLEAR


def test_nothing_is_drawn_while_somebody_may_type(drawn: list[str]) -> None:
    made = Progress(wanted=True, write=drawn.append)
    made.stage("Reading")
    made.draw()
    made.stage("")
    assert drawn[-1] == CLEAR
    made.draw()
    assert drawn[-1] == CLEAR


def test_typed_input_is_not_drawn_over(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = Recorded()
    stdin = io.TextIOWrapper(io.BytesIO(as_json(pod())))
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stdin)
    collect.collect(("-",), meter=meter)
    assert meter.stages[0] == ("", 0)


def test_a_name_fakes_nothing(drawn: list[str]) -> None:
    made = Progress(wanted=True, write=drawn.append)
    made.stage("Reading \x1b[2J")
    assert line_of(made, drawn) == "Reading \\x1b[2J: 0 s"


class Recorded:
    """What a meter is told."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int]] = []
        self.done: list[int] = []

    def stage(self, doing: str, total: int = 0) -> None:
        self.stages.append((doing, total))
        self.done.append(0)

    def add(self, number: int) -> None:
        self.done[-1] += number


@pytest.mark.slow
def test_files_are_counted_by_their_bytes_packed_as_they_are(tmp_path: Path) -> None:
    text = json.dumps(listed(*(pod(name=str(number)) for number in range(5000)))).encode()
    for name, data in {"a.json": text, "b.json.gz": gzip.compress(text)}.items():
        path, meter = tmp_path / name, Recorded()
        path.write_bytes(data)
        pods = collect.collect((str(path),), meter=meter).pods
        assert len(list(pods)) == 5000
        doing = [f"Reading {path}", f"Looking through {path}", f"Reading the pods of {path}"]
        assert meter.stages == [(doing[0], 0), (doing[1], len(data)), (doing[2], len(data))]
        assert meter.done[2] == len(data)
        assert meter.done[1] == len(data)


def test_what_is_unpacked_or_copied_is_counted(tmp_path: Path) -> None:
    path, meter = tmp_path / "a.tar", Recorded()
    path.write_bytes(packed({f"{number}.json": as_json(pod(name=str(number))) for number in range(99)}))
    list(collect.collect((str(path),), meter=meter).pods)
    assert meter.stages[1] == (f"Unpacking {path}", path.stat().st_size)
    assert 0 < meter.done[1] <= path.stat().st_size
    assert meter.stages[-1][0] == "Reading the pods of 99 files"


def test_forked_processes_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn: list[str]
) -> None:
    monkeypatch.setattr(spans, "LEAST", 1 << 10)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(listed(*(pod(name=str(number)) for number in range(500))), indent=4))
    made = Progress(wanted=True, write=drawn.append)
    collect.collect((str(path),), jobs=3, meter=made)
    assert sum(made._counts) >= path.stat().st_size
    assert sum(1 for number in made._counts if number) > 1


COMMAND = [sys.executable, "-m", "hashcompat", "plan", "--to", "1.31", "-o", "json", "-f", "-"]


def slowly_run(stderr: int) -> subprocess.Popen[bytes]:
    """Run a plan whose input comes in two halves, the second one after the line is due."""
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
    text = SAMPLE.read_bytes()

    def feed() -> None:
        assert process.stdin
        with process.stdin:
            process.stdin.write(text[: len(text) // 2])
            process.stdin.flush()
            time.sleep(progress._AFTER + 2)
            process.stdin.write(text[len(text) // 2 :])

    threading.Thread(target=feed, daemon=True).start()
    return process


@pytest.mark.slow
def test_a_terminal_shows_it_from_the_third_second_on_and_a_pipe_never() -> None:
    controller, terminal = pty.openpty()
    with slowly_run(terminal) as on_terminal, slowly_run(subprocess.PIPE) as on_pipe:
        os.close(terminal)
        assert on_terminal.stdout
        assert on_pipe.stdout
        assert on_pipe.stderr
        out, err = on_terminal.stdout.read(), read_all(controller)
        assert on_pipe.stdout.read() == out
        plain = on_pipe.stderr.read().decode()
    assert (on_terminal.returncode, on_pipe.returncode) == (0, 0)
    assert json.loads(out)["kind"] == "RestartPlan"
    shown = [text for text in err.split(CLEAR)[1:] if text]
    assert shown[0].startswith("Reading standard input: ")
    assert " kB, " in shown[0]
    assert not any(line.startswith("Reading") for line in err.split(CLEAR)[-1].splitlines())
    for sign in ("\r", "\x1b", "Reading standard input"):
        assert sign not in plain


def read_all(controller: int) -> str:
    """Return what was written to a terminal, until nobody has it open."""
    output = b""
    while True:
        try:
            data = os.read(controller, 1 << 16)
        except OSError:  # Linux says so where the last one closed it
            data = b""
        if not data:
            os.close(controller)
            return output.decode()
        output += data
