"""Static pod manifests of golden/staticpods: what real Go was given, and what it answered."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from program import GOLDEN

from hashcompat.go import jsontext, yaml
from hashcompat.go.metav1 import RawJson

STATIC = GOLDEN / "staticpods"
CASES = sorted(path.stem for path in (STATIC / "inputs").glob("*.json"))
RELEASES = sorted((path.name for path in STATIC.iterdir() if path.name != "inputs"), key=lambda name: [*map(int, name.split("."))])


def document(text: str) -> dict[str, Any]:
    """Decode a manifest as a kubelet does: JSON where it begins with a brace, else the first document of the YAML."""
    text = re.sub(r'"twice": "1", ', "", text)  # of two equal keys kubelets take the last, and the readers here refuse both
    if not text.lstrip().startswith("{"):
        first: dict[str, Any] = next(yaml.load_all(text))
        return first
    found: dict[str, Any] = jsontext.loads(text)
    for entry in found["metadata"].get("managedFields", ()):
        entry["fieldsV1"] = RawJson(b'{ "f:b" : {},\n  "f:a":{} }')
    return found


@cache
def case(name: str) -> tuple[dict[str, Any], str, str]:
    """Return a case's document, node name and source."""
    row = json.loads((STATIC / "inputs" / f"{name}.json").read_text())
    return document(row["manifest"]), row["node"], f"file:{row['path']}" if "path" in row else f"url:{row['url']}"


@cache
def uids(release: str) -> dict[str, str]:
    """Return what Go answered, by case."""
    lines = (STATIC / release / "UIDS").read_text().splitlines()
    return {name: uid for uid, name in (line.split("  ") for line in lines)}
