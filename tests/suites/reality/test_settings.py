"""Real kubelets end for the settings that preflight finds, with the message that names what is wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.suites import kubelets
from scripts.suites.kubelets import Kubelet

pytestmark = pytest.mark.ending

ROWS = yaml.safe_load(Path(__file__).with_name("settings.yaml").read_text(encoding="utf-8"))
AFTER = "no client provided, cannot use webhook authentication"
"""What a kubelet without a kubeconfig ends for, once it has accepted its settings."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['release']}-{row['says'][:40]}")
def test_a_kubelet_ends_for_what_is_found(row: dict[str, Any], tmp_path: Path) -> None:
    head = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({**head, **row.get("config", {})}))
    places = [f"--config={path}", f"--root-dir={tmp_path / 'root'}", f"--cert-dir={tmp_path / 'pki'}"]
    command = [kubelets.built(Kubelet(row["release"])), *places, *row.get("flags", [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert (row["says"] or AFTER) in done.stderr
