"""Finds pods that are of a stencil in a text, so that only the first ones of a workload are decoded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import may_be_deep
from hashcompat.core.go.jsonpath import Text, leaves, part, rows, text
from hashcompat.core.go.jsontext import DECODER
from hashcompat.core.regex import regex
from hashcompat.sources.pods import ANNOTATIONS
from hashcompat.sources.replicas.roles import is_own_at_first
from hashcompat.sources.replicas.shape import Family, Replica, Shared, Status
from hashcompat.sources.replicas.stencil import PLAIN, QUOTED, Cut, Stencil
from hashcompat.sources.snapshots import WORKLOAD

_TRIED: Final = 16
"""Stencils that a part of a text is compared with; most differ from it in their first few characters."""
_KEPT: Final = 1 << 21
"""Characters of all texts that are remembered; usual pods have 17,000, and take a few times as many bytes."""
_OF_SHAPE: Final = 4
"""What is kept of a pod besides stencils is about as large as one of so many parts of its text."""
_KINDS: Final = 64
"""Kinds of owners that are told apart."""
_TRUSTED: Final = 16
"""Pods with owners of one kind that are learned from before any other pod is like one."""
_NOW_AND_THEN: Final = 8
"""Of pods that are like none, where most are, at most one in so many is learned from."""
_LARGEST: Final = 1 << 17
"""Characters of a text that can have stencils."""
_PARTS: Final = 3
"""Metadata, spec and status, each with the key before it."""
_SPEC: Final = 1
_STATUS: Final = 2
_MANAGED: Final = ("metadata", "managedFields")
_FEW: Final = 4
"""Of the strings of a spec, at most one in so many differs between pods of one stencil."""
_JSON: Final = tuple(regex(rf'"{key}"[ \t\r\n]*:[ \t\r\n]*\{{') for key in ("spec", "status"))
_CLOSES: Final = regex(r"[ \t\r\n]*\}")
_YAML: Final = tuple(regex(rf"^ {{2,}}{key}:[ \t]*\r?\n", re.MULTILINE) for key in ("spec", "status"))
Key = tuple[Stencil, ...]


class Stencils:
    """The latest stencils of one input."""

    def __init__(self, kind: str = "", *, of_snapshot: bool = False) -> None:
        """``kind``: that of objects that leave it out, as the items of a typed list do.

        ``of_snapshot``: whether they are those of a snapshot.
        """
        self._kind, self.of_snapshot = kind, of_snapshot
        self._otherwise = ANNOTATIONS if of_snapshot else (*ANNOTATIONS, WORKLOAD)
        self.longest = 0
        """The most characters that a text has that stencils were made of."""
        self._forget()
        self._trust: dict[str, _Trust] = {}

    def _forget(self) -> None:
        self._latest: dict[Key, list[Stencil]] = {}  # those that followed some, the latest first
        self._by_skeleton: dict[tuple[int, bytes], list[Stencil]] = {}
        self._families: dict[Key, Family] = {}
        self._shared: dict[Stencil, Shared] = {}
        self._statuses: dict[Stencil, Status] = {}
        self._size = 0

    def _of_kind(self, kind: str) -> _Trust:
        kind = kind if kind in self._trust or len(self._trust) < _KINDS else ""
        if kind not in self._trust:
            self._trust[kind] = _Trust()
        return self._trust[kind]

    def match(self, whole: str, position: int, line: int) -> tuple[Replica, int, int] | None:
        """Return the pod at a position, which is at a line; the line breaks in it; and its end."""
        key, values, end = list[Stencil](), list[str](), position
        for _ in range(_STATUS):
            matched = self._matched(key[-1:], whole, end)
            if matched is None:
                return None
            stencil, own, end = matched
            key.append(stencil)
            values += own
        family = self._families.get(tuple(key))
        shape = family.shape(values) if family is not None else None
        if shape is None:
            return None
        begin, reported, matched = end, list[str](), self._matched(key[-1:], whole, end)
        if matched is not None:
            stencil, reported, end = matched
            status, lines = self._statuses[stencil], shape.lines + stencil.lines
        else:
            decoded = _status_of(whole, begin) if key[-1].is_bare is None else None
            if decoded is None:
                return None
            value, end = decoded
            status, lines = Status.alone(value), shape.lines + whole.count("\n", begin, end)
        self._of_kind(shape.pod.owner.partition("/")[0]).matched += 1
        return Replica(shape, values, status, reported, line), lines, end

    def _matched(
        self, before: Sequence[Stencil], whole: str, position: int
    ) -> tuple[Stencil, list[str], int] | None:
        """Return the stencil of a part that follows one, what is in its slots, and its end."""
        latest = self._latest.get(tuple(before), ())
        for number, stencil in enumerate(latest):
            matched = stencil.match(whole, position)
            if matched is not None:
                if number:
                    self._latest[tuple(before)] = [stencil, *latest[:number], *latest[number + 1 :]]
                return stencil, *matched
        return None

    def learn(self, original: Text, value: Any, line: int) -> Any:
        """Take one more object, decoded strictly, with its text, that ``match`` did not find.

        Return it as one of its stencils; as it is where it has none.
        """
        if not isinstance(value, Mapping) or len(original.whole) > _LARGEST:
            return value
        if value.get("kind", self._kind) != "Pod":
            return value
        trust = self._of_kind(_kind_of_owner(value))
        if not trust.is_worth_it() or any(name in original.whole for name in self._otherwise):
            return value
        trust.learned += 1
        if self._size > _KEPT:
            self._forget()
        parts = self._parts(original, value)
        if len(parts) < _PARTS:
            return value
        (first, named), (second, own), (last, reported) = parts
        key, values = (first, second), [*named, *own]
        if last not in self._statuses:
            self._statuses[last] = Status.of(last, value["status"])
        if key not in self._families:
            shared = self._shared.setdefault(second, Shared())
            self._families[key] = Family(key, shared, of_snapshot=self.of_snapshot)
        family = self._families[key]
        if not family.knows(values):
            self._size += len(original.whole) // _OF_SHAPE
        shape = family.learn(original, {"kind": "Pod", **value}, values)
        if shape is None:
            return value
        self.longest = max(self.longest, len(original.whole) * 5 // 4)
        return Replica(shape, values, self._statuses[last], reported, line)

    def _parts(self, original: Text, value: Mapping[str, Any]) -> list[tuple[Stencil, list[str]]]:
        """Return the stencils of the parts of a text, each with what is in its slots; fewer for none."""
        parts = list[tuple[Stencil, list[str]]]()
        name = text(part(value, "metadata"), "name")
        for number, (start, end, part_of) in enumerate(_divided(original, value)):
            latest = self._latest.setdefault(tuple([previous for previous, _ in parts[-1:]]), [])
            for stencil in latest:
                matched = stencil.match(original.whole, start)
                if matched is not None and matched[1] == end:
                    break
            else:
                cut = Cut(
                    original.whole,
                    (token for token in original.tokens(start, end) if not number or not token.is_key),
                    start,
                    end,
                    QUOTED if original.is_bare is None else PLAIN,
                )
                made = self._stencil(number, cut, part_of, name, original.is_bare)
                matched = made.match(original.whole, start) if made is not None else None
                if made is None or matched is None:
                    return []
                stencil = made
            latest[:] = [stencil, *[earlier for earlier in latest if earlier is not stencil][: _TRIED - 1]]
            parts.append((stencil, matched[0]))
        return parts

    def _stencil(
        self,
        number: int,
        cut: Cut,
        value: Mapping[str, Any],
        name: str,
        is_bare: Callable[[str], bool] | None,
    ) -> Stencil | None:
        """Return the stencil of a part, with slots where it differs from those that were seen.

        None where the strings of the value are not those of the text.
        """
        stencils = self._by_skeleton.setdefault((number, cut.skeleton), [])
        most = len(cut.values) // _FEW if number == _SPEC else len(cut.values)
        nearest = min(
            ((stencil.differences(cut), place) for place, stencil in enumerate(stencils)),
            key=_number,
            default=None,
        )
        if nearest is not None and not nearest[0]:
            return stencils[nearest[1]]
        paths = [steps for steps, _ in leaves(value, keys=not number)]
        # Nobody reads managedFields; anywhere else a value is found by its keys.
        if len(paths) != cut.tokens or any(paths[cut.places[key]][:2] != _MANAGED for key in cut.own_keys):
            return None
        if nearest is not None and len(nearest[0]) <= most:
            stencil = stencils[nearest[1]]
            stencils[nearest[1]] = Stencil(stencil.cut, {*stencil.slots, *nearest[0]}, paths, is_bare)
            return stencils[nearest[1]]
        slots = [
            place
            for place, (key, one_value) in enumerate(zip(cut.keys, cut.values, strict=True))
            if is_own_at_first(number, key, one_value, name)
        ]
        self._size += cut.size
        stencil = Stencil(cut, slots, paths, is_bare)
        stencils[:] = [stencil, *stencils[: _TRIED - 1]]
        return stencil


class _Trust:
    """Whether pods with owners of one kind repeat: those of Jobs often have arguments of their own."""

    def __init__(self) -> None:
        self.learned = self.matched = self._passed = 0

    def is_worth_it(self) -> bool:
        """Return whether to learn from one more pod that is like none: the more in vain, the less often."""
        in_vain = self.learned - self.matched
        if in_vain <= _TRUSTED:
            return True
        self._passed = (self._passed + 1) % max(_NOW_AND_THEN, in_vain)
        return self._passed == 0


def _kind_of_owner(value: Mapping[str, Any]) -> str:
    """Return the kind of a pod's first owner."""
    references = rows(part(value, "metadata"), "ownerReferences")
    return text(references[0], "kind") if references and isinstance(references[0], Mapping) else ""


def _number(pair: tuple[list[int], int]) -> int:
    return len(pair[0])


def _status_of(whole: str, position: int) -> tuple[Mapping[str, Any], int] | None:
    """Return the status at the end of a pod's JSON, and where that ends; None for what may be wrong in it.

    Statuses of few pods are alike: each container may have been restarted, have ended or wait.
    """
    begins = _JSON[1].match(whole, position)
    if begins is None:
        return None
    try:
        value, end = DECODER.raw_decode(whole, begins.end() - 1)
    except (ValueError, InputError, RecursionError):
        return None
    closes = _CLOSES.match(whole, end)
    if closes is None or end - position > _LARGEST or may_be_deep(whole, position, end):
        return None
    return value, closes.end()


def _divided(original: Text, value: Mapping[str, Any]) -> list[tuple[int, int, Mapping[str, Any]]]:
    """Return where the three parts of a pod's text begin and end, each with its part of the value.

    Nothing where they are not plainly there, the status last.
    """
    keys, marks = list(value), _YAML if original.is_bare is not None else _JSON
    spec = marks[0].search(original.whole)
    statuses = list(marks[1].finditer(original.whole, spec.start())) if spec else []
    if spec is None or not statuses or "spec" not in keys[:-1] or keys[-1] != "status":
        return []
    if not isinstance(value["status"], Mapping):  # in YAML, a key without a value: a null
        return []
    ends = 0, spec.start(), statuses[-1].start(), len(original.whole)
    of_keys = 0, keys.index("spec"), keys.index("status"), len(keys)
    return [
        (start, end, {key: value[key] for key in keys[first:last]})
        for start, end, first, last in zip(ends, ends[1:], of_keys, of_keys[1:], strict=False)
    ]
