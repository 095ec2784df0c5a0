"""Pods, nodes and records to ask about, and the options of a question.

``load`` takes files, URLs, Kubernetes objects as Python values; ``load_cluster`` a live cluster. Flags of the
command line are keywords here, bound to an inventory by ``view_of``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from itertools import chain
from os import PathLike, fspath
from typing import Any, Final, Protocol, TypedDict, Unpack

from msgspec import structs

from hashcompat.analysis.answers.redaction import Snapshot
from hashcompat.analysis.planning.options import AssumePatch, Options, check_strategy
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import InputError, UsageError, unknown_keyword
from hashcompat.core.model.plan import AUTO
from hashcompat.core.model.pods import Inventory, Node, Origin
from hashcompat.core.model.results import Result
from hashcompat.core.model.uids import Dating
from hashcompat.core.model.verdicts import Record
from hashcompat.core.records.index import Records, index
from hashcompat.output.report import document_of
from hashcompat.sources import filters
from hashcompat.sources.budgets import budgets_of, scale_of
from hashcompat.sources.dating import Dater, until
from hashcompat.sources.files import Input, dumps, of_stream, staticpods
from hashcompat.sources.files import collect as files
from hashcompat.sources.files.collect import sample_cluster
from hashcompat.sources.files.layouts import Exclusions
from hashcompat.sources.filters import Filters
from hashcompat.sources.objects import BESIDE_PODS, cluster_of, nodes_of, opened, pods_of, read
from hashcompat.sources.snapshots import KIND, warnings
from hashcompat.sources.workloads import Ownership


class File(Protocol):
    """A file object, of bytes or of text."""

    def read(self, size: int = -1, /) -> bytes | str:
        """Return so much more of it, and nothing at its end."""


Source = Inventory | Snapshot | str | PathLike[str] | File | Mapping[str, Any] | Iterable[Any]
"""Pods: what ``load`` or ``snapshot`` returned, a path or URL, a file object, an object, or a list."""
_WANTED: Final = (
    "what load or snapshot returned, a path, a URL, a file object, Kubernetes objects, or a list of these"
)


class AccessFields(TypedDict, total=False):
    """Which cluster ``load_cluster`` reads, and as whom."""

    kubeconfig: str
    context: str
    user: str
    groups: tuple[str, ...]
    timeout: float
    """The timeout of a request, in seconds."""


def load(
    *sources: Source, recursive: bool = False, exclude: Names = (), strict_files: bool = False
) -> Inventory:
    """Return the pods and nodes of files, directories, archives, URLs, file objects, and Kubernetes objects.

    Each source is one of these, a list of them, or what ``snapshot`` returned, which is an object too.
    A ``str`` or ``Path`` is a path or URL: http, https, and where fsspec is installed whatever that opens
    (``s3://``). A file object is read to its end. An object is a Pod, Node, List, Deployment, … as a dict, or
    an object of a client library: a model of the official client, or anything with ``to_dict``. ``recursive``
    reads the directories below a directory too. Of directories and archives ``exclude`` leaves files out, by
    patterns as in .gitignore; a file without Kubernetes objects is skipped with a warning, or an error if
    ``strict_files``. The pods of files are read again for each iteration, so that they need no memory. Raises
    InputError, naming the file or the object, for what cannot be read, and where there is no pod.
    """
    if len(sources) == 1 and isinstance(sources[0], Inventory):
        return sources[0]
    if not sources:
        raise UsageError(f"load: want {_WANTED}")
    values = list(chain.from_iterable(map(_members, sources)))
    inputs = tuple(file for file in map(_file, values) if file is not None)
    if not inputs:
        return collect(map(_object, values))
    if len(inputs) < len(values):
        raise UsageError("load takes paths, URLs and file objects, or Kubernetes objects; not both at once")
    return files.collect(
        inputs, recursive=recursive, rules=Exclusions(names_of(exclude, "exclude"), strict_files)
    )


def _members(source: Source) -> Iterable[Any]:
    """Return what a source is, or several of; raises UsageError for what is none."""
    if isinstance(source, str | PathLike | Mapping | Snapshot) or callable(getattr(source, "read", None)):
        return (source,)
    if isinstance(source, Inventory | Result | bytes | bytearray):
        raise wrong("source", _WANTED, source)
    if is_of_client(source):
        return (source,)
    if not isinstance(source, Iterable):
        raise wrong("source", _WANTED, source)
    return source


def _file(source: Any) -> str | Input | None:
    """Return a path, a URL or the content of a file object; None for anything else."""
    if isinstance(source, str | PathLike):
        return path_of(source, "source")
    if not callable(getattr(source, "read", None)) or isinstance(source, Mapping):
        return None
    name = getattr(source, "name", None)
    return of_stream(source, name if isinstance(name, str) else "a file object")


def _object(value: Any) -> Any:
    """Return a Kubernetes object as plain values; raises UsageError for a result that is none."""
    if isinstance(value, Snapshot):
        return document_of(value)
    if isinstance(value, Inventory | Result):
        raise wrong("source", _WANTED, value)
    try:
        return plain(value)
    except RecursionError:
        raise InputError("an object: nested too deeply to be a Kubernetes object") from None


def collect(values: Iterable[object]) -> Inventory:
    """Return the pods, nodes and records in some objects.

    Known kinds are those that ``-f`` reads: Pod, PodList, List, Deployment, Node, ClusterSnapshot, ...
    Raises InputError, naming an object by its number from 0 and the path in it, for what cannot be read,
    for two different pods share a uid or nodes of one name, and for no pod.
    """
    objects = [
        resource for number, value in enumerate(values) for resource in opened(value, f"object {number}")
    ]
    census, dater = Ownership(), Dater()
    for resource in objects:
        census.add(resource.value)
        dater.add(resource.value, resource.origin)
    templates = census.templates()
    pods = tuple(pods_of(objects, templates))
    if not pods:
        raise InputError("no pods among the objects; an empty plan would look like a safe one")
    contents = [
        (content, resource)
        for resource in objects
        if resource.value["kind"] in BESIDE_PODS
        for content in read(resource)
    ]
    hidden = (
        line for resource in objects if resource.value["kind"] == KIND for line in warnings(resource.value)
    )
    alone = all(resource.in_snapshot or resource.value["kind"] == KIND for resource in objects)
    clusters = {uid for resource in objects for uid in cluster_of(resource.value)}
    return Inventory(
        pods,
        nodes_of((content, where) for content, where in contents if isinstance(content, Node)),
        tuple(content for content, _ in contents if isinstance(content, Record)),
        warnings=(*templates.warnings, *dict.fromkeys(hidden)),
        budgets=budgets_of(
            (content for content, _ in contents),
            dict(scale for resource in objects if (scale := scale_of(resource.value))),
            listed=False,
        ),
        origin=Origin(cluster=clusters.pop() if len(clusters) == 1 else ""),
        dating=Dating(until(), tuple(dater.dated("", alone=alone))),
    )


_VERSION: Final = re.compile(r"^V\d+((alpha|beta)\d+)?(?=[A-Z])")


def plain(value: Any) -> Any:
    """Return plain JSON values for what a client library or a YAML parser holds.

    Known are models of the official Python clients, whose ``attribute_map`` names the JSON keys (their own
    ``to_dict`` does not), and whatever else has a ``to_dict``.
    """
    if isinstance(value, date):
        return value.isoformat()
    # encoders, and who asks for the very type, take a subclass for something else
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__int__(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(getattr(value, "attribute_map", None), Mapping):
        # the items of a list leave out their kind, which the class names
        fields = {key: plain(getattr(value, name)) for name, key in value.attribute_map.items()}
        if "kind" in fields and fields["kind"] is None:
            fields["kind"] = _VERSION.sub("", type(value).__name__)
        return {key: item for key, item in fields.items() if item is not None}
    return plain(value.to_dict()) if is_of_client(value) else value


def is_of_client(value: object) -> bool:
    """Return whether a value is an object of a client library."""
    return isinstance(getattr(value, "attribute_map", None), Mapping) or hasattr(value, "to_dict")


def load_sample() -> Inventory:
    """Return the small built-in cluster."""
    return sample_cluster()


def load_static_pods(directory: str | PathLike[str], node_name: str, path_on_node: str = "") -> Inventory:
    """Return the static pods of a manifest directory, as the kubelet of a node reads them.

    ``node_name`` is the name under which that kubelet registers, ``path_on_node`` the directory's path there,
    where it differs. A file that is no valid pod is a warning, for kubelets read on. Raises InputError,
    naming a file, where none is one.
    """
    if not isinstance(node_name, str):
        raise wrong("node_name", "a name", node_name)
    where = path_on_node if path_on_node == "" else path_of(path_on_node, "path_on_node")
    return staticpods.collect_directory(path_of(directory, "directory"), node_name, where)


def load_records(*paths: str | PathLike[str], source: Inventory | None = None) -> Records:
    """Return recorded hashes and sandboxes for ``Options.records``: files as ``--recorded`` reads them.

    ``source`` is an inventory whose own records count too, such as that of a snapshot. Raises InputError,
    naming the file, for a file without records.
    """
    if not isinstance(source, Inventory | None):
        raise wrong("source", "an Inventory, such as load returns, or None", source)
    if not paths and source is None:
        raise nothing_in("paths", "path")
    records = dumps.records_in(tuple(path_of(path, "paths") for path in paths))
    return index([*(source.records if source else ()), *records])


def load_cluster(
    *,
    namespaces: Names = (),
    nodes: Names = (),
    selector: str = "",
    needs_nodes: bool = False,
    budgets: bool = False,
    **access: Unpack[AccessFields],
) -> Inventory:
    """Return the pods and nodes of a live cluster, by default of the current context, all of them.

    ``selector`` selects by labels, as kubectl does. Only get and list of pods and nodes are used, get of the
    namespace kube-system, whose UID is that of the cluster, and with ``budgets`` list of
    PodDisruptionBudgets. Nodes that may not be read are left out, unless ``needs_nodes``. The pods are kept
    in a temporary file, and read again for each iteration. Raises InputError for what is refused, naming the
    request, and for a cluster that cannot be reached or read completely.
    """
    check_keywords(access, AccessFields.__annotations__)
    from hashcompat.sources import cluster  # noqa: PLC0415 - files need no HTTP client
    from hashcompat.sources.cluster.kubeapi import UnreachableError  # noqa: PLC0415

    scope = cluster.ReadScope(
        names_of(namespaces, "namespaces"), names_of(nodes, "nodes"), selector, needs_nodes, budgets=budgets
    )
    timeout = access.get("timeout", 1.0)
    if not isinstance(timeout, int | float) or isinstance(timeout, bool):
        raise wrong("timeout", "a number of seconds", timeout)
    try:
        # a library has no terminal
        return cluster.collect(cluster.Access(**access), scope, lambda _: None, lambda _: None)
    except UnreachableError as error:
        raise InputError(f"cannot read the cluster: {error}") from None


def select(source: Source, chosen: Filters) -> Inventory:
    """Return the inventory with the pods of some namespaces, nodes and owners; InputError for no pod."""
    if not isinstance(chosen, Filters):
        raise wrong("chosen", "Filters", chosen)
    return filters.select(load(source), chosen)


Names = str | Iterable[str]
"""One name, or several."""


class OptionFields(TypedDict, total=False):
    """What functions take as keywords: which of the pods count, and the fields of :class:`Options`."""

    namespace: Names
    exclude_namespace: Names
    node: Names
    owner: Names
    """``KIND/NAME``."""
    defaults: bool
    keep_going: bool
    records: Records
    gates: Names
    gates_off: Names
    cri_dockerd: bool
    other_runtime: bool
    apiserver: str
    apiserver_to: str
    patch: AssumePatch | None
    assume_upstream: bool
    current_patch: AssumePatch | None
    normalized: bool
    allowed_sysctls: Names | None
    override_node_releases: bool


_SCOPE: Final = {
    "namespace": "namespaces",
    "exclude_namespace": "excluded_namespaces",
    "node": "nodes",
    "owner": "owners",
}
"""The fields of Filters, by their keywords."""
_TYPES: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    **dict.fromkeys(
        (
            *("defaults", "keep_going", "cri_dockerd", "other_runtime", "assume_upstream", "normalized"),
            "override_node_releases",
        ),
        (bool, "True or False"),
    ),
    **dict.fromkeys(("apiserver", "apiserver_to"), (str, 'a release such as "1.31"')),
    **dict.fromkeys(("patch", "current_patch"), ((AssumePatch, type(None)), "an AssumePatch or None")),
    "records": (Records, "Records, such as load_records returns"),
}
"""What each other option has to be."""


def wrong(argument: str, wanted: str, given: object) -> UsageError:
    """Return the error of an argument that is of another type; its value may be secret, and is not shown."""
    return UsageError(f"{argument}: want {wanted}, got {type(given).__name__}")


def path_of(given: object, argument: str) -> str:
    """Return a path; raises UsageError, naming the argument, for anything else."""
    if not isinstance(given, str | PathLike):
        raise wrong(argument, "a path", given)
    if given == "":  # which would be the working directory
        raise UsageError(f"{argument}: the path is empty")
    return fspath(given)


def check_keywords(given: Collection[str], known: Collection[str]) -> None:
    """Raise UsageError for a keyword that does not exist."""
    for name in given:
        if name not in known:
            raise unknown_keyword(name, known)


def names_of(given: object, argument: str) -> tuple[str, ...]:
    """Return one name or several; raises UsageError, naming the argument, for anything else."""
    if isinstance(given, str):
        return (given,)
    # the keys of a mapping alone would say something else than it does
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else (None,)
    if not all(isinstance(name, str) for name in names):
        raise wrong(argument, "a name, or several", given)
    return names


def some_names_of(given: Names, argument: str) -> tuple[str, ...]:
    """Return at least one name; raises UsageError, naming the argument, as ``names_of``."""
    names = names_of(given, argument)
    if not names:
        raise nothing_in(argument, "name")
    if "" in names:
        raise UsageError(f"{argument}: a name is empty")
    return names


def nothing_in(argument: str, what: str) -> UsageError:
    """Return the error of an argument without any element: what comes of nothing would look like a pass."""
    return UsageError(f"{argument}: want at least one {what}")


def catalog_of(given: Catalog | None) -> Catalog:
    """Return the release data that count; raises UsageError for what is none."""
    if not isinstance(given, Catalog | None):
        raise wrong("catalog", "a Catalog or None", given)
    return given or default_catalog()


def check_bools(**given: bool) -> None:
    """Raise UsageError, naming the argument, for what is not a truth value: any text would be a true one."""
    for name, value in given.items():
        if not isinstance(value, bool):
            raise wrong(name, "True or False", value)


def release_of(
    name: str, catalog: Catalog | None = None, argument: str = "release", *, only: bool = False
) -> str:
    """Return the release that a name means: ``1.31`` and ``latest`` mean the newest known patch release.

    ``auto`` and an empty name are returned as given, unless ``only`` a release will do. Raises UsageError,
    naming the argument, for an unknown release.
    """
    if not isinstance(name, str):
        raise wrong(argument, 'a release such as "1.31"', name)
    releases = catalog_of(catalog).known
    try:
        return name if name in ("", AUTO) and not only else releases.named(name)
    except UsageError as error:
        raise UsageError(f"{argument}: {error}") from None


def ends_of(from_: str, to: str, catalog: Catalog | None) -> tuple[str, str]:
    """Return the releases of an upgrade; raises UsageError, naming the argument, where one is missing."""
    if isinstance(from_, str) and not from_:
        raise UsageError('from_: want a release such as "1.30", or "auto", what nodes report')
    if isinstance(to, str) and to in ("", AUTO):
        raise UsageError('to: want the target release of the kubelet, such as to="1.31"')
    return release_of(from_, catalog, "from_"), release_of(to, catalog, "to")


def question_of(source: Source, catalog: Catalog | None, given: OptionFields) -> tuple[Inventory, View]:
    """Return the pods that count, and the options bound to them; errors as ``load`` and ``plan``."""
    _check(given)
    scope = {_SCOPE[name]: names_of(value, name) for name, value in given.items() if name in _SCOPE}
    loaded = load(source)
    inventory = filters.select(loaded, Filters(**scope)) if scope else loaded
    return inventory, view_of(inventory, catalog, given)


def _check(given: OptionFields) -> None:
    """Raise UsageError, naming the keyword, for one that does not exist or has a value of another type."""
    check_keywords(given, OptionFields.__annotations__)
    for name, value in given.items():
        if name in _TYPES and not isinstance(value, _TYPES[name][0]):
            raise wrong(name, _TYPES[name][1], value)


def options_of(catalog: Catalog | None, given: OptionFields) -> Options:
    """Return options with releases by their full names; errors as ``question_of``."""
    _check(given)
    values: dict[str, Any] = {name: value for name, value in given.items() if name not in _SCOPE}
    for name in ("gates", "gates_off", "allowed_sysctls"):
        if values.get(name) is not None:
            values[name] = frozenset(names_of(values[name], name))
    options = Options(**values)
    return structs.replace(
        options,
        apiserver=release_of(options.apiserver, catalog, "apiserver"),
        apiserver_to=release_of(options.apiserver_to, catalog, "apiserver_to"),
        patch=_patch_of(options.patch, catalog, "patch"),
        current_patch=_patch_of(options.current_patch, catalog, "current_patch"),
    )


def _patch_of(asked: AssumePatch | None, catalog: Catalog | None, argument: str) -> AssumePatch | None:
    if asked is None:
        return None
    check_strategy(asked, argument)
    like = names_of(asked.like, argument)
    return structs.replace(asked, like=tuple(release_of(name, catalog, argument, only=True) for name in like))


def view_of(inventory: Inventory, catalog: Catalog | None, given: OptionFields) -> View:
    """Bind options; the records of a snapshot count unless others are given."""
    options = options_of(catalog, given)
    if not options.records and inventory.records:
        options = structs.replace(options, records=index(inventory.records))
    return View(catalog_of(catalog), options)
