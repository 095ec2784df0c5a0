"""What Kubernetes has published that the release data lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import upstream
from scripts.lib.gotool import GoError
from scripts.lib.paths import RELEASES
from scripts.schemas.trees import load

KNOWN = [{"minor": "1.36", "patches": {"0": "", "1": ""}}, {"minor": "1.37", "patches": {"0": ""}}]
SOURCE = """package p

// HashContainer returns the hash.
func HashContainer(container *v1.Container) uint64 {
	if container == nil {
		return 0
	}
	return 1
}

func (m *manager) HashContainerAgain(container *v1.Container) uint64 {
	return 2
}
"""


def test_versions_are_releases_by_minor_without_those_before_they_are_named_so() -> None:
    versions = ["v0.16.9", "v0.36.10", "v0.36.2", "v0.37.0-rc.0", "v0.37.0", "v1.5.0"]
    assert upstream.published(versions) == {"1.36": [2, 10], "1.37": [0]}


@pytest.mark.parametrize(
    ("found", "missing"),
    [
        ({"1.36": [0, 1], "1.37": [0]}, []),
        ({"1.36": [0]}, []),  # the proxy may lack what upstream published
        ({"1.36": [0, 1, 2, 3]}, ["releases.json lacks 1.36.2, 1.36.3"]),
        ({"1.38": [0]}, ["1.38 is out, and releases.json has no row for it"]),
    ],
)
def test_new_patch_releases_and_minors_are_named(found: dict[str, list[int]], missing: list[str]) -> None:
    assert list(upstream.unknown_releases(KNOWN, found)) == missing


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("HashContainer", "func HashContainer(container *v1.Container) uint64 {"),
        ("HashContainerAgain", "func (m *manager) HashContainerAgain(container *v1.Container) uint64 {"),
    ],
)
def test_a_function_is_read_to_its_closing_brace(name: str, text: str) -> None:
    found = upstream.function_text(SOURCE, name)
    assert found.startswith(text)
    assert found.endswith("\n}")
    assert found.count("func ") == 1


def test_a_changed_function_and_one_that_is_gone_are_named(tmp_path: Path) -> None:
    functions = [{"file": "hash.go", "name": name} for name in ("HashContainer", "HashContainerAgain")]
    (tmp_path / "hash.go").write_text(SOURCE)
    read = {"release": "1.36.0", "sha256": upstream.checksums(tmp_path, functions)}
    assert list(upstream.changed_functions(read, "1.36.1", upstream.checksums(tmp_path, functions))) == []
    (tmp_path / "hash.go").write_text(SOURCE.replace("return 1", "return 3").replace("Again", ""))
    now = upstream.checksums(tmp_path, functions)
    assert now["hash.go HashContainerAgain"] == "gone"
    assert list(upstream.changed_functions(read, "1.36.1", now)) == [
        f"hash.go {name} changed between 1.36.0 and 1.36.1: read it, then run --accept"
        for name in ("HashContainer", "HashContainerAgain")
    ]


def test_a_minor_without_a_source_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(module: str) -> Path:
        raise GoError(f"{module}: not available")

    monkeypatch.setattr(upstream, "download", refuse)
    with pytest.raises(GoError, match=r"v1\.36\.0: not available"):
        upstream.newest_source("1.36", [0, 1])


def test_the_data_and_the_watched_functions_are_of_the_same_minors() -> None:
    rows = load(RELEASES)["releases"]
    assert list(load(upstream.WATCHED)["read"]) == [row["minor"] for row in rows[-4:]]
