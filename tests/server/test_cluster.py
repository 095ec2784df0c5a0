"""``plan`` against a real API server: the whole list, however one gets in, and the same answer as from files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from program import Result
from realserver import NARROW, NOBODY, READER, Cluster

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
AUTO = ("plan", "--from", "auto", "--to", "1.36.0")
JSON = (*AUTO, "-o", "json")
PODS = 3000


def test_a_fresh_shell_needs_no_flags(shell: Shell, admin: Path) -> None:
    result = shell(admin, *AUTO)
    assert result.code == 0, result.err
    assert len(result.out.splitlines()) == PODS + 1
    assert f"of {PODS} containers" in result.err


def test_the_items_are_those_of_files_byte_for_byte(shell: Shell, admin: Path, tmp_path: Path) -> None:
    live = shell(admin, *JSON).items
    assert len(live) == PODS
    assert {item["verdict"] for item in live} >= {"KEEP", "RESTART"}
    for form in ("json", "yaml"):
        path = tmp_path / f"cluster.{form}"
        path.write_text(shell(admin, "get", "pods,nodes", "-A", "-o", form, program="kubectl").out)
        assert json.dumps(shell("/dev/null", *JSON, "-f", path).items) == json.dumps(live)
