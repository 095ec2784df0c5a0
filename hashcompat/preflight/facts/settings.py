"""What a kubelet is configured with: feature gates, and what flags and the configuration file both set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.catalog.gates import Settings
from hashcompat.errors import DecodeError
from hashcompat.go import quantity

_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
"""What Go's strconv.ParseBool reads."""

ROOT: Final = "/var/lib/kubelet"


def root(flags: Mapping[str, str]) -> str:
    """Return the kubelet's root directory."""
    return (flags.get("root-dir") or ROOT).rstrip("/") or "/"


def chosen(flags: Mapping[str, str], flag: str, config: Mapping[str, Any], field: str, default: str) -> str:
    """Return a setting: that of a flag, else that of the configuration file, else the default."""
    return flags.get(flag) or str(config.get(field) or default)


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of ``A=x,B=y``; the value is empty where there is no =."""
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name.strip():
            yield name.strip(), value.strip()


def truth(value: object) -> bool | None:
    """Return a truth value as Go reads it; None for what is none."""
    return value if isinstance(value, bool) else _BOOLS.get(value) if isinstance(value, str) else None


def gates(flags: Mapping[str, str], config: Mapping[str, Any]) -> Settings:
    """Return the feature gates that are set to a truth value; those of flags win over those of the file."""
    listed = config.get("featureGates")
    found: dict[str, object] = dict(listed) if isinstance(listed, Mapping) else {}
    found.update(pairs(flags.get("feature-gates", "")))
    known = ((str(name), truth(value)) for name, value in found.items())
    return frozenset((name, value) for name, value in known if value is not None)


def reserved_memory(flags: Mapping[str, str], config: Mapping[str, Any]) -> Mapping[int, int]:
    """Return the bytes of memory that are reserved by NUMA node (``--reserved-memory``, ``reservedMemory``).

    Raises DecodeError for anything else.
    """
    text = flags.get("reserved-memory")
    rows = _of_flag(text) if text else _of_config(config.get("reservedMemory"))
    found: dict[int, int] = {}
    for node, amount in rows:
        found[node] = found.get(node, 0) + amount
    return found


def _of_flag(text: str) -> Iterator[tuple[int, int]]:
    for part in text.split(";"):
        node, _, limits = part.partition(":")
        for name, amount in pairs(limits):
            if name == "memory":
                yield _node(node), _bytes(amount)


def _of_config(listed: object) -> Iterator[tuple[int, int]]:
    for row in listed if isinstance(listed, list) else ():
        limits = row.get("limits") if isinstance(row, Mapping) else None
        if isinstance(limits, Mapping) and "memory" in limits:
            yield _node(row.get("numaNode", 0)), _bytes(limits["memory"])


def _node(value: object) -> int:
    text = str(value).strip()
    if not text.isdecimal():
        raise DecodeError("not a NUMA node")
    return int(text)


def _bytes(value: object) -> int:
    number, scale = quantity.decimal(quantity.TYPE.decode(value))
    return int(number // 10**scale if scale > 0 else number * 10**-scale)
