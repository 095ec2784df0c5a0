"""A whole run: which inputs there are, which are answered already, who answers the others, what comes of it.

``run.json`` is written last, and names the files of the tables: where it is missing, a run was interrupted.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Final

import msgspec
from msgspec import structs

import hashcompat
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.model.escape import count
from hashcompat.fleet import TABLES, UNDECIDED, VERSION, InputStatus, names_of
from hashcompat.fleet.engines import Engine, Lost
from hashcompat.fleet.parquet import Bucket, TableFile, merge
from hashcompat.fleet.parts import (
    Head,
    InputResult,
    InputTask,
    Question,
    catalog_of,
    file_of,
    key_of,
    keys_in,
    lost,
    packed,
    tries_in,
    unpacked,
    work,
)
from hashcompat.fleet.store import PARTS, RUN, Directory, StoredFile, StoreError
from hashcompat.sources.dating import now

_INDEX: Final = f"{PARTS}/index"
_BUCKET: Final = 512
"""Inputs of one bucket, at the most on average: about as many as make files of some MB."""


_TRIES: Final = 2
"""How many unwatched processes may die with an input before it is lost: among others, and alone."""


class Shard(msgspec.Struct, frozen=True):
    """One of several runs that share the inputs among them."""

    number: int
    of: int

    def has(self, entry: StoredFile) -> bool:
        """Return whether an input is one of its own."""
        return _place(entry, self.of) == self.number


class Limits(msgspec.Struct, frozen=True):
    """What the fleet as a whole may have."""

    failed: int = 0
    """Clusters that fail their policy, for the target that has the most."""
    undecided: int = 0
    """Clusters that are undecided, or of which nothing is known."""
    report_only: bool = False


class Run(msgspec.Struct, frozen=True):
    """What a run came to, as ``run.json`` has it."""

    schema: int
    """The version of the tables."""
    program: str
    data: str
    """The digest of the release data."""
    question: str
    """The digest of what was asked."""
    targets: tuple[str, ...]
    began: datetime
    ended: datetime
    inputs: int
    statuses: dict[str, dict[str, int]]
    """How many inputs have each status, by target."""
    outcomes: dict[str, dict[str, int]]
    """How many of the planned ones have each outcome, by target."""
    restarts: dict[str, int]
    """How many containers are killed, by target."""
    columns: dict[str, tuple[str, ...]]
    files: tuple[TableFile, ...]
    buckets: tuple[str, ...]
    """What the files of each bucket were made of."""
    answered: int
    """Inputs that this run answered; the others it knew already."""

    def failed(self) -> int:
        """Return how many clusters fail, for the target that has the most."""
        return max((counts.get("FAIL", 0) for counts in self.outcomes.values()), default=0)

    def undecided(self) -> int:
        """Return how many are undecided or not planned though they should be, for the worst target."""
        return max(
            sum(statuses.get(status, 0) for status in UNDECIDED)
            + self.outcomes.get(target, {}).get("UNDECIDED", 0)
            for target, statuses in self.statuses.items()
        )

    @property
    def unplanned(self) -> list[str]:
        """The targets that no cluster was planned for: that nothing fails for one says nothing."""
        return [target for target in self.targets if not self.outcomes.get(target)]

    def exit_code(self, limits: Limits) -> ExitCode:
        """Return what the command exits with, as ``gate`` does."""
        if limits.report_only:
            return ExitCode.OK
        if self.failed() > limits.failed:
            return ExitCode.FINDING
        is_judged = not self.unplanned and self.undecided() <= limits.undecided
        return ExitCode.OK if is_judged else ExitCode.UNDECIDED


class RunRequest(msgspec.Struct, frozen=True):
    """What a run is asked to do."""

    sources: tuple[str, ...]
    out: str
    question: Question
    schemas: str = ""
    shard: Shard | None = None


def entries_of(asked: RunRequest, out: Directory) -> list[StoredFile]:
    """Return the inputs, the largest ones first: the last one to end decides how long it all takes.

    Raises StoreError where a source cannot be listed, and where one has none; UsageError where one is the
    output.
    """
    if out.root in {Directory(source).root for source in asked.sources}:
        raise UsageError("--out is a source; name another place, which may be below it")
    entries_by_url = {
        entry.url: entry for source in asked.sources for entry in Directory(source).entries(besides=out.root)
    }
    entries = sorted(entries_by_url.values(), key=attrgetter("size", "url"), reverse=True)
    return [entry for entry in entries if asked.shard is None or asked.shard.has(entry)]


def answered(asked: RunRequest, engine: Callable[[], Engine], say: Callable[[str], None]) -> tuple[int, int]:
    """Answer for the inputs of a shard, and leave the rest to a run without one; return how many there are.

    The second number is of those that it answered.
    """
    out = Directory(asked.out)
    tasks = {key: structs.replace(task, tried=0) for key, task in _tasks(asked, out).items()}
    heads, loose, new = _answers(tasks, out, engine, say)
    return len(heads) + len(loose), new


def run(asked: RunRequest, engine: Callable[[], Engine], say: Callable[[str], None]) -> Run:
    """Answer for all inputs whose parts are not there, and make the tables.

    ``engine`` starts what works, where there is something to do; ``say`` is for people. Raises StoreError
    where the sources or the output fail.
    """
    began = now()
    out = Directory(asked.out)
    before = _before(out)
    tasks = _tasks(asked, out)
    heads, loose, new = _answers(tasks, out, engine, say)
    all_heads = {**heads, **{key: part.head for key, part in loose.items()}}
    superseded = _superseded(all_heads.values())
    buckets = _buckets(asked, tasks, all_heads, loose, superseded)
    digests = tuple(map(_digest, buckets))
    old = dict(zip(before.buckets, _by_bucket(before), strict=True)) if before else {}
    files: dict[int, list[TableFile]] = {}
    todo = []
    for bucket, digest in zip(buckets, digests, strict=True):
        if digest in old and not bucket.loose:
            files[bucket.number] = old[digest]
        else:
            todo.append(bucket)
    if before and not todo and len(old) == len(buckets) and not new:
        return before
    out.remove(RUN)
    if todo:
        say(f"Writing the tables of {count(len(all_heads), 'input')}")
        for bucket, result in engine().run(merge, todo):
            if isinstance(result, Lost):
                raise InputError(
                    f"the tables of {count(len(bucket.keys), 'input')}: the worker died; give it more memory"
                )
            files[bucket.number] = result
    made = _made(asked, began, all_heads, superseded, files, digests, new)
    earlier = _index(out)
    _clean(out, made, {*all_heads, *earlier})
    out.write(_INDEX, packed(list(heads.values())))
    out.write(RUN, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    return made


def _by_bucket(run: Run) -> list[list[TableFile]]:
    buckets: list[list[TableFile]] = [[] for _ in run.buckets]
    for file in run.files:
        buckets[int(file.path.rpartition("/")[2].partition("-")[0])].append(file)
    return buckets


def _before(out: Directory) -> Run | None:
    """Return the run before; None where there is none of this version with all of its tables."""
    try:
        previous = msgspec.json.decode(out.read(RUN), type=Run)
    except (StoreError, msgspec.MsgspecError):
        return None
    same = previous.schema == VERSION and previous.program == hashcompat.__version__
    return previous if same and {file.path for file in previous.files} <= {*_written(out)} else None


def _written(out: Directory) -> list[str]:
    """Return the files of tables that are there."""
    return [path for table in TABLES for path in out.below(table) if path.endswith(".parquet")]


def _tasks(asked: RunRequest, out: Directory) -> dict[str, InputTask]:
    data = catalog_of(asked.schemas).digest
    tasks = {}
    for entry in entries_of(asked, out):
        key = key_of(entry, asked.question, data)
        tasks[key] = InputTask(entry, key, asked.question, out.url, data, asked.schemas)
    return tasks


def _answers(
    tasks: Mapping[str, InputTask], out: Directory, engine: Callable[[], Engine], say: Callable[[str], None]
) -> tuple[dict[str, Head], dict[str, InputResult], int]:
    """Return the heads of inputs whose parts are written, the parts of others, and how many are new."""
    names = out.names(PARTS)
    there, tries = keys_in(names), tries_in(names)
    kept = {key: head for key, head in _index(out).items() if key in there and key in tasks}
    unread = [key for key in tasks if key in there and key not in kept]
    for key, content in zip(unread, out.read_each(map(file_of, unread)), strict=True):
        with suppress(InputError):  # one that is damaged is made again
            kept[key] = unpacked(content, InputResult).head
    todo = [task for key, task in tasks.items() if key not in kept]
    suspects = [task for task in todo if task.key in tries]
    given_up = [task for task in suspects if tries[task.key] >= _TRIES]
    loose = {task.key: lost(task, f"{_TRIES} processes died that began with it") for task in given_up}
    say(f"{count(len(tasks), 'input')}, {len(kept):,} of them answered already")
    # what a process may have died of comes last, with nothing beside it
    alone = [[structs.replace(task, tried=tries[task.key])] for task in suspects if task.key not in loose]
    for batch in ([task for task in todo if task.key not in tries], *alone):
        for task, part in engine().run(partial(work, apart=engine().apart), batch) if batch else ():
            if isinstance(part, Lost):
                loose[task.key] = lost(task, part.why)
            elif part.answers:
                loose[task.key] = part
            else:
                kept[task.key] = part.head
    return kept, loose, len(todo) - len(given_up)


def _index(out: Directory) -> dict[str, Head]:
    """Return the heads that the run before knew, by their keys."""
    try:
        return {head.key: head for head in unpacked(out.read(_INDEX), list[Head])}
    except InputError:
        return {}


def _superseded(heads: Iterable[Head]) -> dict[str, str]:
    """Return the inputs of clusters that have a newer one, each with that one."""
    by_uid: dict[str, list[Head]] = {}
    for head in heads:
        if head.uid:
            by_uid.setdefault(head.uid, []).append(head)
    superseded = dict[str, str]()
    for group in by_uid.values():
        *older, newest = sorted(
            group,
            key=lambda head: (
                head.taken.isoformat() if head.taken else "",
                head.entry.modified,
                head.entry.url,
            ),
        )
        superseded |= {head.key: newest.entry.url for head in older}
    return superseded


def _place(entry: StoredFile, of: int) -> int:
    """Return in which of so many parts of a fleet an input is: always the same one."""
    return int.from_bytes(hashlib.sha256(entry.url.encode()).digest()[:8]) % of


def _buckets(
    asked: RunRequest,
    tasks: Mapping[str, InputTask],
    heads: Mapping[str, Head],
    loose: Mapping[str, InputResult],
    superseded: Mapping[str, str],
) -> list[Bucket]:
    number = 1
    while len(heads) > number * _BUCKET:
        number *= 2
    keys: list[list[str]] = [[] for _ in range(number)]
    for key in sorted(heads, key=lambda task_key: tasks[task_key].entry.url):
        keys[_place(tasks[key].entry, number)].append(key)
    return [
        Bucket(
            place,
            number,
            Directory(asked.out).url,
            asked.question.targets,
            tuple(key for key in bucket_keys if key not in loose),
            tuple(loose[key] for key in bucket_keys if key in loose),
            {key: superseded[key] for key in bucket_keys if key in superseded},
            asked.question.items,
        )
        for place, bucket_keys in enumerate(keys)
    ]


def _digest(value: Bucket | Question) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:20]


def _made(  # noqa: PLR0913, PLR0917 - all that a run is
    asked: RunRequest,
    began: datetime,
    heads: Mapping[str, Head],
    superseded: Mapping[str, str],
    files: Mapping[int, Sequence[TableFile]],
    digests: tuple[str, ...],
    new: int,
) -> Run:
    table_files = tuple(file for _, bucket_files in sorted(files.items()) for file in bucket_files)
    counted = [head for head in heads.values() if head.key not in superseded]
    statuses, outcomes, restarts = {}, {}, {}
    for target in asked.question.targets:
        counts = Counter(str(head.statuses[target]) for head in counted)
        counts[InputStatus.SUPERSEDED.value] = len(heads) - len(counted)
        statuses[target] = {name: number for name, number in sorted(counts.items()) if number}
        judged = Counter(head.outcomes[target] for head in counted if target in head.outcomes)
        outcomes[target] = dict(sorted(judged.items()))
        restarts[target] = sum(head.restarts.get(target, 0) for head in counted)
    return Run(
        VERSION,
        hashcompat.__version__,
        catalog_of(asked.schemas).digest,
        _digest(asked.question),
        asked.question.targets,
        began,
        now(),
        len(heads),
        *(statuses, outcomes, restarts),
        {table: names_of(table) for table in TABLES if any(file.table == table for file in table_files)},
        table_files,
        digests,
        new,
    )


def _clean(out: Directory, made: Run, keys: set[str]) -> None:
    """Remove the files of tables that this run does not have, and parts but for those of two runs."""
    wanted = {file.path for file in made.files}
    names = out.names(PARTS)
    parts = [file_of(key) for key in keys_in(names) - keys]
    parts += [f"{PARTS}/{name}" for name in names if {*tries_in([name])} - keys]
    for path in (*(path for path in _written(out) if path not in wanted), *parts):
        out.remove(path)
