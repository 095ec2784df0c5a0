"""Files, directories and streams: whatever form the same pods come in, the plan is the same."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
import yaml
from pods import ARTICLE, as_json, listed, node, pod
from program import SCRIPTS, Run

PLAN = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-o", "json")
PODS = (pod(ARTICLE, name="a"), pod(name="b", node="n2"))


def as_yaml(*objects: object) -> bytes:
    return yaml.safe_dump_all(objects, sort_keys=False).encode()


def pod_list() -> bytes:
    bare = [{key: item[key] for key in ("metadata", "spec")} for item in PODS]
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
    "YAML documents with empty ones between": b"---\n" + as_yaml(*PODS).replace(b"---\n", b"---\n---\n# a comment\n---\n") + b"---\n",
    "YAML List": as_yaml(listed(*PODS)),
    "YAML with Windows line ends": as_yaml(*PODS).replace(b"\n", b"\r\n"),
    "gzip of JSON": gzip.compress(as_json(*PODS)),
    "gzip of YAML": gzip.compress(as_yaml(*PODS)),
    "gzip in two members": gzip.compress(as_json(PODS[0])) + gzip.compress(as_json(PODS[1])),
    "other kinds between": as_json({"kind": "Service", "spec": {}}, PODS[0], {"kind": "ConfigMapList", "items": []}, PODS[1]),
    "Nodes between": as_json(node("v1.0.0"), *PODS),
}


@pytest.fixture
def expected(run: Run) -> list[object]:
    items = run(*PLAN, "-f", "-", stdin=as_json(*PODS)).items
    assert [(item["pod"], item["hash"]["to"]) for item in items] == [("a", 1428860573), ("b", 557709374)]
    return items


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("through", ["file", "standard input"])
def test_every_form_of_the_same_pods_gives_the_same_items(
    run: Run, tmp_path: Path, expected: list[object], content: bytes, through: str
) -> None:
    path = tmp_path / "no-known-suffix"
    path.write_bytes(content)
    result = run(*PLAN, "-f", path) if through == "file" else run(*PLAN, "-f", "-", stdin=content)
    assert result.items == expected


def test_files_add_up_in_the_order_given(run: Run, tmp_path: Path, expected: list[object]) -> None:
    (tmp_path / "1.json").write_bytes(as_json(PODS[1]))
    assert run(*PLAN, "-f", tmp_path / "1.json", "-f", "-", stdin=as_json(PODS[0])).items == expected


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    (tmp_path / "a.yaml").write_bytes(as_yaml(pod(name="a")))
    (tmp_path / "b.yml").write_bytes(as_yaml(pod(name="b")))
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
    assert run(*PLAN, "-f", fifo).items == expected
    writer.join(10)


def test_a_process_reads_its_standard_input(expected: list[object]) -> None:
    done = subprocess.run([SCRIPTS / "hashcompat", *PLAN, "-f", "-"], input=as_json(*PODS), capture_output=True, check=True)
    assert json.loads(done.stdout)["items"] == expected


def test_invalid_utf8_in_json_reaches_the_hash_as_go_reads_it(run: Run) -> None:
    """One U+FFFD for each byte that is none (encoding/json); the golden case ``invalid-utf8-in-args`` has hashes of real Go."""
    whole = as_json(pod({"name": "c", "args": ["a??b"]}))
    contents = (whole.replace(b"??", "\ufffd\ufffd".encode()), whole.replace(b"??", b"\xff\xfe"))
    hashes = [run("hash", "--kubelet", "1.9.11", "-f", "-", "-o", "json", stdin=stdin).item["hashes"] for stdin in contents]
    assert hashes[0] == hashes[1]


def test_invalid_utf8_in_yaml_is_refused_as_go_yaml_refuses_it(run: Run) -> None:
    result = run("hash", "--kubelet", "1.9.11", "-f", "-", stdin=b"kind: Pod\nmetadata:\n  name: a\xffb\n")
    assert (result.code, result.out, result.err) == (1, "", "Error: standard input: line 3: not valid YAML: not UTF-8\n")
