"""What is in the examples is accepted by a real API server, with every field known to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.program import ROOT, Result
from tests.helpers.realserver import ADMIN, Cluster

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
DAEMONSETS = sorted((ROOT / "examples").glob("*daemonset*.yaml"))


@pytest.mark.parametrize("path", DAEMONSETS, ids=lambda path: path.stem)
def test_a_daemonset_is_accepted(path: Path, shell: Shell, empty: Cluster) -> None:
    user = empty.kubeconfig("admin", {"token": ADMIN})
    namespace = shell(user, "create", "namespace", "hashcompat-collect", program="kubectl")
    assert namespace.code == 0 or "AlreadyExists" in namespace.err, namespace.err
    result = shell(user, "apply", "--dry-run=server", "--validate=strict", "-f", path, program="kubectl")
    assert result.code == 0, result.err
    assert "daemonset.apps/collect created (server dry run)" in result.out
