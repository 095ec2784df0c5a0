"""Policies of settings files in the Python API: the same ones as those of the command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import hashcompat
from hashcompat.core.errors import ExitCode, InputError, UsageError
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import Run

UP = ("1.8.15", "1.9.11")
PODS = as_json(pod(name="a"), pod(name="b"))
NODE = as_json(node("v1.8.15"))


@pytest.fixture
def plan(tmp_path: Path) -> hashcompat.Plan:
    path = tmp_path / "pods.json"
    path.write_bytes(PODS)
    return hashcompat.plan(str(path), *UP)


def config(directory: Path, text: str) -> Path:
    path = directory / "policy.yaml"
    path.write_text(f"gate: {text}\n")
    path.chmod(0o644)
    return path


def test_a_settings_file_loosens_nothing_that_is_given(tmp_path: Path, plan: hashcompat.Plan) -> None:
    path = config(tmp_path, "{report-only: true, max-restarts: 1}")
    alone = hashcompat.gate(plan, hashcompat.load_policy(path))
    assert (alone.exit_code, alone.outcome) == (ExitCode.OK, "FAIL")
    assert [str(file) for file in alone.policy.files] == [f"{path} (max-restarts, report-only)"]
    given: dict[str, Any]
    for given in ({"max_restarts": "1"}, {"report_only": False}, {"strict": True}, {"report_only": None}):
        assert hashcompat.gate(plan, hashcompat.load_policy(path, **given)).exit_code == ExitCode.FINDING
    assert hashcompat.gate(plan, hashcompat.load_policy(max_restarts="2")).exit_code == ExitCode.OK
    assert hashcompat.gate(plan, hashcompat.load_policy()).exit_code == ExitCode.FINDING


def test_exceptions_a_baseline_and_a_preflight_are_read(
    run: Run, tmp_path: Path, plan: hashcompat.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = "- {container: 'ns/*/c', reason: known, expires: 2999-01-01}\n"
    Path("e.yaml").write_text(f"exceptions:\n{row}")
    run("plan", "--from", UP[0], "--to", UP[1], "-f", "-", "-q", "--out", "b.json", stdin=PODS)
    run("preflight", "--no-node", "-f", "-", "-q", "--to", "1.10.13", "--out", "p.json", stdin=NODE)
    for key, name in (("exceptions", "e.yaml"), ("baseline", "b.json")):
        Path(name).chmod(0o644)
        path = config(tmp_path, f"{{{key}: {name}}}")
        assert hashcompat.gate(plan, hashcompat.load_policy(path)).exit_code == ExitCode.OK
        none: Any = {key: None}
        assert hashcompat.gate(plan, hashcompat.load_policy(path, **none)).exit_code == ExitCode.FINDING
        Path(name).chmod(0o666)
        with pytest.raises(InputError, match=f"policy.yaml: {key}: .*can be written"):
            hashcompat.load_policy(path)
    run("plan", "--from", "1.15.12", "--to", "1.16.15", "-f", "-", "-q", "--out", "o.json", stdin=PODS)
    refused = r"a baseline for 1\.16\.15, and the plan is of 1\.9\.11"
    with pytest.raises(InputError, match=rf"o\.json: {refused}"):
        hashcompat.gate(plan, hashcompat.load_policy(baseline="o.json"))
    with pytest.raises(InputError, match=f"^{refused}"):
        hashcompat.gate(plan, baseline=structs.replace(plan, to_release="1.16.15"))
    with pytest.raises(InputError, match=r"p\.json: a preflight of 1\.10\.13, and the plan is of 1\.9\.11"):
        hashcompat.gate(plan, hashcompat.load_policy(preflight="p.json"))


def test_a_file_that_others_may_write_is_refused(tmp_path: Path) -> None:
    path = config(tmp_path, "{report-only: true}")
    path.chmod(0o664)
    with pytest.raises(InputError, match="can be written by its group"):
        hashcompat.load_policy(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a pipe, expected a regular file"):
        hashcompat.load_policy(path)
    wrong: Any = {"max_restart": "1"}
    with pytest.raises(UsageError, match="max-restart: no such key; the keys are max-restarts"):
        hashcompat.load_policy(**wrong)


def test_a_signature_that_nothing_verifies_is_not_asked_for(tmp_path: Path) -> None:
    path = config(tmp_path, "{verify-key: key}")
    (tmp_path / "key").write_bytes(b"k" * 32)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(UsageError, match=r"verify-key.*: only hashcompat gate --plan verifies plans"):
        hashcompat.load_policy(path)
    given: Any = {"verify_key": str(tmp_path / "key")}
    with pytest.raises(UsageError, match=r"^verify_key: only hashcompat gate --plan verifies plans"):
        hashcompat.load_policy(**given)


def test_a_policy_that_fails_on_a_preflight_needs_one(plan: hashcompat.Plan) -> None:
    policy = hashcompat.Policy(max_restarts="100%", fail_on="preflight")
    with pytest.raises(UsageError, match=r"^preflight: the policy fails on it; want what preflight_nodes"):
        hashcompat.gate(plan, policy)
    checked = hashcompat.preflight_nodes(
        None, plan.to_release, plan.from_release, source=hashcompat.load_sample()
    )
    lines = hashcompat.gate(plan, policy, preflight=checked).lines
    assert any(line.key == "fail-on preflight" for line in lines)
