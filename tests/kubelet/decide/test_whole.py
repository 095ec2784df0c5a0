"""What the decisions about a pod's containers share."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from msgspec import structs

from hashcompat.catalog.lookup import Catalog
from hashcompat.kubelet.decide.whole import Whole
from hashcompat.model.pods import Container, ContainerType, Node, Pod
from tests.kubelet.decide.test_decide import CONTAINER, POD


def of(*types: ContainerType, **spec: Any) -> Pod:
    """Return a pod with containers of some types, none of which runs, and other keys of its spec."""
    found = tuple(
        structs.replace(
            CONTAINER, name=f"c{place}", path=f"$.spec.containers[{place}]", type=kind, running=False
        )
        for place, kind in enumerate(types)
    )
    return structs.replace(POD, containers=found, spec={**POD.spec, **spec})


def with_resources(pod: Pod, *resources: Any) -> Pod:
    pairs = zip(pod.containers, resources, strict=True)
    found = tuple(structs.replace(one, spec={**one.spec, "resources": value}) for one, value in pairs)
    return structs.replace(pod, containers=found)


def test_a_fact_is_computed_once_for_each_key_and_value() -> None:
    whole, asked = Whole(POD), list[object]()

    def computed(value: object) -> object:
        asked.append(value)
        return value

    first, second = object(), object()
    for value in (first, first, second):
        assert whole.once("a", partial(computed, value), of=value) is value
    assert asked == [first, second]


def test_places() -> None:
    pod = of(ContainerType.INIT, ContainerType.CONTAINER)
    assert [Whole(pod).place(one) for one in pod.containers] == [0, 1]
    with pytest.raises(KeyError):
        Whole(pod).place(structs.replace(pod.containers[0], path="$.spec.other[0]"))


def test_sidecars_and_what_runs() -> None:
    whole = Whole(of(ContainerType.SIDECAR, ContainerType.CONTAINER))
    assert whole.has_sidecar
    assert whole.runs_none
    assert not whole.never_ran  # nothing shows how often it restarted
    other = of(ContainerType.CONTAINER)
    fresh: tuple[Container, ...] = (structs.replace(other.containers[0], restarts=0),)
    assert Whole(structs.replace(other, containers=fresh)).never_ran
    assert not Whole(other).has_sidecar


def test_qos_classes_and_devices() -> None:
    limits = {"limits": {"cpu": "1", "memory": "1", "example.com/gpu": "1"}}
    pod = with_resources(of(ContainerType.INIT, ContainerType.CONTAINER), {}, limits)
    assert Whole(pod).qos_classes == ("Guaranteed", "Burstable")
    assert Whole(pod).devices == "example.com/gpu"
    assert Whole(with_resources(pod, {"limits": {"cpu": "x"}}, {})).qos_classes is None


def test_many_devices_are_counted() -> None:
    """Each container's reason names them, so that all of them would take the square of their number."""
    limits = {"limits": {f"example.com/{letter}": "1" for letter in "edcba"}}
    pod = with_resources(of(ContainerType.CONTAINER), limits)
    assert Whole(pod).devices == "example.com/a, example.com/b, example.com/c, 2 more"


def test_sysctls(catalog: Catalog) -> None:
    rows = [{"name": "net/ipv4/x"}, {"name": 1}, {"name": "net.ipv4.x"}]
    whole = Whole(of(ContainerType.CONTAINER, securityContext={"sysctls": rows}))
    assert whole.sysctls == {"net.ipv4.x"}
    assert whole.has_unsafe_sysctl(catalog.kubelet("1.31.14").behaviour)


def test_selectors_and_taints() -> None:
    whole = Whole(of(ContainerType.CONTAINER, nodeSelector={"a": "b"}))
    node = Node("n", "v1.31.14", labels={"a": "b"}, taints=({"key": "k", "effect": "NoExecute"},))
    assert whole.is_selected(node, "selector")
    assert not whole.is_selected(structs.replace(node, labels={}), "selector")
    assert whole.not_tolerated(node) == "k:NoExecute"
    assert whole.not_tolerated(structs.replace(node, taints=())) == ""
