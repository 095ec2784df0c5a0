"""The verdicts of whole upgrades: the recorded case, then every known boundary, against its own rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.helpers.pods import ARTICLE, ARTICLE_MANIFEST, as_json, pod, same_uid
from tests.helpers.program import SAMPLE, Run
from tests.helpers.rulecases import admitting
from tests.helpers.slices import sliced

Json = dict[str, Any]
Rule = Callable[[Json], bool]
STDIN = ("-f", "-", "-o", "json")


@pytest.mark.parametrize("form", ["an API pod", "a manifest with its defaults left out"])
def test_the_recorded_container_restarts_from_1_7_16_to_1_9_11(run: Run, form: str) -> None:
    stdin = as_json(pod(ARTICLE)) if form == "an API pod" else ARTICLE_MANIFEST.encode()
    item = run("plan", "--from", "1.7.16", "--to", "1.9.11", *STDIN, stdin=stdin).item
    assert item["verdict"] == "RESTART"
    assert item["hash"] == {"recorded": None, "from": 1559107639, "to": 1428860573}


def test_the_reasons_name_both_new_fields(run: Run) -> None:
    item = run("plan", "--from", "1.7.16", "--to", "1.9.11", *STDIN, stdin=as_json(pod(ARTICLE))).item
    assert {(reason["id"], reason["path"]) for reason in item["reasons"]} == {
        ("HC004", "volumeDevices"),
        ("HC004", "volumeMounts[*].mountPropagation"),
    }
    assert [reason["text"].split(" (")[0] for reason in item["reasons"]] == [
        "new field MountPropagation",
        "new field VolumeDevices",
    ]


def test_the_way_back_restarts_it_again(run: Run) -> None:
    item = run("plan", "--from", "1.9.11", "--to", "1.7.16", *STDIN, stdin=as_json(pod(ARTICLE))).item
    assert (item["verdict"], item["hash"]["from"], item["hash"]["to"]) == ("RESTART", 1428860573, 1559107639)
    assert {reason["id"] for reason in item["reasons"]} == {"HC005"}


def test_it_is_kept_from_1_9_11_to_1_13_12(run: Run) -> None:
    item = run("plan", "--from", "1.9.11", "--to", "1.13.12", *STDIN, stdin=as_json(pod(ARTICLE))).item
    assert (item["verdict"], item["hash"]["from"], item["hash"]["to"], item["reasons"]) == (
        "KEEP",
        1428860573,
        1428860573,
        [],
    )


def test_the_table_shows_both_hashes_and_the_fields(run: Run) -> None:
    argv = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-f", "-", "-o", "wide")
    result = run(*argv, stdin=as_json(pod(ARTICLE)))
    assert result.out.splitlines()[1].split()[4:11] == [
        "RESTART",
        "1559107639",
        "1428860573",
        "new",
        "field",
        "MountPropagation,",
        "VolumeDevices",
    ]
    assert (
        result.err.splitlines(keepends=True)[-1]
        == "1.7.16 -> 1.9.11: 1 of 1 running container restarts in 1 of 1 pod on 1 node; 0 kept, 0 unknown\n"
    )


def has(*fields: str) -> Rule:
    """Return the rule that one of some fields is set."""
    return lambda container: any(container.get(field) for field in fields)


def names(*keys: str) -> Rule:
    """Return the rule that one of some keys stands anywhere in the container."""
    return lambda container: any(f'"{key}": ' in json.dumps(container) for key in keys)


def everything(container: Json) -> bool:
    return bool(container)


def nothing(container: Json) -> bool:
    return not container


BOUNDARIES: list[tuple[str, str, Rule]] = [
    ("1.6.13", "1.7.16", names("tcpSocket")),
    ("1.7.16", "1.8.15", has("volumeMounts", "securityContext")),
    ("1.8.15", "1.9.11", everything),
    ("1.9.11", "1.10.13", has("securityContext")),
    ("1.10.13", "1.11.10", nothing),
    ("1.11.10", "1.12.10", has("securityContext")),
    ("1.12.10", "1.13.12", nothing),
    ("1.13.12", "1.14.10", has("volumeMounts")),
    ("1.14.10", "1.15.12", has("securityContext")),
    ("1.15.12", "1.16.15", everything),
    ("1.16.15", "1.17.17", nothing),
    ("1.17.17", "1.18.20", nothing),
    ("1.18.20", "1.19.16", names("seccompProfile")),
    ("1.19.16", "1.20.15", nothing),
    ("1.20.15", "1.21.14", names("terminationGracePeriodSeconds")),
    ("1.21.14", "1.22.17", names("hostProcess")),
    ("1.22.17", "1.23.17", names("grpc")),
    ("1.23.17", "1.24.17", nothing),
    ("1.24.17", "1.25.16", nothing),
    ("1.25.16", "1.26.15", names("claims")),
    ("1.26.15", "1.27.15", names("resizePolicy")),
    ("1.27.16", "1.28.15", names("restartPolicy")),
    ("1.28.15", "1.29.15", names("sleep")),
    ("1.29.15", "1.30.14", names("appArmorProfile", "recursiveReadOnly")),
    ("1.30.14", "1.31.14", everything),
    ("1.31.14", "1.32.13", nothing),
    ("1.32.13", "1.33.13", nothing),
    ("1.33.13", "1.34.13", nothing),
    ("1.34.13", "1.35.10", nothing),
    ("1.35.10", "1.36.6", nothing),
    ("1.36.6", "1.37.2", nothing),
]


def compared(old: str, new: str) -> Iterator[tuple[str, Json, bool, bool]]:
    """Yield each container that ``new`` compares.

    A row is its name, its JSON, whether an equal hash decides, and whether the pod is a new one. The rule
    is taken from the pods themselves: running containers of pods that are neither finished nor being
    deleted, and from 1.32 on running sidecars. What 1.31 never compared is not decided by an equal hash,
    static pods have a new UID at most minors, and from 1.16 on a sidecar counts for the QoS class.
    """
    for item in json.loads(SAMPLE.read_text())["items"]:
        status, metadata = item.get("status", {}), item["metadata"]
        if (
            item["kind"] != "Pod"
            or metadata.get("deletionTimestamp")
            or status["phase"] in ("Succeeded", "Failed")
        ):
            continue
        running = {
            row["name"]
            for key in ("containerStatuses", "initContainerStatuses")
            for row in status.get(key, [])
            if "running" in row["state"]
        }
        static = "kubernetes.io/config.mirror" in metadata.get("annotations", {})
        sidecars = [
            row for row in item["spec"].get("initContainers", []) if row.get("restartPolicy") == "Always"
        ]
        sees_sidecars = [int(release.split(".")[1]) >= 32 for release in (old, new)]
        moved = bool(sidecars) and (old, new) == ("1.15.12", "1.16.15")
        for container in item["spec"]["containers"] + (sidecars if sees_sidecars[1] or moved else []):
            if container["name"] in running:
                decided = container not in sidecars or sees_sidecars[0]
                renewed = moved or (static and not same_uid(old, new))
                yield (
                    f"{metadata['namespace']}/{metadata['name']}/{container['name']}",
                    container,
                    decided,
                    renewed,
                )


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("old", "new", "rule"),
    sliced(BOUNDARIES, BOUNDARIES[::6]),
    ids=[f"{old}-{new}" for old, new, _ in BOUNDARIES],
)
def test_the_sample_restarts_what_the_boundary_says(run: Run, old: str, new: str, rule: Rule) -> None:
    items = run("plan", "--from", old, "--to", new, "--sample", "-o", "json", *admitting(old, new)).items
    names_by_verdict = {
        verdict: {
            f"{item['namespace']}/{item['pod']}/{item['container']}"
            for item in items
            if item["verdict"] == verdict
        }
        for verdict in ("RESTART", "UNKNOWN", "KILL")
    }
    judged = list(compared(old, new))
    assert names_by_verdict == {
        "RESTART": {name for name, container, _, renewed in judged if renewed or rule(container)},
        "UNKNOWN": {
            name
            for name, container, decided, renewed in judged
            if not (renewed or rule(container) or decided)
        },
        "KILL": set(),
    }


def test_the_sample_feels_every_boundary_that_is_not_empty() -> None:
    """The table above proves something: only fields new in 1.16 - 1.30 are rare, and not in the sample."""
    felt = {
        new.rpartition(".")[0]
        for old, new, rule in BOUNDARIES
        if any(rule(container) for _, container, _, _ in compared(old, new))
    }
    assert felt >= {"1.7", "1.8", "1.9", "1.10", "1.12", "1.14", "1.15", "1.16", "1.31"}


SET_UNKNOWN_TO_THE_OLDER = [
    (
        "1.18.20",
        "1.19.16",
        "securityContext.seccompProfile",
        {"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}},
    ),
    (
        "1.20.15",
        "1.21.14",
        "livenessProbe.terminationGracePeriodSeconds",
        {"livenessProbe": {"terminationGracePeriodSeconds": 5}},
    ),
    ("1.22.17", "1.23.17", "livenessProbe.grpc", {"livenessProbe": {"grpc": {"port": 1}}}),
    ("1.25.16", "1.26.15", "resources.claims", {"resources": {"claims": [{"name": "gpu"}]}}),
    (
        "1.29.15",
        "1.30.14",
        "volumeMounts[*].recursiveReadOnly",
        {"volumeMounts": [{"name": "v", "recursiveReadOnly": "Disabled"}]},
    ),
    (
        "1.29.15",
        "1.30.14",
        "securityContext.appArmorProfile",
        {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "path", "fields"),
    SET_UNKNOWN_TO_THE_OLDER,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_field_that_the_older_kubelet_drops_restarts_when_it_is_set(
    run: Run, old: str, new: str, path: str, fields: Json
) -> None:
    stdin = as_json(pod({"name": "c", "image": "i", **fields}))
    item = run("plan", "--from", old, "--to", new, *STDIN, stdin=stdin).item
    assert (item["verdict"], [(reason["id"], reason["path"]) for reason in item["reasons"]]) == (
        "RESTART",
        [("HC006", path)],
    )


def test_a_change_of_the_algorithm_cites_its_pull_request(run: Run) -> None:
    item = run("plan", "--from", "1.30.14", "--to", "1.31.14", *STDIN, stdin=as_json(pod())).item
    (reason,) = item["reasons"]
    assert reason["id"] == "HC001"
    assert "kubernetes/kubernetes#124220" in reason["text"]
