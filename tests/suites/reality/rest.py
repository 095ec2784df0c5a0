"""When a node with a kubelet has come to rest, and what is left of it once its kubelet is gone."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_GONE_SECONDS = 30
_OF_PODS = "kubepods"
_LOGS = (Path("/var/log/pods"), Path("/var/log/containers"))
"""Where every kubelet writes; no flag moves it."""


def wait(look: Callable[[], object], least: float, quiet: float, limit: float) -> None:
    """Wait until what is looked at has been the same for some seconds; all times are in seconds."""
    began = changed = time.monotonic()
    before: object = None
    while time.monotonic() - changed < quiet or time.monotonic() - began < least:
        assert time.monotonic() - began < limit, "the node never comes to rest"
        time.sleep(2)
        if (now := look()) != before:
            before, changed = now, time.monotonic()


@contextmanager
def own_cgroups() -> Iterator[None]:
    """Refuse a machine with pods; afterwards remove what kubelets leave of their pods' cgroups."""
    others = _roots(_OF_PODS)
    assert not others, f"a kubelet runs on this machine, or left pods behind: {others[0]}"
    try:
        yield
    finally:
        remove_groups(_OF_PODS)


def _roots(name: str) -> list[Path]:
    return [*Path("/sys/fs/cgroup").glob(f"*/{name}")]


def remove_groups(name: str) -> None:
    """Remove a cgroup of every hierarchy and those below it, each once its last process is gone."""
    end = time.monotonic() + _GONE_SECONDS
    while roots := _roots(name):
        assert time.monotonic() < end, f"processes are left in {roots[0]}"
        for root in roots:
            for place in (*sorted(root.rglob("*/"), reverse=True), root):
                with suppress(OSError):
                    place.rmdir()
        time.sleep(0.5)


@contextmanager
def own_logs() -> Iterator[None]:
    """Remove afterwards what was not there before."""
    before = _logs()
    try:
        yield
    finally:
        for path in _logs() - before:
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)


def _logs() -> set[Path]:
    return {path for place in _LOGS if place.exists() for path in place.iterdir()}
