"""``releases --add`` reads a types.go as Go's own parser read schemas/types/container."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hashcompat.core.catalog import files
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.sources.upstream import container_types
from scripts.lib.gotool import download
from scripts.schemas import containertypes
from tests.helpers import slices
from tests.helpers.program import ROOT, Run

pytestmark = pytest.mark.oracle

MISSPELT = {"1.12.0", "1.12.1"}
"""Releases with ``omitEmpty`` in ProcMount's tag, the one difference that the trees ignore."""
SOURCES = [
    row
    for row in containertypes.sources()
    if row["file"] == "core/v1/types.go" and row["release"] not in MISSPELT
]


@pytest.mark.parametrize(
    "source", slices.sliced(SOURCES, SOURCES[-1:]), ids=[row["release"] for row in SOURCES]
)
def test_a_types_go_gives_the_tree_of_its_release(source: containertypes.Source) -> None:
    path = download(source["module"]) / source["file"]
    tree = default_catalog().kubelet(source["release"]).schema.tree
    assert container_types(path.read_bytes(), str(path)) == tree["types"]


def test_the_newest_ones_are_among_them() -> None:
    assert {"1.33", "1.34"} <= {row["release"].rpartition(".")[0] for row in SOURCES}


@pytest.fixture
def of_1_33(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the program one that knows nothing newer than 1.33; return the directory of the user's data."""
    cut = tmp_path / "schemas"
    shutil.copytree(ROOT / "schemas", cut)
    rows = json.loads((cut / "tables" / "releases.json").read_text())
    rows["releases"] = [row for row in rows["releases"] if int(row["minor"].partition(".")[2]) <= 33]
    (cut / "tables" / "releases.json").write_text(json.dumps(rows))
    monkeypatch.setattr(files, "default_directory", lambda: cut)
    monkeypatch.setenv("HASHCOMPAT_DATA", str(tmp_path / "data"))
    default_catalog.cache_clear()
    yield tmp_path / "data" / "releases"
    default_catalog.cache_clear()


def test_1_34_is_derived_from_1_33_and_its_types_go(run: Run, of_1_33: Path) -> None:
    source = next(row for row in SOURCES if row["release"].startswith("1.34."))
    release = source["release"]
    container = {"name": "c", "image": "i", "command": ["x"]}
    given = json.dumps(
        {"kind": "Pod", "metadata": {"uid": "u", "name": "p"}, "spec": {"containers": [container]}}
    ).encode()
    hashing = ("hash", "--kubelet", release, "-f", "-", "-o", "json")
    assert run(*hashing, stdin=given).code == 64
    added = run(
        "releases",
        "--add",
        f"v{release}",
        "--types",
        download(source["module"]) / source["file"],
        "-o",
        "json",
    )
    assert added.code == 0, added.err
    assert ("Container", "RestartPolicyRules") in {
        (row["type"], row["field"]) for row in added.document["types"]
    }
    shipped = Catalog(ROOT / "schemas").kubelet(release)
    assert json.loads((of_1_33 / "1.34.json").read_text())["types"] == shipped.schema.tree["types"]
    default_catalog.cache_clear()  # as a new process
    assert run("releases", "-o", "json").items[-1]["userAdded"] is True
    (row,) = run(*hashing, stdin=given).items
    assert row["hashes"][release]["hash"] == container_hash(container, shipped).value
