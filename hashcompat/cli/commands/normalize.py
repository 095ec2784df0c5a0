"""``hashcompat normalize``: which records are rewritten so that an upstream kubelet keeps its containers.

Its parts ``apply``, ``check`` and ``undo`` run on a node; only ``apply`` and ``undo`` change it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, ClassVar, Final

import click
from msgspec import structs

from hashcompat.analysis import normalizing
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args import argument, flag, group, option, with_parts
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import OutputOptions, Quiet, Releases, shows
from hashcompat.cli.args.facts import KEEP_GOING, NO_RECORDS, FactOptions, Patched, key_of
from hashcompat.cli.args.inventory import InventoryRequest
from hashcompat.cli.args.source import ScopeOptions, SourceOptions
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.model.preflight import CONTAINERD, DOCKER, RUNTIMES, Done, NormalizationRun, State, Work
from hashcompat.core.policies import duration_of
from hashcompat.output.report.normalization import NORMALIZATION, RUN, Signed
from hashcompat.output.rewriting import RecordStore, apply, files, runtimes
from hashcompat.sources import filters
from hashcompat.sources.dating import now
from hashcompat.sources.files import STDIN, called
from hashcompat.sources.files.reports import work_in


@group
class Arguments:
    """What ``normalize`` is asked."""

    keep_going: bool = KEEP_GOING
    sign_key: str | None = option(
        "--sign-key", metavar="FILE", help="Sign the document with the key in FILE."
    )
    releases: Releases
    source: SourceOptions
    scope: ScopeOptions
    facts: FactOptions
    patched: Patched
    shown: Annotated[OutputOptions, shows(NORMALIZATION)]
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
    if arguments.sign_key:
        arguments.shown.needs_document("--sign-key", "the signature")
    key = key_of(arguments.sign_key)
    overridden = arguments.facts.override_node_releases
    way = arguments.releases.way(names, from_nodes=True, overridden=overridden)
    patches = arguments.patched.patches(names)
    output.ready(NORMALIZATION, arguments.shown)
    created = now()
    reading = InventoryRequest(
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
    result = normalizing.make(inventory, way.old, way.new, View(names.catalog, options))
    if len(result.changes) == result.containers:  # the others are KEEP, which a plan takes for known
        arguments.releases.check_items([change.item for change in result.changes], inventory.nodes)
    result = structs.replace(result, making=names.making(created, arguments))
    signed = Signed(**structs.asdict(result), key=key)
    output.show(NORMALIZATION, signed, arguments.shown)
    output.notes(NORMALIZATION, signed, quiet=quiet)


_UNLIMITED: Final = timedelta(days=36_500)


@group
class NodeOptions:
    """Which document, and which node."""

    HEADING: ClassVar = "Node"

    node_name: str | None = option(
        "--node-name", metavar="NAME", help="This node's name; default: its host name."
    )
    runtime: str | None = option(
        "--runtime", type=click.Choice(RUNTIMES), help="Its container runtime; default: as in the document."
    )
    runtime_endpoint: str | None = option(
        "--runtime-endpoint", metavar="SOCKET", help="The runtime's socket, if it is not the usual one."
    )
    runtime_root: str | None = option(
        "--runtime-root",
        metavar="DIR",
        help="The data directory of Docker, or the storage of CRI-O, if it is not the usual one.",
    )
    static_pod_dir: str | None = option(
        "--static-pod-dir", metavar="DIR", help="The only directory whose manifests may be given a uid."
    )
    verify_key: str | None = option(
        "--verify-key", metavar="FILE", help="Refuse a document that is not signed with the key in FILE."
    )

    @property
    def name(self) -> str:
        """The node's name, as a kubelet makes it of the host's."""
        return self.node_name or socket.gethostname().strip().lower()

    @property
    def manifests(self) -> Path | None:
        """The directory of manifests."""
        return Path(self.static_pod_dir).absolute() if self.static_pod_dir else None

    def read(self, file: str, longest: timedelta = _UNLIMITED) -> Work:
        """Return what a document says of this node; raises InputError for one that is refused."""
        return work_in(file, self.name, key_of(self.verify_key), longest, datetime.now(UTC))

    def of(self, work: Work) -> runtimes.NodeRuntime:
        """Return where the runtime is."""
        reported = work.node.runtime
        kind = self.runtime or reported.partition("://")[0] or CONTAINERD
        endpoint = (self.runtime_endpoint or "").removeprefix("unix://")
        return runtimes.NodeRuntime(kind, reported, endpoint, self.runtime_root or "")


@group
class Tolerance:
    """What is accepted that was not tried, or cannot be seen."""

    HEADING: ClassVar = "Node"

    untested_runtime: bool = flag(
        "--untested-runtime", help="Go on with a version of a runtime with which this was never tried."
    )
    live_restore: bool = flag(
        "--live-restore",
        help="dockerd is started with --live-restore; by default its daemon.json has to say so.",
    )

    def check(self, node: runtimes.NodeRuntime, runtime: str) -> None:
        """Raise InputError where something speaks against writing on this node now."""
        runtimes.check_root()
        runtimes.check_kubelet()
        if node.kind == DOCKER:
            files.check_stopped(node.endpoint)
            files.check_live_restore(asserted=self.live_restore)
        runtimes.check_runtime(runtime, default_catalog().runtimes, untested=self.untested_runtime)


def _undo_of(arguments: ApplyArguments | Looked | Undone) -> Path:
    """Return where the undo file is, which is beside the document.

    Raises UsageError for a document that is no file, and for a result that would replace the undo file.
    """
    file = Path(arguments.file)
    if arguments.file == STDIN or "://" in arguments.file or file.is_fifo():
        raise UsageError(
            f"{called(arguments.file)}: want a file of this node, because what undo needs is kept beside it"
        )
    kept = apply.undo_of(arguments.file)
    for name, place in output.places(arguments.shown.out, arguments.shown.reports):
        if os.path.realpath(place) == os.path.realpath(kept):
            raise UsageError(f"{name} {place}: that is what undo needs; choose another file")
    return kept


@group
class ApplyArguments:
    """What ``apply`` is asked."""

    file: str = argument(required=True, metavar="FILE")
    write: bool = flag("--write", help="Do it; by default only what would be done is shown.")
    max_age: str = option(
        "--max-age",
        metavar="DURATION",
        default="24h",
        show_default=True,
        help="Refuse a document that is older.",
    )
    node: NodeOptions
    tolerance: Tolerance
    shown: Annotated[OutputOptions, shows(RUN)]
    quiet: Quiet


@declared("apply", ApplyArguments, short_help="Rewrite the records of this node as a document says.")
def apply_command(arguments: ApplyArguments) -> None:
    """Rewrite the records of this node as a document of hashcompat normalize says.

    The kubelet has to be stopped, and dockerd too, with live-restore; containerd runs on, and is restarted
    afterwards. FILE.undo keeps what was there before. A second run goes on where the first one ended.
    """
    longest, kept = duration_of(arguments.max_age, "--max-age"), _undo_of(arguments)
    output.ready(RUN, arguments.shown)
    work = arguments.node.read(arguments.file, longest)
    manifests, node = arguments.node.manifests, arguments.node.of(work)
    with (
        runtimes.alone(arguments.file),
        node.place([task.rewrite.id for task in work.tasks]) as (place, runtime),
    ):
        if arguments.write:
            arguments.tolerance.check(node, runtime)
        undo = apply.load_undo(kept, work.digest, work.node.name)
        plan = apply.planned(work, place, manifests)
        if arguments.write:
            rows = _written(plan, place, manifests, (kept, undo, work))
        else:
            rows = apply.ready(plan)
    _show(arguments, "apply", work, runtime, rows)


def _written(
    plan: apply.Replacements,
    place: RecordStore,
    manifests: Path | None,
    undone: tuple[Path, apply.Entries, Work],
) -> list[Done]:
    kept, undo, work = undone
    rows = list[Done]()
    if plan.changes:
        entries = apply.recorded(plan, undo)
        runtimes.check_space(kept, 3 * sum(len(entry.old) + len(entry.new) for entry in entries))
        apply.save_undo(kept, work.digest, work.node.name, entries)
    try:
        rows += apply.written(plan.changes, place, manifests, runtimes.check_kubelet)
    except InputError as error:
        raise InputError(
            f"{error}; {len(rows)} of {len(plan.changes)} were rewritten: apply again goes on, undo goes back"
        ) from None
    return [*rows, *plan.rows]


@group
class Looked:
    """What ``check`` is asked."""

    file: str = argument(required=True, metavar="FILE")
    restart_runtime: bool = flag(
        "--restart-runtime", help="Restart the runtime first, by systemd; refused while a kubelet runs."
    )
    node: NodeOptions
    shown: Annotated[OutputOptions, shows(RUN)]
    quiet: Quiet


@declared("check", Looked, short_help="Ask the runtime whether it shows the rewritten records.")
def check_command(arguments: Looked) -> int:
    """Ask this node's runtime, once it was restarted, whether each container is there with its new record.

    --restart-runtime restarts it before. Exit code 0 if all are, 2 if the runtime still shows an old record,
    1 if a container is another one, or apply left it or its manifest alone.
    """
    kept = _undo_of(arguments)
    output.ready(RUN, arguments.shown)
    work = arguments.node.read(arguments.file)
    undo = apply.load_undo(kept, work.digest, work.node.name)
    if not undo:
        raise InputError(
            f"{kept}: missing, so nothing was rewritten here; hashcompat normalize apply --write does it"
        )
    wanted = {entry.name for entry in undo.values() if entry.kind != apply.MANIFEST}
    wanted |= {task.rewrite.id for task in work.tasks}
    node = arguments.node.of(work)
    if arguments.restart_runtime:
        runtimes.check_root()
        runtimes.check_kubelet()
        node.restart()
    shown, runtime = node.answered(wanted)
    rows = apply.checked(work, undo, shown, lambda path: files.content(Path(path), Path(path).parent))
    run = _show(arguments, "check", work, runtime, rows)
    if run.count(State.FAILED):
        return ExitCode.FAILED
    return ExitCode.FINDING if run.count(State.NOT_YET) else ExitCode.OK


@group
class Undone:
    """What ``undo`` is asked."""

    file: str = argument(required=True, metavar="FILE")
    write: bool = flag("--write", help="Do it; by default only what would be done is shown.")
    node: NodeOptions
    tolerance: Tolerance
    shown: Annotated[OutputOptions, shows(RUN)]
    quiet: Quiet


@declared("undo", Undone, short_help="Give the records of this node their old values back.")
def undo_command(arguments: Undone) -> None:
    """Give every record that apply rewrote its old value back, from FILE.undo.

    As for apply, the kubelet has to be stopped, and the runtime is restarted afterwards.
    """
    kept = _undo_of(arguments)
    output.ready(RUN, arguments.shown)
    work = arguments.node.read(arguments.file)
    undo = apply.load_undo(kept, work.digest, work.node.name)
    if not undo:
        raise InputError(f"{kept}: missing, so nothing was rewritten here")
    node = arguments.node.of(work)
    wanted = [entry.name for entry in undo.values() if entry.kind != apply.MANIFEST]
    with runtimes.alone(arguments.file), node.place(wanted) as (place, runtime):
        if arguments.write:
            arguments.tolerance.check(node, runtime)
        rows, manifests, write = list[Done](), arguments.node.manifests, arguments.write
        made = apply.restored(undo, place, manifests, runtimes.check_kubelet, write=write)
        try:
            rows += made
        except InputError as error:
            number = sum(row.state is State.RESTORED for row in rows)
            raise InputError(f"{error}; {number} of {len(undo)} were restored: undo again goes on") from None
    _show(arguments, "undo", work, runtime, rows)


def _show(
    arguments: ApplyArguments | Looked | Undone, command: str, work: Work, runtime: str, rows: Iterable[Done]
) -> NormalizationRun:
    """Show what a command did or found on this node, and return it."""
    write = not isinstance(arguments, Looked) and arguments.write
    kept = str(apply.undo_of(arguments.file))
    run = NormalizationRun(command, write, work.node.name, work.to_release, runtime, kept, tuple(rows))
    output.show(RUN, run, arguments.shown)
    output.notes(RUN, run, quiet=arguments.quiet.quiet)
    return run


command = with_parts(made, {"apply": apply_command, "check": check_command, "undo": undo_command})
