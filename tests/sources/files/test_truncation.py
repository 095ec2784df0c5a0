"""Files cut at any byte: an error, or all containers, never a part of them as if it were the whole."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from hashcompat.analysis.planning.view import check_whole
from hashcompat.core.errors import InputError
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import dumps
from tests.helpers import randomness
from tests.helpers.pods import Json, as_json, listed, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import record

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PLAN = ("plan", "--from", "1.7.16", "--to", "1.9.11")
STATUS = {"phase": "Running"}
PODS = [
    pod({"name": "a", "image": "i"}, {"name": "b", "image": "j"}, name="p", status=STATUS),
    pod({"name": "a", "image": "i"}, name="q", status=STATUS),
]
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d", "uid": "uid-d"},
    "spec": {"replicas": 1, "template": {"spec": PODS[0]["spec"]}},
    "status": {"replicas": 1},
}


def as_kubectl(value: Json) -> bytes:
    """Return an object as ``kubectl -o yaml`` prints it, and its lists, with sorted keys."""
    return yaml.safe_dump(value).encode()


def kubectl_list(*objects: Json) -> bytes:
    return as_kubectl({**listed(*objects), "metadata": {"resourceVersion": ""}})


def lines(*objects: Json) -> bytes:
    return b"".join(as_json(manifest) + b"\n" for manifest in objects)


FORMS: dict[str, bytes] = {
    "a List": json.dumps(listed(*PODS), indent=1).encode(),
    "a YAML Pod": as_kubectl(PODS[0]),
    "a YAML Pod with its kind first": yaml.safe_dump(PODS[0], sort_keys=False).encode(),
    "a YAML Deployment": as_kubectl(DEPLOYMENT),
    "a YAML List": kubectl_list(*PODS),
    "a YAML List with nodes": kubectl_list(*PODS, node("v1.9.11")),
    "a YAML PodList": as_kubectl(
        {"apiVersion": "v1", "kind": "PodList", "items": [{**manifest, "kind": "Pod"} for manifest in PODS]}
    ),
    "UTF-16 with a YAML List": kubectl_list(PODS[0]).decode().encode("utf-16"),
    "gzip of a List": gzip.compress(as_json(*PODS)),
    "gzip of JSON lines": gzip.compress(lines(*PODS)),
    "gzip of YAML documents": gzip.compress(b"---\n".join(map(as_kubectl, PODS))),
    "zstd of JSON lines": zstd.compress(lines(*PODS)),
}
"""Files that lose containers by no cut."""


def containers(path: Path) -> int:
    """Return how many containers are read, each from a pod that is certainly whole."""
    count = 0
    for subject in files.collect((str(path),)).pods:
        check_whole(subject)
        count += len(subject.containers)
    return count


def records(path: Path) -> int:
    return len(dumps.records_in((str(path),)))


def lengths(content: bytes) -> list[int]:
    """Return where to cut: everywhere, or else around each end of a line and at every twelfth byte."""
    every = range(len(content))
    if randomness.FRESH:
        return list(every)
    return [
        length for length in every if length % 12 == 0 or b"\n" in content[max(length - 2, 0) : length + 1]
    ]


def smaller(path: Path, content: bytes, read: Callable[[Path], int]) -> set[int]:
    """Return the lengths at which a cut file is read as a smaller one."""
    path.write_bytes(content)
    whole = read(path)
    assert whole > 1
    cuts = set()
    for length in lengths(content):
        path.write_bytes(content[:length])
        try:
            if read(path) != whole:
                cuts.add(length)
        except InputError:
            pass
    return cuts


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_a_cut_is_an_error_or_changes_nothing(tmp_path: Path, content: bytes) -> None:
    assert smaller(tmp_path / "pods", content, containers) == set()


@pytest.mark.usefixtures("untraced")
def test_a_cut_between_two_json_lines_cannot_be_noticed(tmp_path: Path) -> None:
    content, first = lines(*PODS), len(as_json(PODS[0]))
    assert smaller(tmp_path / "pods", content, containers) == {first, first + 1}


@pytest.mark.usefixtures("untraced")
def test_a_cut_between_two_yaml_documents_cannot_be_noticed(tmp_path: Path) -> None:
    """With and without the line's end, and with the marker of a next document that is empty."""
    first = len(as_kubectl(PODS[0]))
    content = b"---\n".join(map(as_kubectl, PODS))
    assert smaller(tmp_path / "pods", content, containers) == {first - 1, first, first + 3, first + 4}


@pytest.mark.usefixtures("untraced")
def test_a_cut_between_two_items_of_a_yaml_list_that_begins_with_its_kind_cannot_be_noticed(
    tmp_path: Path,
) -> None:
    content = yaml.safe_dump(listed(*PODS), sort_keys=False).encode()
    second = content.rindex(b"- apiVersion")
    assert smaller(tmp_path / "pods", content, containers) == {second - 1, second}


@pytest.mark.usefixtures("untraced")
def test_a_cut_snapshot_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_bytes(as_json(*PODS, node("v1.9.11")))
    (tmp_path / "records.json").write_text(json.dumps({"containers": [record(1, "p", "a")]}))
    saved = tmp_path / "saved.json"
    result = run(
        "snapshot", "-f", tmp_path / "pods.json", "--recorded", tmp_path / "records.json", "--out", saved
    )
    assert result.code == 0, result.err
    assert smaller(saved, saved.read_bytes(), containers) == set()


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_cut_archive_is_an_error(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in ("a", "b"):
            data = json.dumps({"containers": [record(1, "p", name)]}).encode()
            row = tarfile.TarInfo(f"{name}.json")
            row.size = len(data)
            archive.addfile(row, io.BytesIO(data))
    plain = stream.getvalue()[: 5 * 512]  # two members of two blocks, and one of the blocks that end it
    assert smaller(tmp_path / "dump.tar", pack(plain), records) == set()


@pytest.mark.parametrize("step", [31])
def test_the_program_refuses_what_was_cut(run: Run, tmp_path: Path, step: int) -> None:
    path = tmp_path / "pods.yaml"
    content = kubectl_list(*PODS)
    for length in range(0, content.index(b"kind: List") + len(b"kind: Lis"), step):
        path.write_bytes(content[:length])
        result = run(*PLAN, "-f", path)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1), length
