"""Make random containers as JSON bytes from a type tree, to hold our hashes against real Go's.

Bytes, not dicts: the text of a number, escapes, lone surrogates and invalid UTF-8 all reach a hash.
Every container decodes in Go's encoding/json, and no object has the same key twice, even after decoding.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

Source = Literal["api", "file"]
Tree = Mapping[str, Any]

INTEGERS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "int": 64}
DENSITIES = (0.03, 0.1, 0.3, 0.6, 0.95)
NULLS = 0.03
UNKNOWN = 0.04

# Insides of JSON strings, raw: what could be mistaken for the printer's or for JSON's own syntax, or is
# escaped.
PIECES: tuple[bytes, ...] = (
    b"",
    b" ",
    b"plain",
    b"$(POD_NAME)",
    b"--flag=value",
    b"VolumeDevices:([]v1.VolumeDevice)<nil> ",
    b"map[cpu:{i:(resource.int64Amount){value:(int64)1}}]",
    b"}] TTY:(bool)true}",
    b"([]uint8)[123 34 125]",
    b"<nil>",
    b"%v%#v%!d(MISSING)",
    rb"{\"a\":[1,null,\"b\"]}",
    b"null",
    b"1.0",
    b"'`#: - !",
    rb"\"",
    rb"\\",
    rb"\/",
    rb"\b",
    rb"\f",
    rb"\b\f",
    rb"\n\r\t",
    rb"\\b\\u0008",
    rb"\u0000",
    rb"\u001f",
    rb"\u007f",
    b"\x7f",
    rb"\u2028\u2029",
    "\u2028\u2029".encode(),
    b"<>&",
    rb"\u003c\u003E\u0026",
    rb"\ud800",
    rb"\uDFFF",
    rb"\ude00\ud83d",
    rb"\ud83d\u0041",
    rb"\uD83d\uDe00",
    rb"\ud83d\ud83d\ude00",
    b"\xff",
    b"\xc0\x80",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    "\ufeff".encode(),
    "\ufffd\uffff".encode(),
    "e\u0301 é".encode(),
    "שלום \u202e".encode(),
    "日本 🚀 👩\u200d👧".encode(),
)


def containers(tree: Tree, seed: int, count: int, source: Source) -> Iterator[bytes]:
    """Yield containers of the tree's root type: with `file` odd quantities too, with `api` only canonical."""
    for number in range(count):
        yield Maker(tree, random.Random(f"{seed}/{number}"), source).value(tree["root"])


def request(container: bytes, source: Source) -> bytes:
    """Wrap a container as one line for an oracle of containers."""
    return b'{"source":"' + source.encode() + b'","container":' + container + b"}"


class Maker:
    """Make one container; its density decides whether it is nearly empty or nearly full."""

    def __init__(self, tree: Tree, rng: random.Random, source: Source) -> None:
        self.types: Mapping[str, Any] = tree["types"]
        self.rng = rng
        self.source = source
        self.density = rng.choice(DENSITIES)
        self.space = rng.choice((b"", b"", b" ", b"\t "))

    def chance(self, probability: float) -> bool:
        """Throw a biased coin."""
        return self.rng.random() < probability

    def value(self, type_: str) -> bytes:
        """Make a value of a type in the notation of the type trees."""
        leaf = self._leaf(type_)
        if leaf:
            return leaf()
        if type_.startswith("*"):
            return self.value(type_[1:])
        if type_.startswith("[]"):
            return self._list(type_[2:])
        if type_.startswith("map["):
            return self._map(type_[type_.index("]") + 1 :])
        known = self.types[type_]
        return self.value(known) if isinstance(known, str) else self._object(self._members(known))

    def _leaf(self, type_: str) -> Callable[[], bytes] | None:
        if type_ in INTEGERS:
            return lambda: self.integer(INTEGERS[type_])
        leaves = {
            "string": self.text,
            "bool": lambda: self.rng.choice((b"true", b"false")),
            "resource.Quantity": self.quantity,
            "intstr.IntOrString": lambda: self.text() if self.chance(0.5) else self.integer(32),
        }
        return leaves.get(type_)

    def _nullable(self, type_: str) -> bytes:
        # An API server never sends a quantity as null, and through protobuf it would come back as "0".
        allowed = self.source == "file" or type_ != "resource.Quantity"
        return b"null" if allowed and self.chance(NULLS) else self.value(type_)

    def _members(self, fields: list[dict[str, Any]]) -> list[tuple[bytes, bytes]]:
        members = []
        for field in fields:
            if field.get("embedded"):
                members += self._members(self.types[field["type"]])
            elif self._present(field["type"]):
                members.append((self._key(field["json"]), self._nullable(field["type"])))
        if self.chance(UNKNOWN):
            members.append((b'"zz-unknown-%d"' % len(members), self._anything(3)))
        return members

    def _present(self, type_: str) -> bool:
        """Keep what JSON from an API server always has: a struct without omitempty's effect, as a divisor."""
        return (type_ == "resource.Quantity" and self.source == "api") or self.chance(self.density)

    def _key(self, name: str) -> bytes:
        if self.chance(0.01):
            return b'"' + b"".join(b"\\u%04x" % ord(letter) for letter in name) + b'"'
        return b'"' + name.encode() + b'"'

    def _object(self, members: list[tuple[bytes, bytes]]) -> bytes:
        if self.chance(0.3):
            self.rng.shuffle(members)
        pairs = [key + self.space + b":" + self.space + value for key, value in members]
        return b"{" + (b"," + self.space).join(pairs) + b"}"

    def _length(self) -> int:
        return self.rng.choice((0, 1, 1, 2, 2, 3, 5))

    def _list(self, type_: str) -> bytes:
        elements = [self._nullable(type_) for _ in range(self._length())]
        return b"[" + (b"," + self.space).join(elements) + b"]"

    def _map(self, type_: str) -> bytes:
        """Make a map whose keys stay different when broken bytes in them have become U+FFFD."""
        usual = ["cpu", "memory", "cpu.a", "CPU", "nvidia.com/gpu", "hugepages-2Mi", "é", "😀"]
        keys = []
        for number, name in enumerate(self.rng.sample(usual, self._length())):
            odd = self.text()[:-1] + b"/%d" % number + b'"'
            keys.append(odd if self.chance(0.3) else b'"' + name.encode() + b'"')
        return self._object([(key, self._nullable(type_)) for key in keys])

    def _anything(self, depth: int) -> bytes:
        """Make any JSON at all, for a field that nobody knows."""
        makers: list[Callable[[], bytes]] = [
            lambda: b"null",
            lambda: b"-1.5e+300",
            lambda: b"true",
            self.text,
            lambda: self.integer(64),
        ]
        if depth:
            below = depth - 1
            makers.append(lambda: b"[" + b",".join(self._anything(below) for _ in range(2)) + b"]")
            makers.append(lambda: self._object([(b'"k%d"' % i, self._anything(below)) for i in range(2)]))
        return self.rng.choice(makers)()

    def text(self) -> bytes:
        """Make a JSON string of hostile pieces, with its quotes."""
        if self.chance(0.005):
            return b'"' + self.rng.choice((b"x", b"ab ", rb"\n", "é".encode())) * 1500 + b'"'
        return b'"' + b"".join(self._piece() for _ in range(self.rng.choice((0, 1, 1, 1, 2, 3)))) + b'"'

    def _piece(self) -> bytes:
        kind = self.rng.randrange(4)
        if kind == 0:
            letters = string.ascii_letters + string.digits + "-./_"
            return "".join(self.rng.choices(letters, k=self.rng.randrange(12))).encode()
        if kind == 1:
            return self._character()
        return self.rng.choice(PIECES)

    def _character(self) -> bytes:
        """Make any character, as a raw one or as an escape."""
        code = self.rng.choice(
            (self.rng.randrange(0x250), self.rng.randrange(0x10000), self.rng.randrange(0x110000))
        )
        if code < 0x10000 and (
            code < 0x20 or code in (0x22, 0x5C) or 0xD800 <= code < 0xE000 or self.chance(0.3)
        ):
            return b"\\u%04x" % code
        return chr(code).encode()

    def integer(self, bits: int) -> bytes:
        """Make an integer of the whole range of a type, its ends more often than chance would."""
        low, high = -(1 << bits - 1), (1 << bits - 1) - 1
        usual = (0, 1, -1, low, high, 80, 8080, self.rng.randint(low, high), self.rng.randint(0, 70000))
        number = self.rng.choice(usual)
        return b"-0" if number == 0 and self.chance(0.1) else b"%d" % number

    def quantity(self) -> bytes:
        """Make a quantity that Go's ParseQuantity takes."""
        if self.source == "api" or self.chance(0.4):
            return b'"' + canonical_quantity(self.rng).encode() + b'"'
        if self.chance(0.25):
            return bare_number(self.rng).encode()
        return b'"' + odd_quantity(self.rng).encode() + b'"'


def canonical_quantity(rng: random.Random) -> str:
    """Make a quantity that CanonicalizeBytes of quantity.go leaves as it is."""
    if rng.random() < 0.05:
        return "0"
    sign = rng.choice(("", "", "", "-"))
    if rng.random() < 0.5:
        power = rng.randrange(1, 7)
        most = min((1 << 63) // (1 << 10 * power) - 1, 100_000)
        number = _not_multiple(rng, most, 1024)
        return f"{sign}{number}{'KMGTPE'[power - 1]}i"
    power = rng.randrange(-3, 7)
    number = _not_multiple(rng, min(9 * 10 ** (18 - 3 * power), 100_000_000), 1000)
    suffix = "num kMGTPE"[power + 3].strip()
    if power and rng.random() < 0.2:
        suffix = f"e{3 * power}"
    return f"{sign}{number}{suffix}"


def _not_multiple(rng: random.Random, most: int, step: int) -> int:
    """Draw a number that no larger suffix could shorten, small ones as likely as large ones."""
    number = rng.randint(1, max(1, min(most, 10 ** rng.randint(1, 8))))
    return number if number % step else max(1, number - 1)


def odd_quantity(rng: random.Random) -> str:
    """Make a quantity as people write it: signs, zeros, fractions, any exponent, any suffix, any size."""
    suffixes = ("", "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
    suffix = rng.choice(suffixes)
    if rng.random() < 0.25:
        suffix = (
            rng.choice("eE") + rng.choice(("", "+", "-")) + rng.choice(("", "0")) + str(rng.randint(0, 25))
        )
    return rng.choice(("", "", "", "+", "-")) + rng.choice(("", "", "0", "00")) + _decimal(rng) + suffix


def _decimal(rng: random.Random) -> str:
    whole, fraction = _digits(rng), _digits(rng)
    forms = (
        whole,
        whole,
        f"{whole}.{fraction}",
        f"{whole}.",
        f".{fraction}",
        f"{whole}000",
        f"{whole}.{fraction}00",
    )
    return rng.choice(forms)


def _digits(rng: random.Random) -> str:
    usual = ("0", "1", "5", "8", "64", "50", "100", "1000", "1024", "1500", "999", "9223372036854775807")
    if rng.random() < 0.5:
        return rng.choice(usual)
    return "".join(rng.choices(string.digits, k=rng.choice((1, 2, 3, 6, 9, 10, 17, 18, 19, 20, 30))))


def bare_number(rng: random.Random) -> str:
    """Make a JSON number, stricter than a quantity: no plus, no leading zeros, digits at both ends."""
    number = str(int(_digits(rng)))
    if rng.random() < 0.5:
        number += f".{_digits(rng)}"
    if rng.random() < 0.3:
        number += rng.choice("eE") + rng.choice(("", "+", "-")) + str(rng.randint(0, 20))
    return rng.choice(("", "", "-")) + number
