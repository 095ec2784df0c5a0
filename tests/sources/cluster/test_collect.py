"""A live cluster through kubectl: what is asked for, what becomes of the answers, and what of refusals."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hashcompat.cli import progress
from hashcompat.cli.progress import Progress
from hashcompat.core.model.pods import Origin, Source
from hashcompat.sources.cluster import Access, ReadScope, collect, kubeapi, kubectl
from tests.helpers import fakekubectl
from tests.helpers.pods import ARTICLE, PLAIN, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import record, recorded

pytestmark = pytest.mark.slow

NODE = {
    "metadata": {"name": "n"},
    "status": {"nodeInfo": {"kubeletVersion": "v1.7.16", "containerRuntimeVersion": "docker://17.3.2"}},
}
NODES = [200, {"kind": "NodeList", "items": [NODE]}]
SYSTEM = "/api/v1/namespaces/kube-system"
FORBIDDEN = [403, {"kind": "Status", "message": 'nodes is forbidden: User "u" cannot list resource "nodes"'}]
PLAN = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-o", "json")
AUTO = ("plan", "--from", "auto", "--to", "1.9.11", "-o", "json")
Live = Callable[..., Result]


def listed(*pods: dict[str, Any]) -> list[Any]:
    """Answer with these pods as a server lists them: the items have no kind of their own."""
    return [
        200,
        {
            "kind": "PodList",
            "metadata": {},
            "items": [{key: manifest[key] for key in manifest if key != "kind"} for manifest in pods],
        },
    ]


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Put a fake kubectl on the PATH and return what its cluster answers, by path."""
    kubectl = tmp_path / "bin" / "kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(f'#!/bin/sh\nexec {sys.executable} {fakekubectl.__file__} "$@"\n')
    kubectl.chmod(0o755)
    for name, value in {
        "PATH": f"{kubectl.parent}:/usr/bin:/bin",
        "FAKE_ANSWERS": str(tmp_path / "answers.json"),
        "HOME": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    return {"/api/v1/pods": listed(pod(ARTICLE, spec={"nodeName": "n"})), "/api/v1/nodes": NODES}


@pytest.fixture
def live(run: Run, answers: dict[str, Any], tmp_path: Path) -> Live:
    """Run a command against the fake cluster."""

    def call(*argv: object) -> Result:
        (tmp_path / "answers.json").write_text(json.dumps(answers))
        return run(*argv)

    return call


def arguments(tmp_path: Path) -> list[str]:
    given: list[str] = json.loads((tmp_path / "answers.argv").read_text())
    return given


def test_a_plan_without_a_source_reads_the_live_cluster(live: Live) -> None:
    item = live(*AUTO).item
    assert (item["verdict"], item["hash"]["from"], item["hash"]["to"], item["node"]) == (
        "RESTART",
        1559107639,
        1428860573,
        "n",
    )


@pytest.mark.parametrize(
    "command", [("hash", "--kubelet", "1.9.11"), ("explain", "ns/p", "--from", "1.7.16", "--to", "1.9.11")]
)
def test_other_commands_read_it_too(live: Live, command: tuple[str, ...]) -> None:
    assert "1428860573" in live(*command).out


def test_matrix_reads_it_where_a_flag_names_it(live: Live) -> None:
    argv = ("matrix", "--from", "1.7.16", "--to", "1.9.11", "-o", "json")
    assert live(*argv, "--context", "c").out != live(*argv).out


def test_flags_go_to_kubectl(live: Live, tmp_path: Path) -> None:
    assert (
        live(
            *PLAN, "--context", "c", "--kubeconfig", "k", "--as", "u", "--as-group", "g", "--as-group", "h"
        ).code
        == 0
    )
    given = arguments(tmp_path)
    assert given[:6] == ["--kubeconfig=k", "--context=c", "--as=u", "--as-group=g", "--as-group=h", "proxy"]


def test_each_namespace_is_one_list_and_so_is_each_node(live: Live, answers: dict[str, Any]) -> None:
    for namespace in ("a", "b"):
        for node in ("n", "m"):
            query = f"labelSelector=x+in+%28y%29&fieldSelector=spec.nodeName%3D{node}&limit=500"
            path = f"/api/v1/namespaces/{namespace}/pods?{query}"
            answers[path] = listed(
                pod(
                    PLAIN,
                    metadata={"namespace": namespace, "name": f"{namespace}-{node}"},
                    spec={"nodeName": node},
                )
            )
    answers |= {"/api/v1/nodes/n": [200, NODE], "/api/v1/nodes": FORBIDDEN, "/api/v1/pods": FORBIDDEN}
    items = live(*AUTO, "-n", "a", "-n", "b", "-n", "a", "--node", "n", "--node", "m", "-l", "x in (y)").items
    assert {(item["pod"], item["verdict"]) for item in items} == {
        (f"{name}-n", "RESTART") for name in "ab"
    } | {(f"{name}-m", "UNKNOWN") for name in "ab"}


def test_nodes_that_may_not_be_read_are_done_without_where_the_release_is_given(
    live: Live, answers: dict[str, Any]
) -> None:
    answers["/api/v1/nodes"] = FORBIDDEN
    result = live(*PLAN)
    assert (result.code, result.item["verdict"]) == (0, "RESTART")
    assert "Continuing without nodes: cannot list nodes: nodes is forbidden" in result.err
    refused = live(*AUTO)
    assert (refused.code, refused.out) == (1, "")
    assert "'hashcompat rbac' prints the role that is needed" in refused.err
    unnamed = live("plan", "--to", "1.10.0")
    assert (unnamed.code, unnamed.out) == (64, "")
    assert "\nError: --from is missing, and the cluster shows no nodes; name the kubelet" in unnamed.err


def test_nodes_that_cannot_be_read_for_another_reason_are_an_error(
    live: Live, answers: dict[str, Any]
) -> None:
    answers["/api/v1/nodes"] = [400, {"message": "what?"}]
    result = live(*PLAN)
    assert (result.code, result.out, "cannot list nodes: what? (HTTP 400)" in result.err) == (1, "", True)


def test_a_cluster_without_pods_is_an_error(live: Live, answers: dict[str, Any]) -> None:
    answers["/api/v1/pods"] = listed()
    result = live(*PLAN)
    assert (result.code, result.out, "no pods that match" in result.err) == (1, "", True)


def test_a_namespace_without_pods_is_named_beside_others(live: Live, answers: dict[str, Any]) -> None:
    """It may be misspelled, which no list shows."""
    answers["/api/v1/namespaces/ns/pods"] = answers["/api/v1/pods"]
    answers["/api/v1/namespaces/nss/pods"] = listed()
    result = live(*PLAN, "-n", "ns", "-n", "nss")
    assert result.code == 0
    assert "Warning: no pods in the namespace nss, if there is one of this name\n" in result.err


def test_a_pod_that_does_not_decode_is_unknown(live: Live, answers: dict[str, Any]) -> None:
    answers["/api/v1/pods"] = listed(pod({"name": "c", "image": "i", "stdin": "yes"}), pod(PLAIN))
    assert {item["verdict"] for item in live(*PLAN).items} == {"UNKNOWN", "RESTART"}


@pytest.mark.parametrize(
    ("path", "item", "says"),
    [
        ("pods", {"kind": "Secret"}, "the server answers with an object that is not a Pod"),
        ("nodes", {"kind": ["Node"]}, "the server answers with an object that is not a Node"),
        ("pods", 7, "want an object, got an integer"),
        ("pods", {"metadata": 7}, "$.metadata: want an object, got an integer"),
        ("pods", {**pod(), "metadata": {"name": ["a"]}}, "$.metadata.name: want a string"),
        ("pods", {"spec": []}, "$.spec: want an object, got a list"),
        ("nodes", {"metadata": []}, "$.metadata: want an object, got a list"),
        ("nodes", {"status": {"nodeInfo": "x"}}, "$.status.nodeInfo: want an object, got a string"),
    ],
)
def test_an_item_that_is_malformed_is_named(
    live: Live, answers: dict[str, Any], path: str, item: Any, says: str
) -> None:
    kind = "PodList" if path == "pods" else "NodeList"
    answers[f"/api/v1/{path}"] = [200, {"kind": kind, "items": [item]}]
    result = live(*AUTO)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert says in result.err


def test_a_node_is_one_whatever_it_says_of_its_group(live: Live, answers: dict[str, Any]) -> None:
    answers["/api/v1/nodes"] = [200, {"kind": "NodeList", "items": [{**NODE, "apiVersion": "x/v1"}]}]
    assert live(*AUTO).item["fromRelease"] == "v1.7.16"


def test_what_a_credential_plugin_says_is_passed_on_and_kubectl_s_log_is_not(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = "E1121 06:31:01.1 1 proxy.go:1] oops\n2026/11/21 06:31:01 httputil: oops\nerror: oops\n"
    monkeypatch.setenv("FAKE_SAYS", f"To sign in, open\n{log}code ABC\x1b[2J\n")
    result = live(*PLAN)
    assert result.code == 0
    assert result.err.startswith("To sign in, open\ncode ABC\\x1b[2J\n")
    assert "oops" not in result.err


def test_a_kubectl_that_does_not_start_is_an_error_in_its_words(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_FAILS", "1")
    assert "kubectl does not start: no message; there is no kubeconfig: " in live(*PLAN).err
    monkeypatch.setenv("FAKE_SAYS", 'error: context "x" does not exist\n')
    result = live(*PLAN)
    assert (result.code, result.out) == (1, "")
    assert (
        'cannot read the cluster: kubectl does not start: context "x" does not exist; there is no kubeconfig'
        in result.err
    )


def test_an_error_of_kubectl_s_start_is_printed_once(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "Error in configuration:\n* client-key is missing\n* no client-cert for u\n"
    monkeypatch.setenv("FAKE_SAYS", f"To sign in, open\n{lines}")
    monkeypatch.setenv("FAKE_FAILS", "1")
    error = live(*PLAN).err
    assert error.count("\n") == 1
    assert error.startswith(
        "Error: cannot read the cluster: kubectl does not start: Error in configuration: * client-key is "
        "missing * no client-cert for u; there is no kubeconfig"
    )


REFUSED = "dial tcp 127.0.0.1:8080: connect: connection refused"


@pytest.mark.parametrize(
    ("message", "server", "words", "says"),
    [
        (REFUSED, "", ("--kubeconfig", "kc"), f"{REFUSED}; kc names no server; give pods"),
        (
            REFUSED,
            "",
            ("--kubeconfig", "kc", "--context", "c"),
            f"{REFUSED}; kc names no server in the context c; give pods",
        ),
        (REFUSED, "https://127.0.0.1:8080", ("--kubeconfig", "kc"), f"{REFUSED}; give pods"),
        ("dial tcp 10.0.0.1:6443: refused", "", ("--kubeconfig", "kc"), "6443: refused; give pods"),
    ],
    ids=["no server", "no server in a context", "a server at that address", "another address"],
)
def test_a_kubeconfig_that_names_no_server_is_named(
    live: Live,
    answers: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    message: str,
    server: str,
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setenv("FAKE_SERVER", server)
    answers["/api/v1/pods"] = answers["/api/v1/nodes"] = [502, {"message": message}]
    monkeypatch.setattr(kubeapi, "_POLICY", kubeapi._Retry(total=0, status_forcelist=(502,)))
    assert says in live(*PLAN, *words).err


def test_without_kubectl_the_error_names_the_other_sources(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run(*PLAN)
    assert (result.code, result.out) == (1, "")
    assert all(word in result.err for word in ("kubectl", "-f FILE", "--sample"))


MANIFEST = json.dumps(
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [PLAIN]}}
)
NODE_B = {**NODE, "metadata": {"name": "n"}, "status": {"nodeInfo": {"kubeletVersion": "v1.28.15"}}}
TO = ("--from", "auto", "--to", "1.29.15", "-o", "json")


@pytest.fixture
def static(tmp_path: Path, answers: dict[str, Any]) -> tuple[object, ...]:
    """Return the options for a directory with one manifest, on the fake cluster's node with 1.28.15."""
    directory = tmp_path / "manifests"
    directory.mkdir()
    (directory / "web.json").write_text(MANIFEST)
    answers["/api/v1/nodes"] = [200, {"kind": "NodeList", "items": [NODE_B]}]
    return ("--static-pod-dir", directory, "--node-name", "n")


@pytest.mark.parametrize("by", ["--context", "--kubeconfig", "KUBECONFIG"])
def test_a_cluster_that_is_named_is_read_beside_static_pods(
    live: Live, static: tuple[object, ...], monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setenv("KUBECONFIG", "k" if by == "KUBECONFIG" else "")
    result = live("plan", *TO, *static, *([by, "x"] if by.startswith("-") else []))
    assert [(item["pod"], item["fromRelease"]) for item in result.items] == [
        ("web-n", "v1.28.15"),
        ("p", "v1.28.15"),
    ], result.err


def test_no_cluster_is_read_beside_static_pods_where_nothing_names_one(
    live: Live, static: tuple[object, ...], tmp_path: Path
) -> None:
    """A ~/.kube/config is on every desk, and does not mean this node's cluster."""
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text("")
    assert [(item["pod"], item["fromRelease"]) for item in live("plan", *TO, *static).items] == [
        ("web-n", "")
    ]
    assert live("plan", *TO, *static, "-l", "a=b").code == 64


def mirror(name: str) -> dict[str, Any]:
    annotations = {"kubernetes.io/config.mirror": "h"}
    return pod(PLAIN, metadata={"namespace": "default", "annotations": annotations}, name=name, node="n")


def test_a_manifest_without_a_mirror_pod_in_the_cluster_is_named(
    live: Live, answers: dict[str, Any], static: tuple[object, ...]
) -> None:
    said = "Warning: on node n but not among the pods: static pod default/web-n, c: "
    argv = ("plan", *TO, *static, "--context", "x")
    result = live(*argv)
    assert said in result.err
    assert said not in live(*argv, "-n", "ns").err
    answers["/api/v1/pods"] = listed(mirror("web-n"))
    result = live(*argv)
    assert (len(result.items), "not among" in result.err) == (1, False)


def test_an_empty_cluster_beside_static_pods_is_no_error(
    live: Live, answers: dict[str, Any], static: tuple[object, ...]
) -> None:
    answers["/api/v1/pods"] = listed()
    assert live("plan", *TO, *static, "--context", "x").item["fromRelease"] == "v1.28.15"


@pytest.mark.parametrize("failure", ["no kubectl", "forbidden"])
def test_a_cluster_that_only_the_environment_names_may_fail(
    live: Live,
    answers: dict[str, Any],
    static: tuple[object, ...],
    monkeypatch: pytest.MonkeyPatch,
    failure: str,
) -> None:
    monkeypatch.setenv("KUBECONFIG", "k")
    if failure == "forbidden":
        answers["/api/v1/pods"] = FORBIDDEN
    else:
        monkeypatch.setenv("PATH", "")
    known = ("plan", "--from", "1.28.15", "--to", "1.29.15", "-o", "json", *static)
    result = live(*known)
    assert (result.code, result.item["pod"]) == (0, "web-n"), result.err
    assert "Warning: continuing without the cluster: cannot read it: " in result.err
    assert "Warning" not in live(*known, "-q").err
    for argv in ((*known, "--context", "x"), ("plan", *TO, *static)):
        refused = live(*argv)
        assert (refused.code, refused.out) == (1, "")
        assert refused.err.startswith("Error: cannot read the cluster: ")


def test_a_static_pod_that_only_records_show_is_named(live: Live, tmp_path: Path) -> None:
    told = record(7, "etcd-n", "etcd", uid="0123456789abcdef0123456789abcdef")
    assert (
        "on node n but not among the pods: static pod ns/etcd-n, etcd: "
        in live(*PLAN, *recorded(tmp_path, told)).err
    )


@pytest.mark.usefixtures("live")
def test_the_inventory_tells_which_cluster_it_is_of(answers: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    inventory = collect(Access(), ReadScope(), lambda _: None, lambda _: None)
    assert inventory.origin == Origin(Source.CLUSTER, context="fake", server="https://fake:6443")


def system(uid: object) -> list[Any]:
    return [200, {"kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}]


@pytest.mark.parametrize(
    ("answer", "uid"),
    [(system("u1"), "u1"), (system(["u1"]), ""), (FORBIDDEN, ""), ([500, {}], ""), ([200, {}], "")],
    ids=["read", "no text", "forbidden", "failed", "empty"],
)
def test_a_plan_names_the_cluster_where_that_may_be_read_and_is_silent_where_not(
    live: Live, answers: dict[str, Any], answer: list[Any], uid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubeapi, "_POLICY", kubeapi._POLICY.new(backoff_factor=0))
    unnamed = live(*PLAN)
    answers[SYSTEM] = answer
    result = live(*PLAN)
    assert (result.code, result.err) == (0, unnamed.err)
    assert result.document["spec"]["source"]["clusterUID"] == uid


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        (system("u1"), 2, "gate: FAIL: fail-on restart: 1 container, allowed 0"),
        (system("u2"), 1, "a plan of the cluster u1, and the live cluster is u2"),
        (system("::u\n\x1b[2J"), 1, "the live cluster is ::u\\n\\x1b[2J"),
        (system(""), 1, "the namespace kube-system has no UID, so the cluster is not known"),
        (FORBIDDEN, 1, "cannot get the namespace kube-system, whose UID is that of the cluster: nodes is"),
    ],
    ids=["same", "other", "hostile", "empty", "forbidden"],
)
def test_a_saved_plan_is_judged_for_the_live_cluster_that_it_is_of(
    live: Live, answers: dict[str, Any], tmp_path: Path, answer: list[Any], code: int, says: str
) -> None:
    path = tmp_path / "plan.json"
    answers[SYSTEM] = system("u1")
    assert live(*PLAN, "--out", path).code == 0
    answers[SYSTEM] = answer
    result = live("gate", "--plan", path, "--context", "c")
    assert (result.code, says in result.err) == (code, True), result.err


def test_a_plan_of_an_unknown_cluster_is_not_judged_for_a_live_one(
    live: Live, answers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    assert live(*PLAN, "--out", path).code == 0
    answers[SYSTEM] = system("u1")
    result = live("gate", "--plan", path, "--context", "c")
    assert (result.code, result.out) == (1, "")
    assert "$.spec.source.clusterUID: empty, and the live cluster is u1" in result.err
    assert live("gate", "--plan", path, "--as-group", "g").code == 64


class Terminal:
    """A stderr that is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_one_line_on_a_terminal_that_is_gone_in_the_end(
    live: Live, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    terminal, lines = Terminal(), list[str]()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_to_stderr", lines.append)
    monkeypatch.setattr(progress, "_AFTER", 0.0)
    stage = Progress.stage

    def drawn(self: Progress, doing: str, total: int = 0) -> None:
        stage(self, doing, total)
        self.draw()

    monkeypatch.setattr(Progress, "stage", drawn)
    live(*PLAN, *(["-q"] if quiet else []))
    expected = [f"\r\x1b[KReading {what}: 0 s" for what in ("1 pod in all namespaces", "1 node")]
    assert [line for line in dict.fromkeys(lines) if "Reading" in line] == ([] if quiet else expected)
    assert lines[-1:] == ([] if quiet else ["\r\x1b[K"])
    assert "Reading" not in terminal.text


def test_a_service_account_is_used_where_there_is_no_kubeconfig(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubectl, "ACCOUNT", tmp_path)
    inside = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    assert not kubectl.is_there(inside)
    (tmp_path / "token").write_text("t\n")
    assert kubectl.is_there(inside)
    assert not kubectl.is_there({})
    assert kubectl.token() == "t"
    pool = kubectl.connections(inside)
    assert (pool.host, pool.port, pool.cert_reqs, pool.ca_certs) == (
        "10.0.0.1",
        443,
        "CERT_REQUIRED",
        str(tmp_path / "ca.crt"),
    )


def test_a_kubeconfig_comes_before_the_service_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not kubectl.has_kubeconfig({})
    assert kubectl.has_kubeconfig({"KUBECONFIG": "x"})
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text("")
    assert kubectl.has_kubeconfig({})


V1, V1BETA1 = (f"/apis/policy/{version}/poddisruptionbudgets" for version in ("v1", "v1beta1"))
BUDGET: dict[str, Any] = {"metadata": {"namespace": "ns", "name": "b"}, "spec": {"selector": {}}}
NO_API: list[Any] = [404, {"kind": "Status", "message": "the server could not find the requested resource"}]
IMPACT = ("impact", "--from", "1.7.16", "--to", "1.9.11", "-o", "json")


SERVICES = "/api/v1/services"


def services(*manifests: dict[str, Any]) -> list[Any]:
    """Answer with these Services."""
    return [200, {"kind": "ServiceList", "metadata": {}, "items": list(manifests)}]


def budgets(*manifests: dict[str, Any]) -> list[Any]:
    """Answer with these budgets as a server lists them: without kind and version."""
    return [200, {"kind": "PodDisruptionBudgetList", "metadata": {}, "items": list(manifests)}]


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        ({V1: budgets(BUDGET)}, (1, "", "undecided")),
        ({V1: NO_API, V1BETA1: budgets(BUDGET)}, (1, "", "in-place")),
        ({V1: NO_API, V1BETA1: NO_API}, (0, "", "in-place")),
        ({V1: budgets()}, (0, "", "in-place")),
    ],
    ids=["v1", "v1beta1", "neither", "none"],
)
def test_budgets_are_read_by_the_version_that_is_served(
    live: Live, answers: dict[str, Any], served: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    """An empty selector is every pod in v1, whose health is not shown, and none in v1beta1."""
    unready = {**BUDGET, "spec": {**BUDGET["spec"], "minAvailable": 1}}
    answers |= json.loads(json.dumps(served).replace(json.dumps(BUDGET), json.dumps(unready)))
    answers[SERVICES] = services()
    result = live(*IMPACT)
    summary = result.document["spec"]["budgets"]
    assert (summary["found"], summary["missing"], result.item["step"]) == expected


def test_budgets_that_may_not_be_read_are_unknown_never_fine(live: Live, answers: dict[str, Any]) -> None:
    answers |= {V1: FORBIDDEN, SERVICES: services()}
    result = live(*IMPACT)
    assert (result.code, result.item["step"]) == (0, "undecided")
    assert (
        "cannot list poddisruptionbudgets in all namespaces" in result.document["spec"]["budgets"]["missing"]
    )
    assert result.err.count("PodDisruptionBudgets are UNKNOWN: cannot list") == 1
    assert live(*IMPACT, "--detailed-exitcode").code == 3


def test_services_are_read_with_the_budgets(live: Live, answers: dict[str, Any]) -> None:
    answers |= {
        V1: budgets(),
        SERVICES: services({"metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}}}),
    }
    assert live(*IMPACT).document["spec"]["services"] == {"found": 1, "missing": ""}
    answers[SERVICES] = services({"kind": "Secret"})
    result = live(*IMPACT)
    assert (result.code, "not a Service" in result.err) == (1, True)


@pytest.mark.parametrize("of_budgets", [budgets(), NO_API, FORBIDDEN], ids=["none", "no API", "forbidden"])
def test_services_that_may_not_be_read_are_unknown(
    live: Live, answers: dict[str, Any], of_budgets: list[Any]
) -> None:
    answers |= {V1: of_budgets, V1BETA1: of_budgets, SERVICES: FORBIDDEN}
    result = live(*IMPACT)
    assert result.code == 0
    assert "Services are UNKNOWN: cannot list services in all namespaces" in result.err
    assert "'hashcompat rbac --impact' prints the role" in result.err


def test_a_plan_reads_no_budgets(live: Live) -> None:
    """There is no answer for them here, so a request for them would fail."""
    assert live(*PLAN).code == 0


def test_an_object_that_is_no_budget_is_refused(live: Live, answers: dict[str, Any]) -> None:
    answers |= {V1: budgets({"kind": "Secret"}), SERVICES: services()}
    result = live(*IMPACT)
    assert (result.code, "not a PodDisruptionBudget" in result.err) == (1, True)


UID = "7b1cf2b9-2f5e-4f0c-9f5e-0a4f6c1d2e3f"
BEGUN = "2026-01-01T00:00:00Z"
"""The time that SOURCE_DATE_EPOCH names in tests."""


def test_a_cluster_was_taken_when_its_list_began(live: Live, answers: dict[str, Any], tmp_path: Path) -> None:
    answers[SYSTEM], saved = system(UID), tmp_path / "snapshot.json"
    source = live(*AUTO).document["spec"]["source"]
    assert (source["takenAt"], source["clusterUID"]) == (BEGUN, UID)
    assert live("snapshot", "--out", saved).code == 0
    spec = json.loads(saved.read_text())["spec"]
    assert (spec["takenAt"], spec["clusterUID"]) == (BEGUN, UID)
    source = live(*AUTO, "-f", saved).document["spec"]["source"]
    assert (source["takenAt"], source["clusterUID"]) == (BEGUN, UID)


def test_what_a_cluster_reports_of_its_containers_is_not_its_age(
    live: Live, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"name": ARTICLE["name"], "state": {"running": {"startedAt": "2999-01-01T00:00:00Z"}}}
    status = {"phase": "Running", "containerStatuses": [row]}
    answers["/api/v1/pods"] = listed(pod(ARTICLE, status=status))
    spec = live(*AUTO).document["spec"]
    assert spec["source"]["takenAt"] == BEGUN
    assert [warning for warning in spec["warnings"] if "in the future" in warning] == []
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    gate = ("gate", *PLAN[1:5], "--max-restarts", "9", "--max-age", "1m")
    assert live(*gate).code == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert live(*gate).code == 1


@pytest.mark.usefixtures("live")
def test_manifests_beside_a_cluster_have_no_age(live: Live, static: tuple[object, ...]) -> None:
    source = live(*AUTO, *static, "--context", "c").document["spec"]["source"]
    assert (source["kind"], source["takenAt"]) == ("cluster", None)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([200, {"gitVersion": "v1.9.11"}], ["kube-apiserver is 1.9.11 (/version)"]),
        ([200, {"gitVersion": 5}], []),
        ([403, {"message": "forbidden"}], []),
    ],
)
def test_the_api_server_is_asked_for_its_release(
    live: Live, answers: dict[str, Any], answer: list[Any], expected: list[str]
) -> None:
    answers["/version"] = answer
    result = live(*PLAN)
    assert result.code == 0
    said = json.loads(result.out)["spec"]["assumptions"]
    assert [line for line in said if "kube-apiserver" in line] == expected
