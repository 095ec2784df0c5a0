"""JSON in chunks: wherever the text is cut into chunks, what comes out is what the whole text says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import DecodedRun, Part
from hashcompat.core.go.jsonstream import Elements, End, ListPlace, Quick, parts
from hashcompat.core.go.jsontext import load_all
from hashcompat.sources.files.reading import decoded
from hashcompat.sources.replicas.stencils import Stencils
from tests.helpers.unlike import Unlike

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["items", "kind", "a", "é\n"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def chunked(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def whole(pieces: Iterator[Part]) -> list[Any]:
    """Put documents together again."""
    documents: list[Any] = []
    items: list[Any] = []
    for part in pieces:
        if part.index is None:
            documents.append({**part.value, "items": items} if items else part.value)
            items = []
        else:
            assert part.index == len(items)
            items.append(part.value)
    return documents


@given(st.lists(values, max_size=3), st.sampled_from([None, 1, 4]), st.integers(1, 7))
def test_chunks_make_no_difference(documents: list[Any], indent: int | None, size: int) -> None:
    text = "\n".join(json.dumps(document, indent=indent, ensure_ascii=False) for document in documents) + "\n"
    assert whole(parts(chunked(text, size))) == [without_empty_items(value) for value in load_all(text)]


@given(
    st.lists(values, max_size=9),
    st.sampled_from(["\n", "\n\n", "\r\n", " \n"]),
    st.sampled_from([None, None, None, 1]),
    st.integers(1, 400),
)
def test_json_lines_are_the_documents_of_any_text(
    documents: list[Any], between: str, indent: int | None, size: int
) -> None:
    text = between.join(json.dumps(document, indent=indent, ensure_ascii=False) for document in documents)
    pieces = parts(chunked(text, size), quick=decoded, alike=Unlike(), documents=True)
    assert whole(pieces) == [without_empty_items(value) for value in load_all(text)]


@pytest.mark.parametrize(
    "quick", [decoded, lambda _: None, lambda _: DecodedRun([])], ids=["all", "none", "run"]
)
def test_most_lines_are_decoded_together(quick: Quick) -> None:
    asked = list[str]()

    def noted(text: str) -> Any:
        asked.append(text)
        return quick(text)

    text = "".join(f'{{"kind": "Pod", "spec": {{"a": [{{}}]}}, "b": {number}}}\n' for number in range(2000))
    pieces = list(parts(chunked(text, 1 << 16), quick=noted, alike=Unlike(), documents=True))
    assert [part.value["b"] for part in pieces] == list(range(2000))
    assert [part.document for part in pieces] == list(range(1, 2001))
    assert {(part.index, *part.lines("a", part.value["spec"]["a"])) for part in pieces if part.lines} == {
        (None, number) for number in range(1, 2001)
    }
    assert 2 < len(asked) < 20


class Alike(Stencils):
    """Finds objects of one text."""

    SAME: Final = '{"a": 1}'

    def match(self, whole: str, position: int, line: int) -> Any:
        """Return the line of such an object."""
        return (line, 0, position + len(self.SAME)) if whole.startswith(self.SAME, position) else None


@pytest.mark.parametrize("documents", [False, True])
def test_documents_like_earlier_ones_are_not_decoded(documents: bool) -> None:
    text = f'{Alike.SAME}\n\n{{"b": 2}}\n{Alike.SAME} {Alike.SAME}'
    pieces = parts([text], alike=Alike(), documents=documents)
    same = [1, {"b": 2}, 4, 4] if documents else [{"a": 1}, {"b": 2}, {"a": 1}, {"a": 1}]
    assert [(part.document, part.index, part.value) for part in pieces] == [
        (number, None, value) for number, value in enumerate(same, 1)
    ]


def without_empty_items(value: Any) -> Any:
    empty = isinstance(value, dict) and value.get("items") == []
    return {key: item for key, item in value.items() if key != "items"} if empty else value


def test_elements_come_before_the_end_is_read() -> None:
    def text() -> Iterator[str]:
        yield '{"kind": "PodList", "items": [{"a": 1}, {"a"'
        pytest.fail("read on before the first element was handed out")

    assert next(parts(text())) == Part(1, {"a": 1}, 0, "PodList")


def test_a_kind_behind_the_items_is_told_with_the_rest() -> None:
    assert list(parts(['{"items": [7], "kind": "List"} [1]'])) == [
        Part(1, 7, 0),
        Part(1, {"kind": "List"}),
        Part(2, [1]),
    ]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            '{"items": [\n1,\n2 3]}',
            "line 3 column 3: not valid JSON: Expecting ',' delimiter",
            id="no comma between elements",
        ),
        pytest.param(
            '{"a": 1 "b": 2}',
            "line 1 column 9: not valid JSON: Expecting ',' delimiter",
            id="no comma between members",
        ),
        pytest.param('{"a" 1}', "line 1 column 6: not valid JSON: Expecting ':' delimiter", id="no colon"),
        pytest.param(
            '{"a": 1,}', "line 1 column 9: not valid JSON: Expecting property name", id="a comma too many"
        ),
        pytest.param(
            '{"items": [1,]}',
            "line 1 column 14: not valid JSON: Expecting value",
            id="a comma too many in the list",
        ),
        pytest.param(
            '{"a": 1, "a": 2}',
            "line 1 column 14: $: the key 'a' appears twice in one object",
            id="a key twice",
        ),
        pytest.param(
            '{"items": [], "items": []}',
            "line 1 column 23: $: the key 'items' appears twice in one object",
            id="items twice",
        ),
        pytest.param(
            '{"items": [{"b": 1},\n {"a": 1, "a": 2}]}',
            "line 2 column 2: $.items[1]: the key 'a' appears twice in one object",
            id="a key twice in an element",
        ),
        pytest.param('{"a": NaN}', "line 1 column 7: $.a: NaN is not valid JSON", id="NaN"),
        pytest.param(
            '{"items": [{"a": "x\n"}]}',
            "line 1 column 20: not valid JSON: Invalid control character",
            id="a line break in text",
        ),
        pytest.param('{"a": ' + "[" * 100_000, "line 1 column 8: $.a[0]: nested too deeply", id="depth"),
    ],
)
def test_an_error_says_where(text: str, problem: str, size: int) -> None:
    if size < 1000 < len(text):
        size = 1000
    with pytest.raises(InputError) as caught:
        list(parts(chunked(text, size)))
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    "text", ['{"kind": "List", "items": [{"name": "pod", "n": 12.5e3, "b": true}, {"c": "\\u00e9"}]}']
)
def test_a_text_that_was_cut_anywhere_is_an_error(text: str) -> None:
    for length in range(1, len(text)):
        with pytest.raises(
            InputError, match=r"line 1 column \d+: not valid JSON: .*(is it cut short\?|Expecting|Invalid)"
        ):
            list(parts([text[:length]]))


def test_an_error_in_the_middle_is_told_without_reading_the_rest() -> None:
    def text() -> Iterator[str]:
        yield '{"items": [{"a" oops ' + " " * 100
        pytest.fail("read on behind an error")

    with pytest.raises(InputError, match="line 1 column 17: not valid JSON: Expecting ':' delimiter"):
        list(parts(text()))


def test_a_first_look_leaves_numbers_and_keys_to_the_second() -> None:
    assert list(parts(['{"a": 1.50, "items": [{"b": NaN, "b": 1}]}'], strict=False)) == [
        Part(1, {"b": 1}, 0),
        Part(1, {"a": 1.5}),
    ]


@pytest.mark.parametrize("strict", [True, False])
def test_an_integer_of_any_length_is_read(*, strict: bool) -> None:
    text = f'{{"a": {"9" * 5000}, "items": [{{"b": {"8" * 4301}}}, 7]}}'
    first, second, rest = parts([text], strict=strict)
    assert (first.value["b"].raw, second.value, rest.value["a"].raw) == ("8" * 4301, 7, "9" * 5000)


def test_an_error_where_a_chunk_ends_is_none_of_a_text_that_was_cut() -> None:
    for chunks in (["{", " ", "~ }"], ["{ ~ }"]):
        with pytest.raises(InputError) as caught:
            list(parts(chunks))
        assert "cut short" not in str(caught.value)
    with pytest.raises(InputError, match="cut short"):
        list(parts(["{", " ", "  "]))


ELEMENTS = ['{"a": 1}', '"é"', "[2,\n3]", '{"b": {"c": "}, {"}}', "4"]


@given(st.integers(0, 5), st.integers(0, 5), st.integers(1, 9))
def test_a_part_of_a_list_is_read_by_itself(begin: int, size: int, chunk: int) -> None:
    """A part has a comma behind its last element, or else the end of the list."""
    given_parts = [f"\n{text}," for text in ELEMENTS]
    before, inside = given_parts[:begin], given_parts[begin : begin + size]
    rest = "".join(given_parts[begin + size :])
    last = ListPlace(1, begin, 7 + "".join(before).count("\n"), "List")
    text = "".join(inside) if rest else f'{"".join(inside).removesuffix(",")}\n], "é": 1}}'
    if not inside:
        return
    elements = Elements(chunked(text, chunk), last)
    values = [json.loads(element.strip().removesuffix(",")) for element in inside]
    assert list(elements) == [Part(1, value, begin + n, "List") for n, value in enumerate(values)]
    end = len("".join(inside).encode()) if rest else len(text[: text.rindex("]")].encode())
    lines = text.count("\n")
    place = ListPlace(1, begin + len(inside), last.line + lines, "List")
    assert elements.end == End(place, goes_on=bool(rest), size=end)


@given(st.integers(1, 4), st.integers(1, 9))
def test_what_others_read_is_left_out(number: int, size: int) -> None:
    """The document goes on where the list ends, with lines counted on."""
    head = '{"kind": "List",\n"items": [' + "".join(f"{text}," for text in ELEMENTS[:number])
    seen = list[ListPlace]()

    def rest(place: ListPlace) -> tuple[ListPlace, Iterator[str]]:
        seen.append(place)
        end = ListPlace(1, 9, 40, "List")
        return end, chunked('\n], "b": {"c": [{}]}}\n{"items": [5]}', size)

    pieces = list(parts(chunked(head, size), rest=rest))
    items = [Part(1, json.loads(text), n, "List") for n, text in enumerate(ELEMENTS[:number])]
    other = [Part(1, {"kind": "List", "b": {"c": [{}]}}), Part(2, 5, 0), Part(2, {})]
    assert pieces == [*items, *other]
    assert seen == [ListPlace(1, number, 1 + head.count("\n"), "List")]
    (document,) = [part for part in pieces if part.document == 1 and part.index is None]
    assert document.lines is not None
    assert document.lines("c", document.value["b"]["c"]) == [41]
