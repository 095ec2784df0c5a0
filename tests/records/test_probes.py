"""Dumps of nodes: what was read, what is not there, and what could not be read."""

from __future__ import annotations

import json

import pytest

from hashcompat.errors import InputError
from hashcompat.records.probes import AbsentError, Dump, Probe, UnreadError, dumps
from tests.helpers.dumps import GONE, as_text, dump, failed, read_back


def test_a_dump_is_read_back() -> None:
    given = dump({("file", "/a"): GONE, ("file", "/b"): failed(), ("process", "7"): ["S", GONE]})
    assert read_back(as_text(given)) == [given]


def test_what_is_not_of_a_dump_is_passed_over() -> None:
    text = '{"items": []}\n[]\n' + as_text(dump()) + "7\n"
    assert read_back(text) == [dump()]


def test_two_nodes_in_one_stream() -> None:
    cut = Dump("n2", "test", {}, complete=False)
    assert read_back(as_text(dump()) + as_text(cut)) == [dump(), cut]
    assert read_back(as_text(cut) + as_text(dump())) == [cut, dump()]


def test_a_thing_is_there_or_not_or_unknown() -> None:
    given = dump({("file", "/a"): GONE, ("file", "/b"): failed("no"), ("file", "/c"): ["old", "new"]})
    assert given.read("file", "/c") == "new"
    assert Probe("file", "/c", "new") in given.of_kind("file")
    with pytest.raises(AbsentError, match=r"^/a: there is none$"):
        given.read("file", "/a")
    with pytest.raises(UnreadError, match=r"^/b: no$"):
        given.read("file", "/b")
    with pytest.raises(UnreadError, match=r"^/d: nothing looked for it$"):
        given.read("file", "/d")
    with pytest.raises(UnreadError, match=r"^/d: the dump was cut: its last line is missing$"):
        dump(complete=False).read("file", "/d")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"hashcompat": "dump"}, "a line of a dump without 'node'"),
        ({"hashcompat": "probe", "kind": "file"}, "a line of a dump without 'name'"),
        ({"hashcompat": "probe", "kind": "file", "name": "/a"}, "a line of a dump without 'text'"),
        ({"hashcompat": "probe", "kind": "file", "name": "/a", "text": 7}, "a line of a dump without 'text'"),
        ({"hashcompat": "probe", "kind": "file", "name": "/a", "problem": ""}, "without 'problem'"),
        ({"hashcompat": "end"}, "a dump without its first line"),
    ],
)
def test_a_damaged_dump_is_an_error(line: object, says: str) -> None:
    with pytest.raises(InputError, match=f"^f: .*{says}.*; collect it again$"):
        list(dumps([line], "f"))


def test_probes_without_a_first_line_are_an_error() -> None:
    lines = as_text(dump()).splitlines()[1:]
    with pytest.raises(InputError, match="a dump without its first line"):
        list(dumps(map(json.loads, lines), "f"))
    with pytest.raises(InputError, match="a dump without its first line"):
        list(dumps(map(json.loads, lines[:-1]), "f"))
