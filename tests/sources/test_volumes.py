"""Which volume is behind a claim: by the claim, by the volume, and where they contradict each other."""

from __future__ import annotations

import pytest

import hashcompat
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.sources.volumes import KINDS
from tests.helpers.pods import Json, pod

MOUNTS = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
RBD: Json = {"rbd": {"monitors": ["m"], "image": "x"}}
BOUND: Json = {"phase": "Bound"}


def claiming(**source: object) -> Json:
    """Return a pod that mounts a volume, by default behind the claim ``data``."""
    given = source or {"persistentVolumeClaim": {"claimName": "data"}}
    return pod(MOUNTS, spec={"volumes": [{"name": "v", **given}]})


def volume(name: str, source: Json, claim: str = "", status: Json | None = None, *, of: str = "ns") -> Json:
    """Return a PersistentVolume, with what it says of its claim."""
    named = {"claimRef": {"namespace": of, "name": claim}} if claim else {}
    base: Json = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}}
    return base | {"spec": {**source, **named}, "status": status or {}}


def claim(name: str, bound: str = "", *, of: str = "ns") -> Json:
    """Return a PersistentVolumeClaim, with the volume that it is bound to."""
    base: Json = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    return base | {"metadata": {"name": name, "namespace": of}, "spec": {"volumeName": bound}}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([], (), id="neither"),
        pytest.param([volume("a", RBD, "data", BOUND)], ("rbd",), id="the volume alone"),
        pytest.param([claim("data", "a")], (), id="the claim alone"),
        pytest.param([volume("a", RBD), claim("data", "a")], ("rbd",), id="by the claim"),
        pytest.param([volume("a", RBD, "data"), claim("data")], ("rbd",), id="a claim without volume"),
        pytest.param([volume("a", RBD, "data"), claim("data", "b")], (), id="a claim of another volume"),
        pytest.param(
            [
                volume("a", RBD, "data", {"phase": "Released"}),
                volume("b", {"cephfs": {}}, "data", BOUND),
            ],
            ("cephfs",),
            id="a volume of a claim that is gone",
        ),
        pytest.param([volume("a", RBD, "data", of="other")], (), id="another namespace"),
        pytest.param([volume("a", RBD, "other"), claim("data", "a")], (), id="a volume of another claim"),
        pytest.param([volume("a", {"nfs": {}, "rbd": None}, "data", BOUND)], (), id="a plugin of all"),
        pytest.param([volume("a", {"csi": {"driver": "d"}}, "data", BOUND)], (), id="a driver"),
    ],
)
def test_what_is_behind_a_claim(objects: list[Json], expected: tuple[str, ...]) -> None:
    for order in ([claiming(), *objects], [*objects, claiming()]):
        (subject,) = hashcompat.load(order).pods
        assert subject.persistent == expected


def test_an_ephemeral_volume_has_a_claim_of_its_own() -> None:
    given = [claiming(ephemeral={"volumeClaimTemplate": {}}), volume("a", RBD, "p-v", BOUND)]
    assert next(iter(hashcompat.load(given).pods)).persistent == ("rbd",)


def test_a_volume_of_the_pod_itself_is_behind_no_claim() -> None:
    given = [claiming(emptyDir={}), volume("a", RBD, "data", BOUND), volume("b", RBD, "p-v", BOUND)]
    assert next(iter(hashcompat.load(given).pods)).persistent == ()


def test_a_block_device_is_waited_for_as_a_mount_is() -> None:
    given = claiming()
    (container,) = given["spec"]["containers"]
    del container["volumeMounts"]
    objects = [given, volume("a", RBD, "data", BOUND)]
    assert next(iter(hashcompat.load(objects).pods)).persistent == ()
    container["volumeDevices"] = [{"name": "v", "devicePath": "/dev/x"}]
    assert next(iter(hashcompat.load(objects).pods)).persistent == ("rbd",)


def test_objects_of_other_groups_are_no_volumes() -> None:
    other = volume("a", RBD, "data", BOUND) | {"apiVersion": "example.com/v1"}
    assert next(iter(hashcompat.load([claiming(), other]).pods)).persistent == ()


def test_the_kinds_are_those_that_a_release_has_no_plugin_for(catalog: Catalog) -> None:
    of_pods = {"csi", "ephemeral", "image", "gitRepo", "clusterTrustBundle", "podCertificate"}
    kubelets = [catalog.kubelet(name) for name in catalog.releases()]
    removed = {kind for kubelet in kubelets for kind in kubelet.behaviour.volumes_without_plugin} - of_pods
    replaced = {kind for kubelet in kubelets for kind in catalog.hazards(kubelet.release).volumes_by_driver}
    assert removed | replaced == KINDS
