"""PF-140, PF-142, PF-204 and PF-214: what comes with the packages of kubelets and runtimes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.checks import Need
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object
from tests.helpers.dumps import ALL, GONE, INFO, Key, docker, dump, findings, found, unread, upgrade
from tests.helpers.pods import node, pod


def read(name: str, resource: str, **more: Any) -> Pod:
    container = {"name": "c", "image": "i", "resources": {"limits": {resource: "1"}}}
    (subject,) = read_object(pod(container, name=name, **more), "test")
    assert isinstance(subject, Pod)
    return subject


CGROUPFS = json.loads(json.dumps(INFO).replace('"SystemdCgroup": true', '"SystemdCgroup": false'))
WITHOUT_NODE = frozenset({Need.OBJECTS, Need.PLAN})
GPU = read("train", "nvidia.com/gpu")


@pytest.mark.parametrize(
    ("pods", "info", "status"),
    [
        ((GPU,), INFO, "WARN"),
        ((read("mig", "nvidia.com/mig-1g.5gb"),), INFO, "WARN"),
        ((GPU,), CGROUPFS, "OK"),
        ((GPU,), None, "UNKNOWN"),
        ((read("done", "nvidia.com/gpu", status={"phase": "Succeeded"}),), INFO, "OK"),
        ((read("plain", "cpu"),), INFO, "OK"),
    ],
)
def test_pf140_gpus_under_the_systemd_driver(pods: tuple[Pod, ...], info: Any, status: str) -> None:
    given = dump({("cri", "info"): json.dumps(info) if info else GONE})
    (row,) = found("PF-140", given, upgrade("1.34.10"), NodeObjects(pods=pods), ALL)
    assert row[0] == status
    if status in ("WARN", "INFO"):
        assert pods[0].name in row[2]
        assert "systemctl daemon-reload" in row[2]


def test_pf140_without_a_dump_the_driver_is_a_condition() -> None:
    ((state, _, text),) = found(
        "PF-140", unread(), upgrade("1.34.10"), NodeObjects(pods=(GPU,)), WITHOUT_NODE
    )
    assert (state, "if the cgroup driver is systemd" in text) == ("INFO", True)


def conflist(kind: str) -> str:
    return json.dumps({"cniVersion": "0.3.1", "name": "n", "plugins": [{"type": kind}]})


@pytest.mark.parametrize(
    ("kind", "installed", "status"),
    [
        ("flannel", "bridge\nflannel\nhost-local\n", "INFO"),
        ("flannel", "bridge\nhost-local\n", "ERROR"),
        ("bridge", "bridge\nflannel\n", "OK"),
    ],
)
def test_pf214_a_plugin_that_the_package_has_no_longer(kind: str, installed: str, status: str) -> None:
    changes: dict[Key, Any] = {
        ("directory", "/etc/cni/net.d"): "10-n.conflist\n",
        ("file", "/etc/cni/net.d/10-n.conflist"): conflist(kind),
        ("directory", "/opt/cni/bin"): installed,
    }
    assert [row[0] for row in found("PF-214", dump(changes), upgrade("1.34.10"))] == [status]


def test_pf204_says_what_containerd_2_has_no_longer() -> None:
    old = {"runtimeName": "containerd", "runtimeVersion": "1.7.27", "runtimeApiVersion": "v1"}
    given = dump({("cri", "version"): json.dumps(old)})

    (finding,) = findings("PF-204", given, upgrade("1.36.3"))
    assert finding.status.value == "WARN"
    assert "aufs snapshotter" in finding.advice


def running(image: str, policy: str) -> Pod:
    container = {"name": "c", "image": image, "imagePullPolicy": policy}
    state = [{"name": "c", "state": {"running": {}}}]
    (subject,) = read_object(pod(container, status={"phase": "Running", "containerStatuses": state}), "test")
    assert isinstance(subject, Pod)
    return subject


HERE = {"images": [{"repoTags": ["docker.io/library/nginx:1.27"], "repoDigests": []}]}


@pytest.mark.parametrize(
    ("image", "policy", "restarts", "status"),
    [
        ("nginx:1.27", "Never", True, "OK"),
        ("nginx:1.28", "Never", True, "ERROR"),
        ("nginx:1.28", "IfNotPresent", True, "WARN"),
        ("nginx:1.28", "Never", False, "OK"),
        ("nginx:1.28", "Never", None, "OK"),
    ],
)
def test_pf142_the_image_of_a_container_that_restarts(
    image: str, policy: str, restarts: bool | None, status: str
) -> None:
    given = dump({("cri", "images"): json.dumps(HERE)})
    to = upgrade("1.31.14", restarts=lambda uid, name: restarts if (uid, name) == ("uid-p", "c") else None)
    (row,) = found("PF-142", given, to, NodeObjects(pods=(running(image, policy),)), ALL)
    assert row[0] == status
    if status == "ERROR":
        assert "killed, and never started again" in row[2]


def test_pf142_under_docker_and_without_the_list() -> None:
    to = upgrade("1.23.17", "1.22.17", restarts=lambda *_: True)
    cluster = NodeObjects(pods=(running("nginx:1.28", "Always"),))
    rows = '[{"RepoTags":["nginx:1.27"]}]'
    of_docker = dump({**docker("20.10.24"), ("docker", "images"): rows, ("cri", "images"): GONE})
    assert [row[0] for row in found("PF-142", of_docker, to, cluster, ALL)] == ["WARN"]
    missing = dump({("cri", "images"): GONE})
    (row,) = found("PF-142", missing, upgrade("1.31.14", restarts=lambda *_: True), cluster, ALL)
    assert row[0] == "UNKNOWN"


@pytest.mark.parametrize(("more", "status"), [({}, "UNKNOWN"), ({"cri_dockerd": True}, "OK")])
def test_pf142_images_of_docker_say_nothing_of_another_container_runtime(more: Any, status: str) -> None:
    given = pod({"name": "c", "image": "nginx:1.27", "imagePullPolicy": "IfNotPresent"})
    host = node("1.23.17")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.24"
    items = hashcompat.plan([given, host], to="1.24.17", **more).items
    to = upgrade("1.24.17", "1.23.17", planned=items, restarts=lambda *_: status == "UNKNOWN")
    rows = '[{"RepoTags":["nginx:1.27"]}]'
    of_docker = dump({**docker("20.10.24"), ("docker", "images"): rows, ("cri", "images"): GONE})
    cluster = NodeObjects(pods=(running("nginx:1.27", "IfNotPresent"),))
    assert [finding[0] for finding in found("PF-142", of_docker, to, cluster, ALL)] == [status]
