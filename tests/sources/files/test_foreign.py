"""Files that hold no pods: the first error names what they are, and the command to run."""

from __future__ import annotations

import bz2
import json
import lzma
from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import SAMPLE, Run

SAVE = "kubectl get nodes,pods -A -o json"
TEXTS = {
    "a table": (
        (
            "NAMESPACE     NAME         READY   STATUS    RESTARTS      AGE\n"
            "kube-system   coredns-5d   1/1     Running   2 (3d ago)    10d\n"
        ),
        "a table of kubectl",
    ),
    "a table of one namespace": ("NAME   READY   STATUS\nweb   1/1     Running\n", "a table of kubectl"),
    "a table from Windows": ("NAME   READY\r\nweb   1/1\r\n", "a table of kubectl"),
    "a wide table": (
        "NAME   READY   NODE   NOMINATED NODE   READINESS GATES\nweb 1/1 n <none> <none>\n",
        "a table of kubectl",
    ),
    "a table of kubectl top": (
        "NAME    CPU(cores)   MEMORY(bytes)\nweb-1   1m   2Mi\n",
        "a table of kubectl",
    ),
    "a table of events": ("LAST SEEN   TYPE     REASON\n3m   Normal   Pulled\n", "a table of kubectl"),
    "rows without their head": ("shop   web-1   1/1     Running   0   3d\n", "a table of kubectl"),
    "rows of nodes": ("n1   Ready,SchedulingDisabled   <none>   3d   v1.30.1\n", "a table of kubectl"),
    "names in a row": ("web-1 web-2", "got a string"),
    "Go's own text": ("map[apiVersion:v1 items:[]]", "got a string"),
    "a report as CSV": ("NODE,NAMESPACE,POD,CONTAINER\nn,ns,p,c\n", "a report of hashcompat"),
    "a report as text": (
        "4 of 5 running containers restart: 1 owner\nRead from a\n",
        "a report of hashcompat",
    ),
    "a report as a page": (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta name="hashcompat" content="{}">\n',
        "a report of hashcompat",
    ),
    "a description": (
        "Name:             web\nNamespace:        default\nPriority:         0\nLabels:  a=b\n",
        "text of kubectl describe",
    ),
    "a node's description": (
        "Name:               n1\nRoles:              <none>\n",
        "text of kubectl describe",
    ),
    "names": ("pod/web-1\npod/web-2\n", "names of objects"),
    "nothing found": ("No resources found in default namespace.\n", "finds nothing"),
    "a refusal": (
        'Error from server (Forbidden): pods is forbidden: User "x" cannot list resource "pods"\n',
        "an error message in place of objects",
    ),
    "no server": (
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
        "an error message in place of objects",
    ),
    "no server, after kubectl's log": (
        (
            'E1126 01:02:03.123456    1 memcache.go:265] "Unhandled Error" err="x"\n'
            "Unable to connect to the server: dial tcp: lookup api: no such host\n"
        ),
        "an error message in place of objects",
    ),
    "a login page": ("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "a page of HTML"),
    "a warning": (
        "Warning: v1 ComponentStatus is deprecated in v1.19+\n",
        "only what kubectl printed on stderr",
    ),
    "a warning before objects": (
        f"Warning: v1 ComponentStatus is deprecated in v1.19+\n{SAMPLE.read_text()}",
        "line 1 is of kubectl's stderr",
    ),
    "log lines before objects": (
        f"W1126 01:02:03.123456 1 warnings.go:70] a\nW1126 01:02:03.2 1 b\n{SAMPLE.read_text()}",
        "lines 1 - 2 are of kubectl's stderr",
    ),
}


@pytest.mark.parametrize("way", [("--to", "1.31"), ("--from", "1.30", "--to", "1.31")], ids=["auto", "from"])
@pytest.mark.parametrize("name", TEXTS)
def test_text_in_place_of_objects_is_called_what_it_is(run: Run, name: str, way: tuple[str, ...]) -> None:
    text, what = TEXTS[name]
    result = run("plan", *way, "-f", "-", stdin=text.encode())
    assert (result.code, result.out) == (1, "")
    error = result.err.splitlines()[-1]
    assert error.startswith("Error: standard input: ")
    assert what in error
    assert SAVE in error
    assert "--from" not in error


def test_objects_with_a_field_like_these_are_objects(run: Run) -> None:
    text = b"Name: x\nmetadata: {name: p}\nkind: Pod\nspec: {containers: [{name: c, image: i}]}\n"
    assert run("plan", "--from", "1.30", "--to", "1.31", "-f", "-", stdin=text).code == 0


DOCUMENTS: dict[str, tuple[Json, str]] = {
    "an empty list": ({"apiVersion": "v1", "kind": "List", "items": []}, "an empty list, as kubectl prints"),
    "an empty list of pods": ({"apiVersion": "v1", "kind": "PodList", "items": []}, "an empty list"),
    "only nodes": (
        {"kind": "List", "items": [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}}]},
        "no pods in the input, only nodes",
    ),
    "a report": (
        {"apiVersion": "hashcompat.io/v1", "kind": "GateReport"},
        "a GateReport of hashcompat, not pods",
    ),
    "an impact": (
        {"apiVersion": "hashcompat.io/v1", "kind": "ImpactReport"},
        "an ImpactReport of hashcompat",
    ),
    "a kubeconfig": ({"apiVersion": "v1", "kind": "Config", "clusters": []}, "a kubeconfig, not pods"),
    "a refusal in JSON": (
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403},
        "an error message in place of objects",
    ),
    "a refusal of one of two lists": (
        {
            "kind": "List",
            "items": [
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}},
                {"kind": "Status", "apiVersion": "v1", "status": "Failure"},
            ],
        },
        "$.items[1]: an error message in place of objects",
    ),
    "a rollout": ({"apiVersion": "hashcompat.io/v1", "kind": "RolloutState"}, "hashcompat gate --state FILE"),
}


@pytest.mark.parametrize("way", [("--to", "1.31"), ("--from", "1.30", "--to", "1.31")], ids=["auto", "from"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_objects_without_a_pod_are_called_what_they_are(run: Run, name: str, way: tuple[str, ...]) -> None:
    document, what = DOCUMENTS[name]
    result = run("plan", *way, "-f", "-", stdin=json.dumps(document).encode())
    assert (result.code, result.out) == (1, "")
    error = result.err.splitlines()[-1]
    assert what in error
    assert (SAVE if name != "a kubeconfig" else "--kubeconfig FILE") in error
    assert "--from" not in error


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["Secret"], "only objects of kind Secret; give a file"),
        (["Service", "ConfigMap", "Service"], "only objects of kinds Service, ConfigMap; give a file"),
        (list("ABCD"), "only objects of kinds A, B, C and others; give a file"),
    ],
)
def test_other_kinds_are_named(run: Run, kinds: list[str], said: str) -> None:
    text = "---\n".join(f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n" for kind in kinds)
    result = run("plan", "--from", "1.30", "--to", "1.31", "-f", "-", stdin=text.encode())
    assert (result.code, result.out) == (1, "")
    assert f"no pods in the input, {said}" in result.err


def test_an_array_of_objects_says_how_it_becomes_objects(run: Run) -> None:
    result = run("plan", "--to", "1.31", "-f", "-", stdin=b'[{"kind": "Pod"}]')
    assert result.err.endswith("got a list; jq '.[]' prints the objects in it\n")


def test_a_saved_plan_is_called_one(run: Run, tmp_path: Path) -> None:
    saved = str(tmp_path / "plan.json")
    assert run("plan", "--from", "1.30", "--to", "1.31", "--sample", "--out", saved).code == 0
    error = run("plan", "--to", "1.31", "-f", saved).err.splitlines()[-1]
    assert error.startswith(f"Error: {saved}: a saved plan, not the pods of one; hashcompat gate --plan FILE")


def test_pods_without_nodes_leave_the_release_open(run: Run) -> None:
    result = run("plan", "--to", "1.31", "-f", "-", stdin=as_json(pod({"name": "c", "image": "i"})))
    assert result.code == 64
    assert "--from is missing: the input has pods and no nodes" in result.err
    assert "kubectl get nodes,pods" in result.err


def test_what_is_wrong_with_pods_is_said_before_what_they_lack(run: Run) -> None:
    page = {"kind": "PodList", "metadata": {"continue": "x"}, "items": [pod({"name": "c", "image": "i"})]}
    result = run("plan", "--to", "1.31", "-f", "-", stdin=json.dumps(page).encode())
    assert result.code == 1
    assert "this is one page of a list that goes on" in result.err


def test_without_a_kubeconfig_that_is_why_no_cluster_is_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    why = "; there is no kubeconfig: KUBECONFIG is not set, and ~/.kube/config does not exist; give pods"
    assert why in run("plan", "--to", "1.31").err
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").touch()
    assert "there is no kubeconfig" not in run("plan", "--to", "1.31").err
    monkeypatch.setenv("KUBECONFIG", "/no/such:/nor/this")
    why = "; there is no kubeconfig: KUBECONFIG names /no/such, /nor/this, which does not exist; give pods"
    assert why in run("plan", "--to", "1.31").err
    monkeypatch.setenv("KUBECONFIG", f"/no/such:{tmp_path}/.kube/config")
    assert "there is no kubeconfig" not in run("plan", "--to", "1.31").err


def test_a_directory_without_a_file_is_called_that(run: Run, tmp_path: Path) -> None:
    result = run("preflight", "--to", "1.31", "--dump", tmp_path)
    assert result.err.splitlines()[-1] == f"Error: {tmp_path}: no file in this directory"


def test_what_is_wrong_with_pods_comes_before_a_missing_release(run: Run) -> None:
    result = run("plan", "--to", "1.31", "-f", "-", stdin=as_json({"kind": "Pod", "spec": {}}))
    assert result.code == 1
    assert "$.spec.containers: a Pod needs at least one container" in result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04" + b"\0" * 40, "a zip archive; pack it as tar, or unpack it; want Kubernetes objects"),
        (lzma.compress(b"{}"), "compressed with xz; use gzip or zstd, or unpack it"),
        (bz2.compress(b"{}"), "compressed with bzip2; use gzip or zstd, or unpack it"),
        (b"\0" * 10240, "zero bytes, as in an empty tar archive"),
        (b"\0" * 9, "binary data at character 0"),
        (
            b"{{- if .x }}\nkind: Pod\n{{- end }}\n",
            "a template, not objects; render charts with helm template DIR",
        ),
    ],
    ids=["zip", "xz", "bzip2", "an empty tar", "a few zero bytes", "a template"],
)
def test_what_people_take_for_objects_is_named(run: Run, tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "x").write_bytes(content)
    result = run("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", tmp_path / "x")
    assert (result.code, f"Error: {tmp_path}/x: {says}" in result.err) == (1, True), result.err
