"""PF-112: damaged state files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.catalog.statefiles import StateFile
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks import states
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.statefiles import Condition, is_read
from hashcompat.records.probes import AbsentError, UnreadError
from hashcompat.rules import Rule

_OWN: Final = frozenset({"allocated_pods_state", "actuated_pods_state", "device_plugins_state"})
"""The files whose checksum no other check looks at."""

_LEFT_OUT: Final = '"AllocResp":""'
"""How the collector writes what device plugins answered, which may hold secrets of environments."""

_NOT_VERIFIED: Final = "its checksum is not verified: a dump leaves out what device plugins answered"

_WORDS: Final = {Condition.EMPTY: "it is empty", Condition.NO_JSON: "it holds no JSON object"}


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    for name in upgrade.hazards.states.__struct_fields__:
        file: StateFile = getattr(upgrade.hazards.states, name)
        try:
            yield from _of_file(facts, upgrade, file, own=name in _OWN)
        except AbsentError:
            continue
        except UnreadError as error:
            yield Problem(Status.UNKNOWN, file.path, str(error))


def _of_file(facts: Facts, upgrade: Upgrade, file: StateFile, *, own: bool) -> Iterator[Problem]:
    if not file.forms:
        return
    gates = states.gates_of(facts, upgrade)
    if not is_read(file, gates):
        return
    state = facts.state(file, gates)
    if state.condition in _WORDS and not (state.condition == Condition.EMPTY and file.empty):
        yield states.problem(facts, upgrade, file, _WORDS[state.condition])
    elif own and state.condition == Condition.CORRUPT and _LEFT_OUT in _text(facts, file):
        yield Problem(Status.INFO, facts.path(file), _NOT_VERIFIED, "run preflight on the node itself")
    elif own and state.condition not in _WORDS:
        yield from states.refused(facts, upgrade, file, state)


def _text(facts: Facts, file: StateFile) -> str:
    return "".join(facts.dump.read("file", facts.path(file)).split())


DAMAGED: Final = Check(
    Rule(
        "PF-112",
        "damaged state files",
        "A state file that the kubelet to be started reads is empty or no JSON, or the checksum of one that "
        "no other check looks at does not hold.",
        "pkg/kubelet/checkpointmanager/checkpoint_manager.go GetCheckpoint, 1.11.10 - 1.37.1; "
        "kubernetes/kubernetes#102880",
    ),
    (
        "cpu_manager_state, memory_manager_state, pod_status_manager_state and dra_manager_state",
        "allocated_pods_state, actuated_pods_state and device-plugins/kubelet_internal_checkpoint",
        "feature gates",
    ),
    _find,
)
