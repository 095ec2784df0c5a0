"""Where a setting comes from: flags, the environment, ./.hashcompat.yaml, the user's own, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hashcompat.cli.args.gate import KEYS, settled_settings
from hashcompat.core.errors import UsageError
from hashcompat.core.policies import PolicySetting, is_on


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return the settings file of the working directory and the user's, both missing."""
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HASHCOMPAT_CONFIG", str(home))
    return here / ".hashcompat.yaml", home / ".hashcompat.yaml"


def settled(flags: Mapping[str, str]) -> Mapping[str, PolicySetting]:
    return settled_settings(flags).settings


def test_the_nearest_place_of_each_setting_counts(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, user = places
    names = ("max-restarts", "max-per-owner", "max-per-node", "plan-max-age")
    user.write_text("gate: {max-restarts: 1, max-per-owner: 1, max-per-node: 1, plan-max-age: 1h}")
    project.write_text("gate: {max-restarts: 2, max-per-owner: 2, max-per-node: 2}")
    monkeypatch.setenv("HASHCOMPAT_GATE_MAX_RESTARTS", "3")
    monkeypatch.setenv("HASHCOMPAT_GATE_MAX_PER_OWNER", "3")
    settings = settled({"max-restarts": "4"})
    assert [settings[name].text for name in names] == ["4", "3", "2", "1h"]
    assert [settings[name].place for name in names] == [
        "--max-restarts",
        "HASHCOMPAT_GATE_MAX_PER_OWNER",
        ".hashcompat.yaml: max-per-node",
        f"{user}: plan-max-age",
    ]


def test_files_are_found_next_to_the_settings_that_name_them(places: tuple[Path, Path]) -> None:
    files = places[0].parent / "b.json", places[1].parent / "c.yaml"
    for file in files:
        file.touch()
    places[0].write_text(f"gate: {{baseline: a.json, preflight: {files[0]}}}")
    places[1].write_text("gate: {exceptions: c.yaml}")
    settings = settled({"baseline": "d.json", "verify-key": "https://example.com/key"})
    assert {key: setting.file for key, setting in settings.items()} == {
        "baseline": "d.json",
        "preflight": str(files[0]),
        "exceptions": str(files[1]),
        "verify-key": "https://example.com/key",
    }


@pytest.mark.parametrize(
    ("text", "on"), [("true", True), ("TRUE", True), ("1", True), ("false", False), ("0", False)]
)
@pytest.mark.usefixtures("places")
def test_a_variable_is_true_or_false(monkeypatch: pytest.MonkeyPatch, text: str, on: bool) -> None:
    monkeypatch.setenv("HASHCOMPAT_GATE_STRICT", text)
    assert is_on(settled({}), "strict") == on


@pytest.mark.usefixtures("places")
def test_the_variables_of_a_service_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for end in ("SERVICE_HOST", "SERVICE_PORT_HTTP", "PORT", "PORT_80_TCP_ADDR"):
        monkeypatch.setenv(f"HASHCOMPAT_GATE_{end}", "10.0.0.1")
    assert settled({}) == {}


@pytest.mark.usefixtures("places")
def test_a_variable_that_a_script_fills_a_flag_with_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HASHCOMPAT_MAX_AGE", "1h")
    assert settled({"max-age": "1h"})["max-age"].place == "--max-age"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("HASHCOMPAT_GATE_MAX_RESTART", "1", "no such setting; near it: HASHCOMPAT_GATE_MAX_RESTARTS"),
        ("HASHCOMPAT_MAX_AGE", "1h", "HASHCOMPAT_MAX_AGE: no such setting; near it: HASHCOMPAT_GATE_MAX_AGE"),
        ("HASHCOMPAT_GATE_ZZZZZZZZZZ", "1", "no such setting; near it: HASHCOMPAT_GATE_MAX_RESTARTS, HASH"),
        ("HASHCOMPAT_GATE_STRICT", "yes", "HASHCOMPAT_GATE_STRICT: want true or false"),
        ("HASHCOMPAT_GATE_STRICT", "", "HASHCOMPAT_GATE_STRICT: want true or false"),
        ("HASHCOMPAT_GATE_VERIFY_KEY", "", "HASHCOMPAT_GATE_VERIFY_KEY: the value is empty; give one, or do"),
        ("HASHCOMPAT_GATE_MAX_RESTARTS", "", "HASHCOMPAT_GATE_MAX_RESTARTS: the value is empty; give one"),
        ("HASHCOMPAT_CONFIG", "", "HASHCOMPAT_CONFIG: the value is empty; name a file, or do not set it"),
    ],
)
@pytest.mark.usefixtures("places")
def test_a_variable_that_is_wrong_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=why):
        settled({})


@pytest.mark.usefixtures("places")
def test_a_variable_that_is_not_set_sets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HASHCOMPAT_CONFIG")
    assert settled({}) == {}


def test_booleans_and_lists_of_a_file_are_text(places: tuple[Path, Path]) -> None:
    places[0].write_text("gate: {strict: true, report-only: false, fail-on: [kill, unknown]}")
    settings = settled({})
    assert {key: setting.text for key, setting in settings.items()} == {
        "strict": "true",
        "report-only": "false",
        "fail-on": "kill,unknown",
    }


def test_the_settings_that_are_true_or_false_are_known() -> None:
    assert [key for key, boolean in KEYS.items() if boolean] == ["strict", "report-only"]
