"""One input -> its part: the rows of one cluster for all target releases, in one file.

``work`` is what every engine runs. It may run twice, at once or on several machines: the part has the same
name and content each time.
"""

from __future__ import annotations

import gc
import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import structs

import hashcompat
from hashcompat.analysis import planning
from hashcompat.analysis.gating import GateResult
from hashcompat.analysis.gating.judge import ExtraInputs, judge
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.catalog.releases import goes_back, runs
from hashcompat.core.errors import HashcompatError, InputError, UsageError
from hashcompat.core.model.items import Item, PodName
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.core.model.pods import Inventory, Origin
from hashcompat.core.model.verdicts import FINDINGS, Verdict
from hashcompat.core.policies import Policy
from hashcompat.core.policies.exceptions import Exemption, owner_of
from hashcompat.core.records.index import index
from hashcompat.fleet import VERSION, InputStatus
from hashcompat.fleet.engines import Apart
from hashcompat.fleet.store import PARTS, Directory, StoredFile, StoreError, local_copy
from hashcompat.sources.content import python_zstd
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import inputs

Row = tuple[Any, ...]
"""The values of a table's columns behind those that all tables share, in their order."""

_LONGEST: Final = 500
"""Characters of an error in a row."""


class Question(msgspec.Struct, frozen=True):
    """What is asked of every cluster."""

    targets: tuple[str, ...]
    """The target releases, in full."""
    current: str = AUTO
    """The current release, or ``auto``: what each node reports."""
    items: bool = False
    """Whether the containers are wanted one by one."""
    keep_going: bool = False
    """Whether a container that does not decode is UNKNOWN."""
    policy: Policy = msgspec.field(default_factory=Policy)
    exemptions: tuple[Exemption, ...] = ()
    today: date | None = None
    """The day by which exceptions expire; None where there are none."""


class TargetResult(msgspec.Struct, frozen=True):
    """What one target release does to one cluster."""

    target: str
    status: InputStatus
    error: str = ""
    counts: dict[str, Any] = {}
    """By the names of columns of ``clusters``; most are there only if it was planned."""
    rows: dict[str, list[Row]] = {}
    """The rows of the other tables."""


def shown(error: Exception) -> str:
    """Return an error's message as far as a row has it; that names places, never values."""
    text = str(error)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def answers(inventory: Inventory, question: Question, catalog: Catalog) -> tuple[TargetResult, ...]:
    """Plan one cluster for all target releases and count; a plan that is refused is an answer too."""
    running = catalog.in_order(node.kubelet for node in inventory.nodes if node.kubelet)
    options = Options(keep_going=question.keep_going, records=index(inventory.records))
    view = View(catalog, options)
    return tuple(_answer(inventory, running, target, question, view) for target in question.targets)


def _answer(
    inventory: Inventory, running: list[str], target: str, question: Question, view: View
) -> TargetResult:
    newer = [name for name in running if goes_back(name, target)]
    if newer:
        older = [name for name in running if name not in newer and not runs(name, target)]
        if not older:
            return TargetResult(target, InputStatus.NOT_APPLICABLE, counts={"running": running})
        why = f"{older[0]} runs on a node, and {newer[-1]} on another: the target is between them"
        return TargetResult(target, InputStatus.REFUSED, why, {"running": running})
    if question.current == AUTO and not running:
        return TargetResult(
            target, InputStatus.REFUSED, "no node in it reports a kubelet release, and --from names none"
        )
    began = time.process_time()
    try:
        plan = planning.make(inventory, question.current, target, view)
        extra = ExtraInputs(question.exemptions)
        judged = judge(plan, question.policy, extra, question.today or date.min)
    except HashcompatError as error:
        return TargetResult(target, InputStatus.REFUSED, shown(error), {"running": running})
    counts = _counts(plan, inventory, judged) | {"running": running}
    rows = {
        "hops": list(_hops(plan)),
        "owners": _owners(plan.items),
        "reasons": _reasons(plan.items),
        "releases": list(_releases(plan, inventory)),
        "items": [_item(item) for item in plan.items] if question.items else [],
    }
    counts["seconds"] = round(time.process_time() - began, 4)
    return TargetResult(target, InputStatus.PLANNED, "", counts, rows)


def _counts(plan: Plan, inventory: Inventory, judged: GateResult) -> dict[str, Any]:
    summary = plan.summary
    return {
        "nodes": len(inventory.nodes),
        "pods": summary.pods,
        "containers": summary.containers,
        "compared": summary.compared,
        **{str(verdict).lower(): summary.verdicts[verdict] for verdict in Verdict},
        "pods_affected": summary.pods_affected,
        "nodes_affected": summary.nodes_affected,
        "recorded": plan.share.recorded,
        "reproduced": plan.share.reproduced,
        "outcome": str(judged.outcome),
        "why": str(judged.deciding),
        "warnings": len(plan.warnings),
        **({"taken": plan.origin.taken} if plan.origin.taken else {}),
    }


def _hops(plan: Plan) -> Iterator[Row]:
    for step, hop in enumerate(plan.hops, start=1):
        yield step, hop.old, hop.new, hop.findings, hop.unknown
    if plan.rollback:
        back = plan.rollback
        yield 0, back.old, back.new, back.findings, back.unknown


def _rules(item: Item) -> tuple[str, ...]:
    return tuple(sorted({reason.id for reason in item.reasons}))


class _Group:
    """How many containers, pods and nodes have something in common; items come in the order of a plan.

    In that order those of a node follow one another, and of a pod: so no name of them has to be kept.
    """

    __slots__ = ("_node", "_pod", "containers", "nodes", "pods")

    def __init__(self) -> None:
        self.containers = self.pods = self.nodes = 0
        self._pod: PodName | None = None
        self._node = ""

    def add(self, item: Item) -> None:
        pod = item.pod
        self.containers += 1
        if pod is not self._pod and pod != self._pod:
            self.pods += 1
            self._pod = pod
            if pod.node and pod.node != self._node:
                self.nodes += 1
                self._node = pod.node


def _owners(items: Iterable[Item]) -> list[Row]:
    groups = dict[Row, _Group]()
    for item in items:
        pod, container, prediction = item.pod, item.container, item.prediction
        whose = prediction.from_release, pod.namespace, owner_of(pod), container.name, str(container.type)
        key = (*whose, str(prediction.verdict), _rules(item))
        groups.setdefault(key, _Group()).add(item)
    return [
        (*key, group.containers, group.pods, group.nodes)
        for key, group in sorted(groups.items(), key=itemgetter(0))
    ]


def _reasons(items: Iterable[Item]) -> list[Row]:
    groups, owners = dict[Row, _Group](), dict[Row, set[tuple[str, str]]]()
    for item in items:
        verdict, owner = str(item.verdict), (item.pod.namespace, owner_of(item.pod))
        for rule, path in {(reason.id, reason.path) for reason in item.reasons}:
            key = rule, path, verdict
            groups.setdefault(key, _Group()).add(item)
            owners.setdefault(key, set()).add(owner)
    return [
        (*key, group.containers, group.pods, len(owners[key]))
        for key, group in sorted(groups.items(), key=itemgetter(0))
    ]


def _releases(plan: Plan, inventory: Inventory) -> Iterator[Row]:
    read_as = {facts.name: facts.read_as for facts in plan.releases}
    nodes = Counter(node.kubelet for node in inventory.nodes)
    containers, findings, unknown = Counter[str](), Counter[str](), Counter[str]()
    for item in plan.items:
        containers[item.from_release] += 1
        findings[item.from_release] += item.verdict in FINDINGS
        unknown[item.from_release] += item.verdict is Verdict.UNKNOWN
    for name in sorted({*nodes, *containers}):
        yield name, read_as.get(name, ""), nodes[name], containers[name], findings[name], unknown[name]


def _item(item: Item) -> Row:
    pod, container, prediction = item.pod, item.container, item.prediction
    return (
        *(pod.node, pod.namespace, pod.name, pod.uid, owner_of(pod), container.name, str(container.type)),
        *(
            prediction.from_release,
            str(prediction.verdict),
            _rules(item),
            prediction.compared,
            prediction.pod_recreated,
        ),
    )


Value = TypeVar("Value")

_SUFFIX: Final = ".part"
_TRIED: Final = ".tried"
"""What a file is called that shows that a process began with an input; a number follows."""
_LEVEL: Final = 3
_BETWEEN_COLLECTIONS: Final = 100_000
"""As of the command line: what is planned has no cycles."""


class InputTask(msgspec.Struct, frozen=True):
    """One input, and what is asked of it."""

    entry: StoredFile
    key: str
    question: Question
    out: str
    """Where the part goes."""
    data: str
    """The digest of the release data by which the answer has to be made."""
    schemas: str = ""
    """The directory of these, if it is not the program's own."""
    tried: int | None = None
    """How often a process that could not be watched died with it; None where processes are watched."""


class Head(msgspec.Struct, frozen=True):
    """What is known of an input, whatever the target."""

    entry: StoredFile
    key: str
    uid: str = ""
    name: str = ""
    """The cluster's own; empty where the input does not show it."""
    labels: dict[str, str] = {}
    taken: datetime | None = None
    statuses: dict[str, InputStatus] = {}
    """By target."""
    outcomes: dict[str, str] = {}
    """By target; only of what was planned."""
    restarts: dict[str, int] = {}
    """Containers that are killed, by target; only of what was planned."""

    @property
    def cluster(self) -> str:
        """What the cluster is called."""
        return self.name or self.entry.name


class InputResult(msgspec.Struct, frozen=True):
    """All of one input."""

    head: Head
    answers: tuple[TargetResult, ...]


def key_of(entry: StoredFile, question: Question, data: str) -> str:
    """Return the key of an input: equal keys mean equal rows.

    ``data`` is the digest of the release data.
    """
    asked = msgspec.json.encode(question)
    words = (str(VERSION), hashcompat.__version__, data, entry.url, entry.stamp)
    return hashlib.sha256("\n".join(words).encode() + asked).hexdigest()[:20]


def file_of(key: str) -> str:
    """Return the name of a part, below the output."""
    return f"{PARTS}/{key}{_SUFFIX}"


def tries_in(names: Iterable[str]) -> dict[str, int]:
    """Return how often a process began with an input and did not end, by key."""
    tries = dict[str, int]()
    for key, mark, number in (name.partition(_TRIED) for name in names):
        if mark:
            tries[key] = max(tries.get(key, 0), int(number))
    return tries


def keys_in(names: Iterable[str]) -> set[str]:
    """Return the keys of the parts among the files of their folder."""
    return {name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)}


def packed(value: object) -> bytes:
    """Return a value as a file of this room has it."""
    content: bytes = python_zstd().compress(msgspec.msgpack.encode(value), _LEVEL)
    return content


def unpacked(content: bytes, kind: type[Value]) -> Value:
    """Return the value in a file; raises InputError for what is none, or of another version."""
    try:
        return msgspec.msgpack.decode(python_zstd().decompress(content), type=kind)
    except (msgspec.MsgspecError, python_zstd().ZstdError, EOFError) as error:
        raise InputError(f"not a part of this version of hashcompat ({type(error).__name__})") from None


@cache
def catalog_of(schemas: str) -> Catalog:
    """Return the release data of a directory, or the program's own; once for each process."""
    return Catalog(Path(schemas)) if schemas else default_catalog()


@cache
def digest_of(schemas: str) -> str:
    """Return the digest of that data."""
    return catalog_of(schemas).digest


class Outcome(msgspec.Struct, frozen=True):
    """What came of an input."""

    part: InputResult
    """Without rows where there is content."""
    content: bytes = b""
    """The file of the part; empty where another run may find more."""


def work(task: InputTask, apart: Apart | None = None) -> InputResult:
    """Answer for one input and write its part; return it, without rows if it was written.

    ``apart`` is what plans it in another process, if one is to.

    It is not written where another run may find more: where the store failed or memory did. Raises UsageError
    on a machine with other release data than the task is of, StoreError where the part cannot be written.
    """
    if digest_of(task.schemas) != task.data:
        raise UsageError(
            "a worker has other release data than this program; install the same version, with the same "
            "added releases, on all machines"
        )
    place = Directory(task.out)
    marks = [f"{PARTS}/{task.key}{_TRIED}{number}" for number in range(1, (task.tried or 0) + 2)]
    if task.tried is not None:
        place.write(marks[-1], b"")
    outcome = _safely(task, apart)
    if outcome.content:
        place.write(file_of(task.key), outcome.content)
    if task.tried is not None:
        for mark in marks:
            place.remove(mark)
    return outcome.part


def _safely(task: InputTask, apart: Apart | None) -> Outcome:
    """Return what comes of an input whatever is wrong with it or its store."""
    try:
        with local_copy(task.entry) as path:
            outcome: Outcome = (apart or answer)(task, str(path))
            return outcome
    except StoreError as error:
        return Outcome(loose(task, shown(error)))
    except InputError as error:
        return _for_good(loose(task, shown(error)))


def answer(task: InputTask, path: str) -> Outcome:
    """Return what comes of an input that is a local file; it needs no store."""
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    try:
        # read under the name of what it is a copy of
        (source,) = inputs(path, recursive=False, suffixes=())
        inventory = files.collect((structs.replace(source, origin=task.entry.url),))
        results = answers(inventory, task.question, catalog_of(task.schemas))
        return _for_good(InputResult(_head(task, results, inventory), results))
    except InputError as error:
        return _for_good(loose(task, shown(error)))
    except MemoryError:
        return Outcome(lost(task, "not enough memory"))
    except Exception as error:  # noqa: BLE001 - one input must not keep the others from an answer
        return Outcome(lost(task, f"a bug in hashcompat ({type(error).__name__})"))


def _for_good(part: InputResult) -> Outcome:
    return Outcome(InputResult(part.head, ()), packed(part))


def loose(task: InputTask, error: str, status: InputStatus = InputStatus.UNREADABLE) -> InputResult:
    """Return the part of an input of which nothing is known but its file."""
    results = tuple(TargetResult(target, status, error) for target in task.question.targets)
    return InputResult(_head(task, results), results)


def lost(task: InputTask, why: str) -> InputResult:
    """Return the part of an input that no process could answer for."""
    return loose(task, why, InputStatus.LOST)


def _head(task: InputTask, results: tuple[TargetResult, ...], inventory: Inventory | None = None) -> Head:
    origin = inventory.origin if inventory else Origin()
    taken = [result.counts["taken"] for result in results if "taken" in result.counts]
    return Head(
        task.entry,
        task.key,
        origin.cluster,
        origin.name,
        dict(origin.labels),
        taken=taken[0] if taken else origin.taken,
        statuses={result.target: result.status for result in results},
        outcomes={
            result.target: result.counts["outcome"] for result in results if "outcome" in result.counts
        },
        restarts={
            result.target: result.counts["restart"] + result.counts["kill"]
            for result in results
            if "kill" in result.counts
        },
    )
