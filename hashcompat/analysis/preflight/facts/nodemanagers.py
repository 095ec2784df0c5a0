"""What dumps show plans of the resource managers on the nodes whose kubelets start.

And what in a cpu_manager_state keeps a kubelet from starting: another policy, or CPUs that do not fit
(pkg/kubelet/cm/cpumanager/state/state_checkpoint.go ``restoreState`` and policy_static.go ``validateState``,
1.12.10 - 1.37.2).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import structs

from hashcompat.analysis.preflight.facts import Facts, host, managers
from hashcompat.analysis.preflight.facts.kubelet import chosen, truth
from hashcompat.analysis.preflight.facts.statefiles import Condition, is_read
from hashcompat.core.catalog.behaviour import Gates, Settings
from hashcompat.core.catalog.hazards import Hazards
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go import metav1
from hashcompat.core.kubelet.decide.cpus import Cpus, taken_anew, with_gates
from hashcompat.core.kubelet.decide.resize import infeasible
from hashcompat.core.kubelet.decide.room.tenants import node_resources
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.pods import Pod
from hashcompat.core.model.verdicts import Files
from hashcompat.core.records.collected import dump_of
from hashcompat.core.records.index import Records
from hashcompat.core.records.probes import AbsentError, UnparsedError, UnreadError
from hashcompat.core.shown import MASK
from hashcompat.core.shown import name as shown_name


class NodeSettings(msgspec.Struct, frozen=True):
    """What a kubelet is given on its node that decides about any of its pods."""

    gates: Settings
    """The feature gates that are set."""
    sysctls: frozenset[str]
    """The unsafe sysctls that it allows, and beginnings of them that end in ``*``."""
    privileged: bool | None = None
    """Whether it runs privileged containers; None where what it is given for that is no truth value."""


@lru_cache(maxsize=1 << 10)
def settings_of(files: Files, kubelet: Kubelet, catalog: Catalog) -> NodeSettings | None:
    """Return what a node gives to the kubelet that starts there; None where its files do not show that."""
    hazards = catalog.hazards(kubelet.release)
    facts = Facts(dump_of(files), hazards=hazards)
    try:
        value = facts.setting("allowed-unsafe-sysctls", "allowedUnsafeSysctls") or ()
        words = value.split(",") if isinstance(value, str) else value
        sysctls = frozenset(word.strip() for word in words if isinstance(word, str) and word.strip())
        if MASK in "".join(sysctls):
            return None
        return NodeSettings(facts.gates, sysctls, _runs_privileged(facts, kubelet, hazards))
    except (AbsentError, UnreadError, UnparsedError, InputError):
        return None


def _runs_privileged(facts: Facts, kubelet: Kubelet, hazards: Hazards) -> bool | None:
    """Return whether a kubelet runs privileged containers; None where its flag has no truth value.

    The configuration files of 1.8 and 1.9 have a field for it too.
    """
    way, field = kubelet.behaviour.privileged_pods, "allowPrivileged"
    if way == "always":
        return True
    if "allow-privileged" in facts.flags:
        return truth(facts.flags["allow-privileged"])
    if field in hazards.config.fields(kubelet.release) and field in facts.config:
        return truth(facts.config[field])
    return way == "unless forbidden"


@lru_cache(maxsize=1 << 10)
def shown(
    files: Files, kubelet: Kubelet, catalog: Catalog, architecture: str = ""
) -> tuple[Cpus, Settings] | None:
    """Return what the CPU manager of a kubelet finds in the files of its node, and the gates that these set.

    ``architecture`` as that of a Node object. None where that is not known.
    """
    hazards = catalog.hazards(kubelet.release)
    facts = Facts(dump_of(files), hazards=hazards)
    try:
        gates = kubelet.gates.beside(facts.gates)
        if _is_kept_from_starting(facts, hazards, gates):
            return Cpus(unstarted=True), facts.gates
        cpus = managers.cpus_of(facts, hazards.states, gates, architecture=architecture)
        # the resources whose manager has the policy static
        fixed = {"cpu"} if managers.policy(facts) == managers.STATIC else set[str]()
        fixed |= {"memory"} if managers.memory_policy(facts) == managers.STATIC_MEMORY else set()
        return structs.replace(cpus, fixed=frozenset(fixed)), facts.gates
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


class Exclusive:
    """How many CPUs of their own the pods of nodes take anew when a kubelet starts, as dumps show it."""

    def __init__(self, records: Records, kubelet: Kubelet, catalog: Catalog) -> None:
        self._records, self._kubelet, self._catalog = records, kubelet, catalog
        self._files_by_node = {files.node: files for files in records.files.values()}
        self._states: dict[int, tuple[Cpus, Settings] | None] = {}
        """By the identities of files, which the records keep: pods of all nodes pass in no order of these."""
        self._kubelets: dict[str, Kubelet] = {}

    def kubelet_on(self, node: str) -> Kubelet:
        """Return the kubelet that starts on a node, with the feature gates that its files set."""
        if node not in self._kubelets:
            files = self._files_by_node.get(node)
            settings = settings_of(files, self._kubelet, self._catalog) if files else None
            kubelet = with_gates(self._kubelet, settings.gates) if settings else self._kubelet
            self._kubelets[node] = kubelet
        return self._kubelets[node]

    def anew(self, pod: Pod, old: Kubelet | None) -> int:
        """Return how many one pod takes at most (``taken_anew``); 0 too where that is not known."""
        state = self._state(self._records.files_of(pod) or self._files_by_node.get(pod.node))
        if state is None or not state[0].exclusive:
            return 0
        cpus, settings = state
        return taken_anew(Whole(pod), pod, cpus, old, with_gates(self._kubelet, settings))

    def is_infeasible(self, pod: Pod) -> bool:
        """Return whether a resource manager surely rules out the resize of a pod that waits."""
        state = self._state(self._records.files_of(pod))
        if state is None:
            return False
        kubelet = with_gates(self._kubelet, state[1])
        return bool(infeasible(pod, Whole(pod), state[0].fixed, kubelet))

    def may_lack(self, node: str, number: int) -> bool:
        """Return whether a pod may find too few where those of a node take so many.

        With whole cores, what one has counts once more.
        """
        state = self._state(self._files_by_node.get(node))
        return state is None or state[0].whole_cores or number > state[0].available

    def _state(self, files: Files | None) -> tuple[Cpus, Settings] | None:
        if files is None:
            return None
        if id(files) not in self._states:
            state = shown(files, self._kubelet, self._catalog)
            self._states[id(files)] = None if state is None or state[0].unstarted else state
        return self._states[id(files)]


# A cpu_manager_state with which a kubelet does not start.


def objections(facts: Facts, content: Mapping[str, Any], *, compares: bool) -> Iterator[str]:
    """Yield what a kubelet objects to in the content of a file; ``compares`` its CPUs with the node's.

    Raises UnreadError where that cannot be known.
    """
    policy = chosen(facts.flags, "cpu-manager-policy", facts.config, "cpuManagerPolicy", "none")
    written = content.get("policyName") or ""
    if policy != written:
        configured, recorded = (json.dumps(shown_name(str(value))) for value in (policy, written))
        yield f"the configured policy {configured} differs from {recorded} in the file"
        return
    try:
        default = metav1.parse_cpus(content.get("defaultCpuSet") or "")
        # Up to 1.17 a set per container id, from 1.18 on a mapping of pods to containers and their sets.
        entries = (content.get("entries") or {}).values()
        sets = [[entry] if isinstance(entry, str) else (entry or {}).values() for entry in entries]
        own = [metav1.parse_cpus(text) for texts in sets for text in texts]
        whole = (content.get("podEntries") or {}).values()
        of_pods = [metav1.parse_cpus((entry or {}).get("cpuSet") or "") for entry in whole]
    except DecodeError:
        # state_file.go tryRestoreState, 1.10.13; state_checkpoint.go restoreState, 1.14.10 - 1.37.1
        yield "a set of CPUs in it is none"
        return
    if policy != managers.STATIC or not compares:
        return
    # what does not fit the node, or itself (policy_static.go validateState)
    if shared := default.intersection(frozenset[int]().union(*own)):
        yield f"it gives the CPUs {metav1.show_cpus(shared)} to containers, and to all others too"
        return
    try:
        managers.reserved_cpus(facts)
    except DecodeError:
        return  # the kubelet ends before it reads the file, as PF-126 reports
    online = host.online_cpus(facts.dump)
    cpus = default.union(*own, *of_pods)
    if default and cpus != (present := online - _strictly_reserved(facts)):
        yield f"it has the CPUs {metav1.show_cpus(cpus)} and the node has {metav1.show_cpus(present)}"
    elif (own or of_pods) and not default:
        yield "it leaves no CPU to other containers"
    # strictly reserved ones are not among those of the file
    elif default and not managers.has_option(facts, managers.STRICT):
        yield from _reserved_elsewhere(facts, default, online)


def _reserved_elsewhere(facts: Facts, default: frozenset[int], online: frozenset[int]) -> Iterator[str]:
    """Yield what is reserved now and was not when the file was written (policy_static.go validateState).

    Raises UnreadError where it takes the threads of the cores to know (``takeByTopology``), unless as many
    were reserved when the kubelet that wrote the file reported what its node can give.
    """
    listed, number = managers.reserved_cpus(facts)
    if listed is not None and (held := listed - default):
        yield f"the CPUs {metav1.show_cpus(held)} are reserved, and it gives them to containers"
    elif number > len(default):
        yield (
            f"{number} CPUs are reserved, and it leaves {len(default)} to all but containers with their own"
        )
    elif listed is None and number and 0 not in default:
        # A number is taken from the first core of the first socket on; which others, its threads decide.
        yield "CPU 0 is the first one that is reserved, and it gives it to containers"
    elif listed is None and number > 1 and default != online and not _were_reserved(facts):
        raise UnreadError(
            f"{number} CPUs are reserved, the cores decide which, and it gives some CPUs to containers; "
            "reservedSystemCPUs would name them"
        )


def _were_reserved(facts: Facts) -> bool:
    """Return whether the Node object shows that as much CPU was reserved as now."""
    node = facts.cluster.node
    if node is None or node.capacity is None or node.allocatable is None:
        return False
    had, gives = (
        node_resources(resources).amounts.get("cpu", 0) for resources in (node.capacity, node.allocatable)
    )
    return had - gives == 1000 * managers.reserved_amount(facts)


def _strictly_reserved(facts: Facts) -> frozenset[int]:
    """Return the CPUs that are kept out of the file (option strict-cpu-reservation, from 1.32)."""
    if not managers.has_option(facts, managers.STRICT):
        return frozenset()
    reserved = chosen(facts.flags, "reserved-cpus", facts.config, "reservedSystemCPUs", "")
    if not reserved:
        raise UnreadError(f"{managers.STRICT} is set, and which CPUs are reserved is up to the kubelet")
    return metav1.parse_cpus(reserved)
