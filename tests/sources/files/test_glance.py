"""A glance at a large file: the same plan as a look through all of it, or else that look."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core import forks
from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Inventory, Pod, PodShare, SharedPods
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import inputs, spans
from scripts.bench.made.nodes import node
from tests.helpers.program import Run
from tests.helpers.replicas import pods_and_nodes
from tests.helpers.slices import sliced

Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("untraced")

PODS = 16

ODD = "00000000-0000-4000-8000-000000000000"

FEW = 3
"""Pods that are too few to be divided."""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be a glance at small files, in pieces that divide elements."""
    monkeypatch.setattr(spans, "LEAST", 1 << 12)
    monkeypatch.setattr(spans, "_PIECES", (1 << 12, 1 << 16))
    monkeypatch.setattr(forks, "possible", lambda: True)


def objects(pods: int = PODS) -> list[Json]:
    """Return pods, and nodes behind them."""
    return list(pods_and_nodes(pods))


def text_of(given: list[Json], indent: int | None = 4, *, first: bool = False) -> str:
    kind = {"kind": "List", "metadata": {"resourceVersion": ""}}
    before, behind = (kind, {}) if first else ({}, kind)
    return json.dumps({"apiVersion": "v1", **before, "items": given, **behind}, indent=indent)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, jobs: int, *, at_a_glance: bool = True) -> Inventory:
    return files.collect((str(path),), jobs=jobs, glance=at_a_glance)


def same(path: Path, jobs: int) -> bool:
    """Read a file at a glance and wholly, and compare; return whether there was a guess."""
    whole, glanced = read(path, 1, at_a_glance=False), read(path, jobs)
    for name in ("nodes", "records", "origin", "warnings", "budgets"):
        assert getattr(whole, name) == getattr(glanced, name), name
    pods = list(whole.pods)
    assert list(glanced.pods) == pods
    assert isinstance(glanced.pods, SharedPods)
    shares = glanced.pods.shares()
    assert not shares or list(of_shares(shares)) == [without_path(pod) for pod in pods]
    if glanced.guessed and len(pods) > FEW:
        assert len(shares) == (jobs if jobs > 1 else 0)
    return glanced.guessed


def of_shares(shares: Sequence[PodShare]) -> Iterator[Pod]:
    """Yield the pods of all shares, at their lines in the file."""
    lines = 0
    for share in shares:
        for pod in share:
            yield without_path(pod, lines)
        lines += share.lines


def without_path(pod: Pod, lines: int = 0) -> Pod:
    """Return a pod whose containers are so many lines later, and without its index in the list."""
    containers = [
        structs.replace(container, path="", line=container.line + lines) for container in pod.containers
    ]
    return structs.replace(pod, origin="", containers=tuple(containers))


def nodes_first(given: list[Json]) -> list[Json]:
    return sorted(given, key=lambda manifest: str(manifest["kind"]))


def nodes_around(given: list[Json]) -> list[Json]:
    return [*given[PODS:], *given[:PODS], *cluster_nodes(3)]


def cluster_nodes(number: int) -> list[Json]:
    return [node(f"other-{index}", "1.30.14") for index in range(number)]


ORDERS: dict[str, Callable[[list[Json]], list[Json]]] = {
    "pods, nodes": list,
    "nodes, pods": nodes_first,
    "nodes, pods, nodes": nodes_around,
    "pods": lambda given: given[:PODS],
    "one pod": lambda given: [given[-1], given[0]],
    "one pod among nodes": lambda given: [given[-1], given[0], given[-2]],
    "one pod alone": lambda given: [given[0]],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("jobs", "indent", "first"),
    sliced(
        product([1, 2, 3], [1, 4], [False, True]), [(1, 1, True), (2, 4, False), (2, 1, True), (3, 4, True)]
    ),
)
def test_pods_and_nodes_are_found(order: str, jobs: int, indent: int, first: bool, tmp_path: Path) -> None:
    given = ORDERS[order](objects())
    path = written(tmp_path / "c.json", text_of(given, indent, first=first))
    assert same(path, jobs) or len(given) <= FEW


def test_what_is_not_ascii_and_windows_line_ends(tmp_path: Path) -> None:
    given = objects()
    for number, manifest in enumerate(given):
        manifest["metadata"]["annotations"] = {"a": "é中\N{PILE OF POO}" * (number % 50)}
    text = text_of(given).replace("\n", "\r\n")
    assert same(written(tmp_path / "c.json", text), 2)
    assert same(
        written(tmp_path / "c.json", b"\xef\xbb\xbf" + text.encode().replace("é".encode(), b"\xff")), 2
    )


def shuffled(given: list[Json]) -> list[Json]:
    random.Random(3).shuffle(given)
    return given


def nodes_in_the_middle(given: list[Json]) -> list[Json]:
    return [*given[: PODS // 2], *cluster_nodes(2), *given[PODS // 2 : PODS]]


def odd_tail(given: list[Json]) -> list[Json]:
    """Put a pod behind the nodes that does not begin as the others do."""
    pod = {**given[0], "metadata": {**given[0]["metadata"], "name": "odd", "uid": ODD}}
    return [*given, {"kind": "Pod", **pod}]


def workload() -> Json:
    pod = objects(1)[0]
    spec = {"template": {"metadata": {}, "spec": pod["spec"]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def odd_head(given: list[Json]) -> list[Json]:
    """Put a pod first whose kind is not where kubectl writes it."""
    pod = objects(PODS + 1)[-3]
    return [{"apiVersion": "v1", "metadata": pod["metadata"], "kind": "Pod", "spec": pod["spec"]}, *given]


NOT_PLAIN: dict[str, Callable[[], str | bytes]] = {
    "in one line": lambda: text_of(objects(), None),
    "a Deployment": lambda: text_of([*objects(), workload()]),
    "a pod of another form first": lambda: text_of(odd_head(objects())),
    "a pod of another form last": lambda: text_of(odd_tail(objects())),
    "gzip": lambda: gzip.compress(text_of(objects()).encode()),
    "UTF-16": lambda: text_of(objects()).encode("utf-16"),
    "another key first": lambda: text_of([dict(reversed(manifest.items())) for manifest in objects()]),
    "a PodList behind its items": lambda: text_of(objects()[:PODS]).replace(
        '"kind": "List"', '"kind": "PodList"'
    ),
    "two documents": lambda: text_of(objects()) + text_of(cluster_nodes(2)),
}


@pytest.mark.parametrize(
    ("form", "jobs"),
    sliced(product(NOT_PLAIN, [1, 3]), [(form, 1 + place % 2 * 2) for place, form in enumerate(NOT_PLAIN)]),
)
def test_any_other_file_is_looked_through(form: str, jobs: int, tmp_path: Path) -> None:
    assert not same(written(tmp_path / "c.json", NOT_PLAIN[form]()), jobs)


def test_without_pods_there_is_nothing_to_guess(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json", text_of(cluster_nodes(60)))
    assert not read(path, 2).guessed


def test_of_several_files_all_are_looked_through(tmp_path: Path) -> None:
    given = objects()
    written(tmp_path / "a.json", text_of(given[:PODS]))
    written(tmp_path / "b.json", text_of([*given[PODS:], workload()]))
    assert not same(tmp_path, 2)


def test_without_other_processes_this_one_reads_all_pods(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fork() -> int:
        raise BlockingIOError

    path = written(tmp_path / "c.json", text_of(objects()))
    monkeypatch.setattr("os.fork", fork)
    with_glance, without = planned(run, path, 3, monkeypatch)
    assert with_glance == without


def test_a_problem_that_the_plan_names_has_its_place_in_the_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where another process finds it, which does not know how many pods are before its own."""
    text = WRONG["an undecodable port"](text_of(objects()))
    path = written(tmp_path / "c.json", text)
    with_glance, without = planned(run, path, 3, monkeypatch, "--keep-going")
    assert with_glance == without
    number = [manifest["kind"] for manifest in json.loads(text)["items"]].index("Pod")
    assert any("$.items[" in line and f"$.items[{number}]" not in line for line in without[1])


def at(text: str, share: float) -> int:
    """Return the place of the next pod's name behind a part of a text."""
    return text.index('"name": "', int(share * len(text)))


def _put(text: str, share: float, old: str, new: str) -> str:
    place = at(text, share)
    assert old in text[place:]
    return text[:place] + text[place:].replace(old, new, 1)


def _copied(text: str) -> str:
    document = json.loads(text)
    first = json.loads(json.dumps(document["items"][0]))
    first["spec"]["containers"][0]["image"] = "other"
    return text_of([first, *document["items"]])


NODE = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-0000"}, "status": {}}'
OTHER = NODE.replace("node-0000", "hidden")
BEGIN = ',\n        {\n            "apiVersion": "v1",\n            "kind": "Pod",\n            "metadata": {'

WRONG: dict[str, Callable[[str], str]] = {
    "cut among the pods": lambda text: text[: at(text, 0.4)],
    "cut between two pods": lambda text: text[: text.index(BEGIN, len(text) // 2)],
    "cut behind a comma": lambda text: text[: text.index(BEGIN, len(text) // 2) + 1],
    "a word": lambda text: f"{text[: at(text, 0.5)]}nonsense{text[at(text, 0.5) :]}",
    "a control character": lambda text: f"{text[: at(text, 0.5)]}\x07{text[at(text, 0.5) :]}",
    "no comma": lambda text: text[:9000] + text[9000:].replace("},\n        {", "}\n        {", 1),
    "a comma too many": lambda text: text[:9000] + text[9000:].replace("},\n        {", "},,\n        {", 1),
    "a pod without containers": lambda text: _put(
        text, 0.6, '"containers": [', '"containers": 7, "other": ['
    ),
    "a key twice": lambda text: _put(text, 0.5, '"kind": "Pod"', '"kind": "Pod", "kind": "Pod"'),
    "a second items": lambda text: text.replace('"kind": "List"', '"kind": "List", "items": []'),
    "something behind": lambda text: f"{text}]",
    "a copy that differs": _copied,
    "a copy of a node": lambda text: _put(text, 0.5, BEGIN, f", {NODE}{BEGIN}"),
    "an undecodable port": lambda text: _put(text, 0.5, '"containerPort": ', '"containerPort": 1.5e99'),
    "a page": lambda text: text.replace('"resourceVersion": ""', '"continue": "x"'),
    "a list in the list": lambda text: _put(
        text, 0.5, BEGIN, ', {"kind": "List", "items": [{"x": 1}]}' + BEGIN
    ),
}


@pytest.mark.parametrize(
    ("change", "jobs"),
    sliced(
        product(WRONG, [1, 2]), [(change, 1 + place % 2) for place, change in enumerate(WRONG) if place % 3]
    ),
)
def test_what_is_wrong_is_said_as_without_a_glance(
    run: Run, change: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "c.json", WRONG[change](text_of(objects())))
    with_glance, without = planned(run, path, jobs, monkeypatch)
    assert with_glance == without
    assert without[0] == 1


def planned(
    run: Run, path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch, *more: str
) -> list[tuple[int, list[str]]]:
    """Return exit code and output of a plan with a glance, and of one without."""
    outcomes = []
    for least in (spans.LEAST, 1 << 30):
        monkeypatch.setattr(spans, "LEAST", least)
        flags = ("--from", "auto", "--to", "1.31.14", "-f", path, "-o", "json", "--jobs", jobs, *more)
        result = run("plan", *flags)
        outcomes.append((result.code, list(lines(result.err + result.out))))
    return outcomes


HIDDEN: dict[str, Callable[[str], str]] = {
    "in any order": lambda text: text_of(shuffled(json.loads(text)["items"])),
    "nodes in the middle": lambda text: text_of(nodes_in_the_middle(json.loads(text)["items"])),
    "a node among the pods": lambda text: _put(text, 0.5, BEGIN, f", {OTHER}{BEGIN}"),
    "elements within a pod": lambda text: _put(
        text, 0.5, '"spec": {', '"other": [{"x": 1}' + BEGIN + '}}],\n"spec": {'
    ),
    "elements behind the list": lambda text: text.replace(
        '"kind": "List"', '"other": [{"x": 1}' + (BEGIN + "}}") * 3 + '], "kind": "List"'
    ),
    "a list of a pod": lambda text: _put(
        text, 0.5, BEGIN, f', {{"kind": "List", "items": [{OTHER}]}}{BEGIN}'
    ),
}


@pytest.mark.parametrize(
    ("change", "jobs"),
    sliced(product(HIDDEN, [1, 2]), [(change, 1 + place % 2) for place, change in enumerate(HIDDEN)]),
)
def test_what_a_glance_overlooks_is_seen(
    run: Run, change: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "c.json", HIDDEN[change](text_of(objects())))
    with_glance, without = planned(run, path, jobs, monkeypatch)
    assert with_glance == without
    assert without[0] == 0


def lines(text: str) -> Iterator[str]:
    """Yield the lines but for the time of the plan, which its digest covers."""
    yield from (line for line in text.splitlines() if '"createdAt"' not in line and '"digest"' not in line)


def test_a_guess_that_is_wrong_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json", HIDDEN["a node among the pods"](text_of(objects())))
    inventory = read(path, 2)
    assert inventory.guessed
    with pytest.raises(InputError, match=r"c\.json: not what it seems to be at a glance$"):
        list(inventory.pods)


def test_the_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = text_of(objects())
    (source,) = inputs(str(written(tmp_path / "c.json", text)), False, ())
    glance = spans.glanced(source, 3)
    assert glance
    assert len(glance.spans) == 3
    for span in glance.spans:
        part = text[span.begin : span.end]
        assert part.endswith("},")
        pods = json.loads(f"[{part.rstrip(',')}]")
        assert {manifest["kind"] for manifest in pods} == {"Pod"}
