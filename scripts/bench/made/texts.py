"""The text of a List, as kubectl prints it, and other forms of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from scripts.bench.made.chance import Json
from scripts.lib.yamltext import as_yaml

_ESCAPED: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""As encoding/json writes them; in JSON text they are in strings alone."""


def kubectl(objects: Iterable[Json]) -> Iterator[str]:
    """Yield what ``kubectl get -o json`` prints: four spaces, keys sorted."""
    yield '{\n    "apiVersion": "v1",\n    "items": [\n'
    between = ""
    for manifest in objects:
        text = json.dumps(manifest, indent=4, sort_keys=True, ensure_ascii=False).replace("\n", "\n        ")
        yield f"{between}        {text.translate(_ESCAPED)}"
        between = ",\n"
    yield '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n'


def compact(objects: Iterable[Json]) -> Iterator[str]:
    """Yield the List on one line, as ``jq -c`` or the API server write it."""
    yield '{"apiVersion":"v1","items":['
    between = ""
    for manifest in objects:
        yield between + _line(manifest)
        between = ","
    yield '],"kind":"List","metadata":{"resourceVersion":""}}\n'


def lines(objects: Iterable[Json]) -> Iterator[str]:
    """Yield an object a line."""
    return (f"{_line(manifest)}\n" for manifest in objects)


def _line(manifest: Json) -> str:
    return json.dumps(manifest, separators=(",", ":"), sort_keys=True, ensure_ascii=False).translate(_ESCAPED)


def yaml(objects: Iterable[Json]) -> Iterator[str]:
    """Yield what ``kubectl get -o yaml`` prints."""
    yield "apiVersion: v1\nitems:\n"
    yield from (as_yaml([manifest]) for manifest in objects)
    yield 'kind: List\nmetadata:\n  resourceVersion: ""\n'


_BYTES: Final = {"json": 27_000, "compact": 9_700, "lines": 9_700, "yaml": 11_500}
"""Of a pod on average, with its share of a node."""


def pods_of(size: float, form: str) -> int:
    """Return how many pods make a file of about so many bytes."""
    return max(1, round(size / _BYTES[form]))


FORMS: Final[dict[str, Callable[[Iterable[Json]], Iterator[str]]]] = {
    "json": kubectl,
    "compact": compact,
    "yaml": yaml,
    "lines": lines,
}
