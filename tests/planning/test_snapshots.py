"""What a snapshot cannot show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.kubelet.stored import KEY
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided, record, recorded

C: Json = {"name": "c", "image": "i", "args": ["a"]}


def hashed_as(run: Run, release: str, container: Json) -> str:
    """Return the key of a snapshot container's hash for a release: the hash of the snapshot's own JSON."""
    plain = pod({name: value for name, value in container.items() if name != KEY})
    (item,) = run("hash", "--kubelet", release, "-f", "-", "-o", "json", stdin=as_json(plain)).items
    return str(item["hashes"][release]["hex"])


@pytest.mark.parametrize("side", ["1.8.15", "1.9.11"])
def test_hc029_a_kubelet_that_the_snapshot_did_not_know_is_unknown(run: Run, side: str) -> None:
    document: Any = json.loads(run("snapshot", "-f", "-", stdin=as_json(pod(C))).out)
    (given,) = document["items"]
    (container,) = given["spec"]["containers"]
    assert decided(run, "1.8.15", "1.9.11", given) == ("RESTART", ["HC004"])
    del container[KEY][hashed_as(run, side, container)]
    assert decided(run, "1.8.15", "1.9.11", given) == ("UNKNOWN", ["HC029"])
    assert decided(run, "1.18.19", "1.20.15", given)[0] == "KEEP"


@pytest.mark.parametrize("table", [[], {"1": "2"}, 7])
def test_hc029_what_is_no_table_holds_no_hash(run: Run, table: Any) -> None:
    assert decided(run, "1.8.15", "1.9.11", pod({**C, KEY: table})) == ("UNKNOWN", ["HC029"])


def test_no_patch_is_suggested_by_hashes_that_the_snapshot_lacks(run: Run, tmp_path: Path) -> None:
    """Only a patched 1.15 would hash the container as 1.18 does, but without its startupProbe."""
    given = as_json(pod({**C, "startupProbe": {"exec": {"command": ["x"]}}}))
    (tmp_path / "snapshot.json").write_text(run("snapshot", "-f", "-", stdin=given).out)
    plan = ("plan", "--from", "1.18.20", "--to", "1.15.12", "-o", "json")
    found = run(*plan, "-f", tmp_path / "snapshot.json")
    assert found.item["verdict"] == "RESTART"
    assert found.err == run(*plan, "-f", "-", stdin=given).err


def test_a_hash_that_the_snapshot_lacks_is_no_releases_record(run: Run, tmp_path: Path) -> None:
    """The search for the release that created a container goes on without it."""
    document: Any = json.loads(run("snapshot", "-f", "-", stdin=as_json(pod(C))).out)
    (given,) = document["items"]
    (container,) = given["spec"]["containers"]
    del container[KEY][hashed_as(run, "1.20.15", container)]
    told = recorded(tmp_path, record(7))
    assert decided(run, "1.8.15", "1.9.11", given, more=told) == ("RESTART", ["HC013"])
