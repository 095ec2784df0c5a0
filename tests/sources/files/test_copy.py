"""Copies of streams; test_collect.py reads one again and again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import files
from hashcompat.sources.files import Copy


@pytest.mark.parametrize("held", [10, 1000])
def test_a_copy_is_limited(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    monkeypatch.setattr(files, "_IN_MEMORY", held)
    assert Copy().filled(io.BytesIO(b"x" * 100)).open().read() == b"x" * 100
    with pytest.raises(InputError, match=r"^content of more than 100 bytes"):
        Copy().filled(io.BytesIO(b"x" * 101))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero, which Linux has")
def test_a_stream_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 22)
    with (
        Path("/dev/zero").open("rb") as endless,
        pytest.raises(InputError, match=r"^content of more than 4 MiB"),
    ):
        Copy().filled(endless)


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: bytes) -> int:
        raise OSError(28, "No space left on device")

    made = Copy()
    monkeypatch.setattr(made._file, "write", full)
    with pytest.raises(InputError, match=r"^cannot copy to .*: No space left on device$"):
        made.add(b"x")
