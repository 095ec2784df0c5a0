"""``hashcompat version``: this program's version and the releases it knows."""

from __future__ import annotations

from typing import Annotated

from hashcompat.analysis.answers.releases import versions
from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import group
from hashcompat.cli.args.output import Shown, shows
from hashcompat.cli.args.releases import ReleaseData
from hashcompat.output.report.releases import VERSION


@group
class Arguments:
    """What ``version`` is asked."""

    data: ReleaseData
    shown: Annotated[Shown, shows(VERSION)]


@declared("version", Arguments, short_help="Print this program's version and the range of known releases.")
def command(arguments: Arguments) -> None:
    """Print this program's version and the oldest and newest kubelet releases that it knows."""
    output.show(VERSION, versions(arguments.data.catalog()), arguments.shown)
