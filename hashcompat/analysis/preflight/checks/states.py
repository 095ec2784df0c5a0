"""The kubelet's state files: PF-106, 107, 112 and 118, and what the checks of managers share.

A file is judged as the kubelet to be started reads it, by its release and feature gates; the reasons for
which it does not are the same for all files, and what follows differs (``refusal``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from shlex import quote
from typing import Final

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem
from hashcompat.analysis.preflight.facts import Facts
from hashcompat.analysis.preflight.facts.statefiles import Condition, FoundStateFile, is_read
from hashcompat.core.catalog.behaviour import Gates
from hashcompat.core.catalog.hazards import StateFile
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, UnreadError

# What several checks say about the kubelet's state files.

_BROKEN = frozenset({Condition.EMPTY, Condition.NO_JSON})


def gates_of(facts: Facts, upgrade: KubeletStart) -> Gates:
    """Return the feature gates of the kubelet that will be started, as this node sets them."""
    return upgrade.target.gates.with_settings(facts.gates)


def found(facts: Facts, upgrade: KubeletStart, file: StateFile) -> FoundStateFile | None:
    """Return what the target finds in a state file; None where there is none, or where it reads none.

    None too where the file does not hold JSON, which PF-112 reports.
    """
    if not file.forms:
        return None
    gates = gates_of(facts, upgrade)
    if not is_read(file, gates):
        return None
    try:
        state = facts.state(file, gates)
    except AbsentError:
        return None
    return None if state.condition in _BROKEN else state


def problems(
    facts: Facts,
    upgrade: KubeletStart,
    file: StateFile,
    objections: Callable[[FoundStateFile], Iterable[str]] = lambda _: (),
) -> Iterator[Problem]:
    """Yield the problems of a state file: the target does not read it, or objects to what is in it.

    ``objections`` are those of one check to a file that the target reads.
    """
    state = found(facts, upgrade, file)
    if state is None:
        return
    yield from refused(facts, upgrade, file, state)
    if state.condition == Condition.GOOD:
        for what in objections(state):
            yield problem(facts, upgrade, file, what)


def refused(facts: Facts, upgrade: KubeletStart, file: StateFile, state: FoundStateFile) -> Iterator[Problem]:
    """Yield the problem of a file that the target does not read, if it does not."""
    if state.condition == Condition.GOOD:
        return
    what = "its checksum does not hold"
    if state.form is not None:
        what = f"a kubelet of {state.form.by} wrote it, in a form that this one does not read"
    yield problem(facts, upgrade, file, what)


def problem(facts: Facts, upgrade: KubeletStart, file: StateFile, what: str) -> Problem:
    """Return the problem of a file that the target refuses, with what follows from it."""
    path = facts.path(file)
    status = Status.ERROR if file.refusal == "stops" else Status.WARN
    return Problem(
        status,
        path,
        f"{what}: kubelet {upgrade.target.release} {_EFFECTS[file.refusal]}",
        advice(facts, path),
    )


def advice(facts: Facts, path: str) -> str:
    """Return how to get rid of a state file."""
    return (
        f"kubectl drain {quote(facts.node)} --ignore-daemonsets --delete-emptydir-data; "
        f"stop the kubelet; rm {quote(path)}"
    )


_EFFECTS = {
    "stops": "does not start with it",
    "warns": "starts without what it holds",
    "resets": "starts an empty one",
}
"""What a kubelet does about a file that it cannot read."""


# PF-106: a pod_status_manager_state with which the kubelet does not start.

POD_STATE: Final = Check(
    "PF-106", lambda facts, upgrade: problems(facts, upgrade, upgrade.hazards.states.pod_status_state)
)


# PF-107: a dra_manager_state with which the kubelet does not start.

DRA_STATE: Final = Check(
    "PF-107", lambda facts, upgrade: problems(facts, upgrade, upgrade.hazards.states.dra_manager_state)
)


# PF-112: damaged state files.

_OWN: Final = frozenset({"allocated_pods_state", "actuated_pods_state", "device_plugins_state"})
"""The files whose checksum no other check looks at."""

_LEFT_OUT: Final = '"AllocResp":""'
"""How the collector writes what device plugins answered, which may hold secrets of environments."""

_NOT_VERIFIED: Final = "its checksum is not verified: a dump leaves out what device plugins answered"

_WORDS: Final = {Condition.EMPTY: "it is empty", Condition.NO_JSON: "it holds no JSON object"}


def _find_damaged(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    for name in upgrade.hazards.states.__struct_fields__:
        file: StateFile = getattr(upgrade.hazards.states, name)
        try:
            yield from _of_file(facts, upgrade, file, own=name in _OWN)
        except AbsentError:
            continue
        except UnreadError as error:
            yield Problem(Status.UNKNOWN, file.path, str(error))


def _of_file(facts: Facts, upgrade: KubeletStart, file: StateFile, *, own: bool) -> Iterator[Problem]:
    if not file.forms:
        return
    gates = gates_of(facts, upgrade)
    if not is_read(file, gates):
        return
    state = facts.state(file, gates)
    if state.condition in _WORDS and not (state.condition == Condition.EMPTY and file.empty):
        yield problem(facts, upgrade, file, _WORDS[state.condition])
    elif (
        own
        and state.condition == Condition.CORRUPT
        and _LEFT_OUT in "".join(facts.dump.read("file", facts.path(file)).split())
    ):
        yield Problem(Status.INFO, facts.path(file), _NOT_VERIFIED, "run preflight on the node itself")
    elif own and state.condition not in _WORDS:
        yield from refused(facts, upgrade, file, state)


DAMAGED: Final = Check("PF-112", _find_damaged)


# PF-118: state files of a newer kubelet, which the one to be started neither reads nor removes.


def _find_left_behind(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    states = upgrade.hazards.states
    for file in (states.allocated_pods_state, states.actuated_pods_state):
        if file.forms:
            continue
        path = facts.path(file)
        try:
            facts.dump.read("file", path)
        except AbsentError:
            continue
        yield Problem(
            Status.WARN,
            path,
            f"a newer kubelet wrote it; {upgrade.target.release} neither reads nor removes it, takes the "
            "resources of pods from their specs, and the next newer kubelet believes this file again",
            f"once kubelet {upgrade.target.release} runs: rm {path}",
        )


LEFT_BEHIND: Final = Check("PF-118", _find_left_behind)
