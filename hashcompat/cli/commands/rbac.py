"""``hashcompat rbac``: the least rights that the same flags need on a live cluster."""

from __future__ import annotations

import click

from hashcompat.cli.args import live as live_options
from hashcompat.cli.args import options
from hashcompat.errors import UsageError
from hashcompat.report.roles import role_names, roles_document, roles_table


@click.command("rbac", short_help="Print the minimal role with which a live cluster can be read.")
@click.option(
    "--from",
    "from_release",
    metavar="RELEASE|auto",
    default="auto",
    show_default=True,
    help="As for plan; only auto needs the nodes.",
)
@options.selection_options
@click.option(
    "--service-account", metavar="NAMESPACE:NAME", help="Also print the bindings to this service account."
)
@options.manifest_options
def command(service_account: str | None, **given: options.Given) -> None:
    """Print the Role or ClusterRole for a plan with the same flags: only get and list, only pods and nodes.

    hashcompat rbac --service-account tools:hashcompat | kubectl apply -f -
    """
    from hashcompat.sources.cluster.roles import role_documents

    roles = role_documents(live_options.scope(given), _account(service_account))
    output = options.output(given)
    output.show(
        lambda: roles_document(roles),
        lambda form: (
            role_names(roles) if form == "name" else roles_table(roles, headers=not output.no_headers)
        ),
    )


def _account(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    namespace, _, name = text.partition(":")
    if not namespace or not name:
        raise UsageError(f"--service-account: want NAMESPACE:NAME, got {text!r}")
    return namespace, name
