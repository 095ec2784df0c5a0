"""Mirror pods: what their spec alone shows of a UID agrees with the UIDs of the manifest itself."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.catalog.lookup import Kubelet, default_catalog
from hashcompat.core.corev1.conversion import deep_copy
from hashcompat.core.corev1.defaults import apply_defaults
from hashcompat.core.kubelet.staticpods import changed_types, same_for_mirror, static_pod_uid
from tests.helpers.manifests import CASES, MINORS, case, newest
from tests.helpers.slices import every, sliced

ADJACENT = list(pairwise(MINORS))
FAR = [("1.16", "1.20"), ("1.21", "1.30"), ("1.36", "1.16"), ("1.29", "1.28"), ("1.30", "1.30")]
SAME = {("1.16", "1.17"), ("1.19", "1.20"), ("1.21", "1.22"), ("1.28", "1.29")}
"""Where a minimal pod keeps its UID."""


def kubelet(minor: str) -> Kubelet:
    return default_catalog().kubelet(newest(minor))


def without_what_a_mirror_hides(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the spec alone under a name, since nothing of metadata and status is asked for."""
    return {"metadata": {"name": "web"}, "spec": manifest.get("spec") or {}}


def served(manifest: dict[str, Any], by: Kubelet) -> dict[str, Any]:
    """Return the spec with defaults, as the old kubelet's mirror pod shows it."""
    pod = deep_copy(manifest)
    apply_defaults(pod, by.static_pods)
    spec: dict[str, Any] = pod["spec"]
    return spec


@cache
def uid(minor: str, name: str) -> str | None:
    """Return the UID of a case's spec by a minor, which several pairs of them compare."""
    manifest = without_what_a_mirror_hides(case(name)[0])
    return static_pod_uid(manifest, kubelet(minor), "node-a", "file:/m").uid


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("before", "after"), sliced(ADJACENT + FAR, [*ADJACENT[::8], *SAME, *FAR[::2]]))
def test_the_uids_never_contradict(before: str, after: str) -> None:
    old, new = kubelet(before), kubelet(after)
    for name in CASES:
        manifest = without_what_a_mirror_hides(case(name)[0])
        same = uid(before, name) == uid(after, name)
        assert same_for_mirror(served(manifest, old), old, new) in (same, None), name


@pytest.mark.parametrize(
    ("before", "after"), every(2, [("1.19", "1.20"), ("1.30", "1.31"), ("1.35", "1.36")])
)
def test_it_does_not_matter_which_kubelet_comes_first(before: str, after: str) -> None:
    # plans share the answer between an upgrade and its way back
    earlier, other = kubelet(before), kubelet(after)
    for name in CASES:
        spec = served(without_what_a_mirror_hides(case(name)[0]), earlier)
        assert same_for_mirror(spec, earlier, other) is same_for_mirror(spec, other, earlier), name


@pytest.mark.parametrize(("before", "after"), ADJACENT)
def test_a_minimal_pod_keeps_its_uid_at_four_boundaries(before: str, after: str) -> None:
    spec = case("minimal")[0]["spec"]
    assert same_for_mirror(spec, kubelet(before), kubelet(after)) is ((before, after) in SAME)


@pytest.mark.parametrize(
    ("before", "after", "case_name"),
    [("1.21", "1.22", "volume-ephemeral"), ("1.28", "1.29", "lifecycle"), ("1.21", "1.22", "security-pod")],
)
def test_fields_that_changed_at_a_boundary_count_where_a_pod_has_them(
    before: str, after: str, case_name: str
) -> None:
    assert same_for_mirror(case(case_name)[0]["spec"], kubelet(before), kubelet(after)) is False


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("1.16", "1.17", ()),
        ("1.20", "1.21", ()),
        (
            "1.21",
            "1.22",
            ("ManagedFieldsEntry", "PersistentVolumeClaimSpec", "WindowsSecurityContextOptions"),
        ),
        (
            "1.28",
            "1.29",
            ("LifecycleHandler", "PersistentVolumeClaimSpec", "PodAffinityTerm", "VolumeProjection"),
        ),
        ("1.29", "1.30", ()),
        ("1.4", "1.5", ()),
    ],
)
def test_types_are_named_whose_pods_alone_get_another_uid(
    before: str, after: str, names: tuple[str, ...]
) -> None:
    old, new = kubelet(before), kubelet(after)
    assert changed_types(old, new) == changed_types(new, old) == names
    hook = {"containers": [{"name": "c", "lifecycle": {"preStop": {"exec": {"command": ["x"]}}}}]}
    if "LifecycleHandler" in names:
        assert same_for_mirror(hook, old, new) is False


def test_a_default_of_one_release_alone_leaves_it_open() -> None:
    ephemeral = {
        "ephemeralContainers": [
            {"imagePullPolicy": "Always", "terminationMessagePath": "/x", "terminationMessagePolicy": "File"}
        ]
    }
    assert same_for_mirror(ephemeral, kubelet("1.19"), kubelet("1.20")) is None
    assert same_for_mirror({"ephemeralContainers": [{}]}, kubelet("1.19"), kubelet("1.20")) is False


def test_a_conversion_of_one_release_alone_leaves_it_open() -> None:
    old = kubelet("1.16")
    new = structs.replace(old, static_pods=structs.replace(old.static_pods))
    new.static_pods.__dict__["conversions"] = old.static_pods.conversions[:-1]
    assert same_for_mirror({}, old, new) is None


def test_what_no_release_data_tells_is_open() -> None:
    assert same_for_mirror({}, kubelet("1.5"), kubelet("1.6")) is None
    timed = {
        "volumes": [
            {
                "ephemeral": {
                    "volumeClaimTemplate": {"metadata": {"creationTimestamp": "2026-01-31T12:00:00Z"}}
                }
            }
        ]
    }
    assert same_for_mirror(timed, kubelet("1.28"), kubelet("1.29")) is None


@pytest.mark.parametrize(("image", "same"), [("Registry/a", None), ("registry/a", True)])
def test_a_pull_policy_that_releases_read_from_an_image_in_different_ways_is_not_told(
    image: str, same: bool | None
) -> None:
    spec = {"containers": [{"name": "c", "image": image, "imagePullPolicy": "Always"}]}
    assert same_for_mirror(spec, kubelet("1.28"), kubelet("1.29")) is same
