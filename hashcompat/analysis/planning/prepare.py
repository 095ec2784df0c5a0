"""A container and two kubelets -> the case to decide: what each kubelet sees, and its hash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.patched import Accepting, as_decoded
from hashcompat.analysis.planning.reading import Transition, read, served_to
from hashcompat.analysis.planning.templates import Template
from hashcompat.analysis.planning.view import HashOf, Spec, View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import same_upstream
from hashcompat.core.kubelet.decide.case import RESIZE_GATE, Case
from hashcompat.core.kubelet.decide.cpus import Cpus, refused, taken_anew, with_gates, without_held, worst
from hashcompat.core.kubelet.decide.pod import NEVER_COMPARED
from hashcompat.core.kubelet.decide.resize import applies_resources, infeasible, restarted_for
from hashcompat.core.kubelet.decide.sandbox import is_resized
from hashcompat.core.kubelet.decide.static import mirror_with_own_uid, mirrored
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import ContainerHash, container_hash
from hashcompat.core.model.plan import Refusal
from hashcompat.core.model.pods import Container, Node, Pod
from hashcompat.core.model.verdicts import Hash, Recorded, Sandbox
from hashcompat.core.records.index import Records

if TYPE_CHECKING:
    from hashcompat.analysis.planning.served import Served
    from hashcompat.analysis.preflight.facts.nodemanagers import NodeSettings


class Prepared(msgspec.Struct, frozen=True, eq=False):
    """A case with what each kubelet sees."""

    case: Case
    """The case to decide."""
    old_spec: Spec
    """What the current kubelet sees."""
    new_spec: Spec
    """What the target kubelet sees."""
    filled: tuple[str, ...]
    """The paths that the target API server fills in by itself and that change the target kubelet's hash."""
    group: object = msgspec.field(default_factory=object)
    """The same object in all replicas, and only there."""
    template: Template | None = None
    """The template of the spec that both kubelets see; None where they see another, or it has none."""
    names: tuple[str, ...] = ()
    """The names with which the container is made of the template."""


def prepare(transition: Transition, node: Node | None, view: View, hash_of: HashOf | None = None) -> Prepared:
    """Build the case of one container.

    Raises DecodeError, with the path inside the container, for JSON that does not fit a kubelet's Go types.
    """
    pod, container, old, new = transition.pod, transition.container, transition.old, transition.new
    served = served_to(transition, view)
    spec = view.seen(pod, container, old) if served is None else served.created(view.creator(old))
    reading = read(spec, transition, view, served)
    as_given = not pod.manifest and reading.spec is spec
    hashed = hash_of if as_given and hash_of is not None else view.hash
    if served is not None:
        hashed = _by_way(served, view)
    new_hash = hashed(pod, container, reading.spec, new)
    kubelets = old if transition.old_known else None, new
    case = Case(
        pod,
        container,
        old,
        new,
        old_hash=hashed(pod, container, spec, old),
        new_hash=new_hash.with_candidates(reading.without),
        old_known=transition.old_known,
        cri_dockerd=view.options.cri_dockerd,
        other_runtime=view.options.other_runtime,
        assume_upstream=view.options.assume_upstream,
        without_resources=_without_resources(transition, reading.spec),
        lost_default=reading.lost,
        accepted=_accepted(transition, reading.spec, view),
        **_static(transition, spec, view.options.records),
        of_pod=transition.whole,
        **_situation(pod, container, kubelets, node, view, transition.whole),
    )
    if served is not None and container.type not in NEVER_COMPARED:  # no hash decides about those
        creation = Creation(case, spec, view, served)
        case = structs.replace(case, admission=creation.addition(), server_gate=creation.gates())
    return Prepared(case, spec, reading.spec, reading.filled)


def _by_way(served: Served, view: View) -> HashOf:
    """Return what hashes a manifest's container; a pinned kubelet first converts it into other types."""

    def hashed(pod: Pod, container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        plain = kubelet.decodes is None
        return served.hash(spec, kubelet) if plain else view.hash(pod, container, spec, kubelet)

    return hashed


def replica(
    prepared: Prepared, pod: Pod, container: Container, node: Node | None, view: View, whole: Whole
) -> Prepared:
    """Return the case of a replica of a prepared container: same hashes, its own pod, node and records."""
    case = prepared.case
    kubelets = case.old if case.old_known else None, case.new
    situation = _situation(pod, container, kubelets, node, view, whole)
    case = structs.replace(case, pod=pod, container=container, of_pod=whole, **situation)
    return structs.replace(prepared, case=case)


def _situation(
    pod: Pod,
    container: Container,
    kubelets: tuple[Kubelet | None, Kubelet],
    node: Node | None,
    view: View,
    whole: Whole,
) -> dict[str, Any]:
    """Return the fields of a case that hold what is known about this container, its pod and its node."""
    old, _ = kubelets
    records = view.options.records
    recorded = records.of(pod, container)
    sandboxes = sandboxes_of(records, pod, whole)
    # with another kubelet than the current one, the runtime of a node may differ
    own = node.runtime if node is not None and is_current(node, old, view) else ""
    return {
        "recorded": recorded,
        "sandboxes": sandboxes,
        "applied": records.applied_to(pod, container),
        "runtime": own
        or _recorded_runtime(recorded, sandboxes)
        or ("docker://" if node is None and whole.in_docker else ""),
        "node": node,
        "gone": pod.uid in view.gone,
        "overdue": view.is_overdue(pod),
        "short": view.short.get(pod.uid) if view.short else None,
        **_managers(pod, kubelets, node, view, whole),
        "deferred": view.deferred.get(pod.uid) if view.deferred else None,
        "allowed_sysctls": _allowed_sysctls(pod, kubelets[1], view),
        "privileged": _privileged(pod, kubelets[1], view),
    }


def own_settings(pod: Pod, new: Kubelet, view: View) -> NodeSettings | None:
    """Return what a pod's node gives to the kubelet that starts; None where no dump shows that."""
    files = view.options.records.files_of(pod)
    if files is None:
        return None
    from hashcompat.analysis.preflight.facts import nodemanagers  # noqa: PLC0415 - plans with dumps alone

    return nodemanagers.settings_of(files, new, view.catalog)


def _allowed_sysctls(pod: Pod, new: Kubelet, view: View) -> frozenset[str] | None:
    """Return the unsafe sysctls that the target kubelet allows; None where that is not known."""
    if view.options.allowed_sysctls is not None:
        return view.options.allowed_sysctls
    own = own_settings(pod, new, view)
    return own.sysctls if own is not None else None


def _privileged(pod: Pod, new: Kubelet, view: View) -> bool | None:
    """Return whether the target kubelet runs privileged containers; None where that is not known."""
    if new.behaviour.privileged_pods == "always":
        return True
    own = own_settings(pod, new, view)
    return own.privileged if own is not None else None


_NO_MANAGERS: Final = {
    "refusal": None,
    "refused_anew": None,
    "infeasible": "",
    "managers_known": False,
    "unstarted": False,
}
"""What is known where no dump shows what resource managers do; a pod of which one does may have replicas."""


def _managers(
    pod: Pod, kubelets: tuple[Kubelet | None, Kubelet], node: Node | None, view: View, whole: Whole
) -> dict[str, Any]:
    """Return what the dump of a pod's node shows of what resource managers do, once for the pod."""
    pod = view.options.records.as_running(pod)
    files = view.options.records.files_of(pod)
    if files is None:
        return _NO_MANAGERS
    from hashcompat.analysis.preflight.facts import nodemanagers  # noqa: PLC0415 - plans with dumps alone

    old, new = kubelets
    managers = nodemanagers.shown(files, new, view.catalog, node.architecture if node else "")
    if managers is None:
        return _NO_MANAGERS
    cpus, settings = managers
    if cpus.unstarted:
        return {**_NO_MANAGERS, "managers_known": True, "unstarted": True}

    def refusal(state: Cpus) -> Refusal | None:
        before, after = old and with_gates(old, settings), with_gates(new, settings)
        taken = view.unheld[pod.node].until(pod) if pod.node in view.unheld else 0
        own = taken_anew(whole, pod, cpus, before, after)
        return worst(refused(whole, pod, structs.replace(state, claimed=max(taken - own, 0)), before, after))

    may_resize = pod.resizing or pod.seen is not None
    return {
        "refusal": whole.once(("managers", new), lambda: refusal(cpus), of=old),
        "refused_anew": whole.once(("anew", new), lambda: refusal(without_held(cpus)), of=old)
        if pod.static
        else None,
        "infeasible": infeasible(pod, whole, cpus.fixed, with_gates(new, settings)) if may_resize else "",
        "managers_known": True,
        "unstarted": False,
    }


def sandboxes_of(records: Records, pod: Pod, whole: Whole) -> tuple[Sandbox, ...]:
    """Return the sandboxes of a pod, found once for all of its containers."""
    return whole.once("sandboxes", lambda: records.sandboxes_of(pod), of=records)


def _recorded_runtime(recorded: Recorded | None, sandboxes: Iterable[Sandbox]) -> str:
    """Return the runtime in which a pod is seen to run; a node without an API server reports none."""
    runs = recorded is not None and recorded.docker and recorded.running
    return "docker://" if runs or any(sandbox.docker and sandbox.ready for sandbox in sandboxes) else ""


def is_current(node: Node, old: Kubelet | None, view: View) -> bool:
    """Return whether a node reports a current kubelet, not one that a plan merely supposes.

    None stands for one of an unknown release.
    """
    catalog = view.catalog
    if old is None or not catalog.knows(node.kubelet):
        return old is None and not catalog.knows(node.kubelet)
    return same_upstream(catalog.kubelet(node.kubelet).release, old.release)


def _static(transition: Transition, spec: Spec, records: Records) -> dict[str, Any]:
    """Return the fields of a case about a static pod whose manifest is available, and of a container of it.

    Where the manifest is a copy whose path on the node is not given, the UID under which the pod runs may
    show that it is in one of the usual directories.
    """
    pod, manifest = transition.pod, transition.pod.static_manifest
    if not manifest:
        return {}
    from hashcompat.core.kubelet.staticpods import elsewhere, static_view  # noqa: PLC0415 - few pods are static

    kubelets = (transition.old, transition.new)
    uids = tuple(static_view(manifest, kubelet).uid for kubelet in kubelets)
    runs_as = records.runs_as(pod) or pod.config_hash
    if runs_as and not manifest.placed and all(runs_as != static_uid.uid for static_uid in uids):
        for candidate in elsewhere(manifest):
            candidate_uids = tuple(static_view(candidate, kubelet).uid for kubelet in kubelets)
            if any(runs_as == static_uid.uid for static_uid in candidate_uids):
                uids = candidate_uids
                break
    return {"static_uids": uids, "runs_as": runs_as, "edited": _is_edited(transition, spec)}


def _is_edited(transition: Transition, spec: Spec) -> bool:
    """Return whether a manifest has another container than its mirror pod, by the current kubelet's hash.

    ``spec`` is what that kubelet sees. Any other UID than one that it sets itself shows the whole manifest.
    Admission may set in a mirror pod an image policy (AlwaysPullImages), and resources where there are none
    (LimitRanger). Raises DecodeError as ``prepare``.
    """
    pod, container, old = transition.pod, transition.container, transition.old
    ran = mirrored(container, mirror_with_own_uid(pod))
    if ran is None:
        return False
    of_admission = ["resources"] if not is_resized(container, ran) else []
    if ran.spec.get("imagePullPolicy") == "Always":
        of_admission.append("imagePullPolicy")
    was = {key: value for key, value in ran.spec.items() if key not in of_admission}
    was |= {key: spec[key] for key in of_admission if key in spec}
    now_hash, was_hash = (container_hash(as_decoded(variant, old), old).candidates for variant in (spec, was))
    return now_hash.isdisjoint(was_hash)


def _accepted(transition: Transition, spec: Spec, view: View) -> frozenset[Hash]:
    """Return the old hashes that the target kubelet accepts, where it is patched to accept some."""
    patch, new = view.patch, transition.new
    if patch is None or patch.strategy != "accept" or not patch.concerns(new):
        return frozenset()
    accepting = Accepting(new, patch.likes, patch.defaults)
    keep_empty, stored = view.keeps_empty(transition.pod), transition.container.stored
    return accepting.hashes(spec, keep_empty=keep_empty, stored=stored)


def _without_resources(transition: Transition, spec: Spec) -> frozenset[Hash]:
    """Return what the target kubelet compares with the recorded hash without resources, where it does.

    Source: pkg/kubelet/container/helpers.go ``HashContainerWithoutResources``.
    """
    new, stored = transition.new, transition.container.stored
    if not (new.behaviour.hash_without_resources and new.gates.is_on(RESIZE_GATE)):
        return frozenset()
    return container_hash({**spec, "resources": {}}, new, stored=stored).candidates


# What changes a manifest when its pod is created, and with it the verdict: admission and feature gates.


class Creation(msgspec.Struct, frozen=True):
    """A manifest's container as an API server creates it, and whether another spec changes its verdict."""

    case: Case
    """The case of the upgrade, decided for ``spec``."""
    spec: Spec
    """The container as the API server of the current kubelet creates it."""
    view: View
    """The release data and the options."""
    served: Served
    """What API servers make of the container."""

    def addition(self) -> str:
        """Name what admission adds that changes the verdict; empty where the manifest alone decides."""
        from hashcompat.core.apiserver.created import ADDITIONS  # noqa: PLC0415 - manifests alone need it

        for what, add in ADDITIONS.items():
            added = add(self.case.pod, self.spec)
            if added is not None and self._differs(added):
                return what
        return "the profile of an annotation" if self._profile_decides() else ""

    def _profile_decides(self) -> bool:
        """Return whether an annotation decides that only the target release's API server turns into a field.

        API servers are upgraded first, so either may have created the pod, unless the option says which.
        """
        server, pod = self.view.creator(self.case.old), self.case.pod
        newer = self.view.api_server(str(self.case.new.release))
        if self.view.options.apiserver or not pod.profiles or server.profiles == newer.profiles:
            return False
        upgraded = structs.replace(server, profiles=newer.profiles)
        return self._differs(self.served.created(upgraded))

    def gates(self) -> str:
        """Name the feature gates that change the verdict where the creating API server has them on.

        Those that the options set are known.
        """
        from hashcompat.core.apiserver.created import gates_at_work  # noqa: PLC0415 - as above

        container = self.case.container
        server, dropped = self.view.creator_gates(self.case.old), self.view.creator(self.case.old).dropped
        unset = self.case.whole.once(
            "unset gates", lambda: [row for row in dropped if not server.sets(row.gate)], of=dropped
        )
        gates = gates_at_work(container.spec, unset, container.type, self.served.image_volumes)
        deciding = tuple(gate for gate in gates if self._decide((gate,)))
        return ", ".join(deciding or (gates if len(gates) > 1 and self._decide(gates) else ()))

    def _decide(self, on: tuple[str, ...]) -> bool:
        from hashcompat.core.apiserver.created import ADDITIONS  # noqa: PLC0415 - as above

        pod, server = self.case.pod, self.view.creator(self.case.old)
        dropped = tuple(row for row in server.dropped if row.gate not in on)
        kept = self.served.created(structs.replace(server, dropped=dropped))
        return any(map(self._differs, [kept, *filter(None, [add(pod, kept) for add in ADDITIONS.values()])]))

    def _differs(self, other: Spec) -> bool:
        case = self.case
        transition = Transition(case.pod, case.container, case.old, case.new, case.whole)
        reading = read(other, transition, self.view, self.served)
        old, new = self.served.hash(other, case.old), self.served.hash(reading.spec, case.new)
        outcome = old.candidates.isdisjoint(new.candidates), self._is_resized(other)
        return outcome != (case.changed, self._is_resized(self.spec))

    def _is_resized(self, spec: Spec) -> bool:
        return applies_resources(self.case) and any(restarted_for(spec))
