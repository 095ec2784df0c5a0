"""What is in the examples is accepted by a real API server, with every field known to it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.crds import DEFINITIONS as PUBLISHED
from tests.helpers.examples import BASE, EXAMPLES, documents, expanded, of_kind
from tests.helpers.program import ROOT, SCRIPTS, Result
from tests.helpers.realserver import ADMIN, ROLES, Cluster, environment
from tests.helpers.slices import sliced
from tests.suites.server.conftest import NODES
from tests.suites.server.crds import CRDS

pytestmark = pytest.mark.server

Shell = Callable[..., Result]
ACCOUNTS = "/api/v1/namespaces/system-upgrade/serviceaccounts"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMESPACES = (
    *("hashcompat-collect", "system-upgrade", "hashcompat", "hashcompat-cluster-api", "hashcompat-snapshot"),
    *("argocd", "fleet-default", "shoot--shop--eu-1"),
)
MANIFESTS = {
    "collect-daemonset.yaml": "daemonset.apps/collect",
    "collect-daemonset-without-shell.yaml": "daemonset.apps/collect",
    "system-upgrade-controller/plan.yaml": "plan.upgrade.cattle.io/k3s-agent",
    "normalize/plan.yaml": "plan.upgrade.cattle.io/kubelet-with-rewritten-records",
    "normalize/plan-k3s.yaml": "plan.upgrade.cattle.io/agents-with-rewritten-records",
    "argo-cd/presync.yaml": "job.batch/hashcompat-gate",
    "fleet/job.yaml": "job.batch/hashcompat-fleet",
    "fleet/argo-cd.yaml": "applicationset.argoproj.io/hashcompat-snapshot",
    "fleet/rancher-fleet.yaml": "gitrepo.fleet.cattle.io/hashcompat-snapshot",
    "fleet/open-cluster-management.yaml": (
        "manifestworkreplicaset.work.open-cluster-management.io/hashcompat-snapshot"
    ),
    "fleet/gardener.yaml": "managedresource.resources.gardener.cloud/hashcompat-snapshot",
}
OVERLAYS = {
    BASE: "clusterrolebinding.rbac.authorization.k8s.io/hashcompat",
    EXAMPLES / "metrics": "cronjob.batch/hashcompat",
    EXAMPLES / "fleet" / "member": "cronjob.batch/hashcompat-snapshot",
    EXAMPLES / "cluster-api": "extensionconfig.runtime.cluster.x-k8s.io/hashcompat",
}


@pytest.fixture(scope="session")
def ready(empty: Cluster) -> Cluster:
    """Return the cluster with the namespaces and the custom resources of the examples."""
    for name in NAMESPACES:
        empty.create("/api/v1/namespaces", {"metadata": {"name": name}})
    definitions = (*CRDS, *PUBLISHED)
    for definition in definitions:
        empty.create(DEFINITIONS, definition)
    end = time.monotonic() + 60
    while not all(established(empty, definition) for definition in definitions) and time.monotonic() < end:
        time.sleep(0.1)
    return empty


def established(cluster: Cluster, definition: dict[str, Any]) -> bool:
    answer = cluster.request("GET", f"{DEFINITIONS}/{definition['metadata']['name']}").json()
    conditions = answer.get("status", {}).get("conditions", ())
    return any(
        (condition["type"], condition["status"]) == ("Established", "True") for condition in conditions
    )


def applied(shell: Shell, cluster: Cluster, *source: object) -> Result:
    user = cluster.kubeconfig("admin", {"token": ADMIN})
    words = ("apply", "--dry-run=server", "--validate=strict", *source)
    return shell(user, *words, program="kubectl")


@pytest.mark.parametrize(
    ("name", "created"), sliced(MANIFESTS.items(), [*MANIFESTS.items()][::2]), ids=list(MANIFESTS)
)
def test_a_manifest_is_accepted(name: str, created: str, shell: Shell, ready: Cluster) -> None:
    result = applied(shell, ready, "-f", EXAMPLES / name)
    assert result.code == 0, result.err
    assert f"{created} created (server dry run)" in result.out


@pytest.mark.parametrize(
    ("path", "created"),
    sliced(OVERLAYS.items(), [*OVERLAYS.items()][::2]),
    ids=[str(path.relative_to(ROOT)) for path in OVERLAYS],
)
def test_an_overlay_is_accepted(path: Path, created: str, shell: Shell, ready: Cluster) -> None:
    result = applied(shell, ready, "-k", path)
    assert result.code == 0, result.err
    assert f"{created} created (server dry run)" in result.out


def test_a_field_that_is_misspelled_is_refused(shell: Shell, ready: Cluster, tmp_path: Path) -> None:
    wrong = "arguments"
    for file in (
        *("system-upgrade-controller/plan.yaml", "normalize/plan.yaml", "normalize/plan-k3s.yaml"),
        "argo-cd/presync.yaml",
        "fleet/member/cronjob.yaml",
    ):
        changed = tmp_path / file.replace("/", "-")
        changed.write_text((EXAMPLES / file).read_text().replace(" args:", f" {wrong}:"))
        result = applied(shell, ready, "-f", changed)
        assert result.code != 0
        assert "unknown field" in result.err
        assert wrong in result.err


def test_pods_of_the_base_pass_the_restricted_standard(ready: Cluster) -> None:
    """The namespaces of deploy/base and of the extension enforce it, in which these pods run."""
    label = {"pod-security.kubernetes.io/enforce": "restricted"}
    ready.create("/api/v1/namespaces", {"metadata": {"name": "restricted", "labels": label}})
    job = of_kind(EXAMPLES / "argo-cd" / "presync.yaml", "Job")["spec"]["template"]["spec"]
    cron = of_kind(EXAMPLES / "metrics" / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]
    server = of_kind(EXAMPLES / "cluster-api" / "extension.yaml", "Deployment")["spec"]["template"]["spec"]
    sent = of_kind(EXAMPLES / "fleet" / "member" / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]
    # it has the account of the namespace here
    sent["template"]["spec"].pop("serviceAccountName")
    for number, spec in enumerate((job, cron["template"]["spec"], server, sent["template"]["spec"])):
        body = {"metadata": {"name": f"p-{number}"}, "spec": spec}
        answer = ready.request("POST", "/api/v1/namespaces/restricted/pods?dryRun=All", body)
        assert answer.status_code == 201, answer.text
    root = job | {"securityContext": {}}
    body = {"metadata": {"name": "p"}, "spec": root}
    assert ready.request("POST", "/api/v1/namespaces/restricted/pods?dryRun=All", body).status_code == 403


def test_kured_keeps_its_own_variables_when_it_is_patched(shell: Shell, ready: Cluster) -> None:
    path = EXAMPLES / "kured" / "daemonset-patch.yaml"
    own = [{"name": "KURED_NODE_ID", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]
    template = {
        "metadata": {"labels": {"name": "kured"}},
        "spec": {"containers": [{"name": "kured", "image": "kured:1", "env": own}]},
    }
    spec = {"selector": {"matchLabels": {"name": "kured"}}, "template": template}
    ready.create(
        "/apis/apps/v1/namespaces/kube-system/daemonsets", {"metadata": {"name": "kured"}, "spec": spec}
    )
    user = ready.kubeconfig("admin", {"token": ADMIN})
    words = ("-n", "kube-system", "patch", "daemonset", "kured", "--patch-file", path, "-o", "json")
    result = shell(user, *words, program="kubectl")
    assert result.code == 0, result.err
    (container,) = json.loads(result.out)["spec"]["template"]["spec"]["containers"]
    added = yaml.safe_load(path.read_text())["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {variable["name"] for variable in container["env"]} == {
        variable["name"] for variable in [*own, *added]
    }


@pytest.mark.usefixtures("cluster")
def test_the_prepare_container_needs_no_more_rights_than_the_example_gives(
    shell: Shell, ready: Cluster
) -> None:
    """It runs with the token of the account that the Plan names; the role has a name of its own here."""
    account = {"metadata": {"name": "system-upgrade"}}
    ready.create(ACCOUNTS, account)
    path = EXAMPLES / "system-upgrade-controller" / "plan.yaml"
    role, binding = of_kind(BASE / "rbac.yaml", "ClusterRole"), of_kind(path, "ClusterRoleBinding")
    role["metadata"]["name"] = binding["roleRef"]["name"] = "hashcompat-of-a-plan"
    ready.create(f"{ROLES}/clusterrolebindings", binding)
    token = ready.create(f"{ACCOUNTS}/system-upgrade/token", {"spec": {"audiences": []}})["status"]["token"]
    user = ready.kubeconfig("system-upgrade", {"token": token})
    given = {"SYSTEM_UPGRADE_NODE_NAME": NODES[0], "SYSTEM_UPGRADE_PLAN_LATEST_VERSION": "v1.31.9-k3s1"}
    words = expanded(of_kind(path, "Plan")["spec"]["prepare"]["args"], given)
    assert shell(user, *words).code == 1, "without its role it may read nothing"
    ready.create(f"{ROLES}/clusterroles", role)
    result = shell(user, *words, "-o", "json")
    assert result.code == 2, result.err
    assert result.document["summary"]["containers"] > 0


def test_what_the_readme_shows_of_a_live_cluster_runs_as_it_is_printed(admin: Path, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"<!-- needs: a cluster -->\n```sh\n(.+?)```", readme, re.DOTALL)
    variables = environment(admin, tmp_path)
    variables["PATH"] = f"{SCRIPTS}{os.pathsep}{variables['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Kubelet ") == 2


@pytest.mark.usefixtures("cluster")
def test_the_cron_job_of_a_fleet_needs_no_more_rights_than_its_account_has(
    shell: Shell, ready: Cluster, tmp_path: Path
) -> None:
    member = EXAMPLES / "fleet" / "member"
    account, role, binding = documents(member / "rbac.yaml")
    place = "/api/v1/namespaces/hashcompat-snapshot/serviceaccounts"
    ready.create(place, account)
    token = ready.create(f"{place}/hashcompat-snapshot/token", {"spec": {"audiences": []}})["status"]["token"]
    user = ready.kubeconfig("hashcompat-snapshot", {"token": token})
    cron = of_kind(member / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    words = [word.replace("s3://clusters/snapshots", str(tmp_path)) for word in cron["containers"][0]["args"]]
    assert shell(user, *words).code == 1, "without its role it may read nothing"
    ready.create(f"{ROLES}/clusterroles", role)
    ready.create(f"{ROLES}/clusterrolebindings", binding)
    result = shell(user, *words)
    assert result.code == 0, result.err
    (written,) = tmp_path.iterdir()
    uid = ready.request("GET", "/api/v1/namespaces/kube-system").json()["metadata"]["uid"]
    assert written.name == f"{uid}.json.zst"
