"""PF-105: a cpu_manager_state with which the kubelet does not start."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat import shown
from hashcompat.errors import DecodeError
from hashcompat.go import cpuset
from hashcompat.preflight.checks import states
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, containers
from hashcompat.preflight.facts.settings import chosen, truth
from hashcompat.preflight.facts.statefiles import State
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

ONLINE: Final = "/sys/devices/system/cpu/online"
"""The CPUs that the kernel uses."""

_STATIC: Final = "static"
_STRICT: Final = "strict-cpu-reservation"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    file = upgrade.hazards.states.cpu_manager_state
    return states.problems(
        facts, upgrade, file, lambda state: _objections(facts, upgrade, state, state.content)
    )


def _objections(facts: Facts, upgrade: Upgrade, state: State, content: Mapping[str, Any]) -> Iterator[str]:
    yield from _missing_containers(facts, upgrade, state, content)
    policy = chosen(facts.flags, "cpu-manager-policy", facts.config, "cpuManagerPolicy", "none")
    written = content.get("policyName") or ""
    if policy != written:
        given, found = (json.dumps(shown.name(str(one))) for one in (policy, written))
        yield f"the configured policy {given} differs from {found} in the file"
    elif policy == _STATIC and upgrade.hazards.cpus_have_to_match:
        yield from _other_cpus(facts, content)


def _missing_containers(
    facts: Facts, upgrade: Upgrade, state: State, content: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the entries by container id whose container no longer exists, where the target looks it up."""
    entries = content.get("entries") or {}
    if state.form is None or not state.form.by_id or not entries or not upgrade.hazards.cpu_entries_migrate:
        return
    known = containers.ids(facts.dump)
    for name in sorted(entries):
        if name not in known:
            yield f"it names container {name[:12]}, which no longer exists"


def _other_cpus(facts: Facts, content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the difference between the node's CPUs and those in the file (policy_static.go validateState)."""
    try:
        default = cpuset.parse(content.get("defaultCpuSet") or "")
        given = list(_given(content))
        online = cpuset.parse(facts.dump.read("file", ONLINE).strip())
    except DecodeError as error:
        raise UnreadError(str(error)) from None
    known = default.union(*given)
    if default and known != (present := online - _strictly_reserved(facts)):
        yield f"it has the CPUs {cpuset.show(known)} and the node has {cpuset.show(present)}"
    elif given and not default:
        yield "it leaves no CPU to other containers"


def _given(content: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    for assigned in (content.get("entries") or {}).values():
        sets = [assigned] if isinstance(assigned, str) else (assigned or {}).values()
        yield from map(cpuset.parse, sets)
    for entry in (content.get("podEntries") or {}).values():
        yield cpuset.parse((entry or {}).get("cpuSet") or "")


def _strictly_reserved(facts: Facts) -> frozenset[int]:
    """Return the CPUs that are kept out of the file (option strict-cpu-reservation, from 1.32)."""
    options = facts.config.get("cpuManagerPolicyOptions")
    if not isinstance(options, Mapping) or truth(options.get(_STRICT)) is not True:
        return frozenset()
    reserved = chosen(facts.flags, "reserved-cpus", facts.config, "reservedSystemCPUs", "")
    if not reserved:
        raise UnreadError(f"{_STRICT} is set, and which CPUs are reserved is up to the kubelet")
    return cpuset.parse(reserved)


CPU_STATE: Final = Check(
    Rule(
        "PF-105",
        "state of the CPU manager",
        "The file cpu_manager_state has another policy than the kubelet to be started, other CPUs than the "
        "node, a form that this kubelet does not read, a checksum that does not hold, or containers that no "
        "longer exist.",
        "pkg/kubelet/cm/cpumanager/state/state_checkpoint.go, 1.12.0 - 1.37.1 (kubernetes/kubernetes#84462)",
    ),
    (
        "cpu_manager_state",
        "the policy in the kubelet's command line and configuration file",
        ONLINE,
        "the list of containers",
    ),
    _find,
)
