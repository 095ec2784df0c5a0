"""How the type trees of schemas/ are read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")

Tree = dict[str, Any]
"""A tree: ``package``, ``root`` and ``types``, as schemas/types/README.md describes them."""

Field = dict[str, Any]
Types = dict[str, Any]
"""The value of ``types``: a struct is a list of fields, any other type the text of its underlying type."""


def load(path: Path) -> Any:
    """Read one JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def minor(release: str) -> str:
    """Cut a release down to its minor: 1.9.11 -> 1.9."""
    return ".".join(release.split(".")[:2])


def minors(first: str, last: str) -> str:
    """Write a range of minors as all tables do: 1.3, 1.5 -> >=1.3,<1.6."""
    major, _, number = last.partition(".")
    return f">={first},<{major}.{int(number) + 1}"


def ranges(values: Iterable[tuple[str, Value | None]]) -> Iterator[tuple[str, Value]]:
    """Yield a range for each run of releases in which a value is the same, but none where it is None.

    Each value comes with the first release that has it, oldest first.
    """
    runs = [next(run) for _, run in groupby(values, key=itemgetter(1))]
    ends = [*(f",<{since}" for since, _ in runs[1:]), ""]
    for (since, value), end in zip(runs, ends, strict=True):
        if value is not None:
            yield f">={since}{end}", value


def render(value: Tree) -> bytes:
    """Write a tree with one field a line, so that `diff` of two releases shows fields."""
    head = [f" {json.dumps(key)}: {json.dumps(item)},\n" for key, item in value.items() if key != "types"]
    types = ",\n".join(_render_type(name, value["types"][name]) for name in sorted(value["types"]))
    return ("{\n" + "".join(head) + ' "types": {\n' + types + "\n }\n}\n").encode()


def _render_type(name: str, described: str | list[Field]) -> str:
    if isinstance(described, str):
        return f"  {json.dumps(name)}: {json.dumps(described)}"
    fields = ",\n".join(f"   {json.dumps(field)}" for field in described)
    return f"  {json.dumps(name)}: [\n{fields}\n  ]"
