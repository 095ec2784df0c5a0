"""Critical pods, which take the room of others when a kubelet starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room.admitting import outcomes
from hashcompat.core.kubelet.decide.room.requests import asking
from hashcompat.core.kubelet.decide.room.tenants import Tenant, node_resources
from tests.helpers.pods import Json, as_json, mirror_pod
from tests.helpers.program import Run
from tests.helpers.room import CRITICAL, MORE_CRITICAL, host, sized, verdicts

BY_ANNOTATION = ("--feature-gates", "ExperimentalCriticalPodAnnotation=true")


def test_hc048_a_critical_pod_takes_the_room_of_others(run: Run) -> None:
    pods = [
        *(sized("best", "01:00"), sized("most", "01:01", cpu="2"), sized("less", "01:02", cpu="1500m")),
        sized("critical", "03:00", CRITICAL, cpu="1"),
    ]
    pod_verdicts = verdicts(run, host(), *pods)
    assert pod_verdicts == {"best": "KEEP", "most": "KEEP", "less": "KILL preempted", "critical": "KEEP"}
    assert verdicts(run, host(), *pods, old="1.10.0", new="1.10.13")["critical"] == "KILL OutOfcpu"
    large = sized("critical", "03:00", CRITICAL, cpu="5")
    pod_verdicts = verdicts(run, host(), *pods[:3], large)
    assert pod_verdicts["critical"] == "KILL UnexpectedAdmissionError"


def test_hc048_the_nearest_pods_are_preempted_best_effort_ones_first(run: Run) -> None:
    limits = {"cpu": "1", "memory": "1Gi"}
    guaranteed = sized("guaranteed", "01:00", **limits)
    guaranteed["spec"]["containers"][0]["resources"]["limits"] = limits
    pods = [
        *(guaranteed, sized("small", "01:01", cpu="500m"), sized("large", "01:02", cpu="2500m")),
        *(sized("low", "01:03", {"priority": 1}), sized("critical", "04:00", CRITICAL, cpu="3")),
    ]
    pod_verdicts = verdicts(run, host(), *pods)
    assert {name for name, verdict in pod_verdicts.items() if verdict == "KILL preempted"} == {
        "large",
        "small",
    }
    assert pod_verdicts["guaranteed"] == pod_verdicts["critical"] == "KEEP"
    by_pods = verdicts(run, host(pods="4"), *pods[3:4], *pods[:3], sized("system", "05:00", CRITICAL))
    assert by_pods["low"] == "KILL preempted"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("1.11.3", {"cluster": "KEEP", "node": "KILL OutOfcpu"}),
        ("1.11.4", {"cluster": "KEEP", "node": "KILL UnexpectedAdmissionError"}),
        ("1.11.10", {"cluster": "KEEP", "node": "KILL UnexpectedAdmissionError"}),
        ("1.12.0", {"cluster": "KILL preempted", "node": "KEEP"}),
        ("1.37.1", {"cluster": "KILL preempted", "node": "KEEP"}),
    ],
)
def test_hc048_a_critical_pod_is_preempted_by_a_more_important_one_from_1_12_on(
    run: Run, new: str, expected: dict[str, str]
) -> None:
    """Before, critical pods are no victims (pkg/kubelet/preemption/preemption.go, 1.11.10), and before 1.11.4
    none takes the room of others (1.11.3)."""
    pods = sized("cluster", "01:00", CRITICAL, cpu="3"), sized("node", "02:00", MORE_CRITICAL, cpu="3")
    assert verdicts(run, host(), *pods, old=new, new=new) == expected


@pytest.mark.parametrize(
    ("new", "system", "expected"),
    [
        ("1.10.13", {}, {"old": "UNKNOWN may be preempted", "new": "UNKNOWN OutOfcpu"}),
        ("1.15.12", {}, {"old": "UNKNOWN may be preempted", "new": "UNKNOWN OutOfcpu"}),
        ("1.15.12", CRITICAL, {"old": "KILL preempted", "new": "KEEP"}),
    ],
)
def test_hc048_with_a_gate_an_annotation_may_make_pods_of_kube_system_critical_up_to_1_15(
    run: Run, new: str, system: Json, expected: dict[str, str]
) -> None:
    """1.10.13 and 1.15.12 pkg/kubelet/types/pod_update.go ``IsCriticalPod``."""
    pods = sized("old", "01:00", cpu="3"), sized("new", "02:00", system, cpu="3")
    pods[1]["metadata"]["namespace"] = "kube-system"
    assert verdicts(run, host(), *pods, old=new, new=new, more=BY_ANNOTATION) == expected
    assert "UNKNOWN" not in " ".join(verdicts(run, host(), *pods, old=new, new=new).values())


def test_hc048_no_annotation_makes_pods_of_other_namespaces_critical(run: Run) -> None:
    pods = sized("old", "01:00", cpu="3"), sized("new", "02:00", cpu="3")
    pod_verdicts = verdicts(run, host(), *pods, old="1.10.3", new="1.10.13", more=BY_ANNOTATION)
    assert pod_verdicts == {"old": "KEEP", "new": "KILL OutOfcpu"}


def test_hc048_which_of_pods_that_are_alike_is_preempted_is_unknown(run: Run) -> None:
    pods = [sized("one", "01:00", cpu="2"), sized("two", "02:00", cpu="2")]
    critical = sized("critical", "03:00", CRITICAL, cpu="1")
    pod_verdicts = verdicts(run, host(), *pods, critical)
    assert pod_verdicts == {
        "one": "UNKNOWN may be preempted",
        "two": "UNKNOWN may be preempted",
        "critical": "KEEP",
    }
    both = sized("critical", "03:00", CRITICAL, cpu="4")
    assert set(verdicts(run, host(), *pods, both).values()) == {"KILL preempted", "KEEP"}
    other = [pods[0], sized("two", "02:00", cpu="2", memory="1Mi")]
    assert verdicts(run, host(), *other, critical)["one"] == "KILL preempted"


def test_a_limit_that_is_no_quantity_makes_a_pod_burstable(catalog: Catalog) -> None:
    odd = sized("odd", "01:00", cpu="2")
    odd["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "many"}
    kubelet = catalog.kubelet("1.33.13")
    pods = collect([odd, sized("critical", "03:00", CRITICAL, cpu="3")]).pods
    tenants = [Tenant(pod, asking(pod, {}, kubelet)) for pod in pods]
    shortages = outcomes(tenants, node_resources({"cpu": "4", "pods": "9"}), kubelet)
    assert {uid: short.reason for uid, short in shortages.items()} == {"uid-odd": "Preempting"}


def test_hc048_a_device_plugin_may_make_room_for_a_critical_pod_too(run: Run) -> None:
    widget = {"example.com/widget": "1"}
    pods = sized("old", "01:00", **widget), sized("new", "02:00", CRITICAL, **widget)
    pod_verdicts = verdicts(run, host(**widget), *pods)
    assert {name: verdict.split()[0] for name, verdict in pod_verdicts.items()} == {
        "old": "UNKNOWN",
        "new": "KEEP",
    }


def _mirror(priority: int | None) -> Json:
    """Return the mirror pod of a static pod that asks for three CPUs."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}
    running = {"name": "c", "restartCount": 0, "state": {"running": {}}}
    made = mirror_pod(container, name="s", status={"phase": "Running", "containerStatuses": [running]})
    made["metadata"]["annotations"]["kubernetes.io/config.hash"] = "0123"
    made["spec"] |= {} if priority is None else {"priority": priority}
    return made


_PRESET = ("UNKNOWN may be preempted", "UNKNOWN UnexpectedAdmissionError")


@pytest.mark.parametrize(
    ("release", "mirrors", "static", "critical"),
    [
        pytest.param("1.34.12", None, "KEEP", "KILL UnexpectedAdmissionError", id="no priority"),
        pytest.param("1.34.12", 2_000_001_000, "KEEP", "KILL UnexpectedAdmissionError", id="as high"),
        pytest.param("1.34.12", 0, *_PRESET, id="lower, and critical"),
        pytest.param("1.15.12", 0, "KILL preempted", "KEEP", id="not critical before 1.16"),
        pytest.param("1.15.12", 2_000_000_000, *_PRESET, id="critical only if it is set"),
    ],
)
def test_hc048_a_mirror_pods_priority_need_not_be_its_static_pods(
    run: Run, release: str, mirrors: int | None, static: str, critical: str
) -> None:
    pods = [
        _mirror(mirrors),
        sized("ds", "01:00", {"priority": 2_000_001_000 - (release < "1.2") * 1000}, cpu="2"),
    ]
    assert verdicts(run, host(), *pods, old=release, new=release) == {"s-n1": static, "ds": critical}


@pytest.mark.parametrize(
    ("set_", "expected"),
    [(None, "KILL"), (0, "KEEP")],
)
def test_hc048_the_priority_in_a_static_pods_manifest_counts(
    run: Run, tmp_path: Path, set_: int | None, expected: str
) -> None:
    manifest = _mirror(set_)
    del manifest["status"], manifest["metadata"]["annotations"], manifest["metadata"]["uid"]
    manifest["metadata"]["name"] = "s"
    (tmp_path / "s.json").write_bytes(as_json(manifest))
    objects = as_json(host(), _mirror(0), sized("ds", "01:00", {"priority": 2_000_001_000}, cpu="2"))
    more = ("--static-pod-dir", tmp_path, "--node-name", "n1", "--override-node-releases", "-f", "-")
    result = run("plan", "--from", "1.34.10", "--to", "1.34.12", *more, "-o", "json", stdin=objects)
    assert [item["verdict"] for item in result.items if item["pod"] == "ds"] == [expected]


def test_hc048_an_outcome_that_is_open_by_either_priority_is_open(run: Run) -> None:
    """With its mirror pod's priority the static pod may go in place of the other one."""
    ds = sized("ds", "02:00", {"priority": 2_000_001_000}, cpu="1")
    pods = [_mirror(0), sized("other", "01:00", cpu="3"), ds]
    pod_verdicts = verdicts(run, host(cpu="6"), *pods, old="1.34.10", new="1.34.12")
    assert pod_verdicts == {"s-n1": _PRESET[0], "other": _PRESET[0], "ds": "KEEP"}
    pod_verdicts = verdicts(run, host(cpu="6"), _mirror(None), *pods[1:], old="1.34.10", new="1.34.12")
    assert pod_verdicts["other"] == "KILL preempted"


@pytest.mark.parametrize(
    ("release", "shown", "victim"),
    [
        ("1.28.15", "Guaranteed", "plr"),
        ("1.29.15", "Guaranteed", "bur"),
        ("1.33.13", "Guaranteed", "bur"),
        ("1.33.13", "", "plr"),
    ],
)
def test_hc048_the_qos_class_in_a_pods_status_decides_from_1_29_on(
    run: Run, release: str, shown: str, victim: str
) -> None:
    plr = sized("plr", "01:00", cpu="1")
    plr["status"] |= {"qosClass": shown} if shown else {}
    pods = [plr, sized("bur", "02:00", cpu="3"), sized("crit", "03:00", CRITICAL, cpu="1")]
    expected = dict.fromkeys(("plr", "bur", "crit"), "KEEP") | {victim: "KILL preempted"}
    assert verdicts(run, host(), *pods, old=release, new=release) == expected
    snapshot = json.loads(run("snapshot", "-f", "-", stdin=as_json(host(), *pods)).out)
    assert verdicts(run, snapshot, old=release, new=release) == expected


def test_a_static_pods_qos_class_is_no_mirror_pods() -> None:
    made = _mirror(0)
    made["status"]["qosClass"] = "Guaranteed"
    (pod,) = collect([made]).pods
    assert pod.qos == ""


@pytest.mark.parametrize(
    ("more", "new", "expected"),
    [
        pytest.param({"hostNetwork": True, "hostUsers": False}, "1.36.5", "KILL preempted", id="a feature"),
        pytest.param({"hostNetwork": True, "hostUsers": False}, "1.35.8", "KILL preempted", id="admitted"),
        pytest.param({"nodeSelector": {"disk": "ssd"}}, "1.36.5", "KEEP", id="another reason"),
    ],
)
def test_hc048_a_critical_pod_takes_room_before_its_features_are_looked_at(
    run: Run, more: Json, new: str, expected: str
) -> None:
    """What it took is free for the pods behind it where it is refused then."""
    pods = [
        *(sized("old", "01:00", cpu="3"), sized("critical", "02:00", {**CRITICAL, **more}, cpu="2")),
        sized("late", "03:00", cpu="3"),
    ]
    labelled = host()
    labelled["metadata"]["labels"] = {"disk": "hdd"}
    pod_verdicts = verdicts(run, labelled, *pods, old="1.35.7", new=new)
    is_admitted = new == "1.35.8"
    assert pod_verdicts["old"] == expected
    assert pod_verdicts["critical"] == ("KEEP" if is_admitted else "KILL")
    assert (pod_verdicts["late"] == "KEEP") is (expected == "KILL preempted" and not is_admitted)
