"""A static pod's UID, which a kubelet compares before any hash: a new UID is a new pod.

Source: pkg/kubelet/config/common.go ``applyDefaults``, pkg/kubelet/config/config.go ``checkAndUpdatePod``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from msgspec import structs

from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import same_build, same_minor
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsonpath import part
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE, Case, Decision, kill, not_compared, unknown
from hashcompat.core.model.pods import Container, Pod
from hashcompat.core.model.uids import is_computed
from hashcompat.core.model.verdicts import Reason, Verdict

Compare = Callable[[Mapping[str, Any], Kubelet, Kubelet], bool | None]
"""What ``same_for_mirror`` does."""


def by_manifest(case: Case) -> Decision | None:
    """Recreate a pod whose manifest shows that its UID changes, or is not that of the pod which runs."""
    if not case.static_uids:
        return None
    why = next((uid.unknown for uid in case.static_uids if uid.unknown), "")
    if not why and case.runs_as:
        return _by_running(case)
    if not case.upgraded and case.new_hash.candidates:
        return None
    if why and _has_other_texts(case):
        text = f"static pod: {case.new.release} gives it another UID, by the texts of its quantities"
        return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)
    if why:
        return unknown(rules.STATIC_POD, f"static pod: its UID decides, and it is unknown: {why}")
    if len({uid.uid for uid in case.static_uids}) == 1:
        return None
    text = f"static pod: {case.new.release} gives it another UID"
    return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)


def _has_other_texts(case: Case) -> bool:
    """Return whether the quantities of a manifest alone show another UID, as of a release without data."""
    from hashcompat.core.kubelet.staticpods import has_other_texts  # noqa: PLC0415 - few pods are static

    content = case.pod.static_manifest.content if case.pod.static_manifest else {}
    return not part(content, "metadata").get("uid") and has_other_texts(
        part(content, "spec"), case.old, case.new
    )


def _by_running(case: Case) -> Decision | None:
    """Recreate a pod that runs under another UID than the target kubelet gives it.

    Where that is not the current kubelet's either, the manifest was changed since, and the kubelet has not
    read it again.
    """
    old, new = (uid.uid for uid in case.static_uids)
    if case.runs_as == new:
        return None
    text = f"static pod: {case.new.release} gives it another UID"
    if case.runs_as != old and old == new:
        manifest = case.pod.static_manifest
        if manifest is not None and not manifest.placed and case.new.static_pods.source.get("file"):
            text = "static pod: its UID is not that of the manifest at the path where the copy lies"
            return unknown(rules.STATIC_POD, text)
        text = "static pod: its manifest is not the one that runs, and gives it another UID"
    return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)


def by_mirror_pod(case: Case) -> Decision | None:
    """Recreate a pod whose mirror pod shows that its UID changes; UNKNOWN where it does not show."""
    if not case.pod.static or case.static_uids or is_pinned(case.pod):
        return None
    vendors = (case.old.vendor, case.new.vendor)
    sets_uids = any(vendor is not None and vendor.sets_uids for vendor in vendors)
    if sets_uids and not same_build(case.old.release, case.new.release):
        text = "static pod: its distribution sets its UID, which only its manifest shows"
        return unknown(rules.STATIC_POD, text)
    match case.same_uid:
        case True:
            return None
        case False:
            text = f"static pod: {case.new.release} gives it another UID, unless its manifest sets one"
            return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)
    return unknown(rules.STATIC_POD, "static pod: its UID decides, and the mirror pod does not show it")


def with_pod(case: Case, kept: Decision) -> Decision:
    """Return the decision for a container that is not compared: by a new UID its pod is recreated still."""
    recreated = None if unread(case) else by_manifest(case) or by_mirror_pod(case)
    if recreated is None or not recreated.pod_recreated:
        return kept
    return structs.replace(kept, reasons=(*kept.reasons, *recreated.reasons), pod_recreated=True)


def undecoded(pod: Pod, container: Container, old: Kubelet | None, new: Kubelet) -> Decision | None:
    """Decide a container of a manifest that a kubelet does not decode, and so reads past; None for any other.

    What runs of such a pod runs by another manifest, and the target kubelet ends it. Source:
    pkg/kubelet/config/file.go ``extractFromDir`` and common.go ``tryDecodeSinglePod``, 1.6.13 - 1.37.2.
    """
    from hashcompat.core.kubelet.staticpods import unreadable  # noqa: PLC0415 - few pods are static

    manifest = pod.static_manifest
    if manifest is None or manifest.alone or old is None:
        return None
    before, now = unreadable(manifest, old), unreadable(manifest, new)
    if now and not before and container.running is False:
        return not_compared("the container is not running")
    if now and (container.running or not before):
        return kill(rules.MANIFEST_MISSING, f"static pod: {new.release} does not decode its manifest ({now})")
    if now:
        return not_compared(f"it does not run: no kubelet on the way decodes its manifest ({now})")
    if not before:
        return None
    if not container.running:
        why = f"{old.release} does not decode its manifest ({before}), and {new.release} does"
        return not_compared(f"it does not run yet: {why}")
    text = f"its manifest is not the one that runs, for {old.release} does not decode it ({before})"
    if part(manifest.content, "metadata").get("uid"):
        return unknown(rules.NOT_SEEN, text)
    return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, f"static pod: {text}"),), pod_recreated=True)


def is_new_pod(case: Case) -> bool:
    """Return whether a static pod surely gets another UID, under which it has nothing yet.

    What it has is its former UID's, and not free while pods are admitted: pkg/kubelet/cm/cpumanager/
    cpu_manager.go ``removeStaleState`` waits until all sources are ready (1.20.15 - 1.37.2).
    """
    recreated = case.pod.static and (by_manifest(case) or by_mirror_pod(case))
    return bool(recreated and recreated.pod_recreated)


def moves(pod: Pod, old: Kubelet | None, new: Kubelet) -> bool | None:
    """Return whether a static pod gets another UID, by its manifest or by its mirror pod; None if unknown."""
    if not pod.static or old is None:
        return False
    if pod.static_manifest is None:
        same = same_uid(pod, old, new)
        return None if same is None else not same
    from hashcompat.core.kubelet.staticpods import static_view  # noqa: PLC0415 - few pods are static

    before, now = (static_view(pod.static_manifest, kubelet).uid for kubelet in (old, new))
    if before.unknown or now.unknown:
        return None
    # of a copy whose path is not given, the UID that it runs under shows nothing
    is_edited = pod.static_manifest.placed and pod.config_hash not in ("", before.uid)
    return pod.config_hash != now.uid and (before.uid != now.uid or is_edited)


def unread(case: Case) -> bool:
    """Return whether the current kubelet refuses a manifest, and nothing shows that the pod runs anyway."""
    if case.pod.static_manifest is None or not (case.pod.references and case.old_known):
        return False
    runs = case.container.running or case.recorded is not None or case.runs_as
    return not runs and bool(refused_kinds(case.pod, case.old))


def refused_kinds(pod: Pod, kubelet: Kubelet) -> tuple[str, ...]:
    """Return the kinds of API objects for which a kubelet does not read the manifest that names them."""
    refused = kubelet.behaviour.static_references
    return tuple(kind for kind in pod.references if kubelet.gates.is_on(REFERENCES_GATE) or kind in refused)


def mirror_with_own_uid(pod: Pod) -> Pod | None:
    """Return the mirror pod of a manifest that sets a UID, which an edit leaves as it is; None for others.

    It alone shows by which manifest the pod runs.
    """
    manifest = pod.static_manifest
    sets_uid = manifest is not None and part(manifest.content, "metadata").get("uid")
    return pod.mirror if sets_uid else None


def mirrored(container: Container, mirror: Pod | None) -> Container | None:
    """Return a mirror pod's container of the same name; None where it has none."""
    return (
        next((candidate for candidate in mirror.containers if candidate.name == container.name), None)
        if mirror
        else None
    )


def is_pinned(pod: Pod) -> bool:
    """Return whether the manifest sets a UID."""
    return bool(pod.config_hash) and not is_computed(pod.config_hash)


def doubt(case: Case) -> str:
    """Return why a pod may not be the mirror pod that its annotations make it; empty where it is confirmed.

    Mirror pods of kubelets before 1.17 have no owner, and newer kubelets leave them as they are.
    """
    pod = case.pod
    if not pod.static or pod.static_manifest is not None or (pod.uid and pod.uid == pod.config_hash):
        return ""
    if pod.mirror_doubt:
        return pod.mirror_doubt
    owned = pod.manifest or pod.owner or case.old.behaviour.mirror_pod_owner == "none" or not case.old_known
    return "" if owned else "the controller is not the pod's node"


def as_ordinary(case: Case) -> Case:
    """Return the case of a pod that the API server alone knows, whatever its annotations."""
    pod = structs.replace(case.pod, static=False, config_hash="", from_url=False)
    return structs.replace(case, pod=pod)


@lru_cache(maxsize=64)
def moves_every(old: Kubelet, new: Kubelet) -> bool:
    """Return whether an upgrade gives every static pod without a UID in its manifest another UID."""
    from hashcompat.core.kubelet.staticpods import new_uids  # noqa: PLC0415 - few pods are static

    return not same_minor(old.release, new.release) and bool(new_uids(old, new))


def same_uid(pod: Pod, old: Kubelet, new: Kubelet, compare: Compare | None = None) -> bool | None:
    """Return whether a mirror pod shows that an upgrade keeps its static pod's UID; None if unknown.

    ``compare`` is ``same_for_mirror``, or does as that does and remembers what it computes for each kubelet.
    True for any other pod.
    """
    if not pod.static or pod.static_manifest is not None or is_pinned(pod):
        return True
    if same_minor(old.release, new.release):
        return True
    if compare is None:
        from hashcompat.core.kubelet.staticpods import same_for_mirror  # noqa: PLC0415 - few pods are static

        compare = same_for_mirror
    try:
        return compare(pod.spec, old, new)
    except DecodeError:
        return None
