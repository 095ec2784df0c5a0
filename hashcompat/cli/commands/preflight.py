"""What is known of nodes besides what was read on them: the cluster's objects, and a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated, ClassVar

import click
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.planning.cluster import dated
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.analysis.preflight import (
    Context,
    PreflightRequest,
    check_plan,
    context_of,
    inspect,
    items_by_node,
    with_reported_releases,
)
from hashcompat.cli import output
from hashcompat.cli.args import changed, flag, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import (
    OutputOptions,
    Quiet,
    ReleaseData,
    check_overridden,
    check_releases,
    listed,
    shows,
)
from hashcompat.cli.args.facts import OVERRIDE_NODE_RELEASES, RUNTIME_ENDPOINT
from hashcompat.cli.args.inventory import InventoryRequest, is_named
from hashcompat.cli.args.source import ScopeOptions, SourceOptions
from hashcompat.core.errors import UsageError
from hashcompat.core.model.plan import AUTO, Way
from hashcompat.core.model.pods import Source
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.collected import files_of
from hashcompat.core.records.index import index
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.sources.dating import now
from hashcompat.sources.files.dumps import dumps_in
from hashcompat.sources.node import live

if TYPE_CHECKING:
    from hashcompat.core.catalog.lookup import Catalog
    from hashcompat.core.model.items import Item
    from hashcompat.core.model.pods import Inventory
    from hashcompat.core.records.probes import Dump


@group
class Joined:
    """What is known of the cluster."""

    HEADING: ClassVar = "Cluster and plan"

    no_node: bool = flag(
        "--no-node", help="Check only the Node objects in the source; read nothing on the nodes themselves."
    )
    plan: str | None = option(
        "--plan",
        metavar="FILE",
        help="A saved plan of the same upgrade (hashcompat plan --out); default: plan the pods of the "
        "source.",
    )
    apiserver: str | None = option(
        "--apiserver",
        metavar="RELEASE",
        help="The release of the API server that the kubelet will talk to; default: what /version and static "
        "pods show.",
    )
    assume_normalized: bool = flag(
        "--assume-normalized",
        help="Check that the records of these nodes can be rewritten by hashcompat normalize, and plan so.",
    )
    override_node_releases: bool = OVERRIDE_NODE_RELEASES

    def context(
        self, reading: InventoryRequest, way: Way, dumps: Sequence[Dump], catalog: Catalog
    ) -> Context:
        """Return what the source and the plan show, where any is named.

        Raises InputError for what cannot be read and for a plan of other releases.
        """
        context = Context()
        if self.no_node or is_named(reading.source, reading.scope.labels):
            inventory = reading.inventory()
            inventory = structs.replace(
                inventory, nodes=with_reported_releases(inventory.nodes, dumps), pods=tuple(inventory.pods)
            )
            items = None if self.plan else self._made(inventory, reading.source, way, catalog, dumps)
            wanted = reading.scope.nodes
            context = context_of(
                (node for node in inventory.nodes if not wanted or node.name in wanted),
                inventory.pods,
                items,
                inventory.servers.releases,
                sample=inventory.origin.kind is Source.SAMPLE,
            )
            context = structs.replace(context, origin=dated(inventory))
        if self.plan:
            from hashcompat.sources.files import plans

            plan = plans.read(self.plan)
            check_releases(self.plan, plan, "" if way.old == AUTO else way.old, way.new, catalog)
            context = structs.replace(context, items=items_by_node(plan.items))
        return context

    def _made(
        self,
        inventory: Inventory,
        source: SourceOptions,
        way: Way,
        catalog: Catalog,
        dumps: Sequence[Dump],
    ) -> Iterable[Item]:
        """Plan the upgrade of the pods of the source, with what their nodes are set to."""
        options = Options(
            defaults=not source.no_defaults,
            keep_going=True,
            records=index((*inventory.records, *chain.from_iterable(map(files_of, dumps)))),
            apiserver_to=self.apiserver or "",
            override_node_releases=self.override_node_releases,
            normalized=self.assume_normalized,
        )
        return planning.make(inventory, way.old, way.new, View(catalog, options)).items


@group
class Arguments:
    """What ``preflight`` is asked."""

    to_release: str | None = option("--to", metavar="RELEASE", help="The target release of the kubelet.")
    from_release: str | None = option(
        "--from",
        metavar="RELEASE|auto",
        help="The current kubelet release; auto (default): what each node reports.",
    )
    dumps: tuple[str, ...] = option(
        "--dump",
        multiple=True,
        metavar="FILE|DIR",
        help="Output of hashcompat collector --preflight from a node, or tar archives of it; repeatable.",
    )
    runtime: str | None = option(
        "--runtime",
        type=click.Choice(live.KINDS),
        help="The container runtime of this node to query; default: whichever answers.",
    )
    runtime_endpoint: str | None = RUNTIME_ENDPOINT
    root: str | None = option(
        "--root", metavar="DIR", help="Where the node's root file system is mounted; default: /."
    )
    read_also: tuple[str, ...] = option(
        "--read-also",
        metavar="DIR",
        multiple=True,
        help="Another directory on the node that holds the kubelet's own files, such as its --root-"
        "dir; repeatable.",
    )
    ignored: str | None = option(
        "--ignore-preflight-errors",
        metavar="CHECK[,CHECK...]|all",
        help="Checks whose errors are treated as warnings.",
    )
    joined: Joined
    source: SourceOptions
    scope: ScopeOptions
    data: ReleaseData
    shown: Annotated[OutputOptions, shows(PREFLIGHT)]
    quiet: Quiet


@declared(
    "preflight", Arguments, short_help="Check nodes for what else breaks when their kubelet is restarted."
)
def command(arguments: Arguments) -> int:
    """Check nodes for what breaks when a kubelet is restarted or replaced, other than container hashes.

    Nothing on the node is changed. Exit 2 if something is found that breaks it, 3 if a check could not read
    what it needs.
    """
    if not arguments.to_release:
        raise UsageError("--to is missing; name the release that will be started, such as --to 1.24.17")
    quiet = arguments.quiet.quiet
    names = arguments.data.names(quiet=quiet)
    check_overridden(arguments.from_release, overridden=arguments.joined.override_node_releases)
    way = Way(
        names.read_or_auto(arguments.from_release or AUTO, "--from"), names.read(arguments.to_release, "--to")
    )
    server = names.read(arguments.joined.apiserver, "--apiserver") if arguments.joined.apiserver else ""
    joined = changed(arguments.joined, apiserver=server)
    output.ready(PREFLIGHT, arguments.shown)
    created = now()
    nodes, catalog = _dumps(arguments), names.catalog
    # with its nodes, and with pods where it has any
    read = InventoryRequest(
        arguments.source, arguments.scope, needs_nodes=True, quiet=quiet, needs_pods=False
    )
    context = joined.context(read, way, nodes or [], catalog)
    current = "" if way.old == AUTO else way.old
    if not current:
        check_plan(context, nodes or [], catalog)
    ignored, flags = (
        tuple(listed(arguments.ignored)),
        (joined.assume_normalized, joined.override_node_releases),
    )
    request = PreflightRequest(way.new, current, server, ignored, datetime.now(UTC), *flags)
    result = inspect(nodes, context, request, catalog)
    result = structs.replace(result, making=names.making(created, arguments))
    output.show(PREFLIGHT, result, arguments.shown)
    output.notes(PREFLIGHT, result, quiet=quiet)
    counts = result.counts()
    return output.exit_code(findings=counts[Status.ERROR], undecided=counts[Status.UNKNOWN])


def _dumps(arguments: Arguments) -> list[Dump] | None:
    """Read dumps where they are given, and this node otherwise; None where only objects are looked at."""
    if arguments.joined.no_node and arguments.dumps:
        raise UsageError("--dump and --no-node exclude each other: a dump is what was read on a node")
    if (arguments.joined.no_node or arguments.dumps) and (
        arguments.runtime or arguments.runtime_endpoint or arguments.root or arguments.read_also
    ):
        raise UsageError("--runtime, --runtime-endpoint, --root and --read-also are about this node alone")
    if arguments.joined.no_node:
        return None
    if arguments.dumps:
        return dumps_in(arguments.dumps)
    kind, socket = arguments.runtime or live.AUTO, arguments.runtime_endpoint or ""
    return [live.collect(kind, socket, arguments.root or "/", arguments.read_also)]
