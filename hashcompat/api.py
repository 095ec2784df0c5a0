"""The Python API: the commands as functions over plain values.

``load`` reads pods once; each function takes what it returns, or anything that ``load`` takes. Flags of the
command line are keywords here: the fields of :class:`Options`. Every error is a :class:`HashcompatError`:
UsageError for a call that asks for what does not exist, InputError for input that cannot be read, DecodeError
for JSON that does not fit Go's types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypedDict, Unpack

from hashcompat import planning
from hashcompat.answers import calibration, comparison, explanation, golden, redaction
from hashcompat.answers import matrix as matrices
from hashcompat.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.answers.comparison import ReleaseDifference
from hashcompat.answers.explanation import Explanation, Explanations
from hashcompat.answers.golden import Verification, Verifications
from hashcompat.answers.hashes import Hashed, hash_containers
from hashcompat.answers.matrix import Matrix
from hashcompat.answers.redaction import Snapshot
from hashcompat.answers.releases import ReleaseList, known_releases
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.errors import DecodeError, ExitCode, HashcompatError, InputError, UsageError
from hashcompat.formats.json import to_json as json_text
from hashcompat.kubelet import hashing
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.model.plan import FINDINGS, Hop, Item, Plan, Reason, Summary, Verdict, Way
from hashcompat.model.pods import Container, ContainerType, Inventory, Node, Pod
from hashcompat.model.records import Recorded, Sandbox
from hashcompat.patching import strategies
from hashcompat.patching.audit import Audit, audit
from hashcompat.patching.model import MisplacedError, Patch, apply
from hashcompat.patching.strategies import Choices
from hashcompat.patching.stripping import check_strip
from hashcompat.patching.unified import mail
from hashcompat.planning.options import AUTO, AssumePatch, Options
from hashcompat.planning.view import View
from hashcompat.records.index import Records, index
from hashcompat.report import document_of
from hashcompat.rules import RULES
from hashcompat.sources import clients, filters, values
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import recorded, sample, staticpods
from hashcompat.sources.filters import Filters

__all__ = [
    "FINDINGS",
    "RULES",
    "AccessFields",
    "AssumePatch",
    "Audit",
    "Catalog",
    "CheckedRecord",
    "Choices",
    "Container",
    "ContainerHash",
    "ContainerType",
    "DecodeError",
    "ExitCode",
    "Explanation",
    "Explanations",
    "Filters",
    "HashcompatError",
    "Hashed",
    "Hop",
    "InputError",
    "Inventory",
    "Item",
    "Matrix",
    "MisplacedError",
    "Node",
    "OptionFields",
    "Options",
    "Patch",
    "Plan",
    "Pod",
    "Reason",
    "RecordCheck",
    "Records",
    "ReleaseDifference",
    "ReleaseList",
    "Snapshot",
    "Summary",
    "UsageError",
    "Verdict",
    "Verification",
    "Verifications",
    "calibrate",
    "compare",
    "container_hash",
    "container_text",
    "explain",
    "hashes",
    "load",
    "load_cluster",
    "load_records",
    "load_sample",
    "load_static_pods",
    "make_patch",
    "matrix",
    "patch",
    "patch_audit",
    "patch_text",
    "plan",
    "releases",
    "select",
    "snapshot",
    "to_document",
    "to_json",
    "verify",
]


class OptionFields(TypedDict, total=False):
    """The fields of :class:`Options`, which functions take as keywords."""

    defaults: bool
    keep_going: bool
    records: Records
    gates: frozenset[str]
    gates_off: frozenset[str]
    cri_dockerd: bool
    apiserver: str
    apiserver_to: str
    patch: AssumePatch | None


class AccessFields(TypedDict, total=False):
    """Which cluster ``load_cluster`` reads, and as whom."""

    kubeconfig: str
    context: str
    user: str
    groups: tuple[str, ...]
    timeout: float
    """The timeout of a request, in seconds."""


Source = Inventory | str | PathLike[str] | Mapping[str, Any] | Iterable[Any]
"""Pods: what ``load`` returned, a path or URL, a Kubernetes object, or several of these."""


def container_hash(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> ContainerHash:
    """Return the unsigned 32-bit hash that a kubelet release computes for a container's JSON, unchanged.

    With ``keep_empty`` empty lists and maps count, as in a manifest that a kubelet reads itself; in an API
    pod they are nil. Raises UsageError for an unknown release and DecodeError, with the path, for JSON that
    does not fit the Go types.
    """
    return hashing.container_hash(container, default_catalog().kubelet(kubelet), keep_empty=keep_empty)


def container_text(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> str:
    """Return the exact text that a release hashes for a container's JSON; errors as container_hash."""
    hasher = hashing.hashers(default_catalog().kubelet(kubelet), keep_empty=keep_empty)[0]
    return hasher.text(container)


def load(*sources: Source, recursive: bool = False) -> Inventory:
    """Return the pods and nodes of files, directories, URLs (``str`` or ``Path``), and of Kubernetes objects.

    An object is a Pod, Node, List, Deployment, … as a dict, or an object of a client library: a model of the
    official client, or anything with ``to_dict``. ``recursive`` reads the directories below a directory too.
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
    return files.collect(names, recursive=recursive)


def _objects(source: Source) -> list[Any]:
    """Return the Kubernetes objects that a value is or holds."""
    value = clients.plain(source)
    return (
        list(map(clients.plain, value))
        if not isinstance(value, Mapping) and isinstance(value, Iterable)
        else [value]
    )


def load_sample() -> Inventory:
    """Return the small built-in cluster."""
    return sample.collect()


def load_static_pods(directory: str | PathLike[str], node_name: str, path_on_node: str = "") -> Inventory:
    """Return the static pods of a manifest directory, as the kubelet of a node reads them.

    ``node_name`` is the name under which that kubelet registers, ``path_on_node`` the directory's path there,
    where it differs. Raises InputError, naming the file, for anything other than a pod.
    """
    return Inventory(tuple(staticpods.collect_directory(fspath(directory), node_name, path_on_node)))


def load_records(*paths: str | PathLike[str], source: Inventory | None = None) -> Records:
    """Return recorded hashes and sandboxes for ``Options.records``: files as ``--recorded`` reads them.

    ``source`` is an inventory whose own records count too, such as that of a snapshot. Raises InputError,
    naming the file, for a file without records.
    """
    found = recorded.collect(tuple(fspath(path) for path in paths))
    return index([*(source.records if source else ()), *found])


def load_cluster(
    *,
    namespaces: Iterable[str] = (),
    nodes: Iterable[str] = (),
    selector: str = "",
    needs_nodes: bool = False,
    **access: Unpack[AccessFields],
) -> Inventory:
    """Return the pods and nodes of a live cluster, by default of the current context, all of them.

    ``selector`` selects by labels, as kubectl does. Only get and list of pods and nodes are used; nodes that
    may not be read are left out, unless ``needs_nodes``. Raises InputError, naming the request, for what is
    refused or cannot be read completely.
    """
    from hashcompat.sources.cluster import collect as cluster  # noqa: PLC0415 - files need no HTTP client

    scope = cluster.Scope(tuple(namespaces), tuple(nodes), selector, needs_nodes)
    return cluster.collect(cluster.Access(**access), scope, _silent, _silent)


def _silent(_: str) -> None:
    """Print nothing: a library has no terminal."""


def select(source: Source, chosen: Filters) -> Inventory:
    """Return the inventory with the pods of some namespaces, nodes and owners; InputError for no pod."""
    return filters.select(load(source), chosen)


def _view(inventory: Inventory, catalog: Catalog | None, given: OptionFields) -> View:
    """Bind options; the records of a snapshot count unless others are given."""
    options = Options(**given)
    if not options.records and inventory.records:
        options = replace(options, records=index(inventory.records))
    return View(catalog or default_catalog(), options)


def plan(
    source: Source,
    from_release: str,
    to_release: str,
    *,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Plan:
    """Return the verdict for every container when kubelets go from one release to another.

    ``from_release`` may be ``auto``: what each pod's node reports. Raises UsageError for unknown releases,
    and InputError, with origin and path, for a container that does not decode.
    """
    inventory = load(source)
    return planning.make(inventory, from_release, to_release, _view(inventory, catalog, options))


def explain(
    source: Source,
    target: str,
    from_release: str,
    to_release: str,
    *,
    show_values: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Explanations:
    """Explain the verdicts of the containers that ``NAMESPACE/POD[/CONTAINER]`` names.

    They are those of the same plan. Texts and values are masked unless ``show_values``. Errors as ``plan``,
    and InputError where nothing has that name.
    """
    inventory = load(source)
    view = _view(inventory, catalog, options)
    return explanation.explain(
        inventory, target, Way(from_release, to_release), view, show_values=show_values
    )


def compare(from_release: str, to_release: str, *, catalog: Catalog | None = None) -> ReleaseDifference:
    """Return what differs between two releases for any container. Raises UsageError for unknown releases."""
    return comparison.compare_releases(from_release, to_release, catalog or default_catalog())


def hashes(
    source: Source,
    kubelets: Sequence[str],
    *,
    with_text: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Hashed:
    """Return the hash of every container under each release of ``kubelets``; errors as ``plan``."""
    inventory = load(source)
    return hash_containers(inventory, kubelets, _view(inventory, catalog, options), with_text=with_text)


def matrix(
    source: Source | None = None,
    from_release: str = "",
    to_release: str = "",
    *,
    every_patch: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Matrix:
    """Compare every pair of releases; with pods also how many restart, and the path that restarts fewest.

    The releases go from the oldest known one to the newest unless given. Errors as ``plan``.
    """
    inventory = load(source) if source is not None else None
    view = (
        _view(inventory, catalog, options)
        if inventory
        else View(catalog or default_catalog(), Options(**options))
    )
    return matrices.make(view, from_release, to_release, inventory, patches=every_patch)


def verify(
    *directories: str | PathLike[str], show_values: bool = False, catalog: Catalog | None = None
) -> Verifications:
    """Compute every text and hash of golden directories and compare.

    Raises InputError, naming the file, for a directory without the form of golden data.
    """
    known = catalog or default_catalog()
    found = (golden.verify(Path(fspath(path)), known, show_values=show_values) for path in directories)
    return Verifications(tuple(found))


def calibrate(
    source: Source,
    release: str = AUTO,
    *,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> RecordCheck:
    """Compare the recorded hashes among the options with what ``release``, or that of each node, computes."""
    inventory = load(source)
    return calibration.check_records(inventory, release, _view(inventory, catalog, options))


def snapshot(
    source: Source, *, records: Iterable[Recorded | Sandbox] = (), catalog: Catalog | None = None
) -> Snapshot:
    """Return a cluster with values hidden; ``load`` of its document gives the same plans later.

    ``records`` are kept as well as those of the source. Raises InputError for a manifest: a snapshot is made
    of a cluster's pods.
    """
    inventory = load(source)
    kept = replace(inventory, records=(*inventory.records, *records))
    return redaction.snapshot(kept, catalog or default_catalog())


def patch(
    kubelet: str,
    like: Sequence[str],
    strategy: str = "accept",
    choices: Choices = Choices(),
    *,
    catalog: Catalog | None = None,
) -> Patch | None:
    """Return the patch with which a kubelet accepts or computes the hashes of the releases ``like``.

    None where it computes them already. ``strategy`` is ``accept``, ``pin`` or ``strip``. Raises UsageError
    for unknown releases and strategies, and for what the strategy cannot do.
    """
    return strategies.make_patch(kubelet, like, strategy, catalog or default_catalog(), choices)


make_patch = patch
"""The older name of ``patch``."""


def patch_text(made: Patch, source: Mapping[str, str]) -> str:
    """Return a patch as ``git format-patch`` prints it.

    ``source`` holds the text of each file that ``made.edits`` name, by path. Raises MisplacedError, naming
    file and hunk, where a file is not that of upstream's release.
    """
    return mail(made, apply(made, source))


def patch_audit(
    source: Source,
    kubelet: str,
    like: str,
    *,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Audit:
    """Return the containers whose hash with strategy ``strip`` is not that of ``like``."""
    inventory = load(source)
    view = _view(inventory, catalog, options)
    new, old = view.catalog.kubelet(kubelet), view.catalog.kubelet(like)
    check_strip(new, [old])
    return audit(inventory, old, new, view)


def releases(catalog: Catalog | None = None) -> ReleaseList:
    """Return every known release by minor, oldest first."""
    return known_releases(catalog or default_catalog())


def to_document(result: object) -> dict[str, Any]:
    """Return the document of a result (a plan, explanations, hashes, a matrix, ...) as plain data.

    It is what ``-o json`` prints, as the JSON Schema of its ``kind`` describes it. Raises TypeError for
    anything else.
    """
    return document_of(result)


def to_json(result: object) -> str:
    """Return the document of a result as ``-o json`` prints it, without the last line break."""
    return "".join(json_text(document_of(result)))
