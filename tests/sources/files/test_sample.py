"""The built-in cluster is an ordinary file, and shows every verdict and reason of ordinary clusters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers.program import SAMPLE, Run, said_of, spec_of, unplaced

PLAN = ("plan", "--from", "auto", "--to", "1.9.11", "-o", "json")


@pytest.mark.usefixtures("untraced")
def test_the_sample_is_what_kubectl_would_give(run: Run) -> None:
    """But for where it is, for nobody gave that file, and for its API server, which is any upgrade's."""
    sample, file = run(*PLAN, "--sample"), run(*PLAN, "-f", SAMPLE, "--apiserver", "1.9.11")
    assert (sample.code, said_of(sample)) == (file.code, said_of(file))
    compared = [
        {**result.document, "spec": spec_of(result), "items": unplaced(result.items), "digest": None}
        for result in (sample, file)
    ]
    assert compared[0] == compared[1]
    assert {item["kind"] for item in json.loads(SAMPLE.read_text())["items"]} == {"Node", "Pod"}


def test_the_recorded_container_is_in_it_on_every_node(run: Run) -> None:
    items = [item for item in run(*PLAN, "--sample").items if item["container"] == "prometheus-node-exporter"]
    assert {item["node"] for item in items} == {"node-a1", "node-a2", "node-b1", "node-b2", "node-c1"}
    assert {(item["hash"]["from"], item["hash"]["to"], item["verdict"]) for item in items} == {
        (1559107639, 1428860573, "RESTART")
    }


def test_pods_mount_a_token_under_a_name_of_their_own_as_since_1_21() -> None:
    """All but those of one account, whose Secret is a real cluster's."""
    pods = [item for item in json.loads(SAMPLE.read_text())["items"] if item["kind"] == "Pod"]
    tokens = [
        volume["name"] for pod in pods for volume in pod["spec"].get("volumes", ()) if _is_token(volume)
    ]
    secrets = [name for name in tokens if not name.startswith("kube-api-access-")]
    assert set(secrets) == {"default-token-bks80"}
    assert len(set(tokens)) == len(tokens) - len(secrets) + 1 == 30


def _is_token(volume: dict[str, Any]) -> bool:
    sources = volume.get("projected", {}).get("sources", ())
    return ("secret" in volume and "-token-" in volume["name"]) or any(
        "serviceAccountToken" in source for source in sources
    )


def test_every_verdict_and_type_of_container_is_in_it(run: Run) -> None:
    items = run("plan", "--from", "1.31.0", "--to", "1.32.0", "--sample", "-o", "json").items
    assert {item["verdict"] for item in items} == {"RESTART", "KEEP", "UNKNOWN"}
    assert {item["containerType"] for item in items} == {"container", "init", "sidecar", "ephemeral"}


def test_every_reason_not_to_compare_is_in_it(run: Run) -> None:
    items = run("plan", "--from", "1.8.15", "--to", "1.9.11", "--sample", "-o", "json").items
    words = {row["text"] for item in items for row in item["reasons"] if row["id"] == "HC002"}
    assert words == {
        "not compared: the pod is being deleted",
        "not compared: the pod has finished",
        "not compared: an init container",
        "not compared: an ephemeral container",
        "not compared: a sidecar, which 1.9.11 leaves alone",
        "not compared: the container is not running",
    }


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [("1.10.0", "1.11.0", "RESTART"), ("1.16.0", "1.17.0", "KEEP"), ("1.33.0", "1.34.0", "RESTART")],
)
def test_static_pods_are_decided_by_their_uid(run: Run, old: str, new: str, verdict: str) -> None:
    items = run(
        "plan",
        "--from",
        old,
        "--to",
        new,
        "--sample",
        "-o",
        "json",
        "-n",
        "kube-system",
        "--owner",
        "node/node-a1",
    ).items
    assert [item["verdict"] for item in items] == [verdict] * 4
