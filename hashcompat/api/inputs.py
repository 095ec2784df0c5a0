"""Pods, nodes and records to ask about, and the options of a question.

``load`` takes files, URLs, objects of client libraries; ``load_cluster`` a live cluster. Flags of the
command line are keywords here, bound to an inventory by ``view_of``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypedDict, Unpack

from msgspec import structs

from hashcompat.analysis.planning.options import AUTO, AssumePatch, Options
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.model.pods import Inventory
from hashcompat.core.records.index import Records, index
from hashcompat.sources import filters, values
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import dumps, staticpods
from hashcompat.sources.files.collect import sample_cluster
from hashcompat.sources.files.layouts import Rules
from hashcompat.sources.filters import Filters

Source = Inventory | str | PathLike[str] | Mapping[str, Any] | Iterable[Any]
"""Pods: what ``load`` returned, a path or URL, a Kubernetes object, or several of these."""


class AccessFields(TypedDict, total=False):
    """Which cluster ``load_cluster`` reads, and as whom."""

    kubeconfig: str
    context: str
    user: str
    groups: tuple[str, ...]
    timeout: float
    """The timeout of a request, in seconds."""


def load(
    *sources: Source, recursive: bool = False, exclude: Sequence[str] = (), strict_files: bool = False
) -> Inventory:
    """Return the pods and nodes of files, directories, URLs (``str`` or ``Path``), and of Kubernetes objects.

    An object is a Pod, Node, List, Deployment, … as a dict, or an object of a client library: a model of the
    official client, or anything with ``to_dict``. ``recursive`` reads the directories below a directory too.
    Of directories and archives ``exclude`` leaves files out, by patterns as in .gitignore; a file without
    Kubernetes objects is skipped with a warning, or an error if ``strict_files``.
    The pods of files are read again for each iteration, so that they need no memory. Raises InputError,
    naming the file or the object, for what cannot be read, and where there is no pod.
    """
    if len(sources) == 1 and isinstance(sources[0], Inventory):
        return sources[0]
    names = tuple(fspath(source) for source in sources if isinstance(source, str | PathLike))
    if not names:
        return values.collect(value for source in sources for value in _objects(source))
    if len(names) < len(sources):
        raise UsageError("load takes paths and URLs, or objects; not both at once")
    return files.collect(names, recursive=recursive, rules=Rules(tuple(exclude), strict_files))


def _objects(source: Source) -> list[Any]:
    """Return the Kubernetes objects that a value is or holds."""
    value = values.plain(source)
    return (
        list(map(values.plain, value))
        if not isinstance(value, Mapping) and isinstance(value, Iterable)
        else [value]
    )


def load_sample() -> Inventory:
    """Return the small built-in cluster."""
    return sample_cluster()


def load_static_pods(directory: str | PathLike[str], node_name: str, path_on_node: str = "") -> Inventory:
    """Return the static pods of a manifest directory, as the kubelet of a node reads them.

    ``node_name`` is the name under which that kubelet registers, ``path_on_node`` the directory's path there,
    where it differs. A file that is not a pod is a warning, for kubelets read on. Raises InputError, naming a
    file, where none is a pod.
    """
    return staticpods.collect_directory(fspath(directory), node_name, path_on_node)


def load_records(*paths: str | PathLike[str], source: Inventory | None = None) -> Records:
    """Return recorded hashes and sandboxes for ``Options.records``: files as ``--recorded`` reads them.

    ``source`` is an inventory whose own records count too, such as that of a snapshot. Raises InputError,
    naming the file, for a file without records.
    """
    records = dumps.records_in(tuple(fspath(path) for path in paths))
    return index([*(source.records if source else ()), *records])


def load_cluster(
    *,
    namespaces: Iterable[str] = (),
    nodes: Iterable[str] = (),
    selector: str = "",
    needs_nodes: bool = False,
    budgets: bool = False,
    **access: Unpack[AccessFields],
) -> Inventory:
    """Return the pods and nodes of a live cluster, by default of the current context, all of them.

    ``selector`` selects by labels, as kubectl does. Only get and list of pods and nodes are used, get of the
    namespace kube-system, whose UID is that of the cluster, and with ``budgets`` list of
    PodDisruptionBudgets. Nodes that may not be read are left out, unless ``needs_nodes``. The pods are kept
    in a temporary file, and read again for each iteration. Raises InputError,
    naming the request, for what is refused or cannot be read completely.
    """
    from hashcompat.sources.cluster import collect as cluster  # noqa: PLC0415 - files need no HTTP client

    scope = cluster.Scope(tuple(namespaces), tuple(nodes), selector, needs_nodes, budgets=budgets)
    return cluster.collect(cluster.Access(**access), scope, _silent, _silent)


def _silent(_: str) -> None:
    """Print nothing: a library has no terminal."""


def select(source: Source, chosen: Filters) -> Inventory:
    """Return the inventory with the pods of some namespaces, nodes and owners; InputError for no pod."""
    return filters.select(load(source), chosen)


class OptionFields(TypedDict, total=False):
    """The fields of :class:`Options`, which functions take as keywords."""

    defaults: bool
    keep_going: bool
    records: Records
    gates: frozenset[str]
    gates_off: frozenset[str]
    cri_dockerd: bool
    other_runtime: bool
    apiserver: str
    apiserver_to: str
    patch: AssumePatch | None
    assume_upstream: bool
    allowed_sysctls: frozenset[str] | None
    current_patch: AssumePatch | None
    normalized: bool
    override_node_releases: bool


def release_of(name: str, catalog: Catalog | None = None) -> str:
    """Return the release that a name means: ``1.31`` and ``latest`` mean the newest known patch release.

    ``auto`` and an empty name are returned as given. Raises UsageError for an unknown release.
    """
    return name if name in ("", AUTO) else (catalog or default_catalog()).known.named(name)


def options_of(catalog: Catalog | None, given: OptionFields) -> Options:
    """Return options with releases by their full names."""
    options = Options(**given)
    return structs.replace(
        options,
        apiserver=release_of(options.apiserver, catalog),
        apiserver_to=release_of(options.apiserver_to, catalog),
        patch=_patch_of(options.patch, catalog),
        current_patch=_patch_of(options.current_patch, catalog),
    )


def _patch_of(asked: AssumePatch | None, catalog: Catalog | None) -> AssumePatch | None:
    if asked is None:
        return None
    return structs.replace(asked, like=tuple(release_of(name, catalog) for name in asked.like))


def view_of(inventory: Inventory, catalog: Catalog | None, given: OptionFields) -> View:
    """Bind options; the records of a snapshot count unless others are given."""
    options = options_of(catalog, given)
    if not options.records and inventory.records:
        options = structs.replace(options, records=index(inventory.records))
    return View(catalog or default_catalog(), options)
