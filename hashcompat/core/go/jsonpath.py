"""Places in documents: paths, the parts of a stream, and the strings of a text.

A path is ``resources.limits``, ``ports[0].name``, or ``volumeMounts[].name`` for each element; that of the
whole document is empty. With parts a list of a million objects is never in memory at once; a string has its
place in its text, since two texts of one structure may differ there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeGuard

import msgspec

from hashcompat.core.go.jsontext import JsonLines
from hashcompat.core.regex import regex

EACH: Final = "[]"
"""What follows a key to mean each element of its list."""
GONE: Final = object()
"""What a change returns for a value that is to be taken out."""
Change = Callable[[Any], Any]


class Tree(dict[str, "Tree"]):
    """The steps that lead on from a value to some paths."""

    mark: Any = None
    """What marks the end of a path; None elsewhere."""


def tree_of(paths: Iterable[tuple[Iterable[str], Any]]) -> Tree:
    """Return the tree of some paths, each with its mark."""
    root = Tree()
    for path, mark in paths:
        place = root
        for step in path:
            place = place.setdefault(step, Tree())
        place.mark = mark
    return root


def below(path: str, key: str) -> str:
    """Return the path of a key in the object at ``path``."""
    return f"{path}.{key}" if path else key


def element(path: str, index: int | str) -> str:
    """Return the path of an element of the list at ``path``; ``*`` stands for all of them."""
    return f"{path}[{index}]"


def dotted(steps: Iterable[str | int]) -> str:
    """Return the path that keys and indexes lead to."""
    path = ""
    for step in steps:
        path = element(path, step) if isinstance(step, int) else below(path, step)
    return path


def keys(path: str) -> tuple[str, ...]:
    """Return the steps of a path; ``[]`` stays with its key."""
    return tuple(path.split("."))


def reach(value: Any, steps: Iterable[str]) -> Any:
    """Return the value at a path of keys, or None if one of them is null, missing or not in an object."""
    for key in steps:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def changed(value: Any, steps: Sequence[str], change: Change) -> Any:
    """Return a JSON value changed at a path; the same object if nothing changes.

    ``change`` gets None for a key that is missing from its object, and nothing where that object is missing.
    It returns its argument to leave it alone, and GONE to take it out; so does a list that lost all elements.
    """
    if not steps:
        return change(value)
    if not isinstance(value, Mapping):
        return value
    key = steps[0].removesuffix(EACH)
    child = value.get(key)
    inner = partial(changed, steps=steps[1:], change=change)
    new = _changed_elements(child, inner) if steps[0].endswith(EACH) else inner(child)
    if new is child:
        return value
    if new is GONE:
        return {name: item for name, item in value.items() if name != key}
    return {**value, key: new}


def _changed_elements(items: Any, change: Change) -> Any:
    if not isinstance(items, list):
        return items
    new = [change(item) for item in items]
    # identity, not equality: callers see by it that nothing changed, and 1 == True in Python
    if all(item is old for item, old in zip(new, items, strict=True)):
        return items
    return [item for item in new if item is not GONE] or GONE


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a JSON object; nearly all of them are dicts, which is fast to see."""
    return type(value) is dict or (value is not None and isinstance(value, Mapping))


def mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object, and an empty one for anything else."""
    return value if is_object(value) else {}


def part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object below a key, an empty one for anything else there."""
    return mapping(value.get(key))


def text(value: Mapping[str, Any], key: str) -> str:
    """Return the string below a key, an empty one for anything else there."""
    child = value.get(key)
    return child if isinstance(child, str) else ""


def rows(value: Mapping[str, Any], key: str) -> Sequence[Any]:
    """Return the list below a key, an empty one for anything else there."""
    child = value.get(key)
    return child if isinstance(child, list) else ()


ITEMS: Final = "items"
Lines = Callable[[str, Sequence[Any]], Sequence[int]]
"""Returns the lines, from 1, at which the objects in a list begin; 0 for one that is not known.

It takes the list's key, and the very list in the value. A line ends with LF or CRLF, as in editors.
"""


class DecodedRun(msgspec.Struct, frozen=True):
    """Elements of ``items`` that were decoded together, and are the value of one part."""

    values: Sequence[Any]
    """What each of them became, in their order."""


class Part(msgspec.Struct, frozen=True, eq=False):  # noqa: PLW1641 - it holds JSON
    """A whole document, or one element of the list under its key ``items``, or a run of them.

    After the elements of a document, its other keys follow as a document without ``items``.
    """

    document: int
    """The document's number in the stream, from 1."""
    value: Any
    """The JSON value of the document or element; a ``DecodedRun`` of some elements."""
    index: int | None = None
    """The element's index, from 0; the first one's of a run; None for a document."""
    kind: Any = None
    """The document's ``kind`` if it precedes the element; ``kubectl get -o json`` writes it after the
    items."""
    lines: Lines | None = None
    """Where the objects in lists of the value begin; None where nobody knows."""

    def __eq__(self, other: object) -> bool:
        """Return whether all is equal but for the lines."""
        return isinstance(other, Part) and _facts(self) == _facts(other)


_facts = attrgetter("document", "value", "index", "kind")


COUNT: Final = "restartCount"
"""The one key whose numbers are tokens too: pods that are otherwise alike restarted more or less often."""
_STRING: Final = r'"([^"\\]*+(?>(?:\\.[^"\\]*+)*))"?+'
"""In valid JSON the quote at its end is there; elsewhere nothing is looked at twice without it."""
_TOKEN: Final = regex(
    rf"{_STRING}(?>(?:[ \t\r\n]*+(:)[ \t\r\n]*+(?>(?:{_STRING}|([0-9]++)(?=[ \t\r\n,}}\]]))?))?)", re.DOTALL
)
"""A string; behind one that is a key, the string or the number that is its value."""
_VALUE: Final = 3
"""The group of that string."""
_DIGITS: Final = 4
"""That of the number."""
_OF_LIST: Final = "k:"
"""How keys of managedFields begin that tell the elements of a list apart."""


def _own_key(quote: str) -> re.Pattern[str]:
    named = f"(?:uid|ip){quote}:{quote}|name{quote}:{quote}(?=kube-api-access-)"
    return regex(rf'k:\{{{quote}(?:{named})([^"\\]+){quote}\}}')


OWN_KEY: Final = _own_key('"')
"""Keys of managedFields with a value that is a pod's own, such as ``k:{"ip":"10.0.0.1"}``; the value."""
_WRITTEN: Final = _own_key(r'\\"')
"""The same in a string of JSON."""


class Token(NamedTuple):
    """A string that is a value, the number of a ``restartCount``, or what of a key is a pod's own."""

    start: int
    """Where its characters begin, without a quote."""
    end: int
    key: str
    """The latest key before it."""
    is_number: bool = False
    is_as_is: bool = True
    """Whether its characters are those of its value."""
    is_key: bool = False


class Text(msgspec.Struct, frozen=True, eq=False):
    """The text of an object that was decoded."""

    whole: str
    tokens: Callable[[int, int], Iterable[Token]]
    """Returns those of a part of it, in order: every string but keys, every ``restartCount``, and what of
    keys is a pod's own.

    The part begins with a key, or the whole.
    """
    lines: Lines
    """Where the objects in its lists begin, if it begins at line 1."""
    is_bare: Callable[[str], bool] | None = None
    """Whether a string is that string also where it is not quoted; None for JSON, where all are quoted."""


def of_json(whole: str, value: Mapping[str, Any]) -> Text:
    """Return the valid JSON text of an object."""
    return Text(whole, partial(_tokens, whole), partial(_lines, whole, value))


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    key = ""
    for match in _TOKEN.finditer(text, start, end):
        last = match.lastindex
        if last == 1:
            yield Token(*match.span(1), key)
            continue
        # in a list of strings no key comes before a string, so the key of the list is the latest one
        key = match[1]
        if key.startswith(_OF_LIST) and (own := _WRITTEN.fullmatch(text, *match.span(1))):
            yield Token(*own.span(1), key, is_key=True)
        if last == _VALUE:
            yield Token(*match.span(_VALUE), key)
        elif last == _DIGITS and key == COUNT:
            yield Token(*match.span(_DIGITS), key, is_number=True)


def leaves(value: Mapping[str, Any], *, keys: bool = False) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the keys and indexes to each value that a token stands for, with that value, in that order.

    ``keys``: also those to each key of which a part is a token, with that part.
    """
    todo: list[tuple[tuple[str | int, ...], Iterator[tuple[str | int, Any]]]] = [((), _within(value))]
    while todo:
        steps, rest = todo[-1]
        for step, child in rest:
            kind = type(child)
            if keys and type(step) is str and step.startswith(_OF_LIST) and (own := OWN_KEY.fullmatch(step)):
                yield (*steps, step), own[1]
            if kind is str or (kind is int and step == COUNT):
                yield (*steps, step), child
            elif child and (kind is dict or kind is list):  # most of managedFields is empty objects
                todo.append(((*steps, step), _within(child)))
                break  # what is left of this one is next
        else:
            todo.pop()


def _within(value: Any) -> Iterator[tuple[str | int, Any]]:
    """Return what is in an object by its keys, or in a list by its indexes."""
    return iter(value.items()) if type(value) is dict else enumerate(value)


def _lines(whole: str, value: Mapping[str, Any], key: str, rows: Sequence[Any]) -> Sequence[int]:
    """Return the lines of the objects in a list of an object, whose text begins at line 1."""
    placed = JsonLines()
    placed.add(dict(value), 1, 1 + whole.count("\n"), whole.__str__)
    return placed.lines(key, rows)
