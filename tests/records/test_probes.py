"""Dumps of nodes: what was read, what is not there, and what could not be read."""

from __future__ import annotations

import json

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.records.probes import AbsentError, Dump, Probe, UnreadError, dumps
from tests.helpers.dumps import GONE, as_text, dump, failed, read_back


def test_a_dump_is_read_back() -> None:
    given = dump({("file", "/a"): GONE, ("file", "/b"): failed(), ("process", "7"): ["S", GONE]})
    assert '"format"' not in as_text(given)  # as older collectors wrote it
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
    with pytest.raises(AbsentError, match=r"^/a: not found$"):
        given.read("file", "/a")
    with pytest.raises(UnreadError, match=r"^/b: no$"):
        given.read("file", "/b")
    with pytest.raises(UnreadError, match=r"^/d: not in the dump; collect again with --preflight$"):
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


@pytest.mark.parametrize("kind", ["cri", "docker", "file", "arguments", "version"])
def test_a_thing_that_is_twice_with_other_content_is_an_error_that_names_it(kind: str) -> None:
    head, *probes, end = as_text(dump({(kind, "a thing"): "one"})).splitlines()
    for other in ({"text": "two"}, {"absent": True}, {"problem": "no"}):
        planted = json.dumps({"hashcompat": "probe", "kind": kind, "name": "a thing", **other})
        for lines in ([planted, *probes], [*probes, planted]):
            with pytest.raises(InputError, match=f"^test: node n1: {kind} a thing is twice in the dump"):
                read_back("\n".join([head, *lines, end]))


def test_the_same_twice_is_no_error() -> None:
    lines = as_text(dump()).splitlines()
    (node_dump,) = read_back("\n".join([lines[0], *lines[1:-1], *lines[1:-1], lines[-1]]))
    assert node_dump.read("cri", "info") == dump().read("cri", "info")


def test_what_changes_is_read_twice_and_not_more_often() -> None:
    for kind in ("process", "processes"):
        (node_dump,) = read_back(as_text(dump({(kind, "7"): ["a", "b"]})))
        assert [probe.text for probe in node_dump.probes[kind, "7"]] == ["a", "b"]
        with pytest.raises(InputError, match=f"{kind} 7 is twice in the dump"):
            read_back(as_text(dump({(kind, "7"): ["a", "b", "c"]})))


@pytest.mark.parametrize("given", [3, 0, -1, "2", 1.5, True, None, [2]])
def test_a_format_that_is_not_known_is_an_error(given: object) -> None:
    with pytest.raises(InputError, match="a dump in a format that is not known; want one up to 2"):
        list(dumps([{"hashcompat": "dump", "node": "n1", "format": given}], "f"))


def test_known_formats_are_read() -> None:
    for given in ({}, {"format": 1}, {"format": 2}):
        (node_dump,) = dumps([{"hashcompat": "dump", "node": "n1", **given}, {"hashcompat": "end"}], "f")
        assert node_dump.node == "n1"
