"""``verify --recorded``: which of the hashes that kubelets recorded this program reproduces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.go import allowance
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import hash_changed, hash_of, record, recorded

C: Json = {"name": "c", "image": "i"}
D: Json = {"name": "d", "image": "i"}
KUBELET = "1.9.11"


def verified(
    run: Run, records: tuple[object, ...], *objects: Json, more: tuple[str, ...] = ("--kubelet", KUBELET)
) -> Result:
    return run("verify", *records, *more, "-f", "-", "-o", "json", stdin=as_json(*objects))


def problems(result: Result) -> dict[str, str]:
    return {f"{item['pod']}/{item['container']}": item["problem"] for item in result.items}


def test_all_reproduced(run: Run, tmp_path: Path) -> None:
    records = recorded(
        tmp_path, *(record(hash_of(run, KUBELET, spec), container=spec["name"]) for spec in (C, D))
    )
    result = run("verify", *records, "--kubelet", KUBELET, "-f", "-", stdin=as_json(pod(C, D)))
    assert (result.code, result.out) == (0, "2 of 2 recorded hashes reproduced (100 %)\n")


def test_the_share_comes_first_then_a_row_for_each_that_is_not(run: Run, tmp_path: Path) -> None:
    value = hash_of(run, KUBELET, C)
    records = recorded(tmp_path, record(value), record(7, container="d"), record(8, "gone"))
    result = run("verify", *records, "--kubelet", KUBELET, "-f", "-", stdin=as_json(pod(C, D)))
    share, header, *rows = result.out.splitlines()
    assert (result.code, share) == (2, "1 of 2 recorded hashes reproduced (50 %)")
    assert header.split() == ["NODE", "NAMESPACE", "POD", "CONTAINER", "RECORDED", "COMPUTED", "PROBLEM"]
    assert [row.split(maxsplit=6) for row in rows] == [
        ["n1", "ns", "p", "d", "7", str(hash_of(run, KUBELET, D)), "differs"],
        ["-", "ns", "gone", "c", "8", "-", "no such container in the source"],
    ]
    assert result.err == "1 record could not be compared; 0 belong to containers that no kubelet compares\n"


def test_the_document(run: Run, tmp_path: Path) -> None:
    result = verified(run, recorded(tmp_path, record(7)), pod(C))
    assert result.document["summary"] == {"recorded": 1, "compared": 1, "reproduced": 0, "skipped": 0}
    assert result.item == {
        "node": "n1",
        "namespace": "ns",
        "pod": "p",
        "uid": "uid-p",
        "container": "c",
        "hash": {"recorded": 7, "computed": hash_of(run, KUBELET, C)},
        "problem": "differs",
        "origin": None,
        "tokenMount": None,
    }


@pytest.mark.parametrize(
    ("told", "err"),
    [
        (record(7, "gone"), "1 record could not be compared; 0 belong"),
        (record(7, state="CONTAINER_EXITED"), "0 records could not be compared; 1 belong"),
        (record(None), "1 record could not be compared; 0 belong"),
    ],
)
def test_of_nothing_there_is_no_share(run: Run, tmp_path: Path, told: Json, err: str) -> None:
    stopped = pod(C, status={"containerStatuses": [{"name": "c", "state": {"terminated": {}}}]})
    given = stopped if told["state"] == "CONTAINER_EXITED" else pod(C)
    result = run("verify", *recorded(tmp_path, told), "--kubelet", KUBELET, "-f", "-", stdin=as_json(given))
    assert (result.code, result.out.splitlines()[0]) == (3, "no recorded hash could be compared")
    assert ("%" in result.out, result.err.startswith(err)) == (False, True)


@pytest.mark.parametrize(
    ("release", "expected", "words"),
    [
        pytest.param(
            "1.8.15",
            {"release": "1.8.15", "era": "spew-fnv32a", "fields": ["VolumeDevices"]},
            "created by 1.8.15 (fields: VolumeDevices)",
            id="an older release",
        ),
        pytest.param(
            "1.14.0",
            {
                "release": "1.12.0",
                "era": "spew-fnv32a",
                "fields": ["SecurityContext.ProcMount", "SecurityContext.RunAsGroup"],
            },
            "created by 1.12.0 (fields: SecurityContext.ProcMount, SecurityContext.RunAsGroup)",
            id="a newer release, the first that hashes so",
        ),
        pytest.param(
            "1.36.0",
            {"release": "1.31.0", "era": "picked-json-spew-fnv32a", "fields": []},
            "created by 1.31.0",
            id="another era",
        ),
    ],
)
def test_the_release_that_a_record_comes_from(
    run: Run, tmp_path: Path, release: str, expected: Json, words: str
) -> None:
    """What two releases hash of one container is compared by deepdiff."""
    given = {**C, "securityContext": {"privileged": True}}
    records = recorded(tmp_path, record(hash_of(run, release, given)))
    result = verified(run, records, pod(given))
    assert (result.code, result.document["summary"]["reproduced"]) == (0, 1)
    assert (result.item["origin"], result.item["problem"]) == (expected, "created by another release")
    table = run("verify", *records, "--kubelet", KUBELET, "-f", "-", stdin=as_json(pod(given))).out
    assert table.splitlines()[-1].endswith(words)


UNKNOWN = "the kubelet release of its node is not known"


@pytest.mark.parametrize(
    ("more", "nodes", "code", "expected"),
    [
        pytest.param(("--from", "auto"), ("v1.9.11", "v1.10.0"), 0, {}, id="each node's own"),
        pytest.param((), ("v1.9.11", "v1.10.0"), 0, {}, id="auto is the default"),
        pytest.param((), ("v1.9.11", "dev"), 3, {"q/c": UNKNOWN}, id="a node of no known release"),
        pytest.param(
            (),
            ("v1.8.15", "dev"),
            3,
            {"p/c": "created by another release", "q/c": UNKNOWN},
            id="another release is no difference",
        ),
        pytest.param(("--from", "1.10.0"), ("v1.8.15", "dev"), 0, {}, id="a release that is given"),
    ],
)
def test_the_release_is_given_or_each_nodes_own(
    run: Run,
    tmp_path: Path,
    more: tuple[str, ...],
    nodes: tuple[str, ...],
    code: int,
    expected: dict[str, str],
) -> None:
    """1.9.11 and 1.10.0 compute one hash for this container, 1.8.15 another."""
    records = recorded(tmp_path, *(record(hash_of(run, KUBELET, C), name) for name in ("p", "q")))
    hosts = [node(kubelet, f"n{number}") for number, kubelet in enumerate(nodes, 1)]
    result = verified(run, records, *hosts, pod(C), pod(C, name="q", node="n2"), more=more)
    assert (result.code, problems(result)) == (code, expected)


@pytest.mark.parametrize(
    ("given", "told", "code", "skipped", "expected"),
    [
        pytest.param(
            pod(C), [record(None)], 3, 0, {"p/c": "no hash was recorded"}, id="a record without a hash"
        ),
        pytest.param(
            pod(C), [record(7, "q")], 3, 0, {"q/c": "no such container in the source"}, id="no such pod"
        ),
        pytest.param(
            pod(C),
            [record(7, uid="old")],
            3,
            0,
            {"p/c": "no such container in the source"},
            id="another pod of that name",
        ),
        pytest.param(
            pod(C),
            [record(7, "q", state="CONTAINER_EXITED")],
            3,
            1,
            {},
            id="exited, its pod is gone: nothing compared",
        ),
        pytest.param(pod(C, status={"phase": "Failed"}), [record(7)], 3, 1, {}, id="finished"),
        pytest.param(pod(D, spec={"initContainers": [C]}), [record(7)], 3, 1, {}, id="an init container"),
        pytest.param(
            mirror_pod(C),
            [record(7, "p-n1", uid="0123")],
            2,
            0,
            {"p-n1/c": "differs"},
            id="a static pod",
        ),
    ],
)
def test_what_cannot_be_compared_and_what_no_kubelet_compares(
    run: Run, tmp_path: Path, given: Json, told: list[Json], code: int, skipped: int, expected: dict[str, str]
) -> None:
    result = verified(run, recorded(tmp_path, *told), given)
    assert (result.code, result.document["summary"]["skipped"], problems(result)) == (code, skipped, expected)


def test_a_record_of_a_container_before_is_not_compared(run: Run, tmp_path: Path) -> None:
    given = pod(C, status={"containerStatuses": [{"name": "c", "restartCount": 1, "state": {"running": {}}}]})
    result = verified(run, recorded(tmp_path, record(7)), given)
    assert (result.code, problems(result)) == (3, {"p/c": "older than its container"})


def test_a_line_of_a_log_is_not_missed_where_the_runtime_tells_more(run: Run, tmp_path: Path) -> None:
    records = recorded(tmp_path, record(hash_of(run, KUBELET, C)))
    (tmp_path / "kubelet.log").write_text(hash_changed(7))
    result = verified(run, (*records, "--recorded", tmp_path / "kubelet.log"), pod(C))
    assert (result.code, problems(result)) == (0, {})


@pytest.mark.parametrize("value", ["1.27.15", "1.27.16"])
def test_either_of_a_vendors_two_hashes_is_reproduced(run: Run, tmp_path: Path, value: str) -> None:
    container = {**C, "args": ["\f"]}
    records = recorded(tmp_path, record(hash_of(run, value, container)))
    assert verified(run, records, pod(container), more=("--from", "1.27.16-eks-1")).code == 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ("golden", "--recorded", "r.json"),
            "give golden directories as PATH, or recorded hashes with --recorded FILE",
        ),
        (
            ("golden", "--from", "1.9.11"),
            "--from goes with --recorded; golden directories have their own inputs and releases",
        ),
        (("golden", "-f", "pods.json"), "-f goes with --recorded"),
        (
            ("--recorded", "r.json", "--sample", "--from", "9.9.9"),
            "--from: '9.9.9' is not a known kubelet release",
        ),
    ],
)
def test_usage_errors(run: Run, argv: tuple[str, ...], message: str) -> None:
    result = run("verify", *argv)
    assert (result.code, result.out) == (64, "")
    assert result.err.startswith(f"Error: {message}")


def test_a_spec_that_does_not_decode_is_named(run: Run, tmp_path: Path) -> None:
    result: Any = verified(run, recorded(tmp_path, record(7)), pod({**C, "args": "text"}))
    assert (result.code, result.out) == (1, "")
    assert "standard input: $.spec.containers[0].args: want a list, got a string" in result.err


MANIFEST: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "ns"},
    "spec": {
        "nodeName": "n1",
        "containers": [{"name": "c", "image": "i:1", "env": [{"name": "A", "value": "<b>"}]}],
    },
}


def served(run: Run, release: str, mount: str) -> int:
    """Return the hash of the manifest's container as an API server creates it, with a token mount."""
    container = MANIFEST["spec"]["containers"][0]
    mounts = [{"name": mount, "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]
    given = {**MANIFEST, "spec": {"containers": [{**container, "volumeMounts": mounts}]}}
    (row,) = run("hash", "--kubelet", release, "-f", "-", "-o", "json", stdin=as_json(given)).items
    value: int = row["hashes"][release]["hash"]
    return value


@pytest.mark.parametrize(
    ("release", "account", "mount", "one_in"),
    [
        ("1.30.4", None, "kube-api-access-x7k2p", 299),
        ("1.21.0", None, "kube-api-access-bbbbb", 299),
        ("1.20.15", "builder", "builder-token-z9z9z", 299),
        ("1.15.12", None, "default-token-zzzzz", 299),
        ("1.7.16", None, "default-token-bks80", 177),
    ],
)
def test_the_token_mount_of_a_manifest_is_searched(
    run: Run, tmp_path: Path, release: str, account: str | None, mount: str, one_in: int
) -> None:
    records = recorded(tmp_path, record(served(run, release, mount), uid=""))
    given = {**MANIFEST, "spec": {**MANIFEST["spec"], **({"serviceAccountName": account} if account else {})}}
    flags = ("--kubelet", release)
    without = verified(run, records, given, more=flags)
    assert (without.code, problems(without)) == (2, {"p/c": "differs"})
    result = verified(run, records, given, more=(*flags, "--search-token-mount"))
    assert (result.code, result.document["summary"]["reproduced"]) == (0, 1)
    assert result.item["tokenMount"] == {"name": mount, "oneIn": one_in}
    table = run("verify", *records, *flags, "--search-token-mount", "-f", "-", stdin=as_json(given)).out
    assert table.endswith(f"reproduced with the mount {mount} (one hash in {one_in} is by chance)\n")


@pytest.mark.parametrize(
    ("release", "spec"),
    [
        pytest.param("1.30.4", {"automountServiceAccountToken": False}, id="no mount is added"),
        pytest.param("1.31.0", {}, id="mounts are not hashed"),
        pytest.param("1.5.8", {}, id="Adler-32"),
        pytest.param("1.30.4", {}, id="no five characters lead to it"),
    ],
)
def test_where_no_token_mount_is_found_the_record_differs(
    run: Run, tmp_path: Path, release: str, spec: Json
) -> None:
    given = {**MANIFEST, "spec": {**MANIFEST["spec"], **spec}}
    result = verified(
        run, recorded(tmp_path, record(7, uid="")), given, more=("--kubelet", release, "--search-token-mount")
    )
    assert (result.code, problems(result), result.item["tokenMount"]) == (2, {"p/c": "differs"}, None)


def test_an_api_pod_has_all_its_mounts(run: Run, tmp_path: Path) -> None:
    result = verified(
        run, recorded(tmp_path, record(7)), pod(C), more=("--kubelet", "1.30.4", "--search-token-mount")
    )
    assert problems(result) == {"p/c": "differs"}


def test_the_search_goes_with_recorded_hashes(run: Run) -> None:
    result = run("verify", "golden/containers", "--search-token-mount")
    assert (result.code, "--search-token-mount goes with --recorded" in result.err) == (64, True)


def test_a_run_has_a_number_of_records_that_fit_into_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(allowance, "MOST_OF_RECORDS", 2_500)
    options = recorded(tmp_path, record(1), record(2, container="d"))
    assert verified(run, options, pod(C)).code == 2
    log = tmp_path / "kubelet.log"
    log.write_text(f"{hash_changed(3)}\n" * 9)
    refused = verified(run, (*options, "--recorded", log), pod(C))
    assert (refused.code, refused.out) == (1, "")
    assert "bytes of records, the most of one run; give those of some nodes" in refused.err


def test_the_last_of_two_pods_counts_for_a_record_of_both(run: Run, tmp_path: Path) -> None:
    """Pods without uid are never copies of each other."""
    records = recorded(tmp_path, record(hash_of(run, KUBELET, C)))
    without: Json = {"metadata": {"uid": ""}, "status": {"phase": "Running"}}
    first, last = pod(C, **without), pod({**C, "image": "other"}, **without)
    assert problems(verified(run, records, first, last)) == {"p/c": "differs"}
    assert problems(verified(run, records, last, first)) == {}
