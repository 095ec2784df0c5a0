"""Read a plan that ``hashcompat plan --out`` saved: the verdicts of its containers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.model.plan import ContainerName, Item, Plan, PodName, Reason, Verdict
from hashcompat.model.pods import ContainerType
from hashcompat.sources.files.inputs import inputs, named
from hashcompat.sources.files.text import chunks, joined
from hashcompat.sources.wholejson import loads

_KIND: Final = "RestartPlan"

_WANTED: Final = "a plan, as hashcompat plan --out FILE saves it"


def read(name: str) -> Plan:
    """Return the releases and the items of a saved plan; hashes and all that surrounds the items are left.

    Raises InputError, naming the file, for anything else, and for a plan that does not have all its items.
    """
    source = next(iter(inputs(name, recursive=False, suffixes=(".json",))), None)
    if source is None:
        raise InputError(f"{name}: no file in it; want {_WANTED}")
    with named(source.origin), source.open() as stream:
        return _plan(loads(joined(chunks(stream, _WANTED), _WANTED)))


def _plan(document: Any) -> Plan:
    if not isinstance(document, Mapping) or document.get("kind") != _KIND:
        raise InputError(f"want {_WANTED}")
    spec, rows = document.get("spec"), document.get("items")
    if not isinstance(spec, Mapping) or not isinstance(rows, list):
        raise InputError(f"a {_KIND} without spec or items; save it again")
    items = tuple(_items(rows))
    summary = document.get("summary")
    if not isinstance(summary, Mapping) or summary.get("containers") != len(items):
        raise InputError(f"a {_KIND} without some of its items; save it without --only-restarts")
    return Plan(_text(spec, "from"), _text(spec, "to"), items)


def _items(rows: list[Any]) -> Iterator[Item]:
    for row in rows:
        if not isinstance(row, Mapping):
            raise InputError(f"an item of a {_KIND} that is not an object; save it again")
        yield Item(
            PodName(*(_text(row, key) for key in ("node", "namespace", "pod", "uid", "owner"))),
            ContainerName(_text(row, "container"), _of(ContainerType, row, "containerType")),
            _text(row, "fromRelease"),
            _of(Verdict, row, "verdict"),
            reasons=tuple(_reasons(row.get("reasons"))),
        )


def _reasons(rows: Any) -> Iterator[Reason]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            yield Reason(_text(row, "id"), _text(row, "text"), _text(row, "path"))


def _of(words: Any, row: Mapping[str, Any], key: str) -> Any:
    try:
        return words(_text(row, key))
    except ValueError:
        raise InputError(f"an item of a {_KIND} with an unknown {key}; save it again") from None


def _text(row: Mapping[str, Any], key: str) -> str:
    found = row.get(key)
    if not isinstance(found, str):
        raise InputError(f"a {_KIND} with no {key} in it; save it again")
    return found
