"""The tokens of a JSON text are the strings of its value, in their order."""

from __future__ import annotations

import json
from functools import reduce
from operator import getitem
from typing import Any, cast

import yaml
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.go.jsonpath import leaves, of_json
from hashcompat.core.go.yaml import element_of

TEXT = '{"a": "b", "c": ["d", "", {"restartCount": 3, "x\\"y": "\\u0041\\""}], "n": 7, "restartCount": "4"}'

STRINGS = st.text('a"\\\\:,{}[] \u00e9', max_size=4)
VALUES = st.recursive(
    STRINGS | st.integers(0, 99) | st.booleans() | st.none() | st.floats(0, 9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(STRINGS | st.just("restartCount"), inner, max_size=3)
    ),
    max_leaves=12,
)


def tokens(text: str, start: int = 0) -> list[tuple[str, str, bool]]:
    spans = of_json(text, {}).tokens(start, len(text))
    return [(text[span.start : span.end], span.key, span.is_number) for span in spans]


def test_strings_that_are_no_keys_and_restart_counts_are_tokens() -> None:
    assert tokens(TEXT) == [
        *(("b", "a", False), ("d", "c", False), ("", "c", False), ("3", "restartCount", True)),
        *(('\\u0041\\"', 'x\\"y', False), ("4", "restartCount", False)),
    ]


def test_parts_of_keys_that_are_a_pods_own_are_tokens_too() -> None:
    value = {
        'k:{"ip":"::1"}': {"k": "a"},
        'k:{"uid":"u"}': "b",
        'k:{"name":"kube-api-access-x7k2p"}': {},
        **{key: {} for key in ('k:{"type":"t"}', 'k:{"name":"web"}', 'k:{"ip":""}', 'k:{"ip":"\\u0031"}')},
    }
    wanted = ["::1", "a", "u", "b", "kube-api-access-x7k2p"]
    assert [token for token, _, _ in tokens(json.dumps(value))] == wanted
    assert [leaf for _, leaf in leaves(value, keys=True)] == wanted
    written = f"- {yaml.dump(value, sort_keys=False, indent=2).replace(chr(10), chr(10) + '  ')}"
    text = element_of(written).text
    assert [text.whole[token.start : token.end] for token in text.tokens(0, len(written))] == wanted


def test_a_part_that_begins_with_a_key() -> None:
    assert tokens(TEXT, TEXT.index('"n"')) == [("4", "restartCount", False)]


@given(st.dictionaries(STRINGS, VALUES, max_size=4), st.sampled_from([None, 2]), st.booleans())
def test_the_nth_token_is_the_nth_string_of_the_value(
    value: dict[str, Any], indent: int | None, ascii_alone: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_alone)
    values = [json.loads(f'"{token}"') if not number else int(token) for token, _, number in tokens(text)]
    assert values == [leaf for _, leaf in leaves(value)]


@given(st.dictionaries(STRINGS, VALUES, max_size=4))
def test_the_keys_and_indexes_of_each_lead_to_it(value: dict[str, Any]) -> None:
    for steps, leaf in leaves(value):
        assert reduce(getitem, steps, cast("Any", value)) == leaf


def test_a_list_goes_on_behind_what_is_in_it() -> None:
    value = {"a": [{}, ["b", {"c": "d"}, []], "e"], "f": {"g": {}, "h": "i"}, "k": "l"}
    assert list(leaves(value)) == [
        *((("a", 1, 0), "b"), (("a", 1, 1, "c"), "d"), (("a", 2), "e")),
        *((("f", "h"), "i"), (("k",), "l")),
    ]


def test_lines_of_objects_in_a_list() -> None:
    value = {"a": [{"b": 1}, {"b": 2}]}
    text = of_json(json.dumps(value, indent=1), value)
    assert text.lines("a", value["a"]) == [3, 6]
