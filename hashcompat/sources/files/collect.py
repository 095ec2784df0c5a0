"""Files, directories and streams of JSON, JSON lines and YAML -> pods one by one, and nodes."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.jsonpath import Part
from hashcompat.core.go.jsonstream import Elements, ListPlace
from hashcompat.core.model.escape import few, word
from hashcompat.core.model.pods import Inventory, Node, Origin, Pod, PodShare, Source
from hashcompat.core.model.uids import Dating
from hashcompat.core.model.verdicts import Record
from hashcompat.sources.budgets import budgets_of
from hashcompat.sources.dating import until
from hashcompat.sources.documents import InFile
from hashcompat.sources.files import STDIN, Input, ReadingMeter, called
from hashcompat.sources.files.foreign import refusal
from hashcompat.sources.files.layouts import (
    ALL,
    Chosen,
    Exclusions,
    chosen,
    is_blank_yaml,
    is_template,
    skipped_line,
)
from hashcompat.sources.files.reading import WANTED, blocks, check_end, documents, doubt, elements, parts
from hashcompat.sources.files.spans import FIRST, Span
from hashcompat.sources.files.survey import EmptyError, Survey, glanced_at, objects, stencils_of, survey_of
from hashcompat.sources.objects import SYSTEM, Key, KubernetesObject, nodes_of, pods_of
from hashcompat.sources.replicas.shape import Replica
from hashcompat.sources.replicas.stencils import Stencils
from hashcompat.sources.workloads import CountedTemplates, Ownership

_AT_A_TIME: Final = 8


def collect(  # noqa: PLR0913 - each is a question of its own
    names: tuple[str | Input, ...],
    *,
    recursive: bool = False,
    needs_pods: bool = True,
    jobs: int = 1,
    glance: bool = False,
    rules: Exclusions = ALL,
    meter: ReadingMeter | None = None,
) -> Inventory:
    """Read the nodes in every file, directory, archive, URL, or ``-`` for standard input.

    ``rules`` say what of directories and archives is left out. ``recursive`` includes the directories below,
    and up to ``jobs`` processes look through a large file. With ``glance`` it may be guessed where the pods
    of a single file are (``Inventory.guessed``). Its pods are read one by one each time that somebody asks
    for them: nodes often come after them, and affect every verdict. Raises InputError, naming the file, for
    what cannot be read, for two different nodes of one name, and with strict rules for an object whose pod
    templates are not read; asking for pods raises it for what is not a
    Kubernetes object, for two different pods of one uid, and (``needs_pods``) for no pod.
    """
    if names.count(STDIN) > 1:
        raise UsageError("-f - is given twice, and standard input can be read once")
    choices = [_chosen(name, rules, meter, recursive=recursive) for name in names]
    if len(choices) > 1:
        choices = _without_repeats(choices)
    sources = [source for choice in choices for _, source in choice.files]
    if glance and len(sources) == 1:
        with suppress(InputError):  # what is wrong, a look through the whole file says
            if (guessed := glanced_at(sources[0], jobs)) is not None:
                return _inventory(names, [guessed], _warnings(names, choices), needs_pods)
    _begin("Looking through", sources)
    surveys = list(_surveys(choices, jobs))
    said = _warnings(names, choices, surveys)
    kept = [survey for _, survey in surveys if survey is not None]
    if not kept:
        raise InputError("; ".join(said))
    bundles = dict(_bundles(names, choices))
    return _inventory(names, kept, said, needs_pods, bundles, strict=rules.strict)


def _bundles(names: Sequence[str | Input], choices: Sequence[Chosen]) -> Iterator[tuple[str, str]]:
    """Yield which files belong to a bundle, and to which."""
    for name, choice in zip(names, choices, strict=True):
        yield from ((source.file, _label(name)) for path, source in choice.files if path in choice.bundled)


def _chosen(name: str | Input, rules: Exclusions, meter: ReadingMeter | None, *, recursive: bool) -> Chosen:
    if meter:
        typed = name == STDIN and sys.stdin.isatty()  # by a person, who sees what is typed on the same line
        meter.stage("" if typed else f"Reading {_label(name)}")
    choice = chosen(name, rules, recursive=recursive, meter=meter)
    files = [(path, structs.replace(source, meter=meter)) for path, source in choice.files]
    return structs.replace(choice, files=files)


def _without_repeats(choices: Sequence[Chosen]) -> list[Chosen]:
    """Return the files without those that were given before, by their own name or with their directory.

    A pod that an API server returned is known by its uid; a manifest in them would count twice.
    """
    seen, kept = set[Path](), list[Chosen]()
    for choice in choices:
        files, twice = list[tuple[str, Input]](), list[str]()
        for name, source in choice.files:
            path = Path(source.origin).resolve() if source.size else None
            if path is not None and path in seen:
                twice.append(source.origin)
                continue
            files.append((name, source))
            if path is not None:
                seen.add(path)
        kept.append(structs.replace(choice, files=files, twice=tuple(twice)))
    return kept


def _label(name: str | Input) -> str:
    return called(name) if isinstance(name, str) else name.origin


def _begin(doing: str, sources: Sequence[Input]) -> None:
    """Tell the meter that all of some files will be read."""
    if meter := next((source.meter for source in sources), None):
        named = sources[0].origin if len(sources) == 1 else f"{len(sources):,} files"
        sized = all(source.size for source in sources)
        meter.stage(f"{doing} {named}", sum(source.size for source in sources) if sized else 0)


_Surveys = Sequence[tuple[str, Survey | None]]
"""What a first look at files shows, by their names; None for one that is skipped."""


def _surveys(choices: Sequence[Chosen], jobs: int) -> Iterator[tuple[str, Survey | None]]:
    alike = stencils_of("")  # of all files, which may have one pod each
    for choice in choices:
        look = _survey if choice.lenient else survey_of
        for name, source in choice.files:
            yield name, look(source, jobs, alike)


def _survey(source: Input, jobs: int, alike: Stencils) -> Survey | None:
    """Look through a file of many; None where it holds no Kubernetes object. Raises InputError as for one."""
    try:
        survey = survey_of(source, jobs, alike)
    except EmptyError:
        return None
    except InputError as error:
        if is_template(source) or is_blank_yaml(source):
            return None
        raise InputError(f"{error}; --exclude leaves a file out") from None
    return survey if survey.objects else None


def _warnings(names: Sequence[str | Input], choices: Sequence[Chosen], surveys: _Surveys = ()) -> list[str]:
    """Return how directories and archives are read, and what is skipped of each.

    Raises InputError for one of which all is skipped: nobody names what is not to be read.
    """
    rest, lines = iter(surveys), list[str]()
    for name, choice in zip(names, choices, strict=True):
        skipped = [path for path, survey in islice(rest, len(choice.files)) if survey is None]
        paths = sorted([*skipped, *choice.skipped])
        lines += [*choice.warnings, *(f"{origin}: given twice, and read once" for origin in choice.twice)]
        if paths:
            lines.append(skipped_line(_label(name), paths))
            if len(skipped) == len(choice.files) and not choice.twice:
                raise InputError("; ".join([*choice.warnings, lines[-1]]))
    return lines


def _inventory(
    names: Sequence[str | Input],
    surveys: Sequence[Survey],
    said: Iterable[str],
    needs_pods: bool,
    bundles: Mapping[str, str] | None = None,
    *,
    strict: bool = False,
) -> Inventory:
    census = Ownership()
    for survey in surveys:
        census.merge(survey.census)
    templates = census.templates()
    if strict and templates.unread:
        raise InputError(f"{', '.join(map(_label, names))}: {'; '.join(templates.unread)}")
    contents = [pair for survey in surveys for pair in survey.contents]
    nodes = nodes_of((content, where) for content, where in contents if isinstance(content, Node))
    records = tuple(content for content, _ in contents if isinstance(content, Record))
    budgets = budgets_of(
        (content for content, _ in contents),
        {key: number for survey in surveys for key, number in survey.scales.items()},
        listed=any(survey.budgets for survey in surveys),
    )
    times = [survey.source.modified for survey in surveys]
    oldest = min((time for time in times if time), default=None)
    clusters = {uid for survey in surveys for uid in survey.clusters}
    cluster = clusters.pop() if len(clusters) == 1 else ""
    titles = {title for survey in surveys for title in survey.titles}
    name, labels = titles.pop() if len(titles) == 1 else ("", ())
    saved = all(survey.snapshots == survey.documents for survey in surveys)
    origin = Origin(
        Source.SNAPSHOT if saved else Source.FILES,
        tuple(dict.fromkeys(map(_label, names))),
        cluster=cluster,
        name=name,
        labels=labels,
        oldest=oldest,
    )
    warnings = (
        *said,
        *_two_clusters(surveys),
        *_two_namespaces(surveys),
        *templates.warnings,
        *dict.fromkeys(line for survey in surveys for line in survey.warnings),
    )
    seen = tuple(structs.replace(survey, contents=(), census=Ownership(), scales={}) for survey in surveys)
    heads = (head for survey in surveys for head in survey.heads)
    empty = all(survey.listed for survey in surveys) and not any(survey.elements for survey in surveys)
    missing = refusal(heads, len(nodes), empty=empty)
    pods = _Pods(origin.names, seen, templates, missing if needs_pods else "")
    containers = max(survey.containers for survey in surveys)  # files may hold copies of each other
    guessed = any(survey.guessed for survey in surveys)
    dating = Dating(until(), tuple(dated for survey in surveys for dated in survey.dated), bundles or {})
    return Inventory(pods, nodes, records, origin, warnings, containers, budgets, guessed, dating)


def _two_clusters(surveys: Sequence[Survey]) -> Iterator[str]:
    """Say that a plan takes what are several clusters for one."""
    first: dict[str, str] = {}
    for survey in surveys:
        for uid in sorted(survey.clusters):
            first.setdefault(uid, survey.source.origin)
    if len(first) > 1:
        which = few([f"{word(uid)} in {origin}" for uid, origin in first.items()], _NAMED)
        yield f"read as one cluster, but of {len(first)} by the UID of {SYSTEM}: {which}; give one at a time"


_NAMED: Final = 3


def _two_namespaces(surveys: Sequence[Survey]) -> Iterator[str]:
    """Say that ``kubectl cluster-info dump`` has two namespaces unless it is asked for all."""
    kinds = {kind for survey in surveys for _, kind in survey.heads}
    lists = sum(survey.pod_lists for survey in surveys)
    if {"NodeList", "EventList", "ReplicationControllerList"} <= kinds and 0 < lists <= _BY_DEFAULT:
        yield "kubectl cluster-info dump without -A has the pods of kube-system and one more namespace only"


_BY_DEFAULT: Final = 2
"""The namespaces of such a dump."""


class _Portion(msgspec.Struct, frozen=True):
    """The part of a file that one process reads: all of it, one span, or what is in none of them."""

    survey: Survey
    span: Span | None = None
    outside: bool = False

    def parts(self, first: ListPlace | None) -> Iterable[Part]:
        """Read it; raises InputError for a span that is not as it was guessed.

        ``first`` is where a span begins, if those before it were read.
        """
        source, alike, spans = self.survey.source, self.survey.alike, self.survey.spans
        if self.span:
            span = structs.replace(self.span, first=first or self.span.first)
            reader = elements(source, span, alike=alike)
            return _Guessed(reader, span, source.origin) if self.survey.guessed else reader
        if spans and self.outside:
            behind = spans.behind(source, WANTED)
            return parts(source, alike=alike, rest=lambda _: behind, end=spans.begin)
        if not self.survey.yaml:
            return parts(source, alike=alike)
        return blocks(source, alike) if self.survey.blocks else documents(source)


class _Guessed:
    """The elements of a span, which have to be pods, and to end where it does."""

    def __init__(self, reader: Elements, span: Span, origin: str) -> None:
        self._reader, self._span, self._origin = reader, span, origin

    def __iter__(self) -> Iterator[Part]:
        """Yield the elements; raises InputError where the guess is wrong."""
        span = self._span
        for part in self._reader:
            if not (
                isinstance(part.value, Replica)
                or (isinstance(part.value, dict) and part.value.get("kind") == "Pod")
            ):
                break
            yield part
        else:
            end = self._reader.end
            if end.goes_on is not span.closes and end.size == span.end - span.begin - span.closes:
                return
        raise InputError(f"{self._origin}: not what it seems to be at a glance")

    @property
    def end(self) -> ListPlace:
        """Where the elements end, once they were read."""
        return self._reader.end.place


def _portions(survey: Survey) -> tuple[_Portion, ...]:
    """Return the portions of a file for one process."""
    if not survey.guessed:
        return (_Portion(survey),)
    return tuple(chain.from_iterable(_divided(survey)))


def _divided(survey: Survey) -> list[tuple[_Portion, ...]]:
    """Return the portions of a file for several processes."""
    inside = survey.spans.spans if survey.spans else ()
    spans, outside = [(_Portion(survey, span),) for span in inside], (_Portion(survey, outside=True),)
    return [*spans[:-1], (*spans[-1], *outside)] if survey.guessed else [outside, *spans]


class _Objects:
    """All objects of some files, read again each time they are iterated over."""

    def __init__(self, portions: tuple[_Portion, ...]) -> None:
        self._portions = portions
        self.lines = 0
        """By how many lines the places of what comes next are too low, once they were iterated over."""

    def __iter__(self) -> Iterator[KubernetesObject]:
        end: ListPlace | None = None  # of the span before
        for portion in self._portions:
            survey, reader = portion.survey, portion.parts(end)
            file = survey.source.file
            for part in reader:
                label = survey.source.origin
                if survey.documents > 1:
                    label += f" (document {part.document})"
                resources = objects(part, survey.kinds, label, InFile(file, part.lines))
                yield from _checked(part, resources, survey, label) if survey.yaml else resources
            end = reader.end if isinstance(reader, _Guessed) else None
            self.lines = end.line - FIRST.line if end else 0


class _Pods(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    surveys: tuple[Survey, ...]
    templates: CountedTemplates
    missing: str
    """What to say where there is no pod; empty where none is needed."""

    def __iter__(self) -> Iterator[Pod]:
        satisfied = not self.missing
        _begin("Reading the pods of", [survey.source for survey in self.surveys])
        for pod in pods_of(
            _Objects(tuple(chain.from_iterable(map(_portions, self.surveys)))), self.templates
        ):
            satisfied = True
            yield pod
        if not satisfied:
            why = "".join(f"; {warning}" for warning in self.templates.warnings)
            raise InputError(f"{', '.join(self.names)}: {self.missing}{why}")

    def shares(self) -> Sequence[PodShare]:
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
            tuple(chain.from_iterable(map(_portions, surveys)))
            for surveys in (self.surveys[:place], self.surveys[place + 1 :])
        )
        # files before the largest go with its first share, and those behind it with its last: the order stays
        first, *rest = _divided(largest)
        if not rest:
            return ()
        _begin("Reading the pods of", [survey.source for survey in self.surveys])
        *rest, last = rest
        shares = ((*before, *first), *rest, (*last, *behind))
        return [_Share(_Objects(portions), self.templates) for portions in shares]

    def are_right(self, seen: Sequence[Any]) -> bool:
        """Return whether there is a pod, and no copy in two shares."""
        there = any(number for _, number in seen) or not self.missing
        return there and _are_distinct([uids for uids, _ in seen])


class _Share:
    """The pods of one process."""

    def __init__(self, objects: _Objects, templates: CountedTemplates) -> None:
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
        hashes = [uid for of_share in uids for uid in of_share if uid % _AT_A_TIME == rest]
        if len(set(hashes)) < len(hashes):
            return False
    return True


def _checked(
    part: Part, resources: Iterator[KubernetesObject], survey: Survey, label: str
) -> Iterator[KubernetesObject]:
    """Yield what YAML holds, each object with its doubt; raises InputError as ``check_end``."""
    if part.index is None:
        check_end(part.value, f"{label}: $", items_first=part.document in survey.kinds)
    for resource in resources:
        check_end(resource.value, str(resource), items_first=False)
        yield structs.replace(resource, doubt=doubt(resource))


def sample_path() -> Path:
    """Return where the sample cluster lies: an ordinary ``kubectl get nodes,pods -A -o json`` file."""
    return Path(__file__).resolve().parents[2] / "sample" / "cluster.json"


def sample_cluster() -> Inventory:
    """Read the sample as any other file, but for its name and lines: nobody gave it, or edits it."""
    inventory = collect((str(sample_path()),))
    pods = list[Pod]()
    for pod in inventory.pods:
        containers = tuple(structs.replace(container, line=0) for container in pod.containers)
        pods.append(structs.replace(pod, file="", containers=containers))
    return structs.replace(inventory, pods=tuple(pods), origin=Origin(Source.SAMPLE), dating=None)
