"""Four times the input takes no more than eight times the processor's time, in every reader of a source."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from hashcompat.core.errors import InputError
from hashcompat.sources.content import Plain, chunks, lines
from hashcompat.sources.files import archives, dumps
from hashcompat.sources.files import collect as files
from tests.helpers.linear import MOST, growth
from tests.helpers.pods import listed, pod
from tests.helpers.upgrades import hash_changed, record

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Build = Callable[[int], bytes]
Read = Callable[[bytes, Path], object]


def stream(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))


def pods(number: int) -> list[dict[str, object]]:
    return [pod(name=f"p{index}", status={"phase": "Running"}) for index in range(number)]


def tar(members: int, size: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for index in range(members):
            data = json.dumps({"containers": [record(index, "p", "c")]}).encode().ljust(size)
            row = tarfile.TarInfo(f"{index}.json")
            row.size = len(data)
            archive.addfile(row, io.BytesIO(data))
    return packed.getvalue()


def inventory(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    for _ in files.collect((str(path),)).pods:
        pass


def records(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    dumps.records_in((str(path),))


def text(data: bytes, _: Path) -> None:
    for _text in chunks(stream(data), "text"):
        pass


def by_line(data: bytes, _: Path) -> None:
    for _line in lines(chunks(stream(data), "text")):
        pass


def plain(data: bytes, _: Path) -> None:
    content = Plain(stream(data))
    while content.read(1 << 16):
        pass


def members(data: bytes, _: Path) -> None:
    entries = archives.members(stream(data), lambda _: True)
    assert entries is not None
    for _member in entries:
        pass


ROWS: dict[str, tuple[Build, Read, int]] = {
    "a List": (lambda n: json.dumps(listed(*pods(n))).encode(), inventory, 400),
    "JSON lines": (lambda n: "\n".join(map(json.dumps, pods(n))).encode(), inventory, 400),
    "a YAML List": (lambda n: yaml.safe_dump(listed(*pods(n))).encode(), inventory, 40),
    "YAML documents": (lambda n: yaml.safe_dump_all(pods(n)).encode(), inventory, 40),
    "white space": (lambda n: b" " * n, text, 1 << 19),
    "white space after text": (lambda n: b"{" + b"\n" * n, text, 1 << 23),
    "white space within a List": (lambda n: b'{"kind":' + b" " * n + b'"List"}', inventory, 1 << 21),
    "a long line": (lambda n: b"x" * n, text, 1 << 23),
    "a long line, line by line": (lambda n: b"x" * n, by_line, 1 << 23),
    "short lines": (lambda n: b"x\n" * n, by_line, 1 << 17),
    "UTF-16": (lambda n: ("ä" * n).encode("utf-16"), text, 1 << 21),
    "bytes that are not UTF-8": (lambda n: b"\xff" * n, text, 1 << 18),
    "gzip": (lambda n: gzip.compress(bytes(n)), plain, 1 << 23),
    "gzip in members": (lambda n: gzip.compress(b"x") * n, plain, 8000),
    "gzip with zeros behind it": (lambda n: gzip.compress(b"x") + bytes(n), plain, 1 << 18),
    "gzip with a long name": (lambda n: b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * n, plain, 1 << 18),
    "zstd": (lambda n: zstd.compress(bytes(n)), plain, 1 << 23),
    "zstd in frames": (lambda n: zstd.compress(b"x") * n, plain, 5000),
    "members of an archive": (lambda n: tar(n, 100), members, 300),
    "a large member": (lambda n: tar(1, n), members, 1 << 22),
    "headers of an archive": (lambda n: tarfile.TarInfo("x.md").tobuf() * n, members, 1000),
    "records in an archive": (lambda n: gzip.compress(tar(n, 100)), records, 200),
    "records": (
        lambda n: json.dumps({"containers": [record(1, "p", str(index)) for index in range(n)]}).encode(),
        records,
        1500,
    ),
    "a log": (
        lambda n: f"{hash_changed(7)}\nanother line\n".encode() * n,
        records,
        4000,
    ),
}
"""How to build an input of a size, how to read it, and the smaller size."""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("build", "read", "size"), ROWS.values(), ids=ROWS)
def test_four_times_the_input_takes_at_most_eight_times_as_long(
    tmp_path: Path, build: Build, read: Read, size: int
) -> None:
    """An input may be refused, but at its end."""

    def run(data: bytes) -> None:
        with suppress(InputError):
            read(data, tmp_path / "given")

    assert growth(run, build(size), build(4 * size)) <= MOST
