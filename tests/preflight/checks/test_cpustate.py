"""PF-105, PF-138 and PF-139: cpu_manager_state, and who has CPUs of their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node, Pod
from hashcompat.core.records.probes import NUMA as NODES
from hashcompat.sources.objects import read_object
from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, numbers, upgrade
from tests.helpers.golden import state_file
from tests.helpers.pods import mirror_pod
from tests.helpers.pods import pod as pod_json

STATE: Key = ("file", "/var/lib/kubelet/cpu_manager_state")
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")
ARGUMENTS: Key = ("arguments", "kubelet")
ONLINE: Key = ("file", "/sys/devices/system/cpu/online")
DOCKER: Key = ("docker", "list")
CRI: Key = ("cri", "containers")
STATIC = "cpuManagerPolicy: static\n"
OK = ("OK", "nothing found: state of the CPU manager")
OTHER_POLICY = (
    'the configured policy "static" differs from "none" in the file: kubelet {} does not start with it'
)
OTHER_FORM = (
    "a kubelet of {} wrote it, in a form that this one does not read: kubelet {} does not start with it"
)
UID = "6f1a2b3c-0000-4000-8000-000000000001"
ID, ID2 = "3f" * 32, "a1" * 32
BOTH = f'[{{"Id": "{ID}"}}, {{"Id": "{ID2}"}}]'


def check(to: str, changes: dict[Key, object]) -> list[tuple[str, str]]:
    return [(state, text) for state, _, text in found("PF-105", dump(changes), upgrade(to))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("to", "sample", "status", "text"),
    [
        ("1.12.10", "1.15.12/cpu-none", "OK", OK[1]),
        ("1.17.17", "1.15.12/cpu-none", "OK", OK[1]),
        ("1.18.0", "1.15.12/cpu-none", "OK", OK[1]),
        ("1.36.3", "1.15.12/cpu-none", "OK", OK[1]),
        (
            "1.37.0",
            "1.15.12/cpu-none",
            "ERROR",
            OTHER_FORM.format("1.12 - 1.17", "1.37.0"),
        ),
        ("1.18.0", "1.18.19/cpu-none", "OK", OK[1]),
        (
            "1.17.17",
            "1.18.19/cpu-none",
            "ERROR",
            OTHER_FORM.format("1.18 and later", "1.17.17"),
        ),
        ("1.11.10", "1.18.19/cpu-none", "OK", OK[1]),
        ("1.35.2", "1.37.1/cpu-none", "OK", OK[1]),
        ("1.37.1", "1.37.1/cpu-none", "OK", OK[1]),
        (
            "1.18.19",
            "1.18.19/cpu-nil",
            "ERROR",
            "its checksum does not hold: kubelet 1.18.19 does not start with it",
        ),
    ],
)
def test_pf105_forms_of_releases(to: str, sample: str, status: str, text: str) -> None:
    assert check(to, {STATE: state_file(sample)}) == [(status, text)]


def test_pf105_a_third_form_is_read_by_1_36_alone_and_with_its_gate() -> None:
    changes: dict[Key, object] = {STATE: state_file("1.36.3/cpu-pod-entries"), ONLINE: "0-6"}
    gated = STATIC + "featureGates: {PodLevelResourceManagers: true}\n"
    assert check("1.36.3", {**changes, CONFIG: gated}) == [OK]
    assert [state for state, _ in check("1.36.3", {**changes, CONFIG: STATIC})] == ["ERROR"]
    assert [state for state, _ in check("1.35.8", {**changes, CONFIG: STATIC})] == ["ERROR"]
    assert check("1.37.1", {**changes, CONFIG: STATIC}) == [OK]


@pytest.mark.parametrize(
    ("to", "state", "text"),
    [
        (
            "1.24.17",
            "ERROR",
            OTHER_POLICY.format("1.24.17"),
        ),
        (
            "1.10.13",
            "ERROR",
            OTHER_POLICY.format("1.10.13"),
        ),
        ("1.9.11", *OK),
        ("1.8.15", *OK),
    ],
)
def test_pf105_another_policy(to: str, state: str, text: str) -> None:
    assert check(to, {CONFIG: STATIC}) == [(state, text)]


def test_pf105_another_policy_where_a_file_is_only_replaced() -> None:
    changes: dict[Key, object] = {
        ARGUMENTS: "kubelet\n--cpu-manager-policy=static\n--feature-gates=CPUManager=true\n"
    }
    text = (
        'the configured policy "static" differs from "none" in the file: kubelet 1.9.11 starts an empty one'
    )
    assert check("1.9.11", changes) == [("WARN", text)]


def test_pf105_says_how_to_get_rid_of_the_file() -> None:
    (finding,) = findings("PF-105", dump({CONFIG: STATIC}), upgrade("1.24.17"))
    assert finding.object == "/var/lib/kubelet/cpu_manager_state"
    assert finding.advice == (
        "kubectl drain n1 --ignore-daemonsets --delete-emptydir-data; stop the kubelet; "
        "rm /var/lib/kubelet/cpu_manager_state"
    )


@pytest.mark.parametrize(
    ("lists", "status", "text"),
    [
        ({DOCKER: BOTH}, *OK),
        ({CRI: f'{{"containers": [{{"id": "{ID}"}}, {{"id": "{ID2}"}}]}}'}, *OK),
        (
            {DOCKER: f'[{{"Id": "{ID}"}}]', CRI: GONE},
            "ERROR",
            "it names container a1a1a1a1a1a1, which no longer exists: kubelet 1.18.19 does not start with it",
        ),
        (
            {DOCKER: failed("no answer"), CRI: "["},
            "UNKNOWN",
            "docker list: no answer; cri line 1 column 2: not valid JSON",
        ),
    ],
)
def test_pf105_containers_by_id_have_to_exist(lists: dict[Key, object], status: str, text: str) -> None:
    changes: dict[Key, object] = {
        STATE: state_file("1.15.12/cpu-ids"),
        CONFIG: STATIC,
        ONLINE: "0-15",
        **lists,
    }
    (found_one,) = check("1.18.19", changes)
    assert found_one[0] == status
    assert found_one[1].startswith(text)


def test_pf105_containers_by_id_are_not_looked_up_before_1_18() -> None:
    changes: dict[Key, object] = {
        STATE: state_file("1.15.12/cpu-ids"),
        CONFIG: STATIC,
        ONLINE: "0-15",
        DOCKER: "[]",
    }
    assert check("1.17.17", changes) == [OK]
    assert check("1.11.10", changes) == [OK]
    assert [state for state, _ in check("1.18.0", changes)] == ["ERROR", "ERROR"]


@pytest.mark.parametrize(
    ("to", "online", "config", "status", "text"),
    [
        ("1.18.0", "0-15", "", *OK),
        (
            "1.18.0",
            "0-7\n",
            "",
            "ERROR",
            "it has the CPUs 0-15 and the node has 0-7: kubelet 1.18.0 does not start with it",
        ),
        ("1.18.0", "x", "", "UNKNOWN", "not a set of CPUs"),
        ("1.18.0", failed(), "", "UNKNOWN", "/sys/devices/system/cpu/online: permission denied"),
        (
            "1.32.13",
            "0-16",
            "cpuManagerPolicyOptions: {strict-cpu-reservation: 'true'}\nreservedSystemCPUs: '16'",
            *OK,
        ),
        (
            "1.32.13",
            "0-16",
            "cpuManagerPolicyOptions: {strict-cpu-reservation: 'true'}",
            "UNKNOWN",
            "strict-cpu-reservation is set, and which CPUs are reserved is up to the kubelet",
        ),
    ],
    ids=numbers(),
)
def test_pf105_a_static_policy_needs_the_same_cpus(
    to: str, online: object, config: str, status: str, text: str
) -> None:
    changes: dict[Key, object] = {
        STATE: state_file("1.18.19/cpu-pods"),
        CONFIG: f"{STATIC}{config}\n",
        ONLINE: online,
    }
    assert check(to, changes) == [(status, text)]


def test_pf105_cpus_are_compared_from_1_12_on() -> None:
    ids: dict[Key, object] = {STATE: state_file("1.15.12/cpu-ids"), CONFIG: STATIC, ONLINE: "0-3"}
    assert check("1.11.10", ids) == [OK]
    assert [state for state, _ in check("1.12.10", ids)] == ["ERROR"]


@pytest.mark.parametrize(
    ("entries", "status", "text"),
    [
        ("", *OK),
        (
            f',"entries":{{"{UID}":{{"app":"1"}},"other":null}}',
            "ERROR",
            "it leaves no CPU to other containers: kubelet 1.24.17 does not start with it",
        ),
    ],
    ids=numbers(),
)
def test_pf105_a_file_without_default_cpus(entries: str, status: str, text: str) -> None:
    empty = f'{{"policyName":"static","defaultCpuSet":""{entries},"checksum":0}}'
    assert check("1.24.17", {STATE: empty, CONFIG: STATIC, ONLINE: "0-3"}) == [(status, text)]


@pytest.mark.parametrize(
    ("to", "text", "status", "says"),
    [
        ("1.24.17", GONE, *OK),
        ("1.24.17", failed(), "UNKNOWN", "/var/lib/kubelet/cpu_manager_state: permission denied"),
        ("1.24.17", "", *OK),
        ("1.24.17", "[]", *OK),
        ("1.11.10", "", *OK),
        ("1.12.0", "", *OK),
        ("1.8.15", failed(), *OK),
    ],
)
def test_pf105_files_that_are_missing_or_damaged(to: str, text: object, status: str, says: str) -> None:
    assert check(to, {STATE: text}) == [(status, says)]


WRITTEN = '{"policyName":"%s","defaultCpuSet":"%s","entries":{"' + UID + '":{"app":"%s"}},"checksum":0}'


@pytest.mark.parametrize(
    ("policy", "default", "own", "text"),
    [
        ("static", "0-2", "3", ""),
        ("static", "0-2", "2-3", "it gives the CPUs 2 to containers, and to all others too"),
        ("static", "a-b", "3", "a set of CPUs in it is none"),
        ("static", "0-2", "3-", "a set of CPUs in it is none"),
        ("none", "0-2", "2-3", ""),
        ("none", "a-b", "3", "a set of CPUs in it is none"),
    ],
)
def test_pf105_sets_of_cpus_that_overlap_or_are_none(policy: str, default: str, own: str, text: str) -> None:
    changes: dict[Key, object] = {
        STATE: WRITTEN % (policy, default, own),
        CONFIG: f"cpuManagerPolicy: {policy}\n",
        ONLINE: "0-3",
    }
    stops = f"{text}: kubelet 1.34.10 does not start with it"
    assert check("1.34.10", changes) == ([("ERROR", stops)] if text else [OK])


def test_pf105_leaves_a_set_of_reserved_cpus_that_is_none_to_pf126() -> None:
    config = f"{STATIC}reservedSystemCPUs: '2-'\n"
    strict = f"{config}cpuManagerPolicyOptions: {{strict-cpu-reservation: 'true'}}\n"
    changes: dict[Key, object] = {STATE: WRITTEN % ("static", "0-2", "3"), ONLINE: "0-3"}
    for text in (config, strict):
        assert check("1.34.10", changes | {CONFIG: text}) == [OK]
        given = dump(changes | {CONFIG: text})  # type: ignore[arg-type]
        assert [row[:2] for row in found("PF-126", given, upgrade("1.34.10"))] == [
            ("ERROR", "reservedSystemCPUs")
        ]


def test_pf105_is_about_the_root_directory_that_the_kubelet_is_given() -> None:
    changes: dict[Key, object] = {
        ARGUMENTS: "kubelet\n--root-dir=/data/kubelet/\n--cpu-manager-policy=static\n",
        ("file", "/data/kubelet/cpu_manager_state"): state_file("1.18.19/cpu-none"),
    }
    assert [each[:2] for each in found("PF-105", dump(changes), upgrade("1.24.17"))] == [  # type: ignore[arg-type]
        ("ERROR", "/data/kubelet/cpu_manager_state")
    ]


@pytest.mark.parametrize(
    ("config", "online", "text"),
    [
        ("reservedSystemCPUs: '0-1,6'", "0-15", ""),
        ("reservedSystemCPUs: '0-2,5'", "0-15", "the CPUs 2,5 are reserved, and it gives them to containers"),
        ("kubeReserved: {cpu: '0'}\nsystemReserved: {cpu: 500m}", "0-15", ""),
        (
            "kubeReserved: {cpu: '12'}\nsystemReserved: {cpu: 500m}",
            "0-15",
            "13 CPUs are reserved, and it leaves 12 to all but containers with their own",
        ),
        ("cpuManagerPolicyOptions: {strict-cpu-reservation: 'true'}\nreservedSystemCPUs: '16'", "0-16", ""),
        (
            "cpuManagerPolicyOptions: {strict-cpu-reservation: 'true'}\nreservedSystemCPUs: '15-16'",
            "0-16",
            "it has the CPUs 0-15 and the node has 0-14",
        ),
    ],
)
def test_pf105_what_is_reserved_has_to_be_free(config: str, online: str, text: str) -> None:
    changes: dict[Key, object] = {
        STATE: state_file("1.18.19/cpu-pods"),
        CONFIG: f"{STATIC}{config}\n",
        ONLINE: online,
    }
    stops = f"{text}: kubelet 1.32.13 does not start with it"
    assert check("1.32.13", changes) == ([("ERROR", stops)] if text else [OK])


AMD64 = Node("n1", "v1.35.8", architecture="amd64")
FIRST, SECOND = UID, "6f1a2b3c-0000-4000-8000-000000000002"
WHOLE = f"{STATIC}cpuManagerPolicyOptions: {{full-pcpus-only: 'true'}}\n"


def owners(check: str, to: str, config: str, *pods: Pod, **changes: object) -> list[tuple[str, str]]:
    """Return status and object of what a check finds about the containers with CPUs of their own."""
    given: dict[Key, object] = {STATE: state_file("1.18.19/cpu-pods"), CONFIG: config, ONLINE: "0-15"}
    given |= {("directory", NODES): "node0\nnode1\npossible\n"}
    given |= {("file", f"{NODES}/{name}/cpulist"): text for name, text in changes.items()}
    cluster = NodeObjects(AMD64, pods or None)
    return [(state, name) for state, name, _ in found(check, dump(given), upgrade(to), cluster)]  # type: ignore[arg-type]


def alone(name: str, cpus: int | str, **more: Any) -> dict[str, Any]:
    """Return a container that asks for CPUs of its own."""
    amounts = {"cpu": str(cpus), "memory": "1Gi"}
    return {"name": name, "image": "i", "resources": {"limits": amounts, "requests": amounts}, **more}


def read_pod(uid: str, containers: Sequence[dict[str, Any]] = (), **more: Any) -> Pod:
    more = {"metadata": {"uid": uid}, **more}
    (pod,) = read_object(pod_json(*containers, name=uid[-1], **more), "test")
    assert isinstance(pod, Pod)
    return pod


@pytest.mark.parametrize(
    ("to", "config", "expected"),
    [
        (  # one CPU or two, which may be a part of a core
            "1.36.3",
            f"{WHOLE}kubeReserved: {{cpu: '10'}}",
            [("UNKNOWN", f"{FIRST}/app"), ("UNKNOWN", f"{FIRST}/side car"), ("UNKNOWN", f"{SECOND}/app")],
        ),
        (
            "1.36.3",
            f"{WHOLE}kubeReserved: {{cpu: 10500m}}",
            [("ERROR", f"{FIRST}/app"), ("UNKNOWN", f"{FIRST}/side car"), ("UNKNOWN", f"{SECOND}/app")],
        ),
        (
            "1.36.3",
            f"{WHOLE}reservedSystemCPUs: '0-1,6-14'",
            [("ERROR", f"{FIRST}/app"), ("UNKNOWN", f"{FIRST}/side car"), ("UNKNOWN", f"{SECOND}/app")],
        ),
        (
            "1.36.3",
            f"{WHOLE}reservedSystemCPUs: '0-1,6-15'",  # it frees the CPUs of none that it refuses
            [("ERROR", f"{FIRST}/app"), ("ERROR", f"{FIRST}/side car"), ("ERROR", f"{SECOND}/app")],
        ),
        ("1.36.3", f"{STATIC}reservedSystemCPUs: '0-1,6-14'", [("OK", "")]),
        ("1.37.1", f"{WHOLE}reservedSystemCPUs: '0-1,6-14'", [("OK", "")]),
        (
            "1.26.15",
            f"{WHOLE}reservedSystemCPUs: '0-1,6-14'",
            [("UNKNOWN", f"{FIRST}/app"), ("UNKNOWN", f"{FIRST}/side car"), ("UNKNOWN", f"{SECOND}/app")],
        ),
        (
            "1.22.17",
            f"featureGates: {{CPUManagerPolicyOptions: true}}\n{WHOLE}reservedSystemCPUs: '0'",
            [("UNKNOWN", f"{FIRST}/app"), ("UNKNOWN", f"{FIRST}/side car"), ("UNKNOWN", f"{SECOND}/app")],
        ),
        ("1.21.14", f"{WHOLE}reservedSystemCPUs: '0-1,6-14'", [("OK", "")]),
        ("1.36.3", "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}", [("OK", "")]),
    ],
)
def test_pf138_whole_cores_are_asked_for_again(to: str, config: str, expected: list[tuple[str, str]]) -> None:
    assert owners("PF-138", to, config) == expected


@pytest.mark.parametrize(("cpus", "state"), [("4-7", "OK"), ("5-7", "UNKNOWN"), ("7", "UNKNOWN")])
def test_pf138_what_is_no_number_of_cores_may_be_refused_where_the_option_is_new(
    cpus: str, state: str
) -> None:
    """enforceSMTAlignment divides before anything else (1.36.3); older dumps show no cores."""
    changes: dict[Key, Any] = {
        STATE: WRITTEN % ("static", {"4-7": "0-3,8-11", "5-7": "0-4,8-11", "7": "0-6"}[cpus], cpus),
        CONFIG: f"{WHOLE}reservedSystemCPUs: '0'\n",
        ONLINE: "0-11",
    }
    ((got, _, text),) = found("PF-138", dump(changes), upgrade("1.36.3"), NodeObjects(AMD64))
    assert (got, "where a core has two threads" in text) == (state, state == "UNKNOWN")
    ((got, _, text),) = found("PF-138", dump(changes), upgrade("1.36.3"))
    assert got == "UNKNOWN"
    assert "where a core has two threads" in text or "where a core has eight threads" in text


def test_pf138_names_pods_and_leaves_out_those_that_are_gone_or_done() -> None:
    config = f"{WHOLE}kubeReserved: {{cpu: 10500m}}"
    first = read_pod(FIRST, containers=[alone("app", 3), alone("side car", 1)])
    second = read_pod(SECOND, containers=[alone("app", 1)], status={"phase": "Succeeded"})
    assert owners("PF-138", "1.36.3", config, first, second) == [
        ("ERROR", "ns/1/app"),
        ("UNKNOWN", 'ns/1/"side\\x20car"'),
    ]
    flag = dump(
        {
            ARGUMENTS: "kubelet\n--cpu-manager-policy=static\n--kube-reserved=cpu=11\n"
            "--cpu-manager-policy-options=full-pcpus-only=true\n",
            STATE: state_file("1.18.19/cpu-pods"),
        }
    )
    assert ("ERROR", f"{FIRST}/app") in [row[:2] for row in found("PF-138", flag, upgrade("1.31.14"))]


@pytest.mark.parametrize(
    ("policy", "cpus", "expected"),
    [
        ("single-numa-node", ("0-3", "4-15"), [("OK", "")]),
        ("single-numa-node", ("0-2,4", "3,5-15"), [("ERROR", f"{FIRST}/app")]),
        ("restricted", ("0-2,4", "3,5-15"), [("ERROR", f"{FIRST}/app")]),
        ("restricted\ntopologyManagerScope: pod", ("0-3", "4-15"), [("ERROR", f"{FIRST}/app")]),
        ("restricted\ntopologyManagerScope: pod", ("0-4", "5-15"), [("OK", "")]),
        ("best-effort", ("0-2,4", "3,5-15"), [("OK", "")]),
        (
            "restricted\ncpuManagerPolicyOptions: {align-by-socket: 'true'}",
            ("0-2,4", "3,5-15"),
            [("UNKNOWN", f"{FIRST}/app")],
        ),
        (
            "single-numa-node\ncpuManagerPolicyOptions: {align-by-socket: 'true'}",
            ("0-2,4", "3,5-15"),
            [("OK", "")],
        ),
        ("single-numa-node", ("0-2,4", ""), [("UNKNOWN", "")]),
    ],
)
def test_pf139_cpus_on_too_many_numa_nodes(
    policy: str, cpus: tuple[str, str], expected: list[tuple[str, str]]
) -> None:
    config = f"{STATIC}topologyManagerPolicy: {policy}\n"
    changes: dict[str, object] = {"node0": cpus[0], "node1": cpus[1] or failed("no")}
    assert owners("PF-139", "1.36.3", config, **changes) == expected


def test_pf139_what_needs_two_nodes_may_have_two() -> None:
    config = f"{STATIC}topologyManagerPolicy: restricted\n"
    small: dict[str, object] = {"node0": "2", "node1": "3"}
    assert owners("PF-139", "1.36.3", config, **small) == [("OK", "")]
    single = f"{STATIC}topologyManagerPolicy: single-numa-node\n"
    assert owners("PF-139", "1.36.3", single, **small) == [("ERROR", f"{FIRST}/app")]


def test_pf139_what_is_no_set_of_cpus_is_unknown() -> None:
    config = f"{STATIC}topologyManagerPolicy: single-numa-node\n"
    assert owners("PF-139", "1.36.3", config, node0="all", node1="3") == [("UNKNOWN", "")]
    entries = (
        f'{{"policyName":"static","defaultCpuSet":"0","entries":{{"{UID}":{{"app":"x"}}}},"checksum":0}}'
    )
    given: dict[Key, object] = {STATE: entries, CONFIG: config, ONLINE: "0-15"}
    given[("directory", NODES)] = "node0\nnode1\n"
    (row,) = found("PF-139", dump(given), upgrade("1.36.3"))  # type: ignore[arg-type]
    assert row[0] == "UNKNOWN"


@pytest.mark.parametrize(
    ("reserved", "given", "state"),
    [
        ("2", "0", "ERROR"),
        ("500m", "0", "ERROR"),
        ("1", "7", "OK"),
        ("0", "0", "OK"),
        ("2", "7", "UNKNOWN"),  # CPU 0 and its sibling, if its core has one
        ("2", "", "OK"),  # nothing is given to containers
    ],
)
def test_pf105_a_number_of_reserved_cpus_begins_with_the_first(reserved: str, given: str, state: str) -> None:
    default = {"0": "1-7", "7": "0-6", "": "0-7"}[given]
    config = STATIC + f"kubeReserved: {{cpu: '{reserved}'}}\n"
    changes: dict[Key, object] = {
        STATE: WRITTEN % ("static", default, given),
        CONFIG: config,
        ONLINE: "0-7",
    }
    ((status, text),) = check("1.36.3", changes)
    assert status == state
    assert ("CPU 0 is the first one that is reserved" in text) is (state == "ERROR")


@pytest.mark.parametrize(
    ("reserved", "online", "error"),
    [("9", "0-7", True), ("8", "0-7", False), ("9", failed(), False), ("many", "0-7", False)],
)
def test_pf105_more_cpus_than_there_are_cannot_be_reserved(
    reserved: str, online: object, error: bool
) -> None:
    config = STATIC + f"kubeReserved: {{cpu: '{reserved}'}}\n"
    text = "9 CPUs are reserved, and the node has 8: kubelet 1.36.3 does not start with the policy static"
    rows = check("1.36.3", {STATE: GONE, CONFIG: config, ONLINE: online})
    assert rows == ([("ERROR", text)] if error else [OK])
    assert check("1.36.3", {STATE: GONE, CONFIG: config.replace("static", "none"), ONLINE: online}) == [OK]


@pytest.mark.parametrize(("allocatable", "state"), [("6", "OK"), ("7", "UNKNOWN"), (None, "UNKNOWN")])
def test_pf105_the_node_object_shows_whether_as_many_cpus_were_reserved(
    allocatable: str | None, state: str
) -> None:
    amounts = allocatable and {"cpu": allocatable}
    host = Node("n1", "v1.35.8", allocatable=amounts or None, capacity={"cpu": "8"})
    changes: Any = {
        STATE: WRITTEN % ("static", "0-6", "7"),
        CONFIG: STATIC + "kubeReserved: {cpu: '2'}\n",
        ONLINE: "0-7",
    }
    ((got, _, _),) = found("PF-105", dump(changes), upgrade("1.36.3"), NodeObjects(host))
    assert got == state


def test_pf138_what_other_pods_may_take_first_is_not_known_to_be_free() -> None:
    first, second = (read_pod(uid, containers=[alone("app", 4)]) for uid in (FIRST, SECOND))
    changes: dict[Key, Any] = {
        STATE: '{"policyName":"static","defaultCpuSet":"0-7","entries":{},"checksum":0}',
        CONFIG: f"{STATIC}reservedSystemCPUs: '0'\n",
        ONLINE: "0-7",
    }
    alike = found("PF-138", dump(changes), upgrade("1.36.3"), NodeObjects(pods=(first, second)))
    assert [(status, name) for status, name, _ in alike] == [
        ("UNKNOWN", "ns/1/app"),
        ("UNKNOWN", "ns/2/app"),
    ]
    assert found("PF-138", dump(changes), upgrade("1.36.3"), NodeObjects(pods=(first,)))[0][0] == "OK"


def test_pf138_without_the_current_release_a_status_may_show_nothing_as_allocated() -> None:
    """From 1.33 to 1.34 a kubelet goes by that, and one before 1.33 reported nothing."""
    config = f"{WHOLE}kubeReserved: {{cpu: 10500m}}"
    given: dict[Key, Any] = {STATE: state_file("1.18.19/cpu-pods"), CONFIG: config, ONLINE: "0-15"}
    cluster = NodeObjects(pods=(read_pod(FIRST, containers=[alone("app", 3)]),))
    for current, to, expected in (
        ("", "1.34.12", ["UNKNOWN"]),
        ("1.33.13", "1.34.12", ["ERROR"]),
        ("1.32.13", "1.34.12", ["OK"]),
        ("", "1.36.5", ["ERROR"]),
    ):
        found_ = found("PF-138", dump(given), upgrade(to, current), cluster)
        assert [row[0] for row in found_] == expected


PINNED = json.dumps(
    {
        "policyName": "Static",
        "entries": {
            FIRST: {"app": [{"numaAffinity": [0, 1], "type": "memory", "size": 1 << 30}]},
            "third": {"c": [{"numaAffinity": [1], "type": "memory", "size": 1 << 30}]},
        },
    }
)


@pytest.mark.parametrize(
    ("policy", "pods", "expected"),
    [
        ("single-numa-node", [], [("ERROR", f"{FIRST}/app")]),
        ("restricted", [], [("ERROR", f"{FIRST}/app")]),  # its CPUs are on the first node alone
        ("none", [], [("OK", "")]),
        ("single-numa-node", [read_pod(FIRST, [alone("app", 3)])], [("ERROR", "ns/1/app")]),
        ("single-numa-node", [read_pod(FIRST, [alone("app", "500m")])], [("ERROR", "ns/1/app")]),
        ("none", [read_pod(SECOND, [alone("app", "500m")])], [("OK", "")]),
    ],
)
def test_pf139_memory_has_to_be_there_too(
    policy: str, pods: list[Pod], expected: list[tuple[str, str]]
) -> None:
    given: dict[Key, object] = {
        STATE: WRITTEN % ("static", "0-3,7-15", "4-6") if not pods else GONE,
        ("file", "/var/lib/kubelet/memory_manager_state"): PINNED,
        CONFIG: f"{'' if pods else STATIC}topologyManagerPolicy: {policy}\nmemoryManagerPolicy: Static\n",
        ONLINE: "0-15",
        ("directory", NODES): "node0\nnode1\n",
        ("file", f"{NODES}/node0/cpulist"): "0-7",
        ("file", f"{NODES}/node1/cpulist"): "8-15",
    }
    cluster = NodeObjects(AMD64, tuple(pods) or None)
    rows = found("PF-139", dump(given), upgrade("1.36.3"), cluster)  # type: ignore[arg-type]
    assert [(state, name) for state, name, _ in rows] == expected


@pytest.mark.parametrize(("first", "expected"), [(1, [1]), (2, [1, 2]), (3, [2])])
def test_pf138_only_older_pods_take_cpus_first(first: int, expected: list[int]) -> None:
    """A kubelet that starts admits pods in the order of their creation."""
    pods = [
        read_pod(
            f"{place}",
            containers=[alone("c", 4)],
            metadata={"uid": f"{place}", "creationTimestamp": f"2026-01-0{time}T00:00:00Z"},
        )
        for place, time in ((1, 2), (2, first))
    ]
    given: dict[Key, object] = {STATE: GONE, CONFIG: f"{STATIC}reservedSystemCPUs: '0'\n", ONLINE: "0-7"}
    cluster = NodeObjects(AMD64, tuple(pods))
    those = found("PF-138", dump(given), upgrade("1.34.12"), cluster)  # type: ignore[arg-type]
    assert [row[:2] for row in those] == [("UNKNOWN", f"ns/{place}/c") for place in expected]


@pytest.mark.parametrize(("current", "expected"), [("1.35.8", "ERROR"), ("1.36.2", "OK"), ("", "OK")])
def test_pf138_a_static_pod_with_another_uid_has_no_cpus_yet(current: str, expected: str) -> None:
    (static,) = read_object(mirror_pod(alone("app", 4)), "test")
    assert isinstance(static, Pod)
    given: dict[Key, Any] = {
        STATE: (WRITTEN % ("static", "0,5-7", "1-4")).replace(UID, "uid-p-n1"),
        CONFIG: f"{STATIC}reservedSystemCPUs: '0'\n",
        ONLINE: "0-7",
    }
    those = found("PF-138", dump(given), upgrade("1.36.3", current), NodeObjects(AMD64, (static,)))
    assert [row[0] for row in those] == [expected]
