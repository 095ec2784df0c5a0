"""examples/fleet: what each cluster gets, and how four programs bring it to all of them."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from hashcompat import __version__
from tests.fleet.clusters import cluster, made, save, table
from tests.helpers.crds import errors, schema_of
from tests.helpers.examples import EXAMPLES, documents, of_kind
from tests.helpers.program import ROOT, Run, ran

FLEET: Final = EXAMPLES / "fleet"
MEMBER: Final = FLEET / "member"
SNIPPETS: Final = {
    "argo-cd.yaml": ("ApplicationSet", "generators:"),
    "rancher-fleet.yaml": ("GitRepo", "branch:"),
    "open-cluster-management.yaml": ("ManifestWorkReplicaSet", "workload:"),
    "gardener.yaml": ("ManagedResource", "secretRefs:"),
}
"""The kind of each snippet, and a field of it."""


def member() -> list[Any]:
    """Return the objects that each cluster gets, in the order in which the overlay names their files."""
    (overlay,) = documents(MEMBER / "kustomization.yaml")
    return [document for name in overlay["resources"] for document in documents(MEMBER / name)]


def container(cron: Any) -> Any:
    return cron["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]


def test_the_account_has_the_rights_that_the_program_asks_for() -> None:
    asked = ran("rbac", "--service-account", "hashcompat-snapshot:hashcompat-snapshot").document["items"]
    text = json.dumps(asked).replace('"name": "hashcompat"', '"name": "hashcompat-snapshot"')
    assert documents(MEMBER / "rbac.yaml")[1:] == json.loads(text)


def test_the_pod_needs_no_root_and_no_writable_root() -> None:
    pod = of_kind(MEMBER / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    security = pod["securityContext"] | pod["containers"][0]["securityContext"]
    assert security == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["containers"][0]["image"] == f"registry.example/hashcompat-fleet:{__version__}"


def test_the_pod_of_the_indexed_job_is_as_safe_and_runs_in_the_same_image() -> None:
    job = of_kind(FLEET / "job.yaml", "Job")["spec"]["template"]["spec"]
    cron = of_kind(MEMBER / "cronjob.yaml", "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (planner,), (sender,) = job["containers"], cron["containers"]
    assert (planner["image"], planner["securityContext"]) == (sender["image"], sender["securityContext"])
    assert job["securityContext"].items() <= cron["securityContext"].items()
    assert "command" not in planner, "the image has no shell"
    args = f"\nargs: [{', '.join(planner['args'])}]\n"
    assert args in (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")


def test_the_dockerfile_builds_the_image_of_both_over_the_one_without_the_extra() -> None:
    image = ROOT / "deploy" / "image"
    texts = [(image / name).read_text(encoding="utf-8") for name in ("fleet.Dockerfile", "Dockerfile")]
    (built,), (plain,) = (re.findall(r" -t (\S+)", text) for text in texts)
    cron = of_kind(MEMBER / "cronjob.yaml", "CronJob")
    assert container(cron)["image"] == built
    assert f"\nARG IMAGE={plain}\n" in texts[0]
    assert re.findall(r"^ARG BUILD=.*", texts[0], re.MULTILINE) == re.findall(
        r"^ARG BUILD=.*", texts[1], re.MULTILINE
    )
    assert re.findall(r"^(?:RUN|CMD|ENTRYPOINT) (?!\[)", texts[0], re.MULTILINE) == []
    assert "USER" not in texts[0].rpartition("FROM ")[2], "not root, as in the other image"


@pytest.mark.parametrize("file", SNIPPETS)
def test_a_snippet_is_valid_by_the_schema_of_its_kind(file: str) -> None:
    kind, field = SNIPPETS[file]
    assert [*errors(of_kind(FLEET / file, kind))] == []
    text = (FLEET / file).read_text(encoding="utf-8").replace(field, f"misspelled{field}")
    (wrong,) = (document for document in yaml.safe_load_all(text) if document["kind"] == kind)
    assert [error for error in errors(wrong) if f"misspelled{field[:-1]}" in error]


def test_a_manifest_work_has_the_same_spec() -> None:
    spec = of_kind(FLEET / "open-cluster-management.yaml", "ManifestWorkReplicaSet")["spec"]
    work = {"apiVersion": "work.open-cluster-management.io/v1", "kind": "ManifestWork"}
    assert [*errors(work | {"spec": spec["manifestWorkTemplate"]})] == []
    assert "manifestWorkTemplate" in schema_of("ManifestWorkReplicaSet")["properties"]["spec"]["properties"]


def test_all_of_them_bring_the_same_objects() -> None:
    spec = of_kind(FLEET / "open-cluster-management.yaml", "ManifestWorkReplicaSet")["spec"]
    assert spec["manifestWorkTemplate"]["workload"]["manifests"] == member()
    secret, resource = documents(FLEET / "gardener.yaml")
    assert resource["spec"]["secretRefs"] == [{"name": secret["metadata"]["name"]}]
    named = copy.deepcopy(member())
    container(named[-1])["args"] += ["--name=shoot--shop--eu-1", "--label=env=prod"]
    assert [*yaml.safe_load_all(secret["stringData"]["objects.yaml"])] == named
    source = of_kind(FLEET / "argo-cd.yaml", "ApplicationSet")["spec"]["template"]["spec"]["source"]
    assert [source["path"]] == of_kind(FLEET / "rancher-fleet.yaml", "GitRepo")["spec"]["paths"]
    assert EXAMPLES.parent / source["path"] == MEMBER


def test_a_snapshot_has_the_name_and_label_that_argo_cd_knows(run: Run, tmp_path: Path) -> None:
    source = of_kind(FLEET / "argo-cd.yaml", "ApplicationSet")["spec"]["template"]["spec"]["source"]
    (patch,) = source["kustomize"]["patches"]
    values = {".nameNormalized": "prod-eu-1", ".metadata.labels.env": "prod"}
    text = re.sub(r"\{\{(.+?)\}\}", lambda match: values[match[1]], patch["patch"])
    cron = of_kind(MEMBER / "cronjob.yaml", patch["target"]["kind"])
    args = container(cron)["args"]
    for change in yaml.safe_load(text):
        assert (change["op"], change["path"]) == (
            "add",
            "/spec/jobTemplate/spec/template/spec/containers/0/args/-",
        )
        args.append(change["value"])
    words = [word.replace("s3://clusters/snapshots", str(tmp_path / "in")) for word in args]
    save(tmp_path, read=cluster(uid="u1"))
    (tmp_path / "in").mkdir()
    assert run(*words, "-f", tmp_path / "read.json").code == 0
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["prod-eu-1.json.zst"]
    made(tmp_path / "in", tmp_path / "out")
    (row,) = table(tmp_path / "out", "clusters")
    assert (row["cluster"], row["uid"], row["labels"]) == ("prod-eu-1", "u1", [("env", "prod")])
