"""Check schemas/types and schemas/changes.json against Kubernetes' own Go source, or rewrite the types.

Needs Go and its module proxy. Prints `identical` last and exits 0, or the differences and exits 1.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCRIPTS = Path(__file__).resolve().parent
SCHEMAS = SCRIPTS.parent / "schemas"

Field = dict[str, Any]
Types = dict[str, Any]  # a struct is a list of fields, any other type the text of its underlying type
Change = tuple[str, str, str, str]  # release, type, field, what happened


class Source(TypedDict):
    """Say where one release's types are read; with `madeFrom` the row makes the schema file of its minor.

    `codecs` says which code decodes and prints types of other packages where it is not the newest one.
    """

    release: str
    module: str
    file: str
    madeFrom: NotRequired[str]
    codecs: NotRequired[dict[str, str]]


def load(path: Path) -> Any:
    """Read one JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def schema_names() -> dict[str, str]:
    """Map each minor to the name of its schema, in the order of the releases."""
    return {row["minor"]: row["types"] for row in load(SCHEMAS / "releases.json")["releases"]}


def build(directory: Path) -> Path:
    """Compile the extractor once, because `go run` would link it again for every release."""
    binary = directory / "schemas"
    subprocess.run(
        ["go", "build", "-buildvcs=false", "-o", str(binary), "."], cwd=SCRIPTS / "schemas", check=True
    )
    return binary


def download(module: str, directory: Path) -> Path:
    """Fetch one Go module into the module cache, outside any other module so that no go.mod has a say."""
    command = ["go", "mod", "download", "-json", module]
    environment = {**os.environ, "GOFLAGS": "", "GOWORK": "off"}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    answer = json.loads(done.stdout or "{}")
    if done.returncode or answer.get("Error"):
        raise SystemExit(f"{module}: {answer.get('Error') or done.stderr.strip()}")
    return Path(answer["Dir"])


def extract(binary: Path, source: Source, directory: Path) -> dict[str, Any]:
    """Run the Go program on one release's types.go."""
    path = download(source["module"], directory) / source["file"]
    done = subprocess.run([str(binary), "-file", str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{source['release']}: {done.stderr.strip()}")
    if done.stderr:
        print(f"{source['release']}: {done.stderr.strip()}")
    tree: dict[str, Any] = json.loads(done.stdout)
    return tree


def minor(release: str) -> str:
    """Cut a release down to its minor: 1.9.11 -> 1.9."""
    return ".".join(release.split(".")[:2])


def document(tree: dict[str, Any], schema: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Add what source cannot say: which releases share the tree, where it came from, and the codecs of foreign types."""
    last = [name for name, types in schema_names().items() if types == schema][-1]
    head = {
        "package": tree["package"],
        "releases": f"{schema}.0 - {last}.x",
        "madeFrom": facts.get("madeFrom", ""),
    }
    codecs = {"codecs": facts["codecs"]} if "codecs" in facts else {}
    return {**head, "root": tree["root"], **codecs, "types": tree["types"]}


def render(value: dict[str, Any]) -> str:
    """Write a schema with one field a line, so that `diff` of two releases shows fields."""
    head = [f" {json.dumps(key)}: {json.dumps(item)},\n" for key, item in value.items() if key != "types"]
    types = ",\n".join(render_type(name, value["types"][name]) for name in sorted(value["types"]))
    return "{\n" + "".join(head) + ' "types": {\n' + types + "\n }\n}\n"


def render_type(name: str, described: str | list[Field]) -> str:
    """Write one entry of `types`."""
    if isinstance(described, str):
        return f"  {json.dumps(name)}: {json.dumps(described)}"
    fields = ",\n".join(f"   {json.dumps(field)}" for field in described)
    return f"  {json.dumps(name)}: [\n{fields}\n  ]"


def compare(source: Source, tree: dict[str, Any], *, write: bool) -> list[str]:
    """Give the lines in which the committed schema of a release differs from its source."""
    schema = schema_names()[minor(source["release"])]
    path = SCHEMAS / "types" / f"{schema}.json"
    committed = path.read_text(encoding="utf-8") if path.exists() else ""
    facts = source if "madeFrom" in source or not committed else json.loads(committed)
    text = render(document(tree, schema, facts))
    if write and "madeFrom" in source:
        path.write_text(text, encoding="utf-8")
        committed = text
    names = str(path.relative_to(SCHEMAS.parent)), f"{source['release']} {source['module']}"
    return list(difflib.unified_diff(committed.splitlines(), text.splitlines(), *names, lineterm=""))


def ancestor(name: str, old: Types, new: Types) -> str | None:
    """Find the struct that a struct continues: itself, or a vanished one whose fields it begins with (1.23's Handler)."""
    if name in old:
        return name
    vanished = [other for other in old if other not in new and isinstance(old[other], list)]
    return next((other for other in vanished if new[name][: len(old[other])] == old[other]), None)


def field_changes(before: list[Field], after: list[Field]) -> Iterator[tuple[str, str]]:
    """Yield (field, change) for two versions of one struct; whole new types come with the field that names them."""
    old, new = ({field["name"]: field for field in fields} for fields in (before, after))
    gone = [name for name in old if name not in new]
    for name, field in new.items():
        if name not in old:
            embedded = field.get("embedded") and any(old[other].get("embedded") for other in gone)
            yield name, "renamed" if embedded else "added"
            gone = [] if embedded else gone
        elif field["type"] != old[name]["type"]:
            yield name, "retyped"
        elif field != old[name]:
            yield name, "retagged"
    yield from ((name, "removed") for name in gone)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield "", "reordered"


def tree_changes() -> Iterator[Change]:
    """Diff each schema with the one before it."""
    schemas = list(dict.fromkeys(schema_names().values()))
    trees: list[Types] = [load(SCHEMAS / "types" / f"{name}.json")["types"] for name in schemas]
    for release, old, new in zip(schemas[1:], trees, trees[1:], strict=False):
        for name, fields in new.items():
            origin = ancestor(name, old, new) if isinstance(fields, list) else None
            if origin:
                yield from ((release, name, *change) for change in field_changes(old[origin], fields))
            elif name in old and old[name] != fields:
                yield release, name, "", "retyped"


def changes_problems() -> list[str]:
    """Say where changes.json and the trees disagree about what changed in which release."""
    rows = load(SCHEMAS / "changes.json")["fields"]
    listed = [(row["release"], row["type"], row["field"], row["change"]) for row in rows]
    found = list(tree_changes())
    extra = [f"changes.json: not in the trees: {row}" for row in listed if row not in found]
    return extra + [f"changes.json: missing: {row}" for row in found if row not in listed]


def main() -> int:
    """Check, or with --write rewrite, and say so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--every-minor", action="store_true", help="also check each minor's .0 and newest patch release"
    )
    parser.add_argument("--write", action="store_true", help="rewrite schemas/types from the sources")
    options = parser.parse_args()
    sources: list[Source] = load(SCRIPTS / "schemas" / "modules.json")
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        binary = build(Path(name))
        for source in sources:
            if "madeFrom" in source or options.every_minor:
                problems += compare(source, extract(binary, source, Path(name)), write=options.write)
    problems += changes_problems()
    print("\n".join(problems) or "identical")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
