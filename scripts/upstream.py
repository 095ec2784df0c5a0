"""Name what Kubernetes has published that the release data lack; the project's weekly job runs it.

It asks the Go module proxy for patch releases and minors, and reads the newest source of each minor that
upstream.json names: a function whose text changed there may do something that no rule knows.

    python scripts/upstream.py             # print what is missing
    python scripts/upstream.py --accept    # save the checksums of the functions as they are now
    python scripts/upstream.py --take 1.38.0   # take a release into the data, and print what is to be read

Exit codes: 0 nothing is missing; 1 the proxy could not be asked; 2 something is missing; 64 usage error.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

if not __package__:  # run as a file: modules are found from the root of the repository, not from scripts/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from scripts import taking
from scripts.lib import commandline
from scripts.lib.commandline import Parser
from scripts.lib.gotool import NEWEST, GoError, download, environment, run
from scripts.lib.paths import RELEASES, SCRIPTS
from scripts.schemas.trees import load

WATCHED: Final = SCRIPTS / "upstream.json"
API: Final = "k8s.io/api"
"""The module that upstream publishes for every release since 1.17, as v0.MINOR.PATCH."""
SOURCE: Final = "k8s.io/kubernetes"
_STABLE: Final = re.compile(r"v0\.(\d+)\.(\d+)")
_FIRST_MINOR: Final = 17


def published(versions: Iterable[str]) -> dict[str, list[int]]:
    """Return the patch releases of each minor among versions of k8s.io/api, without pre-releases."""
    releases: dict[str, list[int]] = {}
    for match in filter(None, map(_STABLE.fullmatch, versions)):
        if int(match[1]) >= _FIRST_MINOR:
            releases.setdefault(f"1.{match[1]}", []).append(int(match[2]))
    return {minor: sorted(patches) for minor, patches in releases.items()}


def unknown_releases(
    known: Iterable[Mapping[str, Any]], releases: Mapping[str, Sequence[int]]
) -> Iterator[str]:
    """Name the minors and patch releases that are published and in no row of releases.json."""
    patches = {row["minor"]: set(map(int, row["patches"])) for row in known}
    for minor, there in releases.items():
        if minor not in patches:
            yield f"{minor} is out, and releases.json has no row for it"
        elif missing := [patch for patch in there if patch not in patches[minor]]:
            yield f"releases.json lacks {', '.join(f'{minor}.{patch}' for patch in missing)}"


def function_text(source: str, name: str) -> str:
    """Return a function's or method's text, from ``func`` to its closing brace; empty where there is none."""
    match = re.search(
        rf"^func (?:\([^)]*\) )?{re.escape(name)}[\[(].*?^}}$", source, re.MULTILINE | re.DOTALL
    )
    return match[0] if match else ""


def checksums(directory: Path, functions: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the SHA-256 of each function in a tree of Kubernetes' source; ``gone`` where there is none."""
    sums = {}
    for row in functions:
        path = directory / row["file"]
        text = function_text(path.read_text(encoding="utf-8"), row["name"]) if path.exists() else ""
        sums[f"{row['file']} {row['name']}"] = hashlib.sha256(text.encode()).hexdigest() if text else "gone"
    return sums


def newest_source(minor: str, patches: Sequence[int]) -> tuple[str, Path]:
    """Return the newest release of a minor whose source the proxy has, and where it is.

    Raises:
        GoError: it has none.
    """
    problems = []
    for patch in reversed(patches):
        try:
            return f"{minor}.{patch}", download(f"{SOURCE}@v{minor}.{patch}")
        except GoError as error:
            problems.append(str(error))
    raise GoError("\n".join(problems))


def changed_functions(read: Mapping[str, Any], release: str, now: Mapping[str, str]) -> Iterator[str]:
    """Name the functions of a minor whose text is not the one that was read."""
    for name, checksum in now.items():
        if read["sha256"].get(name) != checksum:
            yield f"{name} changed between {read['release']} and {release}: read it, then run --accept"


def api_versions() -> list[str]:
    """Ask the proxy which versions of k8s.io/api there are; GoError where it cannot be asked."""
    with tempfile.TemporaryDirectory() as directory:
        listed = run(
            "go", "list", "-m", "-versions", API, directory=Path(directory), environ=environment(NEWEST)
        )
    return listed.split()[1:]


def to_read(watched: Mapping[str, Any], version: str, directory: Path) -> Iterator[str]:
    """Name the functions of a release that are not those read in its minor, or else in the newest one."""
    minor = version.rpartition(".")[0]
    read = watched["read"].get(minor) or list(watched["read"].values())[-1]
    for name, checksum in checksums(directory, watched["functions"]).items():
        if read["sha256"].get(name) != checksum:
            gone = " (gone)" if checksum == "gone" else ""
            yield f"{name.replace(' ', ': ')}{gone}, as it was in {read['release']}"


def _take(parser: Parser, version: str, watched: Mapping[str, Any]) -> int:
    """Take a release into the data; exit with 2 where a person has to read or to write something."""
    is_new = version.rpartition(".")[0] not in {row["minor"] for row in load(RELEASES)["releases"]}
    try:
        names = taking.take(version)
    except ValueError as error:
        parser.error(str(error))
    except GoError as error:
        return commandline.failed(parser.prog, error)
    print(*taking.make(names), sep="\n")
    left = [*taking.by_hand(is_new=is_new)]
    try:
        left += to_read(watched, version, download(f"{SOURCE}@v{version}"))
    except GoError as error:
        left.append(f"every function of upstream.json: {error}")
    print(*(f"To do: {line}" for line in left) if left else ["nothing is left to read"], sep="\n")
    return commandline.DIFFERENT if left else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Print what is missing, or accept what was read."""
    parser = Parser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="save the checksums of the functions")
    parser.add_argument("--take", metavar="VERSION", help="take a release into the data")
    given = parser.parse_args(argv)
    watched = load(WATCHED)
    if given.take:
        return _take(parser, given.take, watched)
    try:
        releases = published(api_versions())
        now = {minor: newest_source(minor, releases[minor]) for minor in watched["read"]}
    except GoError as error:
        return commandline.failed(parser.prog, error)
    sums = {minor: checksums(path, watched["functions"]) for minor, (_, path) in now.items()}
    if given.accept:
        watched["read"] = {minor: {"release": now[minor][0], "sha256": sums[minor]} for minor in sums}
        WATCHED.write_text(json.dumps(watched, indent=1) + "\n", encoding="utf-8")
        return 0
    missing = list(unknown_releases(load(RELEASES)["releases"], releases))
    for minor, read in watched["read"].items():
        missing += changed_functions(read, now[minor][0], sums[minor])
    print(*missing or ["nothing is missing"], sep="\n")
    return commandline.DIFFERENT if missing else 0


if __name__ == "__main__":
    sys.exit(main())
