"""Definitions of custom resources as others publish them, and objects that are validated by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from jsonschema import Draft202012Validator

from tests.helpers.program import ROOT

DIRECTORY: Final = ROOT / "tests" / "helpers" / "schemas" / "crds"
DEFINITIONS: Final[tuple[dict[str, Any], ...]] = tuple(
    json.loads(path.read_text(encoding="utf-8")) for path in sorted(DIRECTORY.glob("*.json"))
)


def schema_of(kind: str) -> dict[str, Any]:
    """Return the schema of a kind; it refuses unknown fields, as ``--validate=strict`` does."""
    (spec,) = (
        definition["spec"] for definition in DEFINITIONS if definition["spec"]["names"]["kind"] == kind
    )
    schema: dict[str, Any] = _strict(spec["versions"][0]["schema"]["openAPIV3Schema"])
    return schema


def errors(document: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an object, by the schema of its kind."""
    kind = document["kind"]
    (spec,) = (
        definition["spec"] for definition in DEFINITIONS if definition["spec"]["names"]["kind"] == kind
    )
    if document["apiVersion"] != f"{spec['group']}/{spec['versions'][0]['name']}":
        yield f"apiVersion: {document['apiVersion']}"
    for error in Draft202012Validator(schema_of(kind)).iter_errors(document):
        yield f"{error.json_path}: {error.message}"


def _strict(schema: Any) -> Any:
    """Return a structural schema of Kubernetes as JSON Schema has it."""
    if isinstance(schema, list):
        return [_strict(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _strict(value) for key, value in schema.items() if key != "properties"}
    if "properties" in schema:
        made["properties"] = {name: _strict(value) for name, value in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
        # an API server sets defaults before it validates
        made["required"] = [
            name for name in made.get("required", ()) if "default" not in made["properties"][name]
        ]
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
    return made
