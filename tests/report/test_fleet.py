"""A fleet as a document, as metrics and as a page, with everything in it that can be."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime

from msgspec import structs

from hashcompat.analysis.gating import Wanted
from hashcompat.core.model.cluster import Fleet
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.model import Style
from hashcompat.output.report.fleet import FLEET
from tests.cli.test_documents import errors
from tests.helpers.fleets import TARGETS, fleet
from tests.helpers.readback import html_cells, samples

WAVED = fleet(240, wanted=Wanted(6, None, "env", ("dev", "staging", "prod")))


def shown(form: str, report: Fleet = WAVED) -> str:
    return "".join(FORMATS[form].render(FLEET, report, Style()))


def test_a_fleet_in_which_everything_occurs_fits_the_schema() -> None:
    document = json.loads(shown("json"))
    assert errors("FleetReport", document) == []
    for target in document["waves"]:
        members = [each["source"] for wave in target["waves"] for each in wave["clusters"]]
        members += [left["source"] for left in target["leftOut"]]
        assert sorted(members) == sorted({item["source"] for item in document["items"]})
    document["waves"][0]["waves"][0]["clusters"] = []
    assert errors("FleetReport", document) != []


def test_metrics_count_what_the_document_has() -> None:
    document = json.loads(shown("json"))
    wanted = Counter((item["target"], item["verdict"]) for item in document["items"])
    metrics = list(samples(shown("prometheus")))
    clusters = [sample for sample in metrics if sample.name == "hashcompat_fleet_clusters"]
    assert {
        (sample.labels["target"], sample.labels["verdict"]): sample.value
        for sample in clusters
        if sample.value
    } == wanted
    waves = [sample for sample in metrics if sample.name == "hashcompat_fleet_wave_clusters"]
    assert sum(sample.value for sample in waves) == 240 * len(TARGETS)
    assert len({(sample.name, *sorted(sample.labels.items())) for sample in metrics}) == len(metrics)


def test_two_clusters_of_one_name_are_one_sample() -> None:
    """That of all of them: neither hides what the other one loses, or how old it is."""
    first, second, *others = WAVED.clusters
    times = [datetime(2026, 1, day, tzinfo=UTC) for day in (2, 1)]
    cluster, other = (
        structs.replace(each, name="same", taken=time)
        for each, time in zip((first, second), times, strict=True)
    )
    metrics = list(samples(shown("prometheus", structs.replace(WAVED, clusters=(cluster, other, *others)))))
    assert len({(each.name, *each.labels.items()) for each in metrics}) == len(metrics)
    values = {
        (each.name.removeprefix("hashcompat_fleet_cluster_"), each.labels.get("target")): each.value
        for each in metrics
        if each.labels.get("cluster") == "same"
    }
    for upgrades in zip(first.upgrades, second.upgrades, strict=True):
        if any(each.restarts is not None for each in upgrades):
            assert values["restarts", upgrades[0].target] == sum(each.restarts or 0 for each in upgrades)
    assert values["taken_timestamp_seconds", None] == times[1].timestamp()


def test_a_page_has_a_row_for_each_cluster_and_a_cell_for_each_target() -> None:
    heads, *rows = html_cells(shown("html"), "clusters")
    assert heads[:8] == ["Verdict", "Cluster", "Why", *(f"To {target}" for target in TARGETS), "Waves"]
    assert len(rows) == 240
    cells = {row[1]: row for row in rows}
    for cluster in WAVED.clusters:
        for upgrade, cell in zip(cluster.upgrades, cells[cluster.name][3:7], strict=True):
            wanted = upgrade.status if upgrade.restarts is None else str(upgrade.restarts)
            assert cell.startswith(wanted)
    waved = {each.name for of in WAVED.waves for wave in of.waves for each in wave.clusters}
    assert {name for name, row in cells.items() if any(map(str.isdigit, row[7]))} == waved


def test_a_page_without_waves_has_no_column_of_them() -> None:
    text = shown("html", structs.replace(WAVED, waves=()))
    assert "Wave" not in " ".join(html_cells(text, "clusters")[0])
    assert 'id="waves"' not in text


def test_a_page_says_that_it_only_reports() -> None:
    assert "170 of 240 clusters fail" in shown("summary")
    assert "reported only: 170 of 240" in shown("summary", structs.replace(WAVED, exit_code=0))


def test_the_ages_are_those_of_the_clusters_that_count() -> None:
    rows = html_cells(shown("html"), "age")[1:]
    assert [row[0] for row in rows] == ["up to a day", "up to a week", "up to 30 days", "older", "unknown"]
    assert sum(int(row[1]) for row in rows) == sum(
        cluster.standing != "LEFT_OUT" for cluster in WAVED.clusters
    )
