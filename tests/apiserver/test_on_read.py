"""Defaults on reading: what a row sets, where, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.apiserver import added_paths, as_read, as_unread
from hashcompat.core.catalog.defaults import ReadDefault, read_default
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.release import parse_release

Json = dict[str, Any]
EVERY = parse_range(">=1.0")
TOP = ReadDefault("policy", "File", None, "s", EVERY)
DEEP = ReadDefault("securityContext.procMount", "Default", None, "s", EVERY)
CPU, MEMORY = ({"resourceName": name, "restartPolicy": "NotRequired"} for name in ("cpu", "memory"))
MERGED = ReadDefault(
    "resizePolicy",
    [CPU, MEMORY],
    "Gate",
    "s",
    EVERY,
    merge_key="resourceName",
    merge_where="resources.requests",
)


@pytest.mark.parametrize(
    ("default", "given", "read"),
    [
        pytest.param(TOP, {}, {"policy": "File"}, id="unset"),
        pytest.param(TOP, {"policy": ""}, {"policy": "File"}, id="empty"),
        pytest.param(TOP, {"policy": "Other"}, {"policy": "Other"}, id="set"),
        pytest.param(DEEP, {}, {}, id="no parent"),
        pytest.param(DEEP, {"securityContext": None}, {"securityContext": None}, id="a null parent"),
        pytest.param(
            DEEP, {"securityContext": {}}, {"securityContext": {"procMount": "Default"}}, id="an empty parent"
        ),
        pytest.param(
            DEEP,
            {"securityContext": {"procMount": "Unmasked"}},
            {"securityContext": {"procMount": "Unmasked"}},
            id="set inside",
        ),
        pytest.param(MERGED, {}, {}, id="nothing requested"),
        pytest.param(MERGED, {"resources": {}}, {"resources": {}}, id="no requests"),
        pytest.param(
            MERGED,
            {"resources": {"requests": {"cpu": "1"}}},
            {"resources": {"requests": {"cpu": "1"}}, "resizePolicy": [CPU]},
            id="cpu",
        ),
        pytest.param(
            MERGED,
            {
                "resources": {"requests": {"cpu": "1", "memory": "1"}},
                "resizePolicy": [{**MEMORY, "restartPolicy": "RestartContainer"}],
            },
            {
                "resources": {"requests": {"cpu": "1", "memory": "1"}},
                "resizePolicy": [{**MEMORY, "restartPolicy": "RestartContainer"}, CPU],
            },
            id="the missing one, after those that are there",
        ),
    ],
)
def test_a_default_is_set_where_it_is_missing(default: ReadDefault, given: Json, read: Json) -> None:
    result = as_read(given, [default])
    assert result == read
    assert (result is given) is (given == read)
    assert as_read(result, [default]) is result


@pytest.mark.parametrize(
    ("default", "given", "stored"),
    [
        pytest.param(TOP, {"policy": "File", "a": 1}, {"a": 1}, id="there"),
        pytest.param(TOP, {"policy": "Other"}, {"policy": "Other"}, id="another value"),
        pytest.param(TOP, {}, {}, id="not there"),
        pytest.param(
            DEEP, {"securityContext": {"procMount": "Default"}}, {"securityContext": {}}, id="inside"
        ),
        pytest.param(DEEP, {"securityContext": {}}, {"securityContext": {}}, id="not inside"),
        pytest.param(DEEP, {}, {}, id="no parent"),
    ],
)
def test_a_default_may_be_taken_away_again(default: ReadDefault, given: Json, stored: Json) -> None:
    result = as_unread(given, default)
    assert result == stored
    assert (result is given) is (given == stored)


def test_the_given_container_is_left_alone() -> None:
    given: Json = {"securityContext": {}, "resources": {"requests": {"cpu": "1"}}}
    as_read(given, [TOP, DEEP, MERGED])
    assert given == {"securityContext": {}, "resources": {"requests": {"cpu": "1"}}}


def test_a_row_may_be_for_some_containers_only() -> None:
    row = {"path": "p", "value": 1, "gate": None, "source": "s", "releases": ">=1.0"}
    assert read_default(row).container_types == set(ContainerType)
    assert read_default({**row, "containerTypes": ["container"]}).container_types == {"container"}


@pytest.mark.parametrize(
    ("server", "since", "gates", "paths"),
    [
        ("1.6.0", "1.5.8", (), ["terminationMessagePolicy"]),
        ("1.6.13", "1.6.0", (), []),
        ("1.14.3", "1.13.12", (), ["securityContext.procMount"]),
        ("1.14.4", "1.13.12", (), []),
        ("1.14.2", "1.14.0", (), []),
        ("1.27.0", "1.26.0", (), []),
        ("1.27.0", "1.26.0", ("InPlacePodVerticalScaling",), ["resizePolicy"]),
        ("1.32.0", "1.32.0", ("InPlacePodVerticalScaling",), ["resizePolicy"]),
        ("1.33.0", "1.32.0", ("InPlacePodVerticalScaling",), []),
    ],
)
def test_what_a_new_api_server_writes_that_the_old_one_did_not(
    catalog: Catalog, server: str, since: str, gates: tuple[str, ...], paths: list[str]
) -> None:
    rows = catalog.read_defaults(
        parse_release(server), parse_release(since), frozenset((gate, True) for gate in gates)
    )
    assert [row.path for row in rows] == paths


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({}, {"a": "", "b": {"c": 1}}, ["a", "b"]),
        ({"b": {}}, {"b": {"c": 1, "d": 2}}, ["b.c", "b.d"]),
        ({"p": [{}, {"x": 1}]}, {"p": [{"x": 1}, {"x": 1}]}, ["p[0].x"]),
        ({"p": [{}]}, {"p": [{}, {}]}, ["p"]),
    ],
)
def test_added_paths_lead_to_what_a_default_set(before: Json, after: Json, paths: list[str]) -> None:
    assert list(added_paths(before, after)) == paths
