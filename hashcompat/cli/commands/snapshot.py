"""``hashcompat snapshot``: a cluster in a file, without values."""

from __future__ import annotations

from collections.abc import Iterator
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
from hashcompat.core.model.pods import Inventory
from hashcompat.output.report import snapshot as report
from hashcompat.sources.files.inputs import Copy

_TOGETHER: Final = 64
"""Pods that are written to the file together."""
_CHUNK: Final = 1 << 13


@group
class Saved:
    """Where the snapshot goes."""

    HEADING: ClassVar = "Output"

    out: str | None = option(
        "--out",
        metavar="FILE",
        help="Save the snapshot in FILE, gzipped if it ends in .gz; default and -: standard output.",
    )
    with_hashes: bool = option(
        "--with-hashes",
        is_flag=True,
        help="Also save the hashes of hidden values. Anyone who has the file can recover short values "
        "from them.",
    )


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
    catalog = arguments.data.catalog(quiet=quiet)
    reading = Reading(arguments.source, arguments.scope, quiet=quiet)

    def of(whole: Inventory) -> tuple[Snapshot, _Pods]:
        inventory = reading.selected(whole)
        inventory = structs.replace(inventory, records=tuple(arguments.records.collect(reading, inventory)))
        redaction = Redaction(inventory, catalog, with_hashes=arguments.saved.with_hashes)
        pods = _Pods(redaction)
        return redaction.snapshot(()), pods

    hidden, pods = reading.used(of)
    reading.warn(hidden.warnings)
    if arguments.saved.out in (None, STDOUT):
        output.write(report.text(hidden, pods))
    else:
        output.write_whole(Path(arguments.saved.out), report.text(hidden, pods))
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
