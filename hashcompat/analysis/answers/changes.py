"""What changed between two plans, or between two snapshots.

Both are compared as sets: a container of a plan is found in the other one by its node, namespace, pod and
name, and a node, pod or record of a snapshot by its names, wherever it is in its list. So a new pod is one
change, and not another value at each index after it. Only what has the same names and is not equal is given
to deepdiff, without what is equal in it, because deepdiff takes milliseconds for a pod; replicas whose
verdicts changed alike are compared once.

Not compared are facts that differ between any two plans and decide nothing: uids, when containers started
and how often, files and lines, and when and by which version a plan was made. Of a snapshot all is compared
that it holds, but for the numbers that stand for hidden hashes: they mean nothing in another snapshot.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeVar

import msgspec

from hashcompat.analysis.answers.comparison import ValueDifference, differences
from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import below, element
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import ContainerName, Item, Prediction
from hashcompat.core.model.plan import Hop, Plan, ReleaseFacts
from hashcompat.core.model.results import (
    CONTAINER_LISTS,
    Object,
    Result,
    RowKind,
    RowName,
    SnapshotRows,
    Time,
)
from hashcompat.core.model.verdicts import Verdict

PLAN: Final = "RestartPlan"
SNAPSHOT: Final = "ClusterSnapshot"

_HASHES: Final = "hashcompat.io/hashes"

_REMEMBERED: Final = 1 << 12
"""Pairs of predictions whose differences are remembered: replicas share them."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class What(StrEnum):
    """What happened between the first document and the second."""

    APPEARED = "appeared"
    """Only the second one has it."""
    GONE = "gone"
    """Only the first one has it."""
    CHANGED = "changed"


class Edit(msgspec.Struct, frozen=True):
    """A place with another value."""

    place: str
    """The path below an item, or from ``$`` on; what has a name is named: ``spec.containers[api].image``."""
    old: Any
    """The value in the first document, or ``absent``."""
    new: Any
    """The value in the second document, or ``absent``."""


_OF_HASHES: Final = frozenset({"hash", "hashWithoutResources", "hash.recorded", "hash.from", "hash.to"})


def without_hashes(edit: Edit) -> Edit:
    """Return an edit without the values of hashes; that they changed is no secret."""
    if edit.place in _OF_HASHES or _HASHES in edit.place:
        return Edit(edit.place, None, None)
    return Edit(edit.place, _hashless(edit.old), _hashless(edit.new))


def _hashless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _hashless(item) for key, item in value.items() if key not in (_HASHES, "hash")}
    return [_hashless(item) for item in value] if isinstance(value, list) else value


class ItemChange(msgspec.Struct, frozen=True):
    """What happened to one container of a plan, or one object or record of a snapshot."""

    what: What
    kind: str
    """``Container``, or the kind of row."""
    node: str
    """Empty where it is on none, and for records."""
    namespace: str
    """Empty for a node."""
    pod: str
    """Empty for a node."""
    container: str
    """Empty for nodes, pods and sandboxes."""
    old: Verdict | None = None
    """The verdict in the first plan; None where it is not in it, and for snapshots."""
    new: Verdict | None = None
    """The verdict in the second plan."""
    edits: tuple[Edit, ...] = ()
    """What differs, where both have it."""

    @property
    def path(self) -> str:
        """Where it is in its document, by its names: ``$.items[node-a/shop/web-1/api]``.

        A pod of a snapshot has none of its node, for it may have moved to another one.
        """
        node = "" if self.kind == RowKind.POD else self.node
        names = [name for name in (node, self.namespace, self.pod, self.container) if name]
        return element(_LISTS_OF.get(self.kind, "$.items"), name_path(*names))


_LISTS_OF: Final = {
    RowKind.RECORDED.value: "$.recorded",
    RowKind.SANDBOX.value: "$.sandboxes",
    RowKind.APPLIED.value: "$.applied",
    RowKind.FILES.value: "$.files",
}


class ComparedFile(Object, frozen=True):
    """One of the two that are compared."""

    file: str
    """Where it was read from; empty for a value in memory."""
    made: Time | None
    """When the plan was made or the snapshot taken, UTC; null where it does not say so."""
    cluster: str = msgspec.field(name="clusterUID")
    """Empty where that is unknown."""
    tool: str
    """The version of the program that made a plan; empty for a snapshot."""


class DocumentDifference(Result[ItemChange], msgspec.Struct, frozen=True):
    """What changed between two documents of one kind."""

    kind: str
    """``RestartPlan`` or ``ClusterSnapshot``."""
    old: ComparedFile
    new: ComparedFile
    edits: tuple[Edit, ...]
    """What differs outside the items: the releases of a plan, its assumptions, its hops."""
    items: tuple[ItemChange, ...]
    """What differs among the items, sorted by kind and names."""
    same: int
    """How many items are the same in both."""

    @property
    def is_different(self) -> bool:
        """Whether anything changed."""
        return bool(self.edits or self.items)

    @property
    def counts(self) -> Mapping[What, int]:
        """How many items appeared, are gone and changed."""
        counts = Counter(item.what for item in self.items)
        return {what: counts[what] for what in What}

    @property
    def verdicts(self) -> Mapping[tuple[Verdict | None, Verdict | None], int]:
        """How many containers went from one verdict to another, None for none; empty for snapshots."""
        return Counter((item.old, item.new) for item in self.items if item.old is not item.new)


def compare(
    old: Plan | SnapshotRows, new: Plan | SnapshotRows, files: tuple[str, str] = ("", "")
) -> DocumentDifference:
    """Return what changed between two documents; ``files`` name them.

    Raises InputError where they are not of one kind.
    """
    if isinstance(old, Plan) and isinstance(new, Plan):
        return compare_plans(old, new, files)
    if isinstance(old, Plan) or isinstance(new, Plan):
        kinds = ("a plan" if isinstance(document, Plan) else "a snapshot" for document in (old, new))
        said = (f"{file or 'one'} is {kind}" for file, kind in zip(files, kinds, strict=True))
        raise InputError(f"{', and '.join(said)}; compare two plans, or two snapshots")
    return compare_snapshots(old, new)


def compare_plans(old: Plan, new: Plan, files: tuple[str, str]) -> DocumentDifference:
    """Return what changed between two plans that have all their items; ``files`` name them."""
    pairs = list(_pairs(_by_name(old.items), _by_name(new.items)))
    changes = [change for change in (_of_items(*pair) for pair in pairs) if change]
    changes.sort(
        key=lambda change: (not change.node, change.node, change.namespace, change.pod, change.container)
    )
    old_file, new_file = (
        ComparedFile(file, plan.created, plan.origin.cluster, plan.making.version)
        for file, plan in zip(files, (old, new), strict=True)
    )
    edits = tuple(_edits(_facts(old), _facts(new), "$"))
    return DocumentDifference(PLAN, old_file, new_file, edits, tuple(changes), len(pairs) - len(changes))


def compare_snapshots(old: SnapshotRows, new: SnapshotRows) -> DocumentDifference:
    """Return what changed between two snapshots; hashes count where both keep them."""
    pairs = _paired(old.rows, new.rows)
    keeps = old.keeps_hashes and new.keeps_hashes
    changes = [change for change in (_of_rows(*pair, keeps=keeps) for pair in pairs) if change]
    order = {kind.value: place for place, kind in enumerate(RowKind)}
    changes.sort(
        key=lambda change: (order[change.kind], change.namespace, change.pod, change.container, change.node)
    )
    old_file, new_file = (ComparedFile(rows.file, rows.taken, rows.cluster, "") for rows in (old, new))
    edits = tuple(_edits({"spec": old.spec}, {"spec": new.spec}, "$"))
    return DocumentDifference(SNAPSHOT, old_file, new_file, edits, tuple(changes), len(pairs) - len(changes))


def _paired(
    old: Mapping[Key, Value], new: Mapping[Key, Value]
) -> list[tuple[Key, Value | None, Value | None]]:
    """Return every key of either side with both values; None where a side has none."""
    return [(key, old.get(key), new.get(key)) for key in {**old, **new}]


# Plans


_Names = tuple[str, str, str, str]
_ItemsByName = Mapping[_Names, list[Item]]


def _by_name(items: Iterable[Item]) -> _ItemsByName:
    """Return items by their names, which several may share."""
    items_by_name = defaultdict[_Names, list[Item]](list)
    for item in items:
        items_by_name[item.pod.node, item.pod.namespace, item.pod.name, item.container.name].append(item)
    return items_by_name


def _pairs(old: _ItemsByName, new: _ItemsByName) -> Iterator[tuple[Item | None, Item | None]]:
    """Yield every item with that of its name in the other plan; None where a plan has none."""
    for _, old_items, new_items in _paired(old, new):
        if old_items and new_items and len(old_items) == len(new_items) == 1:
            yield old_items[0], new_items[0]
        else:
            yield from _matched(old_items or [], new_items or [])


_ALIKE: Final[tuple[Callable[[Item], object], ...]] = (
    lambda item: (_shared(item), item.hashes),
    lambda item: (item.pod.owner, item.pod.workload),
    lambda _: None,
)


def _matched(old: list[Item], new: list[Item]) -> Iterator[tuple[Item | None, Item | None]]:
    """Pair what is equal, then what has one owner, then the rest in order: manifests may share a name."""
    for alike in _ALIKE:
        waiting = defaultdict[object, deque[Item]](deque)
        for item in new:
            waiting[alike(item)].append(item)
        pairs = [(item, queue.popleft() if (queue := waiting[alike(item)]) else None) for item in old]
        yield from ((item, match) for item, match in pairs if match)
        old = [item for item, match in pairs if match is None]
        new = list(chain.from_iterable(waiting.values()))
    yield from (*((item, None) for item in old), *((None, item) for item in new))


def _of_items(old: Item | None, new: Item | None) -> ItemChange | None:
    item = new or old
    if item is None:
        return None
    edits = _of_item(old, new) if old and new else ()
    if old and new and not edits:
        return None
    return ItemChange(
        What.CHANGED if old and new else What.GONE if old else What.APPEARED,
        "Container",
        item.pod.node,
        item.pod.namespace,
        item.pod.name,
        item.container.name,
        old.verdict if old else None,
        new.verdict if new else None,
        edits,
    )


def _of_item(old: Item, new: Item) -> tuple[Edit, ...]:
    # most items of two plans share all but their hashes, for which deepdiff would be asked each time
    decided = () if _shared(old) == _shared(new) else _decided(_shared(old), _shared(new))
    if old.hashes == new.hashes:
        return decided
    pairs = ((hashes.recorded, hashes.from_, hashes.to) for hashes in (old.hashes, new.hashes))
    rows = zip(("recorded", "from", "to"), *pairs, strict=True)
    return (
        *decided,
        *(Edit(below("hash", key), before, after) for key, before, after in rows if before != after),
    )


Shared = tuple[Prediction, ContainerName, str, str]
"""What replicas have in common: the prediction, the container, the owner and the workload."""


def _shared(item: Item) -> Shared:
    return item.prediction, item.container, item.pod.owner, item.pod.workload


@lru_cache(maxsize=_REMEMBERED)
def _decided(old: Shared, new: Shared) -> tuple[Edit, ...]:
    return tuple(_edits(_decision(*old), _decision(*new)))


def _decision(prediction: Prediction, container: ContainerName, owner: str, workload: str) -> dict[str, Any]:
    """Return what of an item is compared besides its hashes, by the keys of the document."""
    return {
        "verdict": prediction.verdict.value,
        # by their rules and paths, so that one more does not move the others
        "reasons": _named(
            (" ".join(filter(None, (reason.id, reason.path))), {"text": reason.text, "field": reason.field})
            for reason in prediction.reasons
        ),
        "podRecreated": prediction.pod_recreated,
        "fromRelease": prediction.from_release,
        "calibrated": prediction.calibrated,
        "counted": prediction.compared,
        "creatorAssumed": bool(prediction.creator),
        "containerType": container.type.value,
        "owner": owner,
        "workload": workload,
    }


def _facts(plan: Plan) -> dict[str, Any]:
    """Return what of a plan is compared besides its items, by the keys of the document."""
    suggestion = plan.suggestion
    return {
        "spec": {
            "from": plan.from_release,
            "to": plan.to_release,
            "overrideNodeReleases": plan.overridden,
            "disputedNodes": _named((dispute.node, dispute.kubelet) for dispute in plan.disputed),
            "releases": _named((release.name, _reading(release)) for release in plan.releases),
            "assumptions": list(plan.assumptions),
            "warnings": list(plan.warnings),
            "besides": list(plan.besides),
            "hops": _hops(plan.hops),
            "rollback": _hops([plan.rollback] if plan.rollback else []),
            "assumedPatch": plan.patch or None,
            "suggestion": suggestion and {"command": suggestion.command, "restartsSaved": suggestion.saves},
        }
    }


def _reading(read: ReleaseFacts) -> Mapping[str, Any]:
    return {
        "readAs": read.read_as,
        "era": read.era,
        "types": read.types,
        "vendorAssumed": read.vendor_assumed,
        "patchAssumed": read.patch_assumed,
    }


def _hops(hops: Iterable[Hop]) -> Mapping[str, Any]:
    return _named(
        (
            f"{hop.old} -> {hop.new}",
            {"findings": hop.findings, "unknown": hop.unknown, "parts": _hops(hop.parts)},
        )
        for hop in hops
    )


# Snapshots


def _of_rows(
    name: RowName, old: tuple[bytes, ...] | None, new: tuple[bytes, ...] | None, *, keeps: bool
) -> ItemChange | None:
    if old == new:
        return None
    edits = tuple(_edits(*_unequal(name.kind, old, new, keeps=keeps))) if old and new else ()
    if old and new and not edits:
        return None
    is_node = name.kind in (RowKind.NODE, RowKind.FILES)
    return ItemChange(
        What.CHANGED if old and new else What.GONE if old else What.APPEARED,
        name.kind.value,
        name.name if is_node else _node_of(name, new or old or ()),
        name.namespace,
        "" if is_node else name.name,
        name.container,
        edits=edits,
    )


def _node_of(name: RowName, parts: tuple[bytes, ...]) -> str:
    if name.kind is not RowKind.POD:
        return ""
    node = _decoded(parts[0])["spec"].get("nodeName")
    return node if isinstance(node, str) else ""


def _unequal(
    kind: RowKind, old: tuple[bytes, ...], new: tuple[bytes, ...], *, keeps: bool
) -> tuple[Any, Any]:
    """Return the parts of two rows that are not equal, decoded, in their places."""
    rows: list[dict[str, Any]] = [_decoded(parts[0]) for parts in (old, new)]
    if kind is RowKind.POD:
        for key, *lists in zip(CONTAINER_LISTS, old[1:], new[1:], strict=True):
            for row, text in zip(rows, lists if lists[0] != lists[1] else (), strict=False):
                containers = _decoded(text)
                if not keeps:
                    containers = [
                        {name: container[name] for name in container if name != _HASHES}
                        for container in containers
                    ]
                row["spec"] = {**row["spec"], key: containers}
    return rows[0], rows[1]


def _decoded(text: bytes) -> Any:
    return json.loads(text.decode(errors="surrogatepass"))


# Both


class _Name(str):
    """The name of an element of a list, which stands in brackets in paths."""

    __slots__ = ()


def _named(rows: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    """Return values by names that stand in brackets; of several with one name the others are numbered."""
    values: dict[str, Value] = {}
    for name, value in rows:
        number, key = 1, name
        while key in values:
            number += 1
            key = f"{name} #{number}"
        values[_Name(key)] = value
    return values


def _edits(old: Any, new: Any, root: str = "") -> Iterator[Edit]:
    """Yield where two pieces of plain data differ, sorted by path; elements with names by their names."""
    alike: list[ValueDifference] = []
    rows = differences(*_pruned(_keyed(old), _keyed(new), (), alike)) + alike
    if not rows and not _same(old, new):  # named elements in another order
        rows = differences(old, new)
    for row in sorted(rows, key=lambda row: list(map(str, row.path))):
        path = root
        for step in row.path:
            path = element(path, step) if isinstance(step, int | _Name) else below(path, step)
        yield Edit(path, _plain(row.old), _plain(row.new))


def _keyed(value: Any) -> Any:
    """Return plain data in which lists of objects that have names of their own are objects by these."""
    if isinstance(value, Mapping):
        return {key: _keyed(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    names = [item.get("name") if isinstance(item, Mapping) else None for item in value]
    if value and all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
        return {_Name(name): _keyed(item) for name, item in zip(names, value, strict=True)}
    return [_keyed(item) for item in value]


def _plain(value: Any) -> Any:
    """Return data that ``_keyed`` made, with lists where these were."""
    if isinstance(value, Mapping):
        items = [_plain(item) for item in value.values()]
        if (
            value
            and all(isinstance(key, _Name) for key in value)
            and all(isinstance(item, Mapping) and "name" in item for item in value.values())
        ):
            return items
        return dict(zip(map(str, value), items, strict=True))
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _pruned(old: Any, new: Any, path: tuple[str, ...], alike: list[ValueDifference]) -> tuple[Any, Any]:
    """Return two objects without what is equal in both, which deepdiff would look through too.

    Lists that it takes for equal, such as ``[1]`` and ``[true]``, are added to ``alike``.
    """
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return old, new
    kept: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for key in {**old, **new}:
        if key not in old or key not in new:
            side, values = (kept[0], old) if key in old else (kept[1], new)
            side[key] = values[key]
        elif not _same(before := old[key], after := new[key]):
            if isinstance(before, list) and before == after:
                alike.append(ValueDifference((*path, key), before, after))
            else:
                kept[0][key], kept[1][key] = _pruned(before, after, (*path, key), alike)
    return kept


def _same(old: Any, new: Any) -> bool:
    """Return whether two values are equal, 1 and true being different, and so 1 and 1.0."""
    return bool(old == new) and (isinstance(old, str) or repr(old) == repr(new))
