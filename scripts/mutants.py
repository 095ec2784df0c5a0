"""Mutants of the engine, each with one small change: do the tests that reach it see the fault?

    pytest --numprocesses 2 --cov --cov-context=test --cov-report=    # which test reaches which line
    python -m scripts.mutants --count 200 --seed 1                    # writes .cache/mutants.json
    python -m scripts.mutants --again .cache/mutants.json             # the same mutants, with other tests

The mutants are drawn from the four rooms that decide: as many from each, the same ones for one seed and one
state of the code. A mutant is killed if a test fails or takes too long. The tests that reach its line run
until one fails: first one of each function, the fastest first, then all. What runs at import only, such as
tables, is not changed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.etree import ElementTree as ET

from coverage import CoverageData

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = (
    "hashcompat/core/kubelet",
    "hashcompat/core/corev1",
    "hashcompat/analysis/planning",
    "hashcompat/analysis/gating",
)
FIRST: Final = 60
"""How many tests run in the first turn."""
SECONDS: Final = 600
"""What the tests of a mutant may take, on a busy machine."""

_OTHER: Final[Mapping[type[ast.AST], type[ast.AST]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


_LEFT_OUT: Final = {".git", ".venv", ".cache", ".coverage", ".hypothesis", ".mypy_cache", ".pytest_cache"}
"""What a checkout has besides its files."""


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the characters from ``start`` to ``end`` become ``text``."""

    module: str
    line: int
    last: int
    what: str
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """Name it for a reader, and for ``--again``."""
        return f"{self.module}:{self.line} {self.what}"


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield what may be changed at a node: the node that is replaced, what is done, and the new text."""
    if isinstance(node, ast.Compare | ast.BoolOp | ast.BinOp):
        yield from _other_operator(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, "not removed", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        yield from _other_constant(node)
    elif isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        yield node.value, "None returned", "None"
    elif isinstance(node, ast.If):
        yield node.test, "condition negated", f"(not ({ast.unparse(node.test)}))"
        if not node.orelse:
            yield node.test, "branch removed", "False"
    elif isinstance(node, ast.IfExp):
        yield node.test, "condition negated", f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, "call removed", "pass"
    elif isinstance(node, ast.AugAssign) and type(node.op) in _OTHER:
        other = ast.AugAssign(node.target, _OTHER[type(node.op)](), node.value)  # type: ignore[arg-type]
        yield node, "operator changed", ast.unparse(other)


def _other_operator(node: ast.Compare | ast.BoolOp | ast.BinOp) -> Iterator[tuple[ast.AST, str, str]]:
    if isinstance(node, ast.Compare):
        first, *more = node.ops
        other = ast.Compare(node.left, [_OTHER[type(first)](), *more], node.comparators)  # type: ignore[list-item]
        yield node, "comparison changed", f"({ast.unparse(other)})"
    elif type(node.op) in _OTHER and not (isinstance(node, ast.BinOp) and _is_text(node)):
        operator = _OTHER[type(node.op)]()
        made = (
            ast.BoolOp(operator, node.values)  # type: ignore[arg-type]
            if isinstance(node, ast.BoolOp)
            else ast.BinOp(node.left, operator, node.right)  # type: ignore[arg-type]
        )
        yield node, "operator changed", f"({ast.unparse(made)})"


def _is_text(node: ast.BinOp) -> bool:
    """Tell whether texts are added: anything else would only be a TypeError."""
    return any(isinstance(each, ast.JoinedStr) or _str(each) for each in (node.left, node.right))


def _str(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _other_constant(node: ast.Constant) -> Iterator[tuple[ast.AST, str, str]]:
    value = node.value
    if isinstance(value, bool):
        yield node, "constant changed", repr(not value)
    elif isinstance(value, int):
        yield node, "constant changed", repr(value + 1)
    elif isinstance(value, str):
        yield node, "constant changed", repr(f"{value}x" if value else "x")


def _inside(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run when a function does: no annotations, defaults, docstrings or texts."""
    waiting: list[ast.AST] = list(getattr(function, "body", []))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Expr) and _str(node.value):
            continue
        yield node
        if isinstance(node, ast.AnnAssign):
            waiting += [node.value] if node.value else []
        elif not isinstance(node, ast.JoinedStr):
            waiting += ast.iter_child_nodes(node)


def mutants(module: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    text = (ROOT / module).read_text()
    begins = [0]
    for line in text.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            for node in _inside(function):
                for replaced, what, made in changes(node):
                    start = begins[replaced.lineno - 1] + replaced.col_offset  # type: ignore[attr-defined]
                    end = begins[replaced.end_lineno - 1] + replaced.end_col_offset  # type: ignore[attr-defined]
                    yield Mutant(module, node.lineno, replaced.end_lineno, what, start, end, made)  # type: ignore[attr-defined]


def sample(count: int, seed: int) -> list[Mutant]:
    """Draw mutants, as many from each room."""
    chance = random.Random(seed)
    selection = list[Mutant]()
    for room in ROOMS:
        paths = sorted((ROOT / room).rglob("*.py"))
        every = [each for path in paths for each in mutants(str(path.relative_to(ROOT)))]
        every.sort(key=lambda each: (each.module, each.start, each.end, each.what))
        selection += chance.sample(every, count // len(ROOMS))
    return selection


class Reach:
    """Which tests reach a line, by a run with contexts; and how long each takes, by its report."""

    def __init__(self, data: Path, report: Path | None) -> None:
        """Read the files of one run."""
        self._data = CoverageData(str(data))
        self._data.read()
        self._files = {
            name[name.rindex("/hashcompat/") + 1 :]: name
            for name in self._data.measured_files()
            if "/hashcompat/" in name
        }
        self._took = _durations(report) if report else {}

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach a mutant: one of each function first, the fastest first."""
        lines = self._data.contexts_by_lineno(self._files[mutant.module])
        names = {
            context.partition("|")[0]
            for line in range(mutant.line, mutant.last + 1)
            for context in lines.get(line, ())
            if context
        }
        # Those of the room first: they are about it.
        room = f"tests/{mutant.module.split('/')[2]}/"
        by_time = sorted(names, key=lambda name: (not name.startswith(room), self._took.get(name, 1.0), name))
        seen, firsts, others = set[str](), list[str](), list[str]()
        for name in by_time:
            function = name.partition("[")[0]
            (others if function in seen else firsts).append(name)
            seen.add(function)
        return firsts + others


def _durations(report: Path) -> dict[str, float]:
    durations = dict[str, float]()
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - our own
        where = case.get("classname", "").replace(".", "/") + ".py"
        durations[f"{where}::{case.get('name')}"] = float(case.get("time", 1))
    return durations


class Copy:
    """A copy of this checkout, in which one module at a time is a mutant."""

    def __init__(self, root: Path) -> None:
        """Make it."""
        self._root = root
        for path in ROOT.iterdir():
            if path.name in _LEFT_OUT:
                continue
            if path.is_dir():
                shutil.copytree(path, root / path.name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, root)

    def fails(self, mutant: Mutant | None, tests: list[str]) -> str:
        """Run tests until one fails; return it, or nothing."""
        if mutant is None:
            return self._run(tests)
        path = self._root / mutant.module
        text = path.read_bytes()
        path.write_bytes(text[: mutant.start] + mutant.text.encode() + text[mutant.end :])
        compiled = Path(importlib.util.cache_from_source(str(path)))
        compiled.unlink(missing_ok=True)
        try:
            return self._run(tests)
        finally:
            path.write_bytes(text)
            compiled.unlink(missing_ok=True)

    def _run(self, tests: list[str]) -> str:
        names = self._root / "names.txt"
        names.write_text("\n".join(tests))
        command = (
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "--no-header",
            "--tb=no",
            f"@{names}",
        )
        try:
            done = subprocess.run(
                [sys.executable, *command],
                cwd=self._root,
                env={key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "it takes too long"
        if done.returncode == 0:
            return ""
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0] if failed else f"pytest ends with {done.returncode}: {done.stderr[-300:]}"


def judge(copy: Copy, mutant: Mutant, tests: list[str], most: int) -> str:
    """Return the test that kills a mutant, or nothing; at most so many tests run."""
    for some in (tests[:FIRST], tests[FIRST:most]):
        killer = copy.fails(mutant, some) if some else ""
        if killer:
            return killer
    return ""


def main(argv: list[str]) -> int:
    """Print each mutant and what became of it, and write all of that as JSON."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=ROOT / ".coverage", help="coverage with contexts")
    parser.add_argument("--report", type=Path, help="JUnit XML of that run, for durations")
    parser.add_argument("--most", type=int, default=1_000_000, help="tests of a mutant that run at most")
    parser.add_argument("--again", type=Path, help="results whose mutants are judged again")
    parser.add_argument("--survivors", action="store_true", help="of these, only those that survived")
    parser.add_argument("--out", type=Path, default=ROOT / ".cache" / "mutants.json")
    given = parser.parse_args(argv)
    selection = sample(given.count, given.seed)
    if given.again:
        rows = json.loads(given.again.read_text())
        selection = [Mutant(**row["mutant"]) for row in rows if not (given.survivors and row["killer"])]
    reach, results = Reach(given.data, given.report), list[dict[str, object]]()
    given.out.parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as directory:
        copy = Copy(Path(directory))
        for number, mutant in enumerate(selection, 1):
            tests = reach.tests(mutant)
            killer = judge(copy, mutant, tests, given.most)
            results.append({"mutant": asdict(mutant), "tests": len(tests), "killer": killer})
            print(
                f"{number}: {'killed' if killer else 'SURVIVED'} ({len(tests)} tests) {mutant.name}",
                flush=True,
            )
            given.out.write_text(json.dumps(results, indent=1) + "\n")
    killed = sum(1 for row in results if row["killer"])
    print(f"{killed} of {len(results)} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
