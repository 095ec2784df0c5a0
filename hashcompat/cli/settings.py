"""Where a setting comes from: a flag, else the environment, else the nearest settings file that has it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.errors import InputError, UsageError
from hashcompat.model.near import near
from hashcompat.sources.files import settings

_PREFIX: Final = "HASHCOMPAT_GATE_"

_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}

KEYS: Final[Mapping[str, bool]] = {
    field.encode_name: bool in getattr(field.type, "__args__", ())
    for field in msgspec.structs.fields(settings.Gate)
}
"""The settings of ``gate``, each with whether it is true or false."""


class Setting(msgspec.Struct, frozen=True):
    """One value, as text, and where it was given."""

    text: str
    place: str
    """The flag, the variable or the file with its key, for messages."""
    directory: Path | None = None
    """What the name of a file is relative to; None for the working directory."""

    @property
    def file(self) -> str:
        """The name of the file that it is."""
        if self.directory is None or self.text.startswith(("http://", "https://")):
            return self.text
        return str(self.directory / self.text)


def settled(flags: Mapping[str, str]) -> dict[str, Setting]:
    """Return every setting that is given anywhere, by its key; ``flags`` are those of the command line.

    Raises UsageError for a variable of an unknown setting, and InputError, with file and line, for a settings
    file that is wrong.
    """
    found: dict[str, Setting] = {}
    for path in reversed(_files()):
        if path.is_file():
            found |= _of_file(path)
    found |= dict(_of_environment())
    return found | {key: Setting(text, f"--{key}") for key, text in flags.items()}


def is_on(found: Mapping[str, Setting], key: str) -> bool:
    """Return whether a setting that is true or false is true."""
    return key in found and _BOOLEANS[found[key].text]


def _files() -> tuple[Path, ...]:
    """Return where settings files may be, the first one before the second."""
    from platformdirs import user_config_path

    chosen = os.environ.get("HASHCOMPAT_CONFIG")
    user = Path(chosen) if chosen else user_config_path("hashcompat", appauthor=False)
    return Path(settings.FILE), user / settings.FILE


def _of_file(path: Path) -> dict[str, Setting]:
    gate = settings.settings(path)
    rows = msgspec.to_builtins(gate)
    if not isinstance(rows, dict):  # what msgspec makes of a struct
        raise InputError(f"{path}: want a mapping")
    return {key: Setting(_text(value), f"{path}: {key}", path.parent) for key, value in rows.items()}


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _of_environment() -> Iterator[tuple[str, Setting]]:
    for name, value in sorted(os.environ.items()):
        if not name.startswith(_PREFIX):
            continue
        key = name.removeprefix(_PREFIX).lower().replace("_", "-")
        if key not in KEYS:
            close = near(key, KEYS, most=1) or list(KEYS)
            names = ", ".join(f"{_PREFIX}{one.upper().replace('-', '_')}" for one in close)
            raise UsageError(f"{name}: no such setting; near it: {names}")
        if KEYS[key] and value.lower() not in _BOOLEANS:
            raise UsageError(f"{name}: want true or false")
        if value:
            yield key, Setting(value.lower() if KEYS[key] else value, name)
