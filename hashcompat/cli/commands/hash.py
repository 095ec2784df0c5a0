"""``hashcompat hash``: the primitive, like sha256sum."""

from __future__ import annotations

from typing import Annotated

from hashcompat.answers.hashes import dropped_fields, hash_containers
from hashcompat.cli import output
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import group, option
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet, Shown, Verbose, shows
from hashcompat.cli.args.releases import ReleaseData
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.errors import UsageError
from hashcompat.planning.options import Options
from hashcompat.planning.view import View
from hashcompat.report.hashes import HASHES, TEXTS


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
def command(given: Arguments) -> None:
    """Print the hash that each kubelet release computes for every container, decimal and hex."""
    quiet, report = given.quiet.quiet, TEXTS if given.show_input else HASHES
    names = given.data.names(quiet=quiet)
    _check(given)
    output.ready(report, given.shown)
    releases = names.listed(given.kubelet)
    reading = Reading(given.source, given.scope, quiet=quiet)
    found = reading.inventory()
    view = View(names.catalog, Options(not given.source.no_defaults))
    hashed = hash_containers(found, releases, view, with_text=given.show_input)
    output.show(report, hashed, given.shown)
    output.notes(report, hashed, quiet=quiet)
    if given.verbose.verbose:
        output.note_dropped(dropped_fields(found, list(map(names.catalog.kubelet, releases))))


def _check(given: Arguments) -> None:
    if not given.kubelet:
        raise UsageError(
            "--kubelet is missing; "
            "name the kubelet releases that compute the hash, such as --kubelet 1.7.16,1.9.11"
        )
    if given.show_input and not given.show_values:
        raise UsageError("--show-input prints texts that may be secret; allow it with --show-values")
