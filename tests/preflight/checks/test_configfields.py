"""PF-122: fields of the kubelet's configuration file."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, found, upgrade

CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
ARGUMENTS: Key = ("arguments", "kubelet")
PATH = "/var/lib/kubelet/config.yaml"
OK = ("OK", "nothing found: fields of the configuration file")
UNKNOWN = f"kubelets of this release do not know noSuchField of {PATH}: kubelet {{}} {{}}"
V1 = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
WRITTEN_BY_KUBEADM = f"""{V1}authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
evictionHard:
  imagefs.available: 15%
rotateCertificates: true
"""


def check(to: str, changes: dict[Key, object]) -> list[tuple[str, str]]:
    return [(state, text) for state, _, text in found("PF-122", dump(changes), upgrade(to))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("to", "more", "status", "text"),
    [
        ("1.11.10", "", *OK),
        ("1.16.15", "", *OK),
        ("1.24.17", "", *OK),
        ("1.30.14", "", *OK),
        ("1.34.10", "", *OK),
        ("1.37.1", "", *OK),
        (
            "1.24.17",
            "memorySwap: {swapBehavior: ''}\nnoSuchField: 1\n",
            "WARN",
            UNKNOWN.format("1.24.17", "logs a warning and drops it"),
        ),
        (
            "1.16.15",
            "noSuchField: 1\n",
            "WARN",
            UNKNOWN.format("1.16.15", "drops it in silence"),
        ),
        (
            "1.17.0",
            "noSuchField: 1\n",
            "WARN",
            UNKNOWN.format("1.17.0", "logs a warning and drops it"),
        ),
    ],
)
def test_pf122_fields_of_the_target(to: str, more: str, status: str, text: str) -> None:
    assert check(to, {CONFIG: WRITTEN_BY_KUBEADM + more}) == [(status, text)]


def test_pf122_says_which_release_removed_a_field() -> None:
    ((_, text),) = check(
        "1.27.16", {CONFIG: V1 + "enableControllerAttachDetach: true\ndynamicKubeletConfigDir: x\n"}
    ) or [("", "")]
    assert "dynamicKubeletConfigDir" in text


def test_pf122_another_version_of_the_file_is_refused() -> None:
    text = "kubelet 1.24.17 reads kubelet.config.k8s.io/v1beta1 and the file is kubelet.config.k8s.io/v1"
    assert check("1.24.17", {CONFIG: V1.replace("v1beta1", "v1")}) == [("ERROR", text)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("maxPods: 1\n", "has no apiVersion"),
        ("apiVersion: kubelet.config.k8s.io/v1beta1\n", "has no kind"),
        ("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: Pod\n", "is of another kind than KubeletConf"),
    ],
)
@pytest.mark.parametrize("to", ["1.10.13", "1.34.10"])
def test_pf122_a_file_without_its_kind_is_refused(to: str, text: str, why: str) -> None:
    rows = check(to, {CONFIG: text})
    assert {status for status, _ in rows} == {"ERROR"}
    assert why in rows[0][1]


@pytest.mark.parametrize(
    ("to", "changes", "status", "text"),
    [
        ("1.24.17", {CONFIG: failed()}, "UNKNOWN", f"{PATH}: permission denied"),
        ("1.24.17", {ARGUMENTS: failed()}, "UNKNOWN", "kubelet: permission denied"),
        ("1.24.17", {ARGUMENTS: "kubelet\n"}, *OK),
        ("1.7.5", {CONFIG: "noSuchField: 1\n"}, *OK),
    ],
)
def test_pf122_needs_the_file(to: str, changes: dict[Key, object], status: str, text: str) -> None:
    assert check(to, changes) == [(status, text)]


DROP_IN = "/etc/kubelet.d/10.conf"


def drop_in(text: object) -> dict[Key, object]:
    return {
        CONFIG: V1,
        ARGUMENTS: f"kubelet\n--config={PATH}\n--config-dir=/etc/kubelet.d\n",
        ("directory", "/etc/kubelet.d"): "10.conf\n",
        ("file", DROP_IN): text,
    }


@pytest.mark.parametrize(
    ("to", "text", "status", "says"),
    [
        ("1.34.10", "noSuchField: 1\n", "WARN", "drops it in silence"),
        ("1.29.15", "noSuchField: 1\n", "WARN", "drops it in silence"),
        ("1.28.15", "noSuchField: 1\n", "WARN", "logs a warning and drops it"),
        ("1.34.10", "maxPods: 10\n", *OK),
        ("1.34.10", "maxpods: 10\n", *OK),
        ("1.28.15", "maxpods: 10\n", "WARN", "logs a warning and drops it"),
        ("1.27.16", "noSuchField: 1\n", *OK),
    ],
)
def test_pf122_fields_of_drop_ins(to: str, text: str, status: str, says: str) -> None:
    ((state, words),) = check(to, drop_in(V1 + text))
    assert state == status
    assert words.endswith(says)
    assert status == "OK" or f" of {DROP_IN}: kubelet {to} " in words


@pytest.mark.parametrize(
    ("to", "text", "status"),
    [
        ("1.28.15", "resolvConf: /run/resolv.conf\n", "OK"),
        ("1.29.15", "resolvConf: /run/resolv.conf\n", "WARN"),
        ("1.31.14", "resolvconf: /run/resolv.conf\n", "WARN"),
        ("1.31.14", "clusterDomain: a.example\n", "OK"),
        ("1.32.13", "resolvConf: /run/resolv.conf\n", "OK"),
    ],
)
def test_pf122_a_field_that_drop_ins_set_in_vain(to: str, text: str, status: str) -> None:
    ((state, words),) = check(to, drop_in(V1 + text))
    assert state == status
    assert status == "OK" or words.startswith(f"resolvConf of {DROP_IN}: kubelet {to} drops it in silence")
    assert check(to, {CONFIG: V1 + text.replace("resolvconf", "resolvConf")}) == [OK]


@pytest.mark.parametrize("text", ["", GONE])
def test_pf122_leaves_drop_ins_that_no_kubelet_parses_to_pf126(text: object) -> None:
    assert check("1.34.10", drop_in(text)) == [OK]
    assert found("PF-126", dump(drop_in(text)), upgrade("1.34.10"))[0][0] == "ERROR"  # type: ignore[arg-type]


def test_pf122_does_not_know_drop_ins_that_were_not_read() -> None:
    assert [status for status, _ in check("1.34.10", drop_in(failed()))] == ["UNKNOWN"]
