"""Dumps of nodes in tar archives, as ``--recorded`` reads them."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Literal

import pytest

from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import hash_of, record

C: Json = {"name": "c", "image": "i"}
KUBELET = "1.9.11"


def archive(mode: Literal["w", "w:gz"], **files: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tar:
        directory = tarfile.TarInfo("dump")
        directory.type = tarfile.DIRTYPE
        tar.addfile(directory)
        for name, text in files.items():
            row = tarfile.TarInfo(f"dump/{name.replace('_', '.')}")
            row.size = len(text)
            tar.addfile(row, io.BytesIO(text.encode()))
    return stream.getvalue()


def verified(run: Run, path: Path) -> Result:
    return run(
        "verify",
        "--kubelet",
        KUBELET,
        "-f",
        "-",
        "-o",
        "json",
        "--recorded",
        path,
        stdin=as_json(pod(C), pod(C, name="q")),
    )


def rows(run: Run, name: str) -> str:
    return json.dumps({"containers": [record(hash_of(run, KUBELET, C), name)]})


@pytest.mark.parametrize(("mode", "name"), [("w", "f.tar"), ("w:gz", "f.tar.gz"), ("w:gz", "f.tgz")])
def test_an_archive_holds_the_dumps_of_many_nodes(
    run: Run, tmp_path: Path, mode: Literal["w", "w:gz"], name: str
) -> None:
    (tmp_path / name).write_bytes(
        archive(mode, n1_json=rows(run, "p"), n2_json=rows(run, "q"), n3_json="{}", notes_md="x")
    )
    assert verified(run, tmp_path / name).document["summary"]["reproduced"] == 2
    assert verified(run, tmp_path).document["summary"]["reproduced"] == 2


def test_a_damaged_member_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "f.tar").write_bytes(archive("w", n1_json="{"))
    result = verified(run, tmp_path / "f.tar")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: {tmp_path}/f.tar: dump/n1.json: ")


@pytest.mark.parametrize(
    ("mode", "text", "kept", "problem"),
    [
        ("w", "{}", slice(None), "no kubelet's container in any file of it"),
        ("w", "x" * 5000, slice(3000), "damaged tar archive: unexpected end of data"),
        ("w:gz", "{}", slice(-20), "damaged gzip data"),
    ],
    ids=["no records", "cut tar", "cut gzip"],
)
def test_an_archive_without_records_is_named(
    run: Run, tmp_path: Path, mode: Literal["w", "w:gz"], text: str, kept: slice, problem: str
) -> None:
    (tmp_path / "f.tar").write_bytes(archive(mode, n1_json=text)[kept])
    result = verified(run, tmp_path / "f.tar")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: {tmp_path}/f.tar: {problem}")
