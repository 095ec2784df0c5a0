"""A plan of what the options name: for ``plan``, which shows it, and for ``gate``, which judges it.

Also the processes that take part, and the key by which plans are signed and verified.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final, Protocol

import click
import msgspec
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.cli.args import group, option
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.releases import Names, Releases
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core import forks
from hashcompat.core.errors import InputError
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.pods import Inventory
from hashcompat.sources import filters
from hashcompat.sources.dating import now

_LONGEST: Final = 1 << 16
_SHORTEST: Final = 16
"""Bytes of a key: fewer can be guessed."""


def key_of(name: str | None) -> bytes:
    """Return the key in a file; empty where none is named.

    A line break at its end is not part of it. Raises InputError, naming the file, for what holds no key.
    """
    if name is None:
        return b""
    from hashcompat.sources.files.inputs import inputs, named

    if Path(name).is_dir():
        raise InputError(f"{name}: is a directory, expected a file with a key")
    (source,) = inputs(name, recursive=False, suffixes=())
    with named(source.origin), source.open() as stream:
        key = stream.read(_LONGEST + 1).rstrip(b"\r\n")
        if not _SHORTEST <= len(key) <= _LONGEST:
            raise InputError(f"want a key of {_SHORTEST} to {_LONGEST:,} bytes")
        return key


_MOST: Final = 64
_BY_DEFAULT: Final = 4
"""Each takes memory, and a container has fewer processors than the machine that it sees."""


@group
class Jobs:
    """The processes that read and decide the pods of a large file, and write the plan."""

    HEADING: ClassVar = "Source"

    jobs: int | None = option(
        "--jobs",
        metavar="N",
        type=click.IntRange(1, _MOST),
        help="Number of processes for large JSON files; default: one per processor, up to 4.",
    )

    @property
    def number(self) -> int:
        """How many processes may take part: one where none can be forked."""
        return (self.jobs or min(forks.processors(), _BY_DEFAULT)) if forks.possible() else 1


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
    arguments: Options,
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
    way, patches = arguments.releases.way(names, from_nodes=True), arguments.patched.patches(names)
    ready()
    # before anything is read: a plan is as old as the first look at its input
    created = now()
    reading = Reading(
        arguments.source,
        arguments.scope,
        needs_nodes=arguments.releases.needs_nodes,
        quiet=quiet,
        budgets=budgets,
        jobs=arguments.jobs.number,
    )

    def of(whole: Inventory) -> Planned:
        inventory = filters.select(whole, arguments.scope.filters)
        arguments.releases.check_nodes(inventory, arguments.scope, names)
        options = arguments.facts.options(
            reading, inventory, names, keep_going=arguments.keep_going, patches=patches
        )
        plan = make(inventory, way.old, way.new, View(names.catalog, options))
        arguments.releases.check_items(plan.items)
        return Planned(structs.replace(plan, making=names.making(created, arguments)), inventory, whole, way)

    return reading.used(of)
