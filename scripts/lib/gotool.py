"""Run the go command so that nothing but the committed files decides what it builds."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

NEWEST: Final = "go1.26.8"
"""The toolchain of every program whose answers do not depend on the Go that built it."""


class GoError(Exception):
    """Go, one of the programs that it builds, or its module proxy failed; the message says what of it."""


def environment(toolchain: str, **more: str) -> Mapping[str, str]:
    """Return the environment of a go command, without the caller's GOFLAGS, GOWORK and GOTOOLCHAIN."""
    own = {
        "GOTOOLCHAIN": toolchain,
        "GOFLAGS": "-buildvcs=false",
        "GOWORK": "off",
        "CGO_ENABLED": "0",
    }
    return {**os.environ, **own, **more}


def run(*command: str, directory: Path, environ: Mapping[str, str]) -> str:
    """Run a command and return what it prints.

    Raises:
        GoError: it failed, or is not installed; with its own output.
    """
    done = _call(command, directory, environ)
    if done.returncode:
        raise GoError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def download(module: str) -> Path:
    """Return the directory of a Go module (``k8s.io/api@v0.36.3``), downloaded into the module cache.

    Raises:
        GoError: the module proxy does not have it.
    """
    command = ("go", "mod", "download", "-json", module)
    with tempfile.TemporaryDirectory() as directory:  # outside of any module, so that no go.mod has a say
        done = _call(command, Path(directory), environment(NEWEST, GOFLAGS=""))
    answer: dict[str, Any] = json.loads(done.stdout or "{}")
    if "Dir" not in answer:
        raise GoError(f"{module}: {answer.get('Error') or done.stderr.strip()}")
    return Path(answer["Dir"])


def _call(
    command: Sequence[str], directory: Path, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=directory, env=environ, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise GoError(f"{command[0]} is not installed") from error
