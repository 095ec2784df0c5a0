"""The tests mirror the package: by name or by tests/README.md, each module leads to its tests and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.program import ROOT

TESTS, PACKAGE = ROOT / "tests", ROOT / "hashcompat"
APART = {"architecture", "ci", "data", "helpers", "suites"}
OF_THE_PROJECT = {
    f"test_{name}.py"
    for name in (
        "cluster_api",
        "docs",
        "english",
        "examples",
        "godeps",
        "outputs",
        "package",
        "performance",
        "readme",
        "regenerate",
        "upstream",
    )
}
MODULES = sorted(
    str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"
)
FILES = sorted(
    str(path.relative_to(TESTS))
    for path in TESTS.rglob("test_*.py")
    if path.relative_to(TESTS).parts[0] not in APART | OF_THE_PROJECT
)
TABLE = {
    tests: re.findall(r"`([\w/]+\.py)`", modules)
    for tests, modules in re.findall(
        r"^\| `([\w/]+\.py)` \| (.+) \|$", (TESTS / "README.md").read_text(), re.MULTILINE
    )
}


def own_module(file: str) -> str | None:
    """Return the module, or the package, whose tests a file is by its name: the longest that fits."""
    path = Path(file)
    words = path.stem.removeprefix("test_").split("_")
    for length in range(len(words), 0, -1):
        module = path.parent / f"{'_'.join(words[:length])}.py"
        if str(module) in MODULES:
            return str(module)
    package = path.parent.name
    return f"{path.parent}/__init__.py" if words[0] == package else None


@pytest.mark.parametrize("file", FILES)
def test_a_test_is_of_a_module(file: str) -> None:
    assert own_module(file) or file in TABLE


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_a_test(module: str) -> None:
    named = {own_module(file) for file in FILES}
    assert module in named or any(module in modules for modules in TABLE.values())


def test_the_table_names_what_there_is() -> None:
    assert [file for file in TABLE if file not in FILES] == []
    assert [name for modules in TABLE.values() for name in modules if name not in MODULES] == []
    assert [file for file in TABLE if own_module(file) in TABLE[file]] == []


def test_packages_of_tests_are_those_of_the_package() -> None:
    folders = {path.parent for path in TESTS.rglob("__init__.py")}
    named = {str(folder.relative_to(TESTS)) for folder in folders}
    mirrored = {name for name in named if name.partition("/")[0] not in APART}
    assert [name for name in sorted(mirrored) if not (PACKAGE / name / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("go/test_quantity_1_0.py", "go/quantity_1_0.py"),
        ("cli/commands/test_plan_verdicts.py", "cli/commands/plan.py"),
        ("kubelet/decide/test_decide.py", "kubelet/decide/__init__.py"),
        ("planning/test_boundaries.py", None),
    ],
)
def test_a_name_says_which_module(file: str, module: str | None) -> None:
    assert own_module(file) == module
