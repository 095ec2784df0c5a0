"""Build programs around the code that registers a kubelet's flags, one per release, for the suite ``oracle``.

Each is built from a module of its own, as the kubelets of the suite ``reality`` are: the release's go.mod,
with the staging modules as they were published.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program
from scripts.suites import godeps, parts, patches
from scripts.suites.kubelets import Kubelet

SOURCE: Final = SCRIPTS / "suites" / "kubeletoptions" / "options.go.txt"
KUBERNETES: Final = "k8s.io/kubernetes"
_JSON: Final = "k8s.io/component-base/logs/json/register"
"""The package that makes two more flags appear, where the kubelet imports it."""

RELEASES: Final = (
    "1.19.16",
    "1.21.14",
    "1.23.17",
    "1.24.17",
    "1.26.15",
    "1.28.15",
    "1.31.14",
    "1.34.10",
    "1.36.3",
    "1.37.1",
)
"""The releases that are compared: those around removals of many flags, and some that other suites build."""


_GONE: Final = ("k8s.io/node-api", "k8s.io/sample-cli-plugin", "vbom.ml/util")
"""Modules that a proxy may lack, and that Kubernetes' go.mod requires although no kubelet imports them."""


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: program(release) for release in RELEASES}


def program(release: str) -> Program:
    """Write the module of one release's program, and describe the build."""
    directory = CACHE / "kubeletoptions" / release
    files = {"main.go": SOURCE.read_text(encoding="utf-8")}
    return Program(
        directory / "kubeletoptions", module(release, directory / "module", "kubeletoptions", files)
    )


def accepted(release: str) -> dict[str, Any]:
    """Return ``flags`` by name and ``fields`` by path, as the release's own code has them.

    Raises:
        GoError: the program cannot be built.
    """
    answer: dict[str, Any] = json.loads(program(release).run())
    return answer


def named(name: str, release: str) -> str:
    """Return how the module of a program is called."""
    return f"hashcompat.io/{name}-{release}"


def module(release: str, directory: Path, name: str, files: Mapping[str, str]) -> Path:
    """Write the module of a program, and complete its checksums; leave it where nothing changed since."""
    pristine = patches.source(release)
    if f'"{_JSON}"' in (pristine / "cmd/kubelet/kubelet.go").read_text(encoding="utf-8"):
        files = {**files, "json.go": f'package main\n\nimport _ "{_JSON}"\n'}
    stamp = directory / "stamp"
    wanted = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return directory
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for each, text in files.items():
        (directory / each).parent.mkdir(exist_ok=True)
        (directory / each).write_text(text, encoding="utf-8")
    edits = [f"-module={named(name, release)}", f"-require={KUBERNETES}@v{release}"]
    if (pristine / "go.mod").exists():
        for each in ("go.mod", "go.sum"):
            shutil.copyfile(pristine / each, directory / each)
        edits += patches.published(directory, release, _GONE)
        edits += (patches.empty(directory, gone) for gone in _GONE)
    else:
        godeps.write(pristine, directory)
        replaced = Kubelet(release).replaced()
        edits += (*parts.required(replaced), *parts.replacements(directory, replaced))
    patches.go(directory, "mod", "edit", *edits)
    patches.go(directory, "list", "-deps", ".")  # completes go.sum
    stamp.write_text(wanted, encoding="utf-8")
    return directory
