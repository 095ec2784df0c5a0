"""``hashcompat rbac``: the least rights that the same flags need on a live cluster."""

from __future__ import annotations

from typing import Annotated

from hashcompat.analysis.planning.options import AUTO
from hashcompat.cli import output
from hashcompat.cli.args import command as declared
from hashcompat.cli.args import group, option
from hashcompat.cli.args.gate import configmap_of
from hashcompat.cli.args.inventory import cluster_scope
from hashcompat.cli.args.output import Shown, shows
from hashcompat.cli.args.source import Scope
from hashcompat.core.errors import UsageError
from hashcompat.output.report.releases import ROLES
from hashcompat.sources.cluster.roles import minimal_roles


@group
class Arguments:
    """What ``rbac`` is asked."""

    from_release: str = option(
        "--from",
        metavar="RELEASE|auto",
        default=AUTO,
        show_default=True,
        help="As in plan; only auto needs access to nodes.",
    )
    impact: bool = option(
        "--impact",
        is_flag=True,
        help="Also allow what impact needs: PodDisruptionBudgets and the pods of all nodes.",
    )
    state: str | None = option(
        "--state",
        metavar="configmap:NAMESPACE/NAME",
        help="Also allow reading, creating and updating this ConfigMap, for gate --state.",
    )
    service_account: str | None = option(
        "--service-account",
        metavar="NAMESPACE:NAME",
        help="Also print the bindings for this service account.",
    )
    scope: Scope
    shown: Annotated[Shown, shows(ROLES, default="yaml")]


@declared("rbac", Arguments, short_help="Print the minimal RBAC role for reading a live cluster.")
def command(arguments: Arguments) -> None:
    """Print the Role or ClusterRole that a plan with the same flags needs: get and list only, unless --state.

    It covers pods, nodes, and the namespace kube-system, whose UID identifies the cluster.

    With --impact it also covers PodDisruptionBudgets.

    hashcompat rbac --service-account tools:hashcompat | kubectl apply -f -
    """
    scope = cluster_scope(
        arguments.scope, needs_nodes=arguments.from_release == AUTO, budgets=arguments.impact
    )
    state = configmap_of(arguments.state) if arguments.state else None
    if arguments.state and not state:
        raise UsageError(
            f"--state: a file needs no role; want configmap:NAMESPACE/NAME, got {arguments.state!r}"
        )
    output.show(ROLES, minimal_roles(scope, _account(arguments.service_account), state), arguments.shown)


def _account(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    namespace, _, name = text.partition(":")
    if not namespace or not name:
        raise UsageError(f"--service-account: want NAMESPACE:NAME, got {text!r}")
    return namespace, name
