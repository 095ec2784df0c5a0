"""What dumps show plans of the resource managers on the nodes whose kubelets start."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import structs

from hashcompat.analysis.preflight.facts import Facts
from hashcompat.analysis.preflight.facts.cpustate import objections
from hashcompat.analysis.preflight.facts.managers import (
    STATIC,
    STATIC_MEMORY,
    cpus_of,
    memory_policy,
    policy,
)
from hashcompat.analysis.preflight.facts.statefiles import Condition, is_read
from hashcompat.core.catalog.behaviour import Gates, Settings
from hashcompat.core.catalog.hazards import Hazards
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.errors import InputError
from hashcompat.core.kubelet.decide.cpus import Cpus, taken_anew, with_gates
from hashcompat.core.kubelet.decide.resize import infeasible
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.pods import Pod
from hashcompat.core.model.verdicts import Files
from hashcompat.core.records.collected import dump_of
from hashcompat.core.records.index import Records
from hashcompat.core.records.probes import AbsentError, UnparsedError, UnreadError


@lru_cache(maxsize=1 << 10)
def shown(
    files: Files, kubelet: Kubelet, catalog: Catalog, architecture: str = ""
) -> tuple[Cpus, Settings] | None:
    """Return what the CPU manager of a kubelet finds in the files of its node, and the gates that these set.

    ``architecture`` as that of a Node object. None where that is not known.
    """
    hazards = catalog.hazards(kubelet.release)
    facts = Facts(dump_of(files), known=hazards.flags)
    try:
        gates = kubelet.gates.with_settings(facts.gates)
        if _is_kept_from_starting(facts, hazards, gates):
            return Cpus(unstarted=True), facts.gates
        cpus = cpus_of(facts, hazards.states, gates, architecture=architecture)
        return structs.replace(cpus, fixed=frozenset(_fixed(facts))), facts.gates
    except (AbsentError, UnreadError, UnparsedError, InputError):
        return None


def _is_kept_from_starting(facts: Facts, hazards: Hazards, gates: Gates) -> bool:
    """Return whether the CPU manager surely does not start with its file, whatever its policy."""
    file = hazards.states.cpu_manager_state
    if not (is_read(file, gates) and gates.is_on("CPUManager")):
        return False
    try:
        state = facts.state(file, gates)
        return state.condition != Condition.GOOD or any(
            objections(facts, state.content, compares=hazards.cpus_have_to_match)
        )
    except (AbsentError, UnreadError):
        return False


def _fixed(facts: Facts) -> Iterator[str]:
    """Yield the resources whose manager has the policy static."""
    if policy(facts) == STATIC:
        yield "cpu"
    if memory_policy(facts) == STATIC_MEMORY:
        yield "memory"


class Exclusive:
    """How many CPUs of their own the pods of nodes take anew when a kubelet starts, as dumps show it."""

    def __init__(self, records: Records, kubelet: Kubelet, catalog: Catalog) -> None:
        self._records, self._kubelet, self._catalog = records, kubelet, catalog
        self._of_nodes = {one.node: one for one in records.files.values()}
        self._known: dict[int, tuple[Cpus, Settings] | None] = {}
        """By the identities of files, which the records keep: pods of all nodes pass in no order of these."""
        self._kubelets: dict[str, Kubelet] = {}

    def kubelet_on(self, node: str) -> Kubelet:
        """Return the kubelet that starts on a node, with the feature gates that its files set."""
        if node not in self._kubelets:
            files = self._of_nodes.get(node)
            found = shown(files, self._kubelet, self._catalog) if files else None
            self._kubelets[node] = with_gates(self._kubelet, found[1]) if found else self._kubelet
        return self._kubelets[node]

    def anew(self, pod: Pod, old: Kubelet | None) -> int:
        """Return how many one pod takes at most (``taken_anew``); 0 too where that is not known."""
        found = self._found(self._records.files_of(pod) or self._of_nodes.get(pod.node))
        if found is None or not found[0].exclusive:
            return 0
        cpus, settings = found
        return taken_anew(Whole(pod), pod, cpus, old, with_gates(self._kubelet, settings))

    def is_infeasible(self, pod: Pod) -> bool:
        """Return whether a resource manager surely rules out the resize of a pod that waits."""
        found = self._found(self._records.files_of(pod))
        if found is None:
            return False
        kubelet = with_gates(self._kubelet, found[1])
        return bool(infeasible(pod, Whole(pod), found[0].fixed, kubelet))

    def may_lack(self, node: str, number: int) -> bool:
        """Return whether a pod may find too few where those of a node take so many.

        With whole cores, what one has counts once more.
        """
        found = self._found(self._of_nodes.get(node))
        return found is None or found[0].whole_cores or number > found[0].available

    def _found(self, files: Files | None) -> tuple[Cpus, Settings] | None:
        if files is None:
            return None
        if id(files) not in self._known:
            found = shown(files, self._kubelet, self._catalog)
            self._known[id(files)] = None if found is None or found[0].unstarted else found
        return self._known[id(files)]
