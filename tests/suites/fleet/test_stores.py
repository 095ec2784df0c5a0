"""A real S3 server, and one that throttles and cuts: every file is a row, and no row is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.clusters import NEW, cluster, content, save
from tests.helpers.slices import sliced
from tests.suites.fleet import parts
from tests.suites.fleet.parts import before, cut, of_s3, ran, s3, slow_down

pytestmark = pytest.mark.fleet
NAMES = ("a", "b", "c", "d", "e", "f")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3(tmp_path_factory.mktemp("s3") / "log") as url:
        yield url


@pytest.fixture(scope="module")
def source(server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Take snapshots of clusters into the bucket; return the directory of the same ones."""
    at = tmp_path_factory.mktemp("source")
    for number, name in enumerate(NAMES):
        save(at / "dumps", **{name: cluster(uid=f"uid-{name}", pods=number + 1)})
        words = ("snapshot", "-q", "-f", at / "dumps" / f"{name}.json", "--name", name)
        (at / "in").mkdir(exist_ok=True)
        assert ran(*words, "--out", at / "in" / "{cluster}.json.zst")[0] == 0
        code, _, err = ran(*words, "--out", "s3://clusters/in/{cluster}.json.zst", **of_s3(server))
        assert code == 0, err
    return at / "in"


def got(url: str, out: str, directory: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of tables in a bucket, without where their inputs are."""
    listing = parts.ran_python(
        "import sys, s3fs; url, there, here = sys.argv[1:]; "
        "s3fs.S3FileSystem(endpoint_url=url).get(there, here, recursive=True)",
        url,
        f"clusters/{out}",
        str(directory),
    )
    assert listing == ""
    return without_places(content(directory))


def without_places(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [{key: value for key, value in row.items() if key not in ("source", "size")} for row in some]
        for name, some in rows.items()
    }


@pytest.fixture(scope="module")
def expected(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("expected") / "out"
    assert ran("fleet", source, "--to", NEW, "--out", out, "--workers", 0)[0] == 2
    return without_places(content(out))


def fleet(url: str, out: str, *more: object, workers: int = 0) -> tuple[int, str, str]:
    words = ("fleet", "s3://clusters/in", "--to", NEW, "--out", f"s3://clusters/{out}", "--workers", workers)
    return ran(*words, *more, **of_s3(url))


def test_tables_of_a_bucket_are_those_of_a_directory(
    server: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    code, _, err = fleet(server, "plain", workers=2)
    assert code == 2, err
    assert got(server, "plain", tmp_path / "out") == expected
    code, _, err = fleet(server, "plain")
    assert (code, "6 inputs, 6 of them answered already" in err) == (2, True)


@pytest.mark.full
def test_an_object_that_changed_is_answered_again(server: str, source: Path, tmp_path: Path) -> None:
    assert source
    assert fleet(server, "changing")[0] == 2
    save(tmp_path, a=cluster(uid="uid-a", pods=9))
    words = ("snapshot", "-q", "-f", tmp_path / "a.json", "--name", "a")
    assert ran(*words, "--out", "s3://clusters/in/{cluster}.json.zst", **of_s3(server))[0] == 0
    try:
        code, _, err = fleet(server, "changing")
        assert (code, "6 inputs, 5 of them answered already" in err) == (2, True)
        rows = got(server, "changing", tmp_path / "out")[f"clusters/target={NEW}"]
        assert [row["pods"] for row in rows] == [9, 2, 3, 4, 5, 6]
    finally:
        save(tmp_path, a=cluster(uid="uid-a", pods=1))
        assert ran(*words, "--out", "s3://clusters/in/{cluster}.json.zst", **of_s3(server))[0] == 0


class Every:
    """A fault of some requests: every so many of those whose path matches."""

    def __init__(self, fault: Any, pattern: str, every: int, most: int = 1 << 30) -> None:
        self._fault, self._pattern = fault, re.compile(pattern)
        self._every, self._most = every, most
        self.seen, self.spoilt = Counter[str](), 0

    def __call__(self, handler: Any, answer: bytes) -> bool:
        if not self._pattern.search(f"{handler.command} {handler.path}"):
            return False
        self.seen["all"] += 1
        if self.seen["all"] % self._every or self.spoilt >= self._most:
            return False
        self.spoilt += 1
        return bool(self._fault(handler, answer))


@pytest.mark.parametrize(
    ("out", "fault", "pattern", "every"),
    sliced(
        [
            ("throttled", slow_down, "", 3),
            ("cut", cut, "GET .*in/.*zst", 2),
            ("cut-parts", cut, "GET .*_parts/", 3),
        ],
        [("throttled", slow_down, "", 3)],
    ),
)
def test_a_store_that_fails_now_and_then_changes_nothing(
    out: str, fault: Any, pattern: str, every: int, server: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    failing = Every(fault, pattern, every)
    with before(server, failing) as url:
        code, _, err = fleet(url, out)
        assert code == 2, err
    assert failing.spoilt
    assert got(server, out, tmp_path / "out") == expected


@pytest.mark.full
def test_an_object_that_is_always_cut_is_unreadable_until_it_is_whole(
    server: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    with before(server, Every(cut, "GET .*in/c.json.zst", 1)) as url:
        code, out, err = fleet(url, "broken")
        assert code == 2, err
        assert "5 planned, 1 unreadable" in out
    code, _, err = fleet(server, "broken")
    assert (code, "6 inputs, 5 of them answered already" in err) == (2, True)
    assert got(server, "broken", tmp_path / "out") == expected


@pytest.mark.full
def test_a_store_that_refuses_to_write_is_an_error_and_leaves_no_run(server: str) -> None:
    with before(server, Every(slow_down, "PUT .*full/", 1)) as url:
        code, out, err = fleet(url, "full")
    assert (code, out) == (1, "")
    assert "s3://clusters/full/_parts/" in err
    listing = parts.ran_python(
        "import sys, s3fs; print(s3fs.S3FileSystem(endpoint_url=sys.argv[1]).find('clusters/full'))", server
    )
    written = json.loads(listing.replace("'", '"'))
    assert [path for path in written if "/_parts/" not in path] == []  # neither tables nor run.json


def test_a_bucket_that_is_not_there_is_an_error(server: str) -> None:
    code, out, err = ran(
        *("fleet", "s3://none/in", "--to", NEW, "--out", "s3://none/out", "--workers", 0), **of_s3(server)
    )
    assert (code, out) == (1, "")
    assert err.startswith("Error: s3://none")
