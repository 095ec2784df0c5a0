"""The tables of a run -> what is shown of a fleet, and answers to questions in SQL.

The questions are files of ``queries/``, written so that Athena, BigQuery and Spark take them as they are.
DuckDB answers here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.catalog.releases import runs
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.model.cluster import Cluster, Fleet, FleetCause, Standing, Upgrade
from hashcompat.core.model.escape import agree, are, count, few
from hashcompat.core.model.items import near
from hashcompat.core.model.verdicts import FINDINGS
from hashcompat.core.shown import said, urls
from hashcompat.fleet import UNDECIDED, InputStatus
from hashcompat.fleet.parquet import TableFile, rows_in, shared_in
from hashcompat.fleet.run import Limits, Run
from hashcompat.fleet.store import RUN, Directory, StoreError, missing_extra

_OWNERS: Final = 100
"""Owners that are kept: a fleet has hundreds of thousands."""
_NAMED: Final = 10
"""Missing clusters that are named."""
_COLUMNS: Final = (
    *("cluster", "source", "uid", "taken", "labels", "status", "error", "running", "nodes", "pods"),
    *("containers", "restart", "kill", "unknown", "pods_affected", "nodes_affected", "outcome", "why"),
)
_STANDINGS: Final = {
    ExitCode.FINDING: Standing.FAIL,
    ExitCode.UNDECIDED: Standing.UNDECIDED,
    ExitCode.OK: Standing.PASS,
}


def summary(run: Run, out: str, limits: Limits) -> Fleet:
    """Return what ``run.json`` alone shows: counts, and what decides."""
    code = run.exit_code(structs.replace(limits, report_only=False))
    return Fleet(
        run.targets,
        out,
        run.inputs,
        run.statuses,
        run.outcomes,
        run.restarts,
        _STANDINGS[code],
        _why(run, limits, code),
        run.exit_code(limits).value,
    )


def _why(run: Run, limits: Limits, code: ExitCode) -> str:
    if code is ExitCode.FINDING:
        return f"{_failing(run)}; the limit is {limits.failed:,}"
    if run.unplanned:
        return f"no cluster was planned for {', '.join(run.unplanned)}"
    if code is ExitCode.UNDECIDED:
        return f"{_undecided(run.undecided(), run.inputs)}; the limit is {limits.undecided:,}"
    return f"{_failing(run)}, and {run.undecided():,} {are(run.undecided())} undecided"


def _failing(run: Run) -> str:
    number = run.failed()
    return f"{number:,} of {count(run.inputs, 'cluster')} {agree(number or run.inputs, 'fail')} the policy"


def _undecided(number: int, inputs: int) -> str:
    return f"{number:,} of {count(inputs, 'cluster')} {are(number)} undecided"


def with_tables(fleet: Fleet, run: Run) -> Fleet:
    """Return a fleet with what its tables show; raises StoreError where one cannot be read."""
    place = Directory(fleet.out)
    owners = _shared(run, place, "owners", ("namespace", "owner"))
    return structs.replace(
        fleet,
        clusters=_clusters(run, place),
        reasons=tuple(_shared(run, place, "reasons", ("rule", "path", "verdict"))),
        owners=tuple(owners[:_OWNERS]),
        owners_more=max(len(owners) - _OWNERS, 0),
    )


class Demands(msgspec.Struct, frozen=True):
    """What is demanded of the inputs of a fleet."""

    max_age: timedelta | None = None
    """How old a snapshot may be; None for any age, also an unknown one."""
    max_age_text: str = ""
    """That, as it was given."""
    required: tuple[str, ...] = ()
    """The names of clusters that have to be there."""

    def __bool__(self) -> bool:
        """Whether anything is demanded."""
        return self.max_age is not None or bool(self.required)


def held_to(fleet: Fleet, demands: Demands, limits: Limits, now: datetime) -> Fleet:
    """Return a fleet, with its clusters, that is held to demands.

    A cluster that passes and whose snapshot is too old, or of an unknown age, is UNDECIDED. One that is
    required and not there is a finding, whatever the limits.
    """
    clusters = tuple(_aged(cluster, demands, now) for cluster in fleet.clusters)
    fleet = structs.replace(fleet, clusters=clusters)
    missing = sorted({*demands.required} - {cluster.name for cluster in clusters})
    if missing:
        why = f"{count(len(missing), 'required cluster')} sent nothing: {few(missing, _NAMED)}"
        return _decided(fleet, ExitCode.FINDING, why, limits)
    undecided = max(
        sum(cluster.upgrades[place].standing is Standing.UNDECIDED for cluster in clusters)
        for place in range(len(fleet.targets))
    )
    if fleet.standing is Standing.PASS and undecided > limits.undecided:
        why = (
            f"{_undecided(undecided, fleet.inputs)}, with those that are older than "
            f"--max-age {demands.max_age_text}; the limit is {limits.undecided:,}"
        )
        return _decided(fleet, ExitCode.UNDECIDED, why, limits)
    return fleet


def _decided(fleet: Fleet, code: ExitCode, why: str, limits: Limits) -> Fleet:
    exit_code = ExitCode.OK if limits.report_only else code
    return structs.replace(fleet, standing=_STANDINGS[code], why=why, exit_code=exit_code.value)


def _aged(cluster: Cluster, demands: Demands, now: datetime) -> Cluster:
    if demands.max_age is None or (cluster.taken and now - cluster.taken <= demands.max_age):
        return cluster
    time = f"was taken at {cluster.taken:%Y-%m-%dT%H:%M:%SZ}" if cluster.taken else "shows no time"
    why = f"the snapshot {time}; --max-age allows {demands.max_age_text}"
    upgrades = tuple(
        structs.replace(upgrade, standing=Standing.UNDECIDED, why=why)
        if upgrade.standing is Standing.PASS
        else upgrade
        for upgrade in cluster.upgrades
    )
    return structs.replace(cluster, upgrades=upgrades)


def _files(run: Run, table: str, target: str = "") -> Iterator[TableFile]:
    """Yield the files of a table that have rows, for one target or for all."""
    files = (file for file in run.files if file.table == table and file.rows)
    return (file for file in files if target in ("", file.target))


def _clusters(run: Run, place: Directory) -> tuple[Cluster, ...]:
    """Return the clusters by name; each table of clusters has a row for each input."""
    rows_by_source: dict[str, list[dict[str, Any]]] = {}
    for target in run.targets:
        for file in _files(run, "clusters", target):
            for row in rows_in(place, file, _COLUMNS):
                rows_by_source.setdefault(row["source"], []).append(row)
    clusters = (_cluster(rows, run.targets) for rows in rows_by_source.values())
    return tuple(sorted(clusters, key=lambda cluster: (cluster.name, cluster.source)))


def _cluster(rows: Sequence[dict[str, Any]], targets: Sequence[str]) -> Cluster:
    # a newer node makes a target not applicable, of which nothing else is counted
    fullest = max(rows, key=lambda row: row["nodes"] is not None)
    return Cluster(
        *(fullest["cluster"], fullest["source"], fullest["uid"], fullest["taken"]),
        *(dict(fullest["labels"]), tuple(fullest["running"])),
        *(fullest["nodes"], fullest["pods"], fullest["containers"]),
        tuple(_upgrade(row, target) for row, target in zip(rows, targets, strict=True)),
    )


def _upgrade(row: dict[str, Any], target: str) -> Upgrade:
    status = row["status"]
    if status != InputStatus.PLANNED:
        standing = Standing.UNDECIDED if status in UNDECIDED else Standing.LEFT_OUT
        is_newer = status == InputStatus.NOT_APPLICABLE
        why = row["error"] or ("a node runs a newer release than the target" if is_newer else "")
        return Upgrade(target, standing, status, why)
    return Upgrade(
        *(target, Standing(row["outcome"]), status, row["why"], row["restart"] + row["kill"]),
        *(row["unknown"], row["pods_affected"], row["nodes_affected"]),
        bool(row["running"]) and all(runs(name, target) for name in row["running"]),
    )


def _shared(run: Run, place: Directory, name: str, keys: tuple[str, ...]) -> list[FleetCause]:
    """Return what clusters share, that which most of them have first; of owners only what is killed."""
    clusters: dict[tuple[str, ...], Counter[str]] = {}
    containers: dict[tuple[str, ...], Counter[str]] = {}
    verdicts = () if "verdict" in keys else tuple(map(str, FINDINGS))
    for file in _files(run, name):
        # the rows of a cluster are all in one file
        for *names, number, several in shared_in(place, file, keys, verdicts):
            key = tuple(names)
            clusters.setdefault(key, Counter())[file.target] += several
            containers.setdefault(key, Counter())[file.target] += number
    causes = [FleetCause(key, dict(clusters[key]), dict(containers[key])) for key in clusters]
    return sorted(causes, key=lambda cause: (*(-number for number in cause.weight), cause.names))


# Questions to the tables, in SQL.

_QUERIES: Final = Path(__file__).parent / "queries"
_COMMENT: Final = "-- "


class Answer(msgspec.Struct, frozen=True):
    """The rows that a question has for an answer."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def questions() -> dict[str, str]:
    """Return the questions by their names, each in one sentence or two."""
    return {name: _text(name).partition("\n")[0].removeprefix(_COMMENT) for name in _names()}


def sql(name: str) -> str:
    """Return the SQL of a question; raises UsageError for an unknown one."""
    names = _names()
    if name not in names:
        raise UsageError(f"no query {name!r}; there are {', '.join(near(name, names, most=1) or names)}")
    return _text(name)


def _names() -> list[str]:
    return sorted(path.stem for path in _QUERIES.glob("*.sql"))


def _text(name: str) -> str:
    return (_QUERIES / f"{name}.sql").read_text(encoding="utf-8")


def answer(name: str, out: str) -> Answer:
    """Ask the tables of the last whole run; raises UsageError, InputError where there is none."""
    text = sql(name)
    try:
        import duckdb  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra
    except ImportError:
        raise missing_extra() from None
    place = Directory(out)
    try:
        run = msgspec.json.decode(place.read(RUN), type=Run)
    except msgspec.MsgspecError:
        raise InputError(f"{out}: {RUN} is of another version; run fleet again") from None
    except StoreError as error:
        raise InputError(f"{error}; it names the tables, and a run of fleet writes it last") from None
    with duckdb.connect() as connection:
        if not place.local:
            connection.register_filesystem(place.system)
        try:
            for table in run.columns:
                paths = [place.url_of(file.path) for file in run.files if file.table == table]
                connection.read_parquet(paths, hive_partitioning=True).create_view(table)
            result = connection.execute(text)
            columns = tuple(column[0] for column in result.description)
            return Answer(columns, tuple(result.fetchall()))
        except duckdb.Error as error:
            why = said(str(error).partition("\n")[0])
            raise InputError(f"{urls(out)}: {why}; run fleet again, which makes what is missing") from None
