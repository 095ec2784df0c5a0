"""A node with processes of its own, below a directory: a PID namespace, tenants in it, and preflight."""

from __future__ import annotations

import json
import os
import platform
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.helpers.hostproc import write
from tests.helpers.program import SCRIPTS

_READ = """
import json, os, subprocess, sys, time
from hashcompat.sources.node import live

root, started = sys.argv[1], json.loads(sys.argv[2])
ids = []
for one in started:
    def enter(cgroup=one["cgroup"]):
        if cgroup:
            open(cgroup + "/cgroup.procs", "w").write(str(os.getpid()))
    ids.append(subprocess.Popen(one["command"], user=one["user"], preexec_fn=enter).pid)
end = time.monotonic() + 10
while any(open(f"{root}/proc/{pid}/comm").read() != f"{one['name']}\\n" for pid, one in zip(ids, started)):
    assert time.monotonic() < end, "the processes did not start"
    time.sleep(0.02)
if sys.argv[3:]:
    sys.exit(subprocess.run(sys.argv[3:]).returncode)
live._AGAIN_SECONDS = 0.01
given = live.collect("cri", root + "/none.sock", root)
print(json.dumps([[p.kind, p.name, p.text, p.problem] for several in given.probes.values() for p in several]))
"""


@dataclass(frozen=True)
class Started:
    """A process to start on the node."""

    command: list[str]
    cgroup: str = ""
    user: int = 0
    name: str = "kubelet"


@dataclass
class Attacked:
    """A node whose / is ``root``; programs that run by mistake leave ``mark``."""

    root: Path
    mark: Path
    started: list[Started] = field(default_factory=list)

    def start(self, program: Path, *arguments: str, cgroup: str = "", user: int = 0) -> None:
        """Have a process on the node, in its own mount namespace."""
        self.started.append(Started([str(program), *arguments], cgroup, user, program.name[:15]))

    def contain(self, program: Path, *arguments: str, options: tuple[str, ...] = ("-m",)) -> None:
        """Have a process in a mount namespace of its own, as a container has."""
        command = ["unshare", *options, str(program), *arguments]
        self.started.append(Started(command, name=program.name[:15]))

    def probes(self) -> dict[tuple[str, str], tuple[str | None, str]]:
        """Return what preflight reads on the node: text and problem by kind and name."""
        done = self._run()
        assert done.returncode == 0, done.stderr
        return {(kind, name): (text, problem) for kind, name, text, problem in json.loads(done.stdout)}

    def preflight(self, *words: str) -> tuple[int, str]:
        """Return the exit code and all the output of ``hashcompat preflight`` on the node."""
        command = [str(SCRIPTS / "hashcompat"), "preflight", "--to", "1.31.14", "--root", str(self.root)]
        done = self._run(*command, *words)
        return done.returncode, done.stdout + done.stderr

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        apart = ["unshare", "-m", "-p", "--fork", "--kill-child", f"--mount-proc={self.root}/proc"]
        told = [str(self.root), json.dumps([asdict(process) for process in self.started])]
        return subprocess.run(
            [*apart, sys.executable, "-c", _READ, *told, *command],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd="/",
        )


@contextmanager
def attacked() -> Iterator[Attacked]:
    """Make a node with a kubelet that its unit names, and a key that nobody may see."""
    with tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        yield _node(Path(directory))


def _node(directory: Path) -> Attacked:
    root = directory / "node"
    write(root, "proc/x", "")
    binary(root / "usr/bin/kubelet", says="Kubernetes v1.30.4\n")
    write(root, "etc/systemd/system/kubelet.service", "[Service]\nExecStart=/usr/bin/kubelet $ARGS\n")
    write(root, "etc/kubernetes/pki/ca.key", KEY, 0o600)
    return Attacked(root, directory / "ran")


HIDDEN = "c2VjcmV0LW9mLXRoZS1jbHVzdGVy"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{HIDDEN}\n-----END RSA PRIVATE KEY-----\n"


@contextmanager
def container_cgroup() -> Iterator[str]:
    """Make the cgroup of a container, in whichever hierarchy this machine has."""
    top = next(
        place
        for place in map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified"))
        if (place / "cgroup.procs").exists() and os.access(place, os.W_OK)
    )
    pod = top / f"kubepods-attack{os.getpid()}"
    made = pod / ("c" * 64)
    made.mkdir(parents=True)
    try:
        yield str(made)
    finally:
        made.rmdir()
        pod.rmdir()


def binary(path: Path, says: str, mark: Path | None = None, mode: int = 0o755) -> Path:
    """Write a program: asked for its version it leaves ``mark`` and says something, otherwise it waits.

    A script would not do: the program of its process is the shell. It is x86-64 code, without a compiler.
    """
    assert platform.machine() == "x86_64", "the planted program is of x86-64"
    path.parent.mkdir(parents=True, exist_ok=True)
    named, text = f"{mark or ''}".encode() + b"\0", says.encode()
    begins = b"\x48\x83\x3c\x24\x02\x75\x0d"  # cmp qword [rsp], 2; jne waits
    begins += b"\x48\x8b\x44\x24\x10\x81\x38--ve"  # mov rax, [rsp + 16]; cmp dword [rax], "--ve"
    waits = b"\xb8\x22\x00\x00\x00\x0f\x05\xeb\xf7"  # pause, again and again
    creates = b"\xb8\x55\x00\x00\x00\x48\x8d\x3d" + b"%s" + b"\xbe\xa4\x01\x00\x00\x0f\x05"
    writes = b"\xb8\x01\x00\x00\x00\xbf\x01\x00\x00\x00\x48\x8d\x35" + b"%s"
    ends = b"\xba" + struct.pack("<i", len(text)) + b"\x0f\x05\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"
    first = len(begins) + 2 + len(waits)
    after_create = first + 12
    after_lea = first + 12 + 7 + 17
    whole = after_lea + len(ends)
    code = begins + b"\x74" + bytes([len(waits)]) + waits
    code += creates.replace(b"%s", struct.pack("<i", whole - after_create))
    code += writes.replace(b"%s", struct.pack("<i", whole + len(named) - after_lea)) + ends
    return _elf(path, code + named + text, mode)


def _elf(path: Path, code: bytes, mode: int) -> Path:
    base, size = 0x400000, 64 + 56
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01".ljust(16, b"\0"),
        *(2, 62, 1, base + size, 64, 0, 0, 64, 56, 1, 0, 0, 0),
    )
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size + len(code), size + len(code), 0x1000)
    path.write_bytes(header + segment + code)
    path.chmod(mode)
    return path
