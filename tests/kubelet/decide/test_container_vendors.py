"""Vendors' kubelets that are not public, and static pods whose UIDs their distribution sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided, hash_of, record, recorded

C: Json = {"name": "c", "image": "i"}
Expected = tuple[str, list[str]]


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
