"""The same items give the same plan in any form and order, and a pod decides about itself alone."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import randomness
from tests.helpers.pods import Json, listed, mirror_pod, node, pod
from tests.helpers.program import Run, spec_of, unplaced

PLAN = ("plan", "--from", "auto", "--to", "1.31.14", "-o", "json")
KUBELETS = ("v1.18.16", "v1.23.17-gke.100", "v1.30.14", "v1.30.14+k3s1", "dev", "v1.99.0")
SIZES: tuple[Json, ...] = ({}, {"limits": {"cpu": "1"}}, {"requests": {"memory": "1.50Gi"}})
EXEC: Json = {"exec": {"command": ["true"]}}


def container(source: random.Random, name: str) -> Json:
    made: Json = {"name": name, "image": source.choice(("a", "b:1")), "resources": source.choice(SIZES)}
    if source.random() < 0.3:
        made["livenessProbe"] = EXEC
    if source.random() < 0.3:
        made["volumeMounts"] = [{"name": "v", "mountPath": "/v", "subPath": source.choice(("", "s"))}]
    return made


def item(source: random.Random, number: int) -> Json:
    """Return a pod, a mirror pod, a manifest or a workload with a name of its own."""
    names = ("c", "d")[: source.randint(1, 2)]
    containers = [container(source, name) for name in names]
    where, name = f"n{source.randint(1, 6)}", f"p{number}"
    spec: Json = {"nodeSelector": {"disk": "ssd"}} if source.random() < 0.2 else {}
    states = [{"name": name, "restartCount": 0, "state": {"running": {}}} for name in names]
    status: Json = {"status": {"phase": "Running", "containerStatuses": states}}
    kind = source.randint(0, 5)
    if kind == 0:
        given = mirror_pod(*containers, name=name, node=where, spec=spec, **status)
        given["metadata"]["ownerReferences"] = given["metadata"]["ownerReferences"][: source.randint(0, 1)]
        return given
    if kind == 1:
        spec["containers"] = containers
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
    if kind == 2:
        template = {"spec": {"containers": containers}}
        metadata = {"name": name, "namespace": "ns"}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {"template": template},
        }
    return pod(*containers, name=name, node=where, spec=spec, **status)


def items(source: random.Random, count: int) -> list[Json]:
    nodes = [node(kubelet, f"n{number}") for number, kubelet in enumerate(KUBELETS, 1)]
    for host in nodes:
        host["metadata"]["labels"] = {"disk": "ssd"}
    return [*nodes[source.randint(0, 1) :], *(item(source, number) for number in range(count))]


def as_lines(objects: list[Json]) -> bytes:
    return b"\n".join(json.dumps(manifest).encode() for manifest in objects)


def as_documents(objects: list[Json]) -> bytes:
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper).encode()


def as_list(objects: list[Json]) -> bytes:
    return json.dumps(listed(*objects), indent=1).encode()


def as_nested(objects: list[Json]) -> bytes:
    half = len(objects) // 2
    return json.dumps(listed(*objects[half:], listed(*objects[:half]))).encode()


def as_yaml_list(objects: list[Json]) -> bytes:
    return yaml.dump(listed(*objects), Dumper=yaml.CSafeDumper, sort_keys=True).encode()


def as_gzip(objects: list[Json]) -> bytes:
    return gzip.compress(as_list(objects))


FORMS: tuple[Callable[[list[Json]], bytes], ...] = (
    as_lines,
    as_documents,
    as_list,
    as_nested,
    as_yaml_list,
    as_gzip,
)


def plan(run: Run, *sources: object, stdin: bytes = b"") -> Any:
    """Return the document of a plan without where the items are in the input, which its digest is of too."""
    result = run(*PLAN, *(word for source in sources for word in ("-f", source)), stdin=stdin)
    assert result.document is not None, result.err
    return {**result.document, "spec": spec_of(result), "items": unplaced(result.items), "digest": None}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("seed", range(12 if randomness.FRESH else 1))
def test_the_same_items_in_any_form_and_order_give_the_same_plan(run: Run, tmp_path: Path, seed: int) -> None:
    source = random.Random(f"order/{seed}")
    given = items(source, 25)
    expected = plan(run, "-", stdin=as_list(given))
    for form in FORMS:
        source.shuffle(given)
        assert plan(run, "-", stdin=form(given)) == expected
    source.shuffle(given)
    for number, manifest in enumerate(given):
        (tmp_path / f"{number}.json").write_text(json.dumps(manifest))
    assert plan(run, tmp_path) == expected
    (tmp_path / "x").write_bytes(as_lines(given[:9]))
    (tmp_path / "y").write_bytes(as_documents(given[9:]))
    assert plan(run, tmp_path / "y", tmp_path / "x") == expected


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("seed", range(6))
def test_another_pod_changes_no_verdict(run: Run, seed: int) -> None:
    source = random.Random(f"more/{seed}")
    given = items(source, 12)
    before = plan(run, "-", stdin=as_list(given))["items"]
    more = item(source, 99)
    source.shuffle(given)
    after = plan(run, "-", stdin=as_list([more, *given]))["items"]
    assert [prediction for prediction in after if "p99" not in prediction["pod"]] == before
