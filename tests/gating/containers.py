"""Containers before and after the upgrade of their node, for the tests of what became of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hashcompat.core.model.items import Observed
from hashcompat.core.model.pods import Container, ContainerType, Ended, Pod

BEGUN = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
OLD = BEGUN - 9 * HOUR
RUNS = Observed("old", OLD, 2, running=True)
IDLE = Observed("", None, 0, running=False)


def now(
    identity: str = "old", started: datetime | None = OLD, restarts: int | None = 2, **more: Any
) -> Container:
    """Return a container as it is now, running unless something else is given."""
    shown: dict[str, Any] = {"running": True, "id": identity, "started": started, "restarts": restarts}
    return Container("c", ContainerType.CONTAINER, "", {}, **{**shown, **more})


def stopped(
    identity: str, finished: datetime | None, *, final: bool, code: int | None = None, **more: Any
) -> Container:
    ended = Ended(identity, finished, final, code)
    return now(identity, None, running=False, ended=ended, **more)


AFTER = BEGUN + MINUTE


def pod(*containers: Container, name: str = "web-1", **more: Any) -> Pod:
    values: dict[str, Any] = {
        "origin": "", "namespace": "shop", "name": name, "uid": f"uid-{name}", "node": "n1",
        "owner": "", "manifest": False, "phase": "Running", "deleting": False, "static": False,
        "host_network": False, "restart_policy": "Always", "references": (), "automount": None,
    }  # fmt: skip
    return Pod(**{**values, "containers": containers, **more})
