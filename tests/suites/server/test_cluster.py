"""``plan`` against a real API server: the whole list by any sign-in, and the same answer as from files."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hashcompat.sources.cluster import kubectl
from tests.helpers.pods import Json
from tests.helpers.program import Result, Run, unplaced
from tests.helpers.realserver import ADMIN, NARROW, NOBODY, READER, Cluster
from tests.helpers.slices import sliced

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
AUTO = ("plan", "--from", "auto", "--to", "1.36.0")
JSON = (*AUTO, "-o", "json")
FIXED = ("plan", "--from", "1.30.0", "--to", "1.36.0", "-o", "json", "-n", "team-b")
PODS = 1500


def roles(shell: Shell, cluster: Cluster, user: str, *flags: str) -> None:
    """Give a user what ``hashcompat rbac`` prints for some flags."""
    manifest = json.loads(shell("/dev/null", "rbac", "-o", "json", "--service-account", "x:y", *flags).out)
    for item in manifest["items"]:
        item["metadata"]["name"] += f"-{user}"
        if "subjects" in item:
            item["roleRef"]["name"] += f"-{user}"
            item["subjects"] = [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]
    cluster.apply(manifest)


def test_a_fresh_shell_needs_no_flags(shell: Shell, admin: Path) -> None:
    result = shell(admin, *AUTO, "-o", "wide")
    assert result.code == 0, result.err
    assert len(result.out.splitlines()) == PODS + 1
    assert f"in 13 of {PODS} pods on 2 nodes" in result.err


@pytest.mark.parametrize("form", sliced(["json", "yaml"], ["json"]))
def test_the_items_are_those_of_files_byte_for_byte(
    shell: Shell, admin: Path, tmp_path: Path, form: str
) -> None:
    live, path = items_of_all(shell, admin), tmp_path / f"cluster.{form}"
    path.write_text(shell(admin, "get", "pods,nodes", "-A", "-o", form, program="kubectl").out)
    assert json.dumps(unplaced(shell("/dev/null", *JSON, "-f", path).items)) == json.dumps(live)


def test_the_items_are_those_of_a_snapshot_with_hashes(shell: Shell, admin: Path, tmp_path: Path) -> None:
    live = items_of_all(shell, admin)
    planned = planned_from_snapshot(shell, admin, tmp_path, "--with-hashes")
    assert json.dumps(planned) == json.dumps(live)


@pytest.mark.full
def test_a_snapshot_lacks_hashes_alone(shell: Shell, admin: Path, tmp_path: Path) -> None:
    live = items_of_all(shell, admin)
    planned = planned_from_snapshot(shell, admin, tmp_path)
    assert json.dumps(without_hashes(planned)) == json.dumps(without_hashes(live))


def planned_from_snapshot(shell: Shell, admin: Path, tmp_path: Path, *flags: str) -> list[Json]:
    saved = tmp_path / "cluster.json.gz"
    assert shell(admin, "snapshot", "--out", saved, *flags).code == 0
    assert b"hunter2" not in gzip.decompress(saved.read_bytes())
    return unplaced(shell("/dev/null", *JSON, "-f", saved).items)


def items_of_all(shell: Shell, admin: Path) -> list[Json]:
    """Return the items of a plan of the whole cluster."""
    live = unplaced(shell(admin, *JSON).items)
    assert len(live) == PODS
    assert {item["verdict"] for item in live} >= {"KEEP", "RESTART"}
    return live


def without_hashes(items: list[Json]) -> list[Json]:
    """Return items without their hashes: over values that a snapshot hides there are none."""
    return [{**item, "hash": None} for item in items]


def test_the_printed_role_is_enough_and_all_that_is_read(shell: Shell, cluster: Cluster) -> None:
    reader = cluster.kubeconfig("reader", {"token": READER})
    refused = shell(reader, *JSON)
    assert (refused.code, refused.out) == (1, "")
    assert (
        'cannot list pods in all namespaces: pods is forbidden: User "reader" cannot list resource "pods"'
        in refused.err
    )
    assert "hashcompat rbac" in refused.err
    roles(shell, cluster, "reader")
    read = shell(reader, *JSON)
    assert len(read.items) == PODS
    assert read.document["spec"]["source"]["clusterUID"] != ""
    assert shell(reader, *JSON, "--node", "node-c").code == 1  # one node is another right
    asked = [
        (event["verb"], event.get("objectRef", {}).get("resource"), event["requestURI"].partition("?")[0])
        for event in cluster.audited("reader")
    ]
    assert {*asked} == {
        ("list", "pods", "/api/v1/pods"),
        ("list", "nodes", "/api/v1/nodes"),
        ("get", "nodes", "/api/v1/nodes/node-c"),
        ("get", "namespaces", "/api/v1/namespaces/kube-system"),
        ("get", None, "/version"),  # which API servers show to everybody
    }


def test_a_role_in_one_namespace_is_enough_for_it_and_for_no_other(shell: Shell, cluster: Cluster) -> None:
    narrow = cluster.kubeconfig("narrow", {"token": NARROW})
    roles(shell, cluster, "narrow", "-n", "team-b", "--from", "1.30.0")
    result = shell(narrow, *FIXED)
    assert (result.code, len(result.items)) == (0, 10)
    assert result.document["spec"]["source"]["clusterUID"] != ""
    assert "Continuing without nodes: cannot list nodes" in result.err
    for argv, says in (
        ((*FIXED, "-n", "team-a"), 'cannot list resource "pods" in API group "" in the namespace "team-a"'),
        (
            (*JSON, "-n", "team-b"),
            'cannot list nodes: nodes is forbidden: User "narrow" cannot list resource "nodes"',
        ),
    ):
        refused = shell(narrow, *argv)
        assert (refused.code, refused.out, says in refused.err) == (1, "", True)


def test_pods_are_selected_by_the_server(shell: Shell, admin: Path) -> None:
    labelled = shell(admin, *JSON, "-l", "app=a1", "-n", "team-b").items
    assert {item["pod"] for item in labelled} == {"p-1493", "p-1497"}
    on_one = shell(admin, *JSON, "--node", "node-c", "-n", "team-b", "-n", "team-a").items
    assert {item["node"] for item in on_one} == {"node-c"}
    assert len(on_one) == PODS / 3


@pytest.mark.parametrize(
    ("flags", "says"),
    [(("-l", "a in b"), "unable to parse requirement"), (("-l", "no=such"), "no pods that match")],
)
def test_a_selection_of_nothing_is_an_error(
    shell: Shell, admin: Path, flags: tuple[str, ...], says: str
) -> None:
    result = shell(admin, *JSON, *flags)
    assert (result.code, result.out, says in result.err) == (1, "", True)


def ways_in(cluster: Cluster, tmp_path: Path) -> dict[str, dict[str, object]]:
    """Return a kubeconfig's user for each way to authenticate that needs no other server."""
    leaf = cluster.ca.issue_cert(
        "client.example", common_name="certified", organization_name="system:masters"
    )
    for name, pem in (("key", leaf.private_key_pem), ("cert", leaf.cert_chain_pems[0])):
        pem.write_to_path(str(tmp_path / name))
    (tmp_path / "token").write_text(ADMIN)
    plugin = tmp_path / "plugin"
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": ADMIN},
    }
    plugin.write_text(
        f"#!/bin/sh\necho 'To sign in, open https://login.example' >&2\necho '{json.dumps(credential)}'\n"
    )
    plugin.chmod(0o755)
    run = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": str(plugin),
        "interactiveMode": "IfAvailable",
    }
    return {
        "token": {"token": ADMIN},
        "token file": {"tokenFile": str(tmp_path / "token")},
        "client certificate": {
            "client-certificate": str(tmp_path / "cert"),
            "client-key": str(tmp_path / "key"),
        },
        "client certificate inside": {
            "client-certificate-data": base64.b64encode(leaf.cert_chain_pems[0].bytes()).decode(),
            "client-key-data": base64.b64encode(leaf.private_key_pem.bytes()).decode(),
        },
        "exec plugin": {"exec": run},
    }


@pytest.mark.parametrize(
    "way",
    sliced(
        ["token", "token file", "client certificate", "client certificate inside", "exec plugin"],
        ["client certificate", "exec plugin"],
    ),
)
def test_whatever_authenticates_kubectl_works(
    shell: Shell, cluster: Cluster, tmp_path: Path, way: str
) -> None:
    result = shell(cluster.kubeconfig("way", ways_in(cluster, tmp_path)[way]), *FIXED)
    assert (result.code, len(result.items)) == (0, 10), result.err
    assert ("open https://login.example" in result.err) == (way == "exec plugin")


@pytest.mark.parametrize(
    ("user", "says"),
    [
        ({"token": "wrong"}, "Unauthorized (HTTP 401)"),
        (
            {
                "exec": {
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "command": "/no/plugin",
                    "interactiveMode": "Never",
                }
            },
            "/no/plugin",
        ),
    ],
)
def test_credentials_that_do_not_work_are_a_clear_error(
    shell: Shell, cluster: Cluster, user: dict[str, object], says: str
) -> None:
    result = shell(cluster.kubeconfig("wrong", user), *FIXED)
    assert (result.code, result.out, says in result.err) == (1, "", True)


def test_contexts_of_a_list_of_kubeconfigs(shell: Shell, cluster: Cluster, admin: Path) -> None:
    nobody = cluster.kubeconfig("nobody", {"token": NOBODY})
    both = f"{nobody}{os.pathsep}{admin}"
    assert shell(both, *FIXED).code == 1
    assert len(shell(both, *FIXED, "--context", "admin").items) == 10
    assert len(shell("/dev/null", *FIXED, "--kubeconfig", admin).items) == 10
    missing = shell(both, *FIXED, "--context", "none")
    assert (missing.code, 'context "none" does not exist' in missing.err) == (1, True)


def test_acting_as_another_user(shell: Shell, admin: Path) -> None:
    refused = shell(admin, *FIXED, "--as", "nobody-else")
    assert (refused.code, 'User "nobody-else" cannot list resource "pods"' in refused.err) == (1, True)
    assert len(shell(admin, *FIXED, "--as", "someone", "--as-group", "system:masters").items) == 10


@pytest.fixture
def in_a_pod(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this process look like one in a pod whose account is ``reader``."""
    (tmp_path / "token").write_text(f"{ADMIN}\n")
    (tmp_path / "ca.crt").write_bytes(cluster.ca_file.read_bytes())
    monkeypatch.setattr(kubectl, "ACCOUNT", tmp_path)
    for name, value in (
        ("KUBERNETES_SERVICE_HOST", "127.0.0.1"),
        ("KUBERNETES_SERVICE_PORT", str(cluster.port)),
        ("HOME", str(tmp_path)),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))  # a small image has no kubectl
    return tmp_path


def test_a_pod_finds_its_own_account_and_needs_no_kubectl(run: Run, in_a_pod: Path) -> None:
    assert in_a_pod.exists()
    assert len(run(*FIXED).items) == 10
    refused = run(*FIXED, "--as", "nobody-else", "--as-group", "g", "--as-group", "h")
    assert (refused.code, 'User "nobody-else" cannot list' in refused.err) == (1, True)


def test_a_pod_trusts_its_own_ca_alone(run: Run, in_a_pod: Path) -> None:
    import trustme

    trustme.CA().cert_pem.write_to_path(str(in_a_pod / "ca.crt"))
    result = run(*FIXED)
    assert (result.code, result.out) == (1, "")
    assert "certificate verify failed" in result.err.lower()
