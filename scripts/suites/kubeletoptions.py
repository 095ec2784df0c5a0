"""Build programs around the code that registers a kubelet's flags, one per release, for the suite ``oracle``.

Each is built from a module of its own, as the kubelets of the suite ``reality`` are: the release's go.mod,
with the staging modules as they were published.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Final

from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program
from scripts.suites import patches

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


_GONE: Final = ("k8s.io/sample-cli-plugin", "vbom.ml/util")
"""Modules that a proxy may lack, and that Kubernetes' go.mod requires although no kubelet imports them."""


def programs() -> dict[str, Program]:
    """Describe every program by its release."""
    return {release: program(release) for release in RELEASES}


def program(release: str) -> Program:
    """Write the module of one release's program, and describe the build."""
    directory = CACHE / "kubeletoptions" / release
    return Program(directory / "kubeletoptions", _module(release, directory / "module"))


def accepted(release: str) -> dict[str, Any]:
    """Return ``flags`` by name and ``fields`` by path, as the release's own code has them.

    Raises:
        GoError: the program cannot be built.
    """
    answer: dict[str, Any] = json.loads(program(release).run())
    return answer


def _module(release: str, module: Path) -> Path:
    """Write a module, and complete its checksums; leave it where nothing changed since."""
    stamp = module / "stamp"
    wanted = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return module
    shutil.rmtree(module, ignore_errors=True)
    module.mkdir(parents=True)
    pristine = patches.source(release)
    for name in ("go.mod", "go.sum"):
        shutil.copyfile(pristine / name, module / name)
    shutil.copyfile(SOURCE, module / "main.go")
    if f'"{_JSON}"' in (pristine / "cmd/kubelet/kubelet.go").read_text(encoding="utf-8"):
        (module / "json.go").write_text(f'package main\n\nimport _ "{_JSON}"\n', encoding="utf-8")
    edits = [f"-module=hashcompat.io/kubeletoptions-{release}", f"-require={KUBERNETES}@v{release}"]
    edits += [*patches.published(module, release, _GONE), *(patches.empty(module, name) for name in _GONE)]
    patches.go(module, "mod", "edit", *edits)
    patches.go(module, "list", "-deps", ".")  # completes go.sum
    stamp.write_text(wanted, encoding="utf-8")
    return module
