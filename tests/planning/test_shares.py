"""How many pods of a made cluster repeat others, so that they are not decided from scratch.

A plan is fast because most pods do. What holds is asserted here for each kind of workload, so that it is not
lost; where replicas of one template could do better, so can the row.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from hashcompat.sources.files import collect
from scripts.bench import cluster
from scripts.bench.made import pods, texts, workloads
from scripts.bench.made.chance import Chance, Json
from scripts.bench.made.nodes import node
from scripts.bench.made.shape import Shape
from tests.helpers.fresh import fresh
from tests.helpers.slices import sliced

pytestmark = [pytest.mark.usefixtures("untraced"), pytest.mark.slow]

_WORKLOADS: Final = 5
_REPLICAS: Final = 40

SHARES: Final = {
    workloads.DEPLOYMENT: (0.9, 0.85),
    workloads.STATEFUL_SET: (0.9, 0.88),
    workloads.DAEMON_SET: (0.9, 0.88),
    workloads.JOB: (0.9, 0.9),
    workloads.WORKFLOW: (0.0, 0.0),
    workloads.OPERATED: (0.75, 0.25),
    workloads.STATIC: (0.0, 0.0),
    workloads.BARE: (0.9, 0.88),
}
"""By kind of workload the least share of its pods that repeat others, at each of UPGRADES."""

UPGRADES: Final = (("1.30.14", "1.31.14"), ("1.7.16", "1.9.11"))

OF_CLUSTERS: Final = {
    ("services", 300): 0.75,
    ("platform", 300): 0.29,
    ("services", 1500): 0.85,
    ("platform", 1500): 0.42,
}
"""By kind and size of cluster the least share of its pods: small ones have few replicas of each template."""


def written(path: Path, objects: Iterable[Json]) -> Path:
    path.write_text("".join(texts.kubectl(objects)), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "place"),
    sliced(product(SHARES, range(len(UPGRADES))), [(kind, at % 2) for at, kind in enumerate(SHARES)]),
)
def test_replicas_of_a_template_repeat_one_another(kind: str, place: int, tmp_path: Path) -> None:
    pair = UPGRADES[place]
    chance, shape = Chance(3), Shape(pair[0])
    names = [f"node-{number:04}" for number in range(_REPLICAS if kind in _EVERYWHERE else 10)]
    objects = [node(name, pair[0], chance) for name in names]
    for number in range(_WORKLOADS):
        workload = workloads.workload(chance, number, kind)
        objects += pods.replicas(workload, _REPLICAS, names, chance, shape)
    decided = fresh(written(tmp_path / "dump.json", objects), *pair)
    share = 1 - len(decided) / (_WORKLOADS * _REPLICAS)
    assert share >= SHARES[kind][place]


_EVERYWHERE: Final = {workloads.DAEMON_SET, workloads.STATIC}
"""Kinds that have a pod on each node."""


@pytest.mark.parametrize(("kind", "size"), sliced(OF_CLUSTERS, [one for one in OF_CLUSTERS if one[1] < 1000]))
def test_most_pods_of_a_cluster_repeat_others(kind: str, size: int, tmp_path: Path) -> None:
    path = written(tmp_path / "dump.json", cluster.objects(size, Shape(), kind))
    assert 1 - len(fresh(path, *UPGRADES[0])) / size >= OF_CLUSTERS[kind, size]


SHAPED: Final = {"services": 0.9, "platform": 0.75}
"""By kind of cluster the least share of its pods that have stencils, in each form."""


@pytest.mark.parametrize(
    ("kind", "form", "managed_fields"),
    sliced(product(SHAPED, texts.FORMS, (False, True)), product(SHAPED, ("lines", "compact"), (True,))),
)
def test_most_pods_have_stencils_in_any_form(
    kind: str, form: str, managed_fields: bool, tmp_path: Path
) -> None:
    path = tmp_path / f"dump.{form}"
    shape = Shape(managed_fields=managed_fields)
    path.write_text("".join(texts.FORMS[form](cluster.objects(300, shape, kind))), encoding="utf-8")
    shaped = [pod.shape is not None for pod in collect.collect((str(path),)).pods]
    assert sum(shaped) >= SHAPED[kind] * len(shaped)


@pytest.mark.full
@pytest.mark.parametrize("kind", cluster.KINDS)
def test_where_all_pods_differ_none_repeats_another(kind: str, tmp_path: Path) -> None:
    """This is what the distinct clusters are for; a few pods are simple enough to be alike all the same."""
    path = written(tmp_path / "dump.json", cluster.objects(100, Shape(distinct=True), kind))
    assert len(fresh(path, *UPGRADES[0])) / 100 > 0.8
