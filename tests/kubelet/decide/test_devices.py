"""Devices of plugins, none of which has registered again when a starting kubelet admits its pods."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.records.probes import Probe
from tests.helpers.dumps import GONE, as_text, dump, failed
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import KEEP, C, Expected
from tests.helpers.upgrades import decided, hash_of, planned, record

GPU: Json = {**C, "resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": {"nvidia.com/gpu": "1"}}}
REFUSED: Expected = ("KILL", ["HC038"])


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.25.9", "1.25.10", GPU, REFUSED),
        ("1.25.9", "1.25.13", GPU, REFUSED),
        ("1.25.9", "1.25.14", GPU, KEEP),
        ("1.26.4", "1.26.5", GPU, REFUSED),
        ("1.26.4", "1.26.9", GPU, KEEP),
        ("1.27.1", "1.27.5", GPU, REFUSED),
        ("1.27.1", "1.27.6", GPU, KEEP),
        ("1.27.6", "1.28.0", GPU, KEEP),
        ("1.25.9", "1.25.10", {**C, "resources": {"limits": {"cpu": "1", "hugepages-2Mi": "2Mi"}}}, KEEP),
        ("1.25.9", "1.25.10", {**C, "resources": {"limits": {"nvidia.com/gpu": "0"}}}, KEEP),
    ],
)
def test_hc038_devices_whose_plugin_has_not_registered(
    run: Run, old: str, new: str, container: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(container)) == expected


def with_gpus(*, restarts: int = 0, main: str = "running", claimed: bool = False) -> Json:
    """Return a pod whose container has a GPU, and whose init container had one."""
    row: Json = {"name": "c", "restartCount": restarts, "state": {main: {}}}
    ended: Json = {"name": "i", "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}
    rows = [row, {"name": "d", "restartCount": 0, "state": {"running": {}}}]
    status: Json = {"containerStatuses": rows, "initContainerStatuses": [ended]}
    if claimed:
        mappings = [{"containerName": name, "resourceName": "nvidia.com/gpu"} for name in ("c", "i")]
        status["extendedResourceClaimStatus"] = {"requestMappings": mappings}
    init = {**GPU, "name": "i"}
    return pod(GPU, C | {"name": "d"}, spec={"initContainers": [init]}, status={**status, "phase": "Running"})


def without_init(given: Json) -> Json:
    given["spec"].pop("initContainers")
    return given


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        pytest.param("1.25.9", "1.25.9", with_gpus(), KEEP, id="not looked at yet"),
        pytest.param("1.26.3", "1.26.4", with_gpus(), KEEP, id="nor in 1.26"),
        pytest.param("1.25.9", "1.25.16", with_gpus(), REFUSED, id="it has ended"),
        pytest.param("1.33.13", "1.34.12", with_gpus(), REFUSED, id="as it has under 1.34"),
        pytest.param("1.36.5", "1.37.2", with_gpus(), REFUSED, id="and 1.37"),
        pytest.param(
            "1.36.5",
            "1.37.2",
            pod(GPU, spec={"initContainers": [{**GPU, "name": "i"}]}),
            REFUSED,
            id="without a status",
        ),
        pytest.param("1.36.5", "1.37.2", with_gpus(claimed=True), KEEP, id="a claim, not a plugin"),
        pytest.param("1.36.5", "1.37.2", without_init(with_gpus()), KEEP, id="no init container"),
        pytest.param("1.33.12", "1.33.13", without_init(with_gpus(restarts=1)), KEEP, id="created again"),
        pytest.param("1.35.2", "1.35.3", without_init(with_gpus(restarts=1)), KEEP, id="also in 1.35.3"),
        pytest.param("1.35.3", "1.35.4", without_init(with_gpus(restarts=1)), KEEP, id="1.35.4 sees both"),
        pytest.param("1.34.6", "1.34.7", without_init(with_gpus(restarts=1)), KEEP, id="so does 1.34.7"),
    ],
)
def test_hc038_devices_of_a_container_that_does_not_run(
    run: Run, old: str, new: str, given: Json, expected: Expected
) -> None:
    assert decided(run, old, new, given) == expected


def test_hc038_a_container_that_waits_takes_the_others_of_its_pod_along(run: Run) -> None:
    items = planned(run, "1.36.5", "1.37.2", without_init(with_gpus(restarts=3, main="waiting")))
    assert (items["c"]["verdict"], items["d"]["verdict"]) == ("KEEP", "KILL")


def test_hc038_says_that_plugins_are_taken_to_serve_the_devices(run: Run) -> None:
    result = run(
        "plan", "--from", "1.36.5", "--to", "1.37.2", "-f", "-", "-o", "json", stdin=as_json(with_gpus())
    )
    assert "device plugins serve the extended resources of these containers: ns/p/c, ns/p/d" in result.out


def with_plugins(directory: Path, text: str | Probe, hash_: int, attempt: int = 0) -> tuple[object, ...]:
    """Write the dump of the node of ``with_gpus``, with the file of its device manager."""
    names = {"pod.uid": "uid-p", "pod.namespace": "ns", "pod.name": "p", "container.name": "c"}
    row = {
        "id": "0",
        "labels": {f"io.kubernetes.{key}": value for key, value in names.items()},
        "annotations": {"io.kubernetes.container.hash": f"{hash_:x}"},
        "state": "CONTAINER_RUNNING",
        "metadata": {"name": "c", "attempt": attempt},
    }
    changes: dict[Any, Any] = {
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": [row]}),
        ("file", "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"): text,
    }
    path = directory / "n1.dump"
    path.write_text(as_text(dump(changes)))
    return ("--recorded", path)


HAS = {"PodUID": "uid-p", "ContainerName": "c", "ResourceName": "nvidia.com/gpu", "DeviceIDs": {"-1": ["0"]}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param({"Data": {"PodDeviceEntries": [HAS]}}, ("KILL", False), id="it has one"),
        pytest.param({"Data": {"RegisteredDevices": {"nvidia.com/gpu": []}}}, ("KILL", False), id="served"),
        pytest.param({"PodDeviceEntries": [HAS]}, ("KILL", False), id="as 1.10 writes it"),
        pytest.param({"Data": {"RegisteredDevices": {"x.com/y": []}}}, ("KEEP", False), id="another plugin"),
        pytest.param(None, ("KEEP", False), id="no plugin ever"),
        pytest.param([], ("KILL", True), id="no kubelet wrote it"),
        pytest.param("denied", ("KILL", True), id="not read"),
    ],
)
def test_hc038_a_dump_shows_what_device_plugins_serve(
    run: Run, tmp_path: Path, text: Any, expected: tuple[str, bool]
) -> None:
    given, shown = with_gpus(), GONE if text is None else json.dumps(text)
    more = with_plugins(tmp_path, failed() if text == "denied" else shown, hash_of(run, "1.37.2", GPU))
    way = ("--from", "1.36.5", "--to", "1.37.2", "-o", "json", "-f")
    taken = tmp_path / "taken.json"
    taken.write_text(run("snapshot", "-f", "-", *more, stdin=as_json(given)).out)
    for result in (run("plan", *way, "-", *more, stdin=as_json(given)), run("plan", *way, taken)):
        item = next(prediction for prediction in result.items if prediction["container"] == "c")
        assumed = any("device plugins" in assumption for assumption in result.document["spec"]["assumptions"])
        assert (item["verdict"], assumed) == expected


MISTAKEN = "does not mistake a container with extended resources that was created again for its predecessor"


@pytest.mark.parametrize(
    ("new", "resource", "expected"),
    [
        pytest.param("1.33.13", "nvidia.com/gpu", ("UNKNOWN", False), id="of a plugin"),
        pytest.param("1.35.3", "nvidia.com/gpu", ("UNKNOWN", False), id="in 1.35.3 too"),
        pytest.param("1.35.4", "nvidia.com/gpu", ("KEEP", False), id="1.35.4 looks at both"),
        pytest.param("1.33.13", "x.com/y", ("KEEP", False), id="of none"),
        pytest.param("1.33.13", "", ("KEEP", True), id="not shown"),
        pytest.param("1.34.7", "", ("KEEP", False), id="not shown, and no matter"),
    ],
)
def test_hc038_chance_decides_over_a_container_that_was_created_again(
    run: Run, tmp_path: Path, new: str, resource: str, expected: tuple[str, bool]
) -> None:
    given = without_init(with_gpus(restarts=1))
    text = json.dumps({"Data": {"RegisteredDevices": {resource: []}}})
    more = with_plugins(tmp_path, text, hash_of(run, new, GPU), 1) if resource else ()
    way = ("plan", "--from", "1.33.12", "--to", new, "-f", "-", "-o", "json")
    result = run(*way, *more, stdin=as_json(given))
    item = next(prediction for prediction in result.items if prediction["container"] == "c")
    if expected[0] == "UNKNOWN":
        said = run("explain", "ns/p/c", *way[1:], *more, stdin=as_json(given)).item["sentences"]
        assert said["why"].endswith("a container that was created again for the one before it.")
        assert said["todo"].startswith("Chance decides while the node's runtime has a container that ended")
    assumed = any(MISTAKEN in assumption for assumption in result.document["spec"]["assumptions"])
    assert (item["verdict"], assumed) == expected


def test_a_snapshot_whose_plugins_are_no_names_is_refused(run: Run, tmp_path: Path) -> None:
    more = with_plugins(tmp_path, "{}", 1)
    document = run("snapshot", "-f", "-", *more, stdin=as_json(with_gpus())).document
    document["recorded"][0]["plugins"] = [1]
    result = run("plan", "--from", "1.36.5", "--to", "1.37.2", "-f", "-", stdin=json.dumps(document).encode())
    assert result.code == 1
    assert "plugins: want a list of strings" in result.err


def entry(pod: str, *ids: str, old: bool = False) -> Json:
    """Return what the device manager's record has of a pod."""
    given = list(ids) if old else {"-1": list(ids)}
    return {
        "PodUID": f"uid-{pod}",
        "ContainerName": "c",
        "ResourceName": "nvidia.com/gpu",
        "DeviceIDs": given,
    }


@pytest.mark.parametrize(
    ("gives", "entries", "expected"),
    [
        ("0", [entry("p", "0"), entry("q", "1")], ("KEEP", "KEEP")),  # the plugin was gone when it was taken
        ("1", [entry("p", "0", old=True), entry("q", "1", old=True)], ("KEEP", "KEEP")),
        ("1", [entry("p", "0")], ("KEEP", "KILL")),  # q has none, and p has the one that there is
        ("0", [], ("KILL", "KILL")),
        ("0", [entry("gone", "0", "1"), entry("q", "1")], ("KILL", "KEEP")),
        ("0", None, ("UNKNOWN", "UNKNOWN")),
        ("0", "[]", ("UNKNOWN", "UNKNOWN")),  # no kubelet wrote it
        ("0", '{"PodDeviceEntries": [{"DeviceIDs": 3}, null]}', ("KILL", "KILL")),
    ],
)
def test_a_dump_shows_who_has_devices(
    run: Run, tmp_path: Path, gives: str, entries: list[Json] | str | None, expected: tuple[str, str]
) -> None:
    """Where a pod has devices, its node can give as many as all have (``sanitizeNodeAllocatable``)."""
    path, days = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint", {"p": "01", "q": "02"}
    pods = [
        pod(GPU, name=name, metadata={"creationTimestamp": f"2026-01-{day}T00:00:00Z"})
        for name, day in days.items()
    ]
    host = node("v1.35.8")
    host["status"]["allocatable"] = {"cpu": "8", "pods": "110", "nvidia.com/gpu": gives}
    rows = [record(hash_of(run, "1.35.8", GPU), name) for name in days]
    written = entries if isinstance(entries, str) else json.dumps({"Data": {"PodDeviceEntries": entries}})
    given = failed() if entries is None else written
    taken = dump({("cri", "containers"): json.dumps({"containers": rows}), ("file", path): given})
    (tmp_path / "n1.dump").write_text(as_text(taken))
    more = ("--recorded", tmp_path / "n1.dump", "-o", "json", "-f", "-")
    items = run("plan", "--from", "1.35.8", "--to", "1.36.5", *more, stdin=as_json(*pods, host)).items
    assert tuple(item["verdict"] for item in items) == expected


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("1.23.17", "1.24.17", "KILL"),
        ("1.36.5", "1.37.2", "KILL"),
        ("1.36.3", "1.36.5", "KEEP"),
        ("1.21.14", "1.22.17", "KEEP"),
    ],
)
def test_hc038_a_static_pod_with_another_uid_has_no_devices_yet(
    run: Run, old: str, new: str, verdict: str
) -> None:
    result = planned(run, old, new, mirror_pod(GPU))
    assert result["c"]["verdict"] == verdict


@pytest.mark.parametrize(
    ("old", "new", "flags", "verdict"),
    [
        ("1.29.15", "1.30.14", ["--other-runtime"], "KILL"),
        ("1.29.15", "1.30.14", [], "KEEP"),
        ("1.25.16", "1.26.4", ["--other-runtime"], "RESTART"),  # which does not look at what is healthy
        ("1.23.17", "1.25.14", [], "KILL"),  # without dockershim
        ("1.23.17", "1.25.9", [], "RESTART"),
        ("1.23.17", "1.25.14", ["--cri-dockerd"], "KEEP"),
    ],
)
def test_hc038_nothing_runs_in_another_runtime(
    run: Run, old: str, new: str, flags: list[str], verdict: str
) -> None:
    docker = node(f"v{old}")
    docker["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.24"
    way = ("--from", old, "--to", new, *flags)
    result = run("plan", *way, "-f", "-", "-o", "json", stdin=as_json(docker, pod(GPU)))
    assert [item["verdict"] for item in result.items] == [verdict]
