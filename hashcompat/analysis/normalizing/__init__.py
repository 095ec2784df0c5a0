"""Which records can be rewritten so that an upstream kubelet of another release keeps its containers.

A kubelet does not compare containers but records: the hash that the runtime keeps beside a container, and
the UID of a static pod. Once a record is what the target kubelet computes of the same spec, that kubelet
finds nothing changed. So it has to be proven first that nothing has, of each container by itself:

- The recorded hash is what a known kubelet computes of the spec as it is now. Otherwise the spec may have
  changed since the container was created, and the kubelet is right to restart it.
- What the target kubelet computes of it is certain: there is one candidate, and no API server's default
  decides it.
- With the new record, and all else as it is, the judge that made the plan says KEEP. So nothing is taken up
  that restarts for its sandbox, its node, its resources or its runtime as well.
- It runs, and its runtime shows its id and the uid of its pod.

A static pod is kept as a whole or not at all. Its manifest is given the UID that the pod has now, where that
is the one that the current kubelet computes of this very manifest. What is not proven is left alone, with the
reason. ``make`` finds what can be rewritten, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning import bound
from hashcompat.analysis.planning.judge import Draft
from hashcompat.analysis.planning.planner import Planner
from hashcompat.analysis.planning.prepare import Prepared
from hashcompat.analysis.planning.view import View
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.decide.case import Case, Decision
from hashcompat.core.kubelet.staticpods import StaticUid
from hashcompat.core.model.items import Item
from hashcompat.core.model.normalization import DOCKER, RUNTIMES, Change, Normalization, OnNode, Pin, Rewrite
from hashcompat.core.model.plan import Way
from hashcompat.core.model.pods import Inventory
from hashcompat.core.model.records import Recorded
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.regex import regex

_ID: Final = regex(r"[0-9a-f]{64}")

_NO_MANIFEST: Final = "a static pod whose manifest is not in the input: --static-pod-dir reads it"
_NO_RECORD: Final = "nothing shows the hash that is recorded of it: --recorded and --runtime read records"
_NO_RELEASE: Final = "the release of its kubelet is not known"
_KILLED: Final = "it is killed and not started again, whatever is recorded"
_WHOLE: Final = "a static pod is kept as a whole or not at all"


class Found(msgspec.Struct, frozen=True):
    """What can be done for one container; the default is nothing, because nothing has to be."""

    rewrite: Rewrite | None = None
    pin: Pin | None = None
    obstacle: str = ""
    """Why nothing is done, where it is not surely kept."""
    runtime: str = ""
    """The runtime that the records show; empty where they do not."""


def make(inventory: Inventory, from_release: str, to_release: str, view: View) -> Normalization:
    """Return which records can be rewritten so that ``to_release`` keeps containers.

    ``from_release`` is a release or ``auto``. Raises UsageError for unknown releases, for a target kubelet
    that is assumed to be patched, or does not compare by records; and InputError as a plan does.
    """
    way = Way(from_release, to_release)
    # that a vendor hashes as upstream does is an assumption, and nothing is rewritten by one
    view = structs.replace(view, options=structs.replace(view.options, assume_upstream=False))
    if view.options.patch is not None:
        raise UsageError(
            "a patched kubelet needs no rewritten records; --assume-patch goes with hashcompat plan"
        )
    view, _ = bound(way, inventory, view)
    new = view.kubelet(to_release)
    if new.behaviour.hash_place != "annotation":
        raise UsageError(f"{new.release} compares the names of containers, which cannot be rewritten")
    planner, found = Planner(way, inventory.nodes, view), list[Found]()
    for pod in inventory.pods:  # an item is added for each container, in this order
        found += of_pod([draft for _, draft in planner.drafted(pod)])
    return _made(planner, found, inventory, way)


def _made(planner: Planner, found: Sequence[Found], inventory: Inventory, way: Way) -> Normalization:
    items = planner.settled()
    runtimes = {node.name: node.runtime for node in inventory.nodes}
    changes, pins, nodes = list[Change](), set[Pin](), dict[str, OnNode]()
    for item, one in sorted(zip(items, found, strict=True), key=lambda pair: _order(pair[0])):
        pins.update((one.pin,) if one.pin else ())
        if item.verdict is Verdict.KEEP and one.rewrite is None:
            continue
        obstacle = _KILLED if item.verdict is Verdict.KILL else one.obstacle
        if not (obstacle or one.rewrite or one.pin):  # the plan doubts it for the records of its node
            obstacle = _NO_RECORD
        changes.append(Change(item, one.rewrite, one.pin is not None, obstacle))
        name = item.pod.node
        shown = runtimes.get(name) or (f"{one.runtime}://" if one.runtime else "")
        nodes[name] = OnNode(name, item.from_release, shown or (nodes[name].runtime if name in nodes else ""))
    return Normalization(
        way.old,
        way.new,
        tuple(nodes[name] for name in sorted(nodes)),
        tuple(changes),
        tuple(sorted(pins, key=lambda pin: (pin.node, pin.path))),
        len(items),
        origin=inventory.origin,
        warnings=planner.plan().warnings,
    )


def _order(item: Item) -> tuple[bool, str, str, str, str]:
    """Return the place of an item's pod in a plan; its containers stay in their order."""
    pod = item.pod
    return not pod.node, pod.node, pod.namespace, pod.name, pod.uid


def of_pod(drafts: Sequence[Draft]) -> list[Found]:
    """Return what can be done for each container of a pod; for a static pod, all or nothing."""
    pin = _pin(drafts)
    if isinstance(pin, str):
        return [Found(obstacle=pin) for _ in drafts]
    found = [_of(draft, pin) for draft in drafts]
    why = next((one.obstacle for one in found if one.obstacle), "") if pin else ""
    return [Found(obstacle=f"{_WHOLE}: {why}") for _ in drafts] if why else found


def _pin(drafts: Sequence[Draft]) -> Pin | str | None:
    """Return the UID that a pod's manifest is given, None where it needs none, or why it cannot be."""
    pod = drafts[0].pod if drafts else None
    if pod is None or not pod.static:
        return None
    manifest = pod.static_manifest
    if manifest is None:
        return _NO_MANIFEST
    cases = [draft.prepared.case for draft in drafts if draft.prepared is not None]
    if not cases or not cases[0].old_known:
        return _NO_RELEASE
    old, new = cases[0].static_uids
    if old.uid is None or new.uid is None:
        return f"its UID decides, and it is unknown: {old.unknown or new.unknown}"
    running = {case.recorded.uid for case in cases if case.recorded is not None and case.recorded.running}
    if running - {old.uid}:
        return f"its pod runs under another UID than {cases[0].old.release} computes of its manifest"
    if old.uid == new.uid:
        return None
    kind, _, path = manifest.source.partition(":")
    if not running:
        return _NO_RECORD
    if kind != "file" or not manifest.digest:
        return "its manifest is not a file"
    return Pin(pod.node, pod.namespace, pod.name, path, old.uid, manifest.digest)


def _of(draft: Draft, pin: Pin | None) -> Found:
    """Return what can be done for a container whose pod has its UID in its manifest, or needs none."""
    prepared = draft.prepared
    if prepared is None:
        before = draft.decision(calibrated=True)
        return Found() if before.verdict is Verdict.KEEP else Found(obstacle=_NO_RELEASE)
    case = prepared.case
    if pin is not None:
        given = StaticUid(pin.uid, given=True)
        case = structs.replace(case, static_uids=(given, given))
    before = decide(case) if case.old_known else draft.decision(calibrated=True)
    if before.verdict is Verdict.KILL:
        return Found(obstacle=_KILLED)
    runtime = DOCKER if case.runtime.startswith("docker://") else ""
    if before.verdict is Verdict.KEEP:
        return Found(pin=pin, runtime=runtime)
    proven = _proven(prepared, case, before)
    if isinstance(proven, str):
        return Found(obstacle=proven)
    return Found(proven, pin, runtime=runtime)


def _proven(prepared: Prepared, case: Case, before: Decision) -> Rewrite | str:
    """Return how a container's record is rewritten, or what is not proven."""
    record, new = case.recorded, case.new_hash.value
    if record is None:
        return _NO_RECORD
    if before.verdict is not Verdict.RESTART:
        return "what the target kubelet does with it is unknown whatever is recorded"
    if why := _unlike(record, case):
        return why
    if not isinstance(record.hash, int) or not case.comparable:
        return "it has no recorded hash that can be compared"
    own = record.hash in case.old_hash.candidates
    if not own and not case.maker:
        return "no known kubelet computes its recorded hash: its spec may have changed since it was created"
    if new is None or prepared.filled:
        return f"what {case.new.release} computes of it is not certain"
    after = decide(structs.replace(case, recorded=structs.replace(record, hash=new), maker=""))
    if after.verdict is not Verdict.KEEP:
        why = "; ".join(reason.text for reason in after.reasons) or "it restarts all the same"
        return f"not by its hash alone: {why}"
    return Rewrite(record.id, record.uid, record.hash, new, str(case.old.release) if own else case.maker)


def _unlike(record: Recorded, case: Case) -> str:
    """Return why a record is not surely that of this container, or of a runtime that keeps it elsewhere."""
    if not case.old_known:
        return _NO_RELEASE
    if not record.running or not case.container.running:
        return "its runtime does not show that it runs"
    uid = case.static_uids[0].uid if case.static_uids else case.pod.uid
    if not _ID.fullmatch(record.id) or not uid or record.uid != uid:
        return "its record has no id, or is not of a pod with this uid"
    runtime = case.runtime.partition("://")[0]
    return f"the records of {runtime} cannot be rewritten" if runtime and runtime not in RUNTIMES else ""
