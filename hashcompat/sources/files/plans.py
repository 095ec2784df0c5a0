"""Read a plan that ``hashcompat plan --out`` saved: the whole value, one container after the other.

Most containers come in runs that ``PlanRows`` made items of; here are those that it left, checked key by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from operator import itemgetter
from sys import intern
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.go.jsonpath import DecodedRun
from hashcompat.core.model.items import (
    ContainerName,
    Item,
    Observed,
    PodName,
    Prediction,
    key_of,
    without_unplaced,
)
from hashcompat.core.model.plan import (
    Beginning,
    Details,
    Difference,
    DisputedNode,
    Hop,
    Kind,
    Pair,
    Piece,
    Plan,
    ReleaseFacts,
    Scope,
    Share,
    Suggestion,
    Summary,
    summarized,
)
from hashcompat.core.model.pods import ContainerType, Origin, Source
from hashcompat.core.model.results import Making
from hashcompat.core.model.uids import packed
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.sources.documents import JsonObject
from hashcompat.sources.files import saved
from hashcompat.sources.files.saved import ASSUMED, KEPT, PlanRows, Saved, opened, was_compared

KIND: Final = "RestartPlan"
WANTED: Final = "a plan, as hashcompat plan --out FILE saves it"
_NAMES: Final = (
    "node", "namespace", "pod", "uid", "owner", "workload", "container", "fromRelease"
)  # fmt: skip
_NAMES_OF: Final = itemgetter(*_NAMES)


def read(name: str) -> Plan:
    """Return a saved plan that has all its items.

    Raises InputError, naming the file, for anything else.
    """
    with opened(name, (KIND,), WANTED, PlanRows().items) as document:
        return whole_of(document)


def whole_of(document: Saved) -> Plan:
    """Return the plan in a document; errors as ``plan_of``, also for one without some of its items."""
    plan = plan_of(document)
    if plan.counted:
        raise InputError(f"a {KIND} without some of its items; save it without --only-restarts")
    return plan


def plan_of(document: Saved) -> Plan:
    """Return the plan in a document, which may lack the containers that are kept.

    Raises InputError, with the path, for what no plan has, and where the counts are not those of the items.
    """
    items = tuple(_Items().read(document))
    spec, counts = document.rest.row("spec"), document.rest.row("summary")
    if "compared" not in counts.value:  # saved by an older version
        items = tuple(without_unplaced(items))
    rollback, suggestion = spec.row_or_none("rollback"), spec.row_or_none("suggestion")
    details = document.rest.row_or_none("details")
    source = spec.row_or_none("source")
    plan = Plan(
        spec.text("from"),
        spec.text("to"),
        items,
        spec.texts("assumptions"),
        spec.texts("warnings"),
        Share(counts.number("reproduced"), counts.number("recorded")),
        tuple(map(_hop, spec.rows("hops"))),
        _hop(rollback) if rollback else None,
        spec.text("assumedPatch", ""),
        Suggestion(suggestion.text("kubelet"), suggestion.texts("like"), suggestion.number("restartsSaved"))
        if suggestion
        else None,
        releases=tuple(spec.map_keys("releases", _release)),
        origin=origin_of(source) if source else Origin(),
        making=making_of(spec),
        besides=spec.texts("besides") if "besides" in spec.value else (),  # not of an older version
        counted=_counted(counts, summarized(items)),
        details=details_of(details, items) if details else None,
        disputed=tuple(
            DisputedNode(row.text("node"), row.text("kubelet")) for row in spec.rows("disputedNodes", [])
        ),
        overridden=spec.truth("overrideNodeReleases") if "overrideNodeReleases" in spec.value else False,
    )
    document.digest()
    return plan


def _counted(row: JsonObject, summary: Summary) -> Summary | None:
    """Return the counts of the whole plan where kept containers were left out of the items.

    An older version did not save how many of them are compared. None of those that are UNKNOWN or killed is
    left out, so what the items show of these is not saved with the counts.
    """
    number = row.number("containers")
    saved = _summary(row, summary.compared if number == summary.containers else number, summary)
    if saved == summary:
        return None
    hit = {verdict: number for verdict, number in summary.verdicts.items() if verdict is not Verdict.KEEP}
    same = all(saved.verdicts[verdict] == number for verdict, number in hit.items())
    affected = (saved.pods_affected, saved.nodes_affected) == (summary.pods_affected, summary.nodes_affected)
    whole = sum(saved.verdicts.values()) == saved.containers >= saved.compared >= summary.compared
    if summary.verdicts[Verdict.KEEP] or not (same and affected and whole):
        raise InputError("$.summary: not the counts of its items: the plan was cut or edited; save it again")
    return saved


def _summary(row: JsonObject, compared: int, summary: Summary) -> Summary:
    verdicts = {verdict: row.number(verdict.value.lower()) for verdict in Verdict}
    pods, affected, nodes = map(row.number, ("pods", "podsAffected", "nodesAffected"))
    counted = row.number("compared", compared)
    return Summary(
        row.number("containers"), verdicts, pods, affected, nodes, counted, summary.aside, summary.apart
    )


class _Items:
    """Makes items of rows; equal names and reasons of rows near each other become one value."""

    def __init__(self) -> None:
        self._pod = lru_cache(1)(PodName)
        self._name = lru_cache(KEPT)(ContainerName)
        self._prediction = lru_cache(KEPT)(Prediction)
        self._reasons: dict[bytes, tuple[Reason, ...]] = {}
        self._allowance, self._odd = allowance.containers(), allowance.names()

    def read(self, document: Saved) -> Iterator[Item]:
        for run in document.runs():
            if isinstance(run, DecodedRun):
                self._allowance.take(len(run.values))
                yield from run.values
            else:
                self._allowance.take(1)
                yield self._item(run)

    def _item(self, row: JsonObject) -> Item:
        hashes, source = row.row("hash"), row.row_or_none("source")
        node, namespace, pod, uid, owner, workload, container, release = self._names_of(row)
        file = intern(source.text("file", "")) if source else ""
        said = "counted" in row.value
        return Item(
            self._pod(node, namespace, pod, packed(uid), owner, workload, file),
            self._name(container, row.word("containerType", ContainerType)),
            self._prediction(
                release,
                row.word("verdict", Verdict),
                (reasons := self._reasons_of(row)),
                row.truth("podRecreated"),
                row.truth_or_none("calibrated"),
                creator=ASSUMED if row.truth("creatorAssumed") else "",
                difference=row.number("difference", 0),
                compared=row.truth("counted") if said else was_compared(reasons),
            ),
            hashes.hash("recorded"),
            hashes.hash("from"),
            hashes.hash("to"),
            source.number("line", 0) if source else 0,
            _observed(seen) if (seen := row.row_or_none("observed")) else None,
        )

    def _names_of(self, row: JsonObject) -> Iterator[str]:
        """Return the names of an item; all of them are ordinary where together they are."""
        try:
            names = _NAMES_OF(row.value)
            together = "".join(names)
        except (KeyError, TypeError):  # one is missing, or not a string
            together = ""
        if together.isascii() and 0 < len(together) <= allowance.ORDINARY_NAME:
            return map(intern, names)
        texts = [_name(row, key, "" if key == "workload" else None) for key in _NAMES]
        self._odd.take(allowance.odd(*texts))
        return iter(texts)

    def _reasons_of(self, row: JsonObject) -> tuple[Reason, ...]:
        """Return the reasons of an item; the same text was read, and found right, before."""
        text = saved.line(row.value.get("reasons"))
        reasons = self._reasons.get(text)
        if reasons is None:
            reasons = tuple(map(_reason, row.rows("reasons")))
            if len(self._reasons) < KEPT:
                self._reasons[text] = reasons
        return reasons


def _name(row: JsonObject, key: str, default: str | None = None) -> str:
    name = row.value.get(key)
    if type(name) is not str or not name.isascii():
        name = row.text(key, default)
    if len(name) > allowance.LONGEST_NAME:
        raise InputError(f"{row.path}.{key}: more than {allowance.LONGEST_NAME:,} characters")
    return intern(name)


def _observed(row: JsonObject) -> Observed:
    restarts = None if row.value.get("restartCount") is None else row.number("restartCount")
    return Observed(
        key_of(_name(row, "containerID")),
        row.time_or_none("startedAt"),
        restarts,
        row.truth_or_none("running"),
    )


def _reason(row: JsonObject) -> Reason:
    """Return a reason; the field's name, which older documents lack, is then the last one of the path."""
    path = row.text("path")
    field = row.text("field", path.rpartition(".")[2].removesuffix("[*]"))
    return Reason(intern(row.text("id")), row.text("text"), intern(path), intern(field))


def _hop(row: JsonObject) -> Hop:
    parts = tuple(map(_hop, row.rows("parts", [])))
    return Hop(row.text("from"), row.text("to"), row.number("findings"), row.number("unknown"), parts)


def making_of(spec: JsonObject) -> Making:
    """Return what made a document; an older version did not save its command line and release data."""
    tool, day = spec.row("tool"), None
    if text := tool.text("dataOf", ""):
        try:
            day = date.fromisoformat(text)
        except ValueError:
            raise InputError(f"{tool.path}.dataOf: want a day, as in 2026-01-31") from None
    command, newest = tool.text("command", ""), tool.text("newestRelease", "")
    return Making(spec.time_or_none("createdAt"), command, newest, day, tool.text("version"))


def origin_of(row: JsonObject) -> Origin:
    """Return where what a document is about was read."""
    names, place = row.texts("names"), (row.text("context"), row.text("server"))
    cluster, oldest, taken = row.text("clusterUID", ""), *map(row.time_or_none, ("oldest", "takenAt"))
    return Origin(row.word("kind", Source), names, *place, cluster=cluster, oldest=oldest, taken=taken)


def _release(releases: JsonObject, name: str) -> ReleaseFacts:
    row = releases.row(name)
    assumed = row.truth("vendorAssumed"), row.truth("patchAssumed")
    return ReleaseFacts(name, row.text("readAs"), row.text("era"), row.text("types"), *assumed)


def details_of(row: JsonObject, items: Iterable[Item]) -> Details:
    """Return the details of a plan with these items.

    Raises InputError, with the path, for what no details have, and for an item with a difference that is
    not among them.
    """
    details = Details(
        tuple(map(_difference, row.rows("differences"))),
        row.number("omitted"),
        row.texts("releases"),
        row.number("passed"),
        tuple(map(_pair, row.rows("pairs"))),
    )
    if any(item.difference > len(details.differences) for item in items):
        raise InputError(f"{row.path}.differences: fewer than an item counts: the plan was cut or edited")
    return details


def _difference(row: JsonObject) -> Difference:
    begins = [Beginning(_pieces(beginning.rows("pieces"))) for beginning in row.rows("begins")]
    return Difference(
        row.text("from"),
        row.text("to"),
        _pieces(row.rows("fragment")),
        row.truth("more"),
        row.texts("hashes"),
        tuple(begins),
        row.text("example"),
    )


def _pieces(rows: Iterable[JsonObject]) -> tuple[Piece, ...]:
    return tuple(Piece(row.word("kind", Kind), row.text("text")) for row in rows)


def _pair(row: JsonObject) -> Pair:
    counts = [None if row.value.get(key) is None else row.number(key) for key in ("findings", "unknown")]
    return Pair(row.text("from"), row.text("to"), row.word("scope", Scope), *counts)
