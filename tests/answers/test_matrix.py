"""The boundaries between minors, against the table that was read from the kubelet's sources."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path as File
from typing import Any

import pytest

from hashcompat.analysis.answers.matrix import Path, cell, cheapest_path, make, shortest_path
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.alike import within_policy
from hashcompat.core.model.plan import Hop, Scope
from tests.helpers import randomness
from tests.helpers.dumps import GONE, Key, as_text, dump
from tests.helpers.pods import PLAIN, Json, as_json, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import hash_of, record, recorded

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
BOUNDARIES = [
    (
        "1.6",
        "1.7",
        Scope.SOME,
        {f"{h}.tcpSocket.host" for h in (*PROBES[:2], "lifecycle.postStart", "lifecycle.preStop")},
    ),
    (
        "1.7",
        "1.8",
        Scope.SOME,
        {"volumeMounts[*].mountPropagation", "securityContext.allowPrivilegeEscalation"},
    ),
    ("1.8", "1.9", Scope.ALL, {"volumeDevices"}),
    ("1.9", "1.10", Scope.SOME, {"securityContext.runAsGroup"}),
    ("1.10", "1.11", Scope.NONE, set()),
    ("1.11", "1.12", Scope.SOME, {"securityContext.procMount"}),
    ("1.12", "1.13", Scope.NONE, set()),
    ("1.13", "1.14", Scope.SOME, {"volumeMounts[*].subPathExpr"}),
    ("1.14", "1.15", Scope.SOME, {"securityContext.windowsOptions"}),
    ("1.15", "1.16", Scope.ALL, set()),
    ("1.16", "1.17", Scope.NONE, set()),
    ("1.17", "1.18", Scope.NONE, set()),
    ("1.18", "1.19", Scope.SOME, {"securityContext.seccompProfile"}),
    ("1.19", "1.20", Scope.NONE, set()),
    ("1.20", "1.21", Scope.SOME, {f"{probe}.terminationGracePeriodSeconds" for probe in PROBES}),
    ("1.21", "1.22", Scope.SOME, {"securityContext.windowsOptions.hostProcess"}),
    ("1.22", "1.23", Scope.SOME, {f"{probe}.grpc" for probe in PROBES}),
    ("1.23", "1.24", Scope.NONE, set()),
    ("1.24", "1.25", Scope.NONE, set()),
    ("1.25", "1.26", Scope.SOME, {"resources.claims"}),
    ("1.26", "1.27", Scope.SOME, {"resizePolicy"}),
    ("1.27", "1.28", Scope.SOME, {"restartPolicy"}),
    ("1.28", "1.29", Scope.SOME, {"lifecycle.postStart.sleep", "lifecycle.preStop.sleep"}),
    ("1.29", "1.30", Scope.SOME, {"volumeMounts[*].recursiveReadOnly", "securityContext.appArmorProfile"}),
    ("1.30", "1.31", Scope.ALL, set()),
    ("1.31", "1.32", Scope.NONE, set()),
    ("1.35", "1.36", Scope.NONE, set()),
    ("1.36", "1.37", Scope.NONE, set()),
]


@pytest.mark.parametrize(
    ("older", "newer", "scope", "paths"), BOUNDARIES, ids=[f"{a}-{b}" for a, b, _, _ in BOUNDARIES]
)
def test_what_restarts_between_two_minors(
    catalog: Catalog, older: str, newer: str, scope: Scope, paths: set[str]
) -> None:
    there = cell(catalog.kubelet(f"{older}.0" if older != "1.5" else "1.5.8"), catalog.kubelet(f"{newer}.0"))
    assert (there.scope, {change.path for change in there.fields}) == (scope, paths)
    assert all(change.added for change in there.fields)


@pytest.mark.parametrize(
    ("older", "newer", "scope", "paths"), BOUNDARIES, ids=[f"{b}-{a}" for a, b, _, _ in BOUNDARIES]
)
def test_the_way_back_restarts_the_same(
    catalog: Catalog, older: str, newer: str, scope: Scope, paths: set[str]
) -> None:
    back = cell(catalog.kubelet(f"{newer}.0"), catalog.kubelet(f"{older}.0"))
    assert (back.scope, {change.path for change in back.fields}) == (scope, paths)
    assert not any(change.added for change in back.fields)


def test_json_eras_ask_whether_a_field_is_set(catalog: Catalog) -> None:
    assert cell(catalog.kubelet("1.22.0"), catalog.kubelet("1.23.0")).if_set
    assert not cell(catalog.kubelet("1.13.0"), catalog.kubelet("1.14.0")).if_set


def way(**costs: int) -> Callable[[str, str], Hop]:
    """Return the cost of each step: ``ab=10`` from a to b, ``ab_unknown=1`` for what is not decided."""
    return lambda old, new: Hop(old, new, costs.get(old + new, 0), costs.get(f"{old}{new}_unknown", 0), ())


def stops(path: Path) -> list[str]:
    return [step.new for step in path.hops]


def test_the_cheapest_path_skips_a_release_that_would_restart_twice() -> None:
    path = cheapest_path("abcd", way(ab=10, bc=10, ac=12, ad=12, bd=15))
    assert (stops(path), path.findings) == (["c", "d"], 12)


def test_of_equal_paths_the_one_with_small_steps_wins() -> None:
    assert stops(cheapest_path("abc", way())) == ["b", "c"]
    assert cheapest_path("a", way()) == Path()


def test_what_is_not_decided_is_no_cheap_step() -> None:
    path = cheapest_path("abc", way(ab_unknown=3, bc=0, ac=2))
    assert (stops(path), path.findings, path.unknown) == (["c"], 2, 0)


def test_the_counts_of_a_path_are_the_sums_of_its_steps() -> None:
    path = Path((Hop("a", "b", 3, 1, ()), Hop("b", "c", 4, 2, ())))
    assert (path.findings, path.unknown) == (7, 3)


def test_the_shortest_path_takes_the_steps_that_are_allowed_and_of_equal_ones_the_cheapest() -> None:
    def near(old: str, new: str) -> bool:
        return ord(new) - ord(old) <= 2

    path = shortest_path("abcde", way(ac=5, ce=1, bd=0), near)
    assert path is not None
    assert (stops(path), path.findings) == (["c", "e"], 6)
    cheaper = shortest_path("abcd", way(ab=5, bd=1, ac=1, cd=2), near)
    assert cheaper is not None
    assert (stops(cheaper), cheaper.findings) == (["c", "d"], 3)
    undecided = shortest_path("abcd", way(ac_unknown=9, cd=0, ab=1, bd=1), near)
    assert undecided is not None
    assert stops(undecided) == ["b", "d"]


def test_without_an_allowed_step_there_is_no_shortest_path() -> None:
    assert shortest_path("abc", way(), lambda old, new: (old, new) == ("a", "b")) is None
    assert shortest_path("abc", way(), lambda old, new: False) is None  # noqa: ARG005
    assert shortest_path("a", way(), lambda old, new: False) == Path()  # noqa: ARG005


@pytest.mark.parametrize("number", range(50))
def test_paths_are_those_of_a_slow_search(number: int) -> None:
    """Every path of six releases, with random counts."""
    rng = random.Random(f"{randomness.SEED}/{number}")
    hops = {pair: Hop(*pair, rng.randrange(4), rng.randrange(3), ()) for pair in combinations("abcdef", 2)}
    barred = {pair for pair in hops if rng.random() < 0.3}
    paths = [
        Path(tuple(hops[step] for step in pairwise(["a", *between, "f"])))
        for length in range(5)
        for between in combinations("bcde", length)
    ]
    cheapest = cheapest_path("abcdef", lambda old, new: hops[old, new])
    assert cost(cheapest) == min(map(cost, paths))
    allowed = [path for path in paths if all((hop.old, hop.new) not in barred for hop in path.hops)]
    shortest = shortest_path("abcdef", lambda old, new: hops[old, new], lambda *pair: pair not in barred)
    answer = [] if shortest is None else [(len(shortest.hops), cost(shortest)[:2])]
    assert answer == sorted((len(path.hops), cost(path)[:2]) for path in allowed)[:1]


def cost(path: Path) -> tuple[int, int, int]:
    return path.findings + path.unknown, path.findings, -len(path.hops)


@pytest.mark.parametrize(
    ("old", "new", "inside"),
    [
        ("1.22.0", "1.24.0", True),
        ("1.22.0", "1.25.0", False),
        ("1.25.0", "1.28.0", True),
        ("1.25.0", "1.29.0", False),
        ("1.28.0", "1.25.0", True),
        ("1.25.0", "1.22.0", False),
        ("1.9.0", "1.9.11", True),
    ],
)
def test_a_kubelet_may_skip_minors_as_far_as_its_api_server_allows(
    catalog: Catalog, old: str, new: str, *, inside: bool
) -> None:
    assert within_policy(catalog.kubelet(old), catalog.kubelet(new)) is inside


NODES = (node("v1.17.17"), node("v1.27.16", "n2"))


def test_the_shortest_path_of_pods_is_inside_the_policy(catalog: Catalog) -> None:
    matrix = make(View(catalog), "1.21.14", "1.28.15", collect([pod(), *NODES]))
    assert matrix.shortest is not None
    assert stops(matrix.shortest) == ["1.23.17", "1.25.16", "1.28.15"]


def test_no_path_is_inside_the_policy_where_nodes_are_too_far_apart(catalog: Catalog) -> None:
    matrix = make(View(catalog), "auto", "1.28.15", collect([pod(), *NODES]))
    assert matrix.shortest is None
    assert matrix.path is not None


STARTED = "2026-01-01T00:00:00Z"
PAIR = ("--from", "1.36.4", "--to", "1.36.5")


def running_since(start: str, **more: Any) -> Json:
    status = {"name": "c", "state": {"running": {"startedAt": start}}}
    made = pod(PLAIN, **more)
    return made | {"status": {"phase": "Running", "startTime": STARTED, "containerStatuses": [status]}}


@pytest.mark.parametrize("reached", ["2026-01-01T00:30:00Z", "2026-01-01T01:00:00Z"])
@pytest.mark.parametrize("by_node", [True, False])
def test_a_pod_past_its_deadline_counts_as_in_a_plan(run: Run, reached: str, by_node: bool) -> None:
    limited = running_since(STARTED, spec={"activeDeadlineSeconds": 3600})
    unlike = running_since(STARTED, name="q", spec={"activeDeadlineSeconds": 2 << 28})
    last = node("v1.36.4") if by_node else running_since(reached, name="r")
    if by_node:
        last["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": reached}]
    given = as_json(limited, unlike, last)
    cell = run("matrix", *PAIR, "--every-patch", "-f", "-", "-o", "json", stdin=given).items[0]
    planned = run("plan", *PAIR, "-f", "-", "-o", "json", stdin=given).document["summary"]
    assert cell["findings"] == planned["kill"] == (reached == "2026-01-01T01:00:00Z")


def test_a_pod_without_a_sandbox_counts_as_in_a_plan(run: Run, tmp_path: File) -> None:
    first, other = running_since(STARTED), running_since(STARTED, name="q")
    first["spec"]["initContainers"] = [{"name": "s", "image": "i", "restartPolicy": "Always"}]
    boxes = [
        {"status": {"metadata": {"name": "q", "uid": "uid-q", "namespace": "ns"}, "state": "SANDBOX_READY"}}
    ]
    (tmp_path / "boxes.json").write_text(json.dumps(boxes))
    rows = (*recorded(tmp_path, record(1, "q"), record(1)), "--recorded", tmp_path / "boxes.json")
    given = as_json(first, other)
    cell = run("matrix", *PAIR, "--every-patch", "-f", "-", *rows, "-o", "json", stdin=given).items[0]
    planned = run("plan", *PAIR, "-f", "-", *rows, "-o", "json", stdin=given)
    assert cell["findings"] == planned.document["summary"]["restart"] > 0


def sized(name: str, cpu: str, **more: Any) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}, **more}
    return pod(container, name=name, metadata={"creationTimestamp": f"2026-01-0{len(name)}T00:00:00Z"})


def waiting(name: str, cpu: str) -> Json:
    """Return a pod whose container was given one CPU, and has another number in its spec."""
    made = sized(name, cpu, resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}])
    shown = {"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}
    row = {"name": "c", "image": "i", "state": {"running": {}}, "restartCount": 0, **shown}
    conditions = [{"type": "PodResizePending", "status": "True"}]
    return {**made, "status": {"phase": "Running", "conditions": conditions, "containerStatuses": [row]}}


def host(cpu: str, name: str = "n1") -> Json:
    made = node("v1.34.10", name)
    made["status"]["allocatable"] = {"cpu": cpu, "memory": "64Gi", "pods": "110"}
    return made


LEVEL = {"resources": {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}}
PORTED = {
    "initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always", "ports": [{"hostPort": 9}]}]
}
CROWDS: dict[str, list[Json]] = {
    "too large": [host("1"), sized("a", "800m"), sized("bb", "800m"), sized("ccc", "100m")],
    "ports": [node("v1.34.10"), *(pod({"name": "c", "image": "i"}, name=name, spec=PORTED) for name in "ab")],
    "resizes": [host("4"), waiting("a", "4"), sized("bb", "2"), sized("ccc", "500m")],
    "of pods themselves": [
        host("4"),
        sized("a", "2"),
        pod({"name": "c", "image": "i"}, name="bb", spec=LEVEL),
        pod({"name": "c", "image": "i"}, name="elsewhere", node="n2"),
        host("4", "n2"),
    ],
}


@pytest.mark.parametrize("cluster", CROWDS.values(), ids=CROWDS)
def test_what_has_no_room_counts_as_in_a_plan(run: Run, cluster: list[Json]) -> None:
    given, changed = as_json(*cluster), 0
    first, last = ("1.32.13", "1.37.2") if randomness.FRESH else ("1.32.13", "1.35.10")
    every = run("matrix", "--from", first, "--to", last, "-f", "-", "-o", "json", stdin=given)
    for item in every.items:
        way = ("--from", item["from"], "--to", item["to"], "--override-node-releases")
        planned = run("plan", *way, "-f", "-", "-o", "json", stdin=given).document["summary"]
        assert item["findings"] == planned["restart"] + planned["kill"], way
        assert item["unknown"] == planned["unknown"], way
        changed += item["findings"] + item["unknown"] > 0
    assert changed
    assert "room" not in every.err


def test_by_the_releases_of_nodes_room_counts_too(run: Run) -> None:
    given = as_json(*CROWDS["too large"])
    items = run("matrix", "--from", "auto", "--to", "1.36.5", "-f", "-", "-o", "json", stdin=given).items
    of_auto = {item["to"]: item["findings"] for item in items if item["from"] == "auto"}
    assert (
        of_auto["1.36.5"]
        == run(*("plan", "--from", "auto", "--to", "1.36.5", "-f", "-", "-o", "json"), stdin=given).document[
            "summary"
        ]["kill"]
    )


def test_pods_of_other_namespaces_take_room_as_in_a_plan(run: Run) -> None:
    other = sized("a", "800m")
    other["metadata"]["namespace"] = "other"
    given = as_json(host("1"), other, sized("bb", "800m"))
    flags = ("--from", "1.34.10", "--to", "1.35.8", "-n", "ns", "-f", "-", "-o", "json")
    cell = run("matrix", *flags, stdin=given).items[0]
    assert cell["findings"] == run("plan", *flags, stdin=given).document["summary"]["kill"] == 1


def test_cpus_that_pods_take_first_count_as_in_a_plan(run: Run, tmp_path: File) -> None:
    amounts = {"cpu": "4", "memory": "1Gi"}
    container = {"name": "c", "image": "i", "resources": {"limits": amounts, "requests": amounts}}
    pods = [pod(container, name=name) for name in "pq"]
    rows = [record(hash_of(run, "1.35.8", container), name) for name in "pq"]
    config = (
        "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\ncpuManagerPolicy: static\n"
    )
    changes: dict[Key, Any] = {
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": rows}),
        ("file", "/var/lib/kubelet/config.yaml"): f"{config}reservedSystemCPUs: '0'\n",
        ("file", "/var/lib/kubelet/cpu_manager_state"): json.dumps(
            {"policyName": "static", "defaultCpuSet": "0-7", "entries": {}, "checksum": 0}
        ),
        ("file", "/sys/devices/system/cpu/online"): "0-7",
    }
    (tmp_path / "n1.jsonl").write_text(as_text(dump(changes)))
    given, more = (
        as_json(*pods, node("v1.35.8")),
        ("--recorded", tmp_path / "n1.jsonl", "-f", "-", "-o", "json"),
    )
    items = run("matrix", "--from", "1.35.8", "--to", "1.37.2", *more, stdin=given).items
    planned = run("plan", "--from", "1.35.8", "--to", "1.37.2", *more, stdin=given).document
    assert {(item["from"], item["to"]): item["unknown"] for item in items}["1.35.8", "1.37.2"] == 2
    assert planned["summary"]["unknown"] == 2


def test_of_too_many_pods_room_is_not_counted_and_their_number_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hashcompat.analysis.planning.counting._MOST_DECIDED_AGAIN", 5)
    given = as_json(*CROWDS["too large"])
    result = run("matrix", "--from", "1.36.3", "--to", "1.37.2", "-f", "-", stdin=given)
    said = (
        "1 more step: room is not counted for the 3 pods of n1, which may lack it for some: hashcompat plan"
    )
    assert said in result.err
