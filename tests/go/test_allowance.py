"""What one run may keep, and how large one object may be."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance, jsonstream, jsontext, quantity, yaml
from hashcompat.core.go.allowance import (
    DEEPEST,
    LONGEST,
    MOST_VALUES,
    Allowance,
    Meter,
    characters_in,
    check_depth,
    values_in,
)
from hashcompat.core.go.quantity import LARGEST_EXPONENT
from hashcompat.core.go.yamlevents import DEEPEST as OF_YAML
from hashcompat.sources.objects import read_object
from hashcompat.sources.pods import MOST_CONTAINERS
from tests.helpers.pods import pod

# What one run may keep: a limit is reached exactly, and refused with what to do.


def test_a_limit_may_be_reached_but_not_passed() -> None:
    limit = Allowance(5, "pods", "give fewer")
    limit.take(2)
    limit.take(3)
    with pytest.raises(InputError, match="more than 5 pods, the most of one run; give fewer"):
        limit.take(1)


def test_a_limit_grows_with_the_input() -> None:
    limit = Allowance(5, "bytes", "give fewer")
    limit.extend(5)
    limit.extend(2)
    limit.take(7)
    with pytest.raises(InputError, match="more than 7 bytes"):
        limit.take(1)


@pytest.mark.parametrize(
    ("make", "most", "remedy"),
    [
        (allowance.containers, allowance.MOST_CONTAINERS, "--namespace or --node"),
        (allowance.names, allowance.MOST_OF_NAMES, "part of the pods"),
        (allowance.hashes, allowance.MOST_HASHES, "fewer releases"),
        (allowance.of_records, allowance.MOST_OF_RECORDS, "some nodes"),
        (allowance.nodes, allowance.MOST_NODES, "one cluster"),
        (allowance.of_nodes, allowance.MOST_OF_NODES, "nodes of the pods alone"),
        (allowance.controllers, allowance.MOST_CONTROLLERS, "part of the objects"),
        (allowance.lists, allowance.MOST_LISTS, "one list"),
        (allowance.explained, allowance.MOST_EXPLAINED, "name one container"),
    ],
)
def test_every_limit_says_what_to_do(make: Callable[[], Allowance], most: int, remedy: str) -> None:
    make().take(most)
    with pytest.raises(InputError, match=f"more than {most:,} .*{remedy}"):
        make().take(most + 1)


def test_the_limits_cover_what_kubernetes_supports() -> None:
    assert allowance.MOST_CONTAINERS >= 300_000
    assert allowance.MOST_HASHES >= 20 * 300_000
    assert len("a" * 253) < allowance.LONGEST_NAME


def test_only_names_that_no_api_server_accepts_count() -> None:
    assert allowance.odd("", "a" * 400, f"{'a' * 63}/StatefulSet/{'b' * 253}") == 0
    assert 401 < allowance.odd("a" * 401) < 500
    assert allowance.odd("\N{GRINNING FACE}" + "a" * 100, "b") > 400


# What is larger than any object of an API server is refused before much memory is spent on it.

Read = Callable[[str], Iterator[Any]]
CHUNK = 1 << 18


def in_json(text: str) -> Iterator[Any]:
    return jsonstream.parts(text[start : start + CHUNK] for start in range(0, len(text), CHUNK))


def in_yaml(text: str) -> Iterator[Any]:
    return yaml.parts(text[start : start + CHUNK] for start in range(0, len(text), CHUNK))


READERS = [pytest.param(in_json, id="JSON"), pytest.param(in_yaml, id="YAML")]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that the tests need little time."""
    monkeypatch.setattr(allowance, "LONGEST", 1000)
    monkeypatch.setattr(allowance, "MOST_VALUES", 100)
    monkeypatch.setattr(allowance, "LONGEST_DOCUMENT", 2500)
    monkeypatch.setattr(allowance, "MOST_DOCUMENT_VALUES", 250)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("just", "over", "problem"),
    [
        pytest.param('["%s"]' % ("x" * 900), '["%s"]' % ("x" * 1001), "1,000 characters", id="a string"),
        pytest.param("[[%s 0]]" % ("0, " * 90), "[[%s 0]]" % ("0, " * 110), "100 values", id="a list"),
        pytest.param(
            '{"items": [%s 0]}' % ('"%s", ' % ("x" * 900) * 90),
            '{"items": [0, "%s"]}' % ("x" * 1001),
            "1,000 characters",
            id="an element of items",
        ),
        pytest.param(
            '{{"metadata": "{}", "spec": "{}"}}'.format("x" * 900, "x" * 900),
            '{"metadata": "x", "spec": "%s"}' % ("x" * 1001),
            "1,000 characters",
            id="a member",
        ),
        pytest.param(
            '{{"a": "{}", "b": "{}"}}'.format("x" * 900, "x" * 900),
            '{{"a": "{}", "b": "{}", "c": "{}"}}'.format("x" * 900, "x" * 900, "x" * 900),
            "2,500 characters",
            id="members together",
        ),
        pytest.param(
            '{"recorded": [%s 0]}' % ("0, " * 150),
            '{"recorded": [%s 0]}' % ("0, " * 260),
            "250 values",
            id="a list of a snapshot",
        ),
        pytest.param(
            "{{{}}}".format(", ".join(f'"{key}": 0' for key in range(100))),
            "{{{}}}".format(", ".join(f'"{key}": 0' for key in range(200))),
            "250 values",
            id="keys",
        ),
    ],
)
def test_a_large_object_is_refused(read: Read, just: str, over: str, problem: str) -> None:
    assert list(read(just))
    with pytest.raises(InputError, match=f"^line 1 column .* more than {problem} in one"):
        list(read(over))


@pytest.mark.parametrize(("read", "most"), [(in_json, DEEPEST), (in_yaml, OF_YAML)])
def test_the_depth_of_an_object_has_a_limit(read: Read, most: int) -> None:
    (part,) = read('{"a": %s}' % ("[" * (most - 1) + "]" * (most - 1)))
    check_depth(part.value)
    with pytest.raises(InputError, match=f"too deeply .* more than {most} levels"):
        list(read('{"a": {"b": %s}}' % ("[" * (most + 1) + "]" * (most + 1))))


def test_a_scalar_in_the_deepest_value_is_a_level_of_yaml() -> None:
    assert list(in_yaml("[" * (OF_YAML - 1) + "0" + "]" * (OF_YAML - 1)))
    with pytest.raises(InputError, match=f"^line 1 column .*too deeply .* more than {OF_YAML} levels"):
        list(in_yaml("[" * OF_YAML + "0" + "]" * OF_YAML))


@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
def test_levels_are_counted(opens: str, closes: str) -> None:
    jsontext.loads(opens * DEEPEST + "0" + closes * DEEPEST)
    with pytest.raises(InputError, match="nested too deeply"):
        jsontext.loads(opens * (DEEPEST + 1) + "0" + closes * (DEEPEST + 1))


def bomb(levels: int, each: str) -> str:
    """Return a document in which a short text is repeated 10 ** levels times."""
    rows = [f"a0: &a0 {each}"]
    rows += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels + 1)]
    return "\n".join(rows)


ANCHORS = ["- &a0 []", *(f"- &a{level} [*a{level - 1}]" for level in range(1, 300))]
KEYS = "- ? *k\n  : x\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(bomb(5, "x"), "excessive aliasing", id="values, as Go refuses them"),
        pytest.param(bomb(2, "x" * 90_000), "characters in one object", id="characters"),
        pytest.param("\n".join(ANCHORS), "too deeply", id="depth"),
        pytest.param(f"- ? &k {'k' * 90_000}\n  : x\n{KEYS * 100}", "characters", id="keys"),
        pytest.param("x: &a [*a]", "not defined before it", id="recursion"),
    ],
)
def test_aliases_count_as_if_they_were_written_out(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=f"^line .*{problem}"):
        list(in_yaml(text))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("anchor", "alias"),
    [("[" + "x, " * 20 + "]", "*a"), ("{" + ", ".join(f"k{key}: v" for key in range(10)) + "}", "{<<: *a}")],
)
def test_values_of_aliases_and_merge_keys_count_each_time(anchor: str, alias: str) -> None:
    assert list(in_yaml(f"- &a {anchor}\n- [{alias}, {alias}]"))
    with pytest.raises(InputError, match=r"^line .*more than 100 values in one object"):
        list(in_yaml(f"- &a {anchor}\n- [{alias}, {alias}, {alias}, {alias}, {alias}]"))


@pytest.mark.usefixtures("small")
def test_anchored_values_of_a_long_list_are_kept_up_to_a_limit() -> None:
    assert len(list(in_yaml("items:\n%s" % ("- [%s]\n" % ("x" * 90) * 100)))) == 101
    assert [part.value for part in in_yaml("- &a [&b x, *b]")] == [[["x", "x"]]]
    with pytest.raises(InputError, match="2,500 characters in one document"):
        list(in_yaml("items:\n" + "".join(f"- &a{number} [{'x' * 90}]\n" for number in range(100))))


def test_what_has_no_end_is_refused_before_it_is_read() -> None:
    for start in ("# ", "a: '", "a: ", "{a: "):
        read = 0

        def chunks(start: str = start) -> Iterator[str]:
            nonlocal read
            yield start
            for _ in range(1000):
                read += CHUNK
                yield "x" * CHUNK

        with pytest.raises(InputError, match=f"more than {LONGEST:,} characters"):
            list(yaml.parts(chunks()))
        assert read <= LONGEST + 4 * CHUNK


def test_a_quantity_has_limits() -> None:
    longest = "1" * quantity.LONGEST
    assert quantity.parse(longest)
    digits = "1" * 19
    assert quantity.parse(f"{digits}e{LARGEST_EXPONENT - 10}")
    with pytest.raises(InputError, match=f"more than {quantity.LONGEST} characters"):
        quantity.parse(longest + "1")
    with pytest.raises(InputError, match=f"more than {LARGEST_EXPONENT:,}"):
        quantity.parse(f"{digits}e{LARGEST_EXPONENT + 10}")


@pytest.mark.parametrize("key", ["containers", "initContainers", "ephemeralContainers"])
def test_a_pod_has_a_number_of_containers_that_a_node_could_run(key: str) -> None:
    containers = [{"name": f"c{number}", "image": "i"} for number in range(MOST_CONTAINERS + 1)]
    assert list(read_object(pod(spec={key: containers[1:]}), "f"))
    with pytest.raises(InputError, match=rf"^f: \$.spec.{key}: more than {MOST_CONTAINERS} containers"):
        list(read_object(pod(spec={key: containers}), "f"))


def test_values_are_counted_by_what_separates_them() -> None:
    text = '{"a": [1, {}, "x"]}'
    assert values_in(text, 0, len(text)) >= 6
    assert values_in("[0,0]", 1, 2) == 1


def test_a_meter_adds_up() -> None:
    meter = Meter("a thing", 10, 2)
    meter.add(5, 1)
    meter.add(5, 1)
    with pytest.raises(InputError, match="more than 10 characters in a thing"):
        meter.add(1, 0)
    with pytest.raises(InputError, match="more than 2 values in a thing"):
        Meter("a thing", 10, 2).add(0, 3)
    assert MOST_VALUES < LONGEST


@pytest.mark.parametrize(
    ("text", "number"),
    [("", 0), ("aa", 2), ("\xe9\uffff", 2), ("\ud800a", 2), ("a\U00010000", 4)],
    ids=["none", "ASCII", "up to U+FFFF", "a lone surrogate", "one beyond U+FFFF"],
)
def test_a_character_that_widens_all_others_counts_for_them(text: str, number: int) -> None:
    assert characters_in(text) == number


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("read", [in_json, in_yaml])
def test_an_object_may_be_half_as_long_with_a_wide_character(read: Read) -> None:
    """Its strings take four bytes a character in memory."""
    assert list(read('{"a": "%s"}' % ("\xe9" + "x" * 900)))
    assert list(read('{"a": "%s"}' % ("\U0001f600" + "x" * 400)))
    with pytest.raises(InputError, match="more than 1,000 characters in one object"):
        list(read('{"a": "%s"}' % ("\U0001f600" + "x" * 600)))


@pytest.mark.usefixtures("small")
def test_what_is_small_is_within_the_limits_whatever_is_in_it() -> None:
    insides = (" ", "0,", '"', "[", "{", '{"k":0},', "\U0001f600")
    for inside, times in itertools.product(insides, range(120)):
        text = inside * times
        if allowance.is_small(0, len(text)):
            assert allowance.values_in(text) <= allowance.MOST_VALUES + 1
            assert allowance.characters_in(text) <= allowance.LONGEST
    assert not allowance.is_small(7, 7 + allowance.MOST_VALUES + 1)


def test_only_what_opens_many_lists_and_objects_may_be_deep() -> None:
    deep = "[{" * (allowance.DEEPEST // 2)
    assert not allowance.may_be_deep(deep, 0, len(deep))
    assert allowance.may_be_deep(f"{deep}[", 0, len(deep) + 1)
    assert not allowance.may_be_deep(f"{deep}[", 1, len(deep) + 1)
