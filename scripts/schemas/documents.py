"""Make the JSON Schemas of documents from the structs by which they are written and read.

The descriptions are the docstrings of the structs and of their fields.
"""

from __future__ import annotations

import ast
import inspect
import json
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.model.documents import Document, RestartPlan, RolloutState
from hashcompat.core.model.results import Object
from hashcompat.output.documents.containers import (
    CalibrationResult,
    DocumentDifference,
    ExplanationList,
    HashList,
    PatchAudit,
    VerifyResult,
)
from hashcompat.output.documents.judged import FleetReport, GateReport
from hashcompat.output.documents.nodes import ImpactReport, Normalization, PageList
from hashcompat.output.documents.releases import (
    PreflightReport,
    ReleaseDifference,
    ReleaseList,
    RestartMatrix,
    RuleList,
    Version,
)
from scripts.lib.generated import Generated

DOCUMENTS: Final[tuple[type[Document], ...]] = (
    CalibrationResult,
    DocumentDifference,
    ExplanationList,
    FleetReport,
    GateReport,
    HashList,
    ImpactReport,
    Normalization,
    PageList,
    PatchAudit,
    PreflightReport,
    ReleaseDifference,
    ReleaseList,
    RestartMatrix,
    RestartPlan,
    RolloutState,
    RuleList,
    VerifyResult,
    Version,
)

_WITHIN: Final = ("item_type", "key_type", "value_type", "type")
"""Where a type of msgspec has other ones."""

_DIRECTORY: Final = Path("schemas") / "documents"


def make() -> dict[Path, bytes]:
    """Return a schema for each kind of document."""
    return {
        _DIRECTORY / f"{kind.__name__}.schema.json": (json.dumps(schema(kind), indent=1) + "\n").encode()
        for kind in DOCUMENTS
    }


def schema(kind: type[Document]) -> dict[str, Any]:
    """Return the JSON Schema of a document, with what its structs say about their fields."""
    _, parts = msgspec.json.schema_components((kind, *kind.reaches), ref_template="#/$defs/{name}")
    for struct in _structs(kind):
        part = parts[struct.__name__]
        part.pop("title")
        for field, text in descriptions(struct).items():
            part["properties"][field] |= {"description": text}
    whole = parts.pop(kind.__name__)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:hashcompat:v1:{kind.__name__}",
        "title": kind.__name__,
        **_constant(whole),
        **({"$defs": _constant(parts)} if parts else {}),
    }


def _structs(kind: type[Document]) -> set[type[Object]]:
    """Return the structs that a document reaches, itself included."""
    structs = set[type[Object]]()
    todo: list[Any] = list(msgspec.inspect.multi_type_info((kind, *kind.reaches)))
    while todo:
        part = todo.pop()
        if isinstance(part, msgspec.inspect.StructType):
            if part.cls not in structs and issubclass(part.cls, Object):
                structs.add(part.cls)
                todo += [field.type for field in part.fields]
        else:
            todo += [getattr(part, name) for name in _WITHIN if hasattr(part, name)]
            todo += getattr(part, "types", ())
    return structs


def descriptions(struct: type[Object]) -> dict[str, str]:
    """Return the docstrings below the fields of a struct and those that it inherits, by key."""
    keys = dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
    docstrings = {}
    for owner in reversed(struct.__mro__):
        if issubclass(owner, Object):
            for field, text in pairwise(ast.walk(ast.parse(inspect.getsource(owner)))):
                match field, text:
                    case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(words))):
                        if name in keys:
                            docstrings[keys[name]] = " ".join(words.split())
    return docstrings


def _constant(value: Any) -> Any:
    """Return a part of a schema in which an enumeration of one value is that value."""
    if isinstance(value, dict):
        made = {key: _constant(each) for key, each in value.items()}
        if isinstance(only := made.get("enum"), list) and len(only) == 1:
            made["const"] = made.pop("enum")[0]
        return made
    return [_constant(each) for each in value] if isinstance(value, list) else value


GENERATED: Final = Generated(make, owned=tuple(f"{_DIRECTORY}/{kind.__name__}.*" for kind in DOCUMENTS))
