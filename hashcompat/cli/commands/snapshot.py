"""``hashcompat snapshot``: a cluster in a file, without values."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Final

from msgspec import structs

from hashcompat.analysis.answers.redaction import Redaction, Snapshot
from hashcompat.cli import output
from hashcompat.cli.args import command as declared
from hashcompat.cli.args import group, option
from hashcompat.cli.args.facts import Records
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet
from hashcompat.cli.args.releases import ReleaseData
from hashcompat.cli.args.source import Scope, Source
from hashcompat.cli.output import STDOUT
from hashcompat.core.errors import UsageError
from hashcompat.core.model.pods import Inventory, Origin
from hashcompat.output.report import snapshot as report
from hashcompat.sources.files.inputs import Copy
from hashcompat.sources.snapshots import KEY, NAME, VALUE

_CLUSTER: Final = "{cluster}"
"""Stands for the cluster in the place of a snapshot."""

_TOGETHER: Final = 64
"""Pods that are written to the file together."""
_CHUNK: Final = 1 << 13


@group
class Saved:
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
    with_hashes: bool = option(
        "--with-hashes",
        is_flag=True,
        help="Also save the hashes of hidden values. Anyone who has the file can recover short values "
        "from them.",
    )

    def called(self, origin: Origin) -> Origin:
        """Return the origin of a snapshot with the name and labels that are given; those of another stay.

        Raises UsageError for what is no name or label.
        """
        if self.name is not None and not re.fullmatch(NAME, self.name):
            raise UsageError(f"--name {self.name!r}: want letters, digits and '._-', such as prod-eu-1")
        labels = dict(origin.labels)
        for one in self.labels:
            key, equals, value = one.partition("=")
            if not (equals and re.fullmatch(KEY, key) and re.fullmatch(VALUE, value)):
                raise UsageError(f"--label {one!r}: want KEY=VALUE, as labels of Kubernetes are")
            labels[key] = value
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
            output.write_whole(Path(place), text)
            return
        from hashcompat.fleet.store import Place

        folder, _, name = place.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="hashcompat-") as directory:
            copy = Path(directory, f"snapshot{Path(name).suffix}")
            output.write_whole(copy, text)
            Place(folder).write_file(name, copy)


@group
class Arguments:
    """What ``snapshot`` is asked."""

    data: ReleaseData
    source: Source
    scope: Scope
    records: Records
    saved: Saved
    quiet: Quiet


@declared("snapshot", Arguments, short_help="Save a cluster for later plans, with values hidden.")
def command(arguments: Arguments) -> None:
    """Save pods and nodes so that -f FILE gives the same plans later, between any releases known now.

    Everything that plans do not need is hidden: values of env, args, commands, headers, probes, volumes.
    Because hashes would reveal such values, the snapshot records instead which kubelets hash a container
    alike; plans made from it show no hashes of hidden values.
    """
    quiet = arguments.quiet.quiet
    arguments.saved.called(Origin())  # what is wrong in it comes before anything is read
    catalog = arguments.data.catalog(quiet=quiet)
    reading = Reading(arguments.source, arguments.scope, quiet=quiet)

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
            if len(waiting) == _TOGETHER:
                self._copy.add("".join(waiting).encode())
                waiting.clear()
        self._copy.add("".join(waiting).encode())

    def __iter__(self) -> Iterator[str]:
        with self._copy.open() as stream:
            while data := stream.read(_CHUNK):
                yield data.decode("ascii")
