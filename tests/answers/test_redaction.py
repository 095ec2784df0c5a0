"""Snapshots: the same answers as the cluster that they were made of, without any of its values."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hashcompat.answers.redaction import redacted
from hashcompat.answers.redaction import snapshot as taken
from hashcompat.catalog.lookup import Catalog
from hashcompat.errors import DecodeError, InputError
from hashcompat.go.jsontext import decode_text, dumps, loads
from hashcompat.kubelet.hashing import container_hash
from hashcompat.kubelet.stored import KEY
from hashcompat.model.plan import Plan, Way
from hashcompat.model.pods import Inventory
from hashcompat.planning.options import Options
from hashcompat.planning.planner import Planner
from hashcompat.planning.view import View
from hashcompat.records.index import index
from hashcompat.report import document_of
from hashcompat.report.items import item_document
from hashcompat.sources.files import sample
from hashcompat.sources.objects import read_object
from tests.helpers import random_containers, randomness
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import ROOT, SAMPLE, Result, Run
from tests.helpers.upgrades import record

Pair = tuple[str, str]
SOME = ("1.5.8", "1.7.16", "1.14.2", "1.15.12", "1.27.15", "1.30.14", "1.36.0")
GATE = frozenset({"InPlacePodVerticalScaling"})
WAYS = (
    Options(keep_going=True),
    Options(keep_going=True, gates=GATE),
    Options(keep_going=True, apiserver="1.14.2"),
    Options(keep_going=True, apiserver="1.5.8", apiserver_to="1.14.2"),
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


def _sorted(found: Any) -> tuple[Any, ...]:
    from hashcompat.model.pods import Node, Pod
    from hashcompat.model.records import Recorded, Sandbox

    things = list(found)
    return tuple(
        tuple(thing for thing in things if isinstance(thing, kind))
        for kind in (Pod, Node, Recorded | Sandbox)
    )


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
        options = replace(way, records=index(read.records))
        found = [plan_alone(given, Way(old, new), View(catalog, options)) for given in (inventory, read)]
        assert answers(found[0]) == answers(found[1]), (old, new)


def plan_alone(inventory: Inventory, way: Way, view: View) -> Plan:
    """Return a plan without hops."""
    planner = Planner(way, inventory.nodes, view)
    for found in inventory.pods:
        planner.add(found)
    return planner.plan()


def inventory_of(*objects: Json) -> Inventory:
    return Inventory(*_sorted(read_object(loads(as_json(*objects).decode()), "-")))


@pytest.mark.usefixtures("untraced")
def test_the_sample_plans_the_same_from_one_release_to_the_next(catalog: Catalog) -> None:
    assert_same_plans(sample.collect(), catalog, some(neighbours(catalog)), WAYS[:1])


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


@pytest.mark.usefixtures("untraced")
def test_random_containers_plan_the_same(catalog: Catalog) -> None:
    tree = catalog.newest_schema().tree
    texts = random_containers.containers(tree, randomness.SEED, 60, "api")
    specs = [loads(decode_text(text)) for text in texts]
    objects = [pod({**spec, "name": f"c{number}"}, name=f"p{number}") for number, spec in enumerate(specs)]
    inventory = Inventory(tuple(thing for made in objects if (thing := _decoding(made, catalog))))
    assert len(list(inventory.pods)) > 40
    assert_same_plans(inventory, catalog, some(itertools.permutations(SOME, 2)), WAYS[:1])


def _decoding(made: Json, catalog: Catalog) -> Any:
    """Return the pod where it decodes: odd types are an error of every command."""
    from hashcompat.sources.objects import read_object

    (found,) = read_object(made, "-")
    try:
        redacted(Inventory((found,)), catalog)  # type: ignore[arg-type]
    except InputError:
        return None
    return found


def snapshot(run: Run, directory: Path, *objects: Json, more: tuple[object, ...] = ()) -> Path:
    path = directory / "cluster.json.gz"
    result = run("snapshot", "-f", "-", "--out", path, *more, stdin=as_json(*objects))
    assert (result.code, result.out) == (0, ""), result.err
    return path


def planned(run: Run, *source: object, stdin: bytes = b"") -> Result:
    result = run("plan", "--from", "auto", "--to", "1.36.0", "-o", "json", *source, stdin=stdin)
    assert result.code == 0, result.err
    return result


SCHEMA: Json = json.loads((ROOT / "schemas" / "documents" / "ClusterSnapshot.schema.json").read_text())
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
    return [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(document)
    ]


@pytest.mark.parametrize(
    "stdin", [SAMPLE.read_bytes(), as_json(pod(HIDING), mirror_pod(HIDING, name="m"), node("1.9.11"))]
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
    assert planned(run, "-f", path) == live


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
    assert KEY not in only.containers[0].spec


def test_a_container_that_does_not_decode_is_named(run: Run) -> None:
    result = run("snapshot", "-f", "-", stdin=as_json(pod({"name": "c", "args": ["a"], "ports": 1})))
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: standard input: $.spec.containers[0].ports: ")


@pytest.mark.parametrize("row", [{}, {"uid": "u"}, 1])
def test_a_damaged_record_is_named(run: Run, row: Any) -> None:
    document = {
        "apiVersion": "hashcompat.io/v1",
        "kind": "ClusterSnapshot",
        "items": [pod()],
        "recorded": [row],
    }
    result = run("plan", "--from", "1.8.15", "--to", "1.9.11", "-f", "-", stdin=json.dumps(document).encode())
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: standard input: $.recorded[0]: no row of a snapshot: ")


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
    assert KEY not in result.err


def test_the_cluster_in_the_middle_of_everything(run: Run, tmp_path: Path) -> None:
    from tests.planning import test_mixed_cluster as mixed

    objects = [*mixed.NODES, *(given for given, _ in mixed.PODS), *mixed.fleet()]
    path = snapshot(run, tmp_path, *objects)
    assert planned(run, "-f", path).document == planned(run, "-f", "-", stdin=as_json(*objects)).document


def test_both_kinds_of_secret_make_different_hashes(catalog: Catalog) -> None:
    """What is compared above could differ: the hashes are those of the values, not of the mask."""
    given, hidden = inventory_of(pod(HIDING)), saved(inventory_of(pod(HIDING)), catalog)
    spec = {name: value for name, value in next(iter(hidden.pods)).containers[0].spec.items() if name != KEY}
    kubelet = catalog.kubelet("1.9.11")
    assert container_hash(spec, kubelet) != container_hash(next(iter(given.pods)).containers[0].spec, kubelet)
    with pytest.raises(DecodeError):
        container_hash({**spec, "ports": 1}, kubelet)


def test_the_readme_names_the_command() -> None:
    assert "`snapshot " in (ROOT / "README.md").read_text()
