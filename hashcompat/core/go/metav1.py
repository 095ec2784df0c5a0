"""Go's number text, the kubelet's sets of CPUs, and types with their own JSON methods besides Quantity.

``metav1.Time``, ``FieldsV1`` and ``IntOrString`` (pkg/apis/meta/v1) are built from the fields of a type tree,
because these are printed and differ by release. ``metav1.Duration`` is read by Go's ``time.ParseDuration``,
that of Go 1.26.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import ROUND_HALF_EVEN, ROUND_UP, Context, Decimal
from typing import Any, Final, NoReturn

import msgspec

from hashcompat.core.errors import DecodeError, UndecidedError
from hashcompat.core.go import quantity
from hashcompat.core.go.jsontext import ESCAPES, Number, clean, integer, kind_of, quote
from hashcompat.core.go.types import Basic, Coded, Field, Map, Struct, zero_value
from hashcompat.core.regex import regex


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
    sign, digits, exponent = _shortest(value, 64)
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        return sign + _positional(digits, exponent)
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
_MOST_CPUS: Final = 1 << 16
"""CPUs that one range may name: more than any kernel knows."""


def parse_cpus(text: str) -> frozenset[int]:
    """Return the CPUs of a text; empty for an empty one. Raises DecodeError for what is none."""
    cpus: set[int] = set()
    for part in text.split(",") if text else ():
        match = _RANGE.fullmatch(part)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else -1
        if last < first or last - first > _MOST_CPUS:
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


def _decode_cpus(value: object) -> tuple[Any, ...]:
    text = value.get("cpuSet") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(text, str | None):
        raise DecodeError(f"want an object with a text, got {kind_of(value)}")
    # a Go set of CPUs is a map to empty structs, and spew prints those too
    return ((dict.fromkeys(parse_cpus(text or ""), ()),),)


CPU_ENTRY: Final = Coded(
    "state.PodEntry",
    (Field("CPUSet", _SET, "cpuSet"),),
    _decode_cpus,
    lambda value: show_cpus(frozenset(value[0][0])),
)
"""The CPUs of a pod in a checkpoint (pkg/kubelet/cm/cpumanager/state ``PodEntry``, 1.36 and later).

JSON has the text, and the value a map, which is empty where the text is missing.
"""


LOCATION: Final = Struct("time.Location", ())
"""Represents ``time.Location``: a nil pointer to it is printed, and nothing else is ever decoded."""


class RawJson(msgspec.Struct, frozen=True):
    """The bytes of a JSON value.

    A reader of JSON text puts this in place of ``fieldsV1``, whose text a kubelet keeps unchanged.
    """

    data: bytes
    """The value's text as it was in the file, UTF-8."""


def _refuse_fields(value: object) -> NoReturn:  # noqa: ARG001 - a decoder by its signature
    raise UndecidedError("managed fields in the form of 1.14 and 1.15")


FIELDS: Final = Coded("v1.Fields", (), _refuse_fields, lambda _: "")
"""Represents the recursive ``v1.Fields`` of 1.14 and 1.15: null is printed, nothing else is decoded."""
_RFC3339: Final = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_ESCAPED_BY_GO_RELEASE: Final = ("\\u0008", "\\u000c")


def time_type(struct: Struct) -> Coded:
    """Return ``v1.Time`` with its decoder: null is the zero time; any other time raises UndecidedError.

    ``UnmarshalJSON`` converts times to local time, so spew prints a ``*time.Location`` with the zones of the
    host.
    """
    zero = zero_value(struct)

    def decode(value: object) -> Any:
        if value is None:
            # ``UnmarshalJSON`` sets the zero time for null; its nil location prints the same on every host
            return zero
        if not isinstance(value, str) or not is_time(value):
            raise DecodeError("want a time such as 2026-01-31T12:00:00Z")
        raise UndecidedError("a time, whose text contains the time zone of the host")

    return Coded(struct.name, struct.fields, decode, lambda _: "")


def is_time(text: str) -> bool:
    """Return whether a text is a time as RFC 3339 writes it."""
    try:
        datetime.fromisoformat(text[:19])
    except ValueError:
        return False
    return _RFC3339.fullmatch(text) is not None


def fields_type(struct: Struct) -> Coded:
    """Return ``v1.FieldsV1`` with its decoder: its only field, ``Raw``, keeps the JSON text unchanged.

    That text is compact and sorted for a YAML manifest, which is first converted to JSON (apimachinery
    pkg/util/yaml ``ToJSON``); for a JSON manifest pass RawJson. The decoder raises UndecidedError for the two
    characters whose escapes depend on the Go that built the kubelet.
    """

    def decode(value: object) -> tuple[bytes]:
        if isinstance(value, RawJson):
            return (value.data,)
        text = _compact(value)
        if any(escape in text for escape in _ESCAPED_BY_GO_RELEASE):
            raise UndecidedError("a backspace or form feed, whose escape depends on the kubelet's Go release")
        return (text.encode(),)

    return Coded(struct.name, struct.fields, decode, lambda value: value[0].decode(errors="replace"))


def _compact(value: object) -> str:
    """Return what encoding/json ``Marshal`` writes for a JSON value: no space, sorted keys, HTML escaped."""
    if isinstance(value, Mapping):
        # Python orders strings by code points and Go by UTF-8 bytes, which is the same order
        members = (f"{_quoted(key)}:{_compact(value[key])}" for key in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_compact, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float | Number):
        return str(value)
    raise DecodeError(f"want JSON, got {kind_of(value)}")


def _quoted(text: str) -> str:
    return quote(clean(text), ESCAPES["before-go1.22"])


# ``intstr.IntOrString`` (apimachinery pkg/util/intstr): a number or a string under one JSON key.

IntOrString = tuple[int, int, str]
"""Typed value of both types below: ``(0, number, "")`` or ``(1, 0, string)``."""


def from_json(value: object) -> IntOrString:
    """Decode as ``IntOrString.UnmarshalJSON``; null is the number 0."""
    return _decode(value, 32)


def wide_from_json(value: object) -> IntOrString:
    """Decode as ``util.IntOrString`` of 1.0 and 1.1 (pkg/util/util.go), whose number has 64 bits."""
    return _decode(value, 64)


def _decode(value: object, bits: int) -> IntOrString:
    if isinstance(value, str):
        return 1, 0, clean(value)
    if value is None:
        return 0, 0, ""
    if type(value) is int or isinstance(value, Number):
        return 0, integer(value, bits), ""
    raise DecodeError(f"want an integer or a string, got {kind_of(value)}")


def number_of(value: IntOrString) -> int | str:
    """Return what ``IntOrString.MarshalJSON`` writes: the number or the string."""
    return value[2] if value[0] else value[1]


INT_OR_STRING: Final = Coded(
    "intstr.IntOrString",
    (
        Field("Type", Basic("intstr.Type", "int64")),
        Field("IntVal", Basic("int32", "int32")),
        Field("StrVal", Basic("string", "string")),
    ),
    from_json,
    number_of,
)
WIDE_TYPE: Final = Coded(
    "util.IntOrString",
    (
        Field("Kind", Basic("util.IntstrKind", "int")),
        Field("IntVal", Basic("int", "int")),
        Field("StrVal", Basic("string", "string")),
    ),
    wide_from_json,
    number_of,
)


# Types with their own JSON methods, by their name in a type tree (``codecs`` in schemas/types/container).

DEFAULTS: Final[Mapping[str, Coded]] = {coded.name: coded for coded in (quantity.HELD_TYPE, INT_OR_STRING)}
"""The types of a tree that names no codec, by Go type name.

Quantities may be computed ones, because kubelets compute some of those of static pods.
"""
CODECS: Final[Mapping[str, Coded]] = {
    "quantity-milli": quantity.MILLI_TYPE,
    "quantity-1.2": quantity.NANO_TYPE_1_0,
    "quantity-1.0": quantity.MILLI_TYPE_1_0,
    "intstr-1.0": WIDE_TYPE,
}
"""The types of old releases that decode or print differently, by codec name."""
PODS: Final[Mapping[str, Struct]] = {struct.name: struct for struct in (*DEFAULTS.values(), LOCATION, FIELDS)}
"""The types of the trees of pods (schemas/types/pod), by Go type name."""
WRAPPERS: Final[Mapping[str, Callable[[Struct], Coded]]] = {"v1.Time": time_type, "v1.FieldsV1": fields_type}
"""Types whose fields a tree lists, because they are printed, but that decode by their own methods."""
_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # U+00B5, the micro sign
    "μs": 1_000,  # U+03BC, the Greek letter mu
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
"""Nanoseconds."""
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)")
_MOST: Final = 1 << 63
_DIGITS: Final = 19
"""What has more of them is beyond 64 bits, or of a fraction below a nanosecond."""


def parse_duration(text: str) -> int | None:
    """Return the nanoseconds of a duration as Go writes it (``1m30s``, ``-1.5h``); None for what is none."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("-", "+") else text
    # the one number that needs no unit
    if rest == "0":
        return 0
    total, place = 0, 0
    while part := _PART.match(rest, place):
        whole, fraction, unit = part[1].lstrip("0"), (part[2] or "")[:_DIGITS], part[3]
        if not (part[1] or part[2]) or unit not in _UNITS or len(whole) > _DIGITS:
            return None
        # Go cuts off what is below a nanosecond in each part by itself
        total += int(whole or "0") * _UNITS[unit] + int(fraction or "0") * _UNITS[unit] // 10 ** len(fraction)
        place = part.end()
    # -1<<63 is a duration and 1<<63 is none, so the most depends on the sign
    if not rest or place < len(rest) or total > _MOST - (sign > 0):
        return None
    return sign * total
