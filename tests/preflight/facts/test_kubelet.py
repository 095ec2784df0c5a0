"""The kubelet of a node: its flags, its configuration file, and what both set."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import Facts, kubelet
from hashcompat.analysis.preflight.facts.kubelet import K3S, check_own_flags, flag_arguments, within_k3s
from hashcompat.analysis.preflight.facts.units import UnitArgument
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import DecodeError
from hashcompat.core.records.probes import NO_CONFIGURATION, Probe, UnparsedError, UnreadError
from hashcompat.core.release import parse_release
from tests.helpers.dumps import GONE, Key, dump, failed

# The kubelet of a node: its command line and its configuration file.

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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--fail_swap_on=false", "--root_dir", "/k"], {"fail-swap-on": "false", "root-dir": "/k"}),
        (["--feature-gates=A=true", "--feature_gates", "B=false"], {"feature-gates": "A=true,B=false"}),
        (["--kube-reserved=cpu=1", "--kube-reserved="], {"kube-reserved": "cpu=1"}),
        (
            ["--reserved-memory=0:memory=1Gi,hugepages-1Gi=1Gi", "--reserved-memory=1:memory=1Gi"],
            {"reserved-memory": "0:memory=1Gi,hugepages-1Gi=1Gi;1:memory=1Gi"},
        ),
        (["--register-with-taints=a=b:NoSchedule", "--register-with-taints=c:NoExecute"], None),
        (["--cgroup-driver=systemd", "--cgroup-driver=cgroupfs"], {"cgroup-driver": "cgroupfs"}),
        (["--fail-swap-on=false", "--fail-swap-on"], {"fail-swap-on": "true"}),
    ],
)
def test_flags_that_are_given_twice_or_with_underscores(
    words: list[str], expected: dict[str, str] | None
) -> None:
    """Lists and maps add up (pflag, component-base cli/flag), but for taints; _ is - (word_sep)."""
    running = "\n".join(["/usr/bin/kubelet", *words, ""])
    facts = Facts(dump({ARGUMENTS: running}), hazards=default_catalog().hazards(parse_release("1.37.1")))
    assert facts.flags == (expected or {"register-with-taints": "c:NoExecute"})


@pytest.mark.parametrize(
    ("release", "expected"),
    [("1.28.15", None), ("1.29.15", 5), ("1.31.14", 5), ("1.32.0", None), ("1.37.1", None)],
)
def test_a_null_in_a_drop_in_takes_a_setting_back_from_1_32_on(release: str, expected: int | None) -> None:
    head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    node: dict[Key, Any] = {
        ARGUMENTS: "kubelet\n--config=/var/lib/kubelet/config.yaml\n--config-dir=/etc/kubelet.d\n",
        CONFIG: f"{head}maxPods: 5\n",
        ("directory", "/etc/kubelet.d"): "a.conf\n",
        ("file", "/etc/kubelet.d/a.conf"): f"{head}maxPods:\n",
    }
    facts = Facts(dump(node), hazards=default_catalog().hazards(parse_release(release)))
    if release.startswith("1.28."):
        with pytest.raises(UnreadError, match="with all of its defaults"):
            facts.setting("max-pods", "maxPods")
        return
    assert facts.setting("max-pods", "maxPods") == expected


UNIT: Key = ("file", "/usr/lib/systemd/system/kubelet.service")


@pytest.mark.parametrize(
    ("command", "running", "cpus"),
    [
        ("/usr/bin/kubelet --cpu-manager-policy=static", "/usr/bin/kubelet\n", "static"),
        ("/usr/bin/kubelet", "/usr/bin/kubelet\n--cpu-manager-policy=static\n", None),
        ("/wrapper /usr/bin/kubelet --cpu-manager-policy static", "/usr/bin/kubelet\n", "static"),
        ("/usr/bin/kubelet", "/opt/rke2/kubelet\n--cpu-manager-policy=static\n", "static"),
        ("/opt/start.sh", "/usr/bin/kubelet\n--cpu-manager-policy=static\n", "static"),
        ("/usr/bin/kubelet --a=%m", "/usr/bin/kubelet\n--cpu-manager-policy=static\n", "static"),
        ("/usr/bin/kubelet --cpu-manager-policy=static", GONE, "static"),
        (
            "/usr/bin/kubelet --cpu-manager-policy=",
            "/usr/bin/kubelet\n--cpu-manager-policy=static\n",
            "static",
        ),
        ("/usr/bin/kubelet --cpu-manager-policy=", "/usr/bin/kubelet\n", ""),
    ],
)
def test_flags_are_those_of_the_next_start_where_the_unit_of_the_running_kubelet_shows_them(
    command: str, running: str | Probe, cpus: str | None
) -> None:
    facts = Facts(dump({UNIT: f"ExecStart={command}\n", ARGUMENTS: running}))
    assert facts.flags.get("cpu-manager-policy") == cpus


def test_flags_are_those_of_the_running_kubelet_where_a_drop_in_was_not_read() -> None:
    directory = {("directory", "/etc/systemd/system/kubelet.service.d"): "10 a.conf\n"}
    words = {ARGUMENTS: "/usr/bin/kubelet\n--cpu-manager-policy=static\n"}
    facts = Facts(dump({UNIT: "ExecStart=/usr/bin/kubelet\n", **directory, **words}))
    assert facts.flags == {"cpu-manager-policy": "static"}


def test_the_configuration_is_that_which_the_flags_name() -> None:
    assert Facts(dump({CONFIG: "cgroupDriver: systemd\n"})).config == {"cgroupDriver": "systemd"}
    assert Facts(dump({CONFIG: '{"cgroupDriver": "cgroupfs"}'})).config == {"cgroupDriver": "cgroupfs"}
    assert Facts(dump({ARGUMENTS: "kubelet\n", CONFIG: failed()})).config == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (failed(), "permission denied"),
        ("a: *** [", "not valid YAML"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_not_known(text: object, says: str) -> None:
    facts = Facts(dump({CONFIG: text}))  # type: ignore[dict-item]
    with pytest.raises(UnreadError, match=rf"^/var/lib/kubelet/config\.yaml: .*{says}"):
        facts.config  # noqa: B018 - read for what it raises


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [", "not valid YAML"),
        ("maxPods: 1\n\tport: 2\n", "not valid YAML"),
        ("{maxPods: 1}\n", "not valid JSON"),
        ("- 1\n", "it is no object"),
        ("text\n", "it is no object"),
        ("", "it is empty"),
        ("# nothing\n", "it is empty"),
        ("---\n---\nmaxPods: 1\n", "it is empty"),
        (failed(NO_CONFIGURATION), "it is no KubeletConfiguration"),
        (GONE, "it is missing"),
    ],
)
def test_a_configuration_that_no_kubelet_can_parse_is_known(text: object, says: str) -> None:
    facts = Facts(dump({CONFIG: text}))  # type: ignore[dict-item]
    with pytest.raises(UnparsedError, match=rf"^/var/lib/kubelet/config\.yaml cannot be read: .*{says}"):
        facts.config  # noqa: B018 - read for what it raises


@pytest.mark.parametrize(
    "text",
    [
        "maxPods: 1\n---\nmaxPods: 2\n",
        "---\nmaxPods: 1\n--- [\n",
        "maxPods: 2\nmaxPods: 1\n...\n\tport: 2\n",
        '{\n\t"maxPods": 2,\n\t"maxPods": 1\n}\n',
    ],
)
def test_of_a_configuration_the_first_document_counts(text: str) -> None:
    assert Facts(dump({CONFIG: text})).config == {"maxPods": 1}


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


def test_what_k3s_gives_its_kubelet_is_not_known_without_its_arguments() -> None:
    given = dump({ARGUMENTS: "/usr/local/bin/k3s server\n", ("arguments", K3S): GONE})
    assert within_k3s(given, None, lambda _: "systemd") is given


# The flags among arguments.


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], []),
        (["--node-ip=1", "--node_ip", "2"], [("node-ip", "1", True), ("node_ip", "2", True)]),
        (["--fail-swap-on", "--v", "4", "more"], [("fail-swap-on", "true", True), ("v", "4", True)]),
        (["-v", "4", "-v=5", "-v6"], [("v", "4", True), ("v", "5", True), ("v", "6", True)]),
        (
            ["--nosuch", "--nosuch2", "x", "--nosuch3=y"],
            [("nosuch", "", False), ("nosuch2", "x", False), ("nosuch3", "y", False)],
        ),
        (["--node-ip", "-1"], [("node-ip", "-1", True)]),
        (["--nosuch"], [("nosuch", "", False)]),
        (["--v=4", "--node-ip"], [("v", "4", True)]),  # which no kubelet starts with
        (["-", "x", "--", "--nosuch"], []),
        (["-x"], [("x", "", False)]),
    ],
)
def test_flags_as_pflag_takes_them(words: list[str], expected: list[tuple[str, str, bool]]) -> None:
    table, release = default_catalog().flag_table, parse_release("1.24.17")
    flags = list(flag_arguments([UnitArgument(word, "here") for word in words], table, release))
    assert [(each.name, each.value, each.definition is not None) for each in flags] == expected
    assert {each.source for each in flags} <= {"here"}


# What a kubelet is configured with.


@pytest.mark.parametrize(
    ("flags", "root"),
    [({}, "/var/lib/kubelet"), ({"root-dir": "/data/"}, "/data"), ({"root-dir": "/"}, "/")],
)
def test_the_root_directory(flags: dict[str, str], root: str) -> None:
    assert kubelet.root(flags) == root


def test_a_flag_wins_over_the_file_and_the_file_over_the_default() -> None:
    assert kubelet.chosen({"a": "1"}, "a", {"b": "2"}, "b", "3") == "1"
    assert kubelet.chosen({}, "a", {"b": "2"}, "b", "3") == "2"
    assert kubelet.chosen({"a": ""}, "a", {"b": ""}, "b", "3") == "3"


@pytest.mark.parametrize(
    ("flags", "config", "expected"),
    [
        ({}, {}, set()),
        ({"feature-gates": "A=true,B=f, C = 1,D=x,E,=true"}, {}, {("A", True), ("B", False), ("C", True)}),
        ({"feature-gates": "A=false"}, {"featureGates": {"A": True, "B": True}}, {("A", False), ("B", True)}),
        ({}, {"featureGates": {"A": "true", "B": 1}}, {("A", True)}),
        ({}, {"featureGates": ["A"]}, set()),
    ],
)
def test_feature_gates(
    flags: dict[str, str], config: dict[str, Any], expected: set[tuple[str, bool]]
) -> None:
    assert kubelet.gates(flags, config) == expected


@pytest.mark.parametrize(
    ("flags", "config", "expected"),
    [
        ({}, {}, {}),
        ({"reserved-memory": "0:memory=1Gi,hugepages-1Gi=1Gi;1:memory=1.5M"}, {}, {0: 1 << 30, 1: 1500000}),
        (
            {},
            {
                "reservedMemory": [
                    {"limits": {"memory": 5}},
                    {"numaNode": 0, "limits": {"memory": "1k"}},
                    {"numaNode": 1, "limits": {"hugepages-2Mi": "2Mi"}},
                    {"numaNode": 2},
                ]
            },
            {0: 1005},
        ),
    ],
)
def test_reserved_memory(flags: dict[str, str], config: dict[str, Any], expected: dict[int, int]) -> None:
    assert kubelet.reserved_memory(flags, config) == expected


@pytest.mark.parametrize("text", ["a:memory=1", "0:memory=x"])
def test_what_is_no_reserved_memory(text: str) -> None:
    with pytest.raises(DecodeError):
        kubelet.reserved_memory({"reserved-memory": text}, {})
