"""Emitted patches apply to Kubernetes' own source, compile, and agree with real Go with the old types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis.patching import apply, mail
from hashcompat.analysis.patching.strategies import Choices, make_patch
from hashcompat.analysis.patching.strip import check_container, cuts_between
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import decode_text, loads
from hashcompat.core.kubelet.alike import unknown_to
from scripts.golden import containers as oracle
from scripts.suites import patches
from scripts.suites.patches import CACHE, Touched
from tests.helpers import random_containers, randomness, slices

pytestmark = pytest.mark.patch

RANDOM = randomness.count("PATCH_CONTAINERS", 300)
"""How many random containers of each tree and source go into a comparison, besides the golden ones."""
BOUNDARIES = [
    ("1.8.15", ("1.7.16",)),
    ("1.9.11", ("1.7.16",)),
    ("1.14.10", ("1.13.12",)),
    ("1.15.12", ("1.14.10",)),
    ("1.16.15", ("1.15.12",)),
    ("1.31.14", ("1.30.14",)),
    ("1.36.3", ("1.30.14",)),
    ("1.37.1", ("1.30.14",)),
]
SEVERAL = [("1.9.11", ("1.7.16", "1.8.15")), ("1.36.3", ("1.30.14", "1.15.12"))]
OTHER_ESCAPES = [("1.31.14", ("1.27.15",)), ("1.15.12", ("1.30.14",)), ("1.16.15", ("1.36.3",))]
"""Old releases built with a Go that escapes differently, and ways back."""


IN_THE_SLICE = ("1.9.11", "1.31.14")
"""New releases whose patches .ci/run builds: the era without JSON, and that of name and image."""


FORCED = Choices(force=True)


@dataclass(frozen=True)
class Case:
    """One patch."""

    strategy: str
    new: str
    olds: tuple[str, ...]
    choices: Choices = FORCED

    @property
    def directory(self) -> Path:
        """A directory of its own below the cache."""
        flags = "-all" if self.choices.accept_new_fields else "-article" if self.choices.article else ""
        return CACHE / f"{self.strategy}{flags}-{self.new}-like-{'-'.join(self.olds)}"


def identity(case: Case) -> str:
    return (
        f"{case.new} like {','.join(case.olds)}{', new fields too' if case.choices.accept_new_fields else ''}"
    )


def emitted(case: Case) -> str:
    """Return the patch as the program prints it, against the pristine source."""
    patch = make_patch(case.new, case.olds, case.strategy, default_catalog(), case.choices)
    assert patch is not None
    files = {edit.path: (patches.source(case.new) / edit.path).read_text() for edit in patch.edits}
    return mail(patch, apply(patch, files))


@cache
def built(case: Case) -> tuple[Touched, Any]:
    """Apply, check and build the Go code of a patch: gofmt, vet and its own tests must pass."""
    tree = patches.applied(case.new, emitted(case), case.directory.with_name(f"{case.directory.name}-tree"))
    touched = Touched(case.new, case.directory)
    program = touched.compose(tree)
    generated = [str(tree / name) for name in patches.added(tree)]
    assert generated
    assert (
        patches.run(
            "gofmt", "-l", *generated, *(str(tree / file) for file in (patches.HELPERS, patches.MANAGER))
        )
        == ""
    )
    touched.go("vet", "./...")
    tested = {str(Path(name).parent) for name in patches.added(tree) if name.endswith("_test.go")}
    assert touched.go("test", "./pkg/...").count("ok ") == len(tested)
    return touched, program


@cache
def requests(old: str, new: str) -> tuple[bytes, ...]:
    """Return golden containers, and random ones of the old, new and newest tree, as API pods and files."""
    catalog = default_catalog()
    trees = [catalog.kubelet(old).schema.tree, catalog.kubelet(new).schema.tree, catalog.newest_schema().tree]
    sources: tuple[random_containers.Source, ...] = ("api", "file")
    made = [
        random_containers.request(container, source)
        for number, tree in enumerate(trees)
        for source in sources
        for container in random_containers.containers(tree, randomness.SEED + number, RANDOM, source)
    ]
    return (*oracle.cases().values(), *made)


@cache
def recorded(old: str, new: str) -> tuple[dict[str, Any], ...]:
    """Return what real Go with the old types answers to each request."""
    return tuple(oracle.ask(old, requests(old, new)))


def seen_whole(line: bytes, old: str, new: str) -> bool:
    """Return whether the patched kubelet decodes all that the old release knows; not on a way back."""
    kubelet = default_catalog().kubelet
    try:
        return not unknown_to(container_of(line), kubelet(old), kubelet(new), ())
    except DecodeError:
        return False


def container_of(line: bytes) -> Any:
    return loads(decode_text(line))["container"]


def with_recorded(line: bytes, *hashes: int) -> bytes:
    return line.rstrip()[:-1] + b',"recorded":' + json.dumps(hashes).encode() + b"}"


def answers(case: Case, old: str) -> Iterator[tuple[bytes, int, dict[str, Any]]]:
    """Yield each request, its hash in the old release, and what the patched kubelet answers for it."""
    answered = zip(requests(old, case.new), recorded(old, case.new), strict=True)
    asked = [(line, go["hash"]) for line, go in answered if "hash" in go and seen_whole(line, old, case.new)]
    lines = [with_recorded(line, value, value ^ 1) for line, value in asked]
    _, program = built(case)
    for (line, value), answer in zip(asked, program.ask(lines), strict=True):
        if "error" not in answer:
            yield line, value, answer


def sliced(cases: Sequence[Case]) -> list[Any]:
    """Return all cases as parameters; in the slice, one of each strategy and new release, for one old one."""
    kept = {(case.strategy, case.new): case for case in reversed(cases) if case.new in IN_THE_SLICE}
    return slices.sliced(cases, kept.values())


PINS = [Case("pin", new, olds) for new, olds in [*BOUNDARIES, *OTHER_ESCAPES]]
ACCEPTS = [Case("accept", new, olds) for new, olds in [*BOUNDARIES, *SEVERAL]]
ACCEPTS_ALL = [
    Case("accept", new, olds, Choices(accept_new_fields=True))
    for new, olds in [*BOUNDARIES, *SEVERAL, *OTHER_ESCAPES]
]


@pytest.mark.parametrize("case", sliced(PINS), ids=identity)
def test_a_pinned_kubelet_returns_the_old_hash(
    case: Case, record_property: Callable[[str, object], None]
) -> None:
    compared = 0
    for line, value, answer in answers(case, case.olds[0]):
        assert (answer["hash"], answer["changed"]) == (value, [False, True]), line
        compared += 1
    record_property("patched_containers", compared)
    assert compared >= 1000


@pytest.mark.parametrize("case", sliced(ACCEPTS_ALL), ids=identity)
def test_an_accepting_kubelet_accepts_the_old_hash(
    case: Case, record_property: Callable[[str, object], None]
) -> None:
    compared = 0
    for old in case.olds:
        for line, value, answer in answers(case, old):
            assert answer["changed"] == [False, value ^ 1 != answer["hash"]], line
            compared += 1
    record_property("patched_containers", compared)
    assert compared >= 1000 * len(case.olds)


@pytest.mark.parametrize("case", sliced(ACCEPTS), ids=identity)
def test_an_old_hash_does_not_count_where_a_field_is_new(
    case: Case, record_property: Callable[[str, object], None]
) -> None:
    """The generated conversion notices just the fields that plans notice."""
    catalog = default_catalog()
    new, defaults = catalog.kubelet(case.new), catalog.server_defaults()
    kept = lost = 0
    for old in case.olds:
        for line, value, answer in answers(case, old):
            container = container_of(line)
            try:
                knows = [
                    not unknown_to(container, new, catalog.kubelet(other), defaults) for other in case.olds
                ]
            except DecodeError:
                continue
            accepted = knows[case.olds.index(old)] or (any(knows) and not answer["changed"][0])
            assert answer["changed"][0] is not (accepted or value == answer["hash"]), line
            kept, lost = kept + accepted, lost + (not accepted)
    record_property("patched_containers", kept + lost)
    assert kept >= 500
    assert lost >= 10 or case.new == "1.31.14"


@pytest.mark.parametrize("strategy", ["accept", "pin"])
@pytest.mark.parametrize(("new", "olds"), BOUNDARIES)
def test_kubernetes_tests_change_only_where_hashes_are_asserted(
    strategy: str, new: str, olds: tuple[str, ...]
) -> None:
    patch = make_patch(new, olds, strategy, default_catalog(), Choices(force=True))
    assert patch is not None
    tests = [edit.path for edit in patch.edits if edit.path.endswith("_test.go")]
    asserted = {
        assertion.file
        for assertion in default_catalog().source_site(default_catalog().kubelet(new)).assertions
    }
    assert set(tests) == (asserted if strategy == "pin" else set())


@pytest.mark.full
@pytest.mark.parametrize(
    "case",
    [Case("accept", "1.31.14", ("1.30.14",)), Case("accept", "1.36.3", ("1.30.14", "1.15.12"))],
    ids=identity,
)
def test_kubernetes_own_tests_pass(case: Case) -> None:
    """The whole patched packages build, and Kubernetes' own tests of them pass unchanged."""
    tree = patches.whole(case.new, emitted(case), case.directory.with_name(f"{case.directory.name}-whole"))
    packages = ("./pkg/kubelet/container/...", "./pkg/kubelet/kuberuntime/...")
    patches.go(tree, "vet", "./pkg/kubelet/container/hashlike/...")
    output = patches.go(tree, "test", *packages)
    for package in ("container", "container/hashlike", "kuberuntime"):
        assert f"ok  \tk8s.io/kubernetes/pkg/kubelet/{package}\t" in output


@pytest.mark.full
@pytest.mark.parametrize(
    "case", [Case("pin", "1.31.14", ("1.30.14",)), Case("pin", "1.36.3", ("1.30.14",))], ids=identity
)
def test_kubernetes_own_tests_pass_with_the_hashes_that_a_pin_asserts(case: Case) -> None:
    tree = patches.whole(case.new, emitted(case), case.directory.with_name(f"{case.directory.name}-whole"))
    assert "ok  \tk8s.io/kubernetes/pkg/kubelet/container\t" in patches.go(
        tree, "test", "./pkg/kubelet/container/..."
    )


STRIPS = [
    Case("strip", new, olds, Choices(article=article))
    for new, olds in BOUNDARIES[:4]
    for article in (False, True)
]


@pytest.mark.parametrize(
    "case", sliced(STRIPS), ids=lambda case: f"{identity(case)}{', article' if case.choices.article else ''}"
)
def test_a_stripping_kubelet_differs_only_where_the_audit_says(
    case: Case, record_property: Callable[[str, object], None]
) -> None:
    catalog = default_catalog()
    new, old = catalog.kubelet(case.new), catalog.kubelet(case.olds[0])
    cuts = cuts_between(old, new, catalog.server_defaults())
    same = announced = 0
    for line, value, answer in answers(case, case.olds[0]):
        request = loads(decode_text(line))
        keep_empty = request["source"] == "file"
        hit = check_container(
            request["container"], old, new, cuts, catalog.server_defaults(), keep_empty=keep_empty
        ).hit
        assert (answer["hash"] == value) is (hit is None), line
        same, announced = same + (hit is None), announced + (hit is not None)
    record_property("patched_containers", same + announced)
    assert same + announced >= 1000
    assert same >= 100
    assert announced >= 1
