"""The runtime of a node: which socket it is behind, and how it is started again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.preflight import CONTAINERD
from hashcompat.output.rewriting import runtimes
from hashcompat.output.rewriting.runtimes import NodeRuntime
from hashcompat.sources import programs
from tests.helpers import fakecontainerd
from tests.helpers.fakecontainerd import Fake, container

ID = hashlib.sha256(b"p").hexdigest()
UNITS = {"usual.sock": "containerd.service", "k3s.sock": "", "snap.sock": "snap.service"}


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the usual sockets in a directory of the test."""
    units = {str(tmp_path / name): unit for name, unit in UNITS.items()}
    monkeypatch.setattr(runtimes, "_UNITS", {**runtimes._UNITS, CONTAINERD: units})
    return tmp_path


@pytest.fixture
def daemons(usual: Path) -> Iterator[dict[str, Fake]]:
    """Run a containerd behind two of them; the one of k3s has the container."""
    with ExitStack() as stack:
        fakes = {
            name: stack.enter_context(fakecontainerd.running(usual / name))
            for name in ("usual.sock", "k3s.sock")
        }
        fakes["k3s.sock"].add(container(ID, "1"))
        yield fakes


def test_the_socket_with_the_containers_is_taken(daemons: dict[str, Fake]) -> None:
    daemons["k3s.sock"].version = "1.7.35-k3s1"
    with NodeRuntime(CONTAINERD, "").place({ID}) as (place, runtime):
        assert runtime == "containerd://1.7.35-k3s1"
        assert [entry.id for entry in place.find({ID})] == [ID]
    daemons["usual.sock"].version = "2.2.9"
    shown, runtime = NodeRuntime(CONTAINERD, "").answered(())
    assert (shown, runtime) == ({}, "containerd://2.2.9")


def test_a_socket_behind_which_nothing_answers_is_passed_over(usual: Path) -> None:
    for name in UNITS:
        (usual / name).touch()
    with pytest.raises(InputError, match="cannot ask the runtime"):
        NodeRuntime(CONTAINERD, "").answered({ID})


def test_without_a_socket_the_usual_ones_are_named(usual: Path) -> None:
    with pytest.raises(
        InputError, match=f"no socket of containerd at {usual}/usual.sock, .*--runtime-endpoint"
    ):
        NodeRuntime(CONTAINERD, "").answered(())


@pytest.mark.parametrize("call", [lambda node: node.place(()).__enter__(), lambda node: node.answered(())])
def test_other_runtimes_keep_their_records(call: Callable[[NodeRuntime], object]) -> None:
    with pytest.raises(InputError, match="the records of rkt cannot be rewritten"):
        call(NodeRuntime("rkt", "rkt://1.30.0"))


class Systemctl:
    """Runs no program; says which commands there were, and lets a daemon come back late."""

    def __init__(self, daemon: Fake | None, late: int = 0) -> None:
        self.daemon, self.late, self.commands = daemon, late, list[list[str]]()

    def output(self, command: list[str], _seconds: float, _directory: str) -> bytes:
        self.commands.append(command)
        if self.daemon is not None:
            self.daemon.fail = self.fail
        return b""

    def fail(self, _method: str) -> tuple[int, str] | None:
        self.late -= 1
        return (14, "not%20yet") if self.late >= 0 else None


def test_the_unit_behind_the_socket_is_restarted(
    daemons: dict[str, Fake], usual: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Systemctl(daemons["usual.sock"], late=2)
    monkeypatch.setattr(programs, "find", lambda name: f"/bin/{name}")
    monkeypatch.setattr(programs, "output", made.output)
    NodeRuntime(CONTAINERD, "").restart()
    assert made.commands == [["/bin/systemctl", "restart", "containerd.service"]]
    assert made.late < 0
    with pytest.raises(InputError, match="no unit of systemd is known"):
        NodeRuntime(CONTAINERD, "", str(usual / "k3s.sock")).restart()
    made.late = 1 << 20
    monkeypatch.setattr(runtimes, "_ANSWER_SECONDS", 0.0)
    with pytest.raises(InputError, match="was restarted, and does not answer"):
        NodeRuntime(CONTAINERD, "").restart()
    assert len(made.commands) == 2


def test_a_runtime_that_is_stopped_is_started(usual: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Docker was stopped before, and no socket is there."""
    made = Systemctl(None)
    monkeypatch.setattr(programs, "find", lambda name: f"/bin/{name}")
    monkeypatch.setattr(programs, "output", made.output)
    monkeypatch.setattr(runtimes, "_ANSWER_SECONDS", 0.0)
    with pytest.raises(InputError, match="does not answer"):
        NodeRuntime(CONTAINERD, "").restart()
    assert made.commands == [["/bin/systemctl", "restart", "containerd.service"]]
    assert not any(usual.iterdir())
