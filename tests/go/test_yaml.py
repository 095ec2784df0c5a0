"""YAML documents as Kubernetes reads them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml, yamlevents
from hashcompat.core.go.jsonpath import leaves
from hashcompat.core.go.jsontext import Number, loads
from hashcompat.core.go.yaml import element_of, load_all
from hashcompat.core.go.yamlevents import Breaks, resolve, to_json_number
from tests.helpers.support import rows

# YAML as a Kubernetes program reads it; expected JSON was made by sigs.k8s.io/yaml (data/README.md).

ROWS = rows("yaml.jsonl")
REFUSED = [row for row in ROWS if row["json"] is None]


def one(text: str) -> Any:
    documents = list(load_all(text))
    assert len(documents) <= 1
    return documents[0] if documents else None


def exact(value: Any) -> Any:
    """Make a value comparable to the last digit: numbers by kind and text, mappings in no order."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return (type(value).__name__, str(value))


@pytest.fixture(params=["C", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with libyaml's parser and with PyYAML's own, whichever a user's wheel has."""
    if request.param == "Python":
        monkeypatch.setattr(yamlevents, "_LOADER", pyyaml.SafeLoader)
    else:
        assert hasattr(pyyaml, "CSafeLoader"), "PyYAML was built without libyaml"


@pytest.mark.usefixtures("parser")
def test_the_json_is_that_of_go() -> None:
    read = [row for row in ROWS if row["json"] is not None]
    assert len(read) > 600
    for row in read:
        assert exact(one(row["yaml"])) == exact(loads(row["json"])), row["yaml"]


@pytest.mark.usefixtures("parser")
def test_what_go_refuses_is_refused() -> None:
    for text in (row["yaml"] for row in REFUSED if "\\ud" not in row["yaml"]):
        try:
            value = one(text)
        except InputError:
            continue
        pytest.fail(f"{text!r} is read as {value!r}")


@pytest.mark.parametrize("text", [row["yaml"] for row in REFUSED if "\\ud" in row["yaml"]])
def test_surrogates_are_refused_by_libyaml_as_by_go(text: str) -> None:
    with pytest.raises(InputError, match="line 1 column"):
        one(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", "line 3 column 1: the key 'a' appears twice", id="the same key"),
        pytest.param("{1: a, '1': b}", "line 1 column 8: the key '1' appears twice", id="number and string"),
        pytest.param(
            "0x1: a\n1: b\n", "line 2 column 1: the key '1' appears twice", id="two spellings of a number"
        ),
        pytest.param(
            "yes: a\n'true': b\n", "line 2 column 1: the key 'true' appears twice", id="yes and true"
        ),
        pytest.param("x:\n- a: 1\n  a: 1\n", "line 3 column 3: the key 'a' appears twice", id="further down"),
        pytest.param("&k key: 1\n*k : 2\n", "line 2 column 1: the key 'key' appears twice", id="by alias"),
    ],
)
def test_a_key_that_appears_twice_is_refused_though_go_takes_the_last(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=f"^{problem}"):
        one(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("a:\n  b: .inf\n", "line 2 column 6: a number that JSON does not have", id="infinity"),
        pytest.param("- .nan\n", "line 1 column 3: a number that JSON does not have", id="NaN"),
        pytest.param(
            "a: *x\n",
            "line 1 column 4: an alias of an anchor that is not defined before it",
            id="alias without anchor",
        ),
        pytest.param(
            "a: &a\n  b: *a\n",
            "line 2 column 6: an alias of an anchor that is not defined before it",
            id="alias inside its own anchor",
        ),
        pytest.param(
            "a: &x 1\n---\nb: *x\n",
            "line 3 column 4: an alias of an anchor that is not defined before it",
            id="anchors end with the document",
        ),
        pytest.param("? [a]\n: b\n", "line 1 column 3: a key that is neither text", id="list as key"),
        pytest.param("? {a: 1}\n: b\n", "line 1 column 3: a key that is neither text", id="mapping as key"),
        pytest.param(
            "kind: Pod\nname: {{ .Values.name }}\n",
            "line 2 column 8: a key that is neither text nor an int64 nor a float; text with {{ in it is a "
            "template: render it first, as helm template does",
            id="template",
        ),
        pytest.param("{" * 300, "line 1 column 2: a key that is neither text", id="keys in keys"),
        pytest.param(
            "a: " + "{<<: " * 300,
            "line 1 column 504: nested too deeply to be a Kubernetes object: more than 200 levels",
            id="merges in merges",
        ),
        pytest.param("a: 1\n~: b\n", "line 2 column 1: a key that is neither text", id="null as key"),
        pytest.param(
            "9223372036854775808: a\n", "line 1 column 1: a key that is neither text", id="key beyond int64"
        ),
        pytest.param("a:\n  <<: 5\n", "line 2 column 3: a merge key needs", id="merge of a number"),
        pytest.param(
            "a:\n  <<: [{}, 1]\n", "line 2 column 3: a merge key needs", id="merge of a list with a number"
        ),
        pytest.param(
            "a: !!int foo\n",
            "line 1 column 4: a scalar that does not fit its tag",
            id="tag that does not fit",
        ),
        pytest.param("a: !!binary x\n", "line 1 column 4: ", id="no base64"),
        pytest.param("a: b: c\n", "line 1 column 5: not valid YAML: ", id="mapping inside a plain scalar"),
        pytest.param("a:\n\t- b\n", "line 2 column 1: not valid YAML: ", id="tab as indent"),
        pytest.param('a: "x\n', "line 2 column 1: not valid YAML: ", id="unterminated"),
        pytest.param("a: 1\n---\nb: [\n", "line 4 column 1: not valid YAML: ", id="in the second document"),
    ],
)
@pytest.mark.usefixtures("parser")
def test_an_error_says_where(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        list(load_all(text))
    assert str(caught.value).startswith(problem)


@pytest.mark.usefixtures("parser")
def test_a_character_that_yaml_forbids_is_an_input_error() -> None:
    with pytest.raises(InputError, match="not valid YAML: "):
        one("a: \x07\n")


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "a: " + "{a: " * 5000, "- " * 5000 + "x"],
    ids=["flow lists", "flow mappings", "block lists"],
)
def test_deep_nesting_is_an_input_error_and_no_crash(text: str) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        one(text)


def test_nesting_that_an_object_may_have_is_read() -> None:
    value = one("[" * 150 + "]" * 150)
    for _ in range(149):
        (value,) = value
    assert value == []


@pytest.mark.usefixtures("parser")
def test_every_document_of_a_stream_is_read() -> None:
    assert list(load_all("a: 1\n---\n---\n- b\n...\n# end\n---\nc\n")) == [{"a": 1}, None, ["b"], "c"]


@pytest.mark.usefixtures("parser")
def test_a_document_of_hardly_anything_but_aliases_is_refused_as_by_go() -> None:
    """A few lines that stand for billions of values; kubectl says "document contains excessive aliasing"."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(InputError, match=r"^line \d+ column \d+: excessive aliasing"):
        one("\n".join(lines))


def test_many_aliases_are_read_where_the_document_says_something_too() -> None:
    shared = "base: &b {a: 1, b: 2}\n" + "".join(f"k{n}: *b\n" for n in range(2000))
    assert one(shared)["k1999"] == {"a": 1, "b": 2}


def test_nothing_is_no_document() -> None:
    assert list(load_all("# only a comment\n")) == []


def test_an_anchor_keeps_the_value_that_it_had() -> None:
    assert one("a: &x 1\nb: *x\nc: &x 2\nd: *x\n") == {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("base: &b {k: 1, l: 2}\nc: {<<: *b, k: 3}\n", {"k": 3, "l": 2}),
        ("base: &b {k: 1}\nc: {k: 3, <<: *b}\n", {"k": 1}),
        ("c: {<<: [{k: 1}, {k: 2, l: 3}]}\n", {"k": 1, "l": 3}),
        ("c: {'<<': 1}\n", {"<<": 1}),
    ],
    ids=[
        "own key after the merge",
        "own key before the merge",
        "the earlier mapping wins",
        "a quoted merge key is none",
    ],
)
def test_merge_keys(text: str, expected: dict[str, Any]) -> None:
    assert one(text)["c"] == expected


@pytest.mark.parametrize("text", ["9" * 71, "0x" + "f" * 71, "9" * 5000])
def test_an_integer_that_go_cannot_hold_is_a_float_or_text(text: str) -> None:
    expected: Any = float(text) if text.isdecimal() and math.isfinite(float(text)) else text
    assert resolve(text) == expected


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_json_does_not_have_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="infinity or NaN"):
        to_json_number(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_keeps_its_value_as_json(value: float) -> None:
    number = to_json_number(value)
    assert float(number) == value
    assert isinstance(number, Number) or type(number) is int


@given(st.integers(-(2**63), 2**64 - 1))
def test_every_64_bit_integer_is_exact(value: int) -> None:
    assert one(f"a: {value}") == {"a": value}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.text(st.characters(codec="ascii", exclude_categories=["Cc"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abyn~0.1<-:", min_size=1), inner, max_size=4)
    ),
    max_leaves=10,
)


@pytest.mark.usefixtures("untraced")
@given(json_values)
def test_json_is_yaml(value: Any) -> None:
    assert one(json.dumps(value)) == value


@pytest.mark.parametrize("text", ["a:\n\tb: 1\n", "a: @b\n", "a: `b`\n"])
@pytest.mark.usefixtures("parser")
def test_what_begins_nothing_in_yaml_is_explained(text: str) -> None:
    with pytest.raises(InputError, match=r"cannot start any token; indent with spaces, not tabs, and quote "):
        one(text)


# Where in its text each scalar of an element is, and which strings need no quotes.

TEXT = """- name: web
  quoted: "web-1"
  other: 'web-1'
  list:
  - web-2
  - restartCount: 5
  five: "5"
  count: 7
  none: ""
  block: |
    web-1
"""


def tokens(text: str, start: int = 0, end: int | None = None) -> list[tuple[str, str, bool, bool]]:
    """Return the characters of each token, its key, whether it is a number, and whether it is as it is."""
    spans = element_of(text).text.tokens(start, len(text) if end is None else end)
    return [(text[span.start : span.end], span.key, span.is_number, span.is_as_is) for span in spans]


def test_each_string_and_restart_count_is_a_token() -> None:
    assert tokens(TEXT) == [
        ("web", "name", False, True),
        ("web-1", "quoted", False, True),
        ("web-1", "other", False, True),
        ("web-2", "list", False, True),
        ("5", "restartCount", True, True),
        ("5", "five", False, True),
        ("", "none", False, True),
        (TEXT[TEXT.index("|") :], "block", False, False),
    ]


def test_the_tokens_of_a_part_are_those_that_begin_in_it() -> None:
    start, end = TEXT.index("  other"), TEXT.index("  five")
    assert [token[0] for token in tokens(TEXT, start, end)] == ["web-1", "web-2", "5"]


def test_tokens_are_in_the_order_of_the_value() -> None:
    element = element_of(TEXT)
    texts = [str(value) for _, value in leaves(element.value)]
    assert texts[:-1] == [token[0] for token in tokens(TEXT)][:-1]
    assert len(texts) == len(tokens(TEXT))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param('"\\x77eb"', id="an escape"),
        pytest.param("!!str web", id="a tag"),
        pytest.param('"we\\\n    b"', id="on two lines"),
        pytest.param("\n  restartCount: 0x7", id="a number in another form"),
        pytest.param("\n  restartCount: !!int 7", id="a number with a tag"),
    ],
)
def test_what_is_written_in_another_way_is_not_as_it_is(other: str) -> None:
    *_, last = tokens(f"- a: x\n  again: {other}\n")
    assert not last[3]


def test_characters_beyond_ascii_are_one_each() -> None:
    assert tokens('- a: "\u00e9\U0001f600"\n  b: web\n')[-1] == ("web", "b", False, True)


def is_bare(value: str) -> bool:
    predicate = element_of("- a\n").text.is_bare
    return predicate is not None and predicate(value)


@given(st.text("aeYynoN01x.:/_@+-", min_size=1, max_size=6))
def test_a_string_that_is_bare_is_itself_without_quotes(value: str) -> None:
    """In each place where a slot may have it."""
    bare = is_bare(value)
    for text in (f"- {value}\n", f"a: {value}\nb: c\n", f"[\n{value}\n]\n", f"{{a:\n  {value}\n}}\n"):
        try:
            (document,) = load_all(text)
        except InputError:
            is_itself = False
        else:
            is_itself = value in (document.values() if isinstance(document, dict) else document)
        assert is_itself or not bare, text


@pytest.mark.parametrize("value", ["web-1", "10.0.0.1", "fd00::1", "5e6f-7", "a:b", "/a", "i:v1"])
def test_names_and_addresses_are_bare(value: str) -> None:
    assert is_bare(value)


@pytest.mark.parametrize(
    "value", ["yes", "n", "null", "12", "0x1f", "1e3", "1_000", ".5", ".inf", "a:", "-", "@a", "..."]
)
def test_other_strings_are_not(value: str) -> None:
    assert not is_bare(value)


@pytest.mark.parametrize(
    "text", ["", "a", "a: b\n", "- a\n- b\n", "- a\n---\n", "- &a b\n", "[a]\nb", "- *a\n"]
)
def test_anything_but_one_element_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        element_of(text)


# Lines in YAML are those of an editor, whatever YAML takes as the end of a line, and wherever that is.

BREAKS = ("\n", "\r\n", "\r", "\x85", "\u2028", "\u2029")

breaks = st.sampled_from(BREAKS)

FILLS = (
    "",
    "# a comment{0}",
    "  # é{0}{0}",
    "    a: 'quoted{0}{0}      on'{0}",
    "    a: plain{0}      on{0}",
    "    a: |{0}      block{0}{0}      of text{0}",
    '    a: "\\N \\L"{0}',
)
"""What may be between two elements, with breaks for {0}."""

numbered_rows = st.lists(st.tuples(st.sampled_from(FILLS), breaks, breaks), max_size=12)


def written(filled: list[tuple[str, str, str]]) -> tuple[str, list[int]]:
    """Return a document with a list of mappings, and at which line each of these begins."""
    text, lines = "spec:\n  containers:\n", []
    for fill, ending, other in filled:
        lines.append(1 + text.count("\n"))
        text += f"  - n: 1{ending}" + fill.format(other)
    return text, lines


def chunked(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


@pytest.mark.parametrize("loader", [yamlevents._LOADER, pyyaml.SafeLoader], ids=["C", "Python"])
@given(filled=numbered_rows, size=st.sampled_from([1, 2, 1000]))
def test_only_lf_ends_a_line(loader: Any, filled: list[tuple[str, str, str]], size: int) -> None:
    text, lines = written(filled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yamlevents, "_LOADER", loader)
        patch.setattr(yamlevents, "_MANY", 2)
        (part,) = yaml.parts(chunked(text, size))
        (whole,) = yaml.documents(text)
    for document in (part, whole):
        assert document.lines
        assert list(document.lines("containers", document.value["spec"]["containers"] or [])) == lines


@given(st.lists(st.tuples(breaks, st.text("ab", max_size=2))), st.integers(1, 5))
def test_lines_of_any_place(filled: list[tuple[str, str]], size: int) -> None:
    """Ask for every line of YAML, with what is read so far."""
    text = "".join(ending + other for ending, other in filled) + "x"
    counted = Breaks()
    for chunk in chunked(text, size):
        counted.add(chunk)
    begins = [1]
    place = 0
    while place < len(text):
        step = 2 if text.startswith("\r\n", place) else 1
        place += step
        if text[place - step : place] in BREAKS:
            begins.append(1 + text.count("\n", 0, place))
    for line, expected in enumerate(begins):
        counted.forget(line)
        assert counted.line(line) == expected


def test_breaks_that_were_passed_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlevents, "_MANY", 10)
    counted = Breaks()
    for line in range(1000):
        counted.add("\x85\n")
        counted.forget(2 * line + 2)
        assert counted.line(2 * line + 2) == line + 2
        assert len(counted.odd) < 12
