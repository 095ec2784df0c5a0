"""``-o jsonpath=TEMPLATE``: what kubectl's template prints of the document, nothing added."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hashcompat.formats.lookup import find
from hashcompat.formats.model import Style
from hashcompat.formats.template import Path, Text, Word, parse
from hashcompat.model.escape import IN_JSON, disarmed, distinct, printable
from hashcompat.report.model import Report, Rows

_HTML: Final = re.compile("[<>&]")


def check(template: str) -> None:
    """Raise UsageError for a template that does not parse."""
    parse(template)


def render(report: Report[Any], result: Any, style: Style) -> Iterator[str]:
    """Yield what each action finds; what comes from the document is escaped, the template's text is not.

    Raises InputError for an index out of bounds and the like, as kubectl fails.
    """
    if report.document:
        yield from _block(parse(style.argument), report.document(result), style)


def _block(actions: tuple[Path, ...], value: Any, style: Style) -> Iterator[str]:
    """Yield the text of actions, in which ranges are as complete as in the whole template."""
    place = 0
    while place < len(actions):
        action = actions[place]
        place += 1
        if Word("range") in action:
            end = _end(actions, place)
            for element in find(action, value):
                yield from _block(actions[place:end], element, style)
            place = end + 1
        elif action and isinstance(action[-1], Text):
            yield action[-1].text
        else:
            yield from _texts(action, value, style)


def _end(actions: tuple[Path, ...], place: int) -> int:
    """Return where the range ends whose body begins there."""
    depth = 1
    for end in range(place, len(actions)):
        depth += (Word("range") in actions[end]) - (Word("end") in actions[end])
        if not depth:
            return end
    return len(actions)


def _texts(action: Path, value: Any, style: Style) -> Iterator[str]:
    for number, found in enumerate(find(action, value)):
        yield " " if number else ""
        yield text(found, style.encoding)


def text(value: Any, encoding: str) -> str:
    """Return a value as kubectl prints it: a list or object as JSON, a name as it is."""
    if isinstance(value, str):
        return distinct(value, encoding)
    dumped = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    dumped = _escaped(disarmed(dumped, IN_JSON))
    return printable(_HTML.sub(lambda match: f"\\u{ord(match[0]):04x}", dumped), encoding)


def _escaped(dumped: str) -> str:
    """Escape in JSON what is not visible, so that it still is JSON."""
    if dumped == printable(dumped):
        return dumped
    return disarmed(json.dumps(json.loads(dumped), separators=(",", ":")), IN_JSON)


def _plain(value: Any) -> Any:
    if isinstance(value, Rows):
        return list(value)
    if isinstance(value, dict):
        return {key: _plain(child) if isinstance(child, Rows) else child for key, child in value.items()}
    return value
