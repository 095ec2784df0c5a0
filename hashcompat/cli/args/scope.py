"""Which of the pods count."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from hashcompat.cli.args.declare import group, option

if TYPE_CHECKING:
    from hashcompat.sources.filters import Filters


@group
class Labels:
    """What the API server itself selects."""

    HEADING: ClassVar = "Scope"

    selector: str | None = option(
        "-l",
        "--selector",
        metavar="LABELS",
        help="Only pods of the live cluster that match this label selector, in kubectl's syntax.",
    )


@group
class Scope:
    """Which of the pods count; all of them unless something is given."""

    HEADING: ClassVar = "Scope"

    labels: Labels
    namespaces: tuple[str, ...] = option(
        "-n", "--namespace", multiple=True, metavar="NAMESPACE", help="Only this namespace; repeatable."
    )
    excluded_namespaces: tuple[str, ...] = option(
        "--exclude-namespace", multiple=True, metavar="NAMESPACE", help="Exclude this namespace; repeatable."
    )
    nodes: tuple[str, ...] = option(
        "--node", multiple=True, metavar="NODE", help="Only pods on this node; repeatable."
    )
    owners: tuple[str, ...] = option(
        "--owner", multiple=True, metavar="KIND/NAME", help="Only pods of this owner; repeatable."
    )

    @property
    def filters(self) -> Filters:
        """What is left of the pods that were read."""
        from hashcompat.sources.filters import Filters

        return Filters(self.namespaces, self.excluded_namespaces, self.nodes, self.owners)
