"""A plan of what the options name: for ``plan``, which shows it, and for ``gate``, which judges it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec
from msgspec import structs

from hashcompat import planning
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.jobs import Jobs
from hashcompat.cli.args.releases import Names, Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.model.plan import Plan, Way
from hashcompat.model.pods import Inventory
from hashcompat.planning.view import View
from hashcompat.sources import filters
from hashcompat.sources.dating import now

Make = Callable[[Inventory, str, str, View], Plan]
"""Makes a plan of pods, from one release to another."""


class Options(Protocol):
    """The options that a plan is made by."""

    @property
    def keep_going(self) -> bool:
        """Whether what does not decode is UNKNOWN."""

    @property
    def releases(self) -> Releases:
        """From which release to which."""

    @property
    def source(self) -> Source:
        """Where the pods are."""

    @property
    def scope(self) -> Scope:
        """Which of them count."""

    @property
    def facts(self) -> Facts:
        """What else decides."""

    @property
    def jobs(self) -> Jobs:
        """How many processes take part."""

    @property
    def patched(self) -> Patched:
        """Which kubelets are patched."""


class Planned(msgspec.Struct, frozen=True):
    """A plan, and what it was made of."""

    plan: Plan
    found: Inventory
    whole: Inventory
    """What was read, those pods included that the scope leaves out."""
    way: Way


def planned(
    given: Options,
    names: Names,
    ready: Callable[[], None],
    make: Make = planning.make,
    *,
    quiet: bool,
    budgets: bool = False,
) -> Planned:
    """Return the plan; ``ready`` is called once the options are right and before anything is read.

    With ``budgets`` PodDisruptionBudgets are read too, and the pods of all nodes, for they count.
    """
    way, patches = given.releases.way(names, from_nodes=True), given.patched.patches(names)
    ready()
    created = now()
    reading = Reading(
        given.source,
        given.scope,
        needs_nodes=given.releases.needs_nodes,
        quiet=quiet,
        budgets=budgets,
        jobs=given.jobs.number,
    )

    def of(whole: Inventory) -> Planned:
        found = filters.select(whole, given.scope.filters)
        given.releases.check_nodes(found, given.scope, names)
        options = given.facts.options(reading, found, names, keep_going=given.keep_going, patches=patches)
        plan = make(found, way.old, way.new, View(names.catalog, options))
        given.releases.check_items(plan.items)
        return Planned(structs.replace(plan, created=created), found, whole, way)

    return reading.used(of)
