"""What has to be true of a node before anything is written; each condition with its own message."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hashcompat.core.catalog.hazards import REWRITABLE, Runtimes
from hashcompat.core.errors import InputError
from hashcompat.sources.node import Asking, kubelets, proc
from hashcompat.sources.node.root import Root

_SPARE: Final = 16 << 20
"""Bytes that are to be free beside what is written."""


def check_root() -> None:
    """Raise InputError unless this process is root's."""
    if os.geteuid() != 0:
        raise InputError("only root may rewrite the records of a node; run it with sudo")


def check_kubelet() -> None:
    """Raise InputError where a kubelet runs on this node, and where that is not known."""
    root, asking = Root(Path("/")), Asking()
    found = kubelets.find(asking, root, asking.ask(proc.listed(root)))
    if found.text is not None:
        pid = found.text.partition(" ")[0]
        raise InputError(f"a kubelet runs (process {pid}); stop it first: systemctl stop kubelet")
    if found.problem:
        raise InputError(f"whether a kubelet runs is unknown: {found.problem}")


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
