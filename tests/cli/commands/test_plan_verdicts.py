"""What hashes alone do not decide: vendors, unknown nodes, static pods, sidecars, stopped containers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.pods import PLAIN, as_json, mirror_pod, node, pod
from tests.helpers.program import Run

FORM_FEED = {"name": "c", "image": "i", "args": ["a\fb"]}
SIDECAR = {"name": "s", "image": "i", "restartPolicy": "Always"}


def verdicts(run: Run, old: str, new: str, *objects: dict[str, Any]) -> dict[str, str]:
    result = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", stdin=as_json(*objects))
    return {item["container"]: item["verdict"] for item in result.items}


def reason(run: Run, old: str, new: str, *objects: dict[str, Any]) -> tuple[str, str]:
    (only,) = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", stdin=as_json(*objects)).item[
        "reasons"
    ]
    return only["id"], only["text"]


def test_a_vendors_build_is_read_as_upstream_and_says_so(run: Run) -> None:
    result = run(
        "plan",
        "--from",
        "v1.16.15-eks-ad4801",
        "--to",
        "1.17.17",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod()),
    )
    assumed = "v1.16.15-eks-ad4801: a vendor's build, read as upstream 1.16.15"
    facts = result.document["spec"]["releases"]
    assert f"Assumed: {assumed}\n" in result.err
    assert result.document["spec"]["assumptions"][0] == assumed
    assert [facts["v1.16.15-eks-ad4801"][key] for key in ("readAs", "vendorAssumed", "patchAssumed")] == [
        "1.16.15",
        True,
        False,
    ]
    assert facts["1.17.17"]["vendorAssumed"] is False


def test_a_patch_that_is_newer_than_the_data_is_read_as_its_minor_and_says_so(run: Run) -> None:
    result = run("plan", "--from", "1.36.0", "--to", "1.36.99", "-f", "-", "-o", "json", stdin=as_json(pod()))
    assert "Assumed: 1.36.99: newer than this program's data, read as 1.36\n" in result.err
    assert result.document["spec"]["releases"]["1.36.99"]["patchAssumed"] is True


def test_an_assumption_about_undecided_containers_is_named_too(run: Run) -> None:
    result = run(
        "plan", "--from", "v1.27.3-gke.100", "--to", "1.27.16", "-f", "-", stdin=as_json(pod(FORM_FEED))
    )
    assert "Assumed: v1.27.3-gke.100" in result.err


@pytest.mark.usefixtures("untraced")
def test_auto_takes_what_each_node_reports(run: Run) -> None:
    result = run("plan", "--from", "auto", "--to", "1.9.11", "--sample", "-o", "json")
    assert result.document["spec"]["from"] == "auto"
    assert {item["fromRelease"] for item in result.items if item["node"]} == {"v1.7.16"}
    same = run("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample", "-o", "json")
    on_a_node = [[item["hash"] for item in plan.items if item["node"]] for plan in (result, same)]
    assert on_a_node[0] == on_a_node[1]


@pytest.mark.parametrize("kubelet", ["v1.99.0", "v1.36.0-rc.1", "dev", ""])
def test_a_node_with_an_unknown_release_makes_its_pods_unknown(run: Run, kubelet: str) -> None:
    objects = (node(kubelet), pod(), node("v1.7.16", "n2"), pod(name="q", node="n2"))
    items = run(
        "plan", "--from", "auto", "--to", "1.9.11", "-f", "-", "-o", "json", stdin=as_json(*objects)
    ).items
    assert {item["pod"]: (item["verdict"], item["hash"]["to"] is None) for item in items} == {
        "p": ("UNKNOWN", True),
        "q": ("RESTART", False),
    }
    assert [row["id"] for item in items for row in item["reasons"] if item["pod"] == "p"] == ["HC008"]


def test_a_finished_pod_on_a_node_with_an_unknown_release_is_kept(run: Run) -> None:
    result = run(
        "plan",
        "--from",
        "auto",
        "--to",
        "1.9.11",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(node("v2.0.0"), pod(status={"phase": "Failed"})),
    )
    assert (result.code, result.item["verdict"], result.item["reasons"][0]["id"]) == (0, "KEEP", "HC002")


def test_auto_without_the_node_says_what_is_missing(run: Run) -> None:
    assert reason(run, "auto", "1.9.11", pod()) == (
        "HC008",
        "node n1: its kubelet release is not in the input",
    )


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("1.10.0", "1.11.10", "RESTART"),
        ("1.16.15", "1.17.17", "KEEP"),
        ("1.35.0", "1.36.0", "RESTART"),
        ("1.36.0", "1.35.0", "RESTART"),
    ],
)
def test_a_static_pod_is_decided_by_its_uid_where_its_hash_is_equal(
    run: Run, old: str, new: str, verdict: str
) -> None:
    item = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", stdin=as_json(mirror_pod())).item
    assert item["hash"]["from"] == item["hash"]["to"]
    assert (item["verdict"], item["podRecreated"]) == (verdict, verdict == "RESTART")


@pytest.mark.parametrize("source", ["file", "http"])
def test_a_static_pod_from_the_kubelets_own_list_is_one_too(run: Run, source: str) -> None:
    uid = "0123456789abcdef0123456789abcdef"
    static = pod(metadata={"uid": uid, "annotations": {"kubernetes.io/config.source": source}})
    assert verdicts(run, "1.35.0", "1.36.0", static) == {"c": "RESTART"}


@pytest.mark.parametrize(
    ("uid", "verdict"),
    [("0123456789abcdef0123456789abcdef", "RESTART"), ("8cdcb7ba-17d0-11e9-9243-52540064c479", "KEEP")],
)
def test_a_uid_that_the_manifest_sets_is_kept(run: Run, uid: str, verdict: str) -> None:
    annotations = {"kubernetes.io/config.mirror": uid, "kubernetes.io/config.hash": uid}
    assert verdicts(run, "1.35.0", "1.36.0", pod(metadata={"annotations": annotations})) == {"c": verdict}


def test_an_ordinary_pods_annotation_makes_it_no_static_pod(run: Run) -> None:
    assert verdicts(
        run, "1.35.0", "1.36.0", pod(metadata={"annotations": {"kubernetes.io/config.source": "api"}})
    ) == {"c": "KEEP"}


def test_a_static_pod_restarts_where_its_hash_changes(run: Run) -> None:
    assert verdicts(run, "1.30.14", "1.31.0", mirror_pod()) == {"c": "RESTART"}


def test_a_static_pods_sidecar_dies_with_it_even_where_sidecars_are_left_alone(run: Run) -> None:
    static = mirror_pod(PLAIN, spec={"initContainers": [SIDECAR, {"name": "init", "image": "i"}]})
    assert verdicts(run, "1.29.0", "1.30.0", static) == {"c": "RESTART", "s": "RESTART", "init": "KEEP"}


def test_a_patch_within_a_minor_keeps_a_static_pod(run: Run) -> None:
    assert verdicts(run, "1.35.0", "1.35.3", mirror_pod()) == {"c": "KEEP"}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param("1.31.0", "1.32.0", "UNKNOWN", id="1.31 never compared it: 1.30 may have made it"),
        pytest.param("1.30.0", "1.32.0", "RESTART", id="every hash of 1.30 is wrong to 1.32"),
        pytest.param("1.28.0", "1.31.0", "KEEP", id="not compared up to 1.31"),
        pytest.param("1.32.0", "1.36.0", "KEEP", id="compared on both sides, and equal"),
        pytest.param("1.32.0", "1.31.0", "KEEP", id="not compared on the way back"),
    ],
)
def test_sidecars_are_compared_from_1_32_on(run: Run, old: str, new: str, verdict: str) -> None:
    assert verdicts(run, old, new, pod(spec={"initContainers": [SIDECAR]}))["s"] == verdict


def test_a_sidecar_that_is_left_alone_says_so(run: Run) -> None:
    items = run(
        "plan",
        "--from",
        "1.28.0",
        "--to",
        "1.31.0",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(spec={"initContainers": [SIDECAR]})),
    ).items
    sidecar = next(item for item in items if item["container"] == "s")
    assert sidecar["containerType"] == "sidecar"
    assert sidecar["reasons"] == [
        {"id": "HC002", "path": "", "field": "", "text": "not compared: a sidecar, which 1.31.0 leaves alone"}
    ]


def test_a_form_feed_under_a_vendors_go_is_unknown(run: Run) -> None:
    item = run(
        "plan",
        "--from",
        "1.27.3-gke.100",
        "--to",
        "1.27.16",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(FORM_FEED)),
    ).item
    assert (item["verdict"], item["hash"]["from"], item["reasons"][0]["id"]) == ("UNKNOWN", None, "HC010")


def test_a_form_feed_restarts_where_upstream_changed_its_go(run: Run) -> None:
    assert verdicts(run, "1.27.15", "1.27.16", pod(FORM_FEED)) == {"c": "RESTART"}
    assert reason(run, "1.27.15", "1.27.16", pod(FORM_FEED))[0] == "HC003"


def test_without_such_characters_the_change_of_go_keeps_all(run: Run) -> None:
    assert verdicts(run, "1.27.15", "1.27.16", pod()) == {"c": "KEEP"}
    assert verdicts(run, "1.27.3-gke.100", "1.27.16", pod()) == {"c": "KEEP"}


AT_REST: list[tuple[str, dict[str, Any]]] = [
    ("the pod is being deleted", pod(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})),
    ("the pod has finished", pod(status={"phase": "Succeeded"})),
    ("the pod has finished", pod(status={"phase": "Failed"})),
    ("the container is not running", pod(status={"phase": "Pending"})),
    (
        "the container is not running",
        pod(status={"phase": "Running", "containerStatuses": [{"name": "c", "state": {"waiting": {}}}]}),
    ),
]


@pytest.mark.parametrize(("why", "given"), AT_REST)
def test_what_is_not_compared_is_kept_and_says_why(run: Run, why: str, given: dict[str, Any]) -> None:
    assert verdicts(run, "1.30.0", "1.31.0", given) == {"c": "KEEP"}
    assert reason(run, "1.30.0", "1.31.0", given) == ("HC002", f"not compared: {why}")


def test_a_container_that_its_status_lacks_may_run(run: Run) -> None:
    rows = [{"name": "other", "state": {"running": {}}}]
    given = pod(status={"phase": "Running", "containerStatuses": rows})
    assert verdicts(run, "1.30.0", "1.31.0", given) == {"c": "RESTART"}


@pytest.mark.parametrize(
    "status", [{}, {"phase": "Running"}, {"phase": "Running", "containerStatuses": []}, {"phase": "Unknown"}]
)
def test_a_pod_whose_status_does_not_tell_counts_as_running(run: Run, status: dict[str, Any]) -> None:
    """A dump with its status cut down must not make a kill look like a stopped container."""
    assert verdicts(run, "1.30.0", "1.31.0", pod(status=status)) == {"c": "RESTART"}


def test_init_and_ephemeral_containers_are_never_compared(run: Run) -> None:
    given = pod(spec={"initContainers": [{"name": "init"}], "ephemeralContainers": [{"name": "debug"}]})
    assert verdicts(run, "1.30.0", "1.31.0", given) == {"init": "KEEP", "c": "RESTART", "debug": "KEEP"}


def test_the_same_release_keeps_everything(run: Run) -> None:
    assert verdicts(run, "1.27.3-gke.100", "1.27.3-gke.100", pod(FORM_FEED)) == {"c": "KEEP"}


def test_keep_going_makes_unknown_what_does_not_decode(run: Run) -> None:
    broken = pod({"name": "c", "args": "not a list"})
    result = run(
        "plan",
        "--from",
        "1.9.11",
        "--to",
        "1.10.0",
        "-f",
        "-",
        "-o",
        "json",
        "--keep-going",
        stdin=as_json(broken, pod(name="q")),
    )
    assert [(item["pod"], item["verdict"]) for item in result.items] == [("p", "UNKNOWN"), ("q", "KEEP")]
    assert result.items[0]["reasons"] == [
        {
            "id": "HC009",
            "path": "",
            "field": "",
            "text": "$.items[0].spec.containers[0].args: want a list, got a string",
        }
    ]
