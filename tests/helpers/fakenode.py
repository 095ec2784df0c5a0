"""Nodes for the collector without any runtime: programs that answer from files, sockets, a file system."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hashcompat.core.records.probes import Dump
from tests.helpers.dumps import read_back
from tests.helpers.program import ROOT

SCRIPT = ROOT / "hashcompat" / "collector" / "collect.sh"
CONTAINERD = "/run/containerd/containerd.sock"
DOCKER = "/var/run/docker.sock"
HANG = "exec sleep 600"
_TOOLS = (
    *("awk", "base64", "cat", "cut", "date", "df", "env", "find", "ls", "mkdir", "readlink"),
    *("sed", "setsid", "sh", "sleep", "tail", "tr", "uname"),
)
_PROGRAM = """#!/bin/sh
verb=none
for word; do
    case $word in ps|pods|images|version|info|inspect|inspectp|stats) [ $verb != none ] || verb=$word ;; esac
    last=$word
done
answer={answers}/{name}-$verb
[ ! -e "$answer-$last" ] || answer=$answer-$last
if [ -x "$answer" ]; then exec "$answer" "$@"; fi
exec cat "$answer"
"""


def make_directory(path: Path) -> None:
    """Make a directory and those above it, into which nobody else may write."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir()
        path.chmod(0o755)


@dataclass
class FakeNode:
    """A node below a directory; ``shell`` is the shell and where its tools come from."""

    directory: Path
    shell: str
    environment: dict[str, str] = field(default_factory=dict)
    took: float = 0
    """How long the last run took, in seconds."""

    @property
    def host(self) -> Path:
        return self.directory / "host"

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the node."""
        made = self.host / path.lstrip("/")
        make_directory(made.parent)
        made.write_bytes(content if isinstance(content, bytes) else content.encode())
        made.chmod(0o644)
        return made

    def listen(self, path: str) -> None:
        """Make a socket of the node, at which nobody answers: the programs are fake."""
        made = self.host / path.lstrip("/")
        made.parent.mkdir(parents=True, exist_ok=True)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(made))

    def program(self, name: str, answers: dict[str, str] | None = None, **scripts: str) -> None:
        """Put a program on the PATH that prints answers, or runs scripts, by its verb or ``VERB-ID``."""
        self._executable(
            self.directory / "bin" / name, _PROGRAM.format(answers=self.directory / "answers", name=name)
        )
        for verb, text in (answers or {}).items():
            (self.directory / "answers" / f"{name}-{verb}").write_text(text)
        for verb, script in scripts.items():
            self._executable(self.directory / "answers" / f"{name}-{verb}", f"#!/bin/sh\n{script}\n")

    def script(self, name: str, verb: str, text: str) -> None:
        """Let a program run a script for a verb, or for ``VERB-ID``."""
        self._executable(self.directory / "answers" / f"{name}-{verb}", f"#!/bin/sh\n{text}\n")

    def process(
        self,
        pid: int,
        name: str,
        arguments: Iterable[str] = (),
        state: str = "S",
        groups: str = "",
        **differs: str,
    ) -> None:
        """Add a process to the node's /proc, and its first one; ``differs``: mnt, user, uids, parent, exe."""
        if pid != 1 and not (self.host / "proc/1").exists():
            self.process(1, "systemd", groups="0::/init.scope\n")
        for space in ("mnt", "user"):
            link = self.host / f"proc/{pid}/ns/{space}"
            make_directory(link.parent)
            if differs.get(space) != "hidden":
                link.symlink_to(f"{space}:[{differs.get(space, '4026531840')}]")
        uids, parent = differs.get("uids", "0\t0\t0\t0"), differs.get("parent", "1")
        self.write(f"/proc/{pid}/status", f"State:\t{state}\nPPid:\t{parent}\nUid:\t{uids}\nGid:\t0\n")
        if "exe" in differs:
            (self.host / f"proc/{pid}/exe").symlink_to(differs["exe"])
        self.write(f"/proc/{pid}/comm", f"{name}\n")
        self.write(f"/proc/{pid}/stat", f"{pid} ({name}) {state} 1 {pid} {pid} 0\n")
        self.write(f"/proc/{pid}/cgroup", groups)
        self.write(f"/proc/{pid}/cmdline", "".join(f"{each}\0" for each in arguments))

    def run(self, *, preflight: bool = False, user: int | None = None, **environment: str) -> str:
        """Return what the collector prints on the node; it must succeed, and complain about nothing."""
        began = time.monotonic()
        done = subprocess.run(
            self._command(),
            input=text(preflight=preflight).encode(),
            env={
                "PATH": f"{self.directory / 'bin'}:{self.directory / 'tools'}",
                "HOST": str(self.host),
                "NODE_NAME": "n1",
                **self.environment,
                **environment,
            },
            capture_output=True,
            check=False,
            user=user,
            timeout=240,
        )
        self.took = time.monotonic() - began
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def dump(self, *, preflight: bool = False, **environment: str) -> Dump:
        """Return the dump of the node."""
        (dump,) = read_back(self.run(preflight=preflight, user=None, **environment))
        return dump

    def _command(self) -> list[str]:
        return ["/bin/busybox", "sh", "-s"] if self.shell == "busybox" else [self.shell, "-s"]

    def _executable(self, path: Path, content: str) -> None:
        path.write_text(content)
        path.chmod(0o755)


def text(*, preflight: bool) -> str:
    """Return the script, without what it adds to the PATH: there are this machine's programs.

    It looks at the processes again after a tenth of a second: nothing changes here in a whole one.
    """
    script, count = re.subn(r"^PATH=\$PATH:.*\n", "", SCRIPT.read_text(), flags=re.MULTILINE)
    script, pauses = re.subn(r"(- looked\)\) -gt 1 \] \|\|) sleep 1\n", r"\1 sleep 0.1\n", script)
    assert (count, pauses) == (1, 1)
    return script.replace("\nWANTED=records\n", "\nWANTED=preflight\n") if preflight else script


@contextmanager
def fake_node(shell: str) -> Iterator[FakeNode]:
    """Make a node with an empty file system and no runtime; sockets need a short path."""
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp", ignore_cleanup_errors=True) as directory:
        made = FakeNode(Path(directory), shell)
        for name in ("", "bin", "tools", "answers", "host"):
            (made.directory / name).mkdir(exist_ok=True)
            (made.directory / name).chmod(0o755)
        for tool in _TOOLS:
            target = "/bin/busybox" if shell == "busybox" else shutil.which(tool)
            assert target, f"install {tool}"
            (made.directory / "tools" / tool).symlink_to(target)
        yield made
