"""Directories of manifests: what holds no Kubernetes objects is skipped and named; a named file never is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from hashcompat import InputError
from tests.helpers.bundles import packed
from tests.helpers.pods import as_json, pod
from tests.helpers.program import Run

PLAN = ("plan", "--from", "1.30", "--to", "1.31", "-o", "json")
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"
DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: '{{ .Release.Name }}'}\n"
    "spec: {template: {spec: {containers: [{name: c, image: '{{ .Values.image }}'}]}}}\n"
)
OTHERS = {
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/values.yaml": "replicas: 1\n",
    "chart/templates/web.yaml": DEPLOYMENT,
    "chart/templates/tests/web.yaml": "{{- if .Values.x }}\nkind: Pod\n{{- end }}\n",
    "chart/charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
    "chart/charts/sub/templates/sub.yaml": DEPLOYMENT,
    "other/web.yaml": "{{- if .x }}\nkind: Pod\n{{- end }}\n",
    "overlay/kustomization.yaml": "resources: [../apps]\n",
    "overlay/named/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    "resources: [x]\n",
    "docker-compose.yml": "services: {web: {image: nginx}}\n",
    ".github/workflows/ci.yml": "on: push\njobs: {}\n",
    "package.json": '{"name": "x"}',
    "list.json": "[1, 2]",
    "empty.yaml": "# nothing\n",
    "zero.yml": "",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name, text in {**OTHERS, "apps/pod.yaml": POD, "README.md": "{{"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def skipped(err: str) -> str:
    (line,) = (line for line in err.splitlines() if ": skipped " in line)
    return line


def test_what_holds_no_objects_is_skipped_and_named_in_one_line(run: Run, repository: Path) -> None:
    result = run(*PLAN, "-R", "-f", repository)
    assert [item["pod"] for item in result.items] == ["p"]
    line = skipped(result.err)
    assert line.startswith(
        f"Warning: {repository}: skipped {len(OTHERS)} files that hold no Kubernetes objects: "
    )
    assert ".github/workflows/ci.yml, chart/Chart.yaml, " in line
    assert f", {len(OTHERS) - 8} more; " in line
    assert "helm template DIR" in line
    assert "kubectl kustomize DIR" in line


@pytest.mark.parametrize("name", OTHERS)
def test_each_is_skipped_in_a_directory_and_an_error_by_name(run: Run, repository: Path, name: str) -> None:
    if "templates/" not in name and "kind" not in OTHERS[name]:  # which a chart beside it shows, or it is one
        assert run(*PLAN, "-f", repository / name).code == 1
        strict = run(*PLAN, "-f", (repository / name).parent, "-f", repository / "apps", "--strict-files")
        assert strict.code == 1
    assert name in skipped(run(*PLAN, "-R", "-f", repository, *apart(name)).err)


def test_a_directory_of_which_all_is_skipped_is_an_error_beside_others(run: Run, repository: Path) -> None:
    apps = repository / "apps"
    result = run(*PLAN, "-R", "-f", apps, "-f", repository / "chart")
    assert result.code == 1
    assert f"Error: {repository / 'chart'}: skipped 6 files that hold no Kubernetes objects: " in result.err
    (apps / "values.yaml").write_text("a: 1\n")
    result = run(*PLAN, "-f", apps / "pod.yaml", "-f", apps)  # of which the rest was given already
    assert [item["pod"] for item in result.items] == ["p"]


def apart(name: str) -> list[str]:
    """Exclude all the others, whose names would take the room in the line."""
    charts = [path for path in OTHERS if path.endswith("Chart.yaml")]
    return [f"--exclude=/{path}" for path in OTHERS if path not in (name, *charts)]


def test_all_of_one_kind_may_be_left_out(run: Run, repository: Path) -> None:
    words = ("--exclude", "chart/", "--exclude", "*.json", "--exclude", "*.yml", "--exclude", "!list.json")
    line = skipped(run(*PLAN, "-R", "-f", repository, *words).err)
    assert "chart/" not in line
    assert "package.json" not in line
    assert "list.json" in line


def test_patches_of_an_overlay_are_no_objects(run: Run, repository: Path) -> None:
    """A patch may look like a workload without containers, or with one that has no image."""
    overlay = repository / "overlay"
    partial = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 5}\n"
    named = partial.replace("replicas: 5", "template: {spec: {containers: [{name: c, tty: true}]}}")
    (overlay / "kustomization.yaml").write_text(
        "resources: [../apps]\n"
        "patches: [{path: partial.yaml}, {path: sub/../named.yaml, target: {kind: Deployment}}, {patch: x}]\n"
        "patchesStrategicMerge: [../old.yaml, 'kind: Pod']\npatchesJson6902: x\n"
    )
    for name, text in (("overlay/partial", partial), ("overlay/named", named), ("old", partial)):
        (repository / f"{name}.yaml").write_text(text)
    result = run(
        *PLAN, "-R", "-f", repository, "--exclude", "chart/", "--exclude", "*.json", "--exclude", "*.yml"
    )
    assert [item["pod"] for item in result.items] == ["p"]
    line = skipped(result.err)
    assert [name in line for name in ("old.yaml", "overlay/named.yaml", "overlay/partial.yaml")] == [True] * 3
    (overlay / "kustomization.yaml").write_text("patches: [")
    error = run(*PLAN, "-R", "-f", repository).err.splitlines()[-1]
    assert error.startswith("Error: ")
    assert "--exclude leaves a file out" in error


def test_patterns_come_from_files_that_are_named_only(run: Run, repository: Path) -> None:
    path = repository / ".hashcompatignore"
    path.write_text("# ours\n/chart\n*.json\n*.yml\n/overlay/\n/other/\nempty.yaml\n")
    assert len(OTHERS) > 8
    assert f"skipped {len(OTHERS)} files" in run(*PLAN, "-R", "-f", repository).err
    argv = (*PLAN, "-R", "-f", repository, "--exclude-from", path)
    result = run(*argv)
    assert ": skipped " not in result.err
    assert [item["pod"] for item in result.items] == ["p"]
    assert "list.json" in skipped(run(*argv, "--exclude", "!list.json").err)
    assert run(*argv, "--strict-files").code == 0
    assert run(*PLAN, "-R", "-f", repository, "--exclude-from", repository / "none").code == 1


def test_a_file_that_is_broken_is_an_error_that_says_how_to_go_on(run: Run, repository: Path) -> None:
    (repository / "apps" / "cut.yaml").write_text("kind: Pod\nspec: [1,\n")
    result = run(*PLAN, "-R", "-f", repository)
    assert result.code == 1
    assert "cut.yaml: line " in result.err
    assert "--exclude leaves a file out" in result.err


def test_a_document_without_a_kind_among_others_is_an_error(run: Run, repository: Path) -> None:
    (repository / "apps" / "both.yaml").write_text(f"{POD}---\nreplicas: 1\n")
    result = run(*PLAN, "-R", "-f", repository)
    assert "both.yaml (document 2): $: not a Kubernetes object: it has no kind" in result.err


def test_nothing_but_such_files_is_an_error_that_names_them(run: Run, repository: Path) -> None:
    result = run(*PLAN, "-R", "-f", repository / "chart")
    assert (result.code, result.out) == (1, "")
    assert "skipped 6 files that hold no Kubernetes objects: Chart.yaml, " in result.err
    assert "helm template DIR" in result.err


def test_an_archive_of_a_repository_is_read_like_the_directory(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    path.write_bytes(packed({**OTHERS, "apps/pod.yaml": POD}, "w:gz"))
    result = run(*PLAN, "-f", path)
    assert [item["pod"] for item in result.items] == ["p"]
    assert f"skipped {len(OTHERS)} files" in result.err
    assert run(*PLAN, "-f", path, "--strict-files").code == 1


def test_python_takes_the_same(repository: Path) -> None:
    (warning,) = hashcompat.load(repository, recursive=True).warnings
    assert "skipped" in warning
    assert len(list(hashcompat.load(repository, recursive=True, exclude=["/chart"]).pods)) == 1
    with pytest.raises(InputError):
        hashcompat.load(repository, recursive=True, strict_files=True)


def test_excluding_every_file_is_an_error_that_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    result = run(*PLAN, "-f", tmp_path, "--exclude", "*.yaml")
    assert result.code == 1
    assert result.err.endswith(f"Error: {tmp_path}: --exclude leaves nothing to read: 1 file excluded\n")


UNREAD: dict[str, tuple[tuple[str, ...], str]] = {
    "compressed otherwise": (
        ("rs.yaml.xz", "rs.json.bz2"),
        "not read by their names: rs.json.bz2, rs.yaml.xz",
    ),
    "copies": (("rs.yaml.bak", "RS.YAML~"), "not read by their names: RS.YAML~, rs.yaml.bak"),
    "names of pods": (("web-1", "web-2"), "not read by their names: web-1, web-2"),
    "archives": (
        ("x.TGZ", "y.tar.gz", "z.zip"),
        "archives in it are not unpacked, give each by itself: x.TGZ, y.tar.gz, z.zip",
    ),
    "directories": (("b/rs.yaml", "a/c/rs.YML"), "not read: a/, b/ (-R reads what is below)"),
    "many": (
        tuple(f"{number}.yaml.bak" for number in range(10, 20)),
        f"not read by their names: {', '.join(f'{number}.yaml.bak' for number in range(10, 18))}, 2 more",
    ),
}


def with_files(tmp_path: Path, names: Iterable[str]) -> Path:
    for name in ("ok.yaml", *names):
        path = tmp_path / "d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_json(pod()))
    return tmp_path / "d"


@pytest.mark.parametrize(("names", "says"), UNREAD.values(), ids=UNREAD)
def test_what_is_not_read_by_its_name_is_named(
    run: Run, tmp_path: Path, names: tuple[str, ...], says: str
) -> None:
    directory = with_files(tmp_path, names)
    result = run(*PLAN, "-f", directory)
    assert (result.code, f"Warning: {directory}: {says}\n" in result.err) == (0, True)
    strict = run(*PLAN, "-f", directory, "--strict-files")
    assert (strict.code, strict.out) == (1, "")
    assert f"Error: {directory}: {says}; --exclude leaves out what is meant to be\n" in strict.err
    left_out = [word for name in names for word in ("--exclude", f"{name.partition('/')[0]}")]
    result = run(*PLAN, "-f", directory, "--strict-files", *left_out)
    assert (result.code, "not read" in result.err) == (0, False)


@pytest.mark.parametrize("content", [b"", b"All rights reserved", b"{}", b"kinds: x", b'{"name": "x"}'])
def test_a_file_that_neither_name_nor_beginning_shows_is_passed_over(
    run: Run, tmp_path: Path, content: bytes
) -> None:
    directory = with_files(tmp_path, ["LICENSE"])
    (directory / "LICENSE").write_bytes(content)
    os.mkfifo(directory / "pipe")
    assert run(*PLAN, "-f", directory, "--strict-files").code == 0


NAKED = {key: value for key, value in json.loads(as_json(pod())).items() if key != "kind"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (NAKED, "it has no kind"),
        ([NAKED], "want an object with apiVersion and kind, got a list"),
        ({"items": [NAKED]}, "it has no kind"),
        ({"items": [{"kind": "Pod", **NAKED}]}, "it has no kind"),
    ],
)
def test_pods_that_lack_only_their_kind_are_an_error(
    run: Run, tmp_path: Path, content: Any, why: str
) -> None:
    directory = with_files(tmp_path, ())
    (directory / "b.json").write_text(json.dumps(content))
    result = run(*PLAN, "-f", directory)
    assert (result.code, result.out) == (1, "")
    assert f"{directory}/b.json: $: not a Kubernetes object: {why}" in result.err


@pytest.mark.parametrize(
    "name", ["README.md", "web.yaml.tmpl", ".yamllint", "notes.txt", ".git/x.yaml", "a/x.md"]
)
def test_what_is_clearly_something_else_is_passed_over(run: Run, tmp_path: Path, name: str) -> None:
    directory = with_files(tmp_path, [name])
    result = run(*PLAN, "-f", directory, "--strict-files")
    assert (result.code, f"Warning: {directory}" in result.err) == (0, False)


def test_suffixes_are_those_in_whatever_case(run: Run, tmp_path: Path) -> None:
    given = with_files(tmp_path, ())
    for number, name in enumerate(("A.YAML", "b.Json", "C.YML")):
        (given / name).write_bytes(as_json(pod(name=f"q-{number}")))
    result = run(*PLAN, "-f", given, "--strict-files")
    assert [item["pod"] for item in result.items] == ["p", "q-0", "q-1", "q-2"]


def test_a_link_to_a_directory_elsewhere_is_named(run: Run, tmp_path: Path) -> None:
    directory = with_files(tmp_path, ["a/x.yaml"])
    (directory / "a" / "x.yaml").write_bytes(as_json(pod(name="q")))
    (directory / "here").symlink_to(directory / "a")
    argv = (*PLAN, "-f", directory, "-R")
    assert run(*argv, "--strict-files").code == 0
    (tmp_path / "elsewhere").mkdir()
    (directory / "there").symlink_to(tmp_path / "elsewhere")
    assert run(*argv, "--strict-files").code == 0
    (tmp_path / "elsewhere" / "y.yaml").write_bytes(as_json(pod(name="r")))
    said = f"{directory}: links to directories are not followed: there"
    assert f"Warning: {said}\n" in run(*argv).err
    assert (run(*argv, "--strict-files").code, said in run(*argv, "--strict-files").err) == (1, True)


def test_what_an_archive_does_not_read_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.tar"
    path.write_bytes(
        packed(
            {
                "ok.YAML": as_json(pod()).decode(),
                "rs.yaml.xz": "x",
                "README.md": "x",
                "web-1": as_json(pod()).decode(),
                "version": "1",
                "empty": "",
            }
        )
    )
    said = f"{path}: not read by their names: rs.yaml.xz, web-1"
    result = run(*PLAN, "-f", path)
    assert (result.code, f"Warning: {said}\n" in result.err) == (0, True)
    assert (run(*PLAN, "-f", path, "--strict-files").code, said in result.err) == (1, True)
