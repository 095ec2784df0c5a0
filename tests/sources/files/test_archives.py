"""Dumps of nodes in tar archives, as ``--recorded`` reads them."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources.files import archives, dumps
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Result, Run
from tests.helpers.slices import every
from tests.helpers.upgrades import hash_changed, hash_of, record

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
        ("w", "{}", slice(None), "no kubelet's container in any of its files"),
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


BLOCK = 512
END = bytes(2 * BLOCK)


def header(name: str = "n.json", size: int = 0, kind: bytes = b"0", **more: str) -> bytes:
    """Return one header; ``size`` may be what no file has."""
    row = tarfile.TarInfo(name)
    row.type, row.pax_headers = kind, more
    row.size = min(size, 8**11 - 1)
    block = bytearray(row.tobuf(tarfile.GNU_FORMAT)[-BLOCK:])
    if size != row.size:
        block[124:136] = tarfile.itn(size, 12, tarfile.GNU_FORMAT)  # type: ignore[attr-defined]
        block[148:156] = b"%06o\0 " % (256 + sum(block[:148]) + sum(block[156:]))
    return bytes(block)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def pax(text: bytes, kind: bytes = b"x") -> bytes:
    return header("pax", len(text), kind) + padded(text)


def record_of(key: bytes, value: bytes) -> bytes:
    length = len(key) + len(value) + 3
    length += len(str(length + len(str(length))))
    return b"%d %s=%s\n" % (length, key, value)


def member(data: bytes, name: str = "n.json.gz") -> bytes:
    return header(name, len(data)) + padded(data)


GOOD = b'{"containers": []}'
SPARSE = b"".join(
    record_of(key, value)
    for key, value in {
        b"GNU.sparse.major": b"0",
        b"GNU.sparse.minor": b"1",
        b"GNU.sparse.name": b"n.json",
        b"GNU.sparse.size": b"9000000000000000000",
        b"GNU.sparse.map": b"0,0",
    }.items()
)
OLD_SPARSE = header(kind=tarfile.GNUTYPE_SPARSE, size=8)


def packed(data: bytes) -> bytes:
    """Return an archive of one file, which gzip packed."""
    return member(gzip.compress(data, 1)) + END


HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "no end": (header(size=len(GOOD)) + padded(GOOD), "it ends without the block of zeros"),
    "garbage for a header": (header("n.md") + b"x" * 2 * BLOCK, "it ends without the block of zeros"),
    "half a header": (header("n.md") + header()[:99], "it ends without the block of zeros"),
    "another archive behind it": (member(GOOD, "n.md") + END + member(GOOD) + END, "more behind its end"),
    "zeros without an end": (member(GOOD, "n.md") + END + bytes(20 << 20), "more behind its end"),
    "a sparse file of 8 EB": (
        pax(SPARSE) + header("x", 8) + padded(b"x" * 8) + END,
        "n.json: a sparse file; ",
    ),
    "an old sparse file": (OLD_SPARSE + padded(b"x" * 8) + END, "n.json: a sparse file; "),
    "a file of 8 EB": (header(size=8 << 60) + END, "n.json: a file of more than 32 MiB"),
    "a file below 0": (header(size=-512) + END, "damaged tar archive: "),  # Python 3.14 refuses it itself
    "a skipped file below 0": (header("n.md", size=-2048) + END, "damaged tar archive: "),
    "a skipped file of 8 EB": (header("n.md", size=8 << 60) + END, "unexpected end of data"),
    "a name of 1 MB": (
        header(kind=tarfile.GNUTYPE_LONGNAME, size=1 << 20) + b"x" * (1 << 20) + header() + END,
        "a header of more than 64 KiB",
    ),
    "headers of 8 EB": (header(kind=b"x", size=8 << 60) + END, "a header of more than 64 KiB"),
    "headers below 0": (header(kind=b"x", size=-512) + END, "damaged tar archive: "),
    "headers of headers": (pax(record_of(b"a", b"b")) * 200 + header() + END, "a header of more than 64 KiB"),
    "headers of digits": (pax(b"1" * 60_000) + header() + END, "a header of digits"),
    "a size that is not a number": (pax(record_of(b"size", b"x")) + header() + END, "n.json: empty"),
    "a sparse map that is not one": (
        pax(SPARSE.replace(b"0,0", b"a,b")) + header() + END,
        "damaged tar archive: ",
    ),
    "links": (
        header(kind=b"2") + header(kind=b"1") + header(kind=b"3") + END,
        "no kubelet's container in any",
    ),
    "not an encoding": (
        pax(record_of(b"hdrcharset", b"BINARY") + record_of(b"path", b"\xff.json")) + member(b"{") + END,
        "\\udcff.json: line 1 column 2: not valid JSON",
    ),
    "control characters": (header("\x1b[2J.json", size=1) + padded(b"{") + END, "\\x1b[2J.json: line 1"),
    "gzip of a bomb": (lambda: packed(bytes(1 << 26)), "n.json.gz: zero bytes"),
    "gzip of spaces": (lambda: packed(b" " * (1 << 26)), "n.json.gz: more than 1 MiB of white space"),
    "gzip of a long list": (
        lambda: packed(b"[" + b"0," * (1 << 25)),
        "n.json.gz: text of more than 32 MiB",
    ),
    "many values": (
        lambda: member(b"[" + b"{}," * 2_000_000, "n.json") + END,
        "JSON of more than 2,000,000 values",
    ),
}


@pytest.mark.parametrize("form", every(2, [bytes, gzip.compress]), ids=["plain", "gzip"])
@pytest.mark.parametrize(("content", "says"), HOSTILE.values(), ids=HOSTILE)
def test_an_archive_that_nobody_packed_is_one_error(
    run: Run, tmp_path: Path, content: bytes | Callable[[], bytes], says: str, form: type[bytes]
) -> None:
    path = tmp_path / "dump.tar"
    path.write_bytes(form(content() if callable(content) else content))
    result = verified(run, path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith(f"Error: {path}: ")
    assert says in result.err


def test_members_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_MEMBERS", 3)
    path = tmp_path / "dump.tar"
    path.write_bytes(header("n.md") * 3 + END)
    with pytest.raises(InputError, match="no kubelet's container in any of its files"):
        dumps.records_in((str(path),))
    path.write_bytes(header("n.md") * 4 + END)
    with pytest.raises(InputError, match="tar archive of more than 3 members, the most that is read"):
        dumps.records_in((str(path),))


def test_the_content_of_an_archive_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("hashcompat.sources.content.MOST_BYTES", 1 << 20)
    path = tmp_path / "dump.tar"
    path.write_bytes(gzip.compress(header("core", 1 << 20) + bytes(1 << 20) + END))
    with pytest.raises(InputError, match=rf"^{path}: gzip data of more than 1 MiB"):
        dumps.records_in((str(path),))


def test_a_long_log_is_read_line_by_line(tmp_path: Path) -> None:
    line = f"{hash_changed(7)}\n"
    path = tmp_path / "kubelet.log"
    other = f"I0101 nothing{' of interest' * 100}\n"  # a million short lines take longer to match
    with path.open("w") as stream:
        for _ in range(40):
            stream.write((other * 700) + line)
    assert path.stat().st_size > 32 << 20
    assert [entry.hash for entry in dumps.records_in((str(path),))] == [7] * 40  # type: ignore[union-attr]
