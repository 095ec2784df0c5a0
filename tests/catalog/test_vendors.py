"""Distributions: KubeEdge's releases, kubelets that are not public, UIDs that RKE2 sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.catalog.lookup import Catalog
from hashcompat.release import parse_release
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided, hash_of, record, recorded

C: Json = {"name": "c", "image": "i"}
Expected = tuple[str, list[str]]


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
    found = catalog.vendors.of(parse_release(name))
    assert (found.name if found else None) == vendor


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


@pytest.mark.parametrize(
    ("old", "new", "more", "expected"),
    [
        ("v1.30.1-aliyun.1", "v1.31.1-aliyun.1", (), ("UNKNOWN", ["HC040"])),
        ("v1.30.1-aliyun.1", "v1.31.1", (), ("UNKNOWN", ["HC040"])),
        ("v1.30.1", "v1.31.1-tke.1", (), ("UNKNOWN", ["HC040"])),
        ("v1.30.1-aliyun.1", "v1.31.1-aliyun.1", ("--assume-upstream",), ("RESTART", ["HC001"])),
        ("v1.28.3-r0-28.0.1", "v1.29.1-r0-29.0.1", (), ("KEEP", [])),
        ("v1.30.1-eks-1", "v1.31.1-eks-1", (), ("RESTART", ["HC001"])),
    ],
)
def test_hc040_a_kubelet_that_is_not_public(
    run: Run, old: str, new: str, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, pod(C), more=more) == expected


def test_hc040_a_record_that_is_reproduced_decides(run: Run, tmp_path: Path) -> None:
    old, new = "v1.30.1-aliyun.1", "v1.31.1-aliyun.1"
    right = recorded(tmp_path, record(hash_of(run, "1.30.1", C)))
    assert decided(run, old, new, pod(C), more=right) == ("RESTART", ["HC001"])
    wrong = recorded(tmp_path, record(7))
    assert decided(run, old, new, pod(C), more=wrong) == ("UNKNOWN", ["HC040"])


def test_hc040_the_version_of_a_recorded_hash(run: Run, tmp_path: Path) -> None:
    told = record(7)
    told["annotations"]["alibabacloud.com/container-hash-version"] = "1.24.6"
    assert decided(run, "1.26.3", "1.28.3", pod(C), more=recorded(tmp_path, told)) == ("UNKNOWN", ["HC040"])
    snapshot = run("snapshot", "-f", "-", *recorded(tmp_path, told), stdin=as_json(pod(C))).out
    (tmp_path / "s.json").write_text(snapshot)
    way = ("plan", "--from", "1.26.3", "--to", "1.28.3", "-o", "json", "-f", tmp_path / "s.json")
    assert run(*way).item["reasons"][0]["id"] == "HC040"
    told["annotations"]["io.kubernetes.container.hash"] = f"{hash_of(run, '1.26.3', C):x}"
    assert decided(run, "1.26.3", "1.28.3", pod(C), more=recorded(tmp_path, told)) == ("KEEP", ["HC012"])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("v1.31.9+rke2r1", "v1.32.5+rke2r1", ("UNKNOWN", ["HC007"])),
        ("v1.31.9+rke2r1", "v1.31.10+rke2r1", ("UNKNOWN", ["HC007"])),
        ("v1.31.9+rke2r1", "v1.31.9+rke2r1", ("KEEP", [])),
        ("v1.31.9+k3s1", "v1.32.5+k3s1", ("RESTART", ["HC022"])),
    ],
)
def test_rke2_sets_the_uids_of_its_static_pods(run: Run, old: str, new: str, expected: Expected) -> None:
    assert decided(run, old, new, mirror_pod(C)) == expected
