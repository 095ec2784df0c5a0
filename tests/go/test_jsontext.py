"""JSON as Go reads and writes it, and the lines of its elements."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go.jsonpath import ITEMS, Part
from hashcompat.core.go.jsonstream import parts
from hashcompat.core.go.jsontext import (
    ESCAPES,
    JsonLines,
    Number,
    canonical,
    clean,
    decode_text,
    dumps,
    integer,
    kind_of,
    load_all,
    loads,
    quote,
)

# JSON as Go reads and writes it; what Go does was seen in encoding/json and sigs.k8s.io/json.

unicode_text = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"plain", "plain", id="ASCII"),
        pytest.param("\u20ac\U0001f600".encode(), "\u20ac\U0001f600", id="UTF-8"),
        pytest.param(b"a\xffb", "a\ufffdb", id="a byte that is never UTF-8"),
        pytest.param(b"\xe2\x82", "\ufffd\ufffd", id="a cut sequence is one replacement a byte"),
        pytest.param(b"\xe2\x82A", "\ufffd\ufffdA", id="a cut sequence before ASCII"),
        pytest.param(b"\xc0\x80", "\ufffd\ufffd", id="overlong NUL"),
        pytest.param(b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", id="a surrogate in UTF-8"),
        pytest.param(b"\xf0\x9f\x98", "\ufffd\ufffd\ufffd", id="three of four bytes"),
        pytest.param(b"\xf4\x90\x80\x80", "\ufffd" * 4, id="beyond U+10FFFF"),
    ],
)
def test_each_byte_that_is_no_utf8_becomes_one_replacement_character(data: bytes, expected: str) -> None:
    assert clean(decode_text(data)) == expected


@given(unicode_text)
def test_valid_text_is_left_alone(text: str) -> None:
    assert clean(decode_text(text.encode())) == text


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(r'"\ud800"', "\ufffd", id="lone high"),
        pytest.param(r'"\ud83dx"', "\ufffdx", id="high before a letter"),
        pytest.param(r'"\ude00\ud83d"', "\ufffd\ufffd", id="pair in the wrong order"),
        pytest.param(r'"\ud83d\ude00"', "\U0001f600", id="pair"),
        pytest.param(r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600", id="high before a pair"),
        pytest.param(r'"\ud83d\u0041"', "\ufffdA", id="high before another escape"),
        pytest.param(r'"\u0000"', "\0", id="NUL"),
        pytest.param(r'"\/\b\f"', "/\b\f", id="short escapes"),
    ],
)
def test_escapes_are_read_as_go_does(document: str, expected: str) -> None:
    assert clean(loads(document)) == expected


def test_an_escaped_half_and_a_broken_byte_do_not_become_one_character() -> None:
    assert clean(loads(decode_text(b'"\\ud83d\x80"'))) == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (" 1 ", 1),
        ("null", None),
        ("true", True),
        ("[]", []),
        ('{"a": {"b": [1, "x"]}}', {"a": {"b": [1, "x"]}}),
        ("\t\r\n{}\n", {}),
    ],
)
def test_a_document_is_read(document: str, expected: Any) -> None:
    assert loads(document) == expected


@pytest.mark.parametrize(
    "raw", ["-0", "1.0", "1e3", "1E+3", "0.1", "1.50", "1e400", "-0.0", "9" * 5000, "-" + "9" * 401]
)
def test_a_number_that_is_no_usual_integer_keeps_its_text(raw: str) -> None:
    number = loads(raw)
    assert isinstance(number, Number)
    assert (number.raw, str(number)) == (raw, raw)


def test_a_kept_number_has_a_value_too() -> None:
    assert float(loads("1.50")) == 1.5
    assert float(loads("1e400")) == math.inf
    assert [bool(loads(raw)) for raw in ("-0", "0.0", "1e-1")] == [False, False, True]


LOOKALIKES = [
    *("1.5", "1.500", '"1.5"', "1", "1.0", "1e0", "true", '"1"', "0", "-0", "0.0", "false", "null"),
    *("[]", "{}", '""', "[1.5, null]", "[null, 1.5]", "[1.5, 2.5]", "[2.5, 1.5]", '"NaN"', r'"\u0000"'),
]
"""JSON texts whose values some comparison of Python takes for one."""


@pytest.mark.parametrize("show", [canonical, repr])
def test_no_two_values_share_a_key(show: Callable[[Any], object]) -> None:
    values = [*map(loads, LOOKALIKES), "\ud83d\udc80", "\U0001f480", "\\ud83d\\udc80"]
    assert len(set(map(show, values))) == len(values)


def test_a_canonical_text_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical(loads('{"a": 1.5, "b": 2.5}')) == canonical(loads('{"b": 2.5, "a": 1.5}'))
    assert canonical(loads('{"a": 1.5, "b": 2.5}')) != canonical(loads('{"a": 2.5, "b": 1.5}'))


def test_a_canonical_text_is_not_made_of_anything_however_deep() -> None:
    value: Any = None
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InputError, match="nested too deeply"):
        canonical(value)


@pytest.mark.parametrize("raw", ["0", "9223372036854775808", "-5", "9" * 400])
def test_an_integer_of_any_usual_length_is_exact(raw: str) -> None:
    number = loads(raw)
    assert type(number) is int
    assert number == int(raw)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        pytest.param('{\n "a": 1,\n "b" 2}', "line 3 column 6", id="the line and column of the mistake"),
        pytest.param("[1,2", "line 1 column 5", id="cut off"),
        pytest.param(
            "[1,]", "line 1 column ", id="comma before the end"
        ),  # of the bracket, or from 3.13 on of the comma
        pytest.param("{'a':1}", "line 1 column 2", id="single quotes"),
        pytest.param(
            '"a\tb"', "line 1 column 3: not valid JSON: Invalid control character", id="raw tab in a string"
        ),
        pytest.param(r'"\x41"', "line 1 column 2", id="an escape that JSON lacks"),
        pytest.param("\ufeff{}", "line 1 column 1", id="byte order mark"),
        pytest.param("\u00a0{}", "line 1 column 1", id="space that is none in JSON"),
        pytest.param("// c\n1", "line 1 column 1", id="comment"),
        pytest.param(".5", "line 1 column 1", id="number without a whole part"),
        pytest.param("NaN", "NaN is not valid JSON", id="NaN"),
        pytest.param("[Infinity]", "Infinity is not valid JSON", id="infinity"),
        pytest.param("-Infinity", "-Infinity is not valid JSON", id="minus infinity"),
        pytest.param('{"a":1,"b":2,"a":1}', "the key 'a' appears twice", id="the same key and value twice"),
        pytest.param('[{"x":{"k":1,"k":2}}]', "the key 'k' appears twice", id="twice further down"),
        pytest.param(r'{"a":1,"\u0061":2}', "the key 'a' appears twice", id="twice, once escaped"),
        pytest.param("[" * 100_000, "nested too deeply", id="100,000 lists"),
        pytest.param('{"a":' * 100_000, "nested too deeply", id="100,000 objects"),
        pytest.param("", "want one JSON document", id="nothing"),
        pytest.param(" \n", "want one JSON document", id="white space alone"),
        pytest.param("{} {}", "want one JSON document", id="two documents"),
        pytest.param("01", "want one JSON document", id="leading zero"),
    ],
)
def test_what_is_no_json_document_is_an_input_error(document: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        loads(document)
    assert problem in str(caught.value)


def test_many_documents_follow_one_another() -> None:
    assert list(load_all(' {"a":1}{"b":2}\n[3]\t4 ')) == [{"a": 1}, {"b": 2}, [3], 4]


def test_an_error_in_a_later_document_has_its_own_line() -> None:
    documents = load_all('{"a":1}\n{"b":2}\n{"c":}\n')
    assert next(documents) == {"a": 1}
    assert next(documents) == {"b": 2}
    with pytest.raises(InputError, match="line 3 column 6"):
        next(documents)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "a boolean"),
        (1, "an integer"),
        ("secret", "a string"),
        ([], "a list"),
        ({}, "an object"),
        (None, "null"),
        (Number("1.5"), "a number with a fraction or an exponent"),
    ],
)
def test_a_kind_is_named_without_its_value(value: object, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("bits", "signed", "low", "high"),
    [
        (8, True, -128, 127),
        (32, True, -(2**31), 2**31 - 1),
        (64, True, -(2**63), 2**63 - 1),
        (8, False, 0, 255),
        (64, False, 0, 2**64 - 1),
    ],
)
def test_the_range_of_a_go_integer(bits: int, signed: bool, low: int, high: int) -> None:
    assert [integer(low, bits, signed=signed), integer(high, bits, signed=signed)] == [low, high]
    name = f"{'' if signed else 'u'}int{bits}"
    for value in (low - 1, high + 1):
        with pytest.raises(DecodeError, match=f"^an integer out of the range of {name}$"):
            integer(value, bits, signed=signed)


def test_minus_zero_is_the_integer_zero() -> None:
    assert integer(Number("-0"), 32) == 0


@pytest.mark.parametrize("value", [Number("1.0"), Number("1e3"), Number("-0.0"), True, "1", [1], None, 1.0])
def test_other_numbers_and_kinds_are_no_integer(value: object) -> None:
    with pytest.raises(DecodeError, match="want an integer, got"):
        integer(value, 32)


CONTROLS = {code: f"\\u{code:04x}" for code in range(0x20)} | {9: "\\t", 10: "\\n", 13: "\\r"}


@pytest.mark.parametrize(("go", "short"), [("before-go1.22", {}), ("go1.22", {8: "\\b", 12: "\\f"})])
def test_control_characters_are_escaped_as_that_go_does(go: str, short: dict[int, str]) -> None:
    written = {code: quote(chr(code), ESCAPES[go])[1:-1] for code in range(0x20)}
    assert written == CONTROLS | short


@pytest.mark.parametrize("go", ESCAPES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '""'),
        ('say "hi"\\', r'"say \"hi\"\\"'),
        ("<a> & b", r'"\u003ca\u003e \u0026 b"'),
        ("\u2028\u2029", r'"\u2028\u2029"'),
        ("\x7f\u00e9\u20ac\U0001f600\ufffd/'", '"\x7f\u00e9\u20ac\U0001f600\ufffd/\'"'),
    ],
    ids=["empty", "quote and backslash", "HTML", "line separators", "left alone"],
)
def test_other_characters_are_escaped_alike_by_every_go(go: str, text: str, expected: str) -> None:
    assert quote(text, ESCAPES[go]) == expected


@pytest.mark.parametrize("go", ESCAPES)
@given(text=unicode_text | st.text(st.sampled_from('\b\f\n\x00<&>"\\\u2028a')))
def test_quoted_text_reads_back(go: str, text: str) -> None:
    assert json.loads(quote(text, ESCAPES[go])) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"a": [1, null, true, "x"]}', '{"a":[1,null,true,"x"]}'),
        ('[-0, 1.50, 1e3, "#-0#", "##"]', '[-0,1.50,1e3,"#-0#","##"]'),
        ('"\\ud83d"', '"\\ufffd"'),
        ('{"\\udc00": "\\udc00\\ud800"}', '{"\\ufffd":"\\ufffd\\ufffd"}'),
        ('"\\u001b\\u2028\u00e9"', '"\\u001b\\u2028\\u00e9"'),
    ],
)
def test_what_is_written_reads_as_the_same_to_go(text: str, written: str) -> None:
    assert "".join(dumps(loads(text)).split()) == written


@pytest.mark.usefixtures("untraced")
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | unicode_text,
        lambda inner: st.lists(inner) | st.dictionaries(unicode_text, inner),
        max_leaves=20,
    )
)
def test_plain_values_are_indented_as_by_python(value: Any) -> None:
    assert dumps(value) == json.dumps(value, indent=1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": "b', "line 1 column 7: not valid JSON: Unterminated string"),
        ('{"a": [1,\n', "line 2 column 1: not valid JSON: Expecting value"),
        ('{} {"a"\n', "line 2 column 1: not valid JSON: Expecting ':' delimiter"),
    ],
)
def test_text_that_was_cut_is_said_to_be(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        list(load_all(text))
    assert str(caught.value) == f"{problem}; the text ends there: is it cut short?"


def test_a_mistake_before_the_end_is_no_cut() -> None:
    with pytest.raises(InputError) as caught:
        loads('{"a": }')
    assert str(caught.value) == "line 1 column 7: not valid JSON: Expecting value"


# Lines in JSON: wherever white space is, and however the text is read, each object is where it begins.

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
            rows = ((key, child, (*path, key)) for key, child in value.items())
            self._listed("{", rows, "}")
        elif isinstance(value, list):
            self._listed("[", ((None, child, (*path, index)) for index, child in enumerate(value)), "]")
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
    for key, child in rows:
        if (
            isinstance(key, str)
            and isinstance(child, list)
            and child
            and all(type(row) is dict for row in child)
        ):
            yield key, child, (*path, key)
        yield from listed(child, (*path, key))


def check(part: Part, lines: dict[Path, int], path: Path) -> int:
    """Compare the lines of the objects in all lists that are in an object of a part, such as spec."""
    assert part.lines is not None
    members = part.value if isinstance(part.value, dict) else {}
    count = 0
    for key, rows, place in listed(
        {name: member for name, member in members.items() if type(member) is dict}, path
    ):
        if key in KEYS:
            expected = [lines[*place, index] for index in range(len(rows))]
            assert list(part.lines(key, rows)) == expected, (key, place)
            count += 1
    return count


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
