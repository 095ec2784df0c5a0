"""The answer in one sentence: how many, whose, where, for how many reasons; UNKNOWN is never hidden."""

from __future__ import annotations

import pytest
from msgspec import structs

from hashcompat.core.model.items import Item
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.report.model import Coloured
from hashcompat.output.report.notes import answer
from hashcompat.output.report.plan import PLAN
from tests.helpers.plans import excerpt, item

R, L, K, U = Verdict.RESTART, Verdict.KILL, Verdict.KEEP, Verdict.UNKNOWN


def said(*items: Item) -> list[tuple[str, str]]:
    made = excerpt(*items)
    pieces = answer(made.summary, made.tally)
    return [(piece.colour, piece.text) for piece in pieces if isinstance(piece, Coloured)]


def many(*verdicts: Verdict) -> list[Item]:
    return [
        item(verdict, f"Deployment/{verdict}", f"p{number}", node=f"n{number}")
        for number, verdict in enumerate(verdicts)
    ]


@pytest.mark.parametrize(
    ("verdicts", "pieces"),
    [
        ((R, R, K), [("red", "2 of 3 running containers restart: 1 owner on 2 nodes, for 1 reason")]),
        ((R,), [("red", "1 of 1 running container restarts: 1 owner on 1 node, for 1 reason")]),
        (
            (R, L, K),
            [
                ("red", "2 of 3 running containers restart: 2 owners on 2 nodes, for 2 reasons"),
                ("red", "; 1 of them is not started again"),
            ],
        ),
        ((L, K), [("red", "1 of 2 running containers stops for good: 1 owner on 1 node, for 1 reason")]),
        ((L, L), [("red", "2 of 2 running containers stop for good: 1 owner on 2 nodes, for 1 reason")]),
        (
            (R, U, U),
            [
                ("red", "1 of 3 running containers restarts: 1 owner on 1 node, for 1 reason"),
                ("yellow", "; 2 more are UNKNOWN"),
            ],
        ),
        ((K, K), [("green", "Nothing restarts: 2 running containers are kept")]),
        ((K,), [("green", "Nothing restarts: 1 running container is kept")]),
        (
            (U, K),
            [
                (
                    "yellow",
                    (
                        "Undecided: 1 of 2 running containers is UNKNOWN, the others are kept: "
                        "1 owner, for 1 reason"
                    ),
                )
            ],
        ),
        (
            (U, U),
            [
                (
                    "yellow",
                    "Both running containers are UNKNOWN, so nothing is decided: 1 owner, for 1 reason",
                )
            ],
        ),
        (
            (U,),
            [
                (
                    "yellow",
                    "The only running container is UNKNOWN, so nothing is decided: 1 owner, for 1 reason",
                )
            ],
        ),
        ((), [("yellow", "No containers: nothing to report")]),
    ],
)
def test_each_outcome_has_its_sentence(verdicts: tuple[Verdict, ...], pieces: list[tuple[str, str]]) -> None:
    assert said(*many(*verdicts)) == pieces


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "Nothing restarts: the only container is never compared"),
        (3, "Nothing restarts: none of 3 containers is compared"),
    ],
)
def test_where_no_container_is_compared_none_is_called_kept(number: int, text: str) -> None:
    items = many(*[K] * number)
    assert said(*map(aside, items)) == [("green", text)]


def aside(row: Item) -> Item:
    return structs.replace(row, prediction=structs.replace(row.prediction, compared=False))


@pytest.mark.parametrize(
    ("running", "text"),
    [
        ((R, K), "1 of 2 running containers restarts, and 1 container {}: 2 owners on 1 node, for 1 reason"),
        ((K, K), "0 of 2 running containers restart, but 1 container {}: 1 owner, for 1 reason"),
    ],
)
def test_what_no_kubelet_runs_is_no_part_of_the_running_containers(
    running: tuple[Verdict, ...], text: str
) -> None:
    made = excerpt(*many(*running), aside(item(owner="Deployment/manifest", node="")))
    (said,) = answer(made.summary, made.tally)
    would = text.format("that no kubelet of the input runs would")
    assert said == Coloured(would, "red")
    closing = list(PLAN.notes(made))[-1]
    number = (
        "1 of 2 running containers restarts, and"
        if R in running
        else "0 of 2 running containers restart, but"
    )
    kept = running.count(K)
    assert f" {number} 1 container that no kubelet of the input runs would, in " in closing
    assert closing.endswith(f"; {kept} kept, 0 unknown")


def test_manifests_are_on_no_node_and_a_finding_may_have_no_reason() -> None:
    assert said(item(node="", reasons=())) == [("red", "1 of 1 running container restarts: 1 owner")]


@pytest.mark.parametrize("others", [(R,), (L,), (K,), (R, L, K)])
def test_what_is_unknown_is_never_green(others: tuple[Verdict, ...]) -> None:
    pieces = said(*many(*others, U))
    assert "green" not in {colour for colour, _ in pieces}
    assert [colour for colour, text in pieces if "UNKNOWN" in text] == ["yellow"]
