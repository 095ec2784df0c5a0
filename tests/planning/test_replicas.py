"""What replicas share is computed once; containers that could be hashed differently are never replicas."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.answers import matrix
from hashcompat.analysis.answers.redaction import snapshot
from hashcompat.analysis.planning.latest import KEPT, LARGEST, Latest, once
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go.jsontext import loads
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.items import Item
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import index
from tests.helpers.pods import Json, pod

OLD, NEW = "1.8.15", "1.9.11"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
NUMBERS = ["1.5", "1.500", '"1.5"', "1", "1.0", "1e0", '"1"', "0", "-0", "0.0", '"0"']
"""Quantities as JSON texts, some of them of one value."""


def with_cpu(text: str) -> Json:
    return {"name": "c", "image": "i", "resources": {"limits": {"cpu": loads(text)}}}


def pods(specs: Iterable[Json]) -> list[Json]:
    return [pod(spec, name=f"p{number}") for number, spec in enumerate(specs)]


CPUS = pods(map(with_cpu, NUMBERS))


def manifest(name: str, spec: Json, **annotations: str) -> Json:
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


SPECS: tuple[Json, ...] = (
    {},
    {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
    {"os": {"name": "windows"}},
)
PROFILED = [
    manifest(f"m{number}", {"containers": [{"name": "c", "image": "i"}], **spec}, **{APP_ARMOR: "unconfined"})
    for number, spec in enumerate(SPECS)
]
"""Manifests whose containers look the same, and are not."""

SHARED: Json = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
ALIASED = [
    pod(name="a", spec={"containers": [SHARED], "initContainers": [SHARED]}),
    manifest("b", {"containers": [SHARED]}),
    pod(SHARED, name="c", metadata={"annotations": {"kubernetes.io/config.mirror": "0"}}),
]
"""One object in several places, as YAML aliases make it."""


def _without_uid(value: Json) -> Json:
    return {**value, "metadata": {"name": value["metadata"]["name"]}}


def plan(values: list[Json], view: View, old: str, new: str) -> tuple[Item, ...]:
    """Return the items of a plan, but for what counts in a percentage: that depends on all pods together."""
    items = planning.make(collect(values), old, new, view).items
    return tuple(
        structs.replace(item, prediction=structs.replace(item.prediction, compared=False)) for item in items
    )


def test_memory_does_not_grow_with_the_cluster() -> None:
    known: Latest[int, int] = Latest()
    for number in range(3 * KEPT):
        known[number] = number
        assert len(known) <= KEPT
    assert known[3 * KEPT - 1] == 3 * KEPT - 1


def test_memory_does_not_grow_with_large_specs() -> None:
    known: Latest[int, int] = Latest()
    for number in range(10):
        known.add(number, number, LARGEST // 2)
        assert len(known) <= 2
    known.add(10, 10, 2 * LARGEST)
    assert list(known) == [10]
    known.add(11, 11, 1)
    assert list(known) == [11]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("values", "old", "new"),
    [
        pytest.param(CPUS, OLD, NEW, id="numbers"),
        pytest.param(CPUS, "1.30.14", "1.31.14", id="numbers in JSON"),
        pytest.param([*map(_without_uid, CPUS)], OLD, NEW, id="numbers in manifests"),
        pytest.param(PROFILED, "1.30.14", "1.30.14", id="profiles of a container and of its pod"),
        pytest.param(ALIASED, OLD, "1.12.10", id="aliases"),
    ],
)
@pytest.mark.parametrize("defaults", [True, False])
def test_a_plan_of_many_pods_is_that_of_each_alone(
    values: list[Json], old: str, new: str, *, defaults: bool, catalog: Catalog
) -> None:
    view = View(catalog, Options(defaults=defaults))
    alone = [item for value in values for item in plan([value], view, old, new)]
    for order in (values, values[::-1]):
        assert sorted(plan(order, view, old, new), key=str) == sorted(alone, key=str)
    assert not defaults or len({item.hashes for item in alone}) > 1


def test_a_matrix_counts_each_text_of_a_number_by_itself(catalog: Catalog) -> None:
    """The target release keeps the containers of one text, and of no other."""
    kept = container_hash(with_cpu("1.500"), catalog.kubelet(NEW)).value
    records = [Recorded("", "ns", f"p{number}", "c", kept, None) for number in range(len(NUMBERS))]
    counts = matrix.make(View(catalog, Options(records=index(records))), OLD, NEW, collect(CPUS)).counts
    assert counts is not None
    assert counts[OLD, NEW].findings == len(NUMBERS) - 1


def test_a_snapshot_hashes_each_text_of_a_number_by_itself(catalog: Catalog) -> None:
    specs = [{**with_cpu(text), "args": ["x"]} for text in NUMBERS]
    hidden = snapshot(collect(pods(specs)), catalog, with_hashes=True).inventory
    for spec, subject in zip(specs, hidden.pods, strict=True):
        (container,) = subject.containers
        for release in (OLD, NEW):
            kubelet = catalog.kubelet(release)
            saved = container_hash(container.spec, kubelet, stored=container.stored)
            assert saved == container_hash(spec, kubelet)


def test_what_is_known_of_a_creator_is_known_of_one_text_alone(catalog: Catalog) -> None:
    """The hash that 1.7.16 records for a text names it as the maker for that text, and for no other."""
    specs = [with_cpu(text) for text in ("1.500", "1.5")]
    by_1_7 = container_hash(specs[0], catalog.kubelet("1.7.16")).value
    records = index([Recorded("", "ns", f"p{number}", "c", by_1_7, None) for number in range(2)])
    items = plan(pods(specs), View(catalog, Options(records=records)), OLD, NEW)
    assert [item.calibrated for item in items] == [True, False]


def test_a_function_is_asked_once_a_key() -> None:
    asked = list[int]()
    once_of_ten = once(asked.append, lambda number: number % 10)
    for number in (1, 2, 11, 22, 3):
        once_of_ten(number)
    assert asked == [1, 2, 3]
