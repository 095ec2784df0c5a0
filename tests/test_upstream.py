"""What Kubernetes has published that the release data lack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import taking, upstream
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
    ("releases", "missing"),
    [
        ({"1.36": [0, 1], "1.37": [0]}, []),
        ({"1.36": [0]}, []),  # the proxy may lack what upstream published
        ({"1.36": [0, 1, 2, 3]}, ["releases.json lacks 1.36.2, 1.36.3"]),
        ({"1.38": [0]}, ["1.38 is out, and releases.json has no row for it"]),
    ],
)
def test_new_patch_releases_and_minors_are_named(releases: dict[str, list[int]], missing: list[str]) -> None:
    assert list(upstream.unknown_releases(KNOWN, releases)) == missing


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("HashContainer", "func HashContainer(container *v1.Container) uint64 {"),
        ("HashContainerAgain", "func (m *manager) HashContainerAgain(container *v1.Container) uint64 {"),
    ],
)
def test_a_function_is_read_to_its_closing_brace(name: str, text: str) -> None:
    function = upstream.function_text(SOURCE, name)
    assert function.startswith(text)
    assert function.endswith("\n}")
    assert function.count("func ") == 1


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


def test_a_patch_release_is_taken_into_its_minor() -> None:
    text = RELEASES.read_text()
    rows = json.loads(text)["releases"]
    changed = json.loads(taking.with_patch(text, rows[-2]["minor"], "99", "2027-01-01"))["releases"]
    assert changed[-2] == {**rows[-2], "patches": {**rows[-2]["patches"], "99": "2027-01-01"}}
    assert [*changed[:-2], changed[-1]] == [*rows[:-2], rows[-1]]


def test_a_minor_is_taken_after_the_newest() -> None:
    text = RELEASES.read_text()
    rows = json.loads(text)["releases"]
    row = {**rows[-1], "minor": "1.99", "patches": {"0": "2030-01-01"}}
    assert json.loads(taking.with_minor(text, row))["releases"] == [*rows, row]


def test_the_newest_row_of_a_minors_types_becomes_the_release() -> None:
    path = taking._TYPES
    text, rows = path.read_text(), load(path)
    changed = json.loads(taking.with_types(text, "1.36.99", is_new=False))
    (at,) = (number for number, row in enumerate(rows) if row != changed[number])
    assert rows[at]["release"].startswith("1.36.")
    assert changed[at]["release"] == "1.36.99"
    assert changed[at]["module"] == "k8s.io/api@v0.36.99"
    newest = rows[-1]["release"].rpartition(".")[0]
    made_from = json.loads(taking.with_types(text, f"{newest}.99", is_new=False))[-1]["madeFrom"]
    assert made_from == f"k8s.io/api kubernetes-{newest}.99 core/v1/types.go"
    added = json.loads(taking.with_types(text, "1.99.0", is_new=True))
    assert added == [*rows, {"release": "1.99.0", "module": "k8s.io/api@v0.99.0", "file": "core/v1/types.go"}]


def test_the_modules_of_a_minor_are_those_before_with_its_versions(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(
        "module k8s.io/kubernetes\n\nrequire (\n\tgithub.com/google/cadvisor/lib v0.70.0\n"
        "\tk8s.io/klog/v2 v2.9.0\n)\n"
    )
    row = load(taking._LISTS[2])[-1]
    after = taking.row_after(row, "1.99.0", taking.requirements(tmp_path))
    assert (after["since"], after["release"]) == ("1.99", "1.99.0")
    assert after["modules"] == {
        "k8s.io/kubernetes": "v1.99.0",
        "github.com/google/cadvisor/lib": "v0.70.0",
        "k8s.io/component-base": "v0.99.0",
        "k8s.io/klog/v2": "v2.9.0",
        "k8s.io/kubelet": "v0.99.0",
    }


@pytest.mark.parametrize("version", ["1.37.0", "1.38", "1.38.0-alpha.2"])
def test_only_new_releases_are_taken(version: str) -> None:
    with pytest.raises(ValueError, match=r"known already|is no release"):
        taking.take(version)


def test_taking_a_release_prints_what_is_left_to_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = load(upstream.WATCHED)
    first = watched["functions"][0]
    (tmp_path / first["file"]).parent.mkdir(parents=True)
    (tmp_path / first["file"]).write_text(SOURCE)
    monkeypatch.setattr(upstream, "download", lambda _: tmp_path)
    monkeypatch.setattr(taking, "take", lambda _: ["docs"])
    monkeypatch.setattr(taking, "make", lambda names: [f"{name}: identical" for name in names])
    assert upstream.main(["--take", "1.99.0"]) == 2
    out = capsys.readouterr().out
    read = list(watched["read"].values())[-1]["release"]
    assert out.startswith("docs: identical\nTo do: hazards.json")
    assert f"To do: {first['file']}: {first['name']}, as it was in {read}" in out
    assert "(gone)" in out
    monkeypatch.setattr(upstream, "checksums", lambda *_: {})
    assert upstream.main(["--take", "1.37.99"]) == 0
    assert "nothing is left to read" in capsys.readouterr().out
