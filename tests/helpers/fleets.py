"""Fleets of any number of clusters, without their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from hashcompat.analysis.gating import Wanted, waves
from hashcompat.core.model.cluster import Cluster, Fleet, FleetCause, Standing, Upgrade
from hashcompat.core.model.results import Making

TARGETS = ("1.30.14", "1.31.14", "1.33.6", "1.35.1")
AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
_STATUSES = ("unreadable", "refused", "lost", "superseded")


def fleet(size: int, names: Sequence[str] = (), wanted: Wanted | None = None) -> Fleet:
    """Return a fleet in which everything occurs; its first clusters, owners and labels have these names."""
    clusters = tuple(_cluster(number, names) for number in range(size))
    standings = [cluster.standing for cluster in clusters]
    worst = min(standings, key=[*Standing].index)
    return Fleet(
        TARGETS,
        "s3://clusters/fleet",
        size,
        {target: _counts(clusters, place, "status") for place, target in enumerate(TARGETS)},
        {target: _counts(clusters, place, "standing", "planned") for place, target in enumerate(TARGETS)},
        {
            target: sum(cluster.upgrades[place].restarts or 0 for cluster in clusters)
            for place, target in enumerate(TARGETS)
        },
        worst,
        f"{standings.count(Standing.FAIL):,} of {size:,} clusters fail the policy; the limit is 0",
        2,
        clusters,
        _reasons(size),
        tuple(_owner(number, size, names) for number in range(60)),
        max(size - 60, 0),
        waves(clusters, TARGETS, wanted) if wanted else (),
        Making(AT, "hashcompat fleet s3://clusters/snapshots --to 1.30", "1.37.2", date(2025, 12, 17)),
    )


def _counts(clusters: Sequence[Cluster], place: int, name: str, status: str = "") -> dict[str, int]:
    some = (cluster.upgrades[place] for cluster in clusters)
    return dict(Counter(str(getattr(upgrade, name)) for upgrade in some if status in ("", upgrade.status)))


def _cluster(number: int, names: Sequence[str]) -> Cluster:
    env, region = (
        ("dev", "staging", "prod", "prod")[number % 4],
        ("eu-west-1", "us-east-1", "ap-2")[number % 3],
    )
    name = names[number] if number < len(names) else f"{env}-{region}-{number:05}"
    labels = {"env": env, "region": name if number < len(names) else region}
    minor = (29, 30, 30, 31, 32)[number % 5]
    containers = 200 + number * 7919 % 6000
    upgrades = tuple(_upgrade(number, place, minor, containers) for place in range(len(TARGETS)))
    if any(upgrade.status in _STATUSES for upgrade in upgrades):
        return Cluster(name, f"s3://clusters/{name}.json.zst", labels=labels, upgrades=upgrades)
    return Cluster(
        name,
        f"s3://clusters/{name}.json.zst",
        f"uid-{number}",
        AT - timedelta(hours=number * 31 % 1500),
        labels,
        (f"v1.{minor}.{number % 9}",),
        3 + number % 90,
        containers // 2,
        containers,
        upgrades,
    )


def _upgrade(number: int, place: int, minor: int, containers: int) -> Upgrade:
    target = TARGETS[place]
    if number % 40 == 39:
        status = _STATUSES[number // 40 % 4]
        standing = Standing.LEFT_OUT if status == "superseded" else Standing.UNDECIDED
        return Upgrade(target, standing, status, f"line {number}: not valid JSON: is it cut short?")
    if minor > int(target.split(".")[1]):
        return Upgrade(
            target, Standing.LEFT_OUT, "not-applicable", "a node runs a newer release than the target"
        )
    restarts = (
        0 if minor == int(target.split(".")[1]) else containers * (number * 13 % 11) // (10 * (4 - place))
    )
    unknown = number % 3 if number % 10 == 7 else 0
    standing = (
        Standing.FAIL if restarts > containers // 4 else Standing.UNDECIDED if unknown else Standing.PASS
    )
    why = f"max-restarts: {restarts} of {containers // 4} allowed"
    return Upgrade(target, standing, "planned", why, restarts, unknown, restarts // 2, restarts // 9)


def _reasons(size: int) -> tuple[FleetCause, ...]:
    causes = (
        ("HC001", "", "RESTART"),
        ("HC004", "volumeMounts[*].recursiveReadOnly", "RESTART"),
        ("HC009", "", "UNKNOWN"),
    )
    return tuple(
        FleetCause(
            names,
            {target: max(size // (number + place + 1), 1) for place, target in enumerate(TARGETS)},
            {target: size * 7 // (number + place + 1) + 1 for place, target in enumerate(TARGETS)},
        )
        for number, names in enumerate(causes)
    )


def _owner(number: int, size: int, names: Sequence[str]) -> FleetCause:
    name = names[number] if number < len(names) else f"web-{number}"
    several = max(size - number * 9, 1)
    return FleetCause(
        (f"team-{number % 7}", f"Deployment/{name}"),
        dict.fromkeys(TARGETS, several),
        dict.fromkeys(TARGETS, several * 3),
    )
