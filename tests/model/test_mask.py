"""What is shown of a container, field by field; the whole program is in cli/test_secrets.py."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.model.escape import masked
from tests.helpers.planted import FIXED, MARK, Planter, holds, markers
from tests.helpers.pods import ARTICLE, Json


def test_nothing_that_is_planted_is_shown_and_the_structure_stays(catalog: Catalog) -> None:
    given = Planter(catalog).container("c", restartPolicy="Always", replicas=[{"of": "nobody"}])
    shown = masked(given)
    assert len(markers(given)) > 50
    assert not holds(repr(shown))
    assert shape(shown) == shape(given)
    assert shown["replicas"] == [{"of": "***"}]


def shape(value: Any) -> Any:
    """Return the keys, the lengths of lists and the types of an object."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else type(value)


@pytest.mark.parametrize("place", FIXED)
def test_a_name_is_shown_and_what_is_more_than_one_is_not(place: str) -> None:
    if FIXED[place] is not None:
        assert at(masked(nested(place, FIXED[place])), place) == FIXED[place]
    for secret in (f"A={MARK}", f"user:{MARK}@host", f"a {MARK}", f"https://host/?{MARK}"):
        assert place == "name" or at(masked(nested(place, secret)), place) == "***"


def nested(place: str, value: Any) -> Json:
    """Return a container with a value at a place, all lists left out."""
    for key in reversed(place.split(".")):
        value = {key: value}
    made: Json = value
    return made


def at(value: Any, place: str) -> Any:
    for key in place.split("."):
        value = value[key]
    return value


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http", "http"),
        ("8080", "8080"),
        ("http-2", "http-2"),
        ("HTTP", "***"),
        (MARK, "***"),
        ("a" * 16, "***"),
        (8080, 8080),
    ],
)
def test_a_port_is_a_number_or_its_name(given: object, expected: object) -> None:
    place = "lifecycle.preStop.tcpSocket.port"
    assert at(masked(nested(place, given)), place) == expected


def test_amounts_are_shown_whatever_resource_they_are_of() -> None:
    resources = {"limits": {"nvidia.com/gpu": "1", "cpu": "100m"}, "requests": {"memory": "64Mi"}}
    assert masked({"resources": resources}) == {"resources": resources}


def test_of_a_real_container_without_secrets_nothing_is_hidden() -> None:
    assert masked(ARTICLE) == ARTICLE


def test_what_is_too_deep_for_any_type_is_left_out() -> None:
    deep: Any = MARK
    for _ in range(60):
        deep = [deep]
    assert not holds(repr(masked({"args": deep})))
