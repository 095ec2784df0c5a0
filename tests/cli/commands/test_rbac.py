"""``rbac``: the least rights for the flags, no more and no less."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.program import Run

NODES = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}
BUDGETS = {"apiGroups": ["policy"], "resources": ["poddisruptionbudgets"], "verbs": ["list"]}
SERVICES = {"apiGroups": [""], "resources": ["services"], "verbs": ["list"]}
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}
SYSTEM = {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]}

CONFIGMAPS = {"apiGroups": [""], "resources": ["configmaps"]}
STATE = [
    {**CONFIGMAPS, "resourceNames": ["roll"], "verbs": ["get", "update"]},
    {**CONFIGMAPS, "verbs": ["create"]},
]


def rights(run: Run, *argv: str) -> dict[tuple[str, str | None], Any]:
    items = run("rbac", *argv).items
    return {
        (item["kind"], item["metadata"].get("namespace")): item.get("rules", item.get("subjects"))
        for item in items
    }


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ((), {("ClusterRole", None): [PODS, NODES, SYSTEM]}),
        (("-l", "app=x"), {("ClusterRole", None): [PODS, NODES, SYSTEM]}),
        (("--from", "1.30.0"), {("ClusterRole", None): [PODS, SYSTEM]}),
        (
            ("--from", "1.30.0", "-n", "a", "-n", "b", "-n", "a"),
            {("Role", "a"): [PODS], ("Role", "b"): [PODS], ("Role", "kube-system"): [SYSTEM]},
        ),
        (
            ("--from", "1.30.0", "-n", "a", "-n", "kube-system"),
            {("Role", "a"): [PODS], ("Role", "kube-system"): [PODS, SYSTEM]},
        ),
        (("-n", "a"), {("Role", "a"): [PODS], ("ClusterRole", None): [NODES, SYSTEM]}),
        (("--impact", "--node", "x"), {("ClusterRole", None): [PODS, NODES, BUDGETS, SERVICES, SYSTEM]}),
        (
            ("--impact", "-n", "a"),
            {("Role", "a"): [PODS, BUDGETS, SERVICES], ("ClusterRole", None): [NODES, SYSTEM]},
        ),
        (
            ("--impact", "--state", "configmap:ops/roll"),
            {
                ("ClusterRole", None): [PODS, NODES, BUDGETS, SERVICES, SYSTEM, {**NODES, "verbs": ["get"]}],
                ("Role", "ops"): STATE,
            },
        ),
        (
            ("-n", "ops", "--state", "configmap:ops/roll"),
            {
                ("Role", "ops"): [PODS, *STATE],
                ("ClusterRole", None): [NODES, SYSTEM, {**NODES, "verbs": ["get"]}],
            },
        ),
        (
            ("--node", "x", "--node", "y"),
            {
                ("ClusterRole", None): [
                    PODS,
                    {**NODES, "verbs": ["get"], "resourceNames": ["x", "y"]},
                    SYSTEM,
                ]
            },
        ),
    ],
)
def test_a_role_allows_what_is_read_and_nothing_else(
    run: Run, argv: tuple[str, ...], expected: object
) -> None:
    assert rights(run, *argv) == expected


def test_bindings_are_to_the_service_account(run: Run) -> None:
    bindings = rights(run, "-n", "a", "--service-account", "tools:hc")
    subjects = [{"kind": "ServiceAccount", "namespace": "tools", "name": "hc"}]
    assert (bindings["RoleBinding", "a"], bindings["ClusterRoleBinding", None]) == (subjects, subjects)


def test_each_binding_names_its_role(run: Run) -> None:
    items = run("rbac", "-n", "a", "--service-account", "tools:hc").items
    names = {(item["kind"], item["metadata"]["name"]) for item in items if "rules" in item}
    assert {
        (item["roleRef"]["kind"], item["roleRef"]["name"]) for item in items if "roleRef" in item
    } == names


def test_the_default_is_a_manifest_to_apply(run: Run) -> None:
    result = run("rbac")
    assert result.out.startswith(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: rbac.authorization.k8s.io/v1\n  kind: ClusterRole\n"
    )
    for more in (("--service-account", "a:b"), ("-n", "ops", "--state", "configmap:ops/rollout")):
        assert "&id" not in run("rbac", *more).out


def test_for_people(run: Run) -> None:
    table = run("rbac", "-n", "shop", "--node", "n1", "-o", "table").out.splitlines()
    assert [line.split() for line in table[1:]] == [
        ["Role", "shop", "list", "pods", "-"],
        ["ClusterRole", "-", "get", "nodes", "n1"],
        ["ClusterRole", "-", "get", "namespaces", "kube-system"],
    ]
    assert run("rbac", "-n", "shop", "-o", "name").out == "Role/shop/hashcompat\nClusterRole/hashcompat\n"


@pytest.mark.parametrize("account", ["hc", ":hc", "tools:", "a:b:c"])
def test_a_service_account_has_a_namespace_and_a_name(run: Run, account: str) -> None:
    result = run("rbac", "--service-account", account)
    assert (result.code, result.out, "want NAMESPACE:NAME" in result.err) == (64, "", True)


@pytest.mark.parametrize("place", ["state.json", "configmap:ops", "configmap:ops/A"])
def test_only_a_config_map_needs_a_role(run: Run, place: str) -> None:
    result = run("rbac", "--state", place)
    assert (result.code, result.out, "--state: " in result.err) == (64, "", True)
