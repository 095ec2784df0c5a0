"""What is known of nodes besides what was read on them: the cluster's objects, and a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import structs

from hashcompat.cli.args.declare import group, option
from hashcompat.cli.args.inventory import Reading, is_named
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.preflight.run import Known, items_by_node, known_of, with_own_releases

if TYPE_CHECKING:
    from hashcompat.catalog.lookup import Catalog
    from hashcompat.model.items import Item
    from hashcompat.model.plan import Plan, Way
    from hashcompat.model.pods import Inventory, Node
    from hashcompat.records.probes import Dump


@group
class Joined:
    """What is known of the cluster."""

    HEADING: ClassVar = "Cluster and plan"

    no_node: bool = option(
        "--no-node",
        is_flag=True,
        help="Check only the Node objects in the source; read nothing on the nodes themselves.",
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
        help="The release of the API server that the kubelet will talk to.",
    )

    override_node_releases: bool = option(
        "--override-node-releases",
        is_flag=True,
        help="Use --from even for nodes that report another release.",
    )

    def known(self, reading: Reading, way: Way, dumps: Sequence[Dump], catalog: Catalog) -> Known:
        """Return what the source and the plan show, where any is named.

        Raises InputError for what cannot be read and for a plan of other releases.
        """
        known = Known()
        if self.no_node or is_named(reading.source, reading.scope.labels):
            found = reading.inventory()
            found = structs.replace(
                found, nodes=with_own_releases(found.nodes, dumps), pods=tuple(found.pods)
            )
            items = None if self.plan else self._made(found, reading.source, way, catalog)
            known = known_of(_wanted(found.nodes, reading.scope), found.pods, items)
        if self.plan:
            known = structs.replace(known, items=items_by_node(_saved(self.plan, way, catalog).items))
        return known

    def _made(self, found: Inventory, source: Source, way: Way, catalog: Catalog) -> Iterable[Item]:
        """Plan the upgrade of the pods of the source."""
        from hashcompat import planning
        from hashcompat.planning.options import Options
        from hashcompat.planning.view import View
        from hashcompat.records.index import index

        options = Options(
            defaults=not source.no_defaults,
            keep_going=True,
            records=index(found.records),
            apiserver_to=self.apiserver or "",
            override_node_releases=self.override_node_releases,
        )
        return planning.make(found, way.old, way.new, View(catalog, options)).items


def reading(source: Source, scope: Scope, *, quiet: bool) -> Reading:
    """Return how the source is read: with its nodes, and with pods where it has any."""
    return Reading(source, scope, needs_nodes=True, quiet=quiet, needs_pods=False)


def _wanted(nodes: Iterable[Node], scope: Scope) -> Iterable[Node]:
    return (node for node in nodes if not scope.nodes or node.name in scope.nodes)


def _saved(name: str, way: Way, catalog: Catalog) -> Plan:
    """Read a saved plan; raises InputError where its releases are not those of the command line."""
    from hashcompat.cli.args.planreleases import check_releases
    from hashcompat.planning.options import AUTO
    from hashcompat.sources.files import plans

    plan = plans.read(name)
    check_releases(name, plan, "" if way.old == AUTO else way.old, way.new, catalog)
    return plan
