"""The kubelet of a node: its command line and its configuration file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.kubelet import check_own_flags
from hashcompat.records.probes import UnreadError
from tests.helpers.dumps import GONE, Key, dump, failed

ARGUMENTS: Key = ("arguments", "kubelet")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")


def test_flags_are_read_as_go_reads_them() -> None:
    words = "/usr/bin/kubelet\n--config=/c\n-v\n2\n--fail-swap-on\n--node-ip\n10.0.0.1\n--v=4\n--last\n"
    assert Facts(dump({ARGUMENTS: words})).flags == {
        "config": "/c",
        "v": "4",
        "fail-swap-on": "true",
        "node-ip": "10.0.0.1",
        "last": "true",
    }


def test_the_configuration_is_that_which_the_flags_name() -> None:
    assert Facts(dump({CONFIG: "cgroupDriver: systemd\n"})).config == {"cgroupDriver": "systemd"}
    assert Facts(dump({CONFIG: '{"cgroupDriver": "cgroupfs"}'})).config == {"cgroupDriver": "cgroupfs"}
    assert Facts(dump({ARGUMENTS: "kubelet\n", CONFIG: failed()})).config == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GONE, "the kubelet's configuration file is missing"),
        (failed(), "permission denied"),
        ("a: [", "not valid YAML"),
        ("- 1\n", "want one KubeletConfiguration"),
        ("a: 1\n---\nb: 2\n", "want one KubeletConfiguration"),
        ("", "want one KubeletConfiguration"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_not_known(text: object, says: str) -> None:
    facts = Facts(dump({CONFIG: text}))  # type: ignore[dict-item]
    with pytest.raises(UnreadError, match=rf"^/var/lib/kubelet/config\.yaml: .*{says}"):
        facts.config  # noqa: B018 - read for what it raises


def test_a_node_has_its_name() -> None:
    assert Facts(dump()).node == "n1"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, {}),
        ("A=true, B=false,", {"A": True, "B": False}),
        ({"A": True, "B": False}, {"A": True, "B": False}),
    ],
)
def test_feature_gates_as_a_flag_or_in_the_file(given: object, expected: dict[str, bool]) -> None:
    flag = f"\n--feature-gates={given}" if isinstance(given, str) else ""
    file = {"featureGates": given} if isinstance(given, dict) else {}
    changes: dict[Key, Any] = {ARGUMENTS: f"kubelet\n--config=/c{flag}\n", ("file", "/c"): json.dumps(file)}
    assert dict(Facts(dump(changes)).gates) == expected


def test_a_kubelet_within_another_program_has_no_flags_to_read() -> None:
    check_own_flags(dump())
    with pytest.raises(UnreadError, match="the kubelet is part of k3s"):
        check_own_flags(dump({("arguments", "kubelet"): "/usr/local/bin/k3s\nserver\n"}))
