"""Check schemas/pods against Kubernetes' own Go source and the compiled oracles, or rewrite its type trees.

Needs Go and its module proxy. Prints `identical` last and exits 0, or the differences and exits 1.
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, TypedDict

import schemas
import staticpods

SCRIPTS = Path(__file__).resolve().parent
PODS = SCRIPTS.parent / "schemas" / "pods"
PLAIN = ("name", "type", "embedded")  # what reflection can see of a field

Tree = dict[str, Any]


class Source(TypedDict):
    """Say where one release's internal types, its v1 types and their modules are."""

    release: str
    internal: str
    wire: str
    time: str
    modules: dict[str, str]


def build(directory: Path) -> Path:
    """Compile the extractor once for all releases."""
    binary = directory / "podtypes"
    subprocess.run(
        ["go", "build", "-buildvcs=false", "-o", str(binary), "."], cwd=SCRIPTS / "podtypes", check=True
    )
    return binary


def extract(binary: Path, source: Source, directory: Path) -> Tree:
    """Run the Go program on one release's packages."""
    modules = {
        name: schemas.download(f"{name}@{version}", directory) for name, version in source["modules"].items()
    }
    flags = [flag for name, where in modules.items() for flag in ("-dir", f"{name}={where}")]
    command = [
        str(binary),
        "-internal",
        source["internal"],
        "-wire",
        source["wire"],
        "-time",
        source["time"],
        *flags,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{source['release']}: {done.stderr.strip()}")
    tree: Tree = json.loads(done.stdout)
    return tree


def groups(trees: dict[str, Tree]) -> dict[str, list[str]]:
    """Gather the releases with equal types, by the minor of the first."""
    found: dict[str, list[str]] = {}
    for release, tree in trees.items():
        if found and trees[next(reversed(found.values()))[0]]["types"] == tree["types"]:
            next(reversed(found.values())).append(release)
        else:
            found[schemas.minor(release)] = [release]
    return found


def made_from(source: Source) -> str:
    """Name the modules that a tree was read from."""
    return ", ".join(f"{name} {version}" for name, version in source["modules"].items())


def documents(sources: dict[str, Source], trees: dict[str, Tree]) -> dict[Path, str]:
    """Write every file of schemas/pods that comes from source, by path."""
    files = {}
    for name, releases in groups(trees).items():
        newest = releases[-1]
        tree = trees[newest]
        head = {
            "package": tree["package"],
            "releases": f"{name}.0 - {schemas.minor(newest)}.x",
            "madeFrom": made_from(sources[newest]),
        }
        value = {**head, "root": tree["root"], "packages": tree["packages"], "types": tree["types"]}
        files[PODS / f"{name}.json"] = schemas.render(value)
    return files


def differences(files: dict[Path, str]) -> list[str]:
    """Give the lines in which the committed trees differ from their source."""
    lines = [f"stale: {path.name}" for path in PODS.glob("1.*.json") if path not in files]
    for path, text in files.items():
        committed = path.read_text(encoding="utf-8") if path.exists() else ""
        lines += difflib.unified_diff(
            committed.splitlines(), text.splitlines(), path.name, "source", lineterm=""
        )
    return lines


def conversion_problems(trees: dict[str, Tree]) -> list[str]:
    """Say which fields have no namesake in v1, or feed none, and are not explained in conversions.json."""
    rows = schemas.load(PODS / "conversions.json")["fields"]
    explained = {(side, row[side]) for row in rows for side in ("internal", "wire") if row[side]}
    found = {("internal", name) for tree in trees.values() for name in tree["unpaired"]}
    found |= {("wire", name) for tree in trees.values() for name in tree["unread"]}
    missing = [f"conversions.json: no row for {side} {name}" for side, name in sorted(found - explained)]
    return missing + [
        f"conversions.json: no such field: {side} {name}" for side, name in sorted(explained - found)
    ]


def as_reflected(tree: Tree) -> Tree:
    """Keep of a tree what reflection prints: types have no json keys once compiled into the internal package."""
    fields = {name: described for name, described in tree["types"].items() if not isinstance(described, str)}
    plain = {
        name: [{key: one[key] for key in PLAIN if key in one} for one in fields[name]] for name in fields
    }
    return {
        "package": tree["package"],
        "root": tree["root"],
        "packages": tree["packages"],
        "types": {**tree["types"], **plain},
    }


def oracle_problems(trees: dict[str, Tree]) -> list[str]:
    """Say which oracle's compiled types are not those that were read from source."""
    wrong = [
        release
        for release in staticpods.oracles()
        if staticpods.types(release) != as_reflected(trees[release])
    ]
    return [f"{release}: the compiled types are other than the source's" for release in wrong]


def main() -> int:
    """Check, or with --write rewrite, and say so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--oracles", action="store_true", help="also compare with the compiled oracles of staticpods.py"
    )
    parser.add_argument("--write", action="store_true", help="rewrite the trees of schemas/pods")
    options = parser.parse_args()
    sources: dict[str, Source] = {
        row["release"]: row for row in schemas.load(SCRIPTS / "podtypes" / "modules.json")
    }
    with tempfile.TemporaryDirectory() as name:
        binary = build(Path(name))
        trees = {release: extract(binary, source, Path(name)) for release, source in sources.items()}
    files = documents(sources, trees)
    if options.write:
        PODS.mkdir(exist_ok=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    problems = (
        differences(files) + conversion_problems(trees) + (oracle_problems(trees) if options.oracles else [])
    )
    print("\n".join(problems) or "identical")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
