"""``scripts.bench.plans``: its rows, what it refuses, and the page that is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import msgspec
import pytest

from hashcompat.sources.files import collect
from scripts.bench import cluster, commands, limits, memory, plans, record, starting
from scripts.bench.made.shape import Shape
from scripts.bench.made.texts import FORMS
from scripts.bench.record import Case, CommandRow, MissingError, Record, Row, Spread, Taken
from scripts.docs import charts, performance
from scripts.lib.gotool import GoError
from tests.helpers.slices import every

CASE = Case(15_000, "services", "1.30.14", "1.31.14")
TURNS = [
    (Taken(2.0, 4.0, 90_000_000), Taken(4.0, 3.0, 60_000_000)),
    (Taken(3.0, 5.0, 80_000_000), Taken(4.0, 2.0, 50_000_000)),
    (Taken(1.0, 3.0, 70_000_000), Taken(4.0, 4.0, 70_000_000)),
]
ROW = plans.of_turns(CASE, TURNS)


@pytest.fixture
def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the committed rows and pages be files of an empty directory."""
    path = tmp_path / "ratios.json"
    monkeypatch.setattr(record, "PATH", path)
    monkeypatch.setattr(performance, "GENERATED", replace(performance.GENERATED, root=tmp_path))
    return path


def test_a_row_has_the_spread_of_both_sides_and_of_the_ratio_round_by_round() -> None:
    assert (ROW.rounds, ROW.plan.cpu, ROW.go.wall) == (3, Spread(1.0, 2.0, 3.0), Spread(2.0, 3.0, 4.0))
    assert ROW.plan.memory == Spread(70.0, 80.0, 90.0)
    assert (ROW.cpu, ROW.wall) == (Spread(0.25, 0.5, 0.75), Spread(0.75, 1.0, 1.25))


def test_two_processes_took_the_time_of_both_and_as_long_as_the_slower() -> None:
    assert Taken(1.0, 5.0, 10) + Taken(2.0, 4.0, 20) == Taken(3.0, 5.0, 30)


@pytest.mark.parametrize(
    ("median", "lost"),
    [
        pytest.param(0.1, False, id="faster"),
        pytest.param(0.575, False, id="15 percent slower"),
        pytest.param(0.58, True, id="more than that"),
    ],
)
def test_only_a_loss_above_15_percent_is_named(
    median: float, lost: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PLANS", {**limits.PLANS, "services": 1.0})
    now = replace(ROW, cpu=Spread(0.0, median, 9.0))
    losses = record.losses([now], Record("", (ROW,)))
    line = "15,000 pods, services, 1.30.14 -> 1.31.14: 0.58 of Go's CPU time, allowed is 0.57, committed 0.50"
    assert losses == ([line] if lost else [])


def test_a_row_that_was_never_committed_is_no_pass() -> None:
    with pytest.raises(MissingError, match=r"7 pods, .*: no such row in ratios\.json; --write makes it"):
        record.losses([replace(ROW, case=replace(CASE, pods=7))], Record("", (ROW,)))


def test_nothing_committed_is_no_pass(committed: Path) -> None:
    assert not committed.exists()
    with pytest.raises(MissingError, match=r"ratios\.json is missing"):
        record.last()


@pytest.mark.usefixtures("committed")
def test_rows_are_saved_in_place_of_older_ones_by_size_and_release() -> None:
    old = replace(ROW, case=replace(CASE, old="1.7.16", new="1.9.11"))
    record.write([ROW, replace(ROW, case=replace(CASE, cluster="services, all different"))])
    record.write([replace(ROW, rounds=9), old, replace(ROW, case=replace(CASE, pods=20))])
    rows = [(row.case.pods, row.case.cluster, row.case.old, row.rounds) for row in record.last().rows]
    assert rows == [
        (20, "services", "1.30.14", 3),
        (15_000, "services", "1.7.16", 3),
        (15_000, "services", "1.30.14", 9),
        (15_000, "services, all different", "1.30.14", 3),
    ]


@pytest.mark.parametrize(
    ("ratio", "flags", "code", "last"),
    [
        (0.5, [], 0, "0.50 (0.25 - 0.75)"),
        (0.5, ["--check"], 0, "0.50 (0.25 - 0.75)"),
        (0.3, ["--check"], 2, "allowed is 0.34, committed 0.30"),
        (None, ["--check"], 1, "0.50 (0.25 - 0.75)"),
        (None, ["--write"], 0, "0.50 (0.25 - 0.75)"),
    ],
)
def test_the_exit_code_says_whether_plan_lost(
    ratio: float | None,
    flags: list[str],
    code: int,
    last: str,
    committed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def rows(sizes: list[int], rounds: int, *, managed_fields: bool) -> Iterator[Row]:
        assert (sizes, rounds, managed_fields) == ([15_000], 3, False)
        yield ROW

    monkeypatch.setattr(plans, "rows", rows)
    if ratio is not None:
        record.write([replace(ROW, cpu=Spread(ratio, ratio, ratio))])
    assert plans.main(["--rounds", "3", *flags]) == code
    assert last in capsys.readouterr().out.splitlines()[-1]
    page = committed.with_name("docs") / "performance.md"
    assert page.exists() is ("--write" in flags)


def test_a_limit_that_is_not_kept_yet_gives_way_to_what_is_committed() -> None:
    assert limits.allowed(1.0, 3.0) == pytest.approx(1.15)
    assert limits.allowed(2.9, 3.0) == 3.0
    assert limits.allowed(10.0, 3.0) == pytest.approx(11.5)


def test_a_command_that_was_never_committed_is_no_pass() -> None:
    with pytest.raises(MissingError, match=r"snapshot, services: no such row in ratios\.json"):
        record.slow_commands([TOOK], Record("", (ROW,)))


@pytest.mark.usefixtures("committed")
def test_rows_of_a_cluster_that_is_no_longer_made_are_dropped() -> None:
    record.PATH.write_bytes(
        msgspec.json.encode(Record("", (replace(ROW, case=replace(CASE, cluster="old")),)))
    )
    record.write([ROW])
    assert record.last().rows == (ROW,)


@pytest.mark.parametrize(("most", "code"), every(2, [(0.0, 2), (60.0, 0)]))
def test_the_exit_code_says_whether_a_start_takes_too_long(
    most: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "STARTS", dict.fromkeys(limits.STARTS, most))
    assert starting.main(["--rounds", "1", "--check"]) == code
    assert ("--version: too much CPU time" in capsys.readouterr().out) is bool(code)


@pytest.mark.full
@pytest.mark.slow
def test_the_exit_code_says_whether_a_cluster_takes_too_much_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(memory, "COMMANDS", memory.COMMANDS[-1:])
    peaks = list(memory.peaks(40))
    monkeypatch.setattr(memory, "peaks", lambda pods: peaks if pods == 40 else [])
    for most, code in ((500, 0), (1, 2)):
        monkeypatch.setattr(limits, "MEMORY", dict.fromkeys(limits.MEMORY, most))
        assert memory.main(["--pods", "40", "--check"]) == code
        assert ("snapshot, services: too much memory" in capsys.readouterr().out) is bool(code)


@pytest.mark.parametrize("bench", [plans, commands, starting, memory])
def test_a_wrong_argument_is_a_usage_error(bench: ModuleType) -> None:
    with pytest.raises(SystemExit) as ended:
        bench.main(["--check", "--no-such-flag"])
    assert ended.value.code == 64


SNAPSHOT = commands.Command("snapshot", ("snapshot",))
TOOK = commands.of_turns(
    SNAPSHOT, "services", 15_000, [plan for plan, _ in TURNS], [other for _, other in TURNS]
)


def test_a_command_has_the_ratios_to_plan_round_by_round() -> None:
    assert (TOOK.rounds, TOOK.taken, TOOK.cpu) == (3, ROW.plan, ROW.cpu)
    assert TOOK.wall == Spread(0.75, 1.333, 2.5)


@pytest.mark.parametrize(
    ("most", "flags", "code", "last"),
    [
        (0.4, [], 0, "0.4"),
        (0.4, ["--check"], 0, "0.4"),
        (0.6, ["--check"], 2, "snapshot, services: 0.50 plans, allowed is 0.46"),
        (0.4, ["--write"], 0, "0.4"),
    ],
)
def test_the_exit_code_says_whether_a_command_takes_too_much(
    most: float,
    flags: list[str],
    code: int,
    last: str,
    committed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def rows(pods: int, rounds: int) -> Iterator[CommandRow]:
        assert (pods, rounds) == (15_000, 3)
        yield replace(TOOK, most=most)

    monkeypatch.setattr(commands, "rows", rows)
    before = 0.4 if most == 0.6 else 0.5
    record.write([ROW], [replace(TOOK, cpu=Spread(before, before, before), rounds=1)])
    assert commands.main(["--rounds", "3", *flags]) == code
    assert capsys.readouterr().out.splitlines()[-1].endswith(last)
    measurements = record.last()
    assert measurements.rows == (ROW,)
    assert [row.rounds for row in measurements.commands] == [3 if "--write" in flags else 1]
    page = committed.with_name("docs") / "performance.md"
    assert (
        ("| snapshot | services | 15,000 | 2.00 |" in page.read_text())
        if "--write" in flags
        else not page.exists()
    )


@pytest.mark.full
@pytest.mark.slow
def test_commands_are_run_on_one_cluster_as_json_as_yaml_and_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "apart", commands.run)  # the memory of processes is measured above
    one_of_each = {command.source: command for command in reversed(commands.COMMANDS)}
    monkeypatch.setattr(commands, "COMMANDS", (*reversed(one_of_each.values()),))
    every, names = commands.COMMANDS, ["services", "platform"]
    rows = list(commands.rows(40, 1))
    expected = [(name, command.name) for name in names for command in every]
    assert [(row.cluster, row.name) for row in rows] == expected
    assert rows[0].cpu == rows[len(every)].cpu == Spread(1.0, 1.0, 1.0)
    assert all(row.taken.cpu.median > 0 for row in rows)
    failing = commands.Command("fails", ("snapshot", "--no-such-flag"))
    with pytest.raises(GoError, match="exit code"):
        commands.run(failing, commands.Sources(tmp_path))


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("name", cluster.CLUSTERS)
def test_a_cluster_is_the_same_in_all_forms(name: str, tmp_path: Path) -> None:
    contents = []
    for form in FORMS:
        path = tmp_path / f"dump.{form}"
        cluster.write(path, name, 60, Shape(), form)
        contents.append([(pod.name, pod.spec, pod.labels) for pod in collect.collect((str(path),)).pods])
    assert all(content == contents[0] for content in contents)


def test_the_page_and_its_charts_are_made_of_the_committed_rows() -> None:
    assert performance.GENERATED.check() == []


@pytest.mark.usefixtures("committed")
def test_each_case_is_a_row_of_the_page_and_two_bars() -> None:
    smaller = replace(ROW, case=replace(CASE, pods=20))
    record.write([ROW, smaller, replace(ROW, case=replace(CASE, cluster="services, all different"))])
    made = {path.name: text.decode() for path, text in performance.make().items()}
    row = "| 2.00 | 4.00 | 80 | 4.00 | 3.00 | 60 | 0.50 (0.25 - 0.75) | 1.00 (0.75 - 1.25) |"
    assert made["performance.md"].count(row) == 3
    assert [text for text in _texts(made["performance.svg"]) if " -> " in text] == [
        "services, 1.30.14 -> 1.31.14",
        "services, all different, 1.30.14 -> 1.31.14",
    ]
    assert {"plan, services", "Go, services, all different"} <= set(_texts(made["growth.svg"]))


def test_bars_are_as_long_as_their_values() -> None:
    svg = charts.bars("A <chart>", ("one", "other"), {"a & b": (1.0, 2.0), "c": (4.0, 0.0)})
    widths = [
        float(element.attrib["width"])
        for element in _elements(svg, "rect")
        if element.attrib["height"] == "12.0"
    ]
    assert widths == [120.0, 240.0, 480.0, 0.0]
    assert {"A <chart>", "a & b", "4.00"} <= set(_texts(svg.decode()))


def test_linear_growth_is_a_straight_line_from_zero() -> None:
    svg = charts.lines("growth", "pods", {"one": [(100, 1.0), (400, 4.0), (200, 2.0)], "other": [(400, 8.0)]})
    first, second = (element.attrib["points"].split() for element in _elements(svg, "polyline"))
    places = [tuple(map(float, point.split(","))) for point in first]
    slopes = [(354 - y) / (x - 60) for x, y in places]
    assert slopes == pytest.approx([slopes[0]] * 3, rel=1e-3)
    assert (len(places), second) == (3, ["750.0,54.0"])
    assert {"100", "200", "2", "8"} <= set(_texts(svg.decode()))


def _elements(svg: bytes, name: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{name}"))  # noqa: S314 - our own


def _texts(svg: str) -> list[str]:
    return [element.text or "" for element in _elements(svg.encode(), "text")]
