"""``hashcompat normalize``: which records are rewritten so that an upstream kubelet keeps its containers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import structs

from hashcompat.analysis import normalizing
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args import command as declared
from hashcompat.cli.args import group, option, with_parts
from hashcompat.cli.args.facts import NO_RECORDS, Facts, Patched, keep_going_option
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.planned import key_of
from hashcompat.cli.args.releases import Releases
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.output.report.normalization import NORMALIZATION, Signed
from hashcompat.sources import filters
from hashcompat.sources.dating import now

if TYPE_CHECKING:
    import click


@group
class Arguments:
    """What ``normalize`` is asked."""

    keep_going: bool = keep_going_option()
    sign_key: str | None = option(
        "--sign-key",
        metavar="FILE",
        help="Sign the document with the key in FILE.",
    )
    releases: Releases
    source: Source
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(NORMALIZATION)]
    quiet: Quiet


@declared(
    "normalize",
    Arguments,
    short_help="Find the records to rewrite so that an upstream kubelet keeps its containers.",
)
def made(arguments: Arguments) -> None:
    """Find which recorded hashes to rewrite so that an upstream kubelet of another release keeps containers.

    Taken up is only what is proven: the current spec has the recorded hash, and nothing but the hash, or the
    UID of a static pod, restarts the container. --out saves the document; nothing is changed until apply.
    """
    quiet = arguments.quiet.quiet
    names = arguments.releases.data.names(quiet=quiet)
    key = key_of(arguments.sign_key)
    way, patches = arguments.releases.way(names, from_nodes=True), arguments.patched.patches(names)
    output.ready(NORMALIZATION, arguments.shown)
    created = now()
    reading = Reading(
        arguments.source, arguments.scope, needs_nodes=arguments.releases.needs_nodes, quiet=quiet
    )
    inventory = filters.select(reading.whole(), arguments.scope.filters)
    arguments.releases.check_nodes(inventory, arguments.scope, names)
    if arguments.patched.assume_normalized:
        raise UsageError("--assume-normalized goes with hashcompat plan, which shows what is left")
    options = arguments.facts.options(
        reading, inventory, names, keep_going=arguments.keep_going, patches=patches
    )
    if not options.records:
        raise UsageError(NO_RECORDS)
    found = normalizing.make(inventory, way.old, way.new, View(names.catalog, options))
    arguments.releases.check_items([one.item for one in found.changes])
    shown = Signed(structs.replace(found, making=names.making(created, arguments)), key)
    output.show(NORMALIZATION, shown, arguments.shown)
    output.notes(NORMALIZATION, shown, quiet=quiet)


def _part(name: str) -> click.Command:
    from hashcompat.cli.commands import normalizing as parts

    found: click.Command = getattr(parts, f"{name}_command")
    return found


command = with_parts(made, {name: partial(_part, name) for name in ("apply", "check", "undo")})
