"""Releases are rows of data: only the catalog compares them, only the compiler of hashes reads era steps."""

from __future__ import annotations

import ast

import pytest

from tests.helpers.program import ROOT

PACKAGE = ROOT / "hashcompat"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
ORDERING = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
NUMBERS = {"version", "upstream", "minor", "minor_number"}
"""The names of a release's parts: they are compared in the catalog."""
SORTS = {"sorted", "min", "max", "sort"}
OUTSIDE = [path for path in MODULES if "catalog" not in path.relative_to(PACKAGE).parts]


def names(node: ast.AST) -> set[str]:
    return {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}


def parts(side: ast.expr) -> list[ast.expr]:
    """Return what one side of a comparison is made of."""
    return side.elts if isinstance(side, ast.Tuple) else [side]


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ast.unparse(node.func)


def compares_releases(node: ast.AST) -> bool:
    """Return whether a piece of code orders, pairs or looks up releases by itself."""
    match node:
        case ast.Compare(left, operators, others):
            sides = [part for side in (left, *others) for part in parts(side)]
            numbers = [side for side in sides if isinstance(side, ast.Attribute) and side.attr in NUMBERS]
            return bool(numbers) and any(isinstance(operator, ORDERING) for operator in operators)
        case ast.Call(keywords=keywords) if called(node) in SORTS:
            return any(
                names(keyword.value) & (NUMBERS | {"release"}) for keyword in keywords if keyword.arg == "key"
            )
        case ast.Call():
            position = called(node) == "index" and any(names(argument) & NUMBERS for argument in node.args)
            return position or called(node) in {"Version", "SpecifierSet"}
        case ast.BinOp(left, ast.Sub(), right):
            return bool((names(left) | names(right)) & {"minor_number", "patch"})
        case ast.Subscript(ast.Attribute(attr="rows"), _):
            return True
        case ast.ImportFrom(module=module):
            return (module or "").partition(".")[0] == "packaging"
    return False


def comparisons(source: str) -> list[str]:
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if compares_releases(node)]


def test_releases_are_compared_in_the_catalog_only() -> None:
    """No module asks ``if release < ...``: releases are rows of data."""
    assert {path: expressions for path in OUTSIDE if (expressions := comparisons(path.read_text()))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "old.release.version < new.release.version",
        "case.old.release.minor == case.new.release.minor",
        "release.minor_number >= 9",
        "server.release.minor_number - new.release.minor_number",
        "max(old, new, key=lambda kubelet: kubelet.release.version)",
        "sorted(kubelets, key=lambda kubelet: kubelet.release.minor_number)",
        "olds.sort(key=lambda old: old.release)",
        "(old.version, old.vendor) != (new.version, new.vendor)",
        "release.upstream == other.upstream",
        "catalog.rows[minor]",
        "minors.index(kubelet.release.minor)",
        "from packaging.version import Version",
        "Version('1.9') < other",
        "SpecifierSet('>=1.9')",
    ],
)
def test_a_comparison_of_releases_is_found(source: str) -> None:
    assert comparisons(source) != []


@pytest.mark.parametrize(
    "source",
    ["release.vendor", "old.release is new.release", "f'{release.minor}.json'", "rows[0]", "a.b < 1"],
)
def test_what_compares_no_releases_is_not(source: str) -> None:
    assert comparisons(source) == []


LOOKS_INTO_ERAS = {PACKAGE / "core" / "catalog" / "eras.py", PACKAGE / "core" / "kubelet" / "hashing.py"}


def test_eras_are_rows() -> None:
    """An era answers what follows from its steps; only the compiler of hashes reads them one by one."""
    assert [
        (path, ast.unparse(node))
        for path in MODULES
        if path not in LOOKS_INTO_ERAS and ".steps" in path.read_text()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "steps" and ast.unparse(node) != "edit.steps"
    ] == []
