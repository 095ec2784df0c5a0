"""Build and test the recipe of conda with rattler-build, from a channel that is made here.

    python conda.py RECIPE SOURCES WHEELS WORK

conda-forge cannot be reached where these tests run. In its place the channel has what the recipe names: this
Python, as a virtual environment below the prefix, and each wheel of a directory. SOURCES is the directory of
the source distribution. rattler-build solves, builds, installs, and runs the tests that the recipe has.
"""

from __future__ import annotations

import asyncio
import re
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import index  # type: ignore[import-not-found]
from rattler_build import (  # type: ignore[import-not-found]
    RenderConfig,
    Stage0Recipe,
    ToolConfiguration,
    VariantConfig,
    assemble_package,
)

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def packed(channel: Path, name: str, version: str, files: Path, depends: list[str]) -> None:
    """Put a directory into the channel as a package."""
    into = channel / "linux-64"
    into.mkdir(parents=True, exist_ok=True)
    assemble_package(
        name, version, "linux-64", "0", into, files_dir=files, depends=depends, compression_level=1
    )


def interpreter(channel: Path, work: Path) -> None:
    """Make the package of Python: where it is installed, it is a virtual environment of this one."""
    (work / "bin").mkdir(parents=True)
    for name in ("python", "python3", f"python{PYTHON}"):
        (work / "bin" / name).symlink_to(Path(sys.base_prefix) / "bin" / f"python{PYTHON}")
    home = Path(sys.base_prefix) / "bin"
    (work / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")
    (work / "lib" / f"python{PYTHON}" / "site-packages").mkdir(parents=True)
    (work / "lib" / f"python{PYTHON}" / "site-packages" / "README.txt").touch()
    version = ".".join(map(str, sys.version_info[:3]))
    packed(channel, "python", version, work, [])


def required(metadata: Any) -> Iterator[str]:
    """Yield what a wheel needs here, by its canonical name."""
    for line in metadata.get_all("Requires-Dist") or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield f"{canonicalize_name(requirement.name)} {requirement.specifier}".strip()


def unpacked(channel: Path, wheel: Path, work: Path, names: dict[str, str]) -> None:
    """Make the package of a wheel, under the name by which the recipe asks for it."""
    site = work / "lib" / f"python{PYTHON}" / "site-packages"
    with zipfile.ZipFile(wheel) as packed_wheel:
        packed_wheel.extractall(site)
    (path,) = site.glob("*.dist-info/METADATA")
    metadata = Parser().parsestr(path.read_text(encoding="utf-8"))
    depends = [
        re.sub(r"^\S+", lambda match: names.get(match[0], match[0]), requirement)
        for requirement in required(metadata)
    ]
    name = canonicalize_name(metadata["Name"])
    packed(channel, names.get(name, name), metadata["Version"], work, ["python", *depends])


def main() -> None:
    """Make the channel, and build from it."""
    recipe, sources, wheels, work = map(Path, sys.argv[1:])
    channel = work / "channel"
    text = recipe.read_text(encoding="utf-8")
    text = re.sub(r"(?<=url: )\S+/(?=hashcompat-)", f"{sources.resolve().as_uri()}/", text)
    (work / "recipe").mkdir(parents=True)
    (work / "recipe" / "recipe.yaml").write_text(text, encoding="utf-8")
    wanted = re.findall(r"^ +- ([A-Za-z][\w.-]*)", text, re.MULTILINE)
    names: dict[str, str] = {canonicalize_name(name): name for name in wanted}
    interpreter(channel, work / "python")
    for wheel in sorted(wheels.glob("*.whl")):
        unpacked(channel, wheel, work / wheel.stem, names)
    (channel / "noarch").mkdir(exist_ok=True)
    asyncio.run(index.index_fs(channel))
    (variant,) = Stage0Recipe.from_file(work / "recipe" / "recipe.yaml").render(
        VariantConfig(), RenderConfig()
    )
    variant.run_build(
        ToolConfiguration(test_strategy="native"),
        output_dir=work / "out",
        channels=[channel.resolve().as_uri()],
    )


if __name__ == "__main__":
    main()
