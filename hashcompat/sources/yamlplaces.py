"""At which line of a YAML text a key or an element of a list is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from hashcompat.go.yamlevents import Events

Place = tuple[str | int, ...]
"""Keys and indices from the top of the document."""

_ENDS: Final = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def lines_of(text: str) -> Mapping[Place, int]:
    """Return the line, from 1, of each place in a text that is valid YAML: it is parsed once."""
    return dict(_lines(text))


def line_of(text: str, place: Place) -> int:
    """Return the line, from 1, of a place in a text that is valid YAML, or of what is around it."""
    return line_in(lines_of(text), place)


def line_in(known: Mapping[Place, int], place: Place) -> int:
    """Return the line of one of many places; an alias has the places of what it repeats elsewhere."""
    while place and place not in known:
        place = place[:-1]
    return known.get(place, 1)


def _lines(text: str) -> Iterator[tuple[Place, int]]:
    """Yield each place with its line; a key that another document repeats has its last line."""
    events = Events([text])
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            yield from _value(events, next(events), ())


def _value(events: Events, event: Any, place: Place) -> Iterator[tuple[Place, int]]:
    yield place, events.line(event)
    if isinstance(event, yaml.SequenceStartEvent):
        for number, element in enumerate(_until_end(events)):
            yield from _value(events, element, (*place, number))
    elif isinstance(event, yaml.MappingStartEvent):
        for key in _until_end(events):
            below = (*place, getattr(key, "value", None) or "")
            line = events.line(key)
            if isinstance(key, yaml.CollectionStartEvent):
                yield from _value(events, key, below)
            yield from _value(events, next(events), below)
            yield below, line


def _until_end(events: Events) -> Iterator[Any]:
    while not isinstance(event := next(events), _ENDS):
        yield event
