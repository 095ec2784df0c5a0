"""Go's ``strconv`` and the kubelet's sets of CPUs, where Python writes numbers differently."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, ROUND_UP, Context, Decimal
from typing import Any, Final

from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import kind_of
from hashcompat.core.go.types import Basic, Coded, Field, Map, Struct


def format_float(value: float, bits: int = 64) -> str:
    """Return ``strconv.FormatFloat(value, 'g', -1, bits)``: the fewest digits that read back as that float.

    For the shortest form Go uses the limits of precision 6: exponent form below 1e-4 and from 1e6 on
    (strconv/ftoa.go ``formatDigits``). The limit of 1e21 in ``fmt`` does not apply.
    """
    if bits == 32:
        value = _float32(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = _shortest(value, bits)
    # %e is used if the exponent is below -4 or at least the precision, and for the shortest form Go sets 6
    if exponent < -4 or exponent >= 6:
        return f"{sign}{_point(digits, 1)}e{exponent:+03d}"
    return sign + _positional(digits, exponent)


def json_float(value: float) -> str:
    """Return a float64 as encoding/json writes it: like ES6, exponent form outside [1e-6, 1e21)."""
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        sign, digits, exponent = _shortest(value, 64)
        return sign + _positional(digits, exponent)
    sign, digits, exponent = _shortest(value, 64)
    text = f"{sign}{_point(digits, 1)}e{exponent:+03d}"
    # encoding/json cleans e-09 to e-9, and leaves e+09 as it is (encode.go ``floatEncoder``)
    return text.replace("e-0", "e-")


def _shortest(value: float, bits: int) -> tuple[str, str, int]:
    """Split a finite float into sign, significant digits and the decimal exponent of the first digit."""
    text = repr(value) if bits == 64 else _shortest_float32(value)
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = int(exponent or 0) + len(whole) - (len(whole + fraction) - len(digits)) - 1
    digits = digits.rstrip("0")
    return (sign, digits, point) if digits else (sign, "0", 0)


def _float32(value: float) -> float:
    """Round to the nearest float32; beyond its range that is infinity."""
    return array("f", [value])[0]  # struct refuses what is beyond it, from Python 3.14 on


def _shortest_float32(value: float) -> str:
    """Return the fewest digits that read back as the same float32.

    At powers of two the nearest decimal may not read back where the next one away from zero does.
    """
    exact = Decimal(value)
    attempts = (
        Context(prec=digits, rounding=rounding)
        for digits in range(1, 10)
        # below a power of two floats are twice as dense as above it, so the nearest decimal may be another
        # float's
        for rounding in (ROUND_HALF_EVEN, ROUND_UP)
    )
    return next(
        str(text).lower()
        for text in (attempt.create_decimal(exact) for attempt in attempts)
        if _float32(float(text)) == value
    )


def _point(digits: str, place: int) -> str:
    return f"{digits[:place]}.{digits[place:]}" if len(digits) > place else digits


def _positional(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    return _point(digits.ljust(exponent + 1, "0"), exponent + 1)


# Sets of CPUs as the kubelet writes them, ``0-3,7`` (k8s.io/utils/cpuset ``Parse``).

_RANGE: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST: Final = 1 << 16
"""CPUs that one range may name: more than any kernel knows."""


def parse_cpus(text: str) -> frozenset[int]:
    """Return the CPUs of a text; empty for an empty one. Raises DecodeError for what is none."""
    cpus: set[int] = set()
    for part in text.split(",") if text else ():
        match = _RANGE.fullmatch(part)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else -1
        if last < first or last - first > _MOST:
            raise DecodeError("not a set of CPUs")
        cpus.update(range(first, last + 1))
    return frozenset(cpus)


def show_cpus(cpus: frozenset[int]) -> str:
    """Write a set of CPUs as ``0-3,7``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


_SET: Final = Struct(
    "cpuset.CPUSet", (Field("elems", Map("map[int]struct {}", Basic("int", "int"), Struct("struct {}", ()))),)
)


def _decode(value: object) -> tuple[Any, ...]:
    text = value.get("cpuSet") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(text, str | None):
        raise DecodeError(f"want an object with a text, got {kind_of(value)}")
    # a Go set of CPUs is a map to empty structs, and spew prints those too
    return ((dict.fromkeys(parse_cpus(text or ""), ()),),)


def _encode(value: Any) -> str:
    return show_cpus(frozenset(value[0][0]))


CPU_ENTRY: Final = Coded("state.PodEntry", (Field("CPUSet", _SET, "cpuSet"),), _decode, _encode)
"""The CPUs of a pod in a checkpoint (pkg/kubelet/cm/cpumanager/state ``PodEntry``, 1.36 and later).

JSON has the text, and the value a map, which is empty where the text is missing.
"""
