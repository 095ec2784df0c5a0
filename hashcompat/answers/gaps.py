"""Hashed texts with gaps: what is printed once of containers that differ in hidden values alone.

Replicas differ by the name of their token mount, and after a sidecar injector by values of env and args too.
Every release prints these as they are, each in one place with something else around it, and nothing that a
release or an API server does depends on them. So the texts of one container are those of all others like it,
but for the gaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hashcompat.compile.spew import in_bytes
from hashcompat.go.digest import Digest
from hashcompat.go.jsontext import ESCAPES, clean, quote
from hashcompat.kubelet.hashing import Hasher

Spec = Mapping[str, Any]

_TEXTS: Final = ("args", "command")
"""The lists of texts with gaps."""

_FIELDS: Final = {"env": "value", "volumeMounts": "name"}
"""The lists of objects whose text under this key is a gap."""

_HEAD, _TAIL = "hashcompat-gap-", "z"

_GAP: Final = re.compile(f"{_HEAD}([0-9]{{5}}){_TAIL}")

_GAP_IN_BYTES: Final = re.compile(f"{in_bytes(_HEAD)}((?: [0-9]{{2}}){{5}}){in_bytes(_TAIL)}")

_LONGEST_VALUE: Final = 256
"""Characters of a value that can be a gap: a longer one is usually a script, which replicas share."""

_LONGEST: Final = 1 << 16
"""Characters of a spec that can have gaps: its texts are kept."""

_MOST: Final = 100_000
"""Gaps of one container: their numbers have five digits."""

_UNLIKE: Final = re.compile(r"\**|.*[\b\f].*", re.DOTALL)
"""Values that decide more than their own place: empty ones, masks, those that Go 1.22 escapes in its way."""

_ESCAPES: Final = ESCAPES["go1.22"]


@dataclass(frozen=True, slots=True)
class Gapped:
    """A container's JSON as what is in the gaps, and what is around them."""

    around: dict[str, Any]
    """The JSON with a name of its own in each gap."""
    values: tuple[str, ...]
    """What is in them, in order."""

    @property
    def key(self) -> str:
        """Return what containers share that differ in the gaps alone."""
        return repr(self.around)


def gapped(spec: Spec) -> Gapped | None:
    """Return a container's JSON with gaps; None where that would not pay, or could be mistaken."""
    shown = repr(spec)
    if len(shown) > _LONGEST or _HEAD in shown:
        return None
    values: list[str] = []
    around = dict(spec)
    for key in _TEXTS:
        if isinstance(items := spec.get(key), list):
            around[key] = [_gap(item, values) for item in items]
    for key, field in _FIELDS.items():
        if isinstance(items := spec.get(key), list):
            around[key] = [_with_gap(item, field, values) for item in items]
    return Gapped(around, tuple(values)) if values and len(values) < _MOST else None


def _with_gap(item: Any, field: str, values: list[str]) -> Any:
    return {**item, field: _gap(item[field], values)} if isinstance(item, dict) and field in item else item


def _gap(value: Any, values: list[str]) -> Any:
    """Return the name of the gap that a value is in; itself where it is none."""
    if type(value) is not str or len(value) > _LONGEST_VALUE or _UNLIKE.fullmatch(value):
        return value
    values.append(value)
    return f"{_HEAD}{len(values) - 1:05}{_TAIL}"


@dataclass(frozen=True, slots=True)
class Text:
    """A hashed text as a function of what is in its gaps."""

    digest: Digest
    before: int
    """The digest of what precedes the first gap: of the whole text if it has none."""
    after: tuple[tuple[int, str], ...]
    """The number of each gap, and what follows it up to the next one."""
    in_bytes: bool
    """Whether the text is that of JSON's bytes, printed as numbers."""

    @classmethod
    def of(cls, hasher: Hasher, text: str) -> Text:
        """Return what a kubelet hashes of a container whose gaps have their names in them."""
        as_bytes = len(hasher.stages) > 1
        head, *rest = (_GAP_IN_BYTES if as_bytes else _GAP).split(text)
        numbers = map(_number if as_bytes else int, rest[::2])
        return cls(
            hasher.digest, hasher.digest([head]), tuple(zip(numbers, rest[1::2], strict=True)), as_bytes
        )

    @property
    def size(self) -> int:
        """The characters that it keeps."""
        return sum(len(text) for _, text in self.after)

    def hash(self, values: Values) -> int:
        """Return the unsigned 32-bit hash with these values in the gaps."""
        if not self.after:
            return self.before
        written = values.in_bytes if self.in_bytes else values.plain
        return self.digest(_pieces(written, self.after), self.before)


class Values:
    """What is in the gaps of one container, as the hashed texts hold it."""

    def __init__(self, values: Sequence[str]) -> None:
        self.plain = [clean(value) for value in values]
        self.in_bytes = [in_bytes(quote(value, _ESCAPES)[1:-1]) for value in self.plain]


def _pieces(written: Sequence[str], after: tuple[tuple[int, str], ...]) -> Iterator[str]:
    for number, text in after:
        yield written[number]
        yield text


def _number(digits: str) -> int:
    """Return the number whose decimal digits are printed as bytes."""
    return int(bytes(map(int, digits.split())))
