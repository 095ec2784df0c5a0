"""Which files of a directory or an archive are read: of a bundle by its layout, of others what holds objects.

A bundle is what a tool collected of a cluster: a support bundle, a must-gather, a backup. Of these the lists
that ``kubectl get`` would give are read, and a warning names the layout and what it may lack. In any other
directory, such as a repository of manifests, a file without Kubernetes objects is skipped, and named. A file
that is named itself is never chosen from: it is read, or it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.model.escape import count, few
from hashcompat.core.regex import regex
from hashcompat.sources.content import TAR_BLOCK, Plain, is_tar, whole
from hashcompat.sources.files import (
    COMPRESSED,
    Input,
    ReadingMeter,
    Unread,
    ends_in,
    inputs,
    joined,
    listed,
    named,
)

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")
"""How the names of files in a directory or archive end that are read."""
_ENDINGS: Final = (*SUFFIXES, *(f"{suffix}{ending}" for suffix in SUFFIXES for ending in COMPRESSED))
_NAMED: Final = 8
"""Files that a warning names."""


_Files = Sequence[tuple[str, Input]]
"""Files by their names in a directory or an archive, with ``/``."""


class Exclusions(msgspec.Struct, frozen=True):
    """What is left out of directories and archives."""

    excluded: tuple[str, ...] = ()
    """Patterns of names, in the form of .gitignore. No file of a directory says them: who writes it may not
    decide what is read of it."""
    strict: bool = False
    """Whether every file has to hold Kubernetes objects: none is skipped, by its content or by a layout."""


ALL: Final = Exclusions()


class Chosen(msgspec.Struct, frozen=True):
    """What is read of one name that was given."""

    files: _Files
    """The files that are read, by their names."""
    lenient: bool = False
    """Whether one without Kubernetes objects is skipped."""
    skipped: tuple[str, ...] = ()
    """The names of files that were skipped already."""
    twice: tuple[str, ...] = ()
    """The files that were given before, and are not read again."""
    warnings: tuple[str, ...] = ()
    bundled: frozenset[str] = frozenset()
    """The names of those that belong to a bundle: what one tool wrote at one time."""


def is_read(name: str) -> bool:
    """Return whether a file of a directory is read, by its name."""
    return name.endswith(_ENDINGS)


def chosen(
    name: str | Input, rules: Exclusions, *, recursive: bool, meter: ReadingMeter | None = None
) -> Chosen:
    """Return what is read of a ``-f`` value, or of a file object; errors as ``inputs`` and ``unpacked``."""
    if isinstance(name, Input):
        return _of_source(name, rules, meter)
    if Path(name).is_dir():
        directory = listed(Path(name), recursive, SUFFIXES)
        files = [(Path(file.origin).relative_to(name).as_posix(), file) for file in directory.files()]
        return _with_unread(_of_files(name, files, rules), name, directory.unread, rules)
    (source,) = inputs(name, recursive, SUFFIXES, meter)
    return _of_source(source, rules, meter)


def _of_source(source: Input, rules: Exclusions, meter: ReadingMeter | None) -> Chosen:
    with source.open() as stream, named(source.origin):
        if not is_tar(Plain(stream).read(TAR_BLOCK)):
            return Chosen([(source.origin, source)])
    from hashcompat.sources.files.archives import unpacked  # noqa: PLC0415 - other files need no tarfile

    if meter:
        meter.stage(f"Unpacking {source.origin}", source.size)
    archive = unpacked(structs.replace(source, meter=meter), lambda member: ends_in(member, _ENDINGS))
    unread = Unread(archive.unread)
    if not archive.files:
        raise InputError(
            "; ".join(
                filter(None, [f"{source.origin}: no {', '.join(SUFFIXES)} file in this archive", str(unread)])
            )
        )
    # without the dots in a name that mean nothing
    files = [(str(PurePosixPath("/", path).relative_to("/")), file) for path, file in archive.files]
    choice = _of_files(source.origin, files, rules)
    left = [f"links are not followed: {few(archive.links, _NAMED)}"] if archive.links else []
    said = [f"{source.origin}: {line}" for line in left]
    choice = structs.replace(choice, warnings=(*choice.warnings, *said))
    return _with_unread(choice, source.origin, unread, rules)


def _with_unread(choice: Chosen, name: str, unread: Unread, rules: Exclusions) -> Chosen:
    """Return what was chosen with a warning of what its name left out; strict rules make that an error."""
    left = Unread(*(tuple(_not_excluded(names, rules.excluded)) for names in structs.astuple(unread)))
    if not (said := str(left)):
        return choice
    line = f"{name}: {said}"
    if rules.strict:
        raise InputError(f"{line}; --exclude leaves out what is meant to be")
    return structs.replace(choice, warnings=(*choice.warnings, line))


def patterns_in(name: str) -> tuple[str, ...]:
    """Return the patterns in a file in the form of .gitignore; errors as ``inputs``."""
    (source,) = inputs(name, recursive=False, suffixes=())
    with source.open() as stream, named(source.origin):
        return tuple(whole(stream, "patterns", _LONGEST_PATTERNS).splitlines())


_LONGEST_PATTERNS: Final = 1 << 16
"""Bytes of a file with patterns."""


def _of_files(name: str, files: _Files, rules: Exclusions) -> Chosen:
    pairs, warnings, bundled = files, list[str](), frozenset[str]()
    kept = set(_not_excluded([path for path, _ in pairs], rules.excluded))
    files = [pair for pair in pairs if pair[0] in kept]
    if pairs and not files:
        warnings.append(f"{name}: --exclude leaves nothing to read: {count(len(pairs), 'file')} excluded")
    for layout in _LAYOUTS:
        if not rules.strict and any(layout.shown_by.search(path) for path, _ in files):
            of_bundle, files = layout.split(files)
            warnings += layout.warnings(name, of_bundle, len(of_bundle) + len(files))
            read = layout.read(of_bundle)
            bundled = frozenset(path for path, _ in read)
            files = [*read, *files]
            break
    choice = _of_manifests(files, rules)
    return structs.replace(choice, warnings=tuple(warnings), bundled=bundled)


def _not_excluded(names: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
    """Return the names that no pattern matches."""
    if not patterns or not names:
        return names
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - most inputs have no patterns

    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise InputError(f"invalid pattern of files to leave out: {error}") from None
    return [name for name in names if not spec.match_file(name)]


# Manifests of a repository. A chart's templates are text until they are rendered, and may be valid YAML all
# the same, so they are known by their place beside a Chart.yaml.

_CHART: Final = "Chart.yaml"
_TEMPLATE: Final = regex(r"\{\{")
RENDER: Final = (
    "render charts with helm template DIR, and overlays with kubectl kustomize DIR, and pipe each to -f -"
)
"""What to do with what is no object before it is rendered."""


def _of_manifests(files: _Files, rules: Exclusions) -> Chosen:
    if rules.strict:
        return Chosen(files)
    charts = {path.removesuffix(_CHART) for path, _ in files if PurePosixPath(path).name == _CHART}
    templates = {
        path
        for path, _ in files
        if any(path.startswith(f"{chart}templates/") for chart in _above(path, charts))
    }
    skipped = templates | ({path for path, _ in files} & set(_patches(files)))
    left = [pair for pair in files if pair[0] not in skipped]
    return Chosen(left, lenient=True, skipped=tuple(sorted(skipped)))


_KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml")
_LONGEST_KUSTOMIZATION: Final = 1 << 20
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")


def _patches(files: _Files) -> Iterator[str]:
    """Yield the files that kustomizations name as patches: each is a part of an object elsewhere."""
    for name, source in files:
        place = PurePosixPath(name)
        if place.name in _KUSTOMIZATIONS:
            yield from (normpath(place.parent / path) for path in _patches_of(source))


def _patches_of(source: Input) -> Iterator[str]:
    from hashcompat.core.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    try:
        with source.open() as stream:
            kustomization = yaml.first(whole(stream, "a kustomization", _LONGEST_KUSTOMIZATION), [])
    except InputError:
        return  # which is said where the file is read
    for key in _PATCHES:
        rows = kustomization.get(key) if isinstance(kustomization, Mapping) else None
        for row in rows if isinstance(rows, list) else ():
            path = row.get("path") if isinstance(row, Mapping) else row
            if isinstance(path, str):
                yield path


def _above(name: str, charts: set[str]) -> list[str]:
    """Return the directories of charts that a file may be in."""
    parts = name.split("/")
    above = ["", *("/".join(parts[:number]) + "/" for number in range(1, len(parts)))]
    return [directory for directory in above if directory in charts]


def is_template(source: Input) -> bool:
    """Return whether a file that is no YAML is a template that has to be rendered first."""
    try:
        with source.open() as stream:
            return _TEMPLATE.search(whole(stream, "a template")) is not None
    except InputError:
        return False


def is_blank_yaml(source: Input) -> bool:
    """Return whether a file is YAML without a byte, which has no document; JSON without one was cut."""
    if not ends_in(source.origin, (".yaml", ".yml")):
        return False
    try:
        with source.open() as stream:
            return not stream.peek(1)
    except InputError:
        return False


def skipped_line(name: str, names: Sequence[str]) -> str:
    """Say which files of a directory or an archive hold no Kubernetes objects."""
    verb = "holds" if len(names) == 1 else "hold"
    line = (
        f"{name}: skipped {count(len(names), 'file')} that {verb} no Kubernetes objects: {few(names, _NAMED)}"
    )
    rendered = any(PurePosixPath(path).name in _RENDERED or "templates/" in path for path in names)
    return f"{line}; {RENDER}" if rendered else line


_RENDERED: Final = (_CHART, *_KUSTOMIZATIONS, "values.yaml")


# Bundles. Sources: k8s.io/kubectl pkg/cmd/clusterinfo/clusterinfo_dump.go; troubleshoot.sh
# pkg/collect/cluster_resources.go, whose lists were once arrays of objects without a kind; openshift/oc
# pkg/cli/admin/inspect; velero pkg/backup/item_backupper.go, which writes each object once by its resource
# alone and once by its version too.

_WORKLOADS: Final = "deployments|daemonsets|statefulsets|replicasets"
_JOBS: Final = "jobs|cronjobs"


class Layout(msgspec.Struct, frozen=True):
    """What a tool collects of a cluster, by the names of its files."""

    title: str
    """What it is called, with its article."""
    shown_by: re.Pattern[str]
    """The names that only such a bundle has."""
    scope: re.Pattern[str]
    """The names that belong to it."""
    wanted: re.Pattern[str]
    """Those of them that are read."""
    may_lack: str
    """Whose pods may be missing."""
    failures: re.Pattern[str] | None = None
    """Those that hold what the tool could not read."""
    copies: re.Pattern[str] | None = None
    """Those that hold pods of a list again, taken at another time; the list has the name that it makes."""

    def split(self, files: _Files) -> tuple[_Files, _Files]:
        """Return the files of the bundle, and the others."""
        inside = [pair for pair in files if self.scope.search(pair[0])]
        return inside, [pair for pair in files if not self.scope.search(pair[0])]

    def read(self, files: _Files) -> _Files:
        """Return the files of the bundle that are read."""
        names = {path for path, _ in files}
        return [
            (path, _with_kind(path, source))
            for path, source in files
            if self.wanted.search(path) and self._list_of(path) not in names
        ]

    def _list_of(self, name: str) -> str | None:
        match = self.copies.match(name) if self.copies else None
        return f"{match[1]}core/pods.yaml" if match else None

    def warnings(self, name: str, files: _Files, total: int) -> list[str]:
        """Return how the bundle is read, and what it lacks as far as that is known."""
        failed = [
            f"{source.origin}: {self.title[2:]} could not read everything: {what}"
            for path, source in files
            if self.failures and self.failures.search(path) and (what := _failures(source))
        ]
        read = count(len(self.read(files)), "file")
        return [f"{name} is read as {self.title}: {read} of {total}; {self.may_lack}", *failed]


_SUPPORT_BUNDLE: Final = Layout(
    "a support bundle of troubleshoot.sh",
    regex(r"(?:^|/)cluster-resources/(?:pods/[^/]+|nodes)\.json$"),
    regex(r"(?:^|/)cluster-resources/"),
    regex(
        rf"(?:^|/)cluster-resources/(?:(?:pods|services|pvcs|{_WORKLOADS}|{_JOBS}|pod-disruption-budgets)/[^/]+"
        r"|nodes|namespaces|pvs)\.json$"
    ),
    "it has the namespaces that its collector could read",
    failures=regex(r"(?:^|/)cluster-resources/(?:pods|nodes|namespaces)-errors\.json$"),
)
_MUST_GATHER: Final = Layout(
    "a must-gather",
    regex(r"(?:^|/)(?:namespaces/[^/]+/core/pods|cluster-scoped-resources/core/nodes(?:/[^/]+)?)\.yaml$"),
    regex(r"(?:^|/)(?:namespaces/[^/]+|cluster-scoped-resources)/"),
    regex(
        r"(?:^|/)(?:namespaces/[^/]+/(?:core/(?:pods|services|replicationcontrollers|persistentvolumeclaims)|pods/[^/]+/[^/]+"
        rf"|apps/(?:{_WORKLOADS})|batch/(?:{_JOBS})|policy/poddisruptionbudgets(?:/[^/]+)?|[^/]+)"
        r"|cluster-scoped-resources/core/(?:nodes|persistentvolumes)(?:/[^/]+)?)\.yaml$"
    ),
    "pods of namespaces that it did not inspect are missing",
    copies=regex(r"(.*?namespaces/[^/]+/)pods/[^/]+/[^/]+\.yaml$"),
)
_BACKUP: Final = Layout(
    "a backup of Velero",
    regex(r"(?:^|/)resources/(?:pods/namespaces/[^/]+|nodes/cluster)/[^/]+\.json$"),
    regex(r"(?:^|/)resources/[^/]+/(?:v[^/]+/)?(?:namespaces/[^/]+|cluster)/"),
    regex(
        r"(?:^|/)resources/(?:pods|nodes|namespaces|services|persistentvolume(?:claim)?s|replicationcontrollers"
        rf"|(?:{_WORKLOADS})\.apps"
        rf"|(?:{_JOBS})\.batch|poddisruptionbudgets\.policy)/(?:namespaces/[^/]+|cluster)/[^/]+\.json$"
    ),
    "what the backup excludes is missing, nodes too unless it has cluster resources",
)
_DUMP: Final = regex(
    r"(?:^|/)(?:nodes|[^/]+/(?:events|replication-controllers|services|daemonsets|deployments|replicasets|pods))"
    r"\.(?:json|yaml)$"
)
_CLUSTER_INFO: Final = Layout(
    "a directory of kubectl cluster-info dump",
    regex(r"(?:^|/)[^/]+/replication-controllers\.(?:json|yaml)$"),
    _DUMP,
    _DUMP,
    "it has two namespaces, unless -A was given",
)
_LAYOUTS: Final = (_SUPPORT_BUNDLE, _MUST_GATHER, _BACKUP, _CLUSTER_INFO)

_KINDS: Final = {
    "pods": ("v1", "Pod"),
    "nodes": ("v1", "Node"),
    "namespaces": ("v1", "Namespace"),
    "services": ("v1", "Service"),
    "deployments": ("apps/v1", "Deployment"),
    "daemonsets": ("apps/v1", "DaemonSet"),
    "statefulsets": ("apps/v1", "StatefulSet"),
    "replicasets": ("apps/v1", "ReplicaSet"),
    "jobs": ("batch/v1", "Job"),
    "cronjobs": ("batch/v1", "CronJob"),
    "pvs": ("v1", "PersistentVolume"),
    "pvcs": ("v1", "PersistentVolumeClaim"),
    "pod-disruption-budgets": ("policy/v1", "PodDisruptionBudget"),
}
"""The kinds of the objects in an array, by the name of its directory or file in a support bundle."""
_ARRAY: Final = regex(r"(?:^|/)cluster-resources/([a-z-]+)(?:/[^/]+)?\.json$")
_LONGEST_FAILURES: Final = 1 << 20


def _with_kind(name: str, source: Input) -> Input:
    """Return the file of an array of objects as the list that it would be."""
    match = _ARRAY.search(name)
    names = _KINDS.get(match[1]) if match else None
    if names is None:
        return source
    with source.open() as stream:
        if not stream.peek(1).startswith(b"["):
            return source
    api, kind = names
    before = f'{{"apiVersion":"{api}","kind":"{kind}List","items":'.encode()
    return structs.replace(source, open=lambda: joined([BytesIO(before), source.open(), BytesIO(b"}")]))


def _failures(source: Input) -> str:
    """Return what a tool could not read; empty for nothing."""
    with source.open() as stream, named(source.origin):
        if not stream.peek(1):
            return ""
        errors = jsontext.loads(whole(stream, "errors as JSON", _LONGEST_FAILURES))
    return few(list(map(str, errors)), _NAMED) if isinstance(errors, list | dict) else ""
