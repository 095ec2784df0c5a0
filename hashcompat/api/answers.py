"""What the commands answer: each function takes pods, or anything that ``load`` takes.

Also one container's hash and text, and any result as the document that ``-o json`` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from msgspec import structs

from hashcompat.analysis import disruption, planning
from hashcompat.analysis.answers import calibration, changes, explanation, golden, redaction
from hashcompat.analysis.answers import details as detailed
from hashcompat.analysis.answers import matrix as matrices
from hashcompat.analysis.answers.calibration import RecordCheck
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.comparison import (
    ReleaseDifference,
    ReleaseList,
    compare_releases,
    known_releases,
)
from hashcompat.analysis.answers.explanation import Explanations
from hashcompat.analysis.answers.golden import Verifications
from hashcompat.analysis.answers.hashes import Hashed, hash_containers
from hashcompat.analysis.answers.matrix import Matrix
from hashcompat.analysis.answers.redaction import Snapshot
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import (
    Names,
    OptionFields,
    Source,
    catalog_of,
    check_bools,
    ends_of,
    load,
    names_of,
    nothing_in,
    options_of,
    path_of,
    plain,
    question_of,
    release_of,
    some_names_of,
    view_of,
    wrong,
)
from hashcompat.core.catalog.lookup import Catalog, Kubelet, default_catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet import hashing
from hashcompat.core.kubelet.alike import unready
from hashcompat.core.kubelet.hashing import ContainerHash
from hashcompat.core.model.impact import Impact, Installer
from hashcompat.core.model.plan import AUTO, Plan, Way
from hashcompat.core.model.verdicts import Record
from hashcompat.core.records.index import Records
from hashcompat.core.release import is_release_name
from hashcompat.output.formats.documents import to_json as json_text
from hashcompat.output.report import document_of
from hashcompat.sources.dating import now
from hashcompat.sources.files.snapshotrows import Comparable, rows_of
from hashcompat.sources.files.snapshotrows import read as read_comparable


def plan(
    source: Source,
    from_: str = AUTO,
    to: str = "",
    *,
    details: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Plan:
    """Return the verdict for every container when kubelets go from one release to another.

    ``from_`` is by default ``auto``: what each pod's node reports. ``details`` adds where hashed texts differ
    and the releases on the way in pairs, as a page of HTML shows them. ``namespace``, ``node`` and ``owner``
    narrow the pods. Here and in the other functions, ``1.31`` and ``latest`` mean the newest known patch
    release; the result names it. Raises UsageError, naming the argument, for unknown releases and for what an
    argument cannot be, and InputError, with origin and path, for a container that does not decode.
    """
    check_bools(details=details)
    ends = ends_of(from_, to, catalog)
    created = now()
    inventory, view = question_of(source, catalog, options)
    make = detailed.make if details else planning.make
    return structs.replace(make(inventory, *ends, view), making=view.catalog.making(created))


def impact(  # noqa: PLR0913 - all but the first three by name
    source: Source,
    from_: str = AUTO,
    to: str = "",
    *,
    batch: int = 1,
    all_budgets: bool = False,
    across_zones: bool = False,
    installer: str | None = None,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Impact:
    """Return what the restarts of a plan breach, and the nodes in the order in which to upgrade them.

    Up to ``batch`` kubelets are restarted at once, chosen so that nothing is breached that can be avoided.
    ``all_budgets``: the source has all PodDisruptionBudgets and Services, which by itself it cannot show.
    ``across_zones``: a batch may have nodes of several zones, and all nodes of one. ``installer``: what
    installs kubelets, for the runbook: kubeadm, k3s, rke2, talos or package.

    Errors as ``plan``, and UsageError for a batch of no nodes.
    """
    if type(batch) is not int:
        raise wrong("batch", "a number of nodes", batch)
    check_bools(all_budgets=all_budgets, across_zones=across_zones)
    inventory = load(source)
    made = plan(inventory, from_, to, catalog=catalog, **options)
    view = view_of(inventory, catalog, options)
    waits = unready(view.kubelet(made.to_release))
    complete = disruption.with_all_budgets(inventory) if all_budgets else inventory
    nodes = names_of(options["node"], "node") if "node" in options else None
    if installer is not None and installer not in list(Installer):
        raise UsageError(f"installer: no {installer!r}; there are {', '.join(Installer)}")
    return disruption.make(
        made,
        complete,
        batch,
        nodes,
        waits,
        across_zones=across_zones,
        installer=Installer(installer) if installer else None,
        apiserver=view.options.apiserver_to or view.options.apiserver,
    )


def explain(
    source: Source,
    target: str,
    from_: str = AUTO,
    to: str = "",
    *,
    show_values: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Explanations:
    """Explain the verdicts of the containers that ``NAMESPACE/POD[/CONTAINER]`` names.

    They are those of the same plan. Texts and values are masked unless ``show_values``. Errors as ``plan``,
    and InputError where nothing has that name.
    """
    if not isinstance(target, str):
        raise wrong("target", "NAMESPACE/POD, NAMESPACE/POD/CONTAINER or KIND/NAME", target)
    check_bools(show_values=show_values)
    way = Way(*ends_of(from_, to, catalog))
    inventory, view = question_of(source, catalog, options)
    made = explanation.explain(inventory, target, way, view, show_values=show_values)
    return structs.replace(made, making=view.catalog.making(now()))


def compare(from_: str, to: str, *, catalog: Catalog | None = None) -> ReleaseDifference:
    """Return what differs between two releases for any container. Raises UsageError for unknown releases."""
    old, new = release_of(from_, catalog, "from_", only=True), release_of(to, catalog, "to", only=True)
    return compare_releases(old, new, catalog_of(catalog))


Document = Plan | Snapshot | str | PathLike[str]
"""What ``diff`` takes: a plan, a snapshot, the file of one that was saved, or the name of a release."""


def diff(
    old: Document, new: Document, *, catalog: Catalog | None = None
) -> DocumentDifference | ReleaseDifference:
    """Return what changed between two plans or two snapshots, or what differs between two releases.

    A text is a release where it is spelled like one, and else a file of a saved plan or snapshot. Raises
    InputError for other files, for a plan without some of its items, and for a plan with a snapshot;
    UsageError for a release with a document, and for unknown releases.
    """
    releases = [
        document for document in (old, new) if isinstance(document, str) and is_release_name(document)
    ]
    if len(releases) == 1:
        raise UsageError(f"{releases[0]} is a release, and the other one is none")
    if isinstance(old, str) and isinstance(new, str) and releases:
        return compare(old, new, catalog=catalog)
    before, after = _comparable(old, "old"), _comparable(new, "new")
    return changes.compare(before.value, after.value, (before.file, after.file))


def _comparable(given: Document, argument: str) -> Comparable:
    if isinstance(given, Plan):
        return Comparable("", given)
    if isinstance(given, Snapshot):
        return Comparable("", rows_of(document_of(given)))
    if not isinstance(given, str | PathLike):
        raise wrong(argument, "a plan, a snapshot, or the path of one that was saved", given)
    return read_comparable(path_of(given, argument))


def hashes(
    source: Source,
    kubelets: Names,
    *,
    with_text: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Hashed:
    """Return the hash of every container under each release of ``kubelets``; errors as ``plan``."""
    check_bools(with_text=with_text)
    release_names = (
        release_of(name, catalog, "kubelets", only=True) for name in some_names_of(kubelets, "kubelets")
    )
    names = list(dict.fromkeys(release_names))
    inventory, view = question_of(source, catalog, options)
    return hash_containers(inventory, names, view, with_text=with_text)


def matrix(
    source: Source | None = None,
    from_: str = "",
    to: str = "",
    *,
    every_patch: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> Matrix:
    """Compare every pair of releases; with pods also how many restart, and the path that restarts fewest.

    The releases go from the oldest known one to the newest unless given. Errors as ``plan``.
    """
    check_bools(every_patch=every_patch)
    inventory, view = (
        question_of(source, catalog, options)
        if source is not None
        else (None, View(catalog_of(catalog), options_of(catalog, options)))
    )
    ends = release_of(from_, catalog, "from_"), release_of(to, catalog, "to")
    made = matrices.make(view, *ends, inventory, patches=every_patch)
    return structs.replace(made, making=view.catalog.making(now()))


def verify(
    *directories: str | PathLike[str], show_values: bool = False, catalog: Catalog | None = None
) -> Verifications:
    """Compute every text and hash of golden directories and compare.

    Raises InputError, naming the file, for a directory without the form of golden data.
    """
    release_data = catalog_of(catalog)
    check_bools(show_values=show_values)
    if not directories:
        raise nothing_in("directories", "directory of golden data")
    verifications = (
        golden.verify(Path(path_of(path, "directories")), release_data, show_values=show_values)
        for path in directories
    )
    return Verifications(tuple(verifications))


def calibrate(
    source: Source,
    release: str = AUTO,
    *,
    search_token_mount: bool = False,
    catalog: Catalog | None = None,
    **options: Unpack[OptionFields],
) -> RecordCheck:
    """Compare the recorded hashes among the options with what ``release``, or that of each node, computes.

    ``search_token_mount`` searches the service account's volume mount that a manifest lacks. Errors as
    ``plan``.
    """
    name = release_of(release, catalog)
    check_bools(search_token_mount=search_token_mount)
    inventory, view = question_of(source, catalog, options)
    if not view.options.records:
        raise nothing_in("records", "record")
    return calibration.check_records(inventory, name, view, search_mounts=search_token_mount)


def snapshot(
    source: Source,
    *,
    records: Iterable[Record] = (),
    with_hashes: bool = False,
    catalog: Catalog | None = None,
) -> Snapshot:
    """Return a cluster with values hidden; ``load`` of its document gives the same plans later.

    ``records`` are kept as well as those of the source. ``with_hashes`` keeps the hashes over hidden values,
    which reveal short values; otherwise they are None in later plans. Raises InputError for a manifest: a
    snapshot is made of a cluster's pods.
    """
    check_bools(with_hashes=with_hashes)
    inventory = load(source)
    kept = structs.replace(inventory, records=(*inventory.records, *_records(records)))
    return redaction.snapshot(kept, catalog_of(catalog), with_hashes=with_hashes)


def _records(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return records; of what ``load_records`` returned all, not the hashes alone."""
    candidates = records.every if isinstance(records, Records) else records
    kept = tuple(candidates) if isinstance(candidates, Iterable) else (None,)
    if not all(isinstance(record, Record) for record in kept):
        raise wrong("records", "what load_records returned", records)
    return kept


def releases(catalog: Catalog | None = None) -> ReleaseList:
    """Return every known release by minor, oldest first."""
    return known_releases(catalog_of(catalog))


def container_hash(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> ContainerHash:
    """Return the unsigned 32-bit hash that a kubelet release computes for a container's JSON, unchanged.

    With ``keep_empty`` empty lists and maps count, as in a manifest that a kubelet reads itself; in an API
    pod they are nil. Raises UsageError for an unknown release and DecodeError, with the path, for JSON that
    does not fit the Go types.
    """
    return hashing.container_hash(_container(container), _kubelet(kubelet), keep_empty=keep_empty)


def container_text(container: Mapping[str, Any], kubelet: str, *, keep_empty: bool = False) -> str:
    """Return the exact text that a release hashes for a container's JSON; errors as container_hash."""
    hasher = hashing.hashers(_kubelet(kubelet), keep_empty=keep_empty)[0]
    return hasher.text(_container(container))


def _container(container: Mapping[str, Any]) -> Mapping[str, Any]:
    if container is None:  # which decodes, as JSON's null does, to a container of nothing
        raise wrong("container", "a container as an object", container)
    spec: Mapping[str, Any] = plain(container)
    return spec


def _kubelet(name: str) -> Kubelet:
    return default_catalog().kubelet(release_of(name, argument="kubelet", only=True))


def to_document(result: object) -> dict[str, Any]:
    """Return the document of a result (a plan, explanations, hashes, a matrix, ...) as plain data.

    It is what ``-o json`` prints, as the JSON Schema of its ``kind`` describes it. Raises UsageError, which
    here is a TypeError too, for anything else.
    """
    return document_of(result)


def to_json(result: object) -> str:
    """Return the document of a result as ``-o json`` prints it, without the last line break."""
    return "".join(json_text(document_of(result)))
