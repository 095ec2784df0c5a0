"""The Python API: small, typed, and the same answers as the commands."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import hashcompat
from hashcompat.errors import DecodeError, InputError, UsageError
from hashcompat.go import yaml
from hashcompat.patching.model import MisplacedError
from tests.helpers.pods import ARTICLE, ARTICLE_MANIFEST, mirror_pod, node, pod
from tests.helpers.program import CONTAINERS, SAMPLE, Run


def test_the_recorded_hashes() -> None:
    results = [hashcompat.container_hash(ARTICLE, release) for release in ("1.7.16", "1.9.11")]
    assert [(result.value, result.hex, result.era) for result in results] == [
        (1559107639, "5cee1837", "spew-fnv32a"),
        (1428860573, "552aae9d", "spew-fnv32a"),
    ]


@pytest.mark.parametrize("release", ["1.7.16", "1.9.11", "1.27.15", "1.36.3"])
def test_the_text_is_the_golden_one(release: str) -> None:
    expected = (CONTAINERS / release / "recorded-prometheus-node-exporter.txt").read_text()
    assert hashcompat.container_text(ARTICLE, release) == expected


def test_keep_empty_tells_a_manifests_empty_list_from_none() -> None:
    container = {"name": "c", "args": []}
    assert "Args:([]string)<nil>" in hashcompat.container_text(container, "1.9.11")
    assert "Args:([]string)[]" in hashcompat.container_text(container, "1.9.11", keep_empty=True)
    assert hashcompat.container_hash(container, "1.9.11") != hashcompat.container_hash(
        container, "1.9.11", keep_empty=True
    )


def test_what_a_vendors_go_decides_has_two_candidates_and_no_value() -> None:
    result = hashcompat.container_hash({"name": "c", "args": ["\f"]}, "1.27.3-gke.100")
    assert (len(result.candidates), result.value, result.hex) == (2, None, None)
    assert {
        hashcompat.container_hash({"name": "c", "args": ["\f"]}, release).value
        for release in ("1.27.3", "1.27.16")
    } == result.candidates


@pytest.mark.parametrize("container", [{"args": 1}, {"ports": [{"containerPort": "80"}]}, []])
def test_what_does_not_decode_is_a_decode_error(container: Any) -> None:
    with pytest.raises(DecodeError):
        hashcompat.container_hash(container, "1.9.11")


@pytest.mark.parametrize("release", ["1.99.0", "latest", "", "1.9.0-beta.1"])
def test_an_unknown_release_is_a_usage_error(release: str) -> None:
    with pytest.raises(UsageError):
        hashcompat.container_hash({}, release)
    with pytest.raises(UsageError):
        hashcompat.plan([pod()], release, "1.9.11")
    with pytest.raises(UsageError):
        hashcompat.plan([pod()], "1.9.11", release)


@pytest.mark.parametrize(("old", "new"), [("auto", "1.9.11"), ("1.30.14", "1.31.0"), ("1.9.11", "1.10.0")])
def test_plan_is_what_the_command_says(run: Run, old: str, new: str) -> None:
    plan = hashcompat.plan([json.loads(SAMPLE.read_text())], old, new)
    items = run("plan", "--from", old, "--to", new, "--sample", "-o", "json").items
    assert [
        (item.pod.name, item.container.name, item.verdict.value, item.hashes.from_, item.hashes.to)
        for item in plan.items
    ] == [
        (item["pod"], item["container"], item["verdict"], item["hash"]["from"], item["hash"]["to"])
        for item in items
    ]


def test_plan_takes_manifests_and_nodes_among_the_objects() -> None:
    (manifest,) = yaml.load_all(ARTICLE_MANIFEST)
    manifest["spec"]["nodeName"] = "n1"
    (item,) = hashcompat.plan(iter([node("v1.7.16"), manifest]), "auto", "1.9.11").items
    assert (item.verdict, item.hashes.from_, item.hashes.to) == ("RESTART", 1559107639, 1428860573)
    (bare,) = hashcompat.plan([manifest], "1.7.16", "1.9.11", defaults=False).items
    assert bare.hashes.from_ != 1559107639


def test_plan_stops_at_what_does_not_decode_unless_it_may_go_on() -> None:
    objects = [pod(), mirror_pod({"name": "c", "args": 1}, name="q")]
    with pytest.raises(InputError, match=r"^object 1: \$\.spec\.containers\[0\]\.args: want a list"):
        hashcompat.plan(objects, "1.9.11", "1.10.0")
    assert [item.verdict for item in hashcompat.plan(objects, "1.9.11", "1.10.0", keep_going=True).items] == [
        "KEEP",
        "UNKNOWN",
    ]


@pytest.mark.parametrize("value", [None, 1, "Pod", [], {}, {"kind": "Pod"}])
def test_what_is_no_object_is_an_input_error(value: Any) -> None:
    with pytest.raises(InputError, match="object 0"):
        hashcompat.plan([value], "1.9.11", "1.10.0")


def test_input_is_left_as_it_was() -> None:
    given = {"kind": "Pod", "spec": {"containers": [copy.deepcopy(ARTICLE)]}}
    before = copy.deepcopy(given)
    hashcompat.plan([given], "1.7.16", "1.9.11")
    hashcompat.container_hash(given["spec"]["containers"][0], "1.9.11")  # type: ignore[index]
    assert given == before


def test_the_public_names_are_few_and_others_do_not_exist() -> None:
    assert set(hashcompat.__all__) >= {"__version__", "container_hash", "container_text", "plan"}
    assert all(getattr(hashcompat, name) for name in hashcompat.__all__)
    with pytest.raises(AttributeError, match="no attribute 'hash_container'"):
        hashcompat.hash_container  # noqa: B018


def test_no_pods_are_an_error() -> None:
    with pytest.raises(InputError, match="no pods"):
        hashcompat.plan([node("n1")], "1.7.16", "1.9.11")


def test_a_patch_is_a_value_until_it_meets_the_source() -> None:
    patch = hashcompat.make_patch("1.9.11", ["1.7.16"])
    assert patch is not None
    assert [edit.path for edit in patch.edits] == ["pkg/kubelet/kuberuntime/kuberuntime_manager.go"]
    assert hashcompat.make_patch("1.11.10", ["1.10.13"]) is None
    with pytest.raises(
        MisplacedError,
        match=r"kuberuntime_manager\.go: hunk containerChanged: there is no func containerChanged",
    ):
        hashcompat.patch_text(patch, {patch.edits[0].path: "package kuberuntime\n"})
    with pytest.raises(UsageError):
        hashcompat.make_patch("1.36.0", ["1.30.14"], "pin")


def test_an_unknown_strategy_is_a_usage_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no strategy 'foo'; the strategies are accept, pin, strip"):
        hashcompat.make_patch("1.9.11", ["1.7.16"], "foo")
