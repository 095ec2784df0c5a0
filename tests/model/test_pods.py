"""Pods and containers: what makes two equal, and what a traceback may show of them."""

from __future__ import annotations

import pytest
from msgspec import structs

import hashcompat
from hashcompat.core.model.pods import Blank, StaticManifest


def test_what_replicas_share_makes_no_difference() -> None:
    (pod, *_) = hashcompat.load_sample().pods
    (container, *_) = pod.containers
    shared = structs.replace(container, blank=Blank({}, (), 0), own=("a",))
    assert shared == container
    assert structs.replace(pod, shape=object(), containers=(shared, *pod.containers[1:])) == pod
    assert structs.replace(container, line=container.line + 1) != container
    assert structs.replace(pod, labels={}) != pod
    assert pod != container
    for value in (pod, container):
        with pytest.raises(TypeError):
            hash(value)


def test_what_a_traceback_shows_holds_no_values() -> None:
    (pod, *_) = hashcompat.load_sample().pods
    (container, *_) = pod.containers
    manifest = StaticManifest({"secret": "s3cr3t"}, "n1", "file:/etc/kubernetes/manifests/p.yaml")
    pod = structs.replace(pod, spec={"secret": "s3cr3t"}, static_manifest=manifest)
    container = structs.replace(container, spec={"env": [{"name": "A", "value": "s3cr3t"}]})
    assert "s3cr3t" not in repr((pod, container, manifest))
    assert pod.name in repr(pod)
    assert container.path in repr(container)
    assert manifest.source in repr(manifest)
