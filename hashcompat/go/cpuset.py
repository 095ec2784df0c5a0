"""Sets of CPUs as the kubelet writes them, ``0-3,7`` (k8s.io/utils/cpuset ``Parse``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from hashcompat.errors import DecodeError
from hashcompat.go.jsontext import kind_of
from hashcompat.go.types import Basic, Coded, Field, Map, Struct

_RANGE: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST: Final = 1 << 16
"""CPUs that one range may name: more than any kernel knows."""


def parse(text: str) -> frozenset[int]:
    """Return the CPUs of a text; empty for an empty one. Raises DecodeError for what is none."""
    found: set[int] = set()
    for part in text.split(",") if text else ():
        match = _RANGE.fullmatch(part)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else -1
        if last < first or last - first > _MOST:
            raise DecodeError("not a set of CPUs")
        found.update(range(first, last + 1))
    return frozenset(found)


def show(cpus: frozenset[int]) -> str:
    """Write a set of CPUs as ``0-3,7``."""
    found: list[list[int]] = []
    for cpu in sorted(cpus):
        if found and found[-1][1] == cpu - 1:
            found[-1][1] = cpu
        else:
            found.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


_SET: Final = Struct(
    "cpuset.CPUSet", (Field("elems", Map("map[int]struct {}", Basic("int", "int"), Struct("struct {}", ()))),)
)


def _decode(value: object) -> tuple[Any, ...]:
    text = value.get("cpuSet") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(text, str | None):
        raise DecodeError(f"want an object with a text, got {kind_of(value)}")
    return ((dict.fromkeys(parse(text or ""), ()),),)


def _encode(value: Any) -> str:
    return show(frozenset(value[0][0]))


ENTRY: Final = Coded("state.PodEntry", (Field("CPUSet", _SET, "cpuSet"),), _decode, _encode)
"""The CPUs of a pod in a checkpoint (pkg/kubelet/cm/cpumanager/state ``PodEntry``, 1.36 and later).

JSON has the text, and the value a map, which is empty where the text is missing.
"""
