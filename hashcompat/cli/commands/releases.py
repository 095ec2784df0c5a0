"""``hashcompat releases``: what is known, and how to make a newer release known."""

from __future__ import annotations

from typing import Annotated

from hashcompat.analysis.answers.releases import known_releases
from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import group, option
from hashcompat.cli.args.output import Shown, shows
from hashcompat.cli.args.releases import ReleaseData
from hashcompat.core.errors import UsageError
from hashcompat.output.report.difference import DIFFERENCE
from hashcompat.output.report.releases import RELEASES


@group
class Arguments:
    """What ``releases`` is asked."""

    add: str | None = option(
        "--add",
        metavar="VERSION",
        help="Add a release newer than this program knows, from its Go types.",
    )
    types: str | None = option(
        "--types",
        metavar="FILE|URL",
        help="The release's core/v1/types.go; default: from k8s.io/api on GitHub.",
    )
    data: ReleaseData
    shown: Annotated[Shown, shows(RELEASES, DIFFERENCE)]


@declared(
    "releases",
    Arguments,
    short_help="List the known kubelet releases, or add a newer one.",
)
def command(arguments: Arguments) -> None:
    """List the known kubelet releases: the type tree, hash era and Go release of each minor.

    With --add: save a newer release in the user's data directory, and show how its types differ from those of
    the newest known release. Its algorithm and behaviour are assumed to be the same, and plans say so.
    """
    if arguments.types and not arguments.add:
        raise UsageError("--types goes with --add RELEASE")
    output.ready(DIFFERENCE if arguments.add else RELEASES, arguments.shown)
    if not arguments.add:
        output.show(RELEASES, known_releases(arguments.data.catalog()), arguments.shown)
        return
    from hashcompat.cli.commands.adding import add_release

    if arguments.data.schemas:
        raise UsageError("--add saves among the user's data, not in --schemas DIR")
    add_release(arguments.add, arguments.types, arguments.shown)
