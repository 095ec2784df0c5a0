"""``snapshot`` of a large file: at a glance, looked through, and as YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.errors import ExitCode
from hashcompat.sources.files import spans
from scripts.lib.yamltext import as_yaml
from tests.helpers.program import Run
from tests.helpers.replicas import pods_and_nodes

pytestmark = pytest.mark.usefixtures("untraced")

PODS = 27

LIST: dict[str, Any] = {
    "apiVersion": "v1",
    "items": list(pods_and_nodes(PODS)),
    "kind": "List",
}
TEXT = json.dumps(LIST, indent=4, sort_keys=True)


def saved(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch, *, least: int = 1 << 12
) -> tuple[int, str, str]:
    """Take a snapshot of a file, which is a large one from some bytes on."""
    with monkeypatch.context() as patch:
        patch.setattr(spans, "LEAST", least)
        result = run("snapshot", "-f", path)
    return result.code, result.out, result.err


def test_a_glance_and_yaml_change_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "dump").write_text(TEXT)
    code, out, err = found = saved(run, path, monkeypatch)
    nodes = len(LIST["items"]) - PODS
    assert (code, f"{PODS} pods, {nodes} node" in err) == (0, True)
    assert len(json.loads(out)["items"]) == PODS + nodes
    assert saved(run, path, monkeypatch, least=1 << 30) == found
    path.write_text(as_yaml(LIST))
    assert saved(run, path, monkeypatch) == found


UID = LIST["items"][20]["metadata"]["uid"]
WRONG = {
    "cut": TEXT[: len(TEXT) * 3 // 4],
    "two pods of one uid": TEXT.replace(LIST["items"][25]["metadata"]["uid"], UID),
    "a manifest": TEXT.replace(f'"uid": "{UID}"', '"uid": ""').replace('"status":', '"statuses":'),
    "a value of the wrong type": TEXT.replace('"workers"', "7").replace('"/etc/app"', "7", 20),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_as_without_a_glance(
    text: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "dump").write_text(text)
    code, out, err = found = saved(run, path, monkeypatch)
    assert (code, out, len(err.splitlines())) == (ExitCode.FAILED, "", 1)
    assert saved(run, path, monkeypatch, least=1 << 30) == found
