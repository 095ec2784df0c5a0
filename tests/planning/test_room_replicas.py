"""Room among replicas: requests, times and nodes decide as if each pod were read by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hashcompat.analysis import planning
from hashcompat.analysis.planning import rooms
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.api import inputs
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.decide.room.tenants import NodeResources, node_resources
from hashcompat.core.model.pods import Inventory
from hashcompat.core.model.verdicts import Verdict
from hashcompat.sources.files.collect import collect
from hashcompat.sources.filters import Filters, select
from tests.helpers.pods import Json, node, pod
from tests.helpers.replicas import deployments
from tests.helpers.slices import every
from tests.sources.replicas.test_stencils import dumped


def perturbed(seed: int) -> list[Json]:
    """Return replicas that differ in their requests and times, on nodes that have room for some of them."""
    chance, manifests = Random(seed), list(deployments(3, 40))
    for manifest in manifests:
        if manifest["kind"] == "Node":
            manifest["status"]["allocatable"] = {
                "cpu": chance.choice(("1", "4", "20")),
                "memory": "999Gi",
                "pods": chance.choice(("10", "30", "500")),
            }
            continue
        manifest["metadata"]["creationTimestamp"] = (
            f"2026-01-01T{chance.randrange(24):02}:00:{chance.randrange(60):02}Z"
        )
        if chance.random() < 0.3:
            requests = {"cpu": chance.choice(("0", "100m", "1"))}
            manifest["spec"]["containers"][0]["resources"] = {"requests": requests}
        if chance.random() < 0.2:
            port = {"containerPort": 1, "hostPort": chance.choice((8080, 9090)), "protocol": "TCP"}
            port |= chance.choice(({}, {"hostIP": "10.0.0.1"}, {"hostIP": "10.0.0.2"}))
            manifest["spec"]["containers"][0]["ports"] = [port]
    return manifests


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("seed", "old"), every(3, [(6, "auto"), (4, "1.31.14"), (5, "1.29.14")]))
def test_deciding_some_pods_again_is_deciding_all(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, seed: int, old: str
) -> None:
    given = perturbed(seed)
    for number, manifest in enumerate(given):
        if manifest["kind"] == "Pod" and number % 9 == 0:
            manifest["spec"]["activeDeadlineSeconds"] = 60
    inventory = collect((dumped(given, tmp_path / "pods.json"),))
    view = View(catalog, Options(override_node_releases=True))
    plan = planning.make(inventory, old, "1.32.13", view)
    monkeypatch.setattr(planning, "Nothing", None)  # as if something was gathered
    assert plan == planning.make(inventory, old, "1.32.13", view)
    assert {"HC048", "HC049"} <= {reason.id for item in plan.items for reason in item.reasons}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("seed", every(4, range(4)))
def test_replicas_have_the_room_that_each_has_by_itself(tmp_path: Path, catalog: Catalog, seed: int) -> None:
    given = perturbed(seed)

    def verdicts(inventory: Inventory) -> dict[tuple[str, str], tuple[str, tuple[str, ...]]]:
        view = View(catalog, Options(override_node_releases=True))
        plan = planning.make(inventory, "1.31.14", "1.32.13", view)
        return {
            (item.pod.uid, item.container.name): (
                str(item.verdict),
                tuple(reason.text for reason in item.reasons if reason.id in ("HC048", "HC051")),
            )
            for item in plan.items
        }

    outcomes = verdicts(collect((dumped(given, tmp_path / "pods.json"),)))
    assert outcomes == verdicts(inputs.collect(given))
    refused = [why[0] for _, why in outcomes.values() if why]
    assert 0 < len(refused) < len(outcomes)
    assert {"OutOf" in why for why in refused} == {True, False}
    assert any(why.startswith("not admitted again: NodePorts") for why in refused)


def crowded() -> list[Json]:
    """Return a node with room for the first of two pods, and another node with room for both."""
    small, large = node("v1.34.1"), node("v1.34.1", "n2")
    for host, cpu in ((small, "4"), (large, "40")):
        host["status"]["allocatable"] = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
        host["metadata"]["labels"] = {"kubernetes.io/os": "linux"}
    manifests = [small, large]
    for place, (cpu, namespace) in enumerate((("3", "other"), ("2", "mine"))):
        for on in ("n1", "n2"):
            container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
            made = pod(container, name=f"{namespace}-{on}", node=on, status={"phase": "Running"})
            made["metadata"] |= {
                "namespace": namespace,
                "creationTimestamp": f"2026-01-0{place + 1}T00:00:00Z",
            }
            manifests.append(made)
    return manifests


@pytest.mark.parametrize(
    "filters",
    [
        Filters(namespaces=("mine",)),
        Filters(excluded_namespaces=("other",)),
        Filters(owners=("Pod/mine-n1",)),
        Filters(nodes=("n1",), namespaces=("mine",)),
    ],
)
def test_pods_that_a_filter_leaves_out_take_their_room_all_the_same(
    catalog: Catalog, filters: Filters
) -> None:
    view = View(catalog, Options())

    def verdicts(objects: list[Json]) -> dict[str, Verdict]:
        inventory = select(inputs.collect(objects), filters)
        plan = planning.make(inventory, "auto", "1.34.5", view)
        return {item.pod.name: item.verdict for item in plan.items}

    outcomes = verdicts(crowded())
    assert outcomes.pop("mine-n1") is Verdict.KILL
    assert set(outcomes.items()) <= {("mine-n2", Verdict.KEEP)}
    objects = crowded()
    objects[2]["spec"]["nodeSelector"] = {"gone": "true"}  # not admitted itself, it takes no room
    assert verdicts(objects)["mine-n1"] is Verdict.KEEP


def test_what_nodes_can_give_is_compared_once(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fleet has thousands of nodes, and one that is short has pods of it decided again."""
    asked: list[Mapping[str, Any]] = []

    def counted(allocatable: Mapping[str, Any]) -> NodeResources:
        asked.append(allocatable)
        return node_resources(allocatable)

    monkeypatch.setattr(rooms, "node_resources", counted)
    inventory = inputs.collect(perturbed(7))
    view = View(catalog, Options(override_node_releases=True))
    plan = planning.make(inventory, "1.31.14", "1.32.13", view)
    assert any(item.verdict is Verdict.KILL for item in plan.items)
    assert len(asked) == len({pod.node for pod in inventory.pods})
