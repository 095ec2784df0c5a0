"""Elements of a YAML list that are read one by one are those of the whole list, or the list is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance, yaml, yamlblocks
from hashcompat.core.go.jsonpath import Part, Text
from scripts.lib.yamltext import as_yaml

PODS = [
    {"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "x"}, {"name": "y"}]}},
    {"kind": "Pod", "spec": {"containers": [{"args": ["- b", "c: d", "e\n- f\n", ""], "name": "z"}]}},
    "text",
    None,
    [],
    [{"a": [1]}],
]
LIST = as_yaml({"apiVersion": "v1", "items": PODS, "kind": "List", "metadata": {"resourceVersion": ""}})
ELEMENTS = "items:\n- a: 1\n- b\nkind: List\n"
DEEP = "items:\n- a\n- " + "[" * 300 + "]" * 300 + "\nkind: List\n"


def in_chunks(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def lines(part: Part) -> list[int]:
    """Return the lines of a pod's containers."""
    spec = part.value.get("spec") if isinstance(part.value, dict) else None
    return list(part.lines("containers", spec["containers"])) if spec and part.lines else []


READ = {
    "as kubectl writes it": LIST,
    "with CRLF": LIST.replace("\n", "\r\n"),
    "without an end": LIST.removesuffix("\n"),
    "with a mark before it": f"---\n{LIST}",
    "with comments": LIST.replace("\n- ", "\n\n# one more\n- ").replace("items:\n\n# one more", "items:  "),
    "its kind first": f"kind: PodList\n{LIST.replace('kind: List', 'more: List')}",
    "nothing behind it": "kind: List\nitems:\n- a: 1\n- b\n",
    "indented": "kind: List\nitems:\n  - a:\n      - b\n  # c\n  - d: |2\n       e\n\n  - f\nmore:\n- g\n",
    "an empty line with spaces": "kind: List\nitems:\n- a: b\n   \n- c\n",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
@pytest.mark.parametrize("size", [1 << 20, 64, 37])
def test_the_parts_are_those_of_the_whole_list(text: str, size: int) -> None:
    pieces = list(yamlblocks.parts(in_chunks(text, size)))
    whole = list(yaml.parts([text]))
    assert pieces == whole
    assert list(map(lines, pieces[:-1])) == list(map(lines, whole[:-1]))


REFUSED = {
    "no list": "a: 1\n",
    "a list in one line": "items: []\n",
    "an anchor": ELEMENTS.replace("b", "&b b"),
    "an alias": "one: &one 1\n" + ELEMENTS.replace("b", "*one"),
    "a directive": f"%TAG ! tag:example.com,2026:\n---\n{ELEMENTS}",
    "two documents": f"{ELEMENTS}---\na: b\n",
    "a document before it": f"a: b\n---\n{ELEMENTS}",
    "a text before it": f"- a\n{ELEMENTS}",
    "another list of that key": f"{ELEMENTS}items: []\n",
    "no kind": ELEMENTS.replace("kind: List\n", ""),
    "another kind": ELEMENTS.replace("kind: List\n", "kind: Thing\n"),
    "an open text": ELEMENTS.replace("- a: 1", "- a: '1"),
    "a text over elements": ELEMENTS.replace("- a: 1\n- b", "- a: '1\n- b'"),
    "a dash on a line of its own": ELEMENTS.replace("- b", "-\n  b"),
    "a line break of YAML alone": ELEMENTS.replace("\n- b", "\u2028- b"),
    "too deep": DEEP,
    "a long end": ELEMENTS + f"# {'x' * (1 << 17)}\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_no_such_list_is_left_to_another_reader(text: str) -> None:
    with pytest.raises(InputError):
        list(yamlblocks.parts(in_chunks(text, 1 << 14)))


def test_an_element_without_an_end_is_refused_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "LONGEST", 1000)
    read = list[str]()

    def endless() -> Iterator[str]:
        yield "items:\n- a: |\n"
        while True:
            read.append("  text\n")
            yield read[-1]

    with pytest.raises(InputError):
        list(yamlblocks.parts(endless()))
    assert len(read) < 1000


class Known:
    """Knows one element by its text."""

    longest = 20

    def __init__(self, text: str) -> None:
        self._text = text
        self.learned: list[tuple[str, int]] = []

    def match(self, text: str, position: int, line: int) -> tuple[Any, int, int] | None:
        """Return the line of that element."""
        is_match = text.startswith(self._text, position)
        return (line, self._text.count("\n"), position + len(self._text)) if is_match else None

    def learn(self, text: Text, value: Any, line: int) -> Any:
        """Keep what is learned."""
        self.learned.append((text.whole, line))
        return value


@pytest.mark.parametrize("size", [1 << 10, 7])
def test_a_known_element_is_not_parsed(size: int) -> None:
    known = Known("- : :\n")
    text = "items:\n- a\n- : :\n- b\n- : :\n  c\nkind: List\n"
    pieces = yamlblocks.parts(in_chunks(text, size), known)
    assert [next(pieces).value for _ in range(3)] == ["a", 3, "b"]
    with pytest.raises(InputError):
        next(pieces)
    assert known.learned == [("- a\n", 2), ("- b\n", 4)]
