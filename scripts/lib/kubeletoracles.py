"""The oracles around packages of k8s.io/kubernetes: one Go program each, built once a release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scripts.lib.gomodules import require
from scripts.lib.paths import CACHE
from scripts.lib.program import Program


@dataclass(frozen=True)
class OfKubelet:
    """A row of an oracle's releases.json: which modules, files and Go make a release."""

    release: str
    modules: str
    """The row of scripts/modules.json that pins the Go modules."""

    tags: str
    """The build tags: one for each file of the program that the release can compile."""

    go: str

    def program(self, module: Path) -> Program:
        """Describe the program of the Go module in a directory, whose name its binaries' directory has too.

        Raises:
            GoError: the row of modules is another release's.
        """
        require(module, self.modules, {"k8s.io/kubernetes": f"v{self.release}"})
        binary = CACHE / module.name / self.release
        return Program(binary=binary, module=module, go=self.go, modules=self.modules, tags=self.tags)
