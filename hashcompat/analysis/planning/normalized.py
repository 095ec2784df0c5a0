"""Which records are proven to be rewritable, container by container: ``normalizing`` says what that takes.

A plan can take them as rewritten (``Options.normalized``), and then says what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Protocol

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.prepare import Prepared
from hashcompat.core.errors import InputError
from hashcompat.core.go.jsontext import decode_text
from hashcompat.core.kubelet.decide import decide
from hashcompat.core.kubelet.decide.case import Case, Decision
from hashcompat.core.kubelet.staticpods import StaticUid
from hashcompat.core.model.pods import Pod
from hashcompat.core.model.preflight import DOCKER, RUNTIMES, ManifestPin, Rewrite
from hashcompat.core.model.verdicts import Hash, Recorded, Verdict
from hashcompat.core.records.manifests import with_uid
from hashcompat.core.regex import regex

_ID: Final = regex(r"[0-9a-f]{64}")
NO_RECORD: Final = "nothing shows the hash that is recorded of it: --recorded and --runtime read records"
_HIDDEN: Final = "the snapshot hides its hashes: read the cluster itself, or a snapshot --with-hashes"
_NO_RELEASE: Final = "the release of its kubelet is not known"
KILLED: Final = "it is killed and not started again, whatever is recorded"


class Remedy(msgspec.Struct, frozen=True):
    """What can be done for one container; the default is nothing, because nothing has to be."""

    rewrite: Rewrite | None = None
    pin: ManifestPin | None = None
    obstacle: str = ""
    """Why nothing is done, where it is not surely kept."""
    new: Hash | None = None
    """What its record becomes, also where a snapshot hides that or what it is; None where it stays."""
    runtime: str = ""
    """The runtime that the records show; empty where they do not."""


class Drafted(Protocol):
    """A container before its verdict, as the judge drafts it."""

    @property
    def pod(self) -> Pod:
        """The pod."""

    @property
    def prepared(self) -> Prepared | None:
        """Its case; None where something prevents a verdict."""

    def decision(self, *, calibrated: bool) -> Decision:
        """Return what the target kubelet does."""


def of_pod(drafts: Sequence[Drafted]) -> list[Remedy]:
    """Return what can be done for each container of a pod; for a static pod, all or nothing."""
    pin = _pin(drafts)
    if isinstance(pin, str):
        return [Remedy(obstacle=pin) for _ in drafts]
    remedies = [_remedy(draft, pin) for draft in drafts]
    why = next((remedy.obstacle for remedy in remedies if remedy.obstacle), "") if pin else ""
    whole = Remedy(obstacle=f"a static pod is kept as a whole or not at all: {why}")
    return [whole for _ in drafts] if why else remedies


def _pin(drafts: Sequence[Drafted]) -> ManifestPin | str | None:
    """Return the UID that a pod's manifest is given, None where it needs none, or why it cannot be."""
    pod = drafts[0].pod if drafts else None
    if pod is None or not pod.static:
        return None
    manifest = pod.static_manifest
    if manifest is None:
        return "a static pod whose manifest is not in the input: --static-pod-dir reads it"
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
        return NO_RECORD
    if kind != "file" or not manifest.raw:
        return "its manifest is not a regular file"
    try:
        with_uid(decode_text(manifest.raw), old.uid)
    except InputError as error:
        return f"its manifest cannot be given a uid: {error}"
    return ManifestPin(pod.node, pod.namespace, pod.name, path, old.uid, sha256(manifest.raw).hexdigest())


def _remedy(draft: Drafted, pin: ManifestPin | None) -> Remedy:
    """Return what can be done for a container whose pod has its UID in its manifest, or needs none."""
    prepared = draft.prepared
    if prepared is None:
        before = draft.decision(calibrated=True)
        return Remedy() if before.verdict is Verdict.KEEP else Remedy(obstacle=_NO_RELEASE)
    case = prepared.case
    if pin is not None:
        uid = StaticUid(pin.uid, is_set=True)
        case = structs.replace(case, static_uids=(uid, uid))
    before = decide(case) if case.old_known else draft.decision(calibrated=True)
    if before.verdict is Verdict.KILL:
        return Remedy(obstacle=KILLED)
    runtime = DOCKER if case.runtime.startswith("docker://") else ""
    if before.verdict is Verdict.KEEP:
        return Remedy(pin=pin, runtime=runtime)
    proven = _proven(prepared, case, before)
    return (
        Remedy(obstacle=proven)
        if isinstance(proven, str)
        else structs.replace(proven, pin=pin, runtime=runtime)
    )


def _proven(prepared: Prepared, case: Case, before: Decision) -> Remedy | str:
    """Return how a container's record is rewritten, or what is not proven."""
    record, hashed = case.recorded, case.new_hash
    if record is None:
        return NO_RECORD
    if before.verdict is not Verdict.RESTART:
        return "what the target kubelet does with it is unknown whatever is recorded"
    if why := _unlike(record, case):
        return why
    if record.hash is None or not case.comparable:
        return "it has no recorded hash that can be compared"
    own = record.hash in case.old_hash.candidates
    if not own and not case.maker:
        return "no known kubelet computes its recorded hash: its spec may have changed since it was created"
    if not hashed.is_certain or prepared.filled:
        return f"what {case.new.release} computes of it is not certain"
    new = next(iter(hashed.candidates))
    after = decide(structs.replace(case, recorded=structs.replace(record, hash=new), maker=""))
    if after.verdict is not Verdict.KEEP:
        why = "; ".join(reason.text for reason in after.reasons) or "it restarts all the same"
        return f"not by its hash alone: {why}"
    if not (isinstance(record.hash, int) and isinstance(new, int)):
        return Remedy(obstacle=_HIDDEN, new=new)
    creator = str(case.old.release) if own else case.maker
    return Remedy(Rewrite(record.id, record.uid, record.hash, new, creator), new=new)


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


def rewritten(prepared: Prepared, remedy: Remedy) -> Prepared:
    """Return a case once its record, and the UID of its static pod, are what ``remedy`` makes of them."""
    case = prepared.case
    if remedy.pin is not None:
        uid = StaticUid(remedy.pin.uid, is_set=True)
        case = structs.replace(case, static_uids=(uid, uid))
    if remedy.new is not None and case.recorded is not None:
        record = structs.replace(case.recorded, hash=remedy.new)
        case = structs.replace(case, recorded=record, maker="")
    return structs.replace(prepared, case=case)
