"""Targets: files with pods (``sources``), from their compression to the pods in them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from hashcompat.analysis.answers.golden import answers_on_lines, cases_on_lines
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.api import inputs
from hashcompat.core import forks
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import Part
from hashcompat.core.kubelet.staticpods import static_view
from hashcompat.core.model.pods import Container, Pod, SharedPods
from hashcompat.core.records.index import index
from hashcompat.sources import documents
from hashcompat.sources.content import LONGEST_TEXT, Plain, all_of, chunks, joined, lines, whole
from hashcompat.sources.files import collect, layouts, spans, staticpods, survey
from hashcompat.sources.files.archives import members
from hashcompat.sources.objects import read_object
from hashcompat.sources.upstream import from_tree
from tests.helpers.unlike import Unlike
from tests.suites.fuzz.places import named, on_disk, quick_digest, stream
from tests.suites.fuzz.target import Form, Target, document, in_chunks, one_of, outcome, replaced, sometimes

_MOST = 1 << 20
_GOLDEN = (
    "case",
    "about",
    "source",
    "api",
    "file",
    "container",
    "containerBase64",
    "hash",
    "text",
    "refused",
)
_PIECE = 1 << 16
_WANTED = "text"
_kubelet = cache(default_catalog().kubelet)


def _compressed(data: bytes) -> None:
    """Decompress in pieces and at once."""
    plain, pieces, problem = Plain(stream(data), _MOST), [], ""
    try:
        while piece := plain.read(_PIECE):
            pieces.append(piece)
    except InputError as error:
        problem = str(error)
    assert sum(map(len, pieces)) <= _MOST
    if sometimes(data, 4):
        once = all_of(stream(data), _MOST)
        assert problem or once == b"".join(pieces)


def _archive(data: bytes) -> None:
    """List a tar archive, and read the files that are wanted of it."""
    entries = members(stream(data), lambda name: not name.endswith(".bin"))
    for name, content in entries or ():
        assert not name.endswith(".bin")
        assert len(content) <= LONGEST_TEXT
    with named(layouts, data) as name:
        for filename, source in layouts.chosen(name, layouts.ALL, recursive=False).files:
            assert filename
            with source.open() as stored:
                stored.read(1)


def _text(data: bytes) -> None:
    """Decode text whole, in chunks, in lines, and gzipped."""
    pieces, problem = outcome(lambda: chunks(stream(data), _WANTED))
    if sometimes(data, 4) and not data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        assert (pieces, problem) == outcome(lambda: chunks(stream(gzip.compress(data, 1)), _WANTED))
    read = whole(stream(data), _WANTED)
    assert read == joined(pieces, _WANTED) == "".join(lines(pieces)) == "".join(lines(in_chunks(read, 3)))
    with suppress(InputError):
        list(documents.load_all(read))


def _file(data: bytes) -> None:
    """Read the pods of a file, and its records."""
    with named(layouts, data) as name:
        inventory = collect.collect((name,))
        records = index(inventory.records)
        ages = Ages(inventory.dating)
        for pod in inventory.pods:
            assert pod.file == name
            ages.add(pod)
            for container in pod.containers:
                assert container.line >= 0
                records.of(pod, container)
            records.sandboxes_of(pod)
        taken = ages.dated(inventory.origin).taken
        assert inventory.dating
        assert taken is None or taken <= inventory.dating.until
        list(ages.warnings())


def _replicas(data: bytes) -> None:
    """Read pods of one stencil, and each of them by itself."""
    with named(layouts, data) as name:
        pods, problem = outcome(lambda: map(_shown, collect.collect((name,)).pods))
        with replaced(survey, "Stencils", Unlike), replaced(survey, "blocks", _refused):
            assert outcome(lambda: map(_shown, collect.collect((name,)).pods)) == (pods, problem)
        with replaced(forks, "begun", _begun), replaced(spans, "LEAST", 1):
            assert outcome(lambda: map(_shown, _shared(name))) == (pods, problem)
            assert outcome(lambda: map(_shown, _glanced(name))) == (pods, problem)
            assert problem or _dated(name) == _dated(name, jobs=3) == _dated(name, jobs=2, glance=True)
    if problem:
        raise InputError(problem)


def _dated(name: str, **how: Any) -> object:
    """Return what shows when a file was taken, besides its pods."""
    dating = collect.collect((name,), **how).dating
    return dating and dating.files


def _refused(*_: object, **__: object) -> Iterator[Part]:
    raise InputError("no list of elements")


@contextmanager
def _begun(works: Sequence[forks.Work]) -> Iterator[Callable[[], Iterator[Iterator[Any]]]]:
    """Do works in this process, which is the one that is watched."""
    yield lambda: (work() for work in works)


def _shared(name: str) -> Iterator[Pod]:
    """Read the pods in the shares of three processes, where they share them."""
    shared = collect.collect((name,), jobs=3).pods
    assert isinstance(shared, SharedPods)
    pods: Iterable[Pod] = shared
    with suppress(InputError):  # what is wrong, one process says
        shares = shared.shares()
        every = [pod for share in shares for pod in share]
        pods = every if shared.are_right([share.seen for share in shares]) else shared
    yield from pods


def _glanced(name: str) -> Iterator[Pod]:
    """Read the pods where a glance shows them, or in the whole file."""
    inventory = collect.collect((name,), jobs=2, glance=True)
    if inventory.guessed:
        with suppress(InputError):
            return iter(list(inventory.pods))
        inventory = collect.collect((name,))
    return iter(inventory.pods)


def _shown(pod: Pod) -> str:
    facts = [getattr(pod, name) for name in pod.__struct_fields__ if name not in ("shape", "containers")]
    return repr((facts, [_facts(container) for container in pod.containers]))


def _facts(container: Container) -> list[object]:
    return [getattr(container, name) for name in container.__struct_fields__ if name not in ("blank", "own")]


def _objects(data: bytes) -> None:
    """Read one object, and the same as a client library holds it."""
    value = inputs.plain(document(data))
    objects, problem = outcome(lambda: read_object(value, "object"))
    assert objects or problem or not isinstance(value, dict) or value.get("kind") != "Pod"
    list(inputs.collect([value]).pods)


def _static(data: bytes) -> None:
    """Read a static pod's manifest, and see it as one of two kubelets does."""
    with named(staticpods, data, "pod.yaml") as name:
        pod = staticpods.collect_file(name, "Node-1", "/etc/kubernetes/manifests/pod.yaml")
    assert pod.static_manifest
    assert all(container.line > 0 for container in pod.containers)
    if not sometimes(data, 4):  # the target "pod" is about these
        return
    with quick_digest():
        static_view.__wrapped__(pod.static_manifest, _kubelet(one_of(("1.16.15", "1.37.1"), data)))


def _source_file(data: bytes) -> None:
    """Read a file of Kubernetes' source from a tree."""
    (file,) = from_tree(on_disk(data, "hash.go").parent, ["hash.go"])
    assert file.text.encode() == data


_OBJECTS = (
    "sources/objects",
    "sources/budgets",
    "sources/pods",
    "sources/dating",
    "sources/snapshots",
    "sources/statuses",
    "sources/volumes",
    "sources/workloads",
)


def _golden(data: bytes) -> None:
    """Read lines of golden data as inputs and as a release's answers: no line is both."""
    cases, problem = outcome(lambda: cases_on_lines(data, "f").values())
    answers, other = outcome(lambda: answers_on_lines(data, "f").values())
    if problem and other:
        raise InputError(problem)
    assert not (cases and answers)
    assert all(isinstance(case.container, dict) for case in cases)
    assert all(answer.refused == (answer.text is None) == (answer.hash is None) for answer in answers)


TARGETS = (
    Target("compression", _compressed, ("sources/content",), Form.BYTES, longest=4096),
    Target(
        "tar",
        _archive,
        ("sources/files/archives", "sources/files/layouts", "sources/files/dumps"),
        Form.BYTES,
        longest=8192,
    ),
    Target("text", _text, ("sources/content", "sources/documents"), Form.BYTES, longest=256),
    Target(
        "file-json",
        _file,
        (
            *_OBJECTS,
            "sources/files/collect",
            "sources/files/reading",
            "sources/files/__init__",
        ),
        longest=1024,
    ),
    Target(
        "replicas",
        _replicas,
        (
            "sources/replicas/stencils",
            "sources/replicas/stencil",
            "sources/replicas/roles",
            "sources/replicas/shape",
            "sources/files/spans",
            "sources/files/survey",
            "core/go/jsonpath",
            "sources/files/collect",
        ),
        longest=4096,
    ),
    Target(
        "replicas-yaml",
        _replicas,
        (
            "core/go/yamlblocks",
            "core/go/yaml",
            "core/go/jsonpath",
            "sources/replicas/stencils",
            "sources/replicas/shape",
        ),
        Form.YAML,
        longest=4096,
    ),
    Target(
        "file-yaml",
        _file,
        ("sources/files/reading", "sources/files/collect", "sources/files/foreign", *_OBJECTS),
        Form.YAML,
        1024,
    ),
    Target(
        "snapshot",
        _file,
        ("sources/snapshots", "core/records/index"),
        longest=1152,
    ),
    Target("objects", _objects, (*_OBJECTS, "api/inputs"), longest=1024),
    Target("static-pod", _static, ("sources/files/staticpods", "core/kubelet/staticpods"), Form.YAML, 1088),
    Target("golden-lines", _golden, ("analysis/answers/golden",), Form.TEXT, words=_GOLDEN),
    Target("source-file", _source_file, ("sources/upstream",), Form.BYTES, longest=64),
)
