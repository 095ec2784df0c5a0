"""The releases that an error names, by number and by spelling."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.model.items import distance

KNOWN = default_catalog().known


@pytest.mark.parametrize(
    ("name", "near"),
    [
        pytest.param("1.3l.2", "s are 1.31.2, 1.31.1, 1.31.3", id="a letter for a digit"),
        pytest.param("1.31.l", "s are 1.31.1, 1.31.0, 1.31.2", id="the last one"),
        pytest.param("1.3O.1", "s are 1.30.1, 1.30.0, 1.30.2", id="O for 0"),
        pytest.param("131.14", " is 1.31.14", id="no first dot"),
        pytest.param("1.3114", "s are 1.31.14, 1.37.2, 1.36.6", id="no second dot"),
        pytest.param("13114", "s are 1.31.14, 1.31.4, 1.11.4", id="no dot"),
        pytest.param("1,31,14", " is 1.31.14", id="commas"),
        pytest.param("1..31.14", " is 1.31.14", id="a dot too many"),
        pytest.param("1.31.q4", "s are 1.31.4, 1.31.14", id="a wrong letter"),
        pytest.param("11.31.4", " is 1.31.4", id="a digit too many"),
        pytest.param("1.310.2", "s are 1.37.2, 1.37.1, 1.31.2", id="far away, or misspelled"),
        pytest.param("1.38", "s are 1.37.2, 1.36.6, 1.35.10", id="the minor after the last"),
        pytest.param("1.99", "s are 1.37.2, 1.36.6, 1.35.10", id="a minor far after the last"),
        pytest.param("2.0", "s are 1.37.2, 1.36.6, 1.35.10", id="a minor of the next major"),
        pytest.param("1.38.1", "s are 1.37.2, 1.37.1, 1.37.0", id="a release of it"),
        pytest.param("1.31.x", "s are 1.31.14, 1.31.13, 1.31.12", id="a placeholder"),
        pytest.param("v1.31.", "s are 1.31.14, 1.31.13, 1.31.12", id="no patch"),
        pytest.param("1.31+k3s1", "s are 1.31.14, 1.31.13, 1.31.12", id="a vendor's minor"),
        pytest.param("1.18.7+k3s1", "s are 1.18.6, 1.18.8, 1.18.5", id="a gap"),
        pytest.param("lates", " is latest", id="a word"),
        pytest.param("what", "s are 1.37.2, 1.36.6, 1.35.10", id="another word"),
    ],
)
def test_the_nearest_releases_are_near(catalog: Catalog, name: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.known.named(name)
    assert f"the nearest known release{near} (see: hashcompat releases)" in str(caught.value)


@pytest.mark.usefixtures("untraced")
@given(st.sampled_from(KNOWN.names), st.integers(0, 6), st.sampled_from("0123456789.x"))
@example("1.0.0", 3, "1")
def test_one_wrong_character_leaves_the_release_near(name: str, at: int, wrong: str) -> None:
    typed = name[: at % len(name)] + wrong + name[at % len(name) + 1 :]
    try:
        KNOWN.named(typed)
    except UsageError as error:
        close = str(error).partition("nearest known release")[2].partition(" (see")[0].split()[1:]
        numbers = typed.split(".")
        by_number = len(numbers) in (2, 3) and all(number.isdecimal() for number in numbers)
        assert by_number or any(distance(typed, word.strip(",")) <= 2 for word in close)
