"""Small helpers that several tests share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"


def rows(name: str) -> list[Any]:
    """Read a file of JSON lines from the data that Go made."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
