"""Module files of Go programs: the table of rows, its checksums, and what a row becomes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scripts import build, modules
from scripts.lib import gomodules
from scripts.lib.gomodules import SUMS, Row
from scripts.lib.gotool import GoError
from scripts.lib.paths import SCRIPTS

CONTAINERS = SCRIPTS / "golden" / "containers"
ROWS = [(program, name) for program, rows in gomodules.table().items() for name in rows]

ROW = Row(
    module="example.io/program",
    go="1.22",
    require={"example.io/common": "v0.0.0", "k8s.io/api": "v0.30.1"},
    indirect={"sigs.k8s.io/yaml": "v1.1.0", "k8s.io/apimachinery": "v0.0.0"},
    replace={
        "example.io/common": "../common",
        "sigs.k8s.io/yaml": "github.com/ghodss/yaml v1.0.0",
        "k8s.io/apimachinery": "v0.30.1",
    },
)
TEXT = """\
module example.io/program
go 1.22
require example.io/common v0.0.0
require k8s.io/api v0.30.1
require sigs.k8s.io/yaml v1.1.0 // indirect
require k8s.io/apimachinery v0.0.0 // indirect
replace example.io/common => ../common
replace sigs.k8s.io/yaml => github.com/ghodss/yaml v1.0.0
replace k8s.io/apimachinery => k8s.io/apimachinery v0.30.1
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let module files be written to a directory of one's own."""
    monkeypatch.setattr(gomodules, "_PLACE", tmp_path)
    return tmp_path


def test_a_row_says_what_a_module_file_says() -> None:
    assert ROW.text() == TEXT
    assert list(ROW.pinned()) == [
        ("k8s.io/api", "v0.30.1"),
        ("github.com/ghodss/yaml", "v1.0.0"),
        ("k8s.io/apimachinery", "v0.30.1"),
    ]


def test_a_module_file_is_written_with_the_checksums_of_all_and_only_where_it_differs(place: Path) -> None:
    path = gomodules.write(CONTAINERS, "1.36")
    assert path == place / "golden" / "containers" / "1.36.mod"
    assert path.read_text() == gomodules.find(CONTAINERS, "1.36").text()
    assert path.with_suffix(".sum").read_bytes() == SUMS.read_bytes()
    before = path.stat().st_mtime_ns
    path.with_suffix(".sum").write_text("")
    gomodules.write(CONTAINERS, "1.36")
    assert path.stat().st_mtime_ns == before
    assert path.with_suffix(".sum").read_bytes() == SUMS.read_bytes()
    assert sorted(each.name for each in path.parent.iterdir()) == ["1.36.mod", "1.36.sum"]


@pytest.mark.parametrize(("program", "name"), ROWS, ids=[f"{program} {name}" for program, name in ROWS])
def test_a_row_has_a_checksum_for_what_it_requires(program: str, name: str) -> None:
    known = {tuple(line.split()[:2]) for line in SUMS.read_text().splitlines()}
    pinned = gomodules.find(SCRIPTS / program, name).pinned()
    missing = [module for module in pinned if not known & {module, (module[0], f"{module[1]}/go.mod")}]
    assert set(missing) <= {("gopkg.in/yaml.v2", "v2.2.1")}  # no package of it is imported


def test_checksums_are_sorted_and_one_for_each_version() -> None:
    lines = SUMS.read_text().splitlines()
    assert lines == sorted(lines)
    assert [line for line in lines if not re.fullmatch(r"\S+ v\S+ h1:[A-Za-z0-9+/]{43}=", line)] == []
    assert len({line.rpartition(" ")[0] for line in lines}) == len(lines)


def test_every_row_is_a_programs() -> None:
    described = [program for name in build.CHOICES for program in build.programs(name).values()]
    used = {
        (gomodules.program_of(program.module), program.modules) for program in described if program.modules
    }
    assert {row for row in ROWS if row[0] != "suites/patches"} == used


def test_a_fingerprint_changes_with_the_row_and_its_checksums_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str = "1.36") -> bytes:
        return gomodules.fingerprint(CONTAINERS, name)

    before, sums = found(), gomodules._sums()
    assert before != found("1.37")
    monkeypatch.setattr(gomodules, "_sums", lambda: (*sums, "example.io/other v1.0.0 h1:x="))
    assert found() == before
    version = gomodules.find(CONTAINERS, "1.36").versions["k8s.io/api"]
    for suffix in ("", "/go.mod"):
        monkeypatch.setattr(
            gomodules, "_sums", lambda suffix=suffix: (f"k8s.io/api {version}{suffix} h1:x=",)
        )
        assert found() != before


@pytest.mark.parametrize(
    ("versions", "problem"),
    [
        ({"k8s.io/api": "v0.36.2"}, "golden/containers 1.36 does not require k8s.io/api v0.36.2"),
        ({"example.io/x": "v1.0.0"}, "golden/containers 1.36 does not require example.io/x v1.0.0"),
    ],
)
def test_a_row_of_another_release_is_refused(versions: dict[str, str], problem: str) -> None:
    with pytest.raises(GoError, match=re.escape(problem)):
        gomodules.require(CONTAINERS, "1.36", versions)


def test_an_unknown_row_is_an_error_that_names_the_others() -> None:
    with pytest.raises(GoError, match=r"^modules\.json has no golden/containers 1\.99; there are 1\.0, 1\.1"):
        gomodules.find(CONTAINERS, "1.99")
    with pytest.raises(GoError, match=r"has no golden/values 1\.36; there are none$"):
        gomodules.write(SCRIPTS / "golden" / "values", "1.36")


def test_the_command_writes_and_copies(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert modules.main(["write", "golden/containers", "1.36"]) == 0
    assert modules.main(["copy", "golden/containers", "1.36", "1.99"]) == 0
    old, new = map(Path, capsys.readouterr().out.splitlines())
    assert new == place / "golden" / "containers" / "1.99.mod"
    assert new.read_bytes() == old.read_bytes()
    assert new.with_suffix(".sum").read_bytes() == SUMS.read_bytes()
    assert modules.main(["write", "golden/containers", "1.99"]) == 1
    assert "modules.json has no golden/containers 1.99" in capsys.readouterr().err


def test_what_is_taken_is_saved_with_its_checksums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, sums = tmp_path / "modules.json", tmp_path / "modules.sum"
    table.write_text('{"a": {"1.1": {"module": "m", "go": "1.21", "require": {}}}}')
    sums.write_text("b v1 h1:b=\n")
    monkeypatch.setattr(modules, "TABLE", table)
    monkeypatch.setattr(modules, "SUMS", sums)
    row = {"module": "m", "go": "1.22", "require": {"c": "v1"}, "indirect": {}, "replace": {}}
    modules.save("a", "1.2", row, "c v1 h1:c=\nb v1 h1:b=\na v1 h1:a=\n")
    assert json.loads(table.read_text())["a"]["1.2"] == {"module": "m", "go": "1.22", "require": {"c": "v1"}}
    assert sums.read_text() == "a v1 h1:a=\nb v1 h1:b=\nc v1 h1:c=\n"
