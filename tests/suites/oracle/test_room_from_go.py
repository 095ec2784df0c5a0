"""Room on 5,000 made-up nodes: the same pods are refused as by kubelets' own code, in the same order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hashcompat.core.catalog.lookup import Catalog
from scripts.golden import room
from scripts.lib.generated import one_release
from scripts.lib.paths import ROOM
from tests.helpers.randomness import SEED
from tests.helpers.room import refused

pytestmark = [pytest.mark.oracle, pytest.mark.full]

NODES = 5000


@pytest.mark.parametrize("release", room.oracles())
def test_the_same_pods_are_refused_as_by_go(
    catalog: Catalog, release: str, record_property: Callable[[str, object], None]
) -> None:
    nodes = [room.made(SEED * NODES + number) for number in range(NODES)]
    kubelet = catalog.kubelet(release)
    for number, (node, wanted) in enumerate(zip(nodes, room.ask(release, nodes), strict=True)):
        assert refused(node, kubelet, wanted) == wanted, f"seed {SEED * NODES + number}"
    record_property("random_nodes", NODES)


@pytest.mark.parametrize("release", room.oracles())
def test_golden_nodes_are_what_go_makes_of_them_today(release: str) -> None:
    assert one_release(ROOM, release, room.of_release).check() == []
