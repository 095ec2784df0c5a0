"""Hashed texts with gaps: what is printed once of containers that differ in names and values alone.

Most containers of a cluster set the same fields, with other names, images, paths and values in them. Every
release prints these as they are, each in one place with something else around it, and nothing that a release
or an API server does depends on them. So the texts of one container are those of all others like it, but for
the gaps. The gaps of a field have the same numbers in every container, so that those which differ elsewhere
share its sections.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.go.digest import Digest
from hashcompat.core.go.jsonpath import EACH, Tree, below, tree_of
from hashcompat.core.kubelet.hashing import Hasher
from hashcompat.core.kubelet.sections import Frame, Sections
from hashcompat.core.kubelet.template import (
    GAP,
    GAP_IN_BYTES,
    HEAD,
    TAIL,
    Cut,
    Kind,
    Value,
    Values,
    Writing,
    writing_of,
)
from hashcompat.core.regex import regex

Spec = Mapping[str, Any]

_ANY: Final = "*"
"""Stands for every key of a map."""

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")

_HANDLER: Final = (
    f"exec.command{EACH}",
    "httpGet.path",
    f"httpGet.httpHeaders{EACH}.name",
    f"httpGet.httpHeaders{EACH}.value",
)

_TEXTS: Final = (
    *("name", "image", "workingDir", "terminationMessagePath", f"command{EACH}", f"args{EACH}"),
    *(f"env{EACH}.{key}" for key in ("name", "value", "valueFrom.fieldRef.fieldPath")),
    *(
        f"env{EACH}.valueFrom.{source}.{key}"
        for source in ("configMapKeyRef", "secretKeyRef")
        for key in ("name", "key")
    ),
    *(f"envFrom{EACH}.{key}" for key in ("prefix", "configMapRef.name", "secretRef.name")),
    f"ports{EACH}.name",
    *(f"volumeMounts{EACH}.{key}" for key in ("name", "mountPath", "subPath")),
    *(
        f"{owner}.{place}"
        for owner in (*_PROBES, "lifecycle.postStart", "lifecycle.preStop")
        for place in _HANDLER
    ),
)
"""The texts that can be in gaps: of type string in every release, and no default that is set on reading."""

_INTEGERS: Final = (
    f"ports{EACH}.containerPort",
    *(
        f"{probe}.{key}"
        for probe in _PROBES
        for key in (
            *("httpGet.port", "tcpSocket.port", "initialDelaySeconds", "timeoutSeconds", "periodSeconds"),
            *("successThreshold", "failureThreshold"),
        )
    ),
)
"""The numbers that can be: of 32 bits in every release, or numbers or texts."""

_QUANTITIES: Final = tuple(f"resources.{key}.{_ANY}" for key in ("limits", "requests"))
"""The quantities that can be."""

_LONGEST_VALUE: Final = 256
"""Characters of a value that can be a gap: a longer one is usually a script, which replicas share."""

_LONGEST: Final = 1 << 16
"""Characters of a spec that can have gaps: its texts are kept."""

_MOST: Final = 5_000
"""Gaps of one field: those of all fields have numbers of five digits."""

_QUANTITY: Final = regex(r"[1-9][0-9]{0,8}(?:m|k|M|G|Ki|Mi|Gi)?", re.ASCII)
"""Quantities that every release decodes."""

_LARGEST: Final = 10**9
"""Numbers are smaller, so that none is like the one that stands for a gap."""

_NUMBERS: Final = regex(r"[29]0[0-9]{7}1", re.ASCII)
"""What may stand for a number or a quantity."""


class Gap(msgspec.Struct, frozen=True):
    """A place in containers where each may have something else."""

    path: str
    """Where it is, without indexes and keys of maps: ``env.value``."""
    kind: Kind
    number: int
    """The n-th gap of a field has the same number in every container."""
    stand: Value
    """What stands for what is in it, and is nowhere else."""


class Gapped(msgspec.Struct, frozen=True):
    """A container's JSON as what is in the gaps, and what is around them."""

    around: Any
    """The JSON with what stands for it in each gap."""
    values: tuple[Value, ...]
    """What is in them, in order."""
    gaps: tuple[Gap, ...]

    @property
    def key(self) -> str:
        """Return what containers share that differ in the gaps alone."""
        return repr(self.around)


def gapped(spec: Spec) -> Gapped | None:
    """Return a container's JSON with gaps; None where that would not pay, or could be mistaken."""
    shown = repr(spec)
    # whatever looks like a stand in the spec itself would be taken for one in the text
    if len(shown) > _LONGEST or HEAD in shown or _NUMBERS.search(shown):
        return None
    around, every = dict(spec), Found()
    for key, put in _FIELDS.items():
        if key in spec:
            found = Found()
            around[key] = put(spec[key], found)
            if len(found) > _MOST:
                return None
            every += found
    if not every:
        return None
    values, gaps = zip(*every, strict=True)
    return Gapped(around, values, gaps)


def open_for(words: Sequence[str], gaps: Sequence[Gap], values: Sequence[Value]) -> dict[int, int] | None:
    """Return the gaps that words are in, with the numbers of the words; None unless each is in one gap."""
    numbers = {word: number for number, word in enumerate(words)}
    found = {
        gap.number: numbers[str(value)] for gap, value in zip(gaps, values, strict=True) if value in numbers
    }
    return found if sorted(found.values()) == list(range(len(words))) else None


Found = list[tuple[Value, Gap]]
"""What is in each gap so far."""

_Put = Callable[[Any, Found], Any]
"""Returns JSON with what stands for gaps in it, and adds what is in each of them."""


def _around(tree: Tree, path: str, first: int) -> _Put:
    """Return what puts gaps in the JSON at a path of a field, below which the tree has some.

    ``first`` is the number of the field's first gap.
    """
    if tree.mark is not None:
        return _of_value(tree.mark, path, first)
    inner = {
        key: _around(child, path if key in (EACH, _ANY) else below(path, key), first)
        for key, child in tree.items()
    }
    each, every = inner.pop(EACH, None), inner.pop(_ANY, None)

    def around(value: Any, found: Found) -> Any:
        if type(value) is list and each is not None:
            return [each(item, found) for item in value]
        if type(value) is not dict:
            return value
        if every is not None:
            return {key: every(item, found) for key, item in value.items()}
        return {key: inner[key](item, found) if key in inner else item for key, item in value.items()}

    return around


def _of_value(kind: Kind, path: str, first: int) -> _Put:
    """Return what puts a gap in the place of a value, where it can be one."""
    may_be = _MAY_BE[kind]

    @lru_cache(maxsize=256)
    def numbered(number: int) -> Gap:
        return Gap(path, kind, number, _stand(kind, number))

    def around(value: Any, found: Found) -> Any:
        if not may_be(value):
            return value
        gap = numbered(first + len(found))
        found.append((value, gap))
        return gap.stand

    return around


def _may_be_integer(value: object) -> bool:
    # type, not isinstance: a bool is printed otherwise; and 0 is what omitempty leaves out
    return type(value) is int and 0 < value < _LARGEST


def _may_be_quantity(value: object) -> bool:
    return type(value) is str and _QUANTITY.fullmatch(value) is not None


def _may_be_text(value: object) -> bool:
    """Return whether a value is a text that decides nothing but its own place.

    An empty one, a mask, and one that Go 1.22 escapes in its way do.
    """
    if type(value) is not str or len(value) > _LONGEST_VALUE:
        return False
    # a mask of asterisks stands for a hidden value, and nobody knows whether two masks hide the same
    return bool(value.strip("*")) and "\b" not in value and "\f" not in value


_MAY_BE: Final = {
    Kind.TEXT: _may_be_text,
    Kind.INTEGER: _may_be_integer,
    Kind.QUANTITY: _may_be_quantity,
}


def _stand(kind: Kind, number: int) -> Value:
    """Return what stands for a gap; a number ends in 1, so that every release prints it as it is."""
    if kind is Kind.TEXT:
        return f"{HEAD}{number:05}{TAIL}"
    return int(f"20{number:07}1") if kind is Kind.INTEGER else f"90{number:07}1"


_FIELDS: Final[Mapping[str, _Put]] = {
    key: _around(tree, key, place * _MOST)
    for place, (key, tree) in enumerate(
        tree_of(
            (path.replace(EACH, f".{EACH}").split("."), kind)
            for paths, kind in ((_TEXTS, Kind.TEXT), (_INTEGERS, Kind.INTEGER), (_QUANTITIES, Kind.QUANTITY))
            for path in paths
        ).items()
    )
}
"""Puts the gaps in each field of a container."""


def filled(around: Any, values: Mapping[Value, Value]) -> Any:
    """Return JSON with values in place of what stands for them."""
    if isinstance(around, dict):
        return {key: filled(item, values) for key, item in around.items()}
    if isinstance(around, list):
        return [filled(item, values) for item in around]
    return values.get(around, around) if isinstance(around, str | int) else around


class Text(msgspec.Struct, frozen=True):
    """A hashed text as a function of what is in its gaps."""

    digest: Digest
    frame: Frame
    parts: tuple[Cut, ...]
    """Its sections: one object where several texts of a container have the same."""
    writing: Writing
    """How what is in the gaps is printed."""

    def hash(self, values: Values) -> int:
        """Return the unsigned 32-bit hash with these values in the gaps."""
        filled = map(values.filled(self.writing).__getitem__, self.parts)
        return self.digest([self.frame.before, self.frame.between.join(filled), self.frame.after])

    def closed(self, values: Values, still: Mapping[int, int], known: dict[Cut, Cut]) -> Text:
        """Return the text with these values in all gaps but some, which get other numbers.

        ``known`` has the parts of other texts, so that equal ones are one.
        """
        written = values.filled(self.writing).written
        for part in self.parts:
            if part not in known:
                known[part] = part.closed(written, still)
        return Text(self.digest, self.frame, tuple([known[part] for part in self.parts]), self.writing)

    def has_any(self, gaps: AbstractSet[int]) -> bool:
        """Return whether any of some gaps is in it."""
        return any(number in gaps for part in self.parts for number, _ in part.after)


Done = dict[tuple[Writing, str], Cut | None]
"""Sections as they are written, each cut once; None where something else than its value is in a gap."""


class Cuts:
    """Cuts the texts of one container at its gaps."""

    def __init__(self, gaps: Sequence[Gap], done: Done) -> None:
        """``done`` has the sections of other containers too, whose gaps have the same numbers."""
        self._gaps, self._done = gaps, done
        self._stands: dict[Writing, list[tuple[Kind, Mapping[str, str], frozenset[str]]]] = {}

    def text(self, hasher: Hasher, sections: Sections) -> Text | None:
        """Return what a kubelet hashes of a container in which something stands for the gaps.

        None where it does not print one as its value alone.
        """
        writing, parts = writing_of(hasher), list[Cut]()
        for section in sections.parts:
            key = writing, section
            if key not in self._done:
                self._done[key] = self._cut(writing, section)
            cut = self._done[key]
            if cut is None:
                return None
            parts.append(cut)
        return Text(hasher.digest, sections.frame, tuple(parts), writing)

    def _cut(self, writing: Writing, text: str) -> Cut | None:
        for kind, names, numbers in self._stands_in(writing):
            # A search for each stand is far faster than one for all that looks like a stand.
            there = {stand: name for stand, name in names.items() if stand in text}
            text = "".join(_replaced(text, there, writing, kind))
            left = {stand for stand in numbers if stand in text}
            # a number that is printed as something else than itself cannot be replaced by another one
            if left and any(found in left for _, found in _stands(text, writing, kind, Kind.TEXT)):
                return None
        head, *rest = (GAP_IN_BYTES if writing.in_bytes else GAP).split(text)
        places = map(_number if writing.in_bytes else int, rest[::2])
        return Cut(head, tuple(zip(places, rest[1::2], strict=True)))

    def _stands_in(self, writing: Writing) -> list[tuple[Kind, Mapping[str, str], frozenset[str]]]:
        """Return the stands of numbers and quantities as written, each with its name, and as in texts."""
        found = self._stands.get(writing)
        if found is None:
            found = self._stands[writing] = []
            for kind in (Kind.INTEGER, Kind.QUANTITY):
                gaps = [gap for gap in self._gaps if gap.kind is kind]
                names = {
                    writing.written(kind, gap.stand): writing.written(
                        Kind.TEXT, _stand(Kind.TEXT, gap.number)
                    )
                    for gap in gaps
                }
                left = frozenset(writing.written(Kind.TEXT, str(gap.stand)) for gap in gaps)
                if gaps:
                    found.append((kind, names, left))
        return found


def _replaced(text: str, names: Mapping[str, str], writing: Writing, kind: Kind) -> Iterator[str]:
    """Yield a text with other names for the stands of one kind; in one pass, for there may be thousands."""
    place = 0
    for start, found in _stands(text, writing, kind, kind) if names else ():
        if start >= place and found in names:
            yield text[place:start]
            yield names[found]
            place = start + len(found)
    yield text[place:]


def _stands(text: str, writing: Writing, kind: Kind, shown_as: Kind) -> Iterator[tuple[int, str]]:
    """Yield where something in a text looks like the stand of a gap of some kind, and that."""
    before, after, length = _stand_as(writing, kind, shown_as)
    start = text.find(before)
    while start >= 0:
        found = text[start : start + length]
        if len(found) == length and found.endswith(after):
            yield start, found
        start = text.find(before, start + 1)


@lru_cache(maxsize=256)
def _stand_as(writing: Writing, kind: Kind, shown_as: Kind) -> tuple[str, str, int]:
    """Return how the stands of a kind begin and end, and their length: seven digits in the middle differ."""
    one, other = (writing.written(shown_as, str(_stand(kind, number))) for number in (0, 9_999_999))
    digits = [place for place, (char, wanted) in enumerate(zip(one, other, strict=True)) if char != wanted]
    return one[: digits[0]], one[digits[-1] + 1 :], len(one)


def _number(digits: str) -> int:
    """Return the number whose decimal digits are printed as bytes."""
    return int(bytes(map(int, digits.split())))
