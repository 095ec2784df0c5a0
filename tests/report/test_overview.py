"""A plan for people: groups with their counts and reasons, fitted to a terminal, whole anywhere else."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hashcompat.core.model.escape import is_visible
from hashcompat.core.model.items import Item
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.formats.model import width_of
from hashcompat.output.report.planview import ROWS, Excerpt, SortBy, without_kept
from hashcompat.output.report.tally import GroupBy
from tests.helpers.hostile import NAMES
from tests.helpers.plans import NEW_FIELD, UID, excerpt, item, plan, shown

R, L, K, U = Verdict.RESTART, Verdict.KILL, Verdict.KEEP, Verdict.UNKNOWN


def sections(text: str) -> list[list[str]]:
    return [part.splitlines() for part in text.split("\n\n")]


def cells(lines: list[str]) -> list[list[str]]:
    return [re.split(" {2,}", line) for line in lines]


def owners(number: int, verdict: Verdict = R) -> list[Item]:
    return [item(verdict, f"Deployment/d{place:03}", f"p{place:03}") for place in range(number)]


MIXED = (
    item(R, "Deployment/web", "w-1", node="n1"),
    item(R, "Deployment/web", "w-2", node="n2", reasons=(NEW_FIELD, UID)),
    item(K, "Deployment/web", "w-3", node="n2"),
    item(L, "Job/once", "once-1", node="n1"),
    item(U, "", "bare", node="n3", release="v1.8.15"),
    item(K, "DaemonSet/agent", "agent-1", node="n1", namespace="kube-system"),
)


def test_owners_are_counted_with_the_numbers_of_their_reasons() -> None:
    lead, groups, reasons, rows = sections(shown(plan(*MIXED)))
    assert lead[0] == (
        "3 of 6 running containers restart: 2 owners on 2 nodes, for 2 reasons; "
        "1 of them is not started again; "
        "1 more is UNKNOWN"
    )
    assert cells(groups) == [
        ["NAMESPACE", "OWNER", "RESTART", "KILL", "UNKNOWN", "RUNNING", "NODES", "REASONS"],
        ["shop", "Deployment/web", "2", "0", "0", "3", "2", "1,2"],
        ["shop", "Job/once", "0", "1", "0", "1", "1", "2"],
        ["shop", "Pod/bare", "0", "0", "1", "1", "1", "3"],
        ["kube-system", "DaemonSet/agent", "0", "0", "0", "1", "1", "-"],
    ]
    assert reasons == [
        "1. HC004 (2 containers): new field A",
        "2. HC022 (2 containers): static pod: 1.9.11 gives it another UID",
        "3. HC008 (1 container): no node n1 in the input",
    ]
    assert len(rows) == 1 + len(MIXED)


@pytest.mark.parametrize(
    ("group_by", "rows"),
    [
        (
            "node",
            [
                ["NODE", "RESTART", "KILL", "UNKNOWN", "RUNNING", "REASONS"],
                ["n1", "1", "1", "0", "3", "1,2"],
                ["n2", "1", "0", "0", "2", "1,2"],
                ["n3", "0", "0", "1", "1", "3"],
            ],
        ),
        (
            "namespace",
            [
                ["NAMESPACE", "RESTART", "KILL", "UNKNOWN", "RUNNING", "NODES", "REASONS"],
                ["shop", "2", "1", "1", "5", "3", "1,2,3"],
                ["kube-system", "0", "0", "0", "1", "1", "-"],
            ],
        ),
        (
            "reason",
            [
                ["REASON", "RULE", "RESTART", "KILL", "UNKNOWN", "RUNNING", "NODES"],
                ["1", "HC004", "2", "0", "0", "2", "2"],
                ["2", "HC022", "1", "1", "0", "2", "2"],
                ["3", "HC008", "0", "0", "1", "1", "1"],
            ],
        ),
    ],
)
def test_groups_of_each_kind(group_by: str, rows: list[list[str]]) -> None:
    for size in ((None, None), (80, 24), (80, 3)):
        blocks = sections(shown(excerpt(*MIXED, group_by=group_by), *size))
        assert cells(blocks[1]) == rows
        assert blocks[2][0].startswith("1. HC004")
        assert len(blocks) == 3


def test_rows_are_shown_if_asked_for() -> None:
    _, rows = sections(shown(excerpt(*MIXED, group_by=ROWS)))
    assert cells(rows)[0] == ["NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "REASON"]
    assert [line[2] for line in cells(rows)[1:]] == ["agent-1", "once-1", "w-1", "w-2", "w-3", "bare"]
    assert cells(rows)[4][-1] == "new field A; static pod: 1.9.11 gives it another UID"
    _, rows, reasons = sections(shown(excerpt(*MIXED, group_by=ROWS), 80, 24))
    assert [line[-1] for line in cells(rows)[1:]] == ["same hash", "2", "1", "1,2", "same hash", "3"]
    assert len(reasons) == 3


@pytest.mark.parametrize(
    ("sort_by", "names"),
    [
        (None, ["a", "b", "c"]),
        (SortBy.NODE, ["a", "b", "c"]),
        (SortBy.NAME, ["a", "b", "c"]),
        (SortBy.RESTARTS, ["c", "b", "a"]),
        (SortBy.NAMESPACE, ["c", "b", "a"]),
    ],
)
def test_rows_are_sorted(sort_by: SortBy | None, names: list[str]) -> None:
    items = [
        item(verdict, pod=pod, node=f"n{pod}", namespace=namespace)
        for verdict, pod, namespace in ((U, "a", "z"), (R, "b", "y"), (L, "c", "x"))
    ]
    _, rows = sections(shown(excerpt(*items, group_by=ROWS, sort_by=sort_by)))
    assert [line[2] for line in cells(rows)[1:]] == names


@pytest.mark.parametrize(
    ("sort_by", "names"),
    [
        (None, ["Deployment/b", "Deployment/a", "Deployment/c"]),
        (SortBy.RESTARTS, ["Deployment/b", "Deployment/a", "Deployment/c"]),
        (SortBy.NAME, ["Deployment/a", "Deployment/b", "Deployment/c"]),
        (SortBy.NODE, ["Deployment/c", "Deployment/a", "Deployment/b"]),
        (SortBy.NAMESPACE, ["Deployment/b", "Deployment/c", "Deployment/a"]),
    ],
)
def test_groups_are_sorted(sort_by: SortBy | None, names: list[str]) -> None:
    items = [
        item(R, "Deployment/a", "a", node="n2", namespace="z"),
        item(R, "Deployment/b", "b1", node="n3", namespace="x"),
        item(R, "Deployment/b", "b2", node="n4", namespace="x"),
        item(U, "Deployment/c", "c", node="n1", namespace="y"),
    ]
    groups = sections(shown(excerpt(*items, sort_by=sort_by)))[1]
    assert [line[1] for line in cells(groups)[1:]] == names


def test_off_a_terminal_every_group_is_shown_and_few_rows() -> None:
    for number, parts in ((20, 4), (21, 3), (400, 3)):
        blocks = sections(shown(plan(*owners(number))))
        assert (len(blocks), len(blocks[1])) == (parts, number + 1)


def test_on_a_terminal_the_rest_is_counted() -> None:
    text = shown(plan(*owners(400)), 80, 14)
    _, groups, reasons = sections(text)
    assert len(text.splitlines()) == 14
    assert groups[-1] == "… and 394 more owners: --group-by owner shows all"
    assert reasons == ["1. HC004 (400 containers): new field A"]
    for asked in ({"group_by": "owner"}, {"full": True}):
        assert len(sections(shown(excerpt(*owners(400), **asked), 80, 14))[1]) == 401


def test_a_small_screen_has_some_groups_all_the_same() -> None:
    groups = sections(shown(plan(*owners(9)), 80, 1))[1]
    assert groups[-1] == "… and 5 more owners: --group-by owner shows all"


def test_rows_are_below_where_the_screen_has_room() -> None:
    for height, parts in ((30, 4), (13, 3)):
        assert len(sections(shown(plan(*owners(3)), 80, height))) == parts


def test_many_reasons_are_counted_on_a_terminal() -> None:
    reasons = [NEW_FIELD.__class__(f"HC{number:03}", "why") for number in range(1, 8)]
    items = [item(pod=reason.id, reasons=(reason,)) for reason in reasons]
    assert sections(shown(plan(*items), 80, 24))[2][-1] == "and 3 more reasons: --group-by reason shows all"
    assert len(sections(shown(plan(*items)))[2]) == 7


def test_owners_that_are_kept_are_left_out_of_a_screen_and_by_only_restarts() -> None:
    made = plan(*owners(2), *owners(4, K)[2:])
    assert len(sections(shown(made, 80, 11))[1]) == 3
    assert len(sections(shown(made))[1]) == 5
    assert len(sections(shown(without_kept(made)))[1]) == 3
    assert len(sections(shown(without_kept(made)))[3]) == 3


def test_where_all_is_kept_the_answer_is_enough_for_a_screen() -> None:
    assert len(sections(shown(plan(*owners(30, K)), 80, 24))) == 1
    assert len(sections(shown(plan(*owners(30, K))))) == 2
    assert len(sections(shown(plan()))) == 1
    assert len(sections(shown(excerpt(group_by=ROWS)))) == 1


def test_headers_can_be_left_out() -> None:
    _, groups, *_ = sections(shown(plan(*owners(2)), headers=False))
    assert [line[1] for line in cells(groups)] == ["Deployment/d000", "Deployment/d001"]


def hostile(names: list[str]) -> Excerpt:
    items = [
        item(
            (R, L, K, U)[place % 4],
            f"Deployment/{name}",
            name,
            node=name,
            namespace=name,
            reasons=(NEW_FIELD.__class__(f"HC{place % 9:03}", f"why {name} is so"),),
        )
        for place, name in enumerate(names)
    ]
    return excerpt(*items)


ANY_NAMES = st.lists(st.text(max_size=300) | st.sampled_from(NAMES), max_size=30)


@given(ANY_NAMES, st.integers(40, 200), st.integers(-3, 60), st.sampled_from([*GroupBy, ROWS, ""]))
@example([*"abcdefghijkl"], 40, 0, "")
def test_no_line_is_wider_than_the_terminal(names: list[str], width: int, height: int, group_by: str) -> None:
    made = hostile(names)
    for encoding in ("utf-8", "ascii"):
        text = shown(Excerpt(made.plan, made.items, group_by), width, height, encoding=encoding)
        assert {char for char in {*text} if not is_visible(char)} <= {"\n"}
        assert max(map(width_of, text.splitlines())) <= width


@given(ANY_NAMES)
def test_off_a_terminal_no_group_is_missing(names: list[str]) -> None:
    made = hostile(names)
    text = shown(made)
    if names:
        groups = {(row.pod.namespace, row.pod.workload) for row in made.items}
        assert len(sections(text)[1]) == 1 + len(groups)
    assert "…" not in "".join(char for char in text if not any("…" in name for name in names))


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_adds_no_line(name: str) -> None:
    _, groups, _, rows = sections(shown(hostile([name])))
    assert (len(groups), len(rows)) == (2, 2)
