from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.go.jsonpath import (
    GONE,
    Change,
    below,
    changed,
    dotted,
    element,
    keys,
    part,
    reach,
    rows,
    text,
)


def test_paths_are_put_together() -> None:
    assert (below("", "ports"), below("a", "ports"), element("a.ports", 0), element("", "*")) == (
        "ports",
        "a.ports",
        "a.ports[0]",
        "[*]",
    )
    assert dotted(["ports", 0, "name"]) == "ports[0].name"
    assert dotted([0, "name"]) == "[0].name"
    assert dotted([]) == ""
    assert keys("volumeMounts[].name") == ("volumeMounts[]", "name")


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": {"b": 1}}, "a.b", 1),
        ({"a": None}, "a.b.c", None),
        ({"a": [1]}, "a.b", None),
        ({"a": 1}, "b", None),
    ],
)
def test_what_stands_at_a_path(value: Any, path: str, expected: Any) -> None:
    assert reach(value, keys(path)) == expected


def gone(_value: Any) -> Any:
    return GONE


def filled(value: Any) -> Any:
    return value or "x"


@pytest.mark.parametrize(
    ("value", "path", "change", "expected"),
    [
        pytest.param({}, "a", filled, {"a": "x"}, id="a missing key"),
        pytest.param({"a": None, "b": 1}, "a", filled, {"a": "x", "b": 1}, id="null, in its place"),
        pytest.param({"a": {}}, "a.b", filled, {"a": {"b": "x"}}, id="in an empty object"),
        pytest.param({}, "a.b", filled, {}, id="no object to set it in"),
        pytest.param({"a": None}, "a.b", filled, {"a": None}, id="null instead of an object"),
        pytest.param({"a": 1}, "a.b", filled, {"a": 1}, id="a number instead of an object"),
        pytest.param({"a": 1, "b": 2}, "a", gone, {"b": 2}, id="taken out"),
        pytest.param(
            {"p": [{"a": 1}, {"b": 2}]}, "p[].a", filled, {"p": [{"a": 1}, {"b": 2, "a": "x"}]}, id="each"
        ),
        pytest.param({"p": [{"a": 1}], "q": 1}, "p[]", gone, {"q": 1}, id="a list that lost all"),
        pytest.param({"p": "text"}, "p[].a", filled, {"p": "text"}, id="no list"),
        pytest.param({"p": [None]}, "p[].a", filled, {"p": [None]}, id="null in a list"),
    ],
)
def test_a_value_is_changed_at_a_path(value: Any, path: str, change: Change, expected: Any) -> None:
    before = repr(value)
    result = changed(value, keys(path), change)
    assert result == expected
    assert (result is value) == (value == expected)
    assert repr(value) == before


def test_some_elements_of_a_list_go() -> None:
    value = changed({"p": [1, 2, 3]}, keys("p[]"), lambda item: GONE if item == 2 else item)
    assert value == {"p": [1, 3]}


@pytest.mark.parametrize("child", [{"a": 1}, [1], "x", 1, 1.5, True, None])
def test_what_is_below_a_key_counts_only_as_what_is_asked_for(child: Any) -> None:
    value = {"k": child}
    assert part(value, "k") == (child if isinstance(child, dict) else {})
    assert text(value, "k") == (child if isinstance(child, str) else "")
    assert list(rows(value, "k")) == (child if isinstance(child, list) else [])


def test_nothing_is_below_a_missing_key() -> None:
    assert (part({}, "k"), text({}, "k"), list(rows({}, "k"))) == ({}, "", [])
