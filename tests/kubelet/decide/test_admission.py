"""Pods that a starting kubelet does not admit again, each with the nearest pod that it admits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run, unplaced
from tests.helpers.upgrades import decided, hash_of, planned, record, recorded

C: Json = {"name": "c", "image": "i"}
SIDECAR: Json = {"name": "s", "image": "i", "restartPolicy": "Always"}
Expected = tuple[str, list[str]]
KEEP: Expected = ("KEEP", [])


def host(release: str = "1.32.13", **more: Any) -> Json:
    """Return a node with labels, taints, features and a runtime."""
    made = node(f"v{release}")
    made["metadata"]["labels"] = more.get("labels", {"disk": "ssd", "cores": "8"})
    made["spec"] = {"taints": more.get("taints", [])}
    made["status"]["features"] = more.get("features", {})
    made["status"]["nodeInfo"]["containerRuntimeVersion"] = more.get("runtime", "")
    return made


def refused(rule: str) -> Expected:
    return "KILL", [rule]


def affinity(*terms: Json) -> Json:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": required}}


def expression(operator: str, *values: str, key: str = "disk") -> Json:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


NAMED = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
OTHER = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}


@pytest.mark.parametrize(
    ("spec", "admitted"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, True),
        ({"nodeSelector": {"disk": "hdd"}}, False),
        ({"nodeSelector": {"disk": "ssd", "zone": "a"}}, False),
        ({"nodeSelector": {}}, True),
        (affinity(expression("In", "hdd", "ssd")), True),
        (affinity(expression("In", "hdd")), False),
        (affinity(expression("In", "hdd"), expression("Exists")), True),
        (affinity(expression("NotIn", "hdd")), True),
        (affinity(expression("NotIn", "ssd")), False),
        (affinity(expression("NotIn", "a", key="zone")), True),
        (affinity(expression("Exists", key="zone")), False),
        (affinity(expression("DoesNotExist", key="zone")), True),
        (affinity(expression("DoesNotExist")), False),
        (affinity(expression("Gt", "7", key="cores")), True),
        (affinity(expression("Gt", "8", key="cores")), False),
        (affinity(expression("Lt", "9", key="cores")), True),
        (affinity(expression("Lt", "8", key="cores")), False),
        (affinity(expression("Gt", "1")), False),
        (affinity(NAMED), True),
        (affinity(OTHER), False),
        (affinity(OTHER, NAMED), True),
        (affinity({**NAMED, **expression("In", "hdd")}), False),
        (affinity({}), False),
        (affinity(), False),
        ({"nodeSelector": {"disk": "hdd"}, **affinity(NAMED)}, False),
        ({"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}}, True),
    ],
)
def test_hc033_the_nodes_labels_are_not_those_that_the_pod_asks_for(
    run: Run, spec: Json, *, admitted: bool
) -> None:
    expected = KEEP if admitted else refused("HC033")
    assert decided(run, "auto", "1.33.13", pod(C, spec=spec), host()) == expected
    assert decided(run, "1.32.13", "1.32.13", pod(C, spec=spec), host()) == expected
    static = decided(run, "1.32.12", "1.32.13", mirror_pod(C, spec=spec), host())
    assert static == expected


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (affinity(OTHER), "its required node affinity does not match its node's labels"),
        (
            {"nodeSelector": {"e": "5", "d": "4", "c": "3", "b": "2", "disk": "ssd"}},
            "its nodeSelector asks for b=2, c=3, d=4, 1 more, which its node's labels do not have",
        ),
    ],
)
def test_hc033_names_what_the_node_lacks(run: Run, spec: Json, text: str) -> None:
    item = planned(run, "1.32.13", "1.33.13", pod(C, spec=spec), host())["c"]
    assert item["reasons"][0]["text"] == f"not admitted again: {text}"


@pytest.mark.parametrize(
    ("release", "spec", "expected"),
    [
        ("1.11.0", affinity(NAMED), KEEP),
        ("1.10.13", affinity(NAMED), refused("HC033")),
        ("1.10.13", affinity(expression("Exists")), KEEP),
        ("1.5.8", affinity(expression("In", "hdd")), KEEP),
        ("1.5.8", {"nodeSelector": {"disk": "hdd"}}, refused("HC033")),
    ],
)
def test_hc033_by_what_a_release_looks_at(run: Run, release: str, spec: Json, expected: Expected) -> None:
    assert decided(run, release, release, pod(C, spec=spec), host(release)) == expected


def test_hc033_without_labels_nothing_is_decided(run: Run) -> None:
    given = pod(C, spec={"nodeSelector": {"disk": "hdd"}})
    assert decided(run, "1.32.13", "1.33.13", given) == KEEP
    assert decided(run, "1.32.13", "1.33.13", given, node("v1.32.13")) == KEEP


def test_hc033_what_does_not_run_is_left_alone(run: Run, tmp_path: Path) -> None:
    done = pod(C, spec={"nodeSelector": {"disk": "hdd"}}, status={"phase": "Succeeded"})
    assert decided(run, "1.32.13", "1.33.13", done, host()) == ("KEEP", ["HC002"])
    given = pod(C, spec={"nodeSelector": {"disk": "hdd"}})
    told = recorded(tmp_path, record(hash_of(run, "1.33.13", C)))
    assert decided(run, "1.32.13", "1.33.13", given, host(), more=told) == refused("HC033")


OS = "kubernetes.io/os"


def system(name: str, *, label: str | None = None) -> Json:
    """Return a node with an operating system, and perhaps another one by its label."""
    made = host(labels={} if label is None else {OS: label})
    made["status"]["nodeInfo"]["operatingSystem"] = name
    return made


@pytest.mark.parametrize(("new", "looks"), [("1.22.17", False), ("1.23.0", True), ("1.37.1", True)])
@pytest.mark.parametrize(
    "other", [{"metadata": {"labels": {OS: "windows"}}}, {"spec": {"os": {"name": "windows"}}}]
)
def test_hc052_another_operating_system(run: Run, new: str, other: Json, *, looks: bool) -> None:
    """pkg/kubelet/lifecycle/predicate.go: 1.22.17 has no such check, 1.23.0 - 1.37.1 have both."""
    expected = refused("HC052") if looks else KEEP
    given = pod(C, **other)
    told = ("--override-node-releases",)
    for machine, verdict in (
        (host(labels={OS: "linux"}), expected),
        (system("linux"), expected),
        (system("linux", label="windows"), expected),  # the kubelet mends the label
        (system("windows"), KEEP),
        (host(labels={OS: "windows"}), KEEP),
        (host(), KEEP),  # not known
    ):
        assert decided(run, new, new, given, machine, more=told) == verdict
    assert decided(run, new, new, given) == KEEP


@pytest.mark.parametrize(
    ("new", "missing", "wrong"),
    [
        ("1.22.17", refused("HC033"), KEEP),
        ("1.23.0", ("UNKNOWN", ["HC033"]), ("UNKNOWN", ["HC033"])),
        ("1.28.15", ("UNKNOWN", ["HC033"]), ("UNKNOWN", ["HC033"])),
        ("1.29.0", KEEP, refused("HC033")),
        ("1.37.1", KEEP, refused("HC033")),
    ],
)
def test_hc033_the_label_of_the_operating_system_is_mended(
    run: Run, new: str, missing: Expected, wrong: Expected
) -> None:
    """pkg/kubelet/lifecycle/predicate.go ``rejectPodAdmissionBasedOnOSSelector``, 1.28.15 and 1.29.0."""
    given = pod(C, spec={"nodeSelector": {OS: "linux"}})
    told = ("--override-node-releases",)
    without, other = system("linux"), system("linux", label="windows")
    without["metadata"]["labels"] = {"disk": "ssd"}
    for machine in (without, other):
        assert decided(run, new, new, given, machine, more=told) == missing
    assert decided(run, new, new, given, system("windows", label="linux"), more=told) == wrong
    arm = pod(C, spec={"nodeSelector": {OS: "linux", "disk": "hdd"}})
    assert decided(run, new, new, arm, without, more=told) == refused("HC033")


def test_hc052_static_pods_as_well_and_any_value_of_the_label(run: Run) -> None:
    static = mirror_pod(C)
    static["metadata"]["labels"] = {OS: ""}
    assert decided(run, "1.32.13", "1.32.13", static, system("linux")) == refused("HC052")
    static["metadata"]["labels"] = {OS: "linux", "beta.kubernetes.io/os": "windows"}
    assert decided(run, "1.32.13", "1.32.13", static, system("linux")) == KEEP


def test_hc052_survives_a_snapshot(run: Run) -> None:
    for value, told in (("windows", "windows"), ("secret", "***")):
        given = pod(C, metadata={"labels": {OS: value, "app": "web"}})
        for machine in (system("linux"), system("linux", label="other")):
            kept = run("snapshot", "-f", "-", stdin=as_json(given, machine)).out
            assert "web" not in kept
            assert "secret" not in kept
            way = ("plan", "--from", "1.33.5", "--to", "1.33.13", "--override-node-releases")
            (item,) = run(*way, "-f", "-", "-o", "json", stdin=kept.encode()).items
            assert [reason["id"] for reason in item["reasons"]] == ["HC052"]
            assert f"is {told}, and" in item["reasons"][0]["text"]


def test_hc052_replicas_share_it_unless_their_labels_differ(run: Run, tmp_path: Path) -> None:
    pods = [pod(C, name=f"p{number}", metadata={"labels": {OS: "linux"}}) for number in range(6)]
    pods[3]["metadata"]["labels"][OS] = "windows"
    (tmp_path / "pods.json").write_bytes(as_json(system("linux"), *pods))
    way = ("plan", "--from", "1.33.5", "--to", "1.33.13", "--override-node-releases")
    items = run(*way, "-f", tmp_path / "pods.json", "-o", "json").items
    assert [item["pod"] for item in items if item["verdict"] == "KILL"] == ["p3"]


GONE: Json = {"key": "maintenance", "value": "yes", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("tolerations", "admitted"),
    [
        ([], False),
        ([{"operator": "Exists"}], True),
        ([{"key": "maintenance", "operator": "Exists"}], True),
        ([{"key": "maintenance", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}], True),
        ([{"key": "maintenance", "operator": "Exists", "effect": "NoSchedule"}], False),
        ([{"key": "maintenance", "value": "yes"}], True),
        ([{"key": "maintenance", "operator": "Equal", "value": "no"}], False),
        ([{"key": "maintenance"}], False),
        ([{"key": "maintenance", "operator": "Gt", "value": "yes"}], False),
        ([{"key": "other", "operator": "Exists"}], False),
    ],
)
def test_hc034_a_taint_that_is_not_tolerated(run: Run, tolerations: list[Json], *, admitted: bool) -> None:
    given = pod(C, spec={"tolerations": tolerations})
    expected = KEEP if admitted else refused("HC034")
    assert decided(run, "1.32.13", "1.33.13", given, host(taints=[GONE])) == expected


NUMBERED: Json = {"key": "sla", "value": "900", "effect": "NoExecute"}
COMPARES = "TaintTolerationComparisonOperators"
BY_GATE: Expected = ("UNKNOWN", ["HC034"])


@pytest.mark.parametrize(
    ("new", "gate", "toleration", "expected"),
    [
        ("1.36.3", "true", {"operator": "Gt", "value": "899"}, KEEP),
        ("1.36.3", "true", {"operator": "Gt", "value": "900"}, refused("HC034")),
        ("1.36.3", "true", {"operator": "Lt", "value": "901", "effect": "NoExecute"}, KEEP),
        ("1.36.3", "true", {"operator": "Lt", "value": "901", "effect": "NoSchedule"}, refused("HC034")),
        ("1.36.3", "true", {"operator": "Lt", "value": "901", "key": "other"}, refused("HC034")),
        ("1.36.3", "true", {"operator": "Lt", "value": "901", "key": ""}, KEEP),
        ("1.36.3", "true", {"operator": "Lt", "value": "+901"}, refused("HC034")),
        ("1.36.3", "true", {"operator": "Lt", "value": "0901"}, refused("HC034")),
        ("1.36.3", "true", {"operator": "Lt", "value": "9300000000000000000"}, refused("HC034")),
        ("1.36.3", "true", {"operator": "Gt", "value": "-9000000000000000000"}, KEEP),
        ("1.36.3", "", {"operator": "Gt", "value": "899"}, BY_GATE),
        ("1.36.3", "", {"operator": "Gt", "value": "901"}, refused("HC034")),
        ("1.36.3", "false", {"operator": "Gt", "value": "899"}, refused("HC034")),
        ("1.34.10", "", {"operator": "Gt", "value": "899"}, refused("HC034")),
    ],
)
def test_hc034_operators_that_compare_numbers(
    run: Run, new: str, gate: str, toleration: Json, expected: Expected
) -> None:
    given = pod(C, spec={"tolerations": [{"key": "sla", **toleration}]})
    more = ("--feature-gates", f"{COMPARES}={gate}") if gate else ()
    assert decided(run, "1.35.8", new, given, host("1.35.8", taints=[NUMBERED]), more=more) == expected


@pytest.mark.parametrize(
    ("old", "new", "given", "taint", "expected"),
    [
        ("1.23.16", "1.23.17", pod(C), GONE, KEEP),
        ("1.23.17", "1.24.0", pod(C), GONE, refused("HC034")),
        ("1.32.12", "1.32.13", mirror_pod(C), GONE, KEEP),
        ("1.32.12", "1.32.13", pod(C), {**GONE, "effect": "NoSchedule"}, KEEP),
    ],
)
def test_hc034_by_release_and_kind(
    run: Run, old: str, new: str, given: Json, taint: Json, expected: Expected
) -> None:
    assert decided(run, old, new, given, host(old, taints=[taint])) == expected


@pytest.mark.parametrize(
    ("old", "new", "more", "expected"),
    [
        ("1.29.15", "1.28.15", (), refused("HC035")),
        ("1.27.16", "1.28.0", (), refused("HC035")),
        ("1.29.15", "1.28.15", ("--feature-gates", "SidecarContainers=true"), KEEP),
        ("1.28.1", "1.28.15", (), KEEP),
        ("1.28.1", "1.28.15", ("--feature-gates", "SidecarContainers=false"), refused("HC035")),
        ("1.28.15", "1.29.15", (), KEEP),
        ("1.29.15", "1.27.16", (), KEEP),
    ],
)
def test_hc035_sidecars_into_1_28(
    run: Run, old: str, new: str, more: tuple[str, ...], expected: Expected
) -> None:
    given = pod(C, spec={"initContainers": [SIDECAR]})
    assert decided(run, old, new, given, more=more) == expected
    assert decided(run, old, new, pod(C, spec={"initContainers": [{"name": "i"}]}), more=more) == KEEP


STRICT: Json = {"securityContext": {"supplementalGroupsPolicy": "Strict"}}


@pytest.mark.parametrize(
    ("old", "new", "spec", "more", "expected"),
    [
        ("1.32.13", "1.33.13", STRICT, {"features": {"supplementalGroupsPolicy": True}}, KEEP),
        ("1.32.13", "1.33.13", STRICT, {"features": {"supplementalGroupsPolicy": False}}, refused("HC036")),
        ("1.32.13", "1.33.13", STRICT, {}, ("UNKNOWN", ["HC036"])),
        ("1.32.13", "1.33.13", STRICT, {"runtime": "containerd://1.7.27"}, refused("HC036")),
        ("1.33.13", "1.34.13", STRICT, {}, refused("HC036")),
        ("1.31.14", "1.32.13", STRICT, {}, KEEP),
        ("1.33.13", "1.34.13", {"securityContext": {"supplementalGroupsPolicy": "Merge"}}, {}, KEEP),
    ],
)
def test_hc036_a_policy_that_the_node_does_not_support(
    run: Run, old: str, new: str, spec: Json, more: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(C, spec=spec), host(old, **more)) == expected


@pytest.mark.parametrize(
    ("old", "new", "name", "expected"),
    [
        ("1.18.20", "1.17.17", "net.ipv4.ping_group_range", refused("HC037")),
        ("1.22.0", "1.21.14", "net.ipv4.ip_unprivileged_port_start", refused("HC037")),
        ("1.27.16", "1.26.15", "net.ipv4.ip_local_reserved_ports", refused("HC037")),
        ("1.29.15", "1.28.15", "net.ipv4.tcp_keepalive_time", refused("HC037")),
        ("1.29.15", "1.28.15", "net/ipv4/tcp_fin_timeout", refused("HC037")),
        ("1.32.13", "1.31.14", "net.ipv4.tcp_rmem", refused("HC037")),
        ("1.32.13", "1.33.13", "net.ipv4.tcp_rmem", KEEP),
        ("1.32.13", "1.31.14", "net.ipv4.tcp_keepalive_time", KEEP),
        ("1.32.13", "1.31.14", "net.core.somaxconn", KEEP),
        ("1.23.17", "1.22.17", "net/ipv4/tcp_syncookies", refused("HC037")),
        ("1.24.17", "1.23.17", "net/ipv4/tcp_syncookies", KEEP),
        ("1.37.2", "1.36.5", "user.max_user_namespaces", refused("HC037")),
        ("1.37.2", "1.36.5", "kernel.domainname", refused("HC037")),
        ("1.37.1", "1.37.2", "user.max_user_namespaces", KEEP),
        ("1.37.1", "1.37.2", "kernel.domainname", KEEP),
        ("1.11.10", "1.10.13", "net.ipv4.ip_unprivileged_port_start", KEEP),
        ("1.10.13", "1.11.10", "net.ipv4.tcp_syncookies", KEEP),
        ("1.10.13", "1.11.10", "net.core.somaxconn", ("UNKNOWN", ["HC037"])),
        ("1.11.10", "1.12.10", "net.core.somaxconn", KEEP),
    ],
)
def test_hc037_a_sysctl_that_the_older_kubelet_does_not_hold_safe(
    run: Run, old: str, new: str, name: str, expected: Expected
) -> None:
    given = pod(C, spec={"securityContext": {"sysctls": [{"name": name, "value": "1"}]}})
    assert decided(run, old, new, given) == expected


@pytest.mark.parametrize(
    ("allowed", "names", "expected"),
    [
        ("", ("net.core.somaxconn",), refused("HC037")),
        ("net.core.somaxconn", ("net.core.somaxconn",), KEEP),
        ("kernel.msg*, net/core/somaxconn", ("kernel.msgmax", "net.core.somaxconn"), KEEP),
        ("kernel.msg*", ("kernel.msgmax", "net.core.somaxconn"), refused("HC037")),
        ("net.ipv4.tcp_rmem", ("net.ipv4.tcp_rmem",), KEEP),
        ("net.ipv4.tcp", ("net.ipv4.tcp_rmem",), refused("HC037")),
        ("", ("net.ipv4.tcp_keepalive_time",), KEEP),
    ],
)
def test_hc037_by_what_the_target_kubelet_allows(
    run: Run, allowed: str, names: tuple[str, ...], expected: Expected
) -> None:
    sysctls = [{"name": name, "value": "1"} for name in names]
    given = pod(C, spec={"securityContext": {"sysctls": sysctls}})
    more = ("--allowed-unsafe-sysctls", allowed)
    assert decided(run, "1.32.13", "1.31.14", given, more=more) == expected


@pytest.mark.parametrize(
    ("old", "new", "name", "kernel", "allowed", "expected"),
    [
        pytest.param(
            "1.29.3", "1.29.15", "tcp_keepalive_time", "3.10.0-1160.el7", "", False, id="old kernel"
        ),
        pytest.param("1.29.3", "1.29.15", "tcp_keepalive_time", "4.5", "", True, id="new enough"),
        pytest.param("1.29.3", "1.29.15", "tcp_fin_timeout", "4.5.7", "", False, id="4.6 for this one"),
        pytest.param("1.28.15", "1.28.15", "ip_local_reserved_ports", "3.10.0", "", False, id="1.28"),
        pytest.param("1.28.15", "1.28.15", "ip_local_reserved_ports", "3.16.0", "", True, id="1.28, 3.16"),
        pytest.param("1.32.13", "1.32.13", "tcp_rmem", "4.14.0", "", False, id="1.32"),
        pytest.param("1.32.13", "1.32.13", "tcp_rmem", "5.15.0", "", True, id="1.32, 5.15"),
        pytest.param("1.37.2", "1.37.2", "tcp_notsent_lowat", "4.5.0", "", False, id="1.37"),
        pytest.param("1.37.2", "1.37.2", "tcp_syncookies", "2.6.32", "", True, id="safe on any"),
        pytest.param("1.29.3", "1.28.15", "tcp_keepalive_time", "3.10.0", None, True, id="allowed before"),
        pytest.param("1.29.3", "1.28.15", "tcp_keepalive_time", "5.15.0", None, False, id="safe before"),
        pytest.param("1.29.3", "1.28.15", "tcp_keepalive_time", "unknown", None, False, id="no number"),
    ],
)
def test_hc037_some_sysctls_are_safe_from_a_kernel_on(
    run: Run, old: str, new: str, name: str, kernel: str, allowed: str | None, expected: bool
) -> None:
    given = pod(C, spec={"securityContext": {"sysctls": [{"name": f"net.ipv4.{name}", "value": "1"}]}})
    on = node(f"v{old}")
    on["status"]["nodeInfo"]["kernelVersion"] = kernel
    more = () if allowed is None else ("--allowed-unsafe-sysctls", allowed)
    arguments = ("plan", "--from", old, "--to", new, "-o", "json", *more, "-f", "-")
    snapshot = run("snapshot", "-f", "-", stdin=as_json(given, on)).out.encode()
    for source in (as_json(given, on), snapshot):
        (item,) = run(*arguments, stdin=source).items
        assert (item["verdict"] != "KILL") is expected
        assert [reason["id"] for reason in item["reasons"]].count("HC037") == (not expected)


@pytest.mark.parametrize(
    ("name", "allowed", "assumed"),
    [
        ("net.ipv4.tcp_keepalive_time", "", True),
        ("net.ipv4.tcp_keepalive_time", "net.ipv4.*", False),
        ("net.ipv4.tcp_syncookies", "", False),
    ],
)
def test_hc037_a_kernel_that_is_not_shown_is_taken_to_be_new_enough(
    run: Run, name: str, allowed: str, assumed: bool
) -> None:
    said = "the kernels are new enough for the sysctls that 1.29.15 holds safe: ns/p/c"
    given = pod(C, spec={"securityContext": {"sysctls": [{"name": name, "value": "1"}]}})
    arguments = ("plan", "--from", "1.29.3", "--to", "1.29.15", "-f", "-", "-o", "json")
    for objects in (as_json(given), as_json(given, node("v1.29.3"))):
        result = run(*arguments, "--allowed-unsafe-sysctls", allowed, stdin=objects)
        assert (said in result.document["spec"]["assumptions"]) is assumed
        assert said not in run(*arguments, stdin=objects).document["spec"]["assumptions"]


def test_hc037_prints_what_it_assumes(run: Run) -> None:
    said = "--allowed-unsafe-sysctls of 1.31.14 is empty: ns/p/c"
    given = pod(C, spec={"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}})
    arguments = ("plan", "--from", "1.32.13", "--to", "1.31.14", "-f", "-", "-o", "json")
    spec = run(*arguments, stdin=as_json(given)).document["spec"]
    assert said in spec["assumptions"]
    known = run(*arguments, "--allowed-unsafe-sysctls", "", stdin=as_json(given)).document["spec"]
    assert not any("allowed-unsafe-sysctls" in assumption for assumption in known["assumptions"])
    kept = run(*arguments, stdin=as_json(pod(C))).document["spec"]
    assert not any("allowed-unsafe-sysctls" in assumption for assumption in kept["assumptions"])


LEVEL: Json = {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}
OWN_USERS: Json = {"hostNetwork": True, "hostUsers": False}
RULES: Json = {**C, "restartPolicy": "Never", "restartPolicyRules": [{"action": "RestartAllContainers"}]}
MOUNTED: Json = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v", "bindMountOptions": ["noexec"]}]}
LINUX, WINDOWS = ({"kubernetes.io/os": name} for name in ("linux", "windows"))
UNKNOWN: Expected = ("UNKNOWN", ["HC043"])


def gates(**given: bool) -> tuple[str, ...]:
    return ("--feature-gates", ",".join(f"{name}={str(on).lower()}" for name, on in given.items()))


@pytest.mark.parametrize(
    ("old", "new", "given", "labels", "more", "expected"),
    [
        ("1.33.13", "1.34.12", pod(C, spec=LEVEL), LINUX, gates(PodLevelResources=False), refused("HC043")),
        ("1.33.13", "1.34.12", pod(C, spec=LEVEL), LINUX, (), KEEP),
        ("1.32.13", "1.33.13", pod(C, spec=LEVEL), LINUX, gates(PodLevelResources=False), KEEP),
        ("1.33.13", "1.34.12", pod(C, spec={"resources": {"limits": {}}}), WINDOWS, (), KEEP),
        ("1.33.13", "1.34.12", pod(C, spec=LEVEL), WINDOWS, (), refused("HC043")),
        ("1.34.12", "1.35.8", pod(C, spec=LEVEL), WINDOWS, (), KEEP),
        ("1.35.8", "1.36.5", pod(C, spec=OWN_USERS), LINUX, (), refused("HC043")),
        ("1.36.5", "1.37.2", pod(C, spec=OWN_USERS), LINUX, (), KEEP),
        ("1.35.8", "1.36.5", pod(C, spec={**OWN_USERS, "hostUsers": True}), LINUX, (), KEEP),
        ("1.35.8", "1.36.5", pod(C, spec={"hostUsers": False}), LINUX, (), KEEP),
        ("1.34.12", "1.35.8", pod(C, spec=OWN_USERS), LINUX, gates(NodeDeclaredFeatures=True), KEEP),
        (
            "1.35.8",
            "1.36.5",
            pod(C, spec=OWN_USERS),
            LINUX,
            gates(UserNamespacesHostNetworkSupport=True),
            UNKNOWN,
        ),
        ("1.34.12", "1.35.8", pod(RULES), LINUX, gates(NodeDeclaredFeatures=True), refused("HC043")),
        ("1.34.12", "1.35.8", pod(RULES), LINUX, (), KEEP),
        ("1.35.8", "1.36.5", pod(RULES), LINUX, (), KEEP),
        (
            "1.36.5",
            "1.37.2",
            pod(RULES),
            LINUX,
            gates(RestartAllContainersOnContainerExits=False),
            refused("HC043"),
        ),
        ("1.36.5", "1.37.2", pod(MOUNTED), LINUX, (), refused("HC043")),
        ("1.36.4", "1.36.5", pod(MOUNTED), LINUX, (), KEEP),
    ],
)
def test_hc043_a_feature_that_the_kubelet_or_its_node_does_not_have(
    run: Run, old: str, new: str, given: Json, labels: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, host(old, labels=labels), more=more) == expected


def test_a_record_does_not_decide_over_admission_where_the_current_release_is_not_known(
    run: Run, tmp_path: Path
) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.28.15", C)))
    given = pod(C, spec={"initContainers": [SIDECAR]})
    assert decided(run, "auto", "1.28.15", given, node("dev"), more=told) == ("UNKNOWN", ["HC008"])
    told = recorded(tmp_path, record(hash_of(run, "1.31.14", C)))
    rmem = pod(C, spec={"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}})
    assert decided(run, "auto", "1.31.14", rmem, node("dev"), more=told) == ("UNKNOWN", ["HC008"])


@pytest.mark.parametrize(
    ("old", "new", "given", "there"),
    [
        ("1.32.13", "1.33.13", pod(C, spec={"nodeSelector": {"disk": "hdd"}}), host()),
        ("1.32.13", "1.33.13", pod(C, spec=affinity(expression("Exists"), OTHER)), host()),
        ("1.32.13", "1.33.13", pod(C), host(taints=[{**GONE, "timeAdded": "2026-01-31T12:00:00Z"}])),
        ("1.33.13", "1.34.13", pod(C, spec=STRICT), host(features={"supplementalGroupsPolicy": False})),
        ("1.35.8", "1.36.5", pod(C, spec=OWN_USERS), host()),
        ("1.36.5", "1.37.2", pod(MOUNTED), host()),
        ("1.35.8", "1.33.13", pod(RULES), host()),
    ],
)
def test_a_snapshot_keeps_what_admission_looks_at(
    run: Run, tmp_path: Path, old: str, new: str, given: Json, there: Json
) -> None:
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(given, there)).out)
    way = ("plan", "--from", old, "--to", new, "-o", "json", "-f")
    live = run(*way, "-", stdin=as_json(given, there))
    assert unplaced(run(*way, tmp_path / "s.json").items) == unplaced(live.items)
    nodes = [
        item for item in json.loads((tmp_path / "s.json").read_text())["items"] if item["kind"] == "Node"
    ]
    assert set(nodes[0]["metadata"]["labels"]) <= {"disk", "kubernetes.io/os"}


def test_hc037_a_sysctl_that_no_option_allows(run: Run) -> None:
    """A kubelet does not start with what it does not hold namespaced (sysctl/namespace.go, 0.36.5)."""
    given = pod(C, spec={"securityContext": {"sysctls": [{"name": "user.max_net_namespaces", "value": "1"}]}})
    for allowed, new, expected in (
        ("user.*", "1.36.5", refused("HC037")),
        ("user.*", "1.37.2", KEEP),
        ("", "1.37.2", refused("HC037")),
    ):
        more = ("--allowed-unsafe-sysctls", allowed)
        assert decided(run, "1.37.1", new, given, more=more) == expected
    way = ("--from", "1.37.2", "--to", "1.36.5", "-f", "-", "-o", "json")
    todo = run("explain", "ns/p/c", *way, stdin=as_json(given)).item["sentences"]["todo"]
    assert todo == "Move the pod to a node with a newer kubelet, or take the sysctl out of its spec."
    said = run("plan", *way, stdin=as_json(given))
    assert "user.max_net_namespaces safe, and no option allows it" in said.items[0]["reasons"][0]["text"]
    assert not any(
        "allowed-unsafe-sysctls" in assumption for assumption in said.document["spec"]["assumptions"]
    )


@pytest.mark.parametrize("rows", [7, [7], [{"name": 7}], [{}]])
def test_what_is_not_a_sysctl_is_none(run: Run, rows: Any) -> None:
    assert decided(run, "1.32.13", "1.31.14", pod(C, spec={"securityContext": {"sysctls": rows}})) == KEEP


MEMORY = "MemoryPressure"
ASKING: Json = {**C, "resources": {"requests": {"cpu": "1m"}}}
TOLERANT = {"tolerations": [{"key": "node.kubernetes.io/memory-pressure", "operator": "Exists"}]}
OPEN: Expected = ("UNKNOWN", ["HC056"])


@pytest.mark.parametrize(
    ("conditions", "given", "expected"),
    [
        (["DiskPressure"], pod(ASKING), OPEN),
        (["PIDPressure", MEMORY], pod(ASKING), OPEN),
        ([MEMORY], pod(C), OPEN),
        ([MEMORY], pod(ASKING), KEEP),
        ([MEMORY], pod(C, spec=TOLERANT), KEEP),
        ([MEMORY, "DiskPressure"], pod(C, spec=TOLERANT), OPEN),
        (["DiskPressure"], pod(C, spec={"priority": 2_000_000_000}), KEEP),
        (["DiskPressure"], mirror_pod(C), KEEP),
        (["NetworkUnavailable"], pod(C), KEEP),
    ],
)
def test_hc056_a_node_under_pressure_may_not_admit_its_pods_again(
    run: Run, conditions: list[str], given: Json, expected: Expected
) -> None:
    """1.36.5 eviction_manager.go ``Admit``."""
    made = host("1.36.3")
    made["status"]["conditions"] = [{"type": name, "status": "True"} for name in conditions]
    assert decided(run, "1.36.3", "1.36.5", given, made) == expected


@pytest.mark.parametrize(("new", "expected"), [("1.10.13", OPEN), ("1.11.3", OPEN), ("1.11.4", KEEP)])
def test_hc056_a_critical_pod_is_admitted_whatever_its_node_lacks_from_1_11_4_on(
    run: Run, new: str, expected: Expected
) -> None:
    made = host(new)
    made["status"]["conditions"] = [{"type": "DiskPressure", "status": "True"}]
    given = pod(C, spec={"priority": 2_000_000_000})
    assert decided(run, new, new, given, made) == expected


@pytest.mark.parametrize(
    ("new", "gate", "expected"),
    [
        ("1.10.13", "true", OPEN),
        ("1.11.10", "", OPEN),
        ("1.11.10", "true", KEEP),
        ("1.12.10", "", KEEP),
        ("1.16.15", "false", OPEN),
        ("1.18.20", "", KEEP),
    ],
)
def test_hc056_who_tolerates_memory_pressure_is_admitted_by_a_gate_from_1_11_on(
    run: Run, new: str, gate: str, expected: Expected
) -> None:
    """1.10.13, 1.11.10 and 1.16.15 eviction_manager.go ``Admit``."""
    made = host(new)
    made["status"]["conditions"] = [{"type": MEMORY, "status": "True"}]
    more = ("--feature-gates", f"TaintNodesByCondition={gate}") if gate else ()
    assert decided(run, new, new, pod(C, spec=TOLERANT), made, more=more) == expected


def test_hc056_pods_that_differ_in_their_priority_alone_share_no_verdict(run: Run) -> None:
    made = host("1.36.3")
    made["status"]["conditions"] = [{"type": "DiskPressure", "status": "True"}]
    pods = [pod(C, name=str(priority), spec={"priority": priority}) for priority in (0, 2_000_000_000, 1)]
    way = ("--from", "1.36.3", "--to", "1.36.5")
    rows = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(*pods, made)).items
    assert {row["pod"]: row["verdict"] for row in rows} == {
        "0": "UNKNOWN",
        "1": "UNKNOWN",
        "2000000000": "KEEP",
    }


def test_hc056_what_restarts_restarts_under_pressure_too(run: Run) -> None:
    made = host("1.30.14")
    made["status"]["conditions"] = [{"type": "DiskPressure", "status": "True"}]
    assert decided(run, "1.30.14", "1.31.14", pod(C), made) == ("RESTART", ["HC001"])
