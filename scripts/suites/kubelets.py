"""Build what the suite ``reality`` starts: upstream's kubelets, and some patched by ``hashcompat patch``.

The Go module of a Kubernetes release lacks its ./staging directories, so each kubelet is built from a module
of its own: the release's go.mod, with the staging modules as they were published.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hashcompat.catalog.lookup import default_catalog
from hashcompat.patching.model import apply
from hashcompat.patching.strategies import Choices, make_patch
from hashcompat.patching.unified import mail
from scripts.lib.gotool import GoError
from scripts.lib.paths import CACHE
from scripts.lib.program import Program
from scripts.suites import patches, servers

KUBERNETES: Final = "k8s.io/kubernetes"
PACKAGE: Final = f"{KUBERNETES}/cmd/kubelet"
_TAGS: Final = "providerless"
"""Without the cloud providers that 1.29 and 1.30 still have; nothing of a container's hash is in them."""


@dataclass(frozen=True, slots=True)
class Kubelet:
    """One kubelet: a release, as upstream has it or patched."""

    release: str
    """A release whose module k8s.io/kubernetes the module proxy has (``1.31.14``)."""

    strategy: str = ""
    """``accept`` or ``pin``; empty for upstream's."""

    like: str = ""
    """The release that the patched one is like."""

    @property
    def name(self) -> str:
        """How plans and files call it: ``1.31.14``, ``1.31.14-accept-1.30.14``."""
        return "-".join(filter(None, (self.release, self.strategy, self.like)))

    def program(self) -> Program:
        """Describe the build, from a module that is written when it is built."""
        directory = CACHE / "kubelets" / self.name
        return Program(
            directory / "kubelet",
            directory / "module",
            tags=_TAGS,
            package=PACKAGE,
            variables=servers.reporting(self.release),
            prepare=partial(_write_module, self, directory / "module"),
        )

    def patch(self) -> str:
        """Return the patch as ``hashcompat patch`` prints it; empty for upstream's kubelet."""
        if not self.strategy:
            return ""
        made = make_patch(
            self.release, (self.like,), self.strategy, default_catalog(), Choices(accept_new_fields=True)
        )
        if made is None:
            raise GoError(f"no patch is needed for {self.name}")
        pristine = patches.source(self.release)
        files = {edit.path: (pristine / edit.path).read_text(encoding="utf-8") for edit in made.edits}
        return mail(made, apply(made, files))


ACCEPT, PIN = Kubelet("1.31.14", "accept", "1.30.14"), Kubelet("1.31.14", "pin", "1.30.14")
CHAIN: Final = (
    Kubelet("1.29.15"),
    Kubelet("1.30.14"),
    ACCEPT,
    Kubelet("1.31.14"),
    Kubelet("1.30.14"),
    PIN,
    Kubelet("1.30.14"),
    Kubelet("1.31.14"),
    Kubelet("1.32.13"),
    Kubelet("1.33.13"),
    Kubelet("1.34.10"),
    Kubelet("1.35.2"),
    Kubelet("1.35.8"),
    Kubelet("1.36.3"),
    Kubelet("1.35.8"),
    Kubelet("1.36.3"),
    Kubelet("1.37.1"),
    Kubelet("1.31.14"),
    Kubelet("1.34.10"),
)
"""As the suite starts them: each minor in turn, rollbacks by one and by many, a skip, patched ones."""


def programs() -> dict[str, Program]:
    """Describe every kubelet by its name."""
    return {kubelet.name: kubelet.program() for kubelet in dict.fromkeys(CHAIN)}


def built(kubelet: Kubelet) -> Path:
    """Return where a kubelet is, after building it unless nothing changed since."""
    program = kubelet.program()
    program.build()
    return program.binary


def _write_module(kubelet: Kubelet, module: Path) -> None:
    """Write the module of a kubelet, and complete its checksums; leave it where nothing changed since."""
    patch = kubelet.patch()
    wanted = hashlib.sha256(f"{PACKAGE}\n{patch}".encode()).hexdigest()
    stamp = module / "stamp"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(module, ignore_errors=True)
    module.mkdir(parents=True)
    pristine = patches.source(kubelet.release)
    for name in ("go.mod", "go.sum"):
        shutil.copyfile(pristine / name, module / name)
    edits = [f"-module=hashcompat.io/kubelet-{kubelet.release}", *_requirement(kubelet, patch, module.parent)]
    patches.go(module, "mod", "edit", *edits, *patches.published(module, kubelet.release))
    (module / "tools.go").write_text(f'//go:build tools\n\npackage kubelet\n\nimport _ "{KUBERNETES}"\n')
    patches.go(module, "list", "-deps", f"-tags={_TAGS}", PACKAGE)  # completes go.sum
    stamp.write_text(wanted, encoding="utf-8")


def _requirement(kubelet: Kubelet, patch: str, directory: Path) -> list[str]:
    version = f"v{kubelet.release}"
    edits = [f"-require={KUBERNETES}@{version}"]
    if patch:
        tree = directory / f"tree-{hashlib.sha256(patch.encode()).hexdigest()[:12]}"
        edits.append(f"-replace={KUBERNETES}@{version}={patches.patched(kubelet.release, patch, tree)}")
    return edits
