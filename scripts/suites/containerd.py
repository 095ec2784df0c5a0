"""Build containerd, its shim and runc from their Go modules, for tests of runtimes that Debian does not have.

A module of a few lines requires containerd, or runc, in one version. Its go.mod is that version's own, so
that the same modules go in as into upstream's builds.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Final

from scripts.lib import gotool
from scripts.lib.paths import CACHE
from scripts.lib.program import Program

VERSIONS: Final = ("1.6.36", "1.7.35", "2.0.14", "2.1.9", "2.2.9", "2.3.7", "2.4.2")
"""The newest of each minor that the module proxy has."""
SLICE: Final = "2.2.9"
"""The one that a slice of the suites takes."""
RUNC: Final = "1.5.2"
"""The newest runc that the module proxy has."""
_RUNC: Final = "github.com/opencontainers/runc"
_PROGRAMS: Final = ("containerd", "containerd-shim-runc-v2")
_TAGS: Final = "no_aufs,no_btrfs,no_devmapper,no_zfs"
"""Without the snapshotters that need a C compiler, or a file system of their own."""


def name_of(version: str) -> str:
    """Return the import path of containerd's module."""
    major = version.partition(".")[0]
    return "github.com/containerd/containerd" + ("" if major == "1" else f"/v{major}")


def program(version: str, name: str) -> Program:
    """Describe one of the programs of a version; it reports that version, as upstream's builds do."""
    module, directory = name_of(version), CACHE / "containerd" / version
    packages = [f"{module}/cmd/{command}" for command in _PROGRAMS]
    return Program(
        directory / name,
        directory / "module",
        tags=_TAGS,
        package=f"{module}/cmd/{name}",
        variables=((f"{module}/version.Version", version),),
        prepare=partial(_write_module, directory / "module", module, version, packages),
    )


def runc() -> Program:
    """Describe runc; it joins the namespaces of a container in C, before Go's runtime starts.

    What a kubelet runs has a seccomp profile, for which it needs libseccomp.
    """
    directory = CACHE / "runc" / RUNC
    return Program(
        directory / "runc",
        directory / "module",
        tags="seccomp",
        package=_RUNC,
        variables=(("main.version", RUNC),),
        cgo=True,
        prepare=partial(_write_module, directory / "module", _RUNC, RUNC, [_RUNC], "seccomp"),
    )


def programs() -> dict[str, Program]:
    """Describe every program of every version, by its file below the cache."""
    return {f"{version}/{name}": program(version, name) for version in VERSIONS for name in _PROGRAMS}


def built(version: str) -> Path:
    """Return the directory of the programs of a version, after building what changed since."""
    made = [program(version, name) for name in _PROGRAMS]
    for target in made:
        target.build()
    return made[0].binary.parent


def built_with_runc(version: str) -> Path:
    """Return a directory of the programs of a version and of runc, which that containerd starts then."""
    directory = CACHE / "containerd" / f"{version}-runc-{RUNC}"
    directory.mkdir(parents=True, exist_ok=True)
    (other := runc()).build()
    for path in (*(built(version) / name for name in _PROGRAMS), other.binary):
        (directory / path.name).unlink(missing_ok=True)
        (directory / path.name).hardlink_to(path)
    return directory


def _write_module(module: Path, required: str, version: str, packages: list[str], tags: str = _TAGS) -> None:
    """Write the module that requires another one in a version, unless it is there."""
    if (stamp := module / "stamp").exists():
        return
    shutil.rmtree(module, ignore_errors=True)
    module.mkdir(parents=True)
    source = gotool.download(f"{required}@v{version}")
    for name in ("go.mod", "go.sum"):
        (module / name).write_bytes((source / name).read_bytes())
    imports = "".join(f'import _ "{package}"\n' for package in packages)
    (module / "tools.go").write_text(f"//go:build tools\n\npackage tools\n\n{imports}")
    edits = ("-module=hashcompat.io/containerd", f"-require={required}@v{version}")
    environ = gotool.environment(gotool.NEWEST, GOFLAGS="-mod=mod -buildvcs=false")
    gotool.run("go", "mod", "edit", *edits, directory=module, environ=environ)
    command = ("go", "list", "-deps", f"-tags={tags}", *packages)  # completes go.sum
    gotool.run(*command, directory=module, environ=environ)
    stamp.touch()
