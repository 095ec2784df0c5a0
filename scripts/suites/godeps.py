"""Write the Go module of a release that has none, from the revisions that its Godeps/Godeps.json pins.

A module proxy is asked for versions, and one without a tag has the time of its revision in it. godeps.txt has
the versions of these revisions, as go.mod files of later years name them, and several of one module where
releases pin several; godeps.sum their checksums, some of which the checksum database lacks.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scripts.lib.paths import SCRIPTS

_VERSIONS: Final = SCRIPTS / "suites" / "godeps.txt"
_SUMS: Final = SCRIPTS / "suites" / "godeps.sum"
_STAGING: Final = Path("staging/src/k8s.io")
UNPUBLISHED: Final = "v0.0.0"
"""The version of a module that is made here."""
_REVISION: Final = 12
"""So many digits of a revision end a version without a tag."""


def known() -> list[tuple[str, str]]:
    """Return the modules that godeps.txt lists, each with a version of it."""
    lines = _VERSIONS.read_text(encoding="utf-8").splitlines()
    return [(module, version) for module, version in map(str.split, lines)]


def pinned(source: Path) -> dict[str, str]:
    """Return the versions of modules that the release with this source pins, where godeps.txt has them."""
    deps = json.loads((source / "Godeps" / "Godeps.json").read_text(encoding="utf-8"))["Deps"]
    return {
        module: version
        for module, version in known()
        if any(_belongs(module, dep["ImportPath"]) and _is_of(version, dep) for dep in deps)
    }


def _belongs(module: str, package: str) -> bool:
    return f"{package}/".startswith(f"{module}/")


def _is_of(version: str, dep: Mapping[str, Any]) -> bool:
    """Return whether a version is the revision that is pinned, or that revision's tag."""
    tag = version.removesuffix("+incompatible")
    return tag.endswith(f"-{dep['Rev'][:_REVISION]}") or tag.lstrip("v") == dep.get("Comment", "").lstrip("v")


def write(source: Path, module: Path) -> None:
    """Write go.mod and go.sum, and as further modules what Kubernetes publishes of its own source."""
    shutil.copyfile(_SUMS, module / "go.sum")
    lines = ["module kubelet", "go 1.16"]
    for name, version in pinned(source).items():
        lines += f"require {name} {version}", f"replace {name} => {name} {version}"
    for staged in sorted(path for path in (source / _STAGING).iterdir() if path.is_dir()):
        name = f"k8s.io/{staged.name}"
        place = part(staged, name, module)
        lines += f"require {name} {UNPUBLISHED}", f"replace {name} => ./{place}"
    (module / "go.mod").write_text("\n".join([*lines, ""]), encoding="utf-8")


def part(source: Path, name: str, module: Path) -> Path:
    """Make a module of a directory in the module cache; return its place below ``module``."""
    place = Path("parts") / name
    shutil.copytree(source, module / place, copy_function=shutil.copyfile)  # not read-only, as there
    for path in (module / place, *(module / place).rglob("*/")):
        path.chmod(0o755)
    (module / place / "go.mod").write_text(f"module {name}\n", encoding="utf-8")
    return place
