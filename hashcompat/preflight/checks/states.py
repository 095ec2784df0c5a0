"""What several checks say about the kubelet's state files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from shlex import quote

from hashcompat.catalog.gates import Gates
from hashcompat.catalog.statefiles import StateFile
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.statefiles import Condition, State, is_read
from hashcompat.records.probes import AbsentError, UnreadError

_BROKEN = frozenset({Condition.EMPTY, Condition.NO_JSON})


def gates_of(facts: Facts, upgrade: Upgrade) -> Gates:
    """Return the feature gates of the kubelet that will be started, as this node sets them."""
    return upgrade.target.gates.with_settings(facts.gates)


def found(facts: Facts, upgrade: Upgrade, file: StateFile) -> State | None:
    """Return what the target finds in a state file; None where there is none, or where it reads none.

    Raises UnreadError where the file does not hold JSON, which another check reports.
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
    if state.condition == Condition.EMPTY and file.empty:
        return None
    if state.condition in _BROKEN:
        raise UnreadError(f"{facts.path(file)}: damaged, as PF-112 reports")
    return state


def _nothing(_state: State) -> Iterable[str]:
    return ()


def problems(
    facts: Facts,
    upgrade: Upgrade,
    file: StateFile,
    objections: Callable[[State], Iterable[str]] = _nothing,
) -> Iterator[Problem]:
    """Yield the problems of a state file: the target does not read it, or objects to what is in it.

    ``objections`` are those of one check to a file that the target reads. Errors as ``found``.
    """
    state = found(facts, upgrade, file)
    if state is None:
        return
    yield from refused(facts, upgrade, file, state)
    if state.condition == Condition.GOOD:
        for what in objections(state):
            yield problem(facts, upgrade, file, what)


def refused(facts: Facts, upgrade: Upgrade, file: StateFile, state: State) -> Iterator[Problem]:
    """Yield the problem of a file that the target does not read, if it does not."""
    if state.condition == Condition.GOOD:
        return
    what = "its checksum does not hold"
    if state.form is not None:
        what = f"a kubelet of {state.form.by} wrote it, in a form that this one does not read"
    yield problem(facts, upgrade, file, what)


def problem(facts: Facts, upgrade: Upgrade, file: StateFile, what: str) -> Problem:
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
