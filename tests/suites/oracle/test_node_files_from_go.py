"""What kubelets and kubeadm write on a node equals what their own Go modules write today."""

from __future__ import annotations

import pytest

from scripts.golden import checkpoints, kubeadm
from scripts.lib.generated import one_release
from scripts.lib.paths import CHECKPOINTS, KUBEADM

pytestmark = [pytest.mark.oracle, pytest.mark.full]


@pytest.mark.parametrize("release", checkpoints.oracles())
def test_state_files_are_what_kubelets_write_and_load_today(release: str) -> None:
    assert one_release(CHECKPOINTS, release, checkpoints.of_release).check() == []


@pytest.mark.parametrize("release", kubeadm.oracles())
def test_node_files_are_what_kubeadm_writes_today(release: str) -> None:
    assert one_release(KUBEADM, release, kubeadm.of_release).check() == []
