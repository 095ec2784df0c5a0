"""The options of source and scope -> pods and nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import structs

from hashcompat.cli import progress
from hashcompat.cli.args import given_flags
from hashcompat.cli.args.source import (
    LabelOptions,
    ScopeOptions,
    SourceOptions,
    collect_beside_static,
    collect_cluster,
    is_cluster_named,
    static_place,
)
from hashcompat.cli.output import note
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.pods import Inventory, Origin, Source
from hashcompat.core.records.index import unlisted
from hashcompat.output.report.notes import collapsed

if TYPE_CHECKING:
    from hashcompat.core.model.verdicts import Record
    from hashcompat.sources import cluster as live

Result = TypeVar("Result")


class InventoryRequest(msgspec.Struct, frozen=True):
    """What a command reads: by default all pods of the live cluster."""

    source: SourceOptions
    scope: ScopeOptions
    needs_nodes: bool = False
    """Whether there is no answer without the nodes (``--from auto``)."""
    quiet: bool = False
    needs_pods: bool = True
    """Whether there is no answer without a pod."""
    budgets: bool = False
    """Whether PodDisruptionBudgets are needed, and with them all pods of the namespaces, for they count."""
    jobs: int = 1
    """How many processes may look through a large file."""
    glance: bool = False
    """Whether it may be guessed where the pods of a file are (``Inventory.guessed``)."""

    def whole(self) -> Inventory:
        """Read all pods of the namespaces that the options name; errors as ``inventory``."""
        inventory = _read(self)
        self.warn(inventory.warnings)
        return inventory

    def used(self, use: Callable[[Inventory], Result]) -> Result:
        """Return what is made of all pods; errors as ``inventory``.

        It may be guessed where the pods of a file are. Where anything is wrong then, in the file or in the
        guess, the file is read as ``whole`` does, and used again.
        """
        guess = structs.replace(self, glance=True).whole()
        try:
            return use(guess)
        except (InputError, UsageError):
            if not guess.guessed:
                raise
        return use(self.whole())

    def inventory(self) -> Inventory:
        """Read and filter the pods that the options name.

        Raises UsageError for options that exclude each other, InputError for what cannot be read, and where
        no pod is left.
        """
        return self.selected(self.whole())

    def selected(self, inventory: Inventory) -> Inventory:
        """Filter the pods that were read; errors as ``inventory``."""
        from hashcompat.sources import filters

        wanted = self.scope.filters
        return (
            filters.select(inventory, wanted) if self.needs_pods or wanted != filters.Filters() else inventory
        )

    def warn(self, warnings: Iterable[str]) -> None:
        """Print what of a source is not among the pods though a reader may expect it there, once a kind."""
        for warning in () if self.quiet else collapsed(warnings):
            note(f"Warning: {warning}")

    def warn_unlisted(self, inventory: Inventory, records: Iterable[Record]) -> None:
        """Print which static pods have records but are not among the pods, unless labels may be the cause."""
        if not self.scope.labels.selector:
            self.warn(unlisted(inventory, records, self.scope.filters.cover))


def is_named(source: SourceOptions, labels: LabelOptions) -> bool:
    """Return whether the options name any pods, for commands that also do without."""
    return not source.is_live or bool(source.cluster.flags(labels.selector))


def refuse_without_pods(*groups: object) -> None:
    """Raise UsageError for an option that decides about pods, where the options name none."""
    for flag in chain.from_iterable(map(given_flags, groups)):
        raise UsageError(f"{flag} is about pods; give them with -f or --sample, or a cluster with --context")


def cluster_scope(scope: ScopeOptions, *, needs_nodes: bool, budgets: bool) -> live.ReadScope:
    """Return what of a live cluster is read; with ``budgets`` the pods of all nodes, for they count."""
    from hashcompat.sources import cluster as live

    nodes = () if budgets else scope.nodes
    return live.ReadScope(
        scope.wanted_namespaces, nodes, scope.labels.selector or "", needs_nodes, budgets=budgets
    )


_OF_FILES: Final = frozenset({"-R", "--exclude", "--exclude-from", "--strict-files"})
"""The options that choose among files."""


def _read(reading: InventoryRequest) -> Inventory:
    source = reading.source
    if source.sample and (source.files or source.static.directories):
        argument = (
            f"-f {source.files[0]}" if source.files else f"--static-pod-dir {source.static.directories[0]}"
        )
        raise UsageError(f"{argument} and --sample are two sources of pods; give one of them")
    for flag in () if source.files else filter(_OF_FILES.__contains__, given_flags(source)):
        raise UsageError(f"{flag} goes with -f FILE|DIR: there are no files to choose from")
    if source.is_live:
        return collect_cluster(source.cluster, _cluster_scope(reading))
    alone = source.static.directories and not (source.files or source.sample)
    beside = bool(alone) and is_cluster_named(source.cluster)
    # flags of a live cluster would change nothing beside another source
    if not beside and (flags := source.cluster.flags(reading.scope.labels.selector)):
        hint = "; --context or KUBECONFIG names one"
        raise UsageError(
            f"{flags[0]} goes with a live cluster, not with -f, --static-pod-dir or --sample"
            f"{hint if source.static.directories and not source.files else ''}"
        )
    if source.sample:
        from hashcompat.sources.files.collect import sample_cluster

        return sample_cluster()
    if not source.static.directories:
        return _files(source, reading)
    inventory = None
    if beside:
        inventory = collect_beside_static(source.cluster, _cluster_scope(reading), quiet=reading.quiet)
    return _static(source, reading, inventory)


def _cluster_scope(reading: InventoryRequest) -> live.ReadScope:
    scope = cluster_scope(reading.scope, needs_nodes=reading.needs_nodes, budgets=reading.budgets)
    return structs.replace(scope, needs_pods=reading.needs_pods)


def _files(source: SourceOptions, reading: InventoryRequest) -> Inventory:
    """Read ``-f``; of one file, ``--static-pod-path`` says that it is a node's manifest."""
    from hashcompat.sources.files import collect as files

    node, path = static_place(source.static, source.files)
    if not path:
        return files.collect(
            source.files,
            recursive=source.recursive,
            needs_pods=reading.needs_pods,
            jobs=reading.jobs,
            glance=reading.glance,
            rules=source.rules,
            meter=progress.current(),
        )
    from hashcompat.sources.files import called, staticpods

    pod = staticpods.collect_file(source.files[0], node, path)
    return Inventory((pod,), origin=Origin(Source.FILES, (called(source.files[0]),)))


def _static(source: SourceOptions, reading: InventoryRequest, inventory: Inventory | None) -> Inventory:
    """Read ``--static-pod-dir``; a manifest takes the place of its mirror pod among the others."""
    from hashcompat.sources.files import collect as files
    from hashcompat.sources.files import staticpods

    node, path = static_place(source.static, source.files)
    directories = source.static.directories
    alone = inventory is None and not source.files
    manifests = staticpods.collect_directories(directories, node, path, alone=alone)
    if source.files:
        needs_pods = reading.needs_pods and not manifests.pods
        inventory = files.collect(
            source.files, recursive=source.recursive, needs_pods=needs_pods, rules=source.rules
        )
    if inventory is None:
        return structs.replace(manifests, origin=Origin(Source.FILES, directories))
    scope = reading.scope
    expected = [] if scope.labels.selector else filter(scope.filters.matches, manifests.pods)
    merged = staticpods.beside(inventory, manifests, expected, node)
    return structs.replace(
        merged, origin=structs.replace(inventory.origin, names=(*inventory.origin.names, *directories))
    )
