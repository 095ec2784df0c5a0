"""What all tests share: the catalog that ships, the random inputs of this run, and the program to run."""

from __future__ import annotations

import gc
import io
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from hashcompat.analysis.answers import keeping, redaction
from hashcompat.cli import main
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.sources.files import collect
from tests.helpers import fakekubectl, randomness
from tests.helpers.golden import small_folders, small_lines
from tests.helpers.program import ROOT, UNSET, Result, Run

settings.load_profile(randomness.PROFILE)

# Where an environment forbids bytecode, each worker would rewrite all tests, and each process of the program
# that a test starts would compile all modules: some hundred times the same.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


_fsync = os.fsync


def _synced(file: int) -> None:
    """Wait for devices alone: no test loses power, and a disk takes milliseconds for each file."""
    if not stat.S_ISREG(mode := os.fstat(file).st_mode) and not stat.S_ISDIR(mode):
        _fsync(file)


@pytest.hookimpl(tryfirst=True)  # before hypothesis reads its seed
def pytest_configure(config: pytest.Config) -> None:
    if randomness.FRESH:
        config.option.hypothesis_seed = randomness.SEED
    os.environ["HASHCOMPAT_DATA"] = str(
        Path(__file__).parent / "no such directory"
    )  # releases that a developer added are not part of a test
    os.environ["HASHCOMPAT_CONFIG"] = str(Path(__file__).parent)  # nor is a developer's policy
    os.environ["SOURCE_DATE_EPOCH"] = "1767225600"  # 2026-01-01: plans of one input are equal
    vars(os)["fsync"] = _synced
    vars(collect)["sample_cluster"] = cache(
        collect.sample_cluster
    )  # reading it takes half of the time of a plan of it, in a thousand tests; nothing changes what was read
    vars(redaction)["FieldKeeper"] = lru_cache(2)(
        keeping.FieldKeeper
    )  # to compile its lists takes half of the time of a small snapshot; they are those of the catalog
    config.addinivalue_line("markers", "packaging: builds the wheel, with hatchling")


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Leave the tests themselves, and what their modules hold, out of all later garbage collections.

    These are as rare as in a process of the program: what tests keep, such as catalogs, makes each one slow.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(main._BETWEEN_COLLECTIONS)
    gc.enable()


def pytest_report_header() -> str:
    return f"random inputs: {randomness.PROFILE}, RANDOM_SEED={randomness.SEED}"


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return default_catalog()


@contextmanager
def without_tracing() -> Iterator[None]:
    """Measure no coverage: in a worker of pytest-xdist, the marker no_cover of pytest-cov still does."""
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)
        threading.settrace(of_threads)


TRACED = tuple(f"{ROOT}/{name}" for name in os.environ.get("TRACED_TESTS", "").split())
"""The folders and files of tests whose coverage is measured; all, if none is given."""


def _is_traced(item: pytest.Item) -> bool:
    return str(item.path).startswith(TRACED)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is traced first: what is imported or kept once would be missing after a test that is not."""
    if TRACED:
        items.sort(key=lambda item: not _is_traced(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Trace the tests of the engine: with tracing, any other one takes two to three times as long."""
    if not TRACED or _is_traced(item):
        return (yield)
    with without_tracing():
        return (yield)


@pytest.fixture
def untraced() -> Iterator[None]:
    """Measure no coverage: other tests cover these lines, and these have many inputs."""
    with without_tracing():
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process: arguments in, exit code and both streams out."""
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)

    def call(*argv: object, stdin: bytes = b"", program: str = "hashcompat") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main._run(program, [str(argument) for argument in argv])
        return Result(int(code), *capsys.readouterr())

    return call


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a kubectl on the PATH, and return the file of what its cluster answers."""
    program = tmp_path / "bin" / "kubectl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {fakekubectl.__file__} "$@"\n')
    program.chmod(0o755)
    answers = tmp_path / "answers.json"
    given = {"PATH": f"{program.parent}:/usr/bin:/bin", "FAKE_ANSWERS": str(answers), "HOME": str(tmp_path)}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    answers.write_text("{}")
    return answers


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """Return a small golden directory of one's own, of lines."""
    return small_lines(tmp_path / "golden")


@pytest.fixture
def golden_folders(tmp_path: Path) -> Path:
    """Return the same of folders, with a file for each text."""
    return small_folders(tmp_path / "golden")
