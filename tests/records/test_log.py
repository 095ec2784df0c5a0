"""Which lines of a kubelet's log show a recorded hash, and since when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.collected import from_log

UID = "8cdcb7ba-17d0-11e9-9243-52540064c479"
HEADER = "I0114 17:57:42.715551   12945 kuberuntime_manager.go:550] "
LINE = (
    f'{HEADER}Container "app" ({{"docker" "f59c4812"}}) of pod web-0_shop({UID}): '
    "Container spec hash changed (1 vs 2).. Container will be killed and recreated."
)
TIME = datetime(2000, 1, 14, 17, 57, 42, tzinfo=UTC)
EXPECTED = Recorded(UID, "shop", "web-0", "app", 2, running=None, created=TIME, any_year=True)


def test_a_container_bears_the_second_hash_from_then_on() -> None:
    assert list(from_log(LINE.splitlines())) == [EXPECTED]


def test_the_incidents_own_line_as_it_was_published() -> None:
    log = """I0114 17:57:42.715551   12945 kuberuntime_manager.go:550] \
Container "prometheus-node-exporter" ({"docker" "f59c4812"})
        of pod prometheus-node-exporter-l7vzz_monitoring(4ec492d2-17de-11e9-9206-52540064c479):
        Container spec hash changed (1559107639 vs 1428860573).. Container will be killed and recreated."""
    (record,) = from_log(log.splitlines())
    assert (record.namespace, record.pod) == ("monitoring", "prometheus-node-exporter-l7vzz")
    assert (record.container, record.hash) == ("prometheus-node-exporter", 1428860573)


@pytest.mark.parametrize(
    ("file", "pod", "expected"),
    [
        pytest.param(
            "docker_manager", f'pod "web-0_shop({UID})"', (UID, "shop", "web-0"), id="Docker, 1.2 - 1.5"
        ),
        pytest.param("rkt", f'Pod "web-0_shop({UID})"', (UID, "shop", "web-0"), id="rkt, 1.2 - 1.8"),
        pytest.param("manager", 'pod "web-0_shop"', ("", "shop", "web-0"), id="Docker, 1.0 and 1.1"),
        pytest.param(
            "kuberuntime_manager", 'Pod "web-0"', ("", "", "web-0"), id="CRI, 1.6 and 1.7: the name alone"
        ),
    ],
)
def test_logs_up_to_1_7_name_the_pod_in_four_ways(
    file: str, pod: str, expected: tuple[str, str, str]
) -> None:
    log = f'I0114 17:57:42.715551 1 {file}.go:1] {pod} container "app" hash changed (1 vs 2), '
    log += "it will be killed and re-created."
    (record,) = from_log(log.splitlines())
    assert ((record.uid, record.namespace, record.pod), record.container, record.hash) == (expected, "app", 2)


@pytest.mark.parametrize(
    ("before", "year"),
    [
        pytest.param("", None, id="the log itself"),
        pytest.param("Log file created at: 2019/01/14 10:00:00\n", 2019, id="a file that glog wrote"),
        pytest.param("Jan  4 17:57:42 node-1 kubelet[12945]: ", None, id="journalctl"),
        pytest.param("2019-01-14T17:57:42+0000 node-1 kubelet[12945]: ", 2019, id="journalctl -o short-iso"),
        pytest.param("2019-01-14T17:57:42.123456789Z ", 2019, id="docker logs --timestamps"),
        pytest.param("Jan 14 17:57:42 node-1 origin-node: ", None, id="OpenShift 3"),
    ],
)
def test_what_a_runtime_or_the_journal_writes_before_a_line(before: str, year: int | None) -> None:
    (record,) = from_log((before + LINE).splitlines())
    assert record.created == TIME.replace(year=year or 2000)
    assert record.any_year == (year is None)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(LINE.removeprefix(HEADER), id="no header"),
        pytest.param(LINE.replace("kuberuntime_manager", "prober"), id="another source file"),
        pytest.param(f'{HEADER}Exec probe failed: "{LINE}"', id="within a quoted text"),
        pytest.param(f"{HEADER}Exec probe failed: {LINE}", id="within another message"),
        pytest.param(f"{LINE} And more.", id="more after it"),
        pytest.param(f"Jan 14 17:57:42 node-1 app[1]: {LINE}", id="another unit"),
        pytest.param(f"Jan 14 17:57:42 node-1 {LINE}", id="no unit"),
        pytest.param(LINE.removesuffix("Container will be killed and recreated."), id="cut off"),
        pytest.param(LINE.replace("1 vs 2", "1 vs 4294967296"), id="more than 32 bits"),
        pytest.param(LINE.replace("1 vs 2", f"1 vs {'9' * 5000}"), id="5,000 digits"),
        pytest.param(LINE.replace("1 vs 2", "1 vs \u0663"), id="digits that are not ASCII"),
    ],
)
def test_what_no_kubelet_writes_does_not_count(line: str) -> None:
    assert list(from_log(line.splitlines())) == []


def test_later_logs_carry_no_values() -> None:
    assert list(from_log(f"{HEADER}Container app definition changed, will be restarted".splitlines())) == []


def test_a_day_that_no_month_has_is_no_time() -> None:
    (record,) = from_log((LINE.replace("I0114", "I0231")).splitlines())
    assert record.created is None


def test_a_message_has_no_more_lines_than_a_person_breaks_it_into() -> None:
    first, rest = LINE.split(" of pod ")
    assert len(list(from_log([first, *["  "] * 6, f"  of pod {rest}"]))) == 1
    assert list(from_log([first, *["  "] * 7, f"  of pod {rest}"])) == []
