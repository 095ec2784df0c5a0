"""Directories that runtimes report are read, and nothing that is not a path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hashcompat.core.records.probes import Probe
from hashcompat.sources.node import live
from hashcompat.sources.node.root import Root


@pytest.mark.parametrize(
    ("kind", "info", "expected"),
    [
        ("docker", {"DockerRootDir": "/data"}, [("filesystem", "/data")]),
        (
            "cri",
            {"config": {"containerdRootDir": "/data", "cni": {"confDir": "/net"}}},
            [("filesystem", "/data"), ("directory", "/net")],
        ),
        ("cri", {"config": {"containerdRootDir": 7, "cni": {"confDir": "net"}}}, []),
        ("cri", {"config": []}, []),
        ("cri", [], []),
    ],
)
def test_directories(tmp_path: Path, kind: str, info: object, expected: list[tuple[str, str]]) -> None:
    given = [Probe(kind, "info", json.dumps(info)), Probe(kind, "version", "{}")]
    questions = [(question.kind, question.name) for question in live.questions(Root(tmp_path), given)]
    assert questions == expected


@pytest.mark.parametrize("text", [None, "{"])
def test_no_answer(tmp_path: Path, text: str | None) -> None:
    assert list(live.questions(Root(tmp_path), [Probe("cri", "info", text)])) == []
