"""When the pods of each file were taken, added up while they pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from hashcompat.analysis.planning.cluster import Ages
from hashcompat.api.inputs import collect
from hashcompat.core.model.pods import Container, ContainerType, Ended, Origin, Pod
from hashcompat.core.model.uids import Dated, Dating, Reach, reach_of, taken_of
from tests.helpers.pods import pod as json_of

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
UNTIL = NOW + timedelta(minutes=5)
(POD,) = collect([json_of()]).pods

times = st.none() | st.integers(-500, 30).map(lambda minutes: NOW + timedelta(minutes=minutes))


def container(started: datetime | None, finished: datetime | None) -> Container:
    ended = Ended("", finished, final=True) if finished else None
    return Container("c", ContainerType.CONTAINER, "$", {}, started=started, ended=ended)


def pod(file: str, *pairs: tuple[datetime | None, datetime | None]) -> Pod:
    return structs.replace(POD, file=file, containers=tuple(container(*pair) for pair in pairs))


pods = st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.tuples(times, times), max_size=3)), max_size=12)


@given(pods, pods, st.randoms())
def test_the_order_and_the_processes_change_nothing(group: list, other: list, random: Random) -> None:  # type: ignore[type-arg]
    nodes = Dating(UNTIL, (Dated("a", Reach(NOW - timedelta(hours=5))),))
    alone, first, second = Ages(nodes), Ages(nodes), Ages(nodes)
    every = [pod(file, *pairs) for file, pairs in (*group, *other)]
    for ages, some in ((first, group), (second, other)):
        for file, pairs in some:
            ages.add(pod(file, *pairs))
    first.merge(second.reaches)
    for subject in random.sample(every, len(every)):
        alone.add(subject)
    assert first.dated(Origin()) == alone.dated(Origin())
    assert list(first.warnings()) == list(alone.warnings())
    known = {"a": [NOW - timedelta(hours=5)]}
    for subject in every:
        shown = [time for c in subject.containers for time in (c.started, c.ended and c.ended.finished)]
        known.setdefault(subject.file, []).extend(time for time in shown if time and time <= UNTIL)
    wanted = min(map(max, known.values())) if all(known.values()) else None
    assert alone.dated(Origin()).taken == wanted


def test_what_says_itself_when_it_was_taken_counts_alone() -> None:
    ages = Ages(Dating(UNTIL, (Dated("a", Reach(NOW - timedelta(days=1)), says=True),)))
    ages.add(pod("a", (NOW, None)))
    assert ages.dated(Origin()).taken == NOW - timedelta(days=1)


def test_where_nothing_is_known_of_a_source_it_stays_as_it_was() -> None:
    ages = Ages(None)
    ages.add(pod("a", (NOW, None)))
    assert ages.dated(Origin(taken=NOW)).taken == NOW
    assert ages.dated(Origin()).taken is None


def test_times_that_have_not_come_are_counted_by_file() -> None:
    ages = Ages(Dating(UNTIL))
    ages.add(pod("b", (UNTIL + timedelta(seconds=1), UNTIL + timedelta(hours=1)), (NOW, None)))
    ages.add(pod("a", (UNTIL + timedelta(seconds=1), None)))
    assert [line.partition(", up to")[0] for line in ages.warnings()] == [
        "a: 1 time in it",
        "b: 2 times in it",
    ]
    assert ages.dated(Origin()).taken is None


def test_of_no_file_nothing_is_known() -> None:
    assert taken_of({}) is None
    assert reach_of([None], NOW) == Reach()
