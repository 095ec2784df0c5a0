"""Make schemas/types/pod/<minor>.json, the trees of Go types below the internal Pod, from Go modules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from scripts.lib.generated import Generated, relative
from scripts.lib.gotool import download
from scripts.lib.paths import CACHE, CONVERSIONS, POD_TYPES, SCRIPTS
from scripts.lib.program import Program
from scripts.schemas.trees import Tree, load, minor, minors, render

MODULE: Final = SCRIPTS / "schemas" / "podtypes"
PROGRAM: Final = Program(CACHE / "podtypes" / "podtypes", MODULE)


class Source(TypedDict):
    """A row of podtypes/modules.json: where one release's internal types and its v1 types are read."""

    release: str
    internal: str
    wire: str
    time: str
    """Which fields time.Time had in the Go that built the release."""

    modules: dict[str, str]
    """Versions by Go module."""


def programs() -> dict[str, Program]:
    """Describe the one program."""
    return {"podtypes": PROGRAM}


def sources() -> dict[str, Source]:
    """Read the table of sources by release, oldest first."""
    return {row["release"]: row for row in load(MODULE / "modules.json")}


def extract(source: Source) -> Tree:
    """Read one release's packages with Go's own parser."""
    directories = {name: download(f"{name}@{version}") for name, version in source["modules"].items()}
    modules = [flag for name, where in directories.items() for flag in ("-dir", f"{name}={where}")]
    types = ("-internal", source["internal"], "-wire", source["wire"], "-time", source["time"])
    tree: Tree = json.loads(PROGRAM.run(*types, *modules))
    return tree


@cache
def trees() -> Mapping[str, Tree]:
    """Return the tree of every source by release."""
    return {release: extract(source) for release, source in sources().items()}


def make() -> dict[Path, bytes]:
    """Compute every type tree of schemas/types/pod."""
    files = {f"{name}.json": _document(name, releases[-1]) for name, releases in _groups().items()}
    return relative(POD_TYPES, files)


def problems() -> list[str]:
    """Name the fields that have no counterpart on the other side and no row in conversions.json."""
    rows = load(CONVERSIONS)["fields"]
    explained = {(side, row[side]) for row in rows for side in ("internal", "wire") if row[side]}
    fields = {("internal", name) for tree in trees().values() for name in tree["unpaired"]}
    fields |= {("wire", name) for tree in trees().values() for name in tree["unread"]}
    missing = [f"conversions.json: no row for {side} {name}" for side, name in sorted(fields - explained)]
    extra = [f"conversions.json: no such field: {side} {name}" for side, name in sorted(explained - fields)]
    return missing + extra


def _groups() -> dict[str, list[str]]:
    """Gather the releases with equal types, by the minor of the first."""
    groups: list[list[str]] = []
    for release, tree in trees().items():
        if groups and trees()[groups[-1][0]]["types"] == tree["types"]:
            groups[-1].append(release)
        else:
            groups.append([release])
    return {minor(group[0]): group for group in groups}


def _document(name: str, newest: str) -> bytes:
    tree, modules = trees()[newest], sources()[newest]["modules"]
    return render(
        {
            "package": tree["package"],
            "releases": minors(name, minor(newest)),
            "madeFrom": ", ".join(f"{module} {version}" for module, version in modules.items()),
            "root": tree["root"],
            "packages": tree["packages"],
            "types": tree["types"],
        }
    )


GENERATED: Final = Generated(make, owned=("schemas/types/pod/1.*.json",), problems=problems)
