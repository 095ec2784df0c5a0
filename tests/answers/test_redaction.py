"""Snapshots: the same answers as the cluster that they were made of, without any of its values."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import structs

import hashcompat
from hashcompat.analysis.answers.keeping import FieldKeeper
from hashcompat.analysis.answers.redaction import snapshot as taken
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.view import View
from hashcompat.analysis.preflight.facts.statefiles import string_digest
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import decode_text, dumps, loads
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.pods import Inventory
from hashcompat.core.records.index import index
from hashcompat.output.report import document_of
from hashcompat.output.report.restartplan import item_document
from hashcompat.sources.files.collect import sample_cluster
from hashcompat.sources.objects import read_object
from hashcompat.sources.snapshots import HASHES
from tests.helpers import random_containers, randomness
from tests.helpers.dumps import GONE, Key, as_text, dump
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import ROOT, SAMPLE, Result, Run, said_of, spec_of, unplaced
from tests.helpers.slices import every
from tests.helpers.upgrades import hash_of, record

Pair = tuple[str, str]
SOME = ("1.5.8", "1.7.16", "1.14.2", "1.15.12", "1.27.15", "1.30.14", "1.36.0")
GATE = frozenset({"InPlacePodVerticalScaling"})
WAYS = (
    Options(keep_going=True),
    Options(keep_going=True, gates=GATE),
    Options(keep_going=True, apiserver="1.14.2"),
    Options(keep_going=True, apiserver="1.5.8", apiserver_to="1.14.2"),
)
WARNING = (
    "Warning: the snapshot hides values and the hashes over them: such a hash is shown as none"
    " (snapshot --with-hashes keeps them)"
)
SECRET = "swordfish"  # noqa: S105 - it stands for one
HIDING: Json = {
    "name": "c",
    "image": "i",
    "command": [f"{SECRET}-command"],
    "args": [f"--password={SECRET}", "", "\b"],
    "env": [{"name": "TOKEN", "value": f"{SECRET}-env"}, {"name": "EMPTY", "value": ""}],
    "livenessProbe": {"exec": {"command": [f"{SECRET}-probe"]}},
    "readinessProbe": {
        "httpGet": {"port": 1, "httpHeaders": [{"name": "Authorization", "value": f"{SECRET}-header"}]}
    },
    "lifecycle": {"preStop": {"exec": {"command": [f"{SECRET}-hook"]}}},
    "resources": {"limits": {"cpu": "100m"}, "requests": {"cpu": "0.1", "memory": "64Mi"}},
    "securityContext": {"privileged": False},
    "volumeMounts": [{"name": "v", "mountPath": "/v"}],
}
MANIFEST: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "m"},
    "spec": {"containers": [HIDING]},
}


def saved(inventory: Inventory, catalog: Catalog) -> Inventory:
    """Return what is read of the snapshot of an inventory."""
    text = dumps(document_of(taken(inventory, catalog)))
    return Inventory(*_sorted(read_object(loads(text), "snapshot")))


def _sorted(values: Any) -> tuple[Any, ...]:
    from hashcompat.core.model.pods import Node, Pod
    from hashcompat.core.model.verdicts import Applied, Recorded, Sandbox

    things = list(values)
    return tuple(
        tuple(thing for thing in things if isinstance(thing, kind))
        for kind in (Pod, Node, Recorded | Sandbox | Applied)
    )


def same(true: tuple[Any, ...], hidden: tuple[Any, ...]) -> bool:
    """Return whether two answers are the same but for hashes that are hidden."""
    for item, other in zip(true[0], hidden[0], strict=True):
        for side, value in other["hash"].items():
            assert value in (None, item["hash"][side])
        item["hash"] = other["hash"] = None
    return true == hidden


def answers(plan: Plan) -> tuple[Any, ...]:
    """Return all that a plan says; places in the file are those of the snapshot."""
    return [item_document(item) for item in plan.items], plan.assumptions, plan.warnings, plan.share


def columns(catalog: Catalog) -> list[str]:
    """Name one release of each distinct way of hashing, and a vendor's build."""
    distinct = {}
    for name in catalog.releases():
        kubelet = catalog.kubelet(name)
        distinct[kubelet.schema, kubelet.era, kubelet.escapes] = name
    return [*distinct.values(), "1.27.3-gke.1"]


def neighbours(catalog: Catalog) -> list[Pair]:
    """Pair each way of hashing with the next one, both ways."""
    pairs = list(itertools.pairwise(columns(catalog)))
    return [*pairs, *((new, old) for old, new in pairs)]


def some(pairs: Iterable[Pair]) -> list[Pair]:
    """Return every fifth pair, and all of them where random inputs are fresh."""
    return list(pairs)[:: 1 if randomness.FRESH else 5]


def assert_same_plans(
    inventory: Inventory, catalog: Catalog, pairs: list[Pair], ways: tuple[Options, ...] = WAYS
) -> None:
    """Compare plans of an inventory and of its snapshot."""
    read = saved(inventory, catalog)
    assert len(pairs) > 5
    for (old, new), way in itertools.product(pairs, ways):
        views = [
            View(catalog, structs.replace(way, records=index(given.records))) for given in (inventory, read)
        ]
        plans = [
            plan_alone(given, Way(old, new), view)
            for given, view in zip((inventory, read), views, strict=True)
        ]
        assert same(*map(answers, plans)), (old, new)


def plan_alone(inventory: Inventory, way: Way, view: View) -> Plan:
    """Return a plan without hops."""
    planner = Planner(way, inventory.nodes, view)
    for subject in inventory.pods:
        planner.add(subject)
    return planner.plan()


def inventory_of(*objects: Json) -> Inventory:
    return Inventory(*_sorted(read_object(loads(as_json(*objects).decode()), "-")))


@pytest.mark.full
@pytest.mark.usefixtures("untraced")
def test_the_sample_plans_the_same_from_one_release_to_the_next(catalog: Catalog) -> None:
    assert_same_plans(sample_cluster(), catalog, some(neighbours(catalog)), WAYS[:1])


@pytest.mark.usefixtures("untraced")
def test_pods_and_mirror_pods_plan_the_same_in_every_way(catalog: Catalog) -> None:
    objects = [
        pod(
            HIDING,
            spec={
                "initContainers": [{**HIDING, "name": "s", "restartPolicy": "Always"}],
                "ephemeralContainers": [{"name": "e"}],
            },
        ),
        pod({**HIDING, "securityContext": {"procMount": "Default"}}, name="q", status={"phase": "Running"}),
        pod({**HIDING, "terminationMessagePolicy": "File"}, name="r", status={"phase": "Pending"}),
        mirror_pod(HIDING, name="m", spec={"volumes": [{"name": "v", "hostPath": {"path": "/v"}}]}),
        node("1.9.11"),
    ]
    inventory = inventory_of(*objects)
    assert_same_plans(inventory, catalog, some(itertools.permutations(columns(catalog), 2)), WAYS[:1])
    assert_same_plans(inventory, catalog, some(neighbours(catalog)))


@pytest.mark.full
@pytest.mark.usefixtures("untraced")
def test_random_containers_plan_the_same(catalog: Catalog) -> None:
    tree = catalog.newest_schema().tree
    texts = random_containers.containers(tree, randomness.SEED, 60 if randomness.FRESH else 8, "api")
    specs = [json.loads(decode_text(text)) for text in texts]
    objects = [
        pod({**spec, "name": f"c{number}"}, name=f"p{number}")
        for number, spec in enumerate(specs)
        if decodes({**spec, "name": "c"}, catalog)
    ]
    assert len(objects) > len(specs) / 2
    assert_same_plans(inventory_of(*objects), catalog, some(itertools.permutations(SOME, 2)), WAYS[:1])


def decodes(spec: Json, catalog: Catalog) -> bool:
    """Return whether the newest release decodes a container; what does not is an error of every command."""
    try:
        FieldKeeper(catalog).container(spec, str)
    except DecodeError:
        return False
    return True


def snapshot(run: Run, directory: Path, *objects: Json, more: tuple[object, ...] = ()) -> Path:
    path = directory / "cluster.json.gz"
    result = run("snapshot", "-f", "-", "--out", path, *more, stdin=as_json(*objects))
    assert (result.code, result.out) == (0, ""), result.err
    return path


def planned(run: Run, *source: object, stdin: bytes = b"") -> Result:
    """Return a plan of a source without where its containers are in it."""
    result = run("plan", "--from", "auto", "--to", "1.36.0", "-o", "json", *source, stdin=stdin)
    assert result.code == 0, result.err
    document = result.document
    return replace(result, out=json.dumps({**document, "items": unplaced(document["items"])}))


SCHEMA: Json = json.loads((ROOT / "schemas" / "documents" / "ClusterSnapshot.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
DUMP = {
    "containers": [
        {
            **record(7),
            "annotations": {
                "io.kubernetes.container.hash": "7",
                "io.kubernetes.container.hashWithoutResources": "8",
            },
        }
    ]
}


def errors(document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]


OUT_OF_MEMORY = {"terminated": {"exitCode": 0, "reason": "OOMKilled"}}
ENDED: Json = pod(HIDING, {**HIDING, "name": "again", "restartPolicy": "Always"})
ENDED["status"] = {
    "phase": "Running",
    "containerStatuses": [
        {"name": HIDING["name"], "state": OUT_OF_MEMORY},
        {"name": "again", "state": {"waiting": {}}, "lastState": OUT_OF_MEMORY},
    ],
}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    "stdin",
    every(
        2,
        [
            as_json(pod(HIDING), mirror_pod(HIDING, name="m"), node("1.9.11")),
            SAMPLE.read_bytes(),
            as_json(ENDED),
        ],
    ),
)
def test_a_snapshot_fits_its_schema(run: Run, tmp_path: Path, stdin: bytes) -> None:
    (tmp_path / "r.json").write_text(json.dumps(DUMP))
    document = json.loads(run("snapshot", "-f", "-", "--recorded", tmp_path / "r.json", stdin=stdin).out)
    assert errors(document) == []
    for key, value in (
        ("recorded", [{}]),
        ("sandboxes", [{}]),
        ("items", []),
        ("items", [pod(metadata={"labels": {}})]),
        ("kind", "List"),
        ("more", 1),
    ):
        assert errors({**document, key: value}), key


def test_records_travel_with_the_snapshot(run: Run, tmp_path: Path) -> None:
    objects = [pod(HIDING), node("1.30.14"), pod(HIDING, name="elsewhere", node="n2")]
    records = {"containers": [record(7)], "items": []}
    sandbox = {
        "id": "0",
        "metadata": {"name": "elsewhere", "uid": "uid-elsewhere", "namespace": "ns"},
        "state": "SANDBOX_NOTREADY",
    }
    (tmp_path / "r.json").write_text(json.dumps(records) + json.dumps({"items": [sandbox]}))
    more = ("--recorded", tmp_path / "r.json")
    path = snapshot(run, tmp_path, *objects, more=more)
    live = planned(run, "-f", "-", *more, stdin=as_json(*objects))
    assert [item["hash"]["recorded"] for item in live.items] == [7, None]
    hidden = planned(run, "-f", path)
    assert same((live.items, live.document["summary"]), (hidden.items, hidden.document["summary"]))
    assert said_of(hidden) == [WARNING, *said_of(live)]


@pytest.mark.usefixtures("untraced")
def test_that_a_pod_is_in_docker_travels_with_the_snapshot(run: Run, tmp_path: Path) -> None:
    infra = {"Id": "0", "Name": "/k8s_POD_p_ns_uid-p_0", "State": {"Running": True}}
    (tmp_path / "r.json").write_text(json.dumps([infra]))
    path = snapshot(run, tmp_path, pod(HIDING), more=("--recorded", tmp_path / "r.json"))
    assert errors(json.loads(gzip.decompress(path.read_bytes()))) == []
    result = run("plan", "--from", "1.23.17", "--to", "1.24.17", "-f", path, "-o", "json", "-q")
    assert [reason["id"] for reason in result.item["reasons"]] == ["HC016"]


def everything(plan: Result) -> tuple[object, ...]:
    """Return all that a plan shows but for where it comes from."""
    return plan.code, plan.items, plan.document["summary"], spec_of(plan), said_of(plan)


def test_kept_hashes_give_the_very_same_plan(run: Run, tmp_path: Path) -> None:
    objects = [pod(HIDING), node("1.30.14")]
    (tmp_path / "r.json").write_text(json.dumps({"containers": [record(7)]}))
    more = ("--recorded", tmp_path / "r.json")
    path = snapshot(run, tmp_path, *objects, more=(*more, "--with-hashes"))
    live = planned(run, "-f", "-", *more, stdin=as_json(*objects))
    assert live.item["hash"]["from"]
    assert everything(planned(run, "-f", path)) == everything(live)
    older = json.loads(gzip.decompress(path.read_bytes()))
    del older["spec"]["hashes"]
    (tmp_path / "older.json").write_text(json.dumps(older))
    assert errors(older) == []
    assert everything(planned(run, "-f", tmp_path / "older.json")) == everything(live)


def test_no_value_stands_in_the_snapshot(run: Run) -> None:
    given = pod(
        HIDING,
        metadata={
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": SECRET},
            "labels": {"a": SECRET},
        },
    )
    static = mirror_pod(
        HIDING,
        name="m",
        spec={"volumes": [{"name": "v", "flexVolume": {"driver": "d", "options": {"key": SECRET}}}]},
    )
    given["spec"]["volumes"] = [{"name": "v", "csi": {"driver": "d", "volumeAttributes": {"key": SECRET}}}]
    result = run("snapshot", "-f", "-", stdin=as_json(given, static))
    assert result.code == 0
    assert SECRET not in result.out
    assert "TOKEN" in result.out


def test_the_same_cluster_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    first = snapshot(run, tmp_path, pod(HIDING)).read_bytes()
    assert snapshot(run, tmp_path, pod(HIDING)).read_bytes() == first


def test_a_container_without_values_needs_no_hashes(catalog: Catalog) -> None:
    (only,) = saved(inventory_of(pod({"name": "c", "image": "i", "env": [{"name": "EMPTY"}]})), catalog).pods
    assert only.containers[0].stored is None


def test_a_container_that_does_not_decode_is_named(run: Run) -> None:
    result = run("snapshot", "-f", "-", stdin=as_json(pod({"name": "c", "args": ["a"], "ports": 1})))
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: standard input: $.spec.containers[0].ports: ")


ROW = {"uid": "u", "namespace": "n", "pod": "p", "container": "c", "running": True, "attempt": 0}


@pytest.mark.parametrize("row", [{}, {"uid": "u"}, 1, {**ROW, "hash": "7", "hashWithoutResources": None}])
def test_a_damaged_record_is_named(run: Run, row: Any) -> None:
    document = {
        "apiVersion": "hashcompat.io/v1",
        "kind": "ClusterSnapshot",
        "items": [pod()],
        "recorded": [row],
    }
    result = run("plan", "--from", "1.8.15", "--to", "1.9.11", "-f", "-", stdin=json.dumps(document).encode())
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: standard input: $.recorded[0]: not a row of a snapshot: ")


def test_a_time_without_a_zone_is_refused(run: Run) -> None:
    """It would be another time on a machine in another zone."""
    row = {**ROW, "hash": 7, "hashWithoutResources": None, "created": "2026-01-31T12:00:00"}
    results = []
    for created in (row["created"], f"{row['created']}Z"):
        document = {"kind": "ClusterSnapshot", "items": [pod()], "recorded": [{**row, "created": created}]}
        argv = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-f", "-")
        results.append(run(*argv, stdin=json.dumps(document).encode()))
    assert [result.code for result in results] == [1, 0]
    why = "created: want a time with its zone, got a string"
    assert f"$.recorded[0]: not a row of a snapshot: {why}; take a new one" in results[0].err


@pytest.mark.parametrize("kind", ["Pod", "PodTemplate"])
def test_a_manifest_is_refused(run: Run, kind: str) -> None:
    manifest = (
        MANIFEST if kind == "Pod" else {**MANIFEST, "kind": kind, "template": {"spec": MANIFEST["spec"]}}
    )
    result = run("snapshot", "-f", "-", stdin=as_json(pod(), manifest))
    assert (result.code, result.out) == (1, "")
    assert "default/m is a manifest; a snapshot is made of a cluster's pods, which have a uid" in result.err


def test_dropped_fields_are_those_of_the_pod(run: Run, tmp_path: Path) -> None:
    path = snapshot(run, tmp_path, pod({**HIDING, "volumeDevices": []}))
    result = run("plan", "--from", "1.8.15", "--to", "1.9.11", "-v", "-q", "-f", path)
    assert "volumeDevices: unknown to 1.8.15" in result.err
    assert HASHES not in result.err


def test_the_cluster_in_the_middle_of_everything(run: Run, tmp_path: Path) -> None:
    from tests.planning import test_mixed_cluster as mixed

    objects = [*mixed.NODES, *(given for given, _ in mixed.PODS), *mixed.fleet()]
    path = snapshot(run, tmp_path, *objects)
    live, hidden = planned(run, "-f", "-", stdin=as_json(*objects)), planned(run, "-f", path)
    assert same((live.items, spec_of(live)), (hidden.items, spec_of(hidden)))


def test_both_kinds_of_secret_make_different_hashes(catalog: Catalog) -> None:
    """What is compared above could differ: the hashes are those of the values, not of the mask."""
    given, hidden = inventory_of(pod(HIDING)), saved(inventory_of(pod(HIDING)), catalog)
    spec = next(iter(hidden.pods)).containers[0].spec
    kubelet = catalog.kubelet("1.9.11")
    assert container_hash(spec, kubelet) != container_hash(next(iter(given.pods)).containers[0].spec, kubelet)
    with pytest.raises(DecodeError):
        container_hash({**spec, "ports": 1}, kubelet)


def test_the_page_of_commands_names_it() -> None:
    assert "`snapshot " in (ROOT / "docs" / "commands.md").read_text()


UUID = "9d2b7a3c-0000-4000-8000-000000000001"
COMPUTED = "0123456789abcdef0123456789abcdef"


def static_pod(config_hash: str, name: str = "m", **metadata: Any) -> Json:
    annotations = {"kubernetes.io/config.mirror": config_hash, "kubernetes.io/config.hash": config_hash}
    made = mirror_pod(HIDING, name=name)
    return {**made, "metadata": {**made["metadata"], "annotations": annotations, **metadata}}


def sandbox_of(uid: str, name: str = "m") -> Json:
    metadata = {"name": name, "uid": uid, "namespace": "ns"}
    return {"id": "0", "metadata": metadata, "state": "SANDBOX_READY"}


def checkpoint(*uids: str) -> Json:
    entries = {uid: {"ContainerResources": {"c": {"limits": {"cpu": "1"}}}} for uid in uids}
    return {"data": json.dumps({"entries": entries}), "checksum": 1}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("config_hash", "form"), [(COMPUTED, r"[0-9a-f]{32}"), ("mine", r"static-[0-9a-f]{32}")]
)
def test_a_static_pods_uid_is_an_alias_everywhere(
    run: Run, tmp_path: Path, config_hash: str, form: str
) -> None:
    objects = [static_pod(config_hash), static_pod(config_hash[::-1], "other"), node("1.30.14")]
    told = [
        {"items": [sandbox_of(config_hash), sandbox_of(COMPUTED[::-1], "gone")]},
        {"containers": [record(7, "m", uid=config_hash)]},
        checkpoint(config_hash, COMPUTED[1:] + "0", UUID),
    ]
    (tmp_path / "r.json").write_text("".join(map(json.dumps, told)))
    more = ("--recorded", tmp_path / "r.json")
    document = json.loads(run("snapshot", "-f", "-", *more, stdin=as_json(*objects)).out)
    assert config_hash not in json.dumps(document)
    aliases = [
        item["metadata"]["annotations"]["kubernetes.io/config.hash"]
        for item in document["items"]
        if item["kind"] == "Pod"
    ]
    assert len(set(aliases)) == len(aliases) == 2
    assert all(re.fullmatch(form, alias) for alias in aliases)
    assert document["recorded"][0]["uid"] == document["sandboxes"][0]["uid"] == aliases[0]
    assert [row["uid"] for row in document["applied"]] == [aliases[0], UUID]
    assert document["sandboxes"][1]["uid"] != COMPUTED[::-1]
    (tmp_path / "s.json").write_text(json.dumps(document))
    live, hidden = (
        planned(run, "-f", "-", *more, stdin=as_json(*objects)),
        planned(run, "-f", tmp_path / "s.json"),
    )
    assert same((live.items, live.document["summary"]), (hidden.items, hidden.document["summary"]))


ALONE = {"limits": {"cpu": "4", "memory": "1Gi"}, "requests": {"cpu": "4", "memory": "1Gi"}}
PLACES = "/sys/devices/system"


def written(uids: tuple[str, ...], *, data: bool) -> str:
    """Return a cpu_manager_state as kubelets write it up to 1.36, or since."""
    entries = {uid: {"c": f"{place * 2 + 2},{place * 2 + 10}"} for place, uid in enumerate(uids)}
    content = {"policyName": "static", "defaultCpuSet": "0-1,3,5-9,11,13-15", "entries": entries}
    if not data:
        return json.dumps({**content, "checksum": 0})
    text = json.dumps({**content, "podEntries": {}})
    return json.dumps({**content, "checksum": 0, "data": text, "dataChecksum": string_digest(text)})


def node_files(cpus: str) -> dict[Key, Any]:
    """Return what a dump of a node has that decides about admission, with what may be secret beside it."""
    config = (
        "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\ncpuManagerPolicy: static\n"
        f"topologyManagerPolicy: single-numa-node\nclusterDomain: {SECRET}.local\nfeatureGates: {{A: true}}\n"
        f"cpuManagerPolicyOptions: {{other: '{SECRET}(1)'}}\nreservedSystemCPUs: '0'\n"
    )
    devices = {
        "PodDeviceEntries": [
            {
                "PodUID": uid,
                "ContainerName": "m",
                "ResourceName": "e.com/gpu",
                "DeviceIDs": [f"{SECRET}-{uid}"],
            }
            for uid in (COMPUTED, COMPUTED[::-1], "uid-other")
        ],
        "RegisteredDevices": {},
    }
    allocated = {COMPUTED: {"ContainerResources": {"c": ALONE}}}
    return {
        ("docker", "list"): GONE,
        ("arguments", "kubelet"): (
            f"kubelet\n--config=/etc/{SECRET}/config.yaml\n--root-dir=/var/{SECRET}\n--node-labels=a={SECRET}\n"
            f"--kube-reserved=cpu=1\n--system-reserved=cpu=1\n"
        ),
        ("file", f"/etc/{SECRET}/config.yaml"): config,
        ("file", f"/var/{SECRET}/cpu_manager_state"): cpus,
        ("file", f"/var/{SECRET}/device-plugins/kubelet_internal_checkpoint"): json.dumps(
            {"Data": devices, "Checksum": 1}
        ),
        ("file", f"/var/{SECRET}/allocated_pods_state"): json.dumps(
            {"data": json.dumps({"entries": allocated}), "checksum": 1}
        ),
        ("directory", f"{PLACES}/node"): f"node0\nnode1\n{SECRET}=1\n",
        ("file", f"{PLACES}/node/node0/cpulist"): "0-7",
        ("file", f"{PLACES}/node/node1/cpulist"): "8-15",
        ("file", f"{PLACES}/cpu/online"): "0-15",
        ("file", f"{PLACES}/cpu/cpu0/topology/thread_siblings_list"): SECRET,
    }


@pytest.mark.parametrize("data", [False, True])
def test_what_the_files_of_a_node_decide_travels_with_the_snapshot(
    run: Run, tmp_path: Path, data: bool
) -> None:
    made = static_pod(COMPUTED)
    made["spec"]["containers"][0] |= {"resources": ALONE}
    objects = [made, node("1.37.1")]
    rows = {"containers": [record(7, "m", uid=COMPUTED)]}
    changes = node_files(written((COMPUTED, COMPUTED[::-1]), data=data))
    changes["cri", "containers"] = json.dumps(rows)
    (tmp_path / "n1.jsonl").write_text(as_text(dump(changes)))
    more = ("--recorded", tmp_path / "n1.jsonl")
    text = run("snapshot", "-f", "-", *more, stdin=as_json(*objects)).out
    assert all(secret not in text for secret in (SECRET, COMPUTED, COMPUTED[::-1]))
    document = json.loads(text)
    assert errors(document) == []
    (row,) = document["files"]
    assert row["devices"]["e.com/gpu"] == {row["uids"][0]: ["0"], "unnamed-0": ["1"], "uid-other": ["2"]}
    assert row["allocated"] == {row["uids"][0]: {"c": ALONE}}
    (tmp_path / "s.json").write_text(text)
    to = ("--from", "1.37.1", "--to", "1.37.2", "-o", "json")
    live = run("plan", *to, "-f", "-", *more, stdin=as_json(*objects))
    hidden = run("plan", *to, "-f", tmp_path / "s.json")
    assert [(item["verdict"], item["reasons"]) for item in hidden.items] == [
        (item["verdict"], item["reasons"]) for item in live.items
    ]
    assert live.items[0]["verdict"] == "KILL"
    again = run("snapshot", "-f", tmp_path / "s.json").out
    assert json.loads(again)["files"] == document["files"]
    older = {key: value for key, value in document.items() if key != "files"}
    (tmp_path / "older.json").write_text(json.dumps(older))
    assert run("plan", *to, "-f", tmp_path / "older.json").items[0]["verdict"] != "KILL"
    result = run("diff", tmp_path / "older.json", tmp_path / "s.json", "-o", "json")
    assert [item["kind"] for item in result.items] == ["Files"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"probes": {}}, "probes: want a list, got an object"),
        ({"probes": [1]}, "probes[0]: want an object, got an integer"),
        ({"probes": [{"kind": "file"}]}, "probes[0].name: want a string, got nothing"),
        ({"devices": {"a": {"b": 1}}}, "devices.a.b: want a list, got an integer"),
        ({"allocated": {"a": {"b": 1}}}, "allocated.a.b: want an object, got an integer"),
    ],
)
def test_damaged_files_of_a_node_are_named(run: Run, change: Json, why: str) -> None:
    row = {"node": "n1", "uids": [], "probes": [], "allocated": {}, **change}
    document = {
        "apiVersion": "hashcompat.io/v1",
        "kind": "ClusterSnapshot",
        "spec": {"newestRelease": "1.37.2"},
    }
    given = json.dumps({**document, "items": [pod(HIDING)], "files": [row]}).encode()
    result = run("plan", "--from", "1.35.8", "--to", "1.36.5", "-f", "-", stdin=given)
    assert result.code == 1
    assert f"$.files[0]: not a row of a snapshot: {why}; take a new one" in result.err


@pytest.mark.parametrize("text", ["[]", "{", '{"policyName": "static", "more": "swordfish"}'])
def test_a_state_that_no_kubelet_writes_is_not_kept(run: Run, tmp_path: Path, text: str) -> None:
    changes = node_files(text)
    changes["cri", "containers"] = json.dumps({"containers": [record(7)]})
    (tmp_path / "n1.jsonl").write_text(as_text(dump(changes)))
    made = run("snapshot", "-f", "-", "--recorded", tmp_path / "n1.jsonl", stdin=as_json(pod(HIDING)))
    (row,) = json.loads(made.out)["files"]
    kept = [probe for probe in row["probes"] if probe["name"] == "/var/lib/kubelet/cpu_manager_state"]
    assert kept == [
        {"kind": "file", "name": "/var/lib/kubelet/cpu_manager_state", "problem": "not in the snapshot"}
    ]


def test_a_record_of_two_pods_is_compared_with_neither(run: Run, tmp_path: Path) -> None:
    """A log names no namespace, and each container has numbers of its own."""
    first, other = pod(HIDING), pod({**HIDING, "image": "j", "securityContext": None})
    other["metadata"] |= {"namespace": "other", "uid": "uid-other"}
    row = record(7, uid="")
    row["labels"]["io.kubernetes.pod.namespace"] = ""
    (tmp_path / "r.json").write_text(json.dumps({"containers": [row]}))
    more = ("--recorded", tmp_path / "r.json")
    document = json.loads(run("snapshot", "-f", "-", *more, stdin=as_json(first, other)).out)
    assert [entry["hash"] for entry in document["recorded"]] == ["h0"]
    (tmp_path / "s.json").write_text(json.dumps(document))
    plan = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-o", "json", "-q", "-f", tmp_path / "s.json")
    assert [item["verdict"] for item in run(*plan).items] == ["UNKNOWN", "UNKNOWN"]


def test_a_record_of_a_container_without_values(run: Run, tmp_path: Path, catalog: Catalog) -> None:
    plain = {"name": "c", "image": "i"}
    public = container_hash(plain, catalog.kubelet("1.30.14")).value
    rows = []
    for value in (public, 7, None):
        (tmp_path / "r.json").write_text(json.dumps({"containers": [record(value)]}))
        more = ("--recorded", tmp_path / "r.json")
        document = json.loads(run("snapshot", "-f", "-", *more, stdin=as_json(pod(plain))).out)
        stored = document["items"][0]["spec"]["containers"][0].get(HASHES)
        rows.append((document["recorded"][0]["hash"], set(stored.values()) if stored else None))
    assert rows == [(public, None), ("h1", {"same"}), (None, None)]


def test_a_snapshot_of_a_snapshot(run: Run, tmp_path: Path) -> None:
    """It is the same; one with hashes loses them; one without has none to keep."""
    given = [as_json(pod(HIDING), static_pod(UUID), node("1.30.14"))]
    (tmp_path / "r.json").write_text(json.dumps({"containers": [record(7)]}))
    more = ("--recorded", tmp_path / "r.json")
    hidden, kept = (
        run("snapshot", "-f", "-", *more, *how, stdin=given[0]).out for how in ((), ("--with-hashes",))
    )
    again = json.loads(run("snapshot", "-f", "-", stdin=hidden.encode()).out)
    lost = json.loads(run("snapshot", "-f", "-", stdin=kept.encode()).out)
    assert again == lost
    assert again["recorded"] == json.loads(hidden)["recorded"]
    assert again["items"][1] == json.loads(hidden)["items"][1]
    result = run("snapshot", "-f", "-", "--with-hashes", stdin=hidden.encode())
    assert (result.code, result.out) == (1, "")
    assert "ns/p is from a snapshot without hashes: none can be kept" in result.err


@pytest.mark.parametrize(
    ("taint", "place"), [({"key": {}, "effect": "NoExecute"}, "key"), ({"effect": 1}, "effect")]
)
def test_a_nodes_value_of_the_wrong_type_is_named(run: Run, taint: Json, place: str) -> None:
    given = {**node("1.9.11"), "spec": {"taints": [taint]}}
    result = run("snapshot", "-f", "-", stdin=as_json(pod(), given))
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: standard input: $.items[1].spec.taints[0].{place}: want a string")


@pytest.mark.parametrize(("given", "kept"), [("arm64", ["arm64"]), ("a-secret", [])])
def test_a_nodes_architecture_is_kept_where_it_decides(run: Run, given: str, kept: list[str]) -> None:
    host = node("1.9.11")
    host["status"]["nodeInfo"]["architecture"] = given
    result = run("snapshot", "-f", "-", stdin=as_json(pod(), host))
    (item,) = [item for item in json.loads(result.out)["items"] if item["kind"] == "Node"]
    assert [value for key, value in item["status"]["nodeInfo"].items() if key == "architecture"] == kept


def test_addresses_of_sandboxes_are_hidden(run: Run, tmp_path: Path) -> None:
    sandbox = {**sandbox_of(UUID, "p"), "status": {"network": {"ip": "10.1.2.3"}}}
    (tmp_path / "r.json").write_text(json.dumps({"items": [sandbox]}))
    result = run("snapshot", "-f", "-", "--recorded", tmp_path / "r.json", stdin=as_json(pod()))
    assert "10.1.2.3" not in result.out


@pytest.mark.usefixtures("untraced")
def test_patched_kubelets_and_gates_plan_the_same(run: Run, tmp_path: Path) -> None:
    records = {"containers": [record(hash_of(run, "1.18.20", HIDING)), record(7, "q")]}
    (tmp_path / "r.json").write_text(json.dumps(records))
    more = ("--recorded", tmp_path / "r.json")
    objects = [pod(HIDING), pod(HIDING, name="q"), pod({**HIDING, "startupProbe": {"exec": {}}}, name="r")]
    path = snapshot(run, tmp_path, *objects, more=more)
    for asked in PATCHED:
        plan = ("plan", *asked.split(), "-o", "json", "-q")
        live, hidden = run(*plan, *more, "-f", "-", stdin=as_json(*objects)), run(*plan, "-f", path)
        answers_of = [(unplaced(result.items), spec_of(result)) for result in (live, hidden)]
        assert same(*answers_of), asked
        assert live.items


PATCHED = (
    "--from 1.18.20 --to 1.31.4 --assume-patch accept",
    "--from 1.18.20 --to 1.31.4 --assume-patch pin",
    "--from 1.14.10 --to 1.18.20 --assume-patch accept --like 1.14.10,1.15.12",
    "--from 1.18.20 --to 1.15.12 --assume-patch pin",
    "--from 1.18.20 --to 1.31.4 --from-patched accept --like 1.14.10",
    "--from 1.18.20 --to 1.31.4 --from-patched pin --like 1.14.10",
    "--from 1.26.15 --to 1.27.16 --feature-gates InPlacePodVerticalScaling=true",
    "--from 1.27.3-gke.1 --to 1.30.14 --feature-gates InPlacePodVerticalScaling=true",
)


@pytest.mark.usefixtures("untraced")
def test_the_command_prints_the_document_of_the_api(run: Run, tmp_path: Path) -> None:
    """It holds one pod at a time; the API returns all of them."""
    path, some = tmp_path / "s.json", ("--sample", "-n", "shop")
    run("snapshot", "--sample", "--out", path)
    whole = document_of(hashcompat.snapshot(hashcompat.load_sample()))
    assert path.read_text() == f"{dumps(whole)}\n"
    result = run("snapshot", *some)
    assert run("snapshot", *some, "--out", path).err == result.err
    assert path.read_text() == result.out
    bare = run("snapshot", "-f", "-", stdin=as_json(pod({"name": "c"}))).out
    assert json.loads(bare)["items"][0]["kind"] == "Pod"


def test_nodes_are_upgraded_in_the_same_order(run: Run, tmp_path: Path) -> None:
    nodes = [node("v1.30.14", name) for name in ("a", "cp", "gone")]
    nodes[0]["metadata"]["labels"] = {"topology.kubernetes.io/zone": "z", "team": SECRET}
    nodes[1]["metadata"]["labels"] = {"node-role.kubernetes.io/control-plane": ""}
    for machine, ready in zip(nodes, ("True", "True", "Unknown"), strict=True):
        machine["status"]["conditions"] = [
            {"type": "Ready", "status": ready},
            {"type": SECRET, "status": SECRET},
        ]
    pods = [pod(name=f"p-{machine['metadata']['name']}") for machine in nodes]
    for manifest, place in zip(pods, nodes, strict=True):
        manifest["spec"]["nodeName"] = place["metadata"]["name"]
    cluster, kept = tmp_path / "cluster.json", tmp_path / "snapshot.json"
    cluster.write_bytes(as_json(*nodes, *pods))
    assert run("snapshot", "-f", cluster, "--out", kept).code == 0
    assert SECRET not in kept.read_text()
    argv = ("impact", "--to", "1.31.14", "-o", "json", "-f")
    whole, small = (run(*argv, file).document for file in (cluster, kept))
    assert [row["node"] for row in small["items"]] == ["cp", "a", "gone"]
    assert small["items"] == whole["items"]
