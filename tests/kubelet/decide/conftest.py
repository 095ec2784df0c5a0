"""Plans of nodes with dumps, which snapshots of them have to repeat."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.helpers.dumps import GONE, Key, as_text, dump
from tests.helpers.pods import Json, as_json, node
from tests.helpers.program import Run
from tests.helpers.randomness import FRESH
from tests.helpers.upgrades import hash_of, record

Plan = Callable[..., dict[str, str]]


@pytest.fixture
def plan(run: Run, tmp_path: Path, request: pytest.FixtureRequest) -> Plan:
    """Return what plans an upgrade of a node with a dump: of each pod its verdict and why.

    Of some tests a snapshot is planned too, which takes most of the time, and of all with fresh inputs.
    """
    with_snapshot = FRESH or crc32(request.node.name.encode()) % 3 == 0

    def planned(
        old: str, new: str, pods: list[Json], changes: dict[Key, Any], *, host: Json | None = None
    ) -> dict[str, str]:
        rows = [
            record(hash_of(run, old, container), of["metadata"]["name"], container["name"])
            for of in pods
            for container in of["spec"]["containers"]
        ]
        listed = json.dumps({"containers": rows})
        given = dump({("docker", "list"): GONE, ("cri", "containers"): listed, **changes})
        path = tmp_path / "dump.jsonl"
        path.write_text(as_text(given))
        result = run(
            *("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", "-q"),
            *("--recorded", path),
            stdin=as_json(*pods, host or node(f"v{old}")),
        )
        assert result.code == 0, result.err
        if with_snapshot:
            snapshot = tmp_path / "snapshot.json"
            made = run(
                *("snapshot", "-f", "-", "--recorded", path, "--out", snapshot),
                stdin=as_json(*pods, host or node(f"v{old}")),
            )
            assert made.code == 0, made.err
            again = run("plan", "--from", old, "--to", new, "-f", snapshot, "-o", "json", "-q")
            for item, other in zip(result.items, again.items, strict=True):
                assert (item["verdict"], item["reasons"]) == (other["verdict"], other["reasons"])
            for key in ("assumptions", "hops", "rollback"):
                assert again.document["spec"][key] == result.document["spec"][key]
        planned.items = result.items  # type: ignore[attr-defined]
        planned.spec = result.document["spec"]  # type: ignore[attr-defined]
        planned.assumptions = result.document["spec"]["assumptions"]  # type: ignore[attr-defined]
        return {
            f"{item['pod']}/{item['container']}": " ".join(
                [item["verdict"], *(reason["text"] for reason in item["reasons"] if reason["id"] == "HC053")]
            )
            for item in result.items
        }

    return planned
