"""What two kubelets hash of one container, as texts in which values are masked, and where these differ.

``fragment`` returns the smallest parts in which two texts differ, with a little of what surrounds them:
however long the texts are, few words are compared and few characters returned. ``mark`` returns the texts
whole as one, in which the words that only one of them has are marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Final

import msgspec

from hashcompat.analysis.planning.judge import Draft
from hashcompat.analysis.planning.patched import as_decoded
from hashcompat.analysis.planning.reading import Transition, read
from hashcompat.analysis.planning.view import Spec, View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import DecodeError, NotStoredError
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import Hasher, hashers
from hashcompat.core.model.escape import masked
from hashcompat.core.model.plan import Kind, Piece


class Texts(msgspec.Struct, frozen=True):
    """What one kubelet hashes of a container."""

    kubelet: Kubelet
    readable: str
    """What is hashed, as people can read it."""
    _hasher: Hasher
    _spec: Spec

    @property
    def hashed(self) -> str:
        """What is hashed."""
        return self._hasher.text(self._spec)

    @property
    def tree(self) -> Any:
        """What is hashed, as plain data."""
        return self._hasher.tree(self._spec)


def texts_of(
    draft: Draft, new: Kubelet, view: View, *, show_values: bool = False
) -> tuple[Texts | None, Texts | None]:
    """Return what the two kubelets hash; None for an unknown one, and where nothing decodes or is stored."""
    pod, container = draft.pod, draft.container
    old = view.current(draft.release) if view.catalog.knows(draft.release) else None
    keep_empty = view.keeps_empty(pod)
    try:
        transition = Transition(pod, container, old or new, new, Whole(pod), old_known=old is not None)
        if draft.prepared:
            specs = draft.prepared.old_spec, draft.prepared.new_spec
        else:
            spec = view.seen(pod, container, transition.old)
            specs = spec, read(spec, transition, view).spec
        before, after = [
            _texts_of_kubelet(
                kubelet, as_decoded(spec if show_values else masked(spec), kubelet), keep_empty=keep_empty
            )
            for kubelet, spec in zip((old or new, new), specs, strict=True)
        ]
    except (DecodeError, NotStoredError):
        return None, None
    return (before if old else None), after


def _texts_of_kubelet(kubelet: Kubelet, spec: Spec, *, keep_empty: bool) -> Texts:
    """Raise DecodeError for a spec that is not of the kubelet's Go types."""
    hasher = hashers(kubelet, keep_empty=keep_empty)[0]
    return Texts(kubelet, hasher.readable(spec), hasher, spec)


_GO: Final = re.compile(r"\s?[^\s{}\[\]]+|[{}\[\]]|\s")
"""Words of ``%#v`` text, a field with the space before it."""
_JSON: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^"{}\[\],:]+|"')
_ENDS: Final = re.compile(r"[ ,][^ ,]*$")
_BEGINS: Final = re.compile(r"[ ,]")
PLACES: Final = 2
"""The most places that are shown."""
_CONTEXT: Final = 40
"""Characters before and after a place."""
_BEGINNING: Final = 70
"""Characters of a text's beginning: one line of a terminal."""
_LONGEST: Final = 160
"""Characters of what one side alone has, at one place."""
_WINDOW: Final = 200
"""Words of each side in which the end of a place is looked for."""
_ALIKE: Final = 4
"""Words in a row that have to be the same for a place to end before them."""
GAP: Final = Piece(Kind.GAP, "")


class Fragment(msgspec.Struct, frozen=True):
    """Where two texts differ."""

    pieces: tuple[Piece, ...] = ()
    """The first places with some of the text around them; empty where the texts are the same."""
    more: bool = False
    """Whether there are more places."""


NO_DIFFERENCE: Final = Fragment()


class _Place(msgspec.Struct, frozen=True):
    """Where the texts differ, as ranges of words."""

    old: tuple[int, int]
    new: tuple[int, int]


def fragment(old: str, new: str, *, json: bool) -> Fragment:
    """Return the first places in which two texts differ.

    ``json``: whether they are JSON, not ``%#v`` text.
    """
    before, after = ((_JSON if json else _GO).findall(text) for text in (old, new))
    places = [*islice(_places(before, after), PLACES + 1)]
    if not places:
        return NO_DIFFERENCE
    end = places[PLACES].new[0] if len(places) > PLACES else len(after)
    return Fragment(tuple(_tidy(_pieces(places[:PLACES], before, after, end))), len(places) > PLACES)


def beginning(text: str) -> tuple[Piece, ...]:
    """Return the first characters of a text."""
    kept = Piece(Kind.SAME, text[:_BEGINNING])
    return (kept, GAP) if len(text) > _BEGINNING else (kept,)


def _places(old: Sequence[str], new: Sequence[str]) -> Iterator[_Place]:
    """Yield where two lists of words differ, each found in a window, so that their length does not matter."""
    start = _common(old, new, 0, 0)
    at, to = start, start
    while at < len(old) or to < len(new):
        window = old[at : at + _WINDOW], new[to : to + _WINDOW]
        kept = SequenceMatcher(None, *window, autojunk=False).get_opcodes()
        if len(old) - at > _WINDOW or len(new) - to > _WINDOW:
            # a window's last rows are made by where it ends; up to a run of equal words they count
            runs = [row[0] == "equal" and row[2] - row[1] >= _ALIKE for row in kept]
            kept = kept[: max((place for place, is_run in enumerate(runs, 1) if is_run), default=0)]
        if not kept:
            end = _common_end(old, new, at, to)
            yield _Place((at, len(old) - end), (to, len(new) - end))
            return
        for tag, first, last, begin, stop in kept:
            if tag != "equal":
                yield _Place((at + first, at + last), (to + begin, to + stop))
        _, _, last, _, stop = kept[-1]
        same = _common(old, new, at + last, to + stop)
        at, to = at + last + same, to + stop + same


def _common(old: Sequence[str], new: Sequence[str], at: int, to: int) -> int:
    """Return how many words two lists have in common from two indexes on."""
    most = min(len(old) - at, len(new) - to)
    return next((step for step in range(most) if old[at + step] != new[to + step]), most)


def _common_end(old: Sequence[str], new: Sequence[str], at: int, to: int) -> int:
    """Return how many words two lists end with in common, after two indexes."""
    most = min(len(old) - at, len(new) - to)
    return next((step for step in range(most) if old[-1 - step] != new[-1 - step]), most)


def _pieces(places: Sequence[_Place], old: Sequence[str], new: Sequence[str], until: int) -> Iterator[Piece]:
    """Yield each place between some of the words around it, up to a word of the second text."""
    end = 0
    for place in places:
        yield from _between("".join(new[end : place.new[0]]), first=not end, last=False)
        yield from _shortened(Kind.REMOVED, "".join(old[slice(*place.old)]))
        yield from _shortened(Kind.ADDED, "".join(new[slice(*place.new)]))
        end = place.new[1]
    yield from _between("".join(new[end:until]), first=False, last=True)
    if until < len(new):
        yield GAP


def _between(text: str, *, first: bool, last: bool) -> Iterator[Piece]:
    """Yield what two places have in common between them, without its middle if it is long."""
    head, tail = ("" if first else text[:_CONTEXT]), ("" if last else text[-_CONTEXT:])
    if len(head) + len(tail) >= len(text):
        yield Piece(Kind.SAME, text)
        return
    ends, begins = _ENDS.findall(head), _BEGINS.search(tail)
    head = head[: -len(ends[-1])] if ends else head
    tail = tail[begins.start() :] if begins else tail
    yield from (Piece(Kind.SAME, head), GAP, Piece(Kind.SAME, tail))


def _shortened(kind: Kind, text: str) -> Iterator[Piece]:
    """Yield a text of one side, without its middle if it is long."""
    if len(text) <= _LONGEST:
        yield Piece(kind, text)
        return
    tail = _LONGEST // 4
    yield from (Piece(kind, text[: _LONGEST - tail]), GAP, Piece(kind, text[-tail:]))


def _tidy(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Leave out empty pieces, and gaps after gaps."""
    before = None
    for piece in pieces:
        if piece.text or (piece is GAP and before is not GAP):
            before = piece
            yield piece


_MOST_PAIRS: Final = 10_000_000
"""Pairs of words that are compared, in seconds."""


def mark(old: str, new: str) -> str:
    """Return ``new`` with added words as ``{+…+}`` and removed ones as ``[-…-]``, as wdiff does."""
    before, after = _GO.findall(old), _GO.findall(new)
    # what both begin and end with is not compared: the time for the rest is a product
    start = _common(before, after, 0, 0)
    end = _common_end(before, after, start, start)
    old_part, new_part = before[start : len(before) - end], after[start : len(after) - end]
    marked = ["".join(after[:start])]
    if len(old_part) * len(new_part) > _MOST_PAIRS:  # all of long lists is changed
        rows = [("replace", 0, len(old_part), 0, len(new_part))]
    else:
        rows = [*SequenceMatcher(None, old_part, new_part).get_opcodes()]
    for tag, *bounds in rows:
        removed = "".join(old_part[bounds[0] : bounds[1]])
        added = "".join(new_part[bounds[2] : bounds[3]])
        marked.append(
            added
            if tag == "equal"
            else (f"[-{removed}-]" if removed else "") + (f"{{+{added}+}}" if added else "")
        )
    return "".join([*marked, *after[len(after) - end :]])
