"""The golden data, the schemas and the oracles agree with Kubernetes' own Go modules, made again."""

from __future__ import annotations

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from scripts.golden import containers as oracle
from scripts.golden import values
from scripts.lib.generated import one_release
from scripts.lib.paths import CONTAINERS
from scripts.schemas import containertypes, featuregates, podtypes
from tests.helpers import slices

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("release", slices.releases(oracle.oracles(), "era", "go"))
def test_golden_data_is_what_go_computes_today(release: str) -> None:
    assert one_release(CONTAINERS, release, oracle.of_release).check() == []


def test_golden_values_are_what_go_prints_today() -> None:
    assert values.GENERATED.check() == []


@pytest.mark.parametrize("release", slices.releases(oracle.oracles(), "era", "go"))
def test_compiled_types_equal_the_schema(release: str) -> None:
    compiled = oracle.types(release)
    tree = default_catalog().kubelet(release).schema.tree
    assert {key: compiled[key] for key in ("package", "root", "types")} == {
        key: tree[key] for key in ("package", "root", "types")
    }


@pytest.mark.parametrize("release", ["1.29.6", "1.36.3"])
def test_go_refuses_what_we_refuse(release: str) -> None:
    """Integers out of range, fractions and wrong kinds are errors in Go too: no kubelet could decode them."""
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


@pytest.mark.full
def test_container_types_equal_the_source() -> None:
    assert containertypes.GENERATED.check() == []


@pytest.mark.full
def test_pod_types_equal_the_source() -> None:
    assert podtypes.GENERATED.check() == []


@pytest.mark.full
def test_feature_gates_equal_the_source() -> None:
    assert featuregates.GENERATED.check() == []
