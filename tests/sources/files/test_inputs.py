"""What is not a file of some bytes: pipes, devices, sockets, loops, and files that come and go."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import files
from tests.helpers.pods import as_json, pod
from tests.helpers.program import Run

PLAN = ("plan", "--from", "1.9.11", "--to", "1.9.11", "-o", "json")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_bytes(as_json(pod()))
    return tmp_path


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.parametrize("make", [pipe, device, listening])
def test_a_directory_is_read_if_it_holds_regular_files(run: Run, directory: Path, make: object) -> None:
    make(directory / "b.json")  # type: ignore[operator]
    start = time.monotonic()
    result = run(*PLAN, "-f", directory)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Error: {directory}/b.json: not a regular file; ")
    assert time.monotonic() - start < 10
    (directory / "b.json").rename(directory / "b.sock")
    assert run(*PLAN, "-f", directory).code == 0


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_a_device_is_refused(run: Run, name: str) -> None:
    result = run(*PLAN, "-f", name)
    assert (result.code, result.err) == (
        1,
        f"Error: {name}: is a device, expected a file, a directory, a pipe or a URL\n",
    )


def test_a_pipe_that_is_named_is_read(run: Run, tmp_path: Path) -> None:
    pipe(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(as_json(pod())))
    writer.start()
    assert run(*PLAN, "-f", tmp_path / "pipe").code == 0
    writer.join(10)


def test_standard_input_can_be_read_once(run: Run) -> None:
    result = run(*PLAN, "-f", "-", "-f", "-", stdin=as_json(pod()))
    assert (result.code, result.out) == (64, "")
    assert "-f - is given twice" in result.err
    result = run(*PLAN, "-f", "-", "--recorded", "-", stdin=as_json(pod()))
    assert (result.code, result.out) == (64, "")
    assert "-f and --recorded: standard input can be only one of them" in result.err


def test_a_sparse_file_costs_what_is_read_of_it(run: Run, tmp_path: Path) -> None:
    with (tmp_path / "pods.json").open("wb") as stream:
        stream.truncate(1 << 40)
    result = run(*PLAN, "-f", tmp_path / "pods.json")
    assert (result.code, "zero bytes, as in an empty tar archive" in result.err) == (1, True)


def test_a_loop_of_directories_is_read_once(run: Run, directory: Path) -> None:
    (directory / "loop").symlink_to(directory)
    (directory / "loop.json").symlink_to(directory)
    assert len(run(*PLAN, "-R", "-f", directory).items) == 1


def test_deep_directories_are_read_or_refused(run: Run, directory: Path) -> None:
    below = directory
    for _ in range(1500):
        below /= "d"
        if len(str(below)) > 3900:
            break
        below.mkdir()
    result = run(*PLAN, "-R", "-f", directory)
    subprocess.run(["/bin/rm", "-rf", directory / "d"], check=True)  # Python's own way is too deep as well
    assert result.code == 0 or "directories are nested too deeply" in result.err


def test_the_files_of_a_directory_are_limited(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MOST_FILES", 2)
    (directory / "b.json").write_bytes(as_json(pod(name="b")))
    assert run(*PLAN, "-f", directory).code == 0
    (directory / "c.json").write_bytes(as_json(pod(name="c")))
    result = run(*PLAN, "-f", directory)
    assert (result.code, "more than 2 files, the most that are read" in result.err) == (1, True)


def test_a_file_that_vanishes_is_named(directory: Path) -> None:
    (source,) = files.inputs(str(directory), recursive=False, suffixes=(".json",))
    (directory / "a.json").unlink()
    with pytest.raises(InputError, match=f"^{directory}/a.json: cannot read: No such file or directory$"):
        source.open()


def test_a_static_pod_is_one_file(run: Run, directory: Path) -> None:
    result = run(*PLAN, "-f", directory, "--static-pod-path", "/m/x.json", "--node-name", "n")
    assert (result.code, "is a directory, expected one static pod manifest" in result.err) == (1, True)


def test_a_static_pod_is_limited_as_kubelets_limit_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(as_json(pod()) + b" " * (10 << 20))
    result = run(*PLAN, "-f", path, "--static-pod-path", "/m/x.json", "--node-name", "n")
    assert (result.code, f"{path}: text of more than 10 MiB" in result.err) == (1, True)


def test_too_little_memory_is_named(run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hashcompat.analysis.planning.make", without)
    result = run(*PLAN, "-f", directory)
    assert (result.code, result.out, result.err) == (
        1,
        "",
        "Error: not enough memory for this input; give less of it at once\n",
    )


def test_a_file_has_the_time_of_its_last_change(directory: Path) -> None:
    os.utime(directory / "a.json", (0, 86_400))
    (source,) = files.inputs(str(directory), recursive=False, suffixes=(".json",))
    assert source.modified == datetime(1970, 1, 2, tzinfo=UTC)


def test_a_time_that_is_none_is_left_out(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Never:
        @staticmethod
        def fromtimestamp(*_: object) -> datetime:
            raise OverflowError

    monkeypatch.setattr(files, "datetime", Never)
    (source,) = files.inputs(str(directory), recursive=False, suffixes=(".json",))
    assert source.modified is None


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("https://user:secret@example.org/a.json?token=secret", "https://example.org/a.json"),
        ("-", "-"),
        ("user:secret@example.org", "user:secret@example.org"),
    ],
)
def test_a_url_is_repeated_without_its_secrets(word: str, shown: str) -> None:
    assert files.without_secrets(word) == shown


@pytest.mark.parametrize("problem", ["cut short", "a.json: cut short"])
def test_a_file_is_named_once(problem: str) -> None:
    with pytest.raises(InputError, match=r"^a\.json: cut short$"), files.named("a.json"):
        raise InputError(problem)
