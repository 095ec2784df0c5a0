"""Waves of a fleet: canaries, then fewest restarts, by groups; and who is in none."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.analysis.gating import Wanted, waves
from hashcompat.core.errors import UsageError
from hashcompat.core.model.cluster import Cluster, Standing, Upgrade, Waves

TO = "1.31.14"


def cluster(name: str, restarts: int | None = 0, running: str = "v1.30.0", **more: Any) -> Cluster:
    labels = {key: more.pop(key) for key in [*more] if key in ("env", "canary")}
    upgrade = Upgrade(
        TO, more.pop("standing", Standing.PASS), more.pop("status", "planned"), "why", restarts, **more
    )
    return Cluster(name, f"{name}.json", labels=labels, running=(running,), upgrades=(upgrade,))


def of(clusters: list[Cluster], number: int, **more: Any) -> Waves:
    (schedule,) = waves(clusters, (TO,), Wanted(number, **more))
    assert len({member.name for wave in schedule.waves for member in wave.clusters}) + len(
        schedule.left_out
    ) == len(clusters)
    assert [wave.number for wave in schedule.waves] == [*range(1, len(schedule.waves) + 1)]
    return schedule


def names(schedule: Waves) -> list[str]:
    return ["".join(member.name for member in wave.clusters) for wave in schedule.waves]


def test_one_of_each_release_is_a_canary_and_the_fewest_restarts_come_first() -> None:
    clusters = [
        *(cluster(name, restarts) for name, restarts in (("a", 9), ("b", 3), ("c", 5), ("d", 4))),
        cluster("e", 1, "v1.29.0"),
        cluster("f", 7, "v1.29.0"),
    ]
    schedule = of(clusters, 3)
    assert names(schedule) == ["eb", "dc", "fa"]
    assert [wave.canaries for wave in schedule.waves] == [True, False, False]
    assert names(of(clusters, 50)) == ["eb", "d", "c", "f", "a"], "no wave is empty"


def test_equal_restarts_are_in_the_order_of_what_is_unknown_and_of_names() -> None:
    clusters = [cluster("b"), cluster("c", unknown=1), cluster("a"), cluster("d", running="v1.29.0")]
    assert names(of(clusters, 2)) == ["ad", "bc"]


def test_canaries_by_their_label_alone() -> None:
    clusters = [cluster("a"), cluster("b", 5, canary="yes"), cluster("c", canary="no"), cluster("d", 1)]
    assert names(of(clusters, 2, canaries=("canary", "yes"))) == ["b", "acd"]


def test_without_the_canaries_that_are_asked_for_nothing_is_upgraded() -> None:
    clusters = [cluster("a"), cluster("b", standing=Standing.FAIL, canary="yes")]
    schedule = of(clusters, 2, canaries=("canary", "yes"))
    assert schedule.waves == ()
    assert {left.cluster.name: left.reason for left in schedule.left_out} == {"a": "no-canary", "b": "failed"}


def test_each_wave_has_a_share_of_each_group() -> None:
    clusters = [cluster(f"{env}{number}", number, env=env) for env in ("x", "y") for number in range(5)]
    schedule = of(clusters, 3, label="env")
    assert names(schedule) == ["x0y0", "x1y1x2y2", "x3y3x4y4"]
    assert {wave.group for wave in schedule.waves} == {""}


def test_groups_in_order_come_one_after_another() -> None:
    clusters = [
        *(cluster(f"p{number}", number, env="prod") for number in range(7)),
        cluster("d0", 50, env="dev"),
        cluster("d1", 60, env="dev"),
        cluster("o"),
        cluster("q", env="other"),
    ]
    schedule = of(clusters, 5, label="env", order=("dev", "prod"))
    assert [wave.group for wave in schedule.waves] == ["", "dev", "prod", "prod", ""]
    assert names(schedule) == ["d0", "d1", "p0p1p2", "p3p4p5p6", "oq"]
    assert names(of(clusters, 2, label="env", order=("none",))) == ["op0qd0", "p1p2p3p4p5p6d1"]


def test_fewer_waves_than_groups_in_order_are_refused() -> None:
    clusters = [cluster(f"{env}{number}", env=env) for env in "abc" for number in range(3)]
    with pytest.raises(UsageError, match=r"--waves 3: 1\.31\.14 needs 4 at least"):
        waves(clusters, (TO,), Wanted(3, None, "env", ("a", "b", "c")))


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (cluster("x", standing=Standing.FAIL), "failed"),
        (cluster("x", standing=Standing.UNDECIDED), "undecided"),
        (cluster("x", done=True), "upgraded"),
        *(
            (cluster("x", None, status=status, standing=Standing.UNDECIDED), status)
            for status in ("unreadable", "refused", "lost")
        ),
        *(
            (cluster("x", None, status=status, standing=Standing.LEFT_OUT), status)
            for status in ("superseded", "not-applicable")
        ),
    ],
)
def test_who_is_in_no_wave_is_named_with_the_reason(candidate: Cluster, reason: str) -> None:
    schedule = of([cluster("a"), candidate], 2)
    assert names(schedule) == ["a"]
    assert [(left.cluster.name, left.reason, left.why) for left in schedule.left_out] == [
        ("x", reason, "all of its nodes run the target release" if reason == "upgraded" else "why")
    ]


def test_a_fleet_of_which_nothing_can_be_upgraded_has_no_waves() -> None:
    assert of([cluster("x", standing=Standing.FAIL)], 2).waves == ()
    assert of([], 2) == Waves(TO, (), ())


def test_a_cluster_stands_as_it_does_for_its_worst_target() -> None:
    words = (Standing.LEFT_OUT, Standing.PASS, Standing.UNDECIDED, Standing.FAIL)
    for number in range(1, 1 + len(words)):
        some = tuple(Upgrade(TO, word, "planned") for word in words[:number])
        assert Cluster("a", "a", upgrades=some).standing is words[number - 1]


def test_each_target_has_waves_of_its_own() -> None:
    both = [
        Cluster(
            name,
            name,
            upgrades=tuple(
                Upgrade(str(place), Standing.PASS, "planned", "", many) for place, many in enumerate(numbers)
            ),
        )
        for name, numbers in (("a", (0, 9)), ("b", (9, 0)), ("c", (5, 5)))
    ]
    assert [names(schedule) for schedule in waves(both, ("0", "1"), Wanted(3))] == [
        ["a", "c", "b"],
        ["b", "c", "a"],
    ]
