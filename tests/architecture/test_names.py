"""Names: no part of the package hides a function of the API, and each of its functions can be called when everything is imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import pytest

import hashcompat
from hashcompat.patching.model import NewFile, Patch
from scripts.docs import imports
from tests.helpers.pods import ARTICLE, pod

FUNCTIONS = sorted(name for name in hashcompat.__all__ if name.islower() and not name.startswith("_"))
EXAMPLES: dict[str, Callable[[], object]] = {
    "container_hash": lambda: hashcompat.container_hash(ARTICLE, "1.9.11").value == 1428860573,
    "container_text": lambda: hashcompat.container_text(ARTICLE, "1.9.11").startswith("(v1.Container){"),
    "plan": lambda: hashcompat.plan([pod()], "1.7.16", "1.9.11").items,
    "make_patch": lambda: hashcompat.make_patch("1.9.11", ["1.7.16"]),
    "patch_text": lambda: hashcompat.patch_text(
        Patch("keep", "why", (NewFile("a.go", "package a\n"),), ()), {}
    ),
}
"""One call of every function of the API, with something that is true of what it returns."""


def test_every_function_has_an_example() -> None:
    assert sorted(EXAMPLES) == FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_still_one_after_all_imports(name: str) -> None:
    """Importing ``hashcompat.plan``, were there one, would put that module in the function's place."""
    for module in imports.modules():
        importlib.import_module(module)
    assert EXAMPLES[name]()


def test_no_part_of_the_package_is_called_as_a_function_is() -> None:
    assert set(imports.rooms()) & set(hashcompat.__all__) == set()
