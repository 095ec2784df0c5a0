"""What an upgrade changes besides verdicts: what may still kill a container afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

import msgspec

from hashcompat.analysis.planning.judge import Draft, Judge
from hashcompat.analysis.planning.names import Names
from hashcompat.core.corev1.scheduling import label_keys
from hashcompat.core.kubelet.alike import (
    begins_to_enforce,
    has_killing_exec,
    longest_reset,
    resets_readiness,
)
from hashcompat.core.kubelet.decide import static
from hashcompat.core.kubelet.decide.case import Case
from hashcompat.core.kubelet.decide.pod import at_rest, waits_for_volume
from hashcompat.core.model.escape import count, name_path
from hashcompat.core.model.pods import Container, Pod
from hashcompat.core.records.index import is_older

_OF_KUBELETS: Final = frozenset(
    f"{prefix}kubernetes.io/{name}" for prefix in ("", "beta.") for name in ("hostname", "os", "arch")
)
"""The labels that a kubelet gives its node by itself (kubelet_node_status.go ``initialNode``)."""


class Caution(msgspec.Struct, frozen=True):
    """What to warn of in one container."""

    doubtful: tuple[bool, str] | None = None
    """Whether its pod counts as a static one, and what contradicts that it is; None for nothing."""
    outdated: bool = False
    """Whether its record is older than it."""
    selective: str = ""
    """The target release, where that may refuse the pod for labels which it does not set; else empty."""
    failed: str = ""
    """The target release, where that turns its pod from Succeeded to Failed; else empty."""
    stuck: str = ""
    """Why it does not start again once it ends, where its pod has a volume without a plugin; else empty."""
    unready: tuple[str, int] | None = None
    """The target release, and for how many seconds at most it is not ready when that starts; None where it is
    not kept, or stays ready."""
    slow: tuple[str, str] | None = None
    """Both releases, where only the target one kills it for a slow probe; else None."""


_NONE: Final = Caution()

Key = TypeVar("Key")


class Unready:
    """Containers that are not ready for a while, and the one that may take longest."""

    def __init__(self) -> None:
        self.names = Names()
        self.longest = (0, "")
        """The seconds, and the name."""

    def add(self, name: str, seconds: int) -> None:
        """Add one more."""
        self.names.add(name)
        if seconds > self.longest[0]:
            self.longest = seconds, name

    def merge(self, others: Unready) -> None:
        """Add those that were found elsewhere, after these."""
        self.names.merge(others.names)
        self.longest = max(self.longest, others.longest, key=lambda one: one[0])


class Warned:
    """The pods and containers that are warned of."""

    def __init__(self) -> None:
        self.slow: dict[tuple[str, str], Names] = {}
        self.selective: dict[str, Names] = {}
        self.failed: dict[str, Names] = {}
        self.stuck: dict[str, Names] = {}
        self.unready: dict[str, Unready] = {}
        self.doubtful: dict[tuple[bool, str], Names] = {}
        self.outdated = Names()
        self.nodes: set[str] = set()

    def merge(self, others: Warned) -> None:
        """Add those that were found elsewhere, after these."""
        _merge(self.slow, others.slow)
        _merge(self.selective, others.selective)
        _merge(self.failed, others.failed)
        _merge(self.stuck, others.stuck)
        _merge(self.doubtful, others.doubtful)
        for release, found in others.unready.items():
            self.unready.setdefault(release, Unready()).merge(found)
        self.outdated.merge(others.outdated)
        self.nodes |= others.nodes


def _merge(names: dict[Key, Names], others: Mapping[Key, Names]) -> None:
    for key, other in others.items():
        names.setdefault(key, Names()).merge(other)


class Cautions:
    """Collects, container by container, what to warn of."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.warned = Warned()
        """What was added so far."""

    def of(self, draft: Draft, *, kept: bool) -> Caution:
        """Return what to warn of in a container, which is kept or not; its replicas share that."""
        case = draft.prepared.case if draft.prepared else None
        doubt = draft.pod.mirror_doubt or (static.doubt(case) if case else "")
        doubtful = (draft.pod.static, doubt) if doubt else None
        if at_rest(draft.pod, draft.container):
            return Caution(doubtful, failed=_failing(case) if case else "")
        record = self._judge.view.options.records.latest(draft.pod, draft.container)
        outdated = record is not None and is_older(record, draft.container)
        if case is None or not case.old_known:
            return Caution(doubtful, outdated)
        waits = case.new.behaviour.labels_at_admission != "read"
        slow = begins_to_enforce(case.old, case.new) and has_killing_exec(draft.container.spec)
        return Caution(
            doubtful,
            outdated,
            str(case.new.release) if waits and _selects_more_than(_OF_KUBELETS, draft.pod) else "",
            stuck=waits_for_volume(case),
            unready=_unready(case, draft.container) if kept and draft.container.running else None,
            slow=(str(case.old.release), str(case.new.release)) if slow else None,
        )

    def add(self, found: Caution, pod: Pod, container: Container) -> None:
        """Add one more container, with what to warn of in it."""
        self.warned.nodes.add(pod.node)
        if found == _NONE:
            return
        of_pod, name = name_path(pod.namespace, pod.name), name_path(pod.namespace, pod.name, container.name)
        if found.doubtful:
            self.warned.doubtful.setdefault(found.doubtful, Names()).add(of_pod, again=False)
        if found.outdated:
            self.warned.outdated.add(name)
        if found.selective:
            self.warned.selective.setdefault(found.selective, Names()).add(of_pod, again=False)
        if found.failed:
            self.warned.failed.setdefault(found.failed, Names()).add(of_pod, again=False)
        if found.stuck:
            self.warned.stuck.setdefault(found.stuck, Names()).add(of_pod, again=False)
        if found.unready and pod.ready is not False:
            release, seconds = found.unready
            self.warned.unready.setdefault(release, Unready()).add(name, seconds)
        if found.slow:
            self.warned.slow.setdefault(found.slow, Names()).add(name)

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind of trouble."""
        outdated = self.warned.outdated
        for (old, new), names in sorted(self.warned.slow.items()):
            yield (
                f"{new} enforces the timeoutSeconds of exec probes, which {old} ignored: "
                "a liveness or startup probe that takes longer kills its container "
                f"({count(len(names), 'container')}: {names})"
            )
        for new, found in sorted(self.warned.unready.items()):
            number, (seconds, name) = len(found.names), found.longest
            yield (
                f"besides restarts, {count(number, 'container')} with a readinessProbe "
                f"{'is' if number == 1 else 'are'} not ready when {new} starts until the probe passes again, "
                f"up to {seconds} s ({name}), so that pods leave their Services: {found.names}"
            )
        for new, pods in sorted(self.warned.selective.items()):
            yield (
                f"{new} may look at pods before it has read its node's labels, and then refuses those that "
                "select a label which it does not set itself (kubernetes/kubernetes#94087: "
                f"{count(len(pods), 'pod')}: {pods})"
            )
        for new, pods in sorted(self.warned.failed.items()):
            turns = "turns" if len(pods) == 1 else "turn"
            yield (
                f"{count(len(pods), 'pod')} with devices {turns} from Succeeded to Failed when {new} starts "
                f"(UnexpectedAdmissionError), which a Job counts as a failure: {pods}"
            )
        for why, pods in sorted(self.warned.stuck.items()):
            does = "does" if len(pods) == 1 else "do"
            yield f"{count(len(pods), 'pod')} {does} not start again once a container ends: {why}: {pods}"
        for (may_be, doubt), pods in sorted(self.warned.doubtful.items()):
            one = len(pods) == 1
            ordinary = "an ordinary one" if one else "ordinary ones"
            worse = f"{'is' if one else 'are'} treated as static or ordinary, whichever is worse"
            said = worse if may_be else f"{'is' if one else 'are'} {ordinary}"
            yield (
                f"{count(len(pods), 'pod')} with the annotation of a mirror pod {said}, "
                f"because {doubt}: {pods}"
            )
        if outdated:
            yield (
                f"ignored the records of {count(len(outdated), 'container')} because they predate what runs "
                f"now: {outdated}; collect them again"
            )
        yield from self._runtimes()

    def _runtimes(self) -> Iterator[str]:
        """Warn of runtimes that lose what a kubelet checks, if they restart with it."""
        if "ip" not in self._judge.new.behaviour.sandbox_checks:
            return
        for name in sorted(self.warned.nodes & self._judge.nodes.keys()):
            runtime = self._judge.nodes[name].runtime
            for fault in self._judge.view.catalog.runtime_faults:
                if fault.concerns(runtime):
                    yield (
                        f"{runtime} on {name} {fault.about} ({fault.source}): "
                        "if it restarts too, every pod that is not on the host's network is recreated"
                    )


def _unready(case: Case, container: Container) -> tuple[str, int] | None:
    """Return the target release and the seconds, where it forgets that a container is ready."""
    seconds = longest_reset(container.spec) if resets_readiness(case.new) else 0
    return (str(case.new.release), seconds) if seconds else None


def _failing(case: Case) -> str:
    """Return the target release where it admits a finished pod again before any device plugin registers.

    Source: pkg/kubelet/cm/devicemanager/manager.go ``Allocate``: no devices are known then
    (kubernetes/kubernetes#117955).
    """
    admitted = case.new.behaviour.finished_pods == "admitted again" and case.pod.phase == "Succeeded"
    return str(case.new.release) if admitted and case.whole.devices else ""


def _selects_more_than(labels: frozenset[str], pod: Pod) -> bool:
    return any(key not in labels for key in label_keys(pod.spec))
