"""Kinds of values, as encoding/json reads them into the Go types of a configuration; null is no value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from hashcompat.core.catalog.kubeletsettings import ConfigField
from hashcompat.core.go.jsontext import Number
from hashcompat.core.go.metav1 import parse_duration

TEXTS: Final = ("string", "time", "quantity", "map", "list")
"""The kinds of values of which the collector hides some that fit."""

KINDS: Final = {
    "object": "an object",
    "map": "a map",
    "list": "a list",
    "string": "text",
    "time": "text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "quantity": "a quantity",
    "duration": "a duration such as 1m30s",
}
"""The kinds of values in words."""

_NANOSECONDS: Final = frozenset({"logging.flushFrequency"})
"""Durations that may be numbers: k8s.io/component-base/logs/api/v1 ``TimeOrMetaDuration``, and up to 1.26
``time.Duration``. kubeadm writes 0."""

_FITS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, Mapping),
    "map": lambda value: isinstance(value, Mapping),
    "list": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "time": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: not isinstance(value, str) and _is_whole(number_of(value)),
    "float": lambda value: number_of(value) is not None and not isinstance(value, str),
    "quantity": lambda value: isinstance(value, int | float | str) and not isinstance(value, bool),
    "duration": lambda value: isinstance(value, str) and parse_duration(value) is not None,
}


def fits(kind: str, value: object, path: str = "") -> bool:
    """Return whether a value is one of a kind; ``path`` is that of its field."""
    return _FITS[kind](value) or (path in _NANOSECONDS and _FITS["int"](value))


def values(
    fields: Mapping[str, ConfigField], document: Mapping[str, Any], prefix: str
) -> Iterator[tuple[ConfigField, Any]]:
    """Yield the fields that a release knows and a document gives, also those in lists, with their values."""
    for name, value in document.items():
        field = fields.get(f"{prefix}{name}")
        if field is None or value is None:
            continue
        yield field, value
        if field.kind == "object" and isinstance(value, Mapping):
            yield from values(fields, value, f"{field.path}.")
        for element in value if field.kind == "list" and isinstance(value, list) else ():
            if isinstance(element, Mapping):
                yield from values(fields, element, f"{field.path}[].")
            elif element is not None and _has_objects(fields, field.path):
                yield ConfigField(f"{field.path}[]", field.releases, "object"), element


def _has_objects(fields: Mapping[str, ConfigField], path: str) -> bool:
    """Return whether a list has objects: then the release knows what is in one."""
    return any(name.startswith(f"{path}[].") for name in fields)


def _is_whole(number: float | None) -> bool:
    return isinstance(number, int) or (isinstance(number, float) and number.is_integer())


def number_of(value: object) -> int | float | None:
    """Return a number, or the nanoseconds of a duration."""
    if isinstance(value, str):
        return parse_duration(value)
    if isinstance(value, Number):
        return float(value.raw)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
