"""A fleet: every cluster for every target release as lines, rows, a document, findings and a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hashcompat.analysis.gating import Outcome
from hashcompat.core.model.cluster import Cluster, Fleet, FleetCause, Standing, Upgrade, Waves
from hashcompat.core.model.escape import count, name_path, owner_path
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.rules import findings
from hashcompat.core.shown import urls
from hashcompat.output.documents import judged as docs
from hashcompat.output.report.fleetpage import COLOURS, WAVE_COLUMNS, fleet_page, labels, restarts, wave_rows
from hashcompat.output.report.items import Provenance
from hashcompat.output.report.model import (
    CaseResult,
    Document,
    Findings,
    Headline,
    Line,
    Prose,
    Ranking,
    Report,
    ReportCase,
    Rows,
    Screen,
    Section,
    Series,
    Table,
    coloured,
    document,
    filled,
    plain,
)
from hashcompat.output.report.restartplan import tool_of

_COLUMNS: Final = (
    *("CLUSTER", "TARGET", "VERDICT", "STATUS", "WAVE", "RESTARTS", "UNKNOWN", "RUNNING", "NODES", "PODS"),
    *("CONTAINERS", "TAKEN", "LABELS", "WHY", "SOURCE"),
)
_POLICY: Final = "gate-policy"
_INPUT: Final = "fleet-input"


def fleet_document(fleet: Fleet) -> Document:
    """Return the document: an item for each cluster and target."""
    targets = [
        docs.FleetTarget(
            target, dict(fleet.statuses[target]), dict(fleet.outcomes[target]), fleet.restarts[target]
        )
        for target in fleet.targets
    ]
    outcome = Outcome(str(fleet.standing))
    return document(
        docs.FleetReport,
        spec=docs.FleetSpec(fleet.targets, urls(fleet.out), tool_of(fleet.making), fleet.making.at),
        summary=docs.FleetSummary(outcome, fleet.why, fleet.exit_code, fleet.inputs, targets),
        waves=Rows(tuple(enumerate(fleet.waves)), lambda pair: plain(_waves_document(*pair))),
        reasons=[
            docs.FleetReason(rule, path, Verdict(verdict), _shares(reason, fleet))
            for reason in fleet.reasons
            for rule, path, verdict in [reason.names]
        ],
        owners=[
            docs.FleetOwner(owner.names[0], owner.names[1], _shares(owner, fleet)) for owner in fleet.owners
        ],
        items=Rows(tuple(_upgrades(fleet)), lambda pair: plain(_item(*pair))),
    )


def _upgrades(fleet: Fleet) -> Iterator[tuple[Cluster, Upgrade]]:
    return ((cluster, upgrade) for cluster in fleet.clusters for upgrade in cluster.upgrades)


def _shares(shared: FleetCause, fleet: Fleet) -> list[docs.FleetShare]:
    return [
        docs.FleetShare(target, shared.clusters[target], shared.containers[target])
        for target in fleet.targets
        if target in shared.clusters
    ]


def _waves_document(place: int, of: Waves) -> docs.FleetWaves:
    waves = [
        filled(
            docs.FleetWave,
            wave,
            restarts=restarts(wave, place),
            clusters=[
                docs.WaveMember(
                    *(cluster.name, urls(cluster.source), cluster.uid, dict(cluster.labels)),
                    *(cluster.upgrades[place].restarts or 0, cluster.upgrades[place].unknown or 0),
                )
                for cluster in wave.clusters
            ],
        )
        for wave in of.waves
    ]
    left_out = [
        docs.FleetLeftOut(entry.cluster.name, urls(entry.cluster.source), entry.reason, entry.why)
        for entry in of.left_out
    ]
    return docs.FleetWaves(of.target, waves, left_out)


def _item(cluster: Cluster, upgrade: Upgrade) -> docs.FleetItem:
    return filled(
        docs.FleetItem,
        upgrade,
        cluster=cluster.name,
        verdict=upgrade.standing,
        source=urls(cluster.source),
        cluster_uid=cluster.uid,
        taken=cluster.taken,
        labels=dict(cluster.labels),
        running=cluster.running,
        nodes=cluster.nodes,
        pods=cluster.pods,
        containers=cluster.containers,
    )


def _overview(fleet: Fleet, _screen: Screen) -> Iterator[Section]:
    """Yield the counts of each target, its waves, and where the tables are."""
    lines: list[Line] = []
    for target in fleet.targets:
        statuses = ", ".join(f"{number:,} {status}" for status, number in fleet.statuses[target].items())
        outcomes = [f"{number:,} {outcome}" for outcome, number in fleet.outcomes[target].items()]
        judged = f"; by the policy: {', '.join(outcomes)}" if outcomes else ""
        lines.append([f"{target}: {count(fleet.inputs, 'input')}: {statuses}"])
        lines.append([f"  {count(fleet.restarts[target], 'container')} to restart{judged}"])
    lines.append([f"{fleet.standing}: {fleet.why}"])
    tables = [f"Tables: {urls(fleet.out)}"]
    if not fleet.waves:
        yield Section([*lines, tables])
        return
    yield Section(lines)
    yield Section(Table(WAVE_COLUMNS, lambda: wave_rows(fleet)))
    yield Section([*([line] for line in _left_out_lines(fleet)), tables])


def _left_out_lines(fleet: Fleet) -> Iterator[str]:
    for of in fleet.waves:
        if numbers := Counter(entry.reason for entry in of.left_out):
            words = ", ".join(f"{number:,} {reason}" for reason, number in sorted(numbers.items()))
            yield f"In no wave to {of.target}: {words}"


def _sheet(fleet: Fleet) -> Table:
    """Return a row for each cluster and target."""
    numbers = {
        (of.target, cluster.source): wave.number
        for of in fleet.waves
        for wave in of.waves
        for cluster in wave.clusters
    }
    return Table(
        _COLUMNS, lambda: (_cells(cluster, upgrade, numbers) for cluster, upgrade in _upgrades(fleet))
    )


def _cells(cluster: Cluster, upgrade: Upgrade, numbers: Mapping[tuple[str, str], int]) -> list[object]:
    return [
        *(cluster.name, upgrade.target, coloured(upgrade.standing, COLOURS), upgrade.status),
        *(numbers.get((upgrade.target, cluster.source)), upgrade.restarts, upgrade.unknown),
        *(", ".join(cluster.running) or None, cluster.nodes, cluster.pods, cluster.containers),
        f"{cluster.taken:%Y-%m-%dT%H:%M:%SZ}" if cluster.taken else None,
        *(labels(cluster) or None, Prose(upgrade.why) if upgrade.why else None, urls(cluster.source)),
    ]


_OUTCOMES: Final = {
    Standing.FAIL: CaseResult.FAILED,
    Standing.UNDECIDED: CaseResult.UNDECIDED,
    Standing.PASS: CaseResult.PASSED,
    Standing.LEFT_OUT: CaseResult.PASSED,
}


def _findings(fleet: Fleet) -> Findings:
    """Return a case for each cluster and target; what is counted by target are series of their own."""
    numbers = Counter(upgrade.standing for _, upgrade in _upgrades(fleet))
    return Findings(
        "fleet",
        f"fleet of {count(fleet.inputs, 'cluster')} to {', '.join(fleet.targets)}",
        "upgrades",
        {standing.value: numbers[standing] for standing in Standing},
        lambda: (_case(*pair) for pair in _upgrades(fleet)),
        lambda: findings(_POLICY, _INPUT),
        {"inputs": fleet.inputs},
        series=_series(fleet),
    )


def _case(cluster: Cluster, upgrade: Upgrade) -> ReportCase:
    outcome = _OUTCOMES[upgrade.standing]
    rule = "" if outcome is CaseResult.PASSED else _POLICY if upgrade.restarts is not None else _INPUT
    text = upgrade.why or upgrade.status
    names = {"cluster": cluster.name, "target": upgrade.target, "status": upgrade.status}
    group, name = name_path(cluster.name), upgrade.target
    return ReportCase(outcome, upgrade.standing.value, rule, text, group, name, names)


def _series(fleet: Fleet) -> tuple[Series, ...]:
    """Return what a dashboard asks for; a cluster's labels stay in the tables."""
    return (
        Series(
            "clusters",
            "How many clusters have each verdict, by target release",
            lambda: (
                ({"target": target, "verdict": standing.value}, numbers[standing])
                for place, target in enumerate(fleet.targets)
                for numbers in [Counter(cluster.upgrades[place].standing for cluster in fleet.clusters)]
                for standing in Standing
            ),
        ),
        Series(
            "restarts",
            "How many containers are killed, by target release",
            lambda: (({"target": target}, fleet.restarts[target]) for target in fleet.targets),
        ),
        Series(
            "cluster_restarts", "How many containers of a planned cluster are killed", lambda: _by_name(fleet)
        ),
        Series(
            "cluster_taken_timestamp_seconds",
            "The time in seconds since 1970: when a cluster was read",
            lambda: _oldest(fleet.clusters),
        ),
        Series(
            "reason_clusters", "How many clusters have a reason, by target release", lambda: _by_rule(fleet)
        ),
        Series(
            "wave_clusters",
            "How many clusters are in a wave; 0 is those that are in none",
            lambda: (
                ({"target": of.target, "wave": str(number)}, size)
                for of in fleet.waves
                for number, size in (
                    (0, len(of.left_out)),
                    *((wave.number, len(wave.clusters)) for wave in of.waves),
                )
            ),
        ),
    )


def _by_name(fleet: Fleet) -> Iterator[tuple[Mapping[str, str], int]]:
    """Yield what the clusters of each name have together: a metric has no other label to tell them apart."""
    sums = Counter[tuple[str, str]]()
    for cluster, upgrade in _upgrades(fleet):
        if upgrade.restarts is not None:
            sums[cluster.name, upgrade.target] += upgrade.restarts
    for (name, target), number in sums.items():
        yield {"cluster": name, "target": target}, number


def _oldest(clusters: Iterable[Cluster]) -> Iterator[tuple[Mapping[str, str], int]]:
    """Yield when a cluster of each name was read; the oldest of one name, for alerts about it."""
    times = dict[str, int]()
    for cluster in clusters:
        if cluster.taken and cluster.standing is not Standing.LEFT_OUT:
            time = int(cluster.taken.timestamp())
            times[cluster.name] = min(time, times.get(cluster.name, time))
    for name, time in times.items():
        yield {"cluster": name}, time


def _by_rule(fleet: Fleet) -> Iterator[tuple[Mapping[str, str], int]]:
    """Yield each reason; one that several fields cause is counted where most clusters have it."""
    most = Counter[tuple[str, str, str]]()
    for reason in fleet.reasons:
        rule, _, verdict = reason.names
        for target, number in reason.clusters.items():
            key = target, rule, verdict
            most[key] = max(most[key], number)
    for (target, rule, verdict), number in sorted(most.items()):
        yield {"target": target, "rule": rule, "verdict": verdict}, number


def _headline(fleet: Fleet) -> Headline:
    only = "" if fleet.exit_code or fleet.standing is Standing.PASS else "reported only: "
    return Headline(fleet.standing.value, f"{only}{fleet.why}", COLOURS[fleet.standing])


FLEET: Final[Report[Fleet]] = Report(
    "FleetReport",
    document=fleet_document,
    overview=_overview,
    sheet=_sheet,
    findings=_findings,
    # the clusters that do not pass
    names=lambda fleet: (
        name_path(cluster.name)
        for cluster in fleet.clusters
        if cluster.standing in (Standing.FAIL, Standing.UNDECIDED)
    ),
    title="Fleet",
    page=lambda fleet: fleet_page(FLEET, fleet),
    headline=_headline,
    counted=lambda fleet: count(fleet.inputs, "cluster"),
    ranking=lambda fleet: Ranking(
        "Owners that restart in most clusters",
        [(owner_path(*owner.names), owner.weight[0]) for owner in fleet.owners],
    ),
    provenance=lambda fleet: Provenance(f"to {', '.join(fleet.targets)}", making=fleet.making),
)
