"""Lists from a Kubernetes API server: page after page, and never a part of a list for the whole.

Source: the API concepts "Retrieving large results sets in chunks"; apimachinery ``metav1.ListMeta``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from hashcompat.errors import InputError
from hashcompat.go.jsontext import clean, kind_of
from hashcompat.model.words import agree, count
from hashcompat.sources.cluster.kubeapi import Client, Json, StatusError, UnreachableError
from hashcompat.sources.replicas.shape import Replica

PAGE: Final = 500
"""Objects a page, as kubectl asks for."""

_RESTARTS: Final = 3

_GONE: Final = 410

_MOST_PAGES: Final = 10_000
"""Of one list: 5 million objects, or fewer where a selector leaves pages nearly empty."""

_LONGEST_SECONDS: Final = 3600
"""For one list: the tokens of its pages are valid for minutes, and each answer has a time-out of its own."""

_LONGEST_TOKEN: Final = 16 << 10
"""Characters; it goes into a URL, and servers take no longer ones."""

T = TypeVar("T")

Get = Callable[[str, Mapping[str, str]], Json]
"""Gets a page, by its path and query."""


def list_all(
    client: Client,
    path: str,
    query: Mapping[str, str],
    read: Callable[[Json], T],
    seen: Callable[[int], None],
    get: Get | None = None,
) -> list[T]:
    """Return what ``read`` makes of every object of a list, with all pages joined.

    ``seen`` gets the count so far, and ``get`` gets a page in place of ``client``. A list whose snapshot
    expires on the way (410 Gone) is read again from its beginning. Raises StatusError, UnreachableError; and
    InputError for an answer that is not a list, or not complete.
    """
    for _ in range(_RESTARTS):
        found: list[T] = []
        try:
            for item in _items(get or client.get, path, query):
                found.append(read(item))
                if len(found) % PAGE == 0:
                    seen(len(found))
        except StatusError as error:
            if error.code != _GONE:
                raise
        else:
            seen(len(found))
            return found
    raise UnreachableError(
        f"the list expired {_RESTARTS} times before its end was read; "
        "the server keeps snapshots for too short a time"
    )


def _items(get: Get, path: str, query: Mapping[str, str]) -> Iterator[Json]:
    token, tokens = "", set[str]()
    end = time.monotonic() + _LONGEST_SECONDS
    for _ in range(_MOST_PAGES):
        page = get(path, {**query, "limit": str(PAGE), **({"continue": token} if token else {})})
        items, metadata = _page(path, page)
        yield from items
        token = _token(path, metadata)
        if not token:
            _check_end(path, metadata)
            return
        if token in tokens:
            raise InputError(f"{path}: the server gives the same page again and again")
        tokens.add(token)
        if time.monotonic() > end:
            raise UnreachableError(f"{path}: no end of the list within {_LONGEST_SECONDS} s")
    raise InputError(f"{path}: the server's list has more than {_MOST_PAGES:,} pages, the most that are read")


def _token(path: str, metadata: Json) -> str:
    """Return what names the next page, as text that a URL can hold; empty at the end."""
    token = metadata.get("continue") or ""
    if not isinstance(token, str) or len(token) > _LONGEST_TOKEN:
        raise InputError(f"{path}: metadata.continue is not the token of a next page")
    return clean(token)


def _page(path: str, page: Json) -> tuple[list[Json], Json]:
    items, metadata = page.get("items"), page.get("metadata") or {}
    if (
        not str(page.get("kind", "")).endswith("List")
        or not isinstance(items, list | None)
        or not isinstance(metadata, dict)
    ):
        raise InputError(
            f"{path}: the server's answer is not a list but {page.get('kind') or 'an object without kind'}"
        )
    for index, item in enumerate(items or ()):
        if not isinstance(item, dict | Replica):
            raise InputError(f"{path}: $.items[{index}]: want an object, got {kind_of(item)}")
    return items or [], metadata


def _check_end(path: str, metadata: Json) -> None:
    """Refuse a list whose own count shows that it goes on; a server need not give one."""
    remaining = metadata.get("remainingItemCount")
    if remaining and not isinstance(remaining, int):
        raise InputError(f"{path}: metadata.remainingItemCount is not a number of objects")
    if remaining:
        left = f"{count(remaining, 'object')} {agree(remaining, 'remain')}"
        raise InputError(f"{path}: the server ends the list although {left}")
