"""A container that differs from pod to pod by a few values alone: hashed once, but for these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.compile.spew import compile_printer, in_bytes
from hashcompat.core.go.digest import Digest, Texts, going_on
from hashcompat.core.go.jsontext import ESCAPES, clean, quote
from hashcompat.core.go.types import Coded, Map, Struct
from hashcompat.core.kubelet.hashing import Hasher
from hashcompat.core.model.verdicts import Hash
from hashcompat.core.regex import regex


class Around(msgspec.Struct, frozen=True):
    """A hash as a function of names in the hashed text."""

    digest: Digest
    """What makes the hash of the text."""
    in_bytes: bool
    """Whether the text is JSON's bytes, printed as numbers."""
    before: int
    """The digest of what precedes the first name, or of the whole text if none is in it."""
    after: tuple[tuple[int, bytes], ...]
    """The names in the text by number, each with the text that follows it, in UTF-8."""
    go_on: Callable[[Texts], int]
    """The hash by the names as they are printed."""
    stored: Hash | None = None
    """What a snapshot stores in place of that hash; only where no name is in the text."""

    @classmethod
    def of(cls, hasher: Hasher, before: int, after: tuple[tuple[int, str], ...]) -> Around:
        """Return the hash of a text that follows a digest."""
        encoded = tuple((number, text.encode()) for number, text in after)
        go_on = going_on(hasher.digest, before, encoded)
        return cls(hasher.digest, len(hasher.stages) > 1, before, encoded, go_on)

    @property
    def way(self) -> tuple[object, ...]:
        """What decides the hash besides the names."""
        return self.digest, self.in_bytes, self.before, self.after, self.stored

    def hash(self, names: Sequence[str]) -> Hash:
        """Return the hash of the container with these names."""
        if not self.after:
            return self.before if self.stored is None else self.stored
        # From 1.31 on most names are in no hashed text, and bytes take longer to print than to hash.
        printed = {number: _in_json(names[number]) for number, _ in self.after} if self.in_bytes else names
        return self.go_on(printed)


def _in_json(text: str) -> str:
    """Return how the bytes of JSON hold a text without a character that the tables treat differently."""
    return _printed(text) if len(text) <= _LONGEST_REMEMBERED else _printed.__wrapped__(text)


@lru_cache(maxsize=1 << 10)
def _printed(text: str) -> str:
    # The same for each kubelet that hashes a container, and for most of its replicas.
    return in_bytes(quote(text, _ESCAPES)[1:-1])


def around(hasher: Hasher, container: Mapping[str, Any], names: Sequence[str]) -> Around:
    """Hash a container's JSON but for names of ASCII letters, digits and ``-._:/@+``.

    Each has to be the value of a string field, never a key of a map, and to occur in no other text of the
    container, nor in another name. Then it is in at most one place of the hashed text, as it is or byte by
    byte: no printer changes such characters, and each puts something else between two texts. So another name
    changes nothing but this place.
    """
    whole = "".join(hasher.pieces_of(container))
    written = {number: _written(hasher, name) for number, name in enumerate(names)}
    places = sorted((whole.index(name), number) for number, name in written.items() if name in whole)
    texts, end = list[str](), 0
    for start, number in places:
        texts.append(whole[end:start])
        end = start + len(written[number])
    texts.append(whole[end:])
    # the caller's promise, checked: a name in two places would be replaced in one of them only
    if any(name in text for text in texts for name in written.values()):
        raise ValueError("a name is in the hashed text twice")
    first, *rest = texts
    after = tuple((number, text) for (_, number), text in zip(places, rest, strict=True))
    return Around.of(hasher, hasher.digest([first]), after)


def _written(hasher: Hasher, name: str) -> str:
    """Return a name as the hashed text holds it: encoding/json's bytes are printed as numbers."""
    return in_bytes(name) if len(hasher.stages) > 1 else name


# How kubelets print what differs between containers: texts, numbers and quantities, in each era's text.

HEAD, TAIL = "hashcompat-gap-", "z"
"""What the name of a gap begins and ends with; between them is its number, of five digits."""

GAP: Final = regex(f"{HEAD}([0-9]{{5}}){TAIL}")

GAP_IN_BYTES: Final = regex(f"{in_bytes(HEAD)}((?: [0-9]{{2}}){{5}}){in_bytes(TAIL)}")

_ESCAPES: Final = ESCAPES["go1.22"]

_LONGEST_REMEMBERED: Final = 1 << 12
"""Characters; of their bytes as numbers each takes four."""

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
        # a text with a character that the tables treat differently is in no gap
        return _in_json(text) if self.in_bytes else text


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


class Cut(msgspec.Struct, frozen=True, eq=False):
    """A part of a hashed text as a function of what is in its gaps."""

    head: str
    """What precedes the first gap: all of it if there is none."""
    after: tuple[tuple[int, str], ...]
    """The number of each gap, and what follows it up to the next one."""

    @property
    def size(self) -> int:
        """The characters that it keeps."""
        return len(self.head) + sum(len(text) for _, text in self.after)

    def filled(self, written: Texts) -> str:
        """Return the part with these values in its gaps."""
        pieces = [self.head]
        for number, text in self.after:
            pieces += written[number], text
        return "".join(pieces)

    def closed(self, written: Texts, still: Mapping[int, int]) -> Cut:
        """Return the part with these values in all gaps but some, which get other numbers."""
        if not self.after:
            return self
        head, after = self.head, list[tuple[int, str]]()
        for number, text in self.after:
            if number in still:
                after.append((still[number], text))
            elif after:
                after[-1] = after[-1][0], f"{after[-1][1]}{written[number]}{text}"
            else:
                head = f"{head}{written[number]}{text}"
        return Cut(head, tuple(after))


class Filled(dict[Cut, str]):
    """Parts of hashed texts with values in their gaps, each put together once."""

    def __init__(self, written: Texts) -> None:
        super().__init__()
        self.written = written
        """The values as they are printed."""

    def __missing__(self, cut: Cut) -> str:
        """Put together a part that is asked for the first time."""
        filled = self[cut] = cut.filled(self.written)
        return filled


class Values:
    """What is in the gaps of one container, as the hashed texts hold it."""

    def __init__(self, values: Mapping[int, tuple[Kind, Value]]) -> None:
        """Take the values by the numbers of the gaps."""
        self._values = values
        self._filled: dict[Writing, Filled] = {}

    def filled(self, writing: Writing) -> Filled:
        """Return the parts of texts with the values as they are printed; errors as ``Writing.written``."""
        found = self._filled.get(writing)
        if found is None:
            written = {number: writing.written(*value) for number, value in self._values.items()}
            found = self._filled[writing] = Filled(written)
        return found
