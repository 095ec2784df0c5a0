"""``hashcompat hash``: the primitive, like sha256sum."""

from __future__ import annotations

from typing import Annotated

from hashcompat.analysis.answers.hashes import dropped_fields, hash_containers
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import group, option
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet, Shown, Verbose, shows
from hashcompat.cli.args.releases import ReleaseData
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.output.report.hashes import HASHES, TEXTS


@group
class Arguments:
    """What ``hash`` is asked."""

    kubelet: str | None = option(
        "--kubelet", metavar="RELEASE[,RELEASE...]", help="The kubelet releases that compute the hash."
    )
    show_input: bool = option(
        "--show-input", is_flag=True, help="Print the exact text that is hashed; requires --show-values."
    )
    show_values: bool = option(
        "--show-values", is_flag=True, help="Do not mask potentially secret text in the output."
    )
    data: ReleaseData
    source: Source
    scope: Scope
    shown: Annotated[Shown, shows(HASHES, TEXTS)]
    quiet: Quiet
    verbose: Verbose


@declared("hash", Arguments, short_help="Print the hash of every container under some kubelet releases.")
def command(arguments: Arguments) -> None:
    """Print the hash that each kubelet release computes for every container, decimal and hex."""
    quiet, report = arguments.quiet.quiet, TEXTS if arguments.show_input else HASHES
    names = arguments.data.names(quiet=quiet)
    if not arguments.kubelet:
        raise UsageError(
            "--kubelet is missing; "
            "name the kubelet releases that compute the hash, such as --kubelet 1.7.16,1.9.11"
        )
    if arguments.show_input and not arguments.show_values:
        raise UsageError("--show-input prints texts that may be secret; allow it with --show-values")
    output.ready(report, arguments.shown)
    releases = names.listed(arguments.kubelet)
    reading = Reading(arguments.source, arguments.scope, quiet=quiet)
    inventory = reading.inventory()
    view = View(names.catalog, Options(not arguments.source.no_defaults))
    hashed = hash_containers(inventory, releases, view, with_text=arguments.show_input)
    output.show(report, hashed, arguments.shown)
    output.notes(report, hashed, quiet=quiet)
    if arguments.verbose.verbose:
        output.note_dropped(dropped_fields(inventory, list(map(names.catalog.kubelet, releases))))
