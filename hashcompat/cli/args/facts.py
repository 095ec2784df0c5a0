"""What is known of a cluster besides its pods and nodes, and the plan of what all options name.

Also the processes that take part, and the key by which plans are signed and verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import click
import msgspec
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.options import STRATEGIES, AssumePatch, Options
from hashcompat.analysis.planning.view import View
from hashcompat.cli.args import Whole, flag, group, option
from hashcompat.cli.args.common import Quiet, ReleaseNames, Releases
from hashcompat.cli.args.inventory import InventoryRequest
from hashcompat.cli.args.source import ScopeOptions, SourceOptions
from hashcompat.core import forks
from hashcompat.core.catalog.behaviour import BOOLEANS
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model import pods
from hashcompat.core.model.plan import Plan, Way
from hashcompat.core.model.pods import Inventory
from hashcompat.core.records.index import index
from hashcompat.sources import filters
from hashcompat.sources.dating import now

if TYPE_CHECKING:
    from hashcompat.core.model.verdicts import Record


# What several commands declare alike.

KEEP_GOING: Final[Any] = flag(
    "--keep-going", help="Report a container that cannot be decoded as UNKNOWN instead of stopping."
)
"""The option of every command that decides about containers one by one."""

ASSUME_NORMALIZED: Final[Any] = flag(
    "--assume-normalized",
    help="Assume that recorded hashes are rewritten first, as far as hashcompat normalize can.",
)
"""The option of every command that plans with records as hashcompat normalize leaves them."""

OVERRIDE_NODE_RELEASES: Final[Any] = flag(
    "--override-node-releases", help="Use --from even for nodes that report another release."
)
"""The option of every command that takes ``--from`` and reads nodes."""

RUNTIME_ENDPOINT: Final[Any] = option(
    "--runtime-endpoint", metavar="SOCKET", help="The runtime's socket, if it is not in a standard location."
)
"""The option of every command that reads what this node's container runtime holds."""


@group
class RecordOptions:
    """Where recorded hashes and sandboxes come from."""

    HEADING: ClassVar = "Facts about the cluster"

    recorded: tuple[str, ...] = option(
        "--recorded",
        multiple=True,
        metavar="FILE|DIR",
        help="Recorded hashes and sandboxes: collector output, JSON of docker or crictl, kubelet logs,"
        " or tar archives of these.",
    )
    runtime: str | None = option(
        "--runtime",
        type=click.Choice(["auto", "docker", "cri"]),
        help="Read recorded hashes from this node's container runtime: Docker through its socket, any "
        "CRI runtime through crictl.",
    )
    runtime_endpoint: str | None = RUNTIME_ENDPOINT

    @property
    def are_named(self) -> bool:
        """Whether any place is named."""
        return bool(self.recorded or self.runtime or self.runtime_endpoint)

    def collect(self, reading: InventoryRequest, inventory: Inventory) -> list[Record]:
        """Return what a snapshot, files and the node's runtime report."""
        records = list(inventory.records)
        if self.recorded:
            from hashcompat.sources.files import dumps

            records += dumps.records_in(self.recorded)
        if self.runtime_endpoint or self.runtime:
            from hashcompat.sources.node import live as runtime

            records += runtime.recorded(self.runtime or runtime.AUTO, self.runtime_endpoint or "")
        reading.warn_unlisted(inventory, records)
        return records


class Patches(msgspec.Struct, frozen=True):
    """The patches that kubelets are assumed to have."""

    target: AssumePatch | None = None
    """That of the target kubelet."""
    current: AssumePatch | None = None
    """That of the kubelets that run now."""
    normalized: bool = False
    """Whether records are taken as rewritten."""


_NO_PATCHES: Final = Patches()


NO_RECORDS: Final = (
    "no recorded hash in the input, and only records are rewritten; give them with --recorded, or --runtime "
    "on the node itself"
)
"""What to do where records are to be rewritten and there are none."""


@group
class FactOptions:
    """Everything that may decide besides pods and nodes."""

    HEADING: ClassVar = "Facts about the cluster"

    records: RecordOptions
    apiserver: str | None = option(
        "--apiserver",
        metavar="RELEASE",
        help="The API server's current release; default: what /version and static pods show, or that of the "
        "kubelets.",
    )
    apiserver_to: str | None = option(
        "--apiserver-to",
        metavar="RELEASE",
        help="The target release of the API server; default: the newer kubelet's, or the current one where "
        "that is newer.",
    )
    cri_dockerd: bool = flag("--cri-dockerd", help="Kubelets from 1.24 on use Docker through cri-dockerd.")
    other_runtime: bool = flag(
        "--other-runtime",
        help="The target kubelet uses another container runtime, which has none of these pods yet.",
    )
    assume_upstream: bool = flag(
        "--assume-upstream",
        help="Assume that vendors' kubelets without public source (ACK, TKE, CCE) hash like upstream's.",
    )
    allowed_sysctls: str | None = option(
        "--allowed-unsafe-sysctls",
        metavar="SYSCTL[,SYSCTL...]",
        may_be_empty=True,
        help="What the target kubelet's option of this name says; empty for nothing. Default: what a dump "
        "shows of its node; elsewhere what runs stays allowed, except what only the current release holds "
        "safe.",
    )
    override_node_releases: bool = OVERRIDE_NODE_RELEASES
    feature_gates: tuple[str, ...] = option(
        "--feature-gates",
        multiple=True,
        metavar="GATE=true|false[,...]",
        help="Feature gates set on all kubelets and API servers; components without the gate ignore it.",
    )

    def options(
        self,
        reading: InventoryRequest,
        inventory: Inventory,
        names: ReleaseNames,
        *,
        keep_going: bool = False,
        patches: Patches = _NO_PATCHES,
    ) -> Options:
        """Return how pods are to be read and what else is known; raises UsageError for unknown releases."""
        releases = {"--apiserver": self.apiserver, "--apiserver-to": self.apiserver_to}
        servers = [names.read(name, flag) if name else "" for flag, name in releases.items()]
        gates = frozenset(_gates(",".join(self.feature_gates)))
        sysctls = None
        if self.allowed_sysctls is not None:  # kernel.msg*,net.core.somaxconn, in which slashes are dots
            given_names = filter(None, map(str.strip, self.allowed_sysctls.split(",")))
            sysctls = frozenset(name.replace("/", ".") for name in given_names)
        records = index(self.records.collect(reading, inventory))
        if patches.normalized and not records:
            raise UsageError(f"--assume-normalized: {NO_RECORDS}")
        return Options(
            defaults=not reading.source.no_defaults,
            keep_going=keep_going or inventory.origin.kind is pods.Source.CLUSTER,
            records=records,
            gates=frozenset(name for name, on in gates if on),
            gates_off=frozenset(name for name, on in gates if not on),
            cri_dockerd=self.cri_dockerd,
            other_runtime=self.other_runtime,
            assume_upstream=self.assume_upstream,
            allowed_sysctls=sysctls,
            apiserver=servers[0],
            apiserver_to=servers[1],
            patch=patches.target,
            current_patch=patches.current,
            normalized=patches.normalized,
            override_node_releases=self.override_node_releases,
        )


@group
class Normalized:
    """Whether records are assumed to be rewritten first, for a command that assumes no patches."""

    HEADING: ClassVar = "Facts about the cluster"

    assume_normalized: bool = ASSUME_NORMALIZED


@group
class Patched:
    """The patches that the current and the target kubelets are assumed to have."""

    HEADING: ClassVar = "Facts about the cluster"

    strategy: str | None = option(
        "--assume-patch",
        type=click.Choice(STRATEGIES),
        help="Assume a target kubelet patched by hashcompat patch.",
    )
    like: str | None = option(
        "--like",
        metavar="RELEASE[,RELEASE...]",
        help="The releases whose hashes the assumed patches accept; default for the target kubelet: "
        "the current releases.",
    )
    from_patched: str | None = option(
        "--from-patched",
        type=click.Choice(STRATEGIES),
        help="Assume current kubelets patched by hashcompat patch, with the releases of --like.",
    )
    assume_normalized: bool = ASSUME_NORMALIZED

    def patches(self, names: ReleaseNames) -> Patches:
        """Return the patches of the target and of the current kubelets, where they are assumed."""
        if self.like and not (self.strategy or self.from_patched):
            raise UsageError("--like goes with --assume-patch or --from-patched")
        if self.from_patched and not self.like:
            raise UsageError(
                "--from-patched: name the releases whose hashes the current kubelets accept with --like"
            )
        likes = tuple(names.listed(self.like, "--like"))
        target, current = (
            AssumePatch(name, likes) if name else None for name in (self.strategy, self.from_patched)
        )
        return Patches(target, current, self.assume_normalized)


def _gates(text: str) -> Iterator[tuple[str, bool]]:
    """Read ``Gate=true,Other=false`` as the flag of kubelets does.

    Source: k8s.io/component-base/featuregate/feature_gate.go ``Set``; values are those of Go's
    ``strconv.ParseBool``.
    """
    for pair in filter(None, text.split(",")):
        name, _, value = (part.strip() for part in pair.partition("="))
        if value not in BOOLEANS:
            raise UsageError(f"--feature-gates: want GATE=true or GATE=false, got {pair.strip()!r}")
        yield name, BOOLEANS[value]


# A plan of what the options name.

_LONGEST: Final = 1 << 16
_SHORTEST: Final = 16
"""Bytes of a key: fewer can be guessed."""


def key_of(name: str | None) -> bytes:
    """Return the key in a file; empty where none is named.

    A line break at its end is not part of it. Raises InputError, naming the file, for what holds no key.
    """
    if name is None:
        return b""
    from hashcompat.sources.files import inputs, named

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
        type=Whole(1, _MOST),
        help="Number of processes for large JSON files; default: one per processor, up to 4.",
    )

    @property
    def number(self) -> int:
        """How many processes may take part: one where none can be forked."""
        return (self.jobs or min(forks.processors(), _BY_DEFAULT)) if forks.possible() else 1


Make = Callable[[Inventory, str, str, View], Plan]
"""Makes a plan of pods, from one release to another."""


class PlanOptions(Protocol):
    """The options that a plan is made by."""

    @property
    def keep_going(self) -> bool:
        """Whether what does not decode is UNKNOWN."""

    @property
    def releases(self) -> Releases:
        """From which release to which."""

    @property
    def source(self) -> SourceOptions:
        """Where the pods are."""

    @property
    def scope(self) -> ScopeOptions:
        """Which of them count."""

    @property
    def facts(self) -> FactOptions:
        """What else decides."""

    @property
    def patched(self) -> Patched:
        """Which kubelets are patched."""

    @property
    def quiet(self) -> Quiet:
        """How much is printed besides."""


class Planned(msgspec.Struct, frozen=True):
    """A plan, and what it was made of."""

    plan: Plan
    inventory: Inventory
    whole: Inventory
    """What was read, those pods included that the scope leaves out."""
    way: Way
    view: View
    """The release data, and the options that it was made by."""


def planned(
    arguments: PlanOptions,
    names: ReleaseNames,
    ready: Callable[[], None],
    make: Make = planning.make,
    *,
    budgets: bool = False,
    jobs: int = 1,
) -> Planned:
    """Return the plan; ``ready`` is called once the options are right and before anything is read.

    With ``budgets`` PodDisruptionBudgets are read too, and the pods of all nodes, for they count. ``jobs`` is
    how many processes may take part.
    """
    overridden = arguments.facts.override_node_releases
    way = arguments.releases.way(names, from_nodes=True, overridden=overridden)
    patches = arguments.patched.patches(names)
    ready()
    # before anything is read: a plan is as old as the first look at its input
    created = now()
    reading = InventoryRequest(
        arguments.source,
        arguments.scope,
        needs_nodes=arguments.releases.needs_nodes,
        quiet=arguments.quiet.quiet,
        budgets=budgets,
        jobs=jobs,
    )

    def of(whole: Inventory) -> Planned:
        inventory = filters.select(whole, arguments.scope.filters)
        arguments.releases.check_nodes(inventory, arguments.scope, names)
        options = arguments.facts.options(
            reading, inventory, names, keep_going=arguments.keep_going, patches=patches
        )
        view = View(names.catalog, options)
        plan = make(inventory, way.old, way.new, view)
        arguments.releases.check_items(plan.items, inventory.nodes)
        plan = structs.replace(plan, making=names.making(created, arguments))
        return Planned(plan, inventory, whole, way, view)

    return reading.used(of)
