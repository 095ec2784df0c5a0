"""PF-214: no network for pods."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.dumps import GONE, INFO, docker, dump, failed, found, status, upgrade

CRI = ("cri", "info")
ETC = ("directory", "/etc/cni/net.d")
OTHER = ("directory", "/opt/net.d")
ARGUMENTS = ("arguments", "kubelet")


def info(*conditions: dict[str, Any], **more: Any) -> Any:
    """Return what crictl prints with these conditions."""
    return {CRI: json.dumps({**INFO, "status": {"conditions": list(conditions)}, **more})}


def flags(*words: str) -> Any:
    """Return a node with Docker whose kubelet has these flags."""
    return {**docker("20.10.24"), ARGUMENTS: "\n".join(["/usr/bin/kubelet", *words, ""])}


READY = {"type": "NetworkReady", "status": True}
UNREADY = {"type": "NetworkReady", "status": False, "message": "cni plugin not initialized"}
CNI = "--network-plugin=cni"


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", info(READY), ("OK", "")),
        ("1.31.0", info(UNREADY), ("ERROR", "NetworkReady")),
        ("1.31.0", info({"type": "NetworkReady", "status": False}), ("ERROR", "NetworkReady")),
        ("1.31.0", {**info(), ETC: "10-calico.conflist\n"}, ("OK", "")),
        ("1.31.0", {**info(), ETC: "README\n"}, ("ERROR", ETC[1])),
        ("1.31.0", {**info(config={"cni": {"confDir": OTHER[1]}}), OTHER: "a.conf"}, ("OK", "")),
        ("1.31.0", {**info(), ETC: GONE}, ("ERROR", ETC[1])),
        ("1.31.0", {**info(), ETC: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CRI: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CRI: "{"}, ("UNKNOWN", "")),
        ("1.23.17", {**flags(CNI), ETC: "a.json"}, ("OK", "")),
        ("1.23.17", {**flags(CNI), ETC: GONE}, ("ERROR", ETC[1])),
        ("1.23.17", {**flags(CNI, f"--cni-conf-dir={OTHER[1]}"), OTHER: ""}, ("ERROR", OTHER[1])),
        ("1.23.17", flags("--network-plugin=kubenet"), ("OK", "")),
    ],
)
def test_pf214_no_network(to: str, changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-214", dump(changes), upgrade(to)) == [expected]


def test_pf214_says_what_the_runtime_reports() -> None:
    ((_, _, text),) = found("PF-214", dump(info(UNREADY)), upgrade("1.31.0"))
    assert text == "the network of pods is not ready: cni plugin not initialized"
