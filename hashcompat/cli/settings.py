"""Where a setting comes from: a flag, else the environment, else the nearest settings file that has it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.errors import UsageError
from hashcompat.gating.policy import Setting, Settled, is_boolean
from hashcompat.gating.policy import settled as joined
from hashcompat.model.kinds import near
from hashcompat.sources.files import settings

_PREFIX: Final = "HASHCOMPAT_GATE_"

_CONFIG: Final = "HASHCOMPAT_CONFIG"

_NONE: Final = "none"

KEYS: Final[Mapping[str, bool]] = {
    field.encode_name: bool in getattr(field.type, "__args__", ())
    for field in msgspec.structs.fields(settings.Gate)
}
"""The settings of ``gate``, each with whether it is true or false."""


def settled(flags: Mapping[str, str], config: str | None = None, forbidden: Collection[str] = ()) -> Settled:
    """Return every setting that counts, by its key; ``flags`` are those of the command line.

    ``config`` is the settings file, or ``none``; without it HASHCOMPAT_CONFIG and the usual places decide.
    Of ``forbidden`` keys no variable and no file counts. Raises UsageError for a variable of an unknown
    setting, and InputError, with file and line, for a settings file that is wrong, and for one, or a file
    that it names, which others may write.
    """
    files = [settings.settings_file(path, forbidden) for path in _files(config)]
    given = {key: value for key, value in _of_environment() if key not in forbidden}
    given |= {key: Setting(text, f"--{key}") for key, text in flags.items()}
    found = joined(given, files)
    settings.check_named(found)
    return found


def _files(config: str | None) -> Iterator[Path]:
    """Yield the settings files that there are, the nearest one first.

    A directory in HASHCOMPAT_CONFIG, as older versions took it, is that of the user's own. A file that is
    named must be there; of the others, whatever has the name is looked at.
    """
    from_flag = config is not None
    chosen = config if from_flag else os.environ.get(_CONFIG, "")
    if chosen == _NONE:
        return
    if from_flag or (chosen and not os.path.isdir(chosen)):  # noqa: PTH112 - a Path of an empty name is the working directory
        if chosen in ("", "-") or "://" in str(chosen):
            raise UsageError(f"{'--config' if from_flag else _CONFIG}: want a file, or none")
        yield Path(str(chosen))
        return
    from platformdirs import user_config_path

    user = Path(chosen) if chosen else user_config_path("hashcompat", appauthor=False)
    places = dict.fromkeys((Path(settings.FILE), user / settings.FILE))
    yield from (path for path in places if os.path.lexists(path))


def _of_environment() -> Iterator[tuple[str, Setting]]:
    for name, value in sorted(os.environ.items()):
        if not name.startswith(_PREFIX):
            continue
        key = name.removeprefix(_PREFIX).lower().replace("_", "-")
        if key not in KEYS:
            close = near(key, KEYS, most=1) or list(KEYS)
            names = ", ".join(f"{_PREFIX}{one.upper().replace('-', '_')}" for one in close)
            raise UsageError(f"{name}: no such setting; near it: {names}")
        if KEYS[key] and not is_boolean(value.lower()):
            raise UsageError(f"{name}: want true or false")
        if value:
            yield key, Setting(value.lower() if KEYS[key] else value, name)
