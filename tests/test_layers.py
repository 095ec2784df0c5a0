"""The layers of docs/architecture.md: a module imports from its own layer or lower ones, and only the command line prints."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "hashcompat"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def layers() -> dict[str, int]:
    """Read ``{module or folder: layer}`` from the table in the document."""
    rows = re.findall(
        r"^\| (\d) \| ((?:`[^`]+` ?)+)\|", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE
    )
    return {name.rstrip("/"): int(layer) for layer, names in rows for name in re.findall(r"`([^`]+)`", names)}


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imported(path: Path) -> set[str]:
    """Return the parts of the package that a module imports anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "hashcompat":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hashcompat."):
            found.add(part(str(node.module)))
    return found - {"__version__"}


def test_every_part_of_the_package_has_a_layer() -> None:
    parts = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    present = {path.stem for path in parts}
    assert present - {"__init__"} == set(layers())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    order = layers()
    assert {name for name in imported(path) if order[name] > order[own]} == set()


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if "cli" not in path.parts],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_the_command_line_prints_or_exits(path: Path) -> None:
    calls = {
        ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    }
    assert calls & {"print", "sys.exit", "exit", "click.echo"} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_releases_are_compared_in_the_catalog_only(path: Path) -> None:
    """No module asks ``if release < ...``: releases are rows of data."""
    if path.parent.name == "catalog":
        return
    versions = re.findall(r"Version\(|SpecifierSet\(", path.read_text())
    assert len(versions) == (1 if path.name == "release.py" else 0)
