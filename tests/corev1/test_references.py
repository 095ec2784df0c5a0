"""Which API objects a pod names (pkg/api/pod/util.go HasAPIObjectReference, 1.34)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from hashcompat.core.corev1.scheduling import api_references
from tests.helpers.program import ROOT


def volume(**source: Any) -> dict[str, Any]:
    return {"volumes": [{"name": "v", **source}]}


def projected(**source: Any) -> dict[str, Any]:
    return volume(projected={"sources": [source]})


DRIVERS = ("cephfs", "cinder", "flexVolume", "rbd", "iscsi", "scaleIO", "storageos")


def container(key: str = "containers", **fields: Any) -> dict[str, Any]:
    return {key: [{"name": "c", **fields}]}


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        ({"serviceAccountName": "x"}, ("serviceaccounts",)),
        ({"serviceAccount": "x"}, ("serviceaccounts",)),
        ({"imagePullSecrets": [{"name": "s"}]}, ("secrets",)),
        ({"resourceClaims": [{"name": "c"}]}, ("resourceclaims",)),
        (volume(secret={"secretName": "s"}), ("secrets",)),
        (volume(configMap={"name": "m"}), ("configmaps",)),
        (volume(csi={"driver": "d"}), ("csidrivers",)),
        (volume(csi={"driver": "d", "nodePublishSecretRef": {"name": "s"}}), ("csidrivers", "secrets")),
        (volume(glusterfs={"endpoints": "e"}), ("endpoints",)),
        (volume(persistentVolumeClaim={"claimName": "c"}), ("persistentvolumeclaims",)),
        (volume(ephemeral={"volumeClaimTemplate": {}}), ("persistentvolumeclaims",)),
        (volume(azureFile={"secretName": "s"}), ("secrets",)),
        *(
            (volume(**{driver: {"secretRef": {"name": "s"}}}), ("secrets",))
            for driver in ("cephfs", "cinder", "flexVolume", "rbd", "iscsi")
        ),
        *(
            (volume(**{driver: {"secretRef": {"name": "s"}}}), ("secrets",))
            for driver in ("scaleIO", "storageos")
        ),
        (projected(secret={"name": "s"}), ("secrets",)),
        (projected(configMap={"name": "m"}), ("configmaps",)),
        (projected(serviceAccountToken={"path": "t"}), ("serviceaccounts",)),
        (projected(clusterTrustBundle={"path": "t"}), ("clustertrustbundles",)),
        (projected(podCertificate={"signerName": "s"}), ("podcertificates",)),
        (container(envFrom=[{"secretRef": {"name": "s"}}]), ("secrets",)),
        (container(envFrom=[{"configMapRef": {"name": "m"}}]), ("configmaps",)),
        (
            container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]),
            ("secrets",),
        ),
        (
            container(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "k"}}}]),
            ("configmaps",),
        ),
        (container("initContainers", envFrom=[{"secretRef": {"name": "s"}}]), ("secrets",)),
        (container("ephemeralContainers", envFrom=[{"secretRef": {"name": "s"}}]), ("secrets",)),
        (
            {
                **volume(secret={"secretName": "s"}),
                "serviceAccountName": "x",
                "imagePullSecrets": [{"name": "s"}],
            },
            ("serviceaccounts", "secrets"),
        ),
    ],
)
def test_what_names_an_api_object(spec: dict[str, Any], kinds: tuple[str, ...]) -> None:
    assert api_references(spec) == kinds


@pytest.mark.parametrize("seed", range(4))
def test_the_kinds_have_one_order_in_every_process(seed: int) -> None:
    """Whatever seed its sets have, and in whatever order the keys of a container are."""
    secret = {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}
    both = {**secret, "envFrom": [{"configMapRef": {"name": "m"}}]}
    code = f"""if True:
        from hashcompat.core.corev1.scheduling import api_references
        both = {both!r}
        for one in both, dict(reversed(both.items())):
            print(api_references(dict(containers=[one])))
    """
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    printed = subprocess.check_output([sys.executable, "-c", code], env=environment, cwd=ROOT, text=True)
    assert printed.splitlines() == ["('configmaps', 'secrets')"] * 2


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"serviceAccountName": "", "imagePullSecrets": [], "resourceClaims": []},
        {"imagePullSecrets": [{}, {"name": ""}]},
        volume(hostPath={"path": "/x"}),
        volume(emptyDir={}),
        volume(image={"reference": "r"}),
        volume(nfs={"server": "s", "path": "/secret"}),
        volume(downwardAPI={"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}),
        volume(cephfs={"monitors": ["m"]}),
        volume(secret=None),
        projected(downwardAPI={"items": []}),
        volume(projected={"sources": None}),
        volume(projected=None),
        container(envFrom=[{"secretRef": {"name": ""}}]),
        container(
            env=[
                {"name": "secretKeyRef", "value": "secret"},
                {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            ]
        ),
        container(
            env=[{"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k"}}}]
        ),
        container(volumeMounts=[{"name": "secret", "mountPath": "/secret"}], command=["secret"]),
        {"volumes": "odd", "containers": ["odd"]},
    ],
)
def test_what_names_none(spec: dict[str, Any]) -> None:
    assert api_references(spec) == ()
