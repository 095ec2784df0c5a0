"""Build what is installed without pip: one executable file, and the manifest of the kubectl plug-in for krew.

    python -m scripts.packages    # dist/hashcompat.pyz, for this Python and system
    python -m scripts.packages --python 3.13 --platform manylinux_2_28_aarch64
    python -m scripts.packages --url https://releases.example/v0.2.0    # also hashcompat.tar.gz and .yaml

The file has all dependencies in it, the compiled ones for one minor release of Python and one platform. It
unpacks itself below SHIV_ROOT, by default ~/.shiv, when it is run for the first time. The dependencies are
those of deploy/locks. Needs pip, and the extra "release", which deploy/locks/release.txt locks.

Exit codes: 0 built; 1 pip or shiv failed; 64 usage error.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from hashcompat import __version__
from scripts.lib import commandline
from scripts.locks import LOCKS

ROOT: Final = Path(__file__).resolve().parents[1]
PLUGIN: Final = "kubectl-hashcompat"
"""The name by which kubectl finds the plug-in."""

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
"""How Python's platforms and how krew name a processor."""

_SHORT: Final = "Predict which containers a kubelet upgrade restarts"
_LONG: Final = """\
A kubelet that is upgraded kills and recreates containers whose hash it computes differently. This plug-in
computes both hashes from the pods of the cluster, and says which containers that hits, and why.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Build what is asked for."""
    parser = commandline.Parser(prog="scripts.packages", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the directory; default: dist")
    parser.add_argument("--python", default="", help="the minor release of Python that will run it, as 3.13")
    parser.add_argument("--platform", default="", help="pip's name of the platform that will run it")
    parser.add_argument("--url", default="", help="where the archive for krew will be; makes it too")
    given = parser.parse_args(argv)
    given.out.mkdir(parents=True, exist_ok=True)
    program = given.out / "hashcompat.pyz"
    try:
        executable(program, given.python, given.platform)
    except subprocess.CalledProcessError as error:
        return commandline.failed(parser.prog, error)
    print(program)
    if given.url:
        for path in plugin(program, given.out, given.url, given.platform or sysconfig.get_platform()):
            print(path)
    return 0


def executable(path: Path, python: str = "", platform: str = "") -> None:
    """Write the executable file; ``python`` and ``platform`` are those that will run it, by default these."""
    chosen = [f"--python-version={python}"] if python else []
    chosen += [f"--platform={platform}"] if platform else []
    chosen += ["--only-binary=:all:"] if chosen else []
    with tempfile.TemporaryDirectory() as directory:
        site, wheels = Path(directory, "site"), Path(directory, "wheels")
        _run("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, ROOT)
        locked = ("--require-hashes", "--only-binary=:all:", "--requirement", LOCKS / "run.txt")
        _run("pip", "install", "--quiet", "--target", site, *chosen, *locked)
        _run("pip", "install", "--quiet", "--target", site, *chosen, "--no-deps", *wheels.iterdir())
        flags = ["--compressed", "--reproducible", "--python", "/usr/bin/env python3"]
        _run("shiv", "--site-packages", site, *flags, "--console-script", "hashcompat", "--output-file", path)


def _run(module: str, *arguments: object) -> None:
    subprocess.run([sys.executable, "-I", "-m", module, *map(str, arguments)], check=True, cwd=ROOT)


def plugin(program: Path, directory: Path, url: str, platform: str) -> tuple[Path, Path]:
    """Write the archive that krew installs the program from, and its manifest; return both paths.

    ``url`` is that of the directory in which the archive will be. Source of the manifest's fields:
    https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest
    """
    archive, manifest = directory / "hashcompat.tar.gz", directory / "hashcompat.yaml"
    with tarfile.open(archive, "w:gz") as tar:
        for name, content, mode in (
            (PLUGIN, program.read_bytes(), 0o755),
            ("LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
        ):
            row = tarfile.TarInfo(name)
            row.size, row.mode = len(content), mode
            tar.addfile(row, io.BytesIO(content))
    document = {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "hashcompat"},
        "spec": {
            "version": f"v{__version__}",
            "homepage": url,
            "shortDescription": _SHORT,
            "description": _LONG,
            "caveats": "Needs Python on the PATH, of the minor release that the archive was built for.\n",
            "platforms": [
                {
                    "selector": {"matchLabels": _selector(platform)},
                    "uri": f"{url.rstrip('/')}/{archive.name}",
                    "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
                    "files": [{"from": name, "to": "."} for name in (PLUGIN, "LICENSE")],
                    "bin": PLUGIN,
                }
            ],
        },
    }
    manifest.write_text(yaml.safe_dump(document, sort_keys=False))
    return archive, manifest


def _selector(platform: str) -> dict[str, str]:
    """Return krew's names of a platform: ``linux-x86_64`` and ``manylinux_2_28_x86_64`` are linux, amd64."""
    system = "darwin" if platform.startswith("macosx") else "linux"
    (architecture,) = {krew for name, krew in _ARCHITECTURES.items() if platform.endswith(name)}
    return {"os": system, "arch": architecture}


if __name__ == "__main__":
    sys.exit(main())
