"""Build what the suite ``server`` starts: etcd, kube-apiserver and kubectl of one release.

One module (servers/) requires k8s.io/kubernetes and repeats the replace lines that it needs outside of its
own repository; etcd is the version that this release itself requires. A program of a few lines runs one
controller of that release, the one that writes EndpointSlices, in a copy of that module.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Final

from scripts.lib.gotool import GoError
from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program

MODULE: Final = SCRIPTS / "suites" / "servers"
PACKAGES: Final = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
}
ENDPOINT_SLICES: Final = "endpointslices"
_VERSION: Final = "k8s.io/component-base/version"


def release() -> str:
    """Read from go.mod which Kubernetes release is built (``1.36.3``)."""
    text = (MODULE / "go.mod").read_text(encoding="utf-8")
    match = re.search(r"^\tk8s\.io/kubernetes v(\S+)$", text, re.MULTILINE)
    if not match:
        raise GoError(f"{MODULE.name}/go.mod does not require k8s.io/kubernetes")
    return match[1]


def program(name: str) -> Program:
    """Describe one of PACKAGES; it reports its release as upstream's builds do."""
    if name == ENDPOINT_SLICES:
        module = CACHE / "servers" / "module"
        return Program(CACHE / "servers" / name, module, prepare=partial(_write_module, module))
    variables = reporting(release())
    return Program(CACHE / "servers" / name, MODULE, package=PACKAGES[name], variables=variables)


def _write_module(module: Path) -> None:
    """Write the module of ENDPOINT_SLICES: its program would be no part of the others' module."""
    module.mkdir(parents=True, exist_ok=True)
    for name in ("go.mod", "go.sum"):
        (module / name).write_bytes((MODULE / name).read_bytes())
    (module / "main.go").write_bytes((MODULE / f"{ENDPOINT_SLICES}.go.txt").read_bytes())


def reporting(version: str, *others: str) -> tuple[tuple[str, str], ...]:
    """Return the variables by which a program reports its release, as the linker sets them.

    ``others`` are packages that it may ask instead of component-base's.
    """
    major, minor, _ = version.split(".")
    reported = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    packages = (_VERSION, *others)
    return tuple((f"{package}.{key}", value) for package in packages for key, value in reported.items())


def programs() -> dict[str, Program]:
    """Describe every program by its name."""
    return {name: program(name) for name in (*PACKAGES, ENDPOINT_SLICES)}


def built(name: str) -> Path:
    """Return where a program is, after building it unless nothing changed since."""
    wanted = program(name)
    wanted.build()
    return wanted.binary
