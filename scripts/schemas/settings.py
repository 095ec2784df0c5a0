"""Make the JSON Schemas of settings files from the structs by which they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.sources.files.settings import FILES
from scripts.lib.generated import Generated
from scripts.lib.paths import ROOT

_DIRECTORY: Final = ROOT / "schemas" / "settings"


def make() -> dict[Path, bytes]:
    """Return a schema for each kind of file."""
    return {
        _DIRECTORY.relative_to(ROOT) / f"{name}.schema.json": _text(msgspec.json.schema(kind))
        for name, kind in FILES.items()
    }


def _text(schema: object) -> bytes:
    return (json.dumps(schema, indent=1) + "\n").encode()


GENERATED: Final = Generated(make, owned=("schemas/settings/*",))
