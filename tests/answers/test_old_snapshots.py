"""Snapshots that earlier versions made: the same verdicts, and outputs hide what the files still show."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from msgspec import structs

import hashcompat
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import NotStoredError
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.pods import Inventory
from tests.answers.test_redaction import columns, some
from tests.helpers.planted import MARK, holds
from tests.helpers.program import Run, formats_of, reports
from tests.helpers.slices import every

FILES = Path(__file__).parent / "snapshots"
CLUSTER = FILES / "cluster.json"
"""What they were made of: pods with markers in their values, paths, hosts, images and annotations."""

SNAPSHOTS = sorted(path for path in FILES.iterdir() if path != CLUSTER)
"""``paths-shown`` is of the first version, which hid values alone, the others of one that hid all texts."""

PAIRS = (("1.7.16", "1.9.11"), ("1.18.20", "1.19.0"), ("1.30.14", "1.31.0"), ("1.31.0", "1.32.0"))


def verdicts(inventory: Inventory, old: str, new: str) -> list[tuple[object, ...]]:
    """Return all that a plan says of each container, but for hashes and where it is."""
    return [
        (structs.replace(item.pod, file=""), item.container, item.verdict, item.pod_recreated, item.reasons)
        for item in hashcompat.plan(inventory, old, new).items
    ]


def test_there_is_one_of_each_kind() -> None:
    assert [path.stem for path in SNAPSHOTS] == ["paths-shown", "values-hidden-with-hashes", "values-hidden"]
    assert [holds(path.read_text()) for path in SNAPSHOTS] == [True, False, False]
    assert holds(CLUSTER.read_text())


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", SNAPSHOTS, ids=lambda path: path.stem)
def test_an_old_snapshot_gives_the_plans_of_its_cluster(path: Path, catalog: Catalog) -> None:
    pairs = [*PAIRS, *some(itertools.pairwise(columns(catalog)[:-1]))]
    cluster, saved = hashcompat.load(CLUSTER), hashcompat.load(path)
    for old, new in pairs:
        assert verdicts(saved, old, new) == verdicts(cluster, old, new), (old, new)


@pytest.mark.parametrize("path", SNAPSHOTS, ids=lambda path: path.stem)
def test_each_hash_of_an_old_snapshot_is_found(path: Path, catalog: Catalog) -> None:
    """The key is the hash of the text that the file holds, whatever a version of the program would hide."""
    for pod in hashcompat.load(path).pods:
        for container in pod.containers:
            for release in columns(catalog)[:-1]:
                try:
                    container_hash(container.spec, catalog.kubelet(release), stored=container.stored)
                except NotStoredError:  # pragma: no cover - fails
                    pytest.fail(f"{pod.name}/{container.name}: {release}")


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("path", every(2, SNAPSHOTS), ids=lambda path: path.stem)
def test_what_an_old_snapshot_shows_is_hidden_in_outputs(run: Run, path: Path, tmp_path: Path) -> None:
    old, new = PAIRS[1]
    forms = formats_of("explain")
    for name in ("full", "one", "latest"):
        place = tmp_path / name
        place.mkdir()
        words = ("explain", f"ns/{name}", "--from", old, "--to", new, "-f", path)
        result = run(*words, *reports(place, forms))
        assert result.code == 0, result.err
        texts = [result.out, result.err, *(saved.read_text() for saved in place.iterdir())]
        assert len(texts) == 2 + len(forms)
        assert not any(map(holds, texts))
    again = tmp_path / "again.json"
    assert run("snapshot", "-f", path, "--out", again).code == 0
    assert MARK not in again.read_text()
    kept = (verdicts(hashcompat.load(file), old, new) for file in (again, CLUSTER))
    assert next(kept) == next(kept)


def test_images_that_differ_in_a_password_are_different(run: Run) -> None:
    """From 1.31 on only name and image are hashed."""
    hashes = {
        row["pod"]: row["hashes"]["1.31.0"]["hash"]
        for row in run("hash", "--kubelet", "1.31.0", "-f", CLUSTER, "-o", "json").items
    }
    assert hashes["one"] != hashes["other"]
    (again,) = (path for path in SNAPSHOTS if path.stem == "values-hidden-with-hashes")
    saved = {
        row["pod"]: row["hashes"]["1.31.0"]["hash"]
        for row in run("hash", "--kubelet", "1.31.0", "-f", again, "-o", "json").items
    }
    assert (saved["one"], saved["other"]) == (hashes["one"], hashes["other"])
