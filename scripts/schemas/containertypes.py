"""Make schemas/types/container, the Go types below v1.Container, from Kubernetes' Go modules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict

from scripts.lib.generated import Generated, relative
from scripts.lib.gotool import download
from scripts.lib.paths import CACHE, CHANGES, CONTAINER_TYPES, RELEASES, SCRIPTS
from scripts.lib.program import Program
from scripts.schemas import changes
from scripts.schemas.trees import Tree, load, minor, minors, render

MODULE: Final = SCRIPTS / "schemas" / "containertypes"
PROGRAM: Final = Program(CACHE / "containertypes" / "containertypes", MODULE)


class Source(TypedDict):
    """A row of containertypes/modules.json: where one release's types are read."""

    release: str
    module: str
    file: str
    madeFrom: NotRequired[str]
    """What the file of its minor says it was made from; a row without it is only compared with the file."""

    codecs: NotRequired[dict[str, str]]
    """Which code decodes and prints types of other packages, where it is not the newest one."""


def programs() -> dict[str, Program]:
    """Describe the one program."""
    return {"containertypes": PROGRAM}


def sources() -> list[Source]:
    """Read the table of sources, oldest first."""
    rows: list[Source] = load(MODULE / "modules.json")
    return rows


def extract(source: Source) -> Tree:
    """Read one release's types.go with Go's own parser."""
    path = download(source["module"]) / source["file"]
    tree: Tree = json.loads(PROGRAM.run("-file", str(path)))
    return tree


def make() -> dict[Path, bytes]:
    """Compute every file of schemas/types/container but that of 1.0, whose source no Go module has."""
    made = [source for source in sources() if "madeFrom" in source]
    files = {
        f"{_schema(source)}.json": _document(extract(source), _schema(source), source) for source in made
    }
    return relative(CONTAINER_TYPES, files)


def problems() -> list[str]:
    """Name the releases whose types are not those of their schema, and what changes.json misses."""
    names = dict.fromkeys(_schema_names().values())
    trees = {name: load(CONTAINER_TYPES / f"{name}.json") for name in names}
    other = [
        f"{source['release']}: {source['module']} has other types than "
        f"schemas/types/container/{_schema(source)}.json"
        for source in sources()
        if "madeFrom" not in source and not _alike(extract(source), trees[_schema(source)])
    ]
    types = {name: tree["types"] for name, tree in trees.items()}
    return [*other, *changes.problems(types, load(CHANGES)["fields"])]


def _alike(tree: Tree, other: Tree) -> bool:
    return all(tree[key] == other[key] for key in ("package", "root", "types"))


def _schema_names() -> dict[str, str]:
    """Map each minor to the name of its schema, in the order of the releases."""
    return {row["minor"]: row["types"] for row in load(RELEASES)["releases"]}


def _schema(source: Source) -> str:
    return _schema_names()[minor(source["release"])]


def _document(tree: Tree, schema: str, facts: Mapping[str, Any]) -> bytes:
    """Add what source cannot say: the releases that share the tree, its source, codecs of foreign types."""
    last = [name for name, types in _schema_names().items() if types == schema][-1]
    head = {
        "package": tree["package"],
        "releases": minors(schema, last),
        "madeFrom": facts["madeFrom"],
        "root": tree["root"],
    }
    codecs = {"codecs": facts["codecs"]} if "codecs" in facts else {}
    return render({**head, **codecs, "types": tree["types"]})


GENERATED: Final = Generated(make, owned=("schemas/types/container/1.[1-9]*.json",), problems=problems)
