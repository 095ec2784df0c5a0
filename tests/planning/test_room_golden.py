"""Room as kubelets' own code has it: the same pods of made-up nodes are refused, for the same reasons."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from tests.helpers.golden import releases, rows
from tests.helpers.room import refused


@pytest.mark.parametrize("release", releases("room"))
def test_the_pods_that_go_refuses_are_refused(catalog: Catalog, release: str) -> None:
    wanted = {case: row["out"] for case, row in rows("room", release).items()}
    kubelet = catalog.kubelet(release)
    refusals: dict[str, Any] = {
        case: refused(given, kubelet, wanted[case]) for case, given in rows("room").items()
    }
    assert refusals == wanted
    assert sum(map(len, refusals.values())) > 100
