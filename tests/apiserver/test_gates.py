"""Fields that an API server drops while their feature gates are off; golden/served checks the rows."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.apiserver.created import gates_at_work, image_volumes, without_gated
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.pods import ContainerType

MOUNTS = [{"name": "i", "mountPath": "/i"}, {"name": "v", "mountPath": "/v"}]
IMAGES = frozenset({"i"})


def dropped(
    catalog: Catalog, release: str, container: Any, kind: ContainerType = ContainerType.CONTAINER
) -> tuple[Any, tuple[str, ...]]:
    rows = catalog.api_server(release).dropped
    return without_gated(container, rows, kind, IMAGES), gates_at_work(container, rows, kind, IMAGES)


@pytest.mark.parametrize(
    ("release", "given", "expected", "gates"),
    [
        ("1.34.10", {"volumeMounts": MOUNTS}, {"volumeMounts": MOUNTS[1:]}, ("ImageVolume",)),
        ("1.34.10", {"volumeMounts": MOUNTS[:1]}, {}, ("ImageVolume",)),
        ("1.36.3", {"lifecycle": {"stopSignal": "SIGUSR1"}}, {}, ("ContainerStopSignals",)),
        (
            "1.36.3",
            {"lifecycle": {"stopSignal": "SIGUSR1", "preStop": {}}},
            {"lifecycle": {"preStop": {}}},
            ("ContainerStopSignals",),
        ),
        ("1.32.13", {"lifecycle": {"stopSignal": "SIGUSR1"}}, {"lifecycle": {}}, ("ContainerStopSignals",)),
        (
            "1.32.13",
            {"securityContext": {"procMount": "Unmasked"}},
            {"securityContext": {"procMount": "Default"}},
            ("ProcMountType",),
        ),
        (
            "1.34.10",
            {"env": [{"valueFrom": {"fileKeyRef": {}}}]},
            {"env": [{"valueFrom": {}}]},
            ("EnvFiles",),
        ),
    ],
)
def test_what_is_off_is_dropped(
    catalog: Catalog, release: str, given: Any, expected: Any, gates: tuple[str, ...]
) -> None:
    assert dropped(catalog, release, given) == (expected, gates)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"lifecycle": None},
        {"volumeMounts": [None]},
        {"securityContext": {"procMount": "Default"}},
        {"volumeMounts": MOUNTS[1:]},
    ],
)
def test_the_same_object_comes_back_where_nothing_is_dropped(catalog: Catalog, given: Any) -> None:
    container, gates = dropped(catalog, "1.29.15", given)
    assert (container is given, gates) == (True, ())


def test_a_row_for_some_container_types(catalog: Catalog) -> None:
    given = {"restartPolicy": "Always"}
    assert dropped(catalog, "1.28.15", given, ContainerType.SIDECAR) == ({}, ("SidecarContainers",))
    assert dropped(catalog, "1.34.10", given, ContainerType.SIDECAR) == (given, ())


@pytest.mark.parametrize(
    "volumes", [None, {}, [None, {"name": 1, "image": {"reference": "i"}}, {"name": "v", "emptyDir": {}}]]
)
def test_no_image_volumes(volumes: Any) -> None:
    assert image_volumes({"volumes": volumes}) == frozenset()


def test_image_volumes() -> None:
    assert image_volumes({"volumes": [{"name": "i", "image": {"reference": "i"}}]}) == IMAGES
