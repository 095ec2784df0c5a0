"""Paths in JSON: ``resources.limits``, ``ports[0].name``, ``volumeMounts[].name`` for each element.

The path of the whole document is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeGuard

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
    new = _each(child, inner) if steps[0].endswith(EACH) else inner(child)
    if new is child:
        return value
    if new is GONE:
        return {name: item for name, item in value.items() if name != key}
    return {**value, key: new}


def _each(items: Any, change: Change) -> Any:
    if not isinstance(items, list):
        return items
    new = [change(item) for item in items]
    # identity, not equality: callers see by it that nothing changed, and 1 == True in Python
    if all(one is other for one, other in zip(new, items, strict=True)):
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
