"""Resizes of pods, and room for them on a node whose kubelet starts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room.requests import as_allocated, asking
from tests.helpers.dumps import GONE, as_text, dump
from tests.helpers.pods import Json, as_json, mirror_pod, node
from tests.helpers.program import Run
from tests.helpers.room import host, sized, verdicts
from tests.helpers.upgrades import hash_of, record, recorded


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


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("1.32.10", "1.33.13", {"a": "KILL OutOfcpu", "b": "KEEP"}, id="in another file"),
        pytest.param("1.31.14", "1.36.3", {"a": "KILL OutOfcpu", "b": "KEEP"}, id="over several minors"),
        pytest.param("1.33.13", "1.34.12", {"a": "KEEP", "b": "KEEP"}, id="in the same file"),
        pytest.param("1.31.14", "1.32.10", {"a": "KEEP", "b": "KEEP"}, id="before that as well"),
    ],
)
def test_what_a_kubelet_before_1_33_allocated_is_not_noted_for_a_newer_one(
    run: Run, old: str, new: str, expected: dict[str, str]
) -> None:
    """With the gate on; it admits by the spec, for which there is no room."""
    waiting = resized(sized("a", "01:00", cpu="20"), "PodResizePending", allocated="1", actual="1")
    waiting["spec"]["containers"][0]["resizePolicy"][0]["restartPolicy"] = "NotRequired"
    gate = ("--feature-gates", "InPlacePodVerticalScaling=true")
    pods = [waiting, sized("b", "02:00", cpu="3")]
    assert verdicts(run, host(), *pods, old=old, new=new, more=gate) == expected


def test_what_is_admitted_by_its_spec_counts_by_its_spec_beside_others(run: Run) -> None:
    grown = resized(sized("a", "01:00", cpu="2"), "PodResizePending", allocated="1", actual="1")
    pods = [grown, sized("b", "02:00", cpu="3")]
    gate = ("--feature-gates", "InPlacePodVerticalScaling=true")
    outcomes = verdicts(run, host(), *pods, old="1.32.10", new="1.33.13", more=gate)
    assert outcomes == {"a": "RESTART", "b": "KILL OutOfcpu"}
    del grown["status"]["containerStatuses"][0]["resources"]
    assert verdicts(run, host(), *pods, old="1.32.10", new="1.33.13", more=gate) == outcomes


def test_what_a_pod_has_that_may_go_may_be_free_for_a_resize(run: Run) -> None:
    waiting = resized(sized("a", "01:00", cpu="2"), "PodResizePending", allocated="1", actual="1")
    late, ending = sized("late", "03:00", cpu="3"), sized("ending", "02:00", cpu="3")
    assert verdicts(run, host(), waiting, ending, late) == {
        "a": "KEEP",
        "ending": "KEEP",
        "late": "KILL OutOfcpu",
    }
    ending["metadata"]["deletionTimestamp"] = "2026-01-02T00:00:00Z"
    outcomes = verdicts(run, host(cpu="7"), waiting, ending, late)
    assert (outcomes["a"], outcomes["late"]) == ("UNKNOWN", "KEEP")
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
        return str(next(item["verdict"] for item in result.items if item["pod"] == "a"))

    assert found("2") == "KEEP"
    assert found("500m") == "RESTART"
    assert found("2", activeDeadlineSeconds=10**9) == "UNKNOWN"


def test_resizes_in_opposite_directions_count_by_container_up_to_1_36(catalog: Catalog) -> None:
    spec = {
        "containers": [{"name": name, "resources": {"requests": {"cpu": cpu}}} for name, cpu in ("a1", "b2")]
    }
    resizes = {"a": {"actual": {"cpu": "2"}}, "b": {"actual": {"cpu": "1"}}}
    (made,) = collect([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}]).pods
    made = structs.replace(made, resized=resizes)
    for release, cpus in (("1.33.13", 4000), ("1.36.3", 4000), ("1.37.1", 3000)):
        asks = asking(made, {}, catalog.kubelet(release))
        assert (asks.admitted["cpu"], asks.beside["cpu"]) == (3000, cpus)


@pytest.mark.parametrize(
    ("wanted", "allocated", "actual", "own", "beside"),
    [("1", "1", "3", 1, 3), ("3", "1", "1", 1, 1), ("20", "1", "1", 1, 1), ("2", "2", "1", 2, 2)],
)
def test_a_resize_of_the_pod_itself_counts_as_far_as_it_went(
    catalog: Catalog, wanted: str, allocated: str, actual: str, own: int, beside: int
) -> None:
    made = sized("p", spec={"resources": {"requests": {"cpu": wanted}}}, memory="1Gi")
    made["status"] |= {"allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": actual}}}
    (pod,) = collect([made]).pods
    for release in ("1.36.3", "1.37.1"):
        asks = asking(pod, {}, catalog.kubelet(release))
        assert (asks.admitted["cpu"], asks.beside["cpu"]) == (own * 1000, beside * 1000)
    assert asking(pod, {}, catalog.kubelet("1.35.8")).beside["cpu"] == int(wanted) * 1000


def test_a_resize_of_the_pod_itself_outlives_a_snapshot(run: Run, tmp_path: Path) -> None:
    shrinks = sized("a", "01:00", {"resources": {"requests": {"cpu": "1"}}})
    shrinks["status"] |= {"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "3"}}}
    objects = (host(), shrinks, sized("b", "02:00", cpu="2"))
    (tmp_path / "s.json").write_text(run("snapshot", "-f", "-", stdin=as_json(*objects)).out)
    way = ("plan", "--from", "1.36.3", "--to", "1.37.1", "--override-node-releases", "-o", "json", "-f")
    for result in (run(*way, "-", stdin=as_json(*objects)), run(*way, tmp_path / "s.json")):
        assert {item["pod"]: item["verdict"] for item in result.items} == {"a": "KEEP", "b": "KILL"}


def _showing(made: Json, allocated: Json, actual: Json | None) -> Json:
    """Return a pod whose status shows what it has as a whole, as kubelets report it from 1.36 on."""
    made["status"]["allocatedResources"] = allocated
    if actual is not None:
        made["status"]["resources"] = {"requests": actual}
    return made


@pytest.mark.parametrize(
    ("release", "cpus"),
    [("1.36.5", 1500), ("1.37.0", 2000), ("1.37.2", 2000)],
)
def test_a_pods_overhead_counts_twice_beside_others_from_1_37_on(
    run: Run, catalog: Catalog, release: str, cpus: int
) -> None:
    """Its status has the overhead already (component-helpers resource/helpers.go, 0.37.2)."""
    spec = {"overhead": {"cpu": "500m"}}
    pods = [
        _showing(sized("kata", "01:00", spec, cpu="1"), {"cpu": "1500m"}, {"cpu": "1500m"}),
        sized("b", "02:00", cpu="2500m"),
    ]
    (pod,) = collect(pods[:1]).pods
    asks = asking(pod, {}, catalog.kubelet(release))
    assert (asks.admitted["cpu"], asks.beside["cpu"]) == (1500, cpus)
    expected = {"kata": "KEEP", "b": "KEEP" if cpus == 1500 else "KILL OutOfcpu"}
    assert verdicts(run, host(), *pods, old="1.36.3", new=release) == expected
    snapshot = json.loads(run("snapshot", "-f", "-", stdin=as_json(host(), *pods)).out)
    assert verdicts(run, snapshot, old="1.36.3", new=release) == expected


@pytest.mark.parametrize(
    ("allocated", "actual", "gates", "cpus"),
    [
        pytest.param({"cpu": "1"}, {"cpu": "3"}, "", 3000, id="what it has"),
        pytest.param({"cpu": "3"}, {"cpu": "1"}, "", 3000, id="what is allocated"),
        pytest.param({"cpu": "1"}, {"cpu": "1"}, "", 2000, id="its spec"),
        pytest.param({"cpu": "3"}, None, "", 2000, id="not both"),
        pytest.param({"cpu": "3"}, {"cpu": "3"}, "InPlacePodLevelResourcesVerticalScaling", 2000, id="off"),
    ],
)
def test_the_largest_of_what_a_pod_has_as_a_whole_counts_in_1_37(
    catalog: Catalog, allocated: Json, actual: Json | None, gates: str, cpus: int
) -> None:
    (pod,) = collect([_showing(sized("p", cpu="2"), allocated, actual)]).pods
    kubelet = catalog.kubelet("1.37.2", frozenset({(gates, False)} if gates else ()))
    assert asking(pod, {}, kubelet).beside["cpu"] == cpus
    assert not asking(structs.replace(pod, resizing="PodResizePending"), {}, kubelet).wanted


def test_a_mirror_pods_status_is_no_static_pods() -> None:
    made = mirror_pod({"name": "c", "image": "i"}, status={"phase": "Running"})
    (pod,) = collect([_showing(made, {"cpu": "3"}, {"cpu": "3"})]).pods
    assert (pod.static, pod.resized) == (True, {})


def test_replicas_with_other_statuses_count_for_what_each_has(run: Run) -> None:
    names = [f"p{number}" for number in range(6)]
    pods = [_showing(sized(name, "01:00", cpu="500m"), {"cpu": "1"}, {"cpu": "1"}) for name in names]
    late = sized("late", "02:00", cpu="1")
    assert verdicts(run, host(cpu="6"), *pods, late, old="1.36.3", new="1.36.5")["late"] == "KEEP"
    assert verdicts(run, host(cpu="6"), *pods, late, old="1.36.3", new="1.37.2")["late"] == "KILL OutOfcpu"


@pytest.mark.parametrize(
    ("release", "noted", "own", "beside"),
    [
        ("1.35.8", None, 3600, 3600),
        ("1.36.0", None, 3600, 4200),
        ("1.36.5", None, 3600, 4200),
        ("1.37.2", None, 3600, 4200),
        ("1.36.5", "3", 3600, 4200),
        ("1.36.5", "1", 1600, 4200),
    ],
)
def test_a_pod_with_its_own_resources_is_admitted_with_its_overhead_once(
    catalog: Catalog, release: str, noted: str | None, own: int, beside: int
) -> None:
    """What is allocated is restored without it, and the status has it (allocation_manager.go, 1.36.5)."""
    spec = {"resources": {"requests": {"cpu": "3"}}, "overhead": {"cpu": "600m"}}
    made = _showing(sized("p", spec=spec), {"cpu": "3600m"}, {"cpu": "3600m"})
    (pod,) = collect([made]).pods
    kubelet = catalog.kubelet(release)
    if noted is not None:
        pod = as_allocated(pod, {"": {"requests": {"cpu": noted}}}, kubelet)
    asks = asking(pod, {}, kubelet)
    assert (asks.admitted["cpu"], asks.beside["cpu"]) == (own, beside)
    assert pod.resizing == ("PodResizePending" if noted == "1" else "")


def whole(name: str, created: str, cpu: str, **more: Any) -> Json:
    """Return a pod that asks for CPUs itself, and whose container has the pod's limit by a restart."""
    made = sized(name, created, {"resources": {"limits": {"cpu": cpu}, "requests": {"cpu": cpu}}, **more})
    made["spec"]["containers"][0]["resizePolicy"] = [
        {"resourceName": "cpu", "restartPolicy": "RestartContainer"}
    ]
    return made


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.34.10", "1.35.8", {"a": "KEEP", "b": "KILL OutOfcpu"}),
        ("1.34.10", "1.36.5", {"a": "KEEP", "b": "KEEP"}),
        ("1.35.8", "1.36.5", {"a": "RESTART", "b": "RESTART"}),
        ("1.35.8", "1.37.2", {"a": "RESTART", "b": "RESTART"}),
        ("1.36.5", "1.37.2", {"a": "KEEP", "b": "KILL OutOfcpu"}),
    ],
)
def test_resources_of_a_pod_that_are_not_noted_are_a_resize_once_all_are_admitted(
    run: Run, old: str, new: str, expected: dict[str, str]
) -> None:
    pods = whole("a", "01:00", "3"), whole("b", "02:00", "3"), sized("c", "03:00", cpu="2")
    outcomes = verdicts(run, host(), *pods, old=old, new=new)
    assert {name: outcomes[name] for name in ("a", "b")} == expected
    fits = verdicts(run, host(cpu="8"), *pods, old=old, new=new)
    assert set(fits.values()) == {"KEEP", "RESTART" if new >= "1.36" and old < "1.36" else "KEEP"}
    reported = [{**host(cpu="4"), "metadata": {"name": "n1"}}, *pods]
    reported[0]["status"]["nodeInfo"]["kubeletVersion"] = f"v{old}"
    assert verdicts(run, *reported, old="auto", new=new) == outcomes


@pytest.mark.parametrize(
    ("cpu", "more", "expected"),
    [
        ("8", {}, {"a": "RESTART", "b": "RESTART"}),
        ("6", {}, {"a": "RESTART", "b": "KEEP"}),  # the older one comes first
        ("6", {"priority": 5}, {"a": "KEEP", "b": "RESTART"}),
        ("4", {}, {"a": "KEEP", "b": "KEEP"}),
    ],
)
def test_resizes_that_fit_one_at_a_time_are_made_in_the_kubelets_order(
    run: Run, cpu: str, more: Json, expected: dict[str, str]
) -> None:
    pods = whole("b", "02:00", "3", **more), whole("a", "01:00", "3"), sized("c", "03:00", cpu="2")
    for new in ("1.36.5", "1.37.2"):
        outcomes = verdicts(run, host(cpu=cpu), *pods, old="1.34.10", new=new)
        assert {name: outcomes[name] for name in ("a", "b")} == expected


def test_what_has_the_room_of_a_resize_that_shrinks_is_not_free_yet(run: Run) -> None:
    """It counts as long as it is in use; what grows less than others fits beside it."""
    shrinks = resized(sized("s", "01:00", cpu="1"), "PodResizePending", allocated="2", actual="2")
    grows = resized(sized("g", "02:00", cpu="3"), "PodResizePending", allocated="1", actual="1")
    for cpu, expected in (("4", "KEEP"), ("5", "UNKNOWN")):
        outcomes = verdicts(run, host(cpu=cpu), shrinks, grows, old="1.36.3", new="1.36.5")
        assert (outcomes["g"], outcomes["s"]) == (expected, "UNKNOWN")


def test_which_resize_comes_first_may_be_unknown(run: Run) -> None:
    """1.33 tries them in no order; from 1.34 on who waits comes in the order of creation, by seconds."""
    for old, new, minutes, expected in (
        ("1.33.5", "1.33.13", (0, 1), {"a": "UNKNOWN", "b": "UNKNOWN"}),
        ("1.36.3", "1.36.5", (0, 1), {"a": "UNKNOWN", "b": "KEEP"}),
        ("1.36.3", "1.36.5", (1, 0), {"a": "KEEP", "b": "UNKNOWN"}),
        ("1.36.3", "1.36.5", (1, 1), {"a": "UNKNOWN", "b": "UNKNOWN"}),
    ):
        pods = [
            resized(sized(name, f"0{at}:00", cpu="3"), "PodResizePending", allocated="1", actual="1")
            for at, name in zip(minutes, "ab", strict=True)
        ]
        assert verdicts(run, host(cpu="4"), *pods, old=old, new=new) == expected
    same = [whole(name, "01:00", "3") for name in "ab"]
    text = run(
        *("plan", "--from", "1.34.10", "--to", "1.36.5", "-f", "-", "-o", "json", "--override-node-releases"),
        stdin=as_json(host(cpu="5"), *same, sized("c", "03:00", cpu="1")),
    )
    assert [item["verdict"] for item in text.items if item["pod"] in "ab"] == ["UNKNOWN", "UNKNOWN"]
    assert "for not all of them fit on its node (cpu), and which resize comes first is not known" in text.out


def noted(
    run: Run, directory: Path, release: str, pods: list[Json], allocated: Json | str, config: str = ""
) -> tuple[object, ...]:
    """Write the dump of a node on which the pods run, with what its kubelet noted as allocated."""
    rows = [
        record(
            hash_of(run, release, made["spec"]["containers"][0]),
            made["metadata"]["name"],
            made["spec"]["containers"][0]["name"],
            uid=made["metadata"]["uid"],
        )
        for made in pods
    ]
    text = allocated
    if not isinstance(allocated, str):
        text = json.dumps({"data": json.dumps({"entries": allocated}), "checksum": 1})
    changes: Any = {
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": rows}),
        ("file", "/var/lib/kubelet/allocated_pods_state"): text,
        ("file", "/var/lib/kubelet/actuated_pods_state"): json.dumps(
            {"data": json.dumps({"entries": {made["metadata"]["uid"]: cpus("1") for made in pods}})}
            | {"checksum": 1}
        ),
        **({("file", "/var/lib/kubelet/config.yaml"): config} if config else {}),
    }
    (directory / "n1.jsonl").write_text(as_text(dump(changes)))
    return ("--recorded", directory / "n1.jsonl", "--override-node-releases", "-o", "json", "-f", "-")


def cpus(number: str) -> Json:
    """Return what a kubelet notes of a pod with one container."""
    return {"ContainerResources": {"c": {"requests": {"cpu": number}}}}


@pytest.mark.parametrize(
    ("to", "allocated", "expected"),
    [
        ("1.36.5", {"a": "3", "b": "1"}, {"a": "KEEP", "b": "KEEP"}),  # b is to have 2, which do not fit
        ("1.36.5", {"a": "2", "b": "2"}, {"a": "KEEP", "b": "KEEP"}),
        ("1.36.5", {"a": "3", "b": "2"}, {"a": "KEEP", "b": "KILL"}),
        ("1.36.5", None, {"a": "KEEP", "b": "KILL"}),
        ("1.32.13", {"a": "3", "b": "1"}, {"a": "KEEP", "b": "KILL"}),  # which does not read it
    ],
)
def test_room_goes_by_what_is_noted_as_allocated(
    run: Run, tmp_path: Path, to: str, allocated: dict[str, str] | None, expected: dict[str, str]
) -> None:
    """The status may be behind, and a static pod has none; here it shows nothing."""
    pods = [sized("a", "01:00", cpu="3"), sized("b", "02:00", cpu="2")]
    names = {made["metadata"]["name"]: made["metadata"]["uid"] for made in pods}
    entries: Any = {names[name]: cpus(number) for name, number in (allocated or {}).items()}
    more = noted(run, tmp_path, "1.35.8", pods, entries if allocated else "{}")
    items = run("plan", "--from", "1.35.8", "--to", to, *more, stdin=as_json(host(), *pods)).items
    assert {item["pod"]: item["verdict"] for item in items} == expected


@pytest.mark.parametrize(("to", "expected"), [("1.36.5", "KEEP"), ("1.32.13", "KILL")])
def test_what_is_asked_for_and_not_noted_is_not_allocated(
    run: Run, tmp_path: Path, to: str, expected: str
) -> None:
    pods = [sized("a", "01:00", cpu="1", memory="6Gi"), sized("b", "02:00", memory="4Gi")]
    more = noted(run, tmp_path, "1.35.8", pods, {pods[0]["metadata"]["uid"]: cpus("1")})
    items = run("plan", "--from", "1.35.8", "--to", to, *more, stdin=as_json(host(), *pods)).items
    assert [item["verdict"] for item in items if item["pod"] == "b"] == [expected]


@pytest.mark.parametrize(("gate", "expected"), [("true", "KEEP"), ("false", "KILL")])
def test_room_goes_by_the_gates_that_the_files_of_a_node_set(
    run: Run, tmp_path: Path, gate: str, expected: str
) -> None:
    pods = [sized("a", "01:00", cpu="3"), sized("b", "02:00", cpu="2")]
    pods += [{**pod, "spec": {**pod["spec"], "nodeName": "n2"}} for pod in pods]
    for place, pod in enumerate(pods):
        pod["metadata"] = {**pod["metadata"], "name": f"p{place}", "uid": f"uid-p{place}"}
    gates = f"featureGates: {{InPlacePodVerticalScaling: {gate}}}\n"
    config = f"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n{gates}"
    more = noted(run, tmp_path, "1.33.5", pods[:2], {pods[0]["metadata"]["uid"]: cpus("1")}, config)
    other = {**host(), "metadata": {**host()["metadata"], "name": "n2"}}
    result = run("plan", "--from", "1.33.5", "--to", "1.33.13", *more, stdin=as_json(host(), other, *pods))
    assert {item["pod"]: item["verdict"] for item in result.items} == {
        "p0": "KEEP",
        "p1": expected,
        "p2": "KEEP",
        "p3": "KILL",  # of its node there is no dump
    }


def test_what_is_noted_decides_over_a_status_that_is_behind(run: Run, tmp_path: Path) -> None:
    def found(made: Json, number: str) -> str:
        more = noted(run, tmp_path, "1.36.3", [made], {made["metadata"]["uid"]: cpus(number)})
        result = run("plan", "--from", "1.36.3", "--to", "1.36.5", *more, stdin=as_json(host(), made))
        return str(result.items[0]["verdict"])

    waiting = resized(sized("a", "01:00", cpu="2"), "PodResizePending", allocated="1", actual="1")
    assert (found(waiting, "1"), found(waiting, "2")) == ("UNKNOWN", "RESTART")
    plain = resized(sized("a", "01:00", cpu="2"), "", allocated="2", actual="2")
    plain["status"]["conditions"] = []
    assert (found(plain, "2"), found(plain, "1")) == ("KEEP", "UNKNOWN")
    odd = {
        plain["metadata"]["uid"]: {"ContainerResources": {}, "PodLevelResources": {"requests": {"cpu": "x"}}}
    }
    more = noted(run, tmp_path, "1.36.3", [plain], odd)
    result = run("plan", "--from", "1.36.3", "--to", "1.36.5", *more, stdin=as_json(host(), plain))
    assert result.items[0]["verdict"] == "KEEP"
    broken = noted(run, tmp_path, "1.36.3", [plain], json.dumps({"data": "[]", "checksum": 1}))
    result = run("plan", "--from", "1.36.3", "--to", "1.36.5", *broken, stdin=as_json(host(), plain))
    assert result.items[0]["verdict"] == "KEEP"


def test_what_is_noted_of_the_pod_itself_counts(run: Run, tmp_path: Path) -> None:
    own = {"resources": {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}}
    pods = [sized("a", "01:00", own, memory="1Gi"), sized("b", "02:00", cpu="2")]
    entry = {"ContainerResources": {}, "PodLevelResources": {"requests": {"cpu": "1"}}}
    uid = pods[0]["metadata"]["uid"]
    for entries, verdict in (({uid: entry}, "KEEP"), ({"other": entry}, "KILL")):
        more = noted(run, tmp_path, "1.36.3", pods, entries)
        items = run("plan", "--from", "1.36.3", "--to", "1.36.5", *more, stdin=as_json(host(), *pods)).items
        assert {item["pod"]: item["verdict"] for item in items} == {"a": "KEEP", "b": verdict}
