"""Counting many upgrades at once gives what a plan of each gives, whatever the pods and the flags."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations, product

import pytest
from msgspec.structs import replace

from hashcompat.analysis import planning
from hashcompat.analysis.answers.redaction import snapshot
from hashcompat.analysis.planning.counting import Counting
from hashcompat.analysis.planning.hops import elsewhere
from hashcompat.analysis.planning.kinds import OF_CONTAINER, OF_POD, kind
from hashcompat.analysis.planning.options import AssumePatch, Options
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.view import View, is_plain
from hashcompat.analysis.planning.wayhashes import WayHashes
from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.decide.case import Case, Decision
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.kubelet.staticpods import same_for_mirror
from hashcompat.core.model.plan import AUTO, Way
from hashcompat.core.model.pods import Inventory
from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.index import index
from hashcompat.sources.files.collect import sample_cluster
from tests.helpers import randomness
from tests.helpers.pods import Json, mirror_pod, node, pod
from tests.helpers.program import ROOT
from tests.helpers.random_clusters import Cluster
from tests.helpers.rulecases import changed
from tests.helpers.slices import sliced

RELEASES = (
    *("1.1.8", "1.5.8", "1.6.13", "1.7.16", "1.9.11", "1.11.10", "1.15.12", "1.16.15", "1.22.17"),
    *("1.23.17", "1.24.17", "1.27.4", "1.27.16", "1.30.14", "1.31.14", "1.32.13", "1.33.13"),
    *("1.34.13", "1.35.10", "1.36.6"),
)
SOME = ("1.5.8", "1.7.16", "1.16.15", "1.30.14", "1.32.13", "1.33.13")
C: Json = {"name": "c", "image": "i"}
MOUNTED: Json = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]}

Numbers = dict[Way, tuple[int, int]]


def pairs(releases: Sequence[str], *, auto: bool = False) -> list[Way]:
    ways = [Way(*pair) for pair in permutations(releases, 2)]
    return [*ways, *(Way(AUTO, release) for release in releases)] if auto else ways


HYPOTHETICAL = Options(override_node_releases=True)
"""Each upgrade is counted as if its first release ran, whatever nodes report."""


def counted(inventory: Inventory, ways: Sequence[Way], view: View) -> tuple[Numbers, Numbers]:
    """Return the counts of all upgrades together, and of those that start elsewhere."""
    named = [way for way in ways if way.old != AUTO]
    counting = Counting(ways, named, inventory.nodes, view)
    for subject in inventory.pods:
        counting.add(subject)
    now, later = (counting.hops(elsewhere=away) for away in (False, True))
    assert list(now) == list(ways)
    assert list(later) == named
    return tuple({way: (hop.findings, hop.unknown) for way, hop in hops.items()} for hops in (now, later))  # type: ignore[return-value]


def planned(inventory: Inventory, ways: Iterable[Way], view: View) -> Numbers:
    """Return the counts of a plan of each upgrade, without its steps."""
    numbers = {}
    for way in ways:
        planner = Planner(way, inventory.nodes, view)
        for subject in inventory.pods:
            planner.add(subject)
        summary = planner.plan().summary
        numbers[way] = summary.findings, summary.unknown
    return numbers


def assert_alike(inventory: Inventory, ways: Sequence[Way], view: View) -> tuple[Numbers, Numbers]:
    counts = now, later = counted(inventory, ways, view)
    assert now == planned(inventory, ways, view)
    assert later == planned(inventory, later, elsewhere(view))
    return counts


def of(*objects: Json) -> Inventory:
    return collect(list(objects))


@pytest.mark.parametrize(("number", "with_nodes"), sliced(product(range(8), [True, False]), [(0, True)]))
@pytest.mark.usefixtures("untraced")
def test_every_count_of_a_random_cluster_is_that_of_a_plan(
    number: int, with_nodes: bool, catalog: Catalog
) -> None:
    cluster = Cluster(f"{randomness.SEED}/{number}", catalog, RELEASES)
    count, step = (24, 3) if randomness.FRESH else (16, 4)
    manifests = [manifest for manifest in cluster.objects(count) if with_nodes or manifest["kind"] == "Pod"]
    chosen = RELEASES[number % step :: step]
    view = View(
        catalog, Options(keep_going=True, override_node_releases=True)
    )  # 1.1 has no suffixes below milli
    now, later = assert_alike(of(*manifests), pairs(chosen, auto=with_nodes), view)
    if not randomness.FRESH:  # some cluster lacks what these look for
        assert len(set(now.values())) > 4
        assert any(unknown for _, unknown in now.values())
        assert any(now[way] != numbers for way, numbers in later.items())


@pytest.mark.full
@pytest.mark.usefixtures("untraced")
def test_every_count_of_the_sample_is_that_of_a_plan(catalog: Catalog) -> None:
    assert_alike(sample_cluster(), pairs(SOME[2:5], auto=True), View(catalog, HYPOTHETICAL))


def test_whole_plans_count_alike_too(catalog: Catalog) -> None:
    inventory, view = (
        of(pod(MOUNTED), mirror_pod(C), node("v1.7.16")),
        View(catalog, HYPOTHETICAL),
    )
    now, _ = counted(inventory, pairs(SOME[1:4]), view)
    for way, numbers in now.items():
        summary = planning.make(inventory, way.old, way.new, view).summary
        assert numbers == (summary.findings, summary.unknown)


MANIFEST: Json = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "m"}, "spec": {"containers": [C]}}
BROKEN = pod({"name": "c", "args": 1}, name="broken")
NEWER_BROKEN = pod({**C, "resizePolicy": "none"}, name="newer")
RECORDS = index([Recorded("", "ns", "p", "c", 7, None), Recorded("", "ns", "q", "c", None, None)])


@pytest.mark.parametrize(
    ("objects", "options"),
    [
        pytest.param([MANIFEST], Options(), id="a manifest"),
        pytest.param([pod(C), MANIFEST, pod(MOUNTED, name="q")], Options(defaults=False), id="raw manifests"),
        pytest.param(
            [BROKEN, pod(C)],
            Options(keep_going=True, override_node_releases=True),
            id="what no kubelet decodes",
        ),
        pytest.param(
            [NEWER_BROKEN, pod(C)],
            Options(keep_going=True, override_node_releases=True),
            id="what new ones do not decode",
        ),
        pytest.param([pod(C), pod(C, name="q")], Options(records=RECORDS), id="records"),
        pytest.param([pod(C), node("v9.9.9")], HYPOTHETICAL, id="a release that is not known"),
        pytest.param([pod(C, name=str(number)) for number in range(5)], Options(), id="replicas"),
        pytest.param([pod(C)], Options(apiserver="1.5.8", apiserver_to="1.33.13"), id="API servers"),
        pytest.param(
            [pod({**C, "securityContext": {"procMount": "Default"}})],
            Options(apiserver="1.33.13", apiserver_to="1.5.8"),
            id="a default that may be lost",
        ),
        pytest.param([pod(C)], Options(gates=frozenset({"InPlacePodVerticalScaling"})), id="a gate"),
        pytest.param([pod(C)], Options(patch=AssumePatch("accept", ("1.30.14",))), id="a patch"),
    ],
)
def test_whatever_the_input_counts_are_those_of_plans(
    objects: list[Json], options: Options, catalog: Catalog
) -> None:
    inventory, ways = of(*objects), pairs(("1.30.14", "1.31.14", "1.12.10"), auto=options.patch is None)
    view, _ = planning.bound(Way("1.30.14", "1.31.14"), inventory, View(catalog, options))
    assert_alike(inventory, ways, view)


def test_static_pods_that_started_on_several_days_count_as_plans_do(catalog: Catalog) -> None:
    """Their UIDs are compared once, and who created them by the day."""
    mirrors = [
        mirror_pod(C, name=day, status={"phase": "Running", "containerStatuses": [_started(day)]})
        for day in ("2024-09-01", "2025-03-01")
    ]
    assert_alike(
        of(*mirrors, node("v1.32.13")),
        pairs(("1.30.14", "1.31.14", "1.32.13")),
        View(catalog, HYPOTHETICAL),
    )


def _started(day: str) -> Json:
    state = {"running": {"startedAt": f"{day}T00:00:00Z"}}
    return {"name": "c", "restartCount": 0, "containerID": "containerd://1", "state": state}


def test_what_some_api_servers_write_on_reading_counts_where_they_do(catalog: Catalog) -> None:
    """From 1.6 on they write the terminationMessagePolicy of a pod that 1.5 stored."""
    assert_alike(of(pod(C)), pairs(("1.5.8", "1.6.13", "1.7.16")), View(catalog, HYPOTHETICAL))


def test_where_a_pod_is_and_what_owns_it_is_not_of_its_kind() -> None:
    """Each container of a file has a line of its own; they would be looked at one by one."""
    (subject,) = of(pod(C)).pods
    (container,) = subject.containers
    moved = replace(subject, file="f", workload="Deployment/w", containers=(replace(container, line=9),))
    assert kind(subject, None) == kind(moved, None)


def test_what_cannot_be_decoded_is_an_error_that_names_the_file(catalog: Catalog) -> None:
    with pytest.raises(InputError, match=r"args"):
        counted(of(BROKEN), pairs(SOME[:2]), View(catalog, HYPOTHETICAL))


def test_a_snapshot_counts_as_its_plans_do(catalog: Catalog) -> None:

    hidden = snapshot(
        of(pod({**MOUNTED, "args": ["x"]}), node("v1.7.16")), catalog, with_hashes=True
    ).inventory
    assert_alike(hidden, pairs(SOME[1:4], auto=True), View(catalog, HYPOTHETICAL))


def test_only_pods_and_releases_decide_where_all_are_counted_together(catalog: Catalog) -> None:
    view = View(catalog, HYPOTHETICAL)
    assert is_plain(view)
    assert not is_plain(replace(view, options=Options(records=RECORDS)))
    patched, _ = planning.bound(
        Way("1.30.14", "1.31.14"), of(pod(C)), View(catalog, Options(patch=AssumePatch("accept")))
    )
    assert not is_plain(patched)


def test_a_container_is_hashed_as_each_kubelet_hashes_it(catalog: Catalog) -> None:
    cluster = Cluster(randomness.SEED, catalog, RELEASES)
    kubelets = [catalog.kubelet(name) for name in RELEASES]
    inventory = of(*cluster.objects(30))
    asked = Counter[str]()
    for subject in inventory.pods:
        for container in subject.containers:
            hashes = WayHashes(subject, container, View(catalog, HYPOTHETICAL).hash)
            for kubelet in kubelets:
                try:
                    same = hashes(subject, container, container.spec, kubelet)
                except DecodeError:  # as of 79350u, which the oldest do not read
                    with pytest.raises(DecodeError):
                        container_hash(container.spec, kubelet)
                    continue
                assert same == container_hash(container.spec, kubelet), kubelet.release
            other, newest = dict(container.spec), kubelets[-1]
            assert hashes(subject, container, other, newest) == container_hash(other, newest)
            asked[container.name] += 1
    assert asked


OF_OTHERS = {
    "sandbox.py": {"name", "image", "imagePullPolicy"},  # of the infra container
    "creation.py": {"volumeMounts"},  # kinds have what becomes of mounts
    "admission.py": {"name", "securityContext"},  # of an operating system, and of the pod
    "whole.py": {"name", "securityContext", "volumes"},  # of a sysctl, of the pod; kinds have rare volumes
    "container.py": {"image"},  # kinds have those of pods that changed unseen
    "room/requests.py": {"name"},  # pods without room share no verdict
    "ports.py": {"ports"},  # nor do pods whose host port another one has
}
"""Keys that other objects have too, by the file that reads them there."""


DECIDE = ROOT / "hashcompat" / "core" / "kubelet" / "decide"
DECIDING = {
    "resources.py": {"qos_class", "_amounts", "amount"},
    "scheduling.py": {"unmet", "label_keys", "asks_by_name", "_terms", "_matches", "_holds", "_compared"}
    | {"not_tolerated", "_tolerated", "_tolerations", "_text", "_sequence"},
}
"""The functions of corev1/ that decide; the others of these files read what a kind has."""


def test_what_counts_for_no_kind_is_read_by_nothing_that_decides() -> None:
    """A decision that begins to read one of these keys has to take it out of the set."""
    unread = (OF_CONTAINER | OF_POD) - {"containers", "initContainers", "ephemeralContainers"}
    read: dict[str, list[ast.stmt]] = {
        path.relative_to(DECIDE).as_posix(): ast.parse(path.read_text()).body for path in DECIDE.rglob("*.py")
    }
    for name, functions in DECIDING.items():
        body = ast.parse((ROOT / "hashcompat" / "core" / "corev1" / name).read_text()).body
        read[name] = [
            statement
            for statement in body
            if isinstance(statement, ast.FunctionDef) and statement.name in functions
        ]
        assert len(read[name]) == len(functions)
    for name, parts in read.items():
        elements = [element for part in parts for element in ast.walk(part)]
        texts = {element.value for element in elements if isinstance(element, ast.Constant)}
        assert texts & unread == OF_OTHERS.get(name, set()), name


def test_pods_that_changed_unseen_count_by_their_images(catalog: Catalog) -> None:
    """What their kubelets have seen is alike, and one of them has another image since."""
    same = changed(image="docker.io/library/i:latest")
    other = copy.deepcopy(same)
    other["metadata"].update(name="q", uid="other")
    other["spec"]["containers"][0]["image"] = "j:2"
    ways, view = pairs(("1.36.4", "1.36.5")), View(catalog, HYPOTHETICAL)
    for objects in ((same, other), (other, same)):
        now, _ = assert_alike(of(*objects), ways, view)
        assert now[Way("1.36.4", "1.36.5")] == (1, 1)


def test_steps_between_all_releases_are_counted(catalog: Catalog) -> None:
    view, inventory = View(catalog, HYPOTHETICAL), of(pod(MOUNTED), node("v1.30.14"))
    later = [Way(*pair) for pair in combinations(SOME[1:], 2)]
    counting = Counting(pairs(SOME), later, inventory.nodes, view)
    assert list(counting.hops(elsewhere=True)) == later
    assert {hop.findings for hop in counting.hops().values()} == {0}


def test_a_plain_pod_is_decided_for_few_of_many_upgrades(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others follow, as long as what a pod does not have leaves unread what kubelets make of it."""
    decided = list[Case]()

    def watched(case: Case) -> Decision:
        decided.append(case)
        return decide(case)

    monkeypatch.setattr("hashcompat.analysis.planning.counting.decide", watched)
    ways, inventory = pairs(RELEASES), of(pod(MOUNTED), node("v1.30.14"))
    counting = Counting(ways, [], inventory.nodes, View(catalog, HYPOTHETICAL))
    counting.add(*inventory.pods)
    counting.hops()
    assert len(ways) == 380
    assert len(decided) < 90


def mirror(image: str = "i:1", value: str = "x", volume: str = "v", name: str = "p") -> Json:
    container = {
        "name": "c",
        "image": image,
        "env": [{"name": "E", "value": value}],
        "volumeMounts": [{"name": volume, "mountPath": "/v"}],
    }
    volumes = [{"name": volume, "hostPath": {"path": "/v", "type": ""}}]
    return mirror_pod(container, name=name, spec={"volumes": volumes, "hostNetwork": True})


def kinds_of(*objects: Json) -> list[bytes]:
    inventory = of(*objects)
    nodes = {host.name: host for host in inventory.nodes}
    return [kind(subject, nodes.get(subject.node)) for subject in inventory.pods]


def test_mirror_pods_are_of_one_kind_whatever_their_texts(catalog: Catalog) -> None:
    plain, other, empty, tagged = kinds_of(
        mirror(),
        mirror(value="y", volume="w", name="q"),
        mirror(value="", name="r"),
        mirror("i:2", name="s"),
    )
    assert plain == other
    assert len({plain, empty, tagged}) == 3
    kubelets = [catalog.kubelet(name) for name in RELEASES if name != "1.1.8"]
    texts = [subject.spec for subject in of(mirror(), mirror(value="y", volume="w", name="q")).pods]
    for pair in permutations(kubelets, 2):
        assert same_for_mirror(texts[0], *pair) == same_for_mirror(texts[1], *pair)


def test_pods_are_of_one_kind_unless_something_else_than_names_differs() -> None:
    same = pod({"name": "c", "image": "i"}), pod({"name": "d", "image": "j", "env": []}, name="q")
    other = (
        pod({**C, "resources": {"limits": {"cpu": "1"}}}, name="r"),
        pod(name="s", spec={"restartPolicy": "Never"}),
        pod(name="t", spec={"someFieldOfTheFuture": 1}),
        pod({**C, "someFieldOfTheFuture": 1}, name="u"),
        pod(name="v", status={"phase": "Failed"}),
    )
    kinds = kinds_of(*same, *other)
    assert kinds[0] == kinds[1]
    assert len(set(kinds)) == 1 + len(other)


def test_a_node_counts_by_what_a_pod_asks_of_it() -> None:
    nodes = node("v1.9.11", "n1"), node("v1.9.11", "n2"), node("v1.10.0", "n3")
    for host, disk in zip(nodes, ("ssd", "hdd", "ssd"), strict=True):
        host["metadata"]["labels"] = {"disk": disk, "kubernetes.io/hostname": host["metadata"]["name"]}
    names = ("n1", "n2", "n3")
    free = kinds_of(*nodes, *(pod(node=name, name=name) for name in names))
    assert [free[0] == free[1], free[0] == free[2]] == [True, False]
    for selector, kinds in (({"rack": "b"}, 1), ({"disk": "ssd"}, 2)):
        picky = [pod(node=name, name=name, spec={"nodeSelector": selector}) for name in names[:2]]
        assert len(set(kinds_of(*nodes, *picky))) == kinds
    for fields, kinds in ((["n1", "n2"], 2), ([], 1)):
        term = (
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": fields}]} if fields else {}
        )
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        asking = [
            pod(node=name, name=name, spec={"affinity": {"nodeAffinity": required}}) for name in names[:2]
        ]
        assert len(set(kinds_of(*nodes, *asking))) == kinds
