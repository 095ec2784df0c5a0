"""What a plan warns of besides verdicts: slow exec probes, and runtimes that lose what a kubelet checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.plan import Plan, Way
from hashcompat.sources.files import plans
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run

EXEC: Json = {"exec": {"command": ["true"]}}
C: Json = {"name": "c", "image": "i"}
LIVE: Json = {**C, "livenessProbe": EXEC}


def warned(run: Run, old: str, new: str, *objects: Json, more: tuple[str, ...] = ()) -> list[str]:
    command = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more)
    lines = run(*command, stdin=as_json(*objects)).document["spec"]["warnings"]
    return [line for line in lines if "exec probes" in line or "when it restarts" in line]


PROBES = (
    "1.20.15 enforces the timeoutSeconds of exec probes, which 1.19.16 ignored: "
    "a liveness or startup probe that takes longer kills its container (1 container: ns/p/c)"
)


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        ("1.19.16", "1.20.15", pod(LIVE), (), [PROBES]),
        ("1.19.16", "1.20.15", pod({**C, "startupProbe": EXEC}), (), [PROBES]),
        ("1.19.16", "1.20.15", pod({**C, "readinessProbe": EXEC}), (), []),
        ("1.19.16", "1.20.15", pod({**C, "livenessProbe": {"tcpSocket": {"port": 1}}}), (), []),
        ("1.19.16", "1.20.15", pod(LIVE, status={"phase": "Failed"}), (), []),
        ("1.19.16", "1.20.15", pod(LIVE), ("--feature-gates", "ExecProbeTimeout=false"), []),
        ("1.20.14", "1.20.15", pod(LIVE), (), []),
        ("1.20.15", "1.19.16", pod(LIVE), (), []),
    ],
)
def test_exec_probes_whose_timeout_is_enforced_from_1_20_on(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: list[str]
) -> None:
    assert warned(run, old, new, given, more=more) == expected


MANIFEST: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "kube-apiserver", "namespace": "kube-system", "creationTimestamp": None},
    "spec": {"containers": [C], "hostNetwork": True},
    "status": {},
}
DEPLOYMENT: Json = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {"template": {"spec": {"containers": [C]}}},
}
WITH_UID: Json = {**MANIFEST, "metadata": {**MANIFEST["metadata"], "uid": "u"}}
IF_STATIC = (
    "1 Pod without a uid is planned as if created by an API server; 1.32.13 recreates static pods like it "
    "(HC022), and --static-pod-dir in place of -f plans these: kube-system/kube-apiserver"
)


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        ("1.31.14", "1.32.13", MANIFEST, [IF_STATIC]),
        ("1.31.13", "1.31.14", MANIFEST, []),  # the same UID
        ("1.16.15", "1.17.17", MANIFEST, []),  # the same text
        ("1.30.14", "1.31.14", MANIFEST, []),  # restarts as an ordinary pod too
        ("1.31.14", "1.32.13", WITH_UID, []),
        ("1.31.14", "1.32.13", DEPLOYMENT, []),
        ("1.31.14", "1.32.13", pod(C), []),
    ],
)
def test_a_manifest_that_is_kept_and_may_be_a_static_pods(
    run: Run, old: str, new: str, given: Json, expected: list[str]
) -> None:
    """Who plans /etc/kubernetes/manifests with -f is not to read that the control plane stays."""
    upgrade = ("--from", old, "--to", new, "-f", "-")
    planned = run("plan", *upgrade, "-o", "json", stdin=as_json(given))
    assert [line for line in planned.document["spec"]["warnings"] if "static" in line] == expected
    name = f"{planned.item['namespace']}/{planned.item['pod']}"
    explained = run("explain", name, *upgrade, stdin=as_json(given))
    assert [line for line in explained.out.splitlines() if "static pods" in line] == [
        f"Warning: {line}" for line in expected
    ]


def test_manifests_of_a_directory_of_static_pods_are_planned_as_such(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kube-apiserver.json").write_bytes(as_json(MANIFEST))
    static = ("--static-pod-dir", str(tmp_path), "--node-name", "n")
    result = run("plan", "--from", "1.31.14", "--to", "1.32.13", *static, "-o", "json")
    assert result.item["verdict"] == "RESTART"
    assert not [line for line in result.document["spec"]["warnings"] if "static" in line]


def host(runtime: str) -> Any:
    made = node("v1.24.8")
    made["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    return made


@pytest.mark.parametrize(
    ("runtime", "is_warned"),
    [
        ("containerd://1.6.8", False),
        ("containerd://1.6.9", True),
        ("containerd://1.6.14", True),
        ("containerd://1.6.14-k3s1", False),
        ("containerd://1.6.12-k3s1", True),
        ("containerd://1.6.15", False),
        ("containerd://1.5.16", True),
        ("containerd://1.5.16-k3s2", False),
        ("containerd://1.7.0", False),
        ("containerd://Unknown", False),
        ("cri-o://1.6.10", False),
        ("", False),
    ],
)
def test_containerd_that_forgets_the_ips_of_its_sandboxes(run: Run, runtime: str, *, is_warned: bool) -> None:
    lines = warned(run, "1.24.8", "1.24.9", pod(C), host(runtime))
    assert [line.startswith(f"{runtime} on n1 forgets the IPs of its sandboxes") for line in lines] == (
        [True] if is_warned else []
    )


def test_a_kubelet_before_1_8_does_not_look_at_ips(run: Run) -> None:
    assert warned(run, "1.7.15", "1.7.16", pod(C), host("containerd://1.6.9")) == []


@pytest.mark.parametrize(
    ("new", "label", "is_warned"),
    [
        ("1.18.15", "disk", True),
        ("1.18.16", "disk", False),
        ("1.19.7", "disk", True),
        ("1.20.3", "disk", False),
        ("1.17.17", "kubernetes.io/os", False),
        ("1.17.17", "topology.kubernetes.io/zone", True),
    ],
)
def test_node_labels_that_may_not_be_read_yet(run: Run, new: str, label: str, is_warned: bool) -> None:
    given = pod(C, {**C, "name": "d"}, spec={"nodeSelector": {label: "x"}})
    result = run("plan", "--from", "1.16.15", "--to", new, "-f", "-", "-o", "json", stdin=as_json(given))
    lines = [line for line in result.document["spec"]["warnings"] if "its node's labels" in line]
    assert [line.endswith("(kubernetes/kubernetes#94087: 1 pod: ns/p)") for line in lines] == [
        True
    ] * is_warned


GPU: Json = {**C, "resources": {"limits": {"nvidia.com/gpu": "1"}}}


@pytest.mark.parametrize(
    ("new", "container", "phase", "is_warned"),
    [
        pytest.param("1.27.16", GPU, "Succeeded", True, id="admitted again without devices"),
        pytest.param("1.22.17", GPU, "Succeeded", True, id="from 1.22 on"),
        pytest.param("1.21.14", GPU, "Succeeded", False, id="before 1.22"),
        pytest.param("1.28.13", GPU, "Succeeded", True, id="before 1.28.14"),
        pytest.param("1.28.14", GPU, "Succeeded", False, id="from 1.28.14 on"),
        pytest.param("1.27.16", GPU, "Failed", False, id="failed already"),
        pytest.param("1.27.16", C, "Succeeded", False, id="no devices"),
    ],
)
def test_a_finished_pod_with_devices_that_fails_after_all(
    run: Run, new: str, container: Json, phase: str, is_warned: bool
) -> None:
    given = pod(container, status={"phase": phase})
    result = run("plan", "--from", new, "--to", new, "-f", "-", "-o", "json", stdin=as_json(given))
    line = (
        f"1 pod with devices turns from Succeeded to Failed when {new} starts (UnexpectedAdmissionError), "
        "which a Job counts as a failure: ns/p"
    )
    assert (line in result.document["spec"]["besides"]) is is_warned


def ready(name: str, period: int, *, now: bool = True, **more: Any) -> Json:
    """Return a pod that runs, with a readinessProbe."""
    container = {**C, "readinessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": period}, **more}
    status = {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True" if now else "False"}],
        "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"running": {}}}],
    }
    return pod(container, name=name, status=status)


GATE = ("--feature-gates", "ChangeContainerStatusOnKubeletRestart=true")


@pytest.mark.parametrize(
    ("old", "new", "more", "is_warned"),
    [
        ("1.33.5", "1.34.10", (), True),
        ("1.34.10", "1.35.8", (), False),
        ("1.34.10", "1.35.8", GATE, True),
        ("1.30.14", "1.31.14", (), False),  # they restart
    ],
)
def test_containers_that_are_not_ready_until_their_probe_passes_again(
    run: Run, old: str, new: str, more: tuple[str, ...], is_warned: bool
) -> None:
    pods = [ready("one", 5), ready("slow", 20), ready("not", 90, now=False), pod(C, name="unprobed")]
    command = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more)
    lines = run(*command, stdin=as_json(*pods)).document["spec"]["besides"]
    warnings = [line for line in lines if "readinessProbe" in line]
    expected = (
        f"2 containers with a readinessProbe or startupProbe are not ready when {new} starts until it "
        "passes again, up to 20 s (ns/slow/c), so that pods leave their Services: ns/one/c, ns/slow/c"
    )
    assert warnings == ([expected] if is_warned else [])


@pytest.mark.parametrize(
    ("old", "new", "probes", "seconds"),
    [
        pytest.param("1.34.8", "1.34.10", ("readinessProbe", "startupProbe"), 12, id="every pod's"),
        pytest.param(
            "1.35.4", "1.35.8", ("readinessProbe", "startupProbe"), 5, id="what has started is kept"
        ),
        pytest.param("1.35.4", "1.35.8", ("startupProbe",), 0, id="kept"),
        pytest.param("1.35.4", "1.35.8", (), 0, id="no probe"),
    ],
)
def test_static_pods_are_not_ready_again_under_any_kubelet(
    run: Run, old: str, new: str, probes: tuple[str, ...], seconds: int
) -> None:
    """setReadyStateOnKubeletRestart looks at the conditions of the static pod, which has none (1.35.8)."""
    periods = {"readinessProbe": 5, "startupProbe": 7}
    given = mirror_pod({**C, **{name: {"periodSeconds": periods[name]} for name in probes}})
    given["status"] = ready("x", 1)["status"]
    command = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json")
    spec = run(*command, stdin=as_json(given)).document["spec"]
    warnings = [line for line in spec["besides"] if "readinessProbe" in line]
    assert [f"up to {seconds} s" in line for line in warnings] == ([True] if seconds else [])


@pytest.mark.parametrize(
    ("state", "seconds", "is_warned"),
    [("waiting", 60, True), ("waiting", 10**9, False), ("running", 60, False), ("waiting", None, False)],
)
def test_a_pod_of_which_nothing_runs_fails_once_its_deadline_has_passed(
    run: Run, state: str, seconds: int | None, *, is_warned: bool
) -> None:
    """ShouldEvict comes before its containers are looked at (generateAPIPodStatus, 1.34.12 and 1.35.8)."""
    given = pod(C, spec={} if seconds is None else {"activeDeadlineSeconds": seconds})
    states = [{"name": "c", "restartCount": 3, "state": {state: {}}}]
    given["status"] = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "containerStatuses": states}
    late = pod(C, name="late", status={"phase": "Running", "containerStatuses": [{"name": "c"}]})
    start = {"running": {"startedAt": "2026-01-02T00:00:00Z"}}
    late["status"]["containerStatuses"][0] |= {"restartCount": 0, "state": start}
    command = ("plan", "--from", "1.34.12", "--to", "1.35.8", "-f", "-", "-o", "json")
    result = run(*command, stdin=as_json(given, late))
    line = (
        "1 pod of which nothing runs now turns Failed for good when 1.35.8 starts (its activeDeadlineSeconds "
        "have passed since its startTime): ns/p"
    )
    assert (line in result.document["spec"]["besides"]) is is_warned


def merged(catalog: Catalog, old: str, new: str, *pods: Json) -> Plan:
    """Return the plan of pods that a process each decides."""
    planners = [Planner(Way(old, new), (), View(catalog)) for _ in pods]
    for planner, manifest in zip(planners, pods, strict=True):
        for each in collect([manifest]).pods:
            planner.add(each)
    first, *others = planners
    for other in others:
        first.merge(other.rows(), other.doubts)
    return first.plan()


def test_unready_containers_of_several_processes_are_one_line(catalog: Catalog) -> None:
    pods = [ready("a", 5), ready("b", 9), ready("d", 9), ready("c", 3)]
    (line,) = (text for text in merged(catalog, "1.33.5", "1.34.10", *pods).besides if "Probe" in text)
    assert line.startswith("4 containers")
    assert "up to 9 s (ns/b/c)" in line
    assert line.endswith(": ns/a/c, ns/b/c, ns/c/c, 1 more")


def env(kind: str, *, optional: bool = False) -> Json:
    source = {"name": "n", "key": "k", **({"optional": True} if optional else {})}
    return {"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {f"{kind}KeyRef": source}}]}


def env_from(kind: str, *, optional: bool = False) -> Json:
    return {"envFrom": [{f"{kind}Ref": {"name": "n", **({"optional": True} if optional else {})}}]}


ALWAYS = "1 container that restarts with imagePullPolicy Always is down until a registry answers: ns/p/c"
NEVER = (
    "1 container that restarts with imagePullPolicy Never is down for good where the node has lost the "
    "image: ns/p/c"
)
OBJECTS = (
    "1 container that restarts with Secrets or ConfigMaps in the environment is down while one of these is "
    "missing: ns/p/c"
)


@pytest.mark.parametrize(
    ("new", "more", "lines"),
    [
        ("1.31.14", {"imagePullPolicy": "Always"}, [ALWAYS]),
        ("1.31.14", {"imagePullPolicy": "Never"}, [NEVER]),
        ("1.31.14", {"imagePullPolicy": "IfNotPresent"}, []),
        ("1.31.14", env("secret"), [OBJECTS]),
        ("1.31.14", env_from("configMap"), [OBJECTS]),
        ("1.31.14", env("configMap", optional=True), []),
        ("1.31.14", env_from("secret", optional=True), []),
        ("1.31.14", {"imagePullPolicy": "Always", **env("secret")}, [ALWAYS, OBJECTS]),
        ("1.30.13", {"imagePullPolicy": "Always", **env("secret")}, []),
    ],
)
def test_what_a_container_that_restarts_needs_to_start_again(
    run: Run, new: str, more: Json, lines: list[str]
) -> None:
    command = ("plan", "--from", "1.30.14", "--to", new, "-f", "-", "-o", "json")
    spec = run(*command, stdin=as_json(pod({**C, **more}))).document["spec"]
    assert sorted(spec["besides"]) == sorted(lines)


PULLED = (
    "1 container that restarts with an image that another container runtime needs too is down until a "
    "registry answers, unless it is there already: ns/p/c"
)
BROUGHT = (
    "1 container that restarts with imagePullPolicy Never in another container runtime is down for good "
    "unless the image was brought there: ns/p/c"
)


@pytest.mark.parametrize(
    ("new", "policy", "more", "lines"),
    [
        ("1.24.17", "IfNotPresent", (), [PULLED]),
        ("1.24.17", "Never", (), [BROUGHT]),
        ("1.24.17", "Always", (), [ALWAYS]),
        ("1.24.17", "IfNotPresent", ("--cri-dockerd",), []),
        ("1.23.16", "IfNotPresent", (), []),
        ("1.23.16", "IfNotPresent", ("--other-runtime",), [PULLED]),
    ],
)
def test_another_container_runtime_has_none_of_the_images(
    run: Run, new: str, policy: str, more: tuple[str, ...], lines: list[str]
) -> None:
    host = node("v1.23.17")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.24"
    given = as_json(host, pod({**C, "imagePullPolicy": policy}))
    spec = run("plan", "--to", new, "-f", "-", "-o", "json", *more, stdin=given).document["spec"]
    assert spec["besides"] == lines


def test_what_a_pods_init_container_needs_in_another_container_runtime(run: Run) -> None:
    given = pod({**C, "name": "main"}, spec={"initContainers": [{**C, "imagePullPolicy": "IfNotPresent"}]})
    given["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "main", "state": {"running": {}}}],
        "initContainerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 0}}}],
    }
    way = ("plan", "--from", "1.30.13", "--to", "1.30.14", "--other-runtime", "-f", "-", "-o", "json")
    (line,) = run(*way, stdin=as_json(given)).document["spec"]["besides"]
    assert line.startswith("2 containers that restart with an image that another container runtime needs too")


@pytest.mark.parametrize(("state", "lines"), [("SANDBOX_NOTREADY", [ALWAYS]), ("SANDBOX_READY", [])])
def test_what_an_init_container_of_a_recreated_pod_needs_to_run_again(
    run: Run, tmp_path: Path, state: str, lines: list[str]
) -> None:
    """Without its image the containers after it do not start (kuberuntime_manager.go computePodActions)."""
    box = {"metadata": {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0}, "state": state}
    (tmp_path / "sandboxes.json").write_text(json.dumps([{"status": box}]))
    given = pod({**C, "name": "main"}, spec={"initContainers": [{**C, "imagePullPolicy": "Always"}]})
    given["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "main", "state": {"running": {}}}],
        "initContainerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 0}}}],
    }
    way = ("--from", "1.36.4", "--to", "1.36.5", "--recorded", tmp_path / "sandboxes.json")
    besides = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(given)).document["spec"]["besides"]
    assert besides == lines


def test_needs_of_several_processes_are_one_line(catalog: Catalog) -> None:
    pods = [pod({**C, "imagePullPolicy": "Never"}, name=name) for name in "ab"]
    besides = merged(catalog, "1.30.14", "1.31.14", *pods).besides
    assert any(text.endswith(": ns/a/c, ns/b/c") for text in besides)


def test_what_happens_besides_restarts_is_in_every_report(run: Run, tmp_path: Path) -> None:
    cluster = as_json(ready("one", 5))
    way = ("--from", "1.33.5", "--to", "1.34.10", "-f", "-")
    line = "1 container with a readinessProbe or startupProbe is not ready when 1.34.10 starts"
    page = run("plan", *way, "-o", "html", stdin=cluster).out
    assert 'id="besides-restarts">Besides restarts</h2>' in page
    assert line in page
    explained = run("explain", "ns/one/c", *way, stdin=cluster).out
    assert line in explained.partition("Besides restarts")[2]
    assert line in run("explain", "ns/one/c", *way, "-o", "json", stdin=cluster).document["besides"][0]
    assert f"Besides restarts: {line}" in run("impact", *way, stdin=cluster).err
    saved = tmp_path / "plan.json"
    assert f"Besides restarts: {line}" in run("plan", *way, "--out", saved, stdin=cluster).err
    assert plans.read(str(saved)).besides[0].startswith(line)
    document = json.loads(saved.read_text())
    del document["digest"], document["spec"]["besides"]  # as an older version saved it
    saved.write_text(json.dumps(document))
    assert plans.read(str(saved)).besides == ()


@pytest.mark.parametrize(
    ("status", "spec", "is_said"),
    [
        pytest.param({"waiting": {"reason": "CrashLoopBackOff"}}, {"disk": "ssd"}, True, id="it waits"),
        pytest.param({"waiting": {"reason": "CrashLoopBackOff"}}, {}, False, id="it is admitted"),
        pytest.param(
            {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, {"disk": "ssd"}, False, id="it runs"
        ),
    ],
)
def test_a_pod_that_is_not_admitted_again_though_nothing_of_it_runs(
    run: Run, status: Json, spec: Json, is_said: bool
) -> None:
    given = pod(C, spec={"nodeSelector": spec})
    given["status"] = {"phase": "Running", "containerStatuses": [{"name": "c", "state": status}]}
    host = node("v1.31.14")
    host["metadata"]["labels"] = {"disk": "hdd"}
    result = run("plan", "--to", "1.32.13", "-f", "-", "-o", "json", stdin=as_json(host, given))
    said = [line for line in result.document["spec"]["besides"] if "of which nothing runs" in line]
    assert [line.endswith("do not have): ns/p") for line in said] == [True] * is_said


@pytest.mark.parametrize(
    ("new", "is_said"),
    [
        ("1.21.14", False),
        ("1.27.16", True),
        *(("1.28.13", True), ("1.28.14", False)),
        *(("1.29.8", True), ("1.29.9", False)),
        *(("1.30.4", True), ("1.30.5", False)),
        *(("1.31.0", True), ("1.31.1", False)),
        ("1.32.13", False),
    ],
)
def test_a_finished_pod_that_is_refused_fails_after_all(run: Run, new: str, is_said: bool) -> None:
    given = pod(C, spec={"nodeSelector": {"disk": "ssd"}}, status={"phase": "Succeeded"})
    host = node(f"v{new}")
    host["metadata"]["labels"] = {"disk": "hdd"}
    result = run("plan", "--to", new, "-f", "-", "-o", "json", stdin=as_json(host, given))
    said = [line for line in result.document["spec"]["besides"] if "from Succeeded to Failed" in line]
    assert [line.endswith("counts as a failure: ns/p") for line in said] == [True] * is_said


@pytest.mark.parametrize(
    ("image", "policy", "is_said"),
    [("i", None, True), ("i:latest", None, True), ("i:1", None, False), ("i", "IfNotPresent", False)],
)
def test_a_manifest_without_a_pull_policy_has_its_default(
    run: Run, image: str, policy: str | None, is_said: bool
) -> None:
    container = {"name": "c", "image": image, **({"imagePullPolicy": policy} if policy else {})}
    given = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [container]},
    }
    way = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "-o", "json")
    assert (
        any("answers" in line for line in run(*way, stdin=as_json(given)).document["spec"]["besides"])
        is is_said
    )


SIDE = {"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always"}]}


@pytest.mark.parametrize(("new", "verdict"), [("1.27.16", "KEEP"), ("1.28.15", "KILL")])
def test_a_kubelet_before_1_28_waits_for_the_end_of_a_sidecar(run: Run, new: str, verdict: str) -> None:
    given = pod(C, spec={**SIDE, "restartPolicy": "Never"})
    given["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 0}}}],
        "initContainerStatuses": [
            {"name": "s", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, "restartCount": 0}
        ],
    }
    way = ("plan", "--from", "1.29.15", "--to", new, "--feature-gates", "SidecarContainers=true")
    result = run(*(way[:5] if new == "1.27.16" else way), "-f", "-", "-o", "json", stdin=as_json(given))
    assert [item["verdict"] for item in result.items if item["container"] == "s"] == [verdict]
    stuck = [line for line in result.document["spec"]["besides"] if "waits for its end" in line]
    assert bool(stuck) is (verdict == "KEEP")


USERS_OFF = "hostUsers needs the feature gate UserNamespacesSupport, which is off"


@pytest.mark.parametrize(
    ("old", "new", "spec", "more", "expected"),
    [
        pytest.param(
            "1.33.13", "1.32.13", {"hostUsers": False}, (), [USERS_OFF], id="back to a gate that is off"
        ),
        pytest.param("1.33.13", "1.32.13", {"hostUsers": True}, (), [USERS_OFF], id="whatever it says"),
        pytest.param("1.33.13", "1.32.13", {}, (), [], id="it says nothing"),
        pytest.param("1.33.13", "1.34.12", {"hostUsers": False}, (), [], id="on in both"),
        pytest.param("1.32.10", "1.33.13", {"hostUsers": False}, (), [], id="on from now on"),
        pytest.param("1.31.14", "1.32.13", {"hostUsers": False}, (), [], id="it runs, so that it is on"),
        pytest.param(
            "1.33.13",
            "1.32.13",
            {"hostUsers": False},
            ("--feature-gates", "UserNamespacesSupport=true"),
            [],
            id="it is set",
        ),
    ],
)
def test_a_container_that_is_kept_and_cannot_be_created_again_is_warned_of(
    run: Run, old: str, new: str, spec: Json, more: tuple[str, ...], expected: list[str]
) -> None:
    """1.32.13 ``GetOrCreateUserNamespaceMappings``: an error for each container of the pod."""
    command = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more)
    result = run(*command, stdin=as_json(pod(C, spec=spec)))
    assert result.item["verdict"] == "KEEP"
    start = "1 pod does not start again once a container ends: "
    warnings = [
        line.removeprefix(start) for line in result.document["spec"]["besides"] if line.startswith(start)
    ]
    assert [line.partition(": ")[0] for line in warnings] == expected


def test_a_manifest_whose_field_an_api_server_may_drop_is_not_warned_of(run: Run) -> None:
    given = pod(C, spec={"hostUsers": False})
    del given["metadata"]["uid"]
    result = run(
        "plan", "--from", "1.33.13", "--to", "1.32.13", "-f", "-", "-o", "json", stdin=as_json(given)
    )
    assert USERS_OFF not in str(result.document["spec"]["besides"])
