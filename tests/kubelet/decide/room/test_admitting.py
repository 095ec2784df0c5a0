"""Room: what a kubelet that starts does not admit again beside the pods before it."""

from __future__ import annotations

import itertools
import random

import pytest
from msgspec import structs

from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room.admitting import outcomes
from hashcompat.core.kubelet.decide.room.requests import asking
from hashcompat.core.kubelet.decide.room.tenants import Tenant, node_resources
from hashcompat.core.model.plan import Shortage
from tests.helpers.pods import as_json, mirror_pod, node
from tests.helpers.program import Run
from tests.helpers.room import host, sized, verdicts
from tests.helpers.slices import every


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


@pytest.mark.parametrize(
    ("resource", "asked", "release", "expected"),
    [
        ("hugepages-2Mi", "4Mi", "1.34.12", "KILL OutOfhugepages-2Mi"),
        ("hugepages-2Mi", "0", "1.34.12", "KEEP"),
        ("hugepages-2Mi", "0", "1.27.16", "KEEP"),
        ("attachable-volumes-csi-x", "1", "1.34.12", "KILL OutOfattachable-volumes-csi-x"),
        ("kubernetes.io/batch-cpu", "1", "1.34.12", "KILL OutOfkubernetes.io/batch-cpu"),
        ("ephemeral-storage", "4Mi", "1.34.12", "UNKNOWN OutOfephemeral-storage"),
        ("ephemeral-storage", "0", "1.27.16", "KEEP"),
        ("example.com/dongle", "1", "1.9.11", "UNKNOWN OutOfexample.com/dongle"),
        ("example.com/dongle", "1", "1.10.13", "KEEP"),
    ],
)
def test_hc048_a_resource_that_the_node_does_not_list_counts_as_none(
    run: Run, resource: str, asked: str, release: str, expected: str
) -> None:
    pods = [sized("p", "01:00", cpu="1", **{resource: asked}), sized("plain", "02:00", cpu="1")]
    pod_verdicts = verdicts(run, host(), *pods, old=release, new=release)
    assert pod_verdicts == {"p": expected, "plain": "KEEP"}


@pytest.mark.parametrize(("release", "counts"), [("1.10.13", True), ("1.30.14", True), ("1.31.14", False)])
def test_hc048_what_an_init_container_asks_of_a_device_plugin_counts_up_to_1_30(
    catalog: Catalog, release: str, counts: bool
) -> None:
    """Where the node lacks it (lifecycle/predicate.go removeMissingExtendedResources, 1.30.14)."""
    init = {"name": "i", "resources": {"requests": {"example.com/dongle": "1"}}}
    kubelet = catalog.kubelet(release)
    for devices in ({}, {"example.com/dongle": 1}, None):
        (pod,) = collect([sized("p", spec={"initContainers": [init]}, cpu="1")]).pods
        tenant = Tenant(pod, asking(pod, {"cpu": "4"}, kubelet), devices=devices)
        shortages = outcomes([tenant], node_resources({"cpu": "4"}), kubelet)
        refused = {uid: short.certain for uid, short in shortages.items()}
        has_one = not counts or devices == {"example.com/dongle": 1}
        assert refused == ({} if has_one else {pod.uid: devices is not None})


def test_hc048_so_may_the_number_of_pods(run: Run) -> None:
    pods = [sized("old", "01:00"), sized("done", "02:00"), sized("new", "03:00")]
    pods[1]["status"]["phase"] = "Succeeded"
    pods[1]["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}
    assert verdicts(run, host(pods="2"), *pods) == {"old": "KEEP", "done": "KEEP", "new": "KEEP"}
    pod_verdicts = verdicts(run, host(pods="1"), *pods)
    assert (pod_verdicts["old"], pod_verdicts["new"]) == ("KEEP", "KILL OutOfpods")


@pytest.mark.parametrize(
    ("release", "phase", "state", "counts"),
    [
        ("1.5.8", "Running", "terminated", True),
        ("1.6.13", "Running", "terminated", False),
        ("1.21.14", "Running", "terminated", False),
        ("1.21.14", "Running", "waiting", False),
        ("1.21.14", "Running", "running", True),
        ("1.21.14", "Running", "", True),
        ("1.21.14", "Pending", "", False),
        ("1.22.17", "Running", "terminated", True),
        ("1.37.2", "Running", "terminated", True),
    ],
)
def test_hc048_a_deleted_pod_that_runs_nothing_takes_no_room_from_1_6_to_1_21(
    run: Run, release: str, phase: str, state: str, counts: bool
) -> None:
    leaving, late = sized("leaving", "01:00", cpu="3"), sized("late", "02:00", cpu="2")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z"
    shown = [{"name": "c", "restartCount": 0, "state": {state: {}}}] if state else None
    leaving["status"] = {"phase": phase, "containerStatuses": shown}
    pod_verdicts = verdicts(run, host(), leaving, late, old=release, new=release)
    assert pod_verdicts["late"] == ("KILL OutOfcpu" if counts else "KEEP")


def test_hc048_pods_of_one_second_have_no_order(run: Run) -> None:
    pods = [sized("one", "01:00", cpu="3"), sized("other", "01:00", cpu="3"), sized("late", "02:00", cpu="3")]
    pod_verdicts = verdicts(run, host(), *pods)
    assert pod_verdicts == {"one": "UNKNOWN OutOfcpu", "other": "UNKNOWN OutOfcpu", "late": "KILL OutOfcpu"}


@pytest.mark.parametrize(
    ("time", "verdict"),
    [
        ("2026-01-31T05:30:00+05:00", "KEEP"),
        ("2026-01-31T01:00:00.5Z", "UNKNOWN OutOfcpu"),  # API servers cut fractions off
        ("2026-01-31T01:59:59.9-01:00", "KILL OutOfcpu"),
        ("9999-12-31T23:59:59-05:00", "KILL OutOfcpu"),
        ("later", "KILL OutOfcpu"),
    ],
)
def test_hc048_times_in_other_forms_are_in_the_order_of_times(run: Run, time: str, verdict: str) -> None:
    first, other = sized("one", "01:00", cpu="3"), sized("other", "01:00", cpu="3")
    first["metadata"]["creationTimestamp"] = "2026-01-31T01:00:00Z"
    other["metadata"]["creationTimestamp"] = time
    assert verdicts(run, host(), first, other)["other"] == verdict


def test_hc048_any_of_equal_pods_of_one_second_may_come_last(run: Run) -> None:
    pods = [sized(name, "01:00", cpu="1") for name in "abcde"]
    assert set(verdicts(run, host(), *pods).values()) == {"UNKNOWN OutOfcpu"}
    assert set(verdicts(run, host(), *pods[1:]).values()) == {"KEEP"}


@pytest.mark.parametrize("names", [("init", "plain"), ("plain", "init")])
def test_hc048_what_fits_in_one_order_of_a_second_need_not_in_another(
    run: Run, names: tuple[str, str]
) -> None:
    """Before 1.16.10 an init container counts while its pod is admitted, and not beside others."""
    pods = {name: sized(name, "01:00", cpu=cpu) for name, cpu in (("init", "1"), ("plain", "2"))}
    row = {"name": "i", "image": "i", "resources": {"requests": {"cpu": "3"}}}
    pods["init"]["spec"]["initContainers"] = [row]
    pods["init"]["status"]["initContainerStatuses"] = [
        {"name": "i", "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}
    ]
    ordered = [pods[name] for name in names]
    pod_verdicts = verdicts(run, host(cpu="4"), *ordered, old="1.15.10", new="1.15.12")
    assert pod_verdicts == {"init": "UNKNOWN OutOfcpu", "plain": "KEEP"}


@pytest.mark.parametrize("names", [("resized", "plain"), ("plain", "resized")])
def test_hc048_a_pod_that_is_made_smaller_leaves_less_to_the_pods_behind_it(
    run: Run, names: tuple[str, str]
) -> None:
    """It asks for what is allocated, and counts beside others for what it has (``UseStatusResources``)."""
    pods = {name: sized(name, "01:00", cpu=cpu) for name, cpu in (("resized", "1"), ("plain", "2"))}
    status = pods["resized"]["status"]
    status["conditions"] = [{"type": "PodResizeInProgress", "status": "True"}]
    status["containerStatuses"][0] |= {
        "allocatedResources": {"cpu": "1"},
        "resources": {"requests": {"cpu": "3"}},
    }
    pod_verdicts = verdicts(run, host(cpu="4"), *(pods[name] for name in names))
    assert pod_verdicts == {"resized": "KEEP", "plain": "UNKNOWN OutOfcpu"}


def test_hc048_of_very_many_kinds_of_pods_of_one_second_none_is_certain(run: Run) -> None:
    pods = [sized(f"p{number}", "01:00", cpu=f"{100 + number}m") for number in range(40)]
    pod_verdicts = verdicts(run, host(cpu="4700m"), sized("old", "00:30", cpu="10m"), *pods)
    assert pod_verdicts.pop("old") == "KEEP"
    assert set(pod_verdicts.values()) == {"UNKNOWN OutOfcpu"}
    assert set(verdicts(run, host(cpu="4790m"), *pods).values()) == {"KEEP"}


def test_hc048_very_many_kinds_of_pods_of_one_second_that_fit_in_every_order_are_kept(run: Run) -> None:
    """Two init containers count while their pods are admitted, one after the other."""
    pods = [sized(f"p{number}", "01:00", cpu=f"{100 + number}m") for number in range(40)]
    for pod in pods[:2]:
        row = {"name": "i", "image": "i", "resources": {"requests": {"cpu": "500m"}}}
        pod["spec"]["initContainers"] = [row]
        pod["status"]["initContainerStatuses"] = [
            {"name": "i", "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}
        ]
    pod_verdicts = verdicts(run, host(cpu="5300m"), *pods, old="1.15.10", new="1.15.12")
    assert set(pod_verdicts.values()) == {"KEEP"}


@pytest.mark.parametrize("seed", every(3, range(90)))
def test_what_is_certain_of_pods_of_one_second_is_so_in_every_order(catalog: Catalog, seed: int) -> None:
    rng, kubelet = random.Random(seed), catalog.kubelet("1.31.14" if seed < 60 else "1.15.12")
    rows = [
        sized(f"p{number}", f"0{rng.choice('112')}:00", cpu=str(rng.randint(1, 4)))
        for number in range(rng.randint(3, 5))
    ]
    for row in rows:
        if rng.random() < 0.2:
            row["spec"]["priority"] = 2_000_000_000
        if seed >= 40 and rng.random() < 0.5:
            row["spec"]["containers"][0]["ports"] = [{"hostPort": rng.choice((1, 1, 2))}]
        if seed >= 60 and rng.random() < 0.5:
            first = {"resources": {"requests": {"cpu": str(rng.randint(2, 6))}}}
            row["spec"]["initContainers"] = [{"name": "i", "image": "i", **first}]
    node = node_resources({"cpu": str(rng.randint(3, 9)), "pods": str(rng.randint(2, 5))})
    tenants = [Tenant(pod, asking(pod, {}, kubelet)) for pod in collect(rows).pods]
    shortages = outcomes(tenants, node, kubelet)
    for order in itertools.permutations(tenants):
        seconds = [
            structs.replace(
                tenant, pod=structs.replace(tenant.pod, created=f"{tenant.pod.created[:17]}{second:02}Z")
            )
            for second, tenant in enumerate(order)
        ]
        refused = outcomes(seconds, node, kubelet)
        for tenant in tenants:
            short = shortages.get(tenant.pod.uid)
            assert (short and not short.certain) or (tenant.pod.uid in refused) is (short is not None)


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


def test_hc048_a_device_plugin_may_make_room_but_a_claim_does_not(run: Run) -> None:
    gpu = "example.com/gpu"
    pod = sized("one", "01:00", **{gpu: "1"})
    assert verdicts(run, host(**{gpu: "0"}), pod) == {"one": f"UNKNOWN OutOf{gpu}"}
    assert verdicts(run, host(), pod) == {"one": "KEEP"}
    pod["status"]["extendedResourceClaimStatus"] = {
        "requestMappings": [{"containerName": "c", "resourceName": gpu, "requestName": "r"}]
    }
    assert verdicts(run, host(**{gpu: "0"}), pod, old="1.36.4", new="1.36.5") == {"one": "KEEP"}
    assert verdicts(run, host(**{gpu: "0"}), pod, old="1.36.5", new="1.35.8") == {"one": f"KILL OutOf{gpu}"}


def test_hc048_what_a_device_plugin_decides_is_open_for_the_pods_behind_it_too(run: Run) -> None:
    gpu = "example.com/gpu"
    first = sized("first", "01:00", cpu="3", **{gpu: "1"})
    second = sized("second", "02:00", cpu="2", **{gpu: "1"})
    pods = [first, second, sized("third", "03:00", cpu="3"), sized("large", "04:00", cpu="5")]
    assert verdicts(run, host(**{gpu: "0"}), *pods) == {
        "first": f"UNKNOWN OutOf{gpu}",
        "second": f"UNKNOWN OutOf{gpu}",
        "third": "UNKNOWN OutOfcpu",  # there is room for it where the plugin serves neither
        "large": "KILL OutOfcpu",
    }
    critical = sized("critical", "05:00", {"priority": 2_000_000_000}, cpu="4")
    assert verdicts(run, host(**{gpu: "0"}), first, critical, sized("late", "06:00", cpu="1")) == {
        "first": "KILL preempted",  # or refused before
        "critical": "KEEP",
        "late": "KILL OutOfcpu",
    }


DEVICE_CLASS = "deviceclass.resource.kubernetes.io/gpu.example.com"


@pytest.mark.parametrize(
    ("resource", "old", "new", "gate", "expected"),
    [
        (DEVICE_CLASS, "1.35.8", "1.36.5", "", "KEEP"),
        (DEVICE_CLASS, "1.36.5", "1.35.8", "", f"KILL OutOf{DEVICE_CLASS}"),
        (DEVICE_CLASS, "1.36.5", "1.35.8", "true", "KEEP"),
        (DEVICE_CLASS, "1.35.8", "1.36.5", "false", f"KILL OutOf{DEVICE_CLASS}"),
        (DEVICE_CLASS, "1.35.8", "1.34.12", "true", f"KILL OutOf{DEVICE_CLASS}"),
        ("example.com/gpu", "1.36.5", "1.35.8", "true", "KEEP"),
        ("hugepages-2Mi", "1.36.5", "1.35.8", "true", "KEEP"),
        ("hugepages-2Mi", "1.35.8", "1.36.5", "true", "KILL OutOfhugepages-2Mi"),
    ],
)
def test_hc048_what_a_claim_backs_does_not_count_from_1_36_on(
    run: Run, resource: str, old: str, new: str, gate: str, expected: str
) -> None:
    """Nor does whatever the node has none of in 1.35, with the gate (noderesources/fit.go, 1.35.8)."""
    pod = sized("one", "01:00", **{resource: "2"})
    if "/" in resource:
        pod["status"]["extendedResourceClaimStatus"] = {
            "requestMappings": [{"containerName": "c", "resourceName": resource, "requestName": "r"}]
        }
    more = ("--feature-gates", f"DRAExtendedResource={gate}") if gate else ()
    pod_verdicts = verdicts(run, host(**{resource: "0"}), pod, old=old, new=new, more=more)
    assert pod_verdicts == {"one": expected}


@pytest.mark.parametrize(
    ("release", "gate", "refused"),
    [("1.34.12", "true", False), ("1.34.12", "false", True), ("1.33.13", "true", True)],
)
def test_hc048_what_the_node_does_not_list_does_not_count_in_1_34_with_the_gate(
    run: Run, release: str, gate: str, refused: bool
) -> None:
    """1.34.12 noderesources/fit.go fitsRequest; extended resources that it lacks never do."""
    pod = sized("one", "01:00", **{DEVICE_CLASS: "2"})
    more = ("--feature-gates", f"DRAExtendedResource={gate}")
    pod_verdicts = verdicts(run, host(), pod, old="1.35.8", new=release, more=more)
    assert pod_verdicts == {"one": f"KILL OutOf{DEVICE_CLASS}" if refused else "KEEP"}


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
    pod_verdicts = verdicts(run, host(), failed, sized("newest", "02:00", cpu="2"), old=new, new=new)
    assert pod_verdicts["newest"] == ("KILL OutOfcpu" if counts else "KEEP")


@pytest.mark.parametrize(
    ("new", "running", "verdict"),
    [
        ("1.21.14", False, "KEEP"),
        ("1.22.0", False, "UNKNOWN OutOfcpu"),
        ("1.22.1", False, "UNKNOWN OutOfcpu"),
        ("1.22.1", True, "KILL OutOfcpu"),
        ("1.22.2", True, "KEEP"),
        ("1.22.3", True, "KILL OutOfcpu"),
        ("1.22.3", False, "KEEP"),
    ],
)
def test_hc048_a_pod_that_has_finished_may_count_to_the_first_kubelets_of_1_22(
    run: Run, new: str, *, running: bool, verdict: str
) -> None:
    done = sized("done", "01:00", cpu="3")
    done["status"]["phase"] = "Succeeded"
    if not running:
        done["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}
    late, early = sized("late", "02:00", cpu="2"), sized("early", "00:30", cpu="2")
    pod_verdicts = verdicts(run, host(), done, late, old="1.20.15", new=new)
    assert pod_verdicts["late"] == verdict
    assert verdicts(run, host(), done, early, old="1.20.15", new=new)["early"] == "KEEP"


def test_the_reason_of_a_host_port_is_that_of_the_release() -> None:
    assert Shortage("8080/TCP", holder="ns/p", predicate="NodePorts").reason == "NodePorts"


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
