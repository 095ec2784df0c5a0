"""The runtime of a node: how it is asked and started again, and what has to be true before it is changed."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.core.catalog.hazards import REWRITABLE, Runtimes
from hashcompat.core.errors import InputError
from hashcompat.core.model.preflight import CONTAINERD, CRIO, DOCKER
from hashcompat.output.rewriting import RecordStore, RuntimeAnswer, containerd, files
from hashcompat.output.rewriting.containerd import Channel, Containerd
from hashcompat.output.rewriting.files import CriO, Docker
from hashcompat.sources import node, programs
from hashcompat.sources.node import NodeReader, kubelets
from hashcompat.sources.node.root import Root

_SPARE: Final = 16 << 20
"""Bytes that are to be free beside what is written."""


def check_root() -> None:
    """Raise InputError unless this process is root's."""
    if os.geteuid() != 0:
        raise InputError("only root may rewrite the records of a node; run it with sudo")


def check_kubelet() -> None:
    """Raise InputError where a kubelet runs on this node, and where that is not known."""
    root, asking = Root(Path("/")), NodeReader()
    answer = kubelets.find(asking, root, asking.ask(node.listed(root)))
    if answer.text is not None:
        pid = answer.text.partition(" ")[0]
        raise InputError(f"a kubelet runs (process {pid}); stop it first: systemctl stop kubelet")
    if answer.problem:
        raise InputError(f"whether a kubelet runs is unknown: {answer.problem}")


def check_runtime(runtime: str, runtimes: Runtimes, *, untested: bool) -> None:
    """Raise InputError for a version of a runtime that was not tried, and for one whose restart breaks pods.

    ``untested``: whether the user takes one that was not tried.
    """
    named = runtime.replace("://", " ")
    for fault in runtimes.faults_of(runtime):
        raise InputError(f"{named} {fault.about}, and it has to restart for this ({fault.source})")
    if not untested and not runtimes.can(runtime, REWRITABLE):
        raise InputError(
            f"rewriting records was not tried with {named}; --untested-runtime does it all the same: first "
            "on a node that you can lose"
        )


def check_space(path: Path, needed: int) -> None:
    """Raise InputError where a file of some bytes, and a little more, does not fit beside a path."""
    free = shutil.disk_usage(path.parent).free
    if free < needed + _SPARE:
        raise InputError(
            f"{path.parent}: {free >> 20} MB are free, and {(needed + _SPARE) >> 20} MB are needed"
        )


@contextmanager
def alone(document: str) -> Iterator[None]:
    """Hold a lock on a document; the kernel releases it however this process ends.

    Raises InputError where another process holds it.
    """
    try:
        handle = os.open(document, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{document}: cannot be read: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InputError(f"{document}: another process is applying or undoing it just now") from None
    finally:
        os.close(handle)


# The runtime: behind which socket it is, what it answers, and how it is started again.

_UNITS: Final[Mapping[str, Mapping[str, str]]] = {
    CONTAINERD: {
        "/run/containerd/containerd.sock": "containerd.service",
        "/run/k3s/containerd/containerd.sock": "",
        "/run/k0s/containerd.sock": "",
        "/var/snap/microk8s/common/run/containerd.sock": "snap.microk8s.daemon-containerd.service",
    },
    DOCKER: {"/var/run/docker.sock": "docker.service", "/run/docker.sock": "docker.service"},
    CRIO: {"/run/crio/crio.sock": "crio.service", "/var/run/crio/crio.sock": "crio.service"},
}
"""The usual sockets of each runtime, the first of which is the default, and the units of systemd behind them;
empty where it is a child of the program in which the kubelet is: k3s, RKE2, k0s."""
_RESTART_SECONDS: Final = 120.0
_ANSWER_SECONDS: Final = 60.0


class NodeRuntime(msgspec.Struct, frozen=True):
    """Where the runtime of this node is."""

    kind: str
    """``containerd``, ``docker`` or ``cri-o``."""
    reported: str
    """The runtime with its version, as the node reported it when the document was made."""
    endpoint: str = ""
    """Its socket; empty for the usual ones."""
    root: str = ""
    """Its data directory; empty for the usual one."""

    @contextmanager
    def place(self, wanted: Collection[str]) -> Iterator[tuple[RecordStore, str]]:
        """Open its records; yields them, and the runtime with its version.

        ``wanted`` are ids of containers, by which the right one of several sockets is known. Raises
        InputError.
        """
        if self.kind == DOCKER:
            yield Docker(self.root), self.reported
        elif self.kind == CRIO:
            yield CriO(self.root), self._running_crio() or self.reported
        elif self.kind == CONTAINERD:
            with Channel(self._socket(wanted)) as channel:
                store = Containerd(channel)
                yield store, f"{CONTAINERD}://{store.version()}"
        else:  # a document says so of a node whose records are left alone
            raise InputError(f"the records of {self.kind} cannot be rewritten")

    def answered(self, wanted: Collection[str]) -> tuple[Mapping[str, RuntimeAnswer], str]:
        """Return what the runtime answers of some containers, by id, and which it is; raises InputError."""
        if self.kind == DOCKER:
            return files.answered(self.endpoint, wanted), self.reported
        if self.kind not in _UNITS:
            raise InputError(f"the records of {self.kind} cannot be rewritten")
        with Channel(self._socket(wanted)) as channel:
            if self.kind == CONTAINERD:
                runtime = f"{CONTAINERD}://{Containerd(channel).version()}"
            else:
                runtime = "://".join(containerd.named(channel))
            return containerd.answered(channel, wanted), runtime

    def _socket(self, wanted: Collection[str]) -> str:
        """Return the socket: the given one, the only one that is there, or that with the containers."""
        if self.endpoint:
            return self.endpoint
        usual = _UNITS[self.kind]
        there = [socket for socket in usual if Path(socket).exists()]
        if not there:
            raise InputError(
                f"no socket of {self.kind} at {', '.join(usual)}; --runtime-endpoint names another one"
            )
        return next((socket for socket in there[1:] if _has(socket, wanted)), there[0])

    def _running_crio(self) -> str:
        """Return CRI-O's version if it runs; it need not."""
        try:
            with Channel(self._socket(())) as channel:
                return "://".join(containerd.named(channel))
        except InputError:
            return ""

    def restart(self) -> None:
        """Restart the runtime by systemd, and wait until it answers.

        Raises InputError where it has no unit of its own, and where it does not come back.
        """
        usual = _UNITS[self.kind]
        there = (socket for socket in usual if Path(socket).exists())
        socket = self.endpoint or next(there, next(iter(usual)))
        unit = usual.get(socket, "")
        if not unit:
            raise InputError(f"{socket}: no unit of systemd is known for it; restart the runtime by hand")
        programs.output([programs.find("systemctl"), "restart", unit], _RESTART_SECONDS, "/")
        end = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                self.answered(())
            except InputError as error:
                if time.monotonic() >= end:
                    raise InputError(f"{unit} was restarted, and does not answer: {error}") from None
                time.sleep(0.2)
            else:
                return


def _has(socket: str, wanted: Collection[str]) -> bool:
    """Return whether a containerd has any of some containers."""
    try:
        with Channel(socket) as channel:
            return any(container.id in wanted for container in Containerd(channel).find(()))
    except InputError:
        return False
