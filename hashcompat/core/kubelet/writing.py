"""How kubelets print what differs between containers: texts, numbers and quantities, in each era's text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.compile.spew import compile_printer, in_bytes
from hashcompat.core.go.jsontext import ESCAPES, clean, quote
from hashcompat.core.go.types import Coded, Map, Struct
from hashcompat.core.kubelet.hashing import Hasher
from hashcompat.core.regex import regex

HEAD, TAIL = "hashcompat-gap-", "z"
"""What the name of a gap begins and ends with; between them is its number, of five digits."""

GAP: Final = regex(f"{HEAD}([0-9]{{5}}){TAIL}")

GAP_IN_BYTES: Final = regex(f"{in_bytes(HEAD)}((?: [0-9]{{2}}){{5}}){in_bytes(TAIL)}")

_ESCAPES: Final = ESCAPES["go1.22"]

Value = str | int
"""A text, a quantity or a number."""


class Kind(Enum):
    """What a value is."""

    TEXT = "text"
    INTEGER = "integer"
    QUANTITY = "quantity"


class Writing(msgspec.Struct, frozen=True, eq=False):
    """How an era prints values."""

    in_bytes: bool
    """Whether as JSON's bytes, printed as numbers; else as Go's values."""
    quantity: Coded | None
    """The type of quantities; None where there are none."""

    def written(self, kind: Kind, value: Value) -> str:
        """Return a value as it is printed; of a text what is between quotation marks.

        Raises DecodeError for what is not a quantity.
        """
        if kind is Kind.QUANTITY and self.quantity is not None:
            return _of_quantity(self, str(value))
        text = clean(str(value))
        # either table of escapes: a text with a character that they treat differently is in no gap
        return in_bytes(quote(text, _ESCAPES)[1:-1]) if self.in_bytes else text


@lru_cache(maxsize=256)
def writing_of(hasher: Hasher) -> Writing:
    """Return how a hasher's text holds values: the same object where it is the same way."""
    return _writing(len(hasher.stages) > 1, _quantity(hasher.container))


_writing: Final = lru_cache(maxsize=64)(Writing)


def _quantity(container: Struct) -> Coded | None:
    """Return the type of the limits of a container's resources."""
    resources = _member(container, "resources")
    limits = _member(resources, "limits") if isinstance(resources, Struct) else None
    return limits.value if isinstance(limits, Map) and isinstance(limits.value, Coded) else None


def _member(struct: Struct, key: str) -> object:
    return next((field.type for field in struct.fields if field.json == key), None)


@lru_cache(maxsize=1 << 12)
def _of_quantity(writing: Writing, text: str) -> str:
    go_type: Any = writing.quantity
    value = go_type.decode(text)
    if writing.in_bytes:
        return in_bytes(quote(str(go_type.encode(value)), _ESCAPES))
    pieces: list[str] = []
    compile_printer(go_type, typed=False)(value, pieces.append)
    return "".join(pieces)


class Values:
    """What is in the gaps of one container, as the hashed texts hold it."""

    def __init__(self, values: Sequence[Value], kinds: Sequence[Kind]) -> None:
        self._pairs = list(zip(kinds, values, strict=True))
        self._written: dict[Writing, list[str]] = {}

    def written(self, writing: Writing) -> list[str]:
        """Return the values as they are printed; errors as ``Writing.written``."""
        found = self._written.get(writing)
        if found is None:
            found = self._written[writing] = [writing.written(*pair) for pair in self._pairs]
        return found
