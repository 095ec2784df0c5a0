"""The container runtimes of a node, from Docker's and from crictl's JSON: containers, sandboxes, themselves.

Of Docker's containers a kubelet's dockershim lists those whose names parse and whose label is the kubelet's
(pkg/kubelet/dockershim/docker_container.go, docker_sandbox.go, naming.go, 1.22.17). An image may have labels
of the same names, but not the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.model.pods import Node
from hashcompat.core.records import documents
from hashcompat.core.records.probes import IMAGES, AbsentError, Dump, Probe, UnreadError

DOCKER: Final = "docker"

CRI: Final = "cri"

LISTS: Final = {DOCKER: "list", CRI: "containers"}
"""What each kind of runtime calls the list of its containers."""

HANGS: Final = "no answer within"
"""How the problem of a probe begins that ran out of time."""

_LISTED_PARTS: Final = (6, 7)
"""Into how many parts a name may fall: Docker 1.11 and older got a random part more."""


class RuntimeContainer(msgspec.Struct, frozen=True):
    """A container or sandbox of Docker, or a container of a CRI runtime."""

    id: str
    name: str
    """The container's name in its pod; of what no kubelet created, the name in Docker."""
    pod: str
    """The pod's name; empty for what no kubelet created."""
    namespace: str
    uid: str
    sandbox: str
    """The id of its sandbox; empty for a sandbox, and for what no kubelet created."""
    listed: bool
    """Whether a kubelet that starts lists it among the containers of its pods."""
    running: bool
    """Whether the runtime shows it as running, paused included."""
    paused: bool
    pid: int | None
    """Its first process; None where it has none, or the runtime did not show it."""
    problem: str
    """Why the runtime did not inspect it; empty where it did."""

    @property
    def path(self) -> str:
        """Its name for people: ``namespace/pod/container``."""
        return f"{self.namespace}/{self.pod}/{self.name}" if self.pod else self.name


class Runtime(msgspec.Struct, frozen=True):
    """A runtime that was read."""

    kind: str
    """By which API: ``docker`` or ``cri``."""
    name: str
    """Its name as it reports it, in small letters: ``docker``, ``containerd``, ``cri-o``."""
    version: str
    """Its version as it reports it; empty where that could not be read."""
    containers: tuple[RuntimeContainer, ...]
    """Its containers; of Docker, sandboxes and what no kubelet created too."""


def runtimes_of(dump: Dump) -> tuple[tuple[Runtime, ...], tuple[str, ...]]:
    """Read every runtime that was asked, and return why the others could not be read.

    One that could not be read does not count where another one has a kubelet's containers: it is what is
    below the other, or left over. Raises UnreadError as kinds.
    """
    runtimes: list[Runtime] = []
    problems: list[str] = []
    for kind in kinds(dump):
        try:
            runtimes.append(_docker(dump) if kind == DOCKER else _cri(dump))
        except UnreadError as error:
            problems.append(str(error))
    used = any(container.listed for runtime in runtimes for container in runtime.containers)
    return tuple(runtimes), () if used else tuple(problems)


def kinds(dump: Dump) -> list[str]:
    """Return by which APIs a runtime was asked.

    Raises UnreadError where it was asked by none, and where no runtime was found.
    """
    asked = [kind for kind in LISTS if (kind, LISTS[kind]) in dump.probes]
    if not asked:
        raise UnreadError(dump.probe(DOCKER, LISTS[DOCKER]).problem)
    present = [kind for kind in asked if _list(dump, kind).text is not None or _list(dump, kind).problem]
    if not present:
        raise UnreadError("no container runtime was found; name its socket with --runtime-endpoint")
    return present


def list_problem(dump: Dump, kind: str) -> str:
    """Return why the containers of a runtime could not be listed; empty where they were."""
    return _list(dump, kind).problem


def _list(dump: Dump, kind: str) -> Probe:
    return dump.probe(kind, LISTS[kind])


def sandboxes(dump: Dump, kind: str) -> frozenset[str]:
    """Return the ids of the sandboxes that a runtime lists, whether ready or not; errors as runtimes."""
    if kind == DOCKER:
        return frozenset(text(row, "Id") for row, named in _rows(dump) if _type(row, named) == "podsandbox")
    return frozenset(text(row, "id") for row in _list_of(dump, CRI, "pods", "items"))


def _json(dump: Dump, kind: str, name: str) -> Any:
    answer = dump.read(kind, name)
    try:
        return jsontext.loads(answer)
    except InputError as error:
        raise UnreadError(f"{kind} {name}: {error}") from None


def _list_of(dump: Dump, kind: str, name: str, key: str) -> list[Any]:
    """Return a runtime's list, below a key or by itself; null is an empty one."""
    document = _json(dump, kind, name)
    items = document.get(key) if key and isinstance(document, Mapping) else document
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(row, Mapping) for row in items):
        raise UnreadError(f"{kind} {name}: want a list of objects")
    return items


def _version(dump: Dump, kind: str) -> Mapping[str, Any]:
    """Return what a runtime reports of its version; nothing where that could not be read."""
    with suppress(AbsentError, UnreadError):
        return _answer(dump) if kind == CRI else document(dump, kind, "version")
    return {}


def _docker(dump: Dump) -> Runtime:
    containers = tuple(_docker_container(dump, row, named) for row, named in _rows(dump))
    return Runtime(DOCKER, DOCKER, text(_version(dump, DOCKER), "Version"), containers)


def _rows(dump: Dump) -> list[tuple[Mapping[str, Any], documents.DockerContainer | None]]:
    """Return Docker's list, each container with what its name says of it."""
    containers = _list_of(dump, DOCKER, LISTS[DOCKER], "")
    try:
        return [(row, documents.docker_container(row)) for row in containers if text(row, "Id")]
    except InputError as error:
        raise UnreadError(f"docker list: {error}") from None


def _type(row: Mapping[str, Any], named: documents.DockerContainer | None) -> str:
    """Return what a kubelet takes a container for, by its label; empty where it passes it over."""
    if named is None or named.attempt is None:
        return ""
    parts = len(documents.docker_name(row).split("_"))
    return text(named.labels, documents.DOCKER_TYPE) if parts in _LISTED_PARTS else ""


def _docker_container(
    dump: Dump, row: Mapping[str, Any], named: documents.DockerContainer | None
) -> RuntimeContainer:
    answer, problem = _inspected(dump, DOCKER, text(row, "Id"))
    state = part(answer or {}, "State")
    if answer is not None and not state:
        problem = "it has no State"
    listed = _type(row, named) == "container"
    return RuntimeContainer(
        text(row, "Id"),
        named.name if named else documents.docker_name(row),
        named.pod if named else "",
        named.namespace if named else "",
        named.uid if named else "",
        text(named.labels, documents.SANDBOX_ID) if named and listed else "",
        listed,
        (state.get("Running") is True or bool(problem)) and documents.is_listed_running(row),
        state.get("Paused") is True,
        _pid(state.get("Pid")),
        problem,
    )


def _inspected(dump: Dump, kind: str, container: str) -> tuple[Mapping[str, Any] | None, str]:
    """Return what ``inspect`` shows of a container, None for one that was removed, and why it could not."""
    name = f"inspect {container}"
    try:
        answer = _json(dump, kind, name)
    except AbsentError:
        return None, ""
    except UnreadError as error:
        return None, dump.probe(kind, name).problem or str(error)
    return mapping(answer), ""


def _pid(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _cri(dump: Dump) -> Runtime:
    version = _version(dump, CRI)
    listed = _list_of(dump, CRI, LISTS[CRI], "containers")
    containers = tuple(_cri_container(dump, row) for row in listed if text(row, "id"))
    name = text(version, "runtimeName") or CRI
    return Runtime(CRI, name.lower(), text(version, "runtimeVersion"), containers)


def _cri_container(dump: Dump, row: Mapping[str, Any]) -> RuntimeContainer:
    running = row.get("state") in ("CONTAINER_RUNNING", 1)
    answer, problem = _inspected(dump, CRI, text(row, "id")) if running else (None, "")
    named = part(row, "labels")
    return RuntimeContainer(
        text(row, "id"),
        text(part(row, "metadata"), "name"),
        text(named, documents.POD),
        text(named, documents.NAMESPACE),
        text(named, documents.UID),
        text(row, "podSandboxId"),
        listed=True,
        running=running,
        paused=False,
        pid=_pid(part(answer or {}, "info").get("pid")),
        problem=problem,
    )


def stats_problem(dump: Dump, container: str) -> str:
    """Return why a CRI runtime gave no statistics of a container; empty where it did."""
    return dump.probe(CRI, f"stats {container}").problem


def document(dump: Dump, kind: str, name: str) -> Mapping[str, Any]:
    """Return the JSON of a probe; raises UnreadError for what is none."""
    answer = _json(dump, kind, name)
    if not isinstance(answer, Mapping):
        raise UnreadError(f"{kind} {name}: want a JSON object")
    return answer


def runtime_version(dump: Dump, node: Node | None) -> str:
    """Return the runtime as a Node object reports it: from there, or as the runtime answers itself.

    CRI comes before Docker: a node with both has Docker's own containerd, whose CRI is off.
    """
    if node is not None and node.runtime:
        return node.runtime
    try:
        cri = _answer(dump)
        return f"{_reported(cri, 'runtimeName')}://{_reported(cri, 'runtimeVersion').removeprefix('v')}"
    except (UnreadError, AbsentError) as error:
        try:
            return f"docker://{_reported(document(dump, 'docker', 'version'), 'Version')}"
        except (UnreadError, AbsentError):
            raise error from None


def _answer(dump: Dump) -> Mapping[str, Any]:
    """Return what ``crictl version`` prints: JSON, or lines such as ``RuntimeName:  containerd``."""
    text = dump.read("cri", "version")
    if text.lstrip().startswith(("{", "[")):
        return document(dump, "cri", "version")
    # an old crictl prints lines such as ``RuntimeName:  containerd`` instead of JSON
    pairs = (line.partition(":") for line in text.splitlines())
    return {name[:1].lower() + name[1:]: value.strip() for name, _, value in pairs}


def _reported(answer: Mapping[str, Any], key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        raise UnreadError(f"the runtime does not report its {key}")
    return value


def api_version(dump: Dump) -> str:
    """Return the version of CRI in which the runtime answered; empty where it was not asked."""
    try:
        return str(_answer(dump).get("runtimeApiVersion", ""))
    except (UnreadError, AbsentError):
        return ""


def cgroup_driver(info: Mapping[str, Any]) -> str:
    """Return the cgroup driver by ``docker info`` or, of containerd, ``crictl info``."""
    if isinstance(info.get("CgroupDriver"), str):
        return str(info["CgroupDriver"])
    runtimes = mapping(mapping(info.get("config")).get("containerd"))
    name = runtimes.get("defaultRuntimeName") or "runc"
    handler = mapping(runtimes.get("runtimes")).get(str(name))
    if not isinstance(handler, Mapping):
        raise UnreadError("the runtime does not report its cgroup driver")
    return "systemd" if mapping(handler.get("options")).get("SystemdCgroup") is True else "cgroupfs"


def image_directory(runtime: str, info: Mapping[str, Any]) -> str:
    """Return where a runtime keeps images, as it reports it or by default."""
    directory = info.get("DockerRootDir") or mapping(info.get("config")).get("containerdRootDir")
    directory = directory or IMAGES.get(runtime.partition("://")[0])
    if not isinstance(directory, str):
        raise UnreadError(f"where {runtime} keeps images is not known")
    return directory


def sandbox_image(info: Mapping[str, Any]) -> str | None:
    """Return the image of sandboxes by ``crictl info``: of containerd 1 and CRI-O, or of containerd 2.

    None where that does not report it.
    """
    config = mapping(info.get("config"))
    image = config.get("sandboxImage") or mapping(config.get("pinnedImages")).get("sandbox")
    return image if isinstance(image, str) else None


def has_pinned(images: Mapping[str, Any]) -> bool:
    """Return whether an image in ``crictl images`` is pinned, as the one of sandboxes is."""
    return any(mapping(row).get("pinned") is True for row in rows(images, "images"))


def docker_images(dump: Dump) -> list[str]:
    """Return the names of Docker's images."""
    return [name for row in _list_of(dump, DOCKER, "images", "") for name in map(str, rows(row, "RepoTags"))]


def has_docker_sandbox(dump: Dump) -> bool:
    """Return whether a sandbox runs in Docker; errors as ``runtimes_of``."""
    return any(
        _type(row, named) == "podsandbox" and documents.is_listed_running(row) for row, named in _rows(dump)
    )


def conditions(info: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the conditions of ``crictl info`` by their types."""
    listed = (row for row in rows(mapping(info.get("status")), "conditions") if isinstance(row, Mapping))
    return {str(row.get("type")): row for row in listed}


def image_names(images: Mapping[str, Any]) -> Iterator[str]:
    """Yield every name in ``crictl images``."""
    for row in rows(images, "images"):
        for key in ("repoTags", "repoDigests"):
            yield from map(str, rows(mapping(row), key))


def container_ids(dump: Dump) -> frozenset[str]:
    """Return the ids of all containers, also of those that ended.

    Raises UnreadError where no list could be read.
    """
    ids: set[str] = set()
    problems: list[str] = []
    for kind, name in LISTS.items():
        try:
            answer = jsontext.loads(dump.read(kind, name))
            listed = answer.get("containers") if isinstance(answer, Mapping) else answer
            containers = listed if isinstance(listed, list) else []
            ids.update(
                str(row.get("Id") or row.get("id") or "") for row in containers if isinstance(row, Mapping)
            )
        except (UnreadError, AbsentError, InputError) as error:
            problems.append(f"{kind} {error}")
    if len(problems) == len(LISTS):
        raise UnreadError("; ".join(problems))
    return frozenset(ids)
