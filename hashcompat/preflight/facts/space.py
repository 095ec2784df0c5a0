"""How much memory and how much space on its file systems a node has, and what a kubelet asks of both."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from hashcompat.corev1.qos import amount
from hashcompat.errors import DecodeError
from hashcompat.records.probes import UnreadError

MEMINFO: Final = "/proc/meminfo"

_BLOCK: Final = 1024


class Usage(msgspec.Struct, frozen=True):
    """How full a file system is."""

    size: int
    """Its size in bytes."""
    available: int
    """What a process without privileges may still write, in bytes."""
    inodes: int
    """How many inodes it has; 0 where it does not count them."""
    free: int
    """How many of them are free."""


def meminfo(text: str) -> Mapping[str, int]:
    """Read /proc/meminfo, in bytes."""
    rows = (line.replace(":", " ").split() for line in text.splitlines())
    return {row[0]: int(row[1]) * _BLOCK for row in rows if len(row) > 1 and row[1].isdecimal()}


def usage(text: str) -> Usage:
    """Read the last lines of ``df -Pk`` and ``df -Pi``: device, size, used, available, share, directory."""
    rows = [line.split() for line in text.splitlines()]
    try:
        blocks, inodes = rows[0], rows[1]
        return Usage(int(blocks[1]) * _BLOCK, int(blocks[3]) * _BLOCK, _count(inodes[1]), _count(inodes[3]))
    except (IndexError, ValueError):
        raise UnreadError("want the last lines of df -Pk and df -Pi") from None


def _count(text: str) -> int:
    return 0 if text == "-" else int(text)


def thresholds(given: Any, defaults: Mapping[str, str], *, merged: bool) -> Mapping[str, str]:
    """Return evictionHard: what the kubelet is given, as flag or mapping, instead of all the defaults.

    ``merged``: mergeDefaultEvictionSettings (1.33), with which the defaults are kept for other signals.
    """
    if given is None:
        return defaults
    if isinstance(given, Mapping):
        found = {str(signal): str(value) for signal, value in given.items()}
    else:
        pairs = (pair.partition("<") for pair in str(given).split(","))
        found = {signal.strip(): value.strip() for signal, _, value in pairs if value}
    return {**defaults, **found} if merged else found


def least(threshold: str, whole: int) -> Fraction:
    """Return the threshold of a signal; ``whole`` is 100 %."""
    try:
        if threshold.endswith("%"):
            return amount(threshold[:-1]) * whole / 100
        return amount(threshold)
    except DecodeError:
        raise UnreadError("a value that is not a threshold") from None


def reserved(given: Any, resource: str) -> Fraction:
    """Return what of a resource is reserved, by a flag, ``memory=1Gi,cpu=1``, or a mapping."""
    if not isinstance(given, Mapping):
        pairs = (pair.partition("=") for pair in str(given or "").split(","))
        given = {name.strip(): value.strip() for name, _, value in pairs}
    return least(str(given.get(resource, "0")), 0)
