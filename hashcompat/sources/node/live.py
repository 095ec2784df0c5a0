"""Read the node that this program runs on, or one that is mounted: the same probes as the collector's.

Nothing is written, every answer has a deadline, and Docker is asked at most 8 things at once.
Where the runtimes report other directories than the usual ones, those are looked at too.
``recorded`` asks the container runtime alone, for the hashes that its kubelet recorded.
"""

from __future__ import annotations

import os
import socket as sockets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.model.verdicts import Record, Recorded
from hashcompat.core.records.collected import of_kubelet
from hashcompat.core.records.documents import from_node
from hashcompat.core.records.probes import CHANGING, Dump, Probe
from hashcompat.sources.documents import loads
from hashcompat.sources.node import (
    NodeQuery,
    NodeReader,
    cgroups,
    cri,
    docker,
    filesystem,
    flag,
    holders,
    kubelets,
    listed,
    process,
    services,
    wanted,
)
from hashcompat.sources.node.root import Root, why_not_asked
from hashcompat.sources.node.wanted import named_directory

ORIGIN: Final = "this node"
_AGAIN_SECONDS: Final = 1.0
"""After which a state is read for the second time."""
_CONNECT_SECONDS: Final = 5.0
_DEAD: Final = ("Z", "X")


class _AskedRuntime(msgspec.Struct, frozen=True):
    """A runtime that was asked."""

    kind: str
    socket: str
    probes: list[Probe]


def collect(
    kind: str,
    endpoint: str = "",
    root: str = "/",
    also: Sequence[str] = (),
    *,
    asking: NodeReader | None = None,
) -> Dump:
    """Read a node: its runtimes of a kind, ``auto``, ``docker`` or ``cri``, its processes and its files.

    ``endpoint`` is the runtime's socket, if not a usual one; ``root`` is where the node's / is mounted;
    ``also`` are more directories of the kubelet's own files. What cannot be read is a probe with the reason.
    Raises InputError where ``root`` is not a directory.
    """
    if not Path(root).is_dir():
        raise InputError(f"{root}: want the directory in which the node's / is mounted")
    node, asks = Root(Path(root), tuple(also)), asking or NodeReader()
    processes, looked = asks.ask(listed(node)), time.monotonic()
    kubelet = kubelets.probes(asks, node, kubelets.find(asks, node, processes))
    runtimes = [_docker(asks, node, kind, endpoint), _cri(asks, node, kind, endpoint)]
    # A socket that is given is asked as Docker and as CRI; that it is not the other one is no problem to
    # report.
    if endpoint and any(_shows(runtime) for runtime in runtimes):
        runtimes = [runtime for runtime in runtimes if _shows(runtime)]
    probes = [processes, *kubelet, *(probe for runtime in runtimes for probe in runtime.probes)]
    probes += _tasks(asks, node, runtimes)
    probes += asks.ask_all([cgroups(node), services(node), *holders(node, processes)])
    of_runtimes = list(questions(node, probes))
    probes += asks.ask_all([*of_runtimes, *asks.gather(lambda: wanted.questions(node, kubelet[0]), "/")])
    # Only what is left of it: all that was read in between has usually taken longer.
    time.sleep(max(looked + _AGAIN_SECONDS - time.monotonic(), 0))
    return _dump(_name(node, kubelet[0]), [*probes, asks.ask(listed(node))])


def _dump(name: str, probes: Iterable[Probe]) -> Dump:
    """Return a dump; of a list that was asked for again, the second one."""
    probes_by_name: dict[tuple[str, str], list[Probe]] = {}
    for probe in probes:
        several = probes_by_name.setdefault((probe.kind, probe.name), [])
        if probe.kind not in CHANGING:
            several.clear()
        several.append(probe)
    return Dump(name, ORIGIN, {key: tuple(several) for key, several in probes_by_name.items()})


def _name(root: Root, arguments: Probe) -> str:
    """Return the node's name, as the kubelet gives it."""
    override = flag(arguments, "hostname-override")
    try:
        own = root.text("/etc/hostname").strip() if root.directory != Path("/") else os.uname().nodename
    except OSError:
        own = ""
    return (override or own or os.uname().nodename).lower()


def _shows(runtime: _AskedRuntime) -> bool:
    """Return whether a runtime gave a list of its containers."""
    lists = (docker.LIST, cri.LIST)
    return any(probe.name in lists and probe.text is not None for probe in runtime.probes)


def _listening(root: Root, usual: Iterable[str], endpoint: str) -> Iterator[tuple[str, str]]:
    """Yield each socket that something listens on, and why it cannot be used; one that is given always."""
    if endpoint:
        yield endpoint.removeprefix("unix://"), ""
        return
    for path in usual:
        try:
            place = str(root.place(path))
            with sockets.socket(sockets.AF_UNIX) as tried:
                tried.settimeout(_CONNECT_SECONDS)
                # Connecting is the test: a socket's file stays behind when a runtime is stopped or removed.
                tried.connect(place)
        except PermissionError:
            yield path, "permission denied: run as root"
        except OSError:
            continue  # none, or left over from a runtime that does not run
        else:
            yield place, ""


def _docker(asking: NodeReader, root: Root, kind: str, endpoint: str) -> _AskedRuntime:
    name, absent = docker.KIND, docker.without()
    if kind not in (AUTO, name):
        return _AskedRuntime(name, "", absent)
    for socket, problem in _listening(root, docker.SOCKETS, endpoint):
        if problem:
            return _AskedRuntime(name, socket, docker.without(problem))
        made = docker.probes(asking, socket)
        return _AskedRuntime(name, socket, [Probe("endpoint", name, socket), *made])
    return _AskedRuntime(name, "", absent)


def _cri(asking: NodeReader, root: Root, kind: str, endpoint: str) -> _AskedRuntime:
    """Ask every CRI socket for its containers, and the one with most that run for the rest."""
    name = cri.KIND
    lists: list[tuple[str, Probe]] = []
    for socket, problem in _listening(root, cri.SOCKETS, endpoint) if kind in (AUTO, name) else ():
        failed = Probe(name, cri.LIST, problem=problem)
        lists.append((socket, failed if problem else asking.ask(cri.list_of(asking, socket))))
    if not lists:
        return _AskedRuntime(name, "", cri.without())
    socket, listed = max(lists, key=lambda pair: _rank(pair[1]))
    answers = cri.without(listed.problem)
    if listed.text is not None:
        answers = [listed, *cri.probes(asking, socket, listed)]
    return _AskedRuntime(name, socket, [Probe("endpoint", name, socket), *answers])


def _rank(listed: Probe) -> tuple[bool, int, int]:
    containers = cri.rows(listed)
    running = sum(
        isinstance(row, dict) and row.get("state") in ("CONTAINER_RUNNING", 1) for row in containers
    )
    return listed.text is not None, running, len(containers)


def _tasks(asking: NodeReader, root: Root, runtimes: list[_AskedRuntime]) -> list[Probe]:
    """Read the first process of each container, and once more what looks missing, with the lists.

    A container that ends while it is read is not in the second list as running.
    """
    owners = dict(_pids(probe for runtime in runtimes for probe in runtime.probes))
    made = asking.ask_all(process(root, pid) for pid in owners)
    doubtful = [probe for probe in made if _doubtful(probe, owners[probe.name])]
    if not doubtful:
        return made
    time.sleep(_AGAIN_SECONDS)
    made += asking.ask_all(process(root, probe.name) for probe in doubtful)
    return made + [probe for runtime in runtimes for probe in _lists_again(asking, runtime)]


def _pids(probes: Iterable[Probe]) -> Iterator[tuple[str, str]]:
    """Yield the first process of each container that was inspected, and the container's id."""
    for probe in probes:
        request, _, container = probe.name.partition(" ")
        if request == "inspect" and (pid := _pid(probe)):
            yield str(pid), container


def _pid(probe: Probe) -> object:
    """Return the process that ``inspect`` shows; 0 or None where there is none."""
    part, key = ("State", "Pid") if probe.kind == docker.KIND else ("info", "pid")
    try:
        document = jsontext.loads(probe.text or "")
    except InputError:
        return None
    section = document.get(part) if isinstance(document, dict) else None
    return section.get(key) if isinstance(section, dict) else None


def _doubtful(probe: Probe, container: str) -> bool:
    text = probe.text or ""
    return not probe.problem and (text.startswith(_DEAD) or container not in text)


def _lists_again(asking: NodeReader, runtime: _AskedRuntime) -> list[Probe]:
    if not _shows(runtime):
        return []
    if runtime.kind == docker.KIND:
        version = next(probe for probe in runtime.probes if probe.name == "version")
        return [docker.list_again(asking, runtime.socket, version)]
    return [asking.ask(cri.list_of(asking, runtime.socket))]


def questions(root: Root, probes: Iterable[Probe]) -> Iterator[NodeQuery]:
    """Yield the questions for the file system of the images, and for what the network consists of."""
    for probe in probes:
        if probe.name != "info":
            continue
        info = _document(probe)
        config = mapping(info.get("config"))
        for path in (info.get("DockerRootDir"), config.get("containerdRootDir")):
            if isinstance(path, str) and path.startswith("/"):
                yield filesystem(root, path, why_not_asked)
        cni = mapping(config.get("cni"))
        for path in (cni.get("confDir"), cni.get("binDir"), *rows(cni, "binDirs")):
            if isinstance(path, str) and path.startswith("/"):
                yield named_directory(root, path)


def _document(probe: Probe) -> Mapping[str, Any]:
    try:
        return mapping(loads(probe.text or "{}"))
    except InputError:
        return {}


AUTO: Final = "auto"


class _Runtime(msgspec.Struct, frozen=True):
    """How to ask one kind of runtime, and where its sockets usually are."""

    documents: Callable[[str], list[Any]]
    sockets: tuple[str, ...]


_RUNTIMES: Final = {
    "cri": _Runtime(cri.documents, cri.SOCKETS),
    "docker": _Runtime(docker.documents, docker.SOCKETS),
}
KINDS: Final = (AUTO, *_RUNTIMES)


def _once(records: Iterable[Record]) -> list[Record]:
    """Return each container once: an inspection shows the exit code of one that ended, a list does not."""
    records_by_id = dict[object, Record]()
    for record in records:
        key = record.id if isinstance(record, Recorded) and record.id else object()
        if key not in records_by_id or (isinstance(record, Recorded) and record.code is not None):
            records_by_id[key] = record
    return list(records_by_id.values())


def recorded(kind: str, endpoint: str = "") -> list[Record]:
    """Return the records of the runtime that the kubelet uses.

    ``endpoint`` is its socket, if not a usual one. Several may answer: cri-dockerd and the Docker below
    it, or one that is left over. The kubelet's is the one with the most running containers, and CRI
    before Docker, since it shows more of sandboxes. Raises InputError, naming each socket and what is
    wrong with it, when none reports a kubelet's container.
    """
    runtimes = [*_RUNTIMES.values()] if kind == AUTO else [_RUNTIMES[kind]]
    path = endpoint.removeprefix("unix://")
    asked = [
        (runtime.documents, socket)
        for runtime in runtimes
        for socket in ([path] if path else runtime.sockets)
        if path or Path(socket).exists()
    ]
    answers: list[list[Record]] = []
    problems = []
    for ask, socket in asked:
        try:
            answers.append(_once(from_node(ask(socket))))
        except InputError as error:
            problems.append(str(error))
        else:
            problems += [] if answers[-1] else [f"{socket}: no kubelet's container in it"]
    best = of_kubelet(answers)
    if not best:
        places = ", ".join(socket for runtime in runtimes for socket in runtime.sockets)
        raise InputError(
            "; ".join(problems)
            or f"no container runtime at {places}; name its socket with --runtime-endpoint"
        )
    return best
