"""Run one target with atheris, in a process of its own, guided by the coverage of the target's modules.

    python -m tests.suites.fuzz.fuzzer TARGET MODULE[,MODULE...] [libFuzzer's arguments]

The modules are arguments, because they are imported with instrumentation and the table of targets imports
them all.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

_PACKAGE: Final = "hashcompat"
atheris: Any = importlib.import_module("atheris")  # which has no types
_HOOKS: Any = importlib.import_module("atheris.import_hook")
_ROOT: Final = Path(__file__).resolve().parents[3]


def _others(wanted: set[str]) -> set[str]:
    """Return every module of the package but some: atheris includes packages only as a whole."""
    paths = (_ROOT / _PACKAGE).rglob("*.py")
    names = {".".join(path.relative_to(_ROOT).with_suffix("").parts) for path in paths}
    return {name.removesuffix(".__init__") for name in names} - wanted


def main(name: str, modules: str, *arguments: str) -> None:
    """Fuzz until libFuzzer has done the runs that its arguments ask for; it ends the process."""
    wanted = {f"{_PACKAGE}.{module.replace('/', '.')}" for module in modules.split(",")}
    # Without comparisons, whose tracing takes longer than most readers; mutations know the words instead.
    with _HOOKS.HookManager({_PACKAGE}, _others(wanted), enable_loader_override=True, trace_dataflow=False):
        table: Any = importlib.import_module("tests.suites.fuzz.table")
    mutations: Any = importlib.import_module("tests.suites.fuzz.mutations")
    target = table.find(name)

    def change(data: bytes, most: int, seed: int) -> bytes:
        source = Random(seed)
        if source.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return bytes(mutations.mutated(data, target.form, target.words, source)[:most])

    atheris.Setup([sys.argv[0], *arguments], lambda data: target(data) and None, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
