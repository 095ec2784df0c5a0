"""What an upgrade changes besides verdicts: what may still kill a container afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.judge import Draft, Judge
from hashcompat.analysis.planning.reasons import FewNames
from hashcompat.core.corev1.defaults import pull_policy
from hashcompat.core.corev1.scheduling import label_keys
from hashcompat.core.go.jsonpath import is_object, part, rows
from hashcompat.core.kubelet.alike import begins_to_enforce, has_killing_exec, longest_reset
from hashcompat.core.kubelet.decide import refused, static
from hashcompat.core.kubelet.decide.case import Case, Decision
from hashcompat.core.kubelet.decide.creation import lacks_gate
from hashcompat.core.kubelet.decide.memory import UNEXPECTED
from hashcompat.core.kubelet.decide.pod import (
    at_rest,
    ending,
    forgets_sidecars,
    overdue,
    runtime_gone,
    waits_for_volume,
)
from hashcompat.core.model.escape import agree, are, count, name_path
from hashcompat.core.model.items import PodName
from hashcompat.core.model.pods import Container, ContainerType, Pod
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.records.index import is_older

_OF_KUBELETS: Final = frozenset(
    f"{prefix}kubernetes.io/{name}" for prefix in ("", "beta.") for name in ("hostname", "os", "arch")
)
"""The labels that a kubelet gives its node by itself (kubelet_node_status.go ``initialNode``)."""


_NAMED: Final = 5
"""Files that are named in one line, each with what is wrong."""


class RestartNeed(StrEnum):
    """What a container that restarts needs, and no input shows: without it, it is killed and stays down."""

    REGISTRY = "registry"
    IMAGE = "image"
    OTHER_REGISTRY = "registry of another runtime"
    OTHER_IMAGE = "image in another runtime"
    OBJECTS = "objects"


_NEEDS: Final = {
    RestartNeed.REGISTRY: ("imagePullPolicy Always", "until a registry answers"),
    RestartNeed.IMAGE: ("imagePullPolicy Never", "for good where the node has lost the image"),
    RestartNeed.OTHER_REGISTRY: (
        "an image that another container runtime needs too",
        "until a registry answers, unless it is there already",
    ),
    RestartNeed.OTHER_IMAGE: (
        "imagePullPolicy Never in another container runtime",
        "for good unless the image was brought there",
    ),
    RestartNeed.OBJECTS: ("Secrets or ConfigMaps in the environment", "while one of these is missing"),
}
"""What such a container has, and how long it is down then."""


class Caution(msgspec.Struct, frozen=True):
    """What to warn of in one container."""

    doubtful: tuple[bool, str] | None = None
    """Whether its pod counts as a static one, and what contradicts that it is; None for nothing."""
    outdated: bool = False
    """Whether its record is older than it."""
    selective: str = ""
    """The target release, where that may refuse the pod for labels which it does not set; else empty."""
    failed: tuple[str, str] | None = None
    """The target release, where that turns its pod from Succeeded to Failed, and why; None elsewhere."""
    barred: tuple[str, str] | None = None
    """The target release, where that fails its pod, of which nothing runs, and why; else None."""
    stuck: str = ""
    """Why it does not start again once it ends, such as a volume without a plugin; empty for nothing."""
    unready: tuple[str, int] | None = None
    """The target release, and for how many seconds at most it is not ready when that starts; None where it is
    not kept, or stays ready."""
    needs: tuple[RestartNeed, ...] = ()
    """What has to be there for it to start again, where it restarts or runs again before what does."""
    slow: tuple[str, str] | None = None
    """Both releases, where only the target one kills it for a slow probe; else None."""
    skipped: str = ""
    """Why its static pod does not run, whose manifest kubelets read past; else empty."""
    if_static: str = ""
    """The target release, where that keeps it and creates it again if it is a static pod's; else empty."""


_NONE: Final = Caution()


class Unready:
    """Containers that are not ready for a while, and the one that may take longest."""

    def __init__(self) -> None:
        self.names = FewNames()
        self.longest = (0, "")
        """The seconds, and the name."""

    def add(self, name: str, seconds: int) -> None:
        """Add one more."""
        self.names.add(name)
        if seconds > self.longest[0]:
            self.longest = seconds, name


class Cautions:
    """Collects, container by container, what to warn of."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._slow: dict[tuple[str, str], FewNames] = {}
        self._selective: dict[str, FewNames] = {}
        self._failed: dict[tuple[str, str], FewNames] = {}
        self._barred: dict[tuple[str, str], FewNames] = {}
        self._stuck: dict[str, FewNames] = {}
        self._unready: dict[str, Unready] = {}
        self._needs: dict[RestartNeed, FewNames] = {}
        self._doubtful: dict[tuple[bool, str], FewNames] = {}
        self._if_static: dict[str, FewNames] = {}
        self._skipped = set[str]()
        self._outdated = FewNames()
        self._nodes = set[str]()

    def of(self, draft: Draft, verdict: Verdict, *, recreated: bool) -> Caution:
        """Return what to warn of in a container with a verdict; its replicas share that.

        ``recreated``: whether its whole pod is created again, which begins with its init containers.
        """
        case = draft.case
        doubt = draft.pod.mirror_doubt or (static.doubt(case) if case else "")
        doubtful = (draft.pod.static, doubt) if doubt else None
        if at_rest(draft.pod, draft.container):
            runs_again = recreated and draft.container.type is ContainerType.INIT
            return Caution(
                doubtful,
                failed=_failing(case) if case else None,
                barred=_barred(case) if case else None,
                needs=tuple(_restart_needs(draft.pod, draft.container, case)) if runs_again else (),
                skipped=draft.skipped,
            )
        record = self._judge.view.options.records.latest(draft.pod, draft.container)
        outdated = record is not None and is_older(record, draft.container)
        if case is None or not case.old_known:
            return Caution(doubtful, outdated, skipped=draft.skipped)
        waits = case.new.behaviour.labels_at_admission != "read" and not _OF_KUBELETS.issuperset(
            label_keys(draft.pod.spec)
        )
        slow = begins_to_enforce(case.old, case.new) and has_killing_exec(draft.container.spec)
        return Caution(
            doubtful,
            outdated,
            str(case.new.release) if waits else "",
            stuck=waits_for_volume(case)
            or (lacks_gate(case) or _waits_for_sidecar(case) if verdict is Verdict.KEEP else ""),
            unready=(
                _unready(case, draft.container)
                if verdict is Verdict.KEEP and draft.container.running
                else None
            ),
            needs=(
                tuple(_restart_needs(draft.pod, draft.container, case)) if verdict is Verdict.RESTART else ()
            ),
            slow=(str(case.old.release), str(case.new.release)) if slow else None,
            if_static=str(case.new.release) if verdict is Verdict.KEEP and _restarts_if_static(case) else "",
        )

    def add(self, caution: Caution, pod: Pod | PodName, container: str) -> None:
        """Add one more container by its name, with what to warn of in it."""
        self._nodes.add(pod.node)
        if caution == _NONE:
            return
        self._skipped.add(caution.skipped)
        of_pod, name = name_path(pod.namespace, pod.name), name_path(pod.namespace, pod.name, container)
        of_pods: tuple[tuple[object, dict[Any, FewNames]], ...] = (
            (caution.doubtful, self._doubtful),
            (caution.selective, self._selective),
            (caution.failed, self._failed),
            (caution.barred, self._barred),
            (caution.stuck, self._stuck),
            (caution.if_static, self._if_static),
        )
        for what, pods in of_pods:
            if what:
                pods.setdefault(what, FewNames()).add(of_pod, repeated=False)
        if caution.outdated:
            self._outdated.add(name)
        if caution.unready:
            release, seconds = caution.unready
            self._unready.setdefault(release, Unready()).add(name, seconds)
        for need in caution.needs:
            self._needs.setdefault(need, FewNames()).add(name)
        if caution.slow:
            self._slow.setdefault(caution.slow, FewNames()).add(name)

    def besides(self) -> Iterator[str]:
        """Yield a line for each kind of consequence below a restart, or after one."""
        for new, unready in sorted(self._unready.items()):
            number, (seconds, name) = len(unready.names), unready.longest
            yield (
                f"{count(number, 'container')} with a readinessProbe or startupProbe "
                f"{'is' if number == 1 else 'are'} not ready when {new} starts until it passes again, "
                f"up to {seconds} s ({name}), so that pods leave their Services: {unready.names}"
            )
        for (new, why), pods in sorted(self._failed.items()):
            turns, has = "turns" if len(pods) == 1 else "turn", " with devices" if why == UNEXPECTED else ""
            yield (
                f"{count(len(pods), 'pod')}{has} {turns} from Succeeded to Failed when {new} starts ({why}), "
                f"which a Job counts as a failure: {pods}"
            )
        for (new, why), pods in sorted(self._barred.items()):
            turns = "turns" if len(pods) == 1 else "turn"
            yield (
                f"{count(len(pods), 'pod')} of which nothing runs now {turns} Failed for good when {new} "
                f"starts ({why}): {pods}"
            )
        for why, pods in sorted(self._stuck.items()):
            does = "does" if len(pods) == 1 else "do"
            yield f"{count(len(pods), 'pod')} {does} not start again once a container ends: {why}: {pods}"
        for need, names in sorted(self._needs.items()):
            number, (has, down) = len(names), _NEEDS[need]
            does, verb = agree(number, "restart"), "is" if number == 1 else "are"
            yield f"{count(number, 'container')} that {does} with {has} {verb} down {down}: {names}"

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind of trouble."""
        for (old, new), names in sorted(self._slow.items()):
            yield (
                f"{new} enforces the timeoutSeconds of exec probes, which {old} ignored: "
                "a liveness or startup probe that takes longer kills its container "
                f"({count(len(names), 'container')}: {names})"
            )
        for new, pods in sorted(self._selective.items()):
            yield (
                f"{new} may look at pods before it has read its node's labels, and then refuses those that "
                "select a label which it does not set itself (kubernetes/kubernetes#94087: "
                f"{count(len(pods), 'pod')}: {pods})"
            )
        yield from self.of_creators()
        if self._outdated:
            yield (
                f"ignored the records of {count(len(self._outdated), 'container')} because they predate what "
                f"runs now: {self._outdated}; collect them again"
            )
        if skipped := sorted(self._skipped - {""}):
            files = "a file" if len(skipped) == 1 else f"{len(skipped)} files"
            more = [f"{len(skipped) - _NAMED} more"] if len(skipped) > _NAMED else []
            yield f"skipped {files} as kubelets do: {'; '.join([*skipped[:_NAMED], *more])}"
        # runtimes lose what such a kubelet checks, if they restart with it
        if "ip" not in self._judge.new.behaviour.sandbox_checks:
            return
        for name in sorted(self._nodes & self._judge.nodes.keys()):
            runtime = self._judge.nodes[name].runtime
            for fault in self._judge.view.catalog.runtime_faults:
                if fault.concerns(runtime):
                    yield (
                        f"{runtime} on {name} {fault.about} ({fault.source}): "
                        "if it restarts too, every pod that is not on the host's network is recreated"
                    )

    def of_creators(self) -> Iterator[str]:
        """Yield a line for each doubt about who creates pods: an API server, or a kubelet by a manifest."""
        for (may_be, doubt), pods in sorted(self._doubtful.items()):
            is_single = len(pods) == 1
            ordinary = "an ordinary one" if is_single else "ordinary ones"
            worse = f"{'is' if is_single else 'are'} treated as static or ordinary, whichever is worse"
            said = worse if may_be else f"{'is' if is_single else 'are'} {ordinary}"
            yield (
                f"{count(len(pods), 'pod')} with the annotation of a mirror pod {said}, "
                f"because {doubt}: {pods}"
            )
        for new, pods in sorted(self._if_static.items()):
            number = len(pods)
            yield (
                f"{count(number, 'Pod')} without a uid {are(number)} planned as if created by an API server; "
                f"{new} recreates static pods like {'it' if number == 1 else 'them'} (HC022), and "
                f"--static-pod-dir in place of -f plans these: {pods}"
            )


def of_pod(caution: Caution, pod: Pod) -> Caution:
    """Return what to warn of in a container, or a replica of it, of a pod that may not be ready anyway."""
    return structs.replace(caution, unready=None) if caution.unready and pod.ready is False else caution


def _unready(case: Case, container: Container) -> tuple[str, int] | None:
    """Return the target release and the seconds, where it forgets that a container is ready."""
    seconds = longest_reset(container.spec, case.new, static=case.pod.static)
    return (str(case.new.release), seconds) if seconds else None


def _restart_needs(pod: Pod, container: Container, case: Case | None) -> Iterator[RestartNeed]:
    """Yield what a container needs to start again.

    A manifest may leave the default of imagePullPolicy out. Container runtimes share no images, not even
    Docker and the containerd that it runs on. Source: pkg/kubelet/images/image_manager.go
    ``EnsureImageExists``, 1.31.14; pkg/kubelet/kubelet_pods.go ``makeEnvironmentVariables``: what is optional
    may be gone.
    """
    spec = container.spec
    policy = spec.get("imagePullPolicy")
    if not policy and (pod.manifest or pod.static_manifest is not None):
        policy = pull_policy(str(spec.get("image", "")), _PARSER)
    elsewhere = case is not None and runtime_gone(case) is not None
    match policy:
        case "Always":
            yield RestartNeed.REGISTRY
        case "Never":
            yield RestartNeed.OTHER_IMAGE if elsewhere else RestartNeed.IMAGE
        case _ if elsewhere:
            yield RestartNeed.OTHER_REGISTRY
    sources = [row["valueFrom"] for row in filter(is_object, rows(spec, "env")) if row.get("valueFrom")]
    sources += rows(spec, "envFrom")
    named = (part(source, key) for source in filter(is_object, sources) for key in _OF_OBJECTS)
    if any(reference and reference.get("optional") is not True for reference in named):
        yield RestartNeed.OBJECTS


_PARSER: Final = "reference 0.6"
"""How references of images are read (defaults.json): releases differ in those that no image has."""

_OF_OBJECTS: Final = ("secretKeyRef", "configMapKeyRef", "secretRef", "configMapRef")


def _failing(case: Case) -> tuple[str, str] | None:
    """Return the target release where it looks at a finished pod again and refuses it, and why.

    Before any device plugin registers, no devices are known. Source: pkg/kubelet/kubelet.go
    ``HandlePodAdditions``, 1.27.16; pkg/kubelet/cm/devicemanager/manager.go ``Allocate``
    (kubernetes/kubernetes#117955).
    """
    if case.new.behaviour.finished_pods != "admitted again" or case.pod.phase != "Succeeded":
        return None
    if case.whole.devices:
        return str(case.new.release), UNEXPECTED
    return _release_and_reason(case, refused(case))


def _barred(case: Case) -> tuple[str, str] | None:
    """Return the target release where it fails a pod of which no container runs, and why.

    It does not admit it again, or finds its deadline passed.
    """
    if ending(case.pod) or any(container.running is not False for container in case.pod.containers):
        return None
    return _release_and_reason(case, refused(case) or overdue(case))


def _release_and_reason(case: Case, decision: Decision | None) -> tuple[str, str] | None:
    return (str(case.new.release), decision.reasons[0].text) if decision else None


def _restarts_if_static(case: Case) -> bool:
    """Return whether a manifest may be a static pod's, which the target kubelet would give another UID.

    Nothing in it shows who creates the pod. Those of kubeadm look like any other.
    """
    pod, old, new = case.pod, case.old, case.new
    if not pod.manifest or pod.static or pod.owner or pod.workload:
        return False
    return static.moves_every(old, new) or not static.same_uid(structs.replace(pod, static=True), old, new)


def _waits_for_sidecar(case: Case) -> str:
    """Return why a pod with a sidecar waits once its containers end; empty where it does not."""
    if not (case.whole.runs_sidecar and forgets_sidecars(case)):
        return ""
    return f"{case.new.release} takes a sidecar for an init container, and waits for its end"
