"""Flags of the command line as keywords, bound to an inventory."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.model.pods import Inventory
from hashcompat.planning.options import AssumePatch, Options
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
    apiserver: str
    apiserver_to: str
    patch: AssumePatch | None
    assume_upstream: bool
    current_patch: AssumePatch | None


def view_of(inventory: Inventory, catalog: Catalog | None, given: OptionFields) -> View:
    """Bind options; the records of a snapshot count unless others are given."""
    options = Options(**given)
    if not options.records and inventory.records:
        options = replace(options, records=index(inventory.records))
    return View(catalog or default_catalog(), options)
