"""What ``releases --add`` reads of a types.go is what Go's own parser read: the trees in schemas/types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import schemas
from hashcompat.catalog.lookup import default_catalog
from hashcompat.sources.gotypes import container_types

pytestmark = pytest.mark.oracle

MODULES: list[dict[str, Any]] = json.loads((Path(schemas.__file__).parent / "schemas" / "modules.json").read_text())
MISSPELT = {"1.12.0", "1.12.1"}
"""They spell an option of ProcMount's tag ``omitEmpty``: the one difference that the trees ignore (schemas/README.md)."""
SOURCES = [row for row in MODULES if row["file"] == "core/v1/types.go" and row["release"] not in MISSPELT]


@pytest.mark.parametrize("source", SOURCES, ids=[row["release"] for row in SOURCES])
def test_a_types_go_gives_the_tree_of_its_release(source: dict[str, Any], tmp_path: Path) -> None:
    path = schemas.download(source["module"], tmp_path) / source["file"]
    tree = default_catalog().kubelet(source["release"]).schema.tree
    assert container_types(path.read_bytes(), str(path)) == tree["types"]


def test_the_newest_ones_are_among_them() -> None:
    assert {"1.33", "1.34"} <= {row["release"].rpartition(".")[0] for row in SOURCES}
