"""The attack on a snapshot: a value out of a hash over it, by a meet in the middle over FNV-1a."""

from __future__ import annotations

import itertools
import json
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis.answers.hiding import Hider, _Table
from hashcompat.analysis.answers.keeping import FieldKeeper, Hidden
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import InputError
from hashcompat.core.go.digest import fnv32a_after, fnv32a_before
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.kubelet.hashing import Hasher, compile_hasher
from hashcompat.core.kubelet.sections import Printing, SectionPrinter
from hashcompat.core.model.pods import Container, ContainerType
from hashcompat.sources.snapshots import HASHES
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import record

SECRET = "xkqz"  # noqa: S105 - it stands for one
C: Json = {"name": "c", "image": "i", "env": [{"name": "PIN", "value": SECRET}], "stdin": True}
UID = "0123456789abcdef0123456789abcdef"
"""Stands for the digest of a static pod's manifest, its values included."""
TEMPLATE_HASH = "5d4f8c7b9"
"""Stands for the FNV-1a of a pod template, its values included."""


def attacked(number: int, before: str, after: str) -> Iterator[str]:
    """Yield the values between two texts whose FNV-1a is a number, by two halves that meet in one state."""
    start, end = fnv32a_after(before), fnv32a_before(number, after)
    halves = list(map("".join, itertools.product(string.ascii_lowercase, repeat=len(SECRET) // 2)))
    first = {fnv32a_after(half, start): half for half in halves}
    for half in halves:
        if (state := fnv32a_before(end, half)) in first:
            yield first[state] + half


def numbers(document: Any) -> set[int]:
    """Return every number in a document, and what its words are as decimal, hex or base 36."""
    words = set(re.findall("[0-9A-Za-z]+", json.dumps(document)))
    found = set()
    for word, base in itertools.product(words, (10, 16, 36)):
        if all(int(letter, 36) < base for letter in word):
            found.add(int(word, base))
    return found


def found_in(document: Any, catalog: Catalog) -> set[str]:
    """Attack every number in a snapshot with the text that 1.9.11 prints of its container, mask and all."""
    shown = {key: value for key, value in containers(document)[0].items() if key != HASHES}
    before, _, after = hasher("1.9.11", catalog).text(shown).partition("***")
    return {value for number in numbers(document) for value in attacked(number % (1 << 32), before, after)}


def containers(document: Any) -> list[Json]:
    return [one for item in document["items"] if item["kind"] == "Pod" for one in item["spec"]["containers"]]


def hasher(release: str, catalog: Catalog) -> Hasher:
    kubelet = catalog.kubelet(release)
    return compile_hasher(kubelet.schema, kubelet.era, kubelet.escapes[0], False)


def true_hashes(catalog: Catalog) -> set[int]:
    """Return what any release computes of the container, but for those that hash its name and image alone."""
    kubelets = map(catalog.kubelet, catalog.releases())
    ways = {(kubelet.schema, kubelet.era) for kubelet in kubelets if kubelet.era.whole}
    specs = (C, {**C, "resources": {}}, {**C, "terminationMessagePolicy": "File"})
    return {
        compile_hasher(schema, era, escapes, False).hash(spec)
        for (schema, era), escapes, spec in itertools.product(ways, ESCAPES, specs)
    }


def snapshot_of(run: Run, directory: Path, catalog: Catalog, *more: str) -> Any:
    """Return a snapshot of pods with digests of the value wherever Kubernetes writes them, and records."""
    true = hasher("1.9.11", catalog).hash(C)
    labels = {"pod-template-hash": TEMPLATE_HASH, "controller-revision-hash": TEMPLATE_HASH}
    annotations = {
        "kubernetes.io/config.mirror": UID,
        "kubernetes.io/config.hash": UID,
        "checksum/config": UID,
    }
    static = mirror_pod(C, name="m")
    static["metadata"]["annotations"] = annotations
    rows = [record(true), record(true, pod="m", uid=UID), record(true, pod="gone")]
    (directory / "r.json").write_text(json.dumps({"containers": rows}))
    given = as_json(pod(C, metadata={"labels": labels, "annotations": annotations}), static, node("1.9.11"))
    result = run("snapshot", "-f", "-", "--recorded", directory / "r.json", *more, stdin=given)
    assert result.code == 0, result.err
    return json.loads(result.out)


def test_the_attack_finds_the_value_where_hashes_are_kept(run: Run, catalog: Catalog, tmp_path: Path) -> None:
    document = snapshot_of(run, tmp_path, catalog, "--with-hashes")
    assert SECRET in found_in(document, catalog)
    assert numbers(document) & true_hashes(catalog)


def test_the_attack_finds_nothing_because_nothing_is_there(
    run: Run, catalog: Catalog, tmp_path: Path
) -> None:
    document = snapshot_of(run, tmp_path, catalog)
    assert found_in(document, catalog) == set()
    assert numbers(document) & true_hashes(catalog) == set()
    assert SECRET not in json.dumps(document)
    for digest in (UID, TEMPLATE_HASH):
        assert digest not in json.dumps(document)
    assert [row["hash"][0] for row in document["recorded"]] == ["h", "h", "h"]


def test_two_values_of_any_length_give_the_same_snapshot(run: Run) -> None:
    documents = [
        run("snapshot", "-f", "-", stdin=as_json(pod({**C, "args": [value]}))).out
        for value in ("a", "b", "c" * 50, "é", '<"&>', "\u2028")
    ]
    assert len(set(documents)) == 1


def test_a_value_that_two_gos_write_differently_tells_only_that(run: Run) -> None:
    given = [as_json(pod({**C, "args": [value]})) for value in ("a", "a\b", "\fbc")]
    plain, one, other = (run("snapshot", "-f", "-", stdin=text).out for text in given)
    assert one == other
    assert one != plain


def test_no_mask_that_tells_the_hashes_apart(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    for made in ("outline", "hidden"):
        monkeypatch.setattr(_Table, made, lambda *_: None)
    container = Container("c", ContainerType.CONTAINER, "$.spec.containers[0]", C)
    with pytest.raises(InputError, match=r"here: \$\.spec\.containers\[0\]: no mask tells its hashes apart"):
        Hider(catalog, FieldKeeper(catalog)).hidden(container, "here")


def printing(release: str, catalog: Catalog) -> Printing:
    """Return how a release prints containers; nobody else has it."""
    kubelet = catalog.kubelet(release)
    return Printing(kubelet.schema, kubelet.era, kubelet.escapes[0])


def test_texts_that_share_a_hash_ask_for_another_mask(catalog: Catalog) -> None:
    one = printing("1.9.11", catalog)
    one.hasher = structs.replace(one.hasher, digest=lambda *_: 1)
    table = _Table(SectionPrinter())
    table.add(one, C, {**C, "env": [{"name": "A"}]})
    assert table.hidden(C, None) == Hidden(C, {1: 1}, frozenset())
    table.add(one, C, {**C, "stdin": True})
    assert table.hidden(C, None) is None


def test_what_differs_in_a_hidden_value_is_not_stored(catalog: Catalog) -> None:
    """Two kubelets that print the same text without a value, but not with it."""
    one = printing("1.9.11", catalog)
    table = _Table(SectionPrinter())
    table.add(one, C, {**C, "env": []})
    made = table.hidden(C, None)
    assert made is not None
    assert len(made.true) == 1
    table.add(one, {**C, "args": ["x"]}, {**C, "env": []})
    assert table.hidden(C, None) == Hidden(C, {}, frozenset())
