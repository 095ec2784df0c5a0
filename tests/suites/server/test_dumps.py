"""What the real kubectl dumps and renders is read: lists with logs between them, directories, overlays."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from scripts.suites.collectors import built
from tests.helpers.program import Run, unplaced
from tests.helpers.realserver import environment
from tests.helpers.slices import sliced
from tests.suites.server.conftest import Shell

pytestmark = pytest.mark.server

SOME = ("cluster-info", "dump", "--namespaces", "team-b")
"""Ten pods: kubectl asks for the log of each container, and no kubelet answers."""


def planned(run: Run, *argv: object) -> list[Any]:
    result = run("plan", "--to", "1.36", "--override-node-releases", "-o", "json", *argv, "--from", "1.30.4")
    assert result.code == 0, result.err
    return sorted(unplaced(result.items), key=lambda item: str(item["pod"]))


@pytest.mark.parametrize("form", sliced(["json", "yaml"], ["json"]))
def test_a_dump_on_stdout_gives_the_plan_of_the_plain_one(
    run: Run, shell: Shell, admin: Path, tmp_path: Path, form: str
) -> None:
    plain = tmp_path / "plain.json"
    plain.write_text(shell(admin, "get", "nodes,pods", "-n", "team-b", "-o", "json", program="kubectl").out)
    dump = shell(admin, *SOME, "-o", form, program="kubectl")
    assert dump.code == 0, dump.err
    assert dump.out.count("==== START logs for container app of pod team-b/") == 10
    path = tmp_path / "dump.txt"
    path.write_text(dump.out)
    items = planned(run, "-f", path)
    assert len(items) == 10
    assert items == planned(run, "-f", plain)


def test_a_dump_in_a_directory_is_read_packed_or_not(
    run: Run, shell: Shell, admin: Path, tmp_path: Path
) -> None:
    plain, directory = tmp_path / "plain.json", tmp_path / "dump"
    plain.write_text(shell(admin, "get", "nodes,pods", "-n", "team-b", "-o", "json", program="kubectl").out)
    assert shell(admin, *SOME, "--output-directory", directory, program="kubectl").code == 0
    expected = planned(run, "-f", plain)
    assert planned(run, "-R", "-f", directory) == expected
    archive = tmp_path / "dump.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(directory, "dump")
    assert planned(run, "-f", archive) == expected


@pytest.mark.full
@pytest.mark.parametrize("tool", ["support-bundle", "velero"])
def test_what_a_tool_collects_gives_the_plan_of_the_plain_dump(
    run: Run, shell: Shell, admin: Path, tmp_path: Path, tool: str
) -> None:
    plain, archive, spec = (tmp_path / name for name in ("plain.json", "archive.tar.gz", "spec.yaml"))
    plain.write_text(shell(admin, "get", "nodes,pods", "-n", "team-b", "-o", "json", program="kubectl").out)
    spec.write_text(
        "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nmetadata: {name: all}\n"
        "spec: {collectors: [{clusterResources: {namespaces: [team-b]}}]}\n"
    )
    argv = {
        "support-bundle": (spec, "--interactive=false", "--auto-update=false", "--output", archive),
        "velero": ("team-b",),
    }[tool]
    done = subprocess.run(
        [built(tool), *argv], capture_output=True, check=False, env=environment(admin, tmp_path)
    )
    assert done.returncode == 0, done.stderr.decode()
    if tool == "velero":
        archive.write_bytes(done.stdout)
    items = planned(run, "-f", archive, "-n", "team-b")
    assert len(items) == 10
    assert items == planned(run, "-f", plain)


def test_an_overlay_is_rendered_by_kubectl(run: Run, shell: Shell, admin: Path, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("namespace: x\nresources: [web.yaml]\nnamePrefix: a-\n")
    (tmp_path / "web.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
        "spec:\n  selector: {matchLabels: {a: b}}\n"
        "  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n"
    )
    rendered = shell(admin, "kustomize", tmp_path, program="kubectl")
    assert rendered.code == 0, rendered.err
    argv = ("plan", "--from", "1.30", "--to", "1.31", "-o", "json")
    (item,) = run(*argv, "-f", "-", stdin=rendered.out.encode()).items
    assert (item["namespace"], item["workload"]) == ("x", "Deployment/a-web")
    (item,) = run(*argv, "-f", tmp_path).items
    assert item["workload"] == "Deployment/web"
