"""Files, directories and streams of JSON, JSON lines and YAML -> pods one by one, and nodes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.jsonstream import Elements
from hashcompat.core.go.jsonwindow import Place
from hashcompat.core.go.tokens import Part
from hashcompat.core.model.budgets import Budget
from hashcompat.core.model.pods import Inventory, Node, Origin, Pod, Share, Source
from hashcompat.core.model.records import Record
from hashcompat.core.model.uids import Dating
from hashcompat.sources.budgets import budgets_of
from hashcompat.sources.dating import until
from hashcompat.sources.documents import InFile
from hashcompat.sources.files.foreign import refusal
from hashcompat.sources.files.inputs import STDIN, called, inputs
from hashcompat.sources.files.reading import WANTED, blocks, elements, parts
from hashcompat.sources.files.spans import FIRST, Span
from hashcompat.sources.files.survey import Survey, glanced_at, objects, survey_of
from hashcompat.sources.objects import Key, Object, nodes_of, pods_of
from hashcompat.sources.replicas.shape import Replica
from hashcompat.sources.workloads import Census, Templates

_AT_A_TIME: Final = 8
SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")


def collect(
    names: tuple[str, ...],
    *,
    recursive: bool = False,
    needs_pods: bool = True,
    jobs: int = 1,
    glance: bool = False,
) -> Inventory:
    """Read the nodes in every file, directory, URL, or ``-`` for standard input.

    ``recursive`` includes the directories below, and up to ``jobs`` processes look through a large file. With
    ``glance`` it may be guessed where the pods of a single file are (``Inventory.guessed``). Its
    pods are read one by one each time that somebody asks for them: nodes often come after them, and affect
    every verdict. Raises InputError, naming the file, for what cannot be read, and for two different nodes of
    one name; asking for pods raises it for what is not a Kubernetes object, for two different pods of one
    uid, and (``needs_pods``) for no pod.
    """
    if names.count(STDIN) > 1:
        raise UsageError("-f - is given twice, and standard input can be read once")
    sources = [source for name in names for source in inputs(name, recursive, SUFFIXES)]
    if glance and len(sources) == 1:
        with suppress(InputError):  # what is wrong, a look through the whole file says
            if (guessed := glanced_at(sources[0], jobs)) is not None:
                return _inventory(names, [guessed], needs_pods)
    return _inventory(names, [survey_of(source, jobs) for source in sources], needs_pods)


def _inventory(names: tuple[str, ...], surveys: Sequence[Survey], needs_pods: bool) -> Inventory:
    census = Census()
    for survey in surveys:
        census.merge(survey.census)
    templates = census.templates()
    every = [pair for survey in surveys for pair in survey.found]
    nodes = nodes_of((thing, where) for thing, where in every if isinstance(thing, Node))
    records = tuple(thing for thing, _ in every if isinstance(thing, Record))
    budgets = budgets_of(
        (thing for thing, _ in every if isinstance(thing, Budget)),
        {key: number for survey in surveys for key, number in survey.scales.items()},
        listed=any(survey.budgets for survey in surveys),
    )
    times = [survey.source.modified for survey in surveys]
    oldest = min((time for time in times if time), default=None)
    clusters = {uid for survey in surveys for uid in survey.clusters}
    cluster = clusters.pop() if len(clusters) == 1 else ""
    saved = all(survey.snapshots == survey.documents for survey in surveys)
    origin = Origin(
        Source.SNAPSHOT if saved else Source.FILES,
        tuple(map(called, names)),
        cluster=cluster,
        oldest=oldest,
    )
    warnings = (*templates.warnings, *dict.fromkeys(line for one in surveys for line in one.warnings))
    seen = tuple(structs.replace(survey, found=(), census=Census(), scales={}) for survey in surveys)
    heads = (one for survey in surveys for one in survey.heads)
    empty = all(survey.listed for survey in surveys) and not any(survey.elements for survey in surveys)
    missing = refusal(heads, len(nodes), empty=empty)
    pods = _Pods(origin.names, seen, templates, missing if needs_pods else "")
    containers = max(survey.containers for survey in surveys)  # files may hold copies of each other
    guessed = any(survey.guessed for survey in surveys)
    dating = Dating(until(), tuple(one for survey in surveys for one in survey.dated))
    return Inventory(pods, nodes, records, origin, warnings, containers, budgets, guessed, dating)


class _Portion(msgspec.Struct, frozen=True):
    """The part of a file that one process reads: all of it, one span, or what is in none of them."""

    survey: Survey
    span: Span | None = None
    outside: bool = False

    def parts(self, first: Place | None) -> Iterable[Part]:
        """Read it; raises InputError for a span that is not as it was guessed.

        ``first`` is where a span begins, if those before it were read.
        """
        source, alike, spans = self.survey.source, self.survey.alike, self.survey.spans
        if self.span:
            span = structs.replace(self.span, first=first or self.span.first)
            found = elements(source, span, alike=alike)
            return _Guessed(found, span, source.origin) if self.survey.guessed else found
        if spans and self.outside:
            behind = spans.behind(source, WANTED)
            return parts(source, alike=alike, rest=lambda _: behind, end=spans.begin)
        return (blocks if self.survey.blocks else parts)(source, alike=alike)


class _Guessed:
    """The elements of a span, which have to be pods, and to end where it does."""

    def __init__(self, found: Elements, span: Span, origin: str) -> None:
        self._found, self._span, self._origin = found, span, origin

    def __iter__(self) -> Iterator[Part]:
        """Yield them; raises InputError where the guess is wrong."""
        span = self._span
        for part in self._found:
            if not (
                isinstance(part.value, Replica)
                or (isinstance(part.value, dict) and part.value.get("kind") == "Pod")
            ):
                break
            yield part
        else:
            end = self._found.end
            if end.goes_on is not span.closes and end.size == span.end - span.begin - span.closes:
                return
        raise InputError(f"{self._origin}: not what it seems to be at a glance")

    @property
    def end(self) -> Place:
        """Where they end, once they were read."""
        return self._found.end.place


def _portions(survey: Survey) -> tuple[_Portion, ...]:
    """Return the portions of a file for one process."""
    if not survey.guessed:
        return (_Portion(survey),)
    return tuple(chain.from_iterable(_divided(survey)))


def _divided(survey: Survey) -> list[tuple[_Portion, ...]]:
    """Return the portions of a file for several processes."""
    every = survey.spans.spans if survey.spans else ()
    spans, outside = [(_Portion(survey, span),) for span in every], (_Portion(survey, outside=True),)
    return [*spans[:-1], (*spans[-1], *outside)] if survey.guessed else [outside, *spans]


class _Objects:
    """All objects of some files, read again each time they are iterated over."""

    def __init__(self, portions: tuple[_Portion, ...]) -> None:
        self._portions = portions
        self.lines = 0
        """By how many lines the places of what comes next are too low, once they were iterated over."""

    def __iter__(self) -> Iterator[Object]:
        end: Place | None = None  # of the span before
        for portion in self._portions:
            survey, every = portion.survey, portion.parts(end)
            file = survey.source.file
            for part in every:
                label = survey.source.origin
                if survey.documents > 1:
                    label += f" (document {part.document})"
                found = objects(part, survey.kinds, label, InFile(file, part.lines))
                yield from _checked(part, found, survey, label) if survey.yaml else found
            end = every.end if isinstance(every, _Guessed) else None
            self.lines = end.line - FIRST.line if end else 0


class _Pods(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    surveys: tuple[Survey, ...]
    templates: Templates
    missing: str
    """What to say where there is no pod; empty where none is needed."""

    def __iter__(self) -> Iterator[Pod]:
        found = not self.missing
        for pod in pods_of(
            _Objects(tuple(chain.from_iterable(map(_portions, self.surveys)))), self.templates
        ):
            found = True
            yield pod
        if not found:
            why = "".join(f"; {warning}" for warning in self.templates.warnings)
            raise InputError(f"{', '.join(self.names)}: {self.missing}{why}")

    def shares(self) -> Sequence[Share]:
        """Return the pods as several processes read them: the largest file of one document is divided."""
        divided = [
            (survey.source.size, survey)
            for survey in self.surveys
            if survey.spans and survey.documents == 1  # no pod comes behind its spans
        ]
        if not divided:
            return ()
        _, largest = max(divided, key=itemgetter(0))
        place = self.surveys.index(largest)
        before, behind = (
            tuple(chain.from_iterable(map(_portions, some)))
            for some in (self.surveys[:place], self.surveys[place + 1 :])
        )
        # files before the largest go with its first share, and those behind it with its last: the order stays
        first, *others = _divided(largest)
        if not others:
            return ()
        *others, last = others
        every = ((*before, *first), *others, (*last, *behind))
        return [_Share(_Objects(portions), self.templates) for portions in every]

    def are_right(self, seen: Sequence[Any]) -> bool:
        """Return whether there is a pod, and no copy in two shares."""
        there = any(number for _, number in seen) or not self.missing
        return there and _are_distinct([uids for uids, _ in seen])


class _Share:
    """The pods of one process."""

    def __init__(self, objects: _Objects, templates: Templates) -> None:
        self._objects, self._templates = objects, templates
        self.seen = array("q"), 0
        """The hashes of their uids, the same in processes that were forked; and how many pods there are."""

    @property
    def lines(self) -> int:
        """By how many lines those of the next shares are too low, once the pods were iterated over."""
        return self._objects.lines

    def __iter__(self) -> Iterator[Pod]:
        uids, number = set[Key](), 0
        for pod in pods_of(self._objects, self._templates, uids):
            number += 1
            yield pod
        # 8 bytes a uid, since all shares are compared in the parent; equal hashes only cost a second, slower
        # run
        self.seen = array("q", map(hash, uids)), number


def _are_distinct(uids: Sequence[array[int]]) -> bool:
    """Return whether no number is there twice: some at a time, since a set takes 80 bytes for each."""
    for rest in range(_AT_A_TIME):
        some = [uid for of_share in uids for uid in of_share if uid % _AT_A_TIME == rest]
        if len(set(some)) < len(some):
            return False
    return True


def _checked(part: Part, found: Iterator[Object], survey: Survey, label: str) -> Iterator[Object]:
    """Yield what YAML holds, each object with its doubt; raises InputError as ``check_end``."""
    from hashcompat.sources.files.reading import check_end, doubt  # noqa: PLC0415 - YAML alone needs it

    if part.index is None:
        check_end(part.value, f"{label}: $", items_first=part.document in survey.kinds)
    for one in found:
        check_end(one.value, str(one), items_first=False)
        yield structs.replace(one, doubt=doubt(one))


def sample_path() -> Path:
    """Return where the sample cluster lies: an ordinary ``kubectl get nodes,pods -A -o json`` file."""
    return Path(__file__).resolve().parents[2] / "sample" / "cluster.json"


def sample_cluster() -> Inventory:
    """Read the sample as any other file, but for its name and lines: nobody gave it, or edits it."""
    found = collect((str(sample_path()),))
    pods = list[Pod]()
    for pod in found.pods:
        containers = tuple(structs.replace(container, line=0) for container in pod.containers)
        pods.append(structs.replace(pod, file="", containers=containers))
    return structs.replace(found, pods=tuple(pods), origin=Origin(Source.SAMPLE), dating=None)
