"""The pictures in docs/images are taken by a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.docs import screenshots
from tests.helpers.program import ROOT

pytestmark = pytest.mark.browser


@pytest.mark.full
def test_every_picture_is_taken_in_its_size(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "scripts.docs.screenshots", tmp_path], check=True, cwd=ROOT)
    committed = ROOT / "docs" / "images"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in committed.glob("*.png")
    )
    for name, picture in screenshots.PICTURES.items():
        head = (tmp_path / f"{name}.png").read_bytes()[:24]
        assert (head[:8], head[16:20], head[20:24]) == (
            b"\x89PNG\r\n\x1a\n",
            picture.viewport["width"].to_bytes(4),
            picture.viewport["height"].to_bytes(4),
        )
