"""Module files of Go programs that are built once a release: rows of scripts/modules.json.

python -m scripts.modules write golden/containers 1.36        # writes one below .cache, and prints its place
python -m scripts.modules copy golden/containers 1.37 1.38    # begins a new one with what another says
python -m scripts.modules take golden/containers 1.38         # reads it into the table, and its checksums

Between the last two, set versions in the file and complete it, in the directory of the program:
go build -mod=mod -modfile=FILE -o /dev/null .
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scripts.lib import gomodules, gotool
from scripts.lib.commandline import Parser, failed
from scripts.lib.gomodules import SUMS, TABLE
from scripts.lib.gotool import GoError
from scripts.lib.paths import SCRIPTS

_KNOWN: Final = ("Module", "Go", "Require", "Replace")
"""What a row has of a module file, by its keys in ``go mod edit -json``."""


def taken(modfile: Path) -> dict[str, Any]:
    """Return a module file as a row.

    Raises:
        GoError: it is no module file, or says what a row cannot.
    """
    environ = gotool.environment(gotool.NEWEST, GOFLAGS="")
    printed = gotool.run("go", "mod", "edit", "-json", str(modfile), directory=SCRIPTS, environ=environ)
    given = json.loads(printed)
    unknown = sorted(key for key, value in given.items() if value and key not in _KNOWN)
    if unknown:
        raise GoError(f"{modfile}: a row has no {', '.join(unknown)}")
    required = given["Require"] or []
    return {
        "module": given["Module"]["Path"],
        "go": given["Go"],
        "require": {
            requirement["Path"]: requirement["Version"]
            for requirement in required
            if not requirement.get("Indirect")
        },
        "indirect": {
            requirement["Path"]: requirement["Version"]
            for requirement in required
            if requirement.get("Indirect")
        },
        "replace": {
            replacement["Old"]["Path"]: _replacement(replacement) for replacement in given["Replace"] or []
        },
    }


def _replacement(given: Mapping[str, Any]) -> str:
    old, new = given["Old"], given["New"]
    if "Version" in old:
        raise GoError(f"a row replaces every version of {old['Path']}, not {old['Version']} alone")
    if "Version" not in new:
        return str(new["Path"])
    return str(new["Version"] if new["Path"] == old["Path"] else f"{new['Path']} {new['Version']}")


def save(program: str, name: str, row: Mapping[str, Any], sums: str) -> None:
    """Put a row into the table, and add checksums."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    table.setdefault(program, {})[name] = {key: value for key, value in row.items() if value}
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    every = {*SUMS.read_text(encoding="utf-8").splitlines(), *sums.splitlines()}
    SUMS.write_text("".join(f"{line}\n" for line in sorted(every)), encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Write, copy or take one."""
    parser = Parser(
        prog="modules.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command, names in {"write": ["name"], "copy": ["name", "new"], "take": ["name"]}.items():
        added = commands.add_parser(command)
        for name in ("program", *names):
            added.add_argument(name)
    given = parser.parse_args(argv)
    try:
        print(_done(given))
    except GoError as error:
        return failed(parser.prog, error)
    return 0


def _done(given: argparse.Namespace) -> Path:
    module = SCRIPTS / given.program
    if given.command == "take":
        place = gomodules.place(module, given.name)
        save(given.program, given.name, taken(place), place.with_suffix(".sum").read_text(encoding="utf-8"))
        return TABLE
    place = gomodules.write(module, given.name)
    if given.command == "write":
        return place
    new = gomodules.place(module, given.new)
    for suffix in (".mod", ".sum"):
        shutil.copyfile(place.with_suffix(suffix), new.with_suffix(suffix))
    return new


if __name__ == "__main__":
    sys.exit(main())
