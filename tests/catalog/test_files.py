"""Where the release data is, and its tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import platformdirs
import pytest
from packaging.version import Version

from hashcompat.core.catalog import files
from hashcompat.core.catalog.files import (
    DataFiles,
    beginnings,
    common,
    default_directory,
    merged,
    read_table,
    rows_at,
    span,
    span_words,
)
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import Range
from hashcompat.core.errors import InputError
from hashcompat.core.release import parse_release


def test_a_source_checkout_reads_the_schemas_beside_the_package() -> None:
    assert files.default_directory() == Path(__file__).parents[2] / "schemas"


def test_an_installed_package_reads_its_own_schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schemas").mkdir()
    monkeypatch.setattr(files, "_PACKAGE", tmp_path)
    assert files.default_directory() == tmp_path / "schemas"


def test_a_data_file_is_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes('{"a": "\u20ac"}'.encode())
    assert files.read_json(path) == {"a": "\u20ac"}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.json: cannot read release data: No such file"):
        files.read_json(tmp_path / "gone.json")


@pytest.mark.parametrize("content", [b"{", b"", b'{"a": "\xff"}'], ids=["cut off", "empty", "no UTF-8"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.json: damaged release data: "):
        files.read_json(path)


@pytest.mark.skipif(sys.platform != "linux", reason="the short way is that of Linux")
@pytest.mark.parametrize("data", [None, "", "/data", "/data/", "data", " ", "~/data"])
@pytest.mark.parametrize("home", [None, "", "/home/me", "/home/me/", "/", "me"])
@pytest.mark.parametrize("android", [None, "/system"])
def test_the_short_way_to_the_users_directory_is_that_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, data: str | None, home: str | None, android: str | None
) -> None:
    monkeypatch.delenv("HASHCOMPAT_DATA", raising=False)
    for name, value in {"XDG_DATA_HOME": data, "HOME": home, "ANDROID_ROOT": android}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    expected = platformdirs.user_data_path("hashcompat", appauthor=False) / "releases"
    assert files.user_directory() == expected


# Tables of what releases do: exactly one row of each respect for each release.


class Decided(msgspec.Struct, frozen=True):
    """What a release does in two respects."""

    one: str
    of_two_words: int


ROW = {"value": 1, "source": "", "about": ""}
FULL: dict[str, list[dict[str, Any]]] = {
    "one": [{**ROW, "releases": ">=1.0", "value": "a"}],
    "ofTwoWords": [{**ROW, "releases": "<1.9"}, {**ROW, "releases": ">=1.9", "value": 2}],
}
RELEASE = parse_release("v1.9.11-vendor")


def test_a_release_has_the_value_of_its_row() -> None:
    table = read_table("t.json", FULL)
    assert table.decide(Decided, RELEASE) == Decided("a", 2)
    assert table.decide(Decided, parse_release("1.8.15")) == Decided("a", 1)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([], 0),
        ([{**ROW, "releases": "<1.9"}], 0),
        ([{**ROW, "releases": ">=1.9"}, {**ROW, "releases": "<1.10"}], 2),
    ],
)
def test_a_release_with_no_value_or_with_two_is_damaged_data(rows: list[dict[str, Any]], count: int) -> None:
    with pytest.raises(InputError, match=rf"^t\.json: one: want one row for 1\.9\.11, found {count}$"):
        read_table("t.json", {**FULL, "one": rows}).decide(Decided, RELEASE)


def test_a_missing_respect_is_damaged_data() -> None:
    with pytest.raises(InputError, match="one: want one row"):
        read_table("t.json", {"ofTwoWords": FULL["ofTwoWords"]}).decide(Decided, RELEASE)


# What ranges of releases cover together, in words.

DATA = DataFiles(default_directory())


def spans(*ranges: str) -> list[tuple[Version, Version]]:
    return [span({"releases": held}) for held in ranges]


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        ((">=1.24",), "1.24 and later"),
        (("<1.6",), "up to 1.5"),
        ((">=1.0,<1.6",), "up to 1.5"),
        (("<1.6", ">=1.6"), "every release"),
        ((">=1.33,<1.37",), "1.33 - 1.36"),
        ((">=1.28,<1.29",), "1.28"),
        ((">=1.25.10,<1.25.14",), "1.25.10 - 1.25.13"),
        ((">=1.6,<1.8", ">=1.8,<1.9", ">=1.0,<1.3"), "up to 1.2 and 1.6 - 1.8"),
        ((">=1.6,<1.20", ">=1.8,<1.9"), "1.6 - 1.19"),
        ((">=1.6,<1.7", ">=1.8,<1.9", ">=1.10"), "1.6, 1.8 and 1.10 and later"),
    ],
)
def test_spans_in_words(ranges: tuple[str, ...], said: str) -> None:
    assert span_words(spans(*ranges)) == said


def test_beginnings_are_in_order_and_the_first_release_is_not_one() -> None:
    assert (
        beginnings(spans(">=1.31", "<1.6", ">=1.16,<1.31", ">=1.9.11", ">=1.16")) == "1.9.11, 1.16 and 1.31"
    )
    assert beginnings(spans(">=1.24")) == "1.24"


def test_a_row_with_one_release_is_that_one_and_all_after_it() -> None:
    assert span_words([span({"release": "1.27.16"})]) == "1.27.16 and later"


def test_what_two_have_in_common() -> None:
    limits = merged(spans(">=1.6,<1.16", ">=1.31"))
    assert span_words(common(spans(">=1.2", "<1.4"), limits)) == "1.6 - 1.15 and 1.31 and later"
    assert list(common(spans("<1.4"), limits)) == []


@pytest.mark.parametrize(
    ("table", "at", "first"),
    [
        ("behaviour", ("dockershim",), "<1.24"),
        ("eras", (), ">=1.0,<1.6"),
        ("eras", ("spew-fnv32a",), ">=1.6,<1.16"),
        ("gates", ("gates", "SidecarContainers"), ">=1.28,<1.29"),
        ("apiserver", (), ">=1.6"),
    ],
)
def test_rows_are_a_list_or_the_values_of_an_object_or_one(
    table: str, at: tuple[str, ...], first: str
) -> None:
    assert rows_at(DATA.table(table), at)[0]["releases"] == first


class Held(msgspec.Struct):
    """A row of the tables below."""

    releases: Range
    needed: str


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"releases": 5, "needed": ""}, "'5' is not a range of releases"),
        ({"releases": "1.6 - 1.9", "needed": ""}, "'1.6 - 1.9' is not a range of releases"),
        ({"releases": ">=1.6"}, "Object missing required field"),
    ],
)
def test_a_row_that_does_not_fit_is_named_by_its_file_and_place(
    tmp_path: Path, row: dict[str, Any], says: str
) -> None:
    (tmp_path / "tables").mkdir()
    rows = {"all": [{"releases": "<1.6", "needed": "x"}, row]}
    (tmp_path / "tables" / "t.json").write_text(json.dumps(rows))
    with pytest.raises(InputError) as error:
        DataFiles(tmp_path).rows("t", tuple[Held, ...], "all")
    assert str(error.value).startswith(f"{tmp_path}/tables/t.json: damaged release data: ")
    assert says in str(error.value)
    assert "`$[1]" in str(error.value)


def test_the_digest_changes_with_any_file_of_the_data(tmp_path: Path, catalog: Catalog) -> None:
    first, second = tmp_path / "schemas", tmp_path / "added"
    (first / "types").mkdir(parents=True)
    (first / "types" / "a.json").write_text("{}")
    digests = [files.digest(first, second)]
    second.mkdir()
    assert files.digest(first, second) == digests[0]
    for path, content in ((second / "1.99.json", "1"), (second / "1.99.json", "2"), (first / "b.json", "")):
        path.write_text(content)
        digests.append(files.digest(first, second))
    assert len(set(digests)) == 4
    assert Catalog(first).digest == files.digest(first)
    assert Catalog(first, second).digest == digests[-1]
    assert catalog.digest == files.digest(files.default_directory())
    (first / "c.json").mkdir()
    with pytest.raises(InputError, match=r"c\.json: cannot read release data: Is a directory"):
        files.digest(first)
