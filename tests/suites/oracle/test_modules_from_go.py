"""The module files of Go programs, as the go command reads them; it refuses what has another checksum."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from scripts import modules
from scripts.golden import yamllibs
from scripts.lib import gomodules
from scripts.lib.gotool import GoError
from scripts.lib.paths import SCRIPTS

pytestmark = pytest.mark.oracle

LOOSE = {"GOFLAGS": "-mod=mod", "GONOSUMDB": "*", "GONOSUMCHECK": "1", "GOSUMDB": "off"}
"""Settings of a caller with which Go itself would go on."""


@pytest.mark.parametrize("program", gomodules.table())
def test_go_reads_in_a_module_file_what_its_row_says(program: str) -> None:
    for name, row in gomodules.table()[program].items():
        assert modules.taken(gomodules.write(SCRIPTS / program, name)) == asdict(row), name


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        ("sigs.k8s.io/yaml v1.3.0 h1:AAAA", "checksum mismatch"),
        ("sigs.k8s.io/yaml v1.3.9 h1:a2Vc", "missing go.sum entry"),
    ],
    ids=["another checksum", "no checksum"],
)
def test_a_program_is_not_built_of_a_module_without_its_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str, problem: str
) -> None:
    text, right = gomodules.SUMS.read_text(), "sigs.k8s.io/yaml v1.3.0 h1:a2Vc"
    assert right in text
    (tmp_path / "modules.sum").write_text(text.replace(right, new))
    monkeypatch.setattr(gomodules, "SUMS", tmp_path / "modules.sum")
    monkeypatch.setattr(gomodules, "_PLACE", tmp_path)
    for name, value in LOOSE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(GoError, match=problem):
        replace(yamllibs.program("1.30"), binary=tmp_path / "yamllibs").build()
