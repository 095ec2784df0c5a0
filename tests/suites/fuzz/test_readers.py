"""Every reader has a target, and lets only errors that it declares through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashcompat.core.errors import InputError
from tests.helpers.program import ROOT
from tests.suites.fuzz.inputs import inputs
from tests.suites.fuzz.keeping import CORPUS, CRASHES, as_files, failed, kept, lines
from tests.suites.fuzz.mutations import mutated
from tests.suites.fuzz.table import NO_READERS, PACKAGES, PARSERS, TARGETS
from tests.suites.fuzz.target import Form, Target

PACKAGE = ROOT / "hashcompat"
NAMES = [target.name for target in TARGETS]
KEPT = [(target, name) for target in TARGETS for name in kept(target.name)]
FAILED = [(target, path) for target in TARGETS for path in failed(target.name)]
LARGEST = 355_000
"""Bytes of all kept inputs, which every clone carries."""


def modules() -> Iterator[str]:
    """Yield the modules of the packages that read, below ``hashcompat`` and without their ending."""
    for package in PACKAGES:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            if path.name != "__init__.py" or "\ndef " in path.read_text(encoding="utf-8"):
                yield str(path.relative_to(PACKAGE).with_suffix(""))
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE).with_suffix(""))
        if not name.startswith(tuple(f"{package}/" for package in PACKAGES)) and imported(path) & PARSERS:
            yield name


def imported(path: Path) -> set[str]:
    """Return what a file imports: each module's name, alone and with that of its package."""
    names = set[str]()
    for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(each, ast.Import):
            names |= {name.name for name in each.names}
        elif isinstance(each, ast.ImportFrom) and each.module:
            names |= {each.module, *(f"{each.module}.{name.name}" for name in each.names)}
    return {ending for name in names for ending in (name.split(".")[-1], ".".join(name.split(".")[-2:]))}


def test_a_module_has_a_target_or_a_reason_for_none() -> None:
    read = {module for target in TARGETS for module in target.modules}
    assert [module for module in modules() if (module in read) == (module in NO_READERS)] == []


def test_the_table_names_what_there_is() -> None:
    named = [*NO_READERS, *(module for target in TARGETS for module in target.modules)]
    assert [module for module in named if not (PACKAGE / f"{module}.py").exists()] == []
    assert len(NAMES) == len(set(NAMES))


def test_every_target_keeps_readable_inputs() -> None:
    assert sorted(path.name for path in CORPUS.iterdir()) == sorted(f"{name}.jsonl" for name in NAMES)
    assert {path.name for path in CRASHES.iterdir()} <= set(NAMES)
    for target in TARGETS:
        assert 10 <= len(kept(target.name)) <= 40, target.name
    names = [name for _, name in KEPT] + [path.name for _, path in FAILED]
    assert [name for name in names if not re.fullmatch(r"[\w.-]{1,60}", name, re.ASCII)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_kept_inputs_is_as_the_program_writes_it(name: str, tmp_path: Path) -> None:
    assert lines(kept(name)) == (CORPUS / f"{name}.jsonl").read_bytes()
    assert {path.name: path.read_bytes() for path in as_files(name, tmp_path)} == kept(name)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2: Expecting"),
        ("7", "line 2: 'int' object"),
        ('{"name": "b"}', "line 2: the keys name; want"),
        ('{"name": "b", "text": "", "base64": ""}', "line 2: the keys name, text, base64; want"),
        ('{"name": "b", "base64": "e30"}', "line 2: Incorrect padding; want"),
        ('{"name": "b", "text": 1}', "line 2: 'int' object"),
        ('{"name": "a", "text": ""}', "line 2: the name a is there already; choose another one"),
    ],
)
def test_a_broken_line_of_kept_inputs_is_named(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "x.jsonl").write_text(f'{{"name": "a", "text": "1"}}\n{line}\n')
    with pytest.raises(ValueError, match=re.escape(f"x.jsonl: {problem}")):
        kept("x", tmp_path)


def test_the_kept_inputs_are_small() -> None:
    sizes = {(target, name): len(kept(target.name)[name]) for target, name in KEPT}
    assert sum(sizes.values()) <= LARGEST
    assert [name for (target, name), size in sizes.items() if size > target.longest] == []


def named(pair: tuple[Target, Path]) -> str:
    target, path = pair
    return f"{target.name}/{path.name}"


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_kept_inputs_are_accepted_or_refused(target: Target) -> None:
    """Some are accepted, so that a target that refuses everything is seen; most refuse some, too."""
    accepted = [target(data) for data in kept(target.name).values()]
    assert any(accepted)
    assert not target.raises or not all(accepted) or target.name in _REFUSE_NOTHING


_REFUSE_NOTHING = ("jsonpath",)
"""Targets that refuse only what other targets refuse too."""


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("failed", FAILED, ids=list(map(named, FAILED)))
def test_what_a_reader_once_failed_on_is_refused(failed: tuple[Target, Path]) -> None:
    """Or accepted, by a reader that refuses nothing."""
    target, path = failed
    assert target(path.read_bytes()) is not bool(target.raises)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_random_inputs_are_accepted_or_refused(target: Target) -> None:
    strategy = inputs(target, list(kept(target.name).values()))

    @settings(max_examples=settings().max_examples // (3 if target.guided else 10))
    @given(strategy)
    def accepts_or_refuses(data: bytes) -> None:
        target(data)

    accepts_or_refuses()


def crash(_: bytes) -> None:
    raise KeyError("missing")


def refuse(_: bytes) -> None:
    raise InputError("refused")


def mumble(_: bytes) -> None:
    raise InputError(" ")


def test_another_error_than_a_declared_one_is_a_crash() -> None:
    assert Target("refuses", refuse, ())(b"") is False
    with pytest.raises(KeyError):
        Target("fails", crash, ())(b"")
    with pytest.raises(InputError):
        Target("refuses", refuse, (), raises=())(b"")
    with pytest.raises(AssertionError, match="without a message"):
        Target("mumbles", mumble, ())(b"")


@given(st.binary(max_size=50), st.sampled_from(Form), st.randoms(use_true_random=False))
def test_a_change_of_any_input_is_an_input(data: bytes, form: Form, source: object) -> None:
    assert isinstance(mutated(data, form, (), source), bytes)  # type: ignore[arg-type]  # a Random by its methods
