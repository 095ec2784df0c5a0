"""What a plan takes for granted is said once, in a short line, and only where it could change a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import hash_of, record, recorded

C: Json = {"name": "c", "image": "i"}
ONE_SANDBOX = "every pod without a recorded sandbox has one ready sandbox"
CRI_DOCKERD = (
    "cri-dockerd drives Docker under 1.24.0: "
    "it finds dockershim's containers and sandboxes by the labels that both write"
)
NO_DOCKER = "nodes that are not in the input do not run Docker, which 1.24.0 does not drive"
SAME_RUNTIME = "nodes stay with their container runtime, though 1.23.17 drives Docker by default"
GATED = (
    "the feature gate InPlacePodVerticalScaling was on before 1.35.0, which locks it, so that no "
    "resizePolicy restarts these: ns/p/c"
)
UNRECORDED = "no kubelet that records resources, as 1.33.0 does, ran on these nodes before: ns/p/c"
CGROUPS = (
    "pods' cgroups stay where they are, "
    "though the default changes from a configured driver to the runtime's driver"
)
RESIZED: Json = {
    **C,
    "resources": {"requests": {"cpu": "1"}},
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
}


def created(*names: str) -> str:
    names = names or ("ns/p/c",)
    which = f"{len(names)} containers were" if len(names) > 1 else "1 container was"
    return f"{which} created by the current release (no start time is known): {', '.join(names)}"


def admits(release: str) -> str:
    return f"{release} admits every running pod again that this plan does not report as refused"


def assumed(run: Run, old: str, new: str, *objects: Json, more: tuple[object, ...] = ()) -> list[str]:
    result = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more, stdin=as_json(*objects))
    lines: list[str] = result.document["spec"]["assumptions"]
    assert [line for line in result.err.splitlines() if line.startswith("Assumed: ")] == [
        f"Assumed: {line}" for line in lines
    ]
    return lines


@pytest.mark.parametrize(
    ("old", "new", "objects", "more", "expected"),
    [
        pytest.param(
            "1.10.0",
            "1.11.0",
            [pod(C), pod(C, name="q")],
            (),
            [created("ns/p/c", "ns/q/c"), ONE_SANDBOX, admits("1.11.0")],
            id="what is kept",
        ),
        pytest.param("1.15.12", "1.16.0", [pod(C)], (), [created()], id="all restart"),
        pytest.param("1.10.0", "1.11.0", [pod(C, status={"phase": "Failed"})], (), [], id="finished"),
        pytest.param(
            "1.30.0",
            "1.31.0",
            [pod(C)],
            (),
            [created(), CGROUPS],
            id="the cgroup driver: a Never pod would be killed for good",
        ),
        pytest.param("1.30.0", "1.31.0", [mirror_pod(C)], (), [], id="a new pod has a new cgroup"),
        pytest.param(
            "1.31.0", "1.32.0", [pod(C)], (), [created(), ONE_SANDBOX, admits("1.32.0")], id="the same driver"
        ),
        pytest.param("1.5.8", "1.6.0", [pod(C)], (), [], id="new sandboxes have new cgroups"),
        pytest.param(
            "1.23.17",
            "1.24.0",
            [pod(C)],
            (),
            [NO_DOCKER, created(), ONE_SANDBOX, admits("1.24.0")],
            id="no node tells of Docker",
        ),
        pytest.param(
            "1.23.17",
            "1.24.0",
            [pod(C)],
            ("--cri-dockerd",),
            [CRI_DOCKERD, created(), ONE_SANDBOX, admits("1.24.0")],
            id="cri-dockerd",
        ),
        pytest.param(
            "1.24.0",
            "1.25.0",
            [pod(C)],
            ("--cri-dockerd",),
            [created(), ONE_SANDBOX, admits("1.25.0")],
            id="cri-dockerd before and after",
        ),
        pytest.param(
            "1.24.0",
            "1.23.17",
            [pod(C)],
            (),
            [SAME_RUNTIME, created(), ONE_SANDBOX, admits("1.23.17")],
            id="back to a release with dockershim",
        ),
        pytest.param("1.24.0", "1.23.17", [pod(C)], ("--other-runtime",), [], id="another runtime"),
        pytest.param(
            "1.32.0",
            "1.33.0",
            [pod(RESIZED)],
            (),
            [created(), UNRECORDED, "the feature gate InPlacePodVerticalScaling has its default"],
            id="a gate that counts",
        ),
        pytest.param(
            "1.32.0",
            "1.33.0",
            [pod(RESIZED)],
            ("--feature-gates", "InPlacePodVerticalScaling=true"),
            [created(), UNRECORDED],
            id="it is set",
        ),
        pytest.param(
            "1.33.0",
            "1.34.0",
            [mirror_pod(C, spec={"serviceAccountName": "x"})],
            (),
            ["the feature gate PreventStaticPodAPIReferences has its default"],
            id="another gate",
        ),
        pytest.param(
            "1.34.0",
            "1.35.0",
            [pod(RESIZED)],
            (),
            [created(), ONE_SANDBOX, GATED, admits("1.35.0")],
            id="a gate that could be off before it was locked",
        ),
        pytest.param(
            "1.34.0",
            "1.35.0",
            [pod(RESIZED)],
            ("--feature-gates", "InPlacePodVerticalScaling=true"),
            [created(), ONE_SANDBOX, admits("1.35.0")],
            id="that one is said to have been on",
        ),
        pytest.param(
            "1.34.0",
            "1.35.0",
            [pod(C, initContainers=[{**RESIZED, "name": "i"}])],
            (),
            [created(), ONE_SANDBOX, admits("1.35.0")],
            id="nothing that it resizes",
        ),
        pytest.param(
            "1.33.0",
            "1.34.0",
            [pod(RESIZED)],
            (),
            [created(), ONE_SANDBOX, admits("1.34.0")],
            id="a gate that stays as it is",
        ),
        pytest.param(
            "1.34.0",
            "1.37.0",
            [pod(RESIZED)],
            (),
            [created(), ONE_SANDBOX, admits("1.37.0")],
            id="1.37 fills what is missing",
        ),
    ],
)
def test_what_is_taken_for_granted(
    run: Run, old: str, new: str, objects: list[Json], more: tuple[str, ...], expected: list[str]
) -> None:
    assert assumed(run, old, new, *objects, more=more) == expected


def test_a_sandbox_that_a_record_tells_of_is_not_assumed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(
        json.dumps(
            {
                "items": [
                    {"metadata": {"name": "p", "uid": "uid-p", "namespace": "ns"}, "state": "SANDBOX_READY"}
                ]
            }
        )
    )
    assert assumed(run, "1.10.0", "1.11.0", pod(C), more=("--recorded", tmp_path / "pods.json")) == [
        created(),
        admits("1.11.0"),
    ]


def test_what_records_show_in_docker_is_not_assumed_to_be_elsewhere(run: Run, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    labels = {"Labels": {"annotation.io.kubernetes.container.hash": "1"}}
    state = {"State": {"Running": True}, "Config": labels}
    told.write_text(json.dumps([{"Id": "c", "Name": "/k8s_c_p_ns_uid-p_0", **state}]))
    assert NO_DOCKER not in assumed(run, "1.23.17", "1.24.0", pod(C), more=("--recorded", told))
    more = (pod(C), pod(C, name="q"))
    assert NO_DOCKER in assumed(run, "1.23.17", "1.24.0", *more, more=("--recorded", told))


def test_a_record_on_a_node_of_no_known_release_hangs_on_the_runtime_too(run: Run, tmp_path: Path) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.24.0", C)))
    assert NO_DOCKER in assumed(run, "auto", "1.24.0", pod(C), more=told)
    assert NO_DOCKER not in assumed(run, "auto", "1.24.0", node("dev"), pod(C), more=told)


def test_the_url_of_static_pods_is_assumed_to_stay(run: Run) -> None:
    """Talos and k0s serve manifests at URLs, and where the port changes, so does the UID."""
    served, filed = mirror_pod(C), mirror_pod(C)
    served["metadata"]["annotations"]["kubernetes.io/config.source"] = "http"
    filed["metadata"]["annotations"]["kubernetes.io/config.source"] = "file"
    line = "the URL of static pods, port and all, stays the same: ns/p-n1/c"
    assert line in assumed(run, "1.36.0", "1.36.3", served)
    assert line not in assumed(run, "1.36.0", "1.36.3", filed)
    assert line not in assumed(run, "1.36.0", "1.37.0", served)


def whole(cpu: str, memory: str = "1Gi", **more: str) -> Json:
    """Return a container with equal limits and requests; ``more`` are other requests."""
    amounts = {"cpu": cpu, "memory": memory}
    return {**C, "resources": {"limits": amounts, "requests": {**amounts, **more}}}


@pytest.mark.parametrize(
    ("old", "new", "container", "is_assumed"),
    [
        pytest.param("1.32.12", "1.32.13", whole("2"), True, id="whole CPUs of a Guaranteed pod"),
        pytest.param("1.32.12", "1.32.13", whole("2000m"), True, id="in thousandths"),
        pytest.param("1.32.12", "1.32.13", whole("1500m"), False, id="one and a half"),
        pytest.param("1.32.12", "1.32.13", whole("2", memory="0"), False, id="a Burstable pod"),
        pytest.param("1.32.12", "1.32.13", {**C, "resources": {}}, False, id="no resources"),
        pytest.param("1.26.14", "1.26.15", whole("2"), False, id="before 1.27"),
        pytest.param("1.36.5", "1.37.2", whole("2"), False, id="from 1.37 on"),
    ],
)
def test_exclusive_cpus_that_are_asked_for_again_are_assumed_to_be_free(
    run: Run, old: str, new: str, container: Json, *, is_assumed: bool
) -> None:
    line = (
        "the CPU manager of n1 does not have the policy option full-pcpus-only, with which "
        f"{new} asks for free CPUs before it looks at those that a container has: ns/p/c"
    )
    assert (line in assumed(run, old, new, pod(container))) is is_assumed


def test_exclusive_cpus_of_pods_that_are_on_no_node_are_assumed_of_any_node(run: Run) -> None:
    given = pod(whole("2"), node="")
    line = "the CPU manager does not have the policy option full-pcpus-only, with which 1.32.13 asks"
    assert any(assumption.startswith(line) for assumption in assumed(run, "1.32.12", "1.32.13", given))


@pytest.mark.parametrize(
    ("old", "new", "gates", "is_said"),
    [
        pytest.param("1.33.13", "1.32.13", "InPlacePodVerticalScaling=true", True, id="the gate is on"),
        pytest.param("1.36.5", "1.31.14", "InPlacePodVerticalScaling=true", True, id="further back"),
        pytest.param("1.33.13", "1.32.13", "", False, id="the gate is off"),
        pytest.param("1.32.10", "1.32.13", "InPlacePodVerticalScaling=true", False, id="the file is its own"),
        pytest.param("1.33.13", "1.34.12", "InPlacePodVerticalScaling=true", False, id="another file"),
    ],
)
def test_allocations_that_an_older_kubelet_left_are_assumed_away(
    run: Run, old: str, new: str, gates: str, *, is_said: bool
) -> None:
    """1.32.13 ``UpdatePodFromAllocation``: 1.33 has a file of another name, and leaves the older one."""
    more = ("--feature-gates", gates) if gates else ()
    way = ("--from", old, "--to", new)
    result = run("plan", *way, *more, "-f", "-", "-o", "json", stdin=as_json(pod(C)))
    lines = [line for line in result.document["spec"]["assumptions"] if "pod_status_manager_state" in line]
    text = "no pod_status_manager_state of an older kubelet is left on these nodes, by which"
    assert lines == ([f"{text} {new} would admit pods that were resized since"] if is_said else [])


@pytest.mark.parametrize("seconds", [60, None])
def test_a_deadline_that_may_pass_before_the_kubelet_starts_is_said(run: Run, seconds: int | None) -> None:
    manifest = pod(C, spec={"activeDeadlineSeconds": seconds})
    lines = assumed(run, "1.36.4", "1.36.5", manifest)
    expected = "1.36.5 starts before the activeDeadlineSeconds of these pass: ns/p/c"
    assert (expected in lines) is (seconds is not None)
