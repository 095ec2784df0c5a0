"""Build what `hashcompat patch` emits against Kubernetes' own source, so that running it proves its Go code.

A patch is applied by git to the pristine files of the release's Go module. Then either the touched functions
and the generated packages are built over the release's real types (`Touched`), or the whole module with its
own tests (`whole`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from hashcompat.analysis.patching import function_text
from scripts.lib import gomodules, gotool, paths
from scripts.lib.gotool import GoError
from scripts.lib.oracles import COMMON
from scripts.lib.program import Program

HERE: Final = paths.SCRIPTS / "suites" / "patches"
CACHE: Final = paths.CACHE / "patches"
HELPERS = "pkg/kubelet/container/helpers.go"
MANAGER = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
FILES = (
    HELPERS,
    MANAGER,
    "pkg/kubelet/container/container_hash_test.go",
    "pkg/kubelet/container/helpers_test.go",
)
_GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "core.autocrlf=false")
_SETTINGS: Final = {"GOFLAGS": "-mod=mod -buildvcs=false", "GONOSUMDB": "k8s.io/*"}
"""k8s.io/kubernetes pins its staging modules without checksums, and the checksum database lacks some."""


def source(release: str) -> Path:
    """Return the pristine source of a release: its Go module, downloaded once."""
    return gotool.download(f"k8s.io/kubernetes@v{release}")


def git(directory: Path, *arguments: str) -> str:
    """Run git there and return what it prints; its complaint is the error."""
    return run(*_GIT, *arguments, directory=directory)


def applied(release: str, patch: str, directory: Path) -> Path:
    """Apply a patch to the files that patches change, in a repository of their own: check, then `git am`."""
    shutil.rmtree(directory, ignore_errors=True)
    for name in (*FILES, "pkg/util/hash/hash.go"):
        if (source(release) / name).exists():
            _copy(source(release) / name, directory / name)
    _commit(directory)
    mail = directory.with_name(f"{directory.name}.patch")
    mail.write_text(patch, encoding="utf-8")
    git(directory, "apply", "--check", str(mail))
    git(directory, "am", str(mail))
    return directory


def added(tree: Path) -> list[str]:
    """Name the files that the patch added to a tree."""
    return git(tree, "diff", "--diff-filter=A", "--name-only", "HEAD~1").split()


def _commit(directory: Path) -> None:
    git(directory, "init", "--quiet")
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--message", "pristine")


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)  # without the read-only mode of the module cache


@dataclass(frozen=True)
class Touched:
    """The functions that a patch touches and the packages it adds, in a module named like Kubernetes' own."""

    release: str
    directory: Path

    @property
    def minor(self) -> str:
        """The release line, by which the row of modules is named."""
        return self.release.rpartition(".")[0]

    def compose(self, tree: Path) -> Program:
        """Write the module from an applied tree; return the program that answers for the patched kubelet."""
        shutil.rmtree(self.directory, ignore_errors=True)
        for name in (
            "pkg/util/hash/hash.go",
            *(f"pkg/{name}" for name in self._version_files()),
            *added(tree),
        ):
            given = tree / name
            _copy(given if given.exists() else source(self.release) / name, self.directory / name)
        self._write(
            "pkg/kubelet/container/touched.go",
            _touched("container", tree / HELPERS, ("HashContainer", "pickFieldsToHash")),
        )
        self._write(
            "pkg/kubelet/kuberuntime/touched.go",
            _touched("kuberuntime", tree / MANAGER, ("containerChanged",)),
        )
        self._write("pkg/kubelet/container/types.go", (HERE / "container.go.txt").read_text())
        self._write("pkg/kubelet/kuberuntime/changed.go", (HERE / "kuberuntime.go.txt").read_text())
        self._write("main.go", (HERE / "program.go.txt").read_text())
        modules = gomodules.find(HERE, self.minor).text()
        self._write("go.mod", modules.replace(f"=> {os.path.relpath(COMMON, HERE)}", f"=> {COMMON}"))
        self._write("go.sum", gomodules.SUMS.read_text(encoding="utf-8"))
        return Program(self.directory / "kubelet", self.directory, shared=(COMMON,))

    def _version_files(self) -> list[str]:
        root = source(self.release) / "pkg"
        files = [*root.glob("version/*.go"), *root.glob("util/version/*.go")]
        return [str(path.relative_to(root)) for path in files if not path.name.endswith("_test.go")]

    def _write(self, name: str, text: str) -> None:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def go(self, *arguments: str) -> str:
        """Run the go command in the module; its complaint is the error."""
        return go(self.directory, *arguments)


def go(directory: Path, *arguments: str) -> str:
    """Run the go command, with modules as go.mod and go.sum there say."""
    return run("go", *arguments, directory=directory)


def run(*command: str, directory: Path = paths.ROOT) -> str:
    """Run a command and return what it prints; its complaint is the error."""
    environ = gotool.environment(gotool.NEWEST, **_SETTINGS)
    return gotool.run(*command, directory=directory, environ=environ)


def _touched(package: str, path: Path, names: tuple[str, ...]) -> str:
    """Return a file of some functions, with those imports of theirs that they use."""
    text = path.read_text(encoding="utf-8")
    functions = "\n".join(filter(None, (function_text(text, name) for name in names)))
    lines = re.findall(r'^\t((?:[\w.]+ )?"[^"]+")$', text.partition("\n)\n")[0], re.MULTILINE)
    used = [line for line in lines if re.search(rf"\b{_name(line)}\.", functions)]
    return f"package {package}\n\nimport (\n" + "".join(f"\t{line}\n" for line in used) + f")\n\n{functions}"


def _name(line: str) -> str:
    """Return the name under which an import is used."""
    alias, _, path = line.rpartition(" ")
    return alias or path.strip('"').rpartition("/")[2]


def whole(release: str, patch: str, directory: Path) -> Path:
    """Apply a patch to all of Kubernetes' module, with its staging modules as released; return its place."""
    patched(release, patch, directory)
    go(directory, "mod", "edit", *published(directory, release))
    return directory


def patched(release: str, patch: str, directory: Path) -> Path:
    """Apply a patch to a copy of all of Kubernetes' module by `git am`, and return its place."""
    copied(release, directory)
    _commit(directory)
    mail = directory.with_name(f"{directory.name}.patch")
    mail.write_text(patch, encoding="utf-8")
    git(directory, "am", str(mail))
    return directory


def copied(release: str, directory: Path) -> Path:
    """Copy all of Kubernetes' module, as a module that can be changed, and return its place."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(source(release), directory, copy_function=shutil.copyfile)
    for path in (directory, *directory.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    for name in ("go.work", "go.work.sum"):
        (directory / name).unlink(missing_ok=True)
    if not (directory / "go.mod").exists():  # up to 1.14
        (directory / "go.mod").write_text("module k8s.io/kubernetes\n", encoding="utf-8")
    return directory


def published(directory: Path, release: str, without: Collection[str] = ()) -> list[str]:
    """Return the edits of Kubernetes' go.mod that take its staging modules, but for some, as released."""
    rows = json.loads(go(directory, "mod", "edit", "-json"))["Replace"] or []
    staging = [row["Old"]["Path"] for row in rows if row["New"]["Path"].startswith("./staging")]
    wanted = [name for name in staging if name not in without]
    return [f"-replace={name}={name}@{staging_version(name, release)}" for name in wanted]


@cache
def staging_version(module: str, release: str) -> str:
    """Return a staging module's version of a release, or the newest patch before it that the proxy has."""
    minor, _, patch = release.partition(".")[2].rpartition(".")
    for number in range(int(patch), -1, -1):
        version = f"v0.{minor}.{number}"
        try:
            go(paths.ROOT, "mod", "download", f"{module}@{version}")
        except GoError:
            continue
        return version
    raise GoError(f"no version of {module} belongs to Kubernetes {release}")


def empty(module: Path, name: str) -> str:
    """Write a module without packages, and return the edit of go.mod that takes it in place of another."""
    directory = module / "empty" / name
    directory.mkdir(parents=True)
    (directory / "go.mod").write_text(f"module {name}\n", encoding="utf-8")
    return f"-replace={name}=./{directory.relative_to(module)}"
