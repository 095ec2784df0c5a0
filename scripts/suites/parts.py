"""Put modules of other versions, directories of modules, and stand-ins into the module of a kubelet.

kubelets.json has them by the module that they replace; its ``about`` says how a version is written.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from scripts.lib import gotool
from scripts.lib.paths import SCRIPTS
from scripts.suites import godeps, patches

_STANDINS: Final = SCRIPTS / "suites" / "standins"
_STANDIN: Final = "stand-in"
"""The version of a module that has nothing but what is in _STANDINS below its name."""
_LOGRUS: Final = '"github.com/%sirupsen/logrus"'
"""A module that Go refuses in both spellings in one program; the older one begins with a capital."""


def replacements(module: Path, replaced: Mapping[str, str]) -> Iterator[str]:
    """Yield the edits of go.mod that take modules in other versions, others, or nothing in their place."""
    for name, version in replaced.items():
        if not version:
            yield patches.empty(module, name)
        elif _is_made(name, version):
            yield f"-replace={name}=./{_made(name, version, module)}"
        elif "@" in version:
            yield f"-replace={name}={version}"
        else:
            yield f"-replace={name}={name}@{version}"


def required(replaced: Mapping[str, str]) -> Iterator[str]:
    """Yield the edits that require modules which Godeps.json does not pin, or not in these versions."""
    for name, version in replaced.items():
        if version:
            made = version == _STANDIN or "@" in version
            yield f"-require={name}@{godeps.UNPUBLISHED if made else version}"


def _is_made(name: str, version: str) -> bool:
    """Return whether a module is made here: a stand-in, or a directory of a module in a version."""
    whole, at, _ = version.partition("@")
    return version == _STANDIN or (at == "@" and f"{name}/".startswith(f"{whole}/"))


def _made(name: str, version: str, module: Path) -> Path:
    """Make a module of a stand-in, or of a directory of a module in a version, with what is to be added."""
    if version == _STANDIN:
        return godeps.part(_STANDINS / name, name, module)
    whole = version.partition("@")[0]
    place = godeps.part(gotool.download(version) / name.removeprefix(whole).lstrip("/"), name, module)
    if (_STANDINS / name).exists():
        shutil.copytree(_STANDINS / name, module / place, dirs_exist_ok=True)
    _spell_logrus(module / place)
    return place


def _spell_logrus(directory: Path) -> None:
    """Import logrus by its older name, as all do that is built with what is made here."""
    for path in directory.rglob("*.go"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(_LOGRUS % "s", _LOGRUS % "S"), encoding="utf-8")


def standins(replaced: Mapping[str, str]) -> str:
    """Return all that takes part of _STANDINS."""
    made = [name for name, version in replaced.items() if _is_made(name, version)]
    paths = sorted(path for name in made for path in (_STANDINS / name).rglob("*.go"))
    return "".join(path.read_text(encoding="utf-8") for path in paths)
