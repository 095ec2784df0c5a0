"""What became of each container and pod between two looks at the runtime, as crictl lists it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
NAME, CONTAINER = "io.kubernetes.pod.name", "io.kubernetes.container.name"
_POD = ("io.kubernetes.pod.namespace", NAME)
RUNNING = "CONTAINER_RUNNING"
Look = tuple[list[Json], list[Json]]
"""The containers and the sandboxes of a runtime, as crictl lists them."""


@dataclass(frozen=True)
class Outcome:
    """One container of one pod, before and after a kubelet started."""

    namespace: str
    pod: str
    container: str
    ran: bool
    """Whether it was running before."""
    runs_on: bool
    """Whether that very container is running still."""
    created: bool
    """Whether there is a newer container of its name."""
    recreated: bool
    """Whether its pod has a newer sandbox."""

    @property
    def word(self) -> str:
        """``kept``, ``restarted``, ``killed``, ``started`` or ``idle``."""
        if not self.ran:
            return "started" if self.created else "idle"
        if self.runs_on:
            return "kept"
        return "restarted" if self.created else "killed"

    def document(self) -> Json:
        """Return the row of scripts/golden/reality.py."""
        names = {"namespace": self.namespace, "pod": self.pod, "container": self.container}
        return {**names, "outcome": self.word, "podRecreated": self.recreated}


def outcomes(before: Look, after: Look) -> list[Outcome]:
    """Compare two looks, each into the runtime of the kubelet that ran then."""
    sandboxes = newest(before[1], *_POD), newest(after[1], *_POD)
    old, new = (newest(look[0], *_POD, CONTAINER) for look in (before, after))
    states = {row["id"]: row["state"] for row in after[0]}
    rows = []
    for key in sorted(old.keys() | new.keys()):
        was, now, (namespace, pod, container) = old.get(key), new.get(key), key
        rows.append(
            Outcome(
                namespace,
                pod,
                container,
                ran=_field(was, "state") == RUNNING,
                runs_on=states.get(_field(was, "id")) == RUNNING,
                created=now is not None and _field(now, "id") != _field(was, "id"),
                recreated=_field(sandboxes[1].get(key[:2]), "id")
                not in ("", _field(sandboxes[0].get(key[:2]), "id")),
            )
        )
    return rows


def _field(row: Json | None, name: str) -> str:
    return str(row[name]) if row else ""


def newest(rows: Iterable[Json], *labels: str) -> dict[tuple[str, ...], Json]:
    """Return the newest container or sandbox for each combination of some labels' values."""
    rows_by_labels: dict[tuple[str, ...], Json] = {}
    for row in sorted(rows, key=lambda row: int(row["createdAt"])):
        rows_by_labels[tuple(row["labels"][label] for label in labels)] = row
    return rows_by_labels
