"""Records rewritten in a real containerd: what changes, what stays, and what every kind of failure leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scripts.suites import containerd
from tests.helpers import daemons, processes
from tests.helpers.program import ROOT, Result, Run
from tests.suites.runtime import rewriting
from tests.suites.runtime.rewriting import EXTENSION, NEW, Lab, recorded

pytestmark = pytest.mark.runtime

PROGRAM = Path(sys.executable).with_name("hashcompat")
CALLS = ("fsync", "recvfrom", "rename", "sendto")
"""The system calls at which it is killed: those by which something outside of it changes, or that show it."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        rewriting.lab(Path(directory), 10, 5) as made,
    ):
        yield made


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are made today: an old one would be refused."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


@pytest.fixture
def made(lab: Lab, run: Run) -> Iterator[Lab]:
    """The node with a document; afterwards each record is the old one again."""
    result = lab.make(run)
    assert result.code == 0, result.err
    before = lab.stored()
    yield lab
    if lab.undo.exists():
        result = run(*lab.words("undo"), "--write")
        assert result.code == 0, result.err
        lab.undo.unlink()
    assert lab.stored() == before


def states(result: Result) -> dict[str, int]:
    assert result.out, result.err
    return {key: number for key, number in result.document["summary"].items() if number}


def without_extension(stored: bytes) -> Any:
    content = json.loads(stored)
    content["Extensions"].pop(EXTENSION)
    return content


def test_there_and_back(made: Lab, run: Run) -> None:
    there_and_back(made, run, 50)


@pytest.mark.parametrize(
    "version",
    [
        version if version == containerd.SLICE else pytest.param(version, marks=pytest.mark.full)
        for version in containerd.VERSIONS
    ],
)
def test_there_and_back_in_each_containerd(version: str, run: Run) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        rewriting.lab(Path(directory), 3, 4, containerd.built(version)) as lab,
    ):
        assert lab.make(run).code == 0
        there_and_back(lab, run, 12)
        seen = run(*lab.words("check"))
        assert seen.document["spec"]["runtime"] == f"containerd://{version}"


def there_and_back(made: Lab, run: Run, number: int) -> None:
    """Rewrite all records of a node, look at each place where one shows, and go back."""
    before, stored = made.shown(), made.stored()
    assert states(run(*made.words("apply"))) == {"ready": number}
    assert not made.undo.exists()
    done = run(*made.words("apply"), "--write")
    assert done.code == 0, done.err
    assert states(done) == {"rewritten": number}
    assert made.undo.stat().st_mode & 0o777 == 0o600
    changed = made.stored()
    specs = {
        f"{pod['metadata']['name']}/{spec['name']}": spec
        for pod in made.pods
        for spec in pod["spec"]["containers"]
    }
    for name, (_, _, identity, _) in before.items():
        was, now = (json.loads(state[identity])["Extensions"][EXTENSION] for state in (stored, changed))
        assert was["type_url"] == now["type_url"]
        assert without_extension(stored[identity]) == without_extension(changed[identity]), name
    waiting = run(*made.words("check"))
    assert (waiting.code, states(waiting)) == (2, {"not_yet": number})
    made.restart_containerd()
    after = made.shown()
    assert {name: row[0] for name, row in after.items()} == {
        name: recorded(spec, NEW) for name, spec in specs.items()
    }
    assert {name: row[1:] for name, row in after.items()} == {name: row[1:] for name, row in before.items()}
    seen = run(*made.words("check"))
    assert (seen.code, states(seen)) == (0, {"shown": number})
    assert states(run(*made.words("apply"), "--write")) == {"already": number}
    undone = run(*made.words("undo"), "--write")
    assert undone.code == 0, undone.err
    assert states(undone) == {"restored": number}
    assert states(run(*made.words("undo"), "--write")) == {"already": number}
    assert made.stored() == stored
    made.restart_containerd()
    assert made.shown() == before


def killed_at(lab: Lab, call: str, number: int) -> int:
    """Run ``apply --write`` and kill it when it begins a system call; return how it ended."""
    words = [str(PROGRAM), *map(str, lab.words("apply")), "--write"]
    inject = f"inject={call}:signal=SIGKILL:when={number}"
    command = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, *words]
    return subprocess.run(command, capture_output=True, check=False).returncode


def calls_of(lab: Lab) -> Counter[str]:
    """Count the system calls of a whole run."""
    log = lab.node.directory / "strace.log"
    words = [str(PROGRAM), *map(str, lab.words("apply")), "--write"]
    command = ["strace", "-qq", "-o", str(log), "-e", f"trace={','.join(CALLS)}", *words]
    subprocess.run(command, capture_output=True, check=True)
    return Counter(re.findall(r"^([a-z]+)\(", log.read_text(), re.MULTILINE))


def places(calls: Counter[str], *, every: bool) -> Iterator[tuple[str, int]]:
    """Yield at which call of which number a run is killed: at every one, or at some of each."""
    for call, number in sorted(calls.items()):
        chosen = (
            range(1, number + 1) if every else {number * 9 // 10 or 1, number // 2 or 1, number // 3 or 1}
        )
        yield from ((call, place) for place in sorted(chosen))


@pytest.mark.full
@pytest.mark.parametrize("every", [False, True])
def test_a_run_that_is_killed_at_any_system_call_can_be_taken_up_or_undone(
    made: Lab, run: Run, *, every: bool
) -> None:
    stored = made.stored()
    calls = calls_of(made)
    whole = made.stored()
    assert run(*made.words("undo"), "--write").code == 0
    made.undo.unlink()
    partly = 0
    for number, place in enumerate(places(calls, every=every)):
        ended = killed_at(made, *place)
        now = made.stored()
        # how many answers come at once differs from run to run
        assert ended == -signal.SIGKILL or (ended == 0 and now == whole), place
        assert all(
            now[container_id] in (stored[container_id], whole[container_id]) for container_id in stored
        ), place
        assert now == stored or made.undo.exists(), place
        partly += now not in (stored, whole)
        if number % 2 and made.undo.exists():
            assert run(*made.words("undo"), "--write").code == 0
            assert made.stored() == stored, place
        assert run(*made.words("apply"), "--write").code == 0
        assert made.stored() == whole, place
        assert run(*made.words("undo"), "--write").code == 0
        assert made.stored() == stored, place
        made.undo.unlink()
    assert partly


def test_containerd_that_is_killed_in_the_middle_loses_nothing(made: Lab, run: Run) -> None:
    stored = made.stored()
    words = [str(PROGRAM), *map(str, made.words("apply")), "--write"]
    delay = "inject=sendto:delay_enter=20000"
    with subprocess.Popen(
        ["strace", "-qq", "-o", "/dev/null", "-e", "trace=sendto", "-e", delay, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 120
        while not made.undo.exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        time.sleep(0.5)
        made.restart_containerd(signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "apply again goes on, undo goes back" in err
    between = made.stored()
    assert between != stored
    assert states(run(*made.words("apply"), "--write")).keys() == {"already", "rewritten"}
    whole = made.stored()
    assert all(
        between[container_id] in (stored[container_id], whole[container_id]) for container_id in stored
    )


def test_a_full_disk_is_found_before_the_first_change(made: Lab, run: Run) -> None:
    stored, place = made.stored(), made.node.directory / "full"
    place.mkdir()
    size = made.document.stat().st_size + (64 << 10)
    subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)], check=True)
    try:
        document = place / "n.json"
        words = [document if word == made.document else word for word in made.words("apply")]
        document.write_bytes(made.document.read_bytes())
        result = run(*words, "--write")
        assert (result.code, "MB are needed" in result.err) == (1, True)
        assert [path.name for path in place.iterdir()] == ["n.json"]
    finally:
        subprocess.run(["/bin/umount", str(place)], check=True)
    assert made.stored() == stored


def test_a_kubelet_that_runs_is_refused(lab: Lab, run: Run) -> None:
    kubelet = lab.node.directory / "kubelet"
    kubelet.symlink_to("/bin/sleep")
    assert lab.make(run).code == 0
    stored = lab.stored()
    with processes.running([kubelet, "60"], lab.node.directory / "kubelet.log"):
        time.sleep(0.2)
        result = run(*lab.words("apply"), "--write")
        assert result.code == 1
        assert "a kubelet runs" in result.err
        assert run(*lab.words("apply")).code == 0
    assert lab.stored() == stored


def test_the_document_of_another_node_is_refused(lab: Lab, run: Run) -> None:
    assert lab.make(run).code == 0
    words = [word if word != rewriting.NODE else "other" for word in lab.words("apply")]
    result = run(*words, "--write")
    assert (result.code, "no node other in it" in result.err) == (1, True)


def test_a_container_that_was_created_again_is_skipped(lab: Lab, run: Run) -> None:
    lab.restart_containerd()  # so that it shows what was undone before
    assert lab.make(run).code == 0
    name, (_, _, identity, _) = next(iter(lab.shown().items()))
    lab.node.cri("stop", "--timeout", "0", identity)
    lab.node.cri("rm", identity)
    result = run(*lab.words("apply"), "--write")
    assert states(result) == {"rewritten": 49, "skipped": 1}
    (skipped,) = (row for row in result.document["items"] if row["state"] == "skipped")
    assert f"{skipped['pod']}/{skipped['container']}" == name
    assert states(run(*lab.words("undo"), "--write")) == {"restored": 49}


LAYOUTS = {
    "k3s-agent": (
        "/var/lib/rancher/k3s/agent/containerd",
        "/run/k3s/containerd",
        "/run/k3s/containerd/containerd.sock",
        "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
        "/var/lib/rancher/k3s/data/current/bin",
    ),
    "rke2-agent": (
        "/var/lib/rancher/rke2/agent/containerd",
        "/run/k3s/containerd",
        "/run/k3s/containerd/containerd.sock",
        "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
        "/var/lib/rancher/rke2/bin",
    ),
    "k0sworker": (
        "/var/lib/k0s/containerd",
        "/run/k0s/containerd",
        "/run/k0s/containerd.sock",
        "/etc/k0s/containerd.toml",
        "/var/lib/k0s/bin",
    ),
}
"""By unit where the containerd of a distribution is: its root, state, socket, configuration and programs."""
SYSTEMCTL = """#!/bin/sh
cd {directory}
case $1 in
stop)
  kill "$(cat pid)"
  while grep -qs '^State:.[^Z]' "/proc/$(cat pid)/status"; do sleep 0.1; done
  ;;
start)
  PATH={programs}:$PATH setsid containerd -c {config} >of-unit.log 2>&1 &
  echo $! >pid
  ;;
esac
"""
"""Starts and stops a containerd as the child of a unit that has nothing else in it."""


@contextmanager
def layout(unit: str) -> Iterator[tuple[daemons.Places, Path]]:
    """Lend the directories of a distribution; yields its places, and where its configuration is."""
    root, state, socket, config, programs = map(Path, LAYOUTS[unit])
    places = [(root, 4), (state, 3), (config, 3 if config.is_relative_to("/etc") else 4)]
    tops = [*dict.fromkeys(Path(*place.parts[:depth]) for place, depth in places)]
    assert not any(top.exists() for top in tops), f"{tops}: something else is there"
    try:
        for place in (root, state, config.parent, programs):
            place.mkdir(parents=True)
        for name in ("containerd", "containerd-shim-runc-v2"):
            (programs / name).symlink_to(containerd.built(containerd.SLICE) / name)
        (programs / "ctr").symlink_to("/usr/bin/ctr")
        yield daemons.Places(root, state, socket), config
    finally:
        for top in tops:
            shutil.rmtree(top, ignore_errors=True)


@pytest.mark.parametrize(
    "unit",
    [unit if unit == "k3s-agent" else pytest.param(unit, marks=pytest.mark.full) for unit in LAYOUTS],
)
def test_a_containerd_that_ends_with_its_kubelet_is_started_for_it(
    unit: str, run: Run, tmp_path: Path
) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        layout(unit) as (places, config),
        rewriting.lab(Path(directory), 2, 3, containerd.built(containerd.SLICE), places) as lab,
    ):
        config.symlink_to(lab.node.directory / "containerd.toml")
        (systemctl := tmp_path / "systemctl").write_text(
            SYSTEMCTL.format(directory=directory, programs=lab.node.programs, config=config)
        )
        systemctl.chmod(0o755)
        daemons.stop(str(lab.node.directory / "containerd.toml"))
        subprocess.run([systemctl, "start", unit], check=True)
        lab.stack.callback(lambda: subprocess.run([systemctl, "stop", unit], check=False))
        daemons.wait_for_cri(lab.node)
        before = lab.shown()
        assert lab.make(run).code == 0
        (program := tmp_path / "new").write_text("new")
        script = ROOT / "examples/normalize/k3s.sh"
        command: list[str | Path] = ["/bin/sh", script, lab.document, unit, program]
        path = f"{tmp_path}:{PROGRAM.parent}:{os.environ['PATH']}"
        settings = {**os.environ, "PATH": path, "NODE_NAME": rewriting.NODE, "TARGET": str(tmp_path / "in")}
        done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert (tmp_path / "in").read_text() == "new"
        daemons.wait_for_cri(lab.node)
        words = [word for word in lab.words("check") if word not in ("--runtime-endpoint", places.socket)]
        checked = run(*words)  # its socket is one of the usual ones
        assert (checked.code, states(checked)) == (0, {"shown": 6}), checked.err
        after = lab.shown()
        assert {name: row[1:] for name, row in after.items()} == {
            name: row[1:] for name, row in before.items()
        }
        assert all(after[name][0] != before[name][0] for name in before)


@pytest.mark.full
def test_500_containers_are_rewritten_within_seconds(
    run: Run, record_property: Callable[[str, object], None]
) -> None:
    """On the clock on the wall too, in proportion to what else this machine does; the report has both."""
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        rewriting.lab(Path(directory), 5, 100) as lab,
    ):
        assert lab.make(run).code == 0
        words = [str(PROGRAM), *map(str, lab.words("apply")), "--write"]
        taken = []
        for _ in range(3):
            load, before = os.getloadavg()[0], os.times()
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            after = os.times()
            assert json.loads(done.stdout)["summary"]["rewritten"] == 500, done.stderr
            own = after.children_user + after.children_system - before.children_user - before.children_system
            taken.append((after.elapsed - before.elapsed, own, load))
            assert states(run(*lab.words("undo"), "--write")) == {"restored": 500}
            lab.undo.unlink()
        wall, own, load = min(taken)
        for name, value in (("seconds_wall", wall), ("seconds_own", own), ("load", load)):
            record_property(name, round(value, 2))
        assert own < 5
        assert wall < 5 * max(1, load / (os.cpu_count() or 1)), f"{wall:.1f} s at a load of {load:.1f}"
