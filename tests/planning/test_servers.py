"""What a plan makes of the API servers that its input shows, where no flag names one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat import plan
from tests.helpers.apiservers import server_json
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Run

SECURED: Json = {"name": "c", "image": "i", "securityContext": {"runAsUser": 1}}
A, B = "kube-system/kube-apiserver-a", "kube-system/kube-apiserver-b"
SHARED = "API servers of several releases share an address, and a kubelet talks to any: "
NEWER = "a kubelet must not be newer than kube-apiserver; it is"
OLDER = "a kubelet may be up to {} minor versions older than kube-apiserver; it is"
WAITS = (
    "in CreateContainerConfigError until kube-apiserver is upgraded: 1.30.4 refuses the list of services "
    "that {} asks for (kubernetes/kubernetes#127316)"
)
NEW = "1.31.1"


def read(run: Run, old: str, new: str, tags: dict[str, str], *more: object) -> Any:
    """Return the document of a plan of one pod, and of API servers on some nodes."""
    pods = [pod(SECURED), *(server_json(node, tag) for node, tag in tags.items())]
    result = run(
        "plan", "--from", old, "--to", new, "-f", "-", "-o", "json", "-q", *more, stdin=as_json(*pods)
    )
    assert result.code == 0, result.err
    return json.loads(result.out)


def of_server(document: Any) -> tuple[list[str], list[str]]:
    """Return the assumptions and the warnings that are about API servers."""
    spec = document["spec"]
    said = ("kube-apiserver is", "API server", "ConfigError")
    return (
        [line for line in spec["assumptions"] if any(word in line for word in said)],
        [line for line in spec["warnings"] if any(word in line for word in said)],
    )


@pytest.mark.parametrize(
    ("way", "tags", "assumed", "warned"),
    [
        (("1.31.0", "1.31.1"), {}, [], []),
        (("1.31.0", "1.31.1"), {"a": "v1.31.1"}, [f"kube-apiserver is 1.31.1 ({A})"], []),
        (
            ("1.31.0", "1.31.1"),
            {"a": "v1.31.1", "b": "v1.31.0"},
            [f"kube-apiserver is 1.31.0 ({B}) and 1.31.1 ({A})"],
            [],
        ),
        (
            ("1.29.4", "1.30.4"),
            {"a": "v1.29.4"},
            [f"kube-apiserver is 1.29.4 ({A})"],
            [f"1.30.4 under an API server 1.29.4: {NEWER} 1.29.4 ({A})"],
        ),
        (
            ("1.30.4", "1.31.1"),
            {"a": "v1.31.1", "b": "v1.30.4"},
            [],
            [
                f"{SHARED}1.30.4 ({B}) and 1.31.1 ({A})",
                f"1.31.1 under an API server 1.30.4: {NEWER} 1.30.4 ({B})",
                f"1 container restarts and stays {WAITS.format('1.31.1')}",
            ],
        ),
        (
            ("1.24.0", "1.24.17"),
            {"a": "v1.27.0"},
            [f"kube-apiserver is 1.27.0 ({A})"],
            [f"1.24.17 under an API server 1.27.0: {OLDER.format(2)} 1.27.0 ({A})"],
        ),
    ],
)
def test_where_the_release_is_from_and_what_the_policy_says(
    run: Run, way: tuple[str, str], tags: dict[str, str], assumed: list[str], warned: list[str]
) -> None:
    assert of_server(read(run, *way, tags)) == (assumed, warned)


def test_two_containers_would_wait(run: Run) -> None:
    pods = [pod(SECURED, {"name": "d", "image": "i"}), server_json("a", "v1.30.4")]
    result = run(
        "plan",
        "--from",
        "1.30.4",
        "--to",
        "1.31.1",
        "-f",
        "-",
        "-o",
        "json",
        "-q",
        stdin=as_json(*pods),
    )
    warned = of_server(json.loads(result.out))[1]
    assert warned[-1].startswith("2 containers restart and stay in CreateContainerConfigError")


@pytest.mark.parametrize("flag", ["--apiserver", "--apiserver-to"])
def test_a_flag_has_the_last_word(run: Run, flag: str) -> None:
    assumed, warned = of_server(read(run, "1.30.4", "1.31.1", {"a": "v1.30.4"}, flag, "1.31.1"))
    assert (assumed, warned) == ([], [])


@pytest.mark.parametrize(
    ("tags", "verdict"),
    [
        ({}, "RESTART"),
        ({"n": "v1.13.12"}, "RESTART"),
        ({"n": "v1.14.0"}, "KEEP"),
        ({"n": "v1.15.12"}, "KEEP"),
    ],
)
def test_pods_are_read_as_these_api_servers_read_them(run: Run, tags: dict[str, str], verdict: str) -> None:
    """1.14.0 - 1.14.3 wrote procMount into every pod that they read: it is there, or will be.

    Under 1.15.12, which is newer than both kubelets and does not, nothing changes.
    """
    items = read(run, "1.13.12", "1.14.2", tags)["items"]
    assert [item["verdict"] for item in items if item["container"] == "c"] == [verdict]


def test_pods_that_are_filtered_out_show_it_too(run: Run) -> None:
    document = read(run, "1.31.0", "1.31.1", {"a": "v1.31.1"}, "--node", "n1")
    assert [item["container"] for item in document["items"]] == ["c"]
    assert of_server(document)[0] == [f"kube-apiserver is 1.31.1 ({A})"]


def test_an_unknown_release_shows_nothing(run: Run) -> None:
    assert of_server(read(run, "1.31.0", "1.31.1", {"a": "v1.99.0"})) == ([], [])


def test_the_nodes_of_the_sample_run_what_is_asked_for(run: Run) -> None:
    result = run("plan", "--sample", "--from", "1.30", "--to", "1.31", "-o", "json", "-q")
    assert of_server(json.loads(result.out)) == ([], [])


def test_the_python_api_has_it() -> None:
    made = plan([pod(SECURED), server_json("a", "v1.31.1")], "1.31.0", "1.31.1")
    assert f"kube-apiserver is 1.31.1 ({A})" in made.assumptions
