"""What is in the examples and the files of deploy/, taken apart as their programs take them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.helpers.program import ROOT

EXAMPLES = ROOT / "examples"
BASE = ROOT / "deploy" / "base"
_REFERENCE = re.compile(r"\$\((\w+)\)")
_EXPRESSION = re.compile(r"\$\{\{ *(\S+) *\}\}")


def documents(path: Path) -> list[Any]:
    """Return the documents of a YAML file."""
    return [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]


def of_kind(path: Path, kind: str) -> Any:
    """Return the only object of a kind in a YAML file."""
    (manifest,) = (document for document in documents(path) if document["kind"] == kind)
    return manifest


def expanded(words: list[str], environment: Mapping[str, str]) -> list[str]:
    """Return a container's args as a kubelet passes them: ``$(NAME)`` is the variable, if there is one."""
    return [_REFERENCE.sub(lambda match: environment.get(match[1], match[0]), word) for word in words]


def evaluated(text: str, values: Mapping[str, str]) -> str:
    """Return what GitHub makes of a text: ``${{ inputs.to }}`` is the value; KeyError for an unknown one."""
    return _EXPRESSION.sub(lambda match: values[match[1]], text)


def containers() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield each container of hashcompat's image in the examples: its file, the pod's spec, the container."""
    for path in sorted([*EXAMPLES.glob("*/*.yaml"), *BASE.glob("*.yaml")]):
        for pod in _pods(documents(path)):
            for container in [*pod.get("initContainers", ()), *pod.get("containers", ())]:
                if "/hashcompat:" in container.get("image", ""):
                    yield str(path.relative_to(ROOT)), pod, container


def _pods(value: Any) -> Iterator[dict[str, Any]]:
    """Yield what holds containers, and the prepare container of a Plan as a pod of its own."""
    if isinstance(value, list):
        for element in value:
            yield from _pods(element)
    elif isinstance(value, dict):
        if "containers" in value:
            yield value
        if "prepare" in value:
            yield {"containers": [value["prepare"]]}
        for child in value.values():
            yield from _pods(child)
