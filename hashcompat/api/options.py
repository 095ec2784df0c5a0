"""Flags of the command line as keywords, bound to an inventory."""

from __future__ import annotations

from typing import TypedDict

from msgspec import structs

from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.model.pods import Inventory
from hashcompat.planning.options import AUTO, AssumePatch, Options
from hashcompat.planning.view import View
from hashcompat.records.index import Records, index


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
    current_patch: AssumePatch | None
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
