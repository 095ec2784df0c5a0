"""The affinity of a DaemonSet's pod."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.corev1.scheduling import asked_of_nodes, asks_for_its_node


def term(**more: Any) -> dict[str, Any]:
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"], **more}]}


def spec(*terms: Any, **more: Any) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"nodeName": "n1", "affinity": {"nodeAffinity": {**required, **more}}}


@pytest.mark.parametrize(
    ("pod_spec", "expected"),
    [
        (spec(term()), True),
        ({**spec(term()), "nodeName": "n2"}, False),
        ({**spec(term()), "affinity": {**spec(term())["affinity"], "podAntiAffinity": {}}}, True),
        ({"affinity": None, "nodeName": "n1"}, False),
        (spec(term(values=["n1", "n2"])), False),
        (spec(term(operator="NotIn")), False),
        (spec(term(key="metadata.uid")), False),
        (spec(term(), term()), False),
        (spec({**term(), "matchExpressions": [{"key": "disk", "operator": "Exists"}]}), False),
        (spec(term(), preferredDuringSchedulingIgnoredDuringExecution=[]), False),
        ({"affinity": {}, "nodeName": "n1"}, False),
        ({"nodeName": "n1"}, False),
    ],
    ids=range(12),
)
def test_a_pod_that_asks_for_the_node_it_is_on(pod_spec: dict[str, Any], expected: bool) -> None:
    assert asks_for_its_node(pod_spec) is expected


def test_pods_of_one_daemon_set_ask_nodes_for_the_same_but_for_their_own() -> None:
    others: dict[str, Any] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}
    affinities = [
        asked_of_nodes(
            {"affinity": {**spec(term(values=[name]))["affinity"], **others}, "nodeName": name},
        )
        for name in ("n1", "n2")
    ]
    assert affinities[0] == affinities[1]
    elsewhere = {**spec(term(values=["n1"])), "nodeName": "n2"}
    assert asked_of_nodes(elsewhere) == elsewhere["affinity"]["nodeAffinity"] != affinities[0]
    assert asked_of_nodes({"affinity": others}) is None
