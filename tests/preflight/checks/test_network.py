"""PF-214: no network for pods."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.core.records.probes import NOT_COLLECTED
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
OF_OTHER = info(config={"cni": {"confDir": OTHER[1]}})
IN_OTHER = ("file", f"{OTHER[1]}/a.conf")


@pytest.mark.parametrize(
    ("to", "changes", "expected"),
    [
        ("1.31.0", info(READY), ("OK", "")),
        ("1.31.0", {**info(READY), ETC: ""}, ("ERROR", ETC[1])),
        ("1.31.0", {**info(READY), ETC: GONE}, ("ERROR", ETC[1])),
        ("1.31.0", {**info(READY), ETC: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {**info(READY), **OF_OTHER, OTHER: "a.conf"}, ("UNKNOWN", "")),
        ("1.31.0", info(UNREADY), ("ERROR", "NetworkReady")),
        ("1.31.0", info({"type": "NetworkReady", "status": False}), ("ERROR", "NetworkReady")),
        ("1.31.0", info(), ("OK", "")),
        ("1.31.0", {**info(), ETC: "10-calico.conflist\n"}, ("UNKNOWN", "")),
        ("1.31.0", {**info(), ETC: "README\n"}, ("ERROR", ETC[1])),
        ("1.31.0", {**OF_OTHER, OTHER: "a.conf", IN_OTHER: "{}"}, ("OK", "")),
        ("1.31.0", {**info(), ETC: GONE}, ("ERROR", ETC[1])),
        ("1.31.0", {**info(), ETC: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CRI: failed()}, ("UNKNOWN", "")),
        ("1.31.0", {CRI: "{"}, ("UNKNOWN", "")),
        ("1.23.17", flags(CNI), ("OK", "")),
        ("1.23.17", {**flags(CNI), ETC: "a.json"}, ("UNKNOWN", "")),
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


PLUGINS = ("directory", "/opt/cni/bin")
FIRST = ("file", "/etc/cni/net.d/10-calico.conflist")
LISTED = '{"name":"n","plugins":[{"type":"calico","ipam":{"type":"calico-ipam"}},{"type":"portmap"}]}'
FILES = {ETC: "99-loopback.conf\n10-calico.conflist\n", FIRST: LISTED}
ALL = "bridge\ncalico\ncalico-ipam\nportmap\n"
REPORTED = {
    "Networks": [
        {"Config": {"Plugins": [{"Network": {"type": "loopback"}}]}},
        {"Config": {"Plugins": [{"Network": {"type": "flannel", "ipam": {}}}, {"Network": None}]}},
        {"Config": None},
    ]
}
AT_OTHER = {"cni": {"binDir": OTHER[1]}}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({**FILES, PLUGINS: ALL}, [("OK", "")]),
        ({**FILES, PLUGINS: "bridge\ncalico\nportmap\n"}, [("ERROR", "calico-ipam")]),
        ({**FILES, PLUGINS: GONE}, [("ERROR", each) for each in ("calico", "calico-ipam", "portmap")]),
        ({**FILES, FIRST: '{"type":"calico"}', PLUGINS: "bridge"}, [("ERROR", "calico")]),
        ({**FILES, PLUGINS: failed()}, [("UNKNOWN", "")]),
        ({**FILES, PLUGINS: failed(NOT_COLLECTED)}, [("UNKNOWN", "")]),
        ({**FILES, FIRST: "{", PLUGINS: ALL}, [("UNKNOWN", "")]),
        ({**FILES, FIRST: failed(), PLUGINS: ALL}, [("UNKNOWN", "")]),
        ({**FILES, FIRST: "[]", PLUGINS: GONE}, [("OK", "")]),
        ({ETC: "10-calico.conflist\n", PLUGINS: GONE}, [("UNKNOWN", "")]),
        ({**info(READY, cniconfig=REPORTED), PLUGINS: "loopback\nflannel\n"}, [("INFO", "flannel")]),
        ({**info(READY, cniconfig=REPORTED), PLUGINS: "loopback\n"}, [("ERROR", "flannel")]),
        ({**info(READY, cniconfig=REPORTED, config=AT_OTHER), OTHER: "loopback\nflannel\n"}, [("OK", "")]),
        (
            {
                **info(READY, cniconfig=REPORTED, config={"cni": {"binDirs": [OTHER[1], PLUGINS[1]]}}),
                OTHER: "loopback",
                PLUGINS: "flannel",
            },
            [("INFO", "flannel")],
        ),
    ],
)
def test_pf214_a_plugin_is_gone(changes: Any, expected: list[tuple[str, str]]) -> None:
    assert status("PF-214", dump(changes), upgrade("1.31.0")) == expected


FLANNEL = '{"plugins":[{"type":"flannel","delegate":{"isDefaultGateway":true}},{"type":"portmap"}]}'
MULTUS = '{"type":"multus","delegates":[{"plugins":[{"type":"calico","ipam":{"type":"calico-ipam"}}]}]}'
OWN_TEXT = '{"type":"flannel","delegate":{"hairpinMode":true}}'
OF_FLANNEL = {"Networks": [{"Config": {"Plugins": [{"Network": {"type": "flannel"}, "Source": OWN_TEXT}]}}]}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({FIRST: FLANNEL, PLUGINS: "flannel\nportmap\nbridge\nhost-local"}, [("INFO", "flannel")]),
        (
            {FIRST: FLANNEL, PLUGINS: "flannel\nportmap\nhost-local"},
            [("ERROR", "bridge"), ("INFO", "flannel")],
        ),
        (
            {FIRST: FLANNEL.replace('"isDef', '"type":"ptp","isDef'), PLUGINS: "flannel\nportmap\nbridge"},
            [("ERROR", "host-local"), ("ERROR", "ptp"), ("INFO", "flannel")],
        ),
        ({FIRST: MULTUS, PLUGINS: "multus\ncalico\ncalico-ipam"}, [("OK", "")]),
        ({FIRST: MULTUS, PLUGINS: "multus\ncalico"}, [("ERROR", "calico-ipam")]),
        ({FIRST: '{"type":"multus","clusterNetwork":"x"}', PLUGINS: "multus"}, [("OK", "")]),
        (
            {**info(READY, cniconfig=OF_FLANNEL), PLUGINS: "flannel\nhost-local"},
            [("ERROR", "bridge"), ("INFO", "flannel")],
        ),
    ],
)
def test_pf214_a_plugin_that_another_one_runs(changes: Any, expected: list[tuple[str, str]]) -> None:
    assert sorted(status("PF-214", dump({**FILES, **changes}), upgrade("1.31.0"))) == expected


def test_pf214_says_which_file_names_the_plugin() -> None:
    given = dump({**FILES, PLUGINS: "calico\ncalico-ipam\n"})
    ((_, _, text),) = found("PF-214", given, upgrade("1.31.0"))
    assert text == (
        "/etc/cni/net.d/10-calico.conflist names the plugin portmap, which is not in /opt/cni/bin: no new "
        "pod gets a network"
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({PLUGINS: ALL}, "OK"),
        ({("directory", "/opt/own"): ALL, ARGUMENTS: f"kubelet\n{CNI}\n--cni-bin-dir=/opt/own\n"}, "OK"),
        ({PLUGINS: "calico\nportmap\n"}, "ERROR"),
    ],
)
def test_pf214_plugins_of_dockershim(changes: Any, expected: str) -> None:
    given = dump({**flags(CNI), **FILES, **changes})
    assert [row[0] for row in status("PF-214", given, upgrade("1.23.17"))] == [expected]


CRIO = {("cri", "version"): '{"runtimeName":"cri-o","runtimeVersion":"1.30.1","runtimeApiVersion":"v1"}'}
OWN = {
    ("file", "/etc/crio/crio.conf"): '[crio.network]\nplugin_dirs = ["/usr/libexec/cni"]\n',
    ("directory", "/etc/crio/crio.conf.d"): GONE,
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({**OWN, ("directory", "/usr/libexec/cni"): ALL}, "OK"),
        ({**OWN, ("directory", "/usr/libexec/cni"): "bridge"}, "ERROR"),
        ({**OWN, ("file", "/etc/crio/crio.conf"): GONE, PLUGINS: ALL}, "OK"),
        ({PLUGINS: ALL}, "UNKNOWN"),
    ],
)
def test_pf214_plugins_of_cri_o(changes: Any, expected: str) -> None:
    given = dump({**CRIO, **FILES, **changes})
    assert {row[0] for row in status("PF-214", given, upgrade("1.31.0"))} == {expected}


def test_pf214_cri_o_has_its_own_directory_of_configurations() -> None:
    config = f'[crio.network]\nnetwork_dir = "{OTHER[1]}"\n'
    given: Any = {**CRIO, **OWN, ("file", "/etc/crio/crio.conf"): config, ETC: GONE}
    assert status("PF-214", dump({**given, OTHER: ""}), upgrade("1.31.0")) == [("ERROR", OTHER[1])]
    assert status("PF-214", dump({**given, OTHER: "a.conf", IN_OTHER: "{}"}), upgrade("1.31.0")) == [
        ("OK", "")
    ]
