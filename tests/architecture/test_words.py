"""Variables are called by what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scripts.docs import imports

EMPTY = {"one", "found"}
"""Words that say nothing of a value: a pod, a hash, a path and a list could all be called so."""


def empty_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the variables and parameters of a module that have such a name, each with its line.

    Not the fields of classes, of which some are keys of documents.
    """
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    fields = {
        field.target
        for definition in classes
        for field in definition.body
        if isinstance(field, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if node in fields:
            continue
        if isinstance(node, ast.arg) and node.arg in EMPTY:
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY:
            yield node.lineno, node.id


def test_no_variable_has_a_name_that_says_nothing() -> None:
    places = {
        name: places
        for name, path in imports.sources().items()
        if (places := list(empty_names(ast.parse(path.read_text()))))
    }
    assert places == {}


def test_such_a_name_is_seen_wherever_it_is_bound() -> None:
    lines = (
        "for one in (): print(one)",
        "a = [found for found in b]",
        "def f(one, *, found): ...",
        "lambda one: 1",
        "(found := 2)",
        "with a as one: pass",
        "class A:\n    one: int\n    def f(self):\n        found: int = 1",
    )
    counts = [len(list(empty_names(ast.parse(line)))) for line in lines]
    assert counts == [1, 1, 2, 1, 1, 1, 1]
