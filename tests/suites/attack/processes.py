"""A node with a real process tree: namespaces and a / of its own, and programs that show when they run."""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hashcompat.core.records.probes import Dump
from tests.helpers.dumps import read_back
from tests.helpers.fakenode import SCRIPT, make_directory
from tests.helpers.program import ROOT

RAN = "/ran"
"""The file that a planted program makes where it is executed for its version."""

NOBODY = 65534

_TOOLS = (
    *(
        "awk",
        "base64",
        "cat",
        "cut",
        "date",
        "df",
        "env",
        "find",
        "ls",
        "mkdir",
        "mount",
        "mv",
        "od",
        "readlink",
    ),
    *("rm", "sed", "setsid", "sh", "sleep", "tail", "tr", "uname", "unshare"),
)


def program(*, user: int = 0, says: str = "") -> bytes:
    """Return a program for x86-64 that sleeps; with one argument it makes RAN or says a text.

    A script would not do: the program of its process is the shell.
    """
    assert platform.machine() == "x86_64", "the planted program is one for x86-64"
    become = b"\xbf" + struct.pack("<I", user) + b"\xb8\x69\x00\x00\x00\x0f\x05"  # setuid(user)
    start = b"\x48\x8b\x04\x24\x48\x83\xf8\x02\x74\x09"  # two words on the command line: over what follows
    sleep = b"\xb8\x22\x00\x00\x00\x0f\x05\xeb\xf7"  # for ever: pause()
    text = (says or f"{RAN}\0").encode()
    end = b"\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"  # exit(0)
    if says:  # write(1, text, its length)
        act = b"\xb8\x01\x00\x00\x00\xbf\x01\x00\x00\x00\x48\x8d\x35%s\xba%s\x0f\x05"
        act %= (struct.pack("<I", 7 + len(end)), struct.pack("<I", len(text)))
    else:  # open(text, O_CREAT | O_WRONLY, 0666)
        act = b"\xb8\x02\x00\x00\x00\x48\x8d\x3d%s\xbe\x41\x00\x00\x00\xba\xb6\x01\x00\x00\x0f\x05"
        act %= struct.pack("<I", 12 + len(end))
    code = become + start + sleep + act + end + text
    size = 64 + 56 + len(code)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, size, size, 0x1000) + code


@dataclass
class RealNode:
    """A directory that is / for the processes of a test; all in it is root's, as ``write`` leaves it."""

    directory: Path

    def __post_init__(self) -> None:
        for name in ("bin", "proc", "dev", "cgroup", "tmp"):
            make_directory(self.directory / name)
        shutil.copy("/bin/busybox", self.directory / "bin/busybox")
        for tool in _TOOLS:
            (self.directory / "bin" / tool).symlink_to("busybox")
        for path in ("null", "urandom"):
            (self.directory / "dev" / path).touch()

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        """Write a file of the node."""
        made = self.directory / path.lstrip("/")
        make_directory(made.parent)
        made.write_bytes(content if isinstance(content, bytes) else content.encode())
        made.chmod(mode)

    def collect(self, processes: str, *, script: Path = SCRIPT, **environment: str) -> str:
        """Start processes by a script, the node's first process; return what the collector prints."""
        text = script.read_text().replace("\nWANTED=records\n", "\nWANTED=preflight\n")
        self.write("/collect.sh", text)
        self.write("/first.sh", f"{processes}\nsleep 0.5\nsh /collect.sh\n")
        mounts = (
            f"mount --make-rprivate / && mount --bind {self.directory} {self.directory} "
            f"&& cd {self.directory} "
            "&& mount -t proc proc proc && mount --bind /dev/null dev/null "
            f"&& mount --bind /dev/urandom dev/urandom && mount --bind {_cgroups()} cgroup "
            "&& exec /usr/sbin/chroot . /bin/sh /first.sh"
        )
        done = subprocess.run(
            ["/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount", "/bin/sh", "-c", mounts],
            env={"PATH": "/bin:/usr/bin:/usr/sbin:/sbin", "NODE_NAME": "n1", **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=ROOT,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def dump(self, processes: str) -> Dump:
        """Return the dump that the collector makes next to some processes."""
        (dump,) = read_back(self.collect(processes))
        return dump

    @property
    def has_run(self) -> bool:
        """Whether a planted program was executed, by anybody who sees the node's files."""
        return (self.directory / RAN.lstrip("/")).exists()


def _cgroups() -> str:
    places = (Path("/sys/fs/cgroup") / name for name in ("pids", "unified", "."))
    return str(next(place for place in places if os.access(place / "cgroup.procs", os.W_OK)))


def arguments(flags: Mapping[str, str]) -> str:
    """Return flags as words of a command line; there are always more than one."""
    return " ".join(("--v=0", *(f"--{name}={value}" for name, value in flags.items()), "--v=1"))
