"""The golden data, the schemas and the oracles agree with Kubernetes' own Go modules, made anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import oracle
from hashcompat.catalog.lookup import default_catalog

pytestmark = pytest.mark.oracle

ROOT = Path(__file__).resolve().parents[3]


def test_golden_data_is_what_go_computes_today() -> None:
    assert oracle.differences(oracle.expected(list(oracle.oracles()))) == []


@pytest.mark.parametrize("release", oracle.oracles())
def test_compiled_types_equal_the_schema(release: str) -> None:
    compiled = oracle.types(release)
    tree = default_catalog().kubelet(release).schema.tree
    assert {key: compiled[key] for key in ("package", "root", "types")} == {
        key: tree[key] for key in ("package", "root", "types")
    }


@pytest.mark.parametrize("release", ["1.20.15", "1.36.3"])
def test_go_refuses_what_we_refuse(release: str) -> None:
    """Integers out of range, fractions and wrong kinds are errors in Go too, so nothing is hashed that a kubelet could not decode."""
    bodies = [
        b'{"ports":[{"containerPort":2147483648}]}',
        b'{"ports":[{"containerPort":1.0}]}',
        b'{"ports":[{"containerPort":1e3}]}',
        b'{"args":"sleep"}',
        b'{"args":[1]}',
        b'{"stdin":"true"}',
        b'{"env":{}}',
        b'{"securityContext":[]}',
        b'{"resources":{"limits":{"cpu":"1x"}}}',
        b'{"resources":{"limits":{"cpu":""}}}',
        b'{"resources":{"limits":{"cpu":true}}}',
        b'{"livenessProbe":{"httpGet":{"port":1.5}}}',
    ]
    answers = list(oracle.ask(release, (b'{"source":"file","container":' + body + b"}" for body in bodies)))
    assert [body for body, answer in zip(bodies, answers, strict=True) if "error" not in answer] == []


def test_schemas_equal_the_modules() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "schemas.py"], capture_output=True, text=True, check=False
    )
    assert (done.stdout.splitlines()[-1:], done.returncode) == (["identical"], 0), done.stdout + done.stderr
