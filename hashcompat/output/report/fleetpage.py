"""The page of a fleet: what it comes to, its waves, what clusters have in common, and every cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from hashcompat.core.errors import UsageError
from hashcompat.core.model.cluster import Cluster, Fleet, FleetCause, Standing, Upgrade, Wave
from hashcompat.core.model.escape import count, distinct
from hashcompat.core.release import parse_release
from hashcompat.core.rules import find
from hashcompat.core.shown import urls
from hashcompat.output.report.model import Prose, Report, coloured
from hashcompat.output.report.page import Count, Heat, HeatCell, Listing, Main, Page, TableRow
from hashcompat.output.report.resultpages import framed

COLOURS: Final = {Standing.FAIL: "red", Standing.UNDECIDED: "yellow", Standing.PASS: "green"}
_NAMED: Final = 4
"""Clusters that a line names."""
WAVE_COLUMNS: Final = ("TARGET", "WAVE", "GROUP", "CLUSTERS", "RESTARTS", "WHICH")
_SHOWN: Final = 40
"""Reasons and owners that are shown."""
_AGES: Final = (
    ("up to a day", timedelta(days=1)),
    ("up to a week", timedelta(days=7)),
    ("up to 30 days", timedelta(days=30)),
    ("older", timedelta.max),
)


def wave_rows(fleet: Fleet) -> Iterator[list[object]]:
    """Yield a row for each wave of each target, by ``WAVE_COLUMNS``."""
    for place, of in enumerate(fleet.waves):
        for wave in of.waves:
            group = "canaries" if wave.canaries else wave.group or None
            numbers = len(wave.clusters), restarts(wave, place)
            yield [of.target, wave.number, group, *numbers, Prose(_which(wave.clusters))]


def _which(clusters: Sequence[Cluster]) -> str:
    """Name the first clusters, and say how many more there are; two may have one name."""
    more = f" and {len(clusters) - _NAMED:,} more" if len(clusters) > _NAMED else ""
    return ", ".join(distinct(cluster.name) for cluster in clusters[:_NAMED]) + more


def labels(cluster: Cluster) -> str:
    """Return the labels of a cluster in one line."""
    return ", ".join(f"{key}={value}" for key, value in sorted(cluster.labels.items()))


def restarts(wave: Wave, place: int) -> int:
    """Return how many containers of a wave are killed, for the target at a place."""
    return sum(cluster.upgrades[place].restarts or 0 for cluster in wave.clusters)


def fleet_page(report: Report[Fleet], fleet: Fleet) -> Page:
    """Return the page: what it comes to, waves, what clusters have in common, and every cluster."""
    numbers = Counter(cluster.standing for cluster in fleet.clusters)
    return framed(
        report,
        fleet,
        counts=[
            Count(fleet.inputs, "clusters"),
            *(Count(numbers[standing], _WORDS[standing]) for standing in Standing if numbers[standing]),
        ],
        findings=list(_listings(fleet)),
        heat=_heat(fleet),
        main=_main(fleet),
        notes=[f"Tables: {urls(fleet.out)}"],
    )


_WORDS: Final = {
    Standing.FAIL: "fail for some target",
    Standing.UNDECIDED: "undecided or unread",
    Standing.PASS: "pass for all targets",
    Standing.LEFT_OUT: "left out",
}


def _listings(fleet: Fleet) -> Iterator[Listing]:
    """Yield the tables that have rows."""
    by_target = [f"Clusters, {target}" for target in fleet.targets]
    targets = [
        [target, *(numbers[standing] for standing in Standing), fleet.restarts[target]]
        for place, target in enumerate(fleet.targets)
        for numbers in [Counter(cluster.upgrades[place].standing for cluster in fleet.clusters)]
    ]
    tables: tuple[tuple[str, str, Sequence[str], Sequence[Sequence[object]], str], ...] = (
        ("targets", "Targets", ("Target", *map(_title, Standing), "Restarts"), targets, ""),
        ("waves", "Waves", [*map(_title, WAVE_COLUMNS)], [*wave_rows(fleet)], ""),
        ("left-out", "In no wave", ("Target", "Reason", "Clusters", "Which"), _left_out_rows(fleet), ""),
        (
            "causes",
            "Reasons by number of clusters",
            ("Reason", "What", "Field", "Verdict", *by_target, "Containers"),
            [[*_cause(reason), *_numbers(reason, fleet)] for reason in fleet.reasons[:_SHOWN]],
            _after(len(fleet.reasons) - _SHOWN, "reason"),
        ),
        (
            "owners",
            "Owners that restart in most clusters",
            ("Namespace", "Owner", *by_target, "Containers"),
            [[*owner.names, *_numbers(owner, fleet)] for owner in fleet.owners[:_SHOWN]],
            _after(len(fleet.owners) - _SHOWN + fleet.owners_more, "owner"),
        ),
        ("age", "Age of the snapshots", ("Taken", "Clusters", "Oldest"), _age_rows(fleet), ""),
    )
    for place, title, columns, rows, after in tables:
        if rows:
            yield Listing(columns, partial(iter, rows), title, after, place)


def _title(word: str) -> str:
    return word.replace("_", " ").capitalize()


def _after(more: int, noun: str) -> str:
    return f"and {count(more, f'more {noun}')}; the tables have all of them" if more > 0 else ""


def _numbers(shared: FleetCause, fleet: Fleet) -> list[object]:
    """Return how many clusters have it by target, and the containers for the target that has the most."""
    return [*(shared.clusters.get(target, 0) for target in fleet.targets), shared.weight[1]]


def _cause(shared: FleetCause) -> list[object]:
    rule, path, verdict = shared.names
    entry = find(rule)
    return [rule, entry.name if entry else None, path or None, verdict]


def _left_out_rows(fleet: Fleet) -> list[list[object]]:
    rows = list[list[object]]()
    for of in fleet.waves:
        by_reason: dict[str, list[Cluster]] = {}
        for entry in of.left_out:
            by_reason.setdefault(entry.reason, []).append(entry.cluster)
        rows += [
            [of.target, reason, len(clusters), _which(clusters)]
            for reason, clusters in sorted(by_reason.items())
        ]
    return rows


def _age_rows(fleet: Fleet) -> list[list[object]]:
    """Return how many clusters were read how long before the report was made."""
    at = fleet.making.at
    by_age: dict[str, list[Cluster]] = {name: [] for name in (*(name for name, _ in _AGES), "unknown")}
    for cluster in fleet.clusters:
        if cluster.standing is Standing.LEFT_OUT:
            continue
        age = at - cluster.taken if at and cluster.taken else None
        name = next((name for name, most in _AGES if age is not None and age <= most), "unknown")
        by_age[name].append(cluster)
    rows = list[list[object]]()
    for name, clusters in by_age.items():
        if clusters:
            oldest = min(clusters, key=lambda cluster: (cluster.taken is None, cluster.taken, cluster.name))
            taken = f"{oldest.taken:%Y-%m-%d}, " if oldest.taken else ""
            rows.append([name, len(clusters), f"{taken}{distinct(oldest.name)}"])
    return rows


_MOST: Final = 5
"""The level of a cell where everything restarts."""


def _level(part: int, whole: int) -> int:
    """Return the colour of a cell, from 0 for nothing to 5 for everything."""
    return 0 if not part else max(1, _MOST * part // max(whole, 1)) if part < whole else _MOST


def _heat(fleet: Fleet) -> Heat | None:
    """Return which part of the clusters restarts something, by the oldest release that each runs."""
    groups: dict[tuple[int, ...], list[Cluster]] = {}
    for cluster in fleet.clusters:
        if cluster.running:
            groups.setdefault(_minor(cluster.running[0]), []).append(cluster)
    rows = [
        (
            ".".join(map(str, minor)) or "other",
            [_share_cell(clusters, place) for place in range(len(fleet.targets))],
        )
        for minor, clusters in sorted(groups.items())
    ]
    legend = (
        "By the oldest release that a cluster runs: how many clusters have containers that restart, of how "
        "many that are planned. A dotted line: some are undecided."
    )
    return Heat(fleet.targets, rows, legend, title="Restarts by release") if rows else None


def _minor(name: str) -> tuple[int, ...]:
    try:
        release = parse_release(name)
    except UsageError:  # what a node reports may be anything
        return ()
    return release.major, release.minor_number


def _share_cell(clusters: Sequence[Cluster], place: int) -> HeatCell:
    planned = [
        cluster.upgrades[place] for cluster in clusters if cluster.upgrades[place].restarts is not None
    ]
    hit = sum(bool(upgrade.restarts) for upgrade in planned)
    undecided = any(cluster.upgrades[place].standing is Standing.UNDECIDED for cluster in clusters)
    text = f"{hit:,} of {len(planned):,}" if planned else "-"
    return HeatCell(
        text, _level(hit, len(planned)), undecided, short=text.replace(" of ", "/") if planned else ""
    )


_LEGEND: Final = (
    "The number of containers that a target kills, and +2? for 2 that are UNKNOWN; the stronger its colour, "
    "the larger their part of the cluster. The verdict is that of the worst target."
)


def _main(fleet: Fleet) -> Main:
    """Return the clusters, each with a cell for each target that sorts by its restarts."""
    waved = [
        {cluster.source: wave.number for wave in of.waves for cluster in wave.clusters} for of in fleet.waves
    ]
    columns = [
        *("Verdict", "Cluster", "Why", *(f"To {target}" for target in fleet.targets)),
        *(["Wave" if len(fleet.waves) == 1 else "Waves"] if fleet.waves else []),
        *("Running", "Nodes", "Pods", "Taken", "Labels"),
    ]
    order, numbers = [*Standing], Counter(cluster.standing for cluster in fleet.clusters)
    clusters = sorted(
        fleet.clusters,
        key=lambda cluster: (
            order.index(cluster.standing),
            -sum(upgrade.restarts or 0 for upgrade in cluster.upgrades),
            cluster.name,
        ),
    )
    return Main(
        "clusters",
        "Clusters and targets",
        columns,
        lambda: (_row(cluster, waved) for cluster in clusters),
        len(clusters),
        {word.value: numbers[word] for word in Standing if numbers[word]},
        legend=_LEGEND,
    )


def _row(cluster: Cluster, waved: Sequence[Mapping[str, int]]) -> TableRow:
    why = next((upgrade.why for upgrade in cluster.upgrades if upgrade.standing is cluster.standing), "")
    waves = ", ".join(str(numbers.get(cluster.source, "-")) for numbers in waved)
    cells = [
        *(
            coloured(cluster.standing, COLOURS),
            cluster.name,
            why if cluster.standing is not Standing.PASS else None,
        ),
        *(_cell(upgrade, cluster.containers or 0) for upgrade in cluster.upgrades),
        *([waves] if waved else []),
        *(", ".join(cluster.running) or None, cluster.nodes, cluster.pods),
        *(f"{cluster.taken:%Y-%m-%d %H:%M}" if cluster.taken else None, labels(cluster) or None),
    ]
    return TableRow(cells, cluster.standing.value)


def _cell(upgrade: Upgrade, containers: int) -> HeatCell:
    """Return the cell of a target: its restarts, what is unknown, and the word where it does not pass."""
    if upgrade.restarts is None:
        return HeatCell(upgrade.status, 0, upgrade.standing is Standing.UNDECIDED)
    unknown = f"+{upgrade.unknown}?" if upgrade.unknown else ""
    word = f" {upgrade.standing.value}" if upgrade.standing is not Standing.PASS else ""
    level = _level(upgrade.restarts, containers)
    return HeatCell(f"{upgrade.restarts}{unknown}{word}", level, upgrade.standing is Standing.UNDECIDED)
