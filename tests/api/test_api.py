"""The Python API: small, typed, and the same answers as the commands."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client
from msgspec import structs

import hashcompat
from hashcompat.analysis.patching import MisplacedError
from hashcompat.cli import program
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError, InputError, UsageError
from hashcompat.core.go import yaml
from tests.helpers.golden import rows
from tests.helpers.pods import ARTICLE, ARTICLE_MANIFEST, as_json, mirror_pod, node, pod
from tests.helpers.program import ROOT, SAMPLE, Run
from tests.helpers.upgrades import record


def test_the_recorded_hashes() -> None:
    results = [hashcompat.container_hash(ARTICLE, release) for release in ("1.7.16", "1.9.11")]
    assert [(result.value, result.hex, result.era) for result in results] == [
        (1559107639, "5cee1837", "spew-fnv32a"),
        (1428860573, "552aae9d", "spew-fnv32a"),
    ]


@pytest.mark.parametrize("release", ["1.7.16", "1.9.11", "1.27.15", "1.36.3"])
def test_the_text_is_the_golden_one(release: str) -> None:
    expected = rows("containers", release)["recorded-prometheus-node-exporter"]["text"]
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


def test_a_minor_and_latest_mean_the_newest_known_patch_release(catalog: Catalog) -> None:
    newest, container = catalog.known.newest, {"name": "c", "image": "i"}
    plan = hashcompat.plan([pod()], "1.9", "latest", apiserver="v1.9", apiserver_to="latest")
    assert (plan.from_release, plan.to_release) == ("1.9.11", newest)
    assert [read.name for read in plan.releases] == ["1.9.11", newest]
    hashes = [hashcompat.container_hash(container, name) for name in ("1.9", "1.9.11")]
    assert hashes[0] == hashes[1]
    assert hashcompat.container_text(container, "1.9") == hashcompat.container_text(container, "1.9.11")
    assert list(hashcompat.hashes([pod()], ["1.9", "1.9.11", "v1.10"]).releases) == ["1.9.11", "1.10.13"]
    assert hashcompat.matrix(from_="1.9", to="1.10").releases == ("1.9.11", "1.10.13")
    assert str(hashcompat.compare("1.9", "1.10").new.release) == "1.10.13"
    explained = hashcompat.explain([pod()], "ns/p", "1.9", "1.10").items[0]
    assert explained.item.from_release == "1.9.11"
    assert (
        hashcompat.preflight_nodes(None, "1.31", "1.30", source=[pod(), node("v1.30.1")]).target == "1.31.14"
    )


def test_a_patch_is_of_full_releases() -> None:
    given = hashcompat.patch("1.31", ["1.30"], choices=hashcompat.Choices(until="1.31"))
    full = hashcompat.patch("1.31.14", ["1.30.14"], choices=hashcompat.Choices(until="1.31.14"))
    assert given == full
    asked = hashcompat.AssumePatch("accept", ("1.30",))
    assert "--like 1.30.14" in hashcompat.plan([pod()], "1.30", "1.31", patch=asked).patch


@pytest.mark.parametrize("release", ["1.99.0", "1.99", "lates", "", "1.9.0-beta.1", "1.9.x"])
def test_an_unknown_release_is_a_usage_error(release: str) -> None:
    with pytest.raises(UsageError):
        hashcompat.container_hash({}, release)
    with pytest.raises(UsageError):
        hashcompat.plan([pod()], release, "1.9.11")
    with pytest.raises(UsageError):
        hashcompat.plan([pod()], "1.9.11", release)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("old", "new"), [("auto", "1.9.11"), ("1.30.14", "1.31.0"), ("1.9.11", "1.10.0")])
def test_plan_is_what_the_command_says(run: Run, old: str, new: str) -> None:
    plan = hashcompat.plan(hashcompat.load_sample(), old, new)
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


@pytest.mark.parametrize("value", [None, 1, [], {}, {"kind": "Pod"}])
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
    patch = hashcompat.patch("1.9.11", ["1.7.16"])
    assert patch is not None
    assert [edit.path for edit in patch.edits] == ["pkg/kubelet/kuberuntime/kuberuntime_manager.go"]
    assert hashcompat.patch("1.11.10", ["1.10.13"]) is None
    with pytest.raises(
        MisplacedError,
        match=r"kuberuntime_manager\.go: hunk containerChanged: there is no func containerChanged",
    ):
        hashcompat.patch_text(patch, {patch.edits[0].path: "package kuberuntime\n"})
    with pytest.raises(UsageError):
        hashcompat.patch("1.36.0", ["1.30.14"], "pin")


def test_an_unknown_strategy_is_a_usage_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no strategy 'foo'; the strategies are accept, pin, strip"):
        hashcompat.patch("1.9.11", ["1.7.16"], "foo")


PLAN = ("--from", "1.13.12", "--to", "1.14.10", "--sample")


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (("plan", *PLAN), lambda: hashcompat.plan(hashcompat.load_sample(), "1.13.12", "1.14.10")),
        (
            ("explain", "monitoring/grafana-8jkptg7ggq-28w2b", *PLAN),
            lambda: hashcompat.explain(
                hashcompat.load_sample(), "monitoring/grafana-8jkptg7ggq-28w2b", "1.13.12", "1.14.10"
            ),
        ),
        (("explain", *PLAN[:4]), lambda: hashcompat.compare("1.13.12", "1.14.10")),
        (
            ("hash", "--kubelet", "1.9.11,v1.27.3-gke.100", "-f", str(SAMPLE)),
            lambda: hashcompat.hashes(str(SAMPLE), ["1.9.11", "v1.27.3-gke.100"]),
        ),
        (("matrix", *PLAN), lambda: hashcompat.matrix(hashcompat.load_sample(), "1.13.12", "1.14.10")),
        (("matrix",), hashcompat.matrix),
        (("releases",), hashcompat.releases),
        (
            (
                "patch",
                "--kubelet",
                "1.9.11",
                "--like",
                "1.7.16",
                "--audit",
                "--strategy",
                "strip",
                "--sample",
            ),
            lambda: hashcompat.patch_audit(hashcompat.load_sample(), "1.9.11", "1.7.16"),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_api_reproduces_the_documents_of_the_commands(
    run: Run, arguments: tuple[str, ...], call: Callable[[], object]
) -> None:
    # a command line is what the API lacks, and the digest is of all
    texts = run(*arguments, "-o", "json").out, hashcompat.to_json(call()) + "\n"
    printed, other = (re.sub(r'"(command|digest)": "[^"]*"', r'"\1": ""', text) for text in texts)
    assert printed == other


def test_the_api_reproduces_verification_snapshot_and_calibration(
    run: Run, golden: Path, tmp_path: Path
) -> None:
    assert run("verify", golden, "-o", "json").out == hashcompat.to_json(hashcompat.verify(golden)) + "\n"
    saved = tmp_path / "snapshot.json"
    given = as_json(pod(ARTICLE))
    for more in ((), ("--with-hashes",)):
        saved.write_text(hashcompat.to_json(hashcompat.snapshot([pod(ARTICLE)], with_hashes=bool(more))))
        assert run("snapshot", "-f", "-", *more, stdin=given).out.split() == saved.read_text().split()
    (item,) = hashcompat.plan(saved, "1.7.16", "1.9.11").items
    assert item.pod.file == str(saved)
    assert (structs.replace(item, pod=structs.replace(item.pod, file="")),) == (
        hashcompat.plan([pod(ARTICLE)], "1.7.16", "1.9.11").items
    )
    crictl = tmp_path / "crictl.json"
    crictl.write_text(json.dumps({"containers": [record(1559107639, "p", ARTICLE["name"])]}))
    records = hashcompat.load_records(crictl)
    told = run("verify", "--recorded", crictl, "--from", "1.7.16", "-f", "-", "-o", "json", stdin=given)
    assert (
        told.out == hashcompat.to_json(hashcompat.calibrate([pod(ARTICLE)], "1.7.16", records=records)) + "\n"
    )


def test_what_a_client_library_holds_is_taken() -> None:
    container = client.V1Container(name="c", image="i", image_pull_policy="Always")
    model = client.V1Pod(
        metadata=client.V1ObjectMeta(name="p", namespace="ns", uid="u"),
        spec=client.V1PodSpec(node_name="n1", containers=[container]),
    )
    plain = pod({"name": "c", "image": "i", "imagePullPolicy": "Always"}, metadata={"uid": "u"})
    expected = hashcompat.plan([plain], "1.7.16", "1.9.11").items
    for held in (model, [model], client.V1PodList(items=[model]), [AsDict(plain)]):
        assert hashcompat.plan(held, "1.7.16", "1.9.11").items == expected


class AsDict:
    """An object as other client libraries have them."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._value = value

    def to_dict(self) -> dict[str, Any]:
        return self._value


class Text(str):
    """A text as parsers of YAML have it that keep how it was written."""

    __slots__ = ()


class Whole(int):
    """A number as they have it."""

    __slots__ = ()


def of_a_parser(value: Any) -> Any:
    if isinstance(value, dict):
        return {Text(key): of_a_parser(child) for key, child in value.items()}
    if isinstance(value, list):
        return [of_a_parser(child) for child in value]
    return {str: Text, int: Whole}.get(type(value), lambda same: same)(value)


def test_texts_and_numbers_may_be_of_subclasses() -> None:
    plain = pod(ARTICLE, metadata={"uid": "u"})
    way = ("1.29.15", "1.30.14")
    assert hashcompat.plan([of_a_parser(plain)], *way).items == hashcompat.plan([plain], *way).items
    for kubelet in ("1.7.16", *way, "1.31.14"):
        assert hashcompat.container_hash(of_a_parser(ARTICLE), kubelet) == (
            hashcompat.container_hash(ARTICLE, kubelet)
        )


def test_an_object_within_itself_is_refused() -> None:
    value = pod()
    value["metadata"]["labels"] = value
    with pytest.raises(InputError, match="nested too deeply"):
        hashcompat.load(value)


def test_paths_and_objects_are_not_mixed() -> None:
    with pytest.raises(UsageError, match="not both"):
        hashcompat.load(SAMPLE, pod())


def test_what_is_no_result_has_no_document() -> None:
    with pytest.raises(TypeError, match="want the result of a command"):
        hashcompat.to_json({})


def test_the_page_says_of_each_command_what_it_is_in_python() -> None:
    page = (ROOT / "docs" / "python.md").read_text().partition("| command |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in page.splitlines()[2:]]
    told = {word for left, _ in rows for code in re.findall("`([^`]+)`", left) for word in code.split()}
    assert {*program._COMMANDS} <= told
    for left, right in rows:
        alike = right.startswith("the function")
        for name in re.findall("`([^`]+)`", left if alike else right):
            assert name in hashcompat.__all__, name


def test_dir_names_what_is_public() -> None:
    assert set(dir(hashcompat)) == set(hashcompat.__all__)
    assert all(
        getattr(hashcompat, name).__doc__
        for name in hashcompat.__all__
        if callable(getattr(hashcompat, name))
    )
