"""Take a release of Kubernetes into the data: the rows that name it, and what is then made by them.

``scripts/upstream.py --take VERSION`` calls this. A patch release gets its number and day, and its minor's
newest row of modules; a minor gets a row in every list of modules, which begins as the row before it does.
What no program makes is printed: the functions that a person must read, and the hand-written tables.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scripts.lib.gotool import NEWEST, GoError, download, environment, run
from scripts.lib.paths import RELEASES, ROOT, SCRIPTS
from scripts.schemas.trees import load

_VERSION: Final = re.compile(r"1\.(\d+)\.(\d+)")
_LISTS: Final = tuple(
    SCRIPTS / "schemas" / name / "modules.json" for name in ("podtypes", "featuregates", "kubeletflags")
)
"""The lists of modules with a row a minor, besides that of the types of containers."""
_TYPES: Final = SCRIPTS / "schemas" / "containertypes" / "modules.json"
_MADE: Final = {
    False: ("containertypes", "docs"),
    True: ("containertypes", "podtypes", "featuregates", "kubeletflags", "documents", "docs"),
}
"""What is made again, by whether the minor is new."""
_BY_HAND: Final = (
    "hazards.json, kubeletvalues.json, behaviour.json: a row for each function below that does otherwise",
    "defaults.json, conversions.json: compare pkg/apis/core/v1/defaults.go and conversion.go with the last",
    "scripts/modules.json and scripts/golden/*/releases.json: a row for each program (scripts/README.md)",
)
"""What of a new minor no program makes."""


def published_on(version: str) -> str:
    """Return the day on which a release was published, as the module proxy dates k8s.io/api.

    Raises GoError where it has none.
    """
    module = f"k8s.io/api@v0.{version.removeprefix('1.')}"
    with tempfile.TemporaryDirectory() as directory:
        listed = run(
            "go", "list", "-m", "-json", module, directory=Path(directory), environ=environment(NEWEST)
        )
    return str(json.loads(listed)["Time"])[:10]


def with_patch(text: str, minor: str, patch: str, day: str) -> str:
    """Return releases.json with one more patch release of a minor; all else stays as it is written."""
    begin = text.index(f'{{"minor": "{minor}"')
    end = text.index("}}", begin)
    last = text.rindex('"', begin, end) + 1
    return f'{text[:last]}, "{patch}": "{day}"{text[last:]}'


def with_minor(text: str, row: Mapping[str, Any]) -> str:
    """Return releases.json with one more minor, in the form of the others."""
    lead = ", ".join(f"{json.dumps(key)}: {json.dumps(row[key])}" for key in ("minor", "types", "era", "go"))
    patches = ", ".join(f"{json.dumps(key)}: {json.dumps(day)}" for key, day in row["patches"].items())
    end = text.rindex("\n ]")
    return f'{text[:end]},\n  {{{lead},\n   "patches": {{\n    {patches}\n   }}}}{text[end:]}'


def with_row(text: str, row: Mapping[str, Any]) -> str:
    """Return a list of modules, a row a line, with one more."""
    end = text.rindex("\n]")
    return f"{text[:end]},\n {json.dumps(row)}{text[end:]}"


def with_types(text: str, version: str, *, is_new: bool) -> str:
    """Return the list of the modules of containers' types with a release as the newest of its minor."""
    module = f"k8s.io/api@v0.{version.removeprefix('1.')}"
    row = {"release": version, "module": module, "file": "core/v1/types.go"}
    if is_new:
        return with_row(text, row)
    minor = re.escape(version.rpartition(".")[0])
    lines = text.splitlines(keepends=True)
    at = max(number for number, line in enumerate(lines) if re.search(rf'"release": "{minor}\.\d+"', line))
    old = json.loads(lines[at].strip().rstrip(","))["release"]
    api = old.removeprefix("1.")
    lines[at] = (
        lines[at].replace(f'"{old}"', f'"{version}"').replace(f"@v0.{api}", module.partition("api")[2])
    )
    lines[at] = lines[at].replace(f"kubernetes-{old}", f"kubernetes-{version}")
    return "".join(lines)


def row_after(row: Mapping[str, Any], version: str, required: Mapping[str, str]) -> dict[str, Any]:
    """Return the row of modules of a new minor: the one before with its versions, and those of go.mod."""
    staging = f"v0.{version.removeprefix('1.')}"
    modules = {
        name: f"v{version}"
        if name == "k8s.io/kubernetes"
        else required.get(name, staging)
        if not name.startswith("k8s.io/") or name.startswith("k8s.io/klog")
        else staging
        for name in row["modules"]
    }
    since = {"since": version.rpartition(".")[0]} if "since" in row else {}
    return {**row, **since, "release": version, "modules": modules}


def requirements(source: Path) -> dict[str, str]:
    """Return the modules that a tree's go.mod requires, with their versions."""
    text = (source / "go.mod").read_text(encoding="utf-8")
    return dict(re.findall(r"^\s*(?:require )?(\S+/\S+) (v\S+)", text, re.MULTILINE))


def take(version: str) -> list[str]:
    """Write the rows of a release, and return the names of what is to be made again.

    Raises GoError where the proxy lacks it, and ValueError for one that is known or no release.
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is no release; want 1.MINOR.PATCH")
    minor, patch = f"1.{match[1]}", match[2]
    rows = load(RELEASES)["releases"]
    known = next((row for row in rows if row["minor"] == minor), None)
    if known is not None and patch in known["patches"]:
        raise ValueError(f"{version} is known already")
    day, text = published_on(version), RELEASES.read_text(encoding="utf-8")
    if known is not None:
        changed = {RELEASES: with_patch(text, minor, patch, day)}
    else:
        source = download(f"k8s.io/kubernetes@v{version}")
        changed = dict(_new_minor(text, rows[-1], version, day, source))
    types = _TYPES.read_text(encoding="utf-8")
    changed[_TYPES] = with_types(types, version, is_new=known is None)
    for path, content in changed.items():
        path.write_text(content, encoding="utf-8")
    return list(_MADE[known is None])


def _new_minor(
    text: str, newest: Mapping[str, Any], version: str, day: str, source: Path
) -> Iterator[tuple[Path, str]]:
    go = (source / ".go-version").read_text(encoding="utf-8").strip().rpartition(".")[0]
    built = [{"releases": f">={version}", "go": go}]
    minor, _, patch = version.rpartition(".")
    row = {
        "minor": minor,
        "types": newest["types"],
        "era": newest["era"],
        "go": built,
        "patches": {patch: day},
    }
    yield RELEASES, with_minor(text, row)
    for path in _LISTS:
        listed = path.read_text(encoding="utf-8")
        yield path, with_row(listed, row_after(load(path)[-1], version, requirements(source)))


def make(names: Sequence[str]) -> Iterator[str]:
    """Make what the release data make; yield what each printed, or why it could not be made."""
    for name in names:
        command = (sys.executable, str(SCRIPTS / "regenerate.py"), name)
        try:
            yield run(*command, directory=ROOT, environ=environment(NEWEST)).strip()
        except GoError as error:
            yield f"{name}: {error}"


def by_hand(*, is_new: bool) -> Sequence[str]:
    """Return what of a release no program makes."""
    return _BY_HAND if is_new else ()
