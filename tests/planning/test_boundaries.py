"""Every boundary from 1.6 on, both ways and over several at once, against a rule over raw JSON.

The sample's containers set nothing that is new in 1.16 - 1.30, so some that do are added to them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import pytest

from tests.helpers.pods import Json, as_json, pod, same_uid
from tests.helpers.program import SAMPLE, Run
from tests.helpers.rulecases import admitting
from tests.helpers.slices import sliced

Rule = Callable[[Json], bool]


def has(*fields: str) -> Rule:
    """Return the rule that one of some fields of the container is set."""
    return lambda container: any(container.get(field) for field in fields)


def mentions(*keys: str) -> Rule:
    """Return the rule that one of some keys stands anywhere in the container."""
    return lambda container: any(f'"{key}":' in json.dumps(container, separators=(",", ":")) for key in keys)


def everything(_: Json) -> bool:
    return True


RELEASES = [
    "1.6.13",
    "1.7.16",
    "1.8.15",
    "1.9.11",
    "1.10.13",
    "1.11.10",
    "1.12.10",
    "1.13.12",
    "1.14.10",
    "1.15.12",
    "1.16.15",
    "1.17.17",
    "1.18.20",
    "1.19.16",
    "1.20.15",
    "1.21.14",
    "1.22.17",
    "1.23.17",
    "1.24.17",
    "1.25.16",
    "1.26.15",
    "1.27.15",
    "1.28.11",
    "1.29.6",
    "1.30.14",
    "1.31.14",
    "1.32.13",
    "1.33.13",
    "1.34.13",
    "1.35.10",
    "1.36.6",
    "1.37.2",
]
CHANGES: dict[str, Rule] = {
    "1.7": mentions("tcpSocket"),
    "1.8": has("volumeMounts", "securityContext"),
    "1.9": everything,
    "1.10": has("securityContext"),
    "1.12": has("securityContext"),
    "1.14": has("volumeMounts"),
    "1.15": has("securityContext"),
    "1.16": everything,
    "1.19": mentions("seccompProfile"),
    "1.21": mentions("terminationGracePeriodSeconds"),
    "1.22": mentions("hostProcess"),
    "1.23": mentions("grpc"),
    "1.26": mentions("claims"),
    "1.27": has("resizePolicy"),
    "1.28": has("restartPolicy"),
    "1.29": mentions("sleep"),
    "1.30": mentions("appArmorProfile", "recursiveReadOnly"),
    "1.31": everything,
}
"""Which containers have another hash from this minor on than under the one before."""

MODERN: list[Json] = [
    {"name": "seccomp", "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}},
    {"name": "grace", "livenessProbe": {"terminationGracePeriodSeconds": 5}},
    {"name": "host-process", "securityContext": {"windowsOptions": {"hostProcess": True}}},
    {"name": "grpc", "readinessProbe": {"grpc": {"port": 1, "service": ""}}},
    {"name": "claims", "resources": {"claims": [{"name": "gpu"}]}},
    {"name": "resize", "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]},
    {"name": "sleep", "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}},
    {"name": "app-armor", "securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
    {
        "name": "read-only",
        "volumeMounts": [{"name": "v", "mountPath": "/v", "recursiveReadOnly": "Disabled"}],
    },
    {"name": "plain", "image": "i"},
]


def minor(release: str) -> str:
    return release.rpartition(".")[0]


def number(release: str) -> int:
    return int(release.split(".")[1])


@cache
def cluster() -> bytes:
    return as_json(*json.loads(SAMPLE.read_text())["items"], pod(*MODERN, name="modern"))


@cache
def running() -> tuple[tuple[str, Json, bool, bool], ...]:
    """Return name, JSON, whether a sidecar, whether static, of each container that kubelets may compare."""
    return tuple(_running())


def _running() -> Iterator[tuple[str, Json, bool, bool]]:
    for item in json.loads(cluster())["items"]:
        status, metadata = item.get("status", {"phase": ""}), item["metadata"]
        if (
            item["kind"] != "Pod"
            or metadata.get("deletionTimestamp")
            or status["phase"] in ("Succeeded", "Failed")
        ):
            continue
        rows = [row for key in ("containerStatuses", "initContainerStatuses") for row in status.get(key, [])]
        alive = {row["name"] for row in rows if "running" in row["state"]}
        static = "kubernetes.io/config.mirror" in metadata.get("annotations", {})
        sidecars = [
            row for row in item["spec"].get("initContainers", []) if row.get("restartPolicy") == "Always"
        ]
        for container in item["spec"]["containers"] + sidecars:
            if container["name"] in alive or "status" not in item:
                yield f"{metadata['name']}/{container['name']}", container, container in sidecars, static


@cache
def privileged() -> frozenset[str]:
    """Return the pods with a privileged container, which kubelets up to 1.10 run only with a flag."""
    return frozenset(
        item["metadata"]["name"]
        for item in json.loads(cluster())["items"]
        if item["kind"] == "Pod"
        and any(
            container.get("securityContext", {}).get("privileged")
            for key in ("containers", "initContainers")
            for container in item["spec"].get(key, [])
        )
    )


def expected(old: str, new: str) -> dict[str, set[str]]:
    """Return who restarts and who is undecided.

    That depends on all minors between, on static pods, on sidecars from 1.32 on, and on privileged containers
    before 1.11.
    """
    between = sorted([number(old), number(new)])
    barred = privileged() if number(new) <= 10 < number(old) else frozenset()
    rules = [rule for name, rule in CHANGES.items() if between[0] < int(name.split(".")[1]) <= between[1]]
    names: dict[str, set[str]] = {"RESTART": set(), "UNKNOWN": set()}
    for name, container, sidecar, static in running():
        compared = not sidecar or number(new) >= 32
        moved = sidecar and between[0] < 16 <= between[1]  # its requests count for the QoS class from 1.16 on
        renewed = moved or (static and not same_uid(old, new))
        if name.partition("/")[0] in barred:
            names["UNKNOWN"].add(name)
        elif renewed or (compared and any(rule(container) for rule in rules)):
            names["RESTART"].add(name)
        elif compared and sidecar and number(old) < 32:
            names["UNKNOWN"].add(name)
    return names


def verdicts(run: Run, old: str, new: str) -> dict[str, set[str]]:
    given = ("-f", "-", "--override-node-releases", *admitting(old, new))
    command = ("plan", "--from", old, "--to", new, *given, "-o", "json")
    items = run(*command, stdin=cluster()).items
    names: dict[str, set[str]] = {"RESTART": set(), "UNKNOWN": set()}
    for item in items:
        if item["verdict"] != "KEEP":
            waits = item["reasons"][-1]["id"] == "HC055"  # what would restart, behind a sidecar
            names["RESTART" if waits else item["verdict"]].add(f"{item['pod']}/{item['container']}")
    return names


NEIGHBOURS = list(pairwise(RELEASES))
JUMPS = [
    ("1.7.16", "1.9.11"),
    ("1.9.11", "1.13.12"),
    ("1.10.13", "1.15.12"),
    ("1.16.15", "1.30.14"),
    ("1.20.15", "1.26.15"),
]
JUMPS += [("1.31.14", "1.36.6"), ("1.30.14", "1.32.13"), ("1.6.13", "1.36.6"), ("1.28.11", "1.33.13")]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("old", "new"),
    sliced(
        NEIGHBOURS + JUMPS,
        [*[(old, new) for old, new in NEIGHBOURS if minor(new) in CHANGES][::2], *JUMPS[::3]],
    ),
)
def test_an_upgrade_restarts_what_the_boundaries_on_its_way_say(run: Run, old: str, new: str) -> None:
    assert verdicts(run, old, new) == expected(old, new)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("new", "old"), sliced(NEIGHBOURS + JUMPS, [*NEIGHBOURS[::16], *JUMPS[::4]]))
def test_a_rollback_restarts_the_same(run: Run, old: str, new: str) -> None:
    assert verdicts(run, old, new) == expected(old, new)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("release", sliced(RELEASES, RELEASES[::8]))
def test_the_same_release_restarts_nothing(run: Run, release: str) -> None:
    assert verdicts(run, release, release) == {"RESTART": set(), "UNKNOWN": set()}


@pytest.mark.parametrize("release", [release for release in RELEASES if minor(release) in CHANGES])
def test_every_boundary_that_is_not_empty_is_felt_and_not_by_all(release: str) -> None:
    """Otherwise the tables above would prove nothing there."""
    felt = [CHANGES[minor(release)](container) for _, container, _, _ in running()]
    assert any(felt)
    assert CHANGES[minor(release)] is everything or not all(felt)


@pytest.mark.parametrize(("old", "new"), [("1.3.10", "1.4.12"), ("1.4.12", "1.5.8"), ("1.5.8", "1.6.13")])
def test_the_boundaries_on_the_way_to_1_6(run: Run, old: str, new: str) -> None:
    """1.6 creates every pod again except those never restarted (kubernetes/kubernetes#40297 and #40727)."""
    objects = json.loads(SAMPLE.read_text())["items"]
    never = {
        item["metadata"]["name"]
        for item in objects
        if item["kind"] == "Pod" and item["spec"].get("restartPolicy") == "Never"
    }
    for item in run("plan", "--from", old, "--to", new, "--sample", "-o", "json").items:
        if "HC002" in [reason["id"] for reason in item["reasons"]]:
            assert item["verdict"] == "KEEP"
        elif new == "1.6.13":
            killed = item["pod"] in never or item["containerType"] == "ephemeral"
            assert (item["verdict"], item["podRecreated"]) == (
                "KILL" if killed else "RESTART",
                item["pod"] not in never,
            )
        else:
            assert item["verdict"] in ("KEEP", "UNKNOWN")
