"""The containers that the runtimes of a node know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go.jsontext import loads
from hashcompat.records.probes import AbsentError, Dump, UnreadError

_LISTS: Final = (("docker", "list"), ("cri", "containers"))
"""The probes of lists of containers."""


def ids(dump: Dump) -> frozenset[str]:
    """Return the ids of all containers, also of those that ended.

    Raises UnreadError where no list could be read.
    """
    found: set[str] = set()
    problems: list[str] = []
    for kind, name in _LISTS:
        try:
            found.update(_ids(loads(dump.read(kind, name))))
        except (UnreadError, AbsentError, InputError) as error:
            problems.append(f"{kind} {error}")
    if len(problems) == len(_LISTS):
        raise UnreadError("; ".join(problems))
    return frozenset(found)


def _ids(document: Any) -> Iterator[str]:
    rows = document.get("containers") if isinstance(document, Mapping) else document
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            yield str(row.get("Id") or row.get("id") or "")
