"""Host ports: what a kubelet that starts does not admit again beside pods that have them."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.ports import Port, Taken, host_ports
from hashcompat.core.kubelet.decide.room.requests import Asking
from hashcompat.core.kubelet.decide.room.tenants import Sums, node_resources
from tests.helpers.pods import Json, as_json, mirror_pod, node
from tests.helpers.program import Run
from tests.helpers.room import CRITICAL, host, sized

KEEP = "KEEP"
ANY = "0.0.0.0"  # noqa: S104 - the text that is compared


def with_ports(name: str, created: str, *ports: Any, spec: Any = None, **requests: str) -> Json:
    """Return a pod of a container with host ports; each a number, or the JSON of a port."""
    made = sized(name, created, spec, **requests)
    rows = [{"hostPort": port} if isinstance(port, int) else port for port in ports]
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "protocol": "TCP", **row} for row in rows]
    return made


def verdicts(run: Run, *objects: Json, old: str = "1.33.5", new: str = "1.33.13") -> dict[str, str]:
    """Return the verdict of each pod, with the rule that decides and the reason in the pod's status."""
    result = run(
        *("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", "--override-node-releases"),
        stdin=as_json(*objects),
    )
    assert result.code == 0, result.err
    outcomes = {}
    for item in result.items:
        last = item["reasons"][-1] if item["verdict"] != KEEP else {"id": "", "text": ""}
        out = last["text"].removeprefix("not admitted again: ").partition(":")[0]
        outcomes[item["pod"]] = " ".join(filter(None, (item["verdict"], last["id"], out)))
    return outcomes


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("1.1.8", "HostPortConflict"),
        ("1.2.7", "HostPortConflict"),
        ("1.3.10", "PodFitsHostPorts"),
        ("1.7.5", "PodFitsHostPorts"),
        ("1.17.17", "PodFitsHostPorts"),
        ("1.18.19", "NodePorts"),
        ("1.37.1", "NodePorts"),
    ],
)
def test_hc051_the_newer_pod_is_refused(run: Run, new: str, reason: str) -> None:
    """1.1.8 - 1.3.10 pkg/kubelet/kubelet.go ``canAdmitPod``; 1.7.5 and 1.17.17 plugin/ and pkg/scheduler/
    algorithm/predicates ``PodFitsHostPorts``; 1.18.19 - 1.37.1 pkg/kubelet/lifecycle/predicate.go."""
    pods = [with_ports("new", "02:00", 8080), with_ports("old", "01:00", 8080), with_ports("b", "03:00", 81)]
    expected = {"new": f"KILL HC051 {reason}", "old": KEEP, "b": KEEP}
    assert verdicts(run, node(f"v{new}"), *pods, old=new, new=new) == expected
    assert verdicts(run, *pods, old=new, new=new) == expected  # no node needed


UDP = {"hostPort": 8080, "protocol": "UDP"}
HERE = {"hostPort": 8080, "hostIP": "10.0.0.1"}


@pytest.mark.parametrize(
    ("new", "port", "other", "is_one"),
    [
        ("1.2.7", 8080, UDP, False),
        ("1.2.7", HERE, {**HERE, "hostIP": "10.0.0.2"}, True),
        ("1.3.10", 8080, UDP, True),
        ("1.8.15", 8080, UDP, True),
        ("1.8.15", HERE, {**HERE, "hostIP": "10.0.0.2"}, True),
        ("1.9.11", 8080, UDP, False),
        ("1.9.11", HERE, {**HERE, "hostIP": "10.0.0.2"}, False),
        ("1.9.11", HERE, 8080, True),
        ("1.10.13", HERE, {"hostPort": 8080, "hostIP": ANY}, True),
        ("1.37.1", 8080, HERE, True),
        ("1.37.1", HERE, HERE, True),
        ("1.37.1", HERE, {**HERE, "protocol": "SCTP"}, False),
        ("1.37.1", {**HERE, "hostIP": "::"}, HERE, False),  # an address like any other
        ("1.37.1", {**HERE, "hostIP": "::"}, 8080, True),
        ("1.37.1", 8080, 8081, False),
        ("1.37.1", {"hostPort": 0}, {"hostPort": 0}, False),
        ("1.37.1", {}, {}, False),
    ],
)
def test_hc051_what_tells_ports_apart(run: Run, new: str, port: Any, other: Any, *, is_one: bool) -> None:
    """1.8.15 ``GetUsedPorts`` takes numbers, 1.9.11 ``portsConflict`` and 1.10.13 - 1.37.1 ``HostPortInfo``
    protocols and addresses; 1.2.7 pkg/api/validation ``AccumulateUniqueHostPorts`` protocols."""
    pods = [with_ports("one", "01:00", port), with_ports("other", "02:00", other)]
    outcomes = verdicts(run, *pods, old=new, new=new)
    assert outcomes["one"] == KEEP
    assert outcomes["other"].startswith("KILL HC051") == is_one


@pytest.mark.parametrize(
    ("new", "counts"), [("1.33.5", False), ("1.33.6", True), ("1.34.0", True), ("1.37.1", True)]
)
def test_hc051_ports_of_sidecars_count_from_1_33_6_on(run: Run, new: str, *, counts: bool) -> None:
    """kubernetes/kubernetes#132040; pkg/scheduler/util/utils.go ``GetHostPorts``, 1.33.6 and 1.34.0."""
    pods = [with_ports(name, f"0{number}:00") for number, name in enumerate(("a", "b"), 1)]
    for pod in pods:
        pod["spec"]["initContainers"] = [
            {"name": "s", "image": "i", "restartPolicy": "Always", "ports": [{"hostPort": 9}]},
            {"name": "i", "image": "i", "ports": [{"hostPort": 10}]},
        ]
    assert verdicts(run, *pods, old=new, new=new)["b"].startswith("KILL HC051") == counts
    for pod in pods:
        del pod["spec"]["initContainers"][0]
    assert verdicts(run, *pods, old=new, new=new)["b"] == KEEP


def test_hc051_a_static_pod_has_its_port_before_older_pods(run: Run) -> None:
    static = mirror_pod({"name": "c", "image": "i", "ports": [{"containerPort": 1, "hostPort": 6443}]})
    static["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z"
    outcomes = verdicts(run, host(), static, with_ports("old", "01:00", 6443))
    assert outcomes == {"p-n1": KEEP, "old": "KILL HC051 NodePorts"}


def test_hc051_no_pod_is_ended_for_a_port_not_even_for_a_critical_one(run: Run) -> None:
    """pkg/kubelet/preemption/preemption.go ``HandleAdmissionFailure``, 1.8.15 - 1.37.1."""
    critical = with_ports("critical", "03:00", 8080, spec=CRITICAL, cpu="3")
    pods = [with_ports("old", "01:00", 8080, cpu="3"), critical]
    assert verdicts(run, host(), *pods) == {"old": KEEP, "critical": "KILL HC051 NodePorts"}
    pods[1] = with_ports("late", "03:00", 8080, cpu="3")
    assert verdicts(run, host(), *pods) == {"old": KEEP, "late": "KILL HC048 OutOfcpu"}


def test_hc051_the_ports_of_a_preempted_pod_are_free(run: Run) -> None:
    pods = [
        with_ports("victim", "01:00", 8080, cpu="3"),
        sized("critical", "02:00", CRITICAL, cpu="3"),
        with_ports("late", "03:00", 8080),
    ]
    outcomes = verdicts(run, host(), *pods)
    assert outcomes == {"victim": "KILL HC048 preempted", "critical": KEEP, "late": KEEP}


def test_hc051_a_pod_that_is_refused_or_has_finished_has_no_port(run: Run) -> None:
    pods = [with_ports("old", "01:00", 8080, spec={"nodeSelector": {"disk": "ssd"}})]
    labelled = host()
    labelled["metadata"]["labels"] = {"disk": "hdd"}
    pods.append(with_ports("late", "02:00", 8080))
    assert verdicts(run, labelled, *pods)["late"] == KEEP
    pods[0] = with_ports("old", "01:00", 8080)
    pods[0]["status"] = {"phase": "Succeeded", "containerStatuses": []}
    assert verdicts(run, labelled, *pods)["late"] == KEEP


def test_hc051_pods_on_no_node_or_on_two_share_no_port(run: Run) -> None:
    elsewhere = {"nodeName": "n2"}
    pods = [with_ports("one", "01:00", 8080), with_ports("two", "02:00", 8080, spec=elsewhere)]
    assert set(verdicts(run, *pods).values()) == {KEEP}
    pods = [with_ports(name, "01:00", 8080, spec={"nodeName": ""}) for name in ("one", "two")]
    assert set(verdicts(run, *pods).values()) == {KEEP}


def test_hc051_pods_of_one_second_have_no_order(run: Run) -> None:
    pods = [with_ports(name, "01:00", 8080) for name in ("one", "other")]
    outcomes = verdicts(run, *pods, with_ports("late", "02:00", 8080), with_ports("free", "01:00", 81))
    assert outcomes == {
        "one": "UNKNOWN HC051 NodePorts",
        "other": "UNKNOWN HC051 NodePorts",
        "late": "KILL HC051 NodePorts",
        "free": KEEP,
    }


def test_hc051_of_pods_of_one_second_each_names_another(run: Run) -> None:
    objects = as_json(*(with_ports(name, "01:00", 8080) for name in ("one", "other")))
    way = ("plan", "--from", "1.33.5", "--to", "1.33.13", "-f", "-", "-o", "json")
    texts = {item["pod"]: item["reasons"][-1]["text"] for item in run(*way, stdin=objects).items}
    assert "ns/other, which comes before it" in texts["one"]
    assert "ns/one, which comes before it" in texts["other"]


def test_hc051_while_all_have_room_only_pods_that_share_a_port_are_uncertain(run: Run) -> None:
    many = [with_ports(f"p{number}", "01:00", 9000 + number, cpu="1m") for number in range(40)]
    pods = [with_ports(name, "01:00", 8080) for name in ("one", "other")]
    outcomes = verdicts(run, host(), *many, *pods)
    assert {name for name, verdict in outcomes.items() if verdict != KEEP} == {"one", "other"}


def test_hc051_static_pods_have_no_order(run: Run) -> None:
    pods = [
        mirror_pod({"name": "c", "image": "i", "ports": [{"containerPort": 1, "hostPort": 1}]}, name=name)
        for name in ("a-n1", "b-n1")
    ]
    for number, pod in enumerate(pods):
        pod["metadata"]["creationTimestamp"] = f"2026-01-0{number + 1}T00:00:00Z"
    outcomes = verdicts(run, host(), *pods)
    assert set(outcomes.values()) == {"UNKNOWN HC051 NodePorts"}


def test_hc051_a_pod_before_it_that_may_not_be_admitted_leaves_it_open(run: Run) -> None:
    gpu = "example.com/gpu"
    first = with_ports("first", "01:00", 8080, **{gpu: "1"})
    outcomes = verdicts(run, host(**{gpu: "0"}), first, with_ports("second", "02:00", 8080))
    assert outcomes == {"first": f"UNKNOWN HC048 OutOf{gpu}", "second": "UNKNOWN HC051 NodePorts"}
    both = [with_ports("first", "01:00", 8080), with_ports("second", "02:00", 8080, **{gpu: "1"})]
    assert verdicts(run, host(**{gpu: "0"}), *both)["second"] == "KILL HC051 NodePorts"


def test_hc051_is_explained(run: Run) -> None:
    objects = as_json(host(), with_ports("old", "01:00", 8080), with_ports("new", "02:00", 8080))
    way = ("--from", "1.32.13", "--to", "1.33.13", "--override-node-releases")
    item = run("explain", "ns/new/c", *way, "-f", "-", "-o", "json", stdin=objects).item
    assert item["verdict"] == "KILL"
    assert "ns/old, which comes before it, has the host port 8080/TCP" in item["sentences"]["why"]
    assert any("phase Failed, reason NodePorts" in row["text"] for row in item["expect"])


def test_hc051_survives_a_snapshot_which_hides_addresses(run: Run) -> None:
    pods = [with_ports("one", "01:00", 8080, {**HERE, "hostPort": 81}, {**HERE, "hostPort": 82})]
    pods.append(with_ports("two", "02:00", {**HERE, "hostPort": 81}))
    pods.append(with_ports("three", "03:00", 8080))
    pods.append(with_ports("four", "04:00", 82))
    kept = run("snapshot", "-f", "-", stdin=as_json(host(), *pods)).out.encode()
    result = run(
        *("plan", "--from", "1.33.5", "--to", "1.33.13", "--override-node-releases", "-f", "-", "-o", "json"),
        stdin=kept,
    )
    assert {item["pod"]: item["verdict"] for item in result.items} == {
        "one": "KEEP",
        "two": "UNKNOWN",
        "three": "KILL",
        "four": "KILL",
    }


def test_hc051_survives_a_snapshot_where_protocols_differ(run: Run) -> None:
    """As of a resolver whose pods for TCP and UDP are two."""
    dns = {"hostPort": 53, "protocol": "UDP"}
    pods = [with_ports("tcp", "01:00", 53), with_ports("udp", "02:00", dns), with_ports("late", "03:00", dns)]
    kept = run("snapshot", "-f", "-", stdin=as_json(host(), *pods)).out
    way = ("plan", "--from", "1.33.5", "--to", "1.33.13", "--override-node-releases", "-f", "-", "-o", "json")
    result = run(*way, stdin=kept.encode())
    assert {item["pod"]: item["verdict"] for item in result.items} == {
        "tcp": "KEEP",
        "udp": "KEEP",
        "late": "KILL",
    }
    older = run(*way, stdin=kept.replace('"TCP"', '"***"').replace('"UDP"', '"***"').encode())
    texts = {item["pod"]: [reason["text"] for reason in item["reasons"]] for item in older.items}
    (text,) = texts["udp"]
    assert text.endswith("has the host port 53, but the snapshot hides their protocols, which may differ")
    assert {item["verdict"] for item in older.items} == {"KEEP", "UNKNOWN"}


def test_what_is_no_port_is_none(catalog: Catalog) -> None:
    ports: list[Any] = [{"hostPort": "80"}, {"hostPort": -1}, {"hostPort": True}, "80", {"hostPort": 80}]
    kubelet = catalog.kubelet("1.33.13")
    spec = {"containers": [{"ports": [*ports, {"hostPort": 80}]}, {"ports": None}, None]}
    assert host_ports(spec, kubelet) == (Port(80, "TCP", ANY),)
    assert [str(port) for port in host_ports(spec, catalog.kubelet("1.8.15"))] == ["80"]


def test_ports_that_several_processes_saw_are_one() -> None:
    port, other = Port(80, "TCP", ANY), Port(81, "TCP", "10.0.0.1")
    one, two = Sums(), Sums()
    one.add(Asking({}, {}, ports=(port,)))
    two.add(Asking({}, {}, ports=(other,)))
    one.merge(two)
    assert one.fit(node_resources({}))
    assert set(one.taken.ports) == {port, other}
    two = Sums()
    two.add(Asking({}, {}, ports=(port,)))
    one.merge(two)
    assert not one.fit(node_resources({}))
    three, four = Sums(), Sums()
    for _ in "ab":
        four.add(Asking({}, {}, ports=(port,)))
    three.merge(four)
    assert not three.fit(node_resources({}))


def test_a_hidden_address_may_be_any() -> None:
    taken, hidden = Taken(), Port(80, "TCP", "***")
    taken.add((Port(80, "TCP", "10.0.0.1"),), "a")
    assert taken.holder(Port(80, "TCP", "10.0.0.2")) is None
    assert taken.holder(hidden) == ("a", "addresses")
    assert taken.holder(Port(80, "TCP", ANY)) == ("a", "")
    taken.add((hidden,), "b")
    assert taken.holder(Port(80, "TCP", "10.0.0.2")) == ("a", "addresses")
    assert taken.holder(Port(80, "TCP", "10.0.0.1")) == ("a", "")
    taken.add((Port(80, "TCP", ANY),), "c")
    assert taken.holder(hidden) == ("c", "")


def test_a_hidden_protocol_may_be_any() -> None:
    taken, hidden = Taken(), Port(80, "***", ANY)
    assert taken.holder(hidden) is None
    taken.add((Port(80, "UDP", ANY),), "a")
    assert taken.holder(Port(80, "TCP", ANY)) is None
    assert taken.holder(hidden) == ("a", "protocols")
    assert taken.holder(Port(81, "***", ANY)) is None
    taken.add((hidden,), "b")
    assert taken.holder(Port(80, "TCP", ANY)) == ("b", "protocols")
    assert taken.holder(Port(80, "UDP", ANY)) == ("a", "")
    assert str(hidden) == "80"


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
def test_hc048_a_finished_static_pod_may_take_its_room_and_ports_again(run: Run, phase: str) -> None:
    """pkg/kubelet/kubelet.go ``HandlePodAdditions``: a manifest has no status (1.18.19, 1.34.10)."""
    static = mirror_pod(
        {"name": "c", "image": "i", "ports": [{"hostPort": 1}], "resources": {"requests": {"cpu": "2"}}}
    )
    static["status"] = {"phase": phase}
    pods = [
        sized("large", "01:00", cpu="3"),
        with_ports("port", "02:00", 1),
        sized("small", "03:00", cpu="1"),
    ]
    outcomes = verdicts(run, host(), static, *pods)
    assert outcomes["large"] == "UNKNOWN HC048 OutOfcpu"
    assert outcomes["port"] == "UNKNOWN HC051 NodePorts"
    assert outcomes["small"] == KEEP
    way = ("--from", "1.33.5", "--to", "1.33.13", "--override-node-releases", "-f", "-", "-o", "json")
    item = run("explain", "ns/port/c", *way, stdin=as_json(host(), static, *pods)).item
    assert "--static-pod-dir" in item["sentences"]["todo"]
    assert set(verdicts(run, host(), static, pods[2]).values()) == {KEEP}
    beside = sized("first", "00:00", cpu="4"), sized("never", "04:00", cpu="4")
    assert verdicts(run, host(), static, *beside)["never"] == "KILL HC048 OutOfcpu"  # either way
