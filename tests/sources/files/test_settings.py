"""Settings files and files of exceptions: what is wrong is reported with its line and the nearest key."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml, yamlevents
from hashcompat.core.go.yaml import load_all
from hashcompat.core.policies.exceptions import Names
from hashcompat.sources.files import settings
from tests.helpers.program import ROOT

DIRECTORY = ROOT / "schemas" / "settings"
ROW = "exceptions:\n- owner: a/b/c\n  reason: known\n  expires: {}\n"

GOOD = {
    "settings": [
        "gate: {}",
        "gate:\n  max-restarts: 3\n  max-per-owner: 12.5%\n  fail-on: [kill, pdb]\n  strict: true\n",
        "gate:\n  plan-max-age: 1h30m\n  cluster-uid: 1-2\n  preflight: a.json\n  report-only: false\n",
        "gate:\n  max-age: 24h\n",
    ],
    "exceptions": [
        "exceptions: []",
        ROW.format("2026-01-31"),
        ROW.format("2026-01-31").replace("owner", "container"),
    ],
}

BAD = {
    "settings": [
        (
            "gate:\n  strict: true\n  max-restart: 3\n",
            "line 3: gate.max-restart: unknown key; did you mean max-restarts?",
        ),
        ("gat: {}", "line 1: gat: unknown key; did you mean gate?"),
        ("max-restarts: 3", "line 1: max-restarts: unknown key; max-restarts goes below gate"),
        ("gate: {}\nmaxRestarts: 3", "line 2: maxRestarts: unknown key; max-restarts goes below gate"),
        ("namespaces: []", "line 1: namespaces: unknown key; the key is gate"),
        ("gate:\n  zzz: 1", "line 2: gate.zzz: unknown key; the keys are max-restarts, max-per-owner"),
        (
            "gate:\n  max-restarts: -1",
            "line 2: gate.max-restarts: want a number of findings, such as 10, or a",
        ),
        ("gate:\n  max-per-node: 5 %", "line 2: gate.max-per-node: want a number of findings"),
        ("gate:\n  max-per-node: true", "line 2: gate.max-per-node: want a number of findings"),
        (
            "gate:\n  fail-on:\n  - kill\n  - kil",
            "line 4: gate.fail-on[1]: want a list of some of restart, kill",
        ),
        ("gate:\n  fail-on: kill", "line 2: gate.fail-on: want a list of some of"),
        ("gate:\n  fail-on: []", "line 2: gate.fail-on: want a list of some of"),
        ("gate:\n  plan-max-age: 1d", "line 2: gate.plan-max-age: want a duration, such as 24h"),
        ("gate:\n  max-age: 1d", "line 2: gate.max-age: want a duration, such as 24h"),
        ("gate:\n  strict: yes please", "line 2: gate.strict: want true or false"),
        ("gate:\n  baseline: ''", "line 2: gate.baseline: want the name of a file"),
        ("gate:\n  cluster-uid: ' '", "line 2: gate.cluster-uid: want the UID of the namespace kube-system"),
        ("# policy\ngate: []", "line 2: gate: want a mapping with max-restarts, max-per-owner"),
        ("- 1", "line 1: want a mapping with gate"),
    ],
    "exceptions": [
        (
            "exceptions:\n- owner: a/b/c\n  expires: 2026-01-31",
            "line 2: exceptions[0].reason: missing: want a text",
        ),
        (
            "exceptions:\n- owner: a/b/c\n  reason: x",
            "line 2: exceptions[0].expires: missing: want a day, such as",
        ),
        (ROW.format("soon"), "line 4: exceptions[0].expires: want a day, such as 2026-03-31"),
        (ROW.format("2026-01-31").replace("known", "' '"), "line 3: exceptions[0].reason: want a text"),
        (
            ROW.format("2026-01-31").replace("a/b/c", "a/b"),
            "line 2: exceptions[0].owner: want NAMESPACE/KIND/NAME",
        ),
        (
            ROW.format("2026-01-31").replace("owner", "ownr"),
            "line 2: exceptions[0].ownr: unknown key; did you mean owner?",
        ),
        ("", "empty; want YAML"),
        ("{}", "line 1: exceptions: missing: want a list"),
        ("exceptions: 5", "line 1: exceptions: want a list"),
        ("exceptions:\n- 5", "line 2: exceptions[0]: want a mapping with reason, expires, owner, container"),
    ],
}
BEYOND_SCHEMA = [
    ("a: 1\nSECRET: 1\n", "line 1: unknown key; the key is exceptions"),
    (ROW.format("2026-02-30"), "line 4: exceptions[0].expires: want a day, such as 2026-03-31"),
    (
        ROW.format("2026-01-31").replace("  reason", "  container: a/b/c\n  reason"),
        "line 2: exceptions[0]: want either",
    ),
    (
        "exceptions:\n- reason: x\n  expires: 2026-01-31",
        "line 2: exceptions[0]: want either owner or container",
    ),
    ("exceptions: []\n---\nexceptions: []", "more than one document"),
    ("exceptions: [", "not valid YAML"),
    ("exceptions: []\nexceptions: []", "appears twice"),
]
READERS: dict[str, Any] = {"settings": settings.settings, "exceptions": settings.exemptions}


def written(directory: Path, text: str) -> Path:
    path = directory / "x.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in GOOD.items() for text in texts])
def test_what_is_right_is_read_and_fits_the_schema(tmp_path: Path, kind: str, text: str) -> None:
    READERS[kind](written(tmp_path, text))
    assert schema_errors(kind, text) == []


@pytest.mark.parametrize(
    ("kind", "text", "why"), [(kind, text, why) for kind, rows in BAD.items() for text, why in rows]
)
def test_what_is_wrong_is_refused_and_does_not_fit_the_schema(
    tmp_path: Path, kind: str, text: str, why: str
) -> None:
    assert why in refused(tmp_path, kind, text)
    assert schema_errors(kind, text) != []


@pytest.mark.parametrize(("text", "why"), BEYOND_SCHEMA)
def test_more_than_a_schema_can_say_is_refused(tmp_path: Path, text: str, why: str) -> None:
    assert why in refused(tmp_path, "exceptions", text)


def refused(directory: Path, kind: str, text: str) -> str:
    path = written(directory, text)
    with pytest.raises(InputError) as caught:
        READERS[kind](path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


def schema_errors(kind: str, text: str) -> list[str]:
    document: object = next(load_all(text), {})
    schema = json.loads((DIRECTORY / f"{kind}.schema.json").read_text())
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("kind", settings.FILES)
def test_the_schema_that_ships_is_that_of_the_reader(kind: str) -> None:
    made = msgspec.json.schema(settings.FILES[kind])
    assert json.loads((DIRECTORY / f"{kind}.schema.json").read_text()) == made


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory, expected a file"):
        settings.settings(tmp_path)


def test_exceptions_know_their_place(tmp_path: Path) -> None:
    path = written(tmp_path, ROW.format("2026-01-31"))
    (exemption,) = settings.exemptions(path)
    assert (exemption.names, exemption.pattern, exemption.reason) == (Names.OWNER, "a/b/c", "known")
    assert (exemption.expires, exemption.place) == (date(2026, 1, 31), f"{path}: line 2")


def test_a_file_of_exceptions_is_parsed_as_often_whatever_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = []

    class Counted(yamlevents.Events):
        def __init__(self, chunks: Iterable[str]) -> None:
            parsed.append(1)
            super().__init__(chunks)

    monkeypatch.setattr(yaml, "Events", Counted)
    monkeypatch.setattr(yamlevents, "Events", Counted)
    row = "- {owner: a/b/c, reason: x, expires: 2026-01-31}\n"
    for number in (1, 8, 512):
        parsed.clear()
        path = written(tmp_path, f"exceptions:\n{row * number}")
        assert settings.exemptions(path)[-1].place == f"{path}: line {number + 1}"
        assert len(parsed) == 2


@pytest.mark.parametrize("pattern", ["[" * 20_000, "*a" * 17, "x" * 1100])
def test_a_pattern_that_takes_long_to_compare_is_refused(tmp_path: Path, pattern: str) -> None:
    text = ROW.format("2026-01-31").replace("a/b/c", f"'a/b/{pattern}'")
    assert "line 2: exceptions[0].owner: want" in refused(tmp_path, "exceptions", text)


@pytest.mark.parametrize("name", ["-", "https://example.com/b", "HTTP://x", "ftp://x"])
@pytest.mark.parametrize("key", ["preflight", "exceptions", "baseline", "verify-key"])
def test_a_settings_file_names_no_url_and_no_standard_input(tmp_path: Path, key: str, name: str) -> None:
    text = f"gate:\n  {key}: '{name}'\n"
    assert f"line 2: gate.{key}: want the name of a file, no URL" in refused(tmp_path, "settings", text)
    assert schema_errors("settings", text) != []
