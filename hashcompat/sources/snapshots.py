"""The recorded hashes in a snapshot; its pods and nodes are Kubernetes objects like any others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.model.records import Applied, Record, Recorded, Sandbox

KIND: Final = "ClusterSnapshot"


def records(document: Mapping[str, Any], origin: str) -> Iterator[Record]:
    """Yield what the snapshot's nodes recorded.

    Raises InputError, with the path, for a row that no snapshot has.
    """
    for key, read in (("recorded", _recorded), ("sandboxes", _sandbox), ("applied", _applied)):
        for index, row in enumerate(document.get(key) or ()):
            try:
                yield read(row)
            except (KeyError, TypeError) as error:
                raise InputError(
                    f"{origin}: $.{key}[{index}]: no row of a snapshot: {error}; take a new one"
                ) from None


def _recorded(row: Mapping[str, Any]) -> Recorded:
    return Recorded(
        row["uid"],
        row["namespace"],
        row["pod"],
        row["container"],
        row["hash"],
        running=row["running"],
        attempt=row["attempt"],
        hash_version=row.get("hashVersion", ""),
        without_resources=row["hashWithoutResources"],
    )


def _sandbox(row: Mapping[str, Any]) -> Sandbox:
    return Sandbox(
        row["uid"],
        row["namespace"],
        row["pod"],
        row["ready"],
        row["attempt"],
        row["hostNetwork"],
        row["ip"],
        row.get("created"),
    )


def _applied(row: Mapping[str, Any]) -> Applied:
    return Applied(row["uid"], row["container"], row["resources"])
