"""Replicas that repeat others are counted with them, and every plan is that of each pod by itself."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hashcompat import snapshot, to_document
from hashcompat.analysis import planning
from hashcompat.analysis.planning import repeats
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.repeats import Repeats
from hashcompat.analysis.planning.rulings import Rulings
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import InputError
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.kubelet.template import Around
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.verdicts import Hash
from hashcompat.sources.files.collect import collect
from tests.helpers.pods import Json
from tests.helpers.replicas import deployments
from tests.helpers.slices import sliced
from tests.sources.replicas.test_stencils import dumped

PAIRS = (
    *(("1.7.16", "1.9.11"), ("1.20.15", "1.31.14"), ("auto", "1.33.13")),
    *(("v1.27.3-gke.100", "1.31.14"), ("v1.27.3-gke.100", "1.7.16")),
)
WORD = "hashcompat-blank-12345"


def plain(_: Json) -> None:
    """Leave a pod as it is."""


def escaped(pod: Json) -> None:
    """Set a text that not every Go writes alike."""
    pod["spec"]["containers"][0]["args"] = ["\b"]


def quoted(pod: Json) -> None:
    """Set texts of each pod's own that JSON escapes."""
    name = pod["metadata"]["name"]
    pod["spec"]["containers"][0]["args"] = [f'--of="{name}" && \\ <1>\n' + "\t'x'" * 300]
    pod["spec"]["containers"][0]["env"] = [
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": name, "key": "k"}}}
    ]


def like_a_blank(pod: Json) -> None:
    """Set a text that is like a blank."""
    pod["spec"]["containers"][0]["args"] = [WORD]


CHANGES = (plain, escaped, quoted, like_a_blank)


def dump(path: Path, change: Callable[[Json], Any]) -> str:
    manifests = list(deployments(2, 40))
    for manifest in manifests:
        if manifest["kind"] == "Pod":
            change(manifest)
    return dumped(manifests, path / "pods.json")


def plan(name: str, pair: tuple[str, str], catalog: Catalog) -> Plan:
    return planning.make(collect((name,)), *pair, View(catalog, Options(override_node_releases=True)))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the pods that are decided, and those that repeat others."""
    counts = Counter[str]()
    add, repeat = Planner.add, Planner.repeat

    def counting(self: Planner, pod: Any) -> Any:
        counts["add"] += 1
        return add(self, pod)

    def repeating(self: Planner, *given: Any) -> None:
        counts["repeat"] += 1
        repeat(self, *given)

    monkeypatch.setattr(Planner, "add", counting)
    monkeypatch.setattr(Planner, "repeat", repeating)
    return counts


@pytest.mark.parametrize(
    ("pair", "change"),
    sliced(
        itertools.product(PAIRS, CHANGES),
        [
            *((pair, quoted) for pair in PAIRS[::2]),
            *((PAIRS[0], change) for change in CHANGES[1:]),
            (PAIRS[3], escaped),
        ],
    ),
)
def test_a_plan_is_that_of_each_pod_by_itself(
    pair: tuple[str, str],
    change: Callable[[Json], Any],
    tmp_path: Path,
    catalog: Catalog,
    counted: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = dump(tmp_path, change)
    result = plan(name, pair, catalog)
    certain = not (change is escaped and "gke" in pair[0])
    assert (counted["repeat"] > 50) is (certain and change is not like_a_blank)
    monkeypatch.setattr(Repeats, "_may_repeat", lambda *_: False)
    assert result == plan(name, pair, catalog)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("release", ["1.5.8", "1.7.16", "1.20.15", "1.30.14", "1.33.13"])
def test_a_hash_of_a_replica_is_that_of_its_own_text(release: str, tmp_path: Path, catalog: Catalog) -> None:
    kubelet, templates = catalog.kubelet(release), Templates(View(catalog))
    blanks = Counter[bool]()
    for pod in collect((dump(tmp_path, quoted),)).pods:
        for container in pod.containers:
            blanks[container.blank is not None] += 1
            assert templates.of(pod, container).hash(kubelet) == container_hash(container.spec, kubelet)
    assert blanks[True] > 10 * blanks[False]


def test_hashes_that_compare_otherwise_are_decided_by_themselves(
    tmp_path: Path, catalog: Catalog, counted: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, numbers = dump(tmp_path, plain), itertools.count()
    result = plan(name, PAIRS[0], catalog)
    counted.clear()

    def another(_: Sequence[int]) -> tuple[int, ...]:
        return (next(numbers),)

    monkeypatch.setattr(repeats, "_pattern", another)
    assert result == plan(name, PAIRS[0], catalog)
    assert counted == {"add": 80}


def test_each_hash_of_a_replica_is_computed_once(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = Counter[tuple[int, tuple[str, ...]]]()
    once = Around.hash

    def counting(self: Around, names: Sequence[str]) -> Hash:
        computed[id(self), tuple(names)] += 1
        return once(self, names)

    monkeypatch.setattr(Around, "hash", counting)
    plan(dump(tmp_path, plain), PAIRS[0], catalog)
    number = Counter(computed.values())
    assert number[1] > 10 * number[2]  # the first replicas' alone are computed once more, to be compared
    assert number[2] > number[3]  # and those of the first one that is like those of other workloads
    assert set(number) <= {1, 2, 3}


def of_daemon_set(name: str, node: str, asks: str, **more: Any) -> Json:
    """Return a pod on one node that asks for another one, or for its own."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [asks]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    container = {"image": "i:v1", "name": "c", "volumeMounts": [{"mountPath": "/t", "name": "t", **more}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ns",
            "uid": f"00000000-0000-4000-8000-0000000000{name[-2:]}",
        },
        "spec": {
            "affinity": {"nodeAffinity": required},
            "containers": [container],
            "nodeName": node,
            "volumes": [{"emptyDir": {}, "name": "t"}],
        },
        "status": {"phase": "Running"},
    }


def test_a_pod_that_asks_for_the_node_of_its_replicas_is_refused_in_every_hop(
    tmp_path: Path, catalog: Catalog
) -> None:
    """Its affinity is that of the pod before it, for which it is the node that it is on."""
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"labels": {"kubernetes.io/hostname": name}, "name": name},
            "status": {"nodeInfo": {"kubeletVersion": kubelet}},
        }
        for name, kubelet in (("n1", "v1.34.12"), ("n2", "v1.33.13"))
    ]
    pods = [
        of_daemon_set("a-11", "n1", "n1", readOnly=True),
        of_daemon_set("b-22", "n2", "n2"),
        of_daemon_set("b-33", "n1", "n2"),
    ]
    result = plan(dumped([*nodes, *pods], tmp_path / "pods.json"), ("auto", "1.36.5"), catalog)
    assert [(item.pod.name, item.verdict.value) for item in result.items] == [
        ("a-11", "KEEP"),
        ("b-33", "KILL"),
        ("b-22", "KEEP"),
    ]
    assert [(hop.new, hop.findings) for hop in result.hops] == [
        ("1.34.13", 0),
        ("1.35.10", 1),
        ("1.36.5", 1),
    ]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("change", "with_hashes"),
    sliced(itertools.product([plain, quoted], [False, True]), [(plain, False), (quoted, True)]),
)
def test_pods_of_a_snapshot_repeat_as_those_that_it_was_taken_of(
    change: Callable[[Json], Any],
    tmp_path: Path,
    catalog: Catalog,
    counted: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    with_hashes: bool,
) -> None:
    path, pair = tmp_path / "snapshot.json", ("auto", "1.33.13")
    taken = snapshot(dump(tmp_path, change), with_hashes=with_hashes)
    path.write_text(json.dumps(to_document(taken), indent=2))
    result = plan(str(path), pair, catalog)
    # pods whose hashes are hidden are alike where they differ in hidden values alone
    assert (counted["repeat"] > 40) is not with_hashes
    path.write_text(
        json.dumps(to_document(taken), indent=2, sort_keys=True)
    )  # nothing shows what it is in time
    assert plan(str(path), pair, catalog).items == result.items
    monkeypatch.setattr(Repeats, "_may_repeat", lambda *_: False)
    monkeypatch.setattr(Rulings, "is_shared", lambda *_: False)
    assert result.items == plan(str(path), pair, catalog).items


@pytest.mark.usefixtures("untraced")
def test_a_pod_of_a_snapshot_in_a_document_behind_it_is_refused(tmp_path: Path, catalog: Catalog) -> None:
    taken = to_document(snapshot(dump(tmp_path, plain)))
    path = tmp_path / "two.json"
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": taken["items"]}, indent=2)
    others = re.sub(r'"uid": "\w{4}', '"uid": "abcd', listed)
    path.write_text(f"{json.dumps(taken, indent=2)}\n{others}")
    with pytest.raises(InputError, match="outside of one"):
        plan(str(path), ("auto", "1.33.13"), catalog)
