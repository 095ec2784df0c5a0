"""HC053: pods that a kubelet refuses for the CPUs that they have, as the dumps of their nodes show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.dumps import GONE, Key, as_text, dump, failed
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import hash_of, record
from tests.kubelet.decide.conftest import Plan

KEEP = "KEEP"
STATE: Key = ("file", "/var/lib/kubelet/cpu_manager_state")
SYS = "/sys/devices/system"
STATIC = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncpuManagerPolicy: static\n"
WHOLE = f"{STATIC}cpuManagerPolicyOptions: {{full-pcpus-only: 'true'}}\nreservedSystemCPUs: '0'\n"
RESERVED = "reservedSystemCPUs: '0'\n"
CONFIG: Key = ("file", "/var/lib/kubelet/config.yaml")


def alone(cpus: str | int, name: str = "c", **more: Any) -> Json:
    """Return a container that has CPUs of its own, where its pod is Guaranteed."""
    amounts = {"cpu": str(cpus), "memory": "1Gi"}
    return {"name": name, "image": "i", "resources": {"limits": amounts, "requests": amounts}, **more}


def state(default: str, entries: Mapping[str, Mapping[str, str]]) -> str:
    """Return a cpu_manager_state."""
    content = {"policyName": "static", "defaultCpuSet": default, "entries": entries, "checksum": 0}
    return json.dumps(content)


def cores(last: int, threads: int) -> dict[Key, Any]:
    """Return what a dump has of the cores of CPUs, which follow each other."""
    files: dict[Key, Any] = {("file", f"{SYS}/cpu/online"): f"0-{last}"}
    for cpu in range(last + 1):
        first = cpu - cpu % threads
        of_core = ",".join(str(first + each) for each in range(threads))
        files["file", f"{SYS}/cpu/cpu{cpu}/topology/thread_siblings_list"] = of_core
    return files


def one(cpus: int | str = 4) -> list[Json]:
    return [pod(alone(cpus))]


REFUSED = "KILL not admitted again: SMTAlignmentError: "
FREE = f"{REFUSED}{{}} asks for 4 free physical CPUs for c, which has as many already, and {{}} are free"


@pytest.mark.parametrize(
    ("old", "new", "last", "expected"),
    [
        ("1.26.15", "1.27.16", 7, FREE.format("1.27.16", 2)),
        ("1.31.14", "1.32.13", 7, FREE.format("1.32.13", 2)),
        ("1.35.8", "1.36.5", 7, FREE.format("1.36.5", 2)),
        ("1.36.3", "1.36.5", 7, FREE.format("1.36.5", 2)),
        ("1.35.8", "1.36.5", 9, KEEP),  # CPU 1 shares its core with the reserved one
        ("1.36.5", "1.37.2", 7, KEEP),  # which looks first at what a container has
        ("1.25.16", "1.26.15", 7, KEEP),  # which looks at the number alone
        ("1.20.15", "1.21.14", 7, KEEP),
    ],
)
def test_hc053_with_full_cores_a_container_needs_as_many_again(
    plan: Plan, old: str, new: str, last: int, expected: str
) -> None:
    changes = {STATE: state(f"0-1,6-{last}", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(last, 2)}
    assert plan(old, new, one(), changes) == {"p/c": expected}


@pytest.mark.parametrize(
    ("old", "new", "shown", "limits", "expected"),
    [
        ("1.27.16", "1.28.15", "Guaranteed", False, KEEP),
        ("1.28.15", "1.29.0", "Guaranteed", False, FREE.format("1.29.0", 2)),
        ("1.33.3", "1.33.13", "Guaranteed", False, FREE.format("1.33.13", 2)),
        ("1.27.16", "1.28.15", "Burstable", True, FREE.format("1.28.15", 2)),
        ("1.28.15", "1.29.0", "Burstable", True, KEEP),
        ("1.28.15", "1.29.0", "Best", True, FREE.format("1.29.0", 2)),
    ],
)
def test_from_1_29_on_the_qos_class_is_the_one_in_the_status(
    plan: Plan, old: str, new: str, shown: str, limits: bool, expected: str
) -> None:
    """An API server may have computed it by the pod's own resources (qos.go ``GetPodQOS``)."""
    pods = one()
    if not limits:
        del pods[0]["spec"]["containers"][0]["resources"]["limits"]
    pods[0]["status"] = {"qosClass": shown}
    changes = {STATE: state("0-1,6-7", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(7, 2)}
    assert plan(old, new, pods, changes) == {"p/c": expected}


def test_without_the_option_or_the_policy_nothing_is_asked(plan: Plan) -> None:
    changes = {STATE: state("0-1", {"uid-p": {"c": "2-5"}}), CONFIG: STATIC, **cores(5, 2)}
    assert plan("1.35.8", "1.36.5", one(), changes) == {"p/c": KEEP}
    assert plan.assumptions == [] or "full-pcpus-only" not in str(plan.assumptions)  # type: ignore[attr-defined]
    none = STATIC.replace("static", "none")
    assert plan("1.35.8", "1.36.5", one(), {CONFIG: none}) == {"p/c": KEEP}
    assert "full-pcpus-only" not in str(plan.assumptions)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "changes",
    [
        {CONFIG: failed()},
        {CONFIG: WHOLE, STATE: failed()},
    ],
)
def test_what_a_dump_does_not_show_is_assumed(plan: Plan, changes: dict[Key, Any]) -> None:
    assert plan("1.35.8", "1.36.5", one(), changes) == {"p/c": KEEP}
    assert "PF-105" not in str(plan.assumptions)  # type: ignore[attr-defined]
    said = (
        "the CPU manager of n1 does not have the policy option full-pcpus-only, with which 1.36.5 asks for "
        "free CPUs before it looks at those that a container has: ns/p/c"
    )
    assert said in plan.assumptions  # type: ignore[attr-defined]


@pytest.mark.parametrize("new", ["1.26.15", "1.36.5", "1.37.2"])
@pytest.mark.parametrize("text", [None, state("0-7", {}).replace("static", "other"), state("0-a", {})])
def test_a_kubelet_that_does_not_start_with_its_state_is_said(plan: Plan, new: str, text: str | None) -> None:
    """Of the healthy node the file says that the policy is none."""
    changes: dict[Key, Any] = {CONFIG: WHOLE, **({STATE: text} if text else {})}
    assert plan(new, new, one(), changes) == {"p/c": KEEP}
    said = f"{new} starts on n1, as it does not with the cpu_manager_state there (PF-105): ns/p/c"
    assert said in plan.assumptions  # type: ignore[attr-defined]
    assert "full-pcpus-only" not in str(plan.assumptions)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("config", "text", "starts"),
    [
        pytest.param(WHOLE, state("0-1,6-7", {"uid-p": {"c": "2-5"}}), True, id="it fits"),
        pytest.param(WHOLE, state("0-1,6", {"uid-p": {"c": "2-5"}}), False, id="a CPU is new"),
        pytest.param(WHOLE, state("0-1,6-8", {"uid-p": {"c": "2-5"}}), False, id="a CPU is gone"),
        pytest.param(WHOLE, state("1,6-7", {"uid-p": {"c": "0,2-5"}}), False, id="one is reserved now"),
        pytest.param("", state("0-1,6-7", {"uid-p": {"c": "2-5"}}), False, id="the policy is none now"),
        pytest.param("", GONE, True, id="no file"),
        pytest.param("", failed(), True, id="not read"),
        pytest.param(
            "kind: KubeletConfiguration\nfeatureGates: {CPUManager: false}\n",
            state("0", {}),
            True,
            id="no CPU manager, until 1.26",
        ),
    ],
)
def test_a_file_that_does_not_fit_the_node_is_said(plan: Plan, config: str, text: Any, starts: bool) -> None:
    """A kubelet that does not start refuses nobody."""
    changes = {CONFIG: config or "kind: KubeletConfiguration\n", STATE: text, **cores(7, 2)}
    release = "1.25.16" if "CPUManager" in config else "1.31.14"
    refused_ = starts and config == WHOLE
    verdicts = plan(release, release, one(), changes)
    assert verdicts["p/c"].partition(" ")[0] == ("KILL" if refused_ else KEEP)
    said = f"{release} starts on n1, as it does not with the cpu_manager_state there (PF-105): ns/p/c"
    assert (said in plan.assumptions) is not starts  # type: ignore[attr-defined]


def test_before_1_27_the_assumption_is_about_whole_cores(run: Run) -> None:
    result = run(
        *("plan", "--from", "1.25.16", "--to", "1.26.15", "-f", "-", "-o", "json", "-q"),
        stdin=as_json(pod(alone(3)), node("v1.25.16")),
    )
    assert "with which 1.26.15 asks for a number of whole cores" in str(
        result.document["spec"]["assumptions"]
    )


@pytest.mark.parametrize(
    ("new", "cpus", "threads", "expected"),
    [
        (
            "1.22.17",
            3,
            2,
            "1.22.17 gives whole cores alone, and c asks for 3 CPUs where a core has 2 threads",
        ),
        (
            "1.26.15",
            2,
            4,
            "1.26.15 gives whole cores alone, and c asks for 2 CPUs where a core has 4 threads",
        ),
        ("1.26.15", 3, 1, ""),
        ("1.36.5", 3, 2, "1.36.5 gives whole cores alone, and c asks for 3 CPUs where a core has 2 threads"),
        ("1.37.2", 3, 2, ""),
    ],
)
def test_a_number_that_is_none_of_cores_is_refused_whatever_it_has(
    plan: Plan, new: str, cpus: int, threads: int, expected: str
) -> None:
    gate = "featureGates: {CPUManagerPolicyOptions: true}\n" if new.startswith("1.22") else ""
    given = {STATE: state("0-3,7-23", {"uid-p": {"c": "4-6"}}), CONFIG: WHOLE + gate, **cores(23, threads)}
    assert plan(new, new, one(cpus), given) == {"p/c": f"{REFUSED}{expected}" if expected else KEEP}


def test_a_container_with_a_part_of_a_cpu_needs_none_that_is_free(plan: Plan) -> None:
    """Another pod may take the last ones first, which is nothing to it."""
    pods = [pod(alone(4), alone("500m", name="d")), pod(alone(2), name="q")]
    given = {STATE: state("0", {"uid-p": {"c": "1-4"}}), CONFIG: STATIC + RESERVED, **cores(4, 1)}
    verdicts = plan("1.36.5", "1.36.5", pods, given)
    assert (verdicts["p/c"], verdicts["p/d"]) == (KEEP, KEEP)
    assert verdicts["q/c"].startswith("KILL")


def test_an_older_dump_does_not_show_which_cpus_share_a_core(plan: Plan) -> None:
    online: dict[Key, Any] = {("file", f"{SYS}/cpu/online"): "0-8"}
    given = {STATE: state("0-1,6-8", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **online}
    text = "asks for 4 free physical CPUs for c, which has as many already; whether they are free depends on"
    host = with_architecture("amd64")
    assert text in plan("1.35.8", "1.36.5", one(), given, host=host)["p/c"]
    verdict = plan("1.35.8", "1.36.5", one(), given, host=host)["p/c"]
    assert verdict.startswith("UNKNOWN SMTAlignmentError")
    odd = {
        STATE: state("0-1,5-30", {"uid-p": {"c": "2-4"}}),
        CONFIG: WHOLE,
        ("file", f"{SYS}/cpu/online"): "0-30",
    }
    assert "which are none where a core has two threads" in plan("1.35.8", "1.36.5", one(3), odd)["p/c"]


def with_architecture(name: str) -> Json:
    host = node("v1.35.8")
    host["status"]["nodeInfo"]["architecture"] = name
    return host


@pytest.mark.parametrize(
    ("architecture", "cpus", "threads"),
    [
        *(("s390x", 2, ""), ("amd64", 4, ""), ("amd64", 2, "four"), ("arm64", 3, "two")),
        *(("ppc64le", 3, "two"), ("ppc64le", 2, "four"), ("ppc64le", 4, "eight"), ("ppc64le", 8, "")),
        ("", 4, "eight"),
    ],
)
def test_an_older_dump_shows_by_its_architecture_how_many_threads_a_core_may_have(
    plan: Plan, architecture: str, cpus: int, threads: str
) -> None:
    held = {"uid-p": {"c": f"8-{7 + cpus}"}}
    given = {
        STATE: state(f"0-7,{8 + cpus}-63", held),
        CONFIG: WHOLE,
        ("file", f"{SYS}/cpu/online"): "0-63",
    }
    asks = f"1.36.5 gives whole cores alone, and c asks for {cpus} CPUs"
    said = f"UNKNOWN SMTAlignmentError: {asks}, which are none where a core has {threads} threads"
    verdicts = plan("1.35.8", "1.36.5", one(cpus), given, host=with_architecture(architecture))
    assert verdicts == {"p/c": said if threads else KEEP}
    labelled = with_architecture("")
    labelled["metadata"]["labels"] = {"kubernetes.io/arch": architecture}
    assert plan("1.35.8", "1.36.5", one(cpus), given, host=labelled) == verdicts


def test_what_is_reserved_may_share_its_core_with_seven_others(plan: Plan) -> None:
    online: dict[Key, Any] = {("file", f"{SYS}/cpu/online"): "0-31"}
    for free, expected in ((14, "UNKNOWN"), (15, KEEP)):
        default = f"0,{32 - free}-31"
        held = {"uid-p": {"c": "1-8"}, "other": {"c": f"9-{31 - free}"}}
        given = {STATE: state(default, held), CONFIG: WHOLE, **online}
        verdicts = plan("1.35.8", "1.36.5", one(8), given, host=with_architecture("ppc64le"))
        assert verdicts["p/c"].partition(" ")[0] == expected


def test_a_reserved_number_takes_whole_cores_too(plan: Plan) -> None:
    """takeByTopology of 3 CPUs takes two cores, of which one CPU is not reserved, and not free."""
    config = WHOLE.replace("reservedSystemCPUs: '0'", "kubeReserved: {cpu: 2500m}")
    given = {STATE: state("0-3,8-10", {"uid-p": {"c": "4-7"}}), CONFIG: config, **cores(10, 2)}
    (verdict,) = plan("1.35.8", "1.36.5", one(), given).values()
    assert verdict.startswith("UNKNOWN")


@pytest.mark.parametrize(
    ("old", "new", "gates", "expected"),
    [
        ("1.32.13", "1.33.13", "", KEEP),  # whose status shows none as allocated
        ("1.32.13", "1.34.12", "", KEEP),
        ("1.33.13", "1.34.12", "", "KILL"),
        ("1.34.10", "1.34.12", "", "KILL"),
        ("1.32.13", "1.35.8", "", "KILL"),
        ("1.32.13", "1.33.13", "featureGates: {InPlacePodVerticalScaling: false}\n", "KILL"),
    ],
)
def test_from_1_33_to_1_34_the_number_is_what_the_status_shows_as_allocated(
    plan: Plan, old: str, new: str, gates: str, expected: str
) -> None:
    given = {STATE: state("0-1,6-7", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE + gates, **cores(7, 2)}
    assert plan(old, new, one(), given)["p/c"].partition(" ")[0] == expected


def test_what_other_pods_may_take_first_is_not_known_to_be_free(plan: Plan) -> None:
    """A policy static that is new: its file names no containers, and each pod takes CPUs in its turn."""
    pods = [pod(alone(4)), pod(alone(4), name="q")]
    few, many = (
        {STATE: state(f"0-{last}", {}), CONFIG: STATIC + RESERVED, **cores(last, 2)} for last in (7, 8)
    )
    asks = "1.36.5 asks for 4 CPUs for c, which has none in cpu_manager_state, and 7 are free"
    unknown = f"UNKNOWN UnexpectedAdmissionError: {asks}, of which other pods without any may take 4 first"
    verdicts = plan("1.35.8", "1.36.5", pods, few)
    assert verdicts == {"p/c": unknown, "q/c": unknown}
    spec = plan.spec  # type: ignore[attr-defined]
    assert spec["rollback"]["unknown"] == 2
    assert plan("1.35.8", "1.36.5", pods, many) == {"p/c": KEEP, "q/c": KEEP}
    assert plan("1.35.8", "1.36.5", pods[:1], few) == {"p/c": KEEP}
    larger = [pod(alone(8)), pod(alone(4), name="q")]
    refused = plan("1.35.8", "1.36.5", larger, few)
    assert refused["p/c"].startswith("KILL")
    ended = [*pods[:1], pod(alone(4), name="q", status={"phase": "Succeeded"})]
    assert plan("1.35.8", "1.36.5", ended, few)["p/c"] == KEEP


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        pytest.param((1, 2, 3), ("KEEP", "KEEP", "UNKNOWN"), id="the oldest first"),
        pytest.param((3, 2, 1), ("UNKNOWN", "KEEP", "KEEP"), id="whatever their names"),
        pytest.param((1, 2, 2), ("KEEP", "UNKNOWN", "UNKNOWN"), id="two of one second"),
        pytest.param((1, 1, 1), ("UNKNOWN", "UNKNOWN", "UNKNOWN"), id="all of one second"),
    ],
)
def test_only_older_pods_take_cpus_first(
    plan: Plan, times: tuple[int, ...], expected: tuple[str, ...]
) -> None:
    """A kubelet that starts admits pods in the order of their creation (kubelet.go HandlePodAdditions)."""
    numbers = (4, 3, 1)
    pods = [pod(alone(number), name=f"p{number}") for number in numbers]
    for manifest, time in zip(pods, times, strict=True):
        manifest["metadata"]["creationTimestamp"] = f"2026-01-0{time}T00:00:00Z"
    given = {STATE: GONE, CONFIG: f"{STATIC}{RESERVED}", **cores(7, 2)}
    verdicts = plan("1.34.10", "1.34.12", pods, given)
    kept = [verdicts[f"p{number}/c"].partition(" ")[0] for number in numbers]
    assert tuple(kept) == expected


def test_with_whole_cores_what_others_take_first_is_not_free_again(plan: Plan) -> None:
    pods = [pod(alone(4)), pod(alone(2), name="q")]
    for last, expected in ((9, "UNKNOWN"), (11, KEEP)):
        held = {STATE: state(f"0-1,6-{last}", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(last, 2)}
        verdicts = plan("1.35.8", "1.36.5", pods, held)
        assert verdicts["p/c"].partition(" ")[0] == expected
    short = {STATE: state("0-1,6-9", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(9, 2)}
    text = "1.36.5 asks for 4 free physical CPUs for c, which has as many already, and 4 are free"
    said = f"UNKNOWN SMTAlignmentError: {text}, of which other pods without any may take 2 first"
    assert plan("1.35.8", "1.36.5", pods, short)["p/c"] == said


def test_a_pod_with_resources_of_its_own_may_take_some_too(plan: Plan) -> None:
    given = {STATE: state("0-7", {}), CONFIG: STATIC + RESERVED, **cores(7, 2)}
    own = pod({"name": "c", "image": "i"}, name="q", spec={"resources": alone("3500m")["resources"]})
    gated = {**given, CONFIG: given[CONFIG] + "featureGates: {PodLevelResourceManagers: true}\n"}
    for changes, expected in ((given, KEEP), (gated, "UNKNOWN")):
        verdicts = plan("1.35.8", "1.36.5", [pod(alone(4)), own], changes)
        assert verdicts["p/c"].partition(" ")[0] == expected
    loose = pod({"name": "c", "image": "i"}, name="q", spec={"resources": {"limits": {"memory": "1Gi"}}})
    assert plan("1.35.8", "1.36.5", [pod(alone(4)), loose], gated)["p/c"] == KEEP


def test_who_may_take_cpus_first_may_take_room_or_not(plan: Plan) -> None:
    pods = [
        pod(alone(4), metadata={"creationTimestamp": "2026-01-01T00:00:00Z"}),
        pod(alone(4), name="q", metadata={"creationTimestamp": "2026-01-02T00:00:00Z"}),
        pod(alone("500m"), name="late", metadata={"creationTimestamp": "2026-01-03T00:00:00Z"}),
    ]
    host = node("v1.35.8")
    host["status"]["allocatable"] = {"cpu": "8", "memory": "64Gi", "pods": "110"}
    given = {STATE: state("0-7", {}), CONFIG: STATIC + RESERVED, **cores(7, 2)}
    verdicts = plan("1.35.8", "1.36.5", pods, given, host=host)
    kept = {name: verdict.partition(" ")[0] for name, verdict in verdicts.items()}
    assert kept == {"p/c": "KEEP", "q/c": "UNKNOWN", "late/c": "UNKNOWN"}


def waiting(name: str = "p", *, cpu: str = "1", memory: str = "1Gi", actual: str = "1", **more: Any) -> Json:
    """Return a pod whose container was given one CPU, and has two and 1Gi in its spec."""
    given = {"cpu": cpu, "memory": memory}
    row = {
        "name": "c",
        "state": {"running": {}},
        "restartCount": 0,
        "allocatedResources": given,
        "resources": {"requests": {"cpu": actual, "memory": memory}},
    }
    status = {
        "phase": "Running",
        "conditions": [{"type": "PodResizePending", "status": "True"}],
        "containerStatuses": [row],
    }
    policy = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    return pod({**alone(2), "resizePolicy": policy}, name=name, status=status, **more)


def applied(*uids: str) -> dict[Key, Any]:
    """Return what a dump has of the resources that a kubelet applied to containers: to each one CPU."""
    rows = {uid: {"ContainerResources": {"c": alone(1)["resources"]}} for uid in uids}
    text = json.dumps({"data": json.dumps({"entries": rows}), "checksum": 1})
    return {("file", "/var/lib/kubelet/actuated_pods_state"): text}


MEMORY = STATIC.replace("cpuManagerPolicy: static", "memoryManagerPolicy: Static")
EXCLUSIVE = "featureGates: {InPlacePodVerticalScalingExclusive%s: true}\n"


@pytest.mark.parametrize(
    "way", [("1.33.5", "1.33.13"), ("1.34.10", "1.34.12"), ("1.36.5", "1.37.2")], ids=str
)
@pytest.mark.parametrize(
    ("config", "given", "why"),
    [
        (STATIC, {}, "cpu"),
        (STATIC, {"actual": "500m"}, ""),  # what it was given is under way
        (MEMORY, {"memory": "2Gi"}, "memory"),
        (MEMORY, {"memory": "2Gi", "spec": {"initContainers": [alone(1, "init")]}}, "memory"),
        (STATIC + EXCLUSIVE % "CPUs", {}, ""),
        (STATIC.replace("static", "none"), {}, ""),
        (STATIC, {"spec": {"resources": alone(4)["resources"]}}, ""),
    ],
)
def test_a_guaranteed_pod_is_not_resized_under_a_static_policy(
    plan: Plan, way: tuple[str, str], config: str, given: dict[str, Any], why: str
) -> None:
    policy = "none" if "cpuManagerPolicy: static" not in config else "static"
    content = state("0,2-7", {"uid-p": {"c": "1"}}).replace('"static"', f'"{policy}"')
    changes = {STATE: content, CONFIG: config, **cores(7, 2), **applied("uid-p")}
    verdicts = plan(*way, [waiting(**given)], changes)
    assert verdicts["p/c"] == ("KEEP" if why else "UNKNOWN")
    text = "a resize of its cpu waits on, for its pod is Guaranteed, and the "
    text += f"{why} manager has the policy static"
    reasons = [reason["text"] for item in plan.items for reason in item["reasons"]]  # type: ignore[attr-defined]
    assert (f"resizePolicy: {text}" in reasons) is bool(why)


def unseen(*, given: str = "1", actual: str = "1") -> Json:
    """Return a pod with a resize that its kubelet has not seen, as ``waiting`` has one that it has."""
    manifest = waiting(cpu=given, actual=actual, metadata={"generation": 2})
    manifest["status"] |= {"conditions": [], "observedGeneration": 1}
    row = manifest["status"]["containerStatuses"][0]
    row |= {"image": "i", "resources": {"requests": {"cpu": actual, "memory": "1Gi"}}}
    row["resources"]["limits"] = row["resources"]["requests"]
    return manifest


@pytest.mark.parametrize(
    ("config", "pod_", "verdict"),
    [
        (STATIC, unseen(), "KEEP"),
        (STATIC, unseen(actual="500m"), "RESTART"),  # what it was given is under way
        (STATIC, unseen(given="2"), "RESTART"),  # it was given what its spec has
        (STATIC + EXCLUSIVE % "CPUs", unseen(), "RESTART"),
        (STATIC.replace("static", "none"), unseen(), "RESTART"),
    ],
)
def test_nor_where_its_kubelet_has_not_seen_the_resize(
    plan: Plan, config: str, pod_: Json, verdict: str
) -> None:
    policy = "none" if "cpuManagerPolicy: static" not in config else "static"
    content = state("0,2-7", {"uid-p": {"c": "1"}}).replace('"static"', f'"{policy}"')
    changes = {STATE: content, CONFIG: config, **cores(7, 2), **applied("uid-p")}
    assert plan("1.34.10", "1.34.12", [pod_], changes)["p/c"] == verdict


def test_from_1_34_another_resource_is_resized_all_the_same(plan: Plan) -> None:
    content = state("0-7", {}).replace("static", "none")
    given = {STATE: content, CONFIG: MEMORY, **cores(7, 2), **applied("uid-p")}
    assert plan("1.33.5", "1.33.13", [waiting()], given)["p/c"] == "KEEP"
    assert plan("1.34.10", "1.34.12", [waiting()], given)["p/c"] == "UNKNOWN"


def test_what_is_not_resized_takes_no_room_of_other_resizes(plan: Plan) -> None:
    host = node("v1.36.3")
    host["status"]["allocatable"] = {"cpu": "4", "memory": "64Gi", "pods": "110"}
    other = waiting("q")
    other["spec"]["containers"].append({"name": "d", "image": "i"})  # whose pod is not Guaranteed
    other["status"]["containerStatuses"].append({"name": "d", "state": {"running": {}}, "restartCount": 0})
    first = waiting(cpu="1")
    first["spec"]["containers"][0]["resources"] = alone(3)["resources"]
    given = {STATE: state("0,2-7", {"uid-p": {"c": "1"}}), CONFIG: STATIC, **cores(7, 2)}
    given |= applied("uid-p", "uid-q")
    verdicts = plan("1.36.3", "1.36.5", [first, other], given, host=host)
    assert (verdicts["p/c"], verdicts["q/c"]) == ("KEEP", "UNKNOWN")
    host["metadata"]["name"] = "n2"  # of which there is no dump
    pods = [pod(alone(4)), waiting("q", metadata={"uid": "elsewhere"}, node="n2")]
    assert plan("1.36.3", "1.36.5", pods, given, host=host)["q/c"] != "KEEP"


def test_a_resize_that_waits_asks_for_no_cpus_yet(plan: Plan) -> None:
    numa_ = numa("single-numa-node", "0-3", "4-7")
    given = {**numa_, STATE: state("0,2-7", {"uid-p": {"c": "1"}}), **applied("uid-p")}
    assert plan("1.35.8", "1.36.5", [waiting()], given)["p/c"] == "KEEP"


def test_init_containers_are_asked_for_too(plan: Plan) -> None:
    init = {"initContainers": [alone(4, "init")]}
    entries = {"uid-p": {"c": "2-3"}}
    given = {STATE: state("0-1,4-7", entries), CONFIG: STATIC + "reservedSystemCPUs: 0-1,4\n", **cores(7, 2)}
    verdicts = plan("1.35.8", "1.36.5", [pod(alone(2), spec=init)], given)
    text = "1.36.5 asks for 4 CPUs for init, which has none in cpu_manager_state, and 3 are free"
    assert verdicts["p/c"] == f"KILL not admitted again: UnexpectedAdmissionError: {text}"


def numa(policy: str, first: str, second: str, scope: str = "") -> dict[Key, Any]:
    """Return two NUMA nodes, and a kubelet with a policy of the topology manager."""
    more = f"topologyManagerScope: {scope}\n" if scope else ""
    return {
        CONFIG: f"{STATIC}reservedSystemCPUs: '0'\ntopologyManagerPolicy: {policy}\n{more}",
        ("directory", f"{SYS}/node"): "node0\nnode1\n",
        ("file", f"{SYS}/node/node0/cpulist"): first,
        ("file", f"{SYS}/node/node1/cpulist"): second,
        **cores(7, 2),
    }


PLACED = "KILL not admitted again: TopologyAffinityError: "


@pytest.mark.parametrize(
    ("policy", "scope", "entries", "expected"),
    [
        ("single-numa-node", "", {"c": "1-2", "d": "5-6"}, KEEP),
        (
            "single-numa-node",
            "",
            {"c": "3-4", "d": "5-6"},
            f"{PLACED}c has CPUs of NUMA nodes 0, 1, which the ",
        ),
        ("restricted", "", {"c": "3-4", "d": "5-6"}, f"{PLACED}c has CPUs of NUMA nodes 0, 1, which the "),
        (
            "single-numa-node",
            "pod",
            {"c": "1-2", "d": "5-6"},
            f"{PLACED}c has CPUs of NUMA nodes 0, 1, which ",
        ),
        ("best-effort", "pod", {"c": "1-2", "d": "5-6"}, KEEP),
        ("none", "", {"c": "3-4", "d": "5-6"}, KEEP),
        ("restricted", "", {"c": "1-3", "d": "5-6"}, f"{PLACED}c asks for 2 CPUs and has 3, which the "),
        ("restricted", "", {"c": "1-2"}, "UNKNOWN TopologyAffinityError: d has no CPUs in cpu_manager_state"),
        (
            "restricted",
            "pod",
            {"c": "1-2"},
            "UNKNOWN TopologyAffinityError: d has no CPUs in cpu_manager_state",
        ),
    ],
)
def test_cpus_of_too_many_numa_nodes(
    plan: Plan, policy: str, scope: str, entries: dict[str, str], expected: str
) -> None:
    taken = {cpu for text in entries.values() for cpu in range(int(text[0]), int(text[-1]) + 1)}
    default = ",".join(str(cpu) for cpu in range(8) if cpu not in taken)
    given = {STATE: state(default, {"uid-p": entries}), **numa(policy, "0-3", "4-7", scope)}
    verdicts = plan("1.35.8", "1.36.5", [pod(alone(2), alone(2, "d"))], given)
    assert verdicts["p/c"].startswith(expected)
    assert (verdicts["p/c"] == KEEP) == (expected == KEEP)


@pytest.mark.parametrize(
    ("release", "cpus", "expected"),
    [
        ("1.36.5", "1-2", KEEP),
        ("1.36.5", "1-3", f"{PLACED}c asks for 2 CPUs and has 3, which the "),
        ("1.26.15", "1-3", f"{PLACED}c asks for 2 CPUs and has 3, which the "),
        ("1.36.5", "3-4", "UNKNOWN TopologyAffinityError: c has CPUs of NUMA nodes 0, 1, which the "),
        ("1.26.15", "3-4", "UNKNOWN TopologyAffinityError: c has CPUs of NUMA nodes 0, 1, which the "),
    ],
)
def test_cpus_that_are_aligned_by_socket_may_be_on_more_numa_nodes(
    plan: Plan, release: str, cpus: str, expected: str
) -> None:
    changes = numa("restricted", "0-3", "4-7")
    changes[CONFIG] += "cpuManagerPolicyOptions: {align-by-socket: 'true'}\n"
    changes[CONFIG] += "featureGates: {CPUManagerPolicyAlphaOptions: true}\n"
    first, last = map(int, cpus.split("-"))
    others = ",".join(str(each) for each in range(8) if not first <= each <= last)
    changes[STATE] = state(others, {"uid-p": {"c": cpus}})
    verdict = plan(release, release, [pod(alone(2))], changes)["p/c"]
    assert verdict.startswith(expected)
    assert verdict.endswith("unless they are one socket's (align-by-socket)") is verdict.startswith("UNKNOWN")


def test_sidecars_go_on_beside_the_init_containers_after_them(plan: Plan) -> None:
    first = alone(2, "side", restartPolicy="Always")
    entries = {"uid-p": {"side": "1-2", "init": "3-5", "c": "3-4"}}
    given = {STATE: state("0,6-7", entries), **numa("restricted", "0-3", "4-7", "pod")}
    # together five CPUs, which no NUMA node has: both are as few as can be
    both = pod(alone(2), spec={"initContainers": [first, alone(3, "init")]})
    assert plan("1.35.8", "1.36.5", [both], given)["p/c"] == KEEP
    after = pod(alone(2), spec={"initContainers": [alone(3, "init"), first]})
    verdict = plan("1.35.8", "1.36.5", [after], given)["p/c"]
    assert verdict.startswith(f"{PLACED}init has CPUs of NUMA nodes 0, 1")


def test_pods_with_resources_of_their_own_have_no_cpus(plan: Plan) -> None:
    own = {"resources": alone(4)["resources"]}
    given = {STATE: state("0-1,6-7", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(7, 2)}
    assert plan("1.35.8", "1.36.5", [pod(alone(4), spec=own)], given)["p/c"] == KEEP
    gated = {**given, CONFIG: WHOLE + "featureGates: {PodLevelResourceManagers: true}\n"}
    verdict = plan("1.35.8", "1.36.5", [pod(alone(4), spec=own)], gated)["p/c"]
    assert verdict.startswith("UNKNOWN UnexpectedAdmissionError: 1.36.5 has PodLevelResourceManagers on")


@pytest.mark.parametrize("container", [alone("1500m"), {"name": "c", "image": "i"}, alone(4, resources={})])
def test_others_have_none(plan: Plan, container: Json) -> None:
    given = {STATE: state("0-7", {}), CONFIG: WHOLE, **cores(7, 2)}
    assert plan("1.35.8", "1.36.5", [pod(container)], given) == {"p/c": KEEP}


def test_hops_and_the_rollback_start_such_kubelets_too(plan: Plan) -> None:
    given = {STATE: state("0-1,6-7", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(7, 2)}
    assert plan("1.35.8", "1.37.2", one(), given) == {"p/c": KEEP}
    spec = plan.spec  # type: ignore[attr-defined]
    assert [hop["findings"] for hop in spec["hops"]] == [1, 0]
    assert spec["rollback"]["findings"] == 1


def test_a_dump_of_one_node_says_nothing_of_others(plan: Plan) -> None:
    given = {STATE: state("0-1,6-20", {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(20, 2)}
    pods = [pod(alone(4)), pod(alone(4), name="q", node="n2", metadata={"uid": "elsewhere"})]
    verdicts = plan("1.35.8", "1.36.5", pods, given)
    assert verdicts["p/c"] == KEEP
    (said,) = [assumption for assumption in plan.assumptions if "full-pcpus-only" in assumption]  # type: ignore[attr-defined]
    assert "of n2 does" in said
    assert said.endswith(": ns/q/c")


def test_who_is_refused_takes_no_room(plan: Plan) -> None:
    pods = [
        pod(alone(4), metadata={"creationTimestamp": "2026-01-01T00:00:00Z"}),
        pod(alone("500m"), name="late", metadata={"creationTimestamp": "2026-01-02T00:00:00Z"}),
    ]
    host = node("v1.35.8")
    host["status"]["allocatable"] = {"cpu": "4", "memory": "64Gi", "pods": "110"}
    for default, expected in (("0-1,6-7", ("KILL", KEEP)), ("0-1,6-9", ("KEEP", "KILL"))):
        last = int(default[-1])
        given = {STATE: state(default, {"uid-p": {"c": "2-5"}}), CONFIG: WHOLE, **cores(last, 2)}
        verdicts = plan("1.35.8", "1.36.5", pods, given, host=host)
        assert tuple(verdicts[f"{name}/c"].partition(" ")[0] for name in ("p", "late")) == expected
    older = {
        STATE: state("0-1,6-8", {"uid-p": {"c": "2-5"}}),
        CONFIG: WHOLE,
        ("file", f"{SYS}/cpu/online"): "0-8",
    }
    verdicts = plan("1.35.8", "1.36.5", pods, older, host=host)
    assert {verdict.partition(" ")[0] for verdict in verdicts.values()} == {"UNKNOWN"}


@pytest.mark.parametrize(
    ("old", "new", "made", "names"),
    [
        ("1.35.8", "1.36.5", pod(alone(4), alone("500m", "d")), "ns/p/c"),
        ("1.35.8", "1.36.5", pod(alone("500m"), spec={"initContainers": [alone(2, "init")]}), "ns/p/c"),
        ("1.35.8", "1.36.5", pod(alone("500m")), ""),
        ("1.35.8", "1.36.5", pod(alone(4), spec={"resources": alone(4)["resources"]}), ""),
        ("1.36.5", "1.37.2", pod(alone(4)), ""),
        ("1.32.13", "1.33.13", pod(alone(4)), ""),  # whose status shows none as allocated
        ("1.33.13", "1.34.12", pod(alone(4)), "ns/p/c"),
        ("1.20.15", "1.21.14", pod(alone(4)), ""),
    ],
)
def test_the_assumption_is_about_whom_it_may_concern(
    run: Run, old: str, new: str, made: Json, names: str
) -> None:
    result = run(
        *("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", "-q"),
        stdin=as_json(made, node(f"v{old}")),
    )
    said = [
        assumption for assumption in result.document["spec"]["assumptions"] if "full-pcpus-only" in assumption
    ]
    assert [assumption.rpartition(": ")[2] for assumption in said] == ([names] if names else [])


@pytest.mark.parametrize(("new", "expected"), [("1.33.13", "KILL"), ("1.32.13", "KILL"), ("1.37.2", KEEP)])
def test_a_static_pod_goes_by_the_uid_and_the_spec_of_its_manifest(
    run: Run, tmp_path: Path, new: str, expected: str
) -> None:
    """It has no status when its kubelet starts, so that nothing allocated is looked up for it."""
    uid, old = (
        "8aa3fb8e1c2f1d8a7d7e6f5c4b3a2910",
        {"1.33.13": "1.33.5", "1.32.13": "1.32.9"}.get(new, "1.37.1"),
    )
    made = mirror_pod(alone(4))
    made["metadata"]["annotations"] |= {
        "kubernetes.io/config.hash": uid,
        "kubernetes.io/config.source": "file",
    }
    made["metadata"]["annotations"]["kubernetes.io/config.mirror"] = uid
    row = record(hash_of(run, old, alone(4)), "p-n1", uid=uid)
    given: dict[Key, Any] = {
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": [row]}),
        STATE: state("0-1,6-7", {uid: {"c": "2-5"}}),
        CONFIG: WHOLE,
        **cores(7, 2),
    }
    (tmp_path / "n1.jsonl").write_text(as_text(dump(given)))
    result = run(
        *("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", "-q"),
        *("--recorded", tmp_path / "n1.jsonl"),
        stdin=as_json(made, node(f"v{old}")),
    )
    assert [item["verdict"] for item in result.items] == [expected]


@pytest.mark.parametrize(
    ("old", "new", "default", "expected"),
    [
        pytest.param("1.32.13", "1.33.13", "0-1,6-7", "KILL", id="too few are free"),
        pytest.param("1.36.5", "1.37.2", "0-1,6-7", "KILL", id="whatever is looked at first"),
        pytest.param("1.22.17", "1.21.14", "0-1,6-7", KEEP, id="the same UID"),
        pytest.param("1.33.12", "1.33.13", "0-1,6-7", KEEP, id="the same minor"),
        pytest.param("1.32.13", "1.33.13", "0-1,6-9", "RESTART", id="enough are free"),
    ],
)
def test_hc053_a_static_pod_with_another_uid_has_no_cpus_yet(
    plan: Plan, old: str, new: str, default: str, expected: str
) -> None:
    given = {STATE: state(default, {"uid-p-n1": {"c": "2-5"}}), CONFIG: STATIC + RESERVED}
    given |= cores(int(default[-1]), 2)
    verdicts = plan(old, new, [mirror_pod(alone(4))], given)
    assert verdicts["p-n1/c"].partition(" ")[0] == expected
    assert ("former UID" in verdicts["p-n1/c"]) is (expected == "KILL")


@pytest.mark.parametrize(("old", "expected"), [("1.35.8", "UNKNOWN"), ("1.36.3", KEEP)])
def test_what_a_static_pod_with_another_uid_takes_is_not_free(plan: Plan, old: str, expected: str) -> None:
    held = {"uid-p-n1": {"c": "6-7"}, "uid-p": {"c": "2-3"}}
    given = {STATE: state("0-1,4-5", held), CONFIG: WHOLE, **cores(7, 2)}
    verdicts = plan(old, "1.36.5", [mirror_pod(alone(2)), pod(alone(2))], given)
    assert verdicts["p/c"].partition(" ")[0] == expected


@pytest.mark.parametrize("is_mirrored", [True, False])
@pytest.mark.parametrize(
    ("old", "metadata", "expected"),
    [
        pytest.param("1.31.14", {}, "KILL", id="another UID"),
        pytest.param("1.32.12", {}, KEEP, id="the same UID"),
        pytest.param("1.31.14", {"uid": "6f1a2b3c"}, KEEP, id="a UID of its own"),
        pytest.param("1.31.14", {"creationTimestamp": "2026-01-01T00:00:00Z"}, "UNKNOWN", id="not known"),
    ],
)
def test_a_manifest_shows_whether_its_pod_gets_another_uid(
    run: Run, tmp_path: Path, old: str, metadata: Json, expected: str, is_mirrored: bool
) -> None:
    """Where no mirror pod is in the input, the UID that the runtime shows tells whose CPUs the pod has."""
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    made = {**pod(alone(4)), "metadata": {"name": "p", "namespace": "ns", **metadata}}
    del made["spec"]["nodeName"]
    (manifests / "p.json").write_text(json.dumps(made))
    static = ("--static-pod-dir", manifests, "--node-name", "n1", "-o", "json")
    (listed,) = run("hash", "--kubelet", old, *static).items
    uid = metadata.get("uid") or listed.get("podUID", {}).get(old) or "0" * 32
    mirror = mirror_pod(alone(4))
    mirror["metadata"]["annotations"] = {
        f"kubernetes.io/config.{key}": value
        for key, value in {"hash": uid, "mirror": uid, "source": "file"}.items()
    }
    row = record(listed["hashes"][old]["hash"], "p-n1", uid=uid)
    given: dict[Key, Any] = {
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": [row]}),
        STATE: state("0-1,6-7", {uid: {"c": "2-5"}}),
        CONFIG: STATIC + RESERVED,
        **cores(7, 2),
    }
    (tmp_path / "n1.jsonl").write_text(as_text(dump(given)))
    result = run(
        *("plan", "--from", old, "--to", "1.32.13", *static, "-f", "-"),
        *("--recorded", tmp_path / "n1.jsonl"),
        stdin=as_json(*([mirror] if is_mirrored else []), node(f"v{old}")),
    )
    assert [item["verdict"] for item in result.items] == [expected]
