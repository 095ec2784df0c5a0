"""A snapshot that is written pod by pod is the same as one that is written whole."""

from __future__ import annotations

import pytest
from msgspec import structs

from hashcompat.analysis.answers.redaction import Snapshot, snapshot
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go.jsontext import dumps, loads
from hashcompat.output.report.model import Rows
from hashcompat.output.report.snapshot import SNAPSHOT, PodTexts, following, text
from hashcompat.sources.files.collect import collect, sample_path


@pytest.fixture(scope="module")
def found(catalog: Catalog) -> Snapshot:
    return snapshot(collect((str(sample_path()),)), catalog)


def test_pods_one_by_one_are_the_whole_document(found: Snapshot) -> None:
    texts = PodTexts()
    pods = [following(texts.of(pod)) for pod in found.inventory.pods]
    rest = structs.replace(found, inventory=structs.replace(found.inventory, pods=()))
    assert "".join(text(rest, pods)) == "".join(text(found))


def test_the_text_is_that_of_the_document(found: Snapshot) -> None:
    assert SNAPSHOT.document is not None
    document = SNAPSHOT.document(found)
    rows = {key: list(value) if isinstance(value, Rows) else value for key, value in document.items()}
    assert loads("".join(text(found))) == loads(dumps(rows))


def test_copies_of_a_container_are_written_alike(found: Snapshot) -> None:
    texts = PodTexts()
    for pod in found.inventory.pods:
        assert texts.of(pod) == texts.of(
            structs.replace(pod, containers=tuple(map(structs.replace, pod.containers)))
        )


def test_a_text_that_looks_like_a_container_stays(found: Snapshot) -> None:
    (pod, *_) = found.inventory.pods
    odd = structs.replace(pod, spec={**pod.spec, "nodeName": "hashcompat-container"})
    assert loads(PodTexts().of(odd))["spec"]["nodeName"] == "hashcompat-container"
    assert len(loads(PodTexts().of(odd))["spec"]["containers"]) == len(pod.containers)
