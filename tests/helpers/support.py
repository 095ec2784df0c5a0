"""Small helpers that several tests share."""

from __future__ import annotations

import json
from typing import Any

from tests.helpers.program import GOLDEN

VALUES = GOLDEN / "values"


def rows(name: str) -> list[Any]:
    """Read a file of JSON lines from the data that Go made."""
    return [json.loads(line) for line in (VALUES / name).read_text(encoding="utf-8").splitlines()]
