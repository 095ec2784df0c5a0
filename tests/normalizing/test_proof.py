"""What is proven, and so rewritten, and what is left alone: small pods, each with one fact that differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import hashcompat
from hashcompat.analysis.gating import Standing
from hashcompat.core.model.preflight import Normalization, repeated
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.documents import from_node
from hashcompat.core.records.index import index
from tests.helpers.pods import PLAIN, Json, mirror_pod, node, pod
from tests.helpers.upgrades import record

OLD, NEW = "1.30.14", "1.31.14"
ID = "a" * 64
WAS, IS = (hashcompat.container_hash(PLAIN, release).value for release in (OLD, NEW))


def running(container: Json | None = None, **more: Any) -> Json:
    """Return a pod whose container runs, as its status says."""
    status = {
        "phase": "Running",
        "containerStatuses": [
            {"name": "c", "containerID": f"containerd://{ID}", "state": {"running": {}}, "restartCount": 0}
        ],
    }
    return pod(container or PLAIN, **{"status": status, **more})


def recorded(value: int | None = WAS, **more: Any) -> Json:
    return {**record(value), "id": ID, **more}


def made(
    *objects: Json, records: list[Json] | None = None, old: str = "auto", **options: Any
) -> Normalization:
    rows = [recorded()] if records is None else records
    node_records = index(from_node({"containers": rows}))
    return hashcompat.normalize(
        [*objects, node(f"v{OLD}")], old, options.pop("to", NEW), records=node_records, **options
    )


def left_alone(normalization: Normalization) -> str:
    """Return why the one container is left alone."""
    (change,) = normalization.changes
    assert change.rewrite is None
    assert (normalization.before, normalization.rewritten) == (
        normalization.after,
        0,
    ) or change.item.verdict.value == "UNKNOWN"
    return change.obstacle


def test_a_record_that_the_spec_has_is_rewritten_to_what_the_target_computes() -> None:
    normalization = made(running())
    (change,) = normalization.changes
    assert change.rewrite is not None
    assert (change.rewrite.recorded, change.rewrite.new, change.rewrite.creator) == (WAS, IS, f"v{OLD}")
    assert (change.rewrite.id, change.rewrite.uid) == (ID, "uid-p")
    assert (normalization.before, normalization.after, normalization.unknown) == (1, 0, 0)
    assert [(host.name, host.kubelet, host.runtime) for host in normalization.nodes] == [
        ("n1", f"v{OLD}", "")
    ]


def test_the_way_back_is_the_same() -> None:
    (change,) = made(running(), records=[recorded(IS)], old=NEW, to=OLD, override_node_releases=True).changes
    assert change.rewrite is not None
    assert (change.rewrite.recorded, change.rewrite.new) == (IS, WAS)


def test_a_record_of_an_older_kubelet_names_that_one() -> None:
    """Which of a patched kubelet's containers it created, and which it only kept, their records show."""
    older = hashcompat.container_hash(PLAIN, "1.15.12").value
    (change,) = made(running(), records=[recorded(older)]).changes
    assert change.rewrite is not None
    assert (change.rewrite.recorded, change.rewrite.creator) == (older, "1.15.12")


def test_what_is_kept_anyway_is_not_in_the_document() -> None:
    normalization = made(running(), records=[recorded(IS)])
    assert (normalization.changes, normalization.nodes, normalization.containers) == ((), (), 1)


@pytest.mark.parametrize(
    ("normalization", "why"),
    [
        (made(running(), records=[]), "nothing shows the hash that is recorded"),
        (made(running({**PLAIN, "image": "other"})), "no known kubelet computes its recorded hash"),
        (made(running(), records=[recorded(7)]), "no known kubelet computes its recorded hash"),
        (made(running(), records=[recorded(None)]), "no recorded hash that can be compared"),
        (made(running(), records=[recorded(id="0")]), "nothing shows the hash that is recorded"),
        (made(running(status={"phase": "Running"}), records=[recorded(id="0")]), "its record has no id"),
        (made(running(), records=[{**record(WAS, uid=""), "id": ID}]), "its record has no id"),
        (
            made(running(metadata={"uid": ""}), records=[{**record(WAS, uid=""), "id": ID}], old=OLD),
            "its record has no id",
        ),
    ],
    ids=["none", "image", "hash", "missing", "other", "id", "uid", "manifest"],
)
def test_what_is_not_proven_is_left_alone(normalization: Normalization, why: str) -> None:
    assert why in left_alone(normalization)


def test_another_cause_than_the_hash_leaves_a_container_alone() -> None:
    metadata = {"name": "p", "uid": "uid-p", "namespace": "ns", "attempt": 0}
    sandbox = {"id": "s", "metadata": metadata, "state": "SANDBOX_NOTREADY", "createdAt": "1"}
    rows = [*from_node({"containers": [recorded()]}), *from_node({"items": [sandbox]})]
    normalization = hashcompat.normalize([running(), node(f"v{OLD}")], "auto", NEW, records=index(rows))
    assert left_alone(normalization) == "not by its hash alone: the pod's latest sandbox is not ready"


def test_what_is_killed_for_good_is_left_alone() -> None:
    labelled = node(f"v{OLD}")
    labelled["metadata"]["labels"] = {"a": "b"}
    asking = running(spec={"nodeSelector": {"x": "y"}})
    normalization = hashcompat.normalize(
        [asking, labelled], "auto", NEW, records=index(from_node({"containers": [recorded()]}))
    )
    assert left_alone(normalization).startswith("it is killed and not started again")


def test_another_runtime_than_those_that_are_known_is_left_alone() -> None:
    other = node(f"v{OLD}")
    other["status"]["nodeInfo"]["containerRuntimeVersion"] = "rkt://1.30.0"
    normalization = hashcompat.normalize(
        [running(), other], "auto", NEW, records=index(from_node({"containers": [recorded()]}))
    )
    assert left_alone(normalization) == "the records of rkt cannot be rewritten"


def test_that_vendors_hash_as_upstream_is_never_assumed() -> None:
    normalization = made(running(), to="v1.31.1-aliyun.1", assume_upstream=True)
    assert "is not public" in left_alone(normalization)


def test_a_static_pod_without_its_manifest_is_left_alone() -> None:
    """Its mirror pod is not what its kubelet hashes."""
    mirror = mirror_pod(PLAIN, status=running()["status"])
    mirror["metadata"]["annotations"]["kubernetes.io/config.hash"] = "0123"
    normalization = made(mirror, records=[{**record(WAS, "p-n1", uid="0123"), "id": ID}])
    assert "--static-pod-dir" in left_alone(normalization)


def static(tmp_path: Path, **metadata: Any) -> tuple[hashcompat.Inventory, str]:
    """Return a static pod, and the UID that the current kubelet computes of its manifest."""
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns", **metadata},
        "spec": {"containers": [PLAIN], "hostNetwork": True},
    }
    (tmp_path / "p.json").write_text(json.dumps(manifest))
    inventory = hashcompat.load_static_pods(tmp_path, "n1")
    (row,) = hashcompat.hashes(inventory, [OLD]).items
    return inventory, str(row.uids[OLD].uid)


def of_static(inventory: hashcompat.Inventory, uid: str, old: str = OLD, new: str = NEW) -> Normalization:
    (row,) = hashcompat.hashes(inventory, [old]).items
    rows = [{**record(row.hashes[old].value, "p-n1", uid=uid), "id": ID}]
    return hashcompat.normalize(inventory, old, new, records=index(from_node({"containers": rows})))


def test_a_manifest_is_given_the_uid_that_its_pod_has(tmp_path: Path) -> None:
    inventory, uid = static(tmp_path)
    normalization = of_static(inventory, uid)
    (pin,) = normalization.pins
    assert (pin.uid, pin.path, pin.pod, len(pin.digest)) == (uid, str(tmp_path / "p.json"), "p-n1", 64)
    assert (normalization.before, normalization.after, normalization.rewritten) == (1, 0, 1)


def test_where_only_the_uid_changes_no_record_is_rewritten(tmp_path: Path) -> None:
    inventory, _ = static(tmp_path)
    (row,) = hashcompat.hashes(inventory, ["1.36.3"]).items
    normalization = of_static(inventory, str(row.uids["1.36.3"].uid), "1.36.3", "1.37.1")
    assert (len(normalization.pins), normalization.rewritten, normalization.before, normalization.after) == (
        1,
        0,
        1,
        0,
    )
    assert normalization.changes[0].pinned


def test_a_uid_of_its_own_stays(tmp_path: Path) -> None:
    inventory, uid = static(tmp_path, uid="1234")
    normalization = of_static(inventory, uid)
    assert (normalization.pins, normalization.rewritten, normalization.after) == ((), 1, 0)


def test_a_static_pod_that_runs_under_another_uid_is_left_alone(tmp_path: Path) -> None:
    inventory, _ = static(tmp_path)
    assert "under another UID" in left_alone(of_static(inventory, "0" * 32))


def test_a_static_pod_is_kept_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"containers": [PLAIN, {"name": "d", "image": "i"}], "hostNetwork": True},
    }
    (tmp_path / "p.json").write_text(json.dumps(manifest))
    inventory = hashcompat.load_static_pods(tmp_path, "n1")
    first, second = hashcompat.hashes(inventory, [OLD]).items
    uid = str(first.uids[OLD].uid)
    rows = [
        {**record(first.hashes[OLD].value, "p-n1", uid=uid), "id": ID},
        {**record(7, "p-n1", "d", uid=uid), "id": "b" * 64},
    ]
    normalization = hashcompat.normalize(inventory, OLD, NEW, records=index(from_node({"containers": rows})))
    assert (normalization.pins, normalization.rewritten, normalization.before, normalization.after) == (
        (),
        0,
        2,
        2,
    )
    assert all(
        change.obstacle.startswith("a static pod is kept as a whole") for change in normalization.changes
    )
    assert second.container.name == "d"


def test_a_patched_target_needs_none_of_this() -> None:
    with pytest.raises(hashcompat.UsageError, match="needs no rewritten records"):
        made(running(), patch=hashcompat.AssumePatch("accept"))


def test_kubelets_that_compare_names_are_refused() -> None:
    with pytest.raises(hashcompat.UsageError, match="names of containers"):
        made(running(), old="1.6.13", to="1.5.8")


def test_containers_that_are_there_twice_are_found() -> None:
    (change,) = made(running()).changes
    assert repeated([change, change]) == [ID]
    assert repeated([change]) == []
    assert repeated([structs.replace(change, rewrite=None)] * 2) == []


def test_a_document_is_sealed_as_a_plan_is() -> None:
    document = hashcompat.to_document(made(running()))
    assert document["digest"].startswith("sha256:")
    assert document["signature"] is None
    assert document["summary"] == {
        "containers": 1,
        "killedBefore": 1,
        "killedAfter": 0,
        "unknown": 0,
        "records": 1,
        "manifests": 0,
    }


def test_what_the_target_computes_must_be_certain() -> None:
    """A backspace is written in two ways, by the Go that a vendor built its kubelet with."""
    odd = {**PLAIN, "args": ["\b"]}
    value = hashcompat.container_hash(odd, NEW).value
    left = made(
        running(odd), records=[recorded(value)], old=NEW, to="v1.27.3-gke.100", override_node_releases=True
    )
    assert left_alone(left) == "what v1.27.3-gke.100 computes of it is not certain"


def test_what_is_unknown_is_left_alone() -> None:
    normalization = hashcompat.normalize(
        [running(), node("v1.30.1-aliyun.1")],
        "auto",
        NEW,
        records=index(from_node({"containers": [recorded(7)]})),
    )
    assert left_alone(normalization) == "what the target kubelet does with it is unknown whatever is recorded"


@pytest.mark.parametrize("rows", [[recorded()], []])
def test_a_node_whose_release_is_not_known_is_left_alone(rows: list[Json]) -> None:
    normalization = hashcompat.normalize(
        [running(), node("odd")], "auto", NEW, records=index(from_node({"containers": rows}))
    )
    assert left_alone(normalization) == "the release of its kubelet is not known"


def test_a_finished_pod_of_such_a_node_is_kept() -> None:
    ended = pod(status={"phase": "Succeeded"})
    normalization = hashcompat.normalize([ended, node("odd")], "auto", NEW)
    assert (normalization.changes, normalization.containers) == ((), 1)


def test_a_line_of_a_log_is_of_no_container() -> None:
    row = Recorded("uid-p", "ns", "p", "c", WAS, running=None)
    normalization = hashcompat.normalize([running(), node(f"v{OLD}")], "auto", NEW, records=index([row]))
    assert left_alone(normalization) == "its runtime does not show that it runs"


def test_what_the_plan_doubts_for_another_record_of_the_node_is_left_alone() -> None:
    rows = [recorded(7), {**record(IS, "r"), "id": "b" * 64}]
    objects = [running(), pod(name="q", status={"phase": "Running"}), node(f"v{NEW}")]
    normalization = hashcompat.normalize(
        objects, "auto", "1.32.13", records=index(from_node({"containers": rows}))
    )
    assert {change.item.pod.name: change.obstacle for change in normalization.changes}["q"].startswith(
        "nothing shows"
    )


def test_a_static_pod_whose_uid_depends_on_the_host_is_left_alone(tmp_path: Path) -> None:
    inventory, _ = static(tmp_path, creationTimestamp="2020-01-01T00:00:00Z")
    assert "its UID decides, and it is unknown" in left_alone(of_static(inventory, "0" * 32))


def test_a_static_pod_without_a_record_is_left_alone(tmp_path: Path) -> None:
    inventory, _ = static(tmp_path)
    assert left_alone(hashcompat.normalize(inventory, OLD, NEW)).startswith("nothing shows the hash")


def test_a_static_pod_of_an_unknown_release_is_left_alone(tmp_path: Path) -> None:
    inventory, _ = static(tmp_path)
    assert (
        left_alone(hashcompat.normalize(inventory, "auto", NEW)) == "the release of its kubelet is not known"
    )


def test_a_manifest_that_is_no_file_is_left_alone(tmp_path: Path) -> None:
    inventory, uid = static(tmp_path)
    (static_pod,) = inventory.pods
    assert static_pod.static_manifest is not None
    told = structs.replace(static_pod, static_manifest=structs.replace(static_pod.static_manifest, raw=b""))
    normalization = of_static(structs.replace(inventory, pods=(told,)), uid)
    assert left_alone(normalization) == "its manifest is not a regular file"


def test_a_manifest_behind_a_link_is_left_alone(tmp_path: Path) -> None:
    """``apply`` follows none, so what the plan counts as kept would restart."""
    (tmp_path / "manifests").mkdir()
    _, uid = static(tmp_path)
    (tmp_path / "manifests" / "p.json").symlink_to(tmp_path / "p.json")
    inventory = hashcompat.load_static_pods(tmp_path / "manifests", "n1", str(tmp_path))
    assert left_alone(of_static(inventory, uid)) == "its manifest is not a regular file"


@pytest.mark.parametrize(
    ("metadata", "end", "why"),
    [
        ("metadata: &a\n  name: p\n  namespace: ns\n", "", "in which nothing can be added to it safely"),
        ("metadata:\n  name: p\n  namespace: ns\n  uid: ''\n", "", "set already"),
        ("metadata:\n  name: p\n  namespace: ns\n", "---\nkind: Pod\n", "2 documents"),
    ],
)
def test_a_manifest_to_which_no_uid_can_be_added_is_left_alone(
    tmp_path: Path, metadata: str, end: str, why: str
) -> None:
    """A plan with records as rewritten says so as well, as ``apply`` would skip it."""
    spec = f"spec:\n  hostNetwork: true\n  containers:\n  - {json.dumps(PLAIN)}\n"
    (tmp_path / "p.yaml").write_text(f"apiVersion: v1\nkind: Pod\n{metadata}{spec}{end}")
    inventory = hashcompat.load_static_pods(tmp_path, "n1")
    (row,) = hashcompat.hashes(inventory, [OLD]).items
    uid = str(row.uids[OLD].uid)
    obstacle = left_alone(of_static(inventory, uid))
    assert obstacle.startswith("its manifest cannot be given a uid: ")
    assert why in obstacle
    records = index(from_node({"containers": [{**record(WAS, "p-n1", uid=uid), "id": ID}]}))
    plan = hashcompat.plan(inventory, OLD, NEW, records=records, normalized=True)
    assert [item.verdict.value for item in plan.items] == ["RESTART"]


def test_a_plan_can_take_the_records_as_rewritten() -> None:
    """Then only what is left alone restarts, and what it would be is said where it is not taken so."""
    rows = [recorded(), {**record(7, "q"), "id": "b" * 64}]
    objects = [running(), pod(name="q", status={"phase": "Running"}), node(f"v{OLD}")]
    records = index(from_node({"containers": rows}))
    plain = hashcompat.plan(objects, "auto", NEW, records=records)
    assert (plain.summary.findings, plain.rewritable) == (2, 1)
    assumed = hashcompat.plan(objects, "auto", NEW, records=records, normalized=True)
    assert (assumed.summary.findings, assumed.rewritable) == (1, 0)
    kept = next(item for item in assumed.items if item.pod.name == "p")
    assert (kept.verdict.value, kept.hashes.recorded) == ("KEEP", IS)
    assert "hashcompat normalize" in assumed.assumptions[0]


def test_a_static_pod_is_kept_in_such_a_plan(tmp_path: Path) -> None:
    inventory, uid = static(tmp_path)
    (row,) = hashcompat.hashes(inventory, [OLD]).items
    rows = [{**record(row.hashes[OLD].value, "p-n1", uid=uid), "id": ID}]
    records = index(from_node({"containers": rows}))
    plan = hashcompat.plan(inventory, OLD, NEW, records=records, normalized=True)
    assert [(item.verdict.value, item.pod_recreated) for item in plan.items] == [("KEEP", False)]
    assert hashcompat.plan(inventory, OLD, NEW, records=records).rewritable == 1


def test_after_the_upgrade_the_new_records_are_those_that_were_planned() -> None:
    """``gate --after`` compares what runs with such a plan: the same container with the new record."""
    objects = [running(), node(f"v{OLD}")]
    before = index(from_node({"containers": [recorded()]}))
    plan = hashcompat.plan(objects, "auto", NEW, records=before, normalized=True)
    after = [running(), node(f"v{NEW}")]
    now = index(from_node({"containers": [recorded(IS)]}))
    (good,) = hashcompat.gate_after(plan, after, ["n1"], records=now).judged
    (bad,) = hashcompat.gate_after(plan, after, ["n1"], records=before).judged
    assert (good.standing, bad.standing) == (Standing.AS_PREDICTED, Standing.SURPRISE)


def test_a_pod_that_does_not_fit_beside_another_is_left_alone() -> None:
    container = {**PLAIN, "resources": {"requests": {"cpu": "3"}}}
    where = node(f"v{OLD}")
    where["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    pods = [
        running(container, name=name, metadata={"creationTimestamp": f"2026-01-0{day}T00:00:00Z"})
        for day, name in enumerate("pq", start=1)
    ]
    value = hashcompat.container_hash(container, OLD).value
    rows = [{**record(value, name), "id": ID} for name in "pq"]
    normalization = hashcompat.normalize(
        [*pods, where], "auto", NEW, records=index(from_node({"containers": rows}))
    )
    first, second = normalization.changes
    assert (first.item.verdict.value, first.rewrite is None) == ("RESTART", False)
    assert (second.item.verdict.value, second.rewrite) == ("KILL", None)


def test_a_record_is_rewritten_to_what_the_api_servers_of_the_cluster_serve() -> None:
    """A plan finds the API servers among the pods, and so does what is made of its verdicts."""
    spec = {"image": "registry.k8s.io/kube-apiserver:v1.13.12", "name": "kube-apiserver"}
    server = mirror_pod(spec, name="kube-apiserver-n1")
    server["metadata"]["namespace"] = "kube-system"
    objects = [running(), server, node("v1.13.12")]
    value = hashcompat.container_hash(PLAIN, "1.13.12").value
    records = index(from_node({"containers": [recorded(value)]}))
    normalization = hashcompat.normalize(objects, "auto", "1.14.10", records=records)
    planned = hashcompat.plan(objects, to="1.14.10", records=records)
    verdicts = {item.pod.name: item.verdict for item in planned.items}
    assert {change.item.pod.name: change.item.verdict for change in normalization.changes} == {
        name: verdict for name, verdict in verdicts.items() if verdict.value != "KEEP"
    }
