"""Where two texts differ: what is shown is part of both, small, and found soon in long texts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashcompat.analysis.answers.texts import GAP, NO_DIFFERENCE, Fragment, beginning, fragment
from hashcompat.core.model.plan import Kind, Piece
from tests.helpers.randomness import TIMED

MOST = 1000
"""Characters of the longest fragment."""


def check(old: str, new: str, *, json: bool) -> Fragment:
    """Check that what is between two gaps is part of both texts without the marked parts of the other."""
    excerpt = fragment(old, new, json=json)
    runs: list[list[Piece]] = [[]]
    for piece in excerpt.pieces:
        runs.append([]) if piece is GAP else runs[-1].append(piece)
    for run in runs:
        for text, other in ((old, Kind.ADDED), (new, Kind.REMOVED)):
            assert "".join(piece.text for piece in run if piece.kind is not other) in text
    assert bool(excerpt.pieces) is (old != new)
    assert sum(len(piece.text) for piece in excerpt.pieces) <= MOST
    return excerpt


WORDS = ["a", " b", ":", ",", "{", "}", "[", "]", " ", '"', '"x,y"', "\\", "é\n", "***"]
PARTS = st.lists(st.sampled_from(WORDS), max_size=40)


@settings(max_examples=100, suppress_health_check=TIMED)
@given(PARTS, PARTS, PARTS, PARTS, st.integers(1, 8), st.booleans())
def test_a_fragment_is_part_of_both_texts(
    before: list[str], old: list[str], new: list[str], after: list[str], times: int, json: bool
) -> None:
    texts = ("".join([*before, *middle, *after]) * times for middle in (old, new))
    check(*texts, json=json)


def marked(excerpt: Fragment) -> str:
    forms = {
        Kind.SAME: "{}",
        Kind.REMOVED: "[-{}-]",
        Kind.ADDED: "{{+{}+}}",
        Kind.GAP: "…",
    }
    return "".join(forms[piece.kind].format(piece.text) for piece in excerpt.pieces)


MOUNT = "{Name:(string)v ReadOnly:(bool)false MountPath:(string)/v SubPath:(string)%s}"


@pytest.mark.parametrize(
    ("old", "new", "json", "expected"),
    [
        ("", "", False, ""),
        ("A:(int)1", "A:(int)1", False, ""),
        ("A:(int)1 C:(int)3", "A:(int)1 B:(int)2 C:(int)3", False, "A:(int)1{+ B:(int)2+} C:(int)3"),
        ("A:(int)1 B:(int)2 C:(int)3", "A:(int)1 C:(int)3", False, "A:(int)1[- B:(int)2-] C:(int)3"),
        ("T:(api.T){A:1}", "T:(v1.T){A:1}", False, "[-T:(api.T)-]{+T:(v1.T)+}{A:1}"),
        ('{"a":"b,c"}', '{"a":"b,c","d":1}', True, '{"a":"b,c"{+,"d":1+}}'),
        ('{"a":"b\\f"}', '{"a":"b\\u000c"}', True, '{"a":[-"b\\f"-]{+"b\\u000c"+}}'),
        pytest.param(
            MOUNT % "",
            MOUNT % " New:(*v1.M)<nil>",
            False,
            "… MountPath:(string)/v SubPath:(string){+ New:(*v1.M)<nil>+}}",
            id="a field of a mount",
        ),
    ],
)
def test_the_smallest_part_that_differs(old: str, new: str, expected: str, *, json: bool) -> None:
    assert marked(check(old, new, json=json)) == expected


def test_many_places_are_shown_as_two_and_said_to_be_more() -> None:
    old, new = (" ".join(MOUNT % text for _ in range(5)) for text in ("", " New:(*v1.M)<nil>"))
    excerpt = check(old, new, json=False)
    assert (marked(excerpt).count("{+ New:(*v1.M)<nil>+}"), excerpt.more) == (2, True)
    assert excerpt.pieces[-1] is GAP
    both = check(MOUNT % "" + MOUNT % "", MOUNT % " A" + MOUNT % " B", json=False)
    assert (both.more, marked(both).count("{+")) == (False, 2)


def test_a_long_part_is_shown_without_its_middle() -> None:
    excerpt = check("{" + "a" * 5000 + "}", "{" + "b" * 5000 + "}", json=False)
    assert [piece.kind.value for piece in excerpt.pieces] == [
        *("same", "removed", "gap", "removed", "added", "gap", "added", "same")
    ]
    assert check("{x}", "{x}" + "{y z}" * 3000, json=False).pieces[-2:] != ()


def test_texts_of_1_mb_are_compared_soon() -> None:
    """The time must not be that of each word with each, which is hours here."""
    mounts = [" ".join(MOUNT % text for _ in range(15_000)) for text in ("", " New:(*v1.M)<nil>")]
    unlike = [" ".join(f"{side}{number}" for number in range(150_000)) for side in "ab"]
    start = time.process_time()
    assert all(len(text) > 1_000_000 for text in (*mounts, *unlike))
    check(mounts[0], mounts[1], json=False)
    check(unlike[0], unlike[1], json=True)
    check(f'"{mounts[0]}"', f'"{mounts[1]}"', json=True)
    assert time.process_time() - start < 20


def test_a_text_begins_with_its_first_characters() -> None:
    assert beginning("short") == (Piece(Kind.SAME, "short"),)
    assert beginning("x" * 71) == (Piece(Kind.SAME, "x" * 70), GAP)
    assert NO_DIFFERENCE.pieces == ()
