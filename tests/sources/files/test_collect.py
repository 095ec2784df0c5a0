"""Files, directories and streams: whatever form the same pods come in, the plan is the same."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from hashcompat.api import inputs
from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.pods import Origin, Source
from hashcompat.sources.files import called
from hashcompat.sources.files import collect as files
from hashcompat.sources.files.collect import sample_cluster
from tests.helpers.pods import ARTICLE, Json, as_json, listed, node, pod
from tests.helpers.program import SCRIPTS, Run, unplaced
from tests.helpers.slices import every

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PLAN = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-o", "json")
STATUS = {"phase": "Running"}
PODS = (pod(ARTICLE, name="a", status=STATUS), pod(name="b", node="n2", status=STATUS))


def as_yaml(*objects: object) -> bytes:
    return yaml.safe_dump_all(objects, sort_keys=False).encode()


def pod_list() -> bytes:
    bare = [{key: item[key] for key in ("metadata", "spec", "status")} for item in PODS]
    return json.dumps({"kind": "PodList", "apiVersion": "v1", "items": bare}).encode()


FORMS: dict[str, bytes] = {
    "List": as_json(*PODS),
    "PodList whose items have no kind": pod_list(),
    "List of Lists": as_json(listed(listed(PODS[0]), listed(PODS[1]))),
    "indented JSON": json.dumps(listed(*PODS), indent=4).encode(),
    "JSON lines": b"\n".join(as_json(item) for item in PODS) + b"\n",
    "JSON documents on end": b"".join(as_json(item) for item in PODS),
    "JSON lines after a byte order mark": b"\xef\xbb\xbf" + b"\n".join(as_json(item) for item in PODS),
    "UTF-16, as PowerShell writes it": as_json(*PODS).decode().encode("utf-16"),
    "YAML documents": as_yaml(*PODS),
    "YAML documents with empty ones between": b"---\n"
    + as_yaml(*PODS).replace(b"---\n", b"---\n---\n# a comment\n---\n")
    + b"---\n",
    "YAML List": as_yaml(listed(*PODS)),
    "YAML with Windows line ends": as_yaml(*PODS).replace(b"\n", b"\r\n"),
    "gzip of JSON": gzip.compress(as_json(*PODS)),
    "gzip of YAML": gzip.compress(as_yaml(*PODS)),
    "gzip in two members": gzip.compress(as_json(PODS[0])) + gzip.compress(as_json(PODS[1])),
    "zstd of JSON": zstd.compress(as_json(*PODS)),
    "zstd of YAML": zstd.compress(as_yaml(*PODS)),
    "zstd in two frames": zstd.compress(as_json(PODS[0])) + zstd.compress(as_json(PODS[1])),
    "PodList that says so behind its items": b'{"items": '
    + json.dumps(json.loads(pod_list())["items"]).encode()
    + b', "kind": "PodList"}',
    "YAML PodList that says so behind its items": yaml.safe_dump(json.loads(pod_list())).encode(),
    "YAML List with an anchor": as_yaml(listed(*PODS)).replace(b"items:", b"items: &all", 1)
    + b"again: *all\n",
    "other kinds between": as_json(
        {"kind": "Service", "spec": {}}, PODS[0], {"kind": "ConfigMapList", "items": []}, PODS[1]
    ),
    "Nodes between": as_json(node("v1.7.16"), *PODS),
}


def kind_last(document: Json) -> bytes:
    return json.dumps(
        {**{key: value for key, value in document.items() if key != "kind"}, "kind": document["kind"]}
    ).encode()


def without_kind(item: Json) -> Json:
    return {key: value for key, value in item.items() if key != "kind"}


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(as_json(node("v1.9.11", name="n1"), node("v1.9.11", name="n2")), id="a List"),
        pytest.param(
            kind_last(
                {
                    "kind": "NodeList",
                    "items": [without_kind(node("v1.9.11", name=name)) for name in ("n1", "n2")],
                }
            ),
            id="a NodeList that says so behind its items",
        ),
        pytest.param(as_yaml(node("v1.9.11", name="n1"), node("v1.9.11", name="n2")), id="YAML"),
        pytest.param(
            as_json(listed(node("v1.9.11", name="n1")), listed(listed(node("v1.9.11", name="n2")))),
            id="Lists in Lists",
        ),
    ],
)
def test_nodes_behind_the_pods_count(run: Run, tmp_path: Path, nodes: bytes) -> None:
    (tmp_path / "1-pods.json").write_bytes(as_json(*PODS))
    (tmp_path / "2-nodes").write_bytes(nodes)
    result = run(
        "plan",
        "--from",
        "auto",
        "--to",
        "1.9.11",
        "-o",
        "json",
        "-f",
        tmp_path / "1-pods.json",
        "-f",
        tmp_path / "2-nodes",
    )
    assert [(item["fromRelease"], item["verdict"]) for item in result.items] == [("v1.9.11", "KEEP")] * 2


def test_items_of_what_is_no_list_are_no_pods(run: Run) -> None:
    for kind in ("Service", "Listing"):
        result = run(*PLAN, "-f", "-", stdin=json.dumps({"items": [PODS[0]], "kind": kind}).encode())
        assert (result.code, result.out) == (1, "")
        assert "no pods in the input" in result.err


def test_pods_in_what_tells_no_kind_are_an_error_though_they_look_like_pods(run: Run) -> None:
    result = run(*PLAN, "-f", "-", stdin=json.dumps({"items": list(PODS)}).encode())
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "Error: standard input: $: not a Kubernetes object: it has no kind; "
        "save objects: kubectl get nodes,pods -A -o json > cluster.json\n"
    )


@pytest.mark.parametrize("form", [gzip.compress, zstd.compress, bytes], ids=["gzip", "zstd", "plain"])
@pytest.mark.parametrize("through", ["file", "standard input"])
def test_a_file_that_was_cut_is_an_error_and_never_a_smaller_plan(
    run: Run, tmp_path: Path, form: Callable[[bytes], bytes], through: str
) -> None:
    content = form(json.dumps(listed(*[pod(name=f"p{number}") for number in range(300)]), indent=4).encode())
    for length in (len(content) // 2, len(content) - 9):
        path = tmp_path / "pods"
        path.write_bytes(content[:length])
        result = (
            run(*PLAN, "-f", path) if through == "file" else run(*PLAN, "-f", "-", stdin=content[:length])
        )
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        origin = path if through == "file" else through
        assert re.match(rf"Error: {origin}: (damaged (gzip|zstd) data: |line \d+ column \d+: )", result.err)


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    """Its nodes and its pods are read one after the other, and would be of two clusters."""
    path = tmp_path / "pods.json"
    path.write_bytes(as_json(*PODS))
    inventory = files.collect((str(path),))
    assert [subject.name for subject in inventory.pods] == ["a", "b"]
    path.write_bytes(as_json(PODS[0]))
    with pytest.raises(InputError, match="changed while it was read"):
        list(inventory.pods)


def test_a_stream_beyond_memory_is_read_as_often_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hashcompat.sources.files._IN_MEMORY", 100)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_json(*PODS))))
    inventory = files.collect(("-",))
    both = zip(inventory.pods, inventory.pods, strict=True)
    assert [(subject.name, other.name) for subject, other in both] == [("a", "a"), ("b", "b")]
    del inventory, both
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def expected(run: Run) -> list[object]:
    items = run(*PLAN, "-f", "-", stdin=as_json(*PODS)).items
    assert [(item["pod"], item["hash"]["to"]) for item in items] == [("a", 1428860573), ("b", 557709374)]
    return unplaced(items)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("through", every(2, ["file", "standard input"]))
def test_every_form_of_the_same_pods_gives_the_same_items(
    run: Run, tmp_path: Path, expected: list[object], content: bytes, through: str
) -> None:
    path = tmp_path / "no-known-suffix"
    path.write_bytes(content)
    result = run(*PLAN, "-f", path) if through == "file" else run(*PLAN, "-f", "-", stdin=content)
    assert unplaced(result.items) == expected


def test_files_add_up_in_the_order_given(run: Run, tmp_path: Path, expected: list[object]) -> None:
    (tmp_path / "1.json").write_bytes(as_json(PODS[1]))
    result = run(*PLAN, "-f", tmp_path / "1.json", "-f", "-", stdin=as_json(PODS[0]))
    assert unplaced(result.items) == expected


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    (tmp_path / "a.yaml").write_bytes(as_yaml(pod(name="a", status=STATUS)))
    (tmp_path / "b.yml").write_bytes(as_yaml(pod(name="b", status=STATUS)))
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(as_json(pod(name="c"))))
    (tmp_path / "README.md").write_text("{ not for reading")
    (tmp_path / "dir.json").mkdir()
    (tmp_path / "below" / "d.jsonl").write_bytes(as_json(pod(name="d")))
    (tmp_path / "below" / "deeper" / "e.ndjson").write_bytes(as_json(pod(name="e")))
    return tmp_path


@pytest.mark.parametrize(("more", "pods"), [((), "abc"), (("-R",), "abcde")], ids=["flat", "-R"])
def test_a_directory_is_read_by_suffix(run: Run, directory: Path, more: tuple[str, ...], pods: str) -> None:
    assert [item["pod"] for item in run(*PLAN, "-f", directory, *more).items] == list(pods)


def test_an_error_in_a_directory_names_the_file(run: Run, directory: Path) -> None:
    (directory / "below" / "deeper" / "e.ndjson").write_bytes(as_json(pod()) + b"\n{")
    result = run(*PLAN, "-f", directory, "-R")
    assert (result.code, str(directory / "below" / "deeper" / "e.ndjson") in result.err) == (1, True)


def test_a_pipe_is_read_to_its_end(run: Run, tmp_path: Path, expected: list[object]) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(as_json(*PODS)))
    writer.start()
    assert unplaced(run(*PLAN, "-f", fifo).items) == expected
    writer.join(10)


def test_a_process_reads_its_standard_input(expected: list[object]) -> None:
    done = subprocess.run(
        [SCRIPTS / "hashcompat", *PLAN, "-f", "-"], input=as_json(*PODS), capture_output=True, check=True
    )
    assert unplaced(json.loads(done.stdout)["items"]) == expected


def test_invalid_utf8_in_json_reaches_the_hash_as_go_reads_it(run: Run) -> None:
    """Each invalid byte is one U+FFFD (encoding/json, the golden case ``invalid-utf8-in-args``)."""
    whole = as_json(pod({"name": "c", "args": ["a??b"]}))
    contents = (whole.replace(b"??", "\ufffd\ufffd".encode()), whole.replace(b"??", b"\xff\xfe"))
    hashes = [
        run("hash", "--kubelet", "1.9.11", "-f", "-", "-o", "json", stdin=stdin).item["hashes"]
        for stdin in contents
    ]
    assert hashes[0] == hashes[1]


def test_invalid_utf8_in_yaml_is_refused_as_go_yaml_refuses_it(run: Run) -> None:
    result = run("hash", "--kubelet", "1.9.11", "-f", "-", stdin=b"kind: Pod\nmetadata:\n  name: a\xffb\n")
    assert (result.code, result.out, result.err) == (
        1,
        "",
        "Error: standard input: line 3: not valid YAML: not UTF-8\n",
    )


def test_the_inventory_tells_where_it_comes_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_bytes(as_json(*PODS))
    saved = tmp_path / "saved.json.gz"
    assert run("snapshot", "-f", tmp_path / "pods.json", "--out", saved).code == 0
    pods = str(tmp_path / "pods.json")
    for name, kind in ((pods, Source.FILES), (str(saved), Source.SNAPSHOT)):
        written = datetime.fromtimestamp(Path(name).stat().st_mtime, UTC).replace(microsecond=0)
        assert files.collect((name,)).origin == Origin(kind, (name,), oldest=written)
    assert files.collect((str(saved), pods)).origin.kind is Source.FILES
    assert sample_cluster().origin == Origin(Source.SAMPLE)
    assert inputs.collect(PODS).origin == Origin(Source.OBJECTS)
    assert called("https://user:secret@host/pods.json?token=x") == "https://host/pods.json"


def test_nodes_alone_are_enough_beside_static_pods(run: Run, tmp_path: Path) -> None:
    directory = tmp_path / "manifests"
    directory.mkdir()
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    (directory / "web.json").write_text(json.dumps(manifest))
    argv = (
        "plan",
        "--from",
        "auto",
        "--to",
        "1.29.15",
        "-o",
        "json",
        "-f",
        "-",
        "--static-pod-dir",
        directory,
    )
    result = run(*argv, "--node-name", "n1", "--static-pod-dir", directory, stdin=as_json(node("v1.28.15")))
    assert result.item["fromRelease"] == "v1.28.15", result.err


LABELLED = [{**node("v1.9.11", name), "metadata": {"name": name, "labels": {"a": "b"}}} for name in "mn"]
TAINTED = [{**node("v1.9.11", name), "spec": {"taints": [{"key": "a", "effect": "b"}]}} for name in "mn"]
OWNED = [
    pod(name=name, metadata={"ownerReferences": [{"controller": True, "kind": "X", "name": name}]})
    for name in "pq"
]


@pytest.mark.parametrize(
    ("limit", "most", "objects", "problem"),
    [
        pytest.param("MOST_NODES", 1, LABELLED, "1 nodes", id="nodes"),
        pytest.param("MOST_OF_NODES", 300, LABELLED, "300 bytes of labels and taints", id="labels"),
        pytest.param("MOST_OF_NODES", 500, TAINTED, "500 bytes of labels and taints", id="taints"),
        pytest.param("MOST_CONTROLLERS", 1, OWNED, "1 owners and workloads", id="owners"),
        pytest.param("MOST_LISTS", 1, [{"items": [pod()], "kind": "List"}] * 2, "1 lists", id="lists"),
    ],
)
def test_what_a_first_look_keeps_has_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, objects: list[Json], problem: str
) -> None:
    """Two things are read where two may be kept, and refused where one may."""
    path = tmp_path / "pods.json"
    path.write_bytes(b"\n".join(map(as_json, objects)))
    monkeypatch.setattr(allowance, limit, 2 * most)
    files.collect((str(path),))
    monkeypatch.setattr(allowance, limit, most)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: more than {problem}"):
        files.collect((str(path),))
