"""Room: what a kubelet that starts does not admit again beside the pods before it."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room import Asking, Sums, Tenant, asking, given, outcomes
from hashcompat.core.model.plan import Shortage
from hashcompat.sources.values import collect
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import hash_of, record, recorded

CRITICAL = {"priority": 2_000_000_000}


def host(**allocatable: str) -> Json:
    made = node("v1.33.5")
    made["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110", **allocatable}
    return made


def sized(name: str, created: str = "", spec: Any = None, **requests: str) -> Json:
    """Return a pod of a container that asks for something, created at a time of one day."""
    container = {"name": "c", "image": "i", "resources": {"requests": requests}}
    made = pod(container, name=name, spec={"restartPolicy": "Always", **(spec or {})})
    if created:
        made["metadata"]["creationTimestamp"] = f"2026-01-01T{created}:00Z"
    made["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"running": {}}}],
    }
    return made


def verdicts(run: Run, *objects: Json, old: str = "1.33.5", new: str = "1.33.13") -> dict[str, str]:
    """Return the verdict of each pod's first container, with the resource that is missing."""
    flags = ("--override-node-releases",)
    result = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *flags, stdin=as_json(*objects))
    assert result.code == 0, result.err
    found = {}
    for item in result.items:
        why = next((one["text"] for one in item["reasons"] if one["id"] == "HC048"), "")
        out = why.removeprefix("not admitted again: ").partition(":")[0]
        found[item["pod"]] = f"{item['verdict']} {out}".strip()
    return found


def test_hc048_the_newest_pod_that_does_not_fit_is_refused(run: Run) -> None:
    pods = [sized("old", "01:00", cpu="3"), sized("new", "03:00", cpu="2"), sized("small", "04:00", cpu="1")]
    assert verdicts(run, host(), *pods) == {"old": "KEEP", "new": "KILL OutOfcpu", "small": "KEEP"}
    assert verdicts(run, host(), *reversed(pods)) == {"old": "KEEP", "new": "KILL OutOfcpu", "small": "KEEP"}
    assert set(verdicts(run, host(cpu="6"), *pods).values()) == {"KEEP"}
    assert set(verdicts(run, node("v1.33.5"), *pods).values()) == {"KEEP"}


@pytest.mark.parametrize(
    ("resource", "least"),
    [
        ("memory", "2Gi"),
        ("ephemeral-storage", "1Gi"),
        ("hugepages-2Mi", "4Mi"),
        ("attachable-volumes-csi", "1"),
    ],
)
def test_hc048_any_resource_may_be_missing(run: Run, resource: str, least: str) -> None:
    pods = [sized("old", "01:00", **{resource: least}), sized("new", "03:00", **{resource: least})]
    assert verdicts(run, host(**{resource: least}), *pods) == {"old": "KEEP", "new": f"KILL OutOf{resource}"}


def test_hc048_so_may_the_number_of_pods(run: Run) -> None:
    pods = [sized("old", "01:00"), sized("done", "02:00"), sized("new", "03:00")]
    pods[1]["status"]["phase"] = "Succeeded"
    pods[1]["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}
    assert verdicts(run, host(pods="2"), *pods) == {"old": "KEEP", "done": "KEEP", "new": "KEEP"}
    found = verdicts(run, host(pods="1"), *pods)
    assert (found["old"], found["new"]) == ("KEEP", "KILL OutOfpods")


def test_hc048_pods_of_one_second_have_no_order(run: Run) -> None:
    pods = [sized("one", "01:00", cpu="3"), sized("other", "01:00", cpu="3"), sized("late", "02:00", cpu="3")]
    found = verdicts(run, host(), *pods)
    assert found == {"one": "UNKNOWN OutOfcpu", "other": "UNKNOWN OutOfcpu", "late": "KILL OutOfcpu"}


def test_hc048_any_of_equal_pods_of_one_second_may_come_last(run: Run) -> None:
    pods = [sized(name, "01:00", cpu="1") for name in "abcde"]
    assert set(verdicts(run, host(), *pods).values()) == {"UNKNOWN OutOfcpu"}
    assert set(verdicts(run, host(), *pods[1:]).values()) == {"KEEP"}


def test_hc048_of_very_many_kinds_of_pods_of_one_second_none_is_certain(run: Run) -> None:
    pods = [sized(f"p{number}", "01:00", cpu=f"{100 + number}m") for number in range(40)]
    found = verdicts(run, host(cpu="4700m"), sized("old", "00:30", cpu="10m"), *pods)
    assert found.pop("old") == "KEEP"
    assert set(found.values()) == {"UNKNOWN OutOfcpu"}
    assert set(verdicts(run, host(cpu="4790m"), *pods).values()) == {"KEEP"}


@pytest.mark.parametrize("seed", range(60))
def test_what_is_certain_of_pods_of_one_second_is_so_in_every_order(catalog: Catalog, seed: int) -> None:
    rng, kubelet = random.Random(seed), catalog.kubelet("1.31.14")
    rows = [
        sized(f"p{number}", f"0{rng.choice('112')}:00", cpu=str(rng.randint(1, 4)))
        for number in range(rng.randint(3, 5))
    ]
    for row in rows:
        if rng.random() < 0.2:
            row["spec"]["priority"] = 2_000_000_000
        if seed >= 40 and rng.random() < 0.5:
            row["spec"]["containers"][0]["ports"] = [{"hostPort": rng.choice((1, 1, 2))}]
    node = given({"cpu": str(rng.randint(3, 9)), "pods": str(rng.randint(2, 5))})
    tenants = [Tenant(one, asking(one, {}, kubelet)) for one in collect(rows).pods]
    found = outcomes(tenants, node, kubelet)
    for order in itertools.permutations(tenants):
        seconds = [
            structs.replace(one, pod=structs.replace(one.pod, created=f"{one.pod.created[:17]}{second:02}Z"))
            for second, one in enumerate(order)
        ]
        refused = outcomes(seconds, node, kubelet)
        for one in tenants:
            short = found.get(one.pod.uid)
            assert (short and not short.certain) or (one.pod.uid in refused) is (short is not None)


def test_hc048_a_pod_that_is_refused_for_another_reason_takes_no_room(run: Run) -> None:
    elsewhere = sized("old", "01:00", {"nodeSelector": {"disk": "ssd"}}, cpu="3")
    labelled = host()
    labelled["metadata"]["labels"] = {"disk": "hdd"}
    assert verdicts(run, labelled, elsewhere, sized("new", "02:00", cpu="3")) == {
        "old": "KILL",
        "new": "KEEP",
    }


def test_hc048_static_pods_come_first(run: Run) -> None:
    static = mirror_pod({"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}})
    static["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z"
    assert verdicts(run, host(), static, sized("old", "01:00", cpu="2")) == {
        "p-n1": "KEEP",
        "old": "KILL OutOfcpu",
    }


def test_hc048_a_critical_pod_takes_the_room_of_others(run: Run) -> None:
    pods = [
        *(sized("best", "01:00"), sized("most", "01:01", cpu="2"), sized("less", "01:02", cpu="1500m")),
        sized("critical", "03:00", CRITICAL, cpu="1"),
    ]
    found = verdicts(run, host(), *pods)
    assert found == {"best": "KEEP", "most": "KEEP", "less": "KILL preempted", "critical": "KEEP"}
    assert verdicts(run, host(), *pods, old="1.10.0", new="1.10.13")["critical"] == "KILL OutOfcpu"
    large = sized("critical", "03:00", CRITICAL, cpu="5")
    found = verdicts(run, host(), *pods[:3], large)
    assert found["critical"] == "KILL UnexpectedAdmissionError"


def test_hc048_the_nearest_pods_are_preempted_best_effort_ones_first(run: Run) -> None:
    limits = {"cpu": "1", "memory": "1Gi"}
    guaranteed = sized("guaranteed", "01:00", **limits)
    guaranteed["spec"]["containers"][0]["resources"]["limits"] = limits
    pods = [
        *(guaranteed, sized("small", "01:01", cpu="500m"), sized("large", "01:02", cpu="2500m")),
        *(sized("low", "01:03", {"priority": 1}), sized("critical", "04:00", CRITICAL, cpu="3")),
    ]
    found = verdicts(run, host(), *pods)
    assert [name for name, verdict in found.items() if verdict == "KILL preempted"] == ["large", "small"] or {
        name for name, verdict in found.items() if verdict == "KILL preempted"
    } == {"large", "small"}
    assert found["guaranteed"] == found["critical"] == "KEEP"
    by_pods = verdicts(run, host(pods="4"), *pods[3:4], *pods[:3], sized("system", "05:00", CRITICAL))
    assert by_pods["low"] == "KILL preempted"


def test_hc048_a_device_plugin_may_make_room_but_a_claim_does_not(run: Run) -> None:
    gpu = "example.com/gpu"
    one = sized("one", "01:00", **{gpu: "1"})
    assert verdicts(run, host(**{gpu: "0"}), one) == {"one": f"UNKNOWN OutOf{gpu}"}
    assert verdicts(run, host(), one) == {"one": "KEEP"}
    one["status"]["extendedResourceClaimStatus"] = {
        "requestMappings": [{"containerName": "c", "resourceName": gpu, "requestName": "r"}]
    }
    assert verdicts(run, host(**{gpu: "0"}), one, old="1.36.4", new="1.36.5") == {"one": "KEEP"}
    assert verdicts(run, host(**{gpu: "0"}), one, old="1.36.5", new="1.35.8") == {"one": f"KILL OutOf{gpu}"}


def test_hc048_containers_that_do_not_run_rest_though_their_pod_is_refused(run: Run) -> None:
    late = sized("late", "02:00", cpu="3")
    late["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}
    assert verdicts(run, host(), sized("old", "01:00", cpu="3"), late) == {"old": "KEEP", "late": "KEEP"}


def test_hc048_is_explained_and_counts_in_hops_and_snapshots(run: Run) -> None:
    roomy = {**host(), "metadata": {"name": "n2"}}
    elsewhere = sized("elsewhere", "02:00", {"nodeName": "n2"}, cpu="3")
    objects = as_json(
        host(), roomy, sized("old", "01:00", cpu="3"), elsewhere, sized("new", "03:00", cpu="2")
    )
    way = ("--from", "1.32.13", "--to", "1.34.10", "--override-node-releases")
    item = run("explain", "ns/new/c", *way, "-f", "-", "-o", "json", stdin=objects).item
    assert item["verdict"] == "KILL"
    assert (
        "OutOfcpu: it asks for 2, and pods before it have 3 of the 4 of its node" in item["sentences"]["why"]
    )
    assert any("phase Failed, reason OutOfcpu" in row["text"] for row in item["expect"])
    document = run("plan", *way, "-f", "-", "-o", "json", stdin=objects).document
    assert [hop["findings"] for hop in document["spec"]["hops"]] == [1, 1]
    kept = run("snapshot", "-f", "-", stdin=objects).out.encode()
    again = run("plan", *way, "-f", "-", "-o", "json", stdin=kept).document
    assert [item["verdict"] for item in again["items"]] == [item["verdict"] for item in document["items"]]


def test_amounts_that_are_no_quantities_count_as_nothing(run: Run) -> None:
    assert verdicts(run, host(cpu="many"), sized("one", "01:00", cpu="9")) == {"one": "KEEP"}


INIT = [
    {"name": "i", "resources": {"requests": {"cpu": "3"}}},
    {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m", "x.com/y": "1"}}},
    {"name": "j", "resources": {"requests": {"cpu": "2", "x.com/y": "1"}}},
]
SUMMED: Json = {
    "initContainers": INIT,
    "overhead": {"cpu": "100m"},
    "resources": {"requests": {"cpu": "5", "memory": "1Gi"}},
}


@pytest.mark.parametrize(
    ("release", "own", "beside"),
    [
        ("1.9.11", {"cpu": 3000, "x.com/y": 1}, {"cpu": 1000}),
        ("1.15.12", {"cpu": 3000, "x.com/y": 1}, {"cpu": 1000}),
        ("1.16.15", {"cpu": 3000, "x.com/y": 1}, {"cpu": 3000, "x.com/y": 1}),
        ("1.18.20", {"cpu": 3100, "x.com/y": 1}, {"cpu": 3100, "x.com/y": 1}),
        ("1.27.16", {"cpu": 3100, "x.com/y": 1}, {"cpu": 3100, "x.com/y": 1}),
        ("1.28.15", {"cpu": 3100, "x.com/y": 2}, {"cpu": 3100, "x.com/y": 2}),
        ("1.31.14", {"cpu": 3100}, {"cpu": 3100, "x.com/y": 2}),
        ("1.34.10", {"cpu": 5100, "memory": 1 << 30}, {"cpu": 5100, "memory": 1 << 30, "x.com/y": 2}),
    ],
)
def test_each_release_sums_requests_in_its_own_way(
    catalog: Catalog, release: str, own: dict[str, int], beside: dict[str, int]
) -> None:
    (one,) = collect([sized("p", spec=SUMMED, cpu="1", other="7")]).pods
    found = asking(one, {"cpu": "4"}, catalog.kubelet(release))
    assert (found.own, found.beside) == (own, beside)


@pytest.mark.parametrize(
    ("release", "freed"),
    [
        ("1.28.15", {"cpu": 3100, "x.com/y": 1, "other": 7}),
        ("1.33.13", {"cpu": 3100, "x.com/y": 1, "other": 7}),
        ("1.34.10", {"cpu": 5100, "memory": 1 << 30}),
    ],
)
def test_what_a_critical_pod_gains_is_summed_in_another_way(
    catalog: Catalog, release: str, freed: dict[str, int]
) -> None:
    (one,) = collect([sized("p", spec=SUMMED, cpu="1", other="7")]).pods
    assert asking(one, {"cpu": "4"}, catalog.kubelet(release)).freed == freed


def test_a_resize_counts_beside_others_as_far_as_it_went(catalog: Catalog) -> None:
    made = sized("p", cpu="3", memory="1Gi")
    made["status"]["containerStatuses"][0] |= {
        "allocatedResources": {"cpu": "1", "memory": "1Gi"},
        "resources": {"requests": {"cpu": "2", "memory": "512Mi"}},
    }
    (one,) = collect([made]).pods
    found = asking(one, {}, catalog.kubelet("1.33.13"))
    assert (found.own, found.beside) == (
        {"cpu": 1000, "memory": 1 << 30},
        {"cpu": 2000, "memory": 1 << 30},
    )
    assert asking(one, {}, catalog.kubelet("1.32.13")).beside["cpu"] == 3000


def test_what_is_no_quantity_counts_as_nothing(catalog: Catalog) -> None:
    (one,) = collect([sized("p", cpu="many")]).pods
    assert asking(one, {}, catalog.kubelet("1.33.13")) == Asking({}, {})


def test_sums_of_several_processes_are_added_up() -> None:
    one, other = Sums(), Sums()
    one.add(Asking({"cpu": 1, "memory": 5}, {"cpu": 2}))
    other.add(Asking({"cpu": 3}, {"cpu": 3}))
    one.merge(other)
    assert (one.amounts, one.pods) == ({"cpu": 5, "memory": 5}, 2)
    assert one.fit(given({"cpu": "5m", "memory": "5"}))
    assert not one.fit(given({"cpu": "4m"}))
    assert not one.fit(given({"pods": "1"}))


@pytest.mark.parametrize(
    ("running", "new", "counts"),
    [(True, "1.36.3", True), (False, "1.36.3", False), (True, "1.22.17", True), (True, "1.21.14", False)],
)
def test_hc048_a_pod_that_has_finished_counts_while_it_runs(
    run: Run, new: str, *, running: bool, counts: bool
) -> None:
    failed = sized("failed", "01:00", cpu="3")
    failed["status"]["phase"] = "Failed"
    if not running:
        failed["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 1}}
    found = verdicts(run, host(), failed, sized("newest", "02:00", cpu="2"), old=new, new=new)
    assert found["newest"] == ("KILL OutOfcpu" if counts else "KEEP")


def test_hc048_which_of_pods_that_are_alike_is_preempted_is_unknown(run: Run) -> None:
    pods = [sized("one", "01:00", cpu="2"), sized("two", "02:00", cpu="2")]
    critical = sized("critical", "03:00", CRITICAL, cpu="1")
    found = verdicts(run, host(), *pods, critical)
    assert found == {"one": "UNKNOWN may be preempted", "two": "UNKNOWN may be preempted", "critical": "KEEP"}
    both = sized("critical", "03:00", CRITICAL, cpu="4")
    assert set(verdicts(run, host(), *pods, both).values()) == {"KILL preempted", "KEEP"}
    other = [pods[0], sized("two", "02:00", cpu="2", memory="1Mi")]
    assert verdicts(run, host(), *other, critical)["one"] == "KILL preempted"


def test_a_limit_that_is_no_quantity_makes_a_pod_burstable(catalog: Catalog) -> None:
    odd = sized("odd", "01:00", cpu="2")
    odd["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "many"}
    kubelet = catalog.kubelet("1.33.13")
    pods = collect([odd, sized("critical", "03:00", CRITICAL, cpu="3")]).pods
    tenants = [Tenant(one, asking(one, {}, kubelet)) for one in pods]
    found = outcomes(tenants, given({"cpu": "4", "pods": "9"}), kubelet)
    assert {uid: short.reason for uid, short in found.items()} == {"uid-odd": "Preempting"}


def test_the_reason_of_a_host_port_is_that_of_the_release() -> None:
    assert Shortage("8080/TCP", holder="ns/p", predicate="NodePorts").reason == "NodePorts"


def resized(made: Json, state: str, *, allocated: str, actual: str, seen: bool = True) -> Json:
    """Return a pod whose CPUs are being resized; one whose spec no kubelet has seen has no condition."""
    container = made["spec"]["containers"][0]
    container["resizePolicy"] = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    made["metadata"]["generation"] = 3
    made["status"]["observedGeneration"] = 3 if seen else 2
    made["status"]["conditions"] = [{"type": state, "status": "True"}] if seen else []
    made["status"]["containerStatuses"][0] |= {
        "image": container["image"],
        "allocatedResources": {"cpu": allocated},
        "resources": {"requests": {"cpu": actual}},
    }
    return made


@pytest.mark.parametrize(
    ("wanted", "others", "verdict"),
    [("2", "3", "KEEP"), ("20", "1", "KEEP"), ("2", "2", "UNKNOWN"), ("1500m", "2", "UNKNOWN")],
)
def test_a_resize_that_does_not_fit_waits_on(run: Run, wanted: str, others: str, verdict: str) -> None:
    waiting = resized(sized("a", "01:00", cpu=wanted), "PodResizePending", allocated="1", actual="1")
    pods = [waiting, sized("b", "02:00", cpu=others)]
    for old, new in (("1.33.5", "1.34.10"), ("1.35.8", "1.36.3"), ("1.36.3", "1.37.1")):
        assert verdicts(run, host(), *pods, old=old, new=new) == {"a": verdict, "b": "KEEP"}
        assert verdicts(run, host(), *reversed(pods), old=old, new=new) == {"a": verdict, "b": "KEEP"}
    assert verdicts(run, node("v1.36.3"), *pods, old="1.36.3", new="1.37.1")["a"] == "UNKNOWN"


def test_what_a_pod_has_that_may_go_may_be_free_for_a_resize(run: Run) -> None:
    waiting = resized(sized("a", "01:00", cpu="2"), "PodResizePending", allocated="1", actual="1")
    late, ending = sized("late", "03:00", cpu="3"), sized("ending", "02:00", cpu="3")
    assert verdicts(run, host(), waiting, ending, late) == {
        "a": "KEEP",
        "ending": "KEEP",
        "late": "KILL OutOfcpu",
    }
    ending["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z"
    found = verdicts(run, host(cpu="7"), waiting, ending, late)
    assert (found["a"], found["late"]) == ("UNKNOWN", "KEEP")
    other, labelled = sized("other", "02:00", {"nodeSelector": {"disk": "ssd"}}, cpu="3"), host()
    labelled["metadata"]["labels"] = {"disk": "hdd"}
    assert verdicts(run, labelled, waiting, other) == {"a": "UNKNOWN", "other": "KILL"}


def test_a_resize_that_its_kubelet_has_not_seen_may_not_fit(run: Run, tmp_path: Path) -> None:
    def found(wanted: str, **more: Any) -> str:
        changed = resized(sized("a", "01:00", cpu=wanted), "", allocated="1", actual="1", seen=False)
        changed["spec"] |= more
        objects = as_json(host(), changed, sized("b", "02:00", cpu="3"))
        hashed = hash_of(run, "1.36.3", changed["spec"]["containers"][0])
        shown = recorded(tmp_path, record(hashed, "a", uid=changed["metadata"]["uid"]))
        flags = ("--override-node-releases", *shown, "-o", "json")
        result = run("plan", "--from", "1.36.3", "--to", "1.37.1", "-f", "-", *flags, stdin=objects)
        assert result.code == 0, result.err
        return str(next(one["verdict"] for one in result.items if one["pod"] == "a"))

    assert found("2") == "KEEP"
    assert found("500m") == "RESTART"
    assert found("2", activeDeadlineSeconds=10**9) == "UNKNOWN"


def test_resizes_in_opposite_directions_count_by_container_up_to_1_36(catalog: Catalog) -> None:
    spec = {
        "containers": [{"name": one, "resources": {"requests": {"cpu": cpu}}} for one, cpu in ("a1", "b2")]
    }
    resizes = {"a": {"actual": {"cpu": "2"}}, "b": {"actual": {"cpu": "1"}}}
    (made,) = collect([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}]).pods
    made = structs.replace(made, resized=resizes)
    for release, cpus in (("1.33.13", 4000), ("1.36.3", 4000), ("1.37.1", 3000)):
        asks = asking(made, {}, catalog.kubelet(release))
        assert (asks.own["cpu"], asks.beside["cpu"]) == (3000, cpus)


@pytest.mark.parametrize(
    ("wanted", "allocated", "actual", "own", "beside"),
    [("1", "1", "3", 1, 3), ("3", "1", "1", 1, 1), ("20", "1", "1", 1, 1), ("2", "2", "1", 2, 2)],
)
def test_a_resize_of_the_pod_itself_counts_as_far_as_it_went(
    catalog: Catalog, wanted: str, allocated: str, actual: str, own: int, beside: int
) -> None:
    made = sized("p", spec={"resources": {"requests": {"cpu": wanted}}}, memory="1Gi")
    made["status"] |= {"allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": actual}}}
    (one,) = collect([made]).pods
    for release in ("1.36.3", "1.37.1"):
        found = asking(one, {}, catalog.kubelet(release))
        assert (found.own["cpu"], found.beside["cpu"]) == (own * 1000, beside * 1000)
    assert asking(one, {}, catalog.kubelet("1.35.8")).beside["cpu"] == int(wanted) * 1000


def test_a_resize_of_the_pod_itself_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    shrinks = sized("a", "01:00", {"resources": {"requests": {"cpu": "1"}}})
    shrinks["status"] |= {"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "3"}}}
    objects = (host(), shrinks, sized("b", "02:00", cpu="2"))
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(*objects)).out)
    way = ("plan", "--from", "1.36.3", "--to", "1.37.1", "--override-node-releases", "-o", "json", "-f")
    for result in (run(*way, "-", stdin=as_json(*objects)), run(*way, tmp_path / "s.json")):
        assert {one["pod"]: one["verdict"] for one in result.items} == {"a": "KEEP", "b": "KILL"}


def test_hc048_whether_a_pod_before_it_is_admitted_decides_over_a_pod(run: Run) -> None:
    tainted = host()
    tainted["spec"] = {"taints": [{"key": "x", "value": "7", "effect": "NoExecute"}]}
    compares = {"key": "x", "operator": "Gt", "value": "5", "effect": "NoExecute"}
    old = sized("old", "01:00", {"tolerations": [compares]}, cpu="3")
    new = sized("new", "02:00", {"tolerations": [{"operator": "Exists"}]}, cpu="2")
    assert verdicts(run, tainted, old, new, old="1.36.3", new="1.37.1") == {
        "old": "UNKNOWN",
        "new": "UNKNOWN OutOfcpu",
    }


def test_hc048_a_device_plugin_may_make_room_for_a_critical_pod_too(run: Run) -> None:
    widget = {"example.com/widget": "1"}
    pods = sized("old", "01:00", **widget), sized("new", "02:00", CRITICAL, **widget)
    found = verdicts(run, host(**widget), *pods)
    assert {name: verdict.split()[0] for name, verdict in found.items()} == {"old": "UNKNOWN", "new": "KEEP"}
