"""docs/architecture.md names files, functions and directories that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.helpers.program import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
FILES = sorted(set(re.findall(r"`([\w/]+\.(?:py|json|md))\b", PAGE)))
NAMES = sorted(set(re.findall(r"`([\w/]+\.py):([\w.]+)`", PAGE)))
DIRECTORIES = sorted(set(re.findall(r"`([\w/]+/)`", PAGE)))


def found(name: str) -> Path:
    """Return a path from the root of the repository or from the package."""
    return next((path for path in (ROOT / "hashcompat" / name, ROOT / name) if path.exists()), Path(name))


def defined(body: list[ast.stmt], dotted: str) -> bool:
    """Return whether a module or class defines a name, or, for a dotted name, a member of it."""
    first, _, rest = dotted.partition(".")
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == first:
            return not rest or (isinstance(node, ast.ClassDef) and defined(node.body, rest))
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == first:
            return not rest
    return False


@pytest.mark.parametrize("name", FILES + DIRECTORIES)
def test_a_path_exists(name: str) -> None:
    assert found(name).exists()


@pytest.mark.parametrize(("file", "name"), NAMES, ids=[":".join(pair) for pair in NAMES])
def test_a_function_exists(file: str, name: str) -> None:
    assert defined(ast.parse(found(file).read_text()).body, name)


def test_what_is_not_there_would_be_seen() -> None:
    body = ast.parse("class A:\n    x: int\n    def f(self): ...\ndef g(): ...").body
    assert [defined(body, name) for name in ("A", "A.f", "A.x", "g")] == [True] * 4
    assert [defined(body, name) for name in ("f", "A.g", "g.x", "B")] == [False] * 4


def test_the_walk_has_ten_stops() -> None:
    walk = PAGE.partition("## A walk")[2].partition("\n## ")[0]
    stops = re.findall(r"^(\d+)\. `[\w/]+\.py:[\w.]+`", walk, re.MULTILINE)
    assert stops == [str(number) for number in range(1, 11)]
