"""``hashcompat snapshot``, ``diff``, ``convert`` and ``report``: what is saved, and what is done with it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from msgspec import structs

from hashcompat.analysis.answers import changes
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.comparison import ReleaseDifference, compare_releases
from hashcompat.analysis.answers.redaction import Redaction, Snapshot
from hashcompat.cli import output
from hashcompat.cli.args import argument, command_line, flag, given_flags, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.args.common import OutputOptions, Quiet, ReleaseData, WithoutHashes, shows
from hashcompat.cli.args.facts import RecordOptions
from hashcompat.cli.args.inventory import InventoryRequest
from hashcompat.cli.args.source import ScopeOptions, SourceOptions
from hashcompat.cli.output import STDOUT
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import ExitCode, UsageError
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory, Origin
from hashcompat.core.release import is_release_name
from hashcompat.output.report import snapshot as report
from hashcompat.output.report.changes import CHANGES, LANDING
from hashcompat.output.report.changes import KIND as LANDING_KIND
from hashcompat.output.report.model import Report
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import without_kept
from hashcompat.output.report.preflight import PREFLIGHT
from hashcompat.output.report.releases import DIFFERENCE
from hashcompat.sources.dating import now
from hashcompat.sources.files import STDIN, Copy, called, plans, reports
from hashcompat.sources.files.saved import Saved, opened
from hashcompat.sources.files.snapshotrows import read
from hashcompat.sources.snapshots import KEY, NAME, VALUE

_CLUSTER: Final = "{cluster}"
"""Stands for the cluster in the place of a snapshot."""

_BATCH: Final = 64
"""Pods that are written to the file together."""
_CHUNK: Final = 1 << 13


@group
class SnapshotFile:
    """Where the snapshot goes."""

    HEADING: ClassVar = "Output"

    out: str | None = option(
        "--out",
        metavar="FILE|URL",
        help="Save the snapshot in FILE, or at a URL such as s3://bucket/{cluster}.json.zst (needs the extra "
        "fleet), compressed if it ends in .gz or .zst; {cluster} is the name of the cluster, or its UID. "
        "Default and -: standard output.",
    )
    name: str | None = option("--name", metavar="NAME", help="The name of the cluster, for a fleet of them.")
    labels: tuple[str, ...] = option(
        "--label",
        multiple=True,
        metavar="KEY=VALUE",
        help="A label of the cluster, for a fleet of them; repeatable.",
    )
    with_hashes: bool = flag(
        "--with-hashes",
        help="Also save the hashes of hidden values. Anyone who has the file can recover short values "
        "from them.",
    )

    def called(self, origin: Origin) -> Origin:
        """Return the origin of a snapshot with the name and labels that are given; those of another stay.

        Raises UsageError for what is no name or label.
        """
        if self.name is not None and not re.fullmatch(NAME, self.name):
            raise UsageError(f"--name {self.name!r}: want letters, digits and '._-', such as prod-eu-1")
        labels = dict[str, str]()
        for label in self.labels:
            key, equals, value = label.partition("=")
            if not (equals and re.fullmatch(KEY, key) and re.fullmatch(VALUE, value)):
                raise UsageError(f"--label {label!r}: want KEY=VALUE, as labels of Kubernetes are")
            if labels.setdefault(key, value) != value:
                raise UsageError(f"--label {label!r}: {key} is {labels[key]!r} already; give each key once")
        labels = dict(origin.labels) | labels
        return structs.replace(origin, name=self.name or origin.name, labels=tuple(sorted(labels.items())))

    def save(self, origin: Origin, text: Iterable[str]) -> None:
        """Write a snapshot whole; raises InputError, and UsageError for a cluster without a name and UID."""
        place = self.out or STDOUT
        if _CLUSTER in place:
            called = origin.name or origin.cluster
            if not re.fullmatch(NAME, called):
                raise UsageError(f"--out {place}: nothing shows what the cluster is called; give --name")
            place = place.replace(_CLUSTER, called)
        if "://" not in place:
            output.check_places([place])
            output.write_whole(Path(place), text)
            return
        from hashcompat.fleet.store import Directory

        folder, _, name = place.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="hashcompat-") as directory:
            copy = Path(directory, f"snapshot{Path(name).suffix}")
            output.write_whole(copy, text)
            Directory(folder).write_file(name, copy)


@group
class SnapshotArguments:
    """What ``snapshot`` is asked."""

    data: ReleaseData
    source: SourceOptions
    scope: ScopeOptions
    records: RecordOptions
    saved: SnapshotFile
    quiet: Quiet


@declared("snapshot", SnapshotArguments, short_help="Save a cluster for later plans, with values hidden.")
def snapshot_command(arguments: SnapshotArguments) -> None:
    """Save pods and nodes so that -f FILE gives the same plans later, between any releases known now.

    Everything that plans do not need is hidden: values of env, args, commands, headers, probes, volumes.
    Because hashes would reveal such values, the snapshot records instead which kubelets hash a container
    alike; plans made from it show no hashes of hidden values.
    """
    quiet = arguments.quiet.quiet
    arguments.saved.called(Origin())  # what is wrong in it comes before anything is read
    catalog = arguments.data.catalog(quiet=quiet)
    reading = InventoryRequest(arguments.source, arguments.scope, quiet=quiet)

    def of(whole: Inventory) -> tuple[Snapshot, _Pods]:
        inventory = reading.selected(whole)
        inventory = structs.replace(
            inventory,
            records=tuple(arguments.records.collect(reading, inventory)),
            origin=arguments.saved.called(inventory.origin),
        )
        redaction = Redaction(inventory, catalog, with_hashes=arguments.saved.with_hashes)
        pods = _Pods(redaction)
        return redaction.snapshot(()), pods

    hidden, pods = reading.used(of)
    reading.warn(hidden.warnings)
    if arguments.saved.out in (None, STDOUT):
        output.write(report.text(hidden, pods))
    else:
        arguments.saved.save(hidden.inventory.origin, report.text(hidden, pods))
    if not quiet:
        output.note(report.closing(hidden, pods.number, pods.containers))


class _Pods:
    """The texts of pods, beyond some size in a temporary file: the document's start depends on every pod."""

    def __init__(self, redaction: Redaction) -> None:
        self.number = self.containers = 0
        self._copy, texts = Copy(), report.PodTexts()
        waiting = list[str]()
        for pod in redaction.pods():
            self.number += 1
            self.containers += len(pod.containers)
            waiting.append(report.following(texts.of(pod)))
            if len(waiting) == _BATCH:
                self._copy.add("".join(waiting).encode())
                waiting.clear()
        self._copy.add("".join(waiting).encode())

    def __iter__(self) -> Iterator[str]:
        with self._copy.open() as stream:
            while data := stream.read(_CHUNK):
                yield data.decode("ascii")


_METAVAR: Final = "FILE|RELEASE"


@group
class DiffArguments:
    """What ``diff`` is asked."""

    old: str = argument(required=True, metavar=_METAVAR)
    new: str = argument(required=True, metavar=_METAVAR)
    detailed_exitcode: bool = flag("--detailed-exitcode", help="Exit 2 if anything differs.")
    data: ReleaseData
    shown: Annotated[OutputOptions, shows(CHANGES, DIFFERENCE)]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared("diff", DiffArguments, short_help="Show what changed between two plans, snapshots or releases.")
def diff_command(arguments: DiffArguments) -> int:
    """Show what changed between two saved plans, two snapshots, or two kubelet releases.

    Plans (plan --out) and snapshots are compared by node, namespace, pod and container: what appeared, what
    is gone, whose verdict or reasons changed. Of releases: the types that are hashed, the hash's steps, what
    kubelets do, API servers' defaults, feature gates. Call a file ./1.31 that looks like a release.
    """
    names, sides = arguments.data.names(quiet=arguments.quiet.quiet), (arguments.old, arguments.new)
    releases = [side for side in sides if is_release_name(side)]
    if len(releases) == 1:
        (file,) = (side for side in sides if side not in releases)
        raise UsageError(
            f"{releases[0]} is a release and {called(file)} is none; give two releases, two plans or two"
            f" snapshots (./{releases[0]} is a file of that name)"
        )
    report: Report[Any] = DIFFERENCE if releases else CHANGES
    result: DocumentDifference | ReleaseDifference
    if releases:
        if arguments.without_hashes.no_hashes:
            raise UsageError("--no-hashes is about plans and snapshots: releases have no hashes")
        output.ready(report, arguments.shown)
        old_release, new_release = map(names.read, sides)
        result = compare_releases(old_release, new_release, names.catalog)
    else:
        if sides == (STDIN, STDIN):
            raise UsageError("standard input can be only one of the two")
        for name in given_flags(arguments.data):
            raise UsageError(f"{name} goes with two releases: saved documents are compared as they are")
        output.ready(report, arguments.shown)
        old, new = map(read, sides)
        result = changes.compare(old.value, new.value, (old.file, new.file))
    output.show(report, arguments.without_hashes.of(result), arguments.shown)
    output.notes(report, result, quiet=arguments.quiet.quiet)
    return ExitCode.FINDING if arguments.detailed_exitcode and result.is_different else ExitCode.OK


# A saved document in other formats.

_KINDS: Final[Mapping[str, tuple[Report[Any], Callable[[Saved], Any]]]] = {
    plans.KIND: (PLAN, plans.plan_of),
    reports.PREFLIGHT: (PREFLIGHT, reports.checks_of),
}
"""The documents from which the whole result can be made again, each with how."""
_WANTED: Final = "what hashcompat plan or hashcompat preflight saves with --out FILE"


@group
class ConvertArguments:
    """What ``convert`` is asked."""

    file: str = argument(required=True, metavar="FILE")
    only_restarts: bool = flag("--only-restarts", help="Hide unaffected containers of a plan.")
    shown: Annotated[OutputOptions, shows(*(report for report, _ in _KINDS.values()))]
    without_hashes: WithoutHashes
    quiet: Quiet


@declared("convert", ConvertArguments, short_help="Show a saved plan or preflight in other formats.")
def convert_command(arguments: ConvertArguments) -> None:
    """Show a saved document (plan --out, preflight --out) in any format of that command.

    FILE is JSON, compressed or not; - is standard input. Nothing is recomputed.
    """
    with opened(arguments.file, _KINDS, _WANTED) as document:
        report, read = _KINDS[document.kind]
        no_hashes = arguments.without_hashes.no_hashes
        for name, value in (("--only-restarts", arguments.only_restarts), ("--no-hashes", no_hashes)):
            if value and report is not PLAN:
                raise UsageError(f"{name} is about plans")
        output.ready(report, arguments.shown)
        result = arguments.without_hashes.of(read(document))
    shortened = without_kept(result) if arguments.only_restarts and isinstance(result, Plan) else result
    output.show(report, shortened, arguments.shown)
    output.notes(report, result, quiet=arguments.quiet.quiet)


# Several pages, joined by one.


@group
class ReportArguments:
    """What ``report`` is asked."""

    directory: str = argument(required=True, metavar="DIR")
    shown: Annotated[OutputOptions, shows(LANDING)]
    quiet: Quiet


@declared("report", ReportArguments, short_help="Join the pages in a directory, the worst first.")
def report_command(arguments: ReportArguments) -> None:
    """List the pages that -o html made in a directory, the worst first, and in what they differ.

    hashcompat report DIR --report html=DIR/index.html makes the page that links to them.
    """
    for place in arguments.shown.reports:
        is_beside = Path(place.path).resolve().parent == Path(arguments.directory).resolve()
        if place.form == "html" and place.path != STDOUT and not is_beside:
            want = f"it links to the pages beside it; want a file in {arguments.directory}"
            raise UsageError(f"--report html={place.path}: {want}")
    output.ready(LANDING, arguments.shown)
    joined = reports.pages_in(arguments.directory, LANDING_KIND)
    making = default_catalog().making(now(), command_line(arguments))
    joined = structs.replace(joined, making=making)
    output.show(LANDING, joined, arguments.shown)
    output.notes(LANDING, joined, quiet=arguments.quiet.quiet)
