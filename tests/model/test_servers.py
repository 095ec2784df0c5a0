"""Which releases of kube-apiserver pods show: the images of static pods, by which nobody can pretend."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.model.cluster import ApiServers, release_of
from tests.helpers.apiservers import server_pod, server_pods


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("registry.k8s.io/kube-apiserver:v1.30.4", "1.30.4"),
        ("registry.k8s.io/kube-apiserver:v1.30.4@sha256:0a1b", "1.30.4"),
        ("k8s.gcr.io/kube-apiserver-amd64:v1.9.11", "1.9.11"),
        ("localhost:5000/kube-apiserver:1.37.0-rc.1", "1.37.0-rc.1"),
        ("rancher/hardened-kubernetes:v1.30.4-rke2r1-build20240815", "1.30.4"),
        ("quay.io/coreos/hyperkube:v1.9.11_coreos.0", "1.9.11"),
        ("localhost:5000/kube-apiserver", ""),
        ("registry.k8s.io/kube-apiserver@sha256:0a1b", ""),
        ("quay.io/openshift/hyperkube:latest", ""),
        ("registry.k8s.io/kube-apiserver:v1.30", ""),
        ("registry.k8s.io/kube-apiserver:v1.30.4.5", ""),
        ("registry.k8s.io/kube-apiserver:v1.30.4444", ""),
    ],
)
def test_a_tag_names_a_release(image: str, expected: str) -> None:
    assert release_of(image) == expected


def test_each_release_has_the_pods_that_show_it() -> None:
    assert server_pods({"a": "v1.30.4", "b": "v1.31.1", "c": "v1.30.4"}).releases == {
        "1.30.4": {"kube-system/kube-apiserver-a": None, "kube-system/kube-apiserver-c": None},
        "1.31.1": {"kube-system/kube-apiserver-b": None},
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"namespace": "shop"},
        {"static": False},
        {"mirror_doubt": "its name does not end in its node's"},
    ],
)
def test_a_pod_of_a_tenant_shows_nothing(changes: dict[str, Any]) -> None:
    seen = ApiServers()
    seen.see(server_pod("a", "v1.30.4", **changes))
    assert seen.releases == {}


def test_only_the_container_of_that_name_counts() -> None:
    seen = ApiServers()
    seen.see(server_pod("a", "v1.30.4", container="konnectivity"))
    seen.see(server_pod("a", 5))
    assert seen.releases == {}


def test_what_an_api_server_reports_itself() -> None:
    assert ApiServers("v1.30.4+k3s1").releases == {"1.30.4": {"/version": None}}
    assert ApiServers("v1.30.4-gke.100").releases == {"1.30.4": {"/version": None}}
    assert ApiServers("garbage").releases == {}
    assert ApiServers().releases == {}


def test_what_was_found_elsewhere_is_added() -> None:
    seen = server_pods({"a": "v1.30.4"})
    seen.merge({"1.30.4": {"/version": None}, "1.31.1": {"x": None}})
    assert seen.releases == {
        "1.30.4": {"kube-system/kube-apiserver-a": None, "/version": None},
        "1.31.1": {"x": None},
    }
