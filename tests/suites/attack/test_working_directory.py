"""Whoever writes the working directory, as a pull request or another user does, decides nothing by it."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from hashcompat.sources.files import rollout
from tests.helpers.program import ROOT, ran

pytestmark = pytest.mark.attack

SECONDS = 60
MALLORY = 65_533
ALICE = 65_532
EXCEPTIONS = """exceptions:
- {owner: "*/*/*", reason: x, expires: 2099-01-01}
- {container: "*/*/*", reason: x, expires: 2099-01-01}
"""
STRICT = ("--max-restarts", "0")
FINDING = 2
SHOWN = (
    *("table", "wide", "json", "yaml", "csv", "markdown", "junit", "sarif", "github", "gitlab", "html"),
    "prometheus",
)


READS = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
"""What a user needs to start a Python that is below the home of root."""


NOWHERE = {"HASHCOMPAT_DATA": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"}
"""What leads the program to no data and no settings of whoever runs the tests."""


class Said(subprocess.CompletedProcess[str]):
    """A run of the program that has ended."""


def gate(directory: Path, *words: object, user: int = 0, env: dict[str, str] | None = None) -> Said:
    """Run ``gate`` of a plan with findings in a directory, as a user; for root in this process."""
    if user:
        return started(directory, *words, user=user)
    given = ["gate", "--plan", str(directory / "plan.json"), *map(str, words)]
    with pytest.MonkeyPatch.context() as patch:
        for key in [*os.environ]:
            if key.startswith("HASHCOMPAT"):
                patch.delenv(key)
        for key, value in {**NOWHERE, **(env or {})}.items():
            patch.setenv(key, value)
        patch.chdir(directory)
        result = ran(*given)
    return Said(given, result.code, result.out, result.err)


def started(directory: Path, *words: object, user: int = 0) -> Said:
    """Do the same in a process of a user, which must end in time."""
    plain = {
        key: value for key, value in os.environ.items() if not key.startswith(("HASHCOMPAT", "COVERAGE"))
    }
    command = [sys.executable, "-m", "hashcompat", "gate", "--plan", str(directory / "plan.json")]
    become = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *READS) if user else ()
    made = subprocess.run(
        [*become, *command, *map(str, words)],
        cwd=directory,
        env={**plain, **NOWHERE, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Said(made.args, made.returncode, made.stdout, made.stderr)


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    words = ("plan", "--sample", "--from", "1.8.15", "--to", "1.9.11", "-q", "--out", str(path))
    subprocess.run([sys.executable, "-m", "hashcompat", *words], check=True, cwd=ROOT, timeout=SECONDS)
    return path.read_bytes()


@pytest.fixture
def here(tmp_path: Path, plan: bytes) -> Path:
    """Return a working directory with a plan of many restarts in it, which everybody may enter."""
    for path in (tmp_path, *tmp_path.parents[:3]):
        if path.is_relative_to("/tmp/pytest-of-root"):  # noqa: S108 - of pytest
            path.chmod(0o755)
    directory = tmp_path / "work"
    directory.mkdir(mode=0o755)
    (directory / "plan.json").write_bytes(plan)
    (directory / "plan.json").chmod(0o644)
    return directory


def settings(directory: Path, text: str, *, owner: int = 0, mode: int = 0o644) -> Path:
    path = directory / ".hashcompat.yaml"
    path.write_text(f"gate: {text}\n")
    path.chmod(mode)
    os.chown(path, owner, owner)
    return path


def refused(said: Said, *parts: str) -> None:
    assert (said.returncode, said.stdout) == (1, ""), said.stderr
    assert ".hashcompat.yaml" in said.stderr
    assert said.stderr.count("\n") == 1
    for part in parts:
        assert part in said.stderr


def test_a_settings_file_of_another_user_is_refused(here: Path) -> None:
    settings(here, "{report-only: true}", owner=MALLORY)
    refused(gate(here), f"belongs to user {MALLORY}", "chown", "--config none")
    assert gate(here, "--config", "none").returncode == FINDING
    refused(gate(here, "--config", ".hashcompat.yaml"), f"belongs to user {MALLORY}")
    refused(gate(here, env={"HASHCOMPAT_CONFIG": ".hashcompat.yaml"}), f"belongs to user {MALLORY}")
    assert gate(here, env={"HASHCOMPAT_CONFIG": "none"}).returncode == FINDING


def test_that_of_root_is_read_by_everybody_and_no_other_ones(here: Path) -> None:
    settings(here, "{report-only: true}")
    assert started(here).returncode == gate(here, user=ALICE).returncode == 0
    settings(here, "{report-only: true}", owner=MALLORY)
    refused(gate(here, user=ALICE), f"belongs to user {MALLORY}, not to you (user {ALICE})")
    settings(here, "{report-only: true}", owner=ALICE)
    assert gate(here, user=ALICE).returncode == 0
    refused(gate(here), f"belongs to user {ALICE}")


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_a_settings_file_that_others_may_write_is_refused(here: Path, mode: int) -> None:
    settings(here, "{report-only: true}", mode=mode)
    refused(gate(here), "can be written by its group or by others", "chmod go-w")


@pytest.mark.parametrize("mode", [0o775, 0o777])
def test_a_directory_in_which_others_may_replace_it_is_none_for_a_policy(here: Path, mode: int) -> None:
    settings(here, "{report-only: true}")
    here.chmod(mode)
    refused(gate(here), "can be written", "chmod go-w")
    here.chmod(0o755)
    os.chown(here, MALLORY, MALLORY)
    refused(gate(here), f"belongs to user {MALLORY}")


def test_a_link_to_a_file_of_another_user_is_refused(here: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    target = settings(theirs, "{report-only: true}", owner=MALLORY)
    (here / ".hashcompat.yaml").symlink_to(target)
    refused(gate(here), f"belongs to user {MALLORY}")
    os.chown(target, 0, 0)
    assert gate(here).returncode == 0
    os.chown(theirs, MALLORY, MALLORY)
    refused(gate(here), f"{theirs} belongs to user {MALLORY}")


def test_a_link_of_another_user_in_a_shared_directory_is_refused(here: Path, tmp_path: Path) -> None:
    """They choose among the files of the one who runs the gate."""
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o755)
    target = settings(mine, "{report-only: true}")
    here.chmod(0o1777)
    link = here / ".hashcompat.yaml"
    link.symlink_to(target)
    os.lchown(link, MALLORY, MALLORY)
    refused(gate(here), f"belongs to user {MALLORY}")


@pytest.mark.parametrize("name", [".hashcompat.yaml", "e.yaml"])
def test_a_pipe_keeps_nobody_waiting(here: Path, name: str) -> None:
    if name == "e.yaml":
        settings(here, "{exceptions: e.yaml}")
    os.mkfifo(here / name, 0o600)
    refused(started(here), "is a pipe, expected a regular file")


@pytest.mark.parametrize("key", ["exceptions", "baseline", "preflight", "verify-key"])
def test_a_file_that_settings_name_is_as_trusted_as_they_are(here: Path, key: str) -> None:
    settings(here, f"{{{key}: e.yaml}}")
    file = here / "e.yaml"
    file.write_text(EXCEPTIONS)
    file.chmod(0o666)
    refused(gate(here), "can be written")
    file.chmod(0o644)
    os.chown(file, MALLORY, MALLORY)
    refused(gate(here), f"belongs to user {MALLORY}")


LOOSE = {
    "report-only": "{report-only: true}",
    "exceptions": "{exceptions: e.yaml}",
    "baseline": "{baseline: plan.json}",
    "max-restarts": "{max-restarts: 100%}",
    "max-per-owner": "{max-per-owner: 100%}",
    "fail-on": "{fail-on: [unknown]}",
}


@pytest.mark.parametrize("key", LOOSE)
@pytest.mark.parametrize("way", ["flag", "variable"])
def test_what_loosens_never_beats_what_is_stricter(here: Path, key: str, way: str) -> None:
    settings(here, LOOSE[key])
    (here / "e.yaml").write_text(EXCEPTIONS)
    (here / "e.yaml").chmod(0o644)
    alone = gate(here)
    assert alone.returncode == 0
    assert f"policy: ./.hashcompat.yaml ({key})" in alone.stderr
    words = STRICT if way == "flag" else ()
    said = gate(here, *words, env={} if words else {"HASHCOMPAT_GATE_MAX_RESTARTS": "0"})
    assert said.returncode == FINDING, said.stderr
    assert "policy: ./.hashcompat.yaml\n" in said.stderr
    assert gate(here, "--fail-on", "restart,kill,unknown", "-q").returncode == FINDING


@pytest.mark.parametrize("key", ["report-only", "exceptions", "baseline"])
def test_what_loosens_can_be_forbidden(here: Path, key: str) -> None:
    settings(here, LOOSE[key])
    (here / "e.yaml").write_text(EXCEPTIONS)
    (here / "e.yaml").chmod(0o644)
    assert gate(here).returncode == 0
    assert gate(here, f"--no-{key}").returncode == FINDING
    variable = {f"HASHCOMPAT_GATE_{key.upper().replace('-', '_')}": {"exceptions": "e.yaml"}.get(key, "true")}
    (here / ".hashcompat.yaml").unlink()
    if key != "baseline":
        assert gate(here, env=variable).returncode == 0
    assert gate(here, f"--no-{key}", env=variable).returncode == FINDING


@pytest.mark.parametrize("form", SHOWN)
def test_every_format_names_the_file_and_each_key_that_loosens(here: Path, form: str) -> None:
    settings(here, "{report-only: true, exceptions: e.yaml, plan-max-age: 99999h}")
    (here / "e.yaml").write_text(EXCEPTIONS)
    (here / "e.yaml").chmod(0o644)
    said = gate(here, "-o", form, "-q")
    assert said.returncode == 0
    for part in ("hashcompat.yaml", "report-only", "exceptions"):
        assert part in said.stdout.replace("\\", "")
        assert part in said.stderr
    if form == "json":
        assert json.loads(said.stdout)["spec"]["policy"]["files"] == [
            {
                "file": "./.hashcompat.yaml",
                "keys": ["exceptions", "plan-max-age", "report-only"],
                "loosens": ["exceptions", "report-only"],
                "ignored": [],
            }
        ]


@contextmanager
def server() -> Iterator[tuple[str, list[str]]]:
    """Serve on a port of its own, and keep what is asked for."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}", seen
        made.shutdown()


@pytest.mark.parametrize("key", ["exceptions", "baseline", "preflight", "verify-key"])
def test_a_settings_file_makes_no_request_and_reads_no_standard_input(here: Path, key: str) -> None:
    with server() as (url, seen):
        for name in (f"{url}/x", f"{url.upper()}/x", "ftp://x/y", "-"):
            settings(here, f"{{{key}: '{name}'}}")
            refused(gate(here), f"gate.{key}: want the name of a file, no URL")
        settings(here, f"{{{key}: ./-}}")
        refused(gate(here), "No such file")
        assert gate(here, "--config", f"{url}/x").returncode == 64
        assert seen == []


@pytest.mark.parametrize(
    "text", ["{out: /tmp/x}", "{report: json=/tmp/x}", "{plan: x}", "{state: x}", "{config: x}"]
)
def test_no_key_writes_a_file_or_names_another_plan(here: Path, text: str) -> None:
    settings(here, text)
    refused(gate(here), "unknown key")


def test_a_gate_waits_for_a_lock_as_long_as_it_says(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollout, "LOCK_SECONDS", 1.5)
    lock = here / "state.json.lock"
    with lock.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        words = ("--node", "node-a1", "--state", "state.json", "--max-restarts", "100%")
        said = gate(here, *words)
    assert (said.returncode, said.stdout) == (1, "")
    assert f"locked for more than 1.5 s by the process {os.getpid()} (" in said.stderr
    os.mkfifo(here / "pipe.json")
    said = started(here, "--node", "node-a1", "--state", "pipe.json", "--max-restarts", "100%")
    assert (said.returncode, "not a regular file" in said.stderr) == (1, True)
