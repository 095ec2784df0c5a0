"""Build what the suite ``reality`` starts: upstream's kubelets, and some patched by ``hashcompat patch``.

The Go module of a Kubernetes release lacks its ./staging directories, so each kubelet is built from a module
of its own: the release's go.mod, with the staging modules as they were published.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hashcompat.analysis.patching import apply, mail
from hashcompat.analysis.patching.strategies import make_patch
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.release import parse_release
from scripts.lib import gotool
from scripts.lib.gotool import GoError
from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program
from scripts.suites import godeps, parts, patches, servers

KUBERNETES: Final = "k8s.io/kubernetes"
PACKAGE: Final = f"{KUBERNETES}/cmd/kubelet"
_TAGS: Final = "providerless"
"""Without the cloud providers that 1.17 to 1.30 have; nothing of a container's hash is in them."""
_ROWS: Final = SCRIPTS / "suites" / "kubelets.json"
_LINKER: Final = "-checklinkname=0"
"""Lets dependencies of before Go 1.23 reach what is not exported; they are built with today's Go."""
_OLD_VERSION: Final = "k8s.io/kubernetes/pkg/version"
"""Where a kubelet up to 1.16 reads which release it is."""


@dataclass(frozen=True, slots=True)
class Kubelet:
    """One kubelet: a release, as upstream has it or patched."""

    release: str
    """A release whose module k8s.io/kubernetes the module proxy has (``1.31.14``)."""

    strategy: str = ""
    """``accept``, ``pin`` or ``strip``; empty for upstream's."""

    like: str = ""
    """The release that the patched one is like."""

    remote: bool = False
    """Whether it is started on containerd though it has dockershim."""

    @property
    def name(self) -> str:
        """How plans and files call it: ``1.31.14``, ``1.31.14-accept-1.30.14``, ``1.23.17-containerd``."""
        return "-".join(filter(None, (self.build, "containerd" if self.remote else "")))

    @property
    def build(self) -> str:
        """The name of what is built."""
        return "-".join(filter(None, (self.release, self.strategy, self.like)))

    @property
    def docker(self) -> bool:
        """Whether it drives Docker, by dockershim."""
        accepted = default_catalog().flag_table.flags(parse_release(self.release))
        return "docker-endpoint" in accepted and not self.remote

    def program(self) -> Program:
        """Describe the build, from a module that is written when it is built."""
        directory = CACHE / "kubelets" / self.build
        return Program(
            directory / "kubelet",
            directory / "module",
            tags=_TAGS,
            package=PACKAGE,
            variables=servers.reporting(self.release, *([_OLD_VERSION] if self.replaced() else [])),
            go=self.toolchain(),
            linker=_LINKER if self.replaced() and self.toolchain() == gotool.NEWEST else "",
            cgo=bool(self.replaced()),  # as upstream's: cAdvisor's handlers of containers need it to 1.18
            prepare=partial(_write_module, self, directory / "module"),
        )

    def replaced(self) -> dict[str, str]:
        """Return the modules that it is built with in another version, as kubelets.json has them."""
        return {row["module"]: row["version"] for row in self._rows("rows")}

    def toolchain(self) -> str:
        """Return the Go that it is built with: today's, but for some in kubelets.json."""
        return next((row["go"] for row in self._rows("toolchains")), gotool.NEWEST)

    def edits(self) -> list[dict[str, str]]:
        """Return the changes of Kubernetes' own source that make up for the Go that it is built with."""
        return self._rows("edits")

    def _rows(self, table: str) -> list[dict[str, str]]:
        rows = json.loads(_ROWS.read_text(encoding="utf-8"))[table]
        release = parse_release(self.release)
        return [row for row in rows if parse_range(row["releases"]).holds(release)]

    def patch(self) -> str:
        """Return the patch as ``hashcompat patch`` prints it; empty for upstream's kubelet."""
        if not self.strategy:
            return ""
        made = make_patch(self.release, (self.like,), self.strategy, default_catalog())
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
    Kubelet("1.34.12"),
    Kubelet("1.35.2"),
    Kubelet("1.35.8"),
    Kubelet("1.36.5"),
    Kubelet("1.35.8"),
    Kubelet("1.36.5"),
    Kubelet("1.37.2"),
    Kubelet("1.31.14"),
    Kubelet("1.34.12"),
)
"""As the suite starts them: each minor in turn, rollbacks by one and by many, a skip, patched ones."""


_ASSUMED: Final = {"strip": "pin"}
"""The strategies that plans know by another one, which hashes alike."""


def flags(old: Kubelet, new: Kubelet) -> list[str]:
    """Return the options by which `plan` knows two kubelets."""
    options = ["--from", old.release, "--to", new.release]
    for option, kubelet in (("--from-patched", old), ("--assume-patch", new)):
        if kubelet.strategy:
            options += [option, _ASSUMED.get(kubelet.strategy, kubelet.strategy)]
    if likes := dict.fromkeys(filter(None, (old.like, new.like))):
        options += ["--like", ",".join(likes)]
    if new.docker and not old.docker:  # from Docker, the records show it
        options.append("--other-runtime")
    return options


def programs() -> dict[str, Program]:
    """Describe every kubelet of the suite ``reality`` by its name."""
    return {kubelet.name: kubelet.program() for kubelet in dict.fromkeys(CHAIN)}


def built(kubelet: Kubelet) -> Path:
    """Return where a kubelet is, after building it unless nothing changed since."""
    program = kubelet.program()
    program.build()
    return program.binary


def _write_module(kubelet: Kubelet, module: Path) -> None:
    """Write the module of a kubelet, and complete its checksums; leave it where nothing changed since."""
    patch, replaced, edited = kubelet.patch(), kubelet.replaced(), kubelet.edits()
    rows = f"\n{sorted(replaced.items())}{parts.standins(replaced)}" if replaced else ""
    rows += str(edited or "")
    wanted = hashlib.sha256(f"{PACKAGE}\n{patch}{rows}".encode()).hexdigest()
    stamp = module / "stamp"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(module, ignore_errors=True)
    module.mkdir(parents=True)
    pristine = patches.source(kubelet.release)
    edits = [f"-module=hashcompat.io/kubelet-{kubelet.release}", *_requirement(kubelet, patch, module.parent)]
    if (pristine / "go.mod").exists():
        for name in ("go.mod", "go.sum"):
            shutil.copyfile(pristine / name, module / name)
        edits += patches.published(module, kubelet.release, replaced)
    else:
        godeps.write(pristine, module)
        edits += parts.required(replaced)
    edits += parts.replacements(module, replaced)
    patches.go(module, "mod", "edit", *edits)
    (module / "tools.go").write_text(f'//go:build tools\n\npackage kubelet\n\nimport _ "{KUBERNETES}"\n')
    patches.go(module, "list", "-deps", f"-tags={_TAGS}", PACKAGE)  # completes go.sum
    stamp.write_text(wanted, encoding="utf-8")


def _requirement(kubelet: Kubelet, patch: str, directory: Path) -> list[str]:
    version, edited = f"v{kubelet.release}", kubelet.edits()
    edits = [f"-require={KUBERNETES}@{version}"]
    if patch or edited:
        digest = hashlib.sha256(f"{patch}{edited or ''}".encode()).hexdigest()
        tree = directory / f"tree-{digest[:12]}"
        release = kubelet.release
        made = patches.patched(release, patch, tree) if patch else patches.copied(release, tree)
        for row in edited:
            text = (place := made / row["path"]).read_text(encoding="utf-8")
            if row["old"] not in text:
                raise GoError(f"{row['path']} of {kubelet.release} has no {row['old']!r}")
            place.write_text(text.replace(row["old"], row["new"]), encoding="utf-8")
        edits.append(f"-replace={KUBERNETES}@{version}={made}")
    return edits
