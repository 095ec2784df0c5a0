"""A large file in spans: the same pods, nodes and lines as one process reads, or else it is not divided."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Inventory, SharedPods
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import inputs, spans
from hashcompat.sources.files.survey import survey_of
from scripts.bench import cluster
from scripts.bench.made.nodes import node
from scripts.bench.made.shape import Shape
from tests.helpers.slices import sliced

Json = dict[str, Any]


pytestmark = [pytest.mark.usefixtures("untraced"), pytest.mark.slow]

PODS = 24


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files be divided."""
    monkeypatch.setattr(spans, "LEAST", 1 << 12)


def dumped(path: Path, objects: list[Json], indent: int | None = 4, *, first: bool = False) -> Path:
    kind = {"kind": "List", "metadata": {"resourceVersion": ""}}
    before, behind = (kind, {}) if first else ({}, kind)
    document = {"apiVersion": "v1", **before, "items": objects, **behind}
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=False))
    return path


def objects(pods: int = PODS, **more: Any) -> list[Json]:
    return list(cluster.objects(pods, Shape(**more)))


def read(path: Path, jobs: int) -> Inventory:
    return files.collect((str(path),), jobs=jobs)


def shared(inventory: Inventory) -> list[Any]:
    """Return the pods of all shares."""
    assert isinstance(inventory.pods, SharedPods)
    return [pod for share in inventory.pods.shares() for pod in share]


def same(path: Path, jobs: int = 3) -> int:
    """Read a file in one process and in several, and compare; return the number of shares."""
    single, several = read(path, 1), read(path, jobs)
    assert isinstance(several.pods, SharedPods)
    for name in ("nodes", "records", "origin", "warnings", "containers", "budgets"):
        assert getattr(single, name) == getattr(several, name), name
    pods = list(single.pods)
    assert list(several.pods) == pods
    shares = several.pods.shares()
    if shares:
        assert [pod for share in shares for pod in share] == pods
        assert several.pods.are_right([share.seen for share in shares])
    return len(shares)


@pytest.mark.parametrize(
    ("indent", "first", "jobs"),
    sliced(
        product([None, 1, 4], [False, True], [2, 3, 7]),
        [(None, False, 2), (None, True, 7), (1, False, 7), (1, True, 2), (4, False, 3), (4, True, 3)],
    ),
)
def test_a_file_in_spans_is_read_as_a_whole(
    tmp_path: Path, indent: int | None, first: bool, jobs: int
) -> None:
    path = dumped(tmp_path / "c.json", objects(), indent, first=first)
    assert same(path, jobs) == jobs


def test_what_is_not_ascii_counts_in_bytes(tmp_path: Path) -> None:
    given = objects()
    for number, manifest in enumerate(given):
        manifest["metadata"]["annotations"] = {"a": "é中\N{PILE OF POO}" * (number % 50)}
    path = dumped(tmp_path / "c.json", given)
    assert same(path) == 3
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert same(path) == 3
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff"))
    assert same(path) == 3


def test_windows_line_ends_and_random_order(tmp_path: Path) -> None:
    given = objects()
    random.Random(3).shuffle(given)
    path = dumped(tmp_path / "c.json", given)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert same(path) == 3


def test_other_files_stay_before_and_behind(tmp_path: Path) -> None:
    given = objects()
    nodes = [manifest for manifest in given if manifest["kind"] == "Node"]
    pods = [manifest for manifest in given if manifest["kind"] == "Pod"]
    paths = [
        dumped(tmp_path / "a.json", nodes),
        dumped(tmp_path / "b.json", pods[:20]),
        dumped(tmp_path / "c.json", pods[20:]),
    ]
    assert same(tmp_path) == 3
    inventory = read(tmp_path, 3)
    assert [pod.name for pod in shared(inventory)] == [manifest["metadata"]["name"] for manifest in pods]
    assert [pod.file for pod in shared(inventory)] == [str(path) for path in [paths[1]] * 20 + [paths[2]] * 4]


def test_documents_may_follow(tmp_path: Path) -> None:
    """They are read by one process, so that no pod in them comes before those of a span."""
    path = dumped(tmp_path / "c.json", objects())
    more = [manifest for manifest in objects(3) if manifest["kind"] == "Pod"]
    for manifest in more:
        manifest["metadata"]["uid"] = f"other-{manifest['metadata']['name']}"
    path.write_text("\n".join([path.read_text(), *map(json.dumps, more)]))
    (source,) = inputs(str(path), False, ())
    assert survey_of(source, 3).spans
    assert same(path) == 0


NOT_DIVIDED: dict[str, Callable[[str], bytes]] = {
    "gzip": lambda text: gzip.compress(text.encode()),
    "UTF-16": lambda text: text.encode("utf-16"),
    "JSON lines": lambda text: "\n".join(map(json.dumps, json.loads(text)["items"])).encode(),
    "YAML": lambda text: b"---\n" + text.encode(),
    "a first element of another form": lambda text: text.replace(
        '"items": [', '"items": [{"zzz": 1, "apiVersion": "v1", "kind": "X"},', 1
    ).encode(),
}


@pytest.mark.parametrize("change", NOT_DIVIDED.values(), ids=NOT_DIVIDED)
def test_any_other_file_is_read_by_one_process(change: Callable[[str], bytes], tmp_path: Path) -> None:
    path = dumped(tmp_path / "c.json", objects())
    path.write_bytes(change(path.read_text()))
    assert same(path) == 0


def test_a_small_file_is_not_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "LEAST", 1 << 23)
    assert same(dumped(tmp_path / "c.json", objects())) == 0


def nested(text: str) -> str:
    """Return a file in which a place inside an element looks like one between two elements."""
    document = json.loads(text)
    first = document["items"][0]
    inner = [{"apiVersion": "v1", "kind": "X"} for _ in range(3000)]
    document["items"].insert(5, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "inner": inner})
    assert next(iter(first)) == "apiVersion"
    return json.dumps(document)


def test_a_wrong_guess_costs_time_alone(tmp_path: Path) -> None:
    path = dumped(tmp_path / "c.json", objects(10), None)
    path.write_text(nested(path.read_text()))
    (source,) = inputs(str(path), False, ())
    assert spans.guessed(source, 3)
    assert same(path) == 0


def at(text: str, share: float) -> int:
    """Return the place of the next pod's name behind a part of a text."""
    return text.index('"name": "', int(share * len(text)))


def _copied(text: str) -> str:
    document = json.loads(text)
    first = json.loads(json.dumps(document["items"][-PODS]))
    first["spec"]["containers"][0]["image"] = "other"
    document["items"].append(first)
    return json.dumps(document, indent=4)


def _other_node(text: str) -> str:
    document = json.loads(text)
    node = json.loads(json.dumps(document["items"][0]))
    node["status"]["nodeInfo"]["kubeletVersion"] = "v1.2.3"
    document["items"].insert(1, node)
    return json.dumps(document, indent=4)


DAMAGED: dict[str, Callable[[str], str]] = {
    "cut in the first span": lambda text: text[: at(text, 0.1)],
    "cut in the last span": lambda text: text[: at(text, 0.9)],
    "a word": lambda text: f"{text[: at(text, 0.5)]}nonsense{text[at(text, 0.5) :]}",
    "a control character": lambda text: f"{text[: at(text, 0.5)]}\x07{text[at(text, 0.5) :]}",
    "no comma": lambda text: text[:1000] + text[1000:].replace("},\n        {", "}\n        {", 40),
    "a pod without containers": lambda text: (
        text[: at(text, 0.7)]
        + text[at(text, 0.7) :].replace('"containers": [', '"containers": 7, "other": [', 1)
    ),
    "a second items": lambda text: text.replace('"kind": "List"', '"kind": "List", "items": []'),
    "something behind": lambda text: f"{text}]",
    "a copy": _copied,
    "another node of one name": _other_node,
}


@pytest.mark.parametrize("change", DAMAGED.values(), ids=DAMAGED)
def test_what_is_wrong_is_said_as_of_a_whole_file(change: Callable[[str], str], tmp_path: Path) -> None:
    path = dumped(tmp_path / "c.json", objects())
    path.write_text(change(path.read_text()))

    def errors() -> Iterator[str]:
        for jobs in (1, 3):
            with pytest.raises(InputError) as error:
                list(read(path, jobs).pods)
            yield str(error.value)

    assert len(set(errors())) == 1


def test_a_copy_in_two_shares_is_seen(tmp_path: Path) -> None:
    given = objects()
    pods = read(dumped(tmp_path / "c.json", [*given, given[-PODS]]), 3).pods
    assert isinstance(pods, SharedPods)
    shares = pods.shares()
    assert sum(len(list(share)) for share in shares) == PODS + 1
    assert not pods.are_right([share.seen for share in shares])
    assert len(list(pods)) == PODS


def test_no_pod_in_any_share_is_seen(tmp_path: Path) -> None:
    nodes = [node(f"node-{number:04}", "1.30.14") for number in range(100)]
    pods = read(dumped(tmp_path / "c.json", nodes), 2).pods
    assert isinstance(pods, SharedPods)
    shares = pods.shares()
    assert len(shares) == 2
    assert not any(list(share) for share in shares)
    assert not pods.are_right([share.seen for share in shares])


def test_where_processes_fail_one_reads_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = dumped(tmp_path / "c.json", objects())

    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr("os.fork", fork)
    (source,) = inputs(str(path), False, ())
    assert survey_of(source, 3).spans is None
