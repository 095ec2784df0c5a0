"""The records in what was collected on nodes: in dumps, as the collector prints them, and in kubelets' logs.

Which resources device plugins serve is in the device manager's file, ``kubelet_internal_checkpoint``. A
kubelet that starts takes for a plugin's what one had registered, and what a container has of one; of any
other extended resource it asks nobody. Source: pkg/kubelet/cm/devicemanager/manager.go ``readCheckpoint`` and
``isDevicePluginResource``, pkg/kubelet/cm/devicemanager/checkpoint (1.10.13, 1.18.19, 1.36.5).

Logs of kubelets carry hashes up to 1.13, the recorded one first (the rows ``restartLog`` of behaviour.json).
Such a line is written when a container is killed to be created again: from then on the second is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from sys import intern
from typing import Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.model.verdicts import Applied, Files, Record, Recorded
from hashcompat.core.records.documents import from_checkpoint, from_node, is_checkpoint, of_pods_in
from hashcompat.core.records.probes import CPUS, INCOMPLETE, MARK, NUMA, Dump, Probe, UnreadError, dumps

_APPLIED: Final = "/actuated_pods_state"
"""How the path of the kubelet's file ends that holds which resources it applied."""
_PLUGINS: Final = "/device-plugins/kubelet_internal_checkpoint"
"""How the path of the device manager's file ends."""
_SANDBOX: Final = "inspectp "
_ENDED: Final = "ended "
"""What a collector asks of a container that ended: of what it prints, its exit code counts."""


def from_documents(documents: Iterable[Any]) -> Iterator[Record]:
    """Yield what the JSON documents of one file record: dumps of nodes, and what runtimes print.

    Raises InputError, naming the node, for a dump that was cut and for one whose runtime could not be asked,
    and as ``from_node`` does.
    """
    flat: list[Any] = []
    for document in documents:
        flat.extend(document) if isinstance(document, list) else flat.append(document)
    for dump in dumps(flat, "a dump"):
        yield from from_dump(dump)
    for document in flat:
        if not (isinstance(document, dict) and MARK in document):
            yield from from_node(document)


def from_dump(dump: Dump) -> list[Record]:
    """Return what the kubelet's runtime recorded, and the resources that a kubelet applied.

    Raises InputError for a dump that was cut, or that has no answer of a runtime.
    """
    if not dump.complete:
        raise InputError(f"node {dump.node}: {INCOMPLETE}; collect it again")
    answers, problems = [], []
    for ask in (_cri, _docker):  # each raises for its own runtime; a node may have both
        try:
            answers.append(ask(dump))
        except UnreadError as error:
            problems.append(str(error))
    best = of_kubelet(answers)
    if not best and problems:
        raise InputError(f"node {dump.node}: its runtime could not be asked: {'; '.join(problems)}")
    lists = dump.probe("cri", "containers"), dump.probe("docker", "list")
    if not any(probe.text is not None for probe in lists):
        where = "set RUNTIME_ENDPOINT or DOCKER_HOST when collecting"
        raise InputError(f"node {dump.node}: it has no container runtime at a usual path; {where}")
    applied = list(_applied(dump))
    if any(probe.name.endswith(_APPLIED) for probe in dump.of_kind("file")):
        keys = {(record.uid, record.container) for record in applied if isinstance(record, Applied)}
        best = [
            structs.replace(record, unapplied=True)
            if isinstance(record, Recorded) and record.uid and (record.uid, record.container) not in keys
            else record
            for record in best
        ]
    devices = _device_files(dump)
    plugins = _plugins(devices)
    if plugins is not None:
        best = [
            structs.replace(record, plugins=plugins) if isinstance(record, Recorded) else record
            for record in best
        ]
    return [*best, *applied, *_files(dump, best, devices)]


def files_of(dump: Dump) -> list[Files]:
    """Return what of a dump decides about admission; nothing of one that shows no containers."""
    try:
        return [record for record in from_dump(dump) if isinstance(record, Files)]
    except InputError:
        return []


_ADMITTING: Final = ("/cpu_manager_state", "/memory_manager_state")
"""How the paths of the kubelet's files end that decide about admission."""
_TOPOLOGY: Final = (CPUS, NUMA)
_ARGUMENTS: Final = ("kubelet", "k3s")
_NAMES: Final = 1 << 12
"""Characters of the names in a directory of drop-ins; it has a few."""


def _files(dump: Dump, records: Iterable[Record], devices: list[Any] | None) -> Iterator[Files]:
    """Yield what of a dump decides about admission, where it shows a kubelet's arguments."""
    uids = frozenset(record.uid for record in records if isinstance(record, Recorded) and record.uid)
    if not uids or ("arguments", _ARGUMENTS[0]) not in dump.probes:
        return
    last = (probes[-1] for probes in dump.probes.values())
    kept = ((probe.kind, probe.name, probe.text, probe.problem) for probe in last if _decides(probe))
    yield Files(dump.node, uids, tuple(kept), _devices(devices), _allocated(dump))


def _allocated(dump: Dump) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return what a kubelet noted as allocated; nothing where that was not read, or no kubelet wrote it."""
    allocated: dict[str, dict[str, Mapping[str, Any]]] = {}
    try:
        for probe in dump.of_kind("file"):
            for document in _documents(probe) if probe.name.endswith("/allocated_pods_state") else ():
                if isinstance(document, Mapping) and is_checkpoint(document):
                    for record in (*from_checkpoint(document), *of_pods_in(document)):
                        allocated.setdefault(record.uid, {})[record.container] = record.resources
    except (InputError, UnreadError):
        return {}
    return allocated


def _decides(probe: Probe) -> bool:
    """Return whether a probe may decide: states, settings, CPUs and memory; no text for what is not there."""
    text = probe.text or ""
    if probe.kind == "file":
        is_one = probe.name.endswith(_ADMITTING) or probe.name.startswith(_TOPOLOGY)
        return probe.text is None or is_one or "KubeletConfiguration" in text
    if probe.kind == "directory":
        return len(text) <= _NAMES
    return probe.kind == "arguments" and probe.name in _ARGUMENTS


def dump_of(files: Files) -> Dump:
    """Return a dump of what a record keeps of one."""
    probes = {(kind, name): (Probe(kind, name, text, why),) for kind, name, text, why in files.probes}
    return Dump(files.node, files.node, probes)


def of_kubelet(answers: Sequence[list[Record]]) -> list[Record]:
    """Return, of the answers of several runtimes, that of the one that the kubelet uses.

    It is the one in which most containers run, and the first of these: cri-dockerd and the Docker below it
    both answer, and so may a runtime that is left over. What cri-dockerd or dockershim answered is known to
    be in Docker where that answered too: they give a container the id that it has there.
    """
    best = max(answers, key=_running, default=[])
    ids = {
        record.id
        for answer in answers
        for record in answer
        if isinstance(record, Recorded) and record.docker and record.id
    }
    if not any(isinstance(record, Recorded) and record.id in ids for record in best):
        return best
    return [
        record if isinstance(record, Applied | Files) else structs.replace(record, docker=True)
        for record in best
    ]


def _running(records: list[Record]) -> tuple[int, int]:
    running = sum(isinstance(record, Recorded) and bool(record.running) for record in records)
    return running, len(records)


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
    records = [record for document in (*listed, *shown.values()) for record in from_node(document)]
    codes = dict(_exit_codes(dump))
    return [
        structs.replace(record, code=codes[record.id])
        if isinstance(record, Recorded) and record.id in codes
        else record
        for record in records
    ]


def _exit_codes(dump: Dump) -> Iterator[tuple[str, int]]:
    """Yield the code with which each container ended that a collector asked for, where it learned it."""
    for probe in dump.of_kind("cri"):
        if probe.name.startswith(_ENDED) and probe.text:
            for document in _documents(probe):
                code = part(document, "status").get("exitCode") if isinstance(document, dict) else None
                if type(code) is int:
                    yield probe.name.removeprefix(_ENDED), code


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


def served(document: Any) -> tuple[str, ...]:
    """Return the names of the resources, in order. Raises InputError for what no kubelet writes."""
    if not isinstance(document, Mapping):
        raise InputError("kubelet_internal_checkpoint: not what a kubelet writes")
    data = mapping(document.get("Data", document))  # up to 1.10 without a checksum around it
    has = (mapping(row).get("ResourceName") for row in rows(data, "PodDeviceEntries"))
    names = {*mapping(data.get("RegisteredDevices")), *has}
    return tuple(sorted(name for name in names if isinstance(name, str)))


def held(document: Any) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield the devices of each container: their resource, the UID of the pod, and their ids.

    These are a list, from 1.20 on one for each NUMA node.
    """
    data = mapping(mapping(document).get("Data", document))
    for row in map(mapping, rows(data, "PodDeviceEntries")):
        devices = row.get("DeviceIDs")
        lists = devices.values() if isinstance(devices, Mapping) else (devices,)
        ids = frozenset(str(device) for group in lists if isinstance(group, list) for device in group)
        yield str(row.get("ResourceName")), str(row.get("PodUID")), ids


def _plugins(files: list[Any] | None) -> tuple[str, ...] | None:
    """Return the resources that device plugins serve on a node; None where its file was not read."""
    try:
        return None if files is None else tuple(sorted({name for file in files for name in served(file)}))
    except InputError:
        return None


def _devices(files: list[Any] | None) -> dict[str, dict[str, frozenset[str]]] | None:
    """Return the devices that pods of a node have; None where its file was not read."""
    if files is None or not all(isinstance(file, Mapping) for file in files):
        return None
    devices: dict[str, dict[str, frozenset[str]]] = {}
    for resource, uid, ids in (row for file in files for row in held(file)):
        of_pods = devices.setdefault(resource, {})
        of_pods[uid] = of_pods.get(uid, frozenset()) | ids
    return devices


def _device_files(dump: Dump) -> list[Any] | None:
    """Return what the device manager's files hold; None where they were not read."""
    probes = [probe for probe in dump.of_kind("file") if probe.name.endswith(_PLUGINS)]
    try:
        return [document for probe in probes for document in _documents(probe)] if probes else None
    except UnreadError:
        return None


def _documents(probe: Probe) -> list[Any]:
    """Return the JSON documents in a probe; none where there is nothing. Raises UnreadError."""
    if probe.problem:
        raise UnreadError(f"{probe.kind} {probe.name}: {probe.problem}")
    try:
        return list(jsontext.load_all(probe.text or ""))
    except InputError as error:
        raise UnreadError(f"{probe.kind} {probe.name}: {error}") from None


# Records in logs.

_HEADER: Final = re.compile(
    r"[IWE](?P<month>\d\d)(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d)(?:\.\d{1,6})? +\d+ "
    r"(?P<file>[a-z_]+)\.go:\d+\] "
)
"""What glog writes before a message (github.com/golang/glog ``formatHeader``)."""
_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")
_UNIT: Final = re.compile(r"(?:kubelet[\w.-]*|hyperkube|origin-node|atomic-openshift-node)(?:\[\d+\])?:")
"""The unit of a kubelet in the journal, the last two those of OpenShift 3."""
_JOURNAL: Final = ("Jan", "14", "17:57:42", "host", "kubelet[1]:")
"""The words that the journal writes before a line."""
_MOST_LINES: Final = 8
"""Lines of one message; kubelets write each into one."""
LEAP_YEAR: Final = 2000
"""Stands for a year that is not known; it has every day."""
_CREATED_AT: Final = re.compile(r"Log file created at: (?P<year>\d{4})/")
"""The first line of a file that glog wrote by itself."""
_POD: Final = r"(?P<pod>[^_\s\"]+)(?:_(?P<namespace>[^(\s\"]+))?(?:\((?P<uid>[^)\s]+)\))?"
_VALUES: Final = r"hash changed \([0-9]{1,10} vs (?P<now>[0-9]{1,10})\)"
_FORMATS: Final = {
    re.compile(
        rf'[Pp]od "{_POD}" container "(?P<container>[^"]+)" {_VALUES}, it will be killed and re-created\.'
    ): ("manager", "docker_manager", "rkt", "kuberuntime_manager"),
    re.compile(
        r'Container "(?P<container>[^"]+)" \(\{"[^"]*" "[^"]*"\}\)\s+of pod '
        rf"{_POD}:\s+Container spec {_VALUES}\.\. Container will be killed and recreated\."
    ): ("kuberuntime_manager",),
}
"""The messages up to 1.7 and of 1.8 - 1.13, whole, and the source files that write them.

A pod is ``name_namespace(uid)``; in 1.1 without the uid, in the CRI runtime of 1.6 and 1.7 the name alone.
Every part that others choose is a name without quotes, or quoted by ``%q``.
"""


def from_log(lines: Iterable[str]) -> Iterator[Recorded]:
    """Yield the hashes of the containers that a kubelet says it creates again, as of each line's time.

    A message counts where it follows a kubelet's own header and fills the rest of its line, or of the lines
    after it that begin with white space: within another message it is text that somebody else chose.
    """
    year = None
    for line in _entries(lines):
        if match := _CREATED_AT.match(line):
            year = int(match["year"])
        elif header := _HEADER.search(line):
            stamp = line[: header.start()].split()
            if not stamp or _is_prefix(stamp):
                line_year = int(stamp[0][:4]) if stamp and _STAMP.fullmatch(stamp[0]) else year
                yield from _recorded(header, line[header.end() :], line_year)


def _entries(lines: Iterable[str]) -> Iterator[str]:
    """Join to each line those that were broken off it, as few as a person breaks it into."""
    entry: list[str] = []
    for line in lines:
        if entry and not line[:1].isspace():
            yield " ".join(entry)
            entry.clear()
        if len(entry) < _MOST_LINES:
            entry.append(line.strip() if entry else line.rstrip())
    yield from [" ".join(entry)] if entry else ()


def _is_prefix(words: Sequence[str]) -> bool:
    """Return whether a runtime or the journal wrote these words: a time, or a time, a host and a unit."""
    if len(words) == 1:
        return bool(_STAMP.fullmatch(words[0]))
    timed = len(words) == len(_JOURNAL) or (len(words) == 3 and _STAMP.fullmatch(words[0]))
    return bool(timed and _UNIT.fullmatch(words[-1]))


def _recorded(header: re.Match[str], message: str, year: int | None) -> Iterator[Recorded]:
    for pattern, files in _FORMATS.items():
        match = pattern.fullmatch(message) if header["file"] in files else None
        if match and int(match["now"]) < 1 << 32:
            yield Recorded(
                match["uid"] or "",
                intern(match["namespace"] or ""),
                match["pod"],
                intern(match["container"]),
                int(match["now"]),
                running=None,
                created=_time(header, year),
                any_year=year is None,
            )


def _time(header: re.Match[str], year: int | None) -> datetime | None:
    """Return when a line was written, read as UTC; glog writes local time without a year or a zone."""
    text = f"{year or LEAP_YEAR:04}-{header['month']}-{header['day']}T{header['clock']}+00:00"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
