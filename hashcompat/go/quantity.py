"""``resource.Quantity`` as apimachinery parses, stores and prints it (pkg/api/resource, unchanged 1.6 - 1.36).

A hash sees the private fields, so the parser must end in the same *representation* as Go, not only in the same
number: whether the text was cached, whether the value went through ``inf.Dec``, and at which scale.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hashcompat.errors import DecodeError
from hashcompat.go.types import Basic, Field, Pointer, Slice, Struct

_DEC: Final = Struct(
    "inf.Dec",
    (
        Field("unscaled", Struct("big.Int", (Field("neg", Basic("bool", "bool")), Field("abs", Slice("big.nat", Basic("uint", "uint")))))),
        Field("scale", Basic("inf.Scale", "int32")),
    ),
)
TYPE: Final = Struct(
    "resource.Quantity",
    (
        Field(
            "i", Struct("resource.int64Amount", (Field("value", Basic("int64", "int64")), Field("scale", Basic("resource.Scale", "int32"))))
        ),
        Field("d", Struct("resource.infDecAmount", (Field("Dec", Pointer("*inf.Dec", _DEC)),))),
        Field("s", Basic("string", "string")),
        Field("Format", Basic("resource.Format", "string")),
    ),
)

Words = tuple[int, ...] | None
Dec = tuple[tuple[bool, Words], int]
Quantity = tuple[tuple[int, int], tuple[tuple[Dec] | None], str, str]
"""Typed value of ``TYPE``: ``((value, scale), (dec,), cached text, format)``."""

_DECIMAL_SI, _BINARY_SI, _DECIMAL_EXPONENT = "DecimalSI", "BinarySI", "DecimalExponent"
_DECIMAL_SUFFIXES: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES: Final = {exponent: suffix for suffix, exponent in _BINARY_SUFFIXES.items()}

_SPLIT: Final = re.compile(r"([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)")
_GO_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_MAX_INT64_DIGITS: Final = 18
_MAX_INT64: Final = 2**63 - 1
_NANO_SCALE: Final = 9
_LONGEST: Final = 4000
"""Characters; Python refuses to read numbers of more than 4300 digits."""
_LARGEST_EXPONENT: Final = 10_000
"""Beyond this Go itself would spend gigabytes on ``inf.Dec``; no API server accepts such a quantity."""

ZERO: Final[Quantity] = ((0, 0), (None,), "", "")


def from_json(value: object) -> Quantity:
    """Decode as ``Quantity.UnmarshalJSON``: the raw text of a string or of a bare number; null is the zero value."""
    if value is None:
        return ZERO
    if isinstance(value, str):
        return parse(value.strip(_GO_SPACE))
    if type(value) is int or isinstance(value, float):
        return parse(str(value))
    raise DecodeError("want a quantity such as 100m or 64Mi")


def to_json(value: Quantity) -> str:
    """Return the text of ``Quantity.MarshalJSON`` without its quotes: the cached text, else the canonical form."""
    return value[2] or canonical(value)


@lru_cache(maxsize=4096)
def parse(text: str) -> Quantity:
    """Parse as ``resource.ParseQuantity``.

    Raises DecodeError for text that Go refuses; the text itself is not repeated in the message.
    """
    if text == "0":
        return (0, 0), (None,), "0", _DECIMAL_SI
    if len(text) > _LONGEST:
        raise DecodeError("a quantity with absurdly many digits")
    match = _SPLIT.fullmatch(text) if text else None
    if match is None:
        raise DecodeError("not a quantity; want a number with a suffix such as m, k, Mi or e3")
    sign, zeros, whole, fraction, suffix = match.groups(default="")
    base, exponent, form = _interpret(suffix)
    negative = sign == "-"
    fast = _parse_fast(text, negative, whole or "0", fraction, exponent, form)
    if fast is not None:
        return fast
    if not zeros + whole + fraction:
        raise DecodeError("a quantity without digits")
    amount = int(whole + fraction or "0") * (1 if base == 10 else 1 << exponent)
    return _parse_slow(amount, negative, _int32(len(fraction) - (exponent if base == 10 else 0)), form)


def _interpret(suffix: str) -> tuple[int, int, str]:
    """Return base, exponent and format of a suffix (suffix.go ``interpret``)."""
    if suffix in _DECIMAL_SUFFIXES:
        return 10, _DECIMAL_SUFFIXES[suffix], _DECIMAL_SI
    if suffix in _BINARY_SUFFIXES:
        return 2, _BINARY_SUFFIXES[suffix], _BINARY_SI
    if match := _EXPONENT.fullmatch(suffix):
        parsed = int(match[1])
        if -(2**63) <= parsed <= _MAX_INT64:
            return 10, _int32(parsed), _DECIMAL_EXPONENT
    raise DecodeError("a quantity with an unknown suffix")


def _parse_fast(text: str, negative: bool, whole: str, fraction: str, exponent: int, form: str) -> Quantity | None:
    """Try the ``int64Amount`` path; it alone caches the text, and only text that passes a quick canonical test."""
    digits = whole + fraction
    if form == _BINARY_SI:
        if fraction or 15 - len(whole) - exponent * 3 // 10 - 1 < 0:
            return None
        value = int(whole)
        cached, scale, amount = value & 7 != 0, 0, value << exponent
    else:
        scale = _int32(exponent - len(fraction))
        if len(digits) > _MAX_INT64_DIGITS or scale < -_NANO_SCALE:
            return None
        amount = int(digits)
        cached = scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
    return (-amount if negative else amount, scale), (None,), text if cached else "", form


def _parse_slow(unscaled: int, negative: bool, scale: int, form: str) -> Quantity:
    """Take the ``inf.Dec`` path: round up to nano, cap BinarySI at 2^63-1, print fractions of one as DecimalSI."""
    if unscaled:
        unscaled, scale = _round_up(unscaled, scale, _NANO_SCALE), _NANO_SCALE
    if form == _BINARY_SI and unscaled > _MAX_INT64 * 10**_NANO_SCALE:
        unscaled, scale = _MAX_INT64, 0
    elif form == _BINARY_SI and 0 < unscaled < 10**_NANO_SCALE:
        form = _DECIMAL_SI
    dec = ((negative and unscaled != 0, _words(unscaled)), scale)
    return (0, 0), ((dec,),), "", form


def _round_up(unscaled: int, scale: int, new_scale: int) -> int:
    """Rescale a positive ``inf.Dec``, rounding away from zero."""
    shift = new_scale - scale
    if shift > _LARGEST_EXPONENT:
        raise DecodeError("a quantity with an absurd exponent")
    if shift >= 0:
        return unscaled * int(10**shift)
    if -shift > unscaled.bit_length():
        return 1
    return -(-unscaled // int(10**-shift))


def _words(natural: int) -> Words:
    """Return the 64-bit words of a big.nat, least significant first; zero is a nil slice."""
    words = []
    while natural:
        words.append(natural & (2**64 - 1))
        natural >>= 64
    return tuple(words) or None


def _int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def canonical(value: Quantity) -> str:
    """Return the canonical text, as ``Quantity.CanonicalizeBytes`` gives it to JSON and to protobuf."""
    amount, scale = _decimal(value)
    if amount == 0:
        return "0"
    form = value[3] or _DECIMAL_EXPONENT
    if form == _BINARY_SI and scale >= 0 and amount % 10**scale == 0:
        whole = amount // 10**scale
        if abs(whole) >= 1024:
            whole, power = _strip(whole, 1024)
            return f"{whole}{_BINARY_NAMES.get(10 * power, '')}"
    mantissa, power = _strip(amount, 10)
    exponent = _int32(power - scale)
    mantissa *= 10 ** (exponent % 3)
    exponent = _int32(exponent - exponent % 3)
    if form == _DECIMAL_EXPONENT:
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    # Beyond 10^18 Go finds no suffix and prints none: the exponent is lost there, and so it is here.
    return f"{mantissa}{_DECIMAL_NAMES.get(exponent, '')}"


def _decimal(value: Quantity) -> tuple[int, int]:
    """Return ``(unscaled, scale)`` with value = unscaled / 10**scale, whichever representation holds it."""
    dec = value[1][0]
    if dec is None:
        return value[0][0], -value[0][1]
    ((negative, words), scale) = dec[0]
    natural = sum(word << (64 * index) for index, word in enumerate(words or ()))
    return -natural if negative else natural, scale


def _strip(value: int, factor: int) -> tuple[int, int]:
    times = 0
    while value % factor == 0:
        value //= factor
        times += 1
    return value, times


def round_up_to_milli(value: Quantity) -> Quantity:
    """Apply ``Quantity.RoundUp(-3)``, as API servers default resource lists (defaults.go ``SetDefaults_ResourceList``)."""
    amount, scale = _decimal(value)
    fast = value[1][0] is None
    if fast and scale <= 3:
        return value
    rounded = _round_up(abs(amount), scale, 3) if amount else 0
    if fast:
        return (-rounded if amount < 0 else rounded, -3), (None,), "", value[3]
    return (0, 0), ((((amount < 0, _words(rounded)), 3),),), "", value[3]
