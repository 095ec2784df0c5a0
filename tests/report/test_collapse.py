"""Lines of one kind become one, others stay."""

from __future__ import annotations

import pytest

from hashcompat.output.report.notes import collapsed

DRAIN = "in-place minor upgrades of a kubelet are not supported: drain the node first (kubernetes#129385)"
FAULT = (
    "on {} loses sandboxes (#1): if it restarts too, every pod that is not on the host's network is recreated"
)


def test_warnings_of_each_release_are_one() -> None:
    lines = [f"v1.{minor}.0 -> 1.31.14: {DRAIN}" for minor in range(20, 27)]
    assert list(collapsed(lines)) == [f"v1.20.0, v1.21.0, v1.22.0, 4 more -> 1.31.14: {DRAIN}"]


def test_warnings_of_each_node_are_one() -> None:
    lines = [f"docker://1 {FAULT.format(node)}" for node in ("a", "b")]
    assert list(collapsed(lines)) == [f"docker://1 {FAULT.format('a, b')}"]


def test_numbers_are_added_and_lists_joined() -> None:
    line = "1.20 enforces the timeout of exec probes, which {} ignored: it kills ({} containers: {})"
    one, two = line.format("1.18", 5, "a/b/c, d, e, 2 more"), line.format("1.19", 2, "f, g")
    assert list(collapsed([one, two])) == [line.format("1.18, 1.19", 7, "a/b/c, d, e, 4 more")]


def test_one_and_several_agree() -> None:
    line = "1.31 may look at pods before it has read its labels, and then refuses those ({}: {})"
    lines = [line.format("1 pod", "a"), line.format("2 pods", "b, c")]
    assert list(collapsed(lines)) == [line.format("3 pods", "a, b, c")]


def test_problems_of_files_are_joined_only_where_they_are_the_same() -> None:
    line = "skipped a file as kubelets do: {}: {}"
    alias = "line {} column 9: an alias of an anchor that is not defined before it"
    wrong = "$.spec.containers[0].{}: want a {}, got {} integer"
    lines = [
        *(line.format(file, alias.format(number)) for file, number in (("a", 10), ("b", 4), ("c", 10))),
        line.format("d", wrong.format("x", "list", "an")),
        line.format("e", wrong.format("y", "string", "a")),
    ]
    assert list(collapsed(lines)) == [line.format("a, c", alias.format(10)), lines[1], *lines[3:]]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["one"],
        ["one line of its own", "another kind of line"],
        [f"1 -> 2: {DRAIN}", "1 under an API server 2: a kubelet must not be newer than kube-apiserver"],
        ["short one", "short two"],
    ],
)
def test_lines_of_other_kinds_stay(lines: list[str]) -> None:
    assert list(collapsed(lines)) == lines


def test_the_same_line_is_said_once_and_the_order_is_that_of_the_first() -> None:
    first, other = f"1.1 -> 1.3: {DRAIN}", "a b c d e f"
    lines = [first, other, first, f"1.2 -> 1.3: {DRAIN}"]
    assert list(collapsed(lines)) == [f"1.1, 1.2 -> 1.3: {DRAIN}", other]
