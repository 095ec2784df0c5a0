"""The schemas of documents are made of their structs, and refuse what they refused when written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from hashcompat.core.model.results import Object, key
from hashcompat.output.report.model import document
from scripts.schemas.documents import DOCUMENTS, descriptions, make
from tests.helpers.program import ROOT

FOLDER = ROOT / "schemas" / "documents"
SCHEMAS: dict[str, Any] = {
    kind.__name__: json.loads((FOLDER / f"{kind.__name__}.schema.json").read_text()) for kind in DOCUMENTS
}
"""Those that ship, which are those of the structs."""
ACCEPTED = [
    line.partition(":")[::2] for line in Path(__file__).with_name("accepted.txt").read_text().splitlines()
]
"""Which of VALUES the schemas accepted in each place of a document, as long as they were written by hand."""
GENERATED_FROM_THE_START = ("FleetReport", "RolloutState", "PageList")
VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "-1": -1,
    "1.5": 1.5,
    "2^32": 2**32,
    "empty": "",
    "x": "x",
    "1.2": "1.2",
    "[]": [],
    "{}": {},
    '["x"]': ["x"],
    '{"x":1}': {"x": 1},
}


def part(schema: dict[str, Any], name: str, whole: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says about one key, or about the elements of a list."""
    while "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    for other in schema.get("anyOf", ()):
        try:
            return part(other, name, whole)
        except LookupError:
            continue  # null
    if name in schema.get("properties", ()):
        return dict(schema["properties"][name])
    return dict(schema["items" if name == "0" else "additionalProperties"] or {})


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
def test_a_schema_accepts_just_what_it_accepted(kind: str) -> None:
    wrong, checked = [], 0
    for place, values in ACCEPTED:
        name, *path = place.split("/")
        if name == kind:
            schema = SCHEMAS[kind]
            for step in path:
                schema = part(schema, step, SCHEMAS[kind])
            validator = Draft202012Validator({**schema, "$defs": SCHEMAS[kind].get("$defs", {})})
            accepted = [value for value in VALUES if validator.is_valid(VALUES[value])]
            checked += 1
            if accepted != values.split():
                wrong.append((place, accepted, values.split()))
    assert wrong == []
    assert checked >= 5 or kind in GENERATED_FROM_THE_START


def test_the_schemas_are_those_of_the_structs() -> None:
    made = make()
    assert {path: (ROOT / path).read_bytes() for path in made} == made
    assert {path.name.partition(".")[0] for path in made} == set(SCHEMAS)


def test_every_struct_of_a_document_is_closed() -> None:
    assert [kind for kind in DOCUMENTS if not kind.__struct_config__.forbid_unknown_fields] == []


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("node", "node"),
        ("from_", "from"),
        ("started_at", "startedAt"),
        ("container_id", "containerID"),
        ("cluster_uid", "clusterUID"),
        ("uid", "uid"),
        ("id", "id"),
    ],
)
def test_the_key_of_a_field(field: str, name: str) -> None:
    assert key(field) == name


class Example(Object, frozen=True):
    """A part of a document."""

    first_id: int
    """What it is,
    in two lines."""
    other: str


class Inherited(Example, frozen=True):
    """Another one."""

    last: str
    """The last."""


def test_what_is_written_below_a_field_describes_it_also_where_it_is_inherited() -> None:
    assert descriptions(Inherited) == {"firstID": "What it is, in two lines.", "last": "The last."}


def test_a_document_has_the_keys_of_its_struct_in_their_order_and_no_others() -> None:
    class Two(msgspec.Struct, rename=key):
        api_version: str
        kind: str
        is_last: tuple[int, ...]
        from_: Example | None

    made = document(Two, from_=Example(1, "o"), is_last=(1,))
    assert json.dumps(made) == json.dumps(
        {"apiVersion": "hashcompat.io/v1", "kind": "Two", "isLast": [1], "from": {"firstID": 1, "other": "o"}}
    )
    with pytest.raises(TypeError, match="Two has no odd"):
        document(Two, odd=1)
