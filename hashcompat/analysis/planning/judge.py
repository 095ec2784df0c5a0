"""One upgrade and its nodes -> what happens to each container: the only place that computes verdicts.

Plans, explanations, matrices and hops all use the same judge, so none of them can contradict another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.creators import CreatorFinder
from hashcompat.analysis.planning.latest import KEPT, Latest
from hashcompat.analysis.planning.prepare import Prepared, own_settings, prepare, replica
from hashcompat.analysis.planning.reading import Transition
from hashcompat.analysis.planning.reasons import listed
from hashcompat.analysis.planning.templates import Likeness, Templates
from hashcompat.analysis.planning.view import View, place
from hashcompat.core import rules
from hashcompat.core.catalog.behaviour import Settings
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import same_build, same_minor, same_upstream
from hashcompat.core.corev1.scheduling import is_virtual
from hashcompat.core.errors import CutError, DecodeError, InputError, NotStoredError
from hashcompat.core.kubelet.decide import decide, decide_by_record
from hashcompat.core.kubelet.decide.case import Case, Decision, not_compared
from hashcompat.core.kubelet.decide.pod import at_rest
from hashcompat.core.kubelet.decide.room.requests import as_allocated
from hashcompat.core.kubelet.decide.static import undecoded
from hashcompat.core.model.escape import count, word
from hashcompat.core.model.plan import AUTO, DisputedNode, Way
from hashcompat.core.model.pods import Blank, Container, Node, Pod
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.core.regex import regex

if TYPE_CHECKING:
    from hashcompat.analysis.preflight.facts.nodemanagers import NodeSettings


class Draft(msgspec.Struct, frozen=True):
    """A container before its verdict."""

    pod: Pod
    container: Container
    """One of its containers."""
    release: str
    """The current release of its kubelet, as given; empty where unknown."""
    prepared: Prepared | None
    """The case to decide; None where ``obstacle`` is the answer."""
    obstacle: Decision
    """What prevents a verdict; a record may still decide."""
    skipped: str = ""
    """Why kubelets read past its static pod's manifest, so that it does not run; empty for nothing."""

    @property
    def case(self) -> Case | None:
        """What is decided; None where an obstacle prevents that."""
        return self.prepared.case if self.prepared else None

    def decision(self, *, calibrated: bool) -> Decision:
        """Return what the target kubelet does.

        ``calibrated``: whether every record of the node was reproduced.
        """
        if self.prepared is None:
            return self.obstacle
        case = self.prepared.case
        if case.calibrated is not calibrated:
            case = structs.replace(case, calibrated=calibrated)
        return decide(case) if case.old_known else decide_by_record(case) or self.obstacle

    @property
    def reproduced(self) -> bool | None:
        """Whether a known release computes the recorded hash; None where nothing is compared."""
        case = self.case
        if case is None or case.recorded is None or case.recorded.hash is None or not case.old_known:
            return None
        if at_rest(self.pod, self.container) or not case.comparable:
            return None
        candidates = case.old_hash.candidates | case.new_hash.candidates
        return case.recorded.hash in candidates or bool(case.maker)


class Judge:
    """Decides pod by pod what one upgrade does; keeps the latest containers, for their replicas."""

    def __init__(
        self,
        way: Way,
        nodes: Iterable[Node] | Mapping[str, Node],
        view: View,
        templates: Templates | None = None,
        *,
        kept: int = KEPT,
    ) -> None:
        """Raise UsageError for an unknown release.

        ``nodes`` may be by their names, and with ``templates``, for several judges to share. ``kept`` is the
        number of containers that are kept.
        """
        self.new = view.kubelet(way.new)
        """The kubelet that starts, but for the feature gates that a node sets (``target``)."""
        if way.old != AUTO:
            view.catalog.kubelet(way.old)
        self.nodes = nodes if isinstance(nodes, Mapping) else {node.name: node for node in nodes}
        self.way, self.view = way, view
        self._virtual = frozenset(node.name for node in self.nodes.values() if is_virtual(node.taints))
        self.claim = claim_of(way, self.nodes.values(), view)
        """Which nodes report another release."""
        self._overridden = view.options.override_node_releases
        self.templates = templates or Templates(view, kept)
        self._creators = CreatorFinder(view, self.templates.hash, kept)
        self._prepared: Latest[tuple[Likeness | Blank, Kubelet | None, Kubelet], Prepared] = Latest(kept)
        self._gated_kubelets: dict[tuple[bool, str, Settings], Kubelet] = {}
        """The current kubelets and the target one with the gates of nodes, by their releases."""

    def drafts(self, pod: Pod) -> list[Draft]:
        """Prepare each container of a pod for its decision.

        Raises InputError, with file and path, for one that does not decode or may be cut short, unless
        ``keep_going`` makes it UNKNOWN.
        """
        records = self.view.options.records
        seen = records.as_reported(pod) if records else pod
        seen = as_allocated(seen, records.allocated_to(records.as_running(pod)), self.target(pod))
        if pod.uid in self.view.gone:
            shown = ((container, records.of(seen, container)) for container in seen.containers)
            left = tuple(
                container if record and record.running else structs.replace(container, running=False)
                for container, record in shown
            )
            seen = structs.replace(seen, containers=left)
        drafts = [self.draft(seen, container) for container in seen.containers]
        return _normalized(drafts) if self.view.options.normalized else drafts

    def draft(self, pod: Pod, container: Container) -> Draft:
        """Prepare one container of a pod whose states are those that a runtime reports; errors as above."""
        release, view, new = self.release_of(pod), self.view, self.target(pod)
        draft = partial(Draft, pod, container, release)
        if pod.doubt:
            return draft(None, self._undecoded(pod, container, CutError(pod.doubt)))
        if pod.node in self._virtual:
            return draft(None, not_compared("its node has no kubelet: virtual-kubelet provides it"))
        disputed = self.is_disputed(pod)
        old = self._current(pod, release) if view.catalog.knows(release) and not disputed else None
        obstacle = Decision(Verdict.KEEP)
        if old is None:
            from_release = self.way.old if disputed else ""
            obstacle = _unknown_release(pod, container, release, from_release)
        if old is None and (
            obstacle.verdict is Verdict.KEEP or view.options.records.of(pod, container) is None
        ):
            return draft(None, obstacle)
        try:
            prepared = self._with_same_uid(self._prepare(pod, container, old, new))
            return draft(self._creators.added(prepared, self.nodes.get(pod.node)), obstacle)
        except NotStoredError as error:
            return draft(None, _unknown(rules.NOT_STORED, str(error)))
        except DecodeError as error:
            past = undecoded(pod, container, old, new)
            if past is None:
                return draft(None, self._undecoded(pod, container, error))
            return draft(None, past, self._skipped(pod) if past.verdict is Verdict.KEEP else "")

    def _skipped(self, pod: Pod) -> str:
        """Return which file the target kubelet reads past, and why; empty where it decodes the manifest."""
        from hashcompat.core.kubelet.staticpods import unreadable  # noqa: PLC0415 - few pods are static

        why = unreadable(pod.static_manifest, self.new) if pod.static_manifest else ""
        return f"{pod.origin}: {why}" if why else ""

    def _undecoded(self, pod: Pod, container: Container, error: DecodeError) -> Decision:
        """Return UNKNOWN where the plan is to go on, or else raise the error as one of the input."""
        problem = f"{place(pod, container)}{error}"
        if not self.view.options.keep_going:
            raise InputError(f"{pod.origin}: {problem}") from None
        return _unknown(rules.NOT_DECODED, problem)

    def settings_on(self, pod: Pod) -> NodeSettings | None:
        """Return what a pod's node gives to its kubelet; None where no dump shows that."""
        return own_settings(pod, self.new, self.view)

    def target(self, pod: Pod) -> Kubelet:
        """Return the kubelet that starts on a pod's node, with the feature gates that the node sets."""
        return self._with_gates(pod, self.way.new, current=False) or self.new

    def _current(self, pod: Pod, release: str) -> Kubelet:
        """Return a pod's current kubelet, of a known release, with these gates as well."""
        return self._with_gates(pod, release, current=True) or self.view.current(release)

    def _with_gates(self, pod: Pod, release: str, *, current: bool) -> Kubelet | None:
        own = self.settings_on(pod)
        if own is None:
            return None
        key = current, release, own.gates
        if key not in self._gated_kubelets:
            kubelet = (self.view.current if current else self.view.kubelet)(release, own.gates)
            self._gated_kubelets[key] = structs.replace(kubelet, gates=kubelet.gates.completed())
        return self._gated_kubelets[key]

    def release_of(self, pod: Pod) -> str:
        """Return the current release of a pod's kubelet, as given; empty where unknown."""
        if self.way.old == AUTO:
            return self.nodes[pod.node].kubelet if pod.node in self.nodes else ""
        if self._overridden:
            return self.way.old
        return self.claim.disputed.get(pod.node) or self.claim.builds.get(pod.node, self.way.old)

    def is_disputed(self, pod: Pod) -> bool:
        """Return whether a pod's node reports another release than is given, which is not overridden."""
        return not self._overridden and pod.node in self.claim.disputed

    def has_kubelet(self, pod: Pod) -> bool:
        """Return whether a kubelet runs a pod that is on a node, as far as the nodes in the input show.

        A pod whose node is gone stays behind for a while. A manifest counts as running.
        """
        if pod.manifest or not pod.node or not self.nodes:
            return True
        return pod.node in self.nodes and pod.node not in self._virtual

    def _with_same_uid(self, prepared: Prepared) -> Prepared:
        """Add to a case what a mirror pod shows of its static pod's UID."""
        case = prepared.case
        if not case.pod.static:
            return prepared
        same = self.templates.same_uid(case.pod, case.old, case.new)
        return structs.replace(prepared, case=structs.replace(case, same_uid=same))

    def _prepare(self, pod: Pod, container: Container, old: Kubelet | None, new: Kubelet) -> Prepared:
        """Prepare a container; the replica of a prepared one reuses its hashes."""
        named, node = self.templates.of(pod, container), self.nodes.get(pod.node)
        whole = self.templates.whole(pod)
        key = named.likeness, old, new
        if not named.names and key in self._prepared:
            return replica(self._prepared[key], pod, container, node, self.view, whole)
        served = self.templates.served(pod, container)
        transition = Transition(pod, container, old or new, new, whole, old is not None, served)
        prepared = prepare(transition, node, self.view, self.templates.hash)
        if prepared.old_spec is container.spec and prepared.new_spec is container.spec:
            prepared = structs.replace(prepared, template=named.template, names=named.names)
        if not named.names:
            self._prepared.add(key, prepared, named.likeness.size)
        return prepared


def _normalized(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts of a pod as they are once its records are rewritten, as far as that is proven."""
    from hashcompat.analysis.planning.normalized import of_pod, rewritten  # noqa: PLC0415 - few plans do

    return [
        structs.replace(draft, prepared=rewritten(draft.prepared, remedy)) if draft.prepared else draft
        for draft, remedy in zip(drafts, of_pod(drafts), strict=True)
    ]


def _unknown(rule: str, text: str) -> Decision:
    return Decision(Verdict.UNKNOWN, (Reason(rule, text),))


def _unknown_release(pod: Pod, container: Container, release: str, from_release: str) -> Decision:
    """Return UNKNOWN where a node's release is not, and where another one than it reports is given."""
    if why := at_rest(pod, container):
        return not_compared(why)
    if from_release:
        return _unknown(rules.NODE_DISPUTED, f"node {pod.node} reports {release}, and not {from_release}")
    where = f"node {pod.node}" if pod.node else "a pod without a node"
    problem = (
        f"kubelet release {release} is not known" if release else "its kubelet release is not in the input"
    )
    return _unknown(rules.NODE_RELEASE, f"{where}: {problem}")


_NUMBERED: Final = regex(r"v?\d{1,9}\.\d{1,9}\b", re.ASCII)
"""How a text begins that names a release, if not a known one: ``v1.31.0-rc.1``."""


class Claim(msgspec.Struct, frozen=True):
    """What nodes report where that is not the release that the plan is given."""

    builds: Mapping[str, str] = {}
    """The builds of nodes which nothing distinguishes from that release; theirs count."""

    disputed: Mapping[str, str] = {}
    """Those that contradict it, by the node."""


def claim_of(way: Way, nodes: Iterable[Node], view: View) -> Claim:
    """Return which nodes report another release than an upgrade is given to start from.

    Nothing where that is what they report, where it is a step further on, and for the sample, whose nodes
    run whatever is asked for. A text that names no release contradicts none.
    """
    if way.old == AUTO or not view.dated or view.sample:
        return Claim()
    old, builds, disputed = view.catalog.kubelet(way.old), dict[str, str](), dict[str, str]()
    for node in nodes:
        if view.catalog.knows(node.kubelet):
            kubelet = view.catalog.kubelet(node.kubelet)
            if not same_build(kubelet.release, old.release):
                alike = _is_harmless(kubelet, old, view.catalog)
                (builds if alike else disputed)[node.name] = node.kubelet
        elif _NUMBERED.match(node.kubelet):
            disputed[node.name] = node.kubelet
    return Claim(builds, disputed)


_AT_A_START: Final = ("device_health", "finished_pods", "host_ports", "labels_at_admission", "room")
"""What of a kubelet's behaviour counts when it starts, and not when it ran before."""


def _is_harmless(reported: Kubelet, old: Kubelet, catalog: Catalog) -> bool:
    """Return whether two builds are of one release, or of two of a minor that hash and run pods alike."""
    if same_upstream(reported.release, old.release):
        return True
    if not same_minor(reported.release, old.release):
        return False
    mine, its = (catalog.kubelet(kubelet.release.upstream) for kubelet in (reported, old))
    at_its_start = {name: getattr(mine.behaviour, name) for name in _AT_A_START}
    return (mine.way, mine.behaviour) == (its.way, structs.replace(its.behaviour, **at_its_start))


def reports(disputed: Sequence[DisputedNode], from_release: str) -> str:
    """Say which nodes report another release than a plan is given."""
    nodes = listed((f"{word(dispute.node)} ({word(dispute.kubelet)})" for dispute in disputed), len(disputed))
    report = f"{count(len(disputed), 'node')} {'reports' if len(disputed) == 1 else 'report'}"
    return f"{report} another release than {from_release}: {nodes}"


def contradiction(disputed: Sequence[DisputedNode], from_release: str, *, overridden: bool) -> str:
    """Say which nodes report another release, and what comes of it, in one line."""
    then = "their pods are UNKNOWN, and --from auto takes what nodes report"
    if overridden:
        then = f"planned as {from_release} anyway, because of --override-node-releases"
    return f"{reports(disputed, from_release)}; {then}"
