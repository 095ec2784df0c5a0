"""Distributions, by the suffixes of their versions, and the releases in KubeEdge."""

from __future__ import annotations

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.release import parse_release
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided

C: Json = {"name": "c", "image": "i"}


@pytest.mark.parametrize(
    ("name", "vendor"),
    [
        ("v1.31.9+k3s1", "k3s"),
        ("v1.31.9-k3s1", "k3s"),
        ("v1.31.9+rke2r1", "RKE2"),
        ("v1.31.9+k0s", "k0s"),
        ("v1.31.9-eks-ad4801", "EKS"),
        ("v1.31.9-gke.100", "GKE"),
        ("v1.30.7-kubeedge-v1.21.0", "KubeEdge"),
        ("v1.30.1-aliyun.1", "Alibaba ACK"),
        ("v1.30.0-tke.3", "Tencent TKE"),
        ("v1.28.3-r0-28.0.1", "Huawei or Baidu CCE"),
        ("v1.31.9", None),
    ],
)
def test_the_suffix_of_a_version_names_its_vendor(catalog: Catalog, name: str, vendor: str | None) -> None:
    row = catalog.vendors.of(parse_release(name))
    assert (row.name if row else None) == vendor


@pytest.mark.parametrize(
    ("name", "contained"),
    [
        ("kubeedge:1.21", "1.30.7"),
        ("kubeedge:v1.22", "1.31.12"),
        ("v1.30.7-kubeedge-v1.21.0", "1.30.7"),
        ("v1.29.5-kubeedge-v1.18.2", "1.29.6"),
        ("v1.22.6-kubeedge-v1.12.0", "1.22.6"),
    ],
)
def test_kubeedge_contains_a_release_of_kubernetes(catalog: Catalog, name: str, contained: str) -> None:
    assert catalog.kubelet(name).release.upstream == contained


def test_kubeedge_1_21_to_1_22_restarts_everything(run: Run) -> None:
    assert decided(run, "kubeedge:1.21", "kubeedge:1.22", pod(C)) == ("RESTART", ["HC001"])
    assert decided(run, "kubeedge:1.20", "kubeedge:1.21", pod(C)) == ("KEEP", [])
    assert decided(run, "auto", "kubeedge:1.22", pod(C), node("v1.30.7-kubeedge-v1.21.0")) == (
        "RESTART",
        ["HC001"],
    )
    assert run("matrix", "--from", "kubeedge:1.17", "--to", "kubeedge:1.23").code == 0
    unknown = run("plan", "--from", "kubeedge:1.99", "--to", "1.31.0", "-f", "-", stdin=as_json(pod(C)))
    assert (unknown.code, "'kubeedge:1.99' is not a kubelet release" in unknown.err) == (64, True)
