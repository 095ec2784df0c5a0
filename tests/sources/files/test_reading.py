"""Control characters in JSON: its parser refuses each, and they are what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources import content
from hashcompat.sources.files.collect import collect
from tests.helpers.pods import as_json, pod

CONTROLS = [chr(number) for number in (*range(0x09), *range(0x0E, 0x20))]


def dump() -> str:
    pods = [pod(name=f"p-{number}", metadata={"annotations": {"a": "x" * 40}}) for number in range(8)]
    return json.dumps(json.loads(as_json(*pods)), indent=4)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("control", CONTROLS, ids=ascii)
def test_a_control_character_is_named_wherever_it_is(
    control: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "_CHUNK", 500)
    whole, path = dump(), tmp_path / "c.json"
    for place in (0, 1, 5, whole.index('"annotations"') + 20, len(whole) // 2, len(whole) - 1, len(whole)):
        path.write_text(whole[:place] + control + whole[place:], newline="")
        problem = f"{path}: binary data at character {place}; want Kubernetes objects as JSON or YAML"
        with pytest.raises(InputError, match=f"^{re.escape(problem)}$"):
            collect((str(path),))


def test_what_is_wrong_before_a_control_character_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "_CHUNK", 500)
    whole, path = dump(), tmp_path / "c.json"
    path.write_text(f"{whole[:300]}nonsense{whole[300:]}\x07")
    with pytest.raises(InputError, match=r"line \d+ column \d+: not valid JSON"):
        collect((str(path),))


def test_a_control_character_in_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"kind: Pod\n{'# comment' * 70_000}\n\x07")
    with pytest.raises(InputError, match=r"c\.yaml: binary data at character 630011; want"):
        collect((str(path),))
