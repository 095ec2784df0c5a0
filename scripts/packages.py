"""Build what a release publishes, besides the image and the site: from the wheel to the manifests.

    python -m scripts.packages    # wheel, sdist, pyz, deb, rpm and SBOM into dist, for this system
    python -m scripts.packages --platform manylinux_2_28_aarch64    # for another one
    python -m scripts.packages --url https://releases.example/v1.0.0    # also for krew, Homebrew and conda
    python -m scripts.packages --twice    # everything once more, to compare

The executable file (pyz) and the packages of Linux have all dependencies in them, the compiled ones for all
supported releases of Python and one platform. The file unpacks itself below SHIV_ROOT, by default ~/.shiv,
when it is run for the first time. The dependencies are those of deploy/locks. Equal sources make equal bytes.
Needs pip, and the extra "release", which deploy/locks/release.txt locks.

Exit codes: 0 built; 1 pip or another program failed; 2 the second build differs (--twice); 64 usage error.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import venv
from collections.abc import Iterator, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml
from packaging.requirements import Requirement

from hashcompat import __version__
from scripts.lib import commandline
from scripts.locks import needed

ROOT: Final = Path(__file__).resolve().parents[1]
TEMPLATES: Final = ROOT / "deploy" / "packages"
PLUGIN: Final = "kubectl-hashcompat"
"""The name by which kubectl finds the plug-in."""

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
"""How Python's platforms, and how krew and packages name a processor."""

_SHORT: Final = "Predict which containers a kubelet upgrade restarts"
_LONG: Final = """\
A kubelet that is upgraded kills and recreates containers whose hash it computes differently. This plug-in
computes both hashes from the pods of the cluster, and says which containers that hits, and why.
"""

_PROGRAM: Final = """\
#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/usr/lib/hashcompat")
from hashcompat.__main__ import {function}

{function}()
"""
_COMPILE: Final = "#!/bin/sh\n/usr/bin/python3 -I -m compileall -q /usr/lib/hashcompat || :\n"
_CLEAN: Final = """\
#!/bin/sh
# nothing is removed on an upgrade to another version, which compiles again: upgrade for dpkg, 1 for rpm
case ${1:-} in upgrade | 1) exit 0 ;; esac
find /usr/lib/hashcompat -name __pycache__ -type d -prune -exec rm -rf {} +
"""


def supported() -> tuple[str, ...]:
    """Return the minor releases of Python that the classifiers name, as 3.13, the oldest first."""
    named = (
        classifier.rpartition(" ")[2]
        for classifier in _project()["classifiers"]
        if ":: Python :: 3." in classifier
    )
    return tuple(named)


class Target(NamedTuple):
    """What runs that which is built, and where it is published."""

    pythons: tuple[str, ...]
    """Minor releases of Python, next to each other, the oldest first."""

    platform: str = ""
    """pip's name of a platform; this one if empty."""

    url: str = ""
    """Of the directory that the files will be in; without it no manifest is written."""

    @property
    def after(self) -> str:
        """Return the first minor release of Python that it is not for."""
        major, _, minor = self.pythons[-1].partition(".")
        return f"{major}.{int(minor) + 1}"

    @property
    def system(self) -> tuple[str, str]:
        """Return the system and the processor as krew names them: ``linux``, ``amd64``."""
        name = self.platform or sysconfig.get_platform()
        (processor,) = {short for long, short in _ARCHITECTURES.items() if name.endswith(long)}
        return "darwin" if name.startswith("macosx") else "linux", processor


def main(argv: Sequence[str] | None = None) -> int:
    """Build what is asked for."""
    parser = commandline.Parser(prog="scripts.packages", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the directory; default: dist")
    pythons = supported()
    parser.add_argument(
        "--python", action="append", choices=pythons, help="a release that will run it; default: all"
    )
    parser.add_argument("--platform", default="", help="pip's name of the platform that will run it")
    parser.add_argument("--url", default="", help="where the files will be; makes the manifests too")
    parser.add_argument("--twice", action="store_true", help="build everything again, and compare")
    given = parser.parse_args(argv)
    target = Target(tuple(given.python or pythons), given.platform, given.url)
    try:
        made = build(given.out, target)
        other = differing(made, target) if given.twice else []
    except (OSError, subprocess.CalledProcessError) as error:
        return commandline.failed(parser.prog, error)
    print(*made, sep="\n")
    for name in other:
        print(f"{parser.prog}: {name}: the second build differs", file=sys.stderr)
    return commandline.DIFFERENT if other else 0


def differing(made: Sequence[Path], target: Target) -> list[str]:
    """Build again, elsewhere, and return the names of the files that are not equal to the byte."""
    with tempfile.TemporaryDirectory() as directory:
        again = build(Path(directory), target)
        return [
            path.name
            for path, other in zip(made, again, strict=True)
            if path.name != other.name or path.read_bytes() != other.read_bytes()
        ]


def build(out: Path, target: Target) -> list[Path]:
    """Write all files for a target into a directory, and return their paths.

    Raises:
        OSError: a program is missing, or a file cannot be written.
        subprocess.CalledProcessError: pip or another program failed.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        _run("hatchling", "build", "--directory", work / "own")
        made = [Path(shutil.copy(path, out)) for path in sorted((work / "own").iterdir())]
        site = installed(work, target)
        made += [executable(site, out / "hashcompat.pyz"), bill(work, site, out / "hashcompat.cdx.json")]
        if target.system[0] == "linux":
            made += system_packages(work, site, out, target)
    if target.url:
        (sdist,) = (path for path in made if path.name.endswith(".tar.gz"))
        made += plugin(out / "hashcompat.pyz", out, target)
        made += manifests(sdist, out, target.url)
    return made


def installed(work: Path, target: Target) -> Path:
    """Install the wheel and its dependencies into a directory, without what names this machine.

    Compiled modules have the release of Python in their names, so those of several are next to each other.
    """
    site = work / "site"
    chosen = [f"--platform={target.platform}"] if target.platform else []
    # by its name: pip writes down where a file was that is installed by its path
    own = ("--no-index", "--no-deps", "--find-links", work / "own", f"hashcompat=={__version__}")
    for python in target.pythons:
        requirements = work / f"{python}.txt"
        requirements.write_text("".join(locked(python, target)), encoding="utf-8")
        required = ("--require-hashes", "--requirement", requirements)
        for number, words in enumerate((required, own)):
            part = work / f"{python}-{number}"
            flags = ("--quiet", "--no-compile", "--only-binary=:all:", f"--python-version={python}", *chosen)
            _run("pip", "install", *flags, "--target", part, *words)
            shutil.copytree(part, site, dirs_exist_ok=True)
    # programs begin with the path of this Python, and a record lists them; without one pip uninstalls nothing
    shutil.rmtree(site / "bin")
    for record in site.glob("*.dist-info/RECORD"):
        record.unlink()
    return site


def locked(python: str, target: Target) -> Iterator[str]:
    """Yield the locked packages that a Python needs."""
    for _, lines in needed(platform(python, target)):
        yield lines


def platform(python: str, target: Target) -> dict[str, str]:
    """Return what markers ask."""
    return {"python_full_version": f"{python}.0", "python_version": python, "sys_platform": target.system[0]}


def executable(site: Path, path: Path) -> Path:
    """Write the executable file."""
    flags = ("--compressed", "--reproducible", "--python", "/usr/bin/env python3")
    entry = ("--entry-point", "hashcompat.__main__:main")
    _run("shiv", "--site-packages", site, *flags, *entry, "--output-file", path)
    return path


def bill(work: Path, site: Path, path: Path) -> Path:
    """Write what executable file and packages hold as a document of CycloneDX, held to its schema."""
    environment = work / "environment"
    venv.create(environment)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "all.pth").write_text(f"{site}\n", encoding="utf-8")
    # the version is that of the package, which the program does not look for
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = work / "pyproject.toml"
    project.write_text(text.replace('dynamic = ["version"]', f'version = "{__version__}"'), encoding="utf-8")
    flags = ("--pyproject", project, "--output-reproducible", "--validate")
    _run("cyclonedx_py", "environment", environment, *flags, "--output-file", path)
    return path


def system_packages(work: Path, site: Path, out: Path, target: Target) -> Iterator[Path]:
    """Write the deb and the rpm; nothing in them is unpacked or compiled for each user."""
    programs = work / "programs"
    programs.mkdir()
    for name, function in (("hashcompat", "main"), ("kubectl_complete-hashcompat", "complete_for_kubectl")):
        text = _PROGRAM.format(function=function)
        (programs / name).write_text(text, encoding="utf-8")
    (programs / "compile").write_text(_COMPILE, encoding="utf-8")
    (programs / "clean").write_text(_CLEAN, encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", programs)
    (programs / "copyright").write_text(filled("copyright"), encoding="utf-8")
    changes = filled("changelog", changelog=_project()["urls"]["Changelog"], date=formatdate(int(_epoch())))
    (programs / "changelog.gz").write_bytes(gzip.compress(changes.encode(), mtime=0))
    config = work / "nfpm.yaml"
    pythons = {"oldest": target.pythons[0], "after": target.after}
    values = {"architecture": target.system[1], "site": site, "programs": programs, **pythons}
    config.write_text(filled("nfpm.yaml", **values), encoding="utf-8")
    for path in (config, *programs.iterdir(), *site.rglob("*"), site):
        os.utime(path, (int(_epoch()), int(_epoch())))  # packages keep these times
    for packager in ("deb", "rpm"):
        directory = work / packager
        directory.mkdir()
        program = Path(sys.executable).with_name("nfpm")
        _call(program, "package", "--config", config, "--packager", packager, "--target", directory)
        (made,) = directory.iterdir()
        yield Path(shutil.copy(made, out))


def manifests(sdist: Path, out: Path, url: str) -> Iterator[Path]:
    """Write the formula of Homebrew and the recipe of conda, which build from the source distribution."""
    project = _project()
    # of the oldest Python: it needs all that a newer one does, and what the newer one has itself
    asked = platform(supported()[0], Target(supported(), "linux-x86_64"))
    dependencies = map(Requirement, project["dependencies"])
    wanted = [
        dependency
        for dependency in dependencies
        if dependency.marker is None or dependency.marker.evaluate(asked)
    ]
    rows = {
        "url": url.rstrip("/"),
        "sdist": hashlib.sha256(sdist.read_bytes()).hexdigest(),
        "requirements": "\n".join(f"    - {dependency.name} {dependency.specifier}" for dependency in wanted),
        "entry_points": "\n".join(f"      - {name} = {at}" for name, at in project["scripts"].items()),
    }
    for name in ("hashcompat.rb", "recipe.yaml"):
        (out / name).write_text(filled(name, **rows), encoding="utf-8")
        yield out / name


def filled(name: str, **values: object) -> str:
    """Return a template with its words between two @ replaced; KeyError for one that has no value."""
    rows = {"version": __version__, "homepage": _project()["urls"]["Source"], **values}
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda match: str(rows[match[1]]), text)


def _project() -> dict[str, Any]:
    metadata: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return metadata


def _epoch() -> str:
    """Return the time of everything that is built, in seconds since 1970."""
    return os.environ.get("SOURCE_DATE_EPOCH", "1577836800")


def _run(module: str, *arguments: object) -> None:
    _call(sys.executable, "-I", "-m", module, *arguments)


def _call(*command: object) -> None:
    # equal bytes at any time and for any user
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _epoch()}
    words = [str(word) for word in command]
    subprocess.run(words, check=True, cwd=ROOT, env=environment, umask=0o022, stdout=subprocess.DEVNULL)


def plugin(program: Path, directory: Path, target: Target) -> tuple[Path, Path]:
    """Write the archive that krew installs the program from, and its manifest; return both paths.

    Sources: https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest for its fields, krew_annotations.md
    in Artifact Hub's repository (artifacthub/hub) for its annotations.
    """
    archive, manifest = directory / "hashcompat-krew.tar.gz", directory / "hashcompat.yaml"
    with (
        archive.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for name, content, mode in (
            (PLUGIN, program.read_bytes(), 0o755),
            ("LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
        ):
            row = tarfile.TarInfo(name)
            row.size, row.mode = len(content), mode
            tar.addfile(row, io.BytesIO(content))
    project = _project()
    system, processor = target.system
    pythons = " or ".join(target.pythons)
    document = {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {
            "name": "hashcompat",
            "annotations": {
                "artifacthub.io/category": "monitoring-logging",
                "artifacthub.io/displayName": "hashcompat",
                "artifacthub.io/keywords": yaml.safe_dump(project["keywords"]),
                "artifacthub.io/license": project["license"],
                "artifacthub.io/links": yaml.safe_dump(
                    [
                        {"name": "source", "url": project["urls"]["Source"]},
                        {"name": "support", "url": project["urls"]["Issues"]},
                    ]
                ),
            },
        },
        "spec": {
            "version": f"v{__version__}",
            "homepage": project["urls"]["Source"],
            "shortDescription": _SHORT,
            "description": _LONG,
            "caveats": f"Needs Python {pythons} on the PATH.\n",
            "platforms": [
                {
                    "selector": {"matchLabels": {"os": system, "arch": processor}},
                    "uri": f"{target.url.rstrip('/')}/{archive.name}",
                    "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
                    "files": [{"from": name, "to": "."} for name in (PLUGIN, "LICENSE")],
                    "bin": PLUGIN,
                }
            ],
        },
    }
    manifest.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return archive, manifest


if __name__ == "__main__":
    sys.exit(main())
