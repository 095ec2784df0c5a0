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

from hashcompat.analysis.answers.hiding import Hidden, Hider, _Table
from hashcompat.analysis.answers.keeping import FieldKeeper
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import InputError
from hashcompat.core.go.digest import fnv32a_after, fnv32a_before
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.kubelet.hashing import Hasher, compile_hasher
from hashcompat.core.kubelet.sections import Printing, SectionPrinter
from hashcompat.core.model.pods import Blank, Container, ContainerType
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
    values = set()
    for word, base in itertools.product(words, (10, 16, 36)):
        if all(int(letter, 36) < base for letter in word):
            values.add(int(word, base))
    return values


def found_in(document: Any, catalog: Catalog) -> set[str]:
    """Attack every number in a snapshot with the text that 1.9.11 prints of its container, mask and all."""
    shown = {key: value for key, value in containers(document)[0].items() if key != HASHES}
    before, _, after = hasher("1.9.11", catalog).text(shown).partition("***")
    return {value for number in numbers(document) for value in attacked(number % (1 << 32), before, after)}


def containers(document: Any) -> list[Json]:
    return [
        container
        for item in document["items"]
        if item["kind"] == "Pod"
        for container in item["spec"]["containers"]
    ]


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
    plain, escaped, other = (run("snapshot", "-f", "-", stdin=text).out for text in given)
    assert escaped == other
    assert escaped != plain


def test_no_mask_that_tells_the_hashes_apart(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Table, "hidden", lambda *_: None)
    container = Container("c", ContainerType.CONTAINER, "$.spec.containers[0]", C)
    with pytest.raises(InputError, match=r"here: \$\.spec\.containers\[0\]: no mask tells its hashes apart"):
        Hider(catalog, FieldKeeper(catalog)).hidden(container, "here")


def printing(release: str, catalog: Catalog) -> Printing:
    """Return how a release prints containers; nobody else has it."""
    kubelet = catalog.kubelet(release)
    return Printing(kubelet.schema, kubelet.era, kubelet.escapes[0])


def test_texts_that_share_a_hash_ask_for_another_mask(catalog: Catalog) -> None:
    style = printing("1.9.11", catalog)
    style.hasher = structs.replace(style.hasher, digest=lambda *_: 1)
    table = _Table(SectionPrinter())
    table.add(style, C, {**C, "env": [{"name": "A"}]})
    assert table.hidden(C, None) == Hidden(C, {1: 1}, frozenset())
    table.add(style, C, {**C, "stdin": True})
    assert table.hidden(C, None) is None


def test_what_differs_in_a_hidden_value_is_not_stored(catalog: Catalog) -> None:
    """Two kubelets that print the same text without a value, but not with it."""
    style = printing("1.9.11", catalog)
    table = _Table(SectionPrinter())
    table.add(style, C, {**C, "env": []})
    made = table.hidden(C, None)
    assert made is not None
    assert len(made.true) == 1
    table.add(style, {**C, "args": ["x"]}, {**C, "env": []})
    assert table.hidden(C, None) == Hidden(C, {}, frozenset())


WORDS = ("hashcompat-blank-00000", "hashcompat-blank-00001")


def around(value: str, name: str = "data", image: str = "i") -> dict[str, Any]:
    return {
        "name": "c",
        "image": image,
        "args": ["--first", value],
        "env": [{"name": name, "value": "v"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
        "resources": {"limits": {"cpu": "100m"}, "requests": {"cpu": "10m"}},
        "livenessProbe": {"httpGet": {"path": "/live", "port": 80}, "periodSeconds": 10},
    }


def replica(spec: dict[str, Any], *own: str) -> Container:
    blank = Blank(spec, WORDS[: len(own)], len(repr(spec)))
    return Container("c", ContainerType.CONTAINER, "$", {}, blank=blank, own=own)


@pytest.fixture(scope="module")
def hider(catalog: Catalog) -> Hider:
    return Hider(catalog, FieldKeeper(catalog))


@pytest.mark.parametrize(
    ("value", "more"),
    [
        pytest.param("one", {"name": "VARIABLE"}, id="a name that is shown"),
        pytest.param("kube-api-access-x7f2q", {"name": "A=B"}, id="a name that is not"),
        pytest.param("a/b:c@d+e", {"image": "registry.example.com/i:1"}, id="an image that is shown"),
        pytest.param('<a href="x\\y">&\n\t', {"image": "user:secret@registry/x"}, id="one that is not"),
        pytest.param("**** *", {"name": "***"}, id="a name like a mask"),
    ],
)
def test_replicas_are_hidden_as_if_each_were_the_only_one(
    value: str, more: dict[str, str], hider: Hider
) -> None:
    ((key, text),) = more.items()
    spec = around(WORDS[0], **{key: WORDS[1]})
    first = replica(spec, value, text)
    replicas = hider.replicas(first, "here")
    assert replicas is not None
    hidden = replicas.hidden(first.own)
    container = Container("c", ContainerType.CONTAINER, "$", around(value, **more))
    by_itself = hider.hidden(container, "here")
    assert (hidden, list(hidden.true)) == (by_itself, list(by_itself.true))
    assert hidden.is_distinct
    assert replicas.size > 0


def test_replicas_that_are_shown_alike_are_printed_once(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    hider, spec = Hider(catalog, FieldKeeper(catalog)), around(WORDS[0], image=WORDS[1])
    blank = Blank(spec, WORDS, len(repr(spec)))
    first = Container("c", ContainerType.CONTAINER, "$", {}, blank=blank, own=("one", "i"))
    known = hider.replicas(first, "here")
    monkeypatch.setattr(hider, "_table", None)
    second = structs.replace(first, own=("two", "i"))
    assert hider.replicas(second, "here") is known
    assert known is not None
    one, two = (known.hidden(each.own) for each in (first, second))
    assert {one.true[key] for key in one.public} == set(one.true.values()) & set(two.true.values())


def test_a_container_that_is_no_replica_is_hidden_by_itself(catalog: Catalog) -> None:
    hider = Hider(catalog, FieldKeeper(catalog))
    assert hider.replicas(Container("c", ContainerType.CONTAINER, "$", C), "here") is None


def test_replicas_whose_texts_share_a_hash_are_hidden_by_themselves(catalog: Catalog) -> None:
    style = printing("1.9.11", catalog)
    style.hasher = structs.replace(style.hasher, digest=lambda *_: 1)
    table = _Table(SectionPrinter())
    table.add(style, C, {**C, "env": [{"name": "A"}]})
    table.add(style, C, {**C, "stdin": True})
    assert table.replicas(C, ()) is None


def test_what_is_printed_is_kept_within_bounds(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    containers = [Container("c", ContainerType.CONTAINER, "$", spec) for spec in (C, {**C, "stdin": False})]
    hidden = [Hider(catalog, FieldKeeper(catalog)).hidden(container, "here") for container in containers]
    monkeypatch.setattr("hashcompat.analysis.answers.hiding._PRINTED", 0)
    hider = Hider(catalog, FieldKeeper(catalog))
    assert [hider.hidden(container, "here") for container in containers] == hidden
