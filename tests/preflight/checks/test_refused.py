"""PF-109, PF-115, PF-119, PF-121, PF-123, PF-127, PF-128: pods that the plan says the new kubelet refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight import examine
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import ALL, dump, found, upgrade
from tests.helpers.pods import mirror_pod, node, pod

GPU = pod({"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}})
ELSEWHERE = pod(spec={"nodeSelector": {"disk": "ssd"}})
UNTOLERATING = pod()
STRICT = pod(spec={"securityContext": {"supplementalGroupsPolicy": "Strict"}})
SECRET = mirror_pod(
    {"name": "c", "image": "i", "envFrom": [{"secretRef": {"name": "s"}}]},
)
SYSCTL = pod(
    spec={"securityContext": {"sysctls": [{"name": "net.ipv4.ip_local_reserved_ports", "value": "1"}]}}
)
SIDECAR = pod(spec={"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}]})
PRIVILEGED = pod({"name": "c", "image": "i", "securityContext": {"privileged": True}})
OWN_USERS = pod(spec={"hostNetwork": True, "hostUsers": False})
RBD = pod(
    {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
    spec={"volumes": [{"name": "v", "rbd": {}}]},
)
LABELLED = {"kubernetes.io/hostname": "n1"}
TAINT = {"key": "k", "effect": "NoExecute"}


def states(
    check: str, given: Any, current: str, to: str, labels: Any = LABELLED, **spec: Any
) -> list[tuple[str, str]]:
    """Return what a check finds where one pod runs on the node."""
    machine: Any = node(current) if current else {"kind": "Node", "metadata": {"name": "n1"}}
    if labels is not None:
        machine["metadata"]["labels"] = labels
    inventory = hashcompat.load([given, {**machine, "spec": spec}])
    items = hashcompat.plan(inventory, current or "auto", to, keep_going=True).items
    cluster = NodeObjects(inventory.nodes[0])
    of = upgrade(to, current, planned=items)
    return [row[:2] for row in found(check, dump(), of, cluster, ALL)]


@pytest.mark.parametrize(
    ("check", "given", "current", "to", "expected"),
    [
        ("PF-109", GPU, "1.27.0", "1.27.2", ("ERROR", "ns/p")),
        ("PF-109", GPU, "1.27.0", "1.27.5", ("ERROR", "ns/p")),
        ("PF-109", GPU, "1.27.0", "1.27.6", ("OK", "")),
        ("PF-109", GPU, "1.27.0", "1.27.1", ("OK", "")),
        ("PF-109", GPU, "1.26.0", "1.26.4", ("OK", "")),
        ("PF-109", GPU, "1.26.0", "1.26.5", ("ERROR", "ns/p")),
        ("PF-109", GPU, "1.26.0", "1.26.8", ("ERROR", "ns/p")),
        ("PF-109", GPU, "1.26.0", "1.26.9", ("OK", "")),
        ("PF-109", GPU, "1.25.0", "1.25.9", ("OK", "")),
        ("PF-109", GPU, "1.25.0", "1.25.10", ("ERROR", "ns/p")),
        ("PF-109", GPU, "1.25.0", "1.25.13", ("ERROR", "ns/p")),
        ("PF-109", GPU, "1.25.0", "1.25.14", ("OK", "")),
        ("PF-109", pod(), "1.27.0", "1.27.2", ("OK", "")),
        ("PF-115", ELSEWHERE, "1.31.0", "1.31.1", ("ERROR", "ns/p")),
        ("PF-115", pod(), "1.31.0", "1.31.1", ("OK", "")),
        ("PF-119", SECRET, "1.33.0", "1.34.0", ("ERROR", "ns/p-n1")),
        ("PF-119", SECRET, "1.32.0", "1.33.0", ("OK", "")),
        ("PF-121", SYSCTL, "1.27.0", "1.26.0", ("ERROR", "ns/p")),
        ("PF-121", SYSCTL, "1.28.0", "1.27.0", ("OK", "")),
        ("PF-123", SIDECAR, "1.29.0", "1.28.0", ("ERROR", "ns/p")),
        ("PF-123", SIDECAR, "1.30.0", "1.29.0", ("OK", "")),
        ("PF-127", OWN_USERS, "1.35.0", "1.36.0", ("ERROR", "ns/p")),
        ("PF-127", OWN_USERS, "1.34.0", "1.35.0", ("OK", "")),
        ("PF-127", PRIVILEGED, "1.11.0", "1.10.13", ("UNKNOWN", "ns/p")),
        ("PF-127", PRIVILEGED, "1.12.0", "1.11.0", ("OK", "")),
        ("PF-128", RBD, "1.30.0", "1.31.0", ("WARN", "ns/p")),
        ("PF-128", RBD, "1.29.0", "1.30.0", ("OK", "")),
    ],
)
def test_pf109_pf115_pf119_pf121_pf123_pf127_pf128_pods_that_are_not_admitted_again(
    check: str, given: Any, current: str, to: str, expected: tuple[str, str]
) -> None:
    """Both sides of each boundary, as the plan decides it."""
    assert states(check, given, current, to) == [expected]


def test_pf115_a_taint_counts_from_1_24_17_on() -> None:
    assert states("PF-115", UNTOLERATING, "1.24.0", "1.24.17", taints=[TAINT]) == [("ERROR", "ns/p")]
    assert states("PF-115", UNTOLERATING, "1.23.0", "1.23.17", taints=[TAINT]) == [("OK", "")]


def test_pf115_a_feature_whose_report_is_not_known_is_unknown() -> None:
    assert states("PF-115", STRICT, "1.32.0", "1.33.0") == [("UNKNOWN", "ns/p")]


@pytest.mark.parametrize(
    ("given", "taints", "advice"),
    [
        (ELSEWHERE, [], "give the node its labels back, or move the pod"),
        (UNTOLERATING, [TAINT], "tolerate the taint or remove it, or move the pod"),
        (STRICT, [], "move the pod to a node that reports supplementalGroupsPolicy, or set it to Merge"),
    ],
)
def test_pf115_advises_what_helps_against_the_reason(given: Any, taints: list[Any], advice: str) -> None:
    machine = {**node("1.33.0"), "spec": {"taints": taints}}
    machine["metadata"]["labels"] = LABELLED
    inventory = hashcompat.load([given, machine])
    of = upgrade("1.34.0", "1.33.0", planned=hashcompat.plan(inventory, "auto", "1.34.0").items)
    every = examine(dump(), of, (), NodeObjects(inventory.nodes[0]), ALL)
    assert [each.advice for each in every if each.id == "PF-115"] == [advice]


def test_pf115_needs_the_nodes_labels() -> None:
    assert states("PF-115", ELSEWHERE, "1.31.0", "1.31.1", labels=None) == [("UNKNOWN", "")]
    items = hashcompat.plan([pod()], "1.31.0", "1.31.1").items
    of = upgrade("1.31.1", "1.31.0", planned=items)
    assert [row[0] for row in found("PF-115", dump(), of, NodeObjects(), ALL)] == ["UNKNOWN"]


def test_a_pod_is_named_once_for_all_its_containers() -> None:
    both = pod({"name": "c", "image": "i"}, {"name": "d", "image": "i"}, spec=ELSEWHERE["spec"])
    assert states("PF-115", both, "1.31.0", "1.31.1") == [("ERROR", "ns/p")]


@pytest.mark.parametrize("check", ["PF-109", "PF-119", "PF-121", "PF-123", "PF-127", "PF-128"])
def test_a_plan_that_leaves_things_open_is_unknown(check: str) -> None:
    assert states(check, pod(), "", "1.31.0") == [("UNKNOWN", "")]
    empty = upgrade("1.31.0", "1.31.0", planned=())
    assert [row[0] for row in found(check, dump(), empty, NodeObjects(Node("n1", "")), ALL)] == ["UNKNOWN"]


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        (NodeObjects(Node("n2", "v1.31.0"), ()), "OK"),
        (NodeObjects(Node("n2", "v1.31.0"), None), "UNKNOWN"),
        (NodeObjects(None, ()), "UNKNOWN"),
    ],
)
def test_a_node_without_pods_has_none_that_are_refused(cluster: NodeObjects, expected: str) -> None:
    rows = found("PF-127", dump(), upgrade("1.31.1", "1.31.0", planned=()), cluster, ALL)
    assert [row[0] for row in rows] == [expected]


def of_cloud(kind: str, *, mounts: bool = True) -> Any:
    mount = [{"name": "v", "mountPath": "/v"}] if mounts else []
    return pod(
        {"name": "c", "image": "i", "volumeMounts": mount}, spec={"volumes": [{"name": "v", kind: {}}]}
    )


@pytest.mark.parametrize(
    ("kind", "current", "to", "expected"),
    [
        ("awsElasticBlockStore", "1.22.17", "1.23.17", "takes the CSI driver ebs.csi.aws.com"),
        ("awsElasticBlockStore", "1.23.17", "1.24.17", ""),
        ("awsElasticBlockStore", "1.26.15", "1.27.16", "no plugin of its own"),
        ("awsElasticBlockStore", "1.27.16", "1.28.15", ""),
        ("azureDisk", "1.26.15", "1.27.16", "disk.csi.azure.com"),
        ("azureFile", "1.29.15", "1.30.14", "file.csi.azure.com"),
        ("cinder", "1.25.16", "1.26.15", "cinder.csi.openstack.org"),
        ("gcePersistentDisk", "1.27.16", "1.28.15", "pd.csi.storage.gke.io"),
        ("portworxVolume", "1.35.8", "1.36.3", "pxd.portworx.com"),
        ("vsphereVolume", "1.28.15", "1.29.15", "csi.vsphere.vmware.com"),
        ("vsphereVolume", "1.29.15", "1.30.14", ""),
        ("nfs", "1.22.17", "1.37.1", ""),
        ("cinder", "", "1.26.15", "cinder.csi.openstack.org"),
    ],
)
def test_pf144_a_volume_for_a_csi_driver(kind: str, current: str, to: str, expected: str) -> None:
    cluster = NodeObjects(Node("n1", current), tuple(hashcompat.load([of_cloud(kind)]).pods))
    rows = found("PF-144", dump(), upgrade(to, current), cluster, ALL)
    assert [(state, name) for state, name, _ in rows] == [("WARN", "ns/p") if expected else ("OK", "")]
    assert expected in rows[0][2]


@pytest.mark.parametrize(
    ("current", "to", "driver", "expected"),
    [
        ("1.22.17", "1.23.17", "pd.csi.storage.gke.io", ("INFO", "which the node has")),
        ("1.22.17", "1.23.17", "ebs.csi.aws.com", ("WARN", "takes the CSI driver")),
        ("1.27.16", "1.28.15", "pd.csi.storage.gke.io", ("OK", "")),
        ("1.27.16", "1.28.15", "ebs.csi.aws.com", ("WARN", "no plugin of its own")),
    ],
)
def test_pf144_a_driver_that_is_registered_mounts_it(
    current: str, to: str, driver: str, expected: tuple[str, str]
) -> None:
    """Also by a claim; the kubelet notes the drivers in an annotation of its Node."""
    noted = {"csi.volume.kubernetes.io/nodeid": json.dumps({driver: "n1"})}
    status = {"nodeInfo": {"kubeletVersion": f"v{current}"}}
    node = {"kind": "Node", "metadata": {"name": "n1", "annotations": noted}, "status": status}
    claim = {"metadata": {"name": "c", "namespace": "ns"}, "spec": {"volumeName": "pv"}}
    volume = {"kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {"gcePersistentDisk": {}}}
    claiming = of_cloud("persistentVolumeClaim")
    claiming["spec"]["volumes"][0]["persistentVolumeClaim"] = {"claimName": "c"}
    by_claim = [claiming, volume, {"kind": "PersistentVolumeClaim", **claim}]
    for objects in ([of_cloud("gcePersistentDisk")], by_claim):
        given = hashcompat.load([node, *objects])
        cluster = NodeObjects(given.nodes[0], tuple(given.pods))
        ((state, _, text),) = found("PF-144", dump(), upgrade(to, current), cluster, ALL)
        assert state == expected[0]
        assert expected[1] in text


def test_pf144_a_volume_that_no_container_mounts_is_not_waited_for() -> None:
    for given in (of_cloud("cinder", mounts=False), of_cloud("cinder") | {"status": {"phase": "Failed"}}):
        cluster = NodeObjects(Node("n1", "v1.25.16"), tuple(hashcompat.load([given]).pods))
        assert found("PF-144", dump(), upgrade("1.26.15", "1.25.16"), cluster, ALL)[0][0] == "OK"
