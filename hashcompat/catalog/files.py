"""Where the release data lies, and how its JSON files are read. No other module knows data paths."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hashcompat.errors import InputError

_PACKAGE = Path(__file__).resolve().parent.parent


def default_directory() -> Path:
    """Return the directory of the release data: inside the installed package, or beside it in a source checkout."""
    installed = _PACKAGE / "schemas"
    return installed if installed.is_dir() else _PACKAGE.parent / "schemas"


def user_directory() -> Path:
    """Return the directory of the releases that a user added: ``HASHCOMPAT_DATA``, or where such data lie on this system."""
    if chosen := os.environ.get("HASHCOMPAT_DATA"):
        return Path(chosen) / "releases"
    from platformdirs import user_data_path  # noqa: PLC0415 - the Python API imports nothing before it needs it

    return user_data_path("hashcompat", appauthor=False) / "releases"


def read_json(path: Path) -> Any:
    """Read one data file.

    Raises InputError, naming the file, when it is missing or damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot read release data: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: damaged release data: {error}") from error
