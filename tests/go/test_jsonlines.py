"""Lines in JSON: wherever white space is, and however the text is read, each object is where it begins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.go.jsonstream import parts
from hashcompat.go.jsontext import JsonLines
from hashcompat.go.parts import ITEMS, Part

KEYS = ("containers", "initContainers", "a", "spec")

Path = tuple[str | int, ...]

texts = st.sampled_from(["", "containers", '"containers": [{', "}\n{", "\\", '\\"', "é\N{GRINNING FACE}"])

values = st.recursive(
    st.none() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), st.lists(st.dictionaries(texts, inner), max_size=3))
    ),
    max_leaves=10,
)

documents = st.dictionaries(st.sampled_from([*KEYS, ITEMS, "kind"]), values, max_size=4)

spaces = st.lists(st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "\r", "\n\n  "]), min_size=1, max_size=20)


class Writer:
    """Writes JSON with any white space between its tokens, and notes the line of each object."""

    def __init__(self, spaces: list[str], *, escaped: bool) -> None:
        self.text = ""
        self.lines: dict[Path, int] = {}
        self._spaces, self._escaped = cycle(spaces), escaped

    def value(self, value: Any, path: Path) -> None:
        self._token("")
        if isinstance(value, dict):
            self.lines[path] = 1 + self.text.count("\n")
            rows = ((key, one, (*path, key)) for key, one in value.items())
            self._listed("{", rows, "}")
        elif isinstance(value, list):
            self._listed("[", ((None, one, (*path, index)) for index, one in enumerate(value)), "]")
        else:
            self._token(json.dumps(value, ensure_ascii=False))

    def _listed(self, start: str, rows: Iterator[tuple[str | None, Any, Path]], end: str) -> None:
        self._token(start)
        for number, (key, value, path) in enumerate(rows):
            self._token("," if number else "")
            if key is not None:
                self._token(self._key(key))
                self._token(":")
            self.value(value, path)
        self._token(end)

    def _key(self, key: str) -> str:
        plain = json.dumps(key)
        return f'"\\u{ord(key[0]):04x}{plain[2:]}' if self._escaped and key in KEYS else plain

    def _token(self, text: str) -> None:
        self.text += text + next(self._spaces)


def listed(value: Any, path: Path) -> Iterator[tuple[str, list[Any], Path]]:
    """Yield each list of objects with its key and path."""
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in rows:
        if isinstance(key, str) and isinstance(one, list) and one and all(type(row) is dict for row in one):
            yield key, one, (*path, key)
        yield from listed(one, (*path, key))


def check(part: Part, lines: dict[Path, int], path: Path) -> int:
    """Compare the lines of the objects in all lists that are in an object of a part, such as spec."""
    assert part.lines is not None
    members = part.value if isinstance(part.value, dict) else {}
    found = 0
    for key, rows, place in listed({name: one for name, one in members.items() if type(one) is dict}, path):
        if key in KEYS:
            expected = [lines[*place, index] for index in range(len(rows))]
            assert list(part.lines(key, rows)) == expected, (key, place)
            found += 1
    return found


@given(documents, spaces, st.booleans(), st.sampled_from([1, 5, 1000]))
def test_lines_are_those_that_were_written(
    document: dict[str, Any], white: list[str], escaped: bool, size: int
) -> None:
    writer = Writer(white, escaped=escaped)
    writer.value(document, ())
    text = "\n" + writer.text
    for part in parts(text[start : start + size] for start in range(0, len(text), size)):
        path: Path = () if part.index is None else (ITEMS, part.index)
        check(part, {place: line + 1 for place, line in writer.lines.items()}, path)


SPEC = """{
 "kind": "List", "spec":
  {"args": [%s], "containers":
   [
    {"name": "a"}, {"name": "b",
     "x": {"containers": %s}
    },
    { }
   ]
  }
}"""


@pytest.mark.parametrize("other", ["7", '"7"', "[]", '[{"y":\n{}}]'])
@pytest.mark.parametrize(
    "word", ['""', '"containers"', r'"\u0063"', r'"\\u0063 \" {}"', '"containers", 1.5e3']
)
def test_nothing_else_of_that_name_counts(word: str, other: str) -> None:
    (part,) = parts([SPEC % (word, other)])
    assert part.lines
    rows = part.value["spec"]["containers"]
    assert list(part.lines("containers", rows)) == [5, 5, 8 + other.count("\n")]
    inner = rows[1]["x"]["containers"]
    assert isinstance(inner, list) is other.startswith("[")
    if isinstance(inner, list):
        assert list(part.lines("containers", inner)) == [6] * len(inner)


def test_a_list_of_another_value_has_no_lines() -> None:
    (part,) = parts([SPEC % (1, 2)])
    assert part.lines
    assert list(part.lines("containers", [{}, {}])) == [0, 0]
    assert list(part.lines("initContainers", [])) == []


def test_an_object_on_one_line_next_to_longer_ones() -> None:
    (part,) = parts(['{"status": {"a":\n1},\n"spec": {"containers": [{}, {}]},\n"b": {}}'])
    assert part.lines
    assert list(part.lines("containers", part.value["spec"]["containers"])) == [3, 3]


def test_a_first_look_knows_no_lines() -> None:
    (part,) = parts(['{"spec": {"containers": [{}]}}'], strict=False)
    assert part.lines
    assert list(part.lines("containers", part.value["spec"]["containers"])) == [0]


@pytest.mark.parametrize("escape", ["\\\\", '\\"', "x", "\\u00e9"])
def test_a_string_of_megabytes_is_passed(escape: str) -> None:
    text = '{"a": "%s",\n"b": [{}], "c": {"b": []}}' % (escape * 1_000_000)
    value, lines = json.loads(text), JsonLines()
    lines.add(value, 7, 8, lambda: text)
    assert list(lines.lines("b", value["b"])) == [8]


@pytest.mark.parametrize("key", [r"c\u006fntainers", r"\u0063ontainers"])
def test_a_key_that_is_escaped_is_not_taken_for_another(key: str) -> None:
    """The decoy is the one list whose key is plain."""
    text = '{"spec": {\n"containers": [{"x": {"containers":\n[{}]}},\n\n{}]}}'.replace("containers", key, 1)
    (part,) = parts([text])
    assert part.lines
    assert list(part.lines("containers", part.value["spec"]["containers"])) == [2, 5]
