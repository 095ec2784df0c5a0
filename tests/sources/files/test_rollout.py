"""The state of a rollout in a file: written whole, by one at a time."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.impact import Phase, Rollout, Turn
from hashcompat.sources.files import rollout
from hashcompat.sources.files.rollout import RolloutFile

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TURN = Turn(Phase.STARTED, "1", "ci@a", "sha256:1", NOON)
MANY = 50


def test_a_file_that_is_not_there_is_a_rollout_that_has_not_begun(tmp_path: Path) -> None:
    state = RolloutFile(tmp_path / "state.json")
    assert state.update(lambda current: (None, current)) == state.read() == Rollout()
    assert not (tmp_path / "state.json").exists()
    assert state.update(lambda _: (Rollout({"a": TURN}), "written")) == "written"
    assert state.read() == Rollout({"a": TURN})
    assert (tmp_path / "state.json").stat().st_mode & 0o777 == 0o600


def test_of_those_that_begin_together_one_writes(tmp_path: Path) -> None:
    """Each adds a node to what it read: with none lost, no two read the same."""

    def add(number: int) -> None:
        state = RolloutFile(tmp_path / "state.json")
        state.update(lambda current: (Rollout({**current.turns, f"n{number}": TURN}), None))

    with ThreadPoolExecutor(MANY) as pool:
        list(pool.map(add, range(MANY)))
    assert len(RolloutFile(tmp_path / "state.json").read().turns) == MANY


def test_a_process_that_is_killed_leaves_the_state_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state = RolloutFile(path)
    state.update(lambda _: (Rollout({"a": TURN}), None))
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        "from hashcompat.sources.files.rollout import RolloutFile\n"
        "def edit(rollout):\n print('holds', flush=True)\n time.sleep(600)\n"
        "RolloutFile(Path(sys.argv[1])).update(edit)"
    )
    with subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"holds\n"
        os.kill(process.pid, signal.SIGKILL)
    start = time.monotonic()
    state.update(lambda current: (Rollout({**current.turns, "b": TURN}), None))
    assert time.monotonic() - start < 60
    assert [*state.read().turns] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "want one JSON document"),
        (b"{}", "want RolloutState"),
        (b"\xff", ""),
        (b"x" * 101, "more than 100 bytes"),
    ],
)
def test_what_is_no_state_is_refused_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, why: str
) -> None:
    monkeypatch.setattr(rollout, "LONGEST_TEXT", 100)
    path = tmp_path / "state.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"state\.json: ") as error:
        RolloutFile(path).update(lambda _: (Rollout({"a": TURN}), None))
    assert why in str(error.value)
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none/state\.json: cannot be locked: No such file"):
        RolloutFile(tmp_path / "none" / "state.json").update(lambda _: (None, None))
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        RolloutFile(tmp_path).read()
    (tmp_path / "state.json").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        RolloutFile(tmp_path / "state.json")._write(json.dumps({}))


@pytest.mark.parametrize("table", [True, False])
def test_a_lock_is_waited_for_as_long_as_it_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: bool
) -> None:
    """Whoever holds it is named where the system knows; the state stays as it is."""
    monkeypatch.setattr(rollout, "LOCK_SECONDS", 0.2)
    if not table:
        monkeypatch.setattr(rollout, "_LOCKS", tmp_path / "none")
    path = tmp_path / "state.json"
    with (tmp_path / "state.json.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(InputError) as caught:
            RolloutFile(path).update(lambda _: (Rollout({"a": TURN}), None))
    holder = f"the process {os.getpid()} (" if table else "another process, which this system does not name"
    assert f"{path}.lock: locked for more than 0.2 s by {holder}" in str(caught.value)
    assert not path.exists()
    RolloutFile(path).update(lambda _: (Rollout({"a": TURN}), None))


def test_neither_a_pipe_nor_a_link_keeps_a_gate_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: not a regular file"):
        RolloutFile(tmp_path / "pipe").read()
    (tmp_path / "state.json.lock").symlink_to(tmp_path / "made")
    with pytest.raises(InputError, match="cannot be locked"):
        RolloutFile(tmp_path / "state.json").update(lambda _: (None, None))
    assert not (tmp_path / "made").exists()
