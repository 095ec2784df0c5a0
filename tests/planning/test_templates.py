"""Containers of one pod template are hashed once, and every plan is that of each pod alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.latest import KEPT
from hashcompat.analysis.planning.options import AssumePatch, Options
from hashcompat.analysis.planning.templates import Likeness, Named, Templates
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import index
from tests.helpers import randomness
from tests.helpers.pods import Json, node, pod

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path
PLACEHOLDER = "kube-api-access-00000"
WAYS = (
    *(("1.5.8", "1.6.13"), ("1.7.16", "1.9.11"), ("1.15.12", "1.16.15"), ("1.20.15", "1.31.14")),
    *(("1.26.15", "1.28.15"), ("1.30.14", "1.31.14"), ("1.33.13", "1.30.14"), (AUTO, "1.31.14")),
    *(("v1.27.3-gke.100", "v1.28.5-eks-5e0fdde"), ("v1.27.3-gke.100", "1.31.14")),
)


def mount(name: Any, path: str = TOKEN) -> Json:
    return {"name": name, "mountPath": path, "readOnly": True}


def with_mounts(*mounts: Any, **more: Any) -> Json:
    return {"name": "c", "image": "i:1", "volumeMounts": list(mounts), **more}


def token(chance: random.Random) -> str:
    return "kube-api-access-" + "".join(chance.choices("bcdfz2456789", k=5))


def replicas(chance: random.Random) -> Iterator[Json]:
    """Yield replicas of a few templates, with what differs between their pods."""
    shapes: Sequence[Json] = (
        {},
        {"args": ["\b<&>", "x" * 300]},
        {"resources": {"limits": {"cpu": "0.5"}}, "resizePolicy": []},
        {"livenessProbe": {"exec": {"command": ["true"]}}, "securityContext": {"privileged": False}},
        {"volumeDevices": [{"name": "d", "devicePath": "/d"}], "startupProbe": {"httpGet": {"port": 1}}},
    )
    for number in range(12):
        mounts = [mount("v", "/v"), mount(token(chance)), mount("w", "/w")][chance.randrange(2) :]
        containers = [with_mounts(*mounts, **chance.choice(shapes)) for _ in range(2)]
        containers[1]["name"] = "d"
        yield pod(*containers, name=f"p{number}", node=f"n{number % 2}")


ONE, OTHER = "kube-api-access-bcdfg", "kube-api-access-hjklm"
ODD: tuple[Json, ...] = (
    with_mounts(mount(PLACEHOLDER)),
    with_mounts(mount(ONE), env=[{"name": "E", "value": PLACEHOLDER}]),
    with_mounts(mount(OTHER), env=[{"name": "E", "value": PLACEHOLDER}]),
    with_mounts(mount(ONE), env=[{"name": "E", "value": ONE}]),
    with_mounts(mount(OTHER), env=[{"name": "E", "value": OTHER}]),
    with_mounts(mount(ONE), image=PLACEHOLDER),
    with_mounts(mount(OTHER), image=PLACEHOLDER),
    with_mounts(mount(ONE), image=f"{ONE}-and-more"),
    with_mounts(mount(ONE), mount(ONE)),
    with_mounts(mount(ONE), mount(OTHER)),
    with_mounts(mount(OTHER), mount(ONE)),
    with_mounts(mount(ONE), mount(PLACEHOLDER)),
    with_mounts(mount(PLACEHOLDER), mount(ONE)),
    with_mounts(mount(ONE, "/elsewhere")),
    with_mounts(mount(OTHER, "/elsewhere")),
    with_mounts(mount(ONE + "\n")),
    with_mounts(mount("kube-api-access-BCDFG")),
    with_mounts(mount(None)),
    with_mounts(mount(ONE), None),
    with_mounts(mount(OTHER), None),
    with_mounts(mount(ONE), unknown=PLACEHOLDER),
)
"""Containers in which the name, or what takes its place in a template, is elsewhere too."""


def planned(values: list[Json], view: View, old: str, new: str) -> Plan:
    return planning.make(collect(values), old, new, view)


def check(values: list[Json], view: View, old: str, new: str) -> None:
    """Check that a plan of many pods is that of each alone, with its counts of hops and of the way back."""
    nodes = [node("1.30.14", "n0"), node("1.9.11", "n1")]
    alone = [planned([value, *nodes], view, old, new) for value in values]
    items = sorted((item for plan in alone for item in plan.items), key=str)
    for order in (values, values[::-1]):
        plan = planned([*order, *nodes], view, old, new)
        assert sorted(plan.items, key=str) == items
        assert plan.suggestion is None or plan.suggestion.saves == sum(
            single.suggestion.saves for single in alone if single.suggestion
        )
        assert plan.rollback is not None
        assert plan.rollback.findings == sum(single.rollback.findings for single in alone if single.rollback)
        steps = {(hop.old, hop.new): hop.findings for hop in plan.hops if old != AUTO}
        assert steps == {
            way: sum(hop.findings for single in alone for hop in single.hops if (hop.old, hop.new) == way)
            for way in steps
        }


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("old", "new"), WAYS)
def test_a_plan_of_replicas_is_that_of_each_alone(old: str, new: str, catalog: Catalog) -> None:
    check(list(replicas(random.Random(randomness.SEED))), View(catalog), old, new)


@pytest.mark.parametrize(
    ("old", "new"), [("1.7.16", "1.9.11"), ("1.29.15", "1.30.14"), ("1.30.14", "1.31.14")]
)
def test_a_name_in_other_places_is_no_part_of_a_template(old: str, new: str, catalog: Catalog) -> None:
    values = [pod(spec, name=f"p{number}", node=f"n{number % 2}") for number, spec in enumerate(ODD)]
    check(values, View(catalog, Options(keep_going=True)), old, new)


def test_records_and_patches_decide_by_the_hash_of_each_name(catalog: Catalog) -> None:
    values = list(replicas(random.Random(7)))
    olds = [
        container_hash(value["spec"]["containers"][0], catalog.kubelet(release)).value
        for value, release in zip(values, ("1.7.16", "1.8.15", "1.9.11", "1.13.12") * 3, strict=True)
    ]
    records = index(
        Recorded("", "ns", value["metadata"]["name"], "c", number, None)
        for value, number in zip(values, olds, strict=True)
    )
    view = View(catalog, Options(records=records))
    check(values, view, "1.8.15", "1.9.11")
    patch = AssumePatch("accept", ("1.8.15",))
    check(
        values, structs.replace(view, options=structs.replace(view.options, patch=patch)), "1.8.15", "1.9.11"
    )
    for strategy in ("accept", "pin"):
        current = AssumePatch(strategy, ("1.7.16",))
        check(values, View(catalog, Options(current_patch=current)), "1.8.15", "1.9.11")


def test_a_pod_that_several_judges_look_at_is_hashed_once(catalog: Catalog) -> None:
    view = View(catalog)
    templates = Templates(view)
    (replica, other) = collect([pod(with_mounts(mount(name)), name=name) for name in (ONE, OTHER)]).pods
    assert templates.of(replica, replica.containers[0]) is templates.of(replica, replica.containers[0])
    named = [templates.of(each, each.containers[0]) for each in (replica, other)]
    assert named[0].template is named[1].template
    kubelet = catalog.kubelet("1.30.14")
    hashed = [
        templates.hash(each, container, container.spec, kubelet)
        for each in (replica, other)
        for container in each.containers
    ]
    assert hashed == [container_hash(each.containers[0].spec, kubelet) for each in (replica, other)]
    assert hashed[0] != hashed[1]
    assert templates.hash(replica, replica.containers[0], {"name": "x"}, kubelet) == container_hash(
        {"name": "x"}, kubelet
    )


@pytest.mark.parametrize(("word", "certain"), [("\b", False), ("plain", True)])
def test_the_number_of_a_replica_under_a_vendors_go_is_known_where_its_go_does_not_matter(
    catalog: Catalog, word: str, *, certain: bool
) -> None:
    templates, vendor = Templates(View(catalog)), catalog.kubelet("v1.27.3-gke.100")
    for each in collect(
        [pod(with_mounts(mount(name), args=[word]), name=name) for name in (ONE, OTHER)]
    ).pods:
        (container,) = each.containers
        named = templates.of(each, container)
        assert named.names
        assert named.number(vendor) == container_hash(container.spec, vendor).value
        assert (named.number(vendor) is not None) is certain


def test_templates_do_not_grow_with_the_cluster(catalog: Catalog) -> None:
    templates = Templates(View(catalog), kept=4)
    many = collect(
        [pod(with_mounts(mount(ONE), image=f"i:{number}"), name=f"p{number}") for number in range(KEPT)]
    )
    for each in many.pods:
        templates.of(each, each.containers[0])
    assert len(templates._templates) <= 4


def test_the_text_of_a_long_container_is_not_kept(catalog: Catalog) -> None:
    templates = Templates(View(catalog))
    specs = [with_mounts(mount(ONE), args=["x" * length]) for length in (60_000, 70_000)]
    (subject,) = collect([pod(*specs)]).pods
    assert [templates.of(subject, container).names for container in subject.containers] == [(ONE,), ()]
    for number in range(20):
        (replica,) = collect([pod(with_mounts(mount(ONE), args=[f"{number}" * 30_000]))]).pods
        templates.of(replica, replica.containers[0])
    assert len(templates._templates) < 10


def test_what_has_no_template_is_not_compared(catalog: Catalog) -> None:
    named = Named(None, (), Likeness(b"", 0, ()))
    assert named.compared(catalog.kubelet("1.30.14"), catalog.kubelet("1.31.14")) is None
