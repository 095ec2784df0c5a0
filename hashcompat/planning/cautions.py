"""What an upgrade changes besides verdicts: what may still kill a container afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.catalog.lookup import Kubelet
from hashcompat.corev1.scheduling import label_keys
from hashcompat.kubelet.decide.never import at_rest
from hashcompat.model.pods import Pod
from hashcompat.model.words import count
from hashcompat.planning.assumptions import named
from hashcompat.planning.judge import Draft, Judge

PROBE_GATE: Final = "ExecProbeTimeout"

_OF_KUBELETS: Final = frozenset(
    f"{prefix}kubernetes.io/{name}" for prefix in ("", "beta.") for name in ("hostname", "os", "arch")
)
"""The labels that a kubelet gives its node by itself (kubelet_node_status.go ``initialNode``)."""

_KILLING: Final = ("livenessProbe", "startupProbe")


class Cautions:
    """Collects, container by container, what to warn of."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._slow: dict[tuple[str, str], list[str]] = {}
        self._selective: dict[str, list[str]] = {}
        self._nodes: set[str] = set()

    def add(self, draft: Draft) -> None:
        """Look at one more container."""
        self._nodes.add(draft.pod.node)
        case = draft.prepared.case if draft.prepared else None
        if case is None or not case.old_known or at_rest(draft.pod, draft.container):
            return
        if case.new.behaviour.labels_at_admission != "read" and _selects_more_than(_OF_KUBELETS, draft.pod):
            pods = self._selective.setdefault(str(case.new.release), [])
            pods += [pod] if (pod := f"{draft.pod.namespace}/{draft.pod.name}") not in pods[-1:] else []
        if self._begins_to_enforce(case.old, case.new) and any(_has_exec(draft.container.spec)):
            name = f"{draft.pod.namespace}/{draft.pod.name}/{draft.container.name}"
            self._slow.setdefault((str(case.old.release), str(case.new.release)), []).append(name)

    def _begins_to_enforce(self, old: Kubelet, new: Kubelet) -> bool:
        before, now = (kubelet.behaviour.exec_probe_timeout for kubelet in (old, new))
        return (before, now) == (
            "ignored",
            "enforced",
        ) and PROBE_GATE not in self._judge.view.options.gates_off

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind of trouble."""
        for (old, new), names in self._slow.items():
            yield (
                f"{new} enforces the timeoutSeconds of exec probes, which {old} ignored: "
                "a liveness or startup probe that takes longer kills its container "
                f"({count(len(names), 'container')}: {named(names)})"
            )
        for new, pods in self._selective.items():
            yield (
                f"{new} may look at pods before it has read its node's labels, and then refuses those that "
                "select a label which it does not set itself (kubernetes/kubernetes#94087: "
                f"{count(len(pods), 'pod')}: {named(pods)})"
            )
        yield from self._runtimes()

    def _runtimes(self) -> Iterator[str]:
        """Warn of runtimes that lose what a kubelet checks, if they restart with it."""
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


def _selects_more_than(labels: frozenset[str], pod: Pod) -> bool:
    return any(key not in labels for key in label_keys(pod.spec))


def _has_exec(spec: Mapping[str, Any]) -> Iterator[bool]:
    for key in _KILLING:
        probe = spec.get(key)
        yield isinstance(probe, Mapping) and bool(probe.get("exec"))
