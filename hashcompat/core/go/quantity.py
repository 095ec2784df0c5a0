"""``resource.Quantity`` as apimachinery 1.3 - 1.36 parses, stores and prints it (pkg/api/resource).

The hashed text includes the private fields, so the parser must produce Go's *representation*, not only the
same number: whether the text is cached, whether the value is an ``inf.Dec``, and its scale.

The last part has sums, comparisons and the first form. Kubelets compute quantities when they set defaults of
pod-level resources. What they print then may be a representation that no JSON decodes to. Source:
pkg/api/resource/quantity.go and amount.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import Number
from hashcompat.core.go.types import Basic, Coded, Field, Pointer, Slice, Struct
from hashcompat.core.regex import regex

# ``inf.Dec``, the decimal numbers of resource.Quantity.
#
# Source: gopkg.in/inf.v0; before 1.3 speter.net/go/exp/math/dec/inf, the same code.

DEC: Final = Struct(
    "inf.Dec",
    (
        Field(
            "unscaled",
            Struct(
                "big.Int",
                (Field("neg", Basic("bool", "bool")), Field("abs", Slice("big.nat", Basic("uint", "uint")))),
            ),
        ),
        Field("scale", Basic("inf.Scale", "int32")),
    ),
)
POINTER: Final = Pointer("*inf.Dec", DEC)
Words = tuple[int, ...] | None
Dec = tuple[tuple[bool, Words], int]
"""Typed value of ``DEC``: ``((negative, 64-bit words), scale)``, which stands for unscaled / 10**scale."""
LARGEST_EXPONENT: Final = 10_000
"""Decimal places of a quantity; not far beyond, Go itself needs gigabytes for an ``inf.Dec``."""
_TOO_FAR: Final = f"a quantity whose exponent is too large: more than {LARGEST_EXPONENT:,}"


def dec(unscaled: int, scale: int) -> Dec:
    """Return unscaled / 10**scale as a typed value."""
    return (unscaled < 0, words(abs(unscaled))), scale


def number(value: Dec) -> tuple[int, int]:
    """Return ``(unscaled, scale)`` of a typed value."""
    (negative, parts), scale = value
    natural = sum(word << (64 * index) for index, word in enumerate(parts or ()))
    return -natural if negative else natural, scale


def words(natural: int) -> Words:
    """Return the 64-bit words of a big.nat, least significant first; zero is a nil slice."""
    parts = []
    while natural:
        parts.append(natural & (2**64 - 1))
        natural >>= 64
    return tuple(parts) or None


def round_up(unscaled: int, scale: int, new_scale: int) -> int:
    """Rescale a positive decimal, rounding away from zero.

    Raises DecodeError where Go would not finish.
    """
    shift = new_scale - scale
    if shift > LARGEST_EXPONENT:
        raise DecodeError(_TOO_FAR)
    if shift >= 0:
        return unscaled * int(10**shift)
    # 10**n has more bits than n, so the amount is below one unit: rounded up it is one, without the power
    if -shift > unscaled.bit_length():
        return 1
    return -(-unscaled // int(10**-shift))


def int32(value: int) -> int:
    """Convert to int32 as Go does: the upper bits are lost."""
    return (value + 2**31) % 2**32 - 2**31


# ``resource.Quantity``.

FORMAT: Final = Basic("resource.Format", "string")
_FIELDS: Final = (
    Field(
        "i",
        Struct(
            "resource.int64Amount",
            (Field("value", Basic("int64", "int64")), Field("scale", Basic("resource.Scale", "int32"))),
        ),
    ),
    Field("d", Struct("resource.infDecAmount", (Field("Dec", POINTER),))),
    Field("s", Basic("string", "string")),
    Field("Format", FORMAT),
)
Quantity = tuple[tuple[int, int], tuple[tuple[Dec] | None], str, str]
"""Typed value of ``TYPE``: ``((value, scale), (dec,), cached text, format)``."""
DECIMAL_SI, BINARY_SI, DECIMAL_EXPONENT = "DecimalSI", "BinarySI", "DecimalExponent"
_DECIMAL_SUFFIXES: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY_SUFFIXES: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES: Final = {exponent: suffix for suffix, exponent in _BINARY_SUFFIXES.items()}
_SPLIT: Final = regex(r"([+-]?)(0*+)([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*+[+-]?[0-9]*+)")
_EXPONENT: Final = regex(r"[eE]([+-]?[0-9]+)")
_GO_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
MAX_INT64: Final = 2**63 - 1
_NANO_SCALE: Final = 9
LONGEST: Final = 4000
"""Characters of a quantity; Python refuses to convert numbers of more than 4300 digits."""
_LONGEST_BITS: Final = LONGEST * 10 // 3
"""Bits of a number of that many digits, rounded up."""
_REMEMBERED: Final = 1024
"""Quantities; clusters use few different ones, and each may have thousands of digits."""
ZERO: Final[Quantity] = ((0, 0), (None,), "", "")


def from_json(value: object) -> Quantity:
    """Decode as ``Quantity.UnmarshalJSON``: the text of a string or of a number; null is the zero value.

    Raises DecodeError for more decimal places than its amount is computed with.
    """
    if value is None:
        return ZERO
    quantity = parse(raw_text(value))
    if abs(decimal(quantity)[1]) > LARGEST_EXPONENT:
        raise DecodeError(_TOO_FAR)
    return quantity


def raw_text(value: object) -> str:
    """Return the text that a quantity is parsed from; a string is stripped of white space.

    Raises DecodeError for other kinds of JSON.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | Number):
        raise DecodeError("want a quantity such as 100m or 64Mi")
    return value.strip(_GO_SPACE) if isinstance(value, str) else str(value)


def refuse_absurd(text: str) -> None:
    """Raise DecodeError for more digits than any quantity needs, before they exhaust Python or memory."""
    if len(text) > LONGEST:
        raise DecodeError(f"a quantity with too many digits: more than {LONGEST} characters")


def to_json(value: Quantity) -> str:
    """Return the text of ``Quantity.MarshalJSON`` without its quotes: the cached or the canonical text."""
    return value[2] or canonical(value)


@lru_cache(maxsize=_REMEMBERED)
def parse(text: str) -> Quantity:
    """Parse as ``resource.ParseQuantity``.

    Raises DecodeError for text that Go rejects; the message does not repeat the text.
    """
    if text == "0":
        return (0, 0), (None,), "0", DECIMAL_SI
    refuse_absurd(text)
    match = _SPLIT.fullmatch(text) if text else None
    if match is None:
        raise DecodeError("not a quantity; want a number with a suffix such as m, k, Mi or e3")
    sign, zeros, whole, fraction, suffix = match.groups(default="")
    base, exponent, form = interpret(suffix)
    negative = sign == "-"
    # Go keeps some texts with the value, in a field that go-spew prints: so 0.5 and 500m hash differently.
    fast = _parse_fast(text, negative, whole or "0", fraction, exponent, form)
    if fast is not None:
        return fast
    if not zeros + whole + fraction:
        raise DecodeError("a quantity without digits")
    amount = int(whole + fraction or "0") * (1 if base == 10 else 1 << exponent)
    return _parse_slow(amount, negative, int32(len(fraction) - (exponent if base == 10 else 0)), form)


def interpret(suffix: str) -> tuple[int, int, str]:
    """Return the base, exponent and format of a suffix (suffix.go ``interpret``)."""
    if suffix in _DECIMAL_SUFFIXES:
        return 10, _DECIMAL_SUFFIXES[suffix], DECIMAL_SI
    if suffix in _BINARY_SUFFIXES:
        return 2, _BINARY_SUFFIXES[suffix], BINARY_SI
    if match := _EXPONENT.fullmatch(suffix):
        parsed = int(match[1])
        if -(2**63) <= parsed <= MAX_INT64:
            return 10, int32(parsed), DECIMAL_EXPONENT
    raise DecodeError("a quantity with an unknown suffix")


def _parse_fast(
    text: str, negative: bool, whole: str, fraction: str, exponent: int, form: str
) -> Quantity | None:
    """Try the ``int64Amount`` path, the only one that caches text, and only text that looks canonical."""
    digits = whole + fraction
    if form == BINARY_SI:
        # quantity.go's own estimate of whether an int64 is wide enough: ten binary digits are about three
        # decimal ones
        if fraction or 15 - len(whole) - exponent * 3 // 10 - 1 < 0:
            return None
        value = int(whole)
        # a multiple of 8 may not be canonical (8Ki, but 1024Ki is 1Mi), so Go asks for none of them
        cached, scale, amount = value & 7 != 0, 0, value << exponent
    else:
        scale = int32(exponent - len(fraction))
        # 19 digits may be beyond an int64, and Go counts digits before it parses them
        if len(digits) > 18 or scale < -_NANO_SCALE:
            return None
        amount = int(digits)
        cached = scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
    return (-amount if negative else amount, scale), (None,), text if cached else "", form


def _parse_slow(unscaled: int, negative: bool, scale: int, form: str) -> Quantity:
    """Take the ``inf.Dec`` path: round up to nano, cap BinarySI at 2^63-1, fractions below 1 as DecimalSI."""
    if unscaled:
        # up, never to the nearest: "if you want some resources, you should get some" (``ParseQuantity``)
        unscaled, scale = round_up(unscaled, scale, _NANO_SCALE), _NANO_SCALE
    if form == BINARY_SI and unscaled > MAX_INT64 * 10**_NANO_SCALE:
        unscaled, scale = MAX_INT64, 0
    elif form == BINARY_SI and 0 < unscaled < 10**_NANO_SCALE:
        form = DECIMAL_SI
    return (0, 0), ((dec(-unscaled if negative else unscaled, scale),),), "", form


def canonical(value: Quantity) -> str:
    """Return the canonical text of ``Quantity.CanonicalizeBytes``, which JSON and protobuf use."""
    amount, scale = decimal(value)
    return canonical_text(amount, scale, value[3] or DECIMAL_EXPONENT)


def canonical_text(amount: int, scale: int, form: str) -> str:
    """Return the canonical text of amount / 10**scale: no fraction, the largest suffix (1.0 - 1.36).

    Raises DecodeError for more digits than a quantity may have, such as of a sum.
    """
    if amount == 0:
        return "0"
    if form == BINARY_SI and scale >= 0 and amount % 10**scale == 0:
        whole = amount // 10**scale
        if abs(whole) >= 1024:
            whole, power = _strip(whole, 1024)
            return f"{_digits(whole)}{_BINARY_NAMES.get(10 * power, '')}"
    # a binary amount below 1024 or with a fraction is written in decimal form, as Go's CanonicalizeBytes does
    mantissa, power = _strip(amount, 10)
    exponent = int32(power - scale)
    mantissa *= 10 ** (exponent % 3)
    exponent = int32(exponent - exponent % 3)
    if form == DECIMAL_EXPONENT:
        return f"{_digits(mantissa)}e{exponent}" if exponent else _digits(mantissa)
    # Beyond 10^18 Go has no suffix and prints none, so the exponent is lost, here too.
    return f"{_digits(mantissa)}{_DECIMAL_NAMES.get(exponent, '')}"


def _digits(value: int) -> str:
    if value.bit_length() > _LONGEST_BITS:
        raise DecodeError(f"a quantity with too many digits: more than {LONGEST}")
    return str(value)


def decimal(value: Quantity) -> tuple[int, int]:
    """Return ``(unscaled, scale)`` with value = unscaled / 10**scale, whichever representation holds it."""
    dec = value[1][0]
    if dec is None:
        return value[0][0], -value[0][1]
    return number(dec[0])


def _strip(value: int, factor: int) -> tuple[int, int]:
    """Divide by a factor as often as that leaves no rest: first by ever higher powers of it."""
    if value % factor:
        return value, 0
    value, squares = _strip(value // factor, factor * factor)
    once_more = value % factor == 0
    return value // factor if once_more else value, 1 + 2 * squares + once_more


def round_up_to_milli(value: Quantity) -> Quantity:
    """Apply ``Quantity.RoundUp(-3)``, as API servers do (defaults.go ``SetDefaults_ResourceList``)."""
    amount, scale = decimal(value)
    # the representation stays: rounding turns no int64Amount into an inf.Dec, and none back
    fast = value[1][0] is None
    if fast and scale <= 3:
        return value
    rounded = round_up(abs(amount), scale, 3) if amount else 0
    if fast:
        return (-rounded if amount < 0 else rounded, -3), (None,), "", value[3]
    return (0, 0), ((dec(-rounded if amount < 0 else rounded, 3),),), "", value[3]


def milli_from_json(value: object) -> Quantity:
    """Decode a quantity of a ResourceList into the internal type of 1.3 - 1.5, which rounds it up to milli.

    Kubelets of these releases convert every pod, so a quantity that the API server has already rounded still
    changes its scale. Source: pkg/api/v1/conversion.go ``Convert_v1_ResourceList_To_api_ResourceList``, in
    1.5 defaults.go.
    """
    return round_up_to_milli(from_json(value))


TYPE: Final = Coded("resource.Quantity", _FIELDS, from_json, to_json)
MILLI_TYPE: Final = Coded("resource.Quantity", _FIELDS, milli_from_json, to_json)


# Sums and comparisons, with Go's resulting representation.

_WIDEST: Final = 10_000
"""Decimal places between two quantities; beyond this Go would compute for hours."""


class Held(msgspec.Struct, frozen=True):
    """A computed quantity, in place of its text in a JSON document."""

    quantity: Quantity
    """Its typed value, whose representation no text decodes to."""


def from_json_or_held(value: object) -> Quantity:
    """Decode as ``Quantity.UnmarshalJSON`` does, and return a computed quantity unchanged."""
    return value.quantity if isinstance(value, Held) else from_json(value)


HELD_TYPE: Final = Coded(TYPE.name, TYPE.fields, from_json_or_held, to_json)


def add(quantity: Quantity, other: Quantity) -> Quantity:
    """Add as ``Quantity.Add`` does.

    The cached text is lost, zero takes the format of the other operand, and an int64 may become an inf.Dec.
    """
    # ``q.IsZero()``: a zero has a format too, but Go takes that of what is added to it
    form = quantity[3] if decimal(quantity)[0] else other[3]
    if quantity[1][0] is None and other[1][0] is None and (amount := _add_int64(quantity[0], other[0])):
        return amount, (None,), "", form
    first, second, scale = _aligned(quantity, other)
    return (0, 0), ((dec(first + second, scale),),), "", form


def _add_int64(amount: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    """Add as ``int64Amount.Add`` does, at the finer of both scales; return None on overflow."""
    if not amount[0] or not other[0]:
        return amount if amount[0] or not other[0] else other
    scale = min(amount[1], other[1])
    # 10**19 overflows an int64 whatever it is multiplied by; Go's scaling gives up there too
    if max(amount[1], other[1]) - scale >= len(str(MAX_INT64)):
        return None
    terms = [value * 10 ** (own - scale) for value, own in (amount, other)]
    total = sum(terms)
    return (
        (int(total), scale)
        if all(-MAX_INT64 - 1 <= number <= MAX_INT64 for number in (*terms, total))
        else None
    )


def larger(new: Quantity, current: Quantity) -> Quantity:
    """Return ``new`` if it is the larger number, otherwise ``current``.

    ``new.Cmp(current)`` converts ``new`` to an inf.Dec if ``current`` is one (``AsDec``), and keeps its text.
    """
    first, second, _ = _aligned(new, current)
    if first <= second:
        return current
    (value, scale), (exact,), text, form = new
    if exact is None and current[1][0] is not None:
        return (0, 0), ((dec(value, -scale),),), text, form
    return new


def _aligned(quantity: Quantity, other: Quantity) -> tuple[int, int, int]:
    """Return both unscaled numbers at the finer of their scales, and that scale, as ``inf.Dec`` does."""
    (first, first_scale), (second, second_scale) = decimal(quantity), decimal(other)
    # scales of an inf.Dec count places behind the point, so the larger one is the finer one
    scale = max(first_scale, second_scale)
    if abs(first_scale - second_scale) > _WIDEST:
        raise DecodeError(f"quantities whose scales differ too much to be added: by more than {_WIDEST}")
    return first * int(10 ** (scale - first_scale)), second * int(10 ** (scale - second_scale)), scale


# ``resource.Quantity`` of 1.0 - 1.2: only an ``inf.Dec`` and a format.
#
# The text is not cached, so equal amounts print the same, however they were written.
# Source: pkg/api/resource/quantity.go of those releases.

OldQuantity = tuple[tuple[Dec] | None, str]
"""Typed value of the types below: ``((amount,), format)``."""
_OLD_SPLIT: Final = regex(r"([+-]?)(?:([0-9]++)\.?+([0-9]*+)|\.([0-9]++))([eEinumkKMGTP]*+[-+]?[0-9]*+)")
_MILLI: Final = 3


def old_milli_from_json(value: object) -> OldQuantity:
    """Decode as 1.0 and 1.1 do: amounts are rounded up to milli, and there are no suffixes below it."""
    return _parse(raw_text(value), _MILLI)


def nano_from_json(value: object) -> OldQuantity:
    """Decode as 1.2 does: parsed to nano, then rounded up to milli on the way into the internal ResourceList.

    The second step also changes the scale of zero to milli. In 1.2 every quantity is part of a ResourceList.
    Source: pkg/api/v1/conversion.go ``Convert_v1_ResourceList_To_api_ResourceList``.
    """
    amount, form = _parse(raw_text(value), _NANO_SCALE)
    unscaled, scale = _number(amount)
    rounded = round_up(abs(unscaled), scale, _MILLI) if unscaled else 0
    return (dec(-rounded if unscaled < 0 else rounded, _MILLI),), form


def to_json_1_0(value: OldQuantity) -> str:
    """Return the text of ``Quantity.MarshalJSON`` without its quotes."""
    unscaled, scale = _number(value[0])
    return canonical_text(unscaled, scale, value[1] or DECIMAL_EXPONENT)


def _number(amount: tuple[Dec] | None) -> tuple[int, int]:
    return number(amount[0]) if amount else (0, 0)


def _parse(text: str, finest: int) -> OldQuantity:
    """Parse as ``ParseQuantity``: round up to ``finest``, cap at 2^63-1, fractions below 1 as DecimalSI."""
    refuse_absurd(text)
    match = _OLD_SPLIT.fullmatch(text)
    if match is None or (finest == _MILLI and match[5] in ("n", "u")):
        raise DecodeError("not a quantity; want a number with a suffix such as m, k, Mi or e3")
    sign, whole, fraction, bare_fraction, suffix = match.groups(default="")
    fraction += bare_fraction
    base, exponent, form = interpret(suffix)
    unscaled = int(whole + fraction) << (exponent if base == 2 else 0)
    scale = int32(len(fraction) - (exponent if base == 10 else 0))
    if unscaled:
        unscaled, scale = round_up(unscaled, scale, finest), finest
    # up to 1.2 every format is capped; from 1.3 on only BinarySI is (``_parse_slow`` in quantity.py)
    if unscaled > MAX_INT64 * 10**finest:
        unscaled, scale = MAX_INT64, 0
    if form == BINARY_SI and 0 < unscaled < 10**scale:
        form = DECIMAL_SI
    return (dec(-unscaled if sign == "-" else unscaled, scale),), form


_OLD_FIELDS: Final = (Field("Amount", POINTER), Field("Format", FORMAT, embedded=True))
MILLI_TYPE_1_0: Final = Coded("resource.Quantity", _OLD_FIELDS, old_milli_from_json, to_json_1_0)
NANO_TYPE_1_0: Final = Coded("resource.Quantity", _OLD_FIELDS, nano_from_json, to_json_1_0)
