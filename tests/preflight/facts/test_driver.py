"""The container runtime: by its Node object, and by what it answers."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.model.pods import Node
from hashcompat.preflight.facts import runtime
from hashcompat.records.probes import AbsentError, UnreadError
from tests.helpers.dumps import GONE, containerd, docker, dump, failed


@pytest.mark.parametrize(
    ("changes", "node", "expected"),
    [
        ({}, None, "containerd://2.1.4"),
        ({}, Node("n1", "", "cri-o://1.31.0"), "cri-o://1.31.0"),
        ({}, Node("n1", ""), "containerd://2.1.4"),
        (docker("20.10.24"), None, "docker://20.10.24"),
        ({**docker("20.10.24"), **containerd("1.6.20")}, None, "containerd://1.6.20"),
    ],
)
def test_the_version_is_written_as_in_a_node_object(changes: Any, node: Node | None, expected: str) -> None:
    assert runtime.runtime_version(dump(changes), node) == expected


DOCKER = ("docker", "version")


def test_a_runtime_that_answers_nothing_useful_is_unread() -> None:
    with pytest.raises(UnreadError, match="does not report its runtimeName"):
        runtime.runtime_version(dump({("cri", "version"): "{}", DOCKER: GONE}), None)
    with pytest.raises(UnreadError, match="permission denied"):
        runtime.runtime_version(dump({("cri", "version"): failed(), DOCKER: GONE}), None)
    with pytest.raises(AbsentError):
        runtime.runtime_version(dump({("cri", "version"): GONE, DOCKER: "{}"}), None)


def test_an_old_crictl_prints_lines() -> None:
    text = (
        "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v1.6.20\nRuntimeApiVersion:  v1alpha2\n"
    )
    given = dump({("cri", "version"): text})
    assert runtime.runtime_version(given, None) == "containerd://1.6.20"
    assert runtime.api_version(given) == "v1alpha2"


def test_what_was_not_asked_has_no_version_of_the_interface() -> None:
    assert runtime.api_version(dump()) == "v1"
    assert runtime.api_version(dump({("cri", "version"): failed(), DOCKER: GONE})) == ""


@pytest.mark.parametrize("text", ["{", "[]", '"x"'])
def test_an_answer_that_is_not_an_object_is_unread(text: str) -> None:
    with pytest.raises(UnreadError):
        runtime.document(dump({("cri", "info"): text}), "cri", "info")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"defaultRuntimeName": "r", "runtimes": {"r": {"options": {"SystemdCgroup": True}}}}, "systemd"),
        ({"defaultRuntimeName": "r", "runtimes": {"r": {"options": {"SystemdCgroup": False}}}}, "cgroupfs"),
        ({"runtimes": {"runc": {}}}, "cgroupfs"),
    ],
)
def test_containerds_driver_is_that_of_its_default_runtime(config: Any, expected: str) -> None:
    assert runtime.cgroup_driver({"config": {"containerd": config}}) == expected


def test_conditions_and_images_skip_what_is_none() -> None:
    assert runtime.conditions({"status": {"conditions": [1, {"type": "A", "status": True}]}}) == {
        "A": {"type": "A", "status": True}
    }
    assert runtime.conditions({"status": {"conditions": 1}}) == {}
    images = {"images": [{"repoTags": ["a"], "repoDigests": ["b"]}]}
    assert list(runtime.image_names(images)) == ["a", "b"]


def test_where_images_are() -> None:
    assert runtime.image_directory("containerd://2.1.4", {"config": {"containerdRootDir": "/c"}}) == "/c"
    assert runtime.image_directory("cri-o://1.31.0", {}) == "/var/lib/containers/storage"
    with pytest.raises(UnreadError, match="where other://1 keeps images is not known"):
        runtime.image_directory("other://1", {})
