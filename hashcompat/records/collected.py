"""Read records from dumps of nodes, as the collector prints them, among other documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import structs

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.go.jsonpath import rows, text
from hashcompat.model.records import Applied, Record, Recorded
from hashcompat.records.documents import from_node
from hashcompat.records.probes import INCOMPLETE, MARK, Dump, Probe, UnreadError, dumps

_APPLIED: Final = "/actuated_pods_state"
"""How the path of the kubelet's file ends that holds which resources it applied."""

_SANDBOX: Final = "inspectp "


def from_documents(documents: Iterable[Any], origin: str) -> Iterator[Record]:
    """Yield what the JSON documents of one file record: dumps of nodes, and what runtimes print.

    Raises InputError, naming the node, for a dump that was cut and for one whose runtime could not be asked,
    and as ``from_node`` does.
    """
    found = [each for document in documents for each in _each(document)]
    for dump in dumps(found, origin):
        yield from from_dump(dump)
    for document in found:
        if not (isinstance(document, dict) and MARK in document):
            yield from from_node(document)


def _each(document: Any) -> Iterator[Any]:
    if isinstance(document, list):
        yield from document
    else:
        yield document


def from_dump(dump: Dump) -> list[Record]:
    """Return what the kubelet's runtime recorded, and the resources that a kubelet applied.

    Raises InputError for a dump that was cut, or that has no answer of a runtime.
    """
    if not dump.complete:
        raise InputError(f"node {dump.node}: {INCOMPLETE}; collect it again")
    answers, problems = [], []
    for ask in (_cri, _docker):
        try:
            answers.append(ask(dump))
        except UnreadError as error:
            problems.append(str(error))
    best = of_kubelet(answers)
    if not best and problems:
        raise InputError(f"node {dump.node}: its runtime could not be asked: {'; '.join(problems)}")
    if not any(probe.text is not None for probe in _lists(dump)):
        raise InputError(f"node {dump.node}: it has no container runtime at a usual path; {_ELSEWHERE}")
    return [*best, *_applied(dump)]


_ELSEWHERE: Final = "set RUNTIME_ENDPOINT or DOCKER_HOST when collecting"


def of_kubelet(answers: Sequence[list[Record]]) -> list[Record]:
    """Return, of the answers of several runtimes, that of the one that the kubelet uses.

    It is the one in which most containers run, and the first of these: cri-dockerd and the Docker below it
    both answer, and so may a runtime that is left over. What cri-dockerd or dockershim answered is known to
    be in Docker where that answered too: they give a container the id that it has there.
    """
    best = max(answers, key=_running, default=[])
    ids = {
        one.id for answer in answers for one in answer if isinstance(one, Recorded) and one.docker and one.id
    }
    below = any(isinstance(one, Recorded) and one.id in ids for one in best)
    return [_as_docker(record) for record in best] if below else best


def _as_docker(record: Record) -> Record:
    return record if isinstance(record, Applied) else structs.replace(record, docker=True)


def _running(records: list[Record]) -> tuple[int, int]:
    running = sum(isinstance(record, Recorded) and bool(record.running) for record in records)
    return running, len(records)


def _lists(dump: Dump) -> tuple[Probe, Probe]:
    return dump.probe("cri", "containers"), dump.probe("docker", "list")


def _cri(dump: Dump) -> list[Record]:
    """Read what a CRI runtime answered; its list of sandboxes counts for those that it did not show alone."""
    listed = _documents(dump.probe("cri", "containers")) + _documents(dump.probe("cri", "pods"))
    shown = {
        probe.name.removeprefix(_SANDBOX): document
        for probe in dump.of_kind("cri")
        if probe.name.startswith(_SANDBOX) and not probe.problem
        for document in _documents(probe)
    }
    listed = [_without(document, shown.keys()) for document in listed]
    return [record for document in (*listed, *shown.values()) for record in from_node(document)]


def _without(document: Any, shown: Collection[str]) -> Any:
    items = rows(document, "items") if isinstance(document, dict) else ()
    left = [item for item in items if not (isinstance(item, dict) and text(item, "id") in shown)]
    return {**document, "items": left} if items else document


def _docker(dump: Dump) -> list[Record]:
    """Read what Docker answered; it was asked once for all containers."""
    return [record for document in _documents(dump.probe("docker", "list")) for record in from_node(document)]


def _applied(dump: Dump) -> Iterator[Record]:
    for probe in dump.of_kind("file"):
        if probe.name.endswith(_APPLIED):
            try:
                for document in _documents(probe):
                    yield from from_node(document)
            except UnreadError as error:
                raise InputError(f"node {dump.node}: {error}") from None


def _documents(probe: Probe) -> list[Any]:
    """Return the JSON documents in a probe; none where there is nothing. Raises UnreadError."""
    if probe.problem:
        raise UnreadError(f"{probe.kind} {probe.name}: {probe.problem}")
    try:
        return list(jsontext.load_all(probe.text or ""))
    except InputError as error:
        raise UnreadError(f"{probe.kind} {probe.name}: {error}") from None
