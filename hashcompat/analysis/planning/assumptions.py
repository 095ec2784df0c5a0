"""What a plan assumes: releases read as another one, and what pods, nodes and records do not show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final

from hashcompat.analysis.planning.judge import Judge
from hashcompat.analysis.planning.reasons import listed
from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import same_upstream
from hashcompat.core.kubelet.decide.admission import NOT_ALLOWED
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE, RESIZE_GATE
from hashcompat.core.kubelet.decide.pod import READS
from hashcompat.core.model.escape import count, name_path
from hashcompat.core.model.items import Item, Prediction
from hashcompat.core.model.plan import AUTO, ReleaseFacts
from hashcompat.core.model.verdicts import Reason, Verdict

_ALIGNED: Final = {
    "asked for again": "asks for free CPUs",
    "by whole cores": "asks for a number of whole cores",
}
"""What a kubelet does with that option, by ``Behaviour.aligned_cpus``."""

_GATES: Final = {rules.RESIZE_POLICY: RESIZE_GATE, rules.STATIC_REFUSED: REFERENCES_GATE}


def assumptions(items: Sequence[Item], judge: Judge) -> Iterator[str]:
    """Yield a short line for each assumption that could change one of these verdicts."""
    new, catalog = judge.new, judge.view.catalog
    predicted = _Predicted(items)
    names = {prediction.from_release for prediction in predicted.distinct}
    olds = [catalog.kubelet(name) for name in sorted(names) if catalog.knows(name)]
    if judge.view.sample and judge.way.old != AUTO and _report_others(judge):
        yield f"the nodes of the sample run {judge.way.old}, whatever they report"
    if judge.view.current_patch is not None:
        patch = judge.view.current_patch
        yield f"the current kubelets are patched: hashcompat patch --strategy {patch.strategy} --like {patch}"
    if judge.view.patch is not None:
        yield f"{new.release.upstream} is patched as by: hashcompat patch {judge.view.patch}"
    if judge.view.options.normalized:
        yield "records that can be rewritten are rewritten first: hashcompat normalize"
    yield from _read_as(dict.fromkeys([*olds, new]))
    yield from _docker(predicted, olds, judge)
    yield from _creators(predicted)
    yield from _cgroups(list(filter(_stands, predicted.distinct)), olds, new)
    yield from _kept(predicted, new)
    unrecorded = {old.release.text for old in olds if not old.behaviour.resources_recorded}
    if resized := predicted.where(
        lambda prediction: prediction.from_release in unrecorded and _is_resized(prediction)
    ):
        yield (
            f"no kubelet that records resources, as {new.release} does, ran on these nodes before: "
            f"{_named(resized)}"
        )
    if _noted(predicted, olds, new):
        yield (
            "no pod_status_manager_state of an older kubelet is left on these nodes, by which "
            f"{new.release} would admit pods that were resized since"
        )
    sysctls = predicted.where(
        lambda prediction: (
            prediction.verdict is Verdict.KILL
            and not prediction.settings_shown
            and any(map(_by_option, prediction.reasons))
        )
    )
    if sysctls and judge.view.options.allowed_sysctls is None:
        yield f"--allowed-unsafe-sysctls of {new.release} is empty: {_named(sysctls)}"
    if kernels := predicted.where(lambda prediction: prediction.by_kernel):
        text = f"the kernels are new enough for the sysctls that {new.release} holds safe"
        yield f"{text}: {_named(kernels)}"
    if devices := predicted.where(lambda prediction: prediction.of_plugins):
        yield f"device plugins serve the extended resources of these containers: {_named(devices)}"
    yield from (f"the feature gate {gate} has its default" for gate in sorted(_by_default(predicted, judge)))


def _noted(predicted: _Predicted, olds: Iterable[Kubelet], new: Kubelet) -> bool:
    """Return whether a kubelet goes by allocations in a file of its own, which the one before it let be.

    Source: pkg/kubelet/status/status_manager.go ``Start`` and ``UpdatePodFromAllocation``, 1.32.13;
    pkg/kubelet/allocation/allocation_manager.go, 1.33.13: another file, and the old one stays.
    """
    if new.behaviour.resources_recorded or not new.gates.is_on(RESIZE_GATE):
        return False
    names = {old.release.text for old in olds if old.behaviour.resources_recorded}
    return any(prediction.from_release in names and _is_kept(prediction) for prediction in predicted.distinct)


def _by_default(predicted: _Predicted, judge: Judge) -> set[str]:
    """Return the feature gates that decide something, and that nobody said how they are set."""
    new = judge.new
    unknown = [prediction for prediction in predicted.distinct if not prediction.settings_shown]
    gates = {
        _GATES[reason.id] for prediction in unknown for reason in prediction.reasons if reason.id in _GATES
    }
    gates = {gate for gate in gates if new.gates.knows(gate) and not new.gates.sets(gate)}
    if any(READS in reason.text for prediction in unknown for reason in prediction.reasons):
        # the current kubelet's counts too, of a pod that only the target one reads
        kubelets = (judge.view.catalog.kubelet(judge.way.old), new)
        if any(kubelet.gates.knows(REFERENCES_GATE) for kubelet in kubelets):
            gates |= {REFERENCES_GATE} - judge.view.options.gates
    return gates


def _by_option(reason: Reason) -> bool:
    """Return whether a sysctl is refused that an option might allow."""
    return reason.id == rules.SYSCTL and NOT_ALLOWED not in reason.text


def _report_others(judge: Judge) -> bool:
    old = judge.view.catalog.kubelet(judge.way.old).release
    reported = (judge.view.catalog.kubelet(node.kubelet).release for node in judge.nodes.values())
    return not all(same_upstream(release, old) for release in reported)


class _Predicted:
    """Items, and their predictions, which replicas share: few are left to look at."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        by_id = {id(prediction): prediction for prediction in map(attrgetter("prediction"), items)}
        self.distinct = tuple(by_id.values())

    def where(self, asked: Callable[[Prediction], object]) -> list[Item]:
        """Return the items about whose prediction something is so."""
        ids = {id(prediction) for prediction in self.distinct if asked(prediction)}
        return [item for item in self.items if id(item.prediction) in ids] if ids else []


def _stands(prediction: Prediction) -> bool:
    return prediction.verdict in (Verdict.KEEP, Verdict.RESTART) and not (
        prediction.pod_recreated or prediction.rests
    )


def _is_kept(prediction: Prediction) -> bool:
    return prediction.verdict is Verdict.KEEP and _stands(prediction)


def _is_resized(prediction: Prediction) -> bool:
    return any(reason.id == rules.RESIZE_POLICY for reason in prediction.reasons)


def _read_as(kubelets: Iterable[Kubelet]) -> Iterator[str]:
    for kubelet in kubelets:
        if kubelet.vendor_assumed:
            yield f"{kubelet.release}: a vendor's build, read as upstream {kubelet.release.upstream}"
        if kubelet.based_on:
            yield (
                f"{kubelet.release}: added by its types alone, "
                f"all else is taken to be as in {kubelet.based_on}"
            )
        if kubelet.patch_assumed:
            yield f"{kubelet.release}: newer than this program's data, read as {kubelet.release.minor}"


def _docker(predicted: _Predicted, olds: Sequence[Kubelet], judge: Judge) -> Iterator[str]:
    """Yield what a plan assumes where one of the releases has no dockershim.

    1.24 and cri-dockerd list the same Docker labels (``ListContainers`` of both).
    """
    new, releases = judge.new, {kubelet.release.text for kubelet in olds}
    if judge.view.options.other_runtime:
        return
    if new.behaviour.dockershim and any(not old.behaviour.dockershim for old in olds):
        yield f"nodes stay with their container runtime, though {new.release} drives Docker by default"
    by_record = any(
        prediction.from_release not in releases and prediction.hashed for prediction in predicted.distinct
    )
    if new.behaviour.dockershim or not (by_record or any(old.behaviour.dockershim for old in olds)):
        return
    if judge.view.options.cri_dockerd:
        yield (
            f"cri-dockerd drives Docker under {new.release}: "
            "it finds dockershim's containers and sandboxes by the labels that both write"
        )
    elif any(item.pod.node not in judge.nodes for item in predicted.where(_may_run)):
        yield f"nodes that are not in the input do not run Docker, which {new.release} does not drive"


def _may_run(prediction: Prediction) -> bool:
    """Return whether a pod may be in Docker: neither is that known already, nor does its container rest."""
    return not (prediction.rests or any(reason.id == rules.RUNTIME_GONE for reason in prediction.reasons))


def _creators(predicted: _Predicted) -> Iterator[str]:
    covered: dict[str, list[Item]] = {}
    for item in predicted.where(attrgetter("creator")):
        covered.setdefault(item.creator, []).append(item)
    for creator, items in sorted(covered.items()):
        verb = "was" if len(items) == 1 else "were"
        yield f"{count(len(items), 'container')} {verb} created by {creator}: {_named(items)}"


def _named(items: Sequence[Item]) -> str:
    names = (name_path(item.pod.namespace, item.pod.name, item.container.name) for item in items)
    return listed(names, len(items))


def _cgroups(standing: Sequence[Prediction], olds: Sequence[Kubelet], new: Kubelet) -> Iterator[str]:
    """Yield what a plan assumes where the default of pod cgroups changes.

    Where a pod's cgroup is missing the whole pod is killed, and a Never pod not started again (kubelet.go
    ``syncPod``).
    """
    names = {prediction.from_release for prediction in standing}
    for before in dict.fromkeys(old.behaviour.pod_cgroups for old in olds if old.release.text in names):
        if before != new.behaviour.pod_cgroups:
            yield (
                "pods' cgroups stay where they are, "
                f"though the default changes from {before} to {new.behaviour.pod_cgroups}"
            )


def _kept(predicted: _Predicted, new: Kubelet) -> Iterator[str]:
    """Yield what a plan assumes of the containers that it keeps."""
    kept = list(filter(_is_kept, predicted.distinct))
    if not all(prediction.sandboxed for prediction in kept):
        yield "every pod without a recorded sandbox has one ready sandbox"
    if served := predicted.where(lambda prediction: prediction.from_url and _is_kept(prediction)):
        yield f"the URL of static pods, port and all, stays the same: {_named(served)}"
    if unstarted := predicted.where(lambda prediction: prediction.unstarted and _stands(prediction)):
        where = sorted({item.pod.node for item in unstarted})
        text = f"{new.release} starts on {listed(where, len(where))}"
        yield f"{text}, as it does not with the cpu_manager_state there (PF-105): {_named(unstarted)}"
    if aligned := predicted.where(lambda prediction: prediction.aligned and _stands(prediction)):
        nodes = sorted({item.pod.node for item in aligned} - {""})
        of_whom = f"of {listed(nodes, len(nodes))} " if nodes else ""
        yield (
            f"the CPU manager {of_whom}does not have the policy option full-pcpus-only, with which "
            f"{new.release} {_ALIGNED[new.behaviour.aligned_cpus]} before it looks at those that a container "
            f"has: {_named(aligned)}"
        )
    if mistaken := predicted.where(lambda prediction: prediction.mistaken and _stands(prediction)):
        yield (
            f"{new.release} does not mistake a container with extended resources that was created again for "
            f"its predecessor, to which a device plugin may have given them (HC038): {_named(mistaken)}"
        )
    if gated := predicted.where(lambda prediction: prediction.gated and _is_kept(prediction)):
        yield (
            f"the feature gate {RESIZE_GATE} was on before {new.release}, which locks it, so that no "
            f"resizePolicy restarts these: {_named(gated)}"
        )
    if timed := predicted.where(lambda prediction: prediction.timed and _stands(prediction)):
        yield f"{new.release} starts before the activeDeadlineSeconds of these pass: {_named(timed)}"
    if kept:
        yield f"{new.release} admits every running pod again that this plan does not report as refused"


def facts(name: str, kubelet: Kubelet) -> ReleaseFacts:
    """Return how ``name`` was read as a kubelet's release."""
    return ReleaseFacts(
        name,
        read_as=kubelet.release.upstream,
        era=kubelet.era.name,
        types=kubelet.schema.name,
        vendor_assumed=kubelet.vendor_assumed,
        patch_assumed=kubelet.patch_assumed,
    )
