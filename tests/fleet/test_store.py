"""Stores: what is listed, how often one is asked, what is whole, and what is as long as it should be."""

from __future__ import annotations

import errno
import shutil
import time
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped,unused-ignore]
import pytest

from hashcompat.core.errors import InputError, UsageError
from hashcompat.fleet import store
from hashcompat.fleet.store import Directory, StoreError, local_copy, tried
from tests.fleet.clusters import NEW, cluster, content, made, save


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)


@pytest.fixture
def memory(tmp_path: Path) -> str:
    """Return the URL of a folder that is in memory alone."""
    return f"memory://{tmp_path.name}"


def test_a_store_behind_a_url_gives_the_same_tables(memory: str, tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster(), b=cluster(pods=3), bad="{")
    for file in source.iterdir():
        Directory(memory).write(f"in/{file.name}", file.read_bytes())
    made(source, tmp_path / "local")
    run = made(f"{memory}/in", f"{memory}/out")
    system = fsspec.filesystem("memory")
    system.get(f"/{tmp_path.name}/out", str(tmp_path / "got"), recursive=True)
    here, there = content(tmp_path / "local"), content(tmp_path / "got")
    for rows in (*here.values(), *there.values()):
        for row in rows:
            assert str(row.pop("source", "")) == "" or row["cluster"] in {"a", "b", "bad"}
            row.pop("error", "")
    assert here == there
    assert made(f"{memory}/in", f"{memory}/out") == run


def test_names_are_paths_below_the_source_without_suffixes(tmp_path: Path) -> None:
    for name in ("eu/a.json.zst", "us/a.yaml", "b.json.gz", "c.txt", "out/run.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    entries = Directory(str(tmp_path)).entries(besides=str(tmp_path / "out"))
    assert [entry.name for entry in entries] == ["b", "eu/a", "us/a"]
    (file,) = Directory(str(tmp_path / "c.txt")).entries()
    assert (file.name, file.size) == ("c.txt", 2)


def test_a_protocol_that_is_not_installed_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="Protocol not known: none"):
        Directory("none://a")


class Failing:
    """Fails some times, and then does not."""

    def __init__(self, times: int, error: Exception) -> None:
        self._times, self._error, self.calls = times, error, 0

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self._times:
            raise self._error
        return "done"


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Slow Down"), ValueError("503"), TimeoutError()])
def test_a_store_that_throttles_is_asked_again(error: Exception) -> None:
    call = Failing(4, error)
    assert (tried(call, "s3://a"), call.calls) == ("done", 5)
    with pytest.raises(StoreError, match=r"s3://a: (Slow Down|503|TimeoutError)"):
        tried(Failing(5, error), "s3://a")


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "gone"),
        PermissionError(errno.EACCES, "no"),
        OSError(errno.ENOSPC, "full"),
    ],
)
def test_what_another_try_does_not_change_is_tried_once(error: Exception) -> None:
    call = Failing(9, error)
    with pytest.raises(StoreError):
        tried(call, "s3://a")
    assert call.calls == 1


def test_an_object_that_is_cut_is_no_copy(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Directory(memory).write("a.json", b"0123456789")
    (entry,) = Directory(memory).entries()
    with local_copy(entry) as path:
        assert path.read_bytes() == b"0123456789"
        copied = path
    assert not copied.exists()
    for length in (5, 20):
        wrong = store.StoredFile(entry.url, entry.name, length, entry.stamp)
        with (
            pytest.raises(StoreError, match=f"not the {length} bytes that the store lists"),
            local_copy(wrong),
        ):
            pass
    monkeypatch.setattr(store, "MOST_BYTES", 9)
    with pytest.raises(InputError, match="more than 9 bytes"), local_copy(entry):
        pass


def test_without_room_for_a_copy_nothing_is_copied(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Directory(memory).write("a.json", b"0123456789")
    (entry,) = Directory(memory).entries()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 0, 9))
    with pytest.raises(StoreError, match="9 bytes are free, and 10 are needed"), local_copy(entry):
        pass


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Directory(str(tmp_path))
    place.write("a/b", b"old")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(StoreError, match="No space left on device"):
        place.write_file("a/b", tmp_path / "a" / "b")
    assert place.read("a/b") == b"old"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_what_another_version_wrote_is_no_run_before(tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster())
    made(source, tmp_path / "out")
    (tmp_path / "out" / "run.json").write_text('{"schema": 0}')
    (tmp_path / "out" / "_parts" / "index").write_bytes(b"damaged")
    run = made(source, tmp_path / "out")
    assert (run.answered, run.statuses) == (0, {NEW: {"planned": 1}})
