"""The order of releases, ranges of them, and what lies between two."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import (
    KnownReleases,
    Range,
    ReleaseRow,
    is_older,
    latest_minor_at,
    minors_behind,
    newer_of,
    oldest_first,
    parse_range,
    release_row,
    runs,
    same_build,
    same_minor,
    same_upstream,
)
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.release import Release, parse_release

NUMBERS = st.integers(0, 40)
NAMES = st.builds(lambda minor, patch: f"1.{minor}.{patch}", NUMBERS, NUMBERS)


@dataclass(frozen=True)
class Owner:
    release: Release
    mark: str = ""


def owner(name: str, mark: str = "") -> Owner:
    return Owner(parse_release(name), mark)


def test_a_minor_with_two_digits_is_newer() -> None:
    assert is_older(parse_release("1.9.11"), parse_release("1.10.0"))
    assert not is_older(parse_release("1.10.0"), parse_release("1.9.11"))
    assert not is_older(parse_release("1.9.11"), parse_release("v1.9.11-vendor"))


@given(NAMES, NAMES)
def test_releases_are_ordered_as_versions_are(name: str, other: str) -> None:
    assert is_older(parse_release(name), parse_release(other)) == (Version(name) < Version(other))
    assert same_upstream(parse_release(name), parse_release(f"v{other}+k3s1")) == (name == other)


def test_equal_releases_keep_their_order() -> None:
    owners = [owner("1.10.0"), owner("1.9.0", "b"), owner("v1.9.0", "a")]
    assert [(entry.release.text, entry.mark) for entry in oldest_first(owners)] == [
        ("1.9.0", "b"),
        ("v1.9.0", "a"),
        ("1.10.0", ""),
    ]
    assert newer_of(owner("1.9.0", "one"), owner("v1.9.0", "other")).mark == "one"
    assert newer_of(owner("1.9.0"), owner("1.10.0", "newer")).mark == "newer"
    assert newer_of(owner("1.10.0", "newer"), owner("1.9.0")).mark == "newer"


@pytest.mark.parametrize(
    ("name", "other", "upstream", "build", "minor"),
    [
        ("1.9.11", "v1.9.11", True, True, True),
        ("1.9.11", "v1.9.11-eks-1", True, False, True),
        ("1.9.11", "1.9.10", False, False, True),
        ("1.1.0", "1.10.0", False, False, False),
    ],
)
def test_what_two_names_have_in_common(
    name: str, other: str, *, upstream: bool, build: bool, minor: bool
) -> None:
    pair = parse_release(name), parse_release(other)
    assert (same_upstream(*pair), same_build(*pair), same_minor(*pair)) == (upstream, build, minor)


def test_minors_behind_a_server() -> None:
    kubelet, server = parse_release("1.9.11"), parse_release("1.11.0")
    assert (minors_behind(kubelet, server), minors_behind(server, kubelet)) == (2, -2)


def test_the_latest_minor_at_a_release() -> None:
    minors = ["1.10", "1.6", "1.9"]
    latest = [latest_minor_at(parse_release(name), minors) for name in ("1.5.8", "1.6.0", "1.9.3", "1.12.0")]
    assert latest == [None, "1.6", "1.9", "1.10"]


@pytest.mark.parametrize(
    ("text", "held", "not_held"),
    [
        (">=1.6,<1.9", ["1.6.0", "1.8.15", "v1.8.15-gke.1"], ["1.5.8", "1.9.0"]),
        ("<1.10", ["1.0.0", "1.9.11"], ["1.10.0"]),
        (">=1.35,<1.35.3", ["1.35.0", "1.35.2"], ["1.34.9", "1.35.3", "1.36.0"]),
        ("==1.37.0", ["1.37.0"], ["1.37.1"]),
    ],
)
def test_a_range_holds_for_releases(text: str, held: list[str], not_held: list[str]) -> None:
    releases = parse_range(text)
    assert str(releases) == text
    assert [releases.holds(parse_release(name)) for name in held] == [True] * len(held)
    assert [releases.holds(parse_release(name)) for name in not_held] == [False] * len(not_held)


ENDS = st.builds(
    lambda operator, numbers, rest: f"{operator}{'.'.join(map(str, numbers))}{rest}",
    st.sampled_from([">=", "<", ">=", "<", "==", "!=", ">", "<=", "~="]),
    st.lists(NUMBERS, min_size=2, max_size=4),
    st.sampled_from(["", "", "", "", "a1", ".dev0"]),
)


@given(st.lists(ENDS, max_size=3).map(",".join), NAMES)
def test_a_range_holds_what_packaging_says(text: str, name: str) -> None:
    assert parse_range(text).holds(parse_release(name)) == (Version(name) in SpecifierSet(text))


@pytest.mark.parametrize("text", ["==1.9.*", "~=1.9.2", ">=1.9.2,!=1.9.4", ">=1.9.2.1", ">=1.9.2a1,<1.10"])
def test_a_range_of_another_form_is_read_by_packaging(text: str) -> None:
    names = [f"1.{minor}.{patch}" for minor in (8, 9, 10) for patch in range(6)]
    held = [name for name in names if parse_range(text).holds(parse_release(name))]
    assert held == [name for name in names if Version(name) in SpecifierSet(text)] != []


def test_where_a_range_begins() -> None:
    assert (parse_range(">=1.16.5,<1.17").since, parse_range("<1.9").since) == ("1.16.5", "")


def test_what_is_no_range_is_damaged_data() -> None:
    with pytest.raises(InputError, match=r"'1\.6 - 1\.9' is not a range of releases"):
        parse_range("1.6 - 1.9")


GO = [{"releases": ">=1.10.0,<1.10.2", "go": "1.9"}, {"releases": ">=1.10.2", "go": "1.10"}]
NINES = {"0": "2017-12-15", "1": "2018-01-04", "3": "2018-02-09"}
TENS = {"0": "2018-03-26", "2": "2018-04-27"}
NINE = release_row({"minor": "1.9", "types": "1.9", "era": "e", "patches": NINES})
TEN = release_row({"minor": "1.10", "types": "1.10", "era": "e", "patches": TENS, "go": GO})
ELEVEN = ReleaseRow("1.11", (0, 1), "1.10", "e")
KNOWN = KnownReleases((NINE, TEN, ELEVEN))


def test_a_row_names_its_releases() -> None:
    assert (NINE.names, NINE.newest, NINE.go) == (("1.9.0", "1.9.1", "1.9.3"), "1.9.3", ())
    built = [TEN.built_with(parse_release(name)) for name in ("1.10.0", "1.10.1", "1.10.2", "1.10.9")]
    assert built == ["1.9", "1.9", "1.10", "1.10"]


def test_the_ends_of_what_is_known() -> None:
    assert (KNOWN.oldest, KNOWN.newest, KNOWN.minors) == ("1.9.0", "1.11.1", ("1.9", "1.10", "1.11"))


def test_stops_between_two_releases() -> None:
    assert KNOWN.newest_per_minor("1.9.0", "1.11.0") == ["1.9.3", "1.10.2", "1.11.1"]
    assert KNOWN.newest_per_minor("1.11.0", "1.10.0") == ["1.11.1", "1.10.2"]
    assert KNOWN.patches_between("1.9.1", "1.10.0") == ["1.9.1", "1.9.3", "1.10.0"]
    assert KNOWN.patches_between("v1.10.0-x", "1.9.3") == ["1.10.0", "1.9.3"]


def test_a_newer_patch_is_known_by_its_minor() -> None:
    assert (KNOWN.known_name("1.10.99"), KNOWN.known_name("v1.9.1+k3s1")) == ("1.10.2", "1.9.1")
    with pytest.raises(
        UsageError, match=r"'1\.9\.2' is not a known kubelet release; the nearest .* 1\.9\.1, 1\.9\.3"
    ):
        KNOWN.known_name("1.9.2")


def test_a_person_s_name_for_a_release() -> None:
    names = ("1.9", "v1.10", " 1.9 ", " v1.10", "latest", " latest", "v1.9.1+k3s1", "1.10.99", "1.9.3")
    assert [KNOWN.named(name) for name in names] == [
        *("1.9.3", "1.10.2", "1.9.3", "1.10.2", "1.11.1", "1.11.1"),
        *("v1.9.1+k3s1", "1.10.99", "1.9.3"),
    ]
    assert [KNOWN.is_short(name) for name in names] == [True] * 6 + [False] * 3
    assert (KNOWN.named(" 1.9.3\n"), KNOWN.is_short("1.09")) == ("1.9.3", False)
    with pytest.raises(UsageError, match=r"'01\.010' is not a kubelet release"):
        KNOWN.named("01.010")


@pytest.mark.parametrize(
    "name", ["1.12", "2.9", "1.9.2", "1.9.x", "1.", "1", "", "Latest", "latest-1.9", "1.9+k3s1", "auto"]
)
def test_what_nobody_calls_a_release_is_an_error(name: str) -> None:
    with pytest.raises(UsageError, match="the nearest known release"):
        KNOWN.named(name)
    assert not KNOWN.is_short(name) or name in ("1.12", "2.9")


def test_what_a_node_reports_is_the_target_whoever_built_it() -> None:
    names = ("v1.31.14-gke.100", "1.31.14", "1.31.13", "v1.32.0", "devel", "")
    assert [runs(name, "1.31.14") for name in names] == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("name", "other", "minors"),
    [
        ("1.9.0", "1.11.0", {"1.10", "1.11"}),
        ("1.11.0", "1.9.0", {"1.10", "1.11"}),
        ("1.10.0", "1.10.2", set()),
    ],
)
def test_the_minors_between_two_releases(name: str, other: str, minors: set[str]) -> None:
    assert KNOWN.minors_between(parse_release(name), parse_release(other)) == minors


def test_rows_of_one_table_do_not_overlap(catalog: Catalog) -> None:
    """An era's own range says what releases.json says minor by minor, and each release has one Go at most."""
    for name in catalog.releases():
        kubelet, row = catalog.kubelet(name), catalog.known.find(name)[1]
        assert [era for era in catalog.eras.values() if era.releases.holds(kubelet.release)] == [kubelet.era]
        assert sum(build.releases.holds(kubelet.release) for build in row.go) == bool(row.go)


def test_ranges_that_rows_write_alike_are_equal() -> None:
    assert {Range(">=1.6,<1.9"), parse_range(">=1.6,<1.9")} == {parse_range(">=1.6,<1.9")}
    assert Range(">=1.6") != Range(">=1.7")
    assert Range(">=1.6") != ">=1.6"
